"""Containment of exceptions that plugin code raises, and how these and other objects of plugins are shown."""

from __future__ import annotations

import importlib
import os
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from searchlab.errors.exceptions import Cancelled, PluginError, UsageError
from searchlab.errors.interrupts import OURS, came_from_signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

T = TypeVar("T")
NOT_OF_PLUGINS = ("<frozen ", f"{os.path.dirname(importlib.__file__)}{os.sep}", OURS)
"""The beginnings of file names of frames between a plugin's code and its caller, which belong to no plugin."""
GENERATED = "<string>"
"""The file name of code that was made from text."""
LONGEST = 300
"""The characters of an exception's text that are shown."""
SYNTAX_ERRORS = (SyntaxError, IndentationError, TabError)
PYTEST_OUTCOMES = "_pytest.outcomes"
"""The module of the exceptions with which pytest ends a test, wherever they are raised."""


def _as_plugin_error(error: BaseException) -> PluginError:
    return PluginError(in_one_line(error))


class PluginCode:
    """A context in which plugin code runs: every exception of the code becomes an error of searchlab.

    That includes SystemExit, GeneratorExit and every other BaseException but KeyboardInterrupt. An exception from
    elsewhere passes; see `is_from_elsewhere`. This is the only `except` around plugin code. The context must not
    contain a `yield`, because closing the generator would raise GeneratorExit there.

    >>> with PluginCode(lambda error: PluginError(f"heuristic mine: {with_type(error)}")):
    ...     raise SystemExit(0)
    Traceback (most recent call last):
    ...
    searchlab.errors.exceptions.PluginError: heuristic mine: SystemExit: 0

    Args:
        blame: returns the error to raise; the plugin's becomes its cause.
        let_through: errors that pass because they already name the fault and its origin.
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

    def guard(
        self,
        function: Callable[..., Any],
        arguments: int = 1,
        kind: type | None = None,
        otherwise: Callable[..., Any] | None = None,
    ) -> Callable[..., Any]:
        """Return a function of 1 or 2 arguments that calls another in this context, in a third of the time.

        Args:
            function: the plugin's function.
            arguments: the number of its arguments.
            kind: the usual class of its values; None if all are returned as they are.
            otherwise: converts a value of another class; gets the arguments, then the value.
        """
        end = self.__exit__

        def call_with_one(argument: Any) -> Any:
            try:
                value = function(argument)
            except BaseException as error:
                end(type(error), error, error.__traceback__)
                raise
            return value if kind is None or value.__class__ is kind or otherwise is None else otherwise(argument, value)

        def call_with_two(argument: Any, other: Any) -> Any:
            try:
                value = function(argument, other)
            except BaseException as error:
                end(type(error), error, error.__traceback__)
                raise
            return (
                value
                if kind is None or value.__class__ is kind or otherwise is None
                else otherwise(argument, other, value)
            )

        return call_with_one if arguments == 1 else call_with_two


def is_from_elsewhere(error: BaseException) -> bool:
    """Return whether an exception that left plugin code was not raised by it.

    Such exceptions are raised by searchlab to end its own work, by a signal handler of the program (Ctrl-C, a service's
    SystemExit at SIGTERM, the time limit of a test), or by pytest to end a test.
    """
    outcomes = sys.modules.get(PYTEST_OUTCOMES)
    of_pytest = outcomes is not None and isinstance(error, (outcomes.OutcomeException, outcomes.Exit))
    return of_pytest or isinstance(error, Cancelled) or came_from_signal(error)


def _can_be_shown(error: BaseException) -> bool:
    try:
        str(error)
    except BaseException as failure:
        if is_from_elsewhere(failure):
            raise
        return False
    return True


def in_one_line(error: BaseException, file: str = "") -> str:
    """Return an exception of plugin code in one line, with its place in the code.

    Args:
        file: the plugin's file; the place is then a line in it, otherwise a file and a line.
    """
    from traceback import walk_tb

    if isinstance(error, UsageError):
        return str(error) if _can_be_shown(error) else type(error).__name__
    if type(error) in SYNTAX_ERRORS and isinstance(error, SyntaxError) and isinstance(error.filename, str):
        what, places = f"{type(error).__name__}: {_safely(str, error.msg)}", [(error.filename, error.lineno or 0)]
    else:
        what = with_type(error)
        frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
        places = [at for at in frames if (at[0] == file if file else not at[0].startswith(NOT_OF_PLUGINS))]
        # The __init__ of a dataclass stands in no file; where it is called does.
        places = [at for at in places if at[0] != GENERATED] or places
    at, line = places[-1] if places else ("", 0)
    if not line:
        return what
    return f"{what} (line {line})" if at == file else f"{what} ({at}, line {line})"


def source_excerpt(error: BaseException) -> list[str]:
    """Return the source line of a syntax error, and below it a mark at the place.

    Args:
        error: a syntax error, or an error caused by one; for any other the list is empty.
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


def message_of(error: BaseException) -> str:
    """Return the message of an exception in one line, `""` if it has none that can be shown."""
    return _safely(str, error)


def with_type(error: BaseException) -> str:
    """Return an exception's class and message in one line."""
    text = _safely(str, error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def shown(value: object, width: int = 60) -> str:
    """Return the `repr` of a value as one line of at most `width` characters.

    >>> shown("a text that is too long to be shown", 20)
    "'a text that is too…"
    """
    text = _safely(repr, value)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def at_most(most: int, items: Iterable[T], what: str, error: Callable[[str], Exception]) -> Iterator[T]:
    """Yield the items that a plugin's function yields; a function that yields more is taken for an endless one.

    Args:
        most: the number of items it may yield.
        items: the items.
        what: what they are, in the plural.
        error: returns the exception to raise, from its message.
    """
    iterator = iter(items)
    yield from islice(iterator, most)  # in a third of the time of a loop
    for _ in iterator:
        raise error(f"yields more than {most:,} {what}: does it ever end?")


def _safely(describe: Callable[[Any], str], value: object) -> str:
    """Return the `str` or the `repr` of a plugin's object in one line; if that fails, `""` or the name of its class."""
    try:
        text = " ".join(describe(value).split())
    except BaseException as failure:
        if is_from_elsewhere(failure):
            raise
        return f"<{type(value).__name__}>" if describe is repr else ""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
