"""`sl.view` and `sl.report`: pages for a notebook, a file or the browser."""

from __future__ import annotations

import tempfile
import warnings
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.board.board import Board
from searchlab.errors import PluginError, SearchlabWarning, UsageError, shown
from searchlab.experiments.replay import replay, replay_solution
from searchlab.files import write
from searchlab.model.games import Game, game_headline
from searchlab.model.instance import Instance
from searchlab.model.results import Result, search_headline
from searchlab.plugins import lookup
from searchlab.plugins.registry import given_or_installed
from searchlab.reports.page import Page
from searchlab.reports.recording import of_game, of_result
from searchlab.reports.traced_search import Trace
from searchlab.search.solve import problem, search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.binding.player import BoundPlayer
    from searchlab.model.domain import Domain
    from searchlab.model.limits import Limits
    from searchlab.model.strategies import Frontier, Heuristic, Player
    from searchlab.plugins.registry import Plugins
    from searchlab.reports.report import PlayerChoice
    from searchlab.search.problem import Problem

    Recorded = Trace | str | Path
    Viewed = Board | Instance | Result | Game | Mapping[str, Any] | pd.Series[Any]

TRACES = ".json"
"""How the files of traces end; every other name is that of a board."""


def view(
    what: Viewed | Recorded | tuple[Recorded, Recorded],
    output: str | Path | None = None,
    *,
    open: bool = False,  # noqa: A002  it is what the option is called
    advise: str | Player | BoundPlayer | None = None,
    threshold: float | None = None,
    domain: str | Domain | BoundDomain | None = None,
    heuristic: str | Heuristic | BoundHeuristic | Callable[..., float] | None = None,
    frontier: str | Frontier | BoundFrontier | Callable[..., float] | None = None,
    limits: Limits | None = None,
    plugins: Plugins | None = None,
) -> Page:
    """Return a page that shows a solution, a game or a search step by step.

    >>> import searchlab as sl
    >>> board = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
    >>> page = sl.view(sl.solve(board, domain="sliding-tile", engine="readable"))
    >>> page.html[:15]
    '<!DOCTYPE html>'

    Args:
        what: the subject of the page:

            - a board, an instance, or the name of either: it is solved first;
            - a result with a solution, or a game;
            - a row of `load_results`;
            - a trace: the return value of `sl.trace`, or the path FILE.trace.json that `searchlab solve --trace` wrote;
            - two traces of the same board, to be shown side by side.

        output: the file to write.
        open: whether to open the page in the browser; without `output` the page is a temporary file.
        advise: a player that judges every move of a game, by name or bound.
        threshold: the smallest loss for which a move of that game is marked.
        domain: the game, by name or bound; for a board as for `solve`. Needed for a result or a game only if its domain
            is not found by name.
        heuristic, frontier, limits: for a board, as for `solve`.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Returns:
        the page. `page.html` is its text, and a notebook shows it.

    Raises:
        UsageError: there is nothing to show, or an option does not apply to the subject.
        PluginError: a plugin failed while a board was solved.
        SearchlabError: replaying a row gives another outcome than recorded.
    """
    if advise is None and threshold is not None:
        raise UsageError("threshold needs a player that advises")
    if isinstance(what, Board | Instance) or (isinstance(what, str | Path) and Path(what).suffix != TRACES):
        if advise is not None:
            raise UsageError("advise is for a game that was played, and this is a board")
        posed = problem(what, domain=domain, heuristic=heuristic, frontier=frontier, plugins=plugins)
        html = _solution_page(search(posed, limits=limits), posed, _name_of(what))
        return _page(html, output, opens=open)
    for option, value in {"heuristic": heuristic, "frontier": frontier, "limits": limits}.items():
        if value is not None:
            raise UsageError(f"{option} is for a board, which is solved first")
    if isinstance(what, Trace | str | Path | tuple):
        if advise is not None:
            raise UsageError("advise is for a game, and this is a search trace")
        html = _trace_page(what)
    elif isinstance(what, Result):
        html = _result_page(what, advise, domain, plugins)
    elif isinstance(what, Game):
        html = _game_page(what, advise, threshold, domain, plugins)
    elif "player" in _columns(what):
        html = _game_page(replay(what, plugins=plugins), advise, threshold, domain, plugins)
    else:
        html = _result_page(replay_solution(what, plugins=plugins)[1], advise, domain, plugins)
    return _page(html, output, opens=open)


def report(
    results: str | Path | Sequence[str | Path],
    output: str | Path | None = None,
    *,
    open: bool = False,  # noqa: A002  it is what the option is called
    players: PlayerChoice = "first",
    plugins: Plugins | None = None,
) -> Page:
    """Return a report of experiments as one page, as `searchlab report` writes it.

    Args:
        results: the folder of an experiment, or several folders for one common report.
        output: the file to write.
        open: whether to open the page in the browser; without `output` the page is a temporary file.
        players: the runs that can be watched: "first" (the first solved run of each configuration, or the best and the
            worst game), "none", "all", or numbers of runs.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Raises:
        UsageError: there are no results, or a run to be watched has no moves.
    """
    from searchlab.reports.report import load_experiment, report_page

    paths = [results] if isinstance(results, str | Path) else list(results)
    if not paths:
        raise UsageError("a report is of one experiment or more: name their folders")
    if not isinstance(players, str) and len(paths) > 1:
        raise UsageError("players with numbers are for a single experiment: each has its own numbers")
    experiments = [load_experiment(path, given_or_installed(plugins), players) for path in dict.fromkeys(paths)]
    for experiment in experiments:
        for remark in experiment.remarks:
            warnings.warn(f"{experiment.name}: {remark}", SearchlabWarning, stacklevel=2)
    return _page(report_page(experiments), output, opens=open)


def _page(html: str, output: str | Path | None, *, opens: bool) -> Page:
    """Return a page; write and open it if wanted."""
    path = None if output is None else Path(output)
    if opens and path is None:
        with tempfile.NamedTemporaryFile(prefix="searchlab-", suffix=".html", delete=False) as file:
            path = Path(file.name)
    if path is not None:
        write(path, [html])
    if opens and path is not None and not webbrowser.open(path.resolve().as_uri()):
        warnings.warn(f"no browser was found to open {path}", SearchlabWarning, stacklevel=3)
    return Page(html, path)


def _name_of(board: object) -> str:
    return str(board) if isinstance(board, str | Path) else ""


def _solution_page(result: Result, posed: Problem, title: str) -> str:
    """Return the page of a search's solution.

    Raises:
        UsageError: there is no solution.
        PluginError: a plugin failed.
    """
    from searchlab.reports.viewer import viewer_page

    if result.status == "error":
        raise PluginError(result.reason)
    if result.actions is None:
        raise UsageError(f"there is no solution to show: {search_headline(result)}")
    recording = of_result(result, posed, title=title, headline=search_headline(result))
    return viewer_page(recording, recording.pictures(posed.domain) if recording.states else None)


def _columns(row: Any) -> set[str]:
    keys = getattr(row, "keys", None)
    if keys is None or not (columns := {str(name) for name in keys()}) & {"actions"}:
        raise UsageError(
            f"{shown(row, 60)} cannot be viewed: a board, a result, a game, a row of load_results or a trace can"
        )
    return columns


def _trace_page(what: Recorded | tuple[Recorded, Recorded]) -> str:
    from searchlab.reports.trace import read_trace
    from searchlab.reports.trace_page import trace_page, trace_pair_page

    given = what if isinstance(what, tuple) else (what,)
    if not 1 <= len(given) <= 2:
        raise UsageError("give one trace, or two to show side by side")
    traces = [each.content if isinstance(each, Trace) else read_trace(Path(each)) for each in given]
    facts = traces[0]["searchlab"]
    title = facts.get("name") or facts["domain"]
    return trace_page(traces[0], title=title) if len(traces) == 1 else trace_pair_page(*traces, title=title)


def _result_page(
    result: Result, advise: Any, domain: str | Domain | BoundDomain | None, plugins: Plugins | None
) -> str:
    from searchlab.reports.viewer import viewer_page

    if advise is not None:
        raise UsageError("advise is for a game, and this is the result of a search")
    if result.actions is None:
        raise UsageError(f"there is no solution to show: {search_headline(result)}")
    searched = None
    try:
        on = lookup.domain(domain or result.domain, plugins=plugins)
        searched = problem(
            result.start,
            domain=on.of(result.instance) if result.instance else on,
            heuristic=result.heuristic,
            frontier=result.frontier,
            plugins=plugins,
        )
    except UsageError as error:
        warnings.warn(f"{error}; nothing slides, and there are no curves", SearchlabWarning, stacklevel=3)
    recording = of_result(result, searched, headline=search_headline(result))
    return viewer_page(recording, recording.pictures(searched.domain if searched else None))


def _game_page(
    game: Game,
    advise: str | Player | BoundPlayer | None,
    threshold: float | None,
    domain: str | Domain | BoundDomain | None,
    plugins: Plugins | None,
) -> str:
    from searchlab.reports.analysis import analysis
    from searchlab.reports.viewer import viewer_page

    played = None
    try:
        played = lookup.domain(domain or game.domain, plugins=plugins)
        played = played.of(game.instance) if game.instance else played
    except UsageError as error:
        if advise is not None:
            raise
        warnings.warn(f"{error}; nothing slides", SearchlabWarning, stacklevel=3)
    judged = None
    if advise is not None:
        judged = analysis(game, lookup.player(advise, domain=played, plugins=plugins), threshold=threshold)
    recording = of_game(game, played, headline=game_headline(game))
    return viewer_page(recording, recording.pictures(played), analysis=judged)
