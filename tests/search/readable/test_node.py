"""The expansion of a node."""

import pytest

import searchlab as sl
from searchlab.testing import check

LATE = 1500
"""More states than are checked one by one."""


def successors(state):
    place, rest = state
    yield "on", (place + 1, [rest] if place == LATE else rest)


LISTS = sl.Domain("lists", successors, lambda state: False, start=lambda: (0, 0))
MESSAGE = f"lists: successors yields the state ({LATE + 1}, [0]): [0] is not a state: a list can change"


@pytest.mark.parametrize("frontier", ["astar", "breadth-first", "depth-first", "beam:width=2"])
def test_a_list_in_a_late_state_is_an_error_with_the_domain_and_the_state(frontier):
    result = sl.solve(domain=LISTS, frontier=frontier)
    assert result.status == "error"
    assert result.reason.startswith(MESSAGE)
    assert result.expanded > LATE


def test_plugins_check_finds_a_list_in_a_late_state():
    (report,) = check(LISTS)
    assert report.finding("rules").message.startswith(MESSAGE)
