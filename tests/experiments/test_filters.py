"""Conditions, columns and orders: what was typed is what is selected, and what makes no sense is said so."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.filters import ORDERINGS, check_columns, in_order, parse_condition, where


@pytest.fixture
def results(make_record, make_results):
    """Four runs that differ in all sorts of ways."""
    records = [
        make_record(1, "taxicab", expanded=10, seconds=0.5, peak_bytes=2**20, optimal=True, metrics={"effort": 1.5}),
        make_record(2, "misplaced", expanded=2000, seconds=20.0, seed=3),
        make_record(3, "misplaced", "weighted-astar:weight=2", status="time-limit", reason="it took\nlong"),
        make_record(4, "taxicab", status="error", expanded=0),
    ]
    return sl.load_results(make_results(records))


def boards(results, *conditions):
    """The numbers of the boards for which conditions hold."""
    found = where(results, map(parse_condition, conditions))
    return [int(name.removeprefix("boards/").removesuffix(".txt")) for name in found["board_name"]]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("status=solved", [1, 2]),
        (" status  !=  solved ", [3, 4]),
        ("status=time-limit|error", [3, 4]),
        ("status!=time-limit|error", [1, 2]),
        ("status~LIMIT", [3]),
        ("status!~limit", [1, 2, 4]),
        ("expanded>=10", [1, 2]),
        ("expanded>10", [2]),
        ("expanded<10", [3, 4]),
        ("expanded<=1e1", [1, 3, 4]),
        ("expanded=10", [1]),
        ("seconds>=20", [2]),
        ("seconds<600ms", [1, 3, 4]),
        ("peak_bytes=1MiB", [1]),
        ("cost=3", [1, 2]),
        ("cost=", [3, 4]),
        ("cost!=", [1, 2]),
        ("cost!=3", [3, 4]),
        ("cost<100", [1, 2]),
        ("seed=3", [2]),
        ("seed!=3", [1, 3, 4]),
        ("seed<4", [2]),
        ("effort>1", [1]),
        ("optimal=yes", [1]),
        ("optimal=false", [2, 3, 4]),
        ("frontier=weighted-astar:weight=2", [3]),
        ("frontier~weighted|nothing", [3]),
        ("heuristic>=t", [1, 4]),
        ("reason~", [3]),
        ("finished>=2026-11-21", [1, 2, 3, 4]),
        ("finished<2026-11-21T12:00:00.3+00:00", [1, 2, 3, 4]),
        ("finished<2026-11-21T12:00:00.2", []),
        ("finished~2026-11", [1, 2, 3, 4]),
    ],
)
def test_a_condition_holds_for_the_runs_it_says(results, condition, expected):
    """By the type of the column; a missing cell differs from every value and is neither smaller nor larger."""
    assert boards(results, condition) == expected


def test_all_conditions_have_to_hold(results):
    """One after another."""
    assert boards(results, "status=solved", "heuristic=misplaced") == [2]
    assert boards(results) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("status", "is no condition; write for example status=solved"),
        ("=solved", "is no condition"),
        ("heuristic~\udcff", "is no condition"),
        ("statsu=solved", "there is no column 'statsu': did you mean 'status'"),
        ("status=solvd", "no status is called 'solvd': did you mean 'solved'"),
        ("status<solved", "status has no order"),
        ("expanded=many", "expanded is a number, not 'many'"),
        ("expanded~1", "~ is for text, and expanded is none"),
        ("seconds>soon", "'soon' is not a time"),
        ("peak_bytes>1mile", "'1mile' is not an amount of memory"),
        ("optimal=perhaps", "optimal is yes or no, not 'perhaps'"),
        ("finished>tomorrowish", "'tomorrowish' is no date"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(results, condition, said):
    """In a line that says what there is."""
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        boards(results, condition)


@given(
    cells=st.lists(st.none() | st.integers(-3, 3) | st.sampled_from([0.5, -1.25]), max_size=8),
    sign=st.sampled_from([*ORDERINGS, "=", "!="]),
    value=st.sampled_from(["-3", "0", "0.5", "2", "-1.25", "+1"]),
)
def test_numbers_compare_as_they_do_in_python(cells, sign, value):
    """Whatever is missing."""
    table = pd.DataFrame({"x": pd.Series(cells, dtype="Float64")})
    number = float(value)
    compare = {**ORDERINGS, "=": lambda a, b: a == b}

    def holds(cell):
        if sign == "!=":
            return cell is None or cell != number
        return cell is not None and compare[sign](cell, number)

    found = where(table, [parse_condition(f"x{sign}{value}")])
    assert list(found.index) == [place for place, cell in enumerate(cells) if holds(cell)]


def test_an_order_of_several_columns(results):
    """A minus turns one round, missing cells come last, equal rows stay as they were."""

    def ordered(*order):
        return [int(name[7:-4]) for name in in_order(results, order)["board_name"]]

    assert ordered("-expanded") == [2, 1, 3, 4]
    assert ordered("heuristic", "-expanded") == [2, 3, 1, 4]
    assert ordered("-seed") == [2, 1, 3, 4]
    assert ordered() == [1, 2, 3, 4]
    with pytest.raises(UsageError, match="there is no column 'expnded': did you mean 'expanded'"):
        ordered("-expnded")


def test_numbers_in_texts_are_ordered_as_numbers():
    """As people count boards."""
    table = pd.DataFrame({"x": pd.Series(["b10", "b2", None, "a3/11", "a3/9"], dtype="string")})
    assert in_order(table, ["x"]).index.tolist() == [4, 3, 1, 0, 2]
    assert in_order(table, ["-x"]).index.tolist() == [0, 1, 3, 4, 2]


def test_a_column_that_is_not_there_is_named():
    """Of several the first."""
    with pytest.raises(UsageError, match="there is no column 'b'"):
        check_columns(["a", "b", "c"], pd.DataFrame({"a": [1]}))
