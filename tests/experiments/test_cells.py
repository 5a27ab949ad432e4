"""Cells as people read them."""

import pandas as pd
import pytest

from searchlab.experiments import cells as cells_module
from searchlab.experiments.cells import ShownCells, figure, is_text, plain, shown


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0.0, "0.00"),
        (0.5, "0.500"),
        (0.00012345, "0.000123"),
        (-2.345, "-2.35"),
        (99.95, "100.0"),
        (8.67e-6, "0.000009"),
        (1e6, "1,000,000"),
    ],
)
def test_figures_have_three_digits_and_no_exponent(number, said):
    """Large ones have all theirs."""
    assert figure(number) == said


def test_a_non_finite_number_is_shown():
    """In a word."""
    assert figure(float("nan")) == "–"
    assert figure(float("inf")) == "infinite"


@pytest.mark.parametrize(
    ("values", "type_", "said"),
    [
        ([1234, None], "Int64", ["1,234", "–"]),
        ([3.0, 1000.0, None], "Float64", ["3", "1,000", "–"]),
        ([3.0, 0.25], "float64", ["3.00", "0.250"]),
        ([6.999999999999999, 2.0], "float64", ["7", "2"]),
        ([True, False], "bool", ["yes", "no"]),
        (["a\nb", None], "string", ["a b", "–"]),
        (["2026-11-21T12:00:00Z", None], "datetime64[us, UTC]", ["2026-11-21T12:00:00+00:00", "–"]),
    ],
)
def test_cells_of_all_types_are_formatted(values, type_, said):
    """Whole numbers have no decimals; other numbers of a column have equally many."""
    column = pd.Series(values)
    column = pd.to_datetime(column, utc=True).astype(type_) if type_.startswith("date") else column.astype(type_)
    assert shown(column) == said


def test_percentages_have_one_decimal():
    assert shown(pd.Series([100.0, 66.666, None], name="coverage")) == ["100.0", "66.7", "–"]


def test_plain_values_are_pythons():
    """Missing values are stored as None."""
    assert [type(value) for value in plain(pd.Series([1, None], dtype="Int64"))] == [int, type(None)]
    assert plain(pd.Series([0.5, float("nan")])) == [0.5, None]


def test_texts_and_booleans_are_aligned_to_the_left():
    kinds = {"string": True, "category": True, "bool": True, "int64": False, "Float64": False}
    assert {kind: is_text(pd.Series([1, 0]).astype(kind)) for kind in kinds} == kinds


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([1, 22, 333, -4444, None], "Int64"),
        ([5, 6], "int64"),
        ([0.0, 1e-7, 0.00999, 9.996, 99.95, -123456.7, 1e9, None], "Float64"),
        ([float("inf"), 1.5, float("nan")], "float64"),
        ([3.0, 1000.0, None], "Float64"),
        ([None, None], "Float64"),
        ([], "int64"),
        (["one", "two", None, "one"], "string"),
        (["one", "two", None, "one"], "category"),
        ([True, False], "bool"),
    ],
)
def test_the_longest_cell_is_known_without_all_of_them(values, type_):
    cells = ShownCells(pd.Series(values, dtype=type_))
    assert cells.longest == max(map(len, cells), default=0)


def test_cells_are_the_same_in_blocks(monkeypatch):
    column = pd.Series([0.5, None, 12.0, 1234.5, 0.000123] * 5, dtype="Float64")
    whole = [*ShownCells(column)]
    monkeypatch.setattr(cells_module, "AT_ONCE", 3)
    assert [*ShownCells(column)] == whole == ["0.500", "–", "12.0", "1,234", "0.000123"] * 5
    assert ShownCells(column)[2] == ShownCells(column)[-3] == "12.0"


def test_a_category_that_no_cell_has_counts_not():
    column = pd.Series(["a", "bb", "much longer"], dtype="category")[:2]
    assert ShownCells(column).longest == 2
