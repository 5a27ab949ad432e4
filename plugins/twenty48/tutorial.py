"""The player of a tutorial on 2048, and its heuristic; the oddities of the published version are options.

The player looks ahead through three tiles and scores rows and columns one by one. The published player adds up the
values of the possible tiles instead of taking their mean, and truncates each summand to an integer. It gives a lost
game the value 0, which is above the value of most boards, so it seeks the end of the game.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from searchlab import BoundDomain, Heuristic, Parameter, Player
from searchlab_plugins.twenty48 import random_packed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Board, BoundHeuristic, Expectimax, Move, PackedForm

DEPTH = 3
LOST = -1e9
PARTS = 10.0**12


def tutorial_line(line: Any) -> float:
    """Score a row or a column by its blanks, equal neighbours, sum of tiles, and evenness.

    1000 + 250 per blank + 750 per pair of equal neighbours - 10 × the sum - 50 × the lesser of all falls and all rises
    from tile to tile, ignoring blanks.
    """
    score = 1000.0
    falls = 0.0
    rises = 0.0
    before = 0
    for cell in range(len(line)):
        tile = line[cell]
        if tile == 0:
            score += 250.0
            continue
        score -= 10.0 * tile
        score += 750.0 * (tile == before)
        falls += float(max(0, before - tile))
        rises += float(max(0, tile - before)) * (before > 0)
        before = tile
    return score - 50.0 * min(falls, rises)


def tutorial_score(tiles: Any) -> float:
    """Sum of the scores of rows and columns, as in the tutorial."""
    rows, columns = tiles.shape
    score = 0.0
    for row in range(rows):
        score += tutorial_line(tiles[row])
    for column in range(columns):
        score += tutorial_line(tiles[:, column])
    return score


def expected(
    board: Board,
    moves: tuple[Move, ...],
    domain: BoundDomain,
    heuristic: BoundHeuristic,
    sum_spawns: bool = False,
    dead_is_zero: bool = False,
) -> Iterable[float]:
    """Return the expected value of each move by the rules of the tutorial's player."""
    return looking_ahead(domain, heuristic, sum_spawns, dead_is_zero).values(board).values()


@lru_cache(maxsize=8)
def looking_ahead(domain: BoundDomain, heuristic: BoundHeuristic, sum_spawns: bool, dead_is_zero: bool) -> Expectimax:
    """Return the Expectimax of the player, which is kept, because it holds compiled functions."""
    from searchlab import Expectimax, LookAhead  # not at the top: searches load the heuristic, but do not need these

    believed = Summed(domain.component, domain.values) if sum_spawns else domain
    dead = 0.0 if dead_is_zero else LOST
    return Expectimax(LookAhead(believed, heuristic, dead=dead, whole=sum_spawns), depth=DEPTH)


class Summed(BoundDomain):
    """The random game with weights in place of probabilities; the weights add up to the number of blank cells."""

    def chance(self, board: Board) -> Any:
        """Return the events with weights in place of probabilities."""
        events = super().chance(board)
        return tuple(event._replace(probability=weight(k, self.values["p2"])) for k, event in enumerate(events))

    def packed(self, board: Board) -> PackedForm | None:
        """Return the compiled rules with these weights."""
        form = super().packed(board)
        if form is None:
            return None
        in_nibbles = form.words.chances is random_packed.chances_of_nibbles
        words = replace(form.words, chances=weighed_in_nibbles if in_nibbles else None)
        return replace(form, chances=weighed, words=words)


def weight(k: int, p2: float) -> float:
    """Return the weight of the k-th event; each cell has an event for a 2, then an event for a 4."""
    if p2 == 0.0 or p2 == 1.0:
        return 1.0
    return p2 if k % 2 == 0 else (PARTS - PARTS * p2) / PARTS  # 0.1 for p2 = 0.9; 1 - 0.9 is less than 0.1


def weighed(tiles: Any, out: Any, probabilities: Any, p2: float) -> int:
    """Write the boards after the events, and weights in place of probabilities."""
    count = random_packed.chances(tiles, out, probabilities, p2)
    for k in range(count):
        probabilities[k] = weight(k, p2)
    return count


def weighed_in_nibbles(words: Any, out: Any, probabilities: Any, p2: float) -> int:
    """Write the packed boards after the events, and weights in place of probabilities, with four bits per cell."""
    count = random_packed.chances_of_nibbles(words, out, probabilities, p2)
    for k in range(count):
        probabilities[k] = weight(k, p2)
    return count


HEURISTIC = Heuristic(
    "tutorial",
    tutorial_score,
    line=tutorial_line,
    domains={"2048"},
    prefer="high",
    summary="blanks, equal neighbours, small tiles and smooth lines, as in a tutorial; mostly negative",
)

PLAYER = Player(
    "tutorial",
    values=expected,
    domains={"2048-random"},
    summary="looking three tiles ahead and scoring line by line, as in a tutorial",
    parameters=(
        Parameter("heuristic", "searchlab/tutorial", "what judges the boards", kind="heuristic"),
        Parameter("sum_spawns", False, "as published: what tiles may lead to is added up, each cut to a whole number"),
        Parameter("dead_is_zero", False, "as published: a lost game is worth 0, more than most boards"),
    ),
)
