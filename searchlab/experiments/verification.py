"""Verification: repeat a sample of the recorded runs of an experiment, and compare their figures."""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.binding.instance_files import split_name
from searchlab.binding.names import files_in
from searchlab.board.files import find_board
from searchlab.errors import SearchlabError, UsageError
from searchlab.experiments.components import fingerprints_of
from searchlab.experiments.fingerprints import plugin_name
from searchlab.experiments.instances import FILE, GENERATED, GENERATOR
from searchlab.experiments.matrix import Matrix
from searchlab.experiments.replay import recorded_position
from searchlab.experiments.requests import VERSIONED, undated
from searchlab.experiments.runs import GAMES, Run, RunInstance
from searchlab.experiments.scheduler import run_matrix
from searchlab.experiments.specification import Experiment
from searchlab.experiments.store import Store
from searchlab.experiments.tables import load_results
from searchlab.model.costs import same_but_rounded
from searchlab.model.formatting import counted
from searchlab.model.limits import Limits
from searchlab.model.states import is_board
from searchlab.plugins.hookspecs import PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.experiments.progress import ExperimentState
    from searchlab.experiments.runs import RunKind
    from searchlab.plugins.registry import Plugins

    Row = Mapping[str, Any]

OF_SEARCHES = (
    *("status", "moves", "cost", "optimal", "lower_bound", "bound", "expanded", "generated", "evaluated", "reopened"),
    *("duplicates", "stored", "max_open", "expanded_backward", "met_at", "met_cost", "actions"),
)
OF_GAMES = ("status", "score", "largest_tile", "moves", "actions", "final")
"""The figures that are the same on every machine."""
OF_THE_MACHINE = ("time-limit", "memory-limit", "interrupted", "error")
"""How runs end whose figures depend on the machine."""
MORE_TIME = 10
"""A repeated run has this many times the recorded time limit: its machine may be slower."""
SEED = 1
KINDS = ("domain", "heuristic", "frontier", "player")


@dataclass(frozen=True)
class Difference:
    """A figure of a run that is not what was recorded.

    Attributes:
        figure: the name of the column.
        recorded, repeated: the two values, None for a missing one.
    """

    figure: str
    recorded: Any
    repeated: Any


@dataclass(frozen=True)
class Repetition:
    """A recorded run, repeated.

    Attributes:
        row: the recorded cells by column, with the run's number as `run`.
        differences: the figures that differ.
        failure: why the run cannot be repeated, `""` if it was.
        causes: the versions, plugins and machines that differ, if figures do.
    """

    row: Row
    differences: tuple[Difference, ...] = ()
    failure: str = ""
    causes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the run was repeated, with the recorded figures."""
        return not (self.differences or self.failure)


@dataclass(frozen=True)
class Verification:
    """The outcome of repeating a sample of runs.

    Attributes:
        repetitions: the runs of the sample, by number.
        runs: the number of runs the sample was drawn from.
        left_out: the number of runs whose figures depend on the machine, and were not drawn.
    """

    repetitions: tuple[Repetition, ...]
    runs: int
    left_out: int

    @property
    def holds(self) -> bool:
        """Whether all runs were repeated with their figures."""
        return all(repetition.holds for repetition in self.repetitions)


def verify(
    folder: str | Path,
    plugins: Plugins,
    *,
    sample: int = 20,
    seed: int = SEED,
    workers: int | None = None,
    on_progress: Callable[[ExperimentState], None] = lambda _: None,
    report: Callable[[str], None] = lambda _: None,
    how_to_load: Callable[[str], str] | None = None,
) -> Verification:
    """Repeat a sample of the runs of an experiment, and compare the figures that do not depend on the machine.

    Args:
        folder: the folder of the results, which is not changed.
        plugins: the plugins that names are looked up in. Python files in names must have been loaded.
        sample: the number of runs to repeat; all if there are fewer.
        seed: the seed by which they are drawn.
        workers: the number of simultaneous runs; by default the number of cores.
        on_progress: called with the state a few times a second.
        report: called with each message about plugins.
        how_to_load: returns how a user loads a plugin that is missing, for the error message, from its name or the
            path of its file; by default the message is that of the look-up.

    Raises:
        UsageError: there are no results, or none that another machine could repeat; or a plugin is not loaded.
        MachineError: the disk is full, or worker processes die.
        KeyboardInterrupt: Ctrl-C stopped the runs.
    """
    kind, rows = recorded_rows(folder)
    latest = set(load_results(folder, columns=["identity"])["identity"])
    rows = [row for row in rows if row["identity"] in latest]
    repeatable = [row for row in rows if not {row["status"], row.get("ended_by")} & {*OF_THE_MACHINE}]
    if not repeatable:
        why = "it has no runs" if not rows else "all its runs ended at a limit of time or memory, or with an error"
        raise UsageError(f"{folder}: nothing to verify: {why}")
    for_data = plugins.for_data("the recorded run")
    for file in dict.fromkeys(file for row in repeatable for name in _names(row, kind) for file in files_in(name)):
        for_data.check_named(file, how_to_load(file) if how_to_load else "")
    drawn = random.Random(seed).sample(repeatable, min(sample, len(repeatable)))
    planned: list[tuple[Row, Run | None, str]] = []
    for row in sorted(drawn, key=lambda row: int(row["run"])):
        try:
            planned.append((row, recorded_run(row, kind, plugins), ""))
        except SearchlabError as error:
            if missing := _missing_plugin(row, kind, plugins):
                said = how_to_load(missing) if how_to_load else str(error)
                raise UsageError(f"run {row['run']} uses the plugin {missing}, which is not loaded: {said}") from None
            planned.append((row, None, str(error)))
    found = _repeated([run for _, run, _ in planned if run], plugins, workers, on_progress, report)
    repetitions = tuple(
        _compared(row, found.get(run.identity) if run else None, kind, failure) for row, run, failure in planned
    )
    return Verification(repetitions, len(rows), len(rows) - len(repeatable))


def recorded_rows(folder: str | Path) -> tuple[RunKind, list[dict[str, Any]]]:
    """Return the kind of the runs in a folder, and their cells by column, each with its `provenance` and number `run`.

    Raises:
        UsageError: there are no results, or they cannot be read.
    """
    with Store(folder) as store:
        names = [name for name in (*store.kind.stored, "run") if name != "metrics"]
        rows = [
            dict(zip(names, cells, strict=True)) for some in store.columns(names) for cells in zip(*some, strict=True)
        ]
        provenances = {number: store.provenance(number) for number in {row["provenance"] for row in rows}}
    return store.kind, [{**row, "provenance": provenances[row["provenance"]]} for row in rows]


def _missing_plugin(row: Row, kind: RunKind, plugins: Plugins) -> str:
    """Return the name of a plugin that a recorded run used and that is not loaded, or `""` if all are loaded."""
    known = {plugin_name(plugin) for plugin in plugins.loaded}
    known |= {Path(file).stem for name in _names(row, kind) for file in files_in(name)}
    recorded: Mapping[str, str] = row["provenance"].get("plugins") or {}
    for name in recorded:
        is_of_plugin = not {":", "."} & set(name)  # others are values of a component, and data files
        if is_of_plugin and name not in known and name.partition("/")[0] != PROJECT:
            return name
    return ""


def _names(row: Row, kind: RunKind) -> list[str]:
    return [undated(row[part]) for part in kind.parts if row[part]]


def recorded_run(row: Row, kind: RunKind, plugins: Plugins) -> Run:
    """Return a recorded run, to be done again with the present code of its plugins.

    Args:
        row: the cells of the run by column.
        kind: the kind of the run.
        plugins: the plugins that names are looked up in.

    Raises:
        SearchlabError: a component or the board is no longer known, or the board is another one.
    """
    cells: dict[str, Any] = {
        name: undated(value) if name in VERSIONED and value else value for name, value in row.items()
    }
    plugins = plugins.for_data("the recorded run")
    domain, start = recorded_position({**cells, "board_name": cells["board_name"] or None}, plugins)
    instance = RunInstance(cells["board_name"], None)
    if start is not None and is_board(start):
        static = domain.instance.digest if domain.instance else ""
        origin = _origin(cells["board_name"], domain) if static else ()
        instance = RunInstance(instance.name, tuple(map(tuple, start.tiles.tolist())), static=static, origin=origin)
    parts = {part: str(cells[part]) for part in kind.parts if cells[part]}
    seconds = inf if cells["limit_seconds"] is None else MORE_TIME * cells["limit_seconds"]
    batch = cells.get("batch")
    return Run(
        instance,
        parts,
        Limits(seconds, cells["limit_memory"], cells.get("limit_expansions")),
        cells.get("engine") or "auto",
        None if batch == 1 else batch,
        cells["seed"],
        cells["repetition"],
        fingerprints_of(parts, plugins),
        cells.get("limit_moves"),
    )


def _origin(name: str, domain: BoundDomain) -> tuple[str, ...]:
    """Return the origin from which a worker reads a board with static data; see `RunInstance`."""
    if made := GENERATED.fullmatch(name):
        return GENERATOR, made["generator"], made["domain"] or domain.name, made["seed"]
    file, key = split_name(name)
    return FILE, str(find_board(file, lambda: domain.component.files.suffixes).absolute()), key


def _repeated(
    runs: Sequence[Run],
    plugins: Plugins,
    workers: int | None,
    on_progress: Callable[[ExperimentState], None],
    report: Callable[[str], None],
) -> dict[str, Row]:
    """Do runs as an experiment does; return their cells by identity."""
    runs = list({run.identity: run for run in runs}.values())  # versions of a component have become the present one
    if not runs:
        return {}
    boards, domains, heuristics, frontiers, players = (
        tuple(dict.fromkeys(filter(None, names)))
        for names in zip(*((run.instance.name, *(run.parts.get(kind) for kind in KINDS)) for run in runs), strict=True)
    )
    experiment = Experiment(
        name="verification",
        boards=boards,
        domains=domains,
        heuristics=heuristics,
        frontiers=frontiers,
        players=players,
    )
    matrix = Matrix(experiment, runs, [], (), boards, domains, heuristics, frontiers, players)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        state = run_matrix(matrix, plugins, folder=place, workers=workers, on_progress=on_progress, report=report)
        if state.stopping:  # what was not done says nothing
            raise KeyboardInterrupt
        return {row["identity"]: row for row in recorded_rows(place)[1]}


def _compared(row: Row, again: Row | None, kind: RunKind, failure: str) -> Repetition:
    """Return the recorded figures of a run beside those of its repetition."""
    if again is None:
        return Repetition(row, failure=failure or "it was not done")
    if again["status"] in OF_THE_MACHINE:
        said = f"{again['status']}{': ' if again['reason'] else ''}{again['reason'] or ''}"
        return Repetition(row, failure=said, causes=_causes(row, again))
    figures = OF_GAMES if kind is GAMES else OF_SEARCHES
    differences = tuple(
        Difference(name, row[name], again[name])
        for name in figures
        if not _equal(row[name], again[name]) and not (name == "actions" and row[name] is None)
    )
    return Repetition(row, differences, causes=_causes(row, again) if differences else ())


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return same_but_rounded(one, other)
    return bool(one == other)


def _causes(row: Row, again: Row) -> tuple[str, ...]:
    """Return the recorded versions, plugins and machine that are others now."""
    before, now = row["provenance"], again["provenance"]
    code, new_code = before.get("plugins") or {}, now.get("plugins") or {}
    names = sorted(code.keys() | new_code.keys())
    lines = [f"the code of {name} differs" for name in names if code.get(name) != new_code.get(name)]
    for table in ("versions", "machine"):
        old, new = before.get(table) or {}, now.get(table) or {}
        for name in sorted(old.keys() & new.keys() - {"host", "cores"}):
            if old[name] != new[name]:
                lines.append(f"{name} {new[name]}, recorded {old[name]}")
    return tuple(lines)


def sample_line(verification: Verification) -> str:
    """Return a line with the number of repeated runs and the number of all runs."""
    done = counted(len(verification.repetitions), "run")
    said = f"{done} of {verification.runs:,} repeated"
    if verification.left_out:
        are = "depends" if verification.left_out == 1 else "depend"
        said += (
            f"; {verification.left_out:,} {are} on the machine (limits of time and memory, errors) and were not drawn"
        )
    return said
