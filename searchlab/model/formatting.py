"""Numbers, times and amounts of memory as people read them, and short texts in lines."""

from __future__ import annotations

from math import floor, isfinite, log10
from typing import TYPE_CHECKING

from searchlab.errors.control_characters import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ELLIPSIS = "…"
SIGNIFICANT = 6
"""Significant digits of the largest number of a column."""
SIZES = ("bytes", "KiB", "MiB", "GiB", "TiB")
THOUSANDS = ("", " k", " M", " G")


def counted(number: int, what: str, plural: str = "") -> str:
    """Return a number and the noun for it.

    >>> counted(1, "move"), counted(1041, "move")
    ('1 move', '1,041 moves')
    """
    return f"{number:,} {what if number == 1 else plural or what + 's'}"


def rounded(number: float) -> str:
    """Return a number to three digits with a unit: k, M, G.

    >>> rounded(3_141_592), rounded(950)
    ('3.14 M', '950')
    """
    scale = 0
    while abs(number) >= 999.5 and scale < len(THOUSANDS) - 1:
        number /= 1000
        scale += 1
    return f"{_three_digits(number)}{THOUSANDS[scale]}" if scale else f"{number:.0f}"


def memory(size: float) -> str:
    """Return an amount of memory, given in bytes.

    >>> memory(2**21), memory(217_000)
    ('2 MiB', '212 KiB')
    """
    scale = 0
    while size >= 1023.5 and scale < len(SIZES) - 1:
        size /= 1024
        scale += 1
    return f"{_three_digits(size)} {SIZES[scale]}"


def duration(seconds: float) -> str:
    """Return a duration, given in seconds.

    >>> duration(0.0123), duration(3.2), duration(125)
    ('12.3 ms', '3.2 s', '2 min 5 s')
    """
    if seconds < 1:
        return f"{_three_digits(seconds * 1000)} ms"
    if seconds < 60:
        return f"{_three_digits(seconds)} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def value(number: float) -> str:
    """Return a value or a score, with digits in groups of three, and without a fraction if it is whole.

    >>> value(20736.0), value(0.1)
    ('20,736', '0.1')
    """
    if isinstance(number, int) or (isfinite(number) and float(number).is_integer()):
        return f"{int(number):,}"
    return f"{number:,.10g}" if isfinite(number) else ("infinite" if number > 0 else str(number))


def aligned(numbers: Sequence[float]) -> list[str]:
    """Return the numbers of a column with equally many decimals: six digits of the largest, none if all are whole.

    >>> aligned([1234.5, 0.25, -8.0]), aligned([3.0, 12000.0]), aligned([0.5, float("-inf")])
    (['1,234.50', '0.25', '-8.00'], ['3', '12,000'], ['0.500000', '-infinite'])
    """
    finite = [number for number in numbers if isfinite(number)]
    if all(float(number).is_integer() for number in finite):
        decimals = 0
    else:
        largest = max(map(abs, finite))
        decimals = min(SIGNIFICANT, max(0, SIGNIFICANT - 1 - floor(log10(largest))))
    return [f"{n:,.{decimals}f}" if isfinite(n) else "infinite" if n > 0 else "-infinite" for n in numbers]


def folded(pieces: Iterable[str], width: int, separator: str = " ") -> list[str]:
    """Return pieces of text in as few lines as they need."""
    lines: list[str] = []
    for piece in map(escaped, pieces):
        if lines and len(lines[-1]) + len(separator) + len(piece) <= width:
            lines[-1] += separator + piece
        else:
            lines.append(piece)
    return lines


def _three_digits(number: float) -> str:
    digits = 2 if number < 9.995 else 1 if number < 99.95 else 0
    text = f"{number:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
