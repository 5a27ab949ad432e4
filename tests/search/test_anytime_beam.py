"""Complete anytime beam search, rectangle search, and the closed list of beams."""

from itertools import pairwise
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.search import solve
from searchlab.search.readable.rectangle import rectangle
from searchlab.search.watch import Watch
from tests.search.random_graphs import RandomGraph
from tests.search.test_lower_bounds import claims_hold

EASY = [f"sliding-tile/puzzle8-{number}" for number in (20, 24, 27, 31)] + ["sliding-tile/puzzle15-28"]


ANYTIME = ["cabs", "rectangle", "rectangle:aspect=100"]


@pytest.mark.parametrize("frontier", ANYTIME)
@pytest.mark.parametrize("board", EASY)
def test_the_last_solution_is_proved_to_be_as_cheap_as_that_of_astar(board, frontier):
    result, best = (sl.solve(board, frontier=frontier) for frontier in (frontier, "astar"))
    assert (result.status, result.ended_by, result.optimal) == ("solved", "proof", True)
    assert (result.cost, result.lower_bound) == (best.cost, best.cost)
    costs = [one.cost for one in result.solutions]
    assert costs == sorted(set(costs), reverse=True)
    assert result.expanded >= result.solutions[-1].expanded


@pytest.mark.parametrize("frontier", ANYTIME)
@pytest.mark.parametrize("seed", range(5))
def test_pancakes_cost_what_astar_finds(seed, frontier):
    board = sl.generator("any-stack", domain="pancake:n=9").instance(seed).start
    result, best = (sl.solve(board, domain="pancake:n=9", frontier=name) for name in (frontier, "astar"))
    assert (result.cost, result.optimal) == (best.cost, True)


@pytest.mark.parametrize("frontier", ANYTIME)
@given(st.integers(0, 2**32), st.one_of(st.none(), st.integers(0, 60)))
def test_improvements_are_strictly_better_and_the_same_in_both_engines(frontier, seed, expansions):
    graph = RandomGraph(seed)
    told = {}
    for engine in ("readable", "compiled"):
        result = graph.solve(frontier, engine, limits=sl.Limits(expansions=expansions))
        claims_hold(result, graph.optimum)
        costs = [one.cost for one in result.solutions]
        assert all(later < earlier for earlier, later in pairwise(costs))
        assert costs[-1:] == ([] if result.cost is None else [result.cost])
        told[engine] = [(one.cost, one.expanded, one.actions) for one in result.solutions]
        if expansions is None and graph.declared:
            assert result.optimal if graph.optimum < inf else result.status == "unsolvable"
    assert told["readable"] == told["compiled"]


def test_a_beam_with_a_closed_list_does_not_go_in_circles():
    """A beam of one node goes to and fro between two boards, which ends it; with a closed list it has to go on."""
    board = "sliding-tile/puzzle8-25"
    circle, on = (sl.solve(board, frontier=f"beam:width=1{closed}") for closed in ("", ",closed=yes"))
    assert circle.status == "exhausted"
    assert on.expanded > circle.expanded


@pytest.mark.parametrize("engine", ["readable", "compiled"])
def test_a_limit_ends_it_with_its_best_solution(engine):
    result = sl.solve("sliding-tile/puzzle8-31", frontier="cabs", limits=sl.Limits(expansions=1500), engine=engine)
    assert (result.status, result.ended_by, result.expanded) == ("solved", "expansion-limit", 1500)
    assert result.bound is not None
    assert not result.optimal


def near(d, h):
    return d + h / 100


BY_MOVES = sl.Frontier(
    "by-moves",
    queues=(sl.Queue(near),),
    family="anytime-beam",
    parameters=(sl.Parameter("d", "", "estimates the moves to go", kind="heuristic"),),
)


@pytest.mark.parametrize("number", [20, 24, 27])
@pytest.mark.parametrize(
    "frontier", ["bead:width=5", "bead:width=5,closed=yes", "rectangle", "rectangle:aspect=9", BY_MOVES]
)
def test_orders_by_another_heuristic_are_the_same_in_both_engines(frontier, number):
    frontier = sl.frontier(frontier, d="misplaced")
    told = []
    for engine in ("readable", "compiled"):
        result = sl.solve(
            f"sliding-tile/puzzle8-{number}", domain="sliding-tile:cost=heavy", frontier=frontier, engine=engine
        )
        figures = result.expanded, result.generated, result.evaluated, result.reopened, result.stored, result.max_open
        told.append((result.status, result.cost, result.lower_bound, *figures))
    assert told[0] == told[1]
    assert result.optimal or frontier.name.startswith("bead")


@pytest.mark.parametrize("frontier", ["bead:width=5", "rectangle"])
@pytest.mark.parametrize("engine", ["readable", "compiled"])
def test_a_further_heuristic_that_is_no_number_is_named(frontier, engine):
    def broken(tiles):
        return nan if tiles[0, 0] == 1 else 1.0

    given = sl.frontier(frontier, d=sl.Heuristic("broken", broken))
    result = sl.solve("sliding-tile/puzzle8-20", frontier=given, engine=engine)
    assert result.status == "error"
    assert "heuristic broken returned NaN" in result.reason


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"family": "beam", "queues": (sl.Queue(near),) * 2}, "takes one queue"),
        ({"family": "beam", "queues": (sl.Queue(types=("h",)),)}, "with only a priority"),
        ({"family": "anytime-beam", "queues": (sl.Queue(lambda f_min: f_min),)}, "may not ask for 'f_min'"),
        ({"family": "beam", "queues": (sl.Queue(lambda depth: depth),)}, "may not ask for 'depth'"),
        ({"family": "rectangle", "queues": (sl.Queue(near),), "bound": 2}, "are for the family 'best-first'"),
        ({"family": "rectangle", "queues": (sl.Queue(near),)}, "a Parameter called aspect"),
    ],
)
def test_what_a_family_by_layers_does_not_take_is_refused(fields, message):
    parameters = (sl.Parameter("width", 3), sl.Parameter("d", "", kind="heuristic"))
    with pytest.raises(ValueError, match=message):
        sl.Frontier("wrong", parameters=parameters, **fields)


class Depths:
    """Notes the depth of each node that is expanded."""

    is_full = False

    def __init__(self):
        self.seen = []

    def expanded(self, node):
        self.seen.append(node.depth)

    def __getattr__(self, name):
        return lambda *arguments, **options: None


@pytest.mark.parametrize(
    ("aspect", "depths"),
    [(1, [0, 1, 1, 2, 2, 1, 2, 3, 3, 3]), (2, [0, 1, 2, 1, 2, 3, 3, 4, 4]), (4, [0, 1, 2, 3, 4, 1])],
)
def test_a_round_expands_one_more_node_of_each_depth_and_goes_deeper(aspect, depths):
    observer = Depths()
    problem = solve.problem("sliding-tile/korf24/01", frontier=f"rectangle:aspect={aspect}")
    watch = Watch(sl.Limits(expansions=len(depths)))
    watch.observer = observer
    rectangle(problem, watch)
    assert observer.seen == depths


def test_figures_are_those_of_all_widths_together():
    """A width of 1 finds the first solution; each further one expands at least as many nodes as it is wide."""
    board = "sliding-tile/puzzle8-27"
    all_widths = sl.solve(board, frontier="cabs")
    assert all_widths.stored < all_widths.expanded
    assert all_widths.solutions[0].expanded < all_widths.expanded


@pytest.mark.parametrize("engine", ["readable", "compiled"])
@pytest.mark.parametrize(("frontier", "limits"), [("cabs", [1, 2, 4]), ("ida-star", [17, 19, 21])])
def test_layers_are_what_each_iteration_did(engine, frontier, limits):
    result = sl.solve("sliding-tile/puzzle8-27", frontier=frontier, engine=engine)
    assert [layer.limit for layer in result.layers][:3] == limits
    assert sum(layer.expanded for layer in result.layers) == result.expanded
    assert sum(layer.generated for layer in result.layers) == result.generated
    assert result.as_dict()["layers"][0] == {"limit": limits[0], **result.layers[0]._asdict()}
