"""Randomness: random numbers for games of chance; a seed gives the same numbers in every version.

They are the numbers of PCG64 (O'Neill 2014). `Randomness` computes them with Python integers; `next_raw`, for packed
rules, computes them with four words and is compiled.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import UsageError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

U: Any = np.uint64
LOW = U(0xFFFFFFFF)
HALF = U(32)
MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio: multiples are far apart."""
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
MULTIPLIER_HIGH, MULTIPLIER_LOW = map(U, divmod(MULTIPLIER, 2**64))


def whole_number(number: Any, name: str = "seed") -> int:
    """Return a seed, or another non-negative integer, as an int; NumPy integers are accepted, True is not.

    Raises:
        UsageError: the number is invalid.
    """
    try:
        whole = -1 if isinstance(number, bool | np.bool_) else index(number)
    except TypeError:
        whole = -1
    if whole < 0:
        raise UsageError(f"a {name} is a whole number, 0 or more, not {shown(number, 40)}")
    return whole


def mixed(number: int) -> int:
    """Return a 64-bit number, mixed: different numbers give different results, which look random.

    The finalizer of splitmix64 (Steele, Lea and Flood 2014).
    """
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB & MASK
    return number ^ (number >> 31)


def random_rank(seed: int, count: int) -> int:
    """Return the rank of the `count`-th node in a random order: 64 bits, different for each node."""
    return mixed((mixed(seed) + count * GOLDEN) & MASK)


class Randomness:
    """Raw 64-bit random numbers of PCG64, from a seed as NumPy seeds it.

    A game depends on these numbers only through `below` and the few lines of the domain's `draw`. A program that
    reimplements these plays the same game for a seed.

    Args:
        seed: a non-negative integer.

    Attributes:
        state: state and increment of the generator, two 128-bit numbers from which it continues.

    >>> Randomness(1).raw()
    9441442522235856127
    """

    def __init__(self, seed: int) -> None:
        from numpy.random import SeedSequence

        words: list[int] = SeedSequence(seed).generate_state(4, np.uint64).tolist()
        first, increment = words[0] << 64 | words[1], (words[2] << 64 | words[3]) << 1 | 1
        self.state = _after((first + increment) % 2**128, increment % 2**128)

    def raw(self) -> int:
        """Return the next number, 0 … 2^64 - 1."""
        self.state = _after(*self.state)
        number = self.state[0]
        mixed, turn = (number >> 64 ^ number) % 2**64, number >> 122
        return (mixed >> turn | mixed << 64 - turn) % 2**64

    def below(self, k: int) -> int:
        """Return a number from 0 to k - 1, computed from the upper half of the next raw number; k is at most 2^32."""
        return (self.raw() >> 32) * k >> 32


def _after(number: int, increment: int) -> tuple[int, int]:
    """Return the next state, and the increment."""
    return (number * MULTIPLIER + increment) % 2**128, increment


def next_raw(random: Any) -> Any:
    """Return the next raw random number, 0 … 2^64 - 1, as `Randomness.raw` does.

    Args:
        random: four uint64 words: the upper and lower half of the generator's state, then of the increment.
    """
    high, low = random[0], random[1]
    upper = low >> HALF, MULTIPLIER_LOW >> HALF
    lower = low & LOW, MULTIPLIER_LOW & LOW
    middle = upper[0] * lower[1] + (lower[0] * lower[1] >> HALF)
    other = lower[0] * upper[1] + (middle & LOW)
    carried = upper[0] * upper[1] + (middle >> HALF) + (other >> HALF)
    product = low * MULTIPLIER_LOW
    random[1] = product + random[3]
    random[0] = carried + high * MULTIPLIER_LOW + low * MULTIPLIER_HIGH + random[2] + U(random[1] < product)
    mixed, turn = random[0] ^ random[1], random[0] >> U(58)
    return mixed >> turn | mixed << (U(64) - turn & U(63))


def words_of(random: Randomness) -> NDArray[np.uint64]:
    """Return the words from which `next_raw` continues the numbers of a Randomness."""
    halves = [half for number in random.state for half in divmod(number, 2**64)]
    return np.array(halves, np.uint64)


def state_of(words: NDArray[np.uint64]) -> tuple[int, int]:
    """Return the `state` of the Randomness that continues from these words."""
    numbers: list[int] = words.tolist()
    return numbers[0] << 64 | numbers[1], numbers[2] << 64 | numbers[3]
