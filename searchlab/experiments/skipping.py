"""Combinations that make no sense or are not wanted: grouped by reason, none silently left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Refusal(NamedTuple):
    """Why a combination is no run.

    Attributes:
        reason: one line.
        what: the part of the combination that the reason is about.
    """

    reason: str
    what: str


@dataclass(frozen=True)
class Skipped:
    """Combinations that are no runs, all for one reason.

    Attributes:
        what: what the reason is about, in the order met: boards, or heuristics with frontiers, for example.
        reason: one line.
        count: how many combinations.
    """

    what: tuple[str, ...]
    reason: str
    count: int


class Skips:
    """What has been skipped so far."""

    def __init__(self) -> None:
        self._counts: dict[Refusal, int] = {}

    def add(self, refusal: Refusal, count: int) -> None:
        """Note so many combinations that are refused."""
        if count:
            self._counts[refusal] = self._counts.get(refusal, 0) + count

    def grouped(self) -> list[Skipped]:
        """Return them by reason, in the order met."""
        groups: dict[str, list[Refusal]] = {}
        for refusal in self._counts:
            groups.setdefault(refusal.reason, []).append(refusal)
        return [
            Skipped(tuple(refusal.what for refusal in group), reason, sum(self._counts[refusal] for refusal in group))
            for reason, group in groups.items()
        ]
