"""Workspace: compiled functions and arrays that a searcher keeps from one search to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.errors.cached import cached_property
from searchlab.search.replay import Replays

if TYPE_CHECKING:
    from collections.abc import Hashable

    from searchlab.compiler.arrays import SpareArrays
    from searchlab.compiler.compile_errors import CannotCompile
    from searchlab.compiler.functions import KnownCode
    from searchlab.model.states import State
    from searchlab.search.compiled.problem import CompiledProblem

MOST_KEPT = 16
"""The largest number of problems that are kept, one for each shape of board. If there are more, all are dropped."""


class Workspace:
    """Compiled functions by components and shape of board, and the arrays of the last search.

    The workspace does not notice when something that a compiled function uses changes; the owner must then make a new
    workspace. Problems of instances with static data are not kept, because each instance has a different problem.

    Args:
        replays_twice: whether every solution is replayed on boards and by the compiled rules, to compare them.

    Attributes:
        problems: compiled problems.
        known: compiled functions, including those of instances with static data; these data are not part of the code.
        refusals: the errors of problems that cannot be compiled.
    """

    def __init__(self, *, replays_twice: bool = False) -> None:
        self._replays_twice = replays_twice
        self._replays: dict[Any, Replays] = {}
        self.problems: dict[Hashable, CompiledProblem] = {}
        self.known: KnownCode = {}
        self.refusals: dict[Hashable, CannotCompile] = {}

    def replays(self, state: State) -> Replays:
        """Return the replays of solutions for states of this shape."""
        shape = getattr(state, "shape", None)
        if shape not in self._replays:
            if len(self._replays) >= MOST_KEPT:
                self._replays.clear()
            self._replays[shape] = Replays(both=self._replays_twice)
        return self._replays[shape]

    @cached_property
    def spare(self) -> SpareArrays:
        """The arrays of the last search."""
        from searchlab.compiler.arrays import SpareArrays  # late: readable searches do not need it

        return SpareArrays()

    @staticmethod
    def keep(kept: dict[Hashable, Any], key: tuple[Any, ...], value: Any) -> None:
        """Keep a problem or an error, unless the problem is of an instance with static data."""
        if key[0].instance is not None:
            return
        if len(kept) >= MOST_KEPT:
            kept.clear()
        kept[key] = value

    def clear(self) -> None:
        """Release everything."""
        self.problems.clear()
        self.known.clear()
        self.refusals.clear()
        self._replays.clear()
        vars(self).pop("spare", None)
