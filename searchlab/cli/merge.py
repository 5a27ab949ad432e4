"""`searchlab results merge`: the results of several machines become one table."""

from __future__ import annotations

from contextlib import ExitStack

import click

from searchlab.cli.figures import counted
from searchlab.cli.messages import put
from searchlab.cli.options import common_options


@click.command(short_help="Put the results of several folders into one.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--into", required=True, metavar="FOLDER", help="Where they go; results that are there stay.")
@common_options
def merge(paths: tuple[str, ...], into: str) -> None:
    """Put the results of several folders into one, those of several machines for example.

    A run that is there already is the same run, whatever machine did it, and stays as it is: it is not taken twice.
    """
    from searchlab.experiments.store import Store

    with ExitStack() as stack:
        sources = [stack.enter_context(Store(path)) for path in paths]
        target = stack.enter_context(Store(into, writes=True, kind=sources[0].kind))
        for path, source in zip(paths, sources, strict=True):
            taken, passed = target.merge(source)
            put(f"{path}: {counted(taken, 'row')} taken, {passed:,} here already")
        put(f"{into}: {counted(len(target.statuses()), 'run')}")
