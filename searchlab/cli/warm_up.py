"""`searchlab warm-up`: compile everything that ships, so that nothing has to be compiled later."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.options import common_options
from searchlab.cli.output import put, tell
from searchlab.errors.standard_error import can_redraw
from searchlab.model.formatting import counted, duration

if TYPE_CHECKING:
    from searchlab.cli.session import Session
    from searchlab.files.cache import CacheFolder

TOLD = "warm-up-told"
"""The file in the cache folder that says that the advice was given."""
ADVICE = "tip: searchlab warm-up compiles everything now, in a minute or two, so that no later command has to"
ADVICE_WITHOUT = (
    "solved without compiling, by the readable engine; to compare times add --engine compiled "
    "(searchlab warm-up compiles all that ships, in a minute or two)"
)


@click.command("warm-up", cls=Command, examples=("searchlab warm-up",))
@common_options
@click.pass_obj
def warm_up(session: Session) -> None:
    """Compile everything that ships, so that no command has to.

    Functions are compiled the first time they are used on a machine. This command compiles them for every domain that
    ships with searchlab or comes with a plugin, with each heuristic, frontier strategy and player, for boards of the
    sizes that ship. Functions that are already compiled take no time: run it again after installing another version.

    Ctrl-C ends it; functions compiled by then are kept.
    """
    from searchlab.cli.progress import live_lines
    from searchlab.compiler.notice import compile_seconds, compiled_functions
    from searchlab.experiments.warm_up import carry_out, steps
    from searchlab.files.cache import cache_folder

    began = time.monotonic()
    with live_lines() as show:
        waiting = list(steps(session.plugins))
        for number, step in enumerate(waiting):
            show(number / len(waiting), [f"{number:,} of {len(waiting):,} combinations", step.name])
            carry_out(step)
    folder = cache_folder()
    _note_told(folder)
    if compiled_functions():
        put(f"{counted(compiled_functions(), 'function')} compiled in {duration(compile_seconds())}")
    else:
        looked = f"{counted(len(waiting), 'combination')} looked at in {duration(time.monotonic() - began)}"
        put(f"everything was compiled before: {looked}")
    if not (folder.is_private and folder.is_writable):
        put(f"nothing is kept: {folder.fault}")


def advise_once(*, went_without: bool = False) -> None:
    """Print on a terminal what this command does: once per machine, after the first command that compiled something.

    Nothing is printed if notices are switched off.

    Args:
        went_without: print it although nothing was compiled, after a search that ran without compiling.
    """
    if not can_redraw():
        return
    from searchlab.files.cache import MACHINE_CODE, cache_folder

    folder = cache_folder()
    if not (folder.is_private and folder.is_writable) or (folder.path / TOLD).exists():
        return
    with suppress(OSError):
        if went_without or any(path.name.endswith(MACHINE_CODE) for path in folder.path.iterdir()):
            from searchlab.compiler.notice import LONGEST, PATIENCE

            if PATIENCE < LONGEST:
                tell(ADVICE_WITHOUT if went_without else ADVICE)
                _note_told(folder)


def _note_told(folder: CacheFolder) -> None:
    with suppress(OSError):
        (folder.path / TOLD).touch()
