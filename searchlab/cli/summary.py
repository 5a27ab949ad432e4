"""Results of searches and games for people, and as JSON, moves or a transcript."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from searchlab.cli.drawing import board_lines, move_lines
from searchlab.cli.formatting import counted, duration, memory, rounded, value
from searchlab.cli.layout import folded
from searchlab.cli.output import PLAIN_WIDTH, as_json, joined, page_width, shows_colour, styled, tell, write_output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.drawing import Drawer
    from searchlab.model.games import Game
    from searchlab.model.limits import Limits
    from searchlab.model.results import Result
    from searchlab.search.problem import Problem

SEARCH_COLOURS = {"solved": "green", "unsolvable": "red", "error": "red"}
LIMITED = ("time-limit", "memory-limit", "expansion-limit", "interrupted")
GAME_COLOURS = {"goal": "green", "error": "red"}
DOT = " · "


@dataclass(frozen=True)
class SearchSummary:
    """A search's result, and what it is to be judged by.

    Attributes:
        result: how it ended.
        problem: what was searched; None in another process, which tells of a search that hangs.
        limits: what the search was allowed to take.
        drawer: what draws its boards; None there, and they are left out.
        known_optimum: what a cheapest solution costs, None where nobody says.
    """

    result: Result
    problem: Problem | None
    limits: Limits
    drawer: Drawer | None
    known_optimum: float | None = None

    def text(self, *, width: int, colour: bool) -> str:
        """Return what `searchlab solve` shows to people, lines no longer than `width`."""
        result = self.result
        first, *others = wrap(self._solved() if result.actions is not None else self.outcome, width)
        if colour:
            first = styled(first, bold=True, fg=SEARCH_COLOURS.get(result.status, "yellow"))
        sections = [[first, *others, *folded(self._what_searched(), width, DOT)]]
        if result.stored:
            sections.append(_figures(result, width))
        if result.actions:
            sections.append(move_lines(result.actions, width))
        if self.drawer is not None:
            sections.append(_board_section(result, self.drawer, width))
        lines = [line for section in sections if section for line in ["", *section]][1:]
        return joined("\n", [*lines, ""])

    @property
    def outcome(self) -> str:
        """How a search ended that found no solution, in one line."""
        result = self.result
        if result.status == "error":
            return "no result: the search ended with an error"
        if result.status == "exhausted":
            return "exhausted: no solution found, but this search does not exclude that there is one"
        reason = (result.reason or "no solution").splitlines()[0]
        if result.status not in LIMITED:
            return f"{result.status}: {reason}"
        hung = f"; {reason}" if result.reason else ""
        return f"{result.status}: no solution found within {self._limit}{hung}"

    @property
    def _limit(self) -> str:
        """What a search was ended by that reached a limit."""
        result, limits = self.result, self.limits
        if result.status == "time-limit":
            return duration(limits.seconds)
        if result.status == "memory-limit":
            return "half of the memory available" if limits.memory is None else memory(limits.memory)
        if result.status == "expansion-limit":
            return counted(limits.expansions or 0, "expansion")
        return duration(result.seconds)

    def _solved(self) -> str:
        result = self.result
        assert result.moves is not None
        assert result.cost is not None
        cost = "" if result.cost == result.moves else f", cost {value(result.cost)}"
        quality = "optimal" if result.optimal else "not proved optimal"
        if self.known_optimum is not None and self.known_optimum != result.cost:
            quality += f" (the known optimum is {value(self.known_optimum)})"
        elif self.known_optimum is not None and not result.optimal:
            quality += ", but the known optimum"
        return f"solved in {counted(result.moves, 'move')}{cost}, {quality}"

    def _what_searched(self) -> list[str]:
        result = self.result
        heuristic = result.heuristic if self.problem is None or self.problem.estimates else "no heuristic"
        batches = [f"batches of {result.batch:,}"] if result.batch > 1 else []
        return [result.domain, heuristic, result.frontier, f"{result.engine} engine", *batches]


def _figures(result: Result, width: int) -> list[str]:
    """Return what the search did and what it took."""
    done = [f"{result.expanded:,} expanded", f"{result.generated:,} generated", f"{result.evaluated:,} evaluated"]
    if result.reopened:
        done.append(f"{result.reopened:,} reopened")
    if result.duplicates:
        done.append(counted(result.duplicates, "duplicate"))
    done += [f"{result.stored:,} stored", f"at most {result.max_open:,} open"]
    took = [duration(result.seconds)]
    if result.seconds > 0 and result.expanded:
        took.append(f"{rounded(result.expanded / result.seconds)} nodes/s")
    return [*folded(done, width, DOT), *folded([*took, memory(result.peak_bytes)], width, DOT)]


def _board_section(result: Result, drawer: Drawer, width: int) -> list[str]:
    """Return the boards: of a short solution all, of a long one those at its ends, without one the start."""
    if result.status == "error":
        failed_on = result.reason.splitlines()[1:]
        return ["it failed on", *failed_on] if failed_on else []
    boards = result.boards or (result.start,)
    return board_lines(boards, result.actions or (), drawer, width, "--moves-only or --transcript prints all")


@dataclass(frozen=True)
class GameSummary:
    """A game that was played, and what draws its boards."""

    game: Game
    drawer: Drawer

    def text(self, *, width: int, colour: bool) -> str:
        """Return what `searchlab play` shows to people, lines no longer than `width`."""
        game = self.game
        first, *others = wrap(self.outcome, width)
        if colour:
            first = styled(first, bold=True, fg=GAME_COLOURS.get(game.status, "yellow"))
        sections = [
            [first, *others, *folded([game.domain, game.player, f"seed {game.seed}"], width, DOT)],
            folded(self._figures(), width, DOT),
            move_lines(game.actions, width) if game.actions else [],
            board_lines(game.boards, game.actions, self.drawer, width, "--transcript prints all"),
        ]
        lines = [line for section in sections if section for line in ["", *section]][1:]
        return joined("\n", [*lines, ""])

    @property
    def outcome(self) -> str:
        """How the game ended, in one line."""
        game = self.game
        cost = "" if game.cost == game.moves else f", cost {value(game.cost)}"
        score = f", score {value(game.score)}" if game.score else ""
        after = f"after {counted(game.moves, 'move')}{cost}{score}"
        return {
            "goal": f"goal reached {after}",
            "dead": f"game over {after}: no move leads on",
            "move-limit": f"stopped {after}, which is the limit",
            "time-limit": f"stopped {after}: its time was up",
            "memory-limit": f"stopped {after}: it took all the memory it might",
            "interrupted": f"interrupted {after}",
            "error": f"the game ended with an error {after}",
        }[game.status]

    def _figures(self) -> list[str]:
        game = self.game
        took = [duration(game.seconds)]
        if game.seconds > 0 and game.moves:
            took.append(f"{rounded(game.moves / game.seconds)} moves/s")
        return took


def write_game(report: GameSummary, form: str, domain: BoundDomain, output: Path | None) -> None:
    """Print a game, or write it to a file."""
    if form in ("transcript", "log") and report.game.status not in (*_usual_ends(domain), "error"):
        tell(report.outcome)
    if form != "log":
        width, colour = (PLAIN_WIDTH, False) if output else (page_width(), shows_colour(sys.stdout))
        write_output(_game_content(report, form, domain, width, colour=colour), output)


def _usual_ends(domain: BoundDomain) -> tuple[str, ...]:
    """Return how games end of which there is nothing to be said: no game of chance goes on for ever."""
    return ("goal", "dead") if domain.is_of_chance else ("goal",)


def _game_content(report: GameSummary, form: str, domain: BoundDomain, width: int, *, colour: bool) -> Iterator[str]:
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
