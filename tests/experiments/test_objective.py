"""The objective of a tuning: the figures of runs, those without a solution, and gains with their intervals."""

from math import exp, log

import numpy as np
import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.objective import objective_of
from searchlab.experiments.specification import Experiment, TuneTable

PARAMETERS = ("frontier.weight",)


@pytest.fixture(scope="module")
def plugins(tmp_path_factory):
    file = tmp_path_factory.mktemp("plugins") / "measuring.py"
    file.write_text(
        "from searchlab import Metric, hookimpl\n"
        "@hookimpl\n"
        "def searchlab_metrics():\n"
        "    yield Metric('ease', lambda result: 1.0, better='high')\n"
    )
    return sl.Plugins(files=[file])


def objective(plugins, name="", unsolved=None, players=(), **limits):
    experiment = Experiment(boards=["sliding-tile"], players=players, limits=sl.Limits(**limits))
    table = TuneTable(parameters=PARAMETERS, objective=name, unsolved=unsolved)
    return objective_of(experiment, table, plugins)


@pytest.mark.parametrize(
    ("name", "limits", "counts_as"),
    [
        ("", {"expansions": 500}, 500),
        ("expanded", {"expansions": 500, "seconds": 2}, 500),
        ("seconds", {"seconds": 2}, 2),
        ("peak_bytes", {"memory": 1000}, 1000),
    ],
)
def test_a_run_without_a_solution_counts_as_the_limit(plugins, name, limits, counts_as):
    assert objective(plugins, name, **limits).unsolved == counts_as


def test_a_given_figure_of_unsolved_runs_takes_precedence(plugins):
    assert objective(plugins, "expanded", unsolved=9.0, expansions=500).unsolved == 9


def test_games_have_their_score_maximised_and_count_as_0_without_one(plugins):
    found = objective(plugins, players=["greedy"])
    assert (found.quantity.name, found.sign, found.unsolved) == ("score", -1, 0)
    assert found.figure({"status": "move-limit", "score": 12}) == 12
    assert found.figure({"status": "error", "score": None}) is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "",
            "expanded: nothing says what a run without a solution counts as: give unsolved = NUMBER in [tune], or exp",
        ),
        ("seconds", "or time in [limits]"),
        ("cost", "cost: nothing says what a run without a solution counts as: give unsolved = NUMBER in [tune]"),
        ("expandet", "searches have no figure 'expandet': did you mean 'expanded'?"),
        ("score", "searches have no figure 'score'"),
    ],
)
def test_an_objective_without_a_figure_is_one_clear_line(plugins, name, said):
    with pytest.raises(UsageError) as raised:
        objective(plugins, name)
    assert str(raised.value).startswith("tune.objective: ")
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("name", "status", "value"),
    [
        ("expanded", "solved", 7),
        ("expanded", "unsolvable", 7),
        ("expanded", "time-limit", None),
        ("expanded", "exhausted", None),
        ("cost", "solved", 7),
        ("cost", "unsolvable", None),
        ("ease", "solved", 7),
        ("ease", "error", None),
    ],
)
def test_only_searches_that_came_to_an_answer_have_a_figure(plugins, name, status, value):
    assert objective(plugins, name, unsolved=1.0).figure({"status": status, name: 7}) == value


def test_a_declared_metric_may_be_maximised(plugins):
    assert objective(plugins, "ease", unsolved=0.0).sign == -1


def test_half_the_expansions_on_each_board_is_a_gain_of_a_half(plugins):
    """With equal ratios there is no spread to estimate an interval from."""
    found = objective(plugins, expansions=10**6)
    default = np.array([found.scaled(value) for value in (10, 200, 30, 4000, 50, 60, 70, 80)])
    worse = np.full(8, log(0.5))
    assert found.gain(worse, default) == pytest.approx(0.5)
    assert found.interval(worse, default) is None
    assert found.mean(default) == pytest.approx(exp(default.mean()))


def test_the_interval_of_a_gain_is_that_of_the_mean_ratio(plugins):
    found = objective(plugins, expansions=10**6)
    worse = np.log([0.5, 0.6, 0.4, 0.7, 0.5, 0.55, 0.45, 0.6])
    low, high = found.interval(worse, worse)
    assert low < found.gain(worse, worse) < high < 1
    half = 2.3646 * worse.std(ddof=1) / 8**0.5  # Student's t with 7 degrees of freedom
    assert (1 - high, 1 - low) == pytest.approx((exp(worse.mean() - half), exp(worse.mean() + half)), rel=1e-4)


def test_gains_of_scores_are_shares_of_the_mean_score(plugins):
    found = objective(plugins, players=["greedy"])
    default = np.array([100.0, 300, 200, 200, 200, 200, 200, 200])
    worse = -np.array([10.0, 30, 20, 20, 20, 20, 20, 20])
    assert found.gain(worse, default) == pytest.approx(0.1)
    low, high = found.interval(worse, default)
    assert low < 0.1 < high
    assert (low + high) / 2 == pytest.approx(0.1)


def test_a_board_solved_without_expansions_counts_as_one(plugins):
    assert objective(plugins, expansions=10).scaled(0.0) == 0
