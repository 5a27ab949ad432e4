"""What can go wrong, as values a user can read: what was wrong, where, and what to do."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from searchlab.control_characters import escaped, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NO_PLUGINS = ("<frozen ", f"{os.path.dirname(importlib.__file__)}{os.sep}", f"{os.path.dirname(__file__)}{os.sep}")
"""Where the files begin that stand between a plugin's code and whoever called it."""

FAILURES = (Exception, SystemExit)
"""What a plugin's function may raise without taking the program down."""
LONGEST = 300
"""Characters of an exception's text that are shown."""


class SearchlabError(Exception):
    """Base of every error searchlab raises on purpose.

    Its text is one line without control characters, whatever the names and values are that it repeats.
    """

    def __str__(self) -> str:
        return one_line(super().__str__())


class UsageError(SearchlabError, ValueError):
    """A name, a parameter or an option that makes no sense."""


class BoardError(SearchlabError, ValueError):
    """A board that cannot be: empty, ragged, with impossible tiles, or in a file that cannot be read."""


class TileIndexError(BoardError, IndexError):
    """A row or a column outside the board."""


class PluginError(SearchlabError):
    """A plugin's function failed while a search was using it; below the line the board may stand."""

    def __str__(self) -> str:
        return escaped(Exception.__str__(self))


class MachineError(SearchlabError):
    """The machine failed, not what it was asked: a full disk, a folder that is gone, worker processes that die.

    Once that is mended, the same command continues, or does its work again.
    """


class SearchlabWarning(UserWarning):
    """Something worth one line: a search that runs interpreted, a plugin that was left out."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the tail of an error about a misspelt name: the nearest known names, then all of them.

    >>> did_you_mean("gredy", ["greedy", "astar"])
    "did you mean 'greedy'? Available: astar, greedy"
    """
    from difflib import get_close_matches

    names = sorted(set(known))
    near = get_close_matches(name, names, n=2, cutoff=0.6)
    listed = f"Available: {', '.join(names)}" if names else "none is available"
    return f"did you mean {' or '.join(map(repr, near))}? {listed}" if near else listed


def in_one_line(error: BaseException, file: str = "") -> str:
    """Return what plugin code raised in one line, with the place that raised it.

    Args:
        file: the plugin's file: the place is where in it; without it, wherever the error was raised.
    """
    from traceback import walk_tb

    if isinstance(error, UsageError):
        return str(error)
    if isinstance(error, SyntaxError) and error.filename:
        what, places = f"{type(error).__name__}: {error.msg}", [(error.filename, error.lineno or 0)]
    else:
        what = with_type(error)
        frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
        places = [at for at in frames if (at[0] == file if file else not at[0].startswith(NO_PLUGINS))]
    at, line = places[-1] if places else ("", 0)
    if not line:
        return what
    return f"{what} (line {line})" if at == file else f"{what} ({at}, line {line})"


def with_type(error: BaseException) -> str:
    """Return what was raised and what it says, in one line."""
    text = _safely(str, error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def shown(value: object, width: int = 60) -> str:
    """Return what a plugin handed over as text: one line, no longer than so many characters, whatever it is.

    >>> shown("a text that is too long to be shown", 20)
    "'a text that is too…"
    """
    text = _safely(repr, value)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _safely(describe: Callable[[Any], str], value: object) -> str:
    """Return what `str` or `repr` makes of something of a plugin's, in one line; its type where that fails."""
    try:
        text = " ".join(describe(value).split())
    except FAILURES:
        return f"<{type(value).__name__}>" if describe is repr else ""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
