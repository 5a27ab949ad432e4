"""Small boards of which a claim still holds."""

from itertools import islice

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.claims import parse_claim
from searchlab.experiments.shrinking import search_of
from searchlab.plugins.samples import sample_boards


def holds(claim, board, domain):
    claim = parse_claim(claim)
    results = {
        search: sl.solve(
            board, domain=domain, frontier=parts[0], heuristic=parts[1], engine="readable", limits=sl.Limits(seconds=60)
        )
        for search in claim.searches
        for parts in [search_of(search, sl.domain(domain), sl.Plugins())]
    }
    return claim.holds(results)


@pytest.mark.parametrize(
    ("board", "domain", "claim"),
    [
        (sl.Board([[5, 2, 7, 1, 8, 3, 6, 4]]), "pancake", "expanded[astar/gap:ignore=2] > 2 * expanded[astar/gap]"),
        (sl.Board([[1, 2, 3, 1, 2]]), "hanoi:pegs=3", "expanded[astar/misplaced-discs] > 5 * moves[uniform-cost]"),
        ("sliding-tile/puzzle8-20", "sliding-tile", "cost[greedy] > cost[astar/taxicab]"),
    ],
)
def test_the_claim_holds_of_the_board_and_of_none_that_is_a_step_smaller(board, domain, claim):
    found = sl.shrink(board, claim, domain=domain)
    assert found.holds
    assert found.complete
    assert found.steps > 0
    assert holds(claim, found.instance.start, domain)
    bound = sl.domain(domain)
    for each in bound.smaller(found.instance.start):
        assert bound.why_invalid(each.start) or not holds(claim, each.start, domain)


def test_the_same_board_is_found_again():
    claim = "expanded[astar/misplaced] > 3 * expanded[astar/taxicab]"
    first, second = (sl.shrink("sliding-tile/puzzle8-24", claim) for _ in range(2))
    assert first.instance.start == second.instance.start
    assert (first.tried, first.figures) == (second.tried, second.figures)


def test_a_claim_that_does_not_hold_leaves_the_board():
    found = sl.shrink("sliding-tile/example", "expanded[astar] > 1000")
    assert (found.holds, found.steps, found.tried) == (False, 0, 1)
    assert found.instance.start == sl.read_board("sliding-tile/example")
    assert found.figures == {"expanded[astar]": 3.0}


def test_a_domain_that_names_no_smaller_boards_is_shrunk_along_solutions():
    """The board with the fewest moves to go."""
    domain = sl.Domain("count", lambda n: [("on", n + 1)], is_goal=lambda n: n == 9, start=lambda: 0)
    found = sl.shrink(None, "moves[breadth-first] >= 3", domain=domain)
    assert found.instance.start == 6


def test_without_smaller_boards_and_solutions_there_is_nothing_to_try():
    domain = sl.Domain("endless", lambda n: [("on", n + 1)], is_goal=lambda n: False, start=lambda: 0)
    with pytest.raises(UsageError, match="does not say which boards are smaller"):
        sl.shrink(None, "status[breadth-first] = expansion-limit", domain=domain, limits=sl.Limits(expansions=5))


def test_a_failing_search_is_shrunk(tmp_path):
    """A heuristic that fails where the largest tile is at home."""
    file = tmp_path / "fails.py"
    file.write_text(
        "def fails(tiles):\n    if tiles.size > 4 and tiles[0, 0] == 1:\n        raise ValueError('no')\n    return 0\n"
    )
    claim = f"status[greedy/{file}:fails] = error"
    found = sl.shrink("sliding-tile/example", claim)
    assert found.holds
    assert found.instance.start.tiles.size == 6
    assert "no" in found.results[f"greedy/{file}:fails"].reason


def test_as_many_boards_are_searched_as_allowed():
    found = sl.shrink("sliding-tile/puzzle8-24", "expanded[astar/taxicab] > 1", most=3)
    assert (found.tried, found.complete) == (3, False)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("astar/taxicab", ("astar", "taxicab")),
        ("taxicab/astar", ("astar", "taxicab")),
        ("astar", ("astar", None)),
        ("taxicab", (None, "taxicab")),
        ("searchlab/astar/searchlab/taxicab", ("searchlab/astar", "searchlab/taxicab")),
        ("alternating:heuristics=[taxicab,misplaced]", ("alternating:heuristics=[taxicab,misplaced]", None)),
    ],
)
def test_a_search_is_named_by_frontier_and_heuristic(text, parts):
    assert search_of(text, sl.domain("sliding-tile"), sl.Plugins()) in (parts, parts[::-1])


@pytest.mark.parametrize(
    ("text", "message"), [("nothing", "is no search"), ("astar/nothing", "no heuristic is called 'nothing'")]
)
def test_an_unknown_search_is_refused(text, message):
    with pytest.raises(UsageError, match=message):
        search_of(text, sl.domain("sliding-tile"), sl.Plugins())


SHRINKABLE = [item.component.name for item in sl.Plugins().all("domain") if item.component.smaller]


@pytest.mark.parametrize("name", SHRINKABLE)
def test_smaller_boards_are_legal_and_end(name):
    """Of samples of each domain that ships: following the first legal one again and again comes to an end."""
    assert len(SHRINKABLE) >= 8
    for domain, start in islice(sample_boards(sl.domain(name)), 3):
        board, bound = start, domain
        for _ in range(200):
            legal = [each for each in bound.smaller(board) if not bound.of(each).why_invalid(each.start)]
            if not legal:
                break
            board, bound = legal[0].start, bound.of(legal[0])
        else:
            pytest.fail("it does not end")


def test_figures_are_exact_numbers():
    found = sl.shrink(sl.Board([[4, 2, 6, 1, 5, 3]]), "expanded[astar/gap] > 2", domain="pancake")
    figure = found.figures["expanded[astar/gap]"]
    assert isinstance(figure, int)
    assert figure == found.results["astar/gap"].expanded
