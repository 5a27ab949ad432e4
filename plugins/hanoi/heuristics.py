"""Heuristics for the Towers of Hanoi; all admissible and consistent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Heuristic, Parameter, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

DOMAINS = frozenset({"hanoi"})
LARGEST_GROUP = 10
"""The largest default group of discs: there are a million ways to place 10 discs on 4 pegs."""
MOST_ENTRIES = 2**28
MOST_GROUPS = 4


def misplaced_discs(tiles: Any, pegs: int) -> int:
    """Count one move for each disc on a wrong peg, and two moves for each disc that must leave the last peg.

    A disc on the last peg must leave it and come back if a larger disc still has to go there.
    """
    moves, must_leave = 0, False
    for disc in range(tiles.shape[1] - 1, -1, -1):
        if tiles[0, disc] != pegs:
            moves += 1
            must_leave = True
        elif must_leave:
            moves += 2
    return moves


def misplaced_between(tiles: Any, other: Any) -> int:
    """Count one move for each disc on a different peg, and two moves for each disc that must leave its peg.

    A disc that is on its peg must leave it and come back if a larger disc still leaves this peg or goes there.
    """
    moves, used = 0, 0  # a bit for each peg that a larger disc leaves or enters
    for disc in range(tiles.shape[1] - 1, -1, -1):
        here, there = tiles[0, disc], other[0, disc]
        if here != there:
            moves += 1
            used |= 1 << here | 1 << there
        elif used >> here & 1:
            moves += 2
    return moves


def disc_database(tiles: Any, pegs: int, moves_of_group: Any, weights: Any) -> int:
    """Sum of the fewest moves of groups of discs, each group as if there were no other discs."""
    distance = 0
    indices = start(tiles, pegs, weights)
    for index in indices:
        distance += moves_of_group[index]
    return distance


def start(tiles: Any, pegs: int, weights: Any) -> tuple[int, int, int, int]:
    """Return the index of each group in the table; there are up to four groups."""
    first, second, third, fourth = 0, 0, 0, 0
    for disc in range(tiles.shape[1]):
        away = pegs - tiles[0, disc]
        first += away * weights[0, disc]
        second += away * weights[1, disc]
        third += away * weights[2, disc]
        fourth += away * weights[3, disc]
    return first, second, third, fourth


def disc_database_between(tiles: Any, other: Any, pegs: int, moves_of_group: Any, weights: Any) -> int:
    """Sum of lower bounds on the moves of groups of discs.

    For each peg, the table gives the fewest moves that bring all discs of a group to this peg, from either board. The
    moves between the boards are at least the difference of these two numbers. If all discs of the group are on one peg
    of the other board, the bound is exact.
    """
    distance = 0
    for group in range(len(weights)):
        most = 0
        for peg in range(1, pegs + 1):
            here = moves_of_group[place_in_table(tiles, peg, pegs, weights[group])]
            there = moves_of_group[place_in_table(other, peg, pegs, weights[group])]
            most = max(most, abs(here - there))
        distance += most
    return distance


def place_in_table(tiles: Any, peg: int, pegs: int, weights: Any) -> int:
    """Return the index of a group in the table after a peg has changed places with the last peg."""
    place = 0
    for disc in range(tiles.shape[1]):
        at = tiles[0, disc]
        away = 0 if at == peg else pegs - peg if at == pegs else pegs - at
        place += away * weights[disc]
    return place


def moved(
    h: int, carried: Any, disc: int, source: int, target: int, moves_of_group: Any, weights: Any
) -> tuple[int, tuple[int, int, int, int]]:
    """Return the value after a move, and the index of each group in the table; one of these has changed."""
    first, second, third, fourth = carried
    change = source - target
    before = moves_of_group[first] + moves_of_group[second] + moves_of_group[third] + moves_of_group[fourth]
    first += change * weights[0, disc]
    second += change * weights[1, disc]
    third += change * weights[2, disc]
    fourth += change * weights[3, disc]
    after = moves_of_group[first] + moves_of_group[second] + moves_of_group[third] + moves_of_group[fourth]
    return h + after - before, (first, second, third, fourth)


def parse_groups(text: str, discs: int) -> tuple[int, ...]:
    """Return the sizes of the groups, the group of the largest discs first.

    >>> parse_groups("10/6", 16)
    (10, 6)
    >>> parse_groups("", 23)
    (10, 10, 3)

    Raises:
        UsageError: the sizes do not add up to the number of discs.
    """
    if not text:
        full, rest = divmod(discs, LARGEST_GROUP)
        sizes = (LARGEST_GROUP,) * full + (rest,) * (rest > 0)
        if len(sizes) > MOST_GROUPS:
            raise UsageError(f"disc-database is for up to {MOST_GROUPS * LARGEST_GROUP} discs, not {discs}")
        return sizes
    sizes = tuple(map(int, text.split("/")))
    if sum(sizes) != discs:
        raise UsageError(f"groups={text}: these are {sum(sizes)} discs, and the board has {discs}")
    return sizes


def check_groups(text: str) -> str:
    """Return an error message for sizes of groups that are invalid for any board, or `""`."""
    sizes = text.split("/")
    if text and not all(size.isdecimal() and int(size) for size in sizes):
        return "the sizes of groups are written 10/6, that of the largest discs first"
    return "" if len(sizes) <= MOST_GROUPS else f"there are up to {MOST_GROUPS} groups"


def weights(progress: object, columns: int, pegs: int, groups: str) -> NDArray[np.int64]:
    """Return the change of each group's index in the table if a disc moves by one peg, shape (4, discs)."""
    table = np.zeros((MOST_GROUPS, columns), np.int64)
    largest = columns
    for group, size in enumerate(parse_groups(groups, columns)):
        table[group, largest - size : largest] = pegs ** np.arange(size)
        largest -= size
    return table


def moves_of_group(progress: Callable[[float, float], None], columns: int, pegs: int, groups: str) -> NDArray[np.int16]:
    """Return the fewest moves that a group of the largest size needs from every placement, by breadth-first search.

    The digits of an index to base `pegs` are the distances of the discs from the last peg, in pegs, the smallest disc
    first. A smaller group is looked up like a group whose largest discs are on the last peg, and never need to move.
    """
    size = max(parse_groups(groups, columns))
    count = pegs**size
    if count > MOST_ENTRIES:
        raise UsageError(f"groups={groups}: a group of {size} discs has {count:,} entries, more than {MOST_ENTRIES:,}")
    moves = np.full(count, -1, np.int16)
    wave = np.zeros(1, np.int64)
    moves[wave] = depth = done = 0
    while len(wave):
        done += len(wave)
        progress(done, count)
        depth += 1
        reached = []
        for after in after_moves(wave, size, pegs):
            new = np.unique(after[moves[after] < 0])
            moves[new] = depth
            reached.append(new)
        wave = np.concatenate(reached)
    return moves


def after_moves(wave: NDArray[np.int64], discs: int, pegs: int) -> list[NDArray[np.int64]]:
    """Return the indices after all moves from the indices of a wave, an array for each disc and each target peg."""
    found = []
    blocked = np.zeros(len(wave), np.int64)  # a bit for each peg on which a smaller disc lies
    for disc in range(discs):
        place = wave // pegs**disc % pegs
        free = blocked >> place & 1 == 0
        for target in range(pegs):
            can_go = np.flatnonzero(free & (place != target) & (blocked >> target & 1 == 0))
            found.append(wave[can_go] + (target - place[can_go]) * pegs**disc)
        blocked |= 1 << place
    return found


HEURISTICS = (
    Heuristic(
        "misplaced-discs",
        misplaced_discs,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        between=misplaced_between,
        summary="one move per disc on a wrong peg, two per disc that must leave the last",
    ),
    Heuristic(
        "disc-database",
        disc_database,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        carry=start,
        incremental=moved,
        between=disc_database_between,
        tables={"moves_of_group": moves_of_group, "weights": weights},
        parameters=(Parameter("groups", "", "sizes of groups like 10/6, the largest discs first", check=check_groups),),
        summary="the sum of the exact moves of groups of discs, from tables",
    ),
)
