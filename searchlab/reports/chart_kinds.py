"""The kinds of charts of results: each is a function from a table of runs to a `Chart`.

| kind | shows |
| --- | --- |
| `scatter` | one configuration against another, a point per pair of runs |
| `cactus` | how many runs were solved within a given amount of a quantity (also called a quantile plot) |
| `anytime` | how good the best solution is over time or expansions, as a mean over the runs |
| `profile` | performance profiles: the share of cases within a factor of the best (Dolan and Moré 2002) |
| `coverage` | how the runs of each configuration ended |
| `bars` | means over the cases that all configurations solved |
| `heatmap` | boards × configurations |
| `scaling` | a quantity over a parameter, or over another column |
| `learning` | the learning curves of trainings |
| `scores` | the distributions of games |
| `reached` | the share of games that reached each tile |

The table comes from `searchlab.load_results`, `searchlab.run` or `searchlab.table`. A *configuration* is the set of
runs that agree in the columns `group_by`, by default those of heuristic, frontier and player that differ between runs.
A *case* is everything else that a run depends on, such as the board; runs of different configurations are compared case
by case.

The value of an unsolved run is unknown, however long the run took: it is drawn on a rail or counted, and never omitted
silently. Searches that proved that there is no solution have an effort but no cost; they count neither as solved nor in
means over solved cases.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import wraps
from math import ceil, exp, isfinite, log, log10
from typing import TYPE_CHECKING, Any, ParamSpec

from searchlab.errors import UsageError, did_you_mean
from searchlab.experiments.aggregates import boards_of, differ_in_having_seeds
from searchlab.experiments.cells import MISSING, figure, is_missing
from searchlab.experiments.columns import LIMITS
from searchlab.experiments.comparison import several_runs
from searchlab.experiments.filters import RunFilter, run_filter
from searchlab.experiments.quantities import (
    LARGEST,
    SAYS_WHICH,
    Quantity,
    mean_of,
    quantity,
    rounded_log,
    suited_to,
    values_of,
    with_place,
)
from searchlab.experiments.tables import solutions_of
from searchlab.model.formatting import counted
from searchlab.reports.chart import (
    Axis,
    Box,
    Cell,
    Chart,
    ColourScale,
    ReferenceLine,
    Series,
    Tick,
    category_axis,
    linear_axis,
    log_axis,
    short_names,
    tick_label,
    with_short_names,
)
from searchlab.reports.learning_charts import learning_chart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

P = ParamSpec("P")
NAMED = ("heuristic", "frontier", "player")
"""The columns that configurations are told apart by."""
AXES = ("board", "domain", *NAMED, "seed", "repetition", *LIMITS)
"""The columns in which the runs of an experiment differ by intention."""
UNSOLVED = "unsolved"
ENDINGS = (
    *("solved", "unsolvable", "goal", "dead", "exhausted", "time-limit", "memory-limit", "expansion-limit"),
    *("move-limit", "interrupted", "error"),
)
"""How runs end, the best first: the order of the parts of a bar."""
SHORT = {"time-limit": "time limit", "memory-limit": "memory", "expansion-limit": "limit", "move-limit": "limit"}
"""Short names of the statuses."""
FACTORS = (10.0, 100.0)
PARAMETER = re.compile(r"(?:^|[:,\[])([A-Za-z_][A-Za-z0-9_-]*)=(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=$|[,\]])")
"""A parameter with a number in the spelling of a name: `weighted-astar:weight=1.5`."""
WIDE = 50.0
"""From this ratio of the largest to the smallest value on, bars from zero show nothing of the small ones."""
FEWEST_IN_DETAIL = 400
"""Distributions of more values are drawn without their points."""


def _with_short_names(make: Callable[P, Chart]) -> Callable[P, Chart]:
    @wraps(make)
    def made(*args: P.args, **named: P.kwargs) -> Chart:
        return with_short_names(make(*args, **named))

    return made


@_with_short_names
def scatter(
    table: pd.DataFrame,
    x: str | RunFilter | None = None,
    y: str | RunFilter | None = None,
    *,
    metric: str | None = None,
) -> Chart:
    """Return a chart of one configuration against another: a point per pair of runs, unsolved ones on the rails.

    Args:
        x, y: the configurations, as `searchlab compare` takes them (`taxicab`, `astar`, `taxicab/astar`, `greedy`,
            `COLUMN=value,…`), or as `run_filters` returns them; or two columns of numbers, for a point per run. By
            default the only two configurations there are.
        metric: the column to compare; by default `expanded`, or `score` for games.

    Raises:
        UsageError: there is no such configuration or column, or nothing to compare.
    """
    if isinstance(x, str) and isinstance(y, str) and x in table.columns and y in table.columns:
        return _scatter_of_columns(table, x, y)
    what = _metric(table, metric)
    if (x is None) != (y is None):
        raise UsageError(f"{x or y!r} needs a counterpart: a scatter has an x and a y, each a configuration")
    if x is None or y is None:
        found = run_filters(table, configuration_columns(table, None))
        if len(found) != 2:
            listed = ", ".join(each.name for each in found)
            raise UsageError(f"choose what is compared, an x and a y, among: {listed}")
        x, y = found
    filters = [side if isinstance(side, RunFilter) else run_filter(side, table) for side in (x, y)]
    x, y = (side.name for side in filters)
    pairs, shared = _pairs(table, filters)
    if pairs.empty:
        raise UsageError(f"no run of {x} matches a run of {y} in everything else, so there is nothing to compare")
    sides = [values_of(pairs, what, suffix) for suffix in ("_x", "_y")]
    named = pairs[[name for name in ("board_name_x", "board", "seed", "status_x", "status_y") if name in pairs]]
    titles_of = [_pair_title(row, what, a, b) for a, b, row in zip(*sides, _rows(named), strict=True)]
    placed = list(zip(*(with_place(side, what) for side in sides), titles_of, strict=True))
    ends = [value for a, b, _ in placed for value in (a, b)]
    if all(value is None for value in ends):
        raise UsageError(f"neither {x} nor {y} has a value of {what.name}, so there is nothing to draw")
    make_axis = axis_of(what, ends)
    both = make_axis(ends, "", unit=what.unit, rail=rail_label(table, what))  # one range, so that equal is diagonal
    low, high = both.low, both.rail.begin if both.rail else both.high
    missing = [sum(place[side] is None for place in placed) for side in (0, 1)]
    neither = sum(a is None and b is None for a, b, _ in placed)
    told_apart = next((name for name in (*NAMED, "domain") if name in shared and pairs[name].nunique() > 1), "")
    groups = [str(name) for name in pairs[told_apart]] if told_apart else [""] * len(placed)
    series = []
    for style, name in enumerate(sorted(set(groups), key=_natural)):
        xs, ys, titles = zip(*(place for place, its in zip(placed, groups, strict=True) if its == name), strict=True)
        series.append(Series(name, "points", style, xs, ys, titles))
    notes = [f"{counted(len(placed), 'pair')} of runs; each point is one"]
    if any(missing):
        on_borders = f"{x} {missing[0]:,}, {y} {missing[1]:,}, both {neither:,}"
        notes.append(f"on the marked borders, {rail_label(table, what)}: {on_borders}")
    (short_x, short_y), lacking = short_names([x, y])
    notes += lacking
    notes.append(f"below the diagonal {y if what.better == 'low' else x} is better: {what.comparative}")
    return Chart(
        "scatter",
        f"{what.label}: {short_x} and {short_y}",
        Axis(f"{what.label}, {short_x}", both.scale, both.low, both.high, both.ticks, both.rail),
        Axis(f"{what.label}, {short_y}", both.scale, both.low, both.high, both.ticks, both.rail),
        tuple(series),
        tuple(diagonals(low, high, is_log=both.scale == "log")),
        notes=tuple(notes),
        square=True,
        legend=told_apart,
    )


def _scatter_of_columns(table: pd.DataFrame, x: str, y: str) -> Chart:
    """Return a chart of one column against another: a point per run, a series per configuration."""
    kinds = [_number_column(table, name) for name in (x, y)]
    series = []
    for style, (name, runs) in enumerate(configurations(table, configuration_columns(table, None))):
        sides = [with_place(values_of(runs, kind), kind) for kind in kinds]
        titles = tuple(f"{_board_of(row)}, {row.get('status')}" for row in _rows(runs))
        series.append(Series(name, "points", style, tuple(sides[0]), tuple(sides[1]), titles))
    axes = []
    for kind, side in zip(kinds, ("x", "y"), strict=True):
        values: list[float | None] = [value for each in series for value in getattr(each, side)]
        axes.append(axis_of(kind, values)(values, kind.label, unit=kind.unit, rail=rail_label(table, kind)))
    on_rail = sum(a is None or b is None for each in series for a, b in zip(each.x, each.y, strict=True))
    notes = [f"{counted(len(table), 'run')}; each point is one"]
    notes += [f"{on_rail:,} of them are on a marked border: unsolved, or without such a value"] if on_rail else []
    title = f"{kinds[1].label} and {kinds[0].label}"
    return Chart("scatter", title, axes[0], axes[1], tuple(series), notes=tuple(notes))


@_with_short_names
def cactus(table: pd.DataFrame, *, metric: str | None = None, group_by: Sequence[str] | None = None) -> Chart:
    """Return how many runs of each configuration are solved within how much of a quantity.

    A point (v, k) says that k runs took no more than v each. Also known as quantile plot, with the axes exchanged.

    Args:
        metric: the quantity: `seconds` (the default), `expanded`, `peak_bytes` …
        group_by: the columns of a configuration.

    Raises:
        UsageError: there is no such column, or the runs are games.
    """
    _check_searches(table, "cactus")
    what = _metric(table, metric or "seconds")
    groups = configurations(table, configuration_columns(table, group_by))
    solved = {
        name: sorted(v for v in with_place(values_of(runs, what, only_solved=True), what) if v is not None)
        for name, runs in groups
    }
    if not any(solved.values()):
        raise UsageError("no run was solved, so there is nothing to draw")
    known = [value for values in solved.values() for value in values]
    axis = axis_of(what, known)(known, what.label, unit=what.unit)
    end = axis.high
    series = []
    for style, (name, runs) in enumerate(groups):
        values = solved[name]
        title = f"{name}: {len(values):,} of {len(runs):,} solved"
        xs = (values[0], *values, end) if values else ()
        ys = (0, *range(1, len(values) + 1), len(values)) if values else ()
        series.append(Series(f"{name} ({len(values):,})", "steps", style, xs, ys, (title,)))
    most = max(len(runs) for _, runs in groups)
    budget = "time" if what.unit == "s" else "budget"
    notes = _with_numbers_of_runs(f"the curve rises by one for each run solved within that {budget}", groups)
    rules = (ReferenceLine((axis.low, axis.high), (most, most), f"all {most:,}"),)
    ys_axis = linear_axis([0, most], "runs solved", whole=True)
    return Chart("cactus", f"runs solved over {what.label}", axis, ys_axis, tuple(series), rules, notes=notes)


def _with_numbers_of_runs(note: str, groups: Sequence[tuple[str, pd.DataFrame]]) -> tuple[str, ...]:
    """Return notes that explain the numbers of runs in a legend."""
    most = max(len(runs) for _, runs in groups)
    notes = (f"{note}; in brackets: runs solved, of {most:,}",)
    if all(len(runs) == most for _, runs in groups):
        return notes
    return (*notes, "the configurations do not have equally many runs: " + _numbers_of_runs(groups))


@_with_short_names
def anytime(table: pd.DataFrame, *, metric: str | None = None, group_by: Sequence[str] | None = None) -> Chart:
    """Return how good the best solution of each configuration is over time or expansions, as a mean over its runs.

    The quality of a solution is the least known cost of its board divided by its own cost; a run that has none yet has
    the quality 0. The least known cost is that of all runs in the table, or the optimum if that is known. From eight
    boards on, a band shows the 95 % interval of the mean (Student's t, one value a board).

    Args:
        metric: `expanded` (the default) or `seconds`.
        group_by: the columns of a configuration.

    Raises:
        UsageError: there is no such column, no run was solved, or the runs are games.
    """
    from searchlab.experiments.statistics import half_interval

    _check_searches(table, "anytime")
    if metric not in (None, "expanded", "seconds"):
        raise UsageError(f"anytime has the metrics expanded and seconds, not {metric}")
    what = _metric(table, metric or "expanded")
    least: dict[Any, float] = {}
    for row in _rows(table):
        case = _case_of_costs(row)
        costs: list[Any] = [row.get("cost"), row.get("optimal_cost")]
        for cost in costs:
            if not is_missing(cost):
                least[case] = min(float(cost), least.get(case, float(cost)))
    groups = configurations(table, configuration_columns(table, group_by))
    gains = {name: sorted(gain for row in _rows(runs) for gain in _gains(row, what, least)) for name, runs in groups}
    known = [x for found in gains.values() for x, _, _ in found]
    if not known:
        raise UsageError("no run was solved, so there is nothing to draw")
    axis = axis_of(what, known)(known, what.label, unit=what.unit)
    series = []
    for style, (name, runs) in enumerate(groups):
        xs, ys, halves = [axis.low], [0.0], [0.0]
        cases = Counter(_case_of_costs(row) for row in _rows(runs))
        half_of, of_boards = half_interval(len(cases)), dict.fromkeys(cases, 0.0)
        total = squares = 0.0
        for x, case, gain in gains[name]:
            before = of_boards[case]
            now = of_boards[case] = before + 100 * gain / cases[case]
            total, squares = total + now - before, squares + now * now - before * before
            xs.append(x)
            ys.append(ys[-1] + 100 * gain / len(runs))
            halves.append(half_of(total, squares) if half_of else 0.0)
        solved = int((runs["status"] == "solved").sum())
        title = f"{name}: {solved:,} of {len(runs):,} solved, {ys[-1]:.0f} % in the end"
        xs, ys, halves = [*xs, axis.high], [*ys, ys[-1]], [*halves, halves[-1]]
        lows = tuple(max(0.0, y - half) for y, half in zip(ys, halves, strict=True)) if half_of else ()
        highs = tuple(min(100.0, y + half) for y, half in zip(ys, halves, strict=True)) if half_of else ()
        series.append(
            Series(f"{name} ({solved:,})", "steps", style, tuple(xs), tuple(ys), (title,), lows=lows, highs=highs)
        )
    what_is_drawn = "the least known cost ÷ the cost of the best solution so far (0 without one), mean over all runs"
    notes = _with_numbers_of_runs(what_is_drawn, groups)
    if any(each.lows for each in series):
        notes = (*notes, "band: 95 % interval of the mean over the boards, by Student's t")
    ys_axis = linear_axis([0.0, 100.0], "% of the best quality")
    return Chart("anytime", f"quality of solutions over {what.label}", axis, ys_axis, tuple(series), notes=notes)


def _case_of_costs(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what the costs of a run's solutions depend on."""
    return tuple(str(row.get(name)) for name in ("domain", "board_name", "board"))


def _gains(row: dict[str, Any], what: Quantity, least: dict[Any, float]) -> Iterable[tuple[float, Any, float]]:
    """Yield when the best solution of a run became better, of which case, and by how much of the best quality."""
    solutions = solutions_of(None if is_missing(row.get("solutions")) else str(row["solutions"]))
    found = [(getattr(one, what.name), one.cost) for one in solutions]
    if not found and str(row["status"]) == "solved":  # recorded by an earlier version
        found = [(row[what.name], float(row["cost"]))]
    quality, case = 0.0, _case_of_costs(row)
    for x, cost in found:
        best = least.get(case, cost)
        better = min(1.0, best / cost) if cost > 0 else 1.0
        if better > quality:
            yield max(float(x), what.smallest or 0.0), case, better - quality
            quality = better


@_with_short_names
def profile(table: pd.DataFrame, *, metric: str | None = None, group_by: Sequence[str] | None = None) -> Chart:
    """Return the performance profiles of Dolan and Moré (2002).

    The profile of a configuration at τ is the share of all cases that it solves with at most τ times the effort of the
    best configuration. At τ = 1 this is the share of cases in which it is the best, at the right end the share of cases
    that it solves at all.

    Args:
        metric: the quantity: `expanded` (the default), `seconds` …, or `score` for games, of which more is better.
        group_by: the columns of a configuration.

    Raises:
        UsageError: there is no such column, or there is a single configuration.
    """
    what = _metric(table, metric)
    columns = configuration_columns(table, group_by)
    values = _by_case(table, what, columns)
    if values.shape[1] < 2:
        raise UsageError("a profile compares configurations, and there is only one")
    positive = values[values > 0]
    floor = what.smallest or float(positive.min().min()) or 1.0
    clipped = values.clip(lower=floor if isfinite(floor) else 1.0)
    if what.better == "high":
        ratios = clipped.rdiv(clipped.max(axis=1), axis=0)
    else:
        ratios = clipped.div(clipped.min(axis=1), axis=0)
    cases = len(ratios)
    known = [float(value) for value in ratios.to_numpy().ravel() if isfinite(value)]
    if not known:
        raise UsageError("no run was solved, so there is nothing to draw")
    axis = log_axis([1.0, max(2.0, *known) * 1.1], f"factor τ of the best, {what.label}")
    series = []
    for style, name in enumerate(ratios.columns):
        factors = sorted(float(value) for value in ratios[name].dropna())
        xs: list[float] = []
        ys: list[float] = []
        for number, factor in enumerate(factors, 1):
            if xs and xs[-1] == factor:
                ys[-1] = 100 * number / cases
            else:
                xs.append(factor)
                ys.append(100 * number / cases)
        if not xs or xs[0] > 1:
            xs.insert(0, 1.0)
            ys.insert(0, 0.0)
        xs.append(axis.high)
        ys.append(ys[-1])
        best = 100 * sum(factor <= 1 for factor in factors) / cases
        title = f"{name}: the best in {best:.0f} %, solves {100 * len(factors) / cases:.0f} %"
        series.append(Series(name, "steps", style, tuple(xs), tuple(ys), (title,)))
    unsolved = int(ratios.isna().all(axis=1).sum())
    notes = [f"the share of {counted(cases, 'case')} in which a configuration is within τ times the best of all"]
    if unsolved:
        notes.append(f"{unsolved:,} of the cases no configuration solved")
    ys_axis = linear_axis([0.0, 100.0], "% of cases")
    return Chart("profile", f"performance profiles, {what.label}", axis, ys_axis, tuple(series), notes=tuple(notes))


@_with_short_names
def coverage(table: pd.DataFrame, *, group_by: Sequence[str] | None = None) -> Chart:
    """Return how the runs of each configuration ended, a bar each: the solved ones first.

    Args:
        group_by: the columns of a configuration.

    Raises:
        UsageError: there is no such column.
    """
    groups = configurations(table, configuration_columns(table, group_by))
    counts = {name: runs["status"].astype(str).value_counts() for name, runs in groups}
    others = sorted({str(status) for count in counts.values() for status in count.index} - set(ENDINGS))
    present = [ending for ending in (*ENDINGS, *others) if any(count.get(ending, 0) for count in counts.values())]
    starts = [0.0] * len(groups)
    series = []
    for style, ending in enumerate(present):
        numbers = [int(counts[name].get(ending, 0)) for name, _ in groups]
        ends = [start + number for start, number in zip(starts, numbers, strict=True)]
        rows = [place for place, number in enumerate(numbers) if number]
        series.append(
            Series(
                ending,
                "bars",
                style,
                tuple(ends[row] for row in rows),
                tuple(float(row) for row in rows),
                tuple(f"{groups[row][0]}: {numbers[row]:,} of {len(groups[row][1]):,} {ending}" for row in rows),
                starts=tuple(starts[row] for row in rows),
            )
        )
        starts = ends
    most = max(len(runs) for _, runs in groups)
    axis = linear_axis([0, most], "runs", whole=True)
    names = category_axis([name for name, _ in groups], downwards=True)
    return Chart("coverage", "how runs ended", axis, names, tuple(series))


@_with_short_names
def bars(table: pd.DataFrame, *, metric: str | None = None, group_by: Sequence[str] | None = None) -> Chart:
    """Return the mean of each configuration over the cases that all of them solved, or over all games.

    Bars begin at zero. If values differ by more than a factor of 50, points on a logarithmic axis replace them.

    Args:
        metric: the quantity: `expanded` (the default), `seconds`, `cost` …, or `score` for games.
        group_by: the columns of a configuration.

    Raises:
        UsageError: there is no such column, or nothing was solved.
    """
    what = _metric(table, metric)
    columns = configuration_columns(table, group_by)
    if _is_games(table):
        means, notes = _means_of_games(table, what, columns)
    else:
        found, notes = _fair(_by_case(table, what, columns))
        means = {name: (mean_of(found[name], what), None) for name in found.columns}
        notes.insert(0, f"{what.aggregate}s {notes.pop(0)}")
    names = list(means)
    values = [means[name][0] for name in names]
    shown = [_exact(value, what) for value in values]
    placed = [value for value in with_place(values, what) if value is not None]
    titles = tuple(f"{name}: {text}" for name, text in zip(names, shown, strict=True))
    is_wide = what.is_log and min(placed) > 0 and max(placed) / min(placed) > WIDE
    intervals = [means[name][1] for name in names]
    has_intervals = all(intervals)
    ends = [end for interval in intervals if interval for end in interval]
    lows = tuple(interval[0] for interval in intervals if interval) if has_intervals else ()
    highs = tuple(interval[1] for interval in intervals if interval) if has_intervals else ()
    label = f"{what.label} ({what.aggregate})"
    places = tuple(float(place) for place in range(len(names)))
    if is_wide:
        axis = log_axis([*placed, *ends], label, unit=what.unit)
        series = Series("", "points", 0, tuple(placed), places, titles, tuple(shown), lows=lows, highs=highs)
    else:
        axis = linear_axis([0.0, *values, *ends], label, unit=what.unit)
        starts = (0.0,) * len(names)
        series = Series("", "bars", 0, tuple(values), places, titles, tuple(shown), starts, lows, highs)
    names_axis = category_axis(names, downwards=True)
    return Chart("bars", what.label, axis, names_axis, (series,), notes=tuple(notes))


@_with_short_names
def heatmap(table: pd.DataFrame, *, metric: str | None = None, group_by: Sequence[str] | None = None) -> Chart:
    """Return a map of boards × configurations; the best of each row is framed, unsolved cells are hatched.

    Args:
        metric: the quantity: `expanded` (the default), `seconds`, `cost` …, or `score` for games.
        group_by: the columns of a configuration.

    Raises:
        UsageError: there is no such column, or nothing was solved.
    """
    what = _metric(table, metric)
    columns = configuration_columns(table, group_by)
    groups = configurations(table, columns)
    names = [name for name, _ in groups]
    by_board: dict[str, dict[str, list[float | None]]] = {}
    statuses: dict[tuple[str, str], str] = {}
    for name, runs in groups:
        for row, value in zip(_rows(runs), values_of(runs, what), strict=True):
            board = _board_of(row)
            by_board.setdefault(board, {}).setdefault(name, []).append(value)
            if value is None:
                statuses[board, name] = str(row.get("status"))
    boards = sorted(by_board, key=_natural)
    cells_of = {
        (board, name): mean_of(known, what) if None not in values else None
        for board, row in by_board.items()
        for name, values in row.items()
        for known in [[value for value in values if value is not None]]
    }
    known = [value for value in cells_of.values() if value is not None]
    if not known:
        raise UsageError("no run was solved, so there is nothing to draw")
    shade = _shades(known, what)
    cells = []
    for place, board in enumerate(boards):
        in_row = [value for name in names if (value := cells_of.get((board, name))) is not None]
        best = (min if what.better == "low" else max)(in_row) if len(in_row) > 1 and min(in_row) < max(in_row) else None
        for column, name in enumerate(names):
            if (board, name) not in cells_of:
                continue
            value = cells_of[board, name]
            text = _short(value, what) if value is not None else SHORT.get(statuses[board, name], statuses[board, name])
            said = _exact(value, what) if value is not None else statuses[board, name]
            shade_of = None if value is None else shade(value)
            is_best = value is not None and value == best
            cells.append(Cell(column, place, shade_of, text, is_best, f"{board}, {name}: {said}"))
    several = any(len(values) > 1 for row in by_board.values() for values in row.values())
    notes = ["the best of each row is framed"]
    notes += [f"a field with several runs shows their {what.aggregate}, if all were solved"] if several else []
    absent = len(boards) * len(names) - len(cells_of)
    notes += [f"{counted(absent, 'field')} empty: not run"] if absent else []
    missing = any(value is None for value in cells_of.values())
    scale = ColourScale(what.label, _short(min(known), what), _short(max(known), what), UNSOLVED if missing else "")
    return Chart(
        "heatmap",
        f"{what.label} by board",
        category_axis(names),
        category_axis(boards, downwards=True),
        cells=tuple(cells),
        notes=tuple(notes),
        colours=scale,
    )


@_with_short_names
def scaling(
    table: pd.DataFrame,
    x: str | None = None,
    *,
    metric: str | None = None,
    group_by: Sequence[str] | None = None,
) -> Chart:
    """Return a quantity over a parameter (a weight, a width, a size), or over another column of numbers.

    For a parameter of heuristic, frontier or player, means are taken over the cases solved at all its values. For
    anything else (`optimal_cost`, `limit_seconds`, `n` of the domain), they are taken at each value over the cases that
    all series solved.

    Args:
        x: the parameter's name, or a column; by default the only parameter that differs between runs.
        metric: the quantity: `expanded` (the default), `seconds`, `cost` …, or `score` for games.
        group_by: the columns that distinguish series.

    Raises:
        UsageError: there is no such parameter, or it does not vary.
    """
    what = _metric(table, metric)
    parameters = _parameters(table)
    if x is None:
        varied = [name for name, found in parameters.items() if found.nunique() > 1]
        if len(varied) != 1:
            choice = ", ".join([*varied, *(c for c in ("optimal_cost", "limit_seconds") if c in table.columns)])
            raise UsageError(f"choose an x among: {choice}")
        x = varied[0]
    own = parameters.get(x)
    if own is None:
        if x not in table.columns:
            known = [*parameters, *map(str, table.columns)]
            raise UsageError(f"there is neither a parameter nor a column {x!r}: {did_you_mean(x, known)}")
        _number_column(table, x)
        own = table[x].astype("Float64")
    left = table[own.notna()].copy()
    without = len(table) - len(left)
    left["x_of_run"] = own[own.notna()].astype(float)
    for name in (*NAMED, "domain"):
        if name in left.columns and x in parameters:
            left[name] = [_without_parameter(str(value), x) for value in left[name]]
    if left["x_of_run"].nunique() < 2:
        raise UsageError(f"{x} does not vary: there is nothing to scale over")
    columns = configuration_columns(left, group_by)
    is_of_component = x in parameters and not _varies_in(table, "domain", x)
    series, notes = _scaled(left, columns, what, same_cases=is_of_component)
    xs = [value for each in series for value in each.x]
    ys = [value for each in series for value in each.y]
    notes += [f"{counted(without, 'run')} without {x} left out"] if without else []
    widest = max(value for value in xs if value is not None), min(value for value in xs if value is not None)
    label_of = quantity(x, table)
    steps = sorted({value for value in xs if value is not None})
    even = widest[1] > 0 and widest[0] / widest[1] >= 16 and len(steps) > 2
    x_axis = log_axis(xs, label_of.label, unit=label_of.unit) if even else linear_axis(xs, label_of.label, zero=False)
    if not even and len(steps) <= 8:
        x_axis = Axis(x_axis.label, "linear", x_axis.low, x_axis.high, tuple(Tick(s, f"{s:g}") for s in steps))
    y_axis = axis_of(what, ys)(ys, f"{what.label} ({what.aggregate})", unit=what.unit, rail=rail_label(table, what))
    return Chart("scaling", f"{what.label} over {label_of.label}", x_axis, y_axis, series, notes=tuple(notes))


def learning(table: pd.DataFrame, *, metric: str | None = None) -> Chart:
    """Return the curves of courses of learning.

    Args:
        table: as `searchlab train` writes it beside the network (`curve.csv`): `games`, `mean_score`,
            `best_score`, `reached_N` …; several courses are told apart by a column `course`.
        metric: the column that is drawn over the games learned from; by default `mean_score`.

    Raises:
        UsageError: there is no such column.
    """
    column = metric or "mean_score"
    for name in ("games", column):
        _number_column(table, name)
    table = table[(table["games"].abs() <= LARGEST) & (table[column].abs() <= LARGEST)]
    if table.empty:
        raise UsageError("nothing was learned yet")
    courses: list[tuple[Any, pd.DataFrame]] = [("", table)]
    if "course" in table.columns:
        courses = list(table.groupby("course", sort=False))
    return learning_chart(column, ((str(name), list(rows["games"]), list(rows[column])) for name, rows in courses))


@_with_short_names
def scores(table: pd.DataFrame, *, metric: str | None = None, group_by: Sequence[str] | None = None) -> Chart:
    """Return the distribution of the games of each player: every game, quartiles in a box, 5 % and 95 % as whiskers.

    Args:
        metric: the quantity: `score` (the default), `moves`, `seconds` …
        group_by: the columns of a configuration.

    Raises:
        UsageError: there is no such column, or no game has a value.
    """
    import numpy as np

    what = _metric(table, metric)
    groups = configurations(table, configuration_columns(table, group_by))
    values = {name: [value for value in values_of(runs, what) if value is not None] for name, runs in groups}
    known = [value for found in values.values() for value in found]
    if not known:
        raise UsageError(f"no run has a value of {what.name}")
    is_wide = min(known) > 0 and max(known) / min(known) > WIDE
    axis = (log_axis if is_wide else linear_axis)(known, what.label, unit=what.unit)
    boxes, series = [], []
    for place, (name, runs) in enumerate(groups):
        found = values[name]
        if not found:
            continue
        quantiles = tuple(float(value) for value in np.quantile(found, (0.05, 0.25, 0.5, 0.75, 0.95)))
        mean = sum(found) / len(found)
        title = f"{name}: {counted(len(found), 'game')}, mean {_exact(mean, what)}, median {_exact(quantiles[2], what)}"
        boxes.append(Box(place, place, quantiles, title))  # type: ignore[arg-type]
        if len(found) <= FEWEST_IN_DETAIL:
            rows = [row for row, value in zip(_rows(runs), values_of(runs, what), strict=True) if value is not None]
            titles = tuple(
                f"{name}, seed {row.get('seed')}: {_exact(v, what)}" for row, v in zip(rows, found, strict=True)
            )
            heights = tuple(place + offset for offset in _spread(found, axis))
            series.append(Series("", "points", place, tuple(found), heights, titles))
    missing = len(table) - len(known)
    notes = ["box: the middle half and the median; whiskers: 5 % and 95 % of the games"]
    notes += ["each point is a game"] if series else []
    notes += [f"{counted(missing, 'game')} without a {what.label} left out"] if missing else []
    names = category_axis([f"{name} ({len(values[name]):,})" for name, _ in groups], downwards=True)
    title = f"{what.label} of games" if _is_games(table) else what.label
    return Chart("scores", title, axis, names, tuple(series), boxes=tuple(boxes), notes=tuple(notes))


@_with_short_names
def reached(table: pd.DataFrame, *, group_by: Sequence[str] | None = None) -> Chart:
    """Return the share of the games of each player that reached each tile, with 95 % intervals.

    Args:
        table: of games.
        group_by: the columns of a configuration.

    Raises:
        UsageError: there is no such column, the runs are searches, or no game has a largest tile.
    """
    from searchlab.experiments.aggregates import REACHED, aggregate_games

    if not _is_games(table):
        raise UsageError("reached is for games, whose tiles grow; of searches draw coverage, cactus or profile")
    columns = configuration_columns(table, group_by)
    tiles = sorted(int(tile) for tile in table["largest_tile"].dropna().unique() if tile > 0)
    if not tiles:
        raise UsageError("no game has a largest tile")
    axis = category_axis([f"{tile:,}" for tile in tiles], "tile")
    series = []
    for style, (name, games) in enumerate(configurations(table, columns)):
        rates = aggregate_games(games.assign(group=0), ["group"], tiles).table
        if rates[f"{REACHED}{tiles[0]}"].isna().all():
            continue
        shares, lows, highs = (
            tuple(float(rates[f"{REACHED}{tile}{end}"].iloc[0]) for tile in tiles) for end in ("", "_low", "_high")
        )
        titles = tuple(
            f"{name}, {tile:,}: {share:.4g} % of {counted(len(games), 'game')} ({low:.3g} to {high:.3g} %)"
            for tile, share, low, high in zip(tiles, shares, lows, highs, strict=True)
        )
        places = tuple(map(float, range(len(tiles))))
        label = f"{name} ({len(games):,})"
        series.append(Series(label, "line", style, places, shares, titles, lows=lows, highs=highs))
    y_axis = linear_axis([0.0, 100.0], "% of games with the tile or a larger one")
    notes = ("band: 95 % interval of each share (Clopper and Pearson 1934)",)
    return Chart("reached", "tiles reached", axis, y_axis, tuple(series), notes=notes)


CHART_KINDS: dict[str, Callable[..., Chart]] = {
    "scatter": scatter,
    "cactus": cactus,
    "anytime": anytime,
    "profile": profile,
    "coverage": coverage,
    "bars": bars,
    "heatmap": heatmap,
    "scaling": scaling,
    "learning": learning,
    "scores": scores,
    "reached": reached,
}
"""The kinds of charts by name."""


def _is_games(table: pd.DataFrame) -> bool:
    return "player" in table.columns


def _check_searches(table: pd.DataFrame, kind: str) -> None:
    if _is_games(table):
        raise UsageError(f"{kind} is for searches, which are solved or not; of games draw scores, bars or scatter")


def _metric(table: pd.DataFrame, name: str | None) -> Quantity:
    """Return the quantity to draw.

    Raises:
        UsageError: there is no such column of numbers, or there are no runs.
    """
    if table.empty:
        raise UsageError("there are no runs to draw")
    if name in AXES:
        raise UsageError(f"{name} identifies runs, so it is no metric")
    what = _number_column(table, name or ("score" if _is_games(table) else "expanded"))
    return suited_to(values_of(table, what), what)


def _number_column(table: pd.DataFrame, name: str) -> Quantity:
    from pandas.api.types import is_numeric_dtype

    if name not in table.columns:
        raise UsageError(f"there is no column {name!r}: {did_you_mean(name, map(str, table.columns))}")
    if not is_numeric_dtype(table[name].dtype):
        raise UsageError(f"{name} is not a number, so it cannot be drawn")
    return quantity(name, table)


def configuration_columns(table: pd.DataFrame, given: Sequence[str] | None) -> list[str]:
    """Return the columns of a configuration: the given ones, else components and limits that differ between runs."""
    for name in given or ():
        if name not in table.columns:
            raise UsageError(f"there is no column {name!r}: {did_you_mean(name, map(str, table.columns))}")
    if given:
        return list(given)
    parts = [name for name in NAMED if name in table.columns]
    if not parts or "status" not in table.columns:
        raise UsageError(
            "this is not a table of runs: it lacks the column status, or heuristic and frontier, or player"
        )
    limits = [name for name in AXES if name.startswith("limit_") and name in table.columns]
    varied = [name for name in parts if table[name].nunique(dropna=False) > 1]
    return [*(varied or parts), *(name for name in limits if table[name].nunique(dropna=False) > 1)]


def configurations(table: pd.DataFrame, columns: Sequence[str]) -> list[tuple[str, pd.DataFrame]]:
    """Return the runs of each configuration by name, in natural order (`board2` before `board10`)."""
    if table.empty:
        raise UsageError("there are no runs to draw")
    table = _in_order(table)
    found = [
        (_name(columns, key), runs)
        for key, runs in table.groupby(list(columns), dropna=False, observed=True, sort=False)
    ]
    return sorted(found, key=lambda group: _natural(group[0]))


def _in_order(table: pd.DataFrame) -> pd.DataFrame:
    """Return runs in an order independent of when they were done, so that equal results give equal pictures."""
    axes = [name for name in AXES if name in table.columns and table[name].nunique(dropna=False) > 1]
    return table.sort_values(axes, kind="stable") if axes else table


def _name(columns: Sequence[str], key: Any) -> str:
    """Return the name of a configuration without missing parts, like the heuristic of breadth-first search."""
    parts = key if isinstance(key, tuple) else (key,)
    named = [(column, part) for column, part in zip(columns, parts, strict=True) if not is_missing(part)]
    return "/".join(str(part) if column in NAMED else f"{column}={part}" for column, part in named) or MISSING


def _natural(text: str) -> list[tuple[int, float, str]]:
    pieces = re.split(r"(\d+(?:\.\d+)?)", text)
    return [(0, float(piece), "") if number % 2 else (1, 0.0, piece) for number, piece in enumerate(pieces)]


def _rows(runs: pd.DataFrame) -> list[dict[str, Any]]:
    names = [str(name) for name in runs.columns]
    return [dict(zip(names, row, strict=True)) for row in runs.itertuples(index=False, name=None)]


def _by_case(
    table: pd.DataFrame, what: Quantity, columns: Sequence[str], cases: pd.Series[int] | None = None
) -> pd.DataFrame:
    """Return the value of each configuration (columns, by name) in each case (rows), NaN if it was not solved.

    Several runs of a configuration in one case have a value if all were solved: their mean.

    Args:
        cases: the case number of each run, if it does not follow from this table alone.
    """
    import numpy as np
    import pandas as pd

    if cases is None:
        cases = case_numbers(table, columns)
    found: dict[str, pd.Series[float]] = {}
    for name, runs in configurations(table, columns):
        numbers = [np.nan if value is None else value for value in values_of(runs, what, only_solved=True)]
        values = pd.Series(numbers, index=cases[runs.index], dtype=float)
        if what.aggregate == "geometric mean":
            means = _means(values.clip(what.smallest).map(log)).map(lambda mean: rounded_log(exp(mean)))
            groups = values.groupby(level=0)
            least = groups.min()
            is_alike = means.notna() & (least == groups.max())
            found[name] = means.mask(is_alike, least)
        else:
            found[name] = _means(values)
    return pd.DataFrame(found)


def _means(values: pd.Series[float]) -> pd.Series[float]:
    """Return the mean of the values of each index, NaN if one of them is NaN."""
    groups = values.groupby(level=0)
    return groups.mean().where(groups.count() == groups.size())


def run_filters(table: pd.DataFrame, columns: Sequence[str]) -> list[RunFilter]:
    """Return a filter for the runs of each configuration, in the order of `configurations`."""
    first = [(name, runs.iloc[0]) for name, runs in configurations(table, columns)]
    return [
        RunFilter(name, {column: "" if row.isna()[column] else str(row[column]) for column in columns})
        for name, row in first
    ]


def case_numbers(table: pd.DataFrame, columns: Sequence[str]) -> pd.Series[int]:
    """Return the case number of each run; runs that differ only in the columns of the configuration share it.

    If some configurations take no seed, seeds do not distinguish cases.
    """
    unlike = [*columns, *(["seed"] if differ_in_having_seeds(table, columns) else [])]
    wanted = [name for name in AXES if name in table.columns and name not in unlike]
    if not wanted:
        return table["status"].notna() * 0
    axes = [boards_of(table) if name == "board" else table[name] for name in wanted]
    return table.groupby(axes, dropna=False, sort=False, observed=True).ngroup()


def _fair(values: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows of `_by_case` that all configurations solved, and notes about them.

    Configurations that solved nothing are omitted; otherwise there would be no such rows.
    """
    nothing = [str(name) for name in values.columns if values[name].isna().all()]
    left = values.drop(columns=nothing)
    if left.empty or not len(left.columns):
        raise UsageError("no run was solved, so there is nothing to draw")
    common = left.dropna()
    notes = [f"omitted because they solved nothing: {', '.join(nothing)}"] if nothing else []
    if common.empty:
        counts = ", ".join(f"{name} {left[name].notna().sum():,}" for name in left.columns)
        said = f"over the cases that each solved itself, as no case was solved by all: not a fair comparison ({counts})"
        return left, [said, *notes]
    number = f"the {counted(len(common), 'case')}"
    who = {1: "were solved", 2: "both configurations solved"}.get(
        len(left.columns), f"all {len(left.columns):,} configurations solved"
    )
    said = f"over {number} that {who}" if len(common) > 1 else f"over the only case that {who.replace('were', 'was')}"
    return common, [said, *notes]


def _means_of_games(
    table: pd.DataFrame, what: Quantity, columns: Sequence[str]
) -> tuple[dict[str, tuple[float, tuple[float, float] | None]], list[str]]:
    """Return the mean of the games of each configuration, with its 95 % interval (Student's t).

    Repetitions of a game are one sample, as in the table of groups.
    """
    import pandas as pd

    from searchlab.experiments.aggregates import sample_ids, sample_means
    from searchlab.experiments.statistics import FEWEST_SCORES, mean_interval

    sample = sample_ids(table)
    found: dict[str, tuple[float, tuple[float, float] | None]] = {}
    counts = []
    for name, runs in configurations(table, columns):
        values = pd.Series(values_of(runs, what), runs.index, dtype=float).dropna()
        if len(values):
            means = sample_means(values, sample) if what.aggregate == "mean" else values.to_numpy()
            interval = None if what.is_log else mean_interval(means, FEWEST_SCORES)
            found[name] = mean_of(means, what), interval
            counts.append(len(values))
    if not found:
        raise UsageError(f"no game has a value of {what.name}")
    games = counted(counts[0], "game") if len(set(counts)) == 1 else f"{min(counts):,} to {max(counts):,} games"
    notes = [f"{what.aggregate}s of {games} each"]
    if all(interval for _, interval in found.values()):
        notes.append("lines: 95 % intervals of the means, by Student's t")
    return found, notes


def _scaled(
    table: pd.DataFrame, columns: Sequence[str], what: Quantity, *, same_cases: bool
) -> tuple[tuple[Series, ...], list[str]]:
    """Return a line per configuration over the values of `x_of_run`, and notes about the lines.

    Args:
        same_cases: whether runs at different values share their cases, so that only cases solved at all values count.
    """
    cases = case_numbers(table, columns)
    steps = sorted(float(step) for step in table["x_of_run"].unique())
    at = {step: _by_case(table[table["x_of_run"] == step], what, columns, cases) for step in steps}
    solved = {(name, step): at[step][name].dropna() for step in steps for name in at[step].columns}
    solved_cases = [set(found.index) for found in solved.values() if len(found)]
    if not solved_cases:
        raise UsageError("no run was solved, so there is nothing to draw")
    common = set.intersection(*solved_cases) if same_cases else set()
    notes = []
    if common:
        number = counted(len(common), "case") if len(common) > 1 else "the only case"
        notes.append(f"{what.aggregate}s over {number} solved at every point")
    else:
        notes.append(f"{what.aggregate}s, at each value over the cases that all with a solution there solved")
    lines = []
    for style, (name, _) in enumerate(configurations(table, columns)):
        xs: list[float | None] = []
        ys: list[float | None] = []
        titles = []
        for step in (step for step in steps if (name, step) in solved):
            others = [set(solved[each, step].index) for each in at[step].columns if len(solved[each, step])]
            counts = common or set.intersection(*others or [set()])
            of_all = solved[name, step]
            own = of_all[of_all.index.isin(counts)] if counts else of_all
            value = mean_of(own, what) if len(own) else None
            xs.append(step)
            ys.append(value)
            said = UNSOLVED if value is None else _exact(value, what)
            titles.append(f"{name} at {step:g}: {said}; {len(of_all):,} of {len(at[step]):,} solved")
        lines.append(Series(name, "line", style, tuple(xs), tuple(with_place(ys, what)), tuple(titles)))
    unsolved = sum(len(found) < len(at[step]) for (_, step), found in solved.items())
    notes += [f"at {counted(unsolved, 'point')} not all was solved"] if unsolved else []
    return tuple(lines), notes


def _pairs(table: pd.DataFrame, sides: Sequence[RunFilter]) -> tuple[pd.DataFrame, list[str]]:
    """Return the runs of two configurations side by side, in columns ending in `_x` and `_y`, and their common columns.

    Runs that agree in everything except the columns of the configurations form a pair.

    Raises:
        UsageError: a configuration matches several runs of a case, as before and after an edit of a heuristic.
    """
    if "board" in table.columns:
        table = table.assign(board=boards_of(table))
    compared = {column for side in sides for column in side.values}
    of_sides = [side.runs(table) for side in sides]
    if "seed" in table.columns and len({bool(found["seed"].isna().all()) for found in of_sides}) > 1:
        compared.add("seed")  # one of them takes none
    keys = [name for name in AXES if name in table.columns and name not in compared]
    runs = []
    for side, found, suffix in zip(sides, of_sides, ("_x", "_y"), strict=True):
        case = found.groupby(keys, dropna=False, observed=True).ngroup()
        again = case.duplicated()
        if again.any():
            raise several_runs(side, found[case == case[again].iloc[0]])
        runs.append(found.rename(columns={name: f"{name}{suffix}" for name in found.columns if name not in keys}))
    return _in_order(runs[0].merge(runs[1], on=keys, how="inner")), keys


def _pair_title(row: dict[str, Any], what: Quantity, a: float | None, b: float | None) -> str:
    said = [
        _exact(value, what) if value is not None else str(row.get(f"status{suffix}", UNSOLVED))
        for value, suffix in ((a, "_x"), (b, "_y"))
    ]
    return f"{_board_of(row, '_x')}: {said[0]} and {said[1]}"


def _board_of(row: dict[str, Any], suffix: str = "") -> str:
    """Return the description of the board of a run."""
    for name in (f"board_name{suffix}", "board"):
        if isinstance(row.get(name), str):
            return str(row[name])
    return f"seed {row.get('seed')}"


def rail_label(table: pd.DataFrame, what: Quantity) -> str:
    """Return the label for runs that have no value of a quantity."""
    return "no value" if _is_games(table) or what.name in SAYS_WHICH else UNSOLVED


def axis_of(what: Quantity, values: Iterable[float | None]) -> Callable[..., Axis]:
    """Return the function that makes the axis of a quantity: logarithmic only if all values have a position on it."""
    if what.is_log and all(value is None or value > 0 for value in values):
        return log_axis
    return linear_axis


def diagonals(low: float, high: float, *, is_log: bool) -> list[ReferenceLine]:
    """Return the diagonal of a square chart, and beside it the lines of equal factors."""
    rules = [ReferenceLine((low, high), (low, high), strong=True)]
    for factor in FACTORS if is_log else ():
        if high / low > 1.5 * factor:
            rules.append(ReferenceLine((low, high / factor), (low * factor, high), f"{factor:g} ×"))
            rules.append(ReferenceLine((low * factor, high), (low, high / factor), f"{factor:g} ×"))
    return rules


def _numbers_of_runs(groups: Sequence[tuple[str, pd.DataFrame]]) -> str:
    return ", ".join(f"{name} {len(runs):,}" for name, runs in groups)


def _exact(value: float, what: Quantity) -> str:
    """Return the text of a value beside a mark."""
    if what.unit:
        return tick_label(float(f"{value:.3g}"), what.unit)
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1000 else figure(value)


def _shades(known: Sequence[float], what: Quantity) -> Callable[[float], float]:
    """Return the function from a value to its position in the colour map."""
    least = min(value for value in with_place(known, what) if value is not None)
    is_log = what.is_log and least > 0

    def place(value: float) -> float:
        return log10(max(value, least)) if is_log else value

    low, high = place(min(known)), place(max(known))
    return lambda value: (place(value) - low) / (high - low) if high > low else 0.5


def _short(value: float, what: Quantity) -> str:
    return tick_label(float(f"{value:.3g}"), what.unit)


def _spread(values: Sequence[float], axis: Axis) -> list[float]:
    """Return an offset for each value's point, so that points do not hide each other."""
    step, most = 0.08, 4
    taken: dict[int, int] = {}
    offsets = []
    for value in values:
        bin_ = round(axis.place(value) * 60)
        number = taken.get(bin_, 0)
        taken[bin_] = number + 1
        side = 1 if number % 2 else -1
        offsets.append(side * step * (ceil(number / 2) % (most + 1)))
    return offsets


def _parameters(table: pd.DataFrame) -> dict[str, pd.Series[Any]]:
    """Return the values of numeric parameters in the names of components, by parameter; NaN for none.

    A name that omits a parameter which other names of the same component spell out has the default value.
    """
    found: dict[str, pd.Series[Any]] = {}
    for column in ("frontier", "heuristic", "player", "domain"):
        if column not in table.columns:
            continue
        spelled = {str(name): dict(PARAMETER.findall(str(name))) for name in table[column].dropna().unique()}
        for parameter in dict.fromkeys(name for values in spelled.values() for name in values):
            numbers = {name: float(values[parameter]) for name, values in spelled.items() if parameter in values}
            bare = {name.partition(":")[0] for name in numbers}
            for name in spelled.keys() - numbers.keys():
                default = _default(column, name, parameter) if name.partition(":")[0] in bare else None
                if default is not None:
                    numbers[name] = default
            values = table[column].map(numbers).astype("Float64")
            if parameter not in found or (found[parameter].nunique() < 2 <= values.nunique()):
                found[parameter] = values
    return found


def _default(kind: str, name: str, parameter: str) -> float | None:
    """Return the default value of a component's parameter, or None if it is not known here."""
    import searchlab
    from searchlab.errors import SearchlabError

    try:
        value = getattr(searchlab, kind)(name).values.get(parameter)
    except SearchlabError:  # its plugin is not there, or it needs a domain of its own
        return None
    return float(value) if isinstance(value, int | float) else None


def _varies_in(table: pd.DataFrame, column: str, parameter: str) -> bool:
    """Return whether a parameter of this component differs between runs."""
    return column in table.columns and _parameters(table[[column]]).get(parameter, table[column][:0]).nunique() > 1


def _without_parameter(name: str, parameter: str) -> str:
    """Return a spelled name without one of its parameters.

    >>> _without_parameter("weighted-astar:ties=low,weight=2", "weight"), _without_parameter("beam:width=9", "width")
    ('weighted-astar:ties=low', 'beam')
    """
    kept = re.sub(rf"(^|[:,\[]){re.escape(parameter)}=-?[\d.eE+-]+(,|(?=\]|$))", r"\1", name)
    return re.sub(r"[:,]+(?=$|\])", "", kept)
