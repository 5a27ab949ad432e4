"""A plugin as a user may write it, with typical mistakes."""

import sys

import click

from searchlab import Domain, Heuristic, hookimpl


@click.command()
@click.argument("name", default="world")
def greet(name):
    """Say hello."""
    click.echo(f"hello {name}")
    return 7


@click.command()
def crash():
    """Divide by zero."""
    return 1 // 0


@click.command()
def leave():
    """Leave with a message."""
    sys.exit("enough")


@click.command(name="solve")
def shadow():
    """Take a name that is taken."""


def first_tile(tiles, weight=1.0):
    """The upper left tile."""
    return weight * tiles[0, 0]


def failing(tiles):
    raise ValueError("no idea")


def no_number(tiles):
    return float("nan")


@hookimpl
def searchlab_commands():
    return [greet, crash, leave, shadow]


@hookimpl
def searchlab_heuristics():
    return [
        Heuristic("first-tile", first_tile, domains={"2048"}, prefer="high", summary="the upper left tile"),
        Heuristic("failing", failing, domains={"2048"}),
        Heuristic("no-number", no_number, domains={"2048"}),
        "not a heuristic",
    ]


def steps(board):
    yield "step", board, 2.5


@hookimpl
def searchlab_domains():
    yield Domain("unchecked", steps, lambda board: True, summary="takes any board")
