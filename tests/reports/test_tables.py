"""`searchlab.table`: results as rows with tidy types."""

from __future__ import annotations

import pandas as pd
import pytest

import searchlab as sl
from searchlab.experiments.columns import COLUMNS, board_text

BOARD = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])


@pytest.fixture(scope="module")
def results():
    """A solved board and one that was given up."""
    return [
        sl.solve(BOARD, domain="sliding-tile", engine="readable"),
        sl.solve(domain="2048", engine="readable", limits=sl.Limits(expansions=5)),
    ]


def test_a_row_a_result(results):
    """The columns are those that are documented, and missing values are missing."""
    table = sl.table(results)
    assert list(table.columns) == list(COLUMNS)
    assert table["status"].tolist() == ["solved", "expansion-limit"]
    assert table["actions"][0] == "right down right"
    assert table["moves"][0] == 3
    assert table.loc[1, ["moves", "cost", "actions"]].isna().all()


def test_the_types_are_tidy(results):
    """Statuses are categories with all there are, counts whole numbers even where some are missing."""
    table = sl.table(results)
    assert isinstance(table["status"].dtype, pd.CategoricalDtype)
    assert "memory-limit" in table["status"].cat.categories
    types = table.dtypes.astype(str)
    assert types[["moves", "cost", "optimal", "expanded", "seconds"]].tolist() == [
        "Int64",
        "Float64",
        "bool",
        "int64",
        "float64",
    ]


def test_one_result_and_none_are_tables_too(results):
    """A table of nothing has the same columns and types."""
    assert len(sl.table(results[0])) == 1
    empty = sl.table([])
    assert list(empty.dtypes) == list(sl.table(results).dtypes)


def test_boards_are_named_in_a_line():
    """Small boards are written out, large ones named by shape and hash."""
    assert board_text(BOARD) == "1 2 3 / 0 4 6 / 7 5 8"
    assert board_text(sl.domain("2048", n=9).start()).startswith("9 x 9, hash ")
