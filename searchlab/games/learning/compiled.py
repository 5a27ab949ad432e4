"""Compiled learning: the kernel of `kernels/afterstates.py` with the rules of a domain, and the arrays it works on."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.adapters import Adapter, has_unit_moves
from searchlab.compiler.arrays import addresses, allocate, replaced, reserve, with_dtypes
from searchlab.compiler.functions import CannotCompile, compile_kernel, explaining
from searchlab.compiler.packing import Packing
from searchlab.errors import PluginCode, PluginError, in_one_line
from searchlab.games.kernels import rules
from searchlab.games.kernels.afterstates import LearningArrays, LearningControl, learn, look_up
from searchlab.games.learning.lookups import places_source
from searchlab.games.learning.network import BLOCK, WITH_ERRORS
from searchlab.model.games import LearnedGame
from searchlab.search.compiled.problem import form_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.compiler.dependencies import FunctionToCompile
    from searchlab.games.learning.network import NTupleNetwork
    from searchlab.model.packed import PackedForm

LOG = 4096
"""The most games after which the kernel returns."""
SHARED = ("params", "tables", "start", "records")
"""The arrays that learners of the same weights share: the weights, and read-only arrays."""


class CompiledLearner:
    """Play and learn as `td.learned_games` does.

    Args:
        network, domain, rate: see `td.learned_games`; the weights of the network move to an array beside their errors.
        random: the words of the random state, which are changed; see `searchlab.model.randomness`.
        coherent: whether each weight has a learning rate of its own, by temporal coherence.

    Attributes:
        errors: the sum of the errors of each weight and the sum of their sizes, shape (entries, 2), or None without
            temporal coherence.

    Raises:
        CannotCompile: a function cannot be compiled.
    """

    def __init__(
        self,
        network: NTupleNetwork,
        domain: BoundDomain,
        rate: float,
        random: NDArray[np.uint64],
        coherent: bool = True,
    ) -> None:
        start = domain.start()
        form = domain.packed(start)
        if form is None or form.rule("draws") is None:
            msg = f"domain {domain.name} has no packed form that draws"
            raise CannotCompile(msg)
        self._packing = packing = Packing.of(form, start)
        self._domain = domain
        records = _records(network, coherent)
        adapter, self._call, kind = _compiled(network, records, domain, form, packing)
        self._record = records.shape[1]
        self.errors = records[:, 1:] if coherent else None
        most, width, lookups = form.max_successors, packing.words, network.lookups
        self._control = LearningControl(opening=domain.opening(), rate=rate / network.summands, base=network.base)
        self._arrays = s = allocate(
            kind,
            {
                **{
                    "width": width,
                    "cells": packing.cells,
                    "successors": most,
                    "most written": most,
                    "described": max(1, len(form.move)),
                },
                **{"lookups": lookups, "log": LOG},
            },
            params=adapter.params,
            tables=adapter.tables,
            start=packing.pack(start),
            records=records,
            random=random,
            control=self._control,
        )
        self._addresses = addresses(s)
        self._network = network

    def beside(self, random: NDArray[np.uint64]) -> CompiledLearner:
        """Return a learner that plays its own games and changes the same weights, possibly at the same time.

        Args:
            random: the words of the random state of the new learner.
        """
        other, s, control = copy(self), self._arrays, self._control
        other._control = LearningControl(opening=control.opening, rate=control.rate, base=control.base)
        given = {"random": random, "control": other._control}
        own = {name: np.zeros_like(getattr(s, name)) for name in s.declared if name not in (*SHARED, *given)}
        other._arrays = replaced(s, **own, **given)
        other._addresses = addresses(other._arrays)
        return other

    def state(self) -> dict[str, NDArray[Any]]:
        """Return copies of the arrays that hold the position in a game, without weights, errors and random numbers."""
        return {
            "control": self._control.whole_numbers.copy(),
            "figures": self._control.floats.copy(),
            "boards": self._arrays.board.copy(),
            "entries": self._arrays.places[np.argsort(self._order)].astype(np.int64) // self._record,
        }

    @property
    def _order(self) -> NDArray[np.int64]:
        """The number in `NTupleNetwork.entries_of` of each place of a board in the arrays."""
        numbers, of_whole = np.arange(self._network.lookups), self._network.whole
        partial = numbers[: len(numbers) - of_whole].reshape(len(self._network.positions), -1).T
        return np.concatenate([partial.ravel(), numbers[len(numbers) - of_whole :]])

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore the arrays of `state` from another learner of the same game and network.

        Raises:
            ValueError: the arrays are invalid; compiled code relies on their content.
        """
        for name, array in self.state().items():
            if state[name].shape != array.shape or state[name].dtype != array.dtype:
                msg = f"its {name} are of other settings"
                raise ValueError(msg)
        control, entries, boards = state["control"], state["entries"], state["boards"]
        tiles = self._packing.unpack_tiles(boards)
        known = self._packing.fits(tiles).all() and (self._packing.pack_tiles(tiles) == boards).all()
        places = ((entries >= 0) & (entries < self._network.entries)).all()
        numbers = dict(zip(LearningControl.dtype.names or (), control.tolist(), strict=False))
        same_log = (numbers["logged"], numbers["opening"]) == (self._control.logged, self._control.opening)
        if not (known and places and same_log and (control >= 0).all()):
            msg = "it is of another game"
            raise ValueError(msg)
        self._control.whole_numbers[...] = control
        self._control.floats[...] = state["figures"]
        self._arrays.board[...] = boards
        self._arrays.places[...] = self._record * entries[self._order]

    def learn(self, most_moves: int, most_games: int) -> tuple[int, list[LearnedGame]]:
        """Continue until `most_moves` moves are made, `most_games` games are over, or the log of games is full.

        Returns:
            the number of moves made, and the games that ended.

        Raises:
            PluginError: the domain failed.
        """
        made = self._control.moves
        self._control.log_size = min(LOG, most_games)
        with PluginCode(self._failed):
            self._call(*self._addresses, made + most_moves)
        games = self._control.logged
        self._control.logged = 0
        s = self._arrays
        finals = self._packing.unpack(s.log_boards[:games])
        learned = map(LearnedGame, s.log_moves[:games].tolist(), s.log_scores[:games].tolist(), finals)
        return self._control.moves - made, list(learned)

    def _failed(self, error: BaseException) -> PluginError:
        board = self._packing.unpack(self._arrays.board[:1])[0]
        return PluginError(f"{self._domain.name}: {in_one_line(error)}\n{board}")


def _records(network: NTupleNetwork, coherent: bool) -> NDArray[np.float32]:
    """Return the records of a network's entries; the weights of the network become a view of them."""
    if not coherent:
        # After learning with coherence the weights are not contiguous: their errors lie between them.
        object.__setattr__(network, "weights", np.ascontiguousarray(network.weights))
        return network.weights.reshape(-1, 1)
    records: NDArray[np.float32] = reserve(WITH_ERRORS * network.entries, np.float32).reshape(-1, WITH_ERRORS)
    if network.weights.any():
        for first in range(0, network.entries, BLOCK):  # only learned weights, because writing takes memory
            learned = first + np.flatnonzero(network.weights[first : first + BLOCK])
            records[learned, 0] = network.weights[learned]
    object.__setattr__(network, "weights", records[:, 0])
    return records


def _compiled(
    network: NTupleNetwork, records: NDArray[np.float32], domain: BoundDomain, form: PackedForm, packing: Packing
) -> tuple[Adapter, Callable[..., Any], type[LearningArrays]]:
    """Return the kernel with the domain's rules inlined, the adapter that holds their parameters, and its arrays."""
    adapter = Adapter(packing)
    place = np.uint32 if records.size <= 2**32 else np.uint64
    constants: dict[str, Any] = {
        **{"WIDTH": packing.words, "SUCCESSORS": form.max_successors},
        **{"TUPLES": len(network.tuples) - network.whole, "WHOLE": network.whole},
        "POSITIONS": len(network.positions),
        **{"PLAIN_MOVES": has_unit_moves(form), "COHERENT": records.shape[1] == WITH_ERRORS, "PLACE": place},
        "STAGE": network.stage_entries * records.shape[1] if network.stages else 0,
    }
    constants |= rules_of_game(adapter, domain, form)
    constants["look_up"] = finding_places(adapter, network, packing, records.shape[1])
    with explaining(form.rule("successors")):
        kind = with_dtypes(LearningArrays, candidates=place, places=place)
        return adapter, compile_kernel(learn, kind, constants=constants), kind


def rules_of_game(adapter: Adapter, domain: BoundDomain, form: PackedForm) -> dict[str, Any]:
    """Return the replacements of a kernel's rules by those of a domain with random tiles, by name."""
    values = form_arguments(domain, form, domain.start())
    # Functions on tiles are large: inlining them takes seconds, and calling them costs hardly any time.
    functions: list[tuple[Callable[..., Any], Any, str]] = [
        (rules.after_move, form.words.successors, adapter.successors(form, values, earns=True) + "    return count\n"),
        (rules.draw, form.words.draws, adapter.draws(form, values) + "    return count\n"),
        (rules.is_won, form.words.is_goal, adapter.is_goal(form, values)),
        (rules.is_outgrown, True, adapter.outgrown(form, values)),
    ]
    if form.rule("chances") is not None:
        chances = adapter.chances(form, values) + "    return count\n"
        functions.append((rules.after_chance, form.words.chances, chances))
    return rules.in_place_of(adapter, functions)


def finding_places(adapter: Adapter, network: NTupleNetwork, packing: Packing, factor: int) -> FunctionToCompile:
    """Return the function that replaces `look_up` and finds the places of a board's weights; see `places_source`."""
    source, names = places_source(network, packing, factor)
    adapter.scope.update(names)
    return adapter.replacing(look_up, source)
