"""`sl.trace` records a search from Python."""

import json

import pytest

import searchlab as sl

NAME = "sliding-tile/example"


def test_a_search_is_traced_and_followed(tmp_path):
    """The trace is what `searchlab solve --trace` writes, and a notebook shows its page."""
    trace = sl.trace(NAME)
    assert trace.result.status == "solved"
    assert repr(trace) == f"<Trace: {len(trace.content['events'])} events; solved in 3 moves, optimal>"
    path = trace.save(tmp_path / "example.trace.json")
    assert json.loads(path.read_text(encoding="utf-8"))["version"] == "1.4.0"
    assert sl.view(path).html == trace.page().html
    assert trace._repr_html_() == sl.view(path)._repr_html_()


def test_the_number_of_events_is_limited_and_the_search_is_not():
    """It ends as without a trace."""
    trace = sl.trace("sliding-tile/puzzle8-20", events=10)
    assert len(trace.content["events"]) <= 11
    assert trace.result.moves == 20


def test_a_trace_that_cannot_be_written_is_refused(tmp_path):
    """By its name."""
    with pytest.raises(sl.UsageError, match=r"example\.json: the name of a trace ends in \.trace\.json"):
        sl.trace(NAME).save(tmp_path / "example.json")
