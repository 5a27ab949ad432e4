"""One run of an experiment in full: all columns, the board, and the commands that repeat and show the run."""

from __future__ import annotations

import os
import shlex
from decimal import Decimal
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from searchlab.cli.output import shows_colour, styled
from searchlab.errors import SearchlabError
from searchlab.errors.control_characters import escaped, one_line
from searchlab.errors.standard_output import standard_output

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.cli.session import Session
    from searchlab.plugins.registry import Plugins

PURPOSE = 7
"""The width of the purpose before a command."""
FIRST = ("run", "identity", "attempt")
"""The columns that the heading tells."""


def run_page(row: pd.Series[Any], path: str, session: Session, width: int) -> list[str]:
    """Return a run in full, in lines no wider than `width` where words allow.

    Args:
        row: a row of `load_results`, indexed by the columns.
        path: the path of the experiment, as given.
        session: the session, whose plugins draw the board.
    """
    from searchlab.experiments.cells import shown

    table = row.to_frame().T.infer_objects()
    attempt = f", attempt {row['attempt']}" if row["attempt"] != 1 else ""
    heading = f"run {row['run']:,} of {one_line(path)}{attempt}, {row['identity']}"
    lines = [styled(heading, bold=True) if shows_colour(standard_output()) else heading, ""]
    names = [str(name) for name in table.columns if name not in FIRST]
    label_width = max(len(one_line(name)) for name in names)
    for name in names:
        (text,) = shown(table[name].convert_dtypes())
        head = f"{one_line(name):{label_width}}  "
        lines += wrap(text, width, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)
    cells = {str(name): None if _is_missing(value) else value for name, value in row.items()}
    commands, remark = commands_of(cells, path, session.plugins)
    lines += ["", *_drawn(cells, session, width), ""]
    return [*lines, *(f"{purpose:{PURPOSE}}{command}" for purpose, command in commands), *wrap(remark, width)]


def _is_missing(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value))


def _drawn(cells: Mapping[str, Any], session: Session, width: int) -> list[str]:
    """Return the board of a run as its domain draws it, or the reason why it cannot be drawn."""
    from searchlab.cli.drawing import drawer

    try:
        board, domain = _board_and_domain(cells, session.plugins)
        if board is None:
            return ["the board: the opening of the game"]
        draws = drawer(domain, None, session.plugins, colour=shows_colour(standard_output()))
        return draws.blocks([board], width)[0]
    except SearchlabError as error:
        return [f"the board cannot be drawn: {one_line(str(error))}"]


def _board_and_domain(cells: Mapping[str, Any], plugins: Plugins) -> tuple[Board | None, BoundDomain]:
    """Return the start board of a run, and its domain.

    Raises:
        SearchlabError: one of them is no longer known.
    """
    from searchlab.experiments.replay import recorded_position

    domain, board = recorded_position(cells, plugins)
    return board, domain


def commands_of(cells: Mapping[str, Any], path: str, plugins: Plugins) -> tuple[list[tuple[str, str]], str]:
    """Return the commands that repeat and show a run, each with its purpose; without commands, a remark says why.

    Args:
        cells: the cells of the run by column, None for a missing one.
        path: the path of the experiment.
        plugins: the plugins that components are looked up in, to find those that take the seed.
    """
    from searchlab.binding.names import files_in

    is_game = "player" in cells
    searchlab = ["searchlab", *_plugin_options(cells, plugins)]
    words = [*searchlab, "play" if is_game else "solve"]
    standard_input = ""
    if cells["board_name"] is not None:
        board, standard_input = _board_argument(cells)
        if not board and not _begins_at_start(cells, plugins):
            return (
                [],
                "no command repeats it: its board has been moved, and was too large to be recorded",
            )
        words += [board] if board else []
    names, remark = _seeded_names(cells, plugins)
    for part, name in names.items():
        words += [f"--{part}", name]
    if is_game:
        words += ["--seed", str(0 if cells["seed"] is None else cells["seed"])]
    elif cells["engine"]:
        words += ["--engine", cells["engine"]]
    words += [] if is_game or cells["batch"] == 1 else ["--batch", str(cells["batch"])]
    for column, option in (
        ("limit_seconds", "--time-limit"),
        ("limit_memory", "--memory-limit"),
        ("limit_expansions", "--max-expansions"),
        ("limit_moves", "--max-moves"),
    ):
        value = cells.get(column)
        if value is not None and not (is_game and column in ("limit_seconds", "limit_memory")):
            words += [option, f"{_plain(float(value))}s" if column == "limit_seconds" else str(int(value))]
    commands = [("again", f"{standard_input}{shlex.join(words)}")]
    if cells["actions"] is not None:
        files = dict.fromkeys(file for name in names.values() for file in files_in(name))
        unnamed = [word for file in files if file not in searchlab for word in ("--plugin", file)]
        commands.append(("look", shlex.join([*searchlab, "view", path, "--run", str(cells["run"]), *unnamed])))
    return [(purpose, escaped(command)) for purpose, command in commands], remark


def _plugin_options(cells: Mapping[str, Any], plugins: Plugins) -> list[str]:
    """Return the options that load the plugin files of a run, if they are loaded now."""
    from searchlab.experiments.fingerprints import plugin_name
    from searchlab.plugins.loading import current_folder

    used = {word.partition("=")[0] for word in str(cells["plugins"] or "").split()}
    files = [plugin.file for plugin in plugins.loaded if not plugin.version and plugin_name(plugin) in used]
    here = os.path.join(current_folder(), "")
    return [word for file in files for word in ("--plugin", file.removeprefix(here))]


def _plain(number: float) -> str:
    """Return a number without an exponent.

    >>> _plain(2e6), _plain(2.5), _plain(1e-7)
    ('2000000', '2.5', '0.0000001')
    """
    text = f"{Decimal(repr(number)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _begins_at_start(cells: Mapping[str, Any], plugins: Plugins) -> bool:
    """Return whether a search began at the start of its domain, which is not a board and needs no argument."""
    from searchlab.experiments.replay import recorded_position
    from searchlab.model.states import is_board

    try:
        _, start = recorded_position(cells, plugins)
    except SearchlabError:
        return False
    return start is not None and not is_board(start)


def _board_argument(cells: Mapping[str, Any]) -> tuple[str, str]:
    """Return the argument for a run's board, and the text before the command if the board comes from standard input."""
    from searchlab.binding.instance_files import split_name
    from searchlab.board.files import read_board
    from searchlab.experiments.tables import static_digest

    name = str(cells["board_name"])
    text = cells["board"]
    if os.path.isfile(split_name(name)[0]):
        return name, ""
    if text is not None and static_digest(str(text)):
        return "", ""
    try:
        read_board(name)
    except SearchlabError:
        if text is None or "hash" in str(text):
            return "", ""
        return "-", f"printf {shlex.quote(str(text).replace(' / ', chr(92) + 'n') + chr(92) + 'n')} | "
    return name, ""


def _seeded_names(cells: Mapping[str, Any], plugins: Plugins) -> tuple[dict[str, str], str]:
    """Return the component names of a run by kind, with the seed where needed, and a remark if that is unknown."""
    from searchlab.binding.names import format_name, parse_name
    from searchlab.experiments.components import bind, takes_seed
    from searchlab.experiments.runs import GAMES, SEARCHES

    kinds = GAMES.parts if "player" in cells else SEARCHES.parts
    names = {kind: str(cells[kind]) for kind in kinds if cells[kind] is not None}
    if cells["seed"] is None:
        return names, ""
    try:
        bound = bind(names, None, plugins.for_data("the recorded run"))
    except SearchlabError as error:
        return names, f"whether a part of the run takes its seed is not known: {one_line(str(error))}"
    for kind, name in names.items():
        if takes_seed(bound[kind], name):
            spelled = parse_name(name)
            prefix = f"{spelled.file}:" if spelled.file else f"{spelled.plugin}/" if spelled.plugin else ""
            names[kind] = prefix + format_name(spelled.name, {**spelled.parameters, "seed": str(cells["seed"])})
    return names, ""
