"""Lights Out: the rules, the linear algebra, and the numbers that are known."""

from itertools import combinations

import numpy as np
import pytest

import searchlab as sl
from searchlab_plugins.lights_out.linear import equations

ALL_ON = {2: 4, 3: 5, 4: 4, 5: 15, 6: 28, 7: 33}
"""The fewest presses that turn n × n lights off (OEIS A075464)."""


def pressed(shape, presses):
    """The lights that are on after some presses, from all off."""
    lights = np.zeros((shape[0] + 2, shape[1] + 2), int)
    for row, column in presses:
        for r, c in ((1, 1), (0, 1), (2, 1), (1, 0), (1, 2)):
            lights[row + r, column + c] ^= 1
    return lights[1:-1, 1:-1]


def fewest(shape):
    """The fewest presses of each board that has a solution: by trying every set of presses, the small ones first."""
    cells = [(row, column) for row in range(shape[0]) for column in range(shape[1])]
    found = {}
    for count in range(len(cells) + 1):
        for presses in combinations(cells, count):
            found.setdefault(tuple(pressed(shape, presses).ravel().tolist()), count)
    return found


@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (1, 5), (3, 4)])
def test_the_exact_heuristic_counts_the_presses_of_the_smallest_set(shape):
    """On every board that has a solution; every other one is refused."""
    domain = sl.domain("lights-out")
    h, bound = (sl.heuristic(name, domain=domain) for name in ("fewest-presses", "lights"))
    exact = fewest(shape)
    for number in range(0, 1 << shape[0] * shape[1], 5):
        lights = [number >> cell & 1 for cell in range(shape[0] * shape[1])]
        board = sl.Board(np.reshape(lights, shape))
        if tuple(lights) in exact:
            assert bound(board) <= h(board) == exact[tuple(lights)] == domain.lower_bound(board)
            assert not domain.why_unsolvable(board)
        else:
            assert "no set of presses" in domain.why_unsolvable(board)


def test_boards_with_all_lights_on_take_the_known_numbers_of_presses():
    """By A*, from 2 × 2 to 7 × 7."""
    for n, presses in ALL_ON.items():
        result = sl.solve(domain=f"lights-out:n={n}", engine="readable")
        assert (result.moves, result.optimal) == (presses, True)


def test_the_equations_of_5_by_5_have_rank_23_and_no_board_takes_more_than_15_presses():
    """By all sets of presses: those that differ by a quiet set solve the same board, and the smallest one counts."""
    quiet = equations(5, 5).quiet
    assert 25 - len(quiet) == 23
    presses = np.arange(1 << 23, dtype=np.int32)  # the other two lights are in no two of the quiet sets
    assert len({change >> 23 for change in (0, *quiet, quiet[0] ^ quiet[1])}) == 4
    ones = np.array([number.bit_count() for number in range(1 << 13)], np.uint8)
    changed = (presses ^ change for change in (0, *quiet, quiet[0] ^ quiet[1]))
    fewest = np.minimum.reduce([ones[sets & 8191] + ones[sets >> 13] for sets in changed])
    assert fewest.max() == 15


def test_a_light_in_the_corner_of_5_by_5_cannot_be_turned_off():
    """Only a quarter of the boards of 5 × 5 can be solved."""
    board = sl.Board([[1, 0, 0, 0, 0], *[[0] * 5] * 4])
    assert sl.solve(board, domain="lights-out").status == "unsolvable"
    n5 = sl.domain("lights-out")
    assert sum(not n5.why_unsolvable(sl.generator("pressed", domain=n5)(seed)) for seed in range(20)) == 20


def test_the_larger_half_of_3_by_3_takes_as_many_presses_as_there_are_sets():
    """Every set of presses is another board: 9 over k boards take k presses."""
    layers = sl.state_space(sl.Board(np.zeros((3, 3), int)), domain="lights-out", engine="readable")
    assert [layer.states for layer in layers] == [1, 9, 36, 84, 126, 126, 84, 36, 9, 1]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(8, 8), (9, 9)])
def test_compiled_presses_equal_those_of_the_rules(shape):
    """In one word up to 64 lights, and in more."""
    domain = sl.domain("lights-out")
    presses = np.argwhere(np.random.default_rng(1).integers(0, 2, shape))
    board = sl.Board(pressed(shape, presses.tolist()))
    for cell, (action, after, *_) in enumerate(domain.successors(board)):
        press = divmod(cell, shape[1])
        assert action == f"press-{press[0] + 1}-{press[1] + 1}"
        assert (after.tiles == (board.tiles ^ pressed(shape, [press]))).all()
    limits = sl.Limits(expansions=20)
    runs = [
        sl.solve(board, domain=domain, heuristic="lights", limits=limits, engine=engine)
        for engine in ("compiled", "readable")
    ]
    assert runs[0].generated == runs[1].generated > 0


def test_too_large_boards_are_refused():
    """More lights than a number has bits; a light that is neither on nor off."""
    with pytest.raises(sl.UsageError, match="up to 62 lights, not 8 × 8"):
        sl.heuristic("fewest-presses", domain="lights-out")(sl.Board([[1] * 8] * 8))
    assert "on, 1, or off, 0" in sl.domain("lights-out").why_invalid(sl.Board([[2, 0]]))
