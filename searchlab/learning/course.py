"""A course of learning in a folder: begun, stopped at any moment, and gone on with by the same command.

The folder holds `network.npz`, what has been learned, for players; `checkpoint.npz`, all that is needed to go on; and
`curve.csv` and `curve.svg`, how good the player was from game to game.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import PluginCode, PluginError, SearchlabError, UsageError, in_one_line, said
from searchlab.learning.array_files import read_arrays, write_arrays
from searchlab.learning.curve import Curve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from searchlab.accessories import Learning

LEARNED, CHECKPOINT = "network.npz", "checkpoint.npz"
HOLDS = "checkpoint of learning"
SLICE = 1 << 16
"""Moves between two looks at the clock."""
EVERY = 60.0
"""Seconds between two checkpoints."""


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
    """

    folder: Path
    what: Mapping[str, str]
    learning: Learning
    curve: Curve = field(default_factory=Curve)
    moves: int = 0
    cpu_seconds: float = 0.0
    _stopping: bool = False

    def resume(self) -> bool:
        """Go on where a course in the folder was stopped; return whether there is one.

        Raises:
            UsageError: what is there is damaged, or a course of something else.
        """
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
                raise content.wrong("it does not say how far learning is")
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
        return True

    def _check_same(self, what: Any) -> None:
        """Refuse to go on with a course of something else."""
        before = what if isinstance(what, dict) else {}
        other = [name for name, said in self.what.items() if before.get(name) != said]
        if other:
            differs = ", ".join(f"{name} {before.get(name)} instead of {self.what[name]}" for name in other)
            raise UsageError(f"{self.folder} is a course of learning with {differs}: name another folder")

    def stop(self) -> None:
        """Let `run` come to its end soon."""
        self._stopping = True

    def run(self, games: int, watch: Callable[[Course], None] = lambda _: None, every: float = EVERY) -> bool:
        """Learn until there were so many games, or it is told to stop; files are written on the way and at the end.

        Args:
            watch: told many times a second how far it is.
            every: seconds between two checkpoints.

        Returns:
            whether there were so many games.

        Raises:
            UsageError: a file cannot be written.
            PluginError: the domain or the learner failed.
        """
        written = time.monotonic()
        while self.curve.games < games and not self._stopping:
            began = time.process_time()
            with self._asked():
                moves, learned = self.learning.learn(SLICE, games - self.curve.games)
                moves, learned = int.__index__(moves), list(learned)
                self.cpu_seconds += time.process_time() - began
                self.moves += moves
                self.curve.add(learned, self.cpu_seconds)
            watch(self)
            if time.monotonic() - written >= every:
                self.write()
                written = time.monotonic()
        self.write()
        return self.curve.games >= games

    def write(self) -> None:
        """Write all files, each in one step, first what is needed to go on."""
        with self._asked():
            state = self.learning.state()
            arrays = {f"state.{name}": np.array(array) for name, array in state.items()}
        arrays |= {"course": np.array([self.moves, self.cpu_seconds]), "curve": self.curve.sums()}
        about = {"what": dict(self.what), "state": list(state)}
        write_arrays(self.folder / CHECKPOINT, HOLDS, about, arrays)
        with self._asked():
            self.learning.save(self.folder / LEARNED, self._about())
        self.curve.write(self.folder)

    def _asked(self, *also: type[Exception]) -> PluginCode:
        """Return what turns whatever goes wrong in a learner into an error of that plugin, but for these."""
        return PluginCode(
            lambda error: PluginError(f"learner {self.what['learner']}: {in_one_line(error)}"),
            (SearchlabError, MemoryError, *also),
        )

    def _about(self) -> dict[str, Any]:
        from searchlab import __version__

        return {**self.what, "games": self.curve.games, "moves": self.moves, "searchlab": __version__}
