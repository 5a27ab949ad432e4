"""Runs: the searches and games of an experiment, in plain values that can travel to another process or machine."""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence  # msgspec reads the types when it decodes
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, chain
from math import isfinite
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, overload

from searchlab.binding.names import with_files
from searchlab.errors.cached import cached_property
from searchlab.experiments.columns import GAME_OUTCOME, GAME_RUN, RECORD, SEARCH_OUTCOME, SEARCH_RUN, Column
from searchlab.experiments.identities import SIZE, as_array
from searchlab.model.limits import Limits
from searchlab.model.results import STATUSES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

Rows = tuple[tuple[int, ...], ...]

_in_json = json.JSONEncoder(sort_keys=True).encode
"""The same as `json.dumps(…, sort_keys=True)`, which makes an encoder at each call."""
IDENTITY_FORMAT = 1
"""To be raised when the meaning of an identity changes."""


@dataclass(frozen=True, eq=False)
class RunKind:
    """A kind of runs: searches or games.

    Attributes:
        name: the plural of the kind.
        schema: the version of the schema of a store with such runs.
        parts: the kinds of components that a run combines, each a column.
        verb: the word for the kind in an identity.
        options: the attributes of `Run` that are part of the identity for this kind only.
        statuses: the possible statuses of a run.
        of_run, of_outcome, of_record: the columns that identify a run, that hold its outcome, and that say how it was
            done.
        order: the names of the columns of a table, in order.
    """

    name: str
    schema: int
    parts: tuple[str, ...]
    verb: str
    options: tuple[str, ...]
    statuses: tuple[str, ...]
    of_run: tuple[Column, ...]
    of_outcome: tuple[Column, ...]
    of_record: tuple[Column, ...]
    order: tuple[str, ...]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of a table of runs, as `searchlab.load_results` returns it."""
        by_name = {column.name: column for column in (*self.of_run, *self.of_outcome, *self.of_record)}
        return tuple(by_name[name] for name in self.order)

    @cached_property
    def stored(self) -> dict[str, Column]:
        """The columns of a store, by name."""
        order = (*self.of_run, *self.of_outcome, *sorted(self.of_record, key=lambda column: not column.is_stored))
        return {column.name: column for column in order if column.is_stored}

    @property
    def compared(self) -> tuple[str, ...]:
        """The columns of the components that are compared; their names may stand alone."""
        return self.parts[1:]

    @property
    def limit(self) -> str:
        """The column of the limit that only this kind has."""
        return self.of_run[-1].name

    @property
    def axes(self) -> tuple[str, ...]:
        """The columns in which the runs of an experiment differ intentionally."""
        return "board", *self.parts, "seed", "repetition", "limit_seconds", "limit_memory", self.limit


LAST = (
    *("attempt", "finished", "worker", "load", "clock", "host", "machine", "versions", "plugins", "identity", "run"),
)
"""The last columns of a table of runs: when, where and with what a run was done, and its names."""
SEARCHES = RunKind(
    "searches",
    schema=1,
    parts=("domain", "heuristic", "frontier"),
    verb="searched",
    options=("engine", "batch"),
    statuses=STATUSES,
    of_run=SEARCH_RUN,
    of_outcome=SEARCH_OUTCOME,
    of_record=RECORD,
    order=(
        *("board_name", "board", "domain", "heuristic", "frontier", "seed", "repetition"),
        *("status", "reason", "moves", "cost", "optimal_cost", "optimal", "lower_bound", "bound", "bound_by"),
        *("ended_by", "solutions"),
        *("expanded", "generated", "evaluated", "reopened", "duplicates", "stored", "max_open", "peak_bytes"),
        *("expanded_backward", "met_at", "met_cost"),
        *("seconds", "cpu_seconds", "actions", "engine", "batch"),
        *("limit_seconds", "limit_memory", "limit_expansions"),
        *LAST,
    ),
)
GAMES = RunKind(
    "games",
    schema=2,
    parts=("domain", "player"),
    verb="played",
    options=("most_moves",),
    statuses=("goal", "dead", "move-limit", "time-limit", "memory-limit", "error"),
    of_run=GAME_RUN,
    of_outcome=GAME_OUTCOME,
    of_record=RECORD,
    order=(
        *("board_name", "board", "domain", "player", "seed", "repetition"),
        *("status", "reason", "score", "largest_tile", "moves"),
        *("seconds", "cpu_seconds", "moves_per_second", "actions", "final"),
        *("limit_seconds", "limit_memory", "limit_moves"),
        *LAST,
    ),
)
RUN_KINDS = (SEARCHES, GAMES)


def run_kind_of(results: pd.DataFrame) -> RunKind:
    """Return the kind of the runs in a table that `load_results` returned."""
    return GAMES if "player" in results.columns else SEARCHES


@dataclass(frozen=True)
class RunInstance:
    """The start of a run: a board, or the opening of a domain.

    Attributes:
        name: the name of the board in tables: a file, a shipped board, a generator with a seed, or a domain's start as
            text.
        rows: the tiles, row by row; None if they could not be read, or if a run begins with the opening of its domain,
            or with a start that is not a board.
        fault: the reason why the board could not be read, else `""`.
        optimal: the optimal solution cost, or None if unknown.
        static: the digest of the static data, `""` if there is none.
        origin: the origin from which a worker loads it with its static data: see
            `searchlab.experiments.instances.instance_from`.
    """

    name: str
    rows: Rows | None
    fault: str = ""
    optimal: float | None = None
    static: str = ""
    origin: tuple[str, ...] = ()

    @cached_property
    def in_json(self) -> str:
        """The identity of the start, as JSON: the tiles, or whatever replaces them."""
        return _in_json([self.name, self.fault] if self.rows is None else self.rows)

    @property
    def is_opening(self) -> bool:
        """Whether it is the opening of a domain, or a start that is not a board."""
        return self.rows is None and not self.fault


@dataclass(frozen=True)
class Run:
    """A search or a game of an experiment.

    Attributes:
        instance: the start.
        parts: the names of the components by kind (`RunKind.parts`), without a heuristic if the frontier uses none.
            They can be looked up on any machine, and omit parameters with default values.
        limits: the limits of time, memory and expansions.
        engine: "auto", "compiled" or "readable".
        batch: nodes expanded before they are evaluated together, None for the default.
        seed: the seed of all components that take one, None if none does.
        repetition: 1 for the first of equal runs.
        plugins: the fingerprints of the plugins whose code runs, by plugin.
        most_moves: the number of moves after which a game is ended, None for the default of `sl.play`.
        repeat_until: see `Experiment`; it does not identify a run.
    """

    instance: RunInstance
    parts: Mapping[str, str]
    limits: Limits = field(default_factory=Limits)
    engine: str = "auto"
    batch: int | None = None
    seed: int | None = None
    repetition: int = 1
    plugins: Mapping[str, str] | None = None
    most_moves: int | None = None
    repeat_until: float | None = None

    @property
    def kind(self) -> RunKind:
        """Whether it is a search or a game."""
        return GAMES if "player" in self.parts else SEARCHES

    @cached_property
    def identity(self) -> str:
        """32 hexadecimal digits that identify the run on any machine.

        A board counts by its tiles, not its name; a plugin by its code, not the folder of its file.
        """
        return next(self.identities([self.seed], [self.repetition])).hex()

    def identities(self, seeds: Iterable[int | None], repetitions: Collection[int]) -> Iterator[bytes]:
        """Yield the identity in bytes of the run like this one with each seed and repetition."""
        before, after = self._identified_by
        begun = hashlib.sha256(f'{before}, "number": '.encode())
        for seed in seeds:
            given = "null" if seed is None else seed
            for repetition in repetitions:
                digest = begun.copy()
                digest.update(f"[{given}, {repetition}], {after}".encode())
                yield digest.digest()[:SIZE]

    @property
    def _identified_by(self) -> tuple[str, str]:
        """The identity of the run, as JSON with sorted keys: before and after its numbers, which are omitted."""
        instance, limits, kind = self.instance, self.limits, self.kind
        names = [_without_folders(self.parts.get(part, "")) for part in kind.parts]
        in_json = {  # its parts, most of which are those of many runs
            "board": instance.in_json,
            "format": _in_json(IDENTITY_FORMAT),
            "limits": _list_in_json(
                limits.seconds if isfinite(limits.seconds) else None, limits.memory, limits.expansions
            ),
            "plugins": _plugins_in_json(tuple((self.plugins or {}).items())),
            kind.verb: _list_in_json(*names, *(getattr(self, option) for option in kind.options)),
            **({"static": _in_json(instance.static)} if instance.static else {}),
        }
        parts = sorted(in_json.items())
        before, after = (
            ", ".join(f'"{key}": {value}' for key, value in parts if (key > "number") is follows)
            for follows in (False, True)
        )
        return f"{{{before}", f"{after}}}"


@dataclass(frozen=True, slots=True)
class RunSeries:
    """Runs that differ only in seed and repetition: the repetitions of the first seed, those of the second, and so on.

    Attributes:
        first: the first run.
        seeds: the seeds.
        repetitions: how many there are for each seed; the first run has the number of the first one.
    """

    first: Run
    seeds: Sequence[int | None]
    repetitions: int = 1

    def __len__(self) -> int:
        return len(self.seeds) * self.repetitions

    def run(self, place: int) -> Run:
        """Return the run at a place in the series."""
        if not place:
            return self.first
        seed, further = divmod(place, self.repetitions)
        return replace(self.first, seed=self.seeds[seed], repetition=self.first.repetition + further)

    def identities(self) -> Iterator[bytes]:
        """Yield the identity of each run in bytes."""
        first = self.first.repetition
        return self.first.identities(self.seeds, range(first, first + self.repetitions))


class RunList(Sequence[Run]):
    """Runs, each made when it is read: a million that are done are never made.

    Args:
        series: the runs in order.
    """

    def __init__(self, series: Iterable[RunSeries]) -> None:
        self._series = list(series)
        self._ends = array("q", accumulate(map(len, self._series)))

    @classmethod
    def of(cls, runs: Iterable[Run]) -> RunList:
        """Return runs as a list of this class."""
        return runs if isinstance(runs, cls) else cls(RunSeries(run, (run.seed,)) for run in runs)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, place: int) -> Run: ...

    @overload
    def __getitem__(self, place: slice) -> RunList: ...

    def __getitem__(self, place: int | slice) -> Run | RunList:
        if isinstance(place, slice):
            return RunList.of(self[each] for each in range(len(self))[place])
        place = range(len(self))[place]
        number = bisect_right(self._ends, place)
        series = self._series[number]
        return series.run(place - self._ends[number] + len(series))

    def __iter__(self) -> Iterator[Run]:
        for series in self._series:
            yield from map(series.run, range(len(series)))

    @cached_property
    def identities(self) -> bytes:
        """The identities of the runs, as `searchlab.experiments.identities.packed` returns them."""
        return b"".join(chain.from_iterable(series.identities() for series in self._series))

    def distinct(self) -> RunList:
        """Return these runs, each once."""
        import numpy as np

        _, first = np.unique(as_array(self.identities), return_index=True)
        return self if len(first) == len(self) else RunList.of(map(self.__getitem__, np.sort(first).tolist()))

    def those(self, wanted: NDArray[np.bool_]) -> list[Run]:
        """Return some of the runs, given whether each is wanted."""
        return list(map(self.__getitem__, wanted.nonzero()[0].tolist()))

    @property
    def instances(self) -> Iterator[RunInstance]:
        """The starts of the runs; a start may occur several times."""
        return (series.first.instance for series in self._series)

    @property
    def repeated(self) -> Iterator[Run]:
        """The runs that are repeated until their median time is known."""
        of_these = (series for series in self._series if series.first.repeat_until is not None)
        return (run for series in of_these for run in map(series.run, range(len(series))))


@lru_cache(maxsize=1024, typed=True)
def _list_in_json(*values: Any) -> str:
    return _in_json(values)


@lru_cache(maxsize=1024)
def _plugins_in_json(plugins: tuple[tuple[str, str], ...]) -> str:
    return _in_json(dict(plugins))


@lru_cache(maxsize=1024)
def _without_folders(name: str) -> str:
    """Return the name of a component without the folders of its files."""
    return with_files(name, lambda file: PurePath(file).name)


@dataclass(frozen=True)
class RunRecord:
    """The outcome of a run, as kept in a store.

    Attributes:
        run: the run.
        cells: the outcome, by the columns `RunKind.of_outcome`; None for a missing cell.
        metrics: further columns from plugins, by name.
        worker: the process that did the run: machine and process number.
        finished: the time in UTC, ISO 8601.
        provenance: the versions, plugins and machine of the run; plain values.
        load, clock: the load of the machine and its clock in MHz when the run ended, None if unknown.
    """

    run: Run
    cells: Mapping[str, Any]
    metrics: Mapping[str, Any]
    worker: str
    finished: str
    provenance: Mapping[str, Any]
    load: float | None = None
    clock: float | None = None
