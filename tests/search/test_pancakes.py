"""The pancakes of the guide, written as plain functions, search as those an expert packs by hand."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import searchlab as sl
from searchlab.experiments.matrix import matrix
from searchlab.experiments.specification import Experiment
from searchlab.testing import check
from searchlab.testing.finder import Finder

ROOT = Path(__file__).parents[2]
BY_HAND = ROOT / "tests" / "plugin_files" / "pancake_by_hand.py"
GUIDE, JUGS = (ROOT / "docs" / "examples" / name for name in ("pancake.py", "jugs.py"))
FIGURES = ("status", "actions", "optimal", "expanded", "generated", "evaluated", "reopened", "stored")


@pytest.fixture(scope="module")
def plugins():
    """The domain of the guide, whose rules are written once, and the one by hand, with rules on boards besides."""
    return sl.Plugins(files=[GUIDE, BY_HAND])


def figures(plugins, domain, frontier, engine="compiled"):
    limits = sl.Limits(expansions=2000)
    result = sl.solve(domain=domain, frontier=frontier, plugins=plugins, limits=limits, engine=engine)
    return [getattr(result, name) for name in FIGURES]


@pytest.mark.slow
@settings(max_examples=20)
@given(
    n=st.sampled_from([2, 15]),
    seed=st.integers(0, 1000),
    frontier=st.sampled_from(["astar", "greedy", "breadth-first", "ida-star", "beam"]),
)
def test_packed_by_hand_or_not_the_same_nodes_are_expanded(plugins, n, seed, frontier):
    """In the same order, with the same solution, whatever the frontier."""
    guide, by_hand = (
        figures(plugins, f"{name}:n={n},seed={seed}", frontier) for name in ("my-pancake", "pancake-by-hand")
    )
    assert guide == by_hand


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["astar", "breadth-first"])
def test_both_forms_agree_with_the_readable_rules(plugins, frontier):
    """The definition of the game is the same in both."""
    readable = figures(plugins, "my-pancake:n=8,seed=1", frontier, "readable")
    assert readable == figures(plugins, "my-pancake:n=8,seed=1", frontier)
    assert readable == figures(plugins, "pancake-by-hand:n=8,seed=1", frontier)


@pytest.mark.slow
def test_the_domain_packed_by_hand_passes_the_contract():
    """Domain and heuristic, whose packed form is compared with the function on all 5,040 stacks."""
    reports = check(BY_HAND)
    assert [report.name for report in reports if not report.passed] == []
    assert reports[1].finding("packed").status == "passed"


@pytest.mark.slow
def test_the_domain_of_the_guide_passes_the_contract():
    """Its rules are written once; interpreted they are compared with what is compiled of them."""
    domain, gap = check(GUIDE, seconds=0.1)
    assert domain.passed
    assert gap.passed
    compared = ("same-compiled", "engines-agree", "actions-replay", "inverse", "goals")
    assert {domain.finding(name).status for name in compared} == {"passed"}


def test_heuristics_with_equal_names_are_chosen_by_domain(plugins):
    """The `gap` of the guide serves its own domain, the one that ships serves that which ships."""
    serves = [sl.heuristic("gap", domain=name, plugins=plugins).component.domains for name in ("my-pancake", "pancake")]
    assert serves == [{"my-pancake"}, {"pancake"}]
    with pytest.raises(sl.UsageError, match="claimed twice"):
        sl.heuristic("gap", plugins=plugins)
    with pytest.raises(sl.UsageError, match=r"'gap' is made for .*, not for hanoi; for that there are: disc-database"):
        sl.heuristic("gap", domain="hanoi", plugins=plugins)
    for domain in ("my-pancake", "pancake"):
        (subject,) = Finder(plugins, domain).find("gap")
        assert subject.bound[0].domain.name == domain


def test_an_experiment_runs_heuristics_with_equal_names_on_their_domains(plugins):
    """Boards of both domains; boards of neither are skipped."""
    boards = ["pancake/stack-05-1", "hanoi/discs-03"]
    for domains, expected in (((), ["pancake"]), (("pancake", "my-pancake"), ["pancake", "my-pancake"])):
        found = matrix(Experiment(boards=boards, heuristics=["gap"], domains=domains), plugins)
        assert [run.parts["domain"] for run in found.runs] == expected
        assert {run.parts["heuristic"] for run in found.runs} <= {"gap", "searchlab/gap", "pancake/gap"}


def test_jugs_have_readable_rules_alone():
    """Every frontier that needs no estimate finds a way; the shortest takes six moves."""
    plugins = sl.Plugins(files=[JUGS])
    for frontier in ("breadth-first", "uniform-cost", "astar", "iterative-deepening", "depth-first"):
        result = sl.solve(domain="jugs", frontier=frontier, plugins=plugins, engine="readable")
        assert result.status == "solved", frontier
        assert result.moves == 6 or frontier == "depth-first"
    (report,) = check(JUGS, seconds=0.1)
    assert report.passed
    assert "no packed form" in report.finding("compiles").message
