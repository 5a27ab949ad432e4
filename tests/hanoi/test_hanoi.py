"""The Towers of Hanoi: the rules, the tables, and the lengths that are known."""

from collections import deque
from inspect import signature
from itertools import product

import numpy as np
import pytest

import searchlab as sl
from searchlab_plugins.hanoi.heuristics import parse_groups
from searchlab_plugins.hanoi.picture import picture

OF_4_PEGS = (1, 3, 5, 9, 13, 17, 25, 33, 41, 49, 65, 81)
"""The moves for 1, 2, 3, … discs (Frame 1941, Stewart 1941; proved by Bousch 2014)."""


def after(places, pegs):
    """What one move makes of the discs' pegs, by lists of what lies on each peg."""
    found = set()
    piles = [[disc for disc, peg in enumerate(places) if peg == number] for number in range(1, pegs + 1)]
    for source, target in product(range(pegs), repeat=2):
        if piles[source] and (not piles[target] or piles[source][0] < piles[target][0]):
            moved = list(places)
            moved[piles[source][0]] = target + 1
            found.add(tuple(moved))
    return found


def distances(discs, pegs):
    """The moves from each board to the last peg, by breadth-first search."""
    found, wave = {(pegs,) * discs: 0}, deque([(pegs,) * discs])
    while wave:
        places = wave.popleft()
        for new in after(places, pegs) - found.keys():
            found[new] = found[places] + 1
            wave.append(new)
    return found


@pytest.mark.parametrize(("discs", "pegs"), [(5, 3), (5, 4), (3, 6)])
def test_table_and_moves_equal_those_of_an_independent_search(discs, pegs):
    """On every board; the table says the exact distance where one group has all discs."""
    domain = sl.domain("hanoi", pegs=pegs)
    h = sl.heuristic("disc-database", domain=domain)
    exact = distances(discs, pegs)
    assert len(exact) == pegs**discs
    for places, moves in list(exact.items())[::3]:
        board = sl.Board([places])
        assert h(board) == moves
        assert domain.lower_bound(board) == moves if pegs == 3 else domain.lower_bound(board) <= moves
        assert {tuple(other.tiles[0].tolist()) for other in domain.neighbors(board)} == after(places, pegs)


@pytest.mark.parametrize("name", ["misplaced-discs", "disc-database:groups=3/2", "disc-database:groups=1/4"])
def test_the_values_are_lower_bounds_and_consistent(name):
    """On every board of five discs."""
    domain = sl.domain("hanoi")
    h = sl.heuristic(name, domain=domain)
    exact = distances(5, 4)
    values = {places: h(sl.Board([places])) for places in exact}
    assert all(values[places] <= moves for places, moves in exact.items())
    assert max(abs(values[places] - values[other]) for places in exact for other in after(places, 4)) == 1


@pytest.mark.slow
def test_four_pegs_take_the_known_numbers_of_moves():
    """By A* with one table for the largest ten discs and one for the rest: up to ten it says the exact distance."""
    lengths = []
    for discs in range(1, 13):
        engine = "readable" if discs <= 10 else "compiled"  # each number of discs is compiled anew
        result = sl.solve(domain=f"hanoi:discs={discs}", engine=engine)
        assert result.optimal
        lengths.append(result.moves)
    assert tuple(lengths) == OF_4_PEGS


def test_three_pegs_take_a_power_of_two_less_one():
    lengths = [sl.solve(domain=f"hanoi:discs={discs},pegs=3", engine="readable").moves for discs in (1, 2, 3, 7)]
    assert lengths == [1, 3, 7, 127]


def test_a_solution_with_the_fewest_moves_is_optimal_with_any_frontier():
    """Three pegs have a lower bound that is exact."""
    start = sl.domain("hanoi", discs=4, pegs=3).start()
    for frontier in ("depth-first", "greedy"):
        result = sl.solve(start, domain="hanoi:pegs=3", frontier=frontier, engine="readable")
        assert result.optimal == (result.moves == 15)


def test_moves_update_the_value_and_the_groups():
    domain = sl.domain("hanoi", discs=9)
    h = sl.heuristic("disc-database:groups=4/3/1/1", domain=domain)
    board = sl.generator("anywhere", domain=domain)(3)
    moved = h.component.incremental
    names = h.names(board)
    arguments = {name: names[name] for name in signature(moved).parameters if name in names}
    value, carried = h(board), h.carried(board)
    for step in range(60):
        following = domain.neighbors(board)
        new = following[step * step % 7 % len(following)]
        (disc,) = np.flatnonzero(new.tiles != board.tiles)
        value, carried = moved(value, carried, disc, board.tile_at(0, disc), new.tile_at(0, disc), **arguments)
        board = new
        assert (value, carried) == (h(board), h.carried(board))


def test_the_sizes_of_groups():
    """By default tens; those that are named make up the discs."""
    assert parse_groups("", 23) == (10, 10, 3)
    assert parse_groups("6/2", 8) == (6, 2)
    with pytest.raises(sl.UsageError, match="these are 8 discs, and the board has 9"):
        parse_groups("6/2", 9)
    with pytest.raises(sl.UsageError, match="up to 40 discs, not 41"):
        parse_groups("", 41)
    for wrong in ("6/x", "0/3", "1/1/1/1/1"):
        with pytest.raises(sl.UsageError, match="groups"):
            sl.heuristic(f"disc-database:groups={wrong}", domain="hanoi")


def test_invalid_boards_are_refused_with_a_reason():
    domain = sl.domain("hanoi")
    assert domain.why_invalid(sl.Board([[1] * 65])) == "there are 1 to 64 discs, not 65"
    assert "one row" in domain.why_invalid(sl.Board([[1], [1]]))
    assert domain.why_invalid(sl.Board([[1, 5]])) == "the pegs are 1 … 4"
    assert not sl.domain("hanoi", pegs=5).why_invalid(sl.Board([[1, 5]]))


def test_many_discs_are_drawn_narrower():
    """Twelve discs on four pegs fit a terminal."""
    lines = picture(sl.Board([[1] * 12]), 4).splitlines()
    assert max(map(len, lines)) < 80
    assert len(lines) == 15
    assert lines[12].split()[0] == "=" * 12
