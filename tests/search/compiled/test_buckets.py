"""Searches with buckets find what the readable driver finds, on random graphs that are awkward for them."""

import time
from dataclasses import dataclass, field
from math import inf, nan
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.notice import announced
from searchlab.search.compiled import best_first as run_best_first
from searchlab.search.compiled import buckets as run_buckets

OF_THE_MACHINE = ("seconds", "cpu_seconds", "peak_bytes", "engine", "versions")
STATES = 4096
"""How many states a packed form has room for; a graph may use fewer."""
DEGREE = 4
RAISES = 99.0
CELLS = 5
"""In a word."""
GREEDY_AGAIN = sl.Frontier("greedy-again", lambda g, h: h, ties="low-h", reopen="yes")
FRONTIERS = (
    "greedy",
    "astar:duplicates=early",
    "astar:duplicates=late",
    "weighted-astar:weight=1.5,duplicates=early",
    "weighted-astar:weight=1.5,duplicates=late",
    "uniform-cost:duplicates=early",
    "uniform-cost:duplicates=late",
    GREEDY_AGAIN,
    "greedy:order=oldest",
    "astar:duplicates=early,order=oldest",
    "astar:duplicates=late,order=oldest",
    "weighted-astar:weight=1.5,duplicates=early,order=oldest,siblings=first",
    "weighted-astar:weight=1.5,duplicates=late,order=oldest,reopen=yes",
    sl.frontier(GREEDY_AGAIN, order="oldest"),
    "greedy:order=random",
    "astar:duplicates=early,order=random",
    "astar:duplicates=late,order=random",
    "weighted-astar:weight=1.5,duplicates=early,order=random",
    "weighted-astar:weight=1.5,duplicates=late,order=random,reopen=yes",
    sl.frontier(GREEDY_AGAIN, order="random"),
)
ODD_ESTIMATES = (0.5, -3.0, 5000.0, 1e300, inf, -inf, nan, RAISES)
ODD_COSTS = (0.5, 5000.0)


def state_of(tiles):
    return tiles[0, -1]


def successors(tiles, out, costs, terminal, targets, edge_costs, over, degrees):
    state = tiles[0, tiles.shape[1] - 1]
    count = degrees[state]
    for k in range(count):
        for cell in range(tiles.shape[1]):
            out[k, 0, cell] = targets[state, k]
        costs[k] = edge_costs[state, k]
        terminal[k] = over[state, k]
    return count


def is_goal(tiles, goals):
    return goals[tiles[0, tiles.shape[1] - 1]]


def value(tiles, values):
    found = values[tiles[0, tiles.shape[1] - 1]]
    if found == 99.0:
        raise ValueError("not this one")
    return found


@dataclass
class RandomGraph:
    """A graph of a number of states, each with up to DEGREE successors, which may be equal to one another or itself."""

    seed: int
    states: int
    words: int = 1
    costs: tuple[int, ...] = (1,)
    largest_h: int = 8
    prefer: str = "low"
    odd: dict[str, float] = field(default_factory=dict)

    def __post_init__(self):
        random = np.random.default_rng(self.seed)
        shape = (STATES, DEGREE)
        near = np.arange(STATES)[:, None] + random.integers(-9, 30, shape)
        self.targets = np.where(random.random(shape) < 0.9, near, random.integers(0, STATES, shape)) % self.states
        self.edge_costs = random.choice(self.costs, shape).astype(float)
        self.degrees = random.integers(0, DEGREE + 1, STATES)
        self.degrees[0] = DEGREE
        self.goals = random.random(STATES) < 1 / self.states
        self.goals[0] = False
        self.over = np.zeros(shape, np.uint8)
        self.values = random.integers(0, self.largest_h + 1, STATES).astype(float)
        if "terminal" in self.odd:
            self.over[:] = random.random(shape) < 0.1
        for array, name in ((self.values[1:], "h"), (self.edge_costs[1:], "cost")):
            if name in self.odd:
                array[random.random(array.shape) < 3 / self.states] = self.odd[name]

    @property
    def tables(self):
        names = ("targets", "edge_costs", "over", "degrees", "goals")
        return {name: getattr(self, name) for name in names}

    def board(self, state):
        return sl.Board([[int(state)] * (CELLS * self.words)])

    def domain(self, recommended="early"):
        def edges(board):
            state = state_of(board.tiles)
            for k in range(self.degrees[state]):
                yield str(k), self.board(self.targets[state, k]), self.edge_costs[state, k], bool(self.over[state, k])

        return sl.Domain(
            "random-graph",
            edges,
            lambda board: bool(self.goals[state_of(board.tiles)]),
            values={"values": lambda board: self.values},
            unit_cost=False,
            packed=lambda board: sl.PackedForm(
                values=STATES, max_successors=DEGREE, successors=successors, is_goal=is_goal, tables=self.tables
            ),
            defaults=sl.Defaults(duplicates=recommended),
        )

    def result(self, engine, frontier, expansions, **options):
        return sl.solve(
            self.board(0),
            domain=self.domain(),
            heuristic=sl.Heuristic("value", value, prefer=self.prefer),
            frontier=frontier,
            engine=engine,
            limits=sl.Limits(expansions=expansions),
            **options,
        )

    def figures(self, engine, frontier, expansions):
        result = self.result(engine, frontier, expansions)
        assert result.engine == engine
        return {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in OF_THE_MACHINE}

    def assert_twins(self, frontier, expansions):
        """Assert that both drivers do the same, and return what that is."""
        compiled, readable = (self.figures(engine, frontier, expansions) for engine in ("compiled", "readable"))
        left_out = set()
        if readable["status"] == "error":
            left_out = {"max_open"}  # noted before each expansion, or after it
            if "late" in str(frontier):
                left_out |= {"generated", "evaluated", "stored", "layers"}  # those of the last expansion are left out
        assert without(left_out, compiled) == without(left_out, readable)
        return readable


def without(names, figures):
    return {name: figure for name, figure in figures.items() if name not in names}


@st.composite
def graphs(draw):
    """Graphs with zero costs, several costs, equal successors, loops, ends of the game, and some with odd values."""
    odd = {}
    if draw(st.booleans()):
        odd["terminal"] = 1.0
    kind = draw(st.sampled_from(["", "", "h", "cost"]))
    if kind:
        odd[kind] = draw(st.sampled_from(ODD_ESTIMATES if kind == "h" else ODD_COSTS))
    return RandomGraph(
        seed=draw(st.integers(0, 2**32 - 1)),
        states=draw(st.sampled_from([12, 300, 4000])),
        words=draw(st.integers(1, 3)),
        costs=draw(st.sampled_from([(1,), (0, 1), (1, 2, 7), (3, 50, 200)])),
        largest_h=draw(st.sampled_from([0, 3, 40])),
        prefer=draw(st.sampled_from(["low", "low", "high"])),
        odd=odd,
    )


@pytest.mark.slow
@given(graphs(), st.sampled_from(FRONTIERS), st.sampled_from([1, 40, 1500, 5000]), st.sampled_from([6, 2**16]))
def test_both_engines_agree_on_random_graphs(graph, frontier, expansions, most_active):
    """Same nodes, figures, solutions and errors, whatever costs and values come in the way, and with few buckets."""
    with patch.multiple(run_buckets, MOST_ACTIVE=most_active, MOST_CLASSES=min(most_active, run_buckets.MOST_CLASSES)):
        graph.assert_twins(frontier, expansions)


def piecewise(g, h, of_g=1.0, of_h=1.0, low=4.0, high=16.0, inside_g=0.0, inside_h=1.0, step=0.0, bend=9.0, bent=0.0):
    """A priority that is one linear form for h from `low` to `high` and another elsewhere, and may go in steps."""
    priority = inside_g * g + inside_h * h if low <= h < high else of_g * g + of_h * h
    if g > bend:
        priority += bent * (g - bend)
    return step * (priority // step) if step > 0.0 else priority


@st.composite
def frontiers(draw):
    """Strategies whose priority may rise with g here and fall there, or tell some of h or g apart and others not."""
    rising, any_slope = st.sampled_from([0.001, 0.5, 1.0]), st.sampled_from([0.0, 0.0, 0.001, 1.0, 3.0, -1.0, 1e13])
    by_g = draw(st.booleans())
    values = {"of_g": draw(rising) if by_g else draw(any_slope), "of_h": draw(any_slope), "bent": 0.0}
    values |= {"inside_g": draw(any_slope), "inside_h": draw(any_slope)}
    if draw(st.integers(0, 3)) == 0:
        values["bent"] = draw(any_slope)
    low = draw(st.sampled_from([0.0, 5.0, 5.0, 30.0]))
    component = sl.Frontier(
        "piecewise",
        piecewise,
        ties=draw(st.sampled_from(["low-h", "high-h", "none"])),
        optimal_with=draw(st.sampled_from(["never", "always"])),  # always: in batches
        uses_heuristic=draw(st.integers(0, 5)) > 0,
    )
    values["siblings"] = draw(st.sampled_from(["last", "first"]))
    values["order"] = draw(st.sampled_from(["newest", "oldest", "random"]))
    if values["order"] == "random":
        del values["siblings"]
    values["reopen"] = draw(st.sampled_from(["yes", "no"]))
    values["duplicates"] = draw(st.sampled_from(["early", "late"]))
    bend, step = draw(st.sampled_from([0.0, 5.0, 50.0])), draw(st.sampled_from([0.0, 0.0, 0.0, 2.0, 0.3]))
    return sl.frontier(component, low=low, high=low + 11, bend=bend, step=step, **values)


@pytest.mark.slow
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(1,), (0, 1), (1, 2, 7), (3, 50, 200)]),
    st.sampled_from([0, 3, 20, 60]),
    frontiers(),
    st.sampled_from([40, 600]),
    st.sampled_from([run_buckets.SAMPLE_VALUES, (0, 1), (0,)]),
)
@settings(max_examples=80)
def test_both_engines_agree_with_any_priority(seed, costs, largest_h, frontier, expansions, asked):
    """Buckets are used only while their order equals that of the priority."""
    with patch.object(run_buckets, "SAMPLE_VALUES", asked):
        RandomGraph(seed, states=300, costs=costs, largest_h=largest_h).assert_twins(frontier, expansions)


@pytest.mark.slow
def test_both_engines_agree_if_a_priority_suits_buckets_only_at_first(heaps):
    """Then the heap takes over."""
    graph = RandomGraph(seed=3, states=4000, costs=(1, 2), largest_h=40)
    graph.goals[:] = False
    for duplicates in ("early", "late"):
        component = sl.Frontier("piecewise", piecewise, ties="low-h", reopen="yes", duplicates="domain")
        graph.assert_twins(sl.frontier(component, duplicates=duplicates, low=15.0, high=20.0), 3000)
    assert [search.control.expanded > 0 for search in heaps] == [True, True]


def fails_between(g, h):
    """A priority that is no number for a g that no node has."""
    return g + h + 0.0 / (g - 4.0)


@pytest.mark.parametrize("duplicates", ["early", "late"])
def test_errors_of_a_priority_for_untested_values_are_ignored(duplicates, heaps):
    """Its order is tested with values that no node has."""
    graph = RandomGraph(seed=3, states=300, costs=(3, 6), largest_h=8)
    graph.goals[:] = False
    component = sl.Frontier("fails-between", fails_between, ties="low-h", reopen="yes", duplicates="domain")
    with patch.object(run_buckets, "SAMPLE_VALUES", (0, 1, 2)):
        found = graph.assert_twins(sl.frontier(component, duplicates=duplicates), 200)
    assert (found["status"], len(heaps)) == ("expansion-limit", 1)


@pytest.fixture
def heaps(monkeypatch):
    """Lists the searches that a heap has taken over."""
    taken_over = []
    take_over = run_best_first.BestFirstSearch.take_over

    def noting(heap, search):
        taken_over.append(search)
        return take_over(heap, search)

    monkeypatch.setattr(run_best_first.BestFirstSearch, "take_over", noting)
    return taken_over


@pytest.mark.slow
@pytest.mark.parametrize("frontier", FRONTIERS[1:5])
def test_buckets_reopen_closed_nodes(frontier, heaps):
    """Among the graphs above are some on which buckets alone reopen many nodes, in batches where there are any."""
    graph = RandomGraph(seed=3, states=4000, costs=(1, 2), largest_h=40)
    graph.goals[:] = False
    found = graph.assert_twins(frontier, 4000)
    assert (found["reopened"] > 500, heaps) == (True, [])


@pytest.mark.slow
@pytest.mark.parametrize("frontier", [name for name in FRONTIERS if "astar" in str(name)])
@pytest.mark.parametrize("odd", [0.5, -3.0, 5000.0])
def test_the_heap_takes_over_in_the_middle(frontier, odd, heaps):
    """Among them are some in which a value that does not fit comes up when much has been done."""
    graph = RandomGraph(seed=3, states=4000, costs=(1, 2), largest_h=40)
    graph.goals[:] = False
    graph.values[2500] = odd
    found = graph.assert_twins(frontier, 3000)
    (search,) = heaps
    assert 200 < search.control.expanded < found["expanded"]


@pytest.mark.slow
@pytest.mark.parametrize("most_segments", [0, 1, 62])
@pytest.mark.parametrize("duplicates", ["early", "late"])
def test_buckets_of_a_random_order_are_split_as_far_as_there_is_room(duplicates, most_segments, heaps):
    """Thousands of equal nodes, of which some are taken, then more come; in few segments, too."""
    graph = RandomGraph(seed=3, states=4000, costs=(0, 1), largest_h=1)
    graph.goals[:] = False
    family = run_buckets.EarlyBucketSearch if duplicates == "early" else run_buckets.LateBucketSearch
    ((function, takes, options),) = family.kernels
    with patch.object(family, "kernels", ((function, takes, {**options, "MOST_SEGMENTS": most_segments}),)):
        found = graph.assert_twins(f"astar:duplicates={duplicates},order=random", 3000)
    assert (found["expanded"] > 1500, heaps) == (True, [])


@pytest.mark.parametrize("order", ["newest", "oldest", "random"])
def test_searches_of_equal_nodes_that_reuse_arrays_do_the_same(order):
    """What one leaves in its buckets is gone."""
    graph = RandomGraph(seed=3, states=4000, largest_h=0)
    graph.goals[:] = False
    searcher = sl.searcher(
        domain=graph.domain(),
        heuristic=sl.Heuristic("value", value),
        frontier=f"greedy:order={order}",
    )
    found = [searcher(graph.board(0), limits=sl.Limits(expansions=800)) for _ in range(3)]
    assert len({(result.generated, result.max_open, result.status) for result in found}) == 1
    assert found[0].max_open > 300


BY_CLASS = [name for name in FRONTIERS if "astar" not in str(name) and "uniform" not in str(name)]


@pytest.mark.slow
@pytest.mark.parametrize("frontier", BY_CLASS)
@pytest.mark.parametrize("prefer", ["low", "high"])
def test_priorities_without_g_have_a_bucket_for_any_value(frontier, prefer, heaps):
    """Fractions, scores, which enter as negative values, and large values; 0 and -0 are one."""
    graph = RandomGraph(seed=3, states=4000, costs=(1, 2), largest_h=40, prefer=prefer)
    graph.goals[:] = False
    graph.values[2500], graph.values[2501:2503] = 0.5, [1e17, -0.0]
    found = graph.assert_twins(frontier, 3000)
    assert (found["expanded"] > 2000, heaps) == (True, [])


@pytest.mark.parametrize("frontier", BY_CLASS)
def test_the_heap_takes_over_if_there_are_too_many_values(frontier, heaps):
    """There is room for so many classes, which are met one after another."""
    graph = RandomGraph(seed=3, states=4000, costs=(1, 2), largest_h=40)
    graph.goals[:] = False
    with patch.object(run_buckets, "MOST_CLASSES", 40):
        graph.values[2500] = 0.5
        found = graph.assert_twins(frontier, 3000)
    (search,) = heaps
    assert 0 < search.control.expanded < found["expanded"]


@pytest.mark.parametrize("odd", [0.0, 0.5])
def test_compiling_the_heap_does_not_count_as_time_of_the_search(monkeypatch, odd):
    """Progress reports it."""

    def prepare(compiled):
        with announced("best_first"):
            time.sleep(odd)

    monkeypatch.setattr(run_best_first.BestFirstSearch, "prepare", prepare)
    graph, told = RandomGraph(seed=3, states=4000, costs=(1, 2), largest_h=40), []
    graph.goals[:] = False
    graph.values[2500] = odd
    began = time.monotonic()
    result = graph.result("compiled", "astar", 3000, progress=told.append)
    took = time.monotonic() - began
    assert result.status == "expansion-limit"
    assert took - result.seconds >= odd
    assert not odd or "compiling" in [progress.phase for progress in told]


def test_an_error_is_reported_if_the_heap_has_no_room(monkeypatch):
    """A heuristic that fails in a search too large to be taken over is reported with its board."""
    graph = RandomGraph(seed=1, states=4000, odd={"h": RAISES})
    monkeypatch.setattr(run_best_first.BestFirstSearch, "take_over", lambda heap, search: False)
    found = graph.figures("compiled", "astar:duplicates=early", 4000)
    assert found["status"] == "error"
    assert "heuristic value: ValueError: not this one" in found["reason"]
    (board,) = {int(line.split()[0]) for line in found["reason"].splitlines()[2:]}
    assert graph.values[board] == RAISES


def first_of_all(g, h, width=1):
    """A priority of g, which has a parameter that a beam needs."""
    return h - g


@pytest.mark.slow
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(0,), (1,), (0, 1)]),
    st.sampled_from([0, 3, 40]),
    st.integers(1, 9),
    st.booleans(),
    st.integers(1, 2),
)
@settings(max_examples=60)
def test_both_engines_end_circular_beams_at_the_same_expansion(seed, costs, largest_h, width, by_cost, words):
    """Without any limit: a layer that comes again ends the search, in both drivers after the same expansions."""
    graph = RandomGraph(seed, states=60, costs=costs, largest_h=largest_h, words=words)
    frontier = f"beam:width={width}"
    if by_cost and costs == (0,):
        frontier = sl.frontier(
            sl.Frontier("by-cost", first_of_all, family="beam", parameters=(sl.Parameter("width", 1),)), width=width
        )
    found = graph.assert_twins(frontier, None)
    assert found["status"] in ("solved", "exhausted", "unsolvable")  # the last if nothing was cut


def misplaced_unless(tiles, banned=0):
    """Misplaced tiles, of whole numbers; it fails where the first row reads `banned`."""
    if tiles[0, 0] * 100 + tiles[0, 1] * 10 + tiles[0, 2] == banned:
        raise ValueError("not this row")
    wrong = 0
    for row in range(3):
        for column in range(3):
            wrong += (tiles[row, column] != 0) & (tiles[row, column] != 3 * row + column + 1)
    return wrong


def misplaced_as_a_fraction(tiles, banned=0):
    """The same values as numbers that might be fractions."""
    return 0.5 * (2 * misplaced_unless(tiles, banned))


UNLESS = {
    "whole numbers": sl.Heuristic("misplaced-unless", misplaced_unless),
    "fractions": sl.Heuristic("misplaced-as-a-fraction", misplaced_as_a_fraction),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "banned", "status"),
    [
        ("whole numbers", 0, "solved"),
        ("whole numbers", 123, "error"),
        ("fractions", 123, "error"),
        ("taxicab", 0, "solved"),
    ],
)
def test_a_kernel_inlined_during_a_search_does_not_change_it(name, banned, status):
    """The kernel that takes over does the same, to the node, the figures of one that fails included.

    It takes estimates as whole numbers where the heuristic computes nothing else.
    """

    def search():
        result = sl.solve(
            sl.Board([[8, 6, 7], [2, 5, 4], [3, 0, 1]]),
            domain="sliding-tile",
            frontier="astar:duplicates=late",
            heuristic=sl.heuristic(UNLESS[name], banned=banned) if name in UNLESS else name,
        )
        return {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in OF_THE_MACHINE}

    called = search()
    with (
        patch.object(run_buckets, "LOOK_UP_AFTER", 500),
        patch.object(run_buckets, "COMPILE_AFTER", 500),
        patch.object(run_buckets, "cached_kernel", return_value=None),  # whatever an earlier run compiled
        patch.object(run_buckets, "compile_kernel", wraps=run_buckets.compile_kernel) as compiled,
    ):
        inlined = search()
    taken = compiled.call_args_list[-1].args[1]  # that of fractions is compiled once the other did not compile
    assert taken is (run_buckets.LateBuckets if name == "fractions" else run_buckets.WHOLE_ESTIMATES)
    assert inlined == called
    assert (called["status"], called["expanded"] > 1000) == (status, True)


def test_nothing_is_compiled_for_a_search_that_ends_soon():
    """Because of its limit of time or expansions."""
    with (
        patch.object(run_buckets, "LOOK_UP_AFTER", 10),
        patch.object(run_buckets, "COMPILE_AFTER", 300),
        patch.object(run_buckets, "cached_kernel", return_value=None),
        patch.object(run_buckets, "compile_kernel") as compiled,
    ):
        for limits in (sl.Limits(seconds=30), sl.Limits(expansions=500)):
            board = sl.Board([[8, 6, 7], [2, 5, 4], [3, 0, 1]])
            sl.solve(board, domain="sliding-tile", frontier="astar", heuristic="misplaced", limits=limits)
    assert compiled.call_count == 0
