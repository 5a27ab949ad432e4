"""The properties of generators, metrics, renderers, learners and executors."""

from __future__ import annotations

import operator
import pickle
import warnings
from concurrent.futures import wait
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.board.board import Board
from searchlab.errors import PluginCode, PluginError, SearchlabWarning, UsageError, in_one_line
from searchlab.model.limits import Limits
from searchlab.model.strategies import Frontier
from searchlab.plugins import lookup
from searchlab.search.problem import Problem
from searchlab.search.solve import metric_value, search
from searchlab.testing.evidence import on_board
from searchlab.testing.report import Finding, Property, failed, info, passed, skipped
from searchlab.testing.samples import walked_boards
from searchlab.testing.toys import ESTIMATES, GRIDS, NOWHERE, bound_estimate, bound_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.binding.extensions import BoundLearner
    from searchlab.model.extensions import Learning, Metric
    from searchlab.model.instance import Instance
    from searchlab.model.results import Result
    from searchlab.testing.clock import Clock
    from searchlab.testing.samples import Sample

SEEDS = range(20)
"""The seeds of the boards that a generator makes."""
MOST_DRAWN = 30
"""The number of boards of each sample that are drawn."""
SIDE = 4
"""The side of the grid for the searches that a metric is called for."""
LEARNED_MOVES, LEARNED_GAMES = 300, 3
"""The number of moves and games that a learner is asked to learn from."""
WORKERS, TASKS = 2, 8
SECONDS_FOR_TASKS = 60.0


@dataclass(frozen=True)
class ExtensionEvidence:
    """The evidence about a generator, metric, renderer, learner or executor.

    Attributes:
        bound: the component with its parameters set, once for each of its domains if it works on domains.
        samples: samples of its domains.
        clock: the time for checking.
    """

    bound: Sequence[Any]
    samples: Sequence[Sample]
    clock: Clock

    def grounds(self) -> tuple[str, ...]:
        """Return descriptions of the grounds."""
        on = [str(each.domain) for each in self.bound if getattr(each, "domain", None)]
        return tuple(map(str, self.samples)) or tuple(on)


def makes_boards(evidence: ExtensionEvidence) -> Finding:
    """Ask a generator for boards of some seeds."""
    made, counted, unsolvable = set(), 0, []
    for generator in evidence.bound:
        for seed in SEEDS:
            with evidence.clock.calling():
                instance = generator.instance(seed)
            board, domain = instance.start, generator.domain and generator.domain.of(instance)
            made.add(board)
            counted += 1
            if domain and domain.why_unsolvable(board):
                unsolvable.append(on_board(domain, board))
    if len(made) == 1:
        return info(f"all {counted} seeds give one board", ("this one:", made.pop()))
    if unsolvable:
        said = f"{len(unsolvable)} of {counted} seeds give boards without a solution"
        return info(said, unsolvable[0], unsolvable=len(unsolvable))
    return passed(f"{len(made)} different boards of {counted} seeds are legal", boards=len(made))


def same_boards(evidence: ExtensionEvidence) -> Finding:
    """Ask a generator for the same boards again, in the opposite order."""
    for generator in evidence.bound:
        first: dict[int, Instance] = {}
        for seed in (*SEEDS, *reversed(SEEDS)):
            try:
                with evidence.clock.calling():
                    made = generator.instance(seed)
            except PluginError:
                return skipped("it does not make a board of every seed")
            if _contents(first.setdefault(seed, made)) != _contents(made):
                said = f"the seed {seed} gives one board and then another; let all chance come from `random`"
                return failed(said, ("first:", first[seed].start), ("then:", made.start))
    return passed(f"each of {len(SEEDS)} seeds gives the same board again")


def _contents(instance: Instance) -> tuple[Any, ...]:
    return instance.start, pickle.dumps(dict(instance.static))


def draws(evidence: ExtensionEvidence) -> Finding:
    """Draw boards of walks, each twice."""
    drawn = 0
    for sample in evidence.samples:
        renderer = lookup.renderer(
            evidence.bound[0].component, domain=sample.domain, **evidence.bound[0].own_values(sample.domain)
        )
        with evidence.clock.calling():
            boards = walked_boards(sample, MOST_DRAWN, evidence.clock.until(1 / 10))
        for board in boards:
            try:
                with evidence.clock.calling(lambda board=board: board):  # type: ignore[misc]
                    picture, again = renderer(board), renderer(board)
            except PluginError as error:
                return failed(str(error), on_board(sample.domain, board))
            if picture != again:
                return failed("asked twice, it draws one board in two ways", on_board(sample.domain, board))
            drawn += 1
    return passed(f"{drawn} boards are drawn, each the same when asked twice", boards=drawn)


def results() -> list[Result]:
    """Return results of searches on a grid that ended in different ways."""
    frontier = lookup.frontier(Frontier("cheapest-first", lambda g, h: g + h))
    found = []
    for goal, limits in ((SIDE**2 - 2, Limits()), (0, Limits()), (NOWHERE, Limits()), (5, Limits(expansions=1))):
        domain = bound_grid(GRIDS[0], side=SIDE, goal=goal)
        problem = Problem(Board([[0, 0]]), domain, bound_estimate(ESTIMATES[0], domain), frontier)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SearchlabWarning)
            found.append(search(problem, limits=limits, engine="readable"))
    return found


def measures(evidence: ExtensionEvidence) -> Finding:
    """Call a metric for each result, twice."""
    metric: Metric = evidence.bound[0]
    said = []
    for result in results():
        try:
            with evidence.clock.calling(), PluginCode():
                value, again = metric_value(metric, result), metric_value(metric, result)
        except PluginError as error:
            return failed(f"for a search that ended with {result.status}: {error}")
        if value != again:
            return failed(f"asked twice about the same result, it is {value} and then {again}")
        said.append("no value" if value is None else str(value))
    return passed(f"of searches that end in different ways it is {', '.join(dict.fromkeys(said))}")


def learns(evidence: ExtensionEvidence) -> Finding:
    """Let a learner learn a little, and check the moves and games that it reports."""
    learner: BoundLearner = evidence.bound[0]
    with evidence.clock.calling(prepares=True):
        learning = learner(0)
        moves, games = _learned(learning, LEARNED_MOVES, LEARNED_GAMES)
    if not 0 < moves <= LEARNED_MOVES or len(games) > LEARNED_GAMES:
        most = f"asked for at most {LEARNED_MOVES} moves and {LEARNED_GAMES} games"
        return failed(f"{most}, it says that it made {moves} moves and ended {len(games)} games")
    for game in games:
        wrong = learner.domain.why_invalid(game.final)
        if wrong:
            return failed(f"a game ends with an illegal board: {wrong}", on_board(learner.domain, game.final))
    return passed(f"it learned from {moves} moves, {len(games)} games ended")


def _learned(learning: Learning, moves: int, games: int) -> tuple[int, list[Any]]:
    made, ended = learning.learn(moves, games)
    return operator.index(made), list(ended)


def continues(evidence: ExtensionEvidence) -> Finding:
    """Compare uninterrupted learning with learning that was saved and restored in between."""
    learner: BoundLearner = evidence.bound[0]
    with evidence.clock.calling(prepares=True):
        whole, begun, resumed = learner(0), learner(0), learner(0)
        if not getattr(whole, "reproducible", True):
            return skipped("it says that its learning is not reproducible")
        made, _ = _learned(whole, LEARNED_MOVES, LEARNED_GAMES)
        if made < 2:
            return skipped("it learned from one move only")
        first, _ = _learned(begun, made // 2, LEARNED_GAMES)
        resumed.restore({name: np.array(array) for name, array in begun.state().items()})
        while first < made:
            more, _ = _learned(resumed, made - first, LEARNED_GAMES)
            if not more:
                break
            first += more
        one, other = whole.state(), resumed.state()
    if one.keys() != other.keys():
        return failed("restored from a state, it has arrays of other names")
    for name, array in one.items():
        if not np.array_equal(array, other[name], equal_nan=np.asarray(array).dtype.kind in "fc"):
            return failed(f"stopped, restored and continued, it learns something else: {name} differs")
    return passed(f"stopped after {made // 2} of {made} moves and restored, it learns the same")


def saves(evidence: ExtensionEvidence) -> Finding:
    """Save the state of learning."""
    learner: BoundLearner = evidence.bound[0]
    with TemporaryDirectory() as folder, evidence.clock.calling(prepares=True):
        file = Path(folder) / "learned"
        learner(0).save(file, {"learner": str(learner)})
        if not file.is_file() or not file.stat().st_size:
            return failed("save wrote no file")
    return passed("what it learned is written to a file")


def runs(evidence: ExtensionEvidence) -> Finding:
    """Let an executor run tasks; one of the tasks raises an exception."""
    with evidence.clock.calling(prepares=True):
        executor = evidence.bound[0](WORKERS)
        try:
            futures = [executor.submit(operator.mul, number, number) for number in range(TASKS)]
            faulty = executor.submit(operator.truediv, 1, 0)
            wait([*futures, faulty], SECONDS_FOR_TASKS)
            found = [future.result(0) for future in futures]
            raised = faulty.exception(0)
        finally:
            executor.shutdown()
    if found != [number * number for number in range(TASKS)]:
        return failed(f"the results of {TASKS} tasks are {found}")
    if not isinstance(raised, ZeroDivisionError):
        return failed("a task raised ZeroDivisionError, and its future does not hold that exception")
    return passed(f"{TASKS} tasks return their results, and one that raises its exception")


def _contained(check: Any) -> Any:
    """Return the check with exceptions converted to failures of the component."""

    def checked(evidence: ExtensionEvidence) -> Finding:
        try:
            with PluginCode(lambda error: PluginError(in_one_line(error))):
                finding: Finding = check(evidence)
                return finding
        except UsageError as error:
            return failed(str(error))

    return checked


EXTENSION_PROPERTIES = {
    "generator": (
        Property("boards", "Does it make a legal board of every seed?", _contained(makes_boards)),
        Property("same-seed", "Does the same seed give the same board?", _contained(same_boards)),
    ),
    "renderer": (Property("draws", "Does it draw every board, always the same?", _contained(draws)),),
    "metric": (Property("values", "Has every result a value of its kind, always the same?", _contained(measures)),),
    "learner": (
        Property("learns", "Does it learn as many moves and games as it is asked for?", _contained(learns)),
        Property("continues", "Does it continue from a saved state as if it had not stopped?", _contained(continues)),
        Property("saves", "Does it write what it learned to a file?", _contained(saves)),
    ),
    "executor": (Property("tasks", "Does it run tasks and hand on what they return or raise?", _contained(runs)),),
}
