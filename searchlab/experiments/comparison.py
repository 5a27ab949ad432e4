"""Compare two configurations or players, in pairs of runs on the same instance.

Two runs form a pair if they agree in everything that the experiment varies intentionally (board, domain, seed,
repetition, limits …), apart from the two configurations themselves. Figures of searches are compared if both runs of a
pair solved the board. Games are paired by seed, and figures are compared if both are known. Searches of the same board
are not independent, and neither are games with the same board and seed; intervals and tests count them once. Searches
with several seeds are paired by seed, or with the only search of a configuration that takes no seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import inf
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError
from searchlab.errors.control_characters import one_line
from searchlab.experiments.aggregates import instance_ids, sample_ids, sample_means
from searchlab.experiments.cells import MISSING, figure, shown
from searchlab.experiments.filters import RunFilter, differ_in_code, in_order, run_filter
from searchlab.experiments.machine import different_machines
from searchlab.experiments.page import Table, TextColumn, shortened
from searchlab.experiments.quantities import rounded_log
from searchlab.experiments.runs import GAMES, SEARCHES, run_kind_of
from searchlab.experiments.statistics import DIGITS, FEWEST_RATIOS, Verdict, ratio_interval, sign_test, wilcoxon_test
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


MEASURES = {
    SEARCHES: {"expanded": 1.0, "seconds": 1e-6, "cost": 1e-6},
    GAMES: {"score": 1.0, "moves": 1.0, "seconds": 1e-6},
}
"""The columns that are compared, by kind of runs; smaller values count as these in ratios."""
FURTHER = {SEARCHES: ("engine", "batch"), GAMES: ()}
"""Columns besides the axes in which two runs of one configuration on one instance may differ, by kind of runs."""
NEEDED = frozenset(
    (
        *(name for kind in (SEARCHES, GAMES) for name in (*kind.axes, *MEASURES[kind], *FURTHER[kind])),
        *("board_name", "attempt", "status", "plugins", "host", "machine"),
    )
)
"""The columns of runs that a comparison is made of, besides those that name its sides."""
SIDES = ("a", "b")
MOST_BOARDS = 20
"""The default number of boards to show. Boards that only one side solved come first."""
SOLVED = {"a": "only A", "b": "only B", "both": "both", "neither": "neither"}
FURTHER_SHOWN = ("seconds", "cost")
"""Columns of each board besides the expansions, if the page is wide enough."""
LEAST_P = 0.001


class NothingPaired(UsageError):
    """No runs of two configurations form a pair.

    Args:
        sides: the configurations.
        why: the reason, `""` if unknown.
    """

    def __init__(self, sides: Sequence[RunFilter], why: str) -> None:
        said = f"no run of {sides[0].name!r} can be paired with one of {sides[1].name!r}"
        super().__init__(f"{said}: {why}" if why else said)
        self.why = why


@dataclass(frozen=True)
class Measure:
    """A figure of two configurations, over the instances that both solved or over all pairs of games.

    Attributes:
        name: the column.
        pairs: the number of pairs.
        independent: the number of independent pairs. Pairs of the same board count once, and so do pairs of games with
            the same seed.
        sums: the sum of the figure for A and for B.
        smaller: the number of pairs in which A has the smaller figure, and in which B has; in all others they are
            equal.
        ratio: the geometric mean of A's figure divided by B's, over the independent pairs; None without pairs or if a
            figure is negative or infinite.
        interval: the 95 % confidence interval of the ratio, by Student's t on the logarithms; None for fewer than 5
            independent pairs or if all ratios are equal.
        sign: the sign test of the mean logarithms of the ratios of the independent pairs, or of their mean differences
            if there is no ratio.
        wilcoxon: the signed-rank test of the same values.
        spread: for searches with several seeds: the largest ratio of the geometric means of two seeds of the same
            configuration, over the boards solved with every seed; None without such seeds or without a ratio.
    """

    name: str
    pairs: int
    independent: int
    sums: tuple[float, float]
    smaller: tuple[int, int]
    ratio: float | None
    interval: tuple[float, float] | None
    sign: Verdict
    wilcoxon: Verdict
    spread: float | None = None

    @property
    def spread_remark(self) -> str:
        """A line if A and B differ by less than the seeds of A or of B, else `""`."""
        if self.spread is None or not self.ratio or max(self.ratio, 1 / self.ratio) >= self.spread:
            return ""
        return f"A and B differ by less than two seeds of one of them, which differ by up to {figure(self.spread)} ×"

    @property
    def interval_remark(self) -> str:
        """The reason why there is no interval, or `""` if there is one."""
        if self.interval:
            return ""
        if self.pairs and self.ratio is None:
            return "no ratio, because a figure is negative or infinite"
        if self.independent < FEWEST_RATIOS:
            return f"no interval from fewer than {FEWEST_RATIOS} different boards or seeds"
        return "no interval, because all ratios are equal"


@dataclass(frozen=True)
class Comparison:
    """Two configurations, compared.

    Attributes:
        a, b: the names of the configurations.
        table: one row per pair. Columns are the axes in which instances differ, then `status` and the compared figures
            of both runs, with the suffixes `_a` and `_b`; for searches also `solved_by`: `both`, `a`, `b` or `neither`.
        unpaired: the number of runs of A, and of B, without a counterpart.
        coverage: the sign test of the instances that only one side solved; None for games.
        measures: the figures compared.
        machines: a line if times come from different machines, else empty.
    """

    a: str
    b: str
    table: pd.DataFrame
    unpaired: tuple[int, int]
    coverage: Verdict | None
    measures: tuple[Measure, ...]
    machines: tuple[str, ...] = ()

    def __repr__(self) -> str:
        ratios = [f"{measure.name} A / B {ratio_text(measure.ratio)}" for measure in self.measures]
        said = [f"A {self.a}", f"B {self.b}", counted(len(self.table), "pair"), *ratios]
        return f"<Comparison: {one_line('; '.join(said))}>"

    def __str__(self) -> str:
        return "\n".join(self.lines(get_terminal_size().columns))

    def _repr_html_(self) -> str:
        names = "".join(
            f'<div style="margin:.2em 0"><strong>{letter}  {escape(one_line(name))}</strong></div>'
            for letter, name in (("A", self.a), ("B", self.b))
        )
        tables = self._tables(all_boards=False, rest=".table has all")
        return f"<div>{names}{''.join(table.html() for table in tables)}</div>"

    def lines(self, width: int, *, all_boards: bool = False, rest: str = ".table has all") -> list[str]:
        """Return the comparison as lines of text no longer than a width, beginning with the names of A and B.

        Args:
            width: the width of the page.
            all_boards: whether to show every board.
            rest: a hint at how to see the omitted boards.
        """
        names = [shortened(f"{letter}  {one_line(name)}", width) for letter, name in (("A", self.a), ("B", self.b))]
        sections = [names, *(table.lines(width) for table in self._tables(all_boards=all_boards, rest=rest))]
        return [line for section in sections if section for line in ("", *section)][1:]

    def solved_by(self, who: str) -> int:
        """Return the number of instances solved by `both`, by `a` or `b` alone, or by `neither`."""
        return int((self.table["solved_by"] == who).sum())

    def _tables(self, *, all_boards: bool, rest: str) -> list[Table]:
        most = len(self.table) if all_boards else MOST_BOARDS
        if self.coverage is None:
            return [
                Table(notes=[*self._unpaired_note(), *self.machines]),
                *self._games_measures(),
                _games_table(self.table, most, rest),
            ]
        return [
            Table(notes=[*self._coverage_notes(self.coverage), *self._unpaired_note(), *self.machines]),
            *self._search_measures(),
            _boards_table(self.table, most, rest),
        ]

    def _coverage_notes(self, coverage: Verdict) -> list[str]:
        only = {who: self.solved_by(who) for who in SOLVED}
        return [
            f"{counted(len(self.table), 'pair')} of runs: A solved {only['both'] + only['a']:,}, "
            f"B {only['both'] + only['b']:,}; only A {only['a']:,}, only B {only['b']:,}, neither {only['neither']:,}",
            f"who solves more, sign test: {coverage.remark or f'p {p_text(coverage)}'}",
        ]

    def _unpaired_note(self) -> list[str]:
        """Return a line about runs without a counterpart, if there are any."""
        of_a, of_b = self.unpaired
        return [f"without a counterpart, and left out: {of_a:,} of A, {of_b:,} of B"] if of_a or of_b else []

    def _search_measures(self) -> list[Table]:
        both = self.solved_by("both")
        if not both:
            return [Table(notes=["no board was solved by both, so there is nothing to compare in sum"])]
        note = f"A / B: geometric mean over the {counted(both, 'pair')} that both solved, below 1 where A needs less"
        return [self._sums("solved by both", note), self._tests()]

    def _games_measures(self) -> list[Table]:
        pairs = self.measures[0].pairs
        if not pairs:
            return [Table(notes=["no pair of games has scores, so there is nothing to compare"])]
        note = f"A / B: geometric mean over {counted(pairs, 'pair')} of games, of the score above 1 where A earns more"
        return [self._sums("games", note), self._tests()]

    def _sums(self, heading: str, note: str) -> Table:
        """Return a table of the sums of both sides and their ratios, with a note on the ratios."""
        measures = self.measures
        columns = [
            TextColumn(heading, [measure.name for measure in measures], is_text=True),
            TextColumn("sum A", [_number(measure.sums[0]) for measure in measures], is_text=False),
            TextColumn("sum B", [_number(measure.sums[1]) for measure in measures], is_text=False),
            TextColumn("A less", [f"{measure.smaller[0]:,}" for measure in measures], is_text=False),
            TextColumn("B less", [f"{measure.smaller[1]:,}" for measure in measures], is_text=False),
            TextColumn("A / B", [ratio_text(measure.ratio) for measure in measures], is_text=False),
            TextColumn("95 % interval", [interval_text(measure) for measure in measures], is_text=False),
        ]
        notes = [note, *_for_each((measure.name, measure.interval_remark) for measure in measures)]
        notes += _for_each((measure.name, measure.spread_remark) for measure in measures)
        if measures[0].independent < measures[0].pairs:
            notes.append(
                f"in A / B and the tests, pairs of one board{'' if self.coverage else ' and seed'} count once: "
                f"{measures[0].independent:,} of them"
            )
        return Table(columns, notes, [heading, "A / B", "95 % interval", "sum A", "sum B"])

    def _tests(self) -> Table:
        measures = self.measures
        columns = [
            TextColumn("two-sided tests", [measure.name for measure in measures], is_text=True),
            TextColumn("pairs that differ", [f"{measure.sign.pairs:,}" for measure in measures], is_text=False),
            TextColumn("sign test, p", [p_text(measure.sign) for measure in measures], is_text=False),
            TextColumn("Wilcoxon, p", [p_text(measure.wilcoxon) for measure in measures], is_text=False),
        ]
        remarks = _for_each((measure.name, measure.wilcoxon.remark) for measure in measures)
        return Table(columns, remarks, ["two-sided tests", "sign test, p", "Wilcoxon, p"])


def _boards_table(table: pd.DataFrame, most: int, rest: str) -> Table:
    """Return a row for each board: the expansions of each side, or its status if it did not solve the board."""
    order = table["solved_by"].map({who: place for place, who in enumerate(SOLVED)})
    ordered = table.iloc[order.argsort(kind="stable")]
    rows, folded = ordered.iloc[:most], ordered.iloc[most:]
    counts = [f"{count:,} by {SOLVED[str(who)]}" for who, count in folded["solved_by"].value_counts().items()]
    more = f"… and {counted(len(folded), 'more pair')}, solved {', '.join(counts)}; {rest}"
    return Table(
        [
            *_axis_columns(rows),
            TextColumn("solved by", [SOLVED[who] for who in rows["solved_by"]], is_text=True),
            *_columns_of_sides(rows, "expanded"),
        ],
        [more] if len(folded) else [],
        ["board_name", "expanded A", "expanded B"],
        [
            [TextColumn("A / B", _ratios(rows), is_text=False)],
            *(_columns_of_sides(rows, name) for name in FURTHER_SHOWN),
        ],
    )


def _games_table(table: pd.DataFrame, most: int, rest: str) -> Table:
    """Return a row for each pair of games."""
    rows = table.head(most)
    axes = [column for column in _axis_columns(rows) if set(column.cells) != {MISSING}]
    score, *further = (
        [TextColumn(f"{name} {side.upper()}", shown(rows[f"{name}_{side}"]), is_text=False) for side in SIDES]
        for name in ("score", "moves", "status")
    )
    more = f"… and {counted(len(table) - len(rows), 'more pair')}; {rest}"
    return Table([*axes, *score], [more] if len(rows) < len(table) else [], ["seed", "score A", "score B"], further)


def _axis_columns(rows: pd.DataFrame) -> list[TextColumn]:
    names = list(rows.columns[: list(rows.columns).index("status_a")])
    return [TextColumn(one_line(str(name)), shown(rows[name]), is_text=True) for name in names]


def _for_each(remarks: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each remark with the names of the measures that share it."""
    names: dict[str, list[str]] = {}
    for name, remark in remarks:
        if remark:
            names.setdefault(remark, []).append(name)
    return [f"{', '.join(about)}: {remark}" for remark, about in names.items()]


def p_text(test: Verdict) -> str:
    """Return the p-value of a test as text, or a dash if there is none."""
    if test.p is None:
        return MISSING
    return f"< {LEAST_P}" if test.p < LEAST_P else f"{test.p:.3f}"


def _number(number: float) -> str:
    return f"{number:,.0f}" if number.is_integer() else figure(number)


def ratio_text(ratio: float | None) -> str:
    """Return a ratio as text, or a dash for None."""
    return MISSING if ratio is None else figure(ratio)


def interval_text(measure: Measure) -> str:
    """Return the interval of a ratio as text, or a dash for None."""
    return " … ".join(map(figure, measure.interval)) if measure.interval else MISSING


def _columns_of_sides(table: pd.DataFrame, name: str) -> list[TextColumn]:
    """Return a column for each side: the figure if it solved the board; else the status or a dash."""
    columns = []
    for side in SIDES:
        values, statuses = shown(table[f"{name}_{side}"]), table[f"status_{side}"]
        unsolved = [MISSING if name in FURTHER_SHOWN else str(status) for status in statuses]
        pairs = zip(values, unsolved, statuses == "solved", strict=True)
        columns.append(TextColumn(f"{name} {side.upper()}", [v if s else u for v, u, s in pairs], is_text=False))
    return columns


def _ratios(table: pd.DataFrame) -> list[str]:
    """Return the ratio of expansions of each board; a dash if not both solved it."""
    a, b = (table[f"expanded_{side}"].clip(lower=1) for side in "ab")
    both = table["solved_by"] == "both"
    return [figure(ratio) if solved else MISSING for ratio, solved in zip(a / b, both, strict=True)]


def compare(results: pd.DataFrame | str | Path, a: str | RunFilter, b: str | RunFilter) -> Comparison:
    """Compare two configurations or players, in pairs of runs on the same board or with the same seed.

    Args:
        results: runs, as `sl.run`, `sl.load_results` and `sl.table` return them; or the folder of an experiment.
        a, b: a heuristic (`taxicab`), a frontier (`astar`), both (`taxicab/astar`), a player, or `COLUMN=value,…` for
            anything else. Parameters may be omitted if the name stays unambiguous.

    Raises:
        UsageError: a name matches no runs or is ambiguous, or no runs can be paired.
    """
    from searchlab.experiments.summary import runs_of

    return Comparer(runs_of(results)).compare(a, b)


class Comparer:
    """Compares configurations of the same runs. Work that several comparisons share is done once.

    Args:
        results: runs with those columns of `NEEDED` that their kind has.
    """

    def __init__(self, results: pd.DataFrame) -> None:
        self._results, self._kind = results.reset_index(drop=True), run_kind_of(results)
        self._runs: dict[tuple[tuple[str, str], ...], pd.DataFrame] = {}
        self._instances: dict[frozenset[str], tuple[pd.Series[int], NDArray[np.int64]]] = {}
        # Searches of one board are alike, whatever the seed; games of one board and different seeds are not.
        self._sample = sample_ids(self._results.assign(seed=None) if self._kind is SEARCHES else self._results)
        self._has_machines = bool(different_machines(results))

    def compare(self, a: str | RunFilter, b: str | RunFilter) -> Comparison:
        """Compare two configurations or players; see `compare`."""
        results, kind = self._results, self._kind
        sides = [side if isinstance(side, RunFilter) else run_filter(side, results) for side in (a, b)]
        compared = {column for side in sides for column in side.values}
        runs = [self._runs_of(side) for side in sides]
        unseeded = False
        for name in {"seed", "heuristic"} & {*results.columns}:
            if len({bool(side[name].isna().all()) for side in runs}) > 1:
                compared.add(name)  # one of them takes none
                unseeded |= name == "seed"
        if runs[0].index.equals(runs[1].index):
            raise UsageError(f"{sides[0].name!r} and {sides[1].name!r} are the same runs; name two configurations")
        axes = [name for name in kind.axes[1:] if name not in compared]
        instance, order = self._instances_of(frozenset(compared), ["board_name", *axes])
        for side, of_side in zip(sides, runs, strict=True):
            _check_single(side, of_side, instance, seeded=unseeded and bool(of_side["seed"].notna().any()))
        pairs = _Pairs([instance[of_side.index] for of_side in runs], order)
        if not len(pairs.places[0]):
            raise NothingPaired(sides, _why_apart(runs, compared))
        table = self._table(pairs, axes)
        sample = self._sample[pairs.places[0]].reset_index(drop=True)
        if kind is SEARCHES:
            both = table[table["solved_by"] == "both"]
            seeds = _of_all_seeds(both, results["seed"][pairs.places[pairs.many]].set_axis(table.index)[both.index])
        else:
            both = table[table["score_a"].notna() & table["score_b"].notna()]
            seeds = None
        machines: list[str] = []
        if self._has_machines:
            machines = different_machines(results[results.index.isin([*runs[0].index, *runs[1].index])])
        return Comparison(
            sides[0].name,
            sides[1].name,
            table,
            unpaired=pairs.unpaired,
            coverage=_coverage(table["solved_by"], sample) if kind is SEARCHES else None,
            measures=tuple(
                _measure(name, least, both, sample[both.index], seeds) for name, least in MEASURES[kind].items()
            ),
            machines=tuple(machines),
        )

    def _runs_of(self, side: RunFilter) -> pd.DataFrame:
        key = tuple(side.values.items())
        if key not in self._runs:
            self._runs[key] = side.runs(self._results)
        return self._runs[key]

    def _instances_of(self, compared: frozenset[str], columns: list[str]) -> tuple[pd.Series[int], NDArray[np.int64]]:
        """Return the number of each run's instance, and the place of each run in the order of some columns."""
        import numpy as np

        if compared not in self._instances:
            order = np.empty(len(self._results), np.int64)
            order[in_order(self._results[columns], columns).index] = np.arange(len(order))
            self._instances[compared] = instance_ids(self._results, compared), order
        return self._instances[compared]

    def _table(self, pairs: _Pairs, axes: list[str]) -> pd.DataFrame:
        """Return the table of a comparison."""
        import numpy as np
        import pandas as pd

        def column(name: str, side: int) -> pd.Series[Any]:
            return self._results[name].take(pairs.places[side]).reset_index(drop=True)

        of_first = {name: column(name, 0) for name in ("board_name", *axes)}
        table = pd.DataFrame(
            {name: cells for name, cells in of_first.items() if name not in axes or cells.nunique(dropna=False) > 1}
        )
        for name in ("status", *MEASURES[self._kind]):
            for side, letter in enumerate(SIDES):
                table[f"{name}_{letter}"] = column(name, side)
        if self._kind is SEARCHES:
            solved = [(table[f"status_{letter}"] == "solved").to_numpy() for letter in SIDES]
            table["solved_by"] = np.select([solved[0] & solved[1], *solved], ["both", *SIDES], "neither")
        return table


class _Pairs:
    """The runs of two configurations on the same instances.

    Args:
        instances: the instance of each run of both sides, by the place of the run among all runs.
        order: the place of every run in the order of the pairs.

    Attributes:
        places: the places of the runs of each side, in pairs.
        many: the side that may have several runs on an instance.
        unpaired: the number of runs of each side without a counterpart.
    """

    def __init__(self, instances: Sequence[pd.Series[int]], order: NDArray[np.int64]) -> None:
        import numpy as np
        import pandas as pd

        of_sides = [pd.Index(each) for each in instances]
        # Runs with different seeds have one counterpart that takes no seed.
        self.many = int(not of_sides[1].is_unique)
        counterpart = of_sides[1 - self.many].get_indexer_for(of_sides[self.many])
        has_one = counterpart >= 0
        pair: dict[int, NDArray[np.int64]] = {
            self.many: instances[self.many].index.to_numpy()[has_one],
            1 - self.many: instances[1 - self.many].index.to_numpy()[counterpart[has_one]],
        }
        by_board = np.argsort(order[pair[0]], kind="stable")
        self.places = [pair[side][by_board] for side in (0, 1)]
        first, second = of_sides
        self.unpaired = int((~first.isin(second)).sum()), int((~second.isin(first)).sum())


def _check_single(side: RunFilter, runs: pd.DataFrame, instance: pd.Series[int], *, seeded: bool) -> None:
    """Raise a UsageError if a configuration has several runs on one instance.

    Args:
        instance: the instance of every run.
        seeded: whether several runs with different seeds are allowed, because the other side takes no seed.
    """
    of_run = instance[runs.index]
    again = of_run.duplicated(keep=False)
    if seeded and again.any():
        again = runs.assign(instance=of_run).duplicated(["instance", "seed"], keep=False)
    if again.any():
        raise several_runs(side, runs[of_run == of_run[again].iloc[0]])


def several_runs(side: RunFilter, same: pd.DataFrame) -> UsageError:
    """Return the error for a configuration that matches several runs on one instance; it says how these runs differ."""
    kind = run_kind_of(same)
    may_differ = (*kind.axes, *FURTHER[kind], "attempt")
    differing = {name: same[name].dropna().astype(str).unique() for name in may_differ if name in same}
    listed = "; ".join(f"{name} {', '.join(found)}" for name, found in differing.items() if len(found) > 1)
    board = same["board_name"].iloc[0] if "board_name" in same else None
    where = f" on {board}" if isinstance(board, str) else ""
    how = f" ({listed})" if listed else " (other code of the plugins)" if differ_in_code(same) else ""
    return UsageError(f"{side.name!r} stands for several runs{where}{how}; say which, with column=value,… or --where")


def _coverage(solved_by: pd.Series[str], sample: pd.Series[int]) -> Verdict:
    """Return the sign test of the number of runs that each side solved on each board."""
    signs = (solved_by == "b").astype(float) - (solved_by == "a").astype(float)
    return sign_test(sample_means(signs, sample))


def _of_all_seeds(both: pd.DataFrame, seed: pd.Series[int]) -> pd.Series[int] | None:
    """Return the seeds of the pairs on boards that were solved with every seed; None without several seeds.

    Args:
        both: the pairs that both solved.
        seed: the seed of each pair.
    """
    number = seed.nunique()
    if number < 2:
        return None
    case = [both[column] for column in both.columns[: both.columns.get_loc("status_a")] if column != "seed"]
    return seed[seed.groupby(case, dropna=False, observed=True).transform("nunique") == number]


def _spread(name: str, least: float, both: pd.DataFrame, seeds: pd.Series[int] | None) -> float | None:
    """Return the largest ratio of the geometric means of two seeds of a configuration, see `Measure`."""
    import numpy as np

    if seeds is None or seeds.empty:
        return None
    logs = [np.log(both.loc[seeds.index, f"{name}_{side}"].astype(float).clip(lower=least)) for side in SIDES]
    means = [of_side.groupby(seeds).mean() for of_side in logs]
    return float(np.exp(max(of_side.max() - of_side.min() for of_side in means)))


def _measure(
    name: str, least: float, both: pd.DataFrame, sample: pd.Series[int], seeds: pd.Series[int] | None
) -> Measure:
    """Return a figure compared.

    Args:
        name: the column.
        least: the value that smaller values count as.
        both: the pairs.
        sample: the sample of each pair, as `sample_ids` returns it.
        seeds: as `_of_all_seeds` returns them.
    """
    import numpy as np
    import pandas as pd

    a, b = (both[f"{name}_{side}"].to_numpy(dtype=float) for side in SIDES)
    # The points of a game may be below 0, and the cost of a solution infinite.
    has_ratios = len(both) > 0 and min(a.min(), b.min()) >= 0 and max(a.max(), b.max()) < inf
    with np.errstate(invalid="ignore"):  # infinite ones do not differ
        of_pairs = np.log(np.maximum(a, least) / np.maximum(b, least)) if has_ratios else a - b
    differences = sample_means(pd.Series(np.where(a == b, 0.0, of_pairs), both.index), sample)
    return Measure(
        name,
        pairs=len(both),
        independent=len(differences),
        sums=(float(a.sum()), float(b.sum())),
        smaller=(int((a < b).sum()), int((b < a).sum())),
        ratio=rounded_log(float(np.exp(differences.mean()))) if has_ratios else None,
        interval=ratio_interval(differences) if has_ratios else None,
        sign=sign_test(differences.round(DIGITS)),
        wilcoxon=wilcoxon_test(differences),
        spread=_spread(name, least, both, seeds) if has_ratios else None,
    )


def _why_apart(runs: list[pd.DataFrame], compared: set[str]) -> str:
    """Return the reason why no runs of the two configurations form a pair, or `""`."""
    axes = [name for name in run_kind_of(runs[0]).axes if name not in compared]
    values = {name: [set(of_side[name].dropna().astype(str)) for of_side in runs] for name in axes}
    apart = [name for name, (first, second) in values.items() if first.isdisjoint(second) and first | second]
    return f"they have no {' and no '.join(apart)} in common" if apart else ""
