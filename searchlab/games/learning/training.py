"""Training: a learner learns in a folder; it can be stopped and continued at any time.

The folder contains `network.npz`, the network for players; `checkpoint.npz`, the state from which learning continues;
and `curve.csv` and `curve.svg`, the learning curve. A training that is stopped writes all these files first. If it is
killed while writing, the files are still complete, but some may be from the checkpoint before.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import PluginCode, PluginError, SearchlabError, UsageError, in_one_line, message_of
from searchlab.files import remove_drafts, write
from searchlab.games.learning.array_files import read_arrays, write_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from searchlab.files import FolderLock
    from searchlab.model.extensions import Learning
    from searchlab.model.games import LearnedGame

LEARNED, CHECKPOINT = "network.npz", "checkpoint.npz"
HOLDS = "checkpoint of learning"
"""The kind of content in the description of a checkpoint."""
TABLE, PICTURE = "curve.csv", "curve.svg"
FIRST_SLICE, LARGEST_SLICE = 1 << 10, 1 << 20
"""The numbers of moves in the first and in the largest slice of learning; the network does not depend on them."""
SLICE_SECONDS = 0.04
"""The time that a slice should take, in seconds."""
CHECKPOINT_EVERY = 60.0
"""Seconds between two checkpoints."""
LEARNING_A_WRITE = 20
"""The least time between two checkpoints, as a multiple of the time that writing the last checkpoint took."""
BLOCK = 1000
"""The number of games per row of the table."""
TILES = tuple(2**exponent for exponent in range(9, 17))
"""The tiles for which each row has the share of games that reached the tile."""
GAMES, MOVES, SCORE, BEST, SECONDS, REACHED = range(6)
"""The columns of a block; the last of these is the first of the columns for tiles."""
WIDTH = REACHED + len(TILES)


class LearningCurve:
    """The learning curve of a training: sums over blocks of games.

    Args:
        sums: the sums of a curve to continue, as `sums` returned them.
    """

    def __init__(self, sums: NDArray[np.float64] | None = None) -> None:
        if sums is not None:
            _check(sums)
        self._blocks = [] if sums is None else list(sums.copy())

    @property
    def games(self) -> int:
        """The number of games."""
        return BLOCK * max(0, len(self._blocks) - 1) + int(self._blocks[-1][GAMES] if self._blocks else 0)

    @property
    def mean_score(self) -> float:
        """The mean score of the last games, of at most two blocks; 0 if there are none."""
        last = self._blocks[-2:]
        return float(sum(block[SCORE] for block in last) / sum(block[GAMES] for block in last)) if last else 0.0

    @property
    def best_score(self) -> float:
        """The highest score of all games, 0 if there are none."""
        return max((float(block[BEST]) for block in self._blocks), default=0.0)

    def add(self, games: Iterable[LearnedGame], cpu_seconds: float) -> None:
        """Add games.

        Args:
            games: the next games, in order.
            cpu_seconds: the processor time of all games up to the last of these games.
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
        """Return the sums of all blocks, shape (blocks, columns)."""
        return np.array(self._blocks).reshape(-1, WIDTH)

    def columns(self) -> dict[str, list[float]]:
        """Return the columns of the table: for each block, the number of games so far, and means over the block."""
        sums = self.sums()
        counts = sums[:, GAMES]
        columns = {
            "games": counts.cumsum(),
            "mean_moves": sums[:, MOVES] / counts,
            "mean_score": sums[:, SCORE] / counts,
            "best_score": sums[:, BEST],
        }
        columns |= {f"reached_{tile}": sums[:, column] / counts for column, tile in enumerate(TILES, REACHED)}
        columns["cpu_seconds"] = sums[:, SECONDS]
        return {name: values.tolist() for name, values in columns.items()}

    def write_table(self, folder: Path) -> None:
        """Write the table into a folder.

        Raises:
            UsageError: the table cannot be written.
            MachineError: there is no room for the table.
        """
        columns = self.columns()
        lines = [list(columns)]
        for values in zip(*columns.values(), strict=True):
            lines.append([format(value, _format(name)) for name, value in zip(columns, values, strict=True)])
        write(folder / TABLE, (",".join(line) + "\n" for line in lines))


def _format(column: str) -> str:
    if column.startswith("reached_"):
        return ".4g"
    return {"mean_moves": ".2f", "mean_score": ".2f", "cpu_seconds": ".3f"}.get(column, ".0f")


def _check(sums: NDArray[np.float64]) -> None:
    """Raise a ValueError for arrays that are not sums of blocks, all full except the last."""
    if sums.shape[1] != WIDTH:
        msg = f"a curve has {WIDTH} columns"
        raise ValueError(msg)
    full, last = sums[:-1, GAMES], sums[-1:, GAMES]
    counted = (full == BLOCK).all() and np.isin(last, np.arange(1, BLOCK + 1)).all()
    if not (counted and np.isfinite(sums).all() and (sums >= 0).all()):
        msg = "its curve cannot be one of games that were played"
        raise ValueError(msg)


@dataclass
class Training:
    """A training in a folder.

    Attributes:
        folder: the folder of the files.
        settings: the learner, the domain and so on, by name; a training can be continued only with equal settings.
        learning: the learner at work.
        curve: the learning curve so far.
        moves: the number of moves made so far.
        cpu_seconds: the processor time used by learning so far.
        lock: the exclusive right to write to the folder, or None if nobody else writes there.
        picture: a function that draws the learning curve as SVG, or None for no picture.
        is_stopping: whether `stop` was called.
    """

    folder: Path
    settings: Mapping[str, str]
    learning: Learning
    curve: LearningCurve = field(default_factory=LearningCurve)
    moves: int = 0
    cpu_seconds: float = 0.0
    lock: FolderLock | None = None
    picture: Callable[[LearningCurve], str] | None = None
    is_stopping: bool = False
    _written_at: int | None = None

    def resume(self) -> bool:
        """Continue the training in the folder; return whether there is one.

        Raises:
            UsageError: the files are damaged, or have other settings.
        """
        remove_drafts(self.folder)
        file = self.folder / CHECKPOINT
        if not file.exists():
            if (self.folder / LEARNED).exists():
                raise UsageError(
                    f"{self.folder / LEARNED} exists, and no checkpoint to go on from: name another folder"
                )
            return False
        with read_arrays(file, HOLDS) as content:
            self._check_settings(content.about.get("what"))
            figures = content.array("course", np.float64, (2,))
            if not (np.isfinite(figures).all() and (figures >= 0).all()):
                raise content.wrong("it does not say how far the learning has come")
            self.moves, self.cpu_seconds = int(figures[0]), float(figures[1])
            names = content.about.get("state")
            if not isinstance(names, list):
                raise content.wrong("it does not say what it consists of")
            try:
                self.curve = LearningCurve(content.array("curve", np.float64, (None, None)))
                state = {name: content.any_array(f"state.{name}") for name in names}
                with self._contained(ValueError):
                    self.learning.restore(state)
            except SearchlabError:
                raise
            except ValueError as error:
                raise content.wrong(message_of(error)) from None
        if self._is_written_out():
            self._written_at = self.moves
        return True

    def _is_written_out(self) -> bool:
        """Return whether all files exist and none is older than the checkpoint, which is written first."""
        try:
            checkpoint, *others = (
                (self.folder / name).stat().st_mtime_ns
                for name in (CHECKPOINT, LEARNED, TABLE, *([PICTURE] if self.picture else []))
            )
        except OSError:
            return False
        return min(others) >= checkpoint

    def _check_settings(self, found: Any) -> None:
        """Refuse to continue a training with other settings."""
        before = found if isinstance(found, dict) else {}
        other = [name for name, said in self.settings.items() if before.get(name) != said]
        if other:
            differs = ", ".join(f"{name} {before.get(name)} instead of {self.settings[name]}" for name in other)
            raise UsageError(f"{self.folder} is a course of learning with {differs}: name another folder")

    def stop(self) -> None:
        """Make `run` return as soon as it has written the files."""
        self.is_stopping = True

    @property
    def is_reproducible(self) -> bool:
        """Whether the same training gives the same network each time."""
        with self._contained():
            return bool(getattr(self.learning, "reproducible", True))

    @property
    def memory(self) -> int:
        """The bytes of memory that the learner declares to need, or 0."""
        with self._contained():
            return int.__index__(getattr(self.learning, "memory", 0))

    def run(self, games: int, watch: Callable[[Training], None] = lambda _: None, every: float | None = None) -> bool:
        """Learn until the curve has `games` games, or until `stop`; write the files now and then and at the end.

        Args:
            games: the number of games of the whole training.
            watch: called with this object many times a second.
            every: seconds between two checkpoints; by default a minute, or more if writing one takes long.

        Returns:
            whether the number of games was reached.

        Raises:
            UsageError: a file cannot be written.
            MachineError: the disk is full, or the folder is gone.
            PluginError: the domain or the learner failed.
        """
        written, most_moves = time.monotonic(), FIRST_SLICE
        pause = CHECKPOINT_EVERY if every is None else every
        while self.curve.games < games and not self.is_stopping:
            began, began_cpu = time.monotonic(), time.process_time()
            with self._contained():
                moves, learned = self.learning.learn(most_moves, games - self.curve.games)
                moves, learned = int.__index__(moves), list(learned)
                self.cpu_seconds += time.process_time() - began_cpu
                self.moves += moves
                self.curve.add(learned, self.cpu_seconds)
            most_moves = _next_slice(most_moves, moves, time.monotonic() - began)
            watch(self)
            if time.monotonic() - written >= pause:
                began = time.monotonic()
                self.write()
                written = time.monotonic()
                if every is None:
                    pause = max(CHECKPOINT_EVERY, LEARNING_A_WRITE * (written - began))
        if self._written_at != self.moves:
            if self.is_stopping:
                watch(self)
            self.write()
        return self.curve.games >= games

    def write(self) -> None:
        """Write all files, each in one step, the checkpoint first.

        Raises:
            UsageError: a file cannot be written.
            MachineError: the disk is full, or the folder is gone.
        """
        if self.lock:
            self.lock.check()
        self._write_checkpoint()
        with self._contained():
            self.learning.save(self.folder / LEARNED, self._about())
        self.curve.write_table(self.folder)
        if self.picture and self.curve.games:
            write(self.folder / PICTURE, [self.picture(self.curve)])
        self._written_at = self.moves

    def _write_checkpoint(self) -> None:
        with self._contained():
            state = self.learning.state()
            arrays = {f"state.{name}": np.array(array) for name, array in state.items()}
        arrays |= {"course": np.array([self.moves, self.cpu_seconds]), "curve": self.curve.sums()}
        about = {"what": dict(self.settings), "state": list(state)}
        write_arrays(self.folder / CHECKPOINT, HOLDS, about, arrays)

    def _contained(self, *also: type[Exception]) -> PluginCode:
        """Contain the failures of the learner, except exceptions of these types."""
        return PluginCode(
            lambda error: PluginError(f"learner {self.settings['learner']}: {in_one_line(error)}"),
            (SearchlabError, MemoryError, *also),
        )

    def _about(self) -> dict[str, Any]:
        from searchlab import __version__

        said = {} if self.is_reproducible else {"reproducible": False}
        return {**self.settings, "games": self.curve.games, "moves": self.moves, **said, "searchlab": __version__}


def _next_slice(most_moves: int, moves: int, seconds: float) -> int:
    """Return the most moves of the next slice, after `moves` moves, of at most `most_moves`, in `seconds`."""
    if seconds > 2 * SLICE_SECONDS:
        return max(1, most_moves // 2)
    if seconds < SLICE_SECONDS and moves >= most_moves:
        return min(LARGEST_SLICE, 2 * most_moves)
    return most_moves
