"""Integer arithmetic in machine code: it wraps around as in NumPy, and no operation is undefined.

numba promises LLVM that no sum, difference or product of signed numbers overflows, and leaves shifts by more than 63
bits undefined; its `np.remainder` divides -2^63 by -1. If that happens anyway, LLVM may have compiled it to anything,
or the processor ends the process. The definitions here replace numba's, by its public extension interface: of two
definitions for the same types the last one counts.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, types
from numba.extending import lower_builtin

from searchlab.compiler import numba_private

if TYPE_CHECKING:
    from collections.abc import Callable

    Definition = Callable[[Any, Any, Any, Any], Any]
    Operation = Callable[[Any, Any, Any, bool], Any]
    """Makes code of a builder, two numbers of the result's type, and whether this is signed."""

TWO_NUMBERS = types.Integer, types.Integer
WITH_AN_ARRAY = (types.Array, types.Array), (types.Array, types.Any), (types.Any, types.Array)
INTO_AN_ARRAY = types.Any, types.Any, types.Array


def _sum(builder: Any, a: Any, b: Any, signed: bool) -> Any:
    return builder.add(a, b)


def _difference(builder: Any, a: Any, b: Any, signed: bool) -> Any:
    return builder.sub(a, b)


def _product(builder: Any, a: Any, b: Any, signed: bool) -> Any:
    return builder.mul(a, b)


def _shifted_left(builder: Any, a: Any, b: Any, signed: bool) -> Any:
    # As NumPy does: nothing is left of a number that is shifted by all its bits, or by less than none.
    fits = builder.icmp_unsigned("<", b, b.type(b.type.width))
    return builder.select(fits, builder.shl(a, b), a.type(0))


def _shifted_right(builder: Any, a: Any, b: Any, signed: bool) -> Any:
    fits = builder.icmp_unsigned("<", b, b.type(b.type.width))
    if signed:
        return builder.ashr(a, builder.select(fits, b, b.type(b.type.width - 1)))
    return builder.select(fits, builder.lshr(a, b), a.type(0))


def _quotient(builder: Any, a: Any, b: Any, signed: bool) -> Any:
    divisor = _divisor(builder, a, b, signed)
    if not signed:
        return builder.udiv(a, divisor)
    quotient, is_off = builder.sdiv(a, divisor), _is_off(builder, builder.srem(a, divisor), divisor)
    return builder.select(is_off, builder.sub(quotient, a.type(1)), quotient)


def _remainder(builder: Any, a: Any, b: Any, signed: bool) -> Any:
    divisor = _divisor(builder, a, b, signed)
    if not signed:
        return builder.urem(a, divisor)
    remainder = builder.srem(a, divisor)
    return builder.select(_is_off(builder, remainder, divisor), builder.add(remainder, divisor), remainder)


def _remainder_in_c(builder: Any, a: Any, b: Any, signed: bool) -> Any:
    return (builder.srem if signed else builder.urem)(a, _divisor(builder, a, b, signed))


def _divisor(builder: Any, a: Any, b: Any, signed: bool) -> Any:
    """Return a divisor that the processor accepts: 1 instead of 0, and instead of -1 if the quotient would be 2^63.

    Divided by 1, the lowest number has the quotient that wraps around, itself, and the remainder 0.
    """
    is_refused = builder.icmp_unsigned("==", b, b.type(0))
    if signed:
        is_lowest = builder.icmp_unsigned("==", a, a.type(-1 << (a.type.width - 1)))
        is_refused = builder.or_(is_refused, builder.and_(is_lowest, builder.icmp_unsigned("==", b, b.type(-1))))
    return builder.select(is_refused, b.type(1), b)


def _is_off(builder: Any, remainder: Any, divisor: Any) -> Any:
    """Return whether the processor's remainder differs in sign from the divisor, which Python's never does."""
    differs = builder.icmp_signed("<", builder.xor(remainder, divisor), divisor.type(0))
    return builder.and_(builder.icmp_unsigned("!=", remainder, divisor.type(0)), differs)


def _of_numbers(*operations: Operation, by_zero: str = "") -> Definition:
    """Return the definition of a function of two numbers, by several operations if it returns a tuple.

    Args:
        by_zero: the message of the error if the second number is 0; by default the result is 0 then.
    """
    divides = any(operation in (_quotient, _remainder, _remainder_in_c) for operation in operations)

    def definition(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        returned = signature.return_type
        kind = returned if isinstance(returned, types.Integer) else returned[0]
        a, b = (context.cast(builder, one, of, kind) for one, of in zip(arguments, signature.args, strict=True))
        is_zero = builder.icmp_unsigned("==", b, b.type(0))
        if by_zero:
            with builder.if_then(is_zero, likely=False):
                context.error_model.fp_zero_division(builder, (by_zero,))
        results = [operation(builder, a, b, kind.signed) for operation in operations]
        if divides:
            results = [builder.select(is_zero, a.type(0), result) for result in results]
        return results[0] if returned is kind else context.make_tuple(builder, returned, results)

    return definition


def _in_python(function: Callable[..., Any]) -> Definition:
    """Return the definition of a function by a Python function."""

    def definition(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.compile_internal(builder, function, signature, arguments)

    return definition


def _in_place(function: Any) -> Definition:
    """Return the definition of an operator such as `+=` that writes to an array.

    For existing arrays numba uses definitions of its own; for new arrays, those of numbers. So integers are computed in
    a new array.
    """

    def whole(a: Any, b: Any) -> Any:
        a[...] = function(a, b)
        return a

    def other(a: Any, b: Any) -> Any:
        function(a, b, a)
        return a

    def definition(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        chosen = whole if isinstance(signature.args[0].dtype, types.Integer) else other
        return context.compile_internal(builder, chosen, signature, arguments)

    return definition


def _divided(a: Any, b: Any) -> Any:
    return np.floor_divide(a, b), np.remainder(a, b)


def _divided_into(a: Any, b: Any, quotient: Any, remainder: Any) -> Any:
    quotient[...], remainder[...] = np.floor_divide(a, b), np.remainder(a, b)
    return quotient, remainder


def _remainder_into(a: Any, b: Any, out: Any) -> Any:
    out[...] = np.remainder(a, b)
    return out


def _remainder_in_c_into(a: Any, b: Any, out: Any) -> Any:
    out[...] = np.fmod(a, b)
    return out


OPERATORS: tuple[tuple[Operation, Any, Any, Any], ...] = (
    (_sum, operator.add, operator.iadd, np.add),
    (_difference, operator.sub, operator.isub, np.subtract),
    (_product, operator.mul, operator.imul, np.multiply),
    (_shifted_left, operator.lshift, operator.ilshift, np.left_shift),
    (_shifted_right, operator.rshift, operator.irshift, np.right_shift),
)
"""Operations that numba leaves undefined: as an operator, as an assigning operator, and as a NumPy function."""
DIVISIONS: tuple[tuple[Operation, Any], ...] = (
    (_quotient, np.floor_divide),
    (_remainder, np.remainder),
    (_remainder_in_c, np.fmod),
)
ASSIGNING_DIVISIONS = (operator.imod, np.remainder), (operator.ifloordiv, np.floor_divide)


def _same(number: Any) -> Any:
    return number


@cache
def define_whole_numbers() -> None:
    """Have numba compile whole numbers as defined here."""
    if numba_private.uses_shortcuts():
        numba_private.cpu_target.target_context.refresh()  # numba's definitions come first
    else:
        njit("int64(int64)")(_same)  # compiling anything has the same effect
    for operation, plain, assigning, function in OPERATORS:
        for one in (plain, assigning, function):
            lower_builtin(one, *TWO_NUMBERS)(_of_numbers(operation))
    assigning_operators = [(assigning, function) for *_, assigning, function in OPERATORS]
    for assigning, function in (*assigning_operators, *ASSIGNING_DIVISIONS):
        for kinds in WITH_AN_ARRAY[:2]:
            lower_builtin(assigning, *kinds)(_in_place(function))
    for assigning in (operator.floordiv, operator.ifloordiv):
        lower_builtin(assigning, *TWO_NUMBERS)(_of_numbers(_quotient, by_zero="integer division by zero"))
    lower_builtin(divmod, *TWO_NUMBERS)(_of_numbers(_quotient, _remainder, by_zero="integer divmod by zero"))
    for operation, function in DIVISIONS:
        lower_builtin(function, *TWO_NUMBERS)(_of_numbers(operation))
    lower_builtin(np.divmod, *TWO_NUMBERS)(_of_numbers(_quotient, _remainder))
    for kinds in WITH_AN_ARRAY:
        lower_builtin(np.divmod, *kinds)(_in_python(_divided))
    lower_builtin(np.divmod, *INTO_AN_ARRAY, types.Array)(_in_python(_divided_into))
    lower_builtin(np.remainder, *INTO_AN_ARRAY)(_in_python(_remainder_into))
    lower_builtin(np.fmod, *INTO_AN_ARRAY)(_in_python(_remainder_in_c_into))
