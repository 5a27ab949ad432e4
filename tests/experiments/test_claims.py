"""Claims about searches: what they mean, and which texts are none."""

from types import SimpleNamespace

import pytest

from searchlab.errors import UsageError
from searchlab.experiments.claims import parse_claim


def results(**given):
    """Results by the names of their searches, solved at cost 10 with 100 expansions unless something else is given."""
    plain = {"status": "solved", "expanded": 100, "cost": 10.0, "lower_bound": 10.0}
    return {search: SimpleNamespace(**(plain | figures)) for search, figures in given.items()}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("expanded[a] > 2 * expanded[b]", True),
        ("expanded[a] > 3 * expanded[b]", False),
        ("expanded[a] >= 3 × expanded[b]", True),
        ("expanded[a] − expanded[b] = 200", True),
        ("(expanded[a] + expanded[b]) / 4 = expanded[b]", True),
        ("expanded[a] + expanded[b] / 4 = 325", True),
        ("-expanded[a] < 0", True),
        ("2e2 != expanded[a] - expanded[b]", False),
        ("cost[a] <= cost[b]", True),
        ("status[a] = solved", True),
        ("status[a] != error|unsolvable", True),
        ("status[b]=error|solved", True),
        ("expanded[b] / (expanded[a] - 300) > 0", False),  # a division by 0 is no number
    ],
)
def test_a_claim_is_read_as_arithmetic(text, holds):
    assert parse_claim(text).holds(results(a={"expanded": 300}, b={})) is holds


def test_figures_of_searches_without_an_answer_are_not_known():
    """Neither a claim nor its opposite holds then; the lower bound is known."""
    limited = results(a={"status": "time-limit", "cost": None, "lower_bound": 4.0}, b={})
    assert not parse_claim("expanded[a] > expanded[b]").holds(limited)
    assert not parse_claim("expanded[a] <= expanded[b]").holds(limited)
    assert not parse_claim("cost[a] != cost[b]").holds(limited)
    assert parse_claim("lower_bound[a] < cost[b]").holds(limited)


def test_names_of_searches_may_contain_brackets():
    claim = parse_claim("expanded[astar/max:of=[taxicab,misplaced]] < cost[b]")
    assert claim.searches == ["astar/max:of=[taxicab,misplaced]", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at the end: a number or FIGURE"),
        ("expanded[a]", "at the end: =, !=, <=, >=, <, > or an operation is wanted"),
        ("expanded[a] > 1 or True", "at 'or True': nothing more is wanted"),
        ("expanded[a > 1", "']' is wanted"),
        ("expanded[] > 1", "a search is missing"),
        ("(expanded[a] > 1", r"'\)' is wanted"),
        ("1 > 2", "no figure of a search is compared"),
        ("expandd[a] > 1", "there is no figure 'expandd': did you mean 'expanded'"),
        ("seconds[a] > 1", "seconds differs from run to run"),
        ("status[a] = bad", "there is no status 'bad'"),
        ("status[a] > solved", "a status is compared as in"),
        ("expanded[a] > status[b]", "a status stands on the left, alone"),
        ("__import__('os') > 1", "a number or FIGURE"),
        (f"{'(' * 5000}expanded[a] > 1", "the claim has more than 100 numbers, figures, signs and brackets"),
        (f"expanded[a] > 1{' + 1' * 5000}", "the claim has more than 100 numbers"),
        (f"{'-' * 5000}expanded[a] > 1", "the claim has more than 100 numbers"),
    ],
)
def test_what_is_no_claim_is_refused(text, message):
    with pytest.raises(UsageError, match=message):
        parse_claim(text)
