"""Compile the slots of `global_arrays` as constant arrays with their data behind a pointer."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.extending import typeof_impl

from searchlab.compiler.global_arrays import Slot
from searchlab.compiler.numba_private import TargetContext


@typeof_impl.register(Slot)  # type: ignore[untyped-decorator]
def _type_of_slot(slot: Slot, _: Any) -> Any:
    return typeof(slot.array).copy(readonly=True)


def make_constant_array(self: Any, builder: Any, type_: Any, value: Any) -> Any:
    """Compile a constant array; it takes the place of numba's function, which copies the array into the code."""
    return (_read_through if isinstance(value, Slot) else _copied)(self, builder, type_, value)


_copied: Any = TargetContext.make_constant_array


def _read_through(context: Any, builder: Any, type_: Any, slot: Slot) -> Any:
    """Return numba's structure of an array with its data at the address in a slot."""
    module, integer = builder.module, context.get_value_type(types.intp)
    symbol = module.globals.get(slot.name) or ir.GlobalVariable(module, cgutils.voidptr_t, slot.name)
    address = builder.load(symbol)
    address.set_metadata("invariant.load", module.add_metadata([]))  # so that no loop loads it again and again
    structure = context.make_array(type_)(context, builder)
    shape, strides = (
        cgutils.create_constant_array(integer, [ir.Constant(integer, k) for k in numbers])
        for numbers in (slot.shape, slot.strides)
    )
    context.populate_array(
        structure,
        data=builder.bitcast(address, structure.data.type),
        shape=shape,
        strides=strides,
        itemsize=ir.Constant(integer, slot.itemsize),
        meminfo=None,
        parent=None,
    )
    return structure._getvalue()
