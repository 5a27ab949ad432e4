"""`searchlab check-proof`: check a certificate by the rules of the domain and the heuristic alone."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.options import common_options, memory_limit_option, renderer_option
from searchlab.cli.output import put, put_wrapped, shows_colour
from searchlab.cli.process import within_limits
from searchlab.errors.standard_output import standard_output
from searchlab.model.formatting import counted, duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.cli.session import Session
    from searchlab.model.states import State
    from searchlab.search.watch import Watch
    from searchlab.testing.certificate_file import Certificate

FAILED = 1


@click.command(
    cls=Command,
    examples=(
        "searchlab check-proof proof.zip",
        "searchlab check-proof proof.zip --memory-limit 1GB",
    ),
    short_help="Check a certificate that solve has written.",
)
@click.argument("paths", metavar="FILE…", nargs=-1, required=True)
@renderer_option
@memory_limit_option("certificate")
@common_options
@click.pass_obj
@within_limits(gets_watch=True)
def check_proof(session: Session, paths: tuple[str, ...], renderer: str | None, watch: Watch) -> int:
    """Check a certificate that solve has written.

    A certificate proves that no solution costs less, or that there is no solution. FILE was written by searchlab solve
    --certificate or searchlab results certify. The check calls the rules of the domain and the function of the
    heuristic in Python, on every state, and uses no code of a search. The output lists what the proof relies on.

    Exit codes: 0 the claim is proved, 1 it is not, 2 the file is not a certificate, or a usage error.
    """
    codes = []
    for number, path in enumerate(paths):
        if len(paths) > 1:
            put(f"{path}:" if number == 0 else f"\n{path}:")
        codes.append(_check(path, renderer, session, watch.memory))
    return max(codes)


def _check(path: str, renderer: str | None, session: Session, memory: int) -> int:
    """Check a certificate and print the outcome; return the exit code."""
    from pathlib import Path

    from searchlab.cli.progress import live_status
    from searchlab.testing.certificate import Unproved, check
    from searchlab.testing.certificate_file import read

    certificate = read(Path(path), session.plugins, memory)
    began, states = time.perf_counter(), len(certificate.costs)
    try:
        with live_status() as show:
            moves = check(certificate, lambda done: show(f"{done:,} of {counted(states, 'state')} checked"))
    except Unproved as unproved:
        put_wrapped(f"not proved that {certificate.claim}: {unproved}")
        if unproved.states:
            put("")
            _draw(certificate, unproved.states, renderer, session)
        return FAILED
    put(f"proved: {certificate.claim}")
    put(f"{counted(states, 'closed state')}, {counted(moves, 'move')}, {duration(time.perf_counter() - began)}")
    put("")
    _draw(certificate, [("start", certificate.start)], renderer, session)
    put("")
    put_wrapped(_grounds(certificate))
    return 0


def _grounds(certificate: Certificate) -> str:
    """Return what the proof rests on besides the file."""
    rules = f"the rules of {certificate.domain}"
    heuristic = certificate.heuristic
    if heuristic is None:
        return f"It rests on {rules} alone, without a heuristic."
    rest = "whether it is consistent does not matter" if not heuristic.consistent else "it need not be consistent"
    return (
        f"It rests on {rules}, and on {heuristic} being admissible, as it declares; {rest}. "
        f"searchlab plugins check {heuristic.name} tests that."
    )


def _draw(
    certificate: Certificate, states: Sequence[tuple[str, State]], renderer: str | None, session: Session
) -> None:
    """Print states below their captions."""
    from searchlab.cli.drawing import drawer

    colour = shows_colour(standard_output())
    draws = drawer(certificate.domain, renderer, session.plugins, colour=colour)
    captions, shown = zip(*states, strict=True)
    for line in draws.titled(captions, shown):
        put(line)
