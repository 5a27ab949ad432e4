"""Run the tests of a rubric on a student's file.

Figures that do not depend on the student (optimal costs, the nodes that another heuristic expands, the scores of
another player) are computed once, by `prepared`, before any file is graded.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from functools import partial
from math import exp, isfinite, isnan, log
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from searchlab.binding.bound import NoNumber
from searchlab.binding.instance_files import instances_of_name
from searchlab.board.board import Board
from searchlab.board.files import board_set
from searchlab.errors import PluginCode, PluginError, SearchlabError, UsageError, in_one_line, with_type
from searchlab.games.play import play
from searchlab.model.costs import ROUNDING, exceeds
from searchlab.model.limits import Limits, parse_seconds
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import domain_of_file, file_suffixes, game_of
from searchlab.search.searcher import Searcher
from searchlab.testing.clock import LONGEST_CALL, Clock, NoAnswer
from searchlab.testing.contract import Contract
from searchlab.testing.evidence import Ground
from searchlab.testing.finder import Finder, Subject
from searchlab.testing.grading.marks import Mark, ShownBoard
from searchlab.testing.grading.rubric import number_or_name
from searchlab.testing.samples import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.model.games import Game
    from searchlab.model.instance import Instance
    from searchlab.model.results import Result
    from searchlab.plugins.registry import Plugins
    from searchlab.testing.grading.rubric import Rubric, RubricTest
    from searchlab.testing.report import Finding

    Prepared = dict[str, Any]

FINISH_SECONDS = 2.0
"""The part of a test's time that is reserved for its end: work that is not done by then counts as not done."""
CHECK_SECONDS = 5.0
"""The most processor seconds for checking boards one by one."""
MEMORY_SHARE = 0.8
"""The share of a test's memory at which searchlab itself ends a search or a check, with a better message."""
MOST_COMPARED = 1000
"""The number of boards for comparing values and moves if the test names no boards."""
LEAST_SHARE = 0.999
"""The largest share of points for a test that does not hold completely."""


class Start(NamedTuple):
    """A board of a test.

    Attributes:
        name: the name.
        instance: the board, with its static data.
        domain: its game.
        optimal: the optimal cost, if the file gives it.
    """

    name: str
    instance: Instance
    domain: BoundDomain
    optimal: float | None


class RubricFault(Exception):
    """A test could not be run, for a reason that is not the student's fault."""


class Examination:
    """Run the tests of a rubric on a student's file.

    Args:
        rubric: the rubric.
        plugins: the plugins that names are looked up in, and that the file is loaded into.
        file: the student's file, or None to prepare the tests.
        leave: called with the mark of a test if the student's code does not return; it ends the process.
    """

    def __init__(
        self, rubric: Rubric, plugins: Plugins, file: Path | None, leave: Callable[[Mark], None] = lambda mark: None
    ) -> None:
        self._rubric, self._plugins, self._file, self._leave = rubric, plugins, file, leave
        self._contracts: dict[tuple[str, str], Contract] = {}
        self._deadline = 0.0

    def prepared(self, test: RubricTest) -> Prepared:
        """Return the figures that the test needs besides the student's file.

        Raises:
            UsageError, BoardError: the test names something that does not exist or does not fit.
        """
        self._deadline = time.monotonic() + 10 * self._rubric.seconds
        prepare: Callable[[RubricTest], Prepared] = getattr(self, f"_prepare_{test.form.name.replace(' ', '_')}")
        return prepare(test)

    def mark(self, test: RubricTest, prepared: Prepared) -> Mark:
        """Return the outcome of a test."""
        began = time.monotonic()
        self._deadline = began + self._rubric.seconds - FINISH_SECONDS
        ask: Callable[[RubricTest, Prepared], Mark] = getattr(self, f"_ask_{test.form.name.replace(' ', '_')}")
        try:
            found = ask(test, prepared)
        except RubricFault as error:
            found = Mark(0.0, str(error), fault=str(error))
        except NoAnswer as error:
            boards = shown_boards([("on this board:", error.board)] if error.board else [])
            found = Mark(0.0, str(error), boards, ended="memory-limit" if "memory" in str(error) else "time-limit")
        except SearchlabError as error:
            found = Mark(0.0, str(error))
        except Exception as error:  # noqa: BLE001 - the other tests go on
            found = Mark(0.0, with_type(error), fault=with_type(error))
        return _with_seconds(found, time.monotonic() - began)

    @property
    def _seconds(self) -> float:
        """The remaining seconds."""
        return max(0.0, self._deadline - time.monotonic())

    @property
    def _memory(self) -> int:
        return int(MEMORY_SHARE * self._rubric.memory)

    def _own(self, name: str) -> str:
        """Return the full name of a component of the student."""
        return f"{self._file}:{name}"

    def _heuristic(self, test: RubricTest, domain: BoundDomain) -> BoundHeuristic:
        return lookup.heuristic(self._own(test.heuristic), domain=domain, plugins=self._plugins)

    def _domain(self, test: RubricTest) -> BoundDomain:
        return lookup.domain(test.domain, plugins=self._plugins)

    def _starts(self, test: RubricTest) -> list[Start]:
        """Return the boards that a test names."""
        domain = self._domain(test) if test.domain else None
        suffixes = file_suffixes(self._plugins)

        def reader(path: Path) -> BoundDomain | None:
            return domain or domain_of_file(path, self._plugins)

        found = []
        for name in test.boards:
            for each in instances_of_name(name, suffixes, reader):
                of_file = reader(each.path) if each.path else domain
                bound = of_file or game_of(each.board, self._plugins)
                at, start = bound.at(each.instance)
                at.check(start)
                optimal = each.instance.optimal
                if optimal is None and domain is None and each.path and not each.key:
                    known = board_set(each.path)
                    optimal = known.optimal.get(each.path.stem) if known else None
                found.append(Start(each.name, each.instance, bound, optimal))
        return found

    def _searched(
        self, test: RubricTest, starts: Iterable[Start], heuristic: str | None, seconds: float | None = None
    ) -> Iterator[tuple[Start, Result]]:
        """Yield each board with the result of its search.

        Args:
            heuristic: the full name of the heuristic, or None for the domain's own.
            seconds: the time limit of each search; by default the remaining time of the test.
        """
        searchers: dict[tuple[str, str], Searcher] = {}
        for start in starts:
            key = start.domain.key
            if key not in searchers:
                searchers[key] = Searcher(
                    domain=start.domain, heuristic=heuristic, frontier=test.frontier, plugins=self._plugins
                )
            limits = Limits(min(self._seconds, seconds or self._seconds), self._memory)
            problem = searchers[key].problem(start.instance)
            at = start

            def left(result: Result, at: Start = at) -> None:
                said = f"{at.name}: {_why_unsolved(result)}"
                self._leave(Mark(0.0, said, shown_boards([("on this board:", at.instance.start)]), ended="time-limit"))

            yield start, searchers[key].search(problem, limits=limits, on_timeout=left)

    def _of_boards(
        self, found: Iterable[tuple[Start, str]], of: int, holds: str, figure: Callable[[], float | None] = lambda: None
    ) -> Mark:
        """Return the mark of a test that is run board by board.

        Args:
            found: each board with an error message, or `""` if the test holds on it.
            of: the number of boards.
            holds: the message if the test holds on all boards.
            figure: returns the figure for leaderboards.
        """
        right, first, at = 0, "", None
        for start, wrong in found:
            if not wrong:
                right += 1
            elif not first:
                first, at = f"{start.name}: {wrong}", start
        if right == of:
            return Mark(1.0, holds, figure=figure())
        more = of - right - 1
        said = (
            f"{first}; {more:,} more of {of:,} boards like this"
            if more
            else f"{first}; {right:,} of {of:,} boards hold"
        )
        boards = shown_boards([("on this board:", at.instance.start)] if at else [])
        return Mark(min(right / of, LEAST_SHARE), said, boards)

    # Heuristics

    def _prepare_admissible(self, test: RubricTest) -> Prepared:
        domain = self._domain(test)
        if domain.is_of_chance:
            raise UsageError(f"{domain} is a game of chance, in which solutions have no cost")
        if not self._starts(test):
            samples(domain, self._plugins)
        return {}

    _prepare_consistent = _prepare_admissible

    def _ask_admissible(self, test: RubricTest, _: Prepared) -> Mark:
        contract = self._contract_of_claims(test)
        answers = self._asked(contract, "answers")
        if answers.status == "failed":
            return _of_finding(answers)
        found = self._asked(contract, test.form.name)
        if found.status == "skipped":
            raise RubricFault(f"{test.phrase!r} on {test.domain}: {found.message}")
        said = found.message.removeprefix("declared, but not so: ").removeprefix("declared, but ")
        return _of_finding(replace(found, message=said))

    _ask_consistent = _ask_admissible

    def _contract_of_claims(self, test: RubricTest) -> Contract:
        """Return the contract of the heuristic as if it declared both properties, so that both are judged."""
        key = "claims", f"{test.heuristic} {test.domain} {test.boards}"
        if key not in self._contracts:
            bound = self._heuristic(test, self._domain(test))
            claiming = replace(bound.component, admissible=True, consistent=True)
            own = bound.own_values(self._domain(test))
            judged = lookup.heuristic(claiming, domain=self._domain(test), plugins=self._plugins, **own)
            self._contracts[key] = self._contract(test, Subject("heuristic", str(bound), "", (judged,), self._plugins))
        return self._contracts[key]

    def _contract(self, test: RubricTest, subject: Subject, *, must_compile: bool = False) -> Contract:
        seconds = min(CHECK_SECONDS, self._rubric.seconds / 6)
        longest = min(LONGEST_CALL, self._rubric.seconds / 4)
        starts = self._starts(test)
        return Contract(
            subject,
            board=starts[0].instance if starts else None,
            seconds=seconds,
            longest_call=longest,
            memory=self._memory,
            must_compile=must_compile,
            varies=False,  # the assignment is about this game
        )

    def _asked(self, contract: Contract, name: str) -> Finding:
        asked = next((prop for prop in contract.properties if prop.name == name), None)
        if asked is None:
            raise RubricFault(f"plugins check asks no {contract.subject.kind} of this kind about {name!r}")
        was_stuck = contract.is_stuck
        found = contract.ask(asked)
        if contract.is_stuck and not was_stuck:
            raise NoAnswer(found.message, next((board for _, board in found.boards), None))
        return found

    def _prepare_check(self, test: RubricTest) -> Prepared:
        self._domain(test)
        self._starts(test)
        return {}

    def _ask_check(self, test: RubricTest, _: Prepared) -> Mark:
        kind = "heuristic" if test.heuristic else "player"
        key = kind, f"{test.subject} {test.domain} {test.boards}"
        if key not in self._contracts:
            finder = Finder(self._plugins, test.domain, kind=kind)
            (subject,) = finder.find(self._own(test.subject))
            self._contracts[key] = self._contract(test, subject, must_compile=True)
        contract = self._contracts[key]
        found = self._asked(contract, test.parts["property"])
        if found.status == "skipped":
            first = contract.ask(contract.properties[0])
            if first.status != "failed":
                raise RubricFault(f"{test.phrase!r}: {found.message}")
            found = first  # nothing else is checked if the first board fails
        return _of_finding(found)

    def _prepare_same_values(self, test: RubricTest) -> Prepared:
        for domain, boards in self._compared_on(test):
            reference = lookup.heuristic(test.parts["reference"], domain=domain, plugins=self._plugins)
            reference.check_arguments(boards[0], reference.forms[0])
            _value(reference, boards[0])
        return {}

    def _ask_same_values(self, test: RubricTest, _: Prepared) -> Mark:
        clock = Clock(self._seconds, max(1.0, self._seconds), self._memory)
        return clock.run(lambda: self._values_compared(test, clock))

    def _values_compared(self, test: RubricTest, clock: Clock) -> Mark:
        alike, of, first = 0, 0, ""
        shown: tuple[ShownBoard, ...] = ()
        for domain, boards in self._compared_on(test):
            own = self._heuristic(test, domain)
            reference = lookup.heuristic(test.parts["reference"], domain=domain, plugins=self._plugins)
            for board in boards:
                of += 1
                wanted = _value(reference, board)
                try:
                    with clock.calling(partial(_itself, board)):
                        value = _value(own, board)
                    wrong = "" if _are_equal(value, wanted) else f"{value:.10g}, and {wanted:.10g} is right"
                except PluginError as error:
                    wrong = str(error)
                alike += not wrong
                if wrong and not first:
                    first, shown = wrong, shown_boards([("on this board:", board)])
        if alike == of:
            return Mark(1.0, f"the same value on each of {of:,} boards")
        return Mark(min(alike / of, LEAST_SHARE), f"{first} (right on {alike:,} of {of:,} boards)", shown)

    def _compared_on(self, test: RubricTest) -> Iterator[tuple[BoundDomain, list[Board]]]:
        """Yield games with the boards for comparing values or moves: the boards of the test, or else samples."""
        if test.boards:
            for start in self._starts(test):
                at, board = start.domain.at(start.instance)
                at.states.need_boards(board, repr(test.phrase))
                yield at, [board]
            return
        for sample in samples(self._domain(test), self._plugins):
            ground = Ground(sample, Clock(CHECK_SECONDS))
            boards = [sample.board, *ground.boards, *ground.odd_boards]
            yield sample.domain, list(dict.fromkeys(boards))[:MOST_COMPARED]

    # Searches

    def _prepare_optimal(self, test: RubricTest) -> Prepared:
        starts = self._starts(test)
        costs = [start.optimal for start in starts]
        unknown = [start for start, cost in zip(starts, costs, strict=True) if cost is None]
        if unknown:
            plain = replace(test, frontier="astar")
            found = {id(start): result for start, result in self._searched(plain, unknown, None)}
            for number, start in enumerate(starts):
                if costs[number] is None:
                    result = found[id(start)]
                    if not result.optimal:
                        raise UsageError(
                            f"the optimal cost of {start.name} is unknown, and astar with the own heuristic of "
                            f"{start.domain} does not find it out ({result.status}): write it into set.toml"
                        )
                    costs[number] = result.cost
        return {"costs": costs}

    def _ask_optimal(self, test: RubricTest, prepared: Prepared) -> Mark:
        starts, costs = self._starts(test), prepared["costs"]
        expanded: list[int] = []

        def judged() -> Iterator[tuple[Start, str]]:
            results = self._searched(test, starts, self._own(test.heuristic))
            for (start, result), best in zip(results, costs, strict=True):
                expanded.append(result.expanded)
                if result.status != "solved" or result.cost is None:
                    yield start, _why_unsolved(result)
                elif exceeds(result.cost, best):
                    yield start, f"a solution of cost {result.cost:g}, and {best:g} is optimal"
                else:
                    yield start, ""

        return self._of_boards(
            judged(), len(starts), f"optimal solutions of {_boards(len(starts))}", lambda: _mean(expanded)
        )

    def _prepare_solves(self, test: RubricTest) -> Prepared:
        self._starts(test)
        lookup.frontier(test.frontier, plugins=self._plugins)
        return {}

    def _ask_solves(self, test: RubricTest, _: Prepared) -> Mark:
        starts, seconds = self._starts(test), parse_seconds(test.parts["time"])
        expanded: list[int] = []

        def judged() -> Iterator[tuple[Start, str]]:
            for start, result in self._searched(test, starts, self._own(test.heuristic), seconds):
                expanded.append(result.expanded)
                yield start, "" if result.status == "solved" else _why_unsolved(result)

        said = f"solves {_boards(len(starts))} within {test.parts['time']}{' each' if len(starts) > 1 else ''}"
        return self._of_boards(judged(), len(starts), said, lambda: _mean(expanded))

    def _prepare_expands_less(self, test: RubricTest) -> Prepared:
        counts = []
        for start, result in self._searched(test, self._starts(test), test.parts["reference"]):
            if result.status != "solved":
                raise UsageError(f"{test.parts['reference']} does not solve {start.name}: {_why_unsolved(result)}")
            counts.append(result.expanded)
        return {"expanded": counts}

    def _ask_expands_less(self, test: RubricTest, prepared: Prepared) -> Mark:
        starts, theirs = self._starts(test), prepared["expanded"]
        factor, reference = float(test.parts.get("factor", 1)), test.parts["reference"]
        of = len(starts)
        expanded: list[int] = []
        better = 0
        for start, result in self._searched(test, starts, self._own(test.heuristic)):
            if result.status != "solved":
                shown = shown_boards([("on this board:", start.instance.start)])
                return Mark(0.0, f"{start.name}: {_why_unsolved(result)}", shown)
            better += result.expanded < factor * theirs[len(expanded)]
            expanded.append(result.expanded)
        ratio = _mean(expanded) / _mean(theirs)
        said = f"{_mean(expanded):,.0f} nodes, {ratio:.3g} times the {_mean(theirs):,.0f} of {reference}"
        said += f" (geometric means of {of:,} boards)" if of > 1 else ""
        if ratio < factor:
            return Mark(1.0, said, figure=_mean(expanded))
        return Mark(
            min(better / of, LEAST_SHARE), f"{said}; less than {factor:g} times is wanted", figure=_mean(expanded)
        )

    def _prepare_every_run(self, test: RubricTest) -> Prepared:
        from searchlab.experiments.filters import parse_condition
        from searchlab.experiments.tables import table

        starts = self._starts(test)
        (_, result), *_ = self._searched(replace(test, frontier="astar"), starts[:1], None)
        parse_condition(test.parts["condition"]).holds(table([result]))  # there is such a column
        return {}

    def _ask_every_run(self, test: RubricTest, _: Prepared) -> Mark:
        from searchlab.experiments.filters import parse_condition
        from searchlab.experiments.tables import table

        starts, condition = self._starts(test), parse_condition(test.parts["condition"])

        def judged() -> Iterator[tuple[Start, str]]:
            for start, result in self._searched(test, starts, self._own(test.heuristic)):
                row = table([result])
                cell = row[condition.column].iloc[0]
                wrong = f"{condition.column} is {cell}, and {condition} is wanted"
                yield start, "" if condition.holds(row).all() else wrong

        return self._of_boards(judged(), len(starts), f"{condition} on {_boards(len(starts))}")

    # Games

    def _prepare_games(self, test: RubricTest) -> Prepared:
        domain = self._domain(test)
        if not domain.is_of_chance and domain.component.start is None:
            raise UsageError(f"{domain} has no start")
        bound = number_or_name(test.parts["bound"])
        if isinstance(bound, float):
            return {"bound": bound}
        figures = []
        for game in self._games(test, bound):
            if game.status == "error":
                raise UsageError(f"player {bound} fails: {game.reason.splitlines()[0]}")
            figures.append(_figure(test.parts["figure"], game))
        if len(figures) < int(test.parts["games"]):
            raise UsageError(f"player {bound} plays only {len(figures)} games in the time of a test: raise limits.time")
        return {"bound": sum(figures) / len(figures)}

    def _games(self, test: RubricTest, player: str) -> Iterator[Game]:
        """Yield games until the time is up; the games of all students have the same seeds."""
        domain = self._domain(test)
        bound = lookup.player(player, domain=domain, plugins=self._plugins)
        for seed in range(1, int(test.parts["games"]) + 1):
            if not self._seconds:
                return
            yield play(domain=domain, player=bound, seed=seed, plugins=self._plugins)

    def _ask_games(self, test: RubricTest, prepared: Prepared) -> Mark:
        of, figure, bound = int(test.parts["games"]), test.parts["figure"], prepared["bound"]
        figures: list[float] = []
        for game in self._games(test, self._own(test.player)):
            if game.status == "error":
                said = f"game {len(figures) + 1}: {game.reason.splitlines()[0]}"
                return Mark(0.0, said, shown_boards([("on this board:", game.final)]))
            figures.append(_figure(figure, game))
        if len(figures) < of:
            seconds = self._rubric.seconds
            return Mark(0.0, f"{len(figures)} of {of} games were over within {seconds:g} s", ended="time-limit")
        mean = sum(figures) / of
        name = test.parts["bound"]
        wanted = f"{bound:,.6g}" if isinstance(number_or_name(name), float) else f"the {bound:,.6g} of {name}"
        said = f"mean {figure} of {of} games: {mean:,.6g}"
        if mean >= bound:
            return Mark(1.0, said, figure=mean)
        share = max(0.0, min(mean / bound, LEAST_SHARE)) if bound > 0 else 0.0
        return Mark(share, f"{said}; at least {wanted} is wanted", figure=mean)

    # Rules

    def _prepare_same_moves(self, test: RubricTest) -> Prepared:
        for domain, boards in self._compared_on(test):
            reference = self._reference_rules(test, domain)
            reference.edges(boards[0])
        return {}

    def _reference_rules(self, test: RubricTest, domain: BoundDomain) -> BoundDomain:
        """Return the rules to compare with; if the reference is the game of the boards, keep its parameters."""
        reference = lookup.domain(test.parts["reference"], plugins=self._plugins)
        return domain if reference.key[0] == domain.key[0] else reference

    def _ask_same_moves(self, test: RubricTest, _: Prepared) -> Mark:
        clock = Clock(self._seconds, max(1.0, self._seconds), self._memory)
        return clock.run(lambda: self._moves_compared(test, clock))

    def _moves_compared(self, test: RubricTest, clock: Clock) -> Mark:
        own = lookup.domain(self._own("successors"), plugins=self._plugins)
        alike, of, first = 0, 0, ""
        shown: tuple[ShownBoard, ...] = ()
        for domain, boards in self._compared_on(test):
            reference = self._reference_rules(test, domain)
            for board in boards:
                of += 1
                wanted = Counter((edge.board, edge.cost) for edge in reference.edges(board))
                try:
                    with clock.calling(partial(_itself, board)):
                        found = Counter((edge.board, edge.cost) for edge in own.edges(board))
                        is_goal = own.is_goal(board)
                    wrong, boards_of = _difference(wanted, found)
                    if not wrong and is_goal != reference.is_goal(board):
                        wrong = "it is called a goal, and is none" if is_goal else "it is a goal, and is not called one"
                except PluginError as error:
                    wrong, boards_of = str(error), []
                alike += not wrong
                if wrong and not first:
                    first, shown = wrong, shown_boards([("from this board:", board), *boards_of])
        if alike == of:
            return Mark(1.0, f"the same moves from each of {of:,} boards")
        return Mark(min(alike / of, LEAST_SHARE), f"{first} (right on {alike:,} of {of:,} boards)", shown)

    # Functions of the teacher

    def _prepare_holds(self, test: RubricTest) -> Prepared:
        self._function(test)
        return {}

    def _function(self, test: RubricTest) -> Callable[[Any], Any]:
        file, _, name = test.parts["function"].rpartition(":")
        found: Callable[[Any], Any] | None = getattr(self._plugins.load_file(file).module, name, None)
        if not callable(found):
            raise UsageError(f"{file} has no function {name}")
        return found

    def _ask_holds(self, test: RubricTest, _: Prepared) -> Mark:
        function = self._function(test)
        module = self._plugins.load_file(str(self._file)).module
        clock = Clock(self._seconds, max(1.0, self._seconds), self._memory)

        def called() -> Mark:
            try:
                with clock.calling():
                    answer = function(module)
            except AssertionError as error:
                args = error.args[0] if len(error.args) == 1 and isinstance(error.args[0], tuple) else error.args
                text, boards = _said(args)
                return Mark(0.0, text or in_one_line(error), boards)
            except NoAnswer:
                raise
            except Exception as error:  # noqa: BLE001 - of the student's code, which is what is tested
                return Mark(0.0, in_one_line(error))
            return _of_answer(answer, test.phrase)

        return clock.run(called)


def _of_answer(answer: Any, phrase: str) -> Mark:
    """Return the mark for the answer of a teacher's function: a share, or a tuple of share, message and boards."""
    share, *further = answer if isinstance(answer, tuple) and answer else (answer,)
    text, boards = _said(further)
    if share is None or share is True:
        return Mark(1.0, text or "it holds")
    if share is False:
        return Mark(0.0, text or "it does not hold", boards)
    try:
        number = float(share)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= 1:
        raise RubricFault(f"{phrase!r} returned {answer!r:.40}: None, True, False or a share from 0 to 1 is wanted")
    if number == 1:
        return Mark(1.0, text or "it holds")
    holds = f"{number:.0%} of it holds"
    return Mark(number, f"{text} ({holds})" if text else holds, boards)


def _said(parts: Iterable[Any]) -> tuple[str, tuple[ShownBoard, ...]]:
    """Return the texts among some values joined in one line, and the boards among them."""
    boards = [part for part in parts if isinstance(part, Board)]
    text = " ".join(str(part) for part in parts if not isinstance(part, Board))
    captions = ["on this board:", *("and this one:" for _ in boards[1:])]
    return " ".join(text.split()), shown_boards(zip(captions, boards, strict=False))


def _difference(wanted: Counter[Any], found: Counter[Any]) -> tuple[str, list[tuple[str, Board]]]:
    """Describe how the moves from a board differ from the correct moves; return also the board that shows it."""
    missing, surplus = wanted - found, found - wanted
    costs = dict(missing)
    for board, cost in surplus:
        if board in costs:
            return f"a move costs {cost:g}, and {costs[board]:g} is right", [("after it:", board)]
    if surplus:
        board, _ = next(iter(surplus))
        return "a move leads to a board that no move leads to", [("it leads to:", board)]
    if missing:
        board, _ = next(iter(missing))
        return "a move is missing", [("it leads to:", board)]
    return "", []


def _of_finding(found: Finding) -> Mark:
    boards = shown_boards(found.boards)
    return Mark(0.0 if found.status == "failed" else 1.0, " ".join(found.message.split()), boards)


def shown_boards(boards: Iterable[tuple[str, Any]]) -> tuple[ShownBoard, ...]:
    """Return boards with captions in the form in which they are stored; states that are not boards are omitted."""
    return tuple(
        ShownBoard(caption, tuple(map(tuple, board.tiles.tolist())))
        for caption, board in boards
        if isinstance(board, Board)
    )


def _value(heuristic: BoundHeuristic, board: Board) -> float:
    """Return the value of a board.

    Raises:
        PluginError: the function fails, or does not return a number.
    """

    def blame(error: BaseException) -> PluginError:
        return PluginError(f"it returned {error}" if isinstance(error, NoNumber) else in_one_line(error))

    with PluginCode(blame):
        value = heuristic.evaluate(board)
        if isnan(value):
            raise PluginError("it returned NaN, which is not a number")
        return value


def _itself(board: Board) -> Board:
    return board


def _figure(name: str, game: Game) -> float:
    return float({"score": game.score, "moves": game.moves, "largest tile": game.final.largest_tile()}[name])


def _are_equal(value: float, wanted: float) -> bool:
    if not (isfinite(value) and isfinite(wanted)):
        return value == wanted
    return abs(value - wanted) <= ROUNDING * max(1.0, abs(value), abs(wanted))


def _why_unsolved(result: Result) -> str:
    reason = f": {result.reason}" if result.reason else ""
    return " ".join(f"{result.status}{reason}".split())


def _mean(counts: Sequence[int]) -> float:
    """Return the geometric mean of counts; a 0 counts as 1."""
    return exp(sum(log(max(1, count)) for count in counts) / len(counts))


def _boards(count: int) -> str:
    return "the board" if count == 1 else f"{count:,} boards"


def _with_seconds(mark: Mark, seconds: float) -> Mark:
    return msgspec.structs.replace(mark, seconds=round(seconds, 3))
