"""The contract of domains whose states are not boards, and of their heuristics."""

from dataclasses import replace
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.testing import check

FARMER = Path(__file__).parents[3] / "docs" / "examples" / "farmer.py"


def reports(path):
    return {report.kind: report for report in check(path)}


def test_the_example_keeps_its_contract():
    found = reports(FARMER)
    assert found["domain"].passed
    assert found["heuristic"].passed
    assert found["domain"].finding("rules").message == "10 states with 20 moves; 1 goal"


def test_moves_that_depend_on_the_hash_seed_are_found(tmp_path):
    """Where a rule loops over a set of texts."""
    copy = tmp_path / "farmer.py"
    copy.write_text(FARMER.read_text(encoding="utf-8").replace("sorted(here)", "here"), encoding="utf-8")
    finding = reports(copy)["domain"].finding("hash-seed")
    assert finding.status == "failed"
    assert "depend on the hash seed" in finding.message
    assert "sorted(…)" in finding.message


COUNT = sl.Domain(
    "count", lambda state: [("add", state + 1)] if state < 9 else [], lambda state: state == 9, start=lambda: 0
)


def test_moves_that_differ_from_call_to_call_are_found():
    calls = iter(range(10**6))
    (report,) = check(replace(COUNT, successors=lambda state: [(f"move {next(calls)}", (state + 1) % 9)]))
    assert report.finding("repeatable").status == "failed"


def test_estimates_above_the_exact_cost_are_found(tmp_path):
    copy = tmp_path / "farmer.py"
    copy.write_text(FARMER.read_text(encoding="utf-8").replace("2 * len(", "4 * len("), encoding="utf-8")
    finding = reports(copy)["heuristic"].finding("admissible")
    assert finding.status == "failed"
    assert (
        finding.message == "declared admissible, and it is 11 for cabbage, farmer, goat, wolf | nobody, whose cost is 7"
    )


def test_views_that_fail_are_found():
    for views in (
        sl.Views(picture=lambda state: state),
        sl.Views(svg=lambda state: "<svg >"),
        sl.Views(transcript=lambda start, turns: [turns[20].action]),
        sl.Views(remark=lambda state, after: None),
    ):
        (report,) = check(replace(COUNT, views=views))
        assert report.finding("views").status == "failed", views
    (report,) = check(replace(COUNT, views=sl.Views(transcript=lambda start, turns: [f"{len(turns)} moves\n"])))
    assert report.finding("views").message == "a walk of 9 moves can be shown"


COUNTING = """\
from searchlab import Domain, Heuristic, plugin

def successors(state):
    if state < 9:
        yield "add", state + 1

def estimate(state):
    return {value}

hooks = plugin(
    Domain("count", successors, lambda state: state == 9, start=lambda: 0),
    Heuristic("mine", estimate, domains={{"count"}}, {declared}),
)
"""


@pytest.fixture
def finding_of(tmp_path):
    """A function that returns what the check says about a property of an estimate, given as an expression."""

    def finding_of(name, value, declared=""):
        path = tmp_path / f"mine{len(list(tmp_path.iterdir()))}.py"
        path.write_text(COUNTING.format(value=value, declared=declared))
        return reports(path)["heuristic"].finding(name)

    return finding_of


def test_estimates_that_drop_by_more_than_a_move_costs_are_found(finding_of):
    """With both states and the move."""
    jumps = "6 if state == 2 else 0"
    finding = finding_of("consistent", jumps, "consistent=True")
    assert finding.status == "failed"
    assert finding.message == "declared consistent, and it is 6 for 2, and 0 for 3 after the move add, which costs 1"
    finding = finding_of("consistent", jumps)
    assert finding.status == "info"
    assert finding.message.startswith("not consistent: it is 6 for 2, and 0 for 3")


def test_consistent_estimates_pass(finding_of):
    said = "it drops along none of 9 moves by more than they cost"
    finding = finding_of("consistent", "9 - state", "consistent=True")
    assert (finding.status, finding.message) == ("passed", said)
    finding = finding_of("consistent", "9 - state")
    assert (finding.status, finding.message) == ("info", f"{said}; not declared")


def test_estimates_of_goals_must_be_0(finding_of):
    finding = finding_of("goal-value", "1", "consistent=True")
    assert (finding.status, finding.message) == ("failed", "1 for 9, a goal; an estimate must be 0 there")
    assert finding_of("goal-value", "1").status == "info"
    assert finding_of("goal-value", "9 - state").message == "0 at 1 goal"


def test_an_admissible_estimate_that_does_not_declare_it_is_told_so(finding_of):
    finding = finding_of("admissible", "9 - state")
    assert (finding.status, finding.message) == ("info", "never above the exact cost of 10 states; not declared")


def test_a_score_is_not_compared_with_costs(finding_of):
    for name in ("goal-value", "consistent", "admissible"):
        assert finding_of(name, "state", 'prefer="high"').status == "skipped"


def test_the_verdict_says_what_may_be_declared(finding_of):
    for value, message, facts in (
        (
            "9 - state",
            "it may declare admissible=True, consistent=True: so it is on all 10 states",
            {"admissible": True, "consistent": True},
        ),
        (
            "6 if state == 2 else 0",
            "it may declare admissible=True: so it is on all 10 states",
            {"admissible": True, "consistent": False},
        ),
        (
            "20 - 3 * state",
            "it may declare neither admissible nor consistent",
            {"admissible": False, "consistent": False},
        ),
        ("-1", "it may declare consistent=True: so it is on all 10 states", {"admissible": False, "consistent": True}),
    ):
        finding = finding_of("verdict", value)
        assert (finding.status, finding.message, finding.facts) == ("info", message, facts), value
    finding = finding_of("verdict", "state", 'prefer="high"')
    assert finding.message == 'a score: prefer="high" says all there is to declare'


def test_the_verdict_on_the_nearest_states_alone_is_no_proof():
    """Costs are not known, so nothing is said of admissible."""
    endless = replace(COUNT, successors=lambda state: [("add", state + 1)])
    (report,) = check(sl.Heuristic("mine", lambda state: 0, domains={"count"}), domain=endless)
    finding = report.finding("verdict")
    assert finding.message == (
        "nothing found speaks against consistent=True, but only the 2,000 states nearest to the start were looked at: "
        "prove it"
    )
    assert finding.facts == {"admissible": None, "consistent": True}


def test_a_heuristic_that_does_not_answer_fails_once(finding_of):
    assert finding_of("numbers", "'much'").status == "failed"
    for name in ("goal-value", "consistent", "admissible", "verdict"):
        finding = finding_of(name, "'much'")
        assert (finding.status, finding.message) == ("skipped", "it does not answer for every state")
