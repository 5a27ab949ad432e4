"""Every solution is replayed: the first ones on boards, the others by the compiled rules; boards are made on demand."""

import pickle
from resource import RUSAGE_SELF, getrusage

import numpy as np
import pytest

import searchlab as sl
from searchlab.compiler.arrays import reserve
from searchlab.compiler.cache import NotCompiledYet
from searchlab.search import replay
from searchlab.search.compiled import replay as packed_replay
from searchlab.search.compiled.replay import CHAIN_ROOM, LONG_PATH, PackedPath
from searchlab.testing import check
from tests.search.random_graphs import RandomGraph

START = sl.Board([[1, 2, 3], [4, 5, 6], [0, 7, 8]])
FIGURES = ("status", "reason", "moves", "cost", "actions", "states", "expanded", "optimal", "bound")


@pytest.fixture
def compiled_at_once(monkeypatch):
    """The first solution is replayed both compiled and on boards, the next 63 compiled."""
    monkeypatch.setattr(replay, "CHECKED_MOVES", 0)
    monkeypatch.setattr(replay, "WORTH_COMPILING", 0)


@pytest.fixture
def on_boards(monkeypatch):
    """The solutions that are replayed on boards."""
    found = []
    function = replay.replay_on_boards

    def noting(problem, path):
        found.append(path)
        return function(problem, path)

    monkeypatch.setattr(replay, "replay_on_boards", noting)
    return found


def line(*, packed_moves=1, packed_cost=1, packed_goal=3):
    """States 0 … 3 in a line, with a step and a jump to the next; the packed form may differ."""

    def successors(board):
        place = board.tile_at(0, 0)
        if place < 3:
            yield "jump", sl.Board([[place + 1]]), 5
            yield "step", sl.Board([[place + 1]]), 1

    def packed_successors(tiles, out, costs):
        count = 0
        if tiles[0, 0] < 3:
            out[0, 0, 0], costs[0] = tiles[0, 0] + 1, 5
            out[1, 0, 0], costs[1] = tiles[0, 0] + packed_moves, packed_cost
            count = 2
        return count

    def is_packed_goal(tiles):
        return tiles[0, 0] == packed_goal

    form = sl.PackedForm(values=8, max_successors=2, successors=packed_successors, is_goal=is_packed_goal)
    return sl.Domain(
        "line",
        successors,
        lambda board: board.tile_at(0, 0) == 3,
        start=lambda: sl.Board([[0]]),
        unit_cost=False,
        packed=lambda board: form,
    )


def figures(result):
    return [getattr(result, name) for name in FIGURES]


def test_the_first_solutions_are_replayed_on_boards(on_boards):
    """Those of another shape, too: their packed form is another one."""
    with sl.searcher(domain="sliding-tile", frontier="astar") as searcher:
        for _ in range(3):
            searcher("sliding-tile/puzzle8-20")
        searcher(sl.Board([[1, 2], [0, 3]]))
    assert [len(path) for path in on_boards] == [21, 21, 21, 2]


def test_later_solutions_are_replayed_compiled_and_now_and_then_on_boards(compiled_at_once, on_boards):
    with sl.searcher(domain="sliding-tile", frontier="astar") as searcher:
        found = [searcher(START) for _ in range(replay.CHECKED_EVERY + 2)]
    assert len(on_boards) == 2
    assert len({str(figures(result)) for result in found}) == 1


def test_longer_solutions_are_samples_less_often(compiled_at_once, on_boards, monkeypatch):
    """A sample costs each solution the same at most."""
    with sl.searcher(domain="sliding-tile", frontier="astar") as searcher:
        searcher("sliding-tile/puzzle8-20")
        monkeypatch.setattr(replay, "CHECKED_LENGTH", 7)  # of 21 states: a third
        monkeypatch.setattr(replay, "CHECKED_EVERY", 4)
        for _ in range(3 * 4 + 1):
            searcher("sliding-tile/puzzle8-20")
    assert [len(path) for path in on_boards] == [21, 21]


def test_nothing_is_compiled_for_a_few_solutions(monkeypatch, on_boards):
    """It takes longer than to replay them on boards."""
    monkeypatch.setattr(replay, "CHECKED_MOVES", 0)
    asked = []
    monkeypatch.setattr(PackedPath, "is_ready", lambda self, *, compiles: asked.append(compiles))
    with sl.searcher(domain="sliding-tile", frontier="astar") as searcher:
        searcher(START), searcher(START)
        monkeypatch.setattr(replay, "WORTH_COMPILING", 3)
        searcher(START), searcher(START), searcher(START)
    assert asked == [False]
    assert len(on_boards) == 5


@pytest.mark.parametrize("frontier", ["astar", "breadth-first", pytest.param("beam", marks=pytest.mark.slow)])
def test_a_solution_is_the_same_however_it_is_replayed(frontier, compiled_at_once):
    boards = [sl.generator("shuffled:n=3")(seed) for seed in range(4)]
    with sl.searcher(domain="sliding-tile", frontier=frontier) as searcher:
        compiled = [searcher(board) for board in boards]
    for board, found in zip(boards, compiled, strict=True):
        assert figures(found) == figures(sl.solve(board, domain="sliding-tile", frontier=frontier))


def test_boards_and_names_of_moves_are_made_when_somebody_looks(compiled_at_once, on_boards):
    with sl.searcher(domain="sliding-tile", frontier="astar") as searcher:
        first, later = searcher(START), searcher(START)
    assert (later.moves, later.cost, len(on_boards)) == (2, 2, 1)
    assert later.actions == first.actions == later.solutions[0].actions
    assert later.boards == first.boards
    assert len(on_boards) == 2


def test_a_copy_has_boards_and_names(compiled_at_once):
    with sl.searcher(domain="sliding-tile", frontier="astar") as searcher:
        first, later = searcher(START), searcher(START)
    copy = pickle.loads(pickle.dumps(later))
    assert (copy.actions, copy.boards, copy.solutions[0].states) == (first.actions, first.boards, first.boards)
    assert later.with_metrics({"mine": 1}).actions == first.actions


@pytest.mark.parametrize("seed", range(40))
def test_costs_are_those_of_the_rules(seed, compiled_at_once):
    """Whole numbers are of the same type."""
    graph = RandomGraph(seed)
    with sl.searcher(domain=graph.domain, heuristic=graph.heuristic, frontier="astar") as searcher:
        found = [searcher(sl.Board([[0]])) for _ in range(2)]
    readable = sl.solve(
        sl.Board([[0]]), domain=graph.domain, heuristic=graph.heuristic, frontier="astar", engine="readable"
    )
    assert [(each.cost, type(each.cost)) for each in found] == 2 * [(readable.cost, type(readable.cost))]
    assert [each.actions for each in found] == 2 * [readable.actions]


def test_of_several_moves_the_cheapest_counts(compiled_at_once):
    with sl.searcher(domain=line(), frontier="uniform-cost") as searcher:
        found = [searcher() for _ in range(2)]
    assert [(each.cost, each.actions) for each in found] == 2 * [(3, ("step", "step", "step"))]


@pytest.mark.parametrize("wrong", [[1, 2, 3], [0, 2, 3], [0, 1, 2], [0, 1, 3, 3]])
def test_a_path_that_is_none_is_found(wrong, compiled_at_once, monkeypatch):
    """As it would be after a mistake of a search."""
    with sl.searcher(domain=line(), frontier="uniform-cost") as searcher:
        problem, made = searcher.problem(), []
        monkeypatch.setattr(replay.Replays, "replay", lambda self, problem, path: made.append(path) or "seen")
        searcher()
        monkeypatch.undo()
    path = made[0]
    compiled, words = path._compiled, path._words
    assert PackedPath(compiled, words).is_ready(compiles=True)
    assert PackedPath(compiled, words).replayed([]).cost == 3
    bent = words[[0] * len(wrong)].copy()
    bent[:, 0] = wrong
    assert PackedPath(compiled, bent).replayed([]) is None
    boards = [sl.Board([[place]]) for place in wrong]
    assert isinstance(replay.replay_on_boards(problem, boards), str)


@pytest.mark.parametrize("is_cached", [True, False])
@pytest.mark.parametrize("moves", [0, 1, LONG_PATH, LONG_PATH + 1, LONG_PATH + 2 * CHAIN_ROOM, 50_000])
@pytest.mark.parametrize("columns", [1, 3])
def test_the_nodes_of_a_solution_are_found_from_its_end(moves, is_cached, columns, monkeypatch):
    """In Python and, far from its end, by a kernel; parents may be a column of a larger array."""
    nodes = 1 + np.random.default_rng(moves).permutation(moves)
    parents = np.full((moves + 1, columns), 7, np.uint32)[:, -1]
    parents[nodes] = [*nodes[1:], *[0][:moves]]
    packed_replay._follow_parents()
    if not is_cached:
        monkeypatch.setattr(packed_replay, "_follow_parents", refused)
    monkeypatch.setattr(packed_replay, "packed_path", lambda compiled, words, path: list(path))
    last = int(nodes[0]) if moves else 0
    assert packed_replay.path_to(last, None, None, parents) == [0, *nodes[::-1]]


def refused():
    raise NotCompiledYet


def test_the_path_of_a_solution_reads_no_other_node(monkeypatch):
    """Nodes lie in records, in memory that is reserved for as many as may come: reading all of it takes gigabytes."""
    monkeypatch.setattr(packed_replay, "PackedPath", lambda compiled, words: words)
    records = reserve(2**31, np.uint64).reshape(-1, 4)
    records[[0, 7]] = 1, 2, 3, 4
    before = getrusage(RUSAGE_SELF).ru_maxrss
    path = packed_replay.packed_path(None, records[:, 1:2], [0, 7])
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < 100_000
    assert path.tolist() == [[2], [2]]


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        ({"packed_moves": 2}, "move 1 of the solution is not a legal move"),
        ({"packed_goal": 2}, "the solution does not end in a goal"),
        ({"packed_cost": 0}, "the solution costs 3, but the search reported 0"),
    ],
)
def test_a_packed_form_that_disagrees_with_the_rules_is_found(lie, reason):
    result = sl.solve(domain=line(**lie), frontier="uniform-cost", engine="compiled")
    assert result.status == "error"
    assert f"the search and the rules of line disagree: {reason}" in result.reason


def test_a_packed_form_that_begins_to_lie_is_found_at_the_latest_when_somebody_looks(monkeypatch, on_boards):
    """One solution in 64 is replayed on boards when it is found; the moves of all, when they are asked for."""
    monkeypatch.setattr(replay, "CHECKED_MOVES", 0)
    monkeypatch.setattr(replay, "WORTH_COMPILING", 0)
    lies = []
    domain = line()

    def successors(board):
        return [] if lies else domain.successors(board)

    changing = sl.Domain("line", successors, domain.is_goal, start=domain.start, unit_cost=False, packed=domain.packed)
    with sl.searcher(domain=changing, frontier="uniform-cost") as searcher:
        assert searcher().status == "solved"
        lies.append(True)
        found = [searcher() for _ in range(replay.CHECKED_EVERY)]
    assert [result.status for result in found] == ["solved"] * (replay.CHECKED_EVERY - 1) + ["error"]
    assert "move 1 of the solution is not a legal move" in found[-1].reason
    with pytest.raises(sl.PluginError, match="the search and the rules of line disagree: move 1 of the solution"):
        found[0].actions  # noqa: B018


def test_names_of_moves_come_from_the_packed_form_if_it_has_them(compiled_at_once, on_boards):
    with sl.searcher(domain="grid-map") as searcher:
        first, later = searcher("grid-map/rooms.scen#3"), searcher("grid-map/rooms.scen#3")
    assert (later.actions, later.cost, len(on_boards)) == (first.actions, first.cost, 1)


@pytest.fixture
def misnamed():
    """A line of states whose packed form calls its moves by another name."""

    def successors(board):
        yield "on", sl.Board([[min(3, board.tile_at(0, 0) + 1)]])

    def packed_successors(tiles, out, moves):
        out[0, 0, 0] = min(3, tiles[0, 0] + 1)
        moves[0, 0] = 1
        return 1

    def is_goal(tiles):
        return tiles[0, 0] == 3

    form = sl.PackedForm(4, 1, packed_successors, is_goal, move=("action",), actions=("on", "off"))
    return sl.Domain(
        "line",
        successors,
        lambda board: board.tile_at(0, 0) == 3,
        start=lambda: sl.Board([[0]]),
        packed=lambda board: form,
    )


def test_wrong_names_of_moves_are_found_by_the_sample(misnamed, compiled_at_once):
    result = sl.solve(domain=misnamed, frontier="breadth-first", engine="compiled")
    assert "its move on is called off by the packed form" in result.reason


@pytest.mark.slow
def test_plugins_check_finds_wrong_names_of_moves(misnamed):
    """It replays all solutions in both ways."""
    (report,) = check(misnamed, seconds=0.2)
    assert "its move on is called off by the packed form" in report.finding("engines-agree").message
