"""What can go wrong, as values a user can read: what was wrong, where, and what to do."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

NO_PLUGINS = ("<frozen ", f"{os.path.dirname(importlib.__file__)}{os.sep}", f"{os.path.dirname(__file__)}{os.sep}")
"""Where the files begin that stand between a plugin's code and whoever called it."""

LONGEST_SHOWN = 60
"""Characters of a wrong value that an error repeats."""


class SearchlabError(Exception):
    """Base of every error searchlab raises on purpose; the command line prints it as one line."""


class UsageError(SearchlabError, ValueError):
    """A name, a parameter or an option that makes no sense."""


class BoardError(SearchlabError, ValueError):
    """A board that cannot be: empty, ragged, with impossible tiles, or in a file that cannot be read."""


class TileIndexError(BoardError, IndexError):
    """A row or a column outside the board."""


class PluginError(SearchlabError):
    """A plugin's function failed while a search was using it."""


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


def shown(value: object) -> str:
    """Return a value that is wrong in one short line.

    >>> shown("sideways")
    "'sideways'"
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def in_one_line(error: BaseException, file: str = "") -> str:
    """Return what plugin code raised in one line, with the place that raised it.

    Args:
        file: the plugin's file: the place is where in it; without it, wherever the error was raised.
    """
    from traceback import walk_tb

    if isinstance(error, UsageError):
        return str(error)
    if isinstance(error, SyntaxError) and error.filename:
        text, places = error.msg, [(error.filename, error.lineno or 0)]
    else:
        text = " ".join(str(error).split())
        frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
        places = [at for at in frames if (at[0] == file if file else not at[0].startswith(NO_PLUGINS))]
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if not places:
        return what
    at, line = places[-1]
    return f"{what} (line {line})" if at == file else f"{what} ({at}, line {line})"
