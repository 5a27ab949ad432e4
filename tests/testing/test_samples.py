"""Rules and declarations are also checked with a sample of other parameters."""

from dataclasses import replace

import pytest

import searchlab as sl
from searchlab.testing import check
from searchlab.testing.clock import Clock
from searchlab.testing.samples import Sample, other_values, sampled_space


def steps(board, length, way="on"):
    """Go one step on or back on a line; with way=round also from the end to the beginning."""
    at = board.tile_at(0, 0)
    for action, to in (("on", at + 1), ("back", at - 1)):
        if 0 <= to < length:
            yield action, sl.Board([[to]])
    if way == "round" and at == length - 1:
        yield "round", sl.Board([[0]])


def is_goal(board, goal):
    return board.tile_at(0, 0) == goal


def to_go(tiles, goal, weight=1.0):
    return weight * abs(tiles[0, 0] - goal)


GOAL = sl.Parameter("goal", 5, check=lambda goal: "" if 0 <= goal < 9 else "it is not on the line")
LINE = sl.Domain(
    "line",
    steps,
    is_goal,
    parameters=(GOAL, sl.Parameter("length", 9), sl.Parameter("way", "on", choices=("on", "round"))),
    start=lambda: sl.Board([[8]]),
    samples=lambda: [({"goal": 3}, sl.Board([[0]]))],
)


def report(component, **options):
    on = {} if isinstance(component, sl.Domain) else {"domain": sl.domain(LINE)}
    (found,) = check(component, **on, **options)
    return found


def test_a_sample_of_values():
    """Every choice, both truth values, a few numbers that fit; what was set, or is a file, stays as it is."""
    parameters = (
        sl.Parameter("choice", "a", choices=("a", "b", "c")),
        sl.Parameter("switch", False),
        sl.Parameter("power", 8, check=lambda power: "" if power & (power - 1) == 0 else "no power of two"),
        sl.Parameter("weight", 1.0),
        sl.Parameter("given", 3),
        sl.Parameter("text", "a"),
        sl.Parameter("file", "", kind="file"),
    )
    domain = sl.domain(
        sl.Domain("d", steps, is_goal, parameters=(*parameters, GOAL, sl.Parameter("length", 9))), given=4
    )
    wanted = [{"choice": "b"}, {"choice": "c"}, {"switch": True}, {"power": 16}, {"power": 4}]
    wanted += [{"weight": 2.0}, {"weight": 0.5}, {"goal": 2}, {"goal": 6}, {"length": 18}, {"length": 4}]
    assert other_values(domain) == wanted


@pytest.mark.parametrize(("claim", "fails"), [(True, ["admissible"]), (lambda weight: weight <= 1, [])])
def test_what_is_declared_for_every_weight_is_checked_for_another(claim, fails):
    """A weight of 2 is inadmissible: that fails unless the declaration depends on it."""
    found = report(sl.Heuristic("h", to_go, admissible=claim))
    assert [asked.name for asked, finding in found.findings if finding.status == "failed"] == fails
    assert "not admissible as h:weight=2 on line" in found.finding("verdict").message
    if fails:
        assert "as h:weight=2" in found.finding("admissible").message


def test_the_default_that_samples_replace_is_checked():
    """The samples look for 3; what is wrong where 5 is looked for, as everybody does by default, is found."""
    found = report(sl.Heuristic("h", lambda tiles, goal: 50.0 * (goal == 5), admissible=True))
    assert found.finding("admissible").status == "failed"
    assert "boards of line, 1 × 1" in found.finding("admissible").message


def test_rules_that_are_wrong_with_another_choice():
    """The moves are called by one name only where the line is a ring."""

    def named_alike(board, length, way):
        return [("on" if way == "round" else action, after) for action, after in steps(board, length, way)]

    assert report(LINE).passed
    finding = report(replace(LINE, successors=named_alike)).finding("actions-replay")
    assert finding.boards[0][0] == "on this board of line:goal=3,way=round:"


def test_costs_that_are_next_to_nothing():
    """Rounding is relative: 9e-10 is far above a cost of 1e-10."""

    def cheap(board, length):
        return [(*edge, 1e-10) for edge in steps(board, length)]

    domain = sl.domain(replace(LINE, successors=cheap, unit_cost=False))
    off = sl.Heuristic("off", lambda tiles, goal: 1e-10 * abs(tiles[0, 0] - goal) + 8e-10 * (tiles[0, 0] == 2))
    exact = sl.Heuristic("exact", lambda tiles, goal: 1e-10 * abs(tiles[0, 0] - goal))
    (found,) = check(off, domain=domain)
    assert found.finding("admissible").message.startswith("not admissible: 9e-10 on a board that is solved at a cost")
    (found,) = check(exact, domain=domain)
    assert "admissible=True, consistent=True" in found.finding("verdict").message


def test_a_space_has_a_board_where_the_time_is_too_short_for_any():
    """On a machine that is busy with other things, no time may be left when the boards are known."""
    sample = Sample(sl.domain("sliding-tile"), sl.read_board("sliding-tile/puzzle8-20"), sl.Plugins())
    space = sampled_space(sample, Clock(0.0))
    assert len(space) > 1
    assert (space.successors[0] >= 0).any()
