"""The combinations of one domain's boards with what is done with them, and with seeds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from searchlab.errors import PluginError, UsageError
from searchlab.experiments.fingerprints import fingerprints
from searchlab.experiments.runs import Run
from searchlab.experiments.skipping import Refusal
from searchlab.search.problem import Problem
from searchlab.search.solve import checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.experiments.exclusions import Rule
    from searchlab.experiments.parts import Part
    from searchlab.experiments.runs import Start
    from searchlab.experiments.skipping import Skips
    from searchlab.experiments.spec import Experiment

NO_SEED = "nothing in it takes a seed: it runs once, without one"
NO_HEURISTIC = "it asks for no heuristic: it runs once"


class Runnable(Protocol):
    """What is done with boards of a domain: they are searched, or played from.

    Attributes:
        rules: the exclusions that fit it; whether they fit a board is another question.
        name: what it is called where the domain is known.
        alone: what of it is run once on a board, empty where each is run.
        is_seeded: whether anything in it takes a seed.
    """

    rules: Sequence[Rule]
    name: str
    alone: str
    is_seeded: bool

    def refusal(self, board: Board, experiment: Experiment) -> Refusal | None:
        """Return why it would be refused for a board before it begins, None if it would not."""

    def run(self, start: Start, experiment: Experiment, seed: int | None, repetition: int) -> Run:
        """Return the run of a board."""


@dataclass
class Configuration:
    """What boards of a domain are searched with.

    Attributes:
        domain, heuristic, frontier, parts: the parts.
        rules: the exclusions that fit them; whether they fit a board is another question.
        name: what it is called where the domain is known.
        alone: the name of a frontier that asks for no heuristic, and so runs once; else empty.
        is_seeded: whether anything that is asked takes a seed.
        plugins: the fingerprints of the plugins whose code it runs, by plugin.
    """

    domain: Part[BoundDomain]
    heuristic: Part[BoundHeuristic]
    frontier: Part[BoundFrontier]
    rules: Sequence[Rule]
    _refusals: dict[tuple[int, int], Refusal | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.parts = parts = (self.domain, self.heuristic, self.frontier)
        self.name = f"{self.heuristic.name} with {self.frontier.name}"
        estimates = self.frontier.bound.component.uses_heuristic
        self.alone = "" if estimates else self.frontier.name
        asked = parts if estimates else (self.domain, self.frontier)
        self.is_seeded = any(part.is_seeded for part in asked)
        self.plugins = fingerprints([part.plugin for part in parts], [file for part in parts for file in part.files])

    def refusal(self, board: Board, experiment: Experiment) -> Refusal | None:
        """Return why a search of a board would be refused before it begins, None if it would not.

        That depends on the shape of the board only. A plugin that fails is no reason: the run will tell.
        """
        if board.shape not in self._refusals:
            self._refusals[board.shape] = self._refused(board, experiment)
        return self._refusals[board.shape]

    def run(self, start: Start, experiment: Experiment, seed: int | None, repetition: int) -> Run:
        """Return the search of a board."""
        return Run(
            start,
            self.domain.name,
            self.heuristic.name,
            self.frontier.name,
            experiment.limits,
            experiment.engine,
            experiment.batch,
            seed,
            repetition,
            self.plugins.current,
            former_plugins=self.plugins.former,
        )

    def _refused(self, board: Board, experiment: Experiment) -> Refusal | None:
        try:
            problem = Problem(board, self.domain.bound, self.heuristic.bound, self.frontier.bound)
            checked(problem, experiment.engine, experiment.batch)
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

    def runs(self, starts: Sequence[tuple[Start, Board | None]], configurations: Sequence[Runnable]) -> Iterator[Run]:
        """Yield the runs of boards with configurations, board by board.

        Args:
            starts: each with its board, None where it has none.
            configurations: all of the domain of these boards.
        """
        any_board = next((board for _, board in starts if board is not None), None)
        for start, board in starts:
            ran: set[str] = set()
            for configuration in configurations:
                refusal = self._refusal(start, board or any_board, configuration)
                if not refusal and configuration.alone:
                    if configuration.alone in ran:
                        refusal = Refusal(NO_HEURISTIC, configuration.alone)
                    ran.add(configuration.alone)
                if refusal:
                    self._skips.add(refusal, self.times)
                else:
                    yield from self._seeded(start, configuration)

    def _refusal(self, start: Start, board: Board | None, configuration: Runnable) -> Refusal | None:
        """Return why this is not done with a board, None if it is."""
        excluding = [rule.text for rule in configuration.rules if rule.fits_board(start.name)]
        if excluding:
            self.used.update(excluding)
            return Refusal(f"excluded: {excluding[0]}", configuration.name)
        return configuration.refusal(board, self._experiment) if board else None

    def _seeded(self, start: Start, configuration: Runnable) -> Iterator[Run]:
        """Yield the runs of a board with a configuration for every seed and repetition."""
        experiment = self._experiment
        seeds: Sequence[int | None] = experiment.seeds if configuration.is_seeded and experiment.seeds else (None,)
        left_out = self.times - len(seeds) * experiment.repetitions
        if left_out:
            self._skips.add(Refusal(NO_SEED, configuration.name), left_out)
        for seed in seeds:
            for repetition in range(1, experiment.repetitions + 1):
                yield configuration.run(start, experiment, seed, repetition)
