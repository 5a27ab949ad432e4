"""A recording has the boards of a solution or a game, where the tiles went, and curves over them."""

import pytest

import searchlab as sl
from searchlab.errors import SearchlabError, SearchlabWarning, UsageError
from searchlab.plugins.registry import installed
from searchlab.reports.recording import of_game, of_result, of_run
from searchlab.search.solve import problem
from tests.changed_domain import changed


def recorded(board, **settings):
    return of_result(sl.solve(board, engine="readable", **settings), problem(board, **settings))


def test_a_solution_has_its_boards_and_motions(example8):
    """Each move slides one tile into the blank."""
    recording = recorded(example8, domain="sliding-tile")
    assert recording.actions == ("right", "down", "right")
    assert recording.boards == sl.solve(example8, domain="sliding-tile").boards
    assert [step.motions for step in recording.steps] == [
        (((1, 1), (1, 0)),),
        (((2, 1), (1, 1)),),
        (((2, 2), (2, 1)),),
    ]


def test_curves_of_an_estimate_are_h_remaining_cost_and_f(example8):
    """The remaining cost is exact if the solution is optimal."""
    h, left, f = recorded(example8, domain="sliding-tile").curves
    assert (h.name, h.explanation, h.values) == ("h", "taxicab", (3, 2, 1, 0))
    assert (left.name, left.explanation, left.values) == ("to go", "the exact cost to go", (3, 2, 1, 0))
    assert (f.name, f.explanation, f.values) == ("f", "the priority of astar", (3, 3, 3, 3))
    h, left = recorded(sl.read_board("sliding-tile/puzzle8-20"), domain="sliding-tile", frontier="greedy").curves
    assert left.explanation == "the cost of the rest of this solution"
    *_, f = recorded(example8, domain="sliding-tile", frontier="weighted-astar:weight=2").curves
    assert f.values == (6, 5, 4, 3)
    *_, f = recorded(example8, domain="sliding-tile", frontier="ida-star").curves
    assert f.values == (3, 3, 3, 3)


@pytest.mark.slow
def test_a_score_has_one_curve(board10):
    """Larger values are better; without a heuristic there is no curve."""
    (h,) = recorded(board10, domain="2048").curves
    heuristic = sl.heuristic("left-weighted", domain="2048")
    assert h.values == tuple(heuristic(board) for board in sl.solve(board10).boards)
    assert recorded(board10, domain="2048", frontier="breadth-first").curves == ()


def test_g_is_the_sum_of_the_costs():
    walk = sl.Domain(
        "walk",
        lambda board: [("on", sl.Board([[board.tile_at(0, 0) + 1]]), 2.5)],
        lambda board: board.tile_at(0, 0) == 3,
        start=lambda: sl.Board([[1]]),
        unit_cost=False,
    )
    found = of_result(
        sl.solve(domain=sl.domain(walk), heuristic=lambda tiles: 0.0, engine="readable"),
        problem(domain=sl.domain(walk), heuristic=lambda tiles: 0.0, frontier="astar"),
    )
    assert found.curves[1].values == (5, 2.5, 0)
    assert [step.motions for step in found.steps] == [None, None]


def test_a_search_without_a_solution_has_no_recording(example8):
    """It is refused in one line."""
    result = sl.solve(example8, domain="sliding-tile", limits=sl.Limits(expansions=0))
    with pytest.raises(UsageError, match="no solution to show: expansion-limit"):
        of_result(result, problem(example8, domain="sliding-tile"))


def test_a_game_has_its_score():
    """After each move; the first board has none yet."""
    game = sl.play(player="greedy", seed=3, most_moves=30)
    recording = of_game(game, sl.domain("2048-random"))
    (score,) = recording.curves
    assert score.values[0] == 0
    assert score.values[-1] == game.score
    assert recording.boards == game.boards
    assert recording.actions == game.actions
    assert all(step.motions is not None for step in recording.steps)


def test_the_name_of_the_largest_tile_comes_from_the_domain(example8):
    """An empty name hides it."""
    game = sl.play(player="random", seed=3, most_moves=3)
    gems = changed(sl.domain("2048-random").component, layer_columns={"largest": "largest gem"})
    assert of_game(game, sl.domain(gems)).facts[-1] == ("largest gem", f"{game.boards[-1].largest_tile()}")
    slid = sl.play(example8, domain="sliding-tile", player="random", most_moves=1)
    assert not any("largest" in name for name, _ in of_game(slid, sl.domain("sliding-tile")).facts)


def test_wrong_motions_are_left_out(example8):
    """A warning says once what is wrong, and the boards are shown."""
    wrong = changed(sl.domain("sliding-tile").component, motions=lambda board, action, after: [])
    result = sl.solve(example8, domain=sl.domain(wrong), engine="readable")
    with pytest.warns(SearchlabWarning, match="motions says of the move right that the 4 at row 2, column 2") as told:
        recording = of_result(result, problem(example8, domain=sl.domain(wrong)))
    assert len(told) == 1
    assert [step.motions for step in recording.steps] == [None] * 3


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Three runs of an experiment: an optimal one, one that is not proved so, and one that reached its limit."""
    folder = tmp_path_factory.mktemp("runs") / "searches"
    boards = ["sliding-tile/puzzle8-20"]
    sl.run(sl.Experiment(boards=boards, frontiers=["astar", "greedy"]), folder=folder, workers=1)
    limited = sl.Experiment(
        boards=boards, heuristics=["misplaced"], frontiers=["astar"], limits=sl.Limits(expansions=5)
    )
    sl.run(limited, folder=folder, workers=1)
    return sl.load_results(folder)


@pytest.mark.slow
def test_a_run_is_made_again_from_its_moves(runs):
    """With its curves; the figures are those that were recorded."""
    row = runs[(runs["frontier"] == "astar") & (runs["status"] == "solved")].iloc[0]
    recording = of_run(row, installed())
    assert recording.headline == "solved in 20 moves, optimal"
    assert len(recording.boards) == 21
    assert [curve.name for curve in recording.curves] == ["h", "to go", "f"]
    assert ("expanded", f"{row.expanded:,}") in recording.facts
    greedy = of_run(runs[runs["frontier"] == "greedy"].iloc[0], installed())
    assert greedy.headline.endswith("× the optimum")


@pytest.mark.slow
def test_a_run_without_a_solution_is_refused(runs):
    """With its status."""
    with pytest.raises(UsageError, match="the run ended with expansion-limit, so there is no solution to show"):
        of_run(runs[runs["status"] == "expansion-limit"].iloc[0], installed())


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ("down sideways", "move 2 of the recorded solution, sideways, is no move of sliding-tile there"),
        ("up", "the recorded solution does not end in a goal of sliding-tile: its rules are others now"),
    ],
)
def test_moves_that_lead_nowhere_are_refused(runs, moves, said):
    """The rules may have changed since."""
    row = dict(runs[runs["status"] == "solved"].iloc[0])
    legal = sl.domain("sliding-tile").successors(sl.read_board("sliding-tile/puzzle8-20"))[0][0]
    row["actions"] = moves.replace("down", legal).replace("up", legal)
    with pytest.raises(SearchlabError) as refused:
        of_run(row, installed())
    assert str(refused.value) == said


def test_the_domain_of_states_that_are_no_boards_is_not_called_a_game(example8):
    counting = sl.Domain("counting", lambda n: [("next", n + 1)], lambda n: n == 3, start=lambda: 0)
    assert of_result(sl.solve(domain=counting), None).facts[0] == ("domain", "counting")
    assert recorded(example8, domain="sliding-tile").facts[0] == ("game", "sliding-tile")
