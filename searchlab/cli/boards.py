"""`searchlab boards`: `show` boards, `check` files of boards, or `generate` boards from seeds."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Group
from searchlab.cli.names import shipped_names
from searchlab.cli.options import (
    OUTPUT_PATH,
    common_options,
    domain_option,
    domain_options,
    goal_option,
    json_option,
    limit_options,
    limits_of,
    renderer_option,
    search_options,
)
from searchlab.cli.output import as_json, put, shows_colour, tell
from searchlab.cli.process import LIMIT_REACHED, REFUSED
from searchlab.errors import BoardError, UsageError, did_you_mean, message_of
from searchlab.errors.control_characters import one_line
from searchlab.errors.standard_output import standard_output
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.extensions import BoundGenerator
    from searchlab.binding.instance_files import NamedInstance
    from searchlab.board.board import Board
    from searchlab.cli.arguments import DomainChoice
    from searchlab.cli.session import Session
    from searchlab.model.instance import Instance
    from searchlab.model.limits import Limits
    from searchlab.search.difficulty import DrawnBoard

NUMBER = re.compile(r"\d+")
PLACE = re.compile(r"((?:[^:]+: )?line \d+): ")
TRIES = 1_000
"""Boards that are drawn for each wanted one at most, unless --tries says so."""
MOST_BOARDS = 1_000_000
"""Larger numbers of boards to generate are a slip of the keyboard."""
FEW = 4
"""Help lists up to this many boards of a set."""


class ShippedBoards(Group):
    """A group of commands with a list of the shipped boards in its help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of the sets, each with some of its boards, at the end."""
        sets: dict[str, list[str]] = {}
        for name in shipped_names(ctx):
            folder, _, board = name.rpartition("/")
            sets.setdefault(folder, []).append(board)
        rows = [
            (folder, ", ".join(names if len(names) <= FEW else (*names[:FEW], "…")))
            for folder, names in sorted(sets.items())
        ]
        with formatter.section("Boards that ship (SET, or SET/BOARD)"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, or raise a UsageError."""
        name = args[0]
        if name not in self.commands and not ctx.resilient_parsing:
            said = did_you_mean(name, self.commands)
            if not said.startswith("did"):  # then it is the name of boards rather than of a command
                said += f"; searchlab boards lists all, {shlex.join(['searchlab', 'boards', 'show', name])} shows one"
            ctx.fail(f"no command is called {name!r}: {said}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=ShippedBoards,
    subcommand_metavar="show|check|generate",
    examples=("searchlab boards show 2048/board10", "searchlab boards generate shuffled:n=3 --count 10 --seed 1"),
)
@common_options
def boards() -> None:
    """Show boards, check files of boards, or generate new ones."""


@boards.command(
    short_help="Show boards.",
    examples=("searchlab boards show 2048/board10", "searchlab boards show 'sliding-tile/puzzle8-2*' --renderer box"),
)
@click.argument("boards", nargs=-1, required=True, metavar="BOARD…")
@domain_options
@renderer_option
@json_option("the boards")
@common_options
@click.pass_obj
def show(
    session: Session, boards: tuple[str, ...], domain: str | None, goal: str | None, renderer: str | None, json: bool
) -> None:
    """Show boards.

    BOARD is a board file, a folder or a pattern of such files, the name of boards that ship with searchlab
    (2048/board10, or all of 2048), or - for standard input.
    """
    from searchlab.cli.arguments import DomainChoice, read_named_boards, report_guess
    from searchlab.cli.drawing import drawer

    choice = DomainChoice(domain, goal, session.plugins)
    named_boards = [(named, choice.of(named)) for named in read_named_boards(boards, choice)]
    if json:
        put(
            as_json([{"board": named.name, **_described(on, named.board)} for named, on in named_boards]),
            end="",
        )
        return
    by_name: dict[str, list[tuple[NamedInstance, BoundDomain]]] = {}
    for named, on in named_boards:
        by_name.setdefault(str(on), []).append((named, on))
    for guess in {str(d): d for s, d in named_boards if choice.is_guess(s)}.values():
        report_guess(guess)
    colour = shows_colour(standard_output())
    together = (list(group) for found in by_name.values() for _, group in groupby(found, lambda item: item[1].key))
    for group in together:
        shown = [named for named, _ in group]
        draws = drawer(group[0][1], renderer, session.plugins, colour=colour)
        titles = [f"# {one_line(named.name)}" for named in shown]
        for line in draws.titled(titles, [named.board for named in shown]):
            put(line)


@boards.command(
    short_help="Check that boards can be read.",
    examples=("searchlab boards check my-boards", "searchlab boards check tasks --domain strips"),
)
@click.argument("boards", nargs=-1, required=True, metavar="FOLDER…")
@domain_options
@json_option("what is wrong")
@common_options
@click.pass_obj
def check(session: Session, boards: tuple[str, ...], domain: str | None, goal: str | None, json: bool) -> int:
    """Check that boards can be read and are legal in their games.

    FOLDER is a folder or a pattern of board files and files of instances, one such file, or the name of boards that
    ship with searchlab. Each reason for refusing boards is printed once, with the number of boards and the first of
    them. The exit code is 1 if a board was refused. A set.toml or published.toml that makes no sense is an error.
    """
    from searchlab.cli.arguments import DomainChoice

    read, refusals = _checked(boards, DomainChoice(domain, goal, session.plugins))
    listed = sorted(refusals.values(), key=lambda refusal: -refusal.count)
    refused = sum(refusal.count for refusal in listed)
    if json:
        put(as_json({"read": read, "refused": refused, "reasons": [asdict(refusal) for refusal in listed]}), end="")
        return REFUSED if refused else 0
    for refusal in listed:
        put(f"{refusal.count:,} × {refusal.reason}; first {refusal.first}")
    put(f"{counted(read, 'board')} can be used, {refused:,} cannot")
    return REFUSED if refused else 0


@dataclass(frozen=True)
class _RefusedBoards:
    """A reason for refusing boards, with their number and the first of them."""

    reason: str
    count: int
    first: str


def _checked(names: Iterable[str], choice: DomainChoice) -> tuple[int, dict[str, _RefusedBoards]]:
    """Return how many boards of some names can be used, and why others cannot, by the reason without numbers."""
    from searchlab.binding.instance_files import LeftOut, each_at, places
    from searchlab.board.files import board_name
    from searchlab.experiments.published import published_rows
    from searchlab.plugins.domain_of_board import file_suffixes

    suffixes = file_suffixes(choice.plugins)
    refusals: dict[str, _RefusedBoards] = {}

    def refuse(name: str, error: BoardError | str) -> None:
        place, reason = _place_and_reason(str(error).removeprefix(f"{name}: "))
        key = NUMBER.sub("0", reason)
        first = f"{name}, {place}" if place else name
        known = refusals.get(key, _RefusedBoards(reason, 0, first))
        refusals[key] = replace(known, count=known.count + 1)

    read = 0
    listed = [place for name in names for place in places(name, suffixes)]
    for folder in dict.fromkeys(place.path.parent for place in listed):
        published_rows(folder)
    for place in listed:
        name = board_name(place.path)
        try:
            found = each_at(place, choice.of_file(place.path))
        except BoardError as error:
            refuse(name, error)
            continue
        for each in found:
            if isinstance(each, LeftOut):
                refuse(each.name, each.why)
                continue
            try:
                choice.of(each)
            except BoardError as error:
                refuse(each.name, error)
            else:
                read += 1
    return read, refusals


def _place_and_reason(text: str) -> tuple[str, str]:
    """Return the place in an error message (`""` if there is none) and the reason.

    >>> _place_and_reason("domain.pddl: line 7: disjunctions are not supported")
    ('domain.pddl, line 7', 'disjunctions are not supported')
    """
    match = PLACE.match(text)
    return (match[1].replace(": ", ", "), text[match.end() :]) if match else ("", text)


def _described(domain: BoundDomain, board: Board) -> dict[str, Any]:
    """Return the JSON values of a board; with static data also its text."""
    described = {"domain": str(domain), "tiles": board.tiles.tolist()}
    text = domain.picture(board) or domain.format(board)
    return {**described, "text": text} if domain.instance else described


@boards.command(
    short_help="Generate boards.",
    examples=(
        "searchlab boards generate shuffled:n=3 --count 10 --seed 1",
        "searchlab boards generate walk:moves=30 --count 5 --output my-boards",
        "searchlab boards generate shuffled:n=3 --optimal 20..25 --count 10 --strata 2",
    ),
)
@click.argument("generator", metavar="GENERATOR")
@domain_option("the only one that the generator is made for", "topspin:n=8")
@goal_option
@click.option(
    "--count", type=click.IntRange(1, MOST_BOARDS), default=1, metavar="N", help="Number of boards (default 1)."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, metavar="N", help="Random seed of the first board (default 1)."
)
@click.option(
    "--optimal", metavar="A..B", help="Keep boards whose cheapest solution costs that much: 40..50, 40.. or 40."
)
@click.option("--h", "estimate", metavar="A..B", help="Keep boards for which the heuristic has these values.")
@click.option("--expanded", metavar="A..B", help="Keep boards for which the search expands that many nodes.")
@click.option(
    "--strata",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Keep equally many boards of each N-th part of the first range (default 1).",
)
@click.option(
    "--tries", type=click.IntRange(min=1), metavar="N", help="Boards to draw at most (default 1,000 for each wanted)."
)
@search_options
@limit_options
@click.option(
    "--output",
    type=OUTPUT_PATH,
    metavar="DIR",
    help="Write them to a new folder instead of standard output.",
)
@renderer_option
@json_option("the boards")
@common_options
@click.pass_obj
def generate(
    session: Session,
    generator: str,
    domain: str | None,
    goal: str | None,
    count: int,
    seed: int,
    optimal: str | None,
    estimate: str | None,
    expanded: str | None,
    strata: int,
    tries: int | None,
    heuristic: str | None,
    frontier: str | None,
    time_limit: float | None,
    memory_limit: int | None,
    max_expansions: int | None,
    output: Path | None,
    renderer: str | None,
    json: bool,
) -> int:
    """Generate boards; the same seeds give the same boards.

    GENERATOR is a name with parameters, like shuffled:n=3 or played:moves=50. The boards have the seeds N, N + 1 and so
    on. With --output they are written to a new folder, one file each, with a set.toml that names the game.

    With --optimal, --h or --expanded boards are drawn until enough are as difficult as wanted; the share of the drawn
    boards that were kept is said. --heuristic and --frontier measure them, by default the domain's own; the limits are
    those of a search, not of the generator, and a board whose search reaches one is not kept. Costs that are known are
    written into set.toml.

    Exit codes: 0 done, 2 a usage error, 3 fewer boards than wanted were found within --tries.
    """
    from searchlab.cli.drawing import drawer

    if output:
        from searchlab.board.files import check_new_set

        check_new_set(output)
    bound = _bound(session, generator, domain, goal)
    assert bound.domain is not None
    ranges = {"optimal": optimal, "h": estimate, "expanded": expanded}
    wanted = {name: text for name, text in ranges.items() if text is not None}
    drawn: list[DrawnBoard] = []
    if wanted:
        limits = limits_of(time_limit, memory_limit, max_expansions)
        drawn = _draw(bound, wanted, (heuristic, frontier), limits, session, (seed, count, strata, tries))
    elif heuristic or frontier or strata > 1 or tries or time_limit or memory_limit or max_expansions:
        raise UsageError(
            "--strata, --tries, limits, --heuristic and --frontier need a range: add --optimal, --h or --expanded"
        )
    colour = shows_colour(standard_output())
    draws = drawer(bound.domain, renderer, session.plugins, colour=colour)
    made = {each.seed: each.instance for each in drawn} if wanted else _made(bound, seed, count)
    figures = {each.seed: each.figures for each in drawn}
    titles = [_title(number, figures.get(number, {})) for number in made]
    if output and made:
        _write(output, made, bound, figures, wanted)
    elif json:
        listed = [
            {"seed": number, **figures.get(number, {}), **_described(bound.domain.of(instance), instance.start)}
            for number, instance in made.items()
        ]
        put(as_json(listed), end="")
    elif bound.domain.component.static:  # each is drawn with its own data
        for title, instance in zip(titles, made.values(), strict=True):
            draws = drawer(bound.domain.of(instance), renderer, session.plugins, colour=colour)
            for line in draws.titled([title], [instance.start]):
                put(line)
    else:
        for line in draws.titled(titles, [each.start for each in made.values()]):
            put(line)
    component = bound.domain.component
    if not output and not json and (component.static or component.views.picture):
        tell("these are pictures, which no command reads; --output DIR writes files that commands read")
    return LIMIT_REACHED if len(made) < count else 0


def _made(bound: BoundGenerator, seed: int, count: int) -> dict[int, Instance]:
    """Return the boards of seeds that begin with this one, by seed, and show how many are made."""
    from searchlab.cli.progress import generation_progress

    made: dict[int, Instance] = {}
    with generation_progress() as watch:
        for number in range(seed, seed + count):
            watch(len(made), count, f"waiting for generator {bound} with seed {number}")
            made[number] = bound.instance(number)
        watch(count, count, "")
    return made


def _title(seed: int, figures: Mapping[str, float]) -> str:
    """Return the line above a board: its seed, and the figures for which it was kept."""
    said = "".join(f", {name} {figure:,.10g}" for name, figure in figures.items())
    return f"# seed {seed}{said}"


def _draw(
    bound: BoundGenerator,
    wanted: Mapping[str, str],
    measured_by: tuple[str | None, str | None],
    limits: Limits,
    session: Session,
    how: tuple[int, int, int, int | None],
) -> list[DrawnBoard]:
    """Return boards of a wanted difficulty, and say how many were drawn for them.

    Args:
        bound: the generator.
        wanted: the texts of the ranges by measure.
        measured_by: the names of the heuristic and of the frontier, None for the domain's own.
        limits: those of each search.
        session: has the plugins.
        how: the first seed, the number of boards, the strata, and the most boards to draw.
    """
    from searchlab.cli.progress import evaluation_progress
    from searchlab.search.difficulty import Draw, Range
    from searchlab.search.searcher import Searcher

    assert bound.domain is not None
    seed, count, strata, tries = how
    heuristic, frontier = measured_by
    ranges = {}
    for name, text in wanted.items():
        try:
            ranges[name] = Range.parse(text)
        except UsageError as error:
            raise UsageError(f"--{name}: {error}") from None
    with (
        Searcher(domain=bound.domain, heuristic=heuristic, frontier=frontier, plugins=session.plugins) as searcher,
        evaluation_progress(piped=True) as show,
    ):
        draw = Draw(bound, searcher, ranges, count=count, strata=strata, limits=limits)

        def note(draw: Draw, now: str) -> None:
            show(lambda: f"{draw.kept:,} of {counted(count, 'board')}, {draw.tried:,} drawn; {now}")

        drawn = list(draw.boards(seed, tries or TRIES * count, note))
    share = f"{len(drawn) / draw.tried:.2%}"
    undecided = f", {draw.undecided:,} not decided within the limits" if draw.undecided else ""
    tell(f"{counted(len(drawn), 'board')} of {draw.tried:,} drawn kept ({share}){undecided}")
    if len(drawn) < count:
        tell(f"{count - len(drawn):,} fewer than wanted: try more --tries, or other parameters of the generator")
    return drawn


def _bound(session: Session, name: str, domain: str | None, goal: str | None) -> BoundGenerator:
    """Return the given generator, for the given domain or by default its own.

    Raises:
        UsageError: there is no such generator, or a domain must be given.
    """
    from searchlab.cli.arguments import DomainChoice
    from searchlab.plugins import lookup

    bound = lookup.generator(name, domain=DomainChoice(domain, goal, session.plugins).named(), plugins=session.plugins)
    if bound.domain is None:
        raise UsageError(f"generator {bound.name} makes boards of several games: name one with --domain")
    if domain is None and goal is not None:
        of_goal = lookup.domain(bound.domain, plugins=session.plugins, goal=goal)
        return lookup.generator(bound, domain=of_goal, plugins=session.plugins)
    return bound


def _write(
    folder: Path,
    made: dict[int, Instance],
    bound: BoundGenerator,
    figures: Mapping[int, Mapping[str, float]],
    wanted: Mapping[str, str],
) -> None:
    """Write boards into a folder, numbered from 1, with their optimal costs if these are among their figures."""
    from searchlab import __version__
    from searchlab.board.files import write_boards

    assert bound.domain is not None
    first, last = min(made), max(made)
    seeds = f"seed {first}" if first == last else f"seeds {first} to {last}"
    seeds += "".join(f", {name} {text}" for name, text in wanted.items())
    digits = len(str(len(made)))
    suffix = (*bound.domain.component.files.suffixes, ".txt")[0] if bound.domain.component.static else ".txt"
    texts = [_text_of(instance, bound) for instance in made.values()]
    numbered = {f"{number:0{digits}}{suffix}": text for number, text in enumerate(texts, 1)}
    source = f"searchlab {__version__}, generator {bound}, {seeds}"
    costs = {
        Path(file).stem: figures[number]["optimal"]
        for file, number in zip(numbered, made, strict=True)
        if "optimal" in figures.get(number, {})
    }
    write_boards(folder, numbered, domain=str(bound.domain), source=source, optimal=costs)
    put(f"{counted(len(made), 'board')} of {bound.domain} in {folder}: generator {bound}, {seeds}")


def _text_of(instance: Instance, bound: BoundGenerator) -> str:
    """Return the content of an instance's file.

    Raises:
        UsageError: the file could not hold its static data.
    """
    assert bound.domain is not None
    domain = bound.domain.of(instance)
    if not instance.static:
        return str(instance.start)
    what = f"generator {bound} makes instances with static data, which no file of {domain} keeps"
    if domain.component.files.parse is None or domain.component.files.format is None:
        raise UsageError(f"{what}: it lacks parse or format")
    text = domain.format(instance)
    try:
        digests = [each.digest for each in domain.parse(text)]
    except (OSError, ValueError) as error:
        raise UsageError(f"{what}: {message_of(error)}") from None
    if digests != [instance.digest]:
        raise UsageError(f"{what}: parse does not read the output of format back")
    return text
