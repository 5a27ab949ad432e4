"""Metrics: figures that plugins add to results."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

import searchlab as sl
from searchlab.experiments import record
from searchlab.experiments.tables import COLUMNS
from searchlab.model.extensions import RESULT_COLUMNS
from searchlab.search.solve import measured

METRICS = """\
from searchlab import Metric, hookimpl

VALUES = {}


def metric(name, **more):
    def function(result):
        value = VALUES[name]
        return value(result) if callable(value) else value

    return Metric(name, function, **more)


@hookimpl
def searchlab_metrics():
    yield metric("ratio", summary="a ratio")
    yield metric("count", kind="whole")
    yield metric("note", kind="text")
    yield metric("fine", kind="boolean")
"""
GOOD = {"ratio": 2, "count": 3, "note": "so", "fine": True}


@pytest.fixture
def host(tmp_path):
    """A host with a plugin of four metrics, one of each kind, whose values can be set."""
    file = tmp_path / "measures.py"
    file.write_text(METRICS)
    plugins = sl.Plugins([file])
    plugins.values = plugins.loaded[-1].module.VALUES
    plugins.values.update(GOOD)
    return plugins


@pytest.fixture(scope="module")
def result():
    board = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
    return sl.solve(board, domain="sliding-tile", engine="readable")


def test_the_names_a_result_has_already_are_known():
    """The fields of a result and the columns of a table: no metric can be called so. An instance is in no column."""
    assert {field.name for field in fields(sl.Result)} - {"instance"} | set(COLUMNS) == RESULT_COLUMNS


@pytest.mark.parametrize("name", ["moves", "Moves", "metrics", "board", "a:b", "", "two\nlines", " blank"])
def test_a_metric_cannot_have_every_name(name):
    """Not that of a column there is, in whatever case, nor one that cannot stand in the first line of a file."""
    with pytest.raises(ValueError, match="Metric "):
        sl.Metric(name, lambda result: 0)


def test_a_metric_has_a_kind():
    """One of four."""
    with pytest.raises(ValueError, match="Metric 'm': kind is one of number, whole, text, boolean, not 'float'"):
        sl.Metric("m", lambda result: 0, kind="float")


def test_results_have_no_metrics_by_default(result):
    assert result.metrics == {}
    assert measured(result, sl.Plugins()) is result


def test_a_result_has_its_metrics(host):
    """Computed of the result as it is, after a search that solves nothing as well."""
    host.values.update(ratio=lambda result: result.expanded / 2, note=lambda result: result.status)
    solved = sl.solve(domain="2048:goal=16", engine="readable", plugins=host)
    assert solved.metrics == {"ratio": solved.expanded / 2, "count": 3, "note": "solved", "fine": True}
    assert solved.as_dict()["metrics"] == solved.metrics
    stopped = sl.solve(domain="2048", engine="readable", limits=sl.Limits(expansions=4), plugins=host)
    assert (stopped.metrics["ratio"], stopped.metrics["note"]) == (2, "expansion-limit")
    assert host.problems == []


@pytest.mark.parametrize(
    ("name", "returned", "value"),
    [
        ("ratio", 2, 2.0),
        ("ratio", np.float32(0.5), 0.5),
        ("ratio", float("inf"), float("inf")),
        ("ratio", float("nan"), None),
        ("count", np.int64(7), 7),
        ("count", None, None),
        ("note", "two\nlines", "two lines"),
        ("note", np.str_("so"), "so"),
        ("fine", np.bool_(False), False),
    ],
)
def test_values_become_built_in_types(host, result, name, returned, value):
    """A number is a float, a text a line, NaN a missing value."""
    host.values[name] = returned
    got = measured(result, host).metrics[name]
    assert (got, type(got)) == (value, type(value))
    assert host.problems == []


@pytest.mark.parametrize(
    ("name", "returned", "said"),
    [
        ("ratio", "2", "it returned str '2', and kind='number' means a number"),
        ("ratio", True, "it returned bool True, and kind='number' means a number"),
        ("ratio", [1], "it returned list [1], and kind='number' means a number"),
        ("ratio", np.ones(2), "can only convert an array of size 1"),
        ("count", 2.0, "it returned float 2.0, and kind='whole' means a whole number"),
        ("count", 2**63, "means a whole number"),
        ("note", 2, "it returned int 2, and kind='text' means a text"),
        ("fine", 1, "it returned int 1, and kind='boolean' means True or False"),
        ("ratio", lambda result: result.moves / 0, "ZeroDivisionError: division by zero"),
        ("ratio", lambda result: exec("raise SystemExit(3)"), "SystemExit: 3"),
    ],
)
def test_a_value_that_cannot_be_is_missing(host, result, name, returned, said):
    """It is reported once, with the plugin; the other metrics have theirs."""
    host.values[name] = returned
    expected = {**GOOD, name: None}
    assert [measured(result, host).metrics for _ in range(2)] == [expected] * 2
    (problem,) = host.problems
    assert problem.source.startswith("measures (")
    assert problem.what.startswith(f"metric '{name}' failed: ")
    assert problem.what.endswith("; its value is missing")
    assert said in problem.what


def test_a_metric_that_fails_in_several_ways_is_reported_once(host, result):
    for text in "abc":
        host.values["ratio"] = text
        measured(result, host)
    assert len(host.problems) == 1
    host.values["fine"] = "yes"
    measured(result, host)
    assert len(host.problems) == 2


def test_a_metric_with_a_known_name_is_left_out(tmp_path):
    """The first has the column, even where the case differs; both plugins are named, and the others' metrics stay."""
    for name, metrics in (("one", ("width", "depth")), ("two", ("Width", "height"))):
        brought = ", ".join(f"Metric({metric!r}, lambda result: {name!r}, kind='text')" for metric in metrics)
        hook = f"@hookimpl\ndef searchlab_metrics():\n    return [{brought}]\n"
        (tmp_path / f"{name}.py").write_text(f"from searchlab import Metric, hookimpl\n\n\n{hook}")
    plugins = sl.Plugins([tmp_path / "one.py", tmp_path / "two.py"])
    result = sl.solve(domain="2048:goal=8", engine="readable", plugins=plugins)
    assert result.metrics == {"width": "one", "depth": "one", "height": "two"}
    (problem,) = plugins.problems
    assert problem.source == f"two ({tmp_path / 'two.py'})"
    assert problem.what == (
        f"searchlab_metrics returned 'Width', a metric that one ({tmp_path / 'one.py'}) brings; it was left out"
    )


def test_metrics_are_columns(host, result):
    """After those of every result, with types in which a value may be missing; a result without has none there."""
    table = sl.table([measured(result, host), result])
    assert list(table.columns) == [*COLUMNS, "ratio", "count", "note", "fine"]
    assert table.dtypes.astype(str)[list(GOOD)].tolist() == ["Float64", "Int64", "string", "boolean"]
    assert table.loc[0, list(GOOD)].to_dict() == GOOD
    assert table.loc[1, list(GOOD)].isna().all()


def test_a_record_has_the_columns_of_its_first_run(host, result, tmp_path):
    """A later run may lack a metric, which is then empty, and what it has besides is left out with a warning."""
    file = tmp_path / "runs.csv"
    host.values["fine"] = None
    first = measured(result, host)
    record.append(file, first)
    record.append(file, result)
    pd.testing.assert_frame_equal(record.read(file)[["ratio", "count"]], sl.table([first, result])[["ratio", "count"]])
    without = tmp_path / "without.csv"
    record.append(without, result)
    with pytest.warns(sl.SearchlabWarning, match="without.csv has no column for 'ratio', 'count', 'note', 'fine'"):
        record.check(without, first.metrics)
    with pytest.warns(sl.SearchlabWarning, match="which its rows will lack; name a new file to have it"):
        record.append(without, first)
    pd.testing.assert_frame_equal(record.read(without), sl.table([result, result]))


def test_a_cut_off_line_of_a_record_with_metrics_is_taken_away(host, result, tmp_path):
    """A row as long as one without metrics is none here."""
    file = tmp_path / "runs.csv"
    record.append(file, measured(result, host))
    header, row = file.read_text().splitlines()
    file.write_text(f"{header}\n{row}\n{row.rsplit(',', len(GOOD))[0]}")
    record.append(file, measured(result, host))
    assert file.read_text() == f"{header}\n{row}\n{row}\n"
