"""Large arrays that functions read as globals: machine code loads their addresses, which each process fills in.

numba copies a global array into the machine code or, beyond 1 MB, puts its address there, which no other process can
use. Here the code for a large array reads a *slot*, a pointer with the same name in every process. So the code does not
depend on the content of the array: it is kept in the cache, it stays small, and nothing is hashed.
"""

from __future__ import annotations

import ctypes
import hashlib
import weakref
from typing import TYPE_CHECKING, Any

from searchlab.compiler.numba_private import uses_shortcuts

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGE = 2**16
"""Arrays of more bytes than this are passed by their address, smaller ones are copied."""


class Slot:
    """A pointer through which machine code reads an array; functions are compiled with it in place of the array.

    It does not keep the array alive. When the array is gone, the slot serves another array of the same layout.

    Attributes:
        name: the name of the symbol in machine code.
        shape, strides, itemsize: those of the array.
    """

    def __init__(self, name: str, array: NDArray[Any]) -> None:
        self.name, self.shape, self.strides, self.itemsize = name, array.shape, array.strides, array.itemsize
        self._pointer = ctypes.c_void_p()
        import llvmlite.binding as llvm  # 60 ms that functions without large arrays need not wait for

        llvm.add_symbol(name, ctypes.addressof(self._pointer))
        self.point_to(array)

    def point_to(self, array: NDArray[Any]) -> None:
        """Serve an array, which the caller keeps alive as long as machine code that reads it can run."""
        self._array = weakref.ref(array)
        self._pointer.value = array.ctypes.data

    @property
    def array(self) -> NDArray[Any] | None:
        """The current array, or None if it is gone."""
        return self._array()

    def serves(self, array: NDArray[Any]) -> bool:
        """Return whether it serves this array."""
        return self._array() is array

    @property
    def is_free(self) -> bool:
        """Whether the array it served is gone."""
        return self._array() is None


_slots: dict[tuple[object, ...], list[Slot]] = {}
"""The slots of this process by the layout of their arrays: the order in which arrays appear names them."""


def slot_of(array: NDArray[Any]) -> Slot | None:
    """Return the slot of a large array, or None for an array that is copied."""
    contiguous = array.flags.c_contiguous or array.flags.f_contiguous
    if array.nbytes <= LARGE or not contiguous or array.dtype.hasobject or not uses_shortcuts():
        return None
    layout = array.dtype.str, array.shape, array.strides
    slots = _slots.setdefault(layout, [])
    slot = next((slot for slot in slots if slot.serves(array)), None)
    slot = slot or next((slot for slot in slots if slot.is_free), None)
    if slot is None:
        digest = hashlib.sha256(repr((layout, len(slots))).encode()).hexdigest()
        slots.append(slot := Slot(f"searchlab_array_{digest[:16]}", array))
    slot.point_to(array)  # its data may have moved
    return slot
