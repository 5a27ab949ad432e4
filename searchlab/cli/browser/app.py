"""Play or watch games on a page in the browser, and return the `Game`."""

from __future__ import annotations

import os
import shlex
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from searchlab.board.board import Board
from searchlab.cli.browser.server import PageServer
from searchlab.cli.browser.window import Window
from searchlab.cli.output import tell
from searchlab.cli.terminal.advisor import DirectAdvisor, running_advisor
from searchlab.errors import PluginError, SearchlabError
from searchlab.errors.control_characters import one_line
from searchlab.errors.interrupts import on_ctrl_c
from searchlab.games.game import random_source
from searchlab.games.script import QUIT, Log, ScriptFile, continued
from searchlab.model.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.binding.player import BoundPlayer
    from searchlab.cli.arguments import GameSetup
    from searchlab.cli.terminal.advisor import Advisor
    from searchlab.games.game import GameSeries
    from searchlab.model.games import Game
    from searchlab.reports.pictures import Pictures


BY_CTRL_C = "it was ended by Ctrl-C"


class Pace(NamedTuple):
    """How the player plays.

    Attributes:
        delay: least number of seconds between two moves.
        most_moves: the number of moves after which it makes no more.
    """

    delay: float
    most_moves: int


class Played(NamedTuple):
    """The games that were played.

    Attributes:
        game: the latest game.
        best: the best score of all games.
    """

    game: Game
    best: float


def play_in_browser(
    setup: GameSetup,
    player: BoundPlayer | None,
    log: Log | None,
    pace: Pace,
) -> Played:
    """Let a person, and the player when it is asked to, play on a page until the person ends it, there or by Ctrl-C.

    Args:
        player: the player that begins; without it the person begins, and the domain's player gives hints.
        log: records the games; a ScriptFile that is there already is continued.

    Raises:
        PluginError: the domain failed.
        MachineError: the record cannot be written, or nothing can be served.
    """
    with suppress(SearchlabError):  # it will be said why when it is asked
        setup.prepare(player or setup.player())
    began = time.perf_counter()
    series, pictures = _series(setup, log), _pictures(setup)
    page = _page(setup, None if pictures else series.board)
    with ExitStack() as stack:
        advisor = stack.enter_context(_advisor(setup, player))
        server = stack.enter_context(PageServer(page))
        window = Window(
            series,
            advisor,
            _name(setup, player),
            log,
            delay=pace.delay,
            most_moves=pace.most_moves,
            is_watching=player is not None,
            pictures=pictures,
            about=lambda: _about(setup, log),
        )
        stack.enter_context(_announced(server.address, log))
        why = "it failed"

        def stop() -> None:
            window.close(BY_CTRL_C)
            server.ring()

        try:
            with on_ctrl_c(stop):
                window.play(server)
            why = window.closed_by
        except KeyboardInterrupt:
            why = BY_CTRL_C
        except SearchlabError as error:
            why = str(error).splitlines()[0]
            if player is None or not isinstance(error, PluginError):
                raise
            window.error = why
        else:
            if isinstance(log, ScriptFile):
                log.check()
        finally:
            server.end({"ended": why, "about": _about(setup, log)})
            _close(log)
    return Played(_game(setup, series, window, began, is_limited=player is not None), series.best)


def _close(log: Log | None) -> None:
    if not isinstance(log, ScriptFile):
        if log is not None:
            log.pressed(QUIT)
        return
    if log.is_there:
        tell(f"recorded in {log.path}")
    log.close()


def _game(setup: GameSetup, series: GameSeries, window: Window, began: float, *, is_limited: bool) -> Game:
    status = series.status or ("move-limit" if is_limited and window.is_at_limit else "interrupted")
    return setup.game(series, window.players, began, "error" if window.error else status, window.error)


def _series(setup: GameSetup, log: Log | None) -> GameSeries:
    if isinstance(log, ScriptFile):
        return continued(log, setup.domain, random_source(setup.domain, Randomness(setup.seed)), setup.start)
    return setup.series(log)


@contextmanager
def _advisor(setup: GameSetup, player: BoundPlayer | None) -> Iterator[Advisor]:
    """Yield the advisor that is asked for moves and hints."""

    def find() -> BoundPlayer:
        return player or setup.player()

    if not hasattr(os, "fork"):
        yield DirectAdvisor(find, setup.seed)
        return
    with running_advisor(find, setup.seed) as advisor:
        yield advisor


def _name(setup: GameSetup, player: BoundPlayer | None) -> str:
    try:
        return str(player or setup.player())
    except SearchlabError:  # it will be said why when it is asked
        return "player"


def _about(setup: GameSetup, log: Log | None) -> dict[str, str]:
    """Return the page's description of the games and their record."""
    about = {"game": str(setup.domain), "seed": str(setup.seed)}
    if isinstance(log, ScriptFile) and log.is_there:
        about["record"] = str(log.path.resolve())
        about["goes on by"] = f"searchlab play --browser --record {shlex.quote(str(log.path))}"
    return about


def _pictures(setup: GameSetup) -> Pictures | None:
    """Return the pictures that replace tiles: by the given renderer, else by the domain."""
    from searchlab.reports.pictures import Pictures, choices

    if setup.drawer.has_renderer:
        return Pictures(lambda board, path: click.unstyle(setup.drawer.text(board)))
    return next(iter(choices(setup.domain, setup.start)), None)


def _page(setup: GameSetup, board: Board | None) -> str:
    """Return the initial page, with an empty board of this shape, if there is one."""
    from searchlab.reports.board_svg import board_svg
    from searchlab.reports.viewer import page_template

    return page_template("window.html").render(
        title=one_line(str(setup.domain)),
        headline=one_line(setup.domain.component.summary),
        empty="" if board is None else board_svg(Board([[0] * board.shape[1]] * board.shape[0])),
    )


@contextmanager
def _announced(address: str, log: Log | None) -> Iterator[None]:
    """Print the address of the game, and open the browser if there is a screen.

    The browser gets the address from a file that only this user can read: everybody can see the arguments of programs.
    """
    recorded = f"; it is recorded in {log.path}" if isinstance(log, ScriptFile) else ""
    tell(f"the game is at {address} (Ctrl-C ends it){recorded}")
    if os.environ.get("BROWSER") or sys.platform in ("win32", "darwin") or _has_display():
        import webbrowser
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="searchlab-") as folder:
            page = Path(folder, "game.html")
            page.write_text(f'<meta http-equiv="refresh" content="0;url={address}">\n', encoding="ascii")
            # Some browsers return at their end only.
            threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
            yield
    else:
        yield


def _has_display() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
