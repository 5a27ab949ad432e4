"""Enumeration compiled: a kernel expands a layer, NumPy sorts and merges the next."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.arrays import addresses, allocate, replaced, reserve
from searchlab.compiler.functions import Callee, CannotCompile
from searchlab.compiler.packing import Packing
from searchlab.errors import PluginCode
from searchlab.search.compiled.kernel_run import KernelRun, Slices, kernel
from searchlab.search.compiled.problem import form_arguments
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.graph import LayerArrays, LayerControl, expand_layer, largest
from searchlab.search.readable.enumeration import Layer, failure_of_rules, raise_revisited

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.search.readable.enumeration import Layers
    from searchlab.search.watch import Watch

FIRST_ROOM = 1 << 16
MOST_ARRAYS = 8
"""Sorted arrays that hold the states met: with more of them less is sorted again, and more has to be searched."""
SAMPLED, MOST_SAMPLED = 8, 1024
"""States of a layer, and of all layers, that are looked for in newer layers that cannot hold them."""


class Enumeration(KernelRun):
    """One enumeration, layer by layer.

    Args:
        revisited_layers: what is taken to hold in place of what the domain declares.

    Raises:
        CannotCompile: the domain has no packed form, or one that cannot be compiled.
    """

    def __init__(self, board: Board, domain: BoundDomain, watch: Watch, revisited_layers: str = "") -> None:
        form = domain.packed(board)
        if form is None:
            msg = f"domain {domain.name} has no packed form"
            raise CannotCompile(msg)
        self.domain, self.watch, self.form = domain, watch, form
        self.packing = packing = Packing.of(form, board)
        self.width = packing.words
        values = form_arguments(domain, form, board)
        self.functions = Callee.successors(form, values, packing), Callee.is_goal(form, values, packing)
        self.callees = np.array([function.row() for function in self.functions], np.uint64)
        options = {} if packing.is_uniform else {"RANGED": True}
        self.kernel = kernel(expand_layer, LayerArrays, self.width, **options)
        even = sum(((1 << packing.bits) - 1) << at for at in range(0, 65 - 2 * packing.bits, 2 * packing.bits))
        ranged = [] if packing.is_uniform else [packing.cell(cell) for cell in range(packing.cells)]
        start = packing.pack(board).reshape(1, -1)
        self.control = LayerControl(
            width=self.width,
            bits=packing.bits,
            ends_at_goal=domain.component.ends_at_goal,
            ranged=len(ranged),
            largest=board.largest_tile() if ranged else max(largest(word, packing.bits) for word in start.ravel()),
        )
        self.arrays = allocate(
            LayerArrays,
            {
                **{"width": self.width, "cells": packing.cells, "successors": form.max_successors},
                **{"described": max(1, len(form.move)), "room": FIRST_ROOM},
            },
            reserved=("room",),
            layer=start,
            even_cells=np.array([0 if ranged else even], np.uint64),
            ranged_cells=np.array(ranged, np.int64).reshape(-1, 4),
            callees=self.callees,
            control=self.control,
        )
        self.slices = Slices(watch.expansions)
        self.revisited_layers = revisited_layers or domain.component.revisited
        self.before: list[NDArray[np.uint64]] = []
        self.older = OlderStates(self.width)

    @property
    def layer(self) -> NDArray[np.uint64]:
        """The states of the present depth, a row each."""
        layer: NDArray[np.uint64] = self.arrays.layer
        return layer

    def layers(self) -> Layers:
        """Yield the layers; return how it ended."""
        control = self.control
        depth = 0
        with self.watch:
            while len(self.layer):
                largest_before = self._largest_tile()
                control.update(states=len(self.layer), done=0, produced=0, dead_ends=0, goals=0, ended=0)
                _, stopped = self.advance(Status.BUDGET)
                if stopped:
                    return stopped
                counts = control.dead_ends, control.goals, control.ended
                yield Layer(depth, len(self.layer), *counts, largest_before)
                self._go_deeper(depth)
                depth += 1
            if self._largest_tile() > largest_before:
                yield Layer(depth, 0, 0, 0, 0, self._largest_tile())
        return "complete"

    @property
    def done(self) -> int:
        """States of the layer that are expanded."""
        return self.control.done

    def stopped(self) -> str:
        """Return what the watch says."""
        return self.watch.stop(self.watch.statistics, len(self.layer))

    def slice(self, budget: int) -> int:
        """Expand states of the layer."""
        # A slice's budget counts states of the layer; the limit of expansions counts all of them.
        done, statistics = self.control.done, self.watch.statistics
        left = self.watch.expansions - statistics.expanded + done
        with PluginCode(partial(failure_of_rules, self.domain)):
            status = self.kernel(*addresses(self.arrays), min(budget, left))
        statistics.expanded += self.control.done - done
        return status

    def allowed(self) -> int:
        """Return how many states' successors there is room for, with more room where there was none; 0 without it."""
        if self._fitting() > 0:
            return self._fitting()
        room, states = self.arrays.out, self.control.produced
        larger = reserve(2 * room.size, np.uint64).reshape(-1, self.width)
        if self.watch.statistics.peak_bytes + 8 * states * self.width > self.watch.memory:
            return 0
        larger[:states] = room[:states]
        self.arrays = replaced(self.arrays, out=larger)
        return self._fitting()

    def _fitting(self) -> int:
        """Return how many states' successors there is room for."""
        return (len(self.arrays.out) - self.control.produced) // self.form.max_successors

    def _go_deeper(self, depth: int) -> None:
        """Make the successors of the layer of this depth the next layer: each state once, and none met before."""
        following = _distinct(self.arrays.out[: self.control.produced])
        if self.revisited_layers != "none":
            self.before.append(self.layer)
            for met in self.before:
                following = following[~_contained(following, met)]
            if self.revisited_layers == "last-two":
                self.before = self.before[-2:]
            elif len(self.before) > MOST_ARRAYS:
                self._merge()
        if self.revisited_layers != "any":
            self.older.add(self.layer, depth)
            found = self.older.found_in(following)
            if found:
                states, before = found
                raise_revisited(self.domain, self.packing.unpack(states)[0], before, depth + 1)
        self.arrays = replaced(self.arrays, layer=np.ascontiguousarray(following))

    def _merge(self) -> None:
        """Make one array of the two neighbours that are the smallest together, if there is room for it."""
        sizes = [len(states) for states in self.before]
        k = min(range(len(sizes) - 1), key=lambda k: sizes[k] + sizes[k + 1])
        needed = 8 * self.width * (sizes[k] + sizes[k + 1])
        if self.watch.statistics.peak_bytes + needed <= self.watch.memory:
            self.before[k : k + 2] = [_distinct(np.concatenate(self.before[k : k + 2]))]

    def account(self) -> None:
        """Bring the bytes up to date."""
        states = len(self.layer) + self.control.produced + sum(map(len, self.before))
        statistics = self.watch.statistics
        statistics.peak_bytes = max(statistics.peak_bytes, 8 * self.width * states)

    def _largest_tile(self) -> int:
        code = self.control.largest
        return (1 << code) & ~1 if self.packing.powers_of_two else code


class OlderStates:
    """Some states of all layers, by which it shows that a new layer holds what it cannot hold.

    What a domain declares of revisited layers is not looked at state by state: that is what it is declared for. Where
    it is wrong, and the states are finitely many, the layers come to repeat themselves for ever. Some of the last layer
    whose depth is a power of two are therefore always among these states: they are met again before the next such
    layer, once that is as far away as the layers take to repeat themselves (Brent 1980).
    """

    def __init__(self, width: int) -> None:
        self._states = np.zeros((0, width), np.uint64)
        self._depths = np.zeros(0, np.int64)
        self._every = 1

    def add(self, layer: NDArray[np.uint64], depth: int) -> None:
        """Keep some states of a layer."""
        is_power_of_two = depth & (depth - 1) == 0
        if depth % self._every and not is_power_of_two:
            return
        some = layer[:: -(-len(layer) // SAMPLED)]
        self._states = np.concatenate([self._states, some])
        self._depths = np.concatenate([self._depths, np.full(len(some), depth)])
        if len(self._states) > MOST_SAMPLED:
            self._every *= 2
            latest = 1 << max(0, depth.bit_length() - 1)
            stays = (self._depths % self._every == 0) | (self._depths == latest)
            self._states, self._depths = self._states[stays], self._depths[stays]

    def found_in(self, layer: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], int] | None:
        """Return a state of a layer, sorted, that is one of these, and its depth before; None if there is none."""
        again = np.flatnonzero(_contained(self._states, layer))
        return (self._states[again[:1]], int(self._depths[again[0]])) if len(again) else None


def _distinct(states: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return each state once, sorted; sorts one-word states where they are."""
    if states.shape[1] == 1:
        words = states[:, 0]
        words.sort()
        first = np.ones(len(words), bool)
        np.not_equal(words[1:], words[:-1], out=first[1:])
        return words[first].reshape(-1, 1)
    return np.unique(states, axis=0)


def _contained(states: NDArray[np.uint64], met: NDArray[np.uint64]) -> Any:
    """Return which of the states are among the met ones; both are sorted."""
    if not len(met):
        return np.zeros(len(states), bool)
    if states.shape[1] == 1:
        at = np.searchsorted(met[:, 0], states[:, 0])
        return met[np.minimum(at, len(met) - 1), 0] == states[:, 0]
    kind = np.dtype([(f"w{k}", np.uint64) for k in range(states.shape[1])])
    return np.isin(np.ascontiguousarray(states).view(kind).ravel(), np.ascontiguousarray(met).view(kind).ravel())
