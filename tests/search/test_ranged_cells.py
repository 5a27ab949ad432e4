"""Cells with a range each, some below 0: states of several widths are searched alike in both engines."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.packing import Packing
from searchlab.search.enumeration import enumerate_states
from searchlab.search.watch import Watch

LIGHTS = 110
FARTHEST = 2**20 - 1
SURFACE = ((0, FARTHEST), (-9, 2), *[(0, 1)] * LIGHTS)
"""A diver is somewhere, at some height, below 0 under water; the lights are switched on at three of four places."""
FIGURES = ("status", "cost", "optimal", "actions", "expanded", "generated", "evaluated", "reopened", "stored")
FRONTIERS = (*("greedy", "astar:duplicates=early", "astar:duplicates=late", "beam:width=7", "ida-star"),)


def successors(board, share, low):
    place, height, *lights = board.tiles[0].tolist()
    moves = [("left", place - 1, height, 1), ("right", place + 1, height, 1)]
    moves += [("down", place, height - 1, 1 + share), ("up", place, height + 1, 2)]
    for action, to, at, cost in moves:
        if 0 <= to <= FARTHEST and low <= at <= 2:
            yield action, sl.Board([[to, at, *lights]], signed=True), cost
    if height < 0:
        number = (place - height) % LIGHTS
        lights[number] = 1 - lights[number]
        yield "switch", sl.Board([[place, height, *lights]], signed=True), 1


def packed_successors(tiles, out, costs, share, low):
    count = 0
    for k in range(5):
        out[count] = tiles
        number = (tiles[0, 0] - tiles[0, 1]) % LIGHTS
        if k == 0:
            out[count, 0, 0] -= 1
        elif k == 1:
            out[count, 0, 0] += 1
        elif k == 2:
            out[count, 0, 1] -= 1
        elif k == 3:
            out[count, 0, 1] += 1
        elif tiles[0, 1] < 0:
            out[count, 0, 2 + number] = 1 - tiles[0, 2 + number]
        else:
            continue
        costs[count] = 1 + share if k == 2 else 2 if k == 3 else 1
        place, height = out[count, 0, 0], out[count, 0, 1]
        count += 0 <= place <= FARTHEST and low <= height <= 2
    return count


def is_lit(tiles, wanted):
    return tiles[0, 1] == 0 and tiles[0, 2:].sum() == wanted


def packed(board):
    return sl.PackedForm(cells=SURFACE, max_successors=5, successors=packed_successors, is_goal=is_lit)


DIVER = sl.Domain(
    "diver",
    successors,
    lambda board, wanted: bool(is_lit(board.tiles, wanted)),
    parameters=(sl.Parameter("share", 0.0), sl.Parameter("low", -9), sl.Parameter("wanted", 3)),
    start=lambda: sl.Board([[3, 0, *[0] * LIGHTS]]),
    packed=packed,
    unit_cost=False,
)


def switches(tiles, wanted):
    return abs(tiles[0, 1]) + abs(wanted - tiles[0, 2:].sum())


SWITCHES = sl.Heuristic("switches", switches, admissible=True, consistent=True)


def diver(**values):
    return sl.domain(DIVER, **values)


def solved(engine, frontier, start, domain, expansions=150):
    heuristic = sl.heuristic(SWITCHES, domain=domain)
    limits = sl.Limits(expansions=expansions)
    return sl.solve(start, domain=domain, heuristic=heuristic, frontier=frontier, engine=engine, limits=limits)


starts = st.builds(
    lambda place, height, lit: sl.Board([[place, height, *[int(k in lit) for k in range(LIGHTS)]]], signed=True),
    st.integers(0, 50) | st.integers(FARTHEST - 50, FARTHEST),
    st.integers(-9, 2),
    st.sets(st.integers(0, LIGHTS - 1), max_size=4),
)


@pytest.mark.slow
@given(starts, st.sampled_from(FRONTIERS), st.sampled_from([0.0, 1.0, 0.41]), st.integers(1, 4))
def test_the_same_nodes_are_expanded(start, frontier, share, wanted):
    """Positions up to 2^20 - 1 beside heights below 0 and 110 lights, at whole and at fractional costs."""
    compiled, readable = (
        solved(engine, frontier, start, diver(share=share, wanted=wanted)) for engine in ("compiled", "readable")
    )
    assert [getattr(compiled, name) for name in FIGURES] == [getattr(readable, name) for name in FIGURES]


def test_states_take_the_bits_of_their_cells():
    """Twenty, four and 110 bits are three words, where cells all alike would take 38."""
    assert Packing.of(packed(None), DIVER.start()).words == 3


@pytest.mark.slow
@pytest.mark.parametrize("low", [-1, -3])
def test_the_same_layers_are_enumerated(low):
    """With the largest tile, too."""
    start, domain = sl.Board([[0, -1, *[0] * LIGHTS]], signed=True), diver(low=low, wanted=9)
    limits = sl.Limits(expansions=800)
    compiled, readable = (
        list(enumerate_states(start, domain, Watch(limits), engine=engine)) for engine in ("compiled", "readable")
    )
    assert compiled == readable
    assert compiled[-1].largest > 2


def test_a_start_beyond_a_range_is_refused():
    """The error is one line with the tile and the range."""
    with pytest.raises(
        sl.BoardError, match="not a board of diver: the tile at row 1, column 2 is -10: a tile there is"
    ):
        diver().check(sl.Board([[0, -10, *[0] * LIGHTS]], signed=True))


def test_another_game_takes_no_negative_tiles():
    """Its boards are made as always, and a board of a game with such tiles is none of it."""
    with pytest.raises(sl.BoardError, match="the tile at row 1, column 2 is -1: a tile is between 0 and 2"):
        sl.Board([[1, -1], [2, 3]])
    with pytest.raises(sl.BoardError, match="the tile at row 1, column 2 is -1: a tile is between 0 and 2"):
        sl.domain("sliding-tile").check(sl.Board([[0, -1], [2, 3]], signed=True))


@pytest.mark.slow
def test_a_successor_beyond_a_range_is_an_error():
    """In compiled code, which has no room for it."""
    narrow = replace(DIVER, packed=lambda board: replace(packed(board), cells=((0, 7), *SURFACE[1:])))
    domain = sl.domain(narrow)
    result = solved("compiled", "breadth-first", sl.Board([[7, 0, *[0] * LIGHTS]]), domain)
    assert "no room for a successor of this board: the tile at row 1, column 1 is 8" in result.reason


# A hand is at a place of a ring, and exchanges the number there with that of the place it goes to.

RING = np.array([(4, 1), (0, 2), (1, 3), (2, 4), (3, 0)])


def exchanges(board):
    place, *numbers = board.tiles[0].tolist()
    for to in RING[place].tolist():
        exchanged = list(numbers)
        exchanged[place], exchanged[to] = numbers[to], numbers[place]
        yield f"{to}", sl.Board([[to, *exchanged]], signed=True)


def packed_exchanges(tiles, out, ring):
    place = tiles[0, 0]
    for k in range(2):
        out[k] = tiles
        out[k, 0, 0] = ring[place, k]
        out[k, 0, 1 + place], out[k, 0, 1 + ring[place, k]] = tiles[0, 1 + ring[place, k]], tiles[0, 1 + place]
    return 2


def place_of_hand(cells):
    return cells[0]


def exchange(cells, place, to):
    cells[1 + place], cells[1 + to] = cells[1 + to], cells[1 + place]
    cells[0] = to


def is_sorted(cells, place):
    k = 1
    while k < 5 and cells[k] <= cells[k + 1]:
        k += 1
    return k == 5


HAND = sl.Domain(
    "hand",
    exchanges,
    lambda board: bool(is_sorted(board.tiles[0], 0)),
    inverse="same",
    packed=lambda board: sl.PackedForm(
        cells=((0, 4), *[(-4, 3)] * 5),
        max_successors=2,
        successors=packed_exchanges,
        is_goal=lambda tiles: is_sorted(tiles[0], 0),
        in_place=sl.InPlace(place_of_hand, RING, exchange, is_sorted),
        tables={"ring": RING},
    ),
)


def falls(tiles):
    """Half the number of neighbours in the wrong order."""
    wrong = 0
    for k in range(1, 5):
        wrong += tiles[0, k] > tiles[0, k + 1]
    return wrong / 2


@pytest.mark.slow
@given(st.integers(0, 4), st.lists(st.integers(-4, 3), min_size=5, max_size=5))
def test_boards_that_are_changed_in_place_may_hold_tiles_below_0(place, numbers):
    """IDA* expands the same nodes as on boards that are copied."""
    heuristic = sl.Heuristic("falls", falls, admissible=True)
    figures = []
    for engine in ("compiled", "readable"):
        how = {"heuristic": heuristic, "frontier": "ida-star", "engine": engine, "limits": sl.Limits(expansions=200)}
        result = sl.solve(sl.Board([[place, *numbers]], signed=True), domain=HAND, **how)
        figures.append([getattr(result, name) for name in FIGURES])
    assert figures[0] == figures[1]
