"""Counts by f of the nodes that a readable search expands and generates; `kernels/control.py` is the compiled form."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from searchlab.model.costs import has_layer

if TYPE_CHECKING:
    from searchlab.search.watch import Watch


class CountsByF:
    """Counts expanded and generated nodes by the f of the expanded node, if f is a small whole number.

    Args:
        watch: has the statistics of the search, and reads the counts in the end.

    Attributes:
        f: the f of the nodes that are being expanded.
    """

    def __init__(self, watch: Watch) -> None:
        self.f = nan
        self._statistics = watch.statistics
        self._counted = 0, 0
        self._has_layer = False
        self._counts: dict[float, tuple[int, int]] = {}
        watch.layers_by_f = self.layers

    def enter(self, f: float) -> None:
        """Count the nodes that are expanded and generated from now on in the layer of this f."""
        if self._has_layer:
            self._count()
        self.f = f
        self._has_layer = f % 1 == 0 and has_layer(f)  # `% 1` first: most fractions are new, and need no call
        if self._has_layer:
            self._counted = self._statistics.expanded, self._statistics.generated

    def layers(self) -> list[int]:
        """Return the numbers of expanded and generated nodes by f, see `Watch.layers_by_f`."""
        if self._has_layer:
            self._count()
        counts = [0] * (2 * int(max(self._counts, default=-1)) + 2)
        for f, expanded_and_generated in self._counts.items():
            counts[2 * int(f) : 2 * int(f) + 2] = expanded_and_generated
        return counts

    def _count(self) -> None:
        """Add the nodes that were expanded and generated since the last call to the present layer."""
        statistics = self._statistics
        expanded, generated = self._counts.get(self.f, (0, 0))
        before, generated_before = self._counted
        self._counted = statistics.expanded, statistics.generated
        counts = expanded + statistics.expanded - before, generated + statistics.generated - generated_before
        self._counts[self.f] = counts
