"""`searchlab plugins new`: a plugin to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlab.cli.messages import put, tell
from searchlab.cli.options import common_options
from searchlab.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from searchlab.cli.session import Session


@click.command(short_help="Write a plugin to begin with.")
@click.argument("name")
@click.option(
    "--kind", default="heuristic", show_default=True, metavar="KIND", help="heuristic, frontier, domain, player."
)
@click.option("--package", is_flag=True, help="Write a distribution: pyproject.toml, module, tests, README.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Write to this file; with --package, to this folder (by default searchlab-NAME).",
)
@common_options
@click.pass_obj
def new(session: Session, name: str, kind: str, package: bool, output: Path | None) -> None:
    """Write a plugin to begin with: one file that works, with a test.

    NAME is what the heuristic, frontier strategy, domain or player is to be called: small letters, digits, hyphens.
    The file is printed; --output writes it, --package writes a distribution around it. Nothing is overwritten.
    """
    from searchlab.testing.scaffold.writing import KINDS, Scaffold

    if kind not in KINDS:
        raise UsageError(f"there is no kind {kind!r} of plugin: {did_you_mean(kind, KINDS)}")
    scaffold = Scaffold(name, kind)
    session.tells_problems = False
    taken = [r for r in session.plugins.all(kind) if name in (r.component.name, *r.component.aliases)]
    if taken:
        raise UsageError(f"{kind} {name!r} exists already ({taken[0].plugin}): take another name")
    if package:
        folder = output or Path(scaffold.distribution)
        scaffold.write_package(folder)
        _print_next(folder, scaffold.next_in_package(folder))
    elif output:
        scaffold.write_file(output)
        _print_next(output, scaffold.next_with(output))
    else:
        put(scaffold.text("plugin"), end="")
        tell(f"add --output {scaffold.file_name} to write this; then try:")
        for command in scaffold.next_with(Path(scaffold.file_name)):
            tell(command)


def _print_next(written: Path, commands: list[str]) -> None:
    """Say what was written, and what to try with it."""
    put(f"wrote {written}; try:")
    for command in commands:
        put(f"  {command}")
