"""Heuristics that are evaluated in Python while the search is compiled: NumPy, pandas, a network; and what can fail."""

import math
import signal
import time
import warnings

import numpy as np
import pandas as pd
import pytest

import searchlab as sl

BOARD = sl.Board([[8, 1, 3], [4, 0, 2], [7, 6, 5]])
DOMAIN = "sliding-tile"
HOME = {float(tile): divmod(tile - 1, 3) for tile in range(1, 9)}


def by_dict(tiles):
    """The Manhattan distance by a dict, which does not compile, as its keys are fractions."""
    places = ((int(tiles[r, c]), r, c) for r in range(3) for c in range(3))
    return sum(abs(HOME[tile][0] - r) + abs(HOME[tile][1] - c) for tile, r, c in places if tile)


def in_numpy(boards, goal_row, goal_col):
    rows, columns = np.indices(boards.shape[1:])
    return ((abs(goal_row[boards] - rows) + abs(goal_col[boards] - columns)) * (boards != 0)).sum(axis=(1, 2))


def in_pandas(boards):
    cells = pd.DataFrame(boards.reshape(len(boards), -1)).melt(ignore_index=False, var_name="cell", value_name="tile")
    cells = cells[cells["tile"] > 0]
    down = (cells["cell"].astype(int) // 3 - (cells["tile"] - 1) // 3).abs()
    right = (cells["cell"].astype(int) % 3 - (cells["tile"] - 1) % 3).abs()
    return (down + right).groupby(level=0).sum()


def network(boards, hidden=16, seed=1):
    """A network with one hidden layer and weights drawn by lot; nobody says that it is any good."""
    random = np.random.default_rng(seed)
    inner, outer = random.normal(size=(boards[0].size, hidden)), random.random(hidden)
    return np.maximum(boards.reshape(len(boards), -1) @ inner, 0) @ outer


def bound(**forms):
    return sl.heuristic(sl.Heuristic("mine", **forms), domain=DOMAIN)


def solve(heuristic, frontier="astar", **arguments):
    return sl.solve(BOARD, domain=DOMAIN, heuristic=heuristic, frontier=frontier, **arguments)


@pytest.mark.parametrize("frontier", ["astar", "greedy", "weighted-astar", "beam:width=20"])
@pytest.mark.parametrize("form", [in_numpy, in_pandas])
def test_forms_with_equal_values_expand_the_same_nodes(form, frontier):
    """A batch form in NumPy or pandas leads to the nodes that the compiled heuristic leads to."""
    batches, compiled = (solve(h, frontier, batch=1000, engine="compiled") for h in (bound(batch=form), "taxicab"))
    assert batches.status == "solved"
    for figure in ("actions", "expanded", "generated", "evaluated", "stored", "max_open", "reopened", "batch"):
        assert getattr(batches, figure) == getattr(compiled, figure)


def test_figures_do_not_depend_on_the_number_of_threads():
    """A search whose batches several threads evaluate is the same search."""
    mine = sl.Heuristic("mine", batch=in_numpy)
    several = (sl.heuristic(mine, domain=DOMAIN, threads=count) for count in (1, 2, 3))
    results = [sl.solve("sliding-tile/puzzle8-31", domain=DOMAIN, heuristic=h) for h in several]
    assert results[0].evaluated > 2000
    for figure in ("actions", "expanded", "generated", "evaluated", "stored", "max_open", "reopened"):
        assert len({getattr(result, figure) for result in results}) == 1


@pytest.mark.parametrize("frontier", ["greedy", "astar", "beam:width=5"])
def test_both_engines_agree_with_a_network(frontier):
    """Its parameters are the heuristic's, and every figure is the same."""
    heuristic = sl.heuristic(sl.Heuristic("net", batch=network, prefer="high"), domain=DOMAIN, hidden=5)
    results = [
        solve(heuristic, frontier, engine=e, limits=sl.Limits(expansions=2000)) for e in ("compiled", "readable")
    ]
    assert results[0].heuristic == "net:hidden=5"
    for figure in ("status", "actions", "expanded", "generated", "evaluated", "stored", "max_open", "batch"):
        assert getattr(results[0], figure) == getattr(results[1], figure)


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["astar", "greedy", "ida-star", "depth-first", "breadth-first", "beam"])
def test_a_batch_form_alone_works_with_every_frontier(frontier):
    """Where a search is not compiled for it, one line says so and it runs interpreted."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = solve(bound(batch=in_numpy), frontier, limits=sl.Limits(expansions=500))
    assert result.status in ("solved", "expansion-limit")
    assert result.engine == ("readable" if frontier == "ida-star" else "compiled")
    expected = ["heuristic mine has a batch form only; the search runs interpreted, about 100 times slower"]
    assert [str(warning.message) for warning in said] == (expected if frontier == "ida-star" else [])


def test_an_uncompilable_heuristic_is_evaluated_in_batches_with_a_warning():
    """One line says why and what it means, at the line that asked for the search."""
    with pytest.warns(sl.SearchlabWarning) as said:
        result = solve(by_dict)
    assert (result.engine, result.batch, result.status) == ("compiled", 1000, "solved")
    (warning,) = said
    assert str(warning.message).startswith("by_dict cannot be compiled: it uses HOME, a dict whose keys are not ")
    assert str(warning.message).endswith("; it is evaluated in Python, in batches of 1,000")
    assert warning.filename == __file__
    with pytest.warns(sl.SearchlabWarning, match="evaluated in Python, layer by layer"):
        assert solve(by_dict, "beam").batch == 1


def test_a_batch_form_gives_no_warning():
    """Beside a function that does not compile it is used; beside one that does, that is."""
    values = []

    def noted(boards):
        values.append(len(boards))
        return [by_dict(tiles) for tiles in boards]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert solve(bound(function=by_dict, batch=noted)).batch == 1000
        assert max(values) > 10
        values.clear()
        taxicab = sl.heuristic("taxicab", domain=DOMAIN).component.function
        assert solve(bound(function=taxicab, batch=noted)).batch == 1
    assert values == []


def test_both_engines_have_the_same_default_batch():
    """A heuristic with a batch form only has batches of 1,000 in both, a plain function in neither."""
    assert solve(bound(batch=in_numpy), engine="readable").batch == 1000
    assert solve(bound(function=by_dict, batch=in_numpy), engine="readable").batch == 1
    assert solve(by_dict, engine="readable").batch == 1
    assert solve(by_dict, engine="readable", batch=30).batch == 30
    assert solve("taxicab").batch == 1


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["breadth-first", "depth-first", "uniform-cost", "beam", "ida-star"])
def test_strategies_without_order_by_h_ignore_batches(frontier):
    assert solve("taxicab", frontier, batch=50, limits=sl.Limits(expansions=300)).batch == 1


@pytest.mark.parametrize("batch", [0, -3, 2.5, "10", 2**63])
@pytest.mark.parametrize("frontier", ["astar", "beam"])
def test_batches_of_no_size_are_refused(frontier, batch):
    """A usage error in one line, before anything is searched."""
    with pytest.raises(sl.UsageError, match="a batch is a whole number of nodes, 1 or more, not"):
        solve("taxicab", frontier, batch=batch)


def test_a_batch_may_be_larger_than_the_search():
    """Up to what fits into a machine's word, with the largest limit of expansions."""
    limits = sl.Limits(expansions=2**63 - 1)
    found = [solve("taxicab", "greedy", batch=2**62, engine=e, limits=limits) for e in ("compiled", "readable")]
    assert [(result.status, result.batch) for result in found] == [("solved", 2**62)] * 2
    assert found[0].expanded == found[1].expanded


def test_late_detection_and_batches_are_incompatible():
    """Asked for both, a usage error says what to leave out; where the domain recommends late, batches win."""
    with pytest.raises(sl.UsageError, match="astar cannot detect duplicates late in batches of 20: leave out"):
        solve("taxicab", "astar:duplicates=late", batch=20)
    assert solve("taxicab", "astar:duplicates=late", batch=1).duplicates > 0
    assert solve("taxicab", "astar", batch=20).duplicates == 0
    assert solve("taxicab", "uniform-cost:duplicates=late", batch=20).batch == 1


def test_with_late_detection_an_uncompilable_heuristic_runs_interpreted():
    """One line says what would help."""
    for arguments in ({"frontier": "astar:duplicates=late"}, {"frontier": "astar", "batch": 1}):
        with pytest.warns(sl.SearchlabWarning, match="in Python it needs duplicates=early, or batches.*interpreted"):
            result = solve(bound(function=by_dict), **arguments)
        assert (result.engine, result.batch) == ("readable", 1)
        assert result.duplicates > 0


def test_a_domain_without_packed_form_is_searched_in_batches(graph):
    """Interpreted, in one call a batch."""
    tried = graph({k: [k + 1, k + 2] for k in range(200)}, goals={150})
    sizes = []

    def remaining(boards):
        sizes.append(len(boards))
        return 150 - boards[:, 0, 0]

    h = sl.Heuristic("remaining", batch=remaining)
    with pytest.warns(sl.SearchlabWarning, match="domain graph has no packed form"):
        result = sl.solve(sl.Board([[0]]), domain=tried.domain, heuristic=sl.heuristic(h), frontier="greedy")
    assert (result.status, result.engine, result.batch) == ("solved", "readable", 1000)
    assert max(sizes) > 1


def test_boards_of_several_shapes_are_evaluated_shape_by_shape(graph):
    """A domain may change the shape of its boards: each call has boards of one shape."""

    def wider(board):
        yield "wider", sl.Board(np.zeros((1, board.shape[1] + 1), int))
        yield "taller", sl.Board(np.zeros((board.shape[0] + 1, 1), int))

    domain = sl.Domain("growing", wider, lambda board: board.shape == (1, 5))
    h = sl.Heuristic("small", batch=lambda boards: np.full(len(boards), boards[0].size))
    result = sl.solve(
        sl.Board([[0]]), domain=sl.domain(domain), heuristic=sl.heuristic(h), frontier="beam", engine="readable"
    )
    assert (result.status, result.moves) == ("solved", 4)


def fails(tiles):
    if HOME[1] and tiles[1, 1] == 1:
        raise LookupError("no table\nfor this")
    return 0


def fails_compiled(tiles):
    return math.log(abs(tiles[1, 1] - 1)) if tiles[1, 1] != 1 else 1 // (tiles[1, 1] - 1)


def fails_in_a_batch(boards):
    return np.log(abs(boards[:, 1, 1] - 1))


def not_a_number(boards):
    return np.where(boards[:, 1, 1] == 1, math.nan, 1.0)


@pytest.mark.filterwarnings("ignore:.*evaluated in Python")
@pytest.mark.parametrize("engine", ["compiled", "readable"])
@pytest.mark.parametrize("frontier", ["astar", "greedy", "beam"])
@pytest.mark.parametrize(
    "form",
    [{"function": fails}, {"function": fails_compiled}, {"batch": fails_in_a_batch}, {"batch": not_a_number}],
)
def test_a_failing_heuristic_ends_the_run_with_the_board(form, frontier, engine):
    """Status `error`, message, file and line, and the very board of the batch that caused it."""
    result = solve(bound(**form), frontier, engine=engine, batch=1000)
    first, *board = result.reason.split("\n")
    assert result.status == "error"
    assert sl.Board.parse("\n".join(board)).tile_at(1, 1) == 1
    (function,) = form.values()
    if function is not_a_number:
        assert first == "heuristic mine returned NaN, which is not an estimate"
    else:
        line = function.__code__.co_firstlineno + (2 if function is fails else 1)
        what = "LookupError: no table for this" if function is fails else "FloatingPointError: divide by zero"
        assert first.startswith(f"heuristic mine: {what}")
        assert f"test_evaluation.py, line {line})" in first
    assert result.expanded > 0


@pytest.mark.parametrize("form", [{"function": fails}, {"batch": fails_in_a_batch}, {"batch": not_a_number}])
@pytest.mark.filterwarnings("ignore:.*evaluated in Python")
@pytest.mark.parametrize("frontier", ["astar", "greedy", "beam"])
def test_the_figures_at_an_error_are_the_same(form, frontier):
    """Both engines have expanded, generated, evaluated and stored as much."""
    found = [solve(bound(**form), frontier, engine=engine, batch=1000) for engine in ("compiled", "readable")]
    for figure in ("reason", "expanded", "generated", "evaluated", "stored", "reopened"):
        assert getattr(found[0], figure) == getattr(found[1], figure)


@pytest.mark.parametrize("engine", ["compiled", "readable"])
def test_a_batch_that_fails_though_no_board_does_shows_the_first(engine):
    """The line says that none fails alone."""

    def only_together(boards):
        if len(boards) > 2:
            raise RuntimeError("too many")
        return boards[:, 0, 0]

    result = solve(bound(batch=only_together), "greedy", engine=engine)
    first, *board = result.reason.split("\n")
    assert first.startswith("heuristic mine: RuntimeError: too many (")
    assert first.endswith("boards fails alone, the first is shown")
    assert sl.Board.parse("\n".join(board)).shape == (3, 3)


@pytest.mark.parametrize("engine", ["compiled", "readable"])
@pytest.mark.parametrize(
    ("batch", "said"),
    [
        (lambda boards: boards.sum(), "an array of shape ()"),
        (lambda boards: boards, "an array of shape (1, 3, 3)"),
        (lambda boards: [[1.0]] * len(boards), "an array of shape (1, 1)"),
        (lambda boards: np.zeros(len(boards) + 1), "an array of shape (2,)"),
        (lambda boards: None, "an array of shape ()"),
        (lambda boards: ["high"] * len(boards), "an array of type <U4"),
        (lambda boards: [None] * len(boards), "an array of type object"),
        (lambda boards: [1j] * len(boards), "an array of type complex128"),
    ],
)
def test_a_wrong_number_of_values_is_an_error_of_one_line(batch, said, engine):
    result = solve(bound(batch=batch), engine=engine)
    wanted = "a number for each of 1 boards is wanted, shape (1,)"
    assert (result.status, result.reason) == ("error", f"heuristic mine: its batch form returned {said}; {wanted}")


def test_ragged_values_are_an_error_of_one_line():
    result = solve(bound(batch=lambda boards: [[1], [1, 2]]))
    assert result.reason.startswith("heuristic mine: its batch form did not return an array of numbers: ValueError: ")
    assert "\n" not in result.reason


@pytest.mark.parametrize("engine", ["compiled", "readable"])
def test_boards_passed_to_batch_forms_are_read_only(engine):
    """What is handed over is read-only and cannot be made writable, all boards together or one of them."""
    for heuristic in (
        bound(batch=lambda boards: [boards.setflags(write=True), 0][1:]),
        bound(batch=lambda boards: boards[0].__setitem__((0, 0), 9)),
        bound(function=lambda tiles: HOME and tiles.setflags(write=True)),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = solve(heuristic, engine=engine, batch=10)
        assert result.status == "error"
        assert "ValueError: " in result.reason


@pytest.mark.filterwarnings("ignore:.*evaluated in Python")
@pytest.mark.parametrize("engine", ["compiled", "readable"])
@pytest.mark.parametrize("frontier", ["greedy", "beam:width=1000"])
def test_ctrl_c_does_not_wait_for_a_batch_of_slow_values(frontier, engine):
    """It ends a search between two pieces of a batch, with status `interrupted`."""
    calls = []

    def slow(tiles):
        calls.append(HOME)
        if len(calls) == 2000:
            signal.raise_signal(signal.SIGINT)
        return -len(calls)

    result = solve(bound(function=slow), frontier, engine=engine, batch=10**6)
    assert result.status == "interrupted"
    assert len(calls) <= 2064


@pytest.mark.filterwarnings("ignore:.*evaluated in Python")
@pytest.mark.parametrize("form", ["function", "batch"])
def test_the_time_limit_holds_with_slow_heuristics(form):

    def slow(tiles):
        time.sleep(0.001 if HOME else 0)
        return 1.0

    forms = {"function": slow, "batch": lambda boards: [slow(tiles) for tiles in boards]}
    result = solve(bound(**{form: forms[form]}), "greedy", limits=sl.Limits(seconds=0.3))
    assert result.status == "time-limit"
    assert result.expanded > 8


def test_the_memory_limit_counts_waiting_nodes():
    """A search in huge batches stops below its limit."""
    limits = sl.Limits(memory=3_000_000)
    result = solve(bound(batch=network), "greedy", limits=limits, batch=10**9)
    assert result.status == "memory-limit"
    assert 1_000_000 < result.peak_bytes <= 3_000_000


def test_progress_is_reported_between_batches():
    told = []

    def slow(boards):
        time.sleep(0.05)
        return network(boards)

    solve(bound(batch=slow), "greedy", limits=sl.Limits(seconds=1), progress=told.append)
    assert len([call for call in told if call.phase == "searching"]) >= 3
