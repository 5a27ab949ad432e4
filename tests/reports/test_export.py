"""Exported tables: programs read back the same values, and papers get typeset tables."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.loading import AT_ONCE, column_types
from searchlab.experiments.summary import summary
from searchlab.reports import export
from searchlab.reports.export import ENDINGS, FORMATS, exported, format_of
from tests.exports import text_of


@pytest.fixture
def results(make_record, make_results):
    """Runs with all that may be missing, with figures no decimal fraction holds, and with names that need care."""
    records = [
        make_record(1, 'odd "name", with a comma', seconds=0.1 + 0.2, cost=1 / 3, expanded=2**53 + 1, seed=7),
        make_record(2, "NA", status="error", reason="line one, and more", limit=None, metrics={"effort": 1.5}),
        make_record(3, "größer", "nan", optimal=True, metrics={"effort": None, "words": "x"}),
    ]
    return sl.load_results(make_results(records))


def test_csv_is_read_back_exactly(results):
    """With the types that are documented; every figure is written to its last digit."""
    text = text_of(results, "csv")
    types = {name: type_ for name, type_ in column_types().items() if name != "finished"}
    metrics = {"effort": "Float64", "words": "string"}
    back = pd.read_csv(
        io.StringIO(text),
        dtype={**types, **metrics},
        parse_dates=["finished"],
        engine="python",
        keep_default_na=False,
        na_values=[""],
    )
    back["finished"] = back["finished"].astype("datetime64[us, UTC]")
    pd.testing.assert_frame_equal(back, results, rtol=1e-15)  # not all of pandas' readers take the last digit
    assert ",0.30000000000000004," in text


def test_json_is_read_back_exactly(results):
    """Missing values are null."""
    rows = json.loads(text_of(results, "json"))
    assert rows[0]["seconds"] == 0.1 + 0.2
    assert (rows[1]["moves"], rows[1]["limit_seconds"]) == (None, None)
    back = pd.DataFrame(rows)
    back["finished"] = pd.to_datetime(back["finished"], utc=True, format="ISO8601")
    back = back.astype({**column_types(), "effort": "Float64", "words": "string"})
    pd.testing.assert_frame_equal(back, results, check_exact=True)


def test_parquet_keeps_the_types(results):
    """Nothing has to be said when it is read, statuses that did not occur included."""
    pytest.importorskip("pyarrow")
    back = pd.read_parquet(io.BytesIO(text_of(results, "parquet")))
    assert back.dtypes.astype(str).to_dict() == results.dtypes.astype(str).to_dict()
    assert list(back["status"].cat.categories) == list(results["status"].cat.categories)
    assert back.astype(object).where(back.notna(), None).equals(results.astype(object).where(results.notna(), None))


def test_parquet_without_pyarrow_is_refused_with_the_remedy(results, monkeypatch):
    monkeypatch.setattr(export, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pip install pyarrow"):
        text_of(results, "parquet")


@pytest.fixture
def aggregates():
    """A table as `aggregate` makes them."""
    return pd.DataFrame(
        {
            "heuristic": pd.Series(["a_b|c", "50%"], dtype="string"),
            "runs": [12_345, 7],
            "coverage": [100.0, 66.66],
            "expanded": pd.Series([1234.5, None], dtype="Float64"),
            "seconds": [0.000123456, 12.345],
        }
    )


def test_latex_is_a_table_of_booktabs(aggregates):
    """Special characters escaped, thousands set apart, three digits, a dash for what is missing."""
    assert text_of(aggregates, "latex", ["100 % of it"]) == (
        "% 100 % of it\n"
        "\\begin{tabular}{lrrrr}\n"
        "\\toprule\n"
        "heuristic & runs & coverage (\\%) & expanded & seconds \\\\\n"
        "\\midrule\n"
        "a\\_b|c & 12{,}345 & 100.0 & 1{,}234 & 0.000123 \\\\\n"
        "50\\% & 7 & 66.7 & -- & 12.3 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_markdown_is_aligned(aggregates):
    """Numbers to the right, bars escaped, notes below."""
    assert text_of(aggregates, "markdown", ["a note"]) == (
        "| heuristic |   runs | coverage (%) | expanded |  seconds |\n"
        "| --------- | -----: | -----------: | -------: | -------: |\n"
        "| a_b\\|c    | 12,345 |        100.0 |    1,234 | 0.000123 |\n"
        "| 50%       |      7 |         66.7 |        – |     12.3 |\n"
        "\n"
        "a note\n"
    )


@pytest.mark.parametrize("format_", FORMATS)
def test_a_table_without_rows_is_exported_in_every_format(results, format_):
    if format_ == "parquet":
        pytest.importorskip("pyarrow")
    assert len(text_of(results.head(0), format_))


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_suffix_selects_the_format(tmp_path, ending):
    """Also in capitals."""
    assert format_of(tmp_path / f"runs{ending}") == format_of(tmp_path / f"runs{ending.upper()}") == ENDINGS[ending]


def test_an_unknown_format_is_refused(tmp_path, aggregates):
    """With those there are."""
    with pytest.raises(UsageError, match=r"unknown file extension; use one of \.csv, \.parquet"):
        format_of(tmp_path / "runs.xlsx")
    with pytest.raises(UsageError, match="no format 'latx': did you mean 'latex'"):
        text_of(aggregates, "latx")


def test_infinite_numbers_are_null_in_json():
    """JSON has no such number."""
    assert json.loads(text_of(pd.DataFrame({"x": [1.5, float("inf")]}), "json")) == [{"x": 1.5}, {"x": None}]


def test_numbers_of_numpy_are_plain_in_json():
    """Infinite values and NaN are null."""
    table = pd.DataFrame({"x": np.array([1, 2]), "y": [float("nan"), 0.5]})
    assert json.loads(text_of(table, "json")) == [{"x": 1, "y": None}, {"x": 2, "y": 0.5}]


@pytest.fixture
def hostile():
    """A table whose cells, and a heading, mean something to LaTeX, Markdown, a terminal or a spreadsheet."""
    cells = ["[x]", "*", "<b>&", "x\\|y", "a\x1b[2Jb", "=1+1", "-5", "-x", "+1e3", "@SUM(1)", "\tz", "safe=1"]
    return pd.DataFrame({"=name": pd.Series(cells, dtype="string"), "value": [-1.5] * len(cells)})


def test_markup_in_cells_is_escaped(hostile):
    """A row may begin with a bracket or a star in LaTeX; Markdown shows tags as they are written."""
    latex = [line.split(" & ")[0] for line in text_of(hostile, "latex").splitlines()[4:]]
    assert latex[:5] == ["{[}x]", "{*}", "<b>\\&", "x\\textbackslash{}|y", "a\\textbackslash{}x1b[2Jb"]
    markdown = [line[2:].split(" ")[0] for line in text_of(hostile, "markdown", ["<i>"]).splitlines()[2:]]
    assert markdown[:5] == [r"\[x\]", r"\*", "&lt;b&gt;&amp;", r"x\\\|y", r"a\\x1b\[2Jb"]
    assert text_of(hostile, "markdown", ["<i>\n|"]).splitlines()[-1] == r"&lt;i&gt; \|"
    assert text_of(hostile, "latex", ["a\nb"]).splitlines()[0] == "% a b"


def test_csv_is_exact_or_safe_for_spreadsheets(hostile, results):
    """Numbers stay numbers, and what needs no care is the same in both."""
    exact = text_of(hostile, "csv")
    assert "a\x1b[2Jb" in exact
    assert "'" not in exact
    names = [line.rpartition(",")[0] for line in text_of(hostile, "csv", safe=True).splitlines()]
    assert names[0] == "'=name"
    assert names[6:] == ["'=1+1", "-5", "'-x", "+1e3", "'@SUM(1)", "'\tz", "safe=1"]
    assert text_of(results, "csv", safe=True) == text_of(results, "csv")


def test_python_writes_a_table_to_a_file(tmp_path):
    """In the format of its ending; the path is returned."""
    runs = sl.table(
        [sl.solve("sliding-tile/example", engine="readable", heuristic=h) for h in ("taxicab", "misplaced")]
    )
    path = sl.export(runs, tmp_path / "runs.csv")
    assert list(pd.read_csv(path)["heuristic"]) == ["taxicab", "misplaced"]
    assert len(json.loads(sl.export(runs, tmp_path / "runs.txt", format="json").read_text())) == 2
    groups = sl.export(sl.group(runs), tmp_path / "groups.md").read_text()
    assert groups.startswith("| heuristic |")
    assert groups.endswith("over the 1 board that both groups solved\n")


def test_formats_for_papers_have_the_shown_columns_and_notes(tmp_path):
    """Formats for programs have all columns."""
    table = summary(pd.DataFrame({"player": ["greedy"], "score": [2], "hidden": [3]}), ["player", "score"], ["a note"])
    typeset = sl.export(table, tmp_path / "table.tex").read_text()
    assert typeset.startswith("% a note\n")
    assert "greedy & 2" in typeset
    assert "hidden" not in typeset
    assert sl.export(table, tmp_path / "table.csv").read_text() == "player,score,hidden\ngreedy,2,3\n"
    table["score"] = 5
    assert "greedy & 5 & 3" in sl.export(table, tmp_path / "table.tex").read_text()


def test_a_pivot_is_written_with_its_marks_and_changed_without(tmp_path):
    """As `searchlab results export --pivot` writes it."""
    runs = sl.table(
        sl.solve("sliding-tile/puzzle8-20", engine="readable", heuristic=name) for name in ("taxicab", "misplaced")
    )
    table = sl.pivot(runs, ["heuristic", "frontier"])
    assert r"\textbf{" in sl.export(table, tmp_path / "table.tex").read_text()
    heading = "board_name,misplaced/astar,taxicab/astar"
    assert sl.export(table, tmp_path / "table.csv").read_text().splitlines()[0] == heading
    table.iloc[0, 0] = 1
    assert r"\textbf{" not in sl.export(table, tmp_path / "table.tex").read_text()
    assert sl.export(table, tmp_path / "table.csv").read_text().splitlines()[0] == heading


def test_python_and_command_refuse_the_same(tmp_path):
    """Before anything is written."""
    runs = sl.table(sl.solve("sliding-tile/example", engine="readable"))
    for arguments, said in (
        ({"output": tmp_path / "runs.xyz"}, "unknown file extension"),
        ({"output": tmp_path / "runs.json", "safe": True}, "safe is for CSV"),
        ({"output": tmp_path / "none" / "runs.csv"}, "none"),
    ):
        with pytest.raises(sl.UsageError, match=said):
            sl.export(runs, **arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format_", ["csv", "json"])
def test_large_tables_are_written_in_parts(format_):
    """What is written does not depend on where the parts begin, and no part has the whole table."""
    table = pd.DataFrame({"number": range(2 * AT_ONCE + 1), "text": "a"})
    parts = list(exported(table, format_))
    assert len(parts) >= 3
    assert max(map(len, parts)) < 0.6 * sum(map(len, parts))
    read = json.loads if format_ == "json" else lambda text: pd.read_csv(io.StringIO(text)).to_dict("records")
    assert read("".join(parts)) == table.to_dict("records")
