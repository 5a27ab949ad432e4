"""A plugin that brings something of every kind, and a function it does not bring."""

from itertools import pairwise

import click

from searchlab import Board, Domain, Frontier, Heuristic, Parameter, Player, hookimpl


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


def largest(tiles):
    """Return the largest tile."""
    return tiles.max()


@hookimpl
def searchlab_domains():
    parameters = (Parameter("downwards", False, "the largest on top"),)
    return [Domain("pancake", flips, in_order, parameters=parameters, heuristic="gap", aliases=("pancakes",))]


@hookimpl
def searchlab_heuristics():
    return (Heuristic("gap", gaps, domains={"pancake"}, admissible=True, aliases=("gaps",), summary="gaps"),)


@hookimpl
def searchlab_frontiers():
    yield Frontier("sideways", sideways, summary="between g and h")


def top(board, moves):
    """Turn as many over as can be."""
    return moves[-1].action


@hookimpl
def searchlab_players():
    return [Player("topple", top, domains={"pancake"}, aliases=("topples",), summary="turns all over")]


@hookimpl
def searchlab_commands():
    yield click.Command("flip", callback=lambda: click.echo("flipped"))
