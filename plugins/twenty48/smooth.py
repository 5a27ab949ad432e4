"""The heuristic `smooth` for random 2048, which scores the rows and columns of a board one by one.

The score of a line depends on its blanks, on its tiles that can merge, on how evenly tiles rise or fall along it, and
on the size of the tiles. The best-known programs for 2048 (2014) have evaluations of this form. The coefficients were
found by a random search; `experiments/smooth.toml` compares them with other coefficients, and
`experiments/tune-smooth.toml` tunes them.
"""

from __future__ import annotations

from typing import Any

from searchlab import Heuristic, Parameter, trailing_zeros

DOMAINS = frozenset({"2048"})


def smooth_line(
    line: Any,
    base: float = 200_000.0,
    blanks: float = 425.0,
    merges: float = 700.0,
    monotonicity: float = 25.0,
    steepness: float = 3.45,
    total: float = 11.3,
    growth: float = 2.95,
) -> float:
    """Score a row or a column; a tile counts by its exponent, a blank as 0.

    `base` keeps the score of every board above 0, the value of a lost game. Each blank adds `blanks`. Each tile that
    equals the tile before it, ignoring blanks, adds `merges`. Each tile subtracts `total` times its exponent to the
    power `growth`. Exponents to the power `steepness` rise and fall along the line: the lesser of the total rise and
    the total fall, times `monotonicity`, is subtracted.
    """
    score = base
    falls = 0.0
    rises = 0.0
    tile_before = 0
    power_before = -1.0
    for cell in range(len(line)):
        tile = line[cell]
        power = 0.0
        if tile == 0:
            score += blanks
        else:
            exponent = float(trailing_zeros(tile))
            power = exponent**steepness
            score -= total * exponent**growth
            score += merges * (tile == tile_before)
            tile_before = tile
        if power_before >= 0.0:
            falls += max(0.0, power_before - power)
            rises += max(0.0, power - power_before)
        power_before = power
    return score - monotonicity * min(falls, rises)


def smooth(
    tiles: Any,
    base: float = 200_000.0,
    blanks: float = 425.0,
    merges: float = 700.0,
    monotonicity: float = 25.0,
    steepness: float = 3.45,
    total: float = 11.3,
    growth: float = 2.95,
) -> float:
    """Sum of the scores of rows and columns, by blanks, merges, evenness and small tiles."""
    rows, columns = tiles.shape
    score = 0.0
    for row in range(rows):
        score += smooth_line(tiles[row], base, blanks, merges, monotonicity, steepness, total, growth)
    for column in range(columns):
        score += smooth_line(tiles[:, column], base, blanks, merges, monotonicity, steepness, total, growth)
    return score


SMOOTH = Heuristic(
    "smooth",
    smooth,
    line=smooth_line,
    domains=DOMAINS,
    prefer="high",
    parameters=(
        Parameter("base", 200_000.0, "what a line scores at first, so that every board is worth more than a lost one"),
        Parameter("blanks", 425.0, "the score of a blank", low=40, high=4_000, log=True),
        Parameter("merges", 700.0, "the score of a tile that equals the one before it", low=70, high=7_000, log=True),
        Parameter("monotonicity", 25.0, "the weight of lines that rise and fall", low=2, high=250, log=True),
        Parameter("steepness", 3.45, "the power of tiles' exponents in a rise or fall", low=2, high=5),
        Parameter("total", 11.3, "the weight of all tiles", low=1, high=100, log=True),
        Parameter("growth", 2.95, "the power of tiles' exponents in their total", low=2, high=4),
    ),
    summary="blanks, merges and smooth lines, for players of the random game",
)
