"""Pancakes with rules that are written once, and the gap heuristic (Helmert 2010), both on tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab import Board, Domain, Heuristic, PackedForm, Parameter, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterator


def flips(tiles: Any, out: Any) -> int:
    """Write the stack after each flip of the uppermost 2, 3, … pancakes."""
    n = tiles.shape[1]
    for k in range(2, n + 1):
        for i in range(n):
            out[k - 2, 0, i] = tiles[0, k - 1 - i] if i < k else tiles[0, i]
    return int(n - 1)


def in_order(tiles: Any) -> bool:
    """Return whether the pancakes lie in order."""
    misplaced = 0
    for i in range(tiles.shape[1]):
        misplaced += tiles[0, i] != i + 1
    return misplaced == 0


def gap(tiles: Any) -> int:
    """Count the places where pancakes lie together that do not belong together."""
    n = tiles.shape[1]
    gaps = int(tiles[0, n - 1] != n)
    for i in range(n - 1):
        gaps += abs(tiles[0, i] - tiles[0, i + 1]) > 1
    return gaps


def packed(board: Board) -> PackedForm:
    """Return the rules for stacks of this height."""
    n = board.shape[1]
    return PackedForm(values=n + 1, max_successors=n - 1, successors=flips, is_goal=in_order)


def swapped(n: int) -> Board:
    """Return the stack 2 1 4 3 …, which is hard for the heuristic: half of the neighbours belong together."""
    return Board([[i + 2 if i % 2 == 0 else i for i in range(n)]])


@hookimpl
def searchlab_domains() -> Iterator[Domain]:
    """Yield the domain."""
    yield Domain("pancake", packed=packed, start=swapped, parameters=(Parameter("n", 16),), heuristic="gap")


@hookimpl
def searchlab_heuristics() -> Iterator[Heuristic]:
    """Yield the heuristic."""
    yield Heuristic("gap", gap, domains=frozenset({"pancake"}), admissible=True, consistent=True)
