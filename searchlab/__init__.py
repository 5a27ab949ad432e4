"""searchlab: experiments with heuristic search.

The public names, each loaded when it is first used: `import searchlab` alone imports nothing else.

>>> import searchlab as sl
>>> result = sl.solve(sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]), domain="sliding-tile")
>>> result.status, result.actions, result.optimal
('solved', ('right', 'down', 'right'), True)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain as BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic as BoundHeuristic
    from searchlab.binding.player import Judgement as Judgement
    from searchlab.binding.player import Move as Move
    from searchlab.board.board import Board as Board
    from searchlab.board.files import read_board as read_board
    from searchlab.board.files import read_boards as read_boards
    from searchlab.errors import BoardError as BoardError
    from searchlab.errors import MachineError as MachineError
    from searchlab.errors import PluginError as PluginError
    from searchlab.errors import SearchlabError as SearchlabError
    from searchlab.errors import SearchlabWarning as SearchlabWarning
    from searchlab.errors import TileIndexError as TileIndexError
    from searchlab.errors import UsageError as UsageError
    from searchlab.experiments.comparison import Comparison as Comparison
    from searchlab.experiments.comparison import compare as compare
    from searchlab.experiments.replay import replay as replay
    from searchlab.experiments.scheduler import run as run
    from searchlab.experiments.shrinking import Shrunk as Shrunk
    from searchlab.experiments.shrinking import shrink as shrink
    from searchlab.experiments.specification import Experiment as Experiment
    from searchlab.experiments.specification import read_experiment as read_experiment
    from searchlab.experiments.standings import standings as standings
    from searchlab.experiments.summary import group as group
    from searchlab.experiments.summary import pivot as pivot
    from searchlab.experiments.summary import published as published
    from searchlab.experiments.summary import results as results
    from searchlab.experiments.tables import load_results as load_results
    from searchlab.experiments.tables import merge as merge
    from searchlab.experiments.tables import table as table
    from searchlab.experiments.tuning import tune as tune
    from searchlab.games.advice import advise as advise
    from searchlab.games.exact import ExactValues as ExactValues
    from searchlab.games.exact import exact_boards as exact_boards
    from searchlab.games.exact import exact_values as exact_values
    from searchlab.games.exact_play import ExactPlay as ExactPlay
    from searchlab.games.exact_tables import exact_heuristic as exact_heuristic
    from searchlab.games.exact_tables import exact_tables as exact_tables
    from searchlab.games.expectimax import Expectimax as Expectimax
    from searchlab.games.layered_boards import exact_value as exact_value
    from searchlab.games.learning.depth_first import DepthFirstLearning as DepthFirstLearning
    from searchlab.games.learning.network import NTupleNetwork as NTupleNetwork
    from searchlab.games.learning.network import read_network as read_network
    from searchlab.games.learning.td import AfterstateLearning as AfterstateLearning
    from searchlab.games.look_ahead import LookAhead as LookAhead
    from searchlab.games.play import play as play
    from searchlab.games.program_player import ProgramPlayer as ProgramPlayer
    from searchlab.games.programs import Program as Program
    from searchlab.model.component import Parameter as Parameter
    from searchlab.model.domain import Domain as Domain
    from searchlab.model.domain_parts import Chance as Chance
    from searchlab.model.domain_parts import Defaults as Defaults
    from searchlab.model.domain_parts import FileFormat as FileFormat
    from searchlab.model.domain_parts import Views as Views
    from searchlab.model.extensions import Executor as Executor
    from searchlab.model.extensions import Generator as Generator
    from searchlab.model.extensions import Learner as Learner
    from searchlab.model.extensions import Learning as Learning
    from searchlab.model.extensions import Metric as Metric
    from searchlab.model.extensions import Renderer as Renderer
    from searchlab.model.games import Game as Game
    from searchlab.model.games import Turn as Turn
    from searchlab.model.instance import Instance as Instance
    from searchlab.model.limits import Limits as Limits
    from searchlab.model.packed import InPlace as InPlace
    from searchlab.model.packed import PackedForm as PackedForm
    from searchlab.model.packed import Words as Words
    from searchlab.model.packed import one_bits as one_bits
    from searchlab.model.packed import trailing_zeros as trailing_zeros
    from searchlab.model.randomness import Randomness as Randomness
    from searchlab.model.randomness import next_raw as next_raw
    from searchlab.model.report_section import ReportSection as ReportSection
    from searchlab.model.results import Improvement as Improvement
    from searchlab.model.results import Outcome as Outcome
    from searchlab.model.results import Result as Result
    from searchlab.model.results import Statistics as Statistics
    from searchlab.model.run_info import ExperimentInfo as ExperimentInfo
    from searchlab.model.run_info import Run as Run
    from searchlab.model.run_info import RunInfo as RunInfo
    from searchlab.model.run_info import RunningExperiment as RunningExperiment
    from searchlab.model.strategies import Frontier as Frontier
    from searchlab.model.strategies import Heuristic as Heuristic
    from searchlab.model.strategies import Player as Player
    from searchlab.model.strategies import Queue as Queue
    from searchlab.plugins.hookspecs import hookimpl as hookimpl
    from searchlab.plugins.lookup import domain as domain
    from searchlab.plugins.lookup import executor as executor
    from searchlab.plugins.lookup import frontier as frontier
    from searchlab.plugins.lookup import generator as generator
    from searchlab.plugins.lookup import heuristic as heuristic
    from searchlab.plugins.lookup import learner as learner
    from searchlab.plugins.lookup import player as player
    from searchlab.plugins.lookup import renderer as renderer
    from searchlab.plugins.registration import plugin as plugin
    from searchlab.plugins.registry import Plugins as Plugins
    from searchlab.reports import plot as plot
    from searchlab.reports.export import export as export
    from searchlab.reports.traced_search import trace as trace
    from searchlab.reports.view import report as report
    from searchlab.reports.view import view as view
    from searchlab.search.distances import Distances as Distances
    from searchlab.search.distances import distances as distances
    from searchlab.search.enumeration import state_space as state_space
    from searchlab.search.node_store import NodeStore as NodeStore
    from searchlab.search.ranking import pattern_rank as pattern_rank
    from searchlab.search.searcher import Searcher as Searcher
    from searchlab.search.searcher import improvements as improvements
    from searchlab.search.searcher import searcher as searcher
    from searchlab.search.searcher import solve as solve
    from searchlab.search.vertex_cover import vertex_cover as vertex_cover

_MODULES = {
    "binding.domain": "BoundDomain",
    "binding.heuristic": "BoundHeuristic",
    "binding.player": "Judgement Move",
    "board.board": "Board",
    "board.files": "read_board read_boards",
    "errors": "BoardError MachineError PluginError SearchlabError SearchlabWarning TileIndexError UsageError",
    "experiments.comparison": "Comparison compare",
    "experiments.replay": "replay",
    "experiments.scheduler": "run",
    "experiments.shrinking": "Shrunk shrink",
    "experiments.specification": "Experiment read_experiment",
    "experiments.standings": "standings",
    "experiments.summary": "group pivot published results",
    "experiments.tables": "load_results merge table",
    "experiments.tuning": "tune",
    "games.advice": "advise",
    "games.exact": "ExactValues exact_boards exact_values",
    "games.exact_play": "ExactPlay",
    "games.exact_tables": "exact_heuristic exact_tables",
    "games.expectimax": "Expectimax",
    "games.play": "play",
    "games.program_player": "ProgramPlayer",
    "games.programs": "Program",
    "games.layered_boards": "exact_value",
    "games.learning.network": "NTupleNetwork read_network",
    "games.learning.depth_first": "DepthFirstLearning",
    "games.learning.td": "AfterstateLearning",
    "games.look_ahead": "LookAhead",
    "model.component": "Parameter",
    "model.domain": "Domain",
    "model.domain_parts": "Chance Defaults FileFormat Views",
    "model.report_section": "ReportSection",
    "model.extensions": "Executor Generator Learner Learning Metric Renderer",
    "model.games": "Game Turn",
    "model.instance": "Instance",
    "model.limits": "Limits",
    "model.packed": "InPlace PackedForm Words one_bits trailing_zeros",
    "model.randomness": "Randomness next_raw",
    "model.results": "Improvement Outcome Result Statistics",
    "model.run_info": "ExperimentInfo Run RunInfo RunningExperiment",
    "model.strategies": "Frontier Heuristic Player Queue",
    "plugins.hookspecs": "hookimpl",
    "plugins.lookup": "domain executor frontier generator heuristic learner player renderer",
    "plugins.registration": "plugin",
    "plugins.registry": "Plugins",
    "reports": "plot",
    "reports.export": "export",
    "reports.traced_search": "trace",
    "reports.view": "report view",
    "search.distances": "Distances distances",
    "search.enumeration": "state_space",
    "search.node_store": "NodeStore",
    "search.ranking": "pattern_rank",
    "search.searcher": "Searcher improvements searcher solve",
    "search.vertex_cover": "vertex_cover",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'searchlab' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"searchlab.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
