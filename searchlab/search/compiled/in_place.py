"""A kernel compiled for a single problem, with the plugin functions inlined because calls would cost too much."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.adapters import Adapter, numbers_in, supports_incremental
from searchlab.compiler.arrays import with_dtypes
from searchlab.compiler.functions import CannotCompile, compile_kernel, explaining, kernel_is_cached
from searchlab.model.strategies import is_whole
from searchlab.search.kernels import in_place as kernels_in_place
from searchlab.search.kernels.in_place import InPlaceArrays, frame_of, in_place, limits_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from searchlab.compiler.machine_code import CompiledKernel
    from searchlab.compiler.packing import Packing
    from searchlab.model.packed import PackedForm
    from searchlab.model.strategies import Heuristic

WORD_BITS = 64
MOST_PLACES = 1024


@dataclass(frozen=True)
class InPlaceKernel:
    """The kernel of `kernels/in_place.py` compiled with the plugin functions of a problem.

    Attributes:
        call: the kernel.
        takes: the declaration of the arrays of the kernel.
        onward: the places to be tried after each move, packed.
        params, tables: the parameter values and tables of the plugins.
        whole: whether h is an integer.
        incremental: whether moves update h.
        carries: the number of numbers that are carried besides h.
        bits: the number of bits per place.
    """

    call: CompiledKernel
    takes: type[InPlaceArrays]
    onward: NDArray[np.uint64]
    params: NDArray[np.float64]
    tables: NDArray[np.uint8]
    whole: bool
    incremental: bool
    carries: int
    bits: int

    @classmethod
    def of(
        cls,
        form: PackedForm,
        values: Mapping[str, Any],
        packing: Packing,
        heuristic: Heuristic | None,
        heuristic_values: Mapping[str, Any],
        carried: tuple[Any, ...] = (),
        *,
        notes_reached: bool = False,
    ) -> InPlaceKernel:
        """Compile the kernel with the functions inlined.

        Args:
            carried: the numbers that the heuristic carries besides h, for any board; only their number matters.
            notes_reached: whether the kernel records the largest f within the bound.
        """
        assert form.in_place is not None
        incremental = heuristic is None or supports_incremental(heuristic, form, heuristic_values, in_place=True)
        carried = carried if incremental else ()
        carries = len(numbers_in(carried))
        named = heuristic.function if heuristic and heuristic.function else form.in_place.make
        bits = bits_a_place(len(form.in_place.neighbors))

        def source(*, whole: bool) -> _KernelSource:
            adapter = Adapter(packing)
            bodies = adapter.in_place(
                form, values, heuristic, heuristic_values, whole=whole, incremental=incremental, carried=carried
            )
            value = np.int64 if whole else np.float64
            frame = frame_of(value, carries)
            constants: dict[str, Any] = {
                **{"PLACES": len(onward), "BITS": bits, "ESTIMATES": heuristic is not None, "INCREMENTAL": incremental},
                **{"WHOLE": whole, "VALUE": value, "FARTHEST": 2**62 if whole else inf},
                **{"FRAME": frame, "FRAME_BYTES": frame.itemsize, "LIMITS": limits_of(value)},
                **({"NOTES_REACHED": True} if notes_reached else {}),
            }
            for name, body in bodies.items():
                constants[name] = adapter.replacing(getattr(kernels_in_place, name), body)
            return _KernelSource(adapter, with_dtypes(InPlaceArrays, frames=frame, limits=limits_of(value)), constants)

        def compiled(of: _KernelSource) -> InPlaceKernel:
            with explaining(named):
                call = compile_kernel(in_place, of.takes, constants=of.constants)
            arrays = onward, of.adapter.params, of.adapter.tables
            return cls(call, of.takes, *arrays, of.constants["WHOLE"], incremental, carries, bits)

        onward = onward_table(form.in_place.neighbors, bits)
        if heuristic is None or is_whole(heuristic.incremental if incremental and not carries else heuristic.function):
            return compiled(source(whole=True))
        in_fractions = source(whole=False)
        # The return type of `incremental` depends on the type of h. Only a function that computes h anew shows its
        # type.
        if incremental or in_fractions.is_cached:
            return compiled(in_fractions)
        try:
            return compiled(source(whole=True))
        except CannotCompile:
            return compiled(in_fractions)


@dataclass(frozen=True)
class _KernelSource:
    """The source of a kernel.

    Attributes:
        adapter: the adapter of the plugin functions.
        takes: the declaration of the arrays of the kernel.
        constants: the values of the constants in the kernel.
    """

    adapter: Adapter
    takes: type[InPlaceArrays]
    constants: dict[str, Any]

    @property
    def is_cached(self) -> bool:
        """Whether the machine code is cached."""
        return kernel_is_cached(in_place, self.takes, self.constants)


def fits_in_place(form: PackedForm) -> bool:
    """Return whether the kernel can use a form's moves in place: the neighbours of a place must fit into a word."""
    if form.in_place is None:
        return False
    places: int
    most: int
    places, most = form.in_place.neighbors.shape
    return places <= MOST_PLACES and most * bits_a_place(places) < WORD_BITS


def bits_a_place(places: int) -> int:
    """Return the number of bits that number this many places."""
    return max(1, (places - 1).bit_length())


def onward_table(neighbors: Any, bits: int) -> Any:
    """Return the places to be tried after each move, packed, by the place before the move and the place after it."""
    places = len(neighbors)
    table = np.zeros((places, places), np.uint64)
    for place, reached in enumerate(neighbors.tolist()):
        for to in reached:
            if to >= 0:
                further = [k for k in neighbors[to].tolist() if k >= 0 and k != place]
                table[place, to] = packed_places(further, bits)
    return table


def packed_places(places: list[int], bits: int) -> int:
    """Return a word with places in fields of `bits` bits, the first in the lowest bits, and a 1 above the last."""
    word = 1
    for place in reversed(places):
        word = word << bits | place
    return word
