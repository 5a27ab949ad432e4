"""`searchlab view`: a solution, a game or a search as a page to look at, step by step."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from searchlab.cli.help import Command
from searchlab.cli.options import (
    INPUT_PATH,
    SECONDS,
    common_options,
    domain_options,
    limit_options,
    limits_of,
    page_options,
    renderer_option,
    run_option,
    search_options,
    where_option,
)
from searchlab.cli.output import check_output, chosen_form, page_written, put_wrapped, tell, tell_error, warn
from searchlab.cli.process import LIMIT_REACHED, held_to_limits, report_end
from searchlab.cli.progress import live_lines
from searchlab.cli.solve import EXIT_CODES, named_problem, search_and_show
from searchlab.cli.summary import SearchSummary
from searchlab.errors import PluginError, SearchlabError, UsageError, shown
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.session import Session
    from searchlab.model.games import Game
    from searchlab.model.limits import Limits
    from searchlab.model.results import Result
    from searchlab.plugins.registry import Plugins
    from searchlab.reports.analysis import Analysis
    from searchlab.reports.pictures import Pictures
    from searchlab.reports.recording import Recording
    from searchlab.search.problem import Problem

OF_A_SEARCH = (
    *("domain", "goal", "heuristic", "frontier", "time_limit", "memory_limit", "max_expansions"),
    *("search", "against", "trace_limit"),
)
"""The options that apply only if a board is solved first."""
OF_A_RUN = ("run", "conditions", "advise", "best", "worst", "renderer", "svg", "moves")
"""The options that make no sense for a trace, besides these."""
Kind = Literal["board", "trace", "experiment", "game", "script"]
"""The kinds of things to view."""
TRACE_SUFFIX, SCRIPT_SUFFIX = ".trace.json", ".script"
FILE_NAME = re.compile(r"[^\w.,=+-]+")


@click.command(
    cls=Command,
    examples=(
        "searchlab view sliding-tile/puzzle8-31 --open",
        "searchlab view sliding-tile/puzzle8-20 --search",
        "searchlab view results/tournament --best --advise expectimax",
    ),
)
@click.argument("what", type=INPUT_PATH, required=False, metavar="[BOARD|PATH|GAME.json|GAME.script|FILE.trace.json|-]")
@click.argument("other", required=False, metavar="[FILE.trace.json]")
@domain_options
@search_options
@limit_options
@run_option
@click.option("--search", is_flag=True, help="Show the search for a board step by step, instead of its solution.")
@click.option("--against", metavar="FRONTIER", help="With --search: show the search of another frontier beside it.")
@click.option(
    "--trace-limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of steps to show (default 20,000); after them the search goes on compiled.",
)
@where_option
@click.option("--advise", metavar="PLAYER", help="Analyse a game: this player's moves, and its value of every move.")
@click.option("--time-per-move", type=SECONDS, help="Short for the parameter seconds of the player that advises.")
@click.option(
    "--threshold",
    type=click.FloatRange(min=0),
    metavar="LOSS",
    help="With --advise: mark moves that lose this much or more (default: a tenth of the range of the values).",
)
@click.option("--best", is_flag=True, help="The game with the largest score, or the cheapest solution.")
@click.option("--worst", is_flag=True, help="The game with the smallest score, or the most expensive solution.")
@renderer_option
@click.option("--svg", is_flag=True, help="Write a strip of boards as SVG, for documents.")
@click.option("--moves", metavar="FIRST-LAST", help="Moves in the strip: 5-12, 40- (default: moves at both ends).")
@page_options("the name of the board or experiment")
@common_options
@click.pass_context
def view(
    context: click.Context,
    what: str | None,
    other: str | None,
    domain: str | None,
    goal: str | None,
    heuristic: str | None,
    frontier: str | None,
    time_limit: float | None,
    memory_limit: int | None,
    max_expansions: int | None,
    run: str | None,
    search: bool,
    against: str | None,
    trace_limit: int | None,
    conditions: tuple[str, ...],
    advise: str | None,
    time_per_move: float | None,
    threshold: float | None,
    best: bool,
    worst: bool,
    renderer: str | None,
    svg: bool,
    moves: str | None,
    output: Path | None,
    opens: bool,
) -> int:
    """Write a page that shows a solution, a game or a search.

    BOARD is a board as for searchlab solve, and is solved first. PATH is the folder of an experiment; --run or --where
    selects the run. GAME.json is a game written by searchlab play --json, GAME.script a game recorded by searchlab play
    --browser or --log. The page is one self-contained file that needs no network: tiles slide, and the graph of h and
    f, or of the score, is below the board.

    With --search the page shows the search itself, step by step: the node to expand next, its successors, the open list
    and the tree; --against adds the search of another frontier beside it.

    FILE.trace.json is a search written by searchlab solve --trace, which the same page shows. Two traces of one board
    are shown side by side, expansion by expansion.

    With --advise PLAYER the page of a game shows the value of every move at each turn, the best move beside the move
    played, the costly mistakes, and the graph of the estimate. If PLAYER chooses without values, the page shows its
    choice beside the move played.

    Exit codes: 0 the file is written; for a board without a solution as for searchlab solve.
    """
    _check_options(context)
    kind = _kind_of(what)
    if kind == "trace":
        assert what is not None
        return _view_traces(context, what, other, output, opens=opens)
    if kind == "board" and search:
        return _view_search(context, _path(what, output), opens=opens)
    viewed = _solved(context) if kind == "board" else _recorded(context, kind)
    if isinstance(viewed, int):
        return viewed
    plugins = context.obj.plugins
    analysis = None if advise is None else _analysis(context, viewed)
    if _is_svg(svg, output):
        path = _path(what, output, ".svg", run=viewed.run)
        _write_strip(viewed.recording, path, moves, _pictures(None, viewed, plugins))
    else:
        path = _path(what, output, run=viewed.run)
        _write_page(viewed.recording, path, _pictures(renderer, viewed, plugins), analysis)
    put_wrapped(viewed.recording.headline)
    if analysis:
        put_wrapped(analysis.headline)
    page_written(path, opens=opens)
    return 0


class Viewed(NamedTuple):
    """The content of a page or of a strip of boards.

    Attributes:
        recording: the boards and moves.
        domain: the domain.
        game: the game, None for a solution.
        run: the number of the run in its experiment, None without an experiment.
    """

    recording: Recording
    domain: BoundDomain
    game: Game | None
    run: int | None = None


def _check_options(context: click.Context) -> None:
    """Raise a UsageError for options that contradict each other or the thing to view."""
    given = context.params
    what, other, advise = given["what"], given["other"], given["advise"]
    which = chosen_form(best=given["best"], worst=given["worst"])
    check_output(given["output"])
    svg = _is_svg(given["svg"], given["output"])
    if given["moves"] is not None and not svg:
        raise UsageError("--moves is for --svg: a page has all moves")
    if svg and given["renderer"]:
        raise UsageError("--svg draws tiles: a --renderer draws text")
    if not given["search"]:
        for option, value in (("--against", given["against"]), ("--trace-limit", given["trace_limit"])):
            if value is not None:
                raise UsageError(f"{option} is for --search")
    if svg and advise:
        raise UsageError("--advise cannot be combined with --svg: it needs a page")
    _check_needs_adviser(advise, time_per_move=given["time_per_move"], threshold=given["threshold"])
    if other is not None and not (str(what).endswith(TRACE_SUFFIX) and other.endswith(TRACE_SUFFIX)):
        odd = what if other.endswith(TRACE_SUFFIX) else other
        raise UsageError(f"only two traces are viewed side by side, and {odd} is no FILE{TRACE_SUFFIX}")
    kind = _kind_of(what)
    if kind == "trace":
        return
    if kind == "board":
        it_is = f"{what or 'the start'} is a board"
        if advise is not None:
            raise UsageError(f"--advise is for a game that was played, and {it_is}")
        if given["search"] and (svg or given["renderer"]):
            raise UsageError(f"--search draws boards its own way: {'--svg' if svg else '--renderer'} is for a solution")
    else:
        it_is = f"{what} is {'an experiment' if kind == 'experiment' else 'a game'}"
        _check_none_given(context, it_is, allowed=("domain", "goal") if kind == "script" else ())
    if kind != "experiment":
        _check_no_choice(given["run"], given["conditions"], which, it_is)


def _kind_of(what: str | None) -> Kind:
    """Return the kind of thing to view."""
    if what is None:
        return "board"
    if what.endswith(TRACE_SUFFIX):
        return "trace"
    if is_experiment(what):
        return "experiment"
    if is_game_file(what):
        return "game"
    return "script" if what.endswith(SCRIPT_SUFFIX) else "board"


def _is_svg(svg: bool, output: Path | None) -> bool:
    return svg or (output is not None and output.suffix.lower() == ".svg")


def _path(what: str | None, output: Path | None, suffix: str = ".html", run: int | None = None) -> Path:
    """Return the file to write, checked to be writable.

    Args:
        run: the number of the run to show, which keeps its page apart from the report of its experiment.
    """
    path = output or Path(f"{stem(what)}{'' if run is None else f'-run{run}'}{suffix}")
    check_output(path)
    return path


def is_experiment(what: str) -> bool:
    """Return whether a path is that of an experiment's results."""
    from searchlab.experiments.store import FILE

    path = Path(what)
    return (path / FILE).exists() if path.is_dir() else path.name == FILE


def is_game_file(what: str) -> bool:
    """Return whether a path is that of a file with JSON, as `searchlab play --json` writes a game."""
    path = Path(what)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(64).lstrip().startswith(b"{")
    except OSError:
        return False  # whoever reads it says what is wrong


def _check_none_given(context: click.Context, what: str, *, allowed: Sequence[str] = ()) -> None:
    """Raise a UsageError for options that apply only if a board is solved."""
    if context.params["advise"] is not None:
        allowed = (*allowed, "memory_limit")
    for name in OF_A_SEARCH:
        if name not in allowed and not (context.params[name] is None or context.params[name] is False):
            raise UsageError(f"--{name.replace('_', '-')} is for a board, and {what}")


def _check_no_choice(run: str | None, conditions: Sequence[str], which: str, what: str) -> None:
    """Raise a UsageError for options that select a run of an experiment."""
    if run is not None or conditions or which:
        option = f"--{which}" if which else "--where" if conditions else "--run"
        raise UsageError(f"{option} chooses a run of an experiment, and {what}")


def _limits(context: click.Context) -> Limits:
    given = context.params
    return limits_of(given["time_limit"], given["memory_limit"], given["max_expansions"])


def _solved(context: click.Context) -> Viewed | int:
    """Solve a board; without a solution return the exit code."""
    from searchlab.reports.recording import of_result

    limits = _limits(context)
    problem, title, known = _named_search(context)
    report_unsolved = partial(_report_unsolved, limits=limits)
    result = search_and_show(problem, limits, "auto", None, report_unsolved)
    if result.actions is None:
        return report_unsolved(result)
    summary = SearchSummary(result, problem, limits, None, known)
    summary.warn_of_optimum()
    recording = of_result(result, problem, title=title, headline=summary.headline, command=_command(context))
    return Viewed(recording, problem.domain, None)


def _named_search(context: click.Context) -> tuple[Problem, str, float | None]:
    """Return the problem given by the arguments, the title of the page, and the optimal cost if known."""
    from searchlab.cli.arguments import DomainChoice, read_named_board, report_guess

    given = context.params
    choice = DomainChoice(given["domain"], given["goal"], context.obj.plugins)
    named = None if given["what"] is None else read_named_board(given["what"], choice)
    problem = named_problem(choice, named, given["heuristic"], given["frontier"])
    if named and choice.is_guess(named):
        report_guess(problem.domain)
    return problem, named.name if named else str(problem.domain), choice.known_optimum(named) if named else None


def _with_frontier(problem: Problem, frontier: str, plugins: Plugins) -> Problem:
    from searchlab.plugins import lookup

    return replace(problem, frontier=lookup.frontier(frontier, plugins=plugins))


def _view_search(context: click.Context, path: Path, *, opens: bool) -> int:
    """Search, and write the page of the search, or of two; return the exit code of the first."""
    from searchlab.files import write
    from searchlab.reports.trace import EVENTS, TraceRecorder
    from searchlab.reports.trace_page import trace_page, trace_pair_page

    problem, title, known = _named_search(context)
    against, most_events, limits = context.params["against"], context.params["trace_limit"], _limits(context)
    problems = [problem, *([_with_frontier(problem, against, context.obj.plugins)] if against else [])]
    recorders = [TraceRecorder(problem, EVENTS if most_events is None else most_events) for problem in problems]
    report_unsolved = partial(_report_unsolved, limits=limits)
    codes, traces = [], []
    for problem, recorder in zip(problems, recorders, strict=True):
        result = search_and_show(problem, limits, "readable", 1, report_unsolved, recorder)
        if not recorder.events:
            return report_unsolved(result)
        if result.status == "error":
            tell_error(result.reason.splitlines()[0])
        which = f"{one_line(str(problem.frontier))}: " if len(problems) > 1 else ""
        summary = SearchSummary(result, problem, limits, None, known)
        summary.warn_of_optimum()
        put_wrapped(which + summary.headline)
        if recorder.is_full:
            tell(f"{which}shown are the first {len(recorder.events) - 1:,} steps (--trace-limit); the search went on")
        codes.append(EXIT_CODES.get(result.status, LIMIT_REACHED))
        traces.append(recorder.trace(result, title))
    page = trace_page(traces[0], title=title) if len(traces) == 1 else trace_pair_page(*traces, title=title)
    write(path, [page])
    page_written(path, opens=opens)
    return codes[0]


def _report_unsolved(result: Result, limits: Limits) -> int:
    """Print the outcome of a search without a solution; return the exit code."""
    if result.status == "error":
        tell_error(result.reason.splitlines()[0])
    tell(f"{SearchSummary(result, None, limits, None).headline}; there is nothing to be shown")
    return EXIT_CODES.get(result.status, LIMIT_REACHED)


def _recorded(context: click.Context, kind: Kind) -> Viewed:
    """Return the recording of an experiment's run, a script, or a game file."""
    given, plugins = context.params, context.obj.plugins
    what, command = given["what"], _command(context)
    if kind == "experiment":
        which = chosen_form(best=given["best"], worst=given["worst"])
        return _of_experiment(what, given["run"], given["conditions"], which, plugins, command)
    if kind == "script":
        return _of_script(Path(what), given["domain"], given["goal"], plugins, command)
    return _of_game_file(Path(what), plugins, command)


def _of_experiment(
    path: str, run: str | None, conditions: Sequence[str], which: str, plugins: Plugins, command: str
) -> Viewed:
    """Return the solution or the game of one run of an experiment."""
    from searchlab.cli.arguments import results_at
    from searchlab.experiments.filters import numbered_run, parse_condition, run_with_moves
    from searchlab.experiments.replay import recorded_domain, replay
    from searchlab.experiments.runs import GAMES, run_kind_of
    from searchlab.experiments.tables import every_run
    from searchlab.model.games import game_headline
    from searchlab.reports.recording import of_game, of_run

    results = results_at(path) if run is None else numbered_run(every_run(path), run, f"{path}: ")
    are_games = run_kind_of(results) is GAMES
    row = run_with_moves(results, path, [parse_condition(text) for text in conditions], which)
    if not are_games:
        return Viewed(of_run(row, plugins, command=command), recorded_domain(row, plugins), None, int(row["run"]))
    game = replay(row, plugins=plugins)
    domain = recorded_domain(row, plugins)
    recording = of_game(game, domain, headline=game_headline(game), command=command)
    return Viewed(recording, domain, game, int(row["run"]))


def _of_game_file(path: Path, plugins: Plugins, command: str) -> Viewed:
    """Return a game that `searchlab play --json` has written."""
    from searchlab.experiments.components import seeded_domain
    from searchlab.experiments.replay import replay_record
    from searchlab.files import read_text
    from searchlab.model.games import game_headline
    from searchlab.reports.recording import of_game

    try:
        game = replay_record(read_text(path), plugins=plugins)
    except UnicodeDecodeError:
        raise UsageError(f"{path}: it is not in UTF-8") from None
    except PluginError:
        raise
    except SearchlabError as error:
        raise type(error)(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None
    domain = seeded_domain(game.domain, game.seed, plugins.for_data(str(path)))
    domain = domain.of(game.instance) if game.instance else domain
    return Viewed(of_game(game, domain, headline=game_headline(game), command=command), domain, game)


def _of_script(path: Path, domain: str | None, goal: str | None, plugins: Plugins, command: str) -> Viewed:
    """Return the last game of a script."""
    from searchlab.cli.arguments import DomainChoice
    from searchlab.cli.game_record import last_game, recorded_game, with_recorded_data
    from searchlab.model.games import game_headline
    from searchlab.reports.recording import of_game

    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    recorded, start, seed = recorded_game(path, None)
    plugins = plugins if domain else plugins.for_data(str(path))
    of = with_recorded_data(DomainChoice(domain or recorded, goal, plugins, played=True).without_board(), path)
    game = last_game(path, of, start, seed or 0)
    return Viewed(of_game(game, of, title=path.stem, headline=game_headline(game), command=command), of, game)


def _check_needs_adviser(advise: str | None, **given: float | None) -> None:
    for name, value in given.items():
        if value is not None and advise is None:
            raise UsageError(f"--{name.replace('_', '-')} needs --advise PLAYER")


def _analysis(context: click.Context, viewed: Viewed) -> Analysis:
    """Let a player judge a game, and show the progress.

    Raises:
        UsageError: the thing to view is not a game, or there is no such player.
    """
    from searchlab.cli.arguments import named_player
    from searchlab.reports.analysis import analysis

    given, game = context.params, viewed.game
    if game is None:
        raise UsageError(f"--advise is for a game, and the runs of {given['what']} are searches")
    player = named_player(viewed.domain, given["advise"], given["time_per_move"], context.obj.plugins)
    total = max(1, game.moves)
    with held_to_limits(given["memory_limit"], report_end), live_lines() as show:

        def progress(judged: int) -> None:
            show(judged / total, [f"{judged:,} of {game.moves:,} moves judged by {one_line(str(player))}"])

        return analysis(game, player, threshold=given["threshold"], progress=progress)


def _pictures(renderer: str | None, viewed: Viewed, plugins: Plugins) -> Pictures | None:
    """Return the pictures that draw boards, None for tiles."""
    from searchlab.reports import pictures

    if renderer is None:
        return viewed.recording.pictures(viewed.domain)
    from searchlab.plugins import lookup

    bound = lookup.renderer(renderer, domain=viewed.domain, plugins=plugins)
    return pictures.Pictures(lambda board, path: click.unstyle(bound(board)))


def _write_strip(recording: Recording, path: Path, moves: str | None, pictures: Pictures | None) -> None:
    from searchlab.files import write
    from searchlab.reports.board_svg import strip_svg

    between = _boards_of(moves, len(recording.actions)) if moves is not None else None
    title = f"{recording.title}: {recording.headline}"
    write(path, [strip_svg(recording.boards, recording.actions, between=between, title=title, pictures=pictures)])


def _boards_of(moves: str, count: int) -> tuple[int, int]:
    """Return the numbers of the boards before the first and after the last of some moves: (4, 12) for 5-12."""
    asked = re.fullmatch(r"(\d{1,9})(-)?(\d{1,9})?", moves)
    if asked is None:
        raise UsageError(f"--moves is FIRST-LAST like 5-12, a number, or 40-, not {shown(moves)}")
    first = int(asked[1])
    last = int(asked[3] or (count if asked[2] else first))
    if not 1 <= first <= last <= count:
        raise UsageError(f"--moves {moves}: there are moves 1 to {count:,}")
    return first - 1, last


def _write_page(recording: Recording, path: Path, pictures: Pictures | None, analysis: Analysis | None) -> None:
    from searchlab.files import write
    from searchlab.reports.viewer import viewer_page

    try:
        page = viewer_page(recording, pictures, analysis)
    except PluginError as error:
        warn(f"{error}; boards are drawn without it")
        page = viewer_page(recording, analysis=analysis)
    write(path, [page])


def _view_traces(context: click.Context, trace: str, other: str | None, output: Path | None, *, opens: bool) -> int:
    """Write the page of a trace, or of two."""
    from searchlab.files import write
    from searchlab.reports.trace import read_trace
    from searchlab.reports.trace_page import trace_page, trace_pair_page

    for name in (*OF_A_SEARCH, *OF_A_RUN):
        if context.params[name] not in (None, False, ()):
            raise UsageError(f"--{'where' if name == 'conditions' else name.replace('_', '-')} is not for a trace")
    path = output or Path(f"{stem(trace)}{f'-{stem(other)}' if other else ''}.html")
    check_output(path)
    content = read_trace(Path(trace))
    title = content["searchlab"].get("name") or content["searchlab"]["domain"]
    if other is None:
        write(path, [trace_page(content, title=title)])
    else:
        write(path, [trace_pair_page(content, read_trace(Path(other)), title=title)])
    page_written(path, opens=opens)
    return 0


def stem(what: str | None) -> str:
    """Return the name of the file, without its suffix."""
    if what in (None, "-"):
        return "board"
    assert what is not None
    path = Path(what).resolve()
    name = path.name.removesuffix(TRACE_SUFFIX)
    name = path.stem if Path(name).suffix in (".txt", ".sqlite", ".board", ".json", SCRIPT_SUFFIX) else name
    return FILE_NAME.sub("_", path.parent.name if name == "results" and path.suffix else name) or "view"


def _command(context: click.Context) -> str:
    """Return the command line without the options for the place of the page."""
    session: Session = context.obj
    plugins = [word for file in session.files for word in ("--plugin", file)]
    words = ["searchlab", "view", *filter(None, [context.params["what"]]), *plugins]
    for name in (
        *OF_A_SEARCH,
        "run",
        "conditions",
        "advise",
        "time_per_move",
        "threshold",
        "best",
        "worst",
        "renderer",
    ):
        value = context.params[name]
        option = f"--{'where' if name == 'conditions' else name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif isinstance(value, tuple):
            words += [word for each in value for word in (option, each)]
        elif value is not None and value is not False:
            words += [option, _typed(name, value)]
    return shlex.join(words)


def _typed(name: str, value: object) -> str:
    """Return an option's value as typed on the command line."""
    is_time = name in ("time_limit", "time_per_move")
    return f"{format(value, '.15f').rstrip('0').rstrip('.')}s" if is_time and isinstance(value, float) else str(value)
