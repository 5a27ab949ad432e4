"""Charts of heuristics: their values against the exact costs of all boards of a small game.

`searchlab.search.state_space` computes the exact costs: the optimal solution cost of each board.
"""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import PluginCode, PluginError, UsageError, with_type
from searchlab.plugins import lookup
from searchlab.reports.chart import (
    Cell,
    Chart,
    ColourScale,
    ReferenceLine,
    Series,
    linear_axis,
    short_names,
    tick_label,
    with_short_names,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.plugins.registry import Plugins
    from searchlab.search.problem import EvaluationError
    from searchlab.search.state_space import StateSpace

    Show = Callable[[Callable[[], str] | str], None]

MOST_BINS = 64
"""Rows and columns of a map."""
MOST_INTERPRETED = 20_000
"""The number of boards, drawn by lot, on which a heuristic that cannot be compiled is evaluated."""
PIECE = 1000
"""The number of boards that are evaluated together."""
SEED = 1
BAND = (0.05, 0.95)
"""The quantiles of the errors that the band around their mean shows."""


MOST_STATES = 2_000_000
"""The largest number of boards of a state space to compute exact costs for."""


def domain_of(names: Iterable[Any], plugins: Plugins | None, option: str) -> BoundDomain:
    """Return the domain of the first heuristic that is made for a single one.

    Args:
        names: the heuristics, as `lookup.heuristic` takes them.
        plugins: the plugins that names are looked up in.
        option: what names the domain, for the message.

    Raises:
        UsageError: all are made for several domains, or for any.
    """
    refusals = []
    for name in names:
        heuristic = lookup.heuristic(name, plugins=plugins)
        if heuristic.domain is not None:
            return heuristic.domain
        made_for = " or ".join(sorted(heuristic.component.domains)) or "any domain"
        named = name if isinstance(name, str) else heuristic.name
        refusals.append(f"heuristic {named} is for {made_for}: name one with {option}")
    raise UsageError(refusals[0])


def charts_of_heuristics(
    heuristics: Mapping[str, BoundHeuristic],
    start: Board,
    domain: BoundDomain,
    seconds: float,
    show: Show = lambda _: None,
) -> list[Chart]:
    """Return the charts of heuristics on all boards that are reachable from a board, see `heuristic_charts`.

    Args:
        heuristics: the heuristics, by their names in the charts.
        start: a board of a small state space.
        domain: the game.
        seconds: the time limit for enumerating all boards.
        show: called with the current step, or with a function that returns it.

    Raises:
        UsageError: the state space is too large, or cannot be enumerated.
        PluginError: a heuristic or the domain failed.
    """
    from searchlab.search.problem import EvaluationError

    show(f"finding all boards of {domain}")
    space = _whole_space(start, domain, seconds)
    rows, columns = start.shape
    try:
        values = {name: values_of(each, space, show) for name, each in heuristics.items()}
    except EvaluationError as error:
        raise PluginError(f"{error}, on {error.board!r:.200}") from error
    scores = [name for name, each in heuristics.items() if each.prefer == "high"]
    about = f"all {len(space):,} boards of {domain}, {rows} × {columns}"
    return heuristic_charts(space.costs, values, scores, about)


def _whole_space(start: Board, domain: BoundDomain, seconds: float) -> StateSpace:
    """Return the state space of a board.

    Raises:
        UsageError: it is too large, or the domain has no packed form.
    """
    from searchlab.compiler.functions import CannotCompile
    from searchlab.model.limits import Limits
    from searchlab.search.state_space import enumerated_space

    if domain.is_of_chance:
        raise UsageError(f"{domain} is a game of chance: its boards have no exact costs; 2048, for one, has")
    try:
        space = enumerated_space(start, domain, Limits(seconds, expansions=MOST_STATES))
    except CannotCompile as error:
        raise UsageError(f"the boards of {domain} cannot all be visited: {error}") from None
    if space is None:
        rows, columns = start.shape
        game = f"{domain}, {rows} × {columns}"
        raise UsageError(
            f"{game}, has more than {MOST_STATES:,} boards, or takes longer than --time-limit; name a smaller --board"
        )
    return space


def values_of(heuristic: BoundHeuristic, space: StateSpace, show: Show = lambda _: None) -> NDArray[np.float64]:
    """Return the values of the states of a space, shape (states,), NaN for states that were not evaluated.

    A heuristic that cannot be compiled and has no batch form is evaluated on at most `MOST_INTERPRETED` states.

    Args:
        show: called with a function that returns the number of the current board.

    Raises:
        EvaluationError: the heuristic failed on a board, or returned a value that is not a number.
        PluginError: the batch form did not return a number for each board.
    """
    from searchlab.compiler.functions import CannotCompile
    from searchlab.search.readable.evaluation import values_of_tiles
    from searchlab.search.state_space import CompiledEstimate

    def on_board(number: int, of: int) -> str:
        return f"heuristic {heuristic} on board {number + 1:,} of {of:,}"

    component = heuristic.component
    show(f"heuristic {heuristic}")
    if component.function is not None:
        arguments = heuristic.arguments(space.board(0), component.function)
        try:
            compiled = CompiledEstimate(component.function, arguments, space.packing)
        except CannotCompile:
            pass
        else:
            show(lambda: on_board(compiled.current, len(space)))
            with PluginCode(lambda error: _explained(error, heuristic, space.board(compiled.current))):
                return compiled.values(space.states)
    values = np.full(len(space), np.nan)
    chosen = np.arange(len(space))
    if component.batch is None and len(space) > MOST_INTERPRETED:
        chosen = np.sort(np.random.default_rng(SEED).permutation(len(space))[:MOST_INTERPRETED])
    for start in range(0, len(chosen), PIECE):
        numbers = chosen[start : start + PIECE]
        show(on_board(start, len(chosen)))
        values[numbers] = values_of_tiles(heuristic, np.stack([board.tiles for board in space.boards(numbers)]))
    return values


def _explained(error: BaseException, heuristic: BoundHeuristic, board: Board) -> EvaluationError:
    """Return the error of a compiled heuristic as its author would see it in Python, with file and line."""
    from searchlab.search.problem import EvaluationError, estimate_of

    try:
        estimate_of(heuristic, board)
    except EvaluationError as explained:
        return explained
    return EvaluationError(f"heuristic {heuristic.name}, compiled: {with_type(error)}", board)


def heuristic_charts(
    costs: NDArray[np.float64], values: Mapping[str, NDArray[np.float64]], scores: Sequence[str] = (), about: str = ""
) -> list[Chart]:
    """Return a map of values against exact costs for each heuristic, and the errors of all heuristics per depth.

    Args:
        costs: the optimal solution cost of each board, shape (boards,), infinite without a solution.
        values: the values of each heuristic by name, shape (boards,), NaN if unknown, infinite for dead ends.
        scores: the names of heuristics with values of which more is better; these do not estimate a cost and have no
            error.
        about: the description of the boards: "all 181,440 boards of sliding-tile, 3 × 3".

    Raises:
        UsageError: no board has a solution.
    """
    solvable = np.isfinite(costs)
    if not solvable.any():
        raise UsageError("none of the boards has a solution, so there are no exact costs")
    estimates = {name: found[solvable] for name, found in values.items() if name not in scores}
    finite = (found[np.isfinite(found)] for found in estimates.values())
    # Maps of estimates have one scale, so that they can be compared.
    highest = max((float(found.max()) for found in finite if len(found)), default=0.0)
    titles, lacking = short_names(list(values))
    charts = [
        _map(name, title, costs[solvable], found[solvable], None if name in scores else highest, about=about)
        for (name, found), title in zip(values.items(), titles, strict=True)
    ]
    for note in lacking:
        charts = [_with_note(chart, note) for chart in charts]
    unsolvable = int((~solvable).sum())
    if unsolvable:
        note = f"{unsolvable:,} boards without a solution are left out"
        charts = [_with_note(chart, note) for chart in charts]
    if estimates:
        charts.append(_errors(costs[solvable], estimates))
    return charts


def _with_note(chart: Chart, note: str) -> Chart:
    from dataclasses import replace

    return replace(chart, notes=(*chart.notes, note))


def _map(
    name: str, title: str, costs: NDArray[Any], values: NDArray[Any], highest: float | None, *, about: str
) -> Chart:
    """Return a map of the number of boards with each cost and value.

    Args:
        title: the name of the heuristic, as shown.
        highest: the value that the axis of an estimate must reach; None for a score.
    """
    known = np.isfinite(values)
    if not known.any():
        raise UsageError(f"{name} has no finite value on a board that has a solution")
    dead = int(np.isinf(values).sum())
    costs, values = costs[known], values[known]
    columns, width = bins(costs)
    rows, height = bins(values)
    pairs, counts = np.unique(np.column_stack([columns, rows]), axis=0, return_counts=True)
    most = int(counts.max())
    shades = np.log(counts) / np.log(most) if most > 1 else np.full(len(counts), 0.5)
    cells = tuple(
        Cell(float(x), float(y), round(float(shade), 3), "", False, f"cost {x:g}, value {y:g}: {count:,} boards")
        for (x, y), count, shade in zip(pairs, counts, shades, strict=True)
    )
    x_axis = linear_axis([float(columns.min()) - width / 2, float(columns.max()) + width / 2], "exact cost h*")
    ends = [float(rows.min()) - height / 2, float(rows.max()) + height / 2]
    if highest is None:
        y_axis = linear_axis(ends, "value")
    else:
        y_axis = linear_axis([0.0, *ends, highest + height / 2], "estimate h")
    at = np.unique(columns)
    means = tuple(float(values[columns == x].mean()) for x in at)
    titles = tuple(f"cost {x:g}: {mean:.4g} on average" for x, mean in zip(at, means, strict=True))
    series = Series("mean", "line", 1, tuple(map(float, at)), means, titles)
    notes = [about] if about else []
    rules: tuple[ReferenceLine, ...] = ()
    if highest is None:
        notes.append(f"{title}: more of this score is better, and it is no estimate of the cost")
    else:
        end = min(x_axis.high, y_axis.high)
        rules = (ReferenceLine((0.0, end), (0.0, end), "h = h*", strong=True),)
        over = int((values > costs + 1e-9).sum())
        notes.append(
            f"{title}: above the line on {over:,} of {len(costs):,} boards: it overestimates them"
            if over
            else f"{title}: never above the line: admissible on {len(costs):,} boards"
        )
    if dead:
        notes.append(f"{title}: takes {dead:,} boards that have a solution for dead ends (an infinite value)")
    colours = ColourScale("boards", "1", tick_label(float(f"{most:.3g}")))
    return Chart(
        "heuristic", title, x_axis, y_axis, (series,), rules, cells=cells, notes=tuple(notes), colours=colours,
        square=True, cell=(width, height),
    )  # fmt: skip


def bins(values: NDArray[Any], most: int = MOST_BINS) -> tuple[NDArray[np.float64], float]:
    """Return the middle of the bin of each value, and the width of the bins: 1 for whole numbers that are not many."""
    low, high = float(values.min()), float(values.max())
    whole = bool((values == np.floor(values)).all())
    if whole and high - low < most:
        return values.astype(np.float64), 1.0
    width = (high - low) / most or 1.0
    if whole:
        width = float(np.ceil(width))
    elif width > 0:
        power = 10.0 ** np.floor(log10(width))
        width = float(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= width * 0.999))
    return (np.floor(values / width) + 0.5) * width, width


def _errors(costs: NDArray[Any], estimates: Mapping[str, NDArray[Any]]) -> Chart:
    """Return the mean error of each heuristic per exact cost, with a band of 5 % to 95 % of the boards."""
    series = []
    notes = ["band: 5 % to 95 % of the boards; above zero it underestimates"]
    means = []
    for style, (name, values) in enumerate(estimates.items()):
        known = np.isfinite(values)
        columns, _ = bins(costs[known])
        errors = costs[known] - values[known]
        at = np.unique(columns)
        of_depth = [errors[columns == x] for x in at]
        ys = tuple(float(each.mean()) for each in of_depth)
        lows, highs = (tuple(float(np.quantile(each, share)) for each in of_depth) for share in BAND)
        titles = tuple(
            f"{name} at cost {x:g}: error {y:.3g} on average, {len(each):,} boards"
            for x, y, each in zip(at, ys, of_depth, strict=True)
        )
        series.append(Series(name, "line", style, tuple(map(float, at)), ys, titles, lows=lows, highs=highs))
        means.append(f"{name} {errors.mean():.3g}")
    notes.append(f"mean error over all boards: {', '.join(means)}")
    x_axis = linear_axis([0.0, *(x for each in series for x in each.x)], "exact cost h*")
    y_axis = linear_axis([0.0, *(y for each in series for y in (*each.lows, *each.highs))], "error h* − h")
    zero = ReferenceLine((x_axis.low, x_axis.high), (0.0, 0.0), strong=True)
    chart = Chart("errors", "error per depth", x_axis, y_axis, tuple(series), (zero,), notes=tuple(notes), square=True)
    return with_short_names(chart)
