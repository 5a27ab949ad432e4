"""Report: a search's result for people: how it ended, what it took, and the solution, a long one folded."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from searchlab.cli.figures import counted, duration, memory, rounded, value
from searchlab.cli.layout import folded
from searchlab.cli.path import board_lines, move_lines
from searchlab.cli.styling import joined, styled

if TYPE_CHECKING:
    from searchlab.cli.drawing import Drawer
    from searchlab.model.limits import Limits
    from searchlab.model.results import Result
    from searchlab.search.problem import Problem

COLOURS = {"solved": "green", "unsolvable": "red", "error": "red"}
LIMITED = ("time-limit", "memory-limit", "expansion-limit", "interrupted")
DOT = " · "


@dataclass(frozen=True)
class Report:
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
            first = styled(first, bold=True, fg=COLOURS.get(result.status, "yellow"))
        sections = [[first, *others, *folded(self._what_searched(), width, DOT)]]
        if result.stored:
            sections.append(_figures(result, width))
        if result.actions:
            sections.append(move_lines(result.actions, width))
        if self.drawer is not None:
            sections.append(_boards(result, self.drawer, width))
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


def _boards(result: Result, drawer: Drawer, width: int) -> list[str]:
    """Return the boards: of a short solution all, of a long one those at its ends, without one the start."""
    if result.status == "error":
        failed_on = result.reason.splitlines()[1:]
        return ["it failed on", *failed_on] if failed_on else []
    boards = result.boards or (result.start,)
    return board_lines(boards, result.actions or (), drawer, width, "--moves-only or --transcript prints all")
