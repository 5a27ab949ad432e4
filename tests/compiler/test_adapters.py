"""The packed form of a heuristic: evaluated on the words of a state, where all it asks for is there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

U, I = np.uint64, np.int64  # noqa: E741
HARD = sl.Board([[8, 6, 7], [2, 5, 4], [3, 0, 1]])
FIGURES = ("status", "actions", "expanded", "generated", "evaluated", "reopened", "stored", "max_open")


def codes_by_place(tiles, step=2):
    """A sum over the cells of exponent or tile times place."""
    rows, columns = tiles.shape
    total = 0
    for cell in range(rows * columns):
        total += tiles[cell // columns, cell % columns] * (cell % 5 + step)
    return total


def codes_by_place_packed(words, rows, columns, bits, step=2):
    """The same for codes that are the tiles."""
    a_word = 64 // bits
    total = 0
    for cell in range(rows * columns):
        code = (words[cell // a_word] >> U(cell % a_word * bits)) & ((U(1) << U(bits)) - U(1))
        total += I(code) * (cell % 5 + step)
    return total


def powers_by_place_packed(words, rows, columns, bits, step=2):
    """The same for codes that are exponents."""
    a_word = 64 // bits
    total = 0
    for cell in range(rows * columns):
        code = (words[cell // a_word] >> U(cell % a_word * bits)) & ((U(1) << U(bits)) - U(1))
        total += ((I(1) << I(code)) & I(-2)) * (cell % 5 + step)
    return total


def solve(board, packed, domain="sliding-tile", **arguments):
    component = sl.Heuristic("mine", codes_by_place, packed=packed)
    heuristic = sl.heuristic(component, domain=domain, step=3)
    result = sl.solve(board, domain=domain, heuristic=heuristic, **arguments)
    return [getattr(result, figure) for figure in FIGURES]


@pytest.mark.slow
@given(
    st.sampled_from([(3, "astar"), (3, "astar:duplicates=early"), (5, "greedy"), (6, "astar"), (6, "beam")]),
    st.randoms(),
)
def test_packed_and_plain_forms_lead_to_the_same_nodes(searched, random):
    """On sliding tiles of one word and of several, with buckets, heap and beam; each compiles its own kernel."""
    n, frontier = searched
    domain = sl.domain("sliding-tile")
    board = sl.Board(np.roll(np.arange(n * n), -1).reshape(n, n))
    for _ in range(30):
        board = random.choice(domain.neighbors(board))
    limits = sl.Limits(expansions=200)
    packed = solve(board, codes_by_place_packed, frontier=frontier, limits=limits, engine="compiled")
    assert packed == solve(board, None, frontier=frontier, limits=limits, engine="readable")


@pytest.mark.slow
@pytest.mark.parametrize("domain", ["2048:goal=64,n=3", "2048:goal=64", "2048:goal=65536", "2048:goal=64,n=5"])
@pytest.mark.parametrize("frontier", ["astar", "greedy", "beam"])
def test_codes_of_powers_of_two_are_exponents(domain, frontier):
    """Boards of 2048 in nibbles, in bytes and in several words."""
    limits = sl.Limits(expansions=300)
    packed = solve(None, powers_by_place_packed, domain, frontier=frontier, limits=limits, engine="compiled")
    assert packed == solve(None, None, domain, frontier=frontier, limits=limits, engine="readable")


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["astar", "greedy", "beam:width=5"])
def test_the_packed_form_of_a_heuristic_is_used(frontier):
    """Unless it has an unknown argument."""
    limits = sl.Limits(expansions=200)
    plain, other, needy = (
        solve(HARD, packed, frontier=frontier, limits=limits)
        for packed in (None, lambda words: I(words[0] & U(7)), lambda words, slid: I(words[0] & U(7)))
    )
    assert other != plain
    assert needy == plain


def test_the_tables_of_the_domain_and_its_parameters_can_be_asked_for():
    """A heuristic can ask for the tables that the packed rules use."""

    def by_goal(words, goal_word, neighbors, goal_row, step=1):
        return I(words[0] != U(goal_word)) * (step + neighbors[0, 4] + goal_row[1])

    def by_goal_plain(tiles, step=1):
        for cell in range(9):
            if tiles[cell // 3, cell % 3] != (cell + 1) % 9:
                return step + 2
        return 0

    limits = sl.Limits(expansions=300)
    found = [
        sl.solve(
            HARD,
            domain="sliding-tile",
            heuristic=sl.heuristic(sl.Heuristic("h", by_goal_plain, packed=packed), domain="sliding-tile", step=4),
            limits=limits,
        )
        for packed in (by_goal, None)
    ]
    assert found[0].evaluated == found[1].evaluated
    assert found[0].expanded == found[1].expanded == 300


def test_a_packed_form_that_does_not_compile_is_named():
    """Then the function is evaluated in Python."""
    table = {1.5: 2}

    def mistaken(words):
        return table[words[0] / 2]

    component = sl.Heuristic("mine", codes_by_place, packed=mistaken)
    with pytest.warns(sl.SearchlabWarning, match="mistaken cannot be compiled: it uses table, a dict.*in Python"):
        sl.solve(HARD, domain="sliding-tile", heuristic=sl.heuristic(component), limits=sl.Limits(expansions=5))


@pytest.mark.slow
@given(st.integers(3, 4), st.sampled_from(["blank-last", "blank-first"]), st.randoms())
def test_misplaced_is_equal_on_tiles_and_words(n, goal, random):
    """The heuristic that ships with a packed form: the same search as without it."""
    domain = sl.domain("sliding-tile", goal=goal)
    board = sl.Board(
        np.arange(n * n).reshape(n, n) if goal == "blank-first" else np.roll(np.arange(n * n), -1).reshape(n, n)
    )
    for _ in range(40):
        board = random.choice(domain.neighbors(board))
    found = [
        sl.solve(board, domain=domain, heuristic="misplaced", engine=engine, limits=sl.Limits(expansions=300))
        for engine in ("compiled", "readable")
    ]
    assert len({tuple(getattr(result, figure) for figure in FIGURES) for result in found}) == 1
