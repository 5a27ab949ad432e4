"""Learning compiled: the kernel of `kernels/afterstates.py` with a domain's rules, and the arrays it works on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.adapters import Adapter, has_unit_moves
from searchlab.compiler.dependencies import WithOptions
from searchlab.compiler.functions import PLUGIN_OPTIONS, CannotCompile, compile_kernel, explaining
from searchlab.compiler.packing import Packing
from searchlab.errors import PluginCode, PluginError, in_one_line
from searchlab.games.kernels import afterstates as af
from searchlab.games.learning.lookups import lookups_source
from searchlab.model.games import LearnedGame
from searchlab.search.compiled.problem import form_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.games.learning.network import NTupleNetwork
    from searchlab.model.packed import PackedForm

ARGUMENTS = {
    "after_move": "params, tables, words, out, terminal, points, tiles, out_tiles, costs, moves",
    "draw": "params, tables, words, out, random, tiles, out_tiles",
    "is_over": "params, tables, words, tiles",
    "is_outgrown": "params, tables, words",
    "look_up": "words, into",
}
LOG = 4096
"""Games after which the kernel returns at the latest."""


class CompiledLearner:
    """Plays and learns as `td.learned_games` does.

    Args:
        network, errors, domain, rate: as there.
        random: the words of what chance draws from, see `searchlab.model.randomness`; they are changed.

    Attributes:
        state: by name the arrays that say where it is in a game, besides weights, errors and random numbers.

    Raises:
        CannotCompile: something it needs cannot be compiled.
    """

    def __init__(
        self,
        network: NTupleNetwork,
        errors: NDArray[np.float32] | None,
        domain: BoundDomain,
        rate: float,
        random: NDArray[np.uint64],
    ) -> None:
        start = domain.start()
        form = domain.packed(start)
        if form is None or not any(form.of_draw):
            msg = f"domain {domain.name} has no packed form that draws"
            raise CannotCompile(msg)
        self._packing = packing = Packing.of(form, start)
        self._domain = domain
        adapter, self._call = _compiled(network, errors is not None, domain, form, packing)
        most, width, lookups = form.max_successors, packing.words, network.lookups
        self._control = np.zeros(af.CONTROLS, np.int64)
        self._control[af.OPENING] = domain.opening()
        self._figures = np.zeros(af.FIGURES)
        self._figures[af.RATE], self._figures[af.BASE] = rate / lookups, network.base
        self._boards = np.zeros((2, width), np.uint64)
        self._entries = np.zeros(lookups, np.int64)
        self._log = np.zeros(LOG, np.int64), np.zeros(LOG), np.zeros((LOG, width), np.uint64)
        self._network = network
        self._arrays: tuple[NDArray[Any], ...] = (
            adapter.params,
            adapter.tables,
            np.zeros(packing.cells, np.int64),
            np.zeros(most * packing.cells, np.int64),
            np.zeros(most),
            np.zeros(most * max(1, len(form.move)), np.int64),
            packing.pack(start),
            self._boards,
            np.zeros((most, width), np.uint64),
            np.zeros(most, np.uint8),
            np.zeros(most),
            np.zeros((most, lookups), np.int64),
            self._entries,
            network.weights,
            np.zeros(2, np.float32) if errors is None else errors,
            random,
            *self._log,
            self._control,
            self._figures,
        )
        self._addresses = [array.ctypes.data for array in self._arrays]
        self.state = {
            "control": self._control,
            "figures": self._figures,
            "boards": self._boards,
            "entries": self._entries,
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take over the arrays of `state` from another learner of the same game and network.

        Raises:
            ValueError: they are none; compiled code trusts what it finds there.
        """
        for name, array in self.state.items():
            if state[name].shape != array.shape or state[name].dtype != array.dtype:
                msg = f"its {name} are of other settings"
                raise ValueError(msg)
        control, entries, boards = state["control"], state["entries"], state["boards"]
        known = (self._packing.pack_all(self._packing.unpack(boards)) == boards).all()
        places = ((entries >= 0) & (entries < self._network.entries)).all()
        of_moves = control[[af.LOGGED, af.OPENING]] == self._control[[af.LOGGED, af.OPENING]]
        if not (known and places and of_moves.all() and (control >= 0).all()):
            msg = "it is of another game"
            raise ValueError(msg)
        for name, array in self.state.items():
            array[...] = state[name]

    def learn(self, most_moves: int, most_games: int) -> tuple[int, list[LearnedGame]]:
        """Go on for so many moves or games, or until thousands of games are over.

        Returns:
            how many moves were made, and the games that are over.

        Raises:
            PluginError: the domain failed.
        """
        made = int(self._control[af.MOVES])
        self._control[af.LOG] = min(LOG, most_games)
        with PluginCode(self._failed):
            self._call(*self._addresses, made + most_moves)
        games = int(self._control[af.LOGGED])
        self._control[af.LOGGED] = 0
        moves, scores, boards = self._log
        finals = self._packing.unpack(boards[:games])
        learned = map(LearnedGame, moves[:games].tolist(), scores[:games].tolist(), finals)
        return int(self._control[af.MOVES]) - made, list(learned)

    def _failed(self, error: BaseException) -> PluginError:
        board = self._packing.unpack(self._boards[:1])[0]
        return PluginError(f"{self._domain.name}: {in_one_line(error)}\n{board}")


def _compiled(
    network: NTupleNetwork, coherent: bool, domain: BoundDomain, form: PackedForm, packing: Packing
) -> tuple[Adapter, Callable[..., Any]]:
    """Return the kernel with the domain's rules inlined, and the adapter that holds their parameters."""
    adapter = Adapter(packing, PLUGIN_OPTIONS)
    values = form_arguments(domain, form, domain.start())
    bodies = {
        "after_move": adapter.successors(form, values, earns=True) + "    return count\n",
        "draw": adapter.draws(form, values) + "    return count\n",
        "is_over": adapter.is_goal(form, values),
        "is_outgrown": adapter.outgrown(form, values),
        "look_up": lookups_source(network, packing, "into[{}]"),
    }
    constants: dict[str, Any] = {
        **{"WIDTH": packing.words, "TUPLES": len(network.tuples), "POSITIONS": len(network.positions)},
        **{"PLAIN_MOVES": has_unit_moves(form), "COHERENT": coherent},
    }
    for name, body in bodies.items():
        exec(f"def {name}({ARGUMENTS[name]}):{body}", adapter.scope)
    # What works on tiles is large: inlining it costs seconds, calling it no time worth speaking of.
    called = {"after_move": not form.expand, "draw": not form.draws_packed, "is_over": not form.is_packed_goal}
    for name in bodies:
        options = {**PLUGIN_OPTIONS, "forceinline": not called.get(name, False)}
        constants[name] = WithOptions(adapter.scope.pop(name), options)
    with explaining(form.expand or form.successors):
        return adapter, compile_kernel(af.learn, af.SIGNATURE, constants=constants)
