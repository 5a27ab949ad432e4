"""Exact distances from the goals to all states of an abstraction: pattern databases (Culberson and Schaeffer 1998)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from searchlab.binding.domain import BoundDomain
from searchlab.binding.names import parse_name
from searchlab.errors import PluginError, UsageError, shown
from searchlab.errors.cached import cached_property
from searchlab.errors.interrupts import HandlersPass
from searchlab.model.domain import Domain
from searchlab.model.formatting import memory
from searchlab.model.limits import Limits
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import named_board
from searchlab.plugins.lookup import DEFAULT_DOMAIN
from searchlab.plugins.registry import given_or_installed
from searchlab.search.progress import shown_search
from searchlab.search.ranking import Ranking
from searchlab.search.watch import Watch, enumeration_watch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.model.instance import Instance
    from searchlab.model.limits import Progress
    from searchlab.plugins.registry import Plugins
    from searchlab.search.compiled.regions import RegionMap
    from searchlab.search.compiled.retrograde import Abstraction
    from searchlab.search.compiled.threads import Threads

BLANK = 0
UNREACHED = 255
"""The value in the table if no moves lead to a goal."""
MOST_CELLS = 64
"""The largest number of cells: the cells of a kind of tiles are stored as the bits of a word."""
MOST_BITS = 16
"""The largest number of bits of a tile: the codes of tiles index an array of 2 ** MOST_BITS items."""
MOST_SPELLED_OUT = 10**15
"""Larger numbers of states are rounded in messages."""
AT_ONCE = 1 << 20
CHECKED_BOARDS, CHECKED_EDGES = 100, 50
"""The number of boards on which a table is checked, and the largest number of moves from each."""


@dataclass(frozen=True, eq=False, repr=False)
class Distances:
    """The result of `sl.distances`: a distance for each placement of some tiles on a board.

    `table[board]` is the distance of a board. Compiled functions look up distances in plain arrays: in `dense`, indexed
    by the cells of the tiles, where a move changes the index by one addition; or in `array`, indexed by rank, without
    gaps.

    Attributes:
        array: the distances by rank, uint8, shape (states,), read-only; 255 if no moves lead to a goal.
        ranking: the ranks of boards. Compiled functions pass its `order` and `terms` to `sl.pattern_rank`.

    >>> import searchlab as sl
    >>> goal = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])
    >>> table = sl.distances("sliding-tile", board=goal, keep=(1, 2, 3, 4))
    >>> len(table), table[sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])]
    (3024, 3)
    """

    array: NDArray[np.uint8]
    ranking: Ranking

    def __len__(self) -> int:
        return len(self.array)

    def __repr__(self) -> str:
        tiles = ", ".join(map(str, self.ranking.tiles))
        return f"<Distances of {len(self):,} ways to lay out the tiles {tiles}, the largest {len(self.levels) - 1}>"

    def __getitem__(self, board: Board) -> int:
        return int(self.array[self.rank(board)])

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The number of entries at each distance."""
        counts = np.zeros(UNREACHED + 1, np.int64)
        for first in range(0, len(self), AT_ONCE):  # in pieces, because bincount copies its argument as int64
            counts += np.bincount(self.array[first : first + AT_ONCE], minlength=UNREACHED + 1)
        return tuple(np.trim_zeros(counts[:UNREACHED], "b").tolist())

    def rank(self, board: Board) -> int:
        """Return the rank of a board: the index of its distance in the array.

        Raises:
            UsageError: the board has the wrong shape or the wrong tiles.
        """
        if board.shape != self.ranking.shape:
            rows, columns = self.ranking.shape
            raise UsageError(f"the distances are for boards of {rows} × {columns}, not for {board!r:.80}")
        return int(self.ranking.ranks(board.tiles[None])[0])

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """The weight of each tile in the index of `dense`, by tile; 0 for other tiles.

        The index of a board is the sum of cell × weights[tile] over all cells. A move adds weights[tile] × (target -
        source) for each tile that it moves.
        """
        ranking = self.ranking
        weights = np.zeros(max(ranking.shape[0] * ranking.shape[1], max(ranking.tiles) + 1), np.int64)
        for place, tile in enumerate(reversed(ranking.tiles)):
            weights[tile] = ranking.cells**place
        return weights

    def dense(self) -> NDArray[np.uint8]:
        """Return the distances by the cells of the tiles, with one axis per tile; 255 if two tiles would share a cell.

        For three tiles, `table.dense()[a, b, c]` is the distance with the first tile of `ranking.tiles` on cell a, the
        second on b, and the third on c. The flattened array is indexed with `weights`.

        Raises:
            UsageError: a tile occurs more than once.
        """
        ranking = self.ranking
        if max(ranking.counts) > 1:
            raise UsageError("dense is for tiles that are there once: use `array`, which is indexed by rank")
        found = np.full((ranking.cells,) * len(ranking.tiles), UNREACHED, np.uint8)
        found.ravel()[_dense_indices(ranking)] = self.array
        return found


def distances(
    of: str | Domain | BoundDomain | Board | Instance | Path | None = None,
    /,
    *,
    board: Board | Instance | str | Path | None = None,
    keep: Collection[int] | None = None,
    charge: Collection[int] | None = None,
    limits: Limits | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    threads: int | None = None,
    domain: str | Domain | BoundDomain | None = None,
    plugins: Plugins | None = None,
) -> Distances:
    """Return the cost of reaching the goal from every placement of some tiles on the board.

    A breadth-first search runs backwards from the goals, by default on all cores. Tiles that are not kept are
    indistinguishable. During the search a blank (tile 0) is always distinguished, because moves depend on it. If the
    table does not keep the blank, it holds the smallest distance over all places of the blank.

    Args:
        of: the domain: a name or an object. It must declare backward moves (`Domain.inverse`) and a packed form that
            compiles, and its moves must only change the places of tiles. If `board` is given, it may be omitted; it may
            also be the board itself. The domain is then found as for `sl.state_space`.
        board: a board with the size and the tiles of the table's boards, or its name; by default the domain's start
            board. Distances are to the goals that the domain lists for it (`Domain.goals`); if it lists none, the board
            must be a goal.
        keep: the tiles of the table, the most significant in the rank first (a blank comes last); by default all tiles.
        charge: the tiles whose moves have a cost. Other moves are free, so that the distances of disjoint patterns may
            be added. By default all moves have the domain's costs.
        limits: the limits of time, memory and states.
        progress: whether to show the progress, as for `solve`. A function is called a few times a second: `expanded` of
            `states` have their distance.
        threads: the number of threads; by default the number of cores. The distances do not depend on it.
        domain: the domain if `of` is a board.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Raises:
        UsageError: an argument is invalid; the table does not fit into memory; a limit was reached; or costs are not
            small integers.
        PluginError: the domain failed; or its moves add or remove tiles, or depend on tiles that are not kept.
        KeyboardInterrupt: Ctrl-C.
    """
    from searchlab.compiler.functions import CannotCompile
    from searchlab.search.compiled.threads import Threads

    like, bound = _board_and_domain(of, board, domain, plugins)
    _check_inverse(bound)
    goals = _goals(like, bound)
    try:
        abstraction, kept = _abstraction(goals[0], bound, keep, charge)
        sharing = Threads(threads)
        regions = _regions(abstraction, kept, goals[0], limits, sharing)
        with shown_search(progress, limits) as report:
            watch = enumeration_watch(limits, report, (kept if regions else abstraction.ranking).states)
            if regions:
                _check_slides(goals[0], abstraction)
                array = _searched_by_regions(abstraction, kept, regions, goals, watch, sharing)
            else:
                entries = _searched_by_places(abstraction, kept, goals, watch, sharing)
                _check_on_a_walk(entries, goals[0], abstraction)
                array = _smallest(entries, len(kept))
    except CannotCompile as error:
        raise UsageError(f"distances need compiled rules: {error}") from None
    array.setflags(write=False)
    return Distances(array, kept)


def _board_and_domain(
    of: str | Domain | BoundDomain | Board | Instance | Path | None,
    board: Board | Instance | str | Path | None,
    domain: str | Domain | BoundDomain | None,
    plugins: Plugins | None,
) -> tuple[Board, BoundDomain]:
    """Return a board with the table's size and tiles, and the domain, given in either order."""
    if isinstance(of, Domain | BoundDomain) or (
        isinstance(of, str) and domain is None and (board is not None or _names_domain(of, plugins))
    ):
        if domain is not None:
            raise UsageError(f"two domains are named: {of} and {domain}")
        domain = lookup.domain(of, plugins=plugins)
    elif of is not None:
        if board is not None:
            raise UsageError(f"two boards are named: {of!r:.80} and {board!r:.80}")
        board = of
    if board is None and domain is not None:
        bound = lookup.domain(domain, plugins=plugins)
        if bound.component.start is None:
            raise UsageError(f"{bound.name} has no start board: give a board of the table's size by board=")
    return named_board(board, domain, plugins, default=DEFAULT_DOMAIN, needed_by="a table of distances")


def _names_domain(name: str, plugins: Plugins | None) -> bool:
    """Return whether a name refers to a domain instead of a board."""
    try:
        spelled = parse_name(name)
    except UsageError:
        return False
    called = (registered.is_called(spelled) for registered in given_or_installed(plugins).all("domain"))
    return bool(spelled.file) or any(called)


def _abstraction(
    goal: Board, domain: BoundDomain, keep: Collection[int] | None, charge: Collection[int] | None
) -> tuple[Abstraction, Ranking]:
    """Return the abstraction to search, and the ranking of the table, which may omit the blank."""
    from searchlab.compiler.packing import Packing
    from searchlab.search.compiled.problem import form_arguments
    from searchlab.search.compiled.retrograde import Abstraction

    form = domain.inverse_form(goal)
    if form is None:
        raise UsageError(f"distances need compiled rules, and domain {domain.name} has no packed form")
    packing = Packing.of(form, goal)
    if not packing.is_uniform:
        raise UsageError(f"distances need the same values in all cells; {domain} declares a range for each cell")
    if packing.cells > MOST_CELLS or packing.bits > MOST_BITS:
        rows, columns = goal.shape
        raise UsageError(
            f"distances need boards of up to {MOST_CELLS} cells, with tiles of up to {MOST_BITS} bits; "
            f"{domain} has boards of {rows} × {columns} cells, with {packing.bits} bits"
        )
    tiles, numbers = np.unique(goal.tiles, return_counts=True)
    count_of = dict(zip(tiles.tolist(), numbers.tolist(), strict=True))
    if len(count_of) == 1:
        raise UsageError(f"{domain.name}: all tiles are equal, so there is only one placement")
    kept = list(count_of) if keep is None else _named_tiles("keep", keep, count_of, "the goal has no such tile")
    charged = None
    if charge is not None:
        charged = frozenset(_named_tiles("charge", charge, kept, "only tiles that are kept can be charged for"))
    wanted = sorted(kept, key=lambda tile: tile == BLANK)  # stable: other tiles stay in the given order
    searched = wanted if BLANK in wanted or BLANK not in count_of else [*wanted, BLANK]
    others = [tile for tile in count_of if tile not in searched]
    if not others:  # the places of one kind of tiles follow from all others
        others = [_implied_tile(searched, wanted, count_of)]
        searched = [tile for tile in searched if tile not in others]
        wanted = [tile for tile in wanted if tile not in others]
    rankings = [Ranking(goal.shape, tuple(t), tuple(count_of[tile] for tile in t)) for t in (searched, wanted)]
    values = form_arguments(domain, form, goal)
    return Abstraction(domain, form, values, packing, rankings[0], others[0], charged), rankings[1]


def _check_inverse(domain: BoundDomain) -> None:
    if not domain.has_inverse:
        raise UsageError(
            f"distances need backward moves, which {domain.name} does not declare: "
            f'give Domain.inverse, "same" if every move can be undone'
        )


def _goals(board: Board, domain: BoundDomain) -> tuple[Board, ...]:
    """Return the goals of a table for boards like this one."""
    if domain.component.goals is not None:
        goals = domain.goals(board)
    elif domain.is_goal(board):
        goals = (board,)
    else:
        raise UsageError(
            f"{domain.name} does not list its goals (Domain.goals), and the board is not a goal: {board!r:.200}"
        )
    if not goals or any(not np.array_equal(np.sort(g.tiles, None), np.sort(board.tiles, None)) for g in goals):
        raise UsageError(f"{domain.name}: distances need goals with the same tiles as the board, but {_why(goals)}")
    return goals


def _why(goals: tuple[Board, ...]) -> str:
    return "a goal has others" if goals else "it lists no goal"


def _named_tiles(name: str, tiles: Collection[int], known: Collection[int], why: str) -> list[int]:
    """Return the tiles in an argument of this name, each once, in order."""
    is_listed = isinstance(tiles, Iterable) and not isinstance(tiles, str)
    listed = list(tiles) if is_listed else []
    if not is_listed or any(isinstance(tile, bool) or not isinstance(tile, int | np.integer) for tile in listed):
        raise UsageError(f"{name}: tiles are listed as whole numbers, like (1, 2, 3), not {shown(tiles, 40)}")
    named = list(dict.fromkeys(int(tile) for tile in listed))
    wrong = next((tile for tile in named if tile not in known), None)
    if wrong is not None:
        raise UsageError(f"{name}: {wrong} is not possible: {why}")
    if not named and name == "keep":
        raise UsageError("keep: name at least one tile")
    return named


def _implied_tile(searched: list[int], wanted: list[int], count_of: Mapping[int, int]) -> int:
    """Return the kind of tiles whose places follow from all others: one that is not kept, or the most numerous."""
    if len(searched) > len(wanted) or len(searched) == 1:
        return searched[-1]
    return max((tile for tile in reversed(searched) if tile != BLANK), key=count_of.__getitem__)


def _regions(
    abstraction: Abstraction, kept: Ranking, goal: Board, limits: Limits | None, threads: Threads
) -> RegionMap | None:
    """Return the regions for a table of a sliding-tile puzzle in which exactly the kept tiles cost, else None."""
    from searchlab.search.compiled.regions import bytes_needed, region_map

    in_place = abstraction.form.in_place
    slides = in_place is not None and in_place.slides and abstraction.charged == frozenset(kept.tiles)
    if not slides or BLANK in kept.tiles or max(kept.counts) > 1 or int((goal.tiles == BLANK).sum()) != 1:
        return None
    assert in_place is not None
    # Check first: for a table that is far too large, the map of regions alone would take gigabytes.
    least = min(bytes_needed(kept), _bytes_by_places(abstraction, kept, threads))
    _check_memory(Watch(limits or Limits()), least, kept.states)
    beside = tuple(tuple(cell for cell in cells if cell >= 0) for cells in in_place.neighbors.tolist())
    return region_map(len(kept.tiles), beside) if len(beside) == kept.cells else None


def _searched_by_regions(
    abstraction: Abstraction,
    kept: Ranking,
    regions: RegionMap,
    goals: tuple[Board, ...],
    watch: Watch,
    threads: Threads,
) -> NDArray[np.uint8]:
    """Return the distances of all placements of the kept tiles, found by a search over the regions of the blank."""
    from searchlab.search.compiled.regions import RegionSearch, bytes_needed

    in_place = abstraction.form.in_place
    assert in_place is not None
    _check_memory(watch, bytes_needed(kept), kept.states)
    ranks = kept.ranks(np.array([goal.tiles for goal in goals]))
    blanks = [int(np.flatnonzero(goal.tiles == BLANK)[0]) for goal in goals]
    with HandlersPass(), watch:
        search = RegionSearch(kept, in_place.neighbors, regions, watch, threads)
        stopped = search.run(zip(ranks.tolist(), blanks, strict=True))
    _check_ended(stopped)
    return search.distances()


def _check_slides(goal: Board, abstraction: Abstraction) -> None:
    """Check with the functions of the domain that moves slide tiles into the blank, as the packed form declares.

    Raises:
        PluginError: another move is possible, a move does not cost 1, or a declared move is impossible.
    """
    domain, in_place = abstraction.domain, abstraction.form.in_place
    assert in_place is not None
    random, board = Random(0), goal
    for _ in range(CHECKED_BOARDS):
        tiles = board.tiles.ravel()
        blank = int(np.flatnonzero(tiles == BLANK)[0])
        expected = set()
        for cell in in_place.neighbors[blank].tolist():
            if cell >= 0:
                slid = tiles.copy()
                slid[[blank, cell]] = slid[[cell, blank]]
                expected.add((slid.tobytes(), 1))
        edges = list(islice(domain.edges(board), CHECKED_EDGES))
        if {(edge.board.tiles.tobytes(), edge.cost) for edge in edges} != expected:
            raise PluginError(
                f"domain {domain.name}: its packed form declares that tiles slide into the blank (InPlace.slides), "
                f"and the moves of {board!r:.200} are others"
            )
        board = random.choice(edges).board


def _check_memory(watch: Watch, needed: int, states: int) -> None:
    """Raise a UsageError if a table does not fit into memory; record the memory it takes."""
    if needed > watch.memory:
        size = f"{states:,} states takes {memory(needed)}"
        if states > MOST_SPELLED_OUT:
            size = f"{states:.1e} states fits no memory"
        raise UsageError(
            f"the table of {size}, and it may take {memory(watch.memory)}: "
            f"keep fewer tiles, or raise the limit of memory"
        )
    watch.statistics.peak_bytes = needed


def _check_ended(stopped: str) -> None:
    if stopped == "interrupted":
        raise KeyboardInterrupt
    if stopped:
        raise UsageError(f"the distances are not known yet: {stopped}")


def _bytes_by_places(abstraction: Abstraction, kept: Ranking, threads: Threads) -> int:
    """Return the bytes of a search that distinguishes all places of the blank, including the table."""
    from searchlab.search.compiled.retrograde import bytes_needed

    ranking = abstraction.ranking
    return bytes_needed(ranking, threads.count) + (kept.states if kept.states < ranking.states else 0)


def _searched_by_places(
    abstraction: Abstraction, kept: Ranking, goals: tuple[Board, ...], watch: Watch, threads: Threads
) -> NDArray[np.uint8]:
    """Return the distances of all states, found by a search."""
    from searchlab.search.compiled.retrograde import RetrogradeSearch

    ranking = abstraction.ranking
    _check_memory(watch, _bytes_by_places(abstraction, kept, threads), ranking.states)
    with HandlersPass(), watch:
        search = RetrogradeSearch(abstraction, watch, threads)
        stopped = search.run(ranking.ranks(np.array([goal.tiles for goal in goals])))
    _check_ended(stopped)
    entries: NDArray[np.uint8] = search.entries
    return entries


def _smallest(entries: NDArray[np.uint8], count: int) -> NDArray[np.uint8]:
    """Divide entries into `count` equal groups that differ only in the place of the last value; return the minima."""
    if count == len(entries):
        return entries
    places = entries.reshape(count, -1)
    smallest: NDArray[np.uint8] = places[:, 0].copy()
    for place in range(1, places.shape[1]):
        np.minimum(smallest, places[:, place], out=smallest)
    return smallest


def _check_on_a_walk(entries: NDArray[np.uint8], goal: Board, abstraction: Abstraction) -> None:
    """Check with the functions of the domain, on some boards, that no move lowers the distance by more than its cost.

    Raises:
        PluginError: a move does, because moves depend on the places of tiles that are not kept.
    """
    domain, charged = abstraction.domain, abstraction.charged
    random, board = Random(0), goal
    moves: list[tuple[Board, Board, float]] = []
    for _ in range(CHECKED_BOARDS):
        edges = [edge for edge in islice(domain.edges(board), CHECKED_EDGES) if not edge.terminal]
        for edge in edges:
            moved = set(board.tiles[board.tiles != edge.board.tiles].tolist())
            moves.append((board, edge.board, edge.cost if charged is None or charged & moved else 0))
        if not edges:
            break
        board = random.choice(edges).board
    if not moves:
        return
    starts, ends, costs = zip(*moves, strict=True)
    ranks = (abstraction.ranking.ranks(np.array([board.tiles for board in boards])) for boards in (starts, ends))
    before, after = (entries[rank].astype(float) for rank in ranks)
    wrong = np.flatnonzero(before > after + np.array(costs))
    if len(wrong):
        start, end = starts[wrong[0]], ends[wrong[0]]
        raise PluginError(
            f"domain {domain.name}: the table is not a lower bound, because moves depend on tiles that are not kept, "
            f"such as the move from {start!r:.200} to {end!r:.200}; keep these tiles"
        )


def _dense_indices(ranking: Ranking) -> NDArray[np.int64]:
    """Return the flat index in `Distances.dense` of each rank, for tiles that each occur once."""
    indices = np.zeros(1, np.int64)
    taken = np.zeros((1, ranking.cells), bool)
    for place in range(len(ranking.tiles)):
        before, cell = np.nonzero(~taken)
        indices = indices[before] * ranking.cells + cell
        if place + 1 < len(ranking.tiles):
            taken = taken[before]
            taken[np.arange(len(cell)), cell] = True
    return indices
