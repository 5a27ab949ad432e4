"""Randomness: the numbers a game of chance is played by, the same from a seed in every version.

They are those of PCG64: NumPy's in `Randomness`, and in `next_raw` written out on four words, which packed rules call
and which is compiled with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.random import PCG64
    from numpy.typing import NDArray

U: Any = np.uint64
LOW = U(0xFFFFFFFF)
HALF = U(32)
MULTIPLIER_HIGH, MULTIPLIER_LOW = U(0x2360ED051FC65DA4), U(0x4385DF649FCCF645)


class Randomness:
    """The raw 64-bit numbers of PCG64 (O'Neill 2014) from a seed, as NumPy seeds it.

    Only the few lines of `below` and of the domain's `draw` stand between these numbers and a game, so a seed means
    the same game wherever they are implemented again.

    Args:
        seed: a whole number, 0 or more.

    >>> Randomness(1).raw()
    9441442522235856127
    """

    def __init__(self, seed: int) -> None:
        from numpy.random import PCG64

        self._numbers: PCG64 = PCG64(seed)

    def raw(self) -> int:
        """Return the next number, 0 … 2^64 - 1."""
        return int(self._numbers.random_raw())

    def below(self, k: int) -> int:
        """Return one of 0 … k - 1, chosen by the upper half of the next number; k is at most 2^32."""
        return (self.raw() >> 32) * k >> 32

    @property
    def state(self) -> tuple[int, int]:
        """The generator's state and its increment, two 128-bit numbers from which it continues."""
        state = self._numbers.state["state"]
        return state["state"], state["inc"]

    @state.setter
    def state(self, state: tuple[int, int]) -> None:
        number, increment = state
        self._numbers.state = {**self._numbers.state, "state": {"state": number, "inc": increment}}


def next_raw(random: Any) -> Any:
    """Return the next number, 0 … 2^64 - 1, as `Randomness.raw` does.

    Args:
        random: four uint64 words, the upper and the lower half of the generator's state and of its increment.
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
    """Return the words from which `next_raw` continues a Randomness's numbers."""
    state = random.state
    halves = [half for number in state for half in divmod(number, 2**64)]
    return np.array(halves, np.uint64)


def state_of(words: NDArray[np.uint64]) -> tuple[int, int]:
    """Return the `state` of the Randomness that continues from these words."""
    numbers: list[int] = words.tolist()
    return numbers[0] << 64 | numbers[1], numbers[2] << 64 | numbers[3]
