"""Experiments: what is to be run, in plain values; read from a file, made in Python, or kept as JSON."""

from __future__ import annotations

import glob
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from searchlab.binding.names import with_files
from searchlab.errors import UsageError
from searchlab.experiments.decoding import SpecificationError, at, decoded
from searchlab.experiments.file_format import TABLES, ExperimentFile, LimitsTable, RecordTable
from searchlab.experiments.names import spelled_out
from searchlab.experiments.seeds import LARGEST, listed_seeds
from searchlab.files.toml import line_of, load_toml
from searchlab.model.limits import Limits, parse_bytes, parse_seconds
from searchlab.search.problem import LARGEST_EVALUATION_BATCH
from searchlab.search.solve import ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from searchlab.experiments.file_format import Entry, Exclusion, Generation

MOST = 1_000_000
"""Repetitions and generated boards beyond are a slip of the keyboard."""
MOST_MOVES = 10**9
"""Moves of a game beyond would never be made."""
LISTS = ("boards", "generate", "domains", "heuristics", "frontiers", "players", "seeds", "exclude")
NAMED = ("generator", "domain", "heuristic", "frontier", "player")
"""The keys of tables whose values are names of components."""

T = TypeVar("T", bound=msgspec.Struct)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What is to be run: every combination of its boards, domains, heuristics, frontiers, seeds and repetitions.

    With players, who take the place of heuristics and frontiers, each run is a game.

    Attributes:
        name: what it is called, one line.
        description: for people.
        boards: files, folders, patterns and names of shipped boards; games need none: they begin as their domain says.
        generate: boards to be generated besides.
        domains: by name; empty for what the `set.toml` beside a board says, else the only game its tiles fit, and
            for games without boards the one that is played by default.
        heuristics, frontiers: by name; empty for the domain's own.
        players: by name; empty for searches.
        seeds: what those parts of a run get that take a seed, and what games are played with.
        repetitions: how often each combination is run.
        order_seed: decides in which order the runs are done.
        engine: "auto", "compiled" or "readable".
        batch: nodes expanded before they are evaluated together, None for the default.
        limits: what each run may take.
        most_moves: moves after which a game is ended, None for as many as `sl.play` lets be made.
        exclude: combinations that are left out.
        solutions: whether the actions of solutions and games are recorded.
        source: the file it was read from, for errors; no part of what it is.

    Raises:
        SpecificationError: it makes no sense; one line that begins with the key.
    """

    name: str = "experiment"
    description: str = ""
    boards: tuple[str, ...] = ()
    generate: tuple[Generation, ...] = ()
    domains: tuple[str, ...] = ()
    heuristics: tuple[str, ...] = ()
    frontiers: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    repetitions: int = 1
    order_seed: int = 1
    engine: str = "auto"
    batch: int | None = None
    limits: Limits = field(default_factory=Limits)
    most_moves: int | None = None
    exclude: tuple[Exclusion, ...] = ()
    solutions: bool = True
    source: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        for key in LISTS:
            if isinstance(getattr(self, key), str):
                raise SpecificationError((key,), f"a list is wanted, not the text {getattr(self, key)!r:.40}")
            object.__setattr__(self, key, tuple(getattr(self, key)))
            _check_text(getattr(self, key), key)
        _check_text([self.description], "description")
        if not self.name.strip() or not self.name.isprintable():
            raise SpecificationError(("name",), f"one line of text is wanted, not {self.name!r:.40}")
        if not self.boards and not self.generate and not self.players:
            raise SpecificationError(("boards",), "there are none: name files, folders or shipped boards")
        if self.engine not in ENGINES:
            raise SpecificationError(("engine",), f"one of {', '.join(ENGINES)} is wanted, not {self.engine!r:.40}")
        _check_number(self.repetitions, 1, MOST, "repetitions")
        _check_number(self.order_seed, 0, LARGEST, "order-seed")
        _check_number(1 if self.batch is None else self.batch, 1, LARGEST_EVALUATION_BATCH, "batch")
        _check_number(self.most_moves or 0, 0, MOST_MOVES, "limits", "moves")
        for number, generation in enumerate(self.generate):
            _check_number(generation.count, 1, MOST, "generate", number, "count")
            _check_number(generation.seed, 0, LARGEST - MOST, "generate", number, "seed")
        for number, exclusion in enumerate(self.exclude):
            if not str(exclusion):
                wanted = "board, domain, heuristic, frontier nor player"
                raise SpecificationError(("exclude", number), f"it says neither {wanted}")
        self._check_kind()

    def _check_kind(self) -> None:
        """Raise a SpecificationError where searches and games are mixed."""
        if not self.players:
            if self.most_moves is not None:
                raise SpecificationError(("limits", "moves"), "it limits games, and there are no players")
            return
        for key, of_searches in {
            ("heuristics",): self.heuristics,
            ("frontiers",): self.frontiers,
            ("engine",): self.engine != "auto",
            ("batch",): self.batch is not None,
            ("limits", "expansions"): self.limits.expansions is not None,
        }.items():
            if of_searches:
                raise SpecificationError(key, "it is for searches, and players play games: make two experiments of it")

    def as_json(self) -> str:
        """Return it as JSON, in the shape of an experiment file in which every name is spelled out."""
        seconds = self.limits.seconds if isfinite(self.limits.seconds) else None
        tables: dict[str, Any] = {
            "limits": LimitsTable(seconds, self.limits.memory, self.limits.expansions, self.most_moves),
            "record": RecordTable(self.solutions),
        }
        others = {key: getattr(self, key) for key in ExperimentFile.__struct_fields__ if key not in tables}
        return msgspec.json.format(msgspec.json.encode(ExperimentFile(**others, **tables))).decode()

    @classmethod
    def from_json(cls, text: str) -> Experiment:
        """Return the experiment that `as_json` wrote down.

        Raises:
            UsageError: the text is none.
        """
        try:
            content = msgspec.json.decode(text, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeError) as error:
            raise UsageError(f"no experiment: {error}") from None
        return _experiment(content, Path())


def read_experiment(path: str | Path) -> Experiment:
    """Read an experiment file.

    Boards and `FILE.py:function` that are found beside the file are meant there; whatever else is named is looked for
    in the current folder and among what ships with searchlab.

    Raises:
        UsageError: the file cannot be read, or something in it makes no sense; one line with file and place.
    """
    file = Path(path)
    content, _ = load_toml(file)
    with located(str(file)):
        return _experiment({"name": file.stem, **content}, file.parent, str(file))


@contextmanager
def located(source: str) -> Iterator[None]:
    """Name the file and the line in errors about a specification that was read from a file; without one do nothing."""
    try:
        yield
    except SpecificationError as error:
        if not source:
            raise
        line = line_of(load_toml(Path(source))[1], error.place) if os.path.isfile(source) else 0  # no pipe has it twice
        raise UsageError(f"{source}{f', line {line}' if line else ''}: {error}") from error


def _experiment(content: Mapping[str, Any], folder: Path, source: str = "") -> Experiment:
    """Return the experiment that a file in a folder describes."""
    read = decoded(content, ExperimentFile, TABLES)
    with at("seeds"):
        seeds = listed_seeds(read.seeds)
    return Experiment(
        name=read.name,
        description=read.description,
        boards=tuple(_board_beside(folder, board) for board in read.boards),
        generate=tuple(_beside(folder, generation) for generation in read.generate),
        domains=_names(read.domains, folder, "domains"),
        heuristics=_names(read.heuristics, folder, "heuristics"),
        frontiers=_names(read.frontiers, folder, "frontiers"),
        players=_names(read.players, folder, "players"),
        seeds=seeds,
        repetitions=read.repetitions,
        order_seed=read.order_seed,
        engine=read.engine,
        batch=read.batch,
        limits=_limits(read.limits),
        most_moves=read.limits.moves,
        exclude=tuple(_beside(folder, exclusion) for exclusion in read.exclude),
        solutions=read.record.solutions,
        source=source,
    )


def _names(entries: Iterable[Entry], folder: Path, key: str) -> tuple[str, ...]:
    """Return the names that the entries of a key stand for."""
    return tuple(
        _file_beside(folder, name) for number, entry in enumerate(entries) for name in spelled_out(entry, (key, number))
    )


def _limits(table: LimitsTable) -> Limits:
    with at("limits", "time"):
        seconds = parse_seconds(table.time) if isinstance(table.time, str) else table.time
        timed = Limits() if seconds is None else Limits(seconds)
    with at("limits", "memory"):
        memory = parse_bytes(table.memory) if isinstance(table.memory, str) else table.memory
        Limits(memory=memory)
    with at("limits", "expansions"):
        return Limits(timed.seconds, memory, table.expansions)


def _board_beside(folder: Path, name: str) -> str:
    """Return a board's name, or the path from here to what lies beside the experiment file under this name."""
    beside = str(folder / name)
    return beside if os.path.exists(beside) or glob.glob(beside, recursive=True) else name


def _file_beside(folder: Path, name: str) -> str:
    """Return a spelled name in which Python files beside the experiment file are given by their paths from here."""
    return with_files(name, lambda file: str(folder / file) if (folder / file).is_file() else file)


def _beside(folder: Path, table: T) -> T:
    """Return a table of names with the files in them given by their paths from here."""
    named = {key: _file_beside(folder, getattr(table, key)) for key in NAMED if hasattr(table, key)}
    return msgspec.structs.replace(table, **named)


def _check_text(values: Iterable[object], key: str) -> None:
    """Raise a SpecificationError where a text cannot be written down, as the name of a file may be that is no UTF-8."""
    for value in values:
        try:
            str(value).encode()
        except UnicodeEncodeError:
            raise SpecificationError((key,), f"{str(value)!r:.40} is not valid UTF-8: rename it") from None


def _check_number(number: int, least: int, most: int, *place: str | int) -> None:
    if not least <= number <= most:
        what = f"at most {most:,}" if number > most else f"{least} or more"
        raise SpecificationError(place, f"a whole number, {what}, is wanted, not {number}")
