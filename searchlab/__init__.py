"""searchlab: experiments with heuristic search.

The public face, loaded as it is used: `import searchlab` alone imports nothing else.

>>> import searchlab as sl
>>> result = sl.solve(sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]), domain="sliding-tile")
>>> result.status, result.actions, result.optimal
('solved', ('right', 'down', 'right'), True)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.binding.player import Move
    from searchlab.board.board import Board
    from searchlab.board.files import read_board, read_boards
    from searchlab.errors import (
        BoardError,
        MachineError,
        PluginError,
        SearchlabError,
        SearchlabWarning,
        TileIndexError,
        UsageError,
    )
    from searchlab.experiments.columns import table
    from searchlab.experiments.replaying import replay
    from searchlab.experiments.results import load_results
    from searchlab.experiments.scheduler import run
    from searchlab.experiments.spec import Experiment, read_experiment
    from searchlab.experiments.standings import standings
    from searchlab.games.expectimax import Expectimax
    from searchlab.games.game import play
    from searchlab.games.learning.network import NTupleNetwork, read_network
    from searchlab.games.learning.td import AfterstateLearning
    from searchlab.games.look_ahead import LookAhead
    from searchlab.model.component import Parameter
    from searchlab.model.domain import Domain
    from searchlab.model.extensions import Executor, Generator, Learner, Learning, Metric, Renderer
    from searchlab.model.games import Game, Turn
    from searchlab.model.limits import Limits
    from searchlab.model.packed import InPlace, PackedForm, trailing_zeros
    from searchlab.model.randomness import Randomness, next_raw
    from searchlab.model.results import Outcome, Result, Statistics
    from searchlab.model.run_info import Run, RunningExperiment
    from searchlab.model.strategies import Frontier, Heuristic, Player
    from searchlab.plugins.hookspecs import hookimpl
    from searchlab.plugins.lookup import domain, executor, frontier, generator, heuristic, learner, player, renderer
    from searchlab.plugins.registry import Plugins
    from searchlab.search.solve import solve

_HOME = {
    "AfterstateLearning": "games.learning.td",
    "Board": "board.board",
    "BoardError": "errors",
    "BoundDomain": "binding.domain",
    "BoundHeuristic": "binding.heuristic",
    "Domain": "model.domain",
    "Executor": "model.extensions",
    "Expectimax": "games.expectimax",
    "Experiment": "experiments.spec",
    "Frontier": "model.strategies",
    "Game": "model.games",
    "Generator": "model.extensions",
    "Heuristic": "model.strategies",
    "InPlace": "model.packed",
    "Learner": "model.extensions",
    "Learning": "model.extensions",
    "Limits": "model.limits",
    "LookAhead": "games.look_ahead",
    "MachineError": "errors",
    "Metric": "model.extensions",
    "Move": "binding.player",
    "NTupleNetwork": "games.learning.network",
    "Outcome": "model.results",
    "PackedForm": "model.packed",
    "Parameter": "model.component",
    "Player": "model.strategies",
    "PluginError": "errors",
    "Plugins": "plugins.registry",
    "Randomness": "model.randomness",
    "Renderer": "model.extensions",
    "Result": "model.results",
    "Run": "model.run_info",
    "RunningExperiment": "model.run_info",
    "SearchlabError": "errors",
    "SearchlabWarning": "errors",
    "Statistics": "model.results",
    "TileIndexError": "errors",
    "Turn": "model.games",
    "UsageError": "errors",
    "domain": "plugins.lookup",
    "executor": "plugins.lookup",
    "frontier": "plugins.lookup",
    "generator": "plugins.lookup",
    "heuristic": "plugins.lookup",
    "hookimpl": "plugins.hookspecs",
    "learner": "plugins.lookup",
    "load_results": "experiments.results",
    "next_raw": "model.randomness",
    "play": "games.game",
    "player": "plugins.lookup",
    "read_board": "board.files",
    "read_boards": "board.files",
    "read_experiment": "experiments.spec",
    "read_network": "games.learning.network",
    "renderer": "plugins.lookup",
    "replay": "experiments.replaying",
    "run": "experiments.scheduler",
    "solve": "search.solve",
    "standings": "experiments.standings",
    "table": "experiments.columns",
    "trailing_zeros": "model.packed",
}

__all__ = [
    "AfterstateLearning",
    "Board",
    "BoardError",
    "BoundDomain",
    "BoundHeuristic",
    "Domain",
    "Executor",
    "Expectimax",
    "Experiment",
    "Frontier",
    "Game",
    "Generator",
    "Heuristic",
    "InPlace",
    "Learner",
    "Learning",
    "Limits",
    "LookAhead",
    "MachineError",
    "Metric",
    "Move",
    "NTupleNetwork",
    "Outcome",
    "PackedForm",
    "Parameter",
    "Player",
    "PluginError",
    "Plugins",
    "Randomness",
    "Renderer",
    "Result",
    "Run",
    "RunningExperiment",
    "SearchlabError",
    "SearchlabWarning",
    "Statistics",
    "TileIndexError",
    "Turn",
    "UsageError",
    "domain",
    "executor",
    "frontier",
    "generator",
    "heuristic",
    "hookimpl",
    "learner",
    "load_results",
    "next_raw",
    "play",
    "player",
    "read_board",
    "read_boards",
    "read_experiment",
    "read_network",
    "renderer",
    "replay",
    "run",
    "solve",
    "standings",
    "table",
    "trailing_zeros",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'searchlab' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"searchlab.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
