"""The record of a game: a script in a file, which the same command continues, or on standard output."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from searchlab.board.board import Board, parse_board_line
from searchlab.cli.lines import write_line
from searchlab.cli.output import tell
from searchlab.cli.terminal.by_hand import BY_HAND
from searchlab.errors import BoardError, SearchlabError, UsageError
from searchlab.files import check_writable
from searchlab.games.script import Log, ScriptFile, continued
from searchlab.model.games import Game
from searchlab.model.instance import Instance, static_as_json, static_from_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.arguments import GameSetup

GAME, BOARD, SEED, STATIC = "game", "board", "seed", "static"
"""The names in the comments of a record."""
SUFFIX = ".script"
NO_FILE_NAME = re.compile(r"[^\w.,=+-]+")


def recorded_game(path: Path, seed: int | None) -> tuple[str | None, Board | None, int | None]:
    """Return the domain, the board and the seed of a record, None for missing ones.

    Args:
        seed: the seed from the command line, which takes precedence.
    """
    head = ScriptFile(path, {}).head
    if seed is None and head.get(SEED, "").isdecimal():
        seed = int(head[SEED])
    return head.get(GAME), _board_of(path, head), seed


def with_recorded_data(domain: BoundDomain, path: Path) -> BoundDomain:
    """Return a domain with the static data of a record's head, if it has any.

    Raises:
        UsageError: it is damaged, or not that of the domain.
    """
    head = ScriptFile(path, {}).head
    if STATIC not in head:
        return domain
    try:
        static = static_from_json(json.loads(head[STATIC]))
        return domain.of(Instance("", _board_of(path, head) or Board([[0]]), static))
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: the static data in the head: {error}") from None


def last_game(path: Path, domain: BoundDomain, start: Board | None, seed: int) -> Game:
    """Return the last game of a script.

    Raises:
        UsageError: it cannot be read, has an invalid line, or has no game.
    """
    series = continued(ScriptFile(path, {}), domain, lambda board: (), start)
    if not series.turns and not series.opening:
        raise UsageError(f"{path}: no game is recorded in it")
    return Game(
        status=series.status or "interrupted",
        start=series.start,
        opening=series.opening,
        turns=tuple(series.turns),
        reason="",
        seconds=0.0,
        player=BY_HAND,
        domain=str(domain),
        seed=seed,
        instance=domain.instance,
    )


def _board_of(path: Path, head: Mapping[str, str]) -> Board | None:
    """Return the board in the head of a record, None for a game from its opening."""
    if BOARD not in head:
        return None
    try:
        return parse_board_line(head[BOARD], signed=True)
    except BoardError as error:
        raise UsageError(f"{path}: the board in the head: {error}") from None


def new_record(setup: GameSetup) -> ScriptFile | None:
    """Return a new record in this folder, named after the game and the time; None, with a message, if that fails."""
    name = NO_FILE_NAME.sub("-", setup.domain.component.name)
    path = Path(f"{name}-{datetime.now():%Y-%m-%d-%H%M%S}{SUFFIX}")
    try:
        check_writable(path)
    except SearchlabError as error:
        tell(f"warning: the game is not recorded: {error}")
        return None
    return record_in(path, setup)


def record_in(path: Path, setup: GameSetup) -> ScriptFile:
    """Return the record in a file, a new or an existing one.

    Raises:
        UsageError: the file is not a record of this game, cannot be written, or is in use by another process.
    """
    check_writable(path)
    head = _head(setup)
    record = ScriptFile(path, head)
    of = record.head.get(GAME, head[GAME])
    if of != head[GAME]:
        raise UsageError(f"{path}: the record of another game, {of}, not of {head[GAME]}")
    if not record.is_new and record.head.get(BOARD, head.get(BOARD)) != head.get(BOARD):
        raise UsageError(f"{path}: the record of a game from another board")
    if not record.is_new and record.head.get(STATIC, head.get(STATIC)) != head.get(STATIC):
        raise UsageError(f"{path}: the record of a game with other static data")
    if not record.is_new:
        record.lock()
    return record


def printed_record(setup: GameSetup) -> Log:
    """Return a record that is printed."""
    return Log(write_line, _head(setup))


def _head(setup: GameSetup) -> dict[str, str]:
    head = {GAME: str(setup.domain), SEED: str(setup.seed)}
    if setup.start is not None:
        head[BOARD] = board_line(setup.start)
    if setup.domain.instance is not None:
        head[STATIC] = json.dumps(static_as_json(setup.domain.instance.static))
    return head


def board_line(board: Board) -> str:
    """Return a board in one line that `parse_board_line` reads, with an end mark even after a single row."""
    rows, columns = board.shape
    line = " / ".join(" ".join(map(str, row)) for row in board.tiles.tolist())
    return f"{line} /" if rows == 1 < columns else line
