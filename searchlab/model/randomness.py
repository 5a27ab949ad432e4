"""Randomness: the numbers a game of chance is played by, the same from a seed in every version."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.random import PCG64


class Randomness:
    """The raw 64-bit numbers of PCG64 (O'Neill 2014) from a seed, as NumPy seeds it.

    Nothing stands between these and a game but the few lines of `below` and of the domain's `draw`, so that a seed
    means the same game wherever they are written down again.

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
        """Return one of 0 … k - 1 by the upper half of the next number, k being 2^32 at the most."""
        return (self.raw() >> 32) * k >> 32

    @property
    def state(self) -> tuple[int, int]:
        """The state of the generator and its increment, numbers of 128 bits: where the numbers go on."""
        state = self._numbers.state["state"]
        return state["state"], state["inc"]

    @state.setter
    def state(self, state: tuple[int, int]) -> None:
        number, increment = state
        self._numbers.state = {**self._numbers.state, "state": {"state": number, "inc": increment}}
