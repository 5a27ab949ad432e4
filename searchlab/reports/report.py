"""A report: experiments as one HTML page, which needs no network and shows the essentials without JavaScript.

Everything that can be is computed here: the axes of plots, the configurations and cases of runs, the appearance of
tiles, the motions of players. The page's script only selects, sorts and places.
"""

from __future__ import annotations

import base64
import json
import shlex
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from markupsafe import Markup

from searchlab.binding.names import parse_name
from searchlab.errors import SearchlabError, UsageError
from searchlab.errors.control_characters import one_line
from searchlab.experiments.aggregates import REACHED
from searchlab.experiments.columns import dtypes
from searchlab.experiments.comparison import NEEDED, Comparer, NothingPaired, interval_text, p_text, ratio_text
from searchlab.experiments.loading import CERTIFIED
from searchlab.experiments.machine import different_machines
from searchlab.experiments.optima import contradicted_optima
from searchlab.experiments.page import Table, TextColumn
from searchlab.experiments.quantities import EFFORT_STATUSES, quantity, values_of, with_place
from searchlab.experiments.quantities import METRICS as OF_PLUGINS
from searchlab.experiments.requests import undated
from searchlab.experiments.runs import GAMES, RUN_KINDS, run_kind_of
from searchlab.experiments.scheduler import SPECIFICATION
from searchlab.experiments.specification import Experiment
from searchlab.experiments.standings import standings_of
from searchlab.experiments.tuning_outcome import percent, percents
from searchlab.model.formatting import counted
from searchlab.reports import chart_kinds
from searchlab.reports.chart import linear_axis
from searchlab.reports.chart_table import chart_table
from searchlab.reports.columnar import column_data, packed
from searchlab.reports.learning_charts import CURVE, gains_chart, learning_chart, load_curve, training_charts
from searchlab.reports.pictures import picture_data
from searchlab.reports.svg import DASHES, stylesheet, svg

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    import pandas as pd

    from searchlab.binding.domain import BoundDomain
    from searchlab.experiments.comparison import Comparison
    from searchlab.experiments.filters import RunFilter
    from searchlab.experiments.pivot import Pivot
    from searchlab.experiments.tuning_outcome import Tuning
    from searchlab.model.report_section import ReportSection
    from searchlab.plugins.registry import Plugins
    from searchlab.reports.chart import Chart
    from searchlab.reports.pictures import Pictures
    from searchlab.reports.recording import Recording

PlayerChoice = Literal["first", "none", "all"] | tuple[int, ...]
"""Which runs can be watched: the first solved of each configuration, of games the best and the worst; or numbers."""

EXPERIMENT = "experiment"
"""The column with the names of experiments in a table of several."""
MOST_ROWS = 2000
"""Runs that the page shows without JavaScript."""
LONGEST_REASON = 200
"""Longer reasons are cut in that table; the failures have them whole."""
MOST_COMPARED = 6
"""All pairs of up to 6 configurations are shown; more configurations are each compared with a base chosen on the page.
"""
MOST_BASES = 12
"""Of more configurations each is compared with the first only: a pair takes about a tenth of a second."""
MOST_BARS = 40
"""Of more configurations plots and comparisons show the first."""
MOST_PIVOTED = 100
"""Boards in the tables of boards and configurations; of more, the first ones are summed up."""
MOST_IN_SCRIPT = 5000
"""Runs that the page's script has; of more, those of the first boards, as each takes about 60 bytes."""
OF_LISTED = (
    *("identity", "actions", "solutions", "final", "worker", "load", "clock", "cpu_seconds", "evaluated", "reopened"),
    *("duplicates", "stored", "max_open", "peak_bytes", "expanded_backward", "met_at", "met_cost", "lower_bound"),
    *("bound", "bound_by", "ended_by"),
)
"""Columns without a part in charts and tables over all runs; they are read of the listed runs and of watched ones."""
LONG = (*OF_LISTED, "finished", "host", "machine", "versions")
"""Columns without a part in charts and tables over all runs; copies of the others are made in less time."""
MOST_PLAYERS = 20
MOST_IMAGES = 200
"""Different boards of which a page has the image."""
FEWEST_DOTS = 300
"""The number of points from which a plot is drawn as one path without tooltips."""
NETWORK = ".npz"
"""The end of the name of a network's file."""
LEFT_OUT = ("run", "identity", "actions")
"""Columns that are not shown among the others: the run, which comes first, and long ones of no use to a reader."""
METRICS = {
    False: ("expanded", "seconds", "generated", "evaluated", "stored", "peak_bytes", "cpu_seconds", "cost"),
    True: ("score", "moves", "largest_tile", "seconds", "moves_per_second"),
}
"""The quantities that may be plotted, of searches and of games; the metrics of plugins come after them."""
FIGURES = {False: ("expanded", "seconds", "cost"), True: ("score", "largest_tile", "moves", "seconds")}
"""The columns of runs that are shown first, after those that identify the run and its outcome."""


@dataclass(frozen=True)
class Picture:
    """A chart on the page, and the table behind it.

    Attributes:
        drawing: the SVG element.
        table: the data in numbers.
        remark: the reason why there is no drawing, `""` if there is one.
    """

    drawing: Markup
    table: Table | None
    remark: str = ""


@dataclass(frozen=True)
class Section:
    """A section of the page from a plugin.

    Attributes:
        title, paragraphs, description: as text.
        table: the table, or None.
        picture: the image as a data URL, or `""`.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    table: Table | None = None
    picture: str = ""
    description: str = ""


@dataclass(frozen=True)
class RecordedRun:
    """The recording of a run.

    Attributes:
        run: the number of the run.
        recording: the solution or the game.
        pictures: draws the boards, None for tiles.
    """

    run: int
    recording: Recording
    pictures: Pictures | None = None


@dataclass(frozen=True)
class ReportedExperiment:
    """An experiment of a report.

    Attributes:
        name: the name.
        path: the path of the results, as given.
        table: the runs, as `load_results` returns them; columns of texts may have categories, and those of `OF_LISTED`
            may be missing.
        facts: when, where and how it was done, as (name, value).
        specification: the experiment as JSON, or `""` if unknown.
        players: the runs that can be watched.
        remarks: remarks for the reader, one line each.
        sections: published figures of the boards, and sections from plugins.
        courses: the learning curves of networks that play the games, or of the training itself, if it is one: names and
            curves, as `load_curve` returns them.
        tuning: the outcome of a tuning, if it is one.
        listed: the runs that the page's script has, with all columns; None if they are not read apart from the table.
        images: the image of the start board of each of these, or None, if the domain has images.
    """

    name: str
    path: str
    table: pd.DataFrame
    facts: tuple[tuple[str, str], ...] = ()
    specification: str = ""
    players: tuple[RecordedRun, ...] = ()
    remarks: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    courses: tuple[tuple[str, pd.DataFrame], ...] = ()
    tuning: Tuning | None = None
    listed: pd.DataFrame | None = None
    images: tuple[str | None, ...] = ()

    @property
    def are_games(self) -> bool:
        """Whether the runs are games."""
        return run_kind_of(self.table) is GAMES


def load_experiment(
    path: str | Path, plugins: Plugins, players: PlayerChoice, *, all_versions: bool = False
) -> ReportedExperiment:
    """Return an experiment, or a training, with everything that a report shows.

    Args:
        path: the folder of an experiment, the results file in it, or the folder of a training.
        plugins: the plugins that games are looked up in.
        players: the runs that can be watched.
        all_versions: see `searchlab.load_results`.

    Raises:
        UsageError: there are no results, they cannot be read, or a run to be watched has no moves.
    """
    from searchlab.experiments.loading import LEFT_OUT, read_results
    from searchlab.experiments.store import FILE, RECORD, Store
    from searchlab.experiments.tables import load_results

    if Path(path, CURVE).is_file() and not Path(path, FILE).exists():
        return _load_training(path)
    of_all = {column.name for kind in RUN_KINDS for column in kind.columns}.difference(OF_LISTED)
    runs = _in_order(read_results(path, (), {*of_all, OF_PLUGINS, RECORD}, all_versions=all_versions, texts="category"))
    table = runs.drop(columns=RECORD)
    listed = _with_all_columns(path, runs.loc[_listed(table).index])
    left_out = [table.attrs[LEFT_OUT]] if table.attrs[LEFT_OUT] else []
    with Store(path) as store:
        specification = store.specification()
    told = _told(specification)
    folder = Path(path).resolve()
    folder = folder if folder.is_dir() else folder.parent
    found, remarks = _recordings(path, runs, plugins, players) if len(table) else ((), [])
    sections, faults = _sections(lambda: _in_order(load_results(path, all_versions=all_versions)), plugins)
    published, wrong = _published(table, plugins)
    tuning, untold = _tuning(specification, folder, plugins) if told.get("tune") and len(table) else (None, [])
    return ReportedExperiment(
        name=str(told.get("name") or folder.name),
        path=str(path),
        table=table,
        facts=tuple(_facts(table, str(path), told)),
        specification=specification,
        players=found,
        remarks=(
            *left_out,
            *remarks,
            *wrong,
            *untold,
            *faults,
            *contradicted_optima(table),
            *different_machines(table),
        ),
        sections=(*published, *sections),
        courses=tuple(_courses(table)),
        tuning=tuning,
        listed=listed,
        images=tuple(_images(listed, plugins)) if len(table) else (),
    )


def _in_order(runs: pd.DataFrame) -> pd.DataFrame:
    return runs.sort_values("run", kind="stable", ignore_index=True)


def _with_all_columns(path: str | Path, runs: pd.DataFrame) -> pd.DataFrame:
    """Return some runs of an experiment with all columns, of which the missing ones are read."""
    import pandas as pd

    from searchlab.experiments.loading import ResultBlocks

    found = pd.concat(ResultBlocks(path, runs).blocks()).set_axis(runs.index)
    found.attrs = runs.attrs
    return found


def _tuning(specification: str, folder: Path, plugins: Plugins) -> tuple[Tuning | None, list[str]]:
    """Return the outcome of a tuning, and a line if it cannot be computed or is not complete."""
    from searchlab.experiments.tuning import recorded_tuning

    try:
        found = recorded_tuning(Experiment.from_json(specification), folder, plugins)
    except SearchlabError as error:
        return None, [f"no section shows the tuning: {error}"]
    missing = "the tuning is not complete: runs are missing, or their plugins have changed; searchlab tune does them"
    return (found, []) if found.best else (found if found.tries else None, [missing])


def _load_training(path: str | Path) -> ReportedExperiment:
    """Return the report of a folder that `searchlab train` writes.

    Raises:
        UsageError: the learning curve cannot be read.
    """
    import pandas as pd

    from searchlab.experiments.loading import column_types

    curve, name = load_curve(path), Path(path).resolve().name
    facts = [("training", str(path))]
    if len(curve):
        last = curve.iloc[-1]
        games = counted(int(last["games"]), "game")
        facts += [
            ("learned from", f"{games} in {last['cpu_seconds']:,.4g} s of processor time"),
            ("mean score", f"{last['mean_score']:,.0f} of the last games, the best {curve['best_score'].max():,.0f}"),
        ]
    no_games = pd.DataFrame({column: pd.Series(dtype=dtype) for column, dtype in column_types(GAMES).items()})
    return ReportedExperiment(name, str(path), no_games, tuple(facts), courses=((name, curve),))


def _courses(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the learning curves of the networks that play, named after their players."""
    if not _are_games(table):
        return
    for player in table["player"].dropna().astype(str).unique():
        with suppress(UsageError):  # no name of ours, no network, or no curve beside it
            file = next(_networks(player), None)
            if file is not None:
                yield player, load_curve(Path(file).parent / CURVE)


def _networks(name: str) -> Iterator[str]:
    """Yield the network files among the parameters of a name, including nested names."""
    for value in parse_name(undated(name)).parameters.values():
        if "=" in value:
            yield from _networks(value)
        elif value.endswith(NETWORK):
            yield value


def _sections(results: Callable[[], pd.DataFrame], plugins: Plugins) -> tuple[list[Section], list[str]]:
    """Return the sections that plugins add, and a line for each that fails; for the arguments see `report_sections`."""
    from searchlab.plugins.loading import contained

    found, faults = [], []
    for plugin, sections, wrong in plugins.report_sections(results):
        try:
            with contained(plugin.file, "searchlab_report_sections failed: "):  # what is in a table may be a plugin's
                found += [_section(section) for section in sections]
        except UsageError as error:
            wrong = str(error)
        if wrong:
            faults.append(f"plugin {plugin}: {wrong}")
    return found, faults


def _published(table: pd.DataFrame, plugins: Plugins) -> tuple[list[Section], list[str]]:
    """Return a section with published figures of the boards beside those here, and a line about a faulty file."""
    from searchlab.experiments.published import compare_published

    if run_kind_of(table) is GAMES or table.empty:
        return [], []
    try:
        found = compare_published(table, plugins)
    except UsageError as error:
        return [], [str(error)]
    if found.table.empty:
        return [], []
    shown = Table.of(found.table[found.shown_columns()], found.notes(found.shown_columns()))
    return [Section("Published figures", table=shown)], []


def _section(section: ReportSection) -> Section:
    picture = ""
    if section.picture:
        is_png = isinstance(section.picture, bytes)
        content = section.picture if isinstance(section.picture, bytes) else section.picture.encode(errors="replace")
        kind = "png" if is_png else "svg+xml"
        picture = f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
    table = section.table
    cut = table is not None and len(table) > MOST_ROWS
    notes = [f"the first {MOST_ROWS:,} of {len(table):,} rows"] if table is not None and cut else []
    return Section(
        one_line(section.title),
        tuple(one_line(paragraph) for paragraph in section.text.split("\n\n") if paragraph.strip()),
        None if table is None else Table.of(table.head(MOST_ROWS), notes),
        picture,
        one_line(section.description),
    )


def _told(specification: str) -> dict[str, Any]:
    """Return a specification as plain values; an empty one if it cannot be read."""
    try:
        told = json.loads(specification or "{}")
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _facts(table: pd.DataFrame, path: str, told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield when, where and how runs were done, and how to do them again."""
    if told.get("description"):
        yield "about", str(told["description"])
    yield "results", path
    if len(table):
        first, last = table["finished"].min(), table["finished"].max()
        yield "done", _period(first, last)
        hours = table["seconds"].sum()
        yield "time of all runs", f"{hours:,.3g} s" if hours < 120 else f"{hours / 60:,.3g} min"
        hosts = table[["host", "machine"]].drop_duplicates().astype("string").fillna("").itertuples(index=False)
        yield "machine", _some([f"{host}, {machine}".strip(", ") for host, machine in hosts])
        for name in ("versions", "plugins"):
            known = list(dict.fromkeys(map(_without_values, table[name].dropna().unique())))
            if known:
                yield name, _some(known, 1)
    specification = (Path(path) if Path(path).is_dir() else Path(path).parent) / SPECIFICATION
    if specification.is_file():
        plugins = "".join(f"--plugin {shlex.quote(file)} " for file in _plugin_files(table, told))
        command = "tune" if told.get("tune") else "run"
        yield "to repeat it", f"searchlab {plugins}{command} {shlex.quote(str(specification))} --output FOLDER"


def _without_values(plugins: str) -> str:
    """Return the fingerprints of plugins without the fingerprints of values on import."""
    return " ".join(word for word in plugins.split() if ":" not in word.partition("=")[0])


def _plugin_files(table: pd.DataFrame, told: Mapping[str, Any]) -> list[str]:
    """Return the plugin files of runs that are neither installed nor named in the specification."""
    known = " ".join(table["plugins"].dropna().unique()).split()
    files = dict.fromkeys(f"{name}.py" for name, equals, _ in (part.partition("=") for part in known) if equals)
    return [file for file in files if "/" not in file and ":" not in file and file not in str(told)]


def _period(first: pd.Timestamp, last: pd.Timestamp) -> str:
    begin, end = f"{first:%Y-%m-%d %H:%M}", f"{last:%H:%M}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M}"
    return f"{begin} UTC" if begin.endswith(end) else f"{begin} to {end} UTC"


def _recordings(
    path: str | Path, runs: pd.DataFrame, plugins: Plugins, players: PlayerChoice
) -> tuple[tuple[RecordedRun, ...], list[str]]:
    """Return the recordings of the runs that are to be watched, and a line for each reason why others cannot be.

    Args:
        path: of the results.
        runs: with `RECORD`.
        plugins, players: as for `load_experiment`.
    """
    from searchlab.experiments.store import RECORD, Store

    if players == "none":
        return (), []
    with Store(path) as store:
        recorded = runs[RECORD].isin(store.records_with("actions"))
    watched = _with_all_columns(path, runs.iloc[_watched(runs, recorded, players)])
    found: list[RecordedRun] = []
    failed: dict[str, list[str]] = {}
    for place in range(len(watched)):
        row = watched.iloc[place]
        try:
            recording, domain = _recording(row, plugins)
            found.append(RecordedRun(int(row["run"]), recording, recording.pictures(domain)))
        except SearchlabError as error:
            failed.setdefault(str(error).partition("\n")[0], []).append(str(row["run"]))
    return tuple(found), [_unwatched(runs, reason) for reason, runs in failed.items()]


def _unwatched(runs: Sequence[str], reason: str) -> str:
    """Return a line that says which runs cannot be watched, and why."""
    if len(runs) == 1:
        return f"run {runs[0]} cannot be watched: {reason}"
    others = f" and {len(runs) - 3} more" if len(runs) > 3 else ""
    return f"runs {', '.join(runs[:3])}{others} cannot be watched: {reason}"


def _watched(table: pd.DataFrame, recorded: pd.Series[bool], players: PlayerChoice) -> list[int]:
    """Return the places of the runs that are to be watched, given which runs have moves.

    Raises:
        UsageError: there is no such run, or it has no moves.
    """
    if players == "all":
        return [place for place, has in enumerate(recorded) if has]
    if players == "first":
        return _first_watched(table, recorded)
    assert players != "none"
    place_of = {int(number): place for place, number in enumerate(table["run"])}
    for number in players:
        if number not in place_of:
            raise UsageError(f"--players: there is no run {number}; there are {len(table):,}")
        place = place_of[number]
        if not recorded.iloc[place]:
            raise UsageError(f"--players: run {number} has no moves to be shown ({table['status'].iloc[place]})")
    return [place_of[number] for number in dict.fromkeys(players)]


def _first_watched(table: pd.DataFrame, recorded: pd.Series[bool]) -> list[int]:
    """Return the positions of the first solved run of each configuration, or of the best and the worst game."""
    places = {index: place for place, index in enumerate(table.index)}
    if _are_games(table):
        known = table["score"][recorded].dropna().astype(float)
        return sorted({int(places[end]) for end in (known.idxmax(), known.idxmin())}) if len(known) else []
    columns = chart_kinds.configuration_columns(table, None)
    solved = table[recorded & (table["status"] == "solved")].sort_values("run", kind="stable")
    if solved.empty:
        return []
    return [int(places[runs.index[0]]) for _, runs in chart_kinds.configurations(solved, columns)][:MOST_PLAYERS]


def _recording(row: pd.Series[Any], plugins: Plugins) -> tuple[Recording, BoundDomain]:
    from searchlab.experiments.replay import recorded_domain, replay
    from searchlab.reports.recording import of_game, of_run

    domain = recorded_domain(row, plugins)
    if "player" not in row.index:
        return of_run(row, plugins), domain
    return of_game(replay(row, plugins=plugins), domain), domain


def _images(table: pd.DataFrame, plugins: Plugins) -> Iterator[str | None]:
    """Yield the image of each run's start board; None if the game has no images, or if there are too many."""
    import numpy as np

    from searchlab.experiments.replay import recorded_start
    from searchlab.plugins import lookup

    def has_images(name: str) -> bool:
        with suppress(SearchlabError):
            return lookup.domain(name, plugins=plugins.for_data("a recorded run")).component.views.svg is not None
        return False

    with_images = {name: has_images(name) for name in map(str, table["domain"].dropna().unique())}
    images: dict[int, str | None] = {}
    starts = table.groupby(["domain", "board_name", "board"], dropna=False, observed=True, sort=False).ngroup()
    for start, place in zip(*np.unique(starts, return_index=True), strict=True):
        if len(images) == MOST_IMAGES:
            break
        if with_images.get(str(table["domain"].iloc[place])):
            with suppress(SearchlabError):  # the run cannot be watched either, which is said once
                domain, board = recorded_start(table.iloc[place], plugins)
                images[start] = None if board is None else domain.svg(board)
    yield from map(images.get, starts.tolist())


def report_page(experiments: Sequence[ReportedExperiment]) -> str:
    """Return a report of experiments as an HTML page."""
    from searchlab.reports.viewer import page_template

    parts = [_part(number, experiment) for number, experiment in enumerate(experiments)]
    title = ", ".join(one_line(experiment.name) for experiment in experiments)
    runs = sum(len(experiment.table) for experiment in experiments)
    headline = f"{runs:,} runs" if len(parts) > 1 else parts[0]["headline"]
    return page_template("report.html").render(
        title=title,
        headline=headline,
        parts=parts,
        several=len(parts) > 1,
        together=_together(experiments),
        chart_style=Markup(stylesheet("page")),
    )


def _together(experiments: Sequence[ReportedExperiment]) -> list[tuple[str, Table]]:
    """Return coverage and means of the configurations of all experiments, for each kind of runs that several have."""
    import pandas as pd

    tables = []
    names = Counter(experiment.name for experiment in experiments)
    for title, are_games in (("Searches", False), ("Games", True)):
        compared = [each for each in experiments if not each.tuning]  # tries differ in their boards
        alike = [each for each in compared if each.are_games is are_games and len(each.table)]
        if len(alike) < 2:
            continue
        named = [
            each.table.assign(**{EXPERIMENT: one_line(each.name if names[each.name] == 1 else each.path)})
            for each in alike
        ]
        runs = pd.concat(named, ignore_index=True)  # whose categories differ
        texts = (name for name, type_ in dtypes(run_kind_of(runs).columns).items() if type_ == "string")
        runs = runs.astype({name: "string" for name in texts if name in runs})
        overview = _overview(runs, [EXPERIMENT, *chart_kinds.configuration_columns(runs, None)])
        if overview is not None:
            tables.append((title, overview))
    return tables


def _part(number: int, experiment: ReportedExperiment) -> dict[str, Any]:
    """Return an experiment in the form that the template takes."""
    table = experiment.table.drop(columns=[name for name in LONG if name in experiment.table])
    columns = chart_kinds.configuration_columns(table, None) if len(table) else []
    filters = chart_kinds.run_filters(table, columns) if len(table) else []
    few = _of_first(table, columns, filters)
    listed = _listed(experiment.table) if experiment.listed is None else experiment.listed
    compares = len(filters) > 1 and not experiment.tuning  # tries differ in their boards
    part: dict[str, Any] = {
        "number": number,
        "name": one_line(experiment.name),
        "headline": headline(experiment),
        "are_games": experiment.are_games,
        "facts": [(name, one_line(value)) for name, value in experiment.facts],
        "specification": experiment.specification,
        "remarks": [*map(one_line, experiment.remarks), *_remark_on_many(filters), *_remark_on_listed(listed, table)],
        "overview": None if experiment.tuning else _overview(table, columns),
        "pictures": [_picture(draw, few) for draw in _overview_charts(table, are_games=experiment.are_games)]
        if len(table) and not experiment.tuning
        else [],
        "tuning": _tuning_section(experiment.tuning) if experiment.tuning else None,
        "standings": _standings(experiment.table)
        if experiment.are_games and len(table) and not experiment.tuning
        else None,
        "learning": [_drawn(chart) for chart in _learning_charts(experiment.courses)],
        "pivots": _pivots(few, columns) if compares else [],
        "comparison": _comparison(table, filters) if compares else None,
        "plots": _plots(few, filters) if len(table) and not experiment.tuning else [],
        "failures": _failures(experiment, columns),
        "runs": _static_runs(table, columns) if len(table) or not experiment.courses else None,
        "data": _data(experiment, listed, columns, filters) if len(table) else "",
        "sections": experiment.sections,
        "players": [_player(player) for player in experiment.players],
    }
    titles = {
        "overview": "Overview",
        "tuning": "Tuning",
        "standings": "Standings",
        "learning": "Learning",
        "pivots": "Games" if experiment.are_games else "Boards",
        "comparison": "Comparison",
        "plots": "Plots",
        "failures": "Failures",
    }
    titles |= {"runs": "Runs", "players": "Games to watch" if experiment.are_games else "Solutions to watch"}
    titles |= {"sections": "More"}
    part["contents"] = [(title, name) for name, title in titles.items() if part[name] or name == "overview"]
    return part


def _of_first(table: pd.DataFrame, columns: Sequence[str], filters: Sequence[RunFilter]) -> pd.DataFrame:
    """Return the runs of the configurations in plots: all, or the first of very many."""
    if len(filters) <= MOST_BARS:
        return table
    import pandas as pd

    return pd.concat([runs for _, runs in chart_kinds.configurations(table, columns)[:MOST_BARS]])


def _listed(table: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that the page's script has: all, or of very many those of the first boards."""
    if len(table) <= MOST_IN_SCRIPT:
        return table
    place = table[_unit(table)].factorize(use_na_sentinel=False)[0]
    last = table.groupby(place, sort=True).size().cumsum().searchsorted(MOST_IN_SCRIPT, side="right")
    return table[(place < last) if last else place == 0].head(MOST_IN_SCRIPT)


def _unit(table: pd.DataFrame) -> str:
    """Return the column by which runs are counted: boards, or seeds of a single board."""
    return "board_name" if table["board_name"].nunique() > 1 else "seed"


def _remark_on_listed(listed: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    if len(listed) == len(table):
        return []
    name = _unit(table)
    few, all_ = (runs[name].nunique(dropna=False) for runs in (listed, table))
    noun = counted(few, "board" if name == "board_name" else "seed")
    what = f"the table of runs, and plots that are drawn for another choice, have the {counted(len(listed), 'run')}"
    return [f"{what} of the first {noun} (of {all_:,}); everything else is over all {len(table):,} runs"]


def _remark_on_many(filters: Sequence[RunFilter]) -> list[str]:
    if len(filters) <= MOST_BARS:
        return []
    return [f"of {len(filters):,} configurations the plots and the comparison show the first {MOST_BARS}"]


def headline(experiment: ReportedExperiment) -> str:
    """Return a line about the outcome of an experiment's runs, or about the games of a training."""
    table = experiment.table
    if table.empty and experiment.courses:
        ((_, curve),) = experiment.courses
        return f"learned from {counted(int(curve['games'].max()), 'game')}" if len(curve) else "nothing was learned yet"
    counts = table["status"].astype(str).value_counts()
    endings = sorted(counts.items(), key=lambda pair: _rank(str(pair[0])))
    listed = " · ".join(f"{status} {count:,}" for status, count in endings)
    return f"{counted(len(table), 'run')}: {listed}" if len(table) else "no runs yet"


def _rank(status: str) -> int:
    return chart_kinds.ENDINGS.index(status) if status in chart_kinds.ENDINGS else len(chart_kinds.ENDINGS)


def _overview(table: pd.DataFrame, columns: Sequence[str]) -> Table | None:
    """Return coverage and means of each configuration."""
    from searchlab.experiments.aggregates import aggregate

    if table.empty:
        return None
    found = aggregate(table, columns)
    shown = [name for name in found.shown_columns() if not name.endswith("_median")]
    notes = found.notes(shown)
    if "par2" in shown:
        notes.append("par2: mean seconds, where a run without a solution counts twice its time limit")
    return Table.of(found.table[shown], notes)


def _overview_charts(table: pd.DataFrame, *, are_games: bool) -> list[Callable[[pd.DataFrame], Chart]]:
    if are_games:
        return [chart_kinds.scores, chart_kinds.reached]
    return [chart_kinds.coverage, chart_kinds.bars] if table["status"].nunique() > 1 else [chart_kinds.bars]


def _learning_charts(courses: Sequence[tuple[str, pd.DataFrame]]) -> list[Chart]:
    """Return the curves of one training, or the mean scores of several in one chart."""
    known = [(name, curve) for name, curve in courses if len(curve)]
    if len(known) == 1:
        ((name, curve),) = known
        columns = {str(column): curve[column].tolist() for column in curve.columns}
        return training_charts(columns, f"how {name} was learned")
    scores = [(name, curve["games"].tolist(), curve["mean_score"].tolist()) for name, curve in known]
    return [learning_chart("mean_score", scores)] if scores else []


def _plots(table: pd.DataFrame, filters: Sequence[RunFilter]) -> list[dict[str, Any]]:
    """Return the plots in their initial state; the page's script redraws them for other choices."""
    plots = []
    if not _are_games(table):
        plots.append({"kind": "cactus", "metric": "seconds", **_plot(chart_kinds.cactus, table)})
    if len(filters) > 1:
        draw = lambda runs: chart_kinds.scatter(runs, filters[0], filters[1])  # noqa: E731 - a partial has other types
        metric = "score" if _are_games(table) else "expanded"
        plots.append({"kind": "scatter", "metric": metric, **_plot(draw, table)})
    return plots


def _are_games(table: pd.DataFrame) -> bool:
    return run_kind_of(table) is GAMES


def _plot(draw: Callable[[pd.DataFrame], Chart], table: pd.DataFrame) -> dict[str, Any]:
    return {"picture": _picture(draw, table)}


def _picture(draw: Callable[[pd.DataFrame], Chart], table: pd.DataFrame) -> Picture:
    """Return the drawn chart of a table, or the reason why there is nothing to draw."""
    try:
        chart = draw(table)
    except UsageError as error:
        return Picture(Markup(), None, str(error))
    return _drawn(chart)


def _drawn(chart: Chart) -> Picture:
    head, rows = chart_table(chart)
    series = [replace(each, titles=()) if len(each.x) > FEWEST_DOTS else each for each in chart.series]
    drawing = svg(replace(chart, series=tuple(series)), styled=False, most_points=FEWEST_DOTS)
    return Picture(Markup(drawing), _table(list(map(one_line, head)), rows, {0}))


def _tuning_section(tuning: Tuning) -> dict[str, Any]:
    """Return the outcome of a tuning: its tries, and the best of them beside the default on both sets of boards."""
    facts = [("tries", tuning.headline), *tuning.names]
    if judged := tuning.validation:
        interval = f"; 95 % interval {percents(judged.interval)}" if judged.interval else ""
        facts.append(("gain", f"{percent(judged.gain)} on the validation {tuning.unit}s{interval}"))
    return {
        "facts": facts,
        "figures": tuning.figures(),
        "gains": _drawn(gains_chart(tuning)) if tuning.tries else None,
        "tries": tuning.table(),
    }


def _standings(table: pd.DataFrame) -> dict[str, Any]:
    """Return the standings of players, and the share of games that reached each tile."""
    found = standings_of(table)
    rates = [name for name in map(str, found.table.columns) if name.startswith(REACHED)]
    ranked = Table.of(found.table.drop(columns=rates), found.notes())
    return {"table": ranked, "reached": Table.of(found.table[["player", *rates]]) if rates else None}


def _pivots(table: pd.DataFrame, columns: Sequence[str]) -> list[tuple[str, Table]]:
    """Return a table of boards and configurations for each of the most important figures."""
    from searchlab.experiments.pivot import pivot

    few, remark = _of_first_boards(table)
    figures = [name for name in FIGURES[_are_games(table)] if few[name].notna().any()]
    return [(name, _pivot_table(pivot(few, columns, name), remark)) for name in figures]


def _of_first_boards(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the runs of the first boards or seeds if there are very many, and a line about the omission."""
    name = _unit(table)
    places = table[name].dropna().unique()
    if len(places) <= MOST_PIVOTED:
        return table, []
    noun = "boards" if name == "board_name" else "seeds"
    return table[table[name].isin(places[:MOST_PIVOTED])], [f"the first {MOST_PIVOTED:,} of {len(places):,} {noun}"]


def _pivot_table(whole: Pivot, remark: Sequence[str]) -> Table:
    part = whole.head(MOST_PIVOTED)
    cut = len(part.table) < len(whole.table)
    first = f"the first {len(part.table):,} of {len(whole.table):,} rows; searchlab results --pivot has all"
    table = part.shown()
    return replace(table, notes=[*([first] if cut else []), *remark, *table.notes])


def _table(
    head: Sequence[str], rows: Sequence[Sequence[str]], texts: Collection[int], groups: Sequence[int] = ()
) -> Table:
    """Return texts as a table.

    Args:
        head: the headings.
        rows: the cells.
        texts: the places of the columns of text, the others hold numbers.
        groups: see `Table`.
    """
    cells = [[one_line(row[place]) for row in rows] for place in range(len(head))]
    return Table([TextColumn(name, cells[n], is_text=n in texts) for n, name in enumerate(head)], groups=groups)


def _comparison(table: pd.DataFrame, filters: Sequence[RunFilter]) -> dict[str, Any]:
    """Return pairwise comparisons, a table a measure: of few configurations all pairs, else each with a base."""
    listed = filters[:MOST_BARS]
    pairs = list(combinations(listed, 2)) if len(listed) <= MOST_BASES else [(listed[0], b) for b in listed[1:]]
    found, remarks = [], []
    apart: dict[str, list[str]] = {}
    comparer = Comparer(table[[name for name in table.columns if name in NEEDED]])
    for a, b in pairs:
        try:
            found.append(comparer.compare(a, b))
        except NothingPaired as error:
            apart.setdefault(error.why, []).append(str(error))
        except UsageError as error:
            remarks.append(f"{a.name} and {b.name}: {error}")
    for why, errors in apart.items():
        several = f"{len(errors)} of {len(pairs)} pairs of configurations are not compared"
        remarks.append(errors[0] if len(errors) == 1 else f"{several}: {why}" if why else several)
    are_games = _are_games(table)
    over = "all pairs of games" if are_games else "the pairs that both solved"
    notes = [f"A / B: geometric mean over {over}, below 1 where A has less; intervals by Student's t on logarithms"]
    bases = [each.name for each in listed] if MOST_COMPARED < len(listed) <= MOST_BASES else []
    if len(found) > 1:
        with_one = f", with the {len(bases) - 1} of one base {0.05 / (len(bases) - 1):.2g}" if bases else ""
        notes.append(
            f"p values are two-sided and uncorrected: with {len(found)} comparisons use {0.05 / len(found):.2g} "
            f"in place of 0.05{with_one}"
        )
    if len(listed) > MOST_BASES:
        notes.append("each configuration is compared with the first; `searchlab compare A B` compares any two")
    notes += [
        one_line(f"{each.a} and {each.b}, {measure.name}: {measure.spread_remark}")
        for each in found
        for measure in each.measures
        if measure.spread_remark
    ]
    names = [measure.name for measure in found[0].measures] if found else []
    tables = [(name, _measure_table(found, place, bases)) for place, name in enumerate(names)]
    return {"tables": tables, "remarks": [*remarks, *notes], "bases": list(map(one_line, bases))}


def _measure_table(found: Sequence[Comparison], place: int, bases: Sequence[str]) -> Table:
    """Return all comparisons by one measure; several bases form groups."""
    of_games = found[0].coverage is None
    solved = () if of_games else ("both", "only A", "only B")
    head = ("A", "B", "pairs", *solved, "A less", "B less", "A / B", "95 %\ninterval", "sign\ntest, p", "Wilcoxon,\np")
    if not bases:
        return _table(head, [_measure_row(each, place) for each in found], {0, 1})
    rows, groups = [], []
    for number, base in enumerate(bases):
        for each in found:
            if base in (each.a, each.b):
                rows.append(_measure_row(each, place, is_turned=each.a != base))
                groups.append(number)
    return _table(head, rows, {0, 1}, groups)


def _measure_row(each: Comparison, place: int, *, is_turned: bool = False) -> tuple[str, ...]:
    measure, sides = each.measures[place], ("a", "b")
    if is_turned:
        interval = measure.interval and (1 / measure.interval[1], 1 / measure.interval[0])
        ratio = measure.ratio and 1 / measure.ratio
        measure, sides = replace(measure, ratio=ratio, interval=interval, smaller=measure.smaller[::-1]), sides[::-1]
    counts = [] if each.coverage is None else [f"{each.solved_by(who):,}" for who in ("both", *sides)]
    smaller = [f"{number:,}" for number in measure.smaller]
    measured = [ratio_text(measure.ratio), interval_text(measure), p_text(measure.sign), p_text(measure.wilcoxon)]
    names = [getattr(each, side) for side in sides]
    return (*names, f"{len(each.table):,}", *counts, *smaller, *measured)


def _failures(experiment: ReportedExperiment, columns: Sequence[str]) -> Table | None:
    """Return each distinct failure of runs, with its count, its places, and the command that lists the runs."""
    table = experiment.table
    good = ("goal", "dead") if experiment.are_games else EFFORT_STATUSES
    failed = table[~table["status"].astype(str).isin(good)]
    if failed.empty:
        return None
    status = failed["status"].astype(str)
    groups = failed.groupby([status, failed["reason"]], dropna=False, observed=True, sort=False)
    rows = []
    for (ending, reason), runs in sorted(groups, key=_worst_first):
        said = one_line(reason) if isinstance(reason, str) else ""
        names = [name for name, _ in chart_kinds.configurations(runs, columns)]
        command = f"searchlab results {shlex.quote(experiment.path)} --where status={ending}"
        if said:
            command += f" --where {shlex.quote('reason~' + said[:40])}"
        rows.append((str(ending), f"{len(runs):,}", said, _some(names), _some(_boards(runs)), one_line(command)))
    head = ("status", "runs", "reason", "configurations", "boards", "the command that lists them")
    return _table(head, rows, {0, 2, 3, 4, 5})


def _worst_first(group: tuple[Any, pd.DataFrame]) -> tuple[int, int]:
    (status, _), runs = group
    return -_rank(str(status)), -len(runs)


def _boards(runs: pd.DataFrame) -> list[str]:
    names = runs["board_name"].dropna().astype(str).unique().tolist()
    return names or [f"seed {seed}" for seed in runs["seed"].dropna().unique().tolist()]


def _some(names: Sequence[str], most: int = 3) -> str:
    listed = ", ".join(map(one_line, names[:most]))
    return f"{listed} and {len(names) - most:,} more" if len(names) > most else listed


def _shown_columns(table: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    games = _are_games(table)
    which = ["board_name"] if table["board_name"].notna().any() else []
    which += [name for name in ("domain", "seed", "repetition") if table[name].nunique(dropna=False) > 1]
    ended = ["status", *(["reason"] if table["reason"].notna().any() else [])]
    certified = [CERTIFIED] if CERTIFIED in table else []
    return [*which, *columns, *ended, *certified, *FIGURES[games]]


def _static_runs(table: pd.DataFrame, columns: Sequence[str]) -> Table:
    """Return the first runs, for the page without its script."""
    if table.empty:
        return Table()
    first = table.head(MOST_ROWS)
    notes = (f"the first {MOST_ROWS:,} of {len(table):,} runs",) if len(table) > MOST_ROWS else ()
    static = first[["run", *_shown_columns(table, columns)]]
    if "reason" in static:
        reasons = static["reason"].astype("string")
        is_long = reasons.str.len() > LONGEST_REASON
        static = static.assign(reason=reasons.mask(is_long, reasons.str.slice(0, LONGEST_REASON - 1) + "…"))
    return Table.of(static, notes)


def _data(
    experiment: ReportedExperiment, table: pd.DataFrame, columns: Sequence[str], filters: Sequence[RunFilter]
) -> str:
    """Return some runs of an experiment for the page's script, with everything it needs to draw them."""
    import pandas as pd

    place_of = {name: place for place, name in enumerate(each.name for each in filters)}
    places = pd.Series(0, index=table.index, name="configuration")
    for name, runs in chart_kinds.configurations(table, columns):
        places[runs.index] = place_of[name]
    cases = chart_kinds.case_numbers(table, columns).rename("case")
    most = int(places.value_counts().max())
    content = {
        "rows": len(table),
        "games": experiment.are_games,
        "columns": [
            column_data(table["run"]),
            *(column_data(table[name]) for name in table.columns if name not in LEFT_OUT),
        ],
        "shown": ["run", *_shown_columns(table, columns)],
        "configurations": [one_line(each.name) for each in filters],
        "configuration": column_data(places),
        "case": column_data(cases),
        "metrics": [_metric(table, name) for name in _metrics(table)],
        "counts": asdict(linear_axis([0, most], "runs solved", whole=True)),
        "dashes": DASHES,
        "boards": {**_boards_drawn(table), **_images_drawn(experiment.images)},
        "path": shlex.quote(experiment.path),
    }
    return packed(content)


def _metrics(table: pd.DataFrame) -> list[str]:
    """Return the columns that can be plotted."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    known = {column.name for column in run_kind_of(table).columns}
    of_plugins = [
        str(name)
        for name in table.columns
        if name not in known and is_numeric_dtype(table[name].dtype) and not is_bool_dtype(table[name].dtype)
    ]
    return [name for name in (*METRICS[_are_games(table)], *of_plugins) if table[name].notna().any()]


def _metric(table: pd.DataFrame, name: str) -> dict[str, Any]:
    """Return a quantity with an axis that has a position for all runs, so that the script need not compute one."""
    what = quantity(name, table)
    values = with_place(values_of(table, what), what)
    axis = chart_kinds.axis_of(what, values)(
        [*values, None], what.label, unit=what.unit, rail=chart_kinds.rail_label(table, what)
    )
    assert axis.rail is not None
    is_log = axis.scale == "log"
    rules = chart_kinds.diagonals(axis.low, axis.rail.begin, is_log=is_log)
    plain = chart_kinds.axis_of(what, values)(values, what.label, unit=what.unit)
    statuses = None if _are_games(table) else list(EFFORT_STATUSES if what.effort else ("solved",))
    return {
        "name": name,
        "label": what.label,
        "better": what.better,
        "comparative": what.comparative,
        "smallest": what.smallest if is_log else None,
        "statuses": statuses,
        "axis": asdict(axis),
        "rules": [asdict(rule) for rule in rules],
        "plain": asdict(plain),
    }


def _boards_drawn(table: pd.DataFrame) -> dict[str, Any]:
    """Return the data for drawing boards that are recorded as text: geometry by shape, appearance of tiles."""
    from searchlab.reports.board_svg import Geometry, Palette, face

    texts = {
        str(text) for name in ("board", "final") if name in table.columns for text in table[name].dropna().unique()
    }
    tiles: set[int] = set()
    shapes: set[tuple[int, int]] = set()
    for text in texts:
        with suppress(ValueError):  # a large board is named by its hash
            rows = [[int(tile) for tile in row.split()] for row in text.split(" / ")]
            shapes.add((len(rows), len(rows[0])))
            tiles.update(tile for row in rows for tile in row)
    largest = max(tiles, default=0)
    lowest = min(0, min(tiles, default=0))
    palette = Palette(largest, all(tile != 1 and not tile & (tile - 1) for tile in tiles), lowest)
    geometries = {shape: Geometry(shape) for shape in sorted(shapes)}
    return {
        "shapes": {
            f"{rows} {columns}": {
                "width": each.width,
                "height": each.height,
                "places": each.places,
                "cells": each.cells,
            }
            for (rows, columns), each in geometries.items()
        },
        "faces": {str(tile): face(tile, palette) for tile in sorted(tiles) if tile},
    }


def _images_drawn(images: Sequence[str | None]) -> dict[str, Any]:
    """Return images for the script: the distinct images, and the number of each run's image."""
    numbers = {image: number for number, image in enumerate(dict.fromkeys(filter(None, images)))}
    if not numbers:
        return {}
    return {**picture_data(list(numbers), are_images=True), "imageOf": [numbers.get(image or "") for image in images]}


def _player(player: RecordedRun) -> dict[str, Any]:
    """Return a player in the form that the template takes."""
    from searchlab.reports.board_svg import Palette
    from searchlab.reports.viewer import curves_charts, recording_data

    recording = player.recording
    return {
        "run": player.run,
        "title": one_line(recording.title),
        "headline": one_line(recording.headline),
        "configuration": "/".join(one_line(value) for name, value in recording.facts if name in chart_kinds.NAMED),
        "end": len(recording.steps),
        "charts": curves_charts(recording.curves, len(recording.steps) + 1),
        "data": packed(recording_data(recording, Palette.of(recording.boards), player.pictures)),
    }
