"""The occasions on which plugins are notified of a run."""

import signal
from types import SimpleNamespace

import pytest

import searchlab as sl
from searchlab.search.solve import ObservedRun

LISTENER = """\
from searchlab import hookimpl

TOLD = []


@hookimpl
def searchlab_run_started(run):
    TOLD.append(("started", run))


@hookimpl
def searchlab_run_finished(run, result):
    TOLD.append(("finished", run, result))


@hookimpl
def searchlab_run_failed(result, run):
    TOLD.append(("failed", run, result))
"""
DEAF = """\
from searchlab import hookimpl


@hookimpl
def searchlab_run_started():
    raise LookupError("no\\ndesk")


@hookimpl
def searchlab_run_finished(result):
    raise SystemExit("enough")


@hookimpl
def searchlab_run_failed(result):
    yield result
"""


@pytest.fixture
def host(tmp_path):
    """A function that returns a host with plugins of these texts, and the list of what the last one was told."""

    def host(*texts):
        files = [tmp_path / f"plugin{number}.py" for number in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        plugins = sl.Plugins(files)
        return plugins, getattr(plugins.loaded[-1].module, "TOLD", [])

    return host


def searched(plugins, **more):
    return sl.solve(domain="2048:goal=16", engine="readable", plugins=plugins, **more)


def fails(tiles):
    raise ValueError("no idea")


def is_interrupted(tiles):
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)


def test_hooks_are_called_at_the_beginning_and_end_of_a_run(host):
    """With what is searched, as it is spelled, and the result that `solve` returns."""
    plugins, told = host(LISTENER)
    limits = sl.Limits(expansions=1000)
    result = searched(plugins, frontier="weighted-astar:weight=3", limits=limits)
    start = sl.domain("2048").start()
    run = sl.RunInfo(start, "2048:goal=16", "left-weighted", "weighted-astar:weight=3", limits)
    assert told == [("started", run), ("finished", run, result)]
    assert told[0][1] is told[1][1]
    assert told[1][2] is result


def test_a_run_that_ends_with_an_error_has_failed(host):
    """Then nobody is notified that it has finished."""
    plugins, told = host(LISTENER)
    result = searched(plugins, heuristic=fails)
    assert [(occasion, *(r.status for r in results)) for occasion, _, *results in told] == [
        ("started",),
        ("failed", "error"),
    ]
    assert told[1][2] is result


@pytest.mark.parametrize(
    ("more", "raised"),
    [
        ({"engine": "compiled", "heuristic": fails, "frontier": "ida-star"}, sl.UsageError),
        ({"heuristic": is_interrupted}, KeyboardInterrupt),
    ],
)
def test_a_run_that_raises_has_failed(host, more, raised):
    """Whatever it raises is raised on, and its result says what."""
    plugins, told = host(LISTENER)
    settings = {"domain": "2048:goal=16", "engine": "readable", **more}
    with pytest.raises(raised) as error:
        sl.solve(plugins=plugins, **settings)
    assert [occasion for occasion, *_ in told] == ["started", "failed"]
    assert told[1][2].status == "error"
    assert str(error.value) in told[1][2].reason


def test_refused_problems_are_not_runs(host):
    """A misspelt name is nothing that begins."""
    plugins, told = host(LISTENER)
    with pytest.raises(sl.UsageError):
        searched(plugins, heuristic="left-heavy")
    assert told == []


def test_a_hook_that_fails_is_called_no_further(host):
    """It is reported once; the run, the result and the hooks of others are as ever."""
    plugins, told = host(DEAF, LISTENER)
    expected = searched(sl.Plugins())
    for number in range(1, 3):
        result = searched(plugins)
        assert (result.status, result.expanded) == (expected.status, expected.expanded)
        searched(plugins, heuristic=fails)
        assert len(told) == 4 * number
    assert [problem.what for problem in plugins.problems] == [
        "searchlab_run_started failed: LookupError: no desk (line 6); it is called no further",
        "searchlab_run_finished failed: SystemExit: enough (line 11); it is called no further",
        "searchlab_run_failed failed: it yields, so that nothing in it runs; it is called no further",
    ]
    assert {problem.source.split(" ")[0] for problem in plugins.problems} == {"plugin0"}


def test_a_hook_that_wraps_others_is_refused(host):
    """For each is called on its own."""
    wrapper = LISTENER.replace("@hookimpl", "@hookimpl(wrapper=True)", 1)
    with pytest.raises(sl.UsageError, match=r"searchlab_run_started is a wrapper, .*: there is nothing to wrap"):
        host(wrapper)


def test_a_run_has_its_name_and_seed(host):
    """Of the board; here for what runs many of them."""
    plugins, told = host(LISTENER)
    start = sl.domain("2048").start()
    problem = SimpleNamespace(board=start, domain="2048", heuristic="empty", frontier="greedy")
    with ObservedRun(problem, None, plugins, name="7.txt", seed=7) as run:
        run.result = sl.Result("exhausted", start, "2048", "empty", "greedy")
    assert told[0][1] == sl.RunInfo(start, "2048", "empty", "greedy", sl.Limits(), "7.txt", 7)
