"""The numbers of `Randomness` for packed rules: PCG64 in plain Python on four words, which is compiled with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.model.randomness import Randomness

if TYPE_CHECKING:
    from numpy.typing import NDArray

U: Any = np.uint64
LOW = U(0xFFFFFFFF)
HALF = U(32)
MULTIPLIER_HIGH, MULTIPLIER_LOW = U(0x2360ED051FC65DA4), U(0x4385DF649FCCF645)


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
    """Return the words from which `next_raw` goes on with a Randomness's numbers."""
    state = random.state
    halves = [half for number in state for half in divmod(number, 2**64)]
    return np.array(halves, np.uint64)


def randomness_of(words: NDArray[np.uint64]) -> Randomness:
    """Return the Randomness that goes on where these words are."""
    numbers = list(map(int, words))
    random = Randomness(0)
    random.state = numbers[0] << 64 | numbers[1], numbers[2] << 64 | numbers[3]
    return random
