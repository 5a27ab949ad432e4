"""What can go wrong, as values a user can read: what was wrong, where, and what to do."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from searchlab.errors.control_characters import escaped, one_line
from searchlab.errors.interrupts import came_from_signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

OURS = f"{os.path.dirname(os.path.dirname(__file__))}{os.sep}"
NO_PLUGINS = ("<frozen ", f"{os.path.dirname(importlib.__file__)}{os.sep}", OURS)
"""Where the files begin that stand between a plugin's code and whoever called it."""

LONGEST = 300
"""Characters of an exception's text that are shown."""
SYNTAX_ERRORS = (SyntaxError, IndentationError, TabError)
OF_PYTEST = "_pytest.outcomes"
"""The module of what ends a test of pytest's, wherever it is raised."""


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

    Once that is fixed, the same command continues, or does its work again.
    """


class Cancelled(BaseException):
    """Base of what searchlab itself raises to end its own work: it passes through the plugin code that is running."""


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


def _as_plugin_error(error: BaseException) -> PluginError:
    return PluginError(in_one_line(error))


class PluginCode:
    """A context in which code of a plugin runs: whatever it raises comes out as an error of searchlab's.

    That includes SystemExit, GeneratorExit, a KeyboardInterrupt nobody pressed, and every other BaseException. What
    comes from elsewhere while a plugin is running passes; see `is_from_elsewhere`. This is the only place that decides
    so: there is no other `except` around plugin code. No `yield` stands in such a context, for a generator that is
    closed raises GeneratorExit there.

    >>> with PluginCode(lambda error: PluginError(f"heuristic mine: {in_one_line(error)}")):
    ...     raise SystemExit(0)
    Traceback (most recent call last):
    ...
    searchlab.errors.PluginError: heuristic mine: SystemExit: 0 (<doctest searchlab.errors.PluginCode[0]>, line 2)

    Args:
        blame: returns the error that is raised in place of the plugin's, which becomes its cause.
        let_through: errors that say already what is wrong and whose fault it is.
    """

    __slots__ = ("_blame", "_let_through")

    def __init__(
        self,
        blame: Callable[[BaseException], BaseException] = _as_plugin_error,
        let_through: tuple[type[BaseException], ...] = (PluginError,),
    ) -> None:
        self._blame, self._let_through = blame, let_through

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None or kind is None:
            return
        if is_from_elsewhere(error) or (issubclass(kind, self._let_through) and _can_be_shown(error)):
            return
        raise self._blame(error) from error


def is_from_elsewhere(error: BaseException) -> bool:
    """Return whether an exception that left plugin code is not the plugin's own doing.

    That is what searchlab raises to end its own work, what a signal handler of the program raises (Ctrl-C, a service's
    SystemExit at SIGTERM, the time limit of a test), and what pytest raises to end a test.
    """
    kind = type(error)  # isinstance would ask the exception itself
    outcomes = sys.modules.get(OF_PYTEST)
    of_pytest = outcomes is not None and issubclass(kind, (outcomes.OutcomeException, outcomes.Exit))
    return of_pytest or issubclass(kind, Cancelled) or came_from_signal(error)


def _can_be_shown(error: BaseException) -> bool:
    try:
        str(error)
    except BaseException as failure:
        if is_from_elsewhere(failure):
            raise
        return False
    return True


def in_one_line(error: BaseException, file: str = "") -> str:
    """Return what plugin code raised in one line, with the place that raised it.

    Args:
        file: the plugin's file: the place is where in it; without it, wherever the error was raised.
    """
    from traceback import walk_tb

    if issubclass(type(error), UsageError):  # isinstance would ask the exception itself
        return str(error) if _can_be_shown(error) else _class_of(error)
    if type(error) in SYNTAX_ERRORS and isinstance(error, SyntaxError) and isinstance(error.filename, str):
        what, places = f"{_class_of(error)}: {_safely(str, error.msg)}", [(error.filename, error.lineno or 0)]
    else:
        what = with_type(error)
        frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
        places = [at for at in frames if (at[0] == file if file else not at[0].startswith(NO_PLUGINS))]
    at, line = places[-1] if places else ("", 0)
    if not line:
        return what
    return f"{what} (line {line})" if at == file else f"{what} ({at}, line {line})"


def source_excerpt(error: BaseException) -> list[str]:
    """Return the line of a plugin's code whose syntax an error is about, and what points to the place in it.

    Args:
        error: it, or what it caused; none is about syntax, there are no lines.
    """
    cause: BaseException | None = error
    while cause is not None and type(cause) not in SYNTAX_ERRORS:
        cause = cause.__cause__
    text, offset = getattr(cause, "text", None), getattr(cause, "offset", None)
    if type(text) is not str or type(offset) is not int or not text.strip():
        return []
    line = text.splitlines()[0]
    shown = "".join(character if character.isprintable() else " " for character in line).strip()
    place = min(max(0, offset - 1 - (len(line) - len(line.lstrip()))), len(shown))
    return [shown, f"{' ' * place}^"] if len(shown) <= LONGEST else []


def said(error: BaseException) -> str:
    """Return the message of an exception in one line; the empty string if it has none that can be shown."""
    return _safely(str, error)


def with_type(error: BaseException) -> str:
    """Return what was raised and what it says, in one line."""
    text = _safely(str, error)
    return f"{_class_of(error)}: {text}" if text else _class_of(error)


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
        text = " ".join(str.split(describe(value)))
    except BaseException as failure:
        if is_from_elsewhere(failure):
            raise
        return f"<{_class_of(value)}>" if describe is repr else ""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _class_of(value: object) -> str:
    """Return the name of a value's class, whatever the class says of itself."""
    name: str = type.__dict__["__name__"].__get__(type(value))
    return name
