"""The combinations of one domain's boards with heuristics, frontiers and seeds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from searchlab.errors import PluginError, UsageError
from searchlab.experiments.fingerprints import fingerprints
from searchlab.experiments.runs import Run
from searchlab.experiments.skipping import Refusal
from searchlab.search.problem import Problem
from searchlab.search.solving import checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from searchlab.board import Board
    from searchlab.bound import BoundDomain
    from searchlab.bound_frontier import BoundFrontier
    from searchlab.bound_heuristic import BoundHeuristic
    from searchlab.experiments.exclusions import Rule
    from searchlab.experiments.parts import Part
    from searchlab.experiments.runs import Start
    from searchlab.experiments.skipping import Skips
    from searchlab.experiments.spec import Experiment

NO_SEED = "nothing in it takes a seed: it runs once, without one"
NO_HEURISTIC = "it asks for no heuristic: it runs once"


@dataclass
class Configuration:
    """What boards of a domain are searched with.

    Attributes:
        domain, heuristic, frontier: the parts.
        rules: the exclusions that fit them; whether they fit a board is another question.
        name: what it is called where the domain is known.
        estimates: whether the heuristic is asked at all.
        is_seeded: whether anything that is asked takes a seed.
        plugins: the fingerprints of the plugins whose code it runs, by plugin.
    """

    domain: Part[BoundDomain]
    heuristic: Part[BoundHeuristic]
    frontier: Part[BoundFrontier]
    rules: Sequence[Rule]
    _refusals: dict[tuple[int, int], Refusal | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = (self.domain, self.heuristic, self.frontier)
        self.name = f"{self.heuristic.name} with {self.frontier.name}"
        self.estimates = self.frontier.bound.component.uses_heuristic
        asked = parts if self.estimates else (self.domain, self.frontier)
        self.is_seeded = any(part.is_seeded for part in asked)
        self.plugins = fingerprints(part.plugin for part in parts)

    def refusal(self, board: Board, engine: str, batch: int | None) -> Refusal | None:
        """Return why a search of a board would be refused before it begins, None if it would not.

        That depends on the shape of the board only. A plugin that fails is no reason: the run will tell.
        """
        if board.shape not in self._refusals:
            self._refusals[board.shape] = self._refused(board, engine, batch)
        return self._refusals[board.shape]

    def _refused(self, board: Board, engine: str, batch: int | None) -> Refusal | None:
        try:
            problem = Problem(board, self.domain.bound, self.heuristic.bound, self.frontier.bound)
            checked(problem, engine, batch)
        except UsageError as error:
            return Refusal(str(error), f"{self.name} on {self.domain.name}")
        except PluginError:
            return None
        return None


class Combining:
    """Makes the runs of an experiment.

    Args:
        experiment: what is to be run.
        skips: where combinations that are no runs are noted.

    Attributes:
        times: how many runs a board and a configuration make, where something takes a seed.
        used: the texts of exclusions that excluded something.
    """

    def __init__(self, experiment: Experiment, skips: Skips) -> None:
        self._experiment, self._skips = experiment, skips
        self.times = max(1, len(experiment.seeds)) * experiment.repetitions
        self.used: set[str] = set()

    def runs(
        self, starts: Sequence[tuple[Start, Board | None]], configurations: Sequence[Configuration]
    ) -> Iterator[Run]:
        """Yield the runs of boards with configurations, board by board.

        Args:
            starts: each with its board, None where it has none.
            configurations: all of the domain of these boards.
        """
        any_board = next((board for _, board in starts if board is not None), None)
        for start, board in starts:
            without_heuristic: set[str] = set()
            for configuration in configurations:
                refusal = self._refusal(start, board or any_board, configuration)
                if not refusal and not configuration.estimates:
                    if configuration.frontier.name in without_heuristic:
                        refusal = Refusal(NO_HEURISTIC, configuration.frontier.name)
                    without_heuristic.add(configuration.frontier.name)
                if refusal:
                    self._skips.add(refusal, self.times)
                else:
                    yield from self._seeded(start, configuration)

    def _refusal(self, start: Start, board: Board | None, configuration: Configuration) -> Refusal | None:
        """Return why a board is not searched in this way, None if it is."""
        excluding = [rule.text for rule in configuration.rules if rule.fits_board(start.name)]
        if excluding:
            self.used.update(excluding)
            return Refusal(f"excluded: {excluding[0]}", configuration.name)
        return configuration.refusal(board, self._experiment.engine, self._experiment.batch) if board else None

    def _seeded(self, start: Start, configuration: Configuration) -> Iterator[Run]:
        """Yield the runs of a board with a configuration for every seed and repetition."""
        experiment = self._experiment
        seeds: Sequence[int | None] = experiment.seeds if configuration.is_seeded and experiment.seeds else (None,)
        left_out = self.times - len(seeds) * experiment.repetitions
        if left_out:
            self._skips.add(Refusal(NO_SEED, configuration.name), left_out)
        for seed in seeds:
            for repetition in range(1, experiment.repetitions + 1):
                yield Run(
                    start,
                    configuration.domain.name,
                    configuration.heuristic.name,
                    configuration.frontier.name,
                    experiment.limits,
                    experiment.engine,
                    experiment.batch,
                    seed,
                    repetition,
                    configuration.plugins,
                )
