"""How a game is handed over: to people, as JSON or as a transcript; printed, or written to a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from searchlab.cli.as_json import as_json
from searchlab.cli.layout import PLAIN_WIDTH, page_width, shows_colour
from searchlab.cli.messages import tell
from searchlab.cli.written import hand_over

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.game_summary import GameReport


def hand_over_game(report: GameReport, form: str, domain: BoundDomain, output: Path | None) -> None:
    """Print a game, or write it to a file."""
    if form in ("transcript", "log") and report.game.status not in (*_usual_ends(domain), "error"):
        tell(report.outcome)
    if form != "log":
        width, colour = (PLAIN_WIDTH, False) if output else (page_width(), shows_colour(sys.stdout))
        hand_over(_content(report, form, domain, width, colour=colour), output)


def _usual_ends(domain: BoundDomain) -> tuple[str, ...]:
    """Return how games end of which there is nothing to be said: no game of chance goes on for ever."""
    return ("goal", "dead") if domain.is_of_chance else ("goal",)


def _content(report: GameReport, form: str, domain: BoundDomain, width: int, *, colour: bool) -> Iterator[str]:
    """Yield a game in the form that was asked for, piece by piece."""
    game = report.game
    if form == "json":
        yield as_json(game.as_dict())
    elif form == "moves_only":
        yield " ".join(game.actions) + "\n"
    elif form == "transcript":
        printout = domain.printout(game.start, game.turns)
        if printout is not None:
            yield from printout
            return
        yield domain.solution_headline(game.moves, proved=False) + "\n"
        for board in game.boards:
            yield report.drawer.text(board)
            yield "\n"
    else:
        yield report.text(width=width, colour=colour)
