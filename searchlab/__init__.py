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
    from searchlab.accessories import Executor, Generator, Learner, Learning, Metric, Renderer
    from searchlab.api import play, solve
    from searchlab.bits import trailing_zeros
    from searchlab.board import Board
    from searchlab.boardfiles import read_board, read_boards
    from searchlab.bound import BoundDomain
    from searchlab.bound_heuristic import BoundHeuristic
    from searchlab.bound_player import Move
    from searchlab.by_name import domain, executor, frontier, generator, heuristic, learner, player, renderer
    from searchlab.components import Frontier, Heuristic, Player
    from searchlab.errors import (
        BoardError,
        MachineError,
        PluginError,
        SearchlabError,
        SearchlabWarning,
        TileIndexError,
        UsageError,
    )
    from searchlab.experiments.replaying import replay
    from searchlab.experiments.results import load_results
    from searchlab.experiments.running import run
    from searchlab.experiments.spec import Experiment, read_experiment
    from searchlab.experiments.standings import standings
    from searchlab.hookspecs import hookimpl
    from searchlab.learning.afterstates import AfterstateLearning
    from searchlab.learning.network import NTupleNetwork
    from searchlab.learning.network_files import read_network
    from searchlab.lifecycle import Run, RunningExperiment
    from searchlab.packed import InPlace, PackedForm
    from searchlab.parameters import Parameter
    from searchlab.pcg64 import next_raw
    from searchlab.playing import Game, Turn
    from searchlab.plugins import Plugins
    from searchlab.randomness import Randomness
    from searchlab.reports.tables import table
    from searchlab.rules import Domain
    from searchlab.search.expectimax import LookAhead
    from searchlab.search.limits import Limits
    from searchlab.search.looking_ahead import Expectimax
    from searchlab.search.result import Outcome, Result, Statistics

_HOME = {
    "AfterstateLearning": "learning.afterstates",
    "Board": "board",
    "BoardError": "errors",
    "BoundDomain": "bound",
    "BoundHeuristic": "bound_heuristic",
    "Domain": "rules",
    "Executor": "accessories",
    "Expectimax": "search.looking_ahead",
    "Experiment": "experiments.spec",
    "Frontier": "components",
    "Game": "playing",
    "Generator": "accessories",
    "Heuristic": "components",
    "InPlace": "packed",
    "Learner": "accessories",
    "Learning": "accessories",
    "Limits": "search.limits",
    "LookAhead": "search.expectimax",
    "MachineError": "errors",
    "Metric": "accessories",
    "Move": "bound_player",
    "NTupleNetwork": "learning.network",
    "Outcome": "search.result",
    "PackedForm": "packed",
    "Parameter": "parameters",
    "Player": "components",
    "PluginError": "errors",
    "Plugins": "plugins",
    "Randomness": "randomness",
    "Renderer": "accessories",
    "Result": "search.result",
    "Run": "lifecycle",
    "RunningExperiment": "lifecycle",
    "SearchlabError": "errors",
    "SearchlabWarning": "errors",
    "Statistics": "search.result",
    "TileIndexError": "errors",
    "Turn": "playing",
    "UsageError": "errors",
    "domain": "by_name",
    "executor": "by_name",
    "frontier": "by_name",
    "generator": "by_name",
    "heuristic": "by_name",
    "hookimpl": "hookspecs",
    "learner": "by_name",
    "load_results": "experiments.results",
    "next_raw": "pcg64",
    "play": "api",
    "player": "by_name",
    "read_board": "boardfiles",
    "read_boards": "boardfiles",
    "read_experiment": "experiments.spec",
    "read_network": "learning.network_files",
    "renderer": "by_name",
    "replay": "experiments.replaying",
    "run": "experiments.running",
    "solve": "api",
    "standings": "experiments.standings",
    "table": "reports.tables",
    "trailing_zeros": "bits",
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
