"""The contract of domains whose states are not boards, and of their heuristics."""

from dataclasses import replace
from pathlib import Path

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
