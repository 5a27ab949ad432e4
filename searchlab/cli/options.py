"""Options and arguments that several commands share, and the types of their values."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from searchlab.cli.names import PathName
from searchlab.cli.session import Session
from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.model.limits import Limits

    # Generic since Click 8.4 in its types only.
    Type = click.ParamType[Any]
else:
    Type = click.ParamType

F = TypeVar("F", bound="Callable[..., Any] | click.Command")


class Measured(Type):
    """A number with a unit, read by a function of `searchlab.model.limits`.

    Args:
        name: the name of a value in the help.
        reader: the name of the function; it is imported when a value is read.
    """

    def __init__(self, name: str, reader: str) -> None:
        self.name = name
        self._reader = reader

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        from searchlab.model import limits

        try:
            return getattr(limits, self._reader)(value) if isinstance(value, str) else value
        except UsageError as error:
            self.fail(str(error), param, ctx)


class MemoryLimit(Measured):
    """An amount of memory, more than none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number of bytes."""
        limit = super().convert(value, param, ctx)
        if limit == 0:
            self.fail("0 is not a limit of memory; leave the option out for the default", param, ctx)
        return limit


class OutputPath(click.Path):
    """The path of a file or folder to write."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, which is not empty."""
        INPUT_PATH.convert(value, param, ctx)
        return super().convert(value, param, ctx)


class PluginFile(Type):
    """The path of a plugin's Python file."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path of an existing Python file."""
        path = os.path.expanduser(str(value))
        if not os.path.isfile(path):
            self.fail(f"{value}: {_what_is_at(path)}", param, ctx)
        if not path.endswith(".py"):
            self.fail(f"{value}: a plugin file ends in .py", param, ctx)
        return path


def _what_is_at(path: str) -> str:
    """Return a description of what a path refers to instead of a file."""
    if os.path.isdir(path):
        return "a directory"
    return "a device" if os.path.exists(path) else "no such file"


class PluginsFolder(Type):
    """The path of a folder of plugin files."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path of an existing folder."""
        path = os.path.expanduser(str(value))
        if not os.path.isdir(path):
            what = "a file; --plugin loads one" if os.path.isfile(path) else "no such folder"
            self.fail(f"{value}: {what}", param, ctx)
        return path


class SwitchedOff(Type):
    """`no:NAME`: the name of a plugin that is not to be loaded."""

    name = "no:NAME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the plugin's name."""
        mark, colon, name = str(value).partition(":")
        if mark != "no" or not colon or not name:
            self.fail(f"{value}: no:NAME switches a plugin off; --plugin FILE.py loads one", param, ctx)
        return name


SECONDS = Measured("TIME", "parse_seconds")
BYTES = MemoryLimit("SIZE", "parse_bytes")
INPUT_PATH, OUTPUT_PATH = PathName(), OutputPath()


def _set_in_session(field: str, ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Set a field of the Session; an option may be given before the command and after it, and both count."""
    session = ctx.ensure_object(Session)
    given = getattr(session, field)
    setattr(session, field, given + value if isinstance(given, tuple) else given or value)


_eager_option = partial(click.option, is_eager=True, expose_value=False)
_common_options = (
    _eager_option(
        "--plugin",
        type=PluginFile(),
        metavar="FILE.py",
        multiple=True,
        callback=partial(_set_in_session, "files"),
        help="Load a plugin file, too; may be repeated.",
    ),
    _eager_option(
        "--plugins-dir",
        type=PluginsFolder(),
        metavar="DIR",
        multiple=True,
        callback=partial(_set_in_session, "folders"),
        help="Load the plugin files of a folder, too; may be repeated.",
    ),
    _eager_option(
        "--no-plugins",
        is_flag=True,
        callback=partial(_set_in_session, "shipped_only"),
        help="Load only the plugins that ship with searchlab, and each --plugin.",
    ),
    _eager_option(
        "-p",
        type=SwitchedOff(),
        metavar="no:NAME",
        multiple=True,
        callback=partial(_set_in_session, "without"),
        help="Do not load a plugin; may be repeated.",
    ),
    _eager_option(
        "--debug", is_flag=True, callback=partial(_set_in_session, "debug"), help="Show tracebacks of errors."
    ),
)


def domain_option(default: str, example: str) -> Callable[[F], F]:
    """Return the option --domain; the help says which domain is the default, and has an example of another."""
    return click.option(
        "--domain", metavar="NAME", help=f"Domain, with its parameters: {example} (default: {default})."
    )


goal_option = click.option("--goal", metavar="GOAL", help="Short for the domain's parameter goal.")
to_option = click.option(
    "--to",
    metavar="BOARD",
    help="Board to reach in place of the goal: a name, or tiles: '1 2 3/8 0 4/7 6 5'.",
)
preset_option = click.option(
    "--preset",
    metavar="NAME",
    help="Short for the domain's preset NAME; without --domain, the game that has this preset.",
)


def component_option(kind: str, says: str, *, several: bool = False) -> Callable[[F], F]:
    """Return the option that names components of a kind: --heuristic, --frontier or --player.

    Args:
        kind: of the components.
        says: the help.
        several: whether it may be repeated.
    """
    return click.option(f"--{kind}", multiple=several, metavar="NAME", help=says)


def search_options(function: F) -> F:
    """Add the options that name what searches a board: --heuristic and --frontier."""
    lists = "'searchlab plugins list {}' lists the names."
    own = "(default: the domain's own); FILE.py:function names your own."
    for kind, title in (("frontier", "Frontier strategy"), ("heuristic", "Heuristic")):
        function = component_option(kind, f"{title} {own} {lists.format(kind)}")(function)
    return function


player_heuristic_option = component_option("heuristic", "Short for the player's parameter that names a heuristic.")
DELAY = 0.2
"""The default of --delay in seconds."""
delay_option = click.option("--delay", type=SECONDS, help="Time between two moves that are shown (default 0.2s).")
"""The option of commands that show a game or a solution move by move."""
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=1, metavar="N", help="Random seed (default 1)."
)
output_option = click.option(
    "--output",
    type=OUTPUT_PATH,
    metavar="FILE",
    help="Write to a file instead of standard output.",
)
renderer_option = click.option(
    "--renderer", metavar="NAME", help="Renderer that draws boards, such as box (default: the domain's own)."
)


def engine_option(automatic: str = "compiled if possible") -> Callable[[F], F]:
    """Return the option --engine; `automatic` describes the default."""
    return click.option(
        "--engine",
        type=click.Choice(["auto", "compiled", "readable"]),
        default="auto",
        metavar="NAME",
        help=f"compiled, readable, or auto (the default): {automatic}.",
    )


batch_option = click.option(
    "--batch",
    type=click.IntRange(min=1),
    metavar="N",
    help="Nodes to expand before the new nodes are evaluated together (default 1; 1000 if the heuristic is evaluated "
    "in Python).",
)
_time_limit_option = click.option("--time-limit", type=SECONDS, help="Limit of wall time: 500ms, 10s, 2m.")


def limit_options(function: F) -> F:
    """Add the options that limit a search."""
    function = click.option(
        "--max-expansions", type=click.IntRange(min=0), metavar="N", help="Limit of nodes to expand."
    )(function)
    return _time_limit_option(memory_limit_option("search")(function))


def game_limit_options(function: F) -> F:
    """Add the options that limit a game."""
    function = click.option(
        "--max-moves", type=click.IntRange(min=0), metavar="N", help="Limit of moves of a game (default 100,000)."
    )(function)
    return _time_limit_option(memory_limit_option("player")(function))


def memory_limit_option(what: str, default: str = "half of the available memory") -> Callable[[F], F]:
    """Return the option --memory-limit of a search, a player, …, named in the help together with the default."""
    return click.option(
        "--memory-limit",
        type=BYTES,
        help=f"Limit of memory of the {what}: 200MiB, 2GiB (default: {default}).",
    )


def limits_of(seconds: float | None, memory: int | None, expansions: int | None) -> Limits:
    """Return the Limits of the options' values."""
    from searchlab.model.limits import Limits

    return Limits(memory=memory, expansions=expansions) if seconds is None else Limits(seconds, memory, expansions)


def json_option(what: str) -> Callable[[F], F]:
    """Return the option --json; the help names its content."""
    return click.option("--json", is_flag=True, help=f"Print {what} as JSON.")


def page_options(name: str) -> Callable[[F], F]:
    """Return the options --output and --open of commands that write a page; the help gives the default file name."""
    output = click.option(
        "--output",
        type=OUTPUT_PATH,
        metavar="FILE",
        help=f"File to write (default: {name} with .html, in this folder).",
    )
    opens = click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
    return lambda function: output(opens(function))


def domain_options(function: F) -> F:
    """Add the options that name the domain of a board: --domain and --goal."""
    by_board = "the domain in set.toml beside the board, else the only one that the tiles fit"
    return domain_option(by_board, "2048:goal=512,spawn=corner")(goal_option(function))


def common_options(function: F) -> F:
    """Add the options every command has: which plugins to load, and --debug."""
    for option in reversed(_common_options):
        function = option(function)
    return function


path_argument = click.argument("path", type=INPUT_PATH, metavar="PATH")


run_option = click.option("--run", metavar="N|IDENTITY", help="One run, by its number in the table or its identity.")
all_versions_option = click.option(
    "--all-versions",
    is_flag=True,
    help="Include runs with former code of a heuristic, or a former board, distinguished by dates (default: only "
    "the versions that the last run asked for).",
)
where_option = click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Only runs that meet a condition: status=solved, 'expanded>=1000', heuristic~taxi; may be repeated. "
    "The operators are = != < <= > >= ~ (contains) !~.",
)
