"""Errors are one line with the fault, the place and the remedy."""

import json

import numpy as np
import pytest

import searchlab as sl
from searchlab.errors import did_you_mean, in_one_line


def raised(action):
    """Return the exception that an action raises."""
    try:
        action()
    except Exception as error:  # noqa: BLE001 - whatever it is
        return error
    return None


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("gredy", ["greedy", "astar"], "did you mean 'greedy'? There are astar and greedy"),
        ("astr", ["astra", "astar", "greedy"], "did you mean 'astra' or 'astar'? There are astar, astra and greedy"),
        ("xyz", ["greedy", "astar", "astar"], "there are astar and greedy"),
        ("xyz", ["greedy"], "there is only greedy"),
        ("xyz", [], "there are none"),
    ],
)
def test_a_misspelt_name_is_answered_with_suggestions(name, known, said):
    """The nearest two first, then each once, sorted."""
    assert did_you_mean(name, known).startswith(said)


def test_every_error_is_a_searchlab_error():
    """It is one of the usual exceptions, too."""
    assert issubclass(sl.UsageError, sl.SearchlabError)
    assert issubclass(sl.MachineError, sl.SearchlabError)
    assert issubclass(sl.UsageError, ValueError)
    assert issubclass(sl.BoardError, sl.SearchlabError)
    assert issubclass(sl.BoardError, ValueError)
    assert issubclass(sl.TileIndexError, IndexError)
    assert issubclass(sl.PluginError, sl.SearchlabError)
    assert issubclass(sl.SearchlabWarning, UserWarning)


def test_the_text_of_an_error_is_one_plain_line():
    """Only errors of plugins may show a board below."""
    assert str(sl.UsageError("no a\n\x1b[31mb")) == "no a \\x1b[31mb"
    assert str(sl.PluginError("h: failed: \x07\n2\n2 0\n0 2")) == "h: failed: \\x07\n2\n2 0\n0 2"
    with pytest.raises(sl.BoardError) as error:
        sl.Board([[np.zeros((2, 2))]])
    assert "\n" not in str(error.value)


def test_an_exception_is_shown_with_its_type_and_place():
    """Its text in one line, and the file and line that raised it."""

    def fails():
        msg = "two\n  lines"
        raise LookupError(msg)

    line = fails.__code__.co_firstlineno + 2
    assert in_one_line(raised(fails)) == f"LookupError: two lines ({__file__}, line {line})"
    assert in_one_line(raised(fails), __file__) == f"LookupError: two lines (line {line})"


def test_the_place_is_in_the_requested_file():
    """Not deep in a library it calls; where the file has no part in it there is no place."""

    def fails():
        json.loads("{")

    line = fails.__code__.co_firstlineno + 1
    what = "JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
    assert in_one_line(raised(fails), __file__) == f"{what} (line {line})"
    assert in_one_line(raised(fails), "elsewhere.py") == what


def test_a_syntax_error_is_shown_with_its_line():
    """The line of the mistake, and its file where that is another."""
    error = raised(lambda: compile("x = 1\ny = = 2\n", "mine.py", "exec"))
    assert in_one_line(error, "mine.py") == "SyntaxError: invalid syntax (line 2)"
    assert in_one_line(error) == "SyntaxError: invalid syntax (mine.py, line 2)"


def test_an_exception_without_text_and_place_is_shown_by_its_type():
    assert in_one_line(KeyError()) == "KeyError"
    assert in_one_line(SystemExit(3)) == "SystemExit: 3"
    assert in_one_line(sl.UsageError("said as it is")) == "said as it is"
