"""How good a course of learning has become: a row for every thousand games, as a table and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from searchlab.files import file_error, replacing, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from searchlab.model.games import LearnedGame

BLOCK = 1000
"""Games a row."""
TABLE, PICTURE = "curve.csv", "curve.svg"
TILES = tuple(2**exponent for exponent in range(9, 17))
"""Of each of these tiles a row says which share of the games reached it."""
GAMES, MOVES, SCORE, BEST, SECONDS, REACHED = range(6)
"""The columns of the sums of a block; from the last on one for each of the tiles."""
WIDTH = REACHED + len(TILES)
PROMINENT = 0.01
"""The share of games from which on a tile has a line of its own in the picture."""


class Curve:
    """What the games of a course came to, block by block.

    Args:
        sums: what `sums` returned of another curve, to go on from there.
    """

    def __init__(self, sums: NDArray[np.float64] | None = None) -> None:
        if sums is not None:
            _check(sums)
        self._blocks = [] if sums is None else list(sums.copy())

    @property
    def games(self) -> int:
        """How many games it is of."""
        return BLOCK * max(0, len(self._blocks) - 1) + int(self._blocks[-1][GAMES] if self._blocks else 0)

    @property
    def mean_score(self) -> float:
        """The mean score of the last games: up to two blocks of them; 0 where there is none."""
        last = self._blocks[-2:]
        return float(sum(block[SCORE] for block in last) / sum(block[GAMES] for block in last)) if last else 0.0

    @property
    def best_score(self) -> float:
        """The highest score of all games, 0 where there is none."""
        return max((float(block[BEST]) for block in self._blocks), default=0.0)

    def add(self, games: Iterable[LearnedGame], cpu_seconds: float) -> None:
        """Add games that are over.

        Args:
            games: in order.
            cpu_seconds: used by all games until then.
        """
        for game in games:
            if self.games % BLOCK == 0:
                self._blocks.append(np.zeros(WIDTH))
            block = self._blocks[-1]
            block[:REACHED] += 1, game.moves, game.score, 0, 0
            block[BEST] = max(block[BEST], game.score)
            block[REACHED:] += np.array(TILES) <= game.final.tiles.max()
            block[SECONDS] = cpu_seconds

    def sums(self) -> NDArray[np.float64]:
        """Return what another curve goes on from, shape (blocks, columns)."""
        return np.array(self._blocks).reshape(-1, WIDTH)

    def write_table(self, folder: Path) -> None:
        """Write the table into a folder.

        Raises:
            UsageError: it cannot be written.
            MachineError: there is no room for it.
        """
        write(folder / TABLE, self._rows())

    def draw(self, folder: Path) -> None:
        """Write the picture into a folder, if there is something to be seen; errors as for the table."""
        if self._blocks:
            self._draw(folder / PICTURE)

    def _rows(self) -> Iterator[str]:
        """Yield the lines of the table: how many games there were, and what those since the line before came to."""
        reached = [f"reached_{tile}" for tile in TILES]
        yield ",".join(["games", "mean_moves", "mean_score", "best_score", *reached, "cpu_seconds"]) + "\n"
        ended = 0
        for block in self._blocks:
            count = block[GAMES]
            ended += int(count)
            means = f"{block[MOVES] / count:.2f},{block[SCORE] / count:.2f},{block[BEST]:.0f}"
            shares = ",".join(f"{share:.4g}" for share in block[REACHED:] / count)
            yield f"{ended},{means},{shares},{block[SECONDS]:.3f}\n"

    def _draw(self, path: Path) -> None:
        """Draw the mean score, and below it the shares of games that reached tiles."""
        import matplotlib as mpl
        from matplotlib.figure import Figure

        sums = self.sums()
        games, counts = sums[:, GAMES].cumsum(), sums[:, GAMES]
        # The same curve is the same file, and its text is text.
        with mpl.rc_context({"svg.hashsalt": "searchlab", "svg.fonttype": "none", "font.family": "sans-serif"}):
            figure = Figure(figsize=(8, 6), layout="constrained")
            scores, tiles = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
            marker = "o" if len(sums) == 1 else ""
            scores.plot(games, sums[:, SCORE] / counts, marker=marker, color="tab:blue")
            scores.set(ylabel="mean score", ylim=(0, None), title=f"learned from {self.games:,} games")
            for column, tile in enumerate(TILES, REACHED):
                shares = sums[:, column] / counts
                if shares.max() >= PROMINENT:
                    tiles.plot(games, 100 * shares, marker=marker, label=f"{tile}")
            tiles.set(xlabel="games", ylabel="% of games with tile", ylim=(0, 102), xlim=(0, None))
            if tiles.lines:
                tiles.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
            for axes in (scores, tiles):
                axes.grid(alpha=0.3)
                axes.spines[["top", "right"]].set_visible(False)
            for axis in (scores.yaxis, tiles.xaxis):
                axis.set_major_formatter(lambda number, _: f"{number:,.0f}")
            try:
                with replacing(path) as stream:
                    figure.savefig(stream, format="svg", metadata={"Date": None})
            except OSError as error:
                raise file_error(path, error) from None


def _check(sums: NDArray[np.float64]) -> None:
    """Raise a ValueError if these are not the sums of blocks, all of them full but for the last."""
    if sums.shape[1] != WIDTH:
        msg = f"a curve has {WIDTH} columns"
        raise ValueError(msg)
    full, last = sums[:-1, GAMES], sums[-1:, GAMES]
    counted = (full == BLOCK).all() and np.isin(last, np.arange(1, BLOCK + 1)).all()
    if not (counted and np.isfinite(sums).all() and (sums >= 0).all()):
        msg = "its curve cannot be one of games that were played"
        raise ValueError(msg)
