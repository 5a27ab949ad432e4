"""Published figures: the figures of papers for the boards of a folder, in its `published.toml`, beside the runs here.

The file has tables, as papers have. `[[table]]` names the source of the figures and the quantities counted, and each of
its `rows` has the figures of one algorithm, as means over the boards or for each board. A run belongs to a row if its
domain, heuristic and frontier are the same with all parameters, except those that only order equal nodes. Ties are a
separate factor: each way to break them is compared by itself.

Means are compared over the same boards only. If each board has a published figure, these are the boards that all runs
here solved. If only the mean over all boards was published, all boards must be solved.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import msgspec

from searchlab.binding.names import parse_name
from searchlab.board.files import board_folder, board_set, natural_order
from searchlab.errors import SearchlabError, UsageError, did_you_mean
from searchlab.experiments.cells import is_missing
from searchlab.experiments.quantities import Quantity
from searchlab.experiments.requests import undated
from searchlab.experiments.runs import SEARCHES, run_kind_of
from searchlab.experiments.specification import SpecificationError, at, decoded, located
from searchlab.experiments.spread import spreads
from searchlab.files import read_bytes
from searchlab.files.toml import load_toml
from searchlab.model.component import resolve
from searchlab.model.formatting import counted
from searchlab.plugins.lookup import with_preset

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    import pandas as pd

    from searchlab.files.toml import Place
    from searchlab.plugins.registry import Plugins

FILE = "published.toml"
TIES = ("ties", "order", "siblings", "seed", "duplicates")
"""The options of a frontier that decide between equal nodes only, or when a duplicate is noticed."""
EFFORTS = ("expanded", "generated", "evaluated", "stored")
SUBOPTIMALITY = "suboptimality"
FIGURES = (*EFFORTS, "cost", "moves", SUBOPTIMALITY)
"""The figures of a row: columns of the results, and the cost of a solution divided by the optimal cost."""
EARLIEST, LATEST = 1900, 2100
"""The years of papers."""

Figures = float | str | dict[str, float]
"""A mean over the boards; a figure for each board; or the FILE.csv:COLUMN that has one for each board."""


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The figures of an algorithm.

    Attributes:
        name: the algorithm, as the paper calls it.
        frontier: the same, as searchlab spells it; `""` for the growth of a state space.
        domain, heuristic, boards, counted: as in the table, if they differ from it.
        layers: the number of states of each depth, from the start on.
        expanded, generated, evaluated, stored, cost, moves, suboptimality: the figures; suboptimality is the cost
            divided by the optimal cost.
    """

    name: str
    frontier: str = ""
    domain: str = ""
    heuristic: str | None = None
    boards: tuple[str, ...] = ()
    counted: str = ""
    layers: tuple[int, ...] = ()
    expanded: Figures | None = None
    generated: Figures | None = None
    evaluated: Figures | None = None
    stored: Figures | None = None
    cost: Figures | None = None
    moves: Figures | None = None
    suboptimality: Figures | None = None


class PaperTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a paper.

    Attributes:
        authors: their names, `I. Surname`.
        year: of the publication.
        venue: the title, and where it appeared.
        place: the number of the table, or the page.
        rows: the figures.
        domain: with parameters; by default that of `set.toml`.
        heuristic: `""` for frontiers without one.
        boards: the names of the files without `.txt`; by default all boards of the folder.
        counted: what is counted, how ties are broken, and other rules of the paper.
    """

    authors: tuple[str, ...]
    year: int
    venue: str
    rows: tuple[Row, ...]
    place: str = ""
    domain: str = ""
    heuristic: str = ""
    boards: tuple[str, ...] = ()
    counted: str = ""

    @property
    def short(self) -> str:
        """The source in a word or two.

        >>> PaperTable(("L. Siag", "A. Felner"), 2025, "", ()).short
        'Siag and Felner 2025'
        """
        names = [author.split()[-1] for author in self.authors]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        return f"{who} {self.year}"

    @property
    def source(self) -> str:
        """The source in full."""
        return f"{', '.join(self.authors)}: {self.venue} ({self.year}){f', {self.place}' if self.place else ''}"


class PublishedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a `published.toml`."""

    table: tuple[PaperTable, ...] = ()


STRUCTURES: Mapping[Place, type[msgspec.Struct]] = {("table",): PaperTable, ("table", "rows"): Row}


@dataclass(frozen=True)
class PublishedRow:
    """A row of a paper's table, with the values of the table that it does not give itself.

    Attributes:
        paper: the table.
        name: the algorithm, as the paper calls it.
        domain, heuristic, frontier: as searchlab spells them.
        boards: the boards that means are over.
        counted: what is counted, and other rules.
        figures: a mean, or a figure for each board, by name.
        layers: the number of states of each depth.
    """

    paper: PaperTable
    name: str
    domain: str
    heuristic: str
    frontier: str
    boards: tuple[str, ...]
    counted: str
    figures: Mapping[str, float | dict[str, float]]
    layers: tuple[int, ...] = ()


def published_rows(folder: Path) -> list[PublishedRow]:
    """Return the published figures for the boards of a folder; none without a file.

    Raises:
        UsageError: something in the file makes no sense; one line with the file, the line and the place.
    """
    file = folder / FILE
    if not file.is_file():
        return []
    content, _ = load_toml(file)
    with located(str(file)):
        tables = decoded(content, PublishedFile, STRUCTURES).table
        present = tuple(path.stem for path in sorted(folder.glob("*.txt"), key=natural_order))
        described = board_set(folder)
        usual = described.domain if described else ""
        return [row for number, table in enumerate(tables) for row in _rows(table, number, folder, present, usual)]


def _rows(table: PaperTable, number: int, folder: Path, present: tuple[str, ...], usual: str) -> Iterator[PublishedRow]:
    """Yield the rows of a table, checked; `usual` is the domain that the set names."""
    place = ("table", number)
    _check_source(table, place)
    for count, row in enumerate(table.rows):
        here = (*place, "rows", count)
        given = {name: getattr(row, name) for name in FIGURES if getattr(row, name) is not None}
        if bool(given) != bool(row.frontier) or (not given and not row.layers):
            wanted = f"a frontier and its figures ({', '.join(FIGURES)}), or the layers of a state space"
            raise SpecificationError(here, f"a row has {wanted}")
        boards = row.boards or table.boards or present
        unknown = next(
            (name for name in (*(row.boards or ()), *table.boards) if "#" not in name and name not in present), ""
        )
        if unknown:
            raise SpecificationError(
                (*here, "boards"), f"there is no board {unknown!r}: {did_you_mean(unknown, present)}"
            )
        domain = row.domain or table.domain or usual
        heuristic = table.heuristic if row.heuristic is None else row.heuristic
        if not domain:
            raise SpecificationError(here, "the domain is missing: name it here, in the table, or in set.toml")
        for key, name in (("domain", domain), ("heuristic", heuristic), ("frontier", row.frontier)):
            with at(*here, key):
                _ = name and parse_name(name)
        figures = {}
        for name, value in given.items():
            with at(*here, name):
                figures[name] = _figures(value, folder, boards)
        if any(layer < 1 for layer in row.layers):
            raise SpecificationError((*here, "layers"), "numbers of states from 1 on are wanted")
        rule = row.counted or table.counted
        yield PublishedRow(table, row.name, domain, heuristic, row.frontier, boards, rule, figures, row.layers)


def _check_source(table: PaperTable, place: Place) -> None:
    """Raise a SpecificationError if a table does not name the source of its figures."""
    if not table.authors or not all(author.split() for author in table.authors):
        raise SpecificationError((*place, "authors"), 'a list of names is wanted: ["R. E. Korf"]')
    if not EARLIEST <= table.year <= LATEST:
        raise SpecificationError((*place, "year"), f"a year is wanted, not {table.year}")
    if not table.venue.strip():
        raise SpecificationError((*place, "venue"), "say where the figures appeared")


def _figures(value: Figures, folder: Path, boards: Sequence[str]) -> float | dict[str, float]:
    """Return a mean, or the figures of boards, checked.

    Raises:
        UsageError: a number is below 0 or infinite, a board is unknown, or a column cannot be read.
    """
    if isinstance(value, str):
        value = _column(value, folder)
    found = value if isinstance(value, dict) else {"": value}
    if not found:
        raise UsageError("there is no figure in it")
    for board, number in found.items():
        if board and board not in boards:
            raise UsageError(f"there is no board {board!r}: {did_you_mean(board, boards)}")
        if not (isfinite(number) and number >= 0):
            raise UsageError(f"a figure is a number, 0 or more, not {number}")
    if not isinstance(value, dict) and not boards:
        raise UsageError("a mean is over boards: name them by boards = [\u2026]")
    return value


def _column(text: str, folder: Path) -> dict[str, float]:
    """Return the column of a CSV file, by the column `board`."""
    name, colon, column = text.partition(":")
    if not colon or not name.endswith(".csv") or Path(name).name != name:
        raise UsageError(
            f"a number, a table of boards, or FILE.csv:COLUMN of a file beside this one is wanted: {text!r}"
        )
    try:
        lines = read_bytes(folder / name).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{name}: not encoded in UTF-8") from None
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    for wanted in ("board", column):
        if wanted not in (rows.fieldnames or ()):
            raise UsageError(f"{name}: there is no column {wanted!r}: {did_you_mean(wanted, rows.fieldnames or ())}")
    try:
        return {row["board"]: float(row[column]) for row in rows if row[column]}
    except (ValueError, csv.Error) as error:
        raise UsageError(f"{name}, column {column}: {error}") from None


@dataclass(frozen=True)
class PublishedComparison:
    """Published figures beside those of runs.

    Attributes:
        table: a row for each published figure and each configuration of the runs that it belongs to.
        sources: where the figures are from, and what is counted, a line each.
        not_compared: the number of published figures without a ratio.
        without_runs: the number of published rows for these boards that no run belongs to.
    """

    table: pd.DataFrame
    sources: tuple[str, ...]
    not_compared: int = 0
    without_runs: int = 0

    def shown_columns(self) -> list[str]:
        """Return the names of the columns to show: those that add information to the others."""
        table = self.table
        alike = [name for name in SAID_ONCE if table[name].nunique(dropna=False) <= 1]
        silent = [*alike, *(name for name in ("seeds", "ours_spread") if table[name].isna().all())]
        return [str(name) for name in table.columns if name not in silent]

    def notes(self, columns: Collection[str] | None = None) -> list[str]:
        """Return the notes below the table, one line each.

        Args:
            columns: the columns that are shown; by default all.
        """
        table = self.table
        if table.empty:
            return [f"nothing is published of these runs; {FILE} beside their boards would say it"]
        shown = table.columns if columns is None else columns
        said = ((name, table[name].iloc[0]) for name in SAID_ONCE if name not in shown and name != "source")
        same = [f"{name} {value}" for name, value in said if not is_missing(value)]
        lines = [f"in all rows: {', '.join(same)}"] if same else []
        lines.append("ours, theirs: means over the same boards, ours over all seeds of each; ratio: ours \u00f7 theirs")
        if table["ours_spread"].notna().any() and "ours_spread" in shown:
            lines.append("ours_spread: standard deviation of ours over seeds, or repetitions where there is one seed")
        if self.not_compared:
            lines.append(
                "no ratio: a mean over all boards was published, and here some have no solution, or no optimal cost"
            )
        if self.without_runs:
            lines.append(f"published, too, without runs here: {counted(self.without_runs, 'row')}")
        return [*lines, *self.sources]


COLUMNS = {
    **dict.fromkeys(("source", "published", "domain", "heuristic", "frontier", "figure"), "string"),
    **dict.fromkeys(("ours", "ours_spread", "theirs", "ratio"), "Float64"),
    "boards": "string",
    "seeds": "Int64",
}
"""The columns of the comparison, with their types in pandas."""
IMPORTANCE = (
    *("published", "figure", "ours", "theirs", "ratio", "frontier", "heuristic", "ours_spread", "boards", "seeds"),
    *("source", "domain"),
)
"""Columns by importance; on a narrow page the last ones are left out first."""
SAID_ONCE = ("source", "domain", "heuristic")
"""Columns that a note or a source replaces if they are the same in all rows."""


def compare_published(runs: pd.DataFrame, plugins: Plugins) -> PublishedComparison:
    """Return the published figures for the boards of runs, beside those of the runs.

    Args:
        runs: searches, as `load_results` returns them.
        plugins: the plugins that names are looked up in; a name that none has is compared as it is written.

    Raises:
        UsageError: the runs are games, or a `published.toml` makes no sense.
    """
    import pandas as pd

    if run_kind_of(runs) is not SEARCHES:
        raise UsageError("published figures are compared with searches, and these are games")
    places = {name: board_folder(name) for name in runs["board_name"].dropna().astype(str).unique()}
    keys: dict[Path, dict[str, str]] = {}
    for name, place in places.items():
        if place is not None:
            keys.setdefault(place[0], {})[name] = place[1]
    meaning = _meanings(plugins)
    found: list[dict[str, Any]] = []
    used: dict[str, None] = {}
    without_runs = 0
    for folder in sorted(keys):
        key = runs["board_name"].map(keys[folder])
        configurations = _configurations(runs.assign(key=key)[key.notna()])
        for row in published_rows(folder):
            if not row.frontier:
                continue
            fitting = (group for names, group in configurations if _fits(names, row, meaning))
            lines = [line for group in fitting for line in _lines(group, row)]
            found += lines
            if lines:
                used[f"{row.paper.source}{f'; {row.counted}' if row.counted else ''}"] = None
            without_runs += not lines
    table = pd.DataFrame(found, columns=list(COLUMNS), dtype=object).astype(COLUMNS)
    return PublishedComparison(table, tuple(used), int(table["ratio"].isna().sum()), without_runs)


def _meanings(plugins: Plugins) -> Callable[[str, str], tuple[str, Mapping[str, Any]]]:
    """Return a function that returns the meaning of a name: the component, and all parameters except ties."""
    known = plugins.for_data("a published figure or a recorded run")

    @cache
    def meaning(kind: str, name: str) -> tuple[str, Mapping[str, Any]]:
        name = undated(name)
        try:
            spelled = parse_name(name)
        except UsageError:
            return name, {}
        try:
            registered = known.get(kind, spelled)
            component = registered.component
            values = resolve(name, component.own_parameters(), with_preset(component, spelled.parameters))
        except SearchlabError:
            return spelled.name, dict(spelled.parameters)
        whose = f"{registered.plugin.file} {component.name}"
        return whose, {key: value for key, value in values.items() if kind != "frontier" or key not in TIES}

    return meaning


def _configurations(runs: pd.DataFrame) -> list[tuple[dict[str, str], pd.DataFrame]]:
    """Return the names of each configuration by kind, `""` for no heuristic, and its runs."""
    kinds = ["domain", "heuristic", "frontier"]
    groups = [group for _, group in runs.groupby(kinds, dropna=False, observed=True, sort=True)]
    firsts = [group.iloc[0] for group in groups]
    return [
        ({kind: "" if is_missing(first[kind]) else str(first[kind]) for kind in kinds}, group)
        for first, group in zip(firsts, groups, strict=True)
    ]


def _fits(names: Mapping[str, str], row: PublishedRow, meaning: Callable[[str, str], object]) -> bool:
    """Return whether the runs of a configuration belong to a published row."""
    wanted = {"domain": row.domain, "heuristic": row.heuristic, "frontier": row.frontier}
    return all(
        names[kind] == name or (bool(name and names[kind]) and meaning(kind, name) == meaning(kind, names[kind]))
        for kind, name in wanted.items()
    )


def _lines(group: pd.DataFrame, row: PublishedRow) -> Iterator[dict[str, Any]]:
    """Yield the published figures of a row beside those of a configuration, as cells by column."""
    first = group.iloc[0]
    names = {kind: first[kind] for kind in ("domain", "heuristic", "frontier")}
    group = group[group["key"].isin(row.boards)]
    for figure, theirs in row.figures.items():
        ours = _by_board(group, figure)
        each = theirs if isinstance(theirs, dict) else dict.fromkeys(row.boards, theirs)
        common = [board for board in each if board in ours]
        is_comparable = len(common) == len(each) or (bool(common) and isinstance(theirs, dict))
        mean = fmean(ours[board] for board in common) if is_comparable else None
        published = fmean(each[board] for board in (common if is_comparable else each))
        yield {
            "source": row.paper.short,
            "published": row.name,
            **{kind: None if is_missing(name) else name for kind, name in names.items()},
            "figure": figure,
            "ours": mean,
            "ours_spread": None if mean is None else _spread(group[group["key"].isin(common)], figure),
            "theirs": published,
            "ratio": None if mean is None or not published else mean / published,
            "boards": f"{len(common):,} of {len(each):,}",
            "seeds": group["seed"].nunique() or None,
        }


def _known(group: pd.DataFrame, figure: str) -> pd.Series[float]:
    """Return the figure of each run that solved its board, missing for the others."""
    cost, optimal = group["cost"], group["optimal_cost"]
    values = cost / optimal.where(optimal > 0) if figure == SUBOPTIMALITY else group[figure]
    return values.astype("Float64").where(values.notna() & (group["status"] == "solved"))


def _by_board(group: pd.DataFrame, figure: str) -> dict[str, float]:
    """Return the mean of a figure over the runs of each board that all of them solved."""
    means = _known(group, figure).groupby(group["key"], observed=True).agg(["mean", "count", "size"])
    whole = means[means["count"] == means["size"]]
    return dict(zip(map(str, whole.index), map(float, whole["mean"]), strict=True))


def _spread(runs: pd.DataFrame, figure: str) -> float | None:
    """Return the spread of the mean of a figure over seeds or repetitions, None without one."""
    import pandas as pd

    found = spreads(runs, pd.Series(0, index=runs.index), _known(runs, figure), Quantity(figure, figure))
    return float(found[0]) if len(found) else None


def growth(domain: str, folder: Path, plugins: Plugins) -> PublishedRow | None:
    """Return the published number of states of each depth for a domain with parameters, or None."""
    meaning = _meanings(plugins)
    rows = (row for row in published_rows(folder) if row.layers)
    return next((row for row in rows if meaning("domain", row.domain) == meaning("domain", domain)), None)
