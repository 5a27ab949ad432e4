"""A course of learning in a folder: begun, stopped at any moment, and gone on with by the same command.

The folder holds `network.npz`, what has been learned, for players; `checkpoint.npz`, all that is needed to go on; and
`curve.csv` and `curve.svg`, how good the player was from game to game. Told to stop, a course ends within a second: it
writes what can be written by then, and leaves the other files as they were at the checkpoint before.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import PluginCode, PluginError, SearchlabError, UsageError, in_one_line, said
from searchlab.files import remove_drafts
from searchlab.games.learning.array_files import read_arrays, write_arrays
from searchlab.games.learning.curve import PICTURE, TABLE, Curve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from searchlab.files import FolderLock
    from searchlab.model.extensions import Learning

LEARNED, CHECKPOINT = "network.npz", "checkpoint.npz"
HOLDS = "checkpoint of learning"
FIRST_SLICE, LARGEST_SLICE = 1 << 10, 1 << 20
"""Moves that are learned from at once, in the beginning and at most; what is learned does not depend on them."""
SLICE_SECONDS = 0.04
"""About as long a slice takes."""
EVERY = 60.0
"""Seconds between two checkpoints."""
LAST_WRITES = 0.7
"""Seconds for writing files after it was told to stop."""
DRAWING = 0.4
"""Seconds for the first picture, with loading what draws it."""


class _TooLateError(Exception):
    """What is being written is not wanted any more."""


@dataclass
class Course:
    """Learning, and how far it is.

    Attributes:
        folder: where it is kept.
        what: what is learned and how, in texts by name: two courses in which they are equal are the same.
        learning: what learns.
        curve: how good it was so far.
        moves: made so far.
        cpu_seconds: used so far by learning.
        lock: the right to write the folder; None where nobody else writes it.
        saved_games: those that the checkpoint in the folder holds.
    """

    folder: Path
    what: Mapping[str, str]
    learning: Learning
    curve: Curve = field(default_factory=Curve)
    moves: int = 0
    cpu_seconds: float = 0.0
    lock: FolderLock | None = None
    saved_games: int = 0
    _deadline: float = inf
    _written_at: int | None = None
    _took: dict[str, float] = field(default_factory=lambda: {PICTURE: DRAWING})

    def resume(self) -> bool:
        """Go on where a course in the folder was stopped; return whether there is one.

        Raises:
            UsageError: what is there is damaged, or a course of something else.
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
            self._check_same(content.about.get("what"))
            figures = content.array("course", np.float64, (2,))
            if not (np.isfinite(figures).all() and (figures >= 0).all()):
                raise content.wrong("it does not say how far the learning has come")
            self.moves, self.cpu_seconds = int(figures[0]), float(figures[1])
            names = content.about.get("state")
            if not isinstance(names, list):
                raise content.wrong("it does not say what it consists of")
            try:
                self.curve = Curve(content.array("curve", np.float64, (None, None)))
                state = {name: content.any_array(f"state.{name}") for name in names}
                with self._asked(ValueError):
                    self.learning.restore(state)
            except SearchlabError:
                raise
            except ValueError as error:
                raise content.wrong(said(error)) from None
        self.saved_games = self.curve.games
        return True

    def _check_same(self, what: Any) -> None:
        """Refuse to go on with a course of something else."""
        before = what if isinstance(what, dict) else {}
        other = [name for name, said in self.what.items() if before.get(name) != said]
        if other:
            differs = ", ".join(f"{name} {before.get(name)} instead of {self.what[name]}" for name in other)
            raise UsageError(f"{self.folder} is a course of learning with {differs}: name another folder")

    def stop(self) -> None:
        """Let `run` come to its end within a second."""
        self._deadline = time.monotonic() + LAST_WRITES

    @property
    def _is_stopping(self) -> bool:
        return self._deadline < inf

    def run(self, games: int, watch: Callable[[Course], None] = lambda _: None, every: float = EVERY) -> bool:
        """Learn until there were so many games, or it is told to stop; files are written on the way and at the end.

        Args:
            watch: told many times a second how far it is.
            every: seconds between two checkpoints.

        Returns:
            whether there were so many games.

        Raises:
            UsageError: a file cannot be written.
            MachineError: the disk is full, or the folder is gone.
            PluginError: the domain or the learner failed.
        """
        written, most_moves = time.monotonic(), FIRST_SLICE
        while self.curve.games < games and not self._is_stopping:
            began, began_cpu = time.monotonic(), time.process_time()
            with self._asked():
                moves, learned = self.learning.learn(most_moves, games - self.curve.games)
                moves, learned = int.__index__(moves), list(learned)
                self.cpu_seconds += time.process_time() - began_cpu
                self.moves += moves
                self.curve.add(learned, self.cpu_seconds)
            most_moves = _next_slice(most_moves, moves, time.monotonic() - began)
            watch(self)
            if time.monotonic() - written >= every:
                self.write()
                written = time.monotonic()
        if self._written_at != self.moves:
            self.write()
        return self.curve.games >= games

    def write(self) -> None:
        """Write all files, each in one step, first what is needed to go on.

        Once it was told to stop, what would take too long stays as it is.

        Raises:
            UsageError: a file cannot be written.
            MachineError: the disk is full, or the folder is gone.
        """
        if self.lock:
            self.lock.check()
        try:
            self._in_time(CHECKPOINT, self._write_checkpoint)
            self._in_time(LEARNED, self._save)
            self._in_time(TABLE, lambda: self.curve.write_table(self.folder))
            self._in_time(PICTURE, lambda: self.curve.draw(self.folder))
        except _TooLateError:
            return
        self._written_at = self.moves

    def _in_time(self, file: str, write: Callable[[], None]) -> None:
        """Write a file if that took so little the last time that it can be done by now."""
        began = time.monotonic()
        if began + self._took.get(file, 0.0) > self._deadline:
            raise _TooLateError
        write()
        self._took[file] = time.monotonic() - began

    def _write_checkpoint(self) -> None:
        with self._asked():
            state = self.learning.state()
            arrays = {f"state.{name}": np.array(array) for name, array in state.items()}
        arrays |= {"course": np.array([self.moves, self.cpu_seconds]), "curve": self.curve.sums()}
        about = {"what": dict(self.what), "state": list(state)}
        write_arrays(self.folder / CHECKPOINT, HOLDS, about, arrays, self._check_time)
        self.saved_games = self.curve.games

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise _TooLateError

    def _save(self) -> None:
        with self._asked():
            self.learning.save(self.folder / LEARNED, self._about())

    def _asked(self, *also: type[Exception]) -> PluginCode:
        """Return what turns whatever goes wrong in a learner into an error of that plugin, but for these."""
        return PluginCode(
            lambda error: PluginError(f"learner {self.what['learner']}: {in_one_line(error)}"),
            (SearchlabError, MemoryError, *also),
        )

    def _about(self) -> dict[str, Any]:
        from searchlab import __version__

        return {**self.what, "games": self.curve.games, "moves": self.moves, "searchlab": __version__}


def _next_slice(most_moves: int, moves: int, seconds: float) -> int:
    """Return how many moves are to be learned from next, after some took so long: as many as take a moment."""
    if seconds > 2 * SLICE_SECONDS:
        return max(1, most_moves // 2)
    if seconds < SLICE_SECONDS and moves >= most_moves:
        return min(LARGEST_SLICE, 2 * most_moves)
    return most_moves
