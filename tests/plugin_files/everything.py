"""A plugin that brings something of every kind, and a function it does not bring."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import click

from searchlab import (
    AfterstateLearning,
    Board,
    Defaults,
    Domain,
    Executor,
    Frontier,
    Generator,
    Heuristic,
    Learner,
    Metric,
    NTupleNetwork,
    Parameter,
    Player,
    Renderer,
    ReportSection,
    hookimpl,
)

TOLD = []
"""What this plugin was told of, in order."""


def flips(board):
    """Pancakes: turn the upper k over."""
    stack = board.tiles[0]
    for k in range(2, len(stack) + 1):
        yield f"flip {k}", Board([[*stack[:k][::-1], *stack[k:]]])


def in_order(board, downwards):
    stack = board.tiles[0].tolist()
    return stack == sorted(stack, reverse=downwards)


def gaps(tiles, weight=1.0, below=True):
    """Count the neighbours that do not belong together."""
    stack = [*tiles[0], tiles.shape[1] + 1] if below else tiles[0]
    return weight * sum(abs(int(a) - int(b)) > 1 for a, b in pairwise(stack))


def sideways(g, h, share=0.5):
    return share * g + (1 - share) * h


def one_by_one(workers):
    """A thread, however many were wanted."""
    return ThreadPoolExecutor(1)


def stacked(random, pancakes=4):
    """A stack in any order."""
    stack = list(range(1, pancakes + 1))
    return Board([[stack.pop(int(random.random() * len(stack))) for _ in range(pancakes)]])


def pile(board, mark="="):
    """A pancake a line."""
    return "\n".join((mark * int(size)).center(2 * board.shape[1]).rstrip() for size in board.tiles[0])


def effort(result):
    """Nodes expanded for each move."""
    return result.expanded / result.moves if result.moves else None


def largest(tiles):
    """Return the largest tile."""
    return tiles.max()


def practice(domain, seed, rate=0.5):
    """What learns the values of stacks."""
    return AfterstateLearning(NTupleNetwork(1, 5, ((0, 1),), symmetric=False), domain, seed=seed, rate=rate)


@hookimpl
def searchlab_domains():
    parameters = (Parameter("downwards", False, "the largest on top"),)
    return [Domain("crepe", flips, in_order, parameters=parameters, defaults=Defaults(heuristic="crease"))]


@hookimpl
def searchlab_heuristics():
    return (Heuristic("crease", gaps, domains={"crepe"}, admissible=True, aliases=("creases",), summary="creases"),)


@hookimpl
def searchlab_frontiers():
    yield Frontier("sideways", sideways, summary="between g and h")


def top(board, moves):
    """Turn as many over as can be."""
    return moves[-1].action


@hookimpl
def searchlab_players():
    return [Player("topple", top, domains={"crepe"}, aliases=("topples",), summary="turns all over")]


@hookimpl
def searchlab_commands():
    yield click.Command("flip", callback=lambda: click.echo("flipped"))


@hookimpl
def searchlab_generators():
    yield Generator("stacked", stacked, domains={"crepe"}, summary="a stack in any order")


@hookimpl
def searchlab_metrics():
    yield Metric("effort", effort, summary="nodes expanded for each move")


@hookimpl
def searchlab_executors():
    yield Executor("one-by-one", one_by_one, summary="each run when it is asked for")


@hookimpl
def searchlab_renderers():
    yield Renderer("pile", pile, domains={"crepe"}, summary="a pancake a line")


@hookimpl
def searchlab_learners():
    yield Learner("practice", practice, domains={"crepe"}, summary="which pancakes to turn")


@hookimpl
def searchlab_report_sections(results):
    yield ReportSection("Pancakes", f"{len(results)} runs")


@hookimpl
def searchlab_run_started(run):
    """Note which board is searched."""
    TOLD.append(("run_started", run))


@hookimpl
def searchlab_run_finished(run, result):
    """Note how a search ended."""
    TOLD.append(("run_finished", run, result))


@hookimpl
def searchlab_run_failed(result):
    """Note why a search failed."""
    TOLD.append(("run_failed", result))


@hookimpl
def searchlab_experiment_started(experiment):
    """Note that an experiment begins."""
    TOLD.append(("experiment_started", experiment))


@hookimpl
def searchlab_experiment_finished():
    """Note that an experiment is over."""
    TOLD.append(("experiment_finished",))
