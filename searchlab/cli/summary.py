"""Summaries of searches and games: a page for people, JSON, the moves or a transcript, printed or in a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from searchlab.cli.drawing import board_lines, move_lines
from searchlab.cli.output import (
    PLAIN_WIDTH,
    as_json,
    joined,
    page_width,
    shows_colour,
    styled,
    tell,
    tell_error,
    warn,
    write_output,
)
from searchlab.errors.standard_output import standard_output
from searchlab.model.display import DOT
from searchlab.model.formatting import counted, duration, folded, memory
from searchlab.model.games import Turn
from searchlab.model.results import search_figures, search_headline, search_setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.cli.drawing import Drawer
    from searchlab.model.games import Game
    from searchlab.model.limits import Limits
    from searchlab.model.results import Result
    from searchlab.search.problem import Problem

COLOURS = {"solved": "green", "goal": "green", "unsolvable": "red", "error": "red"}
"""The colours of the first line by status; yellow for the others."""


class Summary(ABC):
    """A search or a game that has ended, as it is printed or written to a file."""

    def text(self, *, width: int, colour: bool) -> str:
        """Return the page for people, lines no longer than `width`."""
        first, *others = wrap(self.headline, width, break_on_hyphens=False)  # a path stays whole
        if colour:
            first = styled(first, bold=True, fg=COLOURS.get(self._ended.status, "yellow"))
        sections = [
            [first, *others, *folded(self._setting(), width, DOT)],
            [line for pieces in self._figures() for line in folded(pieces, width, DOT)],
            move_lines(self._ended.actions, width) if self._ended.actions else [],
            self._boards(width),
        ]
        lines = [line for section in sections if section for line in ["", *section]][1:]
        return joined("\n", [*lines, ""])

    def write(self, form: str, output: Path | None) -> None:
        """Print it, or write it to a file.

        Args:
            form: `json`, `moves_only`, `transcript`, `log` (of which only the outcome remains to be printed), or any
                other string for the page for people.
            output: the file; None for standard output.
        """
        self._report(form)
        if form != "log":
            width, colour = (PLAIN_WIDTH, False) if output else (page_width(), shows_colour(standard_output()))
            write_output(self._content(form, width, colour=colour), output)

    @property
    @abstractmethod
    def headline(self) -> str:
        """The outcome, in one line."""

    @property
    @abstractmethod
    def _ended(self) -> Result | Game:
        """The search's result, or the game."""

    @abstractmethod
    def _setting(self) -> Sequence[str]:
        """Return the names of the components, and other settings."""

    @abstractmethod
    def _figures(self) -> Sequence[Sequence[str]]:
        """Return counts and times, in groups that begin on a new line."""

    @abstractmethod
    def _boards(self, width: int) -> list[str]:
        """Return the boards: all of a short sequence, or both ends of a long one."""

    @abstractmethod
    def _report(self, form: str) -> None:
        """Print a message if the form does not show the outcome."""

    @abstractmethod
    def _transcript(self) -> Iterator[str]:
        """Yield all boards, piece by piece."""

    def _content(self, form: str, width: int, *, colour: bool) -> Iterator[str]:
        """Yield it in a form, piece by piece."""
        if form == "json":
            yield as_json(self._ended.as_dict())
        elif form == "moves_only":
            if self._ended.actions is not None:
                yield " ".join(self._ended.actions) + "\n"
        elif form == "transcript":
            yield from self._transcript()
        else:
            yield self.text(width=width, colour=colour)


@dataclass(frozen=True)
class SearchSummary(Summary):
    """A search that has ended.

    Attributes:
        result: the result.
        problem: the problem; None in the process that reports a search that hangs.
        limits: the limits of the search.
        drawer: draws boards; None in that process, which omits them.
        known_optimum: the optimal solution cost, or None if unknown.
    """

    result: Result
    problem: Problem | None
    limits: Limits
    drawer: Drawer | None
    known_optimum: float | None = None

    @property
    def _ended(self) -> Result:
        return self.result

    @property
    def headline(self) -> str:
        """The outcome, in one line."""
        return search_headline(self.result, within=self._limit, known_optimum=self.known_optimum)

    @property
    def _limit(self) -> str:
        """The limit that the search reached."""
        result, limits = self.result, self.limits
        if result.ended_by == "time-limit":
            return duration(limits.seconds)
        if result.ended_by == "memory-limit":
            return "half of the memory available" if limits.memory is None else memory(limits.memory)
        if result.ended_by == "expansion-limit":
            return counted(limits.expansions or 0, "expansion")
        return duration(result.seconds)

    def _setting(self) -> list[str]:
        domain, *others = search_setting(self.result)
        return [domain, *([] if self.result.heuristic else ["no heuristic"]), *others]

    def _figures(self) -> list[list[str]]:
        return search_figures(self.result)

    def _boards(self, width: int) -> list[str]:
        result = self.result
        if self.drawer is None:
            return []
        if result.status == "error":
            failed_on = result.reason.splitlines()[1:]
            return ["it failed on", *failed_on] if failed_on else []
        boards, actions = result.states or (result.start,), result.actions or ()
        return board_lines(boards, actions, self.drawer, width, "--moves-only or --transcript prints all")

    def warn_of_optimum(self) -> None:
        """Issue a warning if the known optimum contradicts the result."""
        from searchlab.model.costs import contradiction

        result = self.result
        said = contradiction(result.status, result.cost, self.known_optimum, proved=result.optimal)
        if said:
            warn(f"{said}: one of them is wrong (the file of the board, or the set.toml beside it, gives the first)")

    def _report(self, form: str) -> None:
        self.warn_of_optimum()
        if self.result.status == "error":
            tell_error(self.result.reason.splitlines()[0])
        elif form in ("transcript", "moves_only") and self.result.actions is None:
            tell(self.headline)

    def _transcript(self) -> Iterator[str]:
        result = self.result
        if result.actions is None or not self.problem or not self.drawer:
            return
        domain, boards = self.problem.domain, result.states
        fewest = result.optimal and domain.unit_cost  # the cheapest solution need not be the shortest
        costs = [min(edge.cost for edge in edges) for edges in domain.moves_along(boards)]
        steps = zip(result.actions, boards[1:], costs, strict=True)
        turns = tuple(Turn(action, after, cost, 0, (), after) for action, after, cost in steps)
        yield from transcript(domain, self.drawer, boards[0], turns, proved=fewest)


@dataclass(frozen=True)
class GameSummary(Summary):
    """A game that has ended.

    Attributes:
        game: the game.
        domain: the domain.
        drawer: draws boards.
    """

    game: Game
    domain: BoundDomain
    drawer: Drawer

    @property
    def _ended(self) -> Game:
        return self.game

    @property
    def headline(self) -> str:
        """The outcome of the game, in one line."""
        from searchlab.model.games import game_headline

        return game_headline(self.game)

    def _setting(self) -> list[str]:
        from searchlab.model.games import game_setting

        return game_setting(self.game)

    def _figures(self) -> list[list[str]]:
        from searchlab.model.games import game_figures

        return game_figures(self.game)

    def _boards(self, width: int) -> list[str]:
        return board_lines(self.game.boards, self.game.actions, self.drawer, width, "--transcript prints all")

    def _report(self, form: str) -> None:
        usual = ("goal", "dead", "error") if self.domain.is_of_chance else ("goal", "error")
        if form in ("transcript", "log") and self.game.status not in usual:
            tell(self.headline)

    def _transcript(self) -> Iterator[str]:
        return transcript(self.domain, self.drawer, self.game.start, tuple(self.game.turns), proved=False)


def transcript(
    domain: BoundDomain, drawer: Drawer, start: Board, turns: tuple[Turn, ...], *, proved: bool
) -> Iterator[str]:
    """Yield a solution or a game as `--transcript` prints it, in the domain's own form if it has one.

    Args:
        proved: whether no solution has fewer moves.
    """
    pieces = domain.transcript(start, turns, proved=proved, text=drawer.text)
    if pieces is not None:
        yield from pieces
        return
    yield f"{'Minimum number' if proved else 'Number'} of moves: {len(turns)}\n"
    for board in (start, *(turn.board for turn in turns)):
        yield drawer.text(board)
        yield "\n"
