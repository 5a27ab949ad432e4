"""Tables of exact distances from the goal: those of searches by other means, and published numbers."""

import signal
from collections import deque
from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest

import searchlab as sl
from searchlab.search import watch
from searchlab.search.compiled import regions, retrograde
from searchlab.search.state_space import CompiledEstimate, wide_packing
from tests.search.test_enumeration import EIGHT_PUZZLE, SOLVED_8
from tests.search.test_ranged_cells import DIVER

SOLVED_15 = sl.Board(np.roll(np.arange(16), -1).reshape(4, 4))
FIRST_4 = (1, 2, 3, 4)


def searched(board, keep, charge):
    """The cheapest ways to the goal by 0-1 breadth-first search in a dictionary, by where the tiles kept lie."""
    domain = sl.domain("sliding-tile")
    kept = {*keep, 0}
    start = tuple(tile if tile in kept else -1 for tile in board.tiles.ravel().tolist())
    costs, wave = {start: 0}, deque([start])
    while wave:
        state = wave.popleft()
        blank = state.index(0)
        for other in (blank - 3, blank - 1, blank + 1, blank + 3):
            if not 0 <= other < 9 or (abs(other - blank) == 1 and other // 3 != blank // 3):
                continue
            after = list(state)
            after[blank], after[other] = after[other], 0
            cost = int(state[other] in charge)
            if costs[state] + cost < costs.get(tuple(after), 99):
                costs[tuple(after)] = costs[state] + cost
                (wave.append if cost else wave.appendleft)(tuple(after))
    assert domain.is_goal(board)
    found = {}
    for state, cost in costs.items():
        where = tuple(state.index(tile) for tile in keep)
        found[where] = min(cost, found.get(where, 99))
    return found


def walk(board, moves):
    """Boards one move apart each, here and there."""
    domain, boards = sl.domain("sliding-tile"), [board]
    for step in range(moves):
        following = domain.neighbors(boards[-1])
        boards.append(following[step * step % 7 % len(following)])
    return boards


def test_the_whole_8_puzzle_has_its_profile():
    """Half of all boards are solved, in as many moves as is known (Schofield 1967, Reinefeld 1993)."""
    table = sl.distances(SOLVED_8, domain="sliding-tile")
    assert list(table.levels) == EIGHT_PUZZLE
    assert (len(table), int((table.array == 255).sum())) == (362_880, 181_440)


@pytest.mark.parametrize(
    ("keep", "charge"), [(FIRST_4, FIRST_4), (FIRST_4, None), ((8, 0, 5), (8,)), ((3, 6, 7), (6, 7))]
)
def test_distances_equal_those_of_a_naive_search(keep, charge):
    """With all moves charged for or only some, with the blank in the table or its best place."""
    table = sl.distances(SOLVED_8, domain="sliding-tile", keep=keep, charge=charge)
    tiles = table.ranking.tiles
    expected = searched(SOLVED_8, tiles, {-1, *range(9)} if charge is None else set(charge))
    dense = table.dense()
    assert {tuple(map(int, where)): int(dense[tuple(where)]) for where in np.argwhere(dense != 255)} == expected
    assert len(table) == len(expected)


def test_a_tile_whose_place_follows_from_the_others_is_charged_for():
    solved = sl.Board([[1, 2], [3, 0]])
    tables = [sl.distances(solved, domain="sliding-tile", keep=keep, charge=(3,)) for keep in (None, (3, 1, 2))]
    assert [table.ranking.tiles for table in tables] == [(1, 2, 0), (3, 1, 2)]
    boards = walk(solved, 30)
    found = [[table[board] for board in boards] for table in tables]
    assert found[0] == found[1]
    assert max(found[0]) > 0


def test_four_tiles_of_the_15_puzzle_have_43680_entries():
    """Without the blank, as in additive pattern databases (Korf and Felner 2002); the goal is at distance 0."""
    tiles = (1, 2, 5, 6)
    table = sl.distances("sliding-tile", board=SOLVED_15, keep=tiles, charge=tiles)
    assert len(table) == sum(table.levels) == 16 * 15 * 14 * 13
    assert table[SOLVED_15] == 0


def test_patterns_charged_for_separately_may_be_added():
    """Their sum is a lower bound on every board of the 8-puzzle, and changes by at most 1 in a move."""
    whole = sl.distances(SOLVED_8, domain="sliding-tile")
    groups = [
        sl.distances(SOLVED_8, domain="sliding-tile", keep=tiles, charge=tiles) for tiles in (FIRST_4, (5, 6, 7, 8))
    ]
    boards = walk(SOLVED_8, 200)
    bounds = [sum(group[board] for group in groups) for board in boards]
    assert all(bound <= whole[board] for bound, board in zip(bounds, boards, strict=True))
    assert all(abs(one - other) <= 1 for one, other in pairwise(bounds))
    assert bounds[0] == 0 < max(bounds)


def test_a_heuristic_looks_distances_up_by_weights_or_by_rank():
    """Both ways return the distances of the table, in machine code."""
    table = sl.distances(SOLVED_8, domain="sliding-tile", keep=FIRST_4, charge=FIRST_4)
    flat, weights = table.dense().ravel(), table.weights
    array, order, terms = table.array, table.ranking.order, table.ranking.terms

    def by_weights(tiles):
        index = 0
        for cell in range(9):
            index += cell * weights[tiles[cell // 3, cell % 3]]
        return flat[index]

    def by_rank(tiles):
        return array[sl.pattern_rank(tiles, order, terms)]

    boards = walk(SOLVED_8, 100)
    packing = wide_packing(SOLVED_8)
    for function in (by_weights, by_rank):
        values = CompiledEstimate(function, {}, packing).values(packing.pack_all(boards))
        assert values.tolist() == [table[board] for board in boards]


def test_free_moves_are_found_if_their_queue_is_full(monkeypatch):
    """The table is gone through again."""
    expected = sl.distances(SOLVED_8, domain="sliding-tile", keep=FIRST_4, charge=(1, 2)).array
    monkeypatch.setattr(retrograde, "STACK", 1)
    again = sl.distances(SOLVED_8, domain="sliding-tile", keep=FIRST_4, charge=(1, 2)).array
    assert np.array_equal(again, expected)


def sliding_tile(**in_place):
    """The domain with something else in its moves in place."""
    component = sl.domain("sliding-tile").component

    def packed(board, goal, cost):
        form = component.packed(board, goal, cost)
        return replace(form, in_place=replace(form.in_place, **in_place))

    return replace(component, packed=packed)


@pytest.mark.parametrize(
    ("board", "keep"),
    [*((SOLVED_8, keep) for keep in (FIRST_4, (2, 4, 6), (8,), tuple(range(1, 9)))), (SOLVED_15, (1, 12, 15))],
)
def test_regions_of_the_blank_give_the_same_distances_as_places(board, keep):
    """Where the domain declares that its tiles slide, and with any number of threads."""
    by_places = sl.distances(sliding_tile(slides=False), board=board, keep=keep, charge=keep).array
    for threads in (1, 2):
        by_regions = sl.distances("sliding-tile", board=board, keep=keep, charge=keep, threads=threads).array
        assert np.array_equal(by_regions, by_places)


def test_distances_by_regions_that_exceed_a_byte_are_an_error(monkeypatch):
    """With room for fewer distances, as the largest one is 18."""
    found = {"domain": "sliding-tile", "keep": range(1, 6), "charge": range(1, 6)}
    expected = sl.distances(SOLVED_8, **found)
    assert len(expected.levels) == 19
    monkeypatch.setattr(regions, "UNREACHED", 19)
    assert np.array_equal(sl.distances(SOLVED_8, **found).array, expected.array)
    monkeypatch.setattr(regions, "UNREACHED", 18)
    with pytest.raises(sl.UsageError, match="there are distances above 17, which a byte has no room for"):
        sl.distances(SOLVED_8, **found)


def test_a_false_declaration_of_sliding_tiles_is_an_error():
    neighbors = sl.domain("sliding-tile").packed(SOLVED_8).in_place.neighbors.copy()
    neighbors[4, 0] = -1
    with pytest.raises(sl.PluginError, match=r"declares that tiles slide into the blank .*, and the moves of"):
        sl.distances(sliding_tile(neighbors=neighbors), board=SOLVED_8, keep=FIRST_4, charge=FIRST_4)


def test_a_table_beyond_the_memory_limit_is_refused():
    """The error states its size."""
    with pytest.raises(sl.UsageError, match=r"the table of 57,657,600 states takes .* MiB, and it may take 10 MiB"):
        sl.distances(SOLVED_15, domain="sliding-tile", keep=range(1, 7), limits=sl.Limits(memory=10 * 2**20))


def test_a_table_beyond_the_memory_limit_is_refused_before_regions(monkeypatch):
    """Computing the regions of the blank would take longer and more memory."""
    monkeypatch.setattr(regions, "region_map", None)
    goal = sl.Board(np.roll(np.arange(25), -1).reshape(5, 5))
    keep = range(1, 8)
    with pytest.raises(
        sl.UsageError, match=r"the table of 2,422,728,000 states takes 11\.3 GiB, and it may take 64 MiB"
    ):
        sl.distances("sliding-tile", board=goal, keep=keep, charge=keep, limits=sl.Limits(memory=2**26))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keep": (1, 16)}, "keep: 16 is not possible: the goal has no such tile"),
        ({"keep": ()}, "keep: name at least one tile"),
        ({"keep": 3}, r"keep: tiles are listed as whole numbers, like \(1, 2, 3\), not 3"),
        ({"keep": "12"}, "keep: tiles are listed as whole numbers, .* not '12'"),
        ({"keep": (1, 2.5)}, r"keep: tiles are listed as whole numbers, .* not \(1, 2\.5\)"),
        ({"keep": (1, 2), "charge": (3,)}, "charge: 3 is not possible: only tiles that are kept can be charged for"),
    ],
)
def test_invalid_tiles_are_refused(arguments, message):
    with pytest.raises(sl.UsageError, match=message):
        sl.distances(SOLVED_8, domain="sliding-tile", **arguments)


def test_a_limit_ends_the_computation_without_a_table():
    with pytest.raises(sl.UsageError, match="time-limit"):
        sl.distances(SOLVED_8, domain="sliding-tile", limits=sl.Limits(seconds=0))


def test_the_board_may_be_any_of_the_same_size():
    """The distances are those to the goals that the domain lists for it."""
    tables = [
        sl.distances(board, domain="sliding-tile", keep=(1, 2)) for board in (SOLVED_8, "sliding-tile/puzzle8-31")
    ]
    assert np.array_equal(tables[0].array, tables[1].array)
    other = sl.distances(SOLVED_8, domain="sliding-tile:goal=blank-first", keep=(1, 2))
    assert [other[sl.Board([[0, 1, 2], [3, 4, 5], [6, 7, 8]])], other[SOLVED_8] > 0] == [0, True]


def test_the_first_argument_may_be_a_domain_or_a_board():
    """By name, bound, or as it was declared; a board of its own is not needed where it has a start."""
    first = sl.distances(SOLVED_8, domain="sliding-tile", keep=(1, 2)).array
    for domain in ("sliding-tile", "searchlab/sliding-tile:goal=blank-last", sl.domain("sliding-tile")):
        assert np.array_equal(sl.distances(domain, board=SOLVED_8, keep=(1, 2)).array, first)
    assert np.array_equal(sl.distances("sliding-tile/puzzle8-31", keep=(1, 2)).array, first)
    ring = bead_domain(start=lambda: sl.Board([[3, 1, 1, 0, 0, 1]]))
    assert np.array_equal(sl.distances(ring).array, sl.distances(ring.start(), domain=ring).array)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (lambda: sl.distances("sliding-tile"), "sliding-tile has no start board: give a board"),
        (lambda: sl.distances("slidng-tile", board=SOLVED_8), "did you mean 'sliding-tile'"),
        (lambda: sl.distances(SOLVED_8, board=SOLVED_8), "two boards are named"),
        (
            lambda: sl.distances(sl.domain("2048"), domain="sliding-tile"),
            "two domains are named: 2048 and sliding-tile",
        ),
        (lambda: sl.distances("sliding-tile/puzzle8-32"), "no board of that name ships"),
    ],
)
def test_wrong_or_repeated_arguments_are_refused(named, message):
    with pytest.raises((sl.UsageError, sl.BoardError), match=message) as raised:
        named()
    assert "\n" not in str(raised.value)


def test_a_domain_without_inverse_is_refused():
    with pytest.raises(sl.UsageError, match=r"backward moves, which 2048 does not declare: give Domain\.inverse"):
        sl.distances(sl.Board([[2, 0], [0, 2]]), domain="2048:goal=4")


# A ring of six beads of which the first three turn to the left: there is no move to the right, and beads are alike.


def beads(tiles, out, costs):
    """Turn the whole ring to the left for 3, or its first three beads for 2."""
    for cell in range(6):
        out[0, 0, cell] = tiles[0, (cell + 1) % 6]
        out[1, 0, cell] = tiles[0, (cell + 1) % 3] if cell < 3 else tiles[0, cell]
    costs[0], costs[1] = 3, 2
    return 2


def beads_back(tiles, out, costs):
    """Turn them to the right."""
    for cell in range(6):
        out[0, 0, (cell + 1) % 6] = tiles[0, cell]
        out[1, 0, (cell + 1) % 3 if cell < 3 else cell] = tiles[0, cell]
    costs[0], costs[1] = 3, 2
    return 2


def beads_done(tiles):
    return tiles[0, 0] == 3 and tiles[0, 5] == 1


def bead_goals(board):
    """The 3 first and a 1 last: the others lie in any of six ways."""
    for inner in ((1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)):
        yield sl.Board([[3, *inner, 1]])


def bead_domain(**declared):
    def packed(board):
        return sl.PackedForm(values=4, max_successors=2, successors=beads, is_goal=beads_done)

    return sl.Domain("beads", packed=packed, unit_cost=False, inverse=beads_back, goals=bead_goals, **declared)


def bead_costs():
    """The cheapest way from each board to a goal, by value iteration along the moves."""
    boards = set(permutations((3, 1, 1, 1, 0, 0)))
    costs = {board: 0 if board[0] == 3 and board[5] == 1 else 999 for board in boards}
    for _ in range(40):
        for board in boards:
            turned = board[1:] + board[:1], board[1:3] + board[:1] + board[3:]
            costs[board] = min(costs[board], costs[turned[0]] + 3, costs[turned[1]] + 2)
    return costs


@pytest.mark.parametrize("keep", [None, (3, 1), (1, 0, 3), (3,)])
def test_irreversible_moves_costs_and_equal_tiles_are_supported(keep):
    """Several goals, whole-number costs, an inverse that is a function, tiles that are there several times."""
    table = sl.distances(sl.Board([[3, 1, 1, 0, 0, 1]]), domain=bead_domain(), keep=keep)
    expected = {}
    for board, cost in bead_costs().items():
        rank = table.rank(sl.Board([board]))
        expected[rank] = min(cost, expected.get(rank, 999))
    assert table.array.tolist() == [expected[rank] for rank in range(len(table))]


def toll_road(tiles, out, costs, price):
    """Step to the left or to the right."""
    count, cells = 0, tiles.shape[1]
    for cell in range(cells - 1):
        if tiles[0, cell] != tiles[0, cell + 1]:
            for other in range(cells):
                out[count, 0, other] = tiles[0, other]
            out[count, 0, cell], out[count, 0, cell + 1] = tiles[0, cell + 1], tiles[0, cell]
            costs[count] = price
            count += 1
    return count


@pytest.mark.slow
@pytest.mark.parametrize(("price", "cells"), [(100, 2), (100, 3), (30, 9), (50, 5), (30, 10), (84, 4)])
def test_distances_of_expensive_moves_that_exceed_a_byte_are_an_error(price, cells):
    """It also says how far states are open, so that a distance has less room the more a move costs."""
    start, farthest = sl.Board([[1] + [0] * (cells - 1)]), price * (cells - 1)

    def packed(board):
        return sl.PackedForm(values=2, max_successors=2, successors=toll_road, tables={"price": price})

    domain = sl.Domain("road", packed=packed, unit_cost=False, inverse="same", goals=lambda board: [start])
    room = 254 - price
    if farthest < room:
        table = sl.distances(start, domain=domain)
        assert [d for d, states in enumerate(table.levels) if states] == [*range(0, farthest + 1, price)]
    else:
        with pytest.raises(sl.UsageError, match=f"there are distances above {room - 1}, which a byte has no room for"):
            sl.distances(start, domain=domain)


def even_swaps(tiles, out):
    """Neighbours change places if their sum is even."""
    count = 0
    for cell in range(3):
        if (tiles[0, cell] + tiles[0, cell + 1]) % 2 == 0:
            for other in range(4):
                out[count, 0, other] = tiles[0, other]
            out[count, 0, cell], out[count, 0, cell + 1] = tiles[0, cell + 1], tiles[0, cell]
            count += 1
    return count


def test_tiles_that_cannot_be_ignored_are_an_error():
    """The moves of this domain depend on the neighbouring tiles."""

    def packed(board):
        return sl.PackedForm(values=7, max_successors=3, successors=even_swaps, is_goal=lambda tiles: tiles[0, 0] == 2)

    start = sl.Board([[2, 4, 6, 1]])
    domain = sl.Domain("swaps", packed=packed, inverse="same", goals=lambda board: [start])
    with pytest.raises(sl.PluginError, match="depend on tiles that are not kept, such as the move"):
        sl.distances(start, domain=domain, keep=(2,))
    assert sl.distances(start, domain=domain, keep=(2, 4, 6)).levels == (1, 2, 2, 1)


def test_progress_has_the_number_of_states(monkeypatch):
    """A few times a second, with those whose distance is known."""
    monkeypatch.setattr(watch, "REPORT_EVERY", 0)
    seen = []
    sl.distances(SOLVED_8, domain="sliding-tile", keep=FIRST_4, progress=seen.append)
    assert {progress.states for progress in seen} == {15_120}
    assert 0 < seen[-1].expanded <= 15_120


def test_ctrl_c_ends_the_computation(monkeypatch):
    monkeypatch.setattr(watch, "REPORT_EVERY", 0)

    def press(_):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sl.distances(SOLVED_15, domain="sliding-tile", keep=range(1, 6), progress=press)


def test_too_many_states_are_refused():
    """Their number is rounded."""
    solved = sl.Board(np.roll(np.arange(64), -1).reshape(8, 8))
    with pytest.raises(
        sl.UsageError, match=r"^the table of 1\.3e\+89 states fits no memory, .*: keep fewer tiles"
    ) as told:
        sl.distances("sliding-tile", board=solved)
    assert len(str(told.value)) < 130


def test_cells_with_ranges_are_refused():
    diver = replace(DIVER, inverse="same", goals=lambda board: [board])
    with pytest.raises(sl.UsageError, match="the same values in all cells; diver declares a range for each cell"):
        sl.distances(diver)


def test_boards_with_more_cells_than_a_word_has_bits_are_refused():
    """One line says how many there may be."""
    solved = sl.Board(np.roll(np.arange(81), -1).reshape(9, 9))
    with pytest.raises(sl.UsageError, match=r"up to 64 cells, .* sliding-tile has boards of 9 × 9 cells, with 7 bits"):
        sl.distances(solved, domain="sliding-tile", keep=(1, 2))
