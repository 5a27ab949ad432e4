"""The specification of an experiment: read from a file, made in Python, or kept as JSON.

A file is read strictly: errors name the key, and the line if it is TOML.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields
from itertools import product
from math import isfinite, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from searchlab.binding.names import format_name, format_value, parse_name, with_files
from searchlab.errors import BoardError, UsageError, did_you_mean, shown
from searchlab.files import python_file_instead, read_text
from searchlab.files.toml import ESCAPES, line_of, load_toml, place_name
from searchlab.model.limits import Limits, parse_bytes, parse_seconds
from searchlab.search.problem import LARGEST_EVALUATION_BATCH
from searchlab.search.solve import ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from searchlab.files.toml import Place

MOST = 1_000_000
"""Larger numbers of repetitions, generated boards, seeds and values of parameters are a slip of the keyboard."""
MOST_RUNS = 10 * MOST
"""The largest number of runs of an experiment, which are held in memory."""
MOST_MOVES = 10**9
"""Nobody would make more moves in a game."""
LARGEST_SEED = 2**63 - 1
LEAST_REPEATED, MOST_REPEATED = 3, 30
"""How often a run with `repeat_until` is done at least, and at most."""
PERCENT = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*%\s*", re.ASCII)
SEEDS = re.compile(r"\s*(\d{1,20})\s*(?:-\s*(\d{1,20})\s*)?")
LISTS = ("boards", "generate", "domains", "heuristics", "frontiers", "players", "seeds", "pair", "exclude", "runs")
NAMES = ("boards", "domains", "heuristics", "frontiers", "players")
"""The lists of names, by which results tell runs apart."""
PAIRED = (*NAMES, "seeds")
"""The lists that `pair` may name."""
COMPONENT_KEYS = ("generator", "domain", "heuristic", "frontier", "player")
"""The keys of tables with names of components as values."""
NAME = "name"
"""The key of a table of parameters that names the component."""
WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
"""msgspec's names of types in plain words."""
WRONG_TYPE = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `[^`]*`")
UNKNOWN_KEY = re.compile(r"Object contains unknown field `(?P<key>.*)`")
MISSING_KEY = re.compile(r"Object missing required field `(?P<key>.*)`")
MESSAGE = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
STEP = re.compile(r"\[(?P<number>\d+)\]|\.?(?P<key>[^.\[]+)")

T = TypeVar("T", bound=msgspec.Struct)


class SpecificationError(UsageError):
    """A specification is invalid.

    Attributes:
        place: the keys and numbers that lead to the invalid value.
        message: the message without the place.
    """

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(f"{place_name(place)}: {message}" if place else message)
        self.place, self.message = place, message


Entry = str | dict[str, Any]
"""The name of a component, or a table with its name and lists of parameters."""


class Generation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Boards to be generated.

    Attributes:
        generator: the name of the generator with parameters.
        domain: the domain of the boards; by default the first of the experiment's domains that the generator supports,
            else the only domain it supports.
        count: the number of boards.
        seed: the seed of the first board; each further board has the next seed.
    """

    generator: str
    domain: str = ""
    count: int = 1
    seed: int = 1


class Exclusion(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Excluded combinations: those that match all attributes.

    Attributes:
        board: the name of a board or a pattern like `korf100/*`, `""` for any.
        domain, heuristic, frontier, player: a name, `""` for any. It matches all values of parameters that it omits.
    """

    board: str = ""
    domain: str = ""
    heuristic: str = ""
    frontier: str = ""
    player: str = ""

    def __str__(self) -> str:
        given = {kind: getattr(self, kind) for kind in self.__struct_fields__}
        return ", ".join(f"{kind} {name}" for kind, name in given.items() if name)


class LimitsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The limits of each run: numbers, or texts with a unit."""

    time: float | str | None = None
    memory: int | str | None = None
    expansions: int | None = None
    moves: int | None = None


class RecordTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is recorded besides figures."""

    solutions: bool = True


class TunedParameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A parameter that `searchlab tune` tunes.

    Attributes:
        name: the kind of the component and the parameter, as in `frontier.weight`. More parts lead into the value, as
            in `player.heuristic.blanks`. The entries of a list are numbered from 1: `heuristic.of.2.corner`.
        low, high: the range of the values, both ends included; None for the range that the component declares.
        log: whether values are drawn on a logarithmic scale; None for the scale that the component declares.
        choices: the values, in place of a range.
    """

    name: str
    low: float | None = None
    high: float | None = None
    log: bool | None = None
    choices: tuple[bool | int | float | str, ...] = ()


class TuneTable(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True, rename="kebab"
):
    """The parameters that `searchlab tune` tunes, and how.

    Attributes:
        parameters: names of parameters, or tables with the name and a range.
        tries: the number of tries, each with other values.
        objective: the figure to be minimized, or maximized if `Quantity.better` says so; `""` for expansions or scores.
        unsolved: the value that counts for a run without a solution; None for the limit of the objective.
        validation: the share of boards that the tries do not see, drawn by `seed`; or a list of names of boards; or, if
            there is only one board, of seeds.
        sampler: the name of the sampler.
        seed: the seed of everything random.
        parallel_tries: the number of tries that are chosen before the outcome of any of them is known.
        prune: whether tries that do worse than the best are ended early.
    """

    parameters: tuple[str | TunedParameter, ...]
    tries: int = 100
    objective: str = ""
    unsolved: float | None = None
    validation: float | tuple[int | str, ...] = 0.5
    sampler: str = "tpe"
    seed: int = 1
    parallel_tries: int = 4
    prune: bool = True


class BlockTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="kebab"):
    """A block of an experiment; `Experiment` explains the keys."""

    name: str = ""
    description: str = ""
    boards: tuple[str, ...] = ()
    generate: tuple[Generation, ...] = ()
    domains: tuple[Entry, ...] = ()
    heuristics: tuple[Entry, ...] = ()
    frontiers: tuple[Entry, ...] = ()
    players: tuple[Entry, ...] = ()
    seeds: int | str | tuple[int | str, ...] = ()
    pair: tuple[str, ...] = ()
    repetitions: int = 1
    repeat_until: str = ""
    engine: str = "auto"
    batch: int | None = None
    limits: LimitsTable = LimitsTable()
    exclude: tuple[Exclusion, ...] = ()


class ExperimentFile(BlockTable, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="kebab"):
    """An experiment file, or the JSON of an experiment; `Experiment` explains the keys."""

    order_seed: int = 1
    record: RecordTable = RecordTable()
    runs: tuple[BlockTable, ...] = ()
    tune: TuneTable | None = None


OF_BLOCK: Mapping[Place, type[msgspec.Struct]] = {
    ("generate",): Generation,
    ("limits",): LimitsTable,
    ("exclude",): Exclusion,
}
TABLES: Mapping[Place, type[msgspec.Struct]] = {
    (): ExperimentFile,
    **OF_BLOCK,
    ("record",): RecordTable,
    ("runs",): BlockTable,
    **{("runs", *place): table for place, table in OF_BLOCK.items()},
    ("tune",): TuneTable,
    ("tune", "parameters"): TunedParameter,
}
"""The tables of the file by their places."""
BLOCK_ATTRIBUTES = (*(key for key in BlockTable.__struct_fields__ if key not in ("name", "description")), "most_moves")
"""The attributes of an experiment that its blocks have instead."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment: every combination of boards, domains, heuristics, frontiers, seeds and repetitions is a run.

    With players instead of heuristics and frontiers, each run is a game. With blocks, the runs are those of all blocks.

    Attributes:
        name: the name of the experiment, one line.
        description: free text.
        boards: files, folders, patterns and names of shipped boards. Games need no boards, because domains have
            openings.
        generate: further boards to generate.
        domains: names. By default a board has the domain in the `set.toml` beside the file, or else the only game that
            the tiles fit; games without boards use the default game.
        heuristics, frontiers: names; by default the domain's own.
        players: names; empty for searches.
        seeds: the seeds of games and of components that take a seed: numbers, and ranges such as "1-20".
        pair: names (see `PAIRED`) of lists that are combined entry by entry: the first entry of each, the second of
            each and so on, instead of all combinations.
        repetitions: the number of runs of each combination.
        repeat_until: a percentage, or None. Each run is repeated until the 95 % interval of the median time lies within
            this percentage of the median, at least `repetitions` and 3 times, at most 30 times.
        order_seed: the seed of the order of runs.
        engine: "auto", "compiled" or "readable".
        batch: the number of nodes expanded before they are evaluated together, None for the default.
        limits: the limits of each run.
        most_moves: the number of moves after which a game is ended, None for the default of `sl.play`.
        exclude: excluded combinations.
        solutions: whether the actions of solutions and games are recorded.
        runs: blocks, each an experiment without blocks. The experiment itself then has no lists; `limits`, `engine` and
            similar values are set in the blocks. A run that occurs in several blocks is done once.
        tune: what `searchlab tune` tunes; None for an experiment for `searchlab run`.
        source: the experiment file, for errors; ignored when experiments are compared.

    Raises:
        SpecificationError: a value is invalid. The message is one line that begins with the key.
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
    pair: tuple[str, ...] = ()
    repetitions: int = 1
    repeat_until: float | None = None
    order_seed: int = 1
    engine: str = "auto"
    batch: int | None = None
    limits: Limits = field(default_factory=Limits)
    most_moves: int | None = None
    exclude: tuple[Exclusion, ...] = ()
    solutions: bool = True
    runs: tuple[Experiment, ...] = ()
    tune: TuneTable | None = None
    source: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        for key in LISTS:
            value = getattr(self, key)
            if isinstance(value, str) or not isinstance(value, Iterable):
                what = f"the text {value!r:.40}" if isinstance(value, str) else shown(value)
                raise SpecificationError((key,), f"a list is wanted, not {what}")
            object.__setattr__(self, key, tuple(value))
            _check_text(getattr(self, key), key)
        with at("seeds"):
            object.__setattr__(self, "seeds", listed_seeds(self.seeds))
        for key in NAMES:
            for number, name in enumerate(getattr(self, key)):
                if not isinstance(name, str):
                    wanted = "FILE.py:NAME" if callable(name) else "its file, or a shipped one"
                    raise SpecificationError((key, number), f"a name is wanted ({wanted}), not {shown(name)}")
        if not isinstance(self.limits, Limits):
            raise SpecificationError(
                ("limits",), f"an sl.Limits is wanted, such as sl.Limits(seconds=5), not {shown(self.limits)}"
            )
        _check_text([self.description], "description")
        if not self.name.strip() or not self.name.isprintable():
            raise SpecificationError(("name",), f"one line of text is wanted, not {self.name!r:.40}")
        if self.name in (".", "..") or "/" in self.name or "\\" in self.name:
            wanted = "its results go to results/NAME; leave out slashes, or say --output FOLDER"
            raise SpecificationError(("name",), f"{shown(self.name)} is not the name of a folder: {wanted}")
        if self.runs:
            self._check_blocks()
        elif not (self.boards or self.generate or self.players or self.domains):
            wanted = "files, folders or shipped boards, or a domain that has a start"
            raise SpecificationError(("boards",), f"name {wanted}")
        if self.engine not in ENGINES:
            raise SpecificationError(("engine",), f"one of {', '.join(ENGINES)} is wanted, not {self.engine!r:.40}")
        _check_number(self.repetitions, 1, MOST, "repetitions")
        if self.repeat_until is not None:
            with at("repeat-until"):
                check_percent(self.repeat_until)
            _check_number(self.repetitions, 1, MOST_REPEATED, "repetitions")
        _check_number(self.order_seed, 0, LARGEST_SEED, "order-seed")
        _check_number(1 if self.batch is None else self.batch, 1, LARGEST_EVALUATION_BATCH, "batch")
        _check_number(0 if self.most_moves is None else self.most_moves, 0, MOST_MOVES, "limits", "moves")
        for number, generation in enumerate(self.generate):
            _check_number(generation.count, 1, MOST, "generate", number, "count")
            _check_number(generation.seed, 0, LARGEST_SEED - MOST, "generate", number, "seed")
        for number, exclusion in enumerate(self.exclude):
            if not str(exclusion):
                wanted = "board, domain, heuristic, frontier nor player"
                raise SpecificationError(("exclude", number), f"it says neither {wanted}")
        self._check_pair()
        self._check_kind()

    @property
    def least_repetitions(self) -> int:
        """The smallest number of times that each run is done."""
        return self.repetitions if self.repeat_until is None else max(self.repetitions, LEAST_REPEATED)

    @property
    def blocks(self) -> tuple[Experiment, ...]:
        """The blocks, or the experiment itself if it has none."""
        return self.runs or (self,)

    @property
    def are_games(self) -> bool:
        """Whether the runs are games, not searches."""
        return bool(self.blocks[0].players)

    def _check_blocks(self) -> None:
        """Raise a SpecificationError if a block is invalid, or the experiment itself has lists besides blocks."""
        for number, block in enumerate(self.runs):
            if not isinstance(block, Experiment):
                raise SpecificationError(("runs", number), f"an Experiment is wanted, not {shown(block)}")
            if block.runs:
                raise SpecificationError(("runs", number, "runs"), "a block has no blocks")
            for key, is_given in {"order-seed": block.order_seed != 1, "record": not block.solutions}.items():
                if is_given:
                    raise SpecificationError(("runs", number, key), "it is one for all blocks: give it outside of runs")
            if bool(block.players) != self.are_games:
                first = "games, and these are searches" if self.are_games else "searches, and these are games"
                raise SpecificationError(("runs", number), f"the first block has {first}: make two experiments of it")
        for each in fields(self):
            default = each.default if each.default_factory is MISSING else each.default_factory()
            if each.name in BLOCK_ATTRIBUTES and getattr(self, each.name) != default:
                raise SpecificationError((each.name.replace("_", "-"),), "there are blocks: give it in each of runs")

    def _check_pair(self) -> None:
        """Raise a SpecificationError if `pair` is invalid; boards are counted once their files are known."""
        for number, key in enumerate(self.pair):
            if key not in PAIRED:
                raise SpecificationError(("pair", number), f"there is no such list: {did_you_mean(str(key), PAIRED)}")
            if key in self.pair[:number]:
                raise SpecificationError(("pair", number), f"{key} is named twice")
            if not getattr(self, key) and not (key == "boards" and self.generate):
                raise SpecificationError(("pair", number), f"there are no {key} to go together with others")
        if len(self.pair) == 1:
            raise SpecificationError(("pair",), "two lists or more go together: name another one")
        check_lengths({key: len(getattr(self, key)) for key in self.pair if key != "boards"})

    def _check_kind(self) -> None:
        """Raise a SpecificationError if searches and games are mixed."""
        if not self.players:
            if self.most_moves is not None and not self.runs:
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
        """Return the experiment as JSON, with the keys of an experiment file and every name written in full."""
        blocks = tuple(BlockTable(**block._block_keys()) for block in self.runs)
        further: dict[str, Any] = {"order_seed": self.order_seed, "record": RecordTable(self.solutions), "runs": blocks}
        further["tune"] = self.tune
        return msgspec.json.format(msgspec.json.encode(ExperimentFile(**self._block_keys(), **further))).decode()

    def _block_keys(self) -> dict[str, Any]:
        """Return the values of the keys that blocks can have, too."""
        seconds = self.limits.seconds if isfinite(self.limits.seconds) else None
        limits = LimitsTable(seconds, self.limits.memory, self.limits.expansions, self.most_moves)
        others = {key: getattr(self, key) for key in BlockTable.__struct_fields__}
        repeated = "" if self.repeat_until is None else f"{self.repeat_until!r}%"
        return {**others, "limits": limits, "repeat_until": repeated}

    @classmethod
    def from_json(cls, text: str) -> Experiment:
        """Return the experiment that `as_json` described.

        Raises:
            UsageError: the text does not describe an experiment.
        """
        try:
            content = msgspec.json.decode(text, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise UsageError(f"no experiment: {error}") from None
        return _experiment(content, Path())


def read_experiment(path: str | Path) -> Experiment:
    """Read an experiment file.

    Boards and Python files are looked for beside the experiment file first, then in the current folder and among the
    shipped files. An experiment leaves an `experiment.json` beside its results; names in it are looked for as they were
    when the experiment was run.

    Raises:
        UsageError: the file cannot be read or is invalid. The message is one line with file and place.
    """
    if not isinstance(path, str | os.PathLike):
        raise UsageError(f"an experiment is an sl.Experiment or the path of a file, not {shown(path)}")
    file = Path(path)
    if file.suffix == ".json":
        text = read_text(file)
        try:
            return Experiment.from_json(text)
        except UsageError as error:
            raise UsageError(f"{file}: {error}") from None
    if file.suffix == ".py" and file.is_file():
        raise UsageError(python_file_instead(file, "an experiment (.toml)"))
    content, _ = load_toml(file)
    with located(str(file)):
        return _experiment({"name": file.stem, **content}, file.parent, str(file))


@contextmanager
def located(source: str) -> Iterator[None]:
    """Add file and line to errors about a specification, if it was read from a file."""
    try:
        yield
    except SpecificationError as error:
        if not source:
            raise
        line = 0
        if os.path.isfile(source):  # a pipe cannot be read twice
            content, text = load_toml(Path(source))
            error = _at_top_level(error, content)
            line = line_of(text, error.place)
        raise UsageError(f"{source}{f', line {line}' if line else ''}: {error}") from error


def _at_top_level(error: SpecificationError, content: Mapping[str, Any]) -> SpecificationError:
    """Return the error for a key of a block; if the block lacks the key, the error for the key at the top level."""
    if error.place[:1] != ("runs",) or len(error.place) < 3:
        return error
    place: Place = error.place[2:]
    given: Any = content["runs"][error.place[1]]
    for key in place[: 2 if place[0] == "limits" else 1]:
        if key not in given and place[0] in content:
            return SpecificationError(place, error.message)
        given = given.get(key, {})
    return error


def _experiment(content: Mapping[str, Any], folder: Path, source: str = "") -> Experiment:
    """Return the experiment that the content of a file in a folder describes."""
    read = decoded(content, ExperimentFile, TABLES)
    further: dict[str, Any] = {"order_seed": read.order_seed, "solutions": read.record.solutions, "tune": read.tune}
    further["source"] = source
    if "runs" not in content:
        return Experiment(**_of_block(read, folder), **further)
    if not read.runs:
        raise SpecificationError(("runs",), "an empty list leaves nothing to do")
    blocks = []
    for number, table in enumerate(content["runs"]):
        with within("runs", number):
            whole = decoded(_inheriting(table, content, f"block {number + 1}"), BlockTable, OF_BLOCK)
            blocks.append(Experiment(**_of_block(whole, folder)))
    return Experiment(name=read.name, description=read.description, runs=tuple(blocks), **further)


def _inheriting(table: Mapping[str, Any], content: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the content of a block, completed by the content of the top level; limits are completed one by one."""
    inherited = {*BlockTable.__struct_encode_fields__} - {"name", "description"}
    outside = {key: value for key, value in content.items() if key in inherited}
    limits = {**outside.get("limits", {}), **table.get("limits", {})}
    return {"name": name, **outside, **table, **({"limits": limits} if limits else {})}


def _of_block(read: BlockTable, folder: Path) -> dict[str, Any]:
    """Return the attributes of an experiment that a block gives."""
    with at("seeds"):
        seeds = listed_seeds(read.seeds)
    return {
        "name": read.name,
        "description": read.description,
        "boards": tuple(_board_beside(folder, board, number) for number, board in enumerate(read.boards)),
        "generate": tuple(_beside(folder, generation) for generation in read.generate),
        "domains": _names(read.domains, folder, "domains"),
        "heuristics": _names(read.heuristics, folder, "heuristics"),
        "frontiers": _names(read.frontiers, folder, "frontiers"),
        "players": _names(read.players, folder, "players"),
        "seeds": seeds,
        "pair": read.pair,
        "repetitions": read.repetitions,
        "repeat_until": _percent(read.repeat_until),
        "engine": read.engine,
        "batch": read.batch,
        "limits": _limits(read.limits),
        "most_moves": read.limits.moves,
        "exclude": tuple(_beside(folder, exclusion) for exclusion in read.exclude),
    }


def _names(entries: Iterable[Entry], folder: Path, key: str) -> tuple[str, ...]:
    """Return the names of the entries of a key, with the paths of files beside the experiment file."""
    return tuple(
        _file_beside(folder, name) for number, entry in enumerate(entries) for name in spelled_out(entry, (key, number))
    )


def _percent(text: str) -> float | None:
    with at("repeat-until"):
        return parse_percent(text) if text else None


def parse_percent(text: str) -> float:
    """Return the number in a percentage.

    >>> parse_percent("2.5%")
    2.5

    Raises:
        UsageError: the text is not a percentage above 0 %.
    """
    found = PERCENT.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r:.40} is not a percentage; write for example 5%")
    percent = float(found[1])
    check_percent(percent)
    return percent


def check_percent(percent: float) -> None:
    """Raise a UsageError for a percentage that no interval can have."""
    is_number = isinstance(percent, int | float) and not isinstance(percent, bool)
    if not (is_number and 0 < percent < 100):
        raise UsageError(f"more than 0 % and less than 100 % are wanted, not {shown(percent)}")


def _limits(table: LimitsTable) -> Limits:
    with at("limits", "time"):
        seconds = parse_seconds(table.time) if isinstance(table.time, str) else table.time
        timed = Limits() if seconds is None else Limits(seconds)
    with at("limits", "memory"):
        memory = parse_bytes(table.memory) if isinstance(table.memory, str) else table.memory
        Limits(memory=memory)
    with at("limits", "expansions"):
        return Limits(timed.seconds, memory, table.expansions)


def _board_beside(folder: Path, name: str, number: int) -> str:
    """Return a board's name, or its path if it lies beside the experiment file.

    Raises:
        SpecificationError: there is no such file, and the name contains the character of a TOML escape.
    """
    beside = str(folder / name)
    if os.path.exists(beside) or glob.glob(beside, recursive=True):
        return beside
    if re.search(r"[\x00-\x1f]", name) and not os.path.exists(name):
        raise SpecificationError(("boards", number), f"{shown(name)}: no such file: {ESCAPES}")
    return name


def _file_beside(folder: Path, name: str) -> str:
    """Return a name with the paths of its Python files that lie beside the experiment file."""
    return with_files(name, lambda file: str(folder / file) if (folder / file).is_file() else file)


def _beside(folder: Path, table: T) -> T:
    """Return a table with the paths of all Python files in its names that lie beside the experiment file."""
    names = {key: _file_beside(folder, getattr(table, key)) for key in COMPONENT_KEYS if hasattr(table, key)}
    return msgspec.structs.replace(table, **names)


def _check_text(values: Iterable[object], key: str) -> None:
    """Raise a SpecificationError if a text cannot be encoded, like a file name that is not UTF-8."""
    for value in values:
        try:
            str(value).encode()
        except UnicodeEncodeError:
            raise SpecificationError((key,), f"{str(value)!r:.40} is not valid UTF-8: rename it") from None


def _check_number(number: int, least: int, most: int, *place: str | int) -> None:
    is_whole = isinstance(number, int) and not isinstance(number, bool)
    if not (is_whole and least <= number <= most):
        what = f"at most {most:,}" if is_whole and number > most else f"{least} or more"
        raise SpecificationError(place, f"a whole number, {what}, is wanted, not {shown(number)}")


def listed_seeds(entries: int | str | Iterable[int | str]) -> tuple[int, ...]:
    """Return seeds in the order listed, each once: numbers, and ranges like `"1-20"` with both ends.

    >>> listed_seeds([7, "1-3"])
    (7, 1, 2, 3)

    Raises:
        UsageError: something else, a seed that is too large, or more than a million seeds.
    """
    if isinstance(entries, int | str):
        entries = [entries]
    seeds: dict[int, None] = {}
    for entry in entries:
        if type(entry) is int and entry >= 0:  # as most are, where there are many
            first = last = entry
        elif found := SEEDS.fullmatch(str(entry)):
            first, last = int(found[1]), int(found[2] or found[1])
        else:
            raise UsageError(f"a seed is a whole number, 0 or more, or a range like 1-20, not {entry!r:.40}")
        if last < first:
            raise UsageError(f"the range of seeds {entry!r:.40} ends before it begins")
        if last > LARGEST_SEED:
            raise UsageError(f"a seed is at most 2^63 - 1, not {last}")
        if last - first >= MOST - len(seeds):
            raise UsageError(f"{entry!r:.40}: there can be {MOST:,} seeds")
        seeds.update(dict.fromkeys(range(first, last + 1)))
    return tuple(seeds)


def spelled_out(entry: str | Mapping[str, Any], place: Place) -> list[str]:
    """Return the names that an entry stands for.

    Args:
        entry: a name, or a table with the name and, for each parameter, a value or a list of values. Lists give a name
            for every combination. A table as a value is itself a name with parameters; a list within a list is a single
            value.
        place: the place of the entry, for errors.

    >>> spelled_out({"name": "beam", "width": [10, 100]}, ())
    ['beam:width=10', 'beam:width=100']

    Raises:
        SpecificationError: a table without a name, an empty list, a value that cannot be spelled, or too many
            combinations.
    """
    if isinstance(entry, str):
        return [entry.strip()]
    name = entry.get(NAME)
    if not isinstance(name, str):
        raise SpecificationError(place, f'a table here has a {NAME}: {{{NAME} = "beam", width = [10, 100]}}')
    with at(*place, NAME):
        if parse_name(name).parameters:
            raise UsageError(f"parameters stand beside the name {name!r}, not in it")
    listed = {key: _alternatives(value, (*place, key)) for key, value in entry.items() if key != NAME}
    combinations = prod(map(len, listed.values()))
    if combinations > MOST:
        raise SpecificationError(place, f"{combinations:,} combinations of parameters; there can be {MOST:,}")
    return [format_name(name.strip(), dict(zip(listed, values, strict=True))) for values in product(*listed.values())]


def _alternatives(value: Any, place: Place) -> list[Any]:
    """Return the values of a parameter."""
    if not isinstance(value, list):
        return _one(value, place)
    if not value:
        raise SpecificationError(place, "an empty list leaves nothing to do")
    return [each for number, item in enumerate(value) for each in _one(item, (*place, number))]


def _one(value: Any, place: Place) -> list[Any]:
    """Return the forms of a value that can be part of a name; a table has a form for each combination."""
    if isinstance(value, dict):
        return list(spelled_out(value, place))
    if isinstance(value, list):
        return [",".join(format_value(each) for item in value for each in _one(item, place))]
    if isinstance(value, bool | int | float | str):
        return [value]
    raise SpecificationError(place, f"a number, a text or true or false is wanted, not {value}")


@contextmanager
def at(*place: str | int) -> Iterator[None]:
    """Add a place to errors raised in the context, unless they have one."""
    try:
        yield
    except SpecificationError:
        raise
    except (UsageError, BoardError) as error:
        raise SpecificationError(place, str(error)) from error


@contextmanager
def within(*outer: str | int) -> Iterator[None]:
    """Prefix the places of errors raised in the context with the place of the table."""
    try:
        yield
    except SpecificationError as error:
        raise SpecificationError((*outer, *error.place), error.message) from error


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Raise a SpecificationError if lists that go together are not equally long.

    Args:
        lengths: the number of entries of each list.
    """
    if len({*lengths.values()}) > 1:
        listed = ", ".join(f"{key} {length:,}" for key, length in lengths.items())
        raise SpecificationError(("pair",), f"lists that go together are equally long, and these are not: {listed}")


def decoded(content: Mapping[str, Any], kind: type[T], tables: Mapping[Place, type[msgspec.Struct]]) -> T:
    """Convert plain values, as TOML and JSON give them, to a structure.

    Args:
        content: the values.
        kind: the type of the structure.
        tables: the types of nested tables, by their places without numbers.

    Raises:
        SpecificationError: a key is unknown or missing, or a value has the wrong type.
    """
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise _explained(str(error), content, {(): kind, **tables}) from None


def _explained(
    message: str, content: Mapping[str, Any], tables: Mapping[Place, type[msgspec.Struct]]
) -> SpecificationError:
    """Return the error that explains a message of msgspec, with the place to correct."""
    match = MESSAGE.fullmatch(message)
    assert match is not None
    place: Place = tuple(
        int(step["number"]) if step["number"] else step["key"] for step in STEP.finditer(match["path"] or "")
    )
    if unknown := UNKNOWN_KEY.fullmatch(match["what"]):
        known = tables[tuple(part for part in place if isinstance(part, str))].__struct_encode_fields__
        return SpecificationError(
            (*place, unknown["key"]), f"there is no such key: {did_you_mean(unknown['key'], known)}"
        )
    if missing := MISSING_KEY.fullmatch(match["what"]):
        return SpecificationError(place, f"the key {missing['key']!r} is missing")
    if wrong := WRONG_TYPE.fullmatch(match["what"]):
        wanted = [WORDS[word] for word in WORDS if word in wrong["wanted"].split(" | ")]
        return SpecificationError(place, f"{' or '.join(wanted)} is wanted, not {_shown(content, place)}")
    return SpecificationError(place, match["what"])


def _shown(content: Any, place: Place) -> str:
    """Describe the value at a place."""
    for part in place:
        content = content[part]
    for kind, word in {dict: "a table", list: "a list", str: f"the text {content!r:.40}"}.items():
        if isinstance(content, kind):
            return word
    return str(content).lower() if isinstance(content, bool) else str(content)
