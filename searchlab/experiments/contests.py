"""What games of a domain are played by: the counterpart of a heuristic with a frontier in an experiment of games."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from searchlab.errors import PluginError, UsageError
from searchlab.experiments.fingerprints import fingerprints
from searchlab.experiments.runs import Run
from searchlab.experiments.skipping import Refusal
from searchlab.model.component import extra_parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.experiments.exclusions import Rule
    from searchlab.experiments.parts import Part
    from searchlab.experiments.runs import Start
    from searchlab.experiments.spec import Experiment

DEFAULT_SEED = 0
"""What games are played with where no seeds are named, as by `sl.play`."""


@dataclass
class Contest:
    """A player and the domain it plays.

    Attributes:
        domain, player, parts: the parts.
        rules: the exclusions that fit them; whether they fit a board is another question.
        name: what it is called where the domain is known.
        alone: empty: each contest is played.
        is_seeded: whether the game or its player asks for random numbers, or a part takes a seed.
        plugins: the fingerprints of the plugins whose code it runs, by plugin.
    """

    domain: Part[BoundDomain]
    player: Part[BoundPlayer]
    rules: Sequence[Rule]

    def __post_init__(self) -> None:
        self.name, self.alone, self.parts = self.player.name, "", (self.domain, self.player)
        by_chance = self.domain.bound.is_of_chance or _asks_for_random(self.player.bound)
        self.is_seeded = by_chance or self.domain.is_seeded or self.player.is_seeded
        self.plugins = fingerprints(
            (*self.domain.plugins, *self.player.plugins), (*self.domain.files, *self.player.files)
        )

    def refusal(self, board: Board, experiment: Experiment) -> Refusal | None:
        """Return why the player cannot play from a board, None if it can.

        A plugin that fails is no reason: the run will tell.
        """
        try:
            self.player.bound.arguments(board, Random(DEFAULT_SEED))
        except UsageError as error:
            return Refusal(str(error), f"{self.name} on {self.domain.name}")
        except PluginError:
            return None
        return None

    def run(self, start: Start, experiment: Experiment, seed: int | None, repetition: int) -> Run:
        """Return the game from a board, or from the domain's opening."""
        return Run(
            start,
            self.domain.name,
            limits=experiment.limits,
            seed=DEFAULT_SEED if seed is None and self.is_seeded else seed,
            repetition=repetition,
            plugins=self.plugins.current,
            former_plugins=self.plugins.former,
            player=self.player.name,
            most_moves=experiment.most_moves,
        )


def _asks_for_random(player: BoundPlayer) -> bool:
    forms = player.component.forms
    return any(parameter.name == "random" for form in forms for parameter in extra_parameters(form, 2))
