"""The packed states of a solution of a compiled search, and their replay without unpacking."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from searchlab.compiler.arrays import addresses, allocate
from searchlab.compiler.cache import NotCompiledYet, compiling_nothing
from searchlab.compiler.functions import CannotCompile
from searchlab.errors import PluginCode, PluginError
from searchlab.errors.cached import cached_property
from searchlab.search.compiled.kernel_run import kernel
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.replay import (
    ChainArrays,
    ChainControl,
    ReplayArrays,
    ReplayControl,
    follow_parents,
    replay,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.compiler.packing import Packing
    from searchlab.model.packed import PackedForm
    from searchlab.search.compiled.problem import CompiledProblem

FEWEST_STATES = 64
"""The arrays have room for this number of states, or for 2, 4, 8 … times as many."""
LONG_PATH = 1000
"""The number of nodes after which a kernel finds the earlier nodes of a path, if it is in the cache."""
CHAIN_ROOM = 1 << 14
"""The number of nodes that this kernel finds in one call."""
ACTION = "action"
"""The name in `PackedForm.move` of the number of an action in `PackedForm.actions`."""


class ReplayedPath(NamedTuple):
    """A solution replayed by the compiled rules.

    Attributes:
        cost: the sum of the costs of the moves; of several moves to the same state the cheapest counts.
        most: the same, but the most expensive move counts.
        is_whole: whether the cost of each move is an integer.
        names: a function that returns the names of the moves; None if the packed form has no names.
    """

    cost: float
    most: float
    is_whole: bool
    names: Callable[[], tuple[str, ...]] | None = None


class PackedPath(Sequence["Board"]):
    """The states from the start to a node; boards are made on demand.

    Args:
        compiled: the problem.
        words: the states, the start first, shape (states, words).

    Attributes:
        boards: returns the boards as a tuple; keeps nothing else of the search alive.
    """

    def __init__(self, compiled: CompiledProblem, words: NDArray[np.uint64]) -> None:
        self._compiled, self._words = compiled, words
        self.boards: Callable[[], tuple[Board, ...]] = partial(
            boards_of_path, compiled.problem.board, compiled.packing, words
        )

    @cached_property
    def _boards(self) -> tuple[Board, ...]:
        return self.boards()

    def __len__(self) -> int:
        return len(self._words)

    @overload
    def __getitem__(self, number: int) -> Board: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Board]: ...

    def __getitem__(self, number: Any) -> Any:
        return self._boards[number]

    def is_ready(self, *, compiles: bool) -> bool:
        """Return whether the machine code for the replay is available.

        Args:
            compiles: whether to compile code that is not cached.
        """
        rules = self._compiled.replayed_by
        if not rules:
            try:
                with nullcontext() if compiles else compiling_nothing():
                    _replay(self._compiled)
                    _follow_parents()
                    functions = self._compiled.successors, self._compiled.goal
                    rules[:] = [(functions, np.array([each.row() for each in functions], np.uint64))]
            except (CannotCompile, NotCompiledYet):
                return False
        return True

    def replayed(self, spare: list[tuple[PackedForm, ReplayArrays]]) -> ReplayedPath | None:
        """Replay the solution by compiled rules that are ready; return None if it is invalid, or the rules fail.

        Args:
            spare: the arrays of the last replay for boards of this shape, to be used again.
        """
        compiled, form, states = self._compiled, self._compiled.form, len(self._words)
        if self._words[0].tobytes() != compiled.start.tobytes():
            return None
        of_form, arrays = spare.pop() if spare else (None, None)
        if arrays is None or of_form is not form or len(arrays.path) < states:
            arrays = _arrays(compiled, states)
        arrays.callees[:] = compiled.replayed_by[0][1]
        arrays.path[:states] = self._words
        has_names = ACTION in form.move and bool(form.actions)
        control: ReplayControl = arrays.control
        control.width, control.states, control.described = compiled.packing.words, states, max(1, len(form.move))
        control.action = form.move.index(ACTION) if has_names else -1
        try:
            with PluginCode(lambda error: PluginError(str(error))):
                status = _replay(compiled)(*addresses(arrays))
        except PluginError:
            return None
        spare[:] = [(form, arrays)]
        if status != Status.GOAL:
            return None
        if has_names and (control.least_action < 0 or control.largest_action >= len(form.actions)):
            return None
        names = partial(names_of, form.actions, arrays.actions[: states - 1].tolist()) if has_names else None
        return ReplayedPath(control.cost, control.most, control.is_whole != 0, names)


def _replay(compiled: CompiledProblem) -> Callable[..., int]:
    """Return the kernel that replays a solution."""
    return kernel(replay, ReplayArrays, compiled.packing.words)


def _follow_parents() -> Callable[..., int]:
    """Return the kernel that finds the nodes of a solution."""
    return kernel(follow_parents, ChainArrays)


def _arrays(compiled: CompiledProblem, states: int) -> ReplayArrays:
    """Return the arrays of the kernel, with room for a number of states."""
    room = FEWEST_STATES
    while room < states:
        room *= 2
    sizes = {**compiled.sizes, "states": room}
    return allocate(ReplayArrays, sizes, callees=np.zeros((2, 3), np.uint64), control=ReplayControl())


def path_to(node: int, compiled: CompiledProblem, words: Any, parents: Any) -> PackedPath:
    """Return the states from the start to a node.

    Args:
        words: the packed states of the nodes, one row each.
        parents: the number of the parent of each node.
    """
    nodes, parent_of = [], memoryview(parents)  # items of a memoryview are read in a third of the time
    while node > 0:
        nodes.append(node)
        node = parent_of[node]
        if len(nodes) == LONG_PATH and node > 0 and (far := _chain_of(node, parents)):
            in_order: list[Any] = [[0], *(part[::-1] for part in far[::-1]), nodes[::-1]]
            return packed_path(compiled, words, np.concatenate(in_order))
    return packed_path(compiled, words, [0, *reversed(nodes)])


def _chain_of(node: int, parents: NDArray[Any]) -> list[NDArray[np.int64]]:
    """Return the nodes from this node back to the start, excluded, in parts; [] if the kernel is not cached."""
    try:
        with compiling_nothing():
            follow = _follow_parents()
    except NotCompiledYet:
        return []
    control = ChainControl(node=node, stride=parents.strides[0] // parents.itemsize, room=CHAIN_ROOM)
    parts = []
    while control.node > 0:
        control.count = 0
        arrays = ChainArrays(parents=parents, chain=np.empty(CHAIN_ROOM, np.int64), control=control)
        follow(*addresses(arrays))
        parts.append(arrays.chain[: control.count])
    return parts


def packed_path(compiled: CompiledProblem, words: Any, nodes: list[int] | NDArray[np.int64]) -> PackedPath:
    """Return the path of these nodes, the first of which is the start.

    Args:
        words: the packed states of all nodes, one row each.
        nodes: the numbers of the nodes on the path.
    """
    # `take` is faster, but first copies all rows if they are a part of records.
    path = words[np.asarray(nodes, np.int64)]
    if len(nodes) == 1:
        path[0] = compiled.start  # not yet written if nothing was searched
    return PackedPath(compiled, path)


def boards_of_path(start: Board, packing: Packing, words: NDArray[np.uint64]) -> tuple[Board, ...]:
    """Return the boards of packed states, start first."""
    return start, *packing.unpack(words[1:])


def names_of(names: tuple[str, ...], numbers: list[int]) -> tuple[str, ...]:
    """Return the names of actions."""
    return tuple([names[number] for number in numbers])
