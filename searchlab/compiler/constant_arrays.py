"""How numba compiles the slots of `global_arrays`: as constant arrays whose data are where a slot points to."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.extending import typeof_impl

from searchlab.compiler.global_arrays import Slot

if TYPE_CHECKING:
    from collections.abc import Iterator


@typeof_impl.register(Slot)  # type: ignore[untyped-decorator]
def _type_of_slot(slot: Slot, _: Any) -> Any:
    return typeof(slot.array).copy(readonly=True)


@contextmanager
def slots_compiled() -> Iterator[None]:
    """Have numba compile the slots in functions as constant arrays whose data are where the slot points to."""
    copied = BaseContext.make_constant_array

    def make_constant_array(self: Any, builder: Any, type_: Any, value: Any) -> Any:
        return (_read_through if isinstance(value, Slot) else copied)(self, builder, type_, value)

    BaseContext.make_constant_array = make_constant_array
    try:
        yield
    finally:
        BaseContext.make_constant_array = copied


def _read_through(context: Any, builder: Any, type_: Any, slot: Slot) -> Any:
    """Return numba's structure of an array whose data are where a slot points to."""
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
