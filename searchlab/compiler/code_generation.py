"""The definitions of `intrinsics` for numba, which imports this module when it compiles a function that uses one."""

from __future__ import annotations

import operator
import os
from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from searchlab.compiler import numba_private
from searchlab.compiler.intrinsics import DIGITS


@intrinsic  # type: ignore[untyped-decorator]
def address_of(typing_context: Any, items: Any, index: Any) -> Any:
    """Return the address of an item behind a pointer, as an integer."""
    signature = types.uintp(items, index)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        item = builder.gep(arguments[0], [arguments[1]])
        return builder.ptrtoint(item, context.get_value_type(types.uintp))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def pointer_to(typing_context: Any, address: Any, dtype: Any) -> Any:
    """Return the pointer to items of a dtype at an address."""
    signature = types.CPointer(dtype.dtype)(types.uintp, dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def record_at(typing_context: Any, address: Any, dtype: Any) -> Any:
    """Return the record of a structured dtype at an address."""
    signature = dtype.dtype(types.uintp, dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def one_bits(typing_context: Any, value: Any) -> Any:
    """Return the number of bits of a uint64 that are 1, as an int64."""
    signature = types.int64(types.uint64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def compare_and_swap(typing_context: Any, items: Any, index: Any, expected: Any, new: Any) -> Any:
    """Write `new` to an item behind a pointer if it is `expected`, atomically; return the former item."""
    item = items.dtype
    signature = item(items, index, item, item)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at = builder.gep(arguments[0], [arguments[1]])
        outcome = builder.cmpxchg(at, arguments[2], arguments[3], "acq_rel", "monotonic")
        return builder.extract_value(outcome, 0)

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def let_others_run(typing_context: Any) -> Any:
    """Yield the core to a waiting thread, if there is one."""
    signature = types.void()

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if os.name == "posix":
            kind = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return signature, generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def address_of_field(typing_context: Any, record: Any, name: Any) -> Any:
    """Return the address of a record's field, as an integer."""
    offset = record.offset(name.literal_value)
    signature = types.uintp(record, name)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = builder.ptrtoint(arguments[0], context.get_value_type(types.uintp))
        return builder.add(first, context.get_constant(types.uintp, offset))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def table_at(typing_context: Any, tables: Any, offset: Any, dtype: Any) -> Any:
    """Return a pointer to items of a dtype, `offset` bytes into a block of bytes."""
    pointer = types.CPointer(dtype.dtype)
    signature = pointer(tables, types.intp, dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at = builder.gep(arguments[0], [arguments[1]])
        return builder.bitcast(at, context.get_value_type(signature.return_type))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def carray(typing_context: Any, items: Any, shape: Any) -> Any:
    """Return an array of a shape at a pointer, as numba's own function does, which compiles one for each shape."""
    array = types.Array(items.dtype, len(shape), "C")
    signature = array(items, shape)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sides = [
            context.cast(builder, side, kind, types.intp)
            for side, kind in zip(cgutils.unpack_tuple(builder, arguments[1]), shape, strict=True)
        ]
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(items.dtype)))
        strides = [size]
        for side in sides[:0:-1]:
            strides.insert(0, builder.mul(strides[0], side))
        made = context.make_array(array)(context, builder)
        data = builder.bitcast(arguments[0], made.data.type)
        context.populate_array(made, data=data, shape=sides, strides=strides, itemsize=size, meminfo=None)
        return made._getvalue()

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def larger(typing_context: Any, one: Any, other: Any) -> Any:
    """Return the larger of two numbers: `max` in a kernel, for which numba compiles a function for each two types."""
    return _of_two(typing_context, one, other, operator.gt)


@intrinsic  # type: ignore[untyped-decorator]
def smaller(typing_context: Any, one: Any, other: Any) -> Any:
    """Return the smaller of two numbers: `min` in a kernel."""
    return _of_two(typing_context, one, other, operator.lt)


def _of_two(typing_context: Any, one: Any, other: Any, is_better: Any) -> Any:
    signature = typing_context.unify_types(one, other)(one, other)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return numba_private.do_minmax(context, builder, signature.args, arguments, is_better)

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def read_only(typing_context: Any, array: Any) -> Any:
    """Return a read-only view of an array: code that writes to it does not compile."""
    signature = array.copy(readonly=True)(array)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], signature.args[0], signature.return_type)

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def signed(typing_context: Any, item: Any) -> Any:
    """Return an unsigned number as an int64, which wraps around; anything else as it is."""
    return _signed(item, widest=64)


@intrinsic  # type: ignore[untyped-decorator]
def signed_if_small(typing_context: Any, item: Any) -> Any:
    """Return an unsigned number of less than 64 bits as an int64; anything else as it is."""
    return _signed(item, widest=32)


def _signed(item: Any, widest: int) -> Any:
    is_converted = isinstance(item, types.Integer) and not item.signed and item.bitwidth <= widest
    signature = types.int64(item) if is_converted else item(item)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if context.enable_nrt and not is_converted:
            context.nrt.incref(builder, item, arguments[0])  # what is returned counts as a reference of its own
        return context.cast(builder, arguments[0], item, signature.return_type)

    return signature, generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def local_words(typing_context: Any, count: Any) -> Any:
    """Return a pointer to this many words on the stack; the compiler keeps as many as possible in registers."""
    signature = types.CPointer(types.int64)(count)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        block = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), count.literal_value))
        return builder.bitcast(block, context.get_value_type(signature.return_type))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def trailing_zeros(typing_context: Any, value: Any) -> Any:
    """Return the number of trailing zero bits of an int64, 64 for 0."""
    signature = types.int64(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def leading_zeros(typing_context: Any, value: Any) -> Any:
    """Return the number of leading zero bits of an int64, 64 for 0."""
    signature = types.int64(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return signature, generate


@cache
def store_indices(cells: str, bits: str, base: str, factor: str, offset: str) -> Any:
    """Return the intrinsic that writes indices made of a word's fields; see `intrinsics.store_indices`."""
    rows = [list(map(int, row.split())) for row in cells.split("/")]
    fields, count = 64 // int(bits), len(rows)

    @intrinsic  # type: ignore[untyped-decorator]
    def store_indices(typing_context: Any, items: Any, index: Any, word: Any) -> Any:
        signature = types.void(items, types.intp, types.uint64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            long, byte = ir.IntType(64), ir.IntType(8)

            def all_of(value: int) -> Any:
                return ir.Constant(ir.VectorType(long, count), [value] * count)

            # A byte for each field; then eight bytes for each row, 0 after its last digit.
            words = ir.VectorType(long, fields)
            of_word = builder.insert_element(ir.Constant(words, ir.Undefined), arguments[2], ir.IntType(32)(0))
            firsts = ir.Constant(ir.VectorType(ir.IntType(32), fields), [0] * fields)
            of_word = builder.shuffle_vector(of_word, of_word, firsts)
            shifts = ir.Constant(words, [int(bits) * field for field in range(fields)])
            masks = ir.Constant(words, [(1 << int(bits)) - 1] * fields)
            all_bytes = ir.VectorType(byte, fields)
            digits = builder.trunc(builder.and_(builder.lshr(of_word, shifts), masks), all_bytes)
            taken = [field for row in rows for field in (*row, *[fields] * (DIGITS - len(row)))]
            which = ir.Constant(ir.VectorType(ir.IntType(32), len(taken)), taken)
            digits = builder.shuffle_vector(digits, ir.Constant(all_bytes, [0] * fields), which)
            total = builder.bitcast(digits, ir.VectorType(long, count))
            width = 8
            while width < 8 * len(rows[0]):  # neighbouring numbers of this many bits make one of twice as many
                lower = all_of(sum(((1 << width) - 1) << at for at in range(0, 64, 2 * width)))
                upper = builder.and_(builder.lshr(total, all_of(width)), lower)
                upper = builder.mul(upper, all_of(int(base) ** (width // 8)))
                total = builder.add(builder.and_(total, lower), upper)
                width *= 2
            total = builder.add(builder.mul(total, all_of(int(factor))), all_of(int(offset)))
            size = items.dtype.bitwidth
            narrow = ir.VectorType(ir.IntType(size), count)
            at = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), narrow.as_pointer())
            builder.store(builder.trunc(total, narrow) if size < 64 else total, at, align=size // 8)
            return context.get_dummy_value()

        return signature, generate

    return store_indices


@intrinsic  # type: ignore[untyped-decorator]
def given(typing_context: Any, value: Any) -> Any:
    """Return the value of an optional type, without a check that it is not None."""
    if not isinstance(value, types.Optional):
        return None  # numba asks again when it knows the whole type

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_helper(builder, value, arguments[0]).data

    return value.type(value), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, items: Any, index: Any) -> Any:
    """Tell the processor to fetch an item behind a pointer into its cache."""
    signature = types.void(items, index)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte_pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        at = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), byte_pointer)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte_pointer], ir.FunctionType(ir.VoidType(), [byte_pointer, word, word, word])
        )
        to_read, keep, data = word(0), word(3), word(1)
        builder.call(function, [at, to_read, keep, data])
        return context.get_dummy_value()

    return signature, generate


def caller(signature: str) -> Any:
    """Return the intrinsic that calls a function with a signature by address."""
    typed = eval(signature, dict(vars(types)))  # one of ours, like "int64(float64)"
    passed, returned = typed.args, typed.return_type

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing_context: Any, callees: Any, row: Any, arguments: Any) -> Any:
        rest = types.Tuple([types.uintp if isinstance(a, types.CPointer) else a for a in passed[2:]])

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            convention = context.call_conv
            first = builder.mul(values[1], ir.Constant(values[1].type, 3))
            address, params, tables = (
                builder.load(builder.gep(values[0], [builder.add(first, ir.Constant(first.type, k))])) for k in range(3)
            )
            function_type = convention.get_function_type(returned, passed)
            function = builder.inttoptr(address, function_type.as_pointer())
            converted = [
                builder.inttoptr(value, context.get_value_type(type_)) if isinstance(type_, types.CPointer) else value
                for value, type_ in zip(
                    [params, tables, *cgutils.unpack_tuple(builder, values[2])], passed, strict=True
                )
            ]
            status, result = convention.call_function(builder, function, returned, passed, converted)
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        return returned(callees, types.intp, rest), generate

    return call
