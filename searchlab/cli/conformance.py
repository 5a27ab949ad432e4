"""`searchlab conformance`: whether an environment of 2048 plays by the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.options import OUTPUT_PATH, common_options, json_option, memory_limit_option, seed_option
from searchlab.cli.output import as_json, check_output, put, tell
from searchlab.cli.process import within_limits
from searchlab.errors import UsageError
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.session import Session
    from searchlab.testing.conformance.suite import Check

DOES_NOT_CONFORM = 1
ILLEGAL = ("unchanged", "ends", "raises")
CELLS = ("tiles", "exponents")
MOVES = ("up", "right", "down", "left")
SHORT_NAME = "2048"
"""The domain with random tiles is meant: only it has environments."""


@click.command(
    cls=Command,
    examples=(
        "searchlab conformance 2048 --env env.py:Game",
        "searchlab conformance 2048 --env mypackage.envs:make --actions left,up,right,down --illegal ends",
        "searchlab conformance 2048 --env program:command=[./game]",
        "searchlab conformance 2048 --vectors 2048.json",
    ),
    short_help="Check whether an environment of 2048 plays by the rules.",
)
@click.argument("game", metavar="GAME")
@click.option(
    "--env",
    metavar="MODULE:FACTORY",
    help="The environment: a function or class in a module or a .py file, or program:command=[./game --fast].",
)
@click.option(
    "--actions",
    metavar="MOVES",
    default=",".join(MOVES),
    help="The moves of the actions 0 to 3 (default: up,right,down,left).",
)
@click.option("--cells", type=click.Choice(CELLS), help="What a cell holds (default: exponents if a 1 or 3 occurs).")
@click.option(
    "--illegal",
    type=click.Choice(ILLEGAL),
    default="unchanged",
    help="What an illegal move does, besides changing nothing (default: unchanged).",
)
@click.option(
    "--moves", type=click.IntRange(min=1), default=1_000_000, metavar="N", help="Moves to play (default 1,000,000)."
)
@click.option(
    "--games",
    type=click.IntRange(min=2000),
    default=2000,
    metavar="N",
    help="Games of the player whose mean score is tested (default 2,000).",
)
@click.option("--vectors", type=OUTPUT_PATH, metavar="FILE", help="Write test vectors for other programs as JSON.")
@seed_option
@json_option("the outcome")
@memory_limit_option("environment")
@common_options
@click.pass_obj
@within_limits()
def conformance(
    session: Session,
    game: str,
    env: str | None,
    actions: str,
    cells: str | None,
    illegal: str,
    moves: int,
    games: int,
    vectors: Path | None,
    seed: int,
    json: bool,
) -> int:
    """Check whether an environment of 2048 plays by the rules.

    GAME is 2048, or 2048-random with parameters, such as 2048-random:p2=0.5. An environment has reset(seed), which
    returns the board as rows, and step(action), which returns (board, reward, done, info); also with the values of
    gymnasium, or init and step of pgx. With set(board) all rows are tested, else those that occur in played moves. If
    the factory has a parameter n, best play of 3 × 3 cells is tested: its mean score is compared with the exact one. An
    environment may also be a program in any language, which answers lines; the page docs/program-environments.md
    describes them.

    Each line is a check. A fault shows the smallest example. The page docs/conformance.md describes all of them.

    Exit codes: 0 it conforms, 1 it does not, 2 a usage error, 130 interrupted.
    """
    from searchlab.cli.progress import live_lines
    from searchlab.testing.conformance import suite
    from searchlab.testing.conformance.environment import load_factory, program_factory

    check_output(vectors)
    if env is None and vectors is None:
        raise click.UsageError("give an environment by --env MODULE:FACTORY, or a file for test vectors by --vectors")
    domain = _domain(game, session)
    order = _order(actions)
    factory = None if env is None else program_factory(env, domain, session.plugins)
    if factory is not None and (order != MOVES or cells == "exponents"):
        raise UsageError("--actions and --cells are for environments in Python: a program gets moves and tiles")
    if vectors is not None:
        _write_vectors(vectors, domain)
    if env is None:
        return 0
    with live_lines() as show:
        found = suite.conformance(
            factory or load_factory(env),
            domain=domain,
            actions=order,
            cells=cells or "",
            illegal=illegal,
            moves=moves,
            games=games,
            seed=seed,
            show=lambda text, share: show(share, [text]),
            plugins=session.plugins,
        )
    faults = sum(check.verdict == suite.FAULT for check in found)
    if json:
        checks = [check._asdict() for check in found]
        put(
            as_json({"environment": env, "game": str(domain), "seed": seed, "conforms": not faults, "checks": checks}),
            end="",
        )
    else:
        _show(found, env, faults, suite.FALSE_ALARMS)
    return DOES_NOT_CONFORM if faults else 0


def _show(found: list[Check], env: str, faults: int, false_alarms: float) -> None:
    width = max(len(check.name) for check in found)
    for check in found:
        put(f"{check.verdict:8} {check.name:{width}}  {check.text}")
    put("")
    if faults:
        put(f"{env} does not conform: {counted(faults, 'fault')} in {counted(len(found), 'check')}")
        return
    untested = sum(check.verdict == "untested" for check in found)
    besides = f" ({untested} untested)" if untested else ""
    put(f"{env} conforms: {counted(len(found), 'check')}{besides}")
    put(f"An environment that conforms fails with probability {false_alarms:.1%} at most.")


def _domain(game: str, session: Session) -> BoundDomain:
    from searchlab.plugins import lookup
    from searchlab.plugins.lookup import DEFAULT_GAME

    domain = lookup.domain(DEFAULT_GAME if game == SHORT_NAME else game, plugins=session.plugins)
    if domain.component.name != DEFAULT_GAME.rpartition("/")[2]:
        raise UsageError(f"there is a conformance suite for {SHORT_NAME} only, not for {domain.name}")
    for name, wanted in (("stop_at", 0), ("offers", "blank"), ("idle", False)):
        if domain.values[name] != wanted:
            raise UsageError(f"{domain}: only p2 and tiles may differ from the classic game, not {name}")
    return domain


def _order(actions: str) -> tuple[str, ...]:
    order = tuple(actions.replace(" ", "").split(","))
    if sorted(order) != sorted(MOVES):
        raise click.BadParameter(f"{', '.join(MOVES)} in some order are wanted, with commas", param_hint="'--actions'")
    return order


def _write_vectors(path: Path, domain: BoundDomain) -> None:
    from dataclasses import replace

    from searchlab.files import write
    from searchlab.testing.conformance.vectors import vectors

    write(path, vectors(replace(domain, values={**domain.values, "n": 4})))
    tell(f"written to {path}")
