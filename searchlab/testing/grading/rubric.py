"""A rubric: the tests by which students' files are graded, read from a TOML file.

A test is a phrase about a property that a file must have: `admissible`, `optimal on sliding-tile/puzzle8-*`. No phrase
asks for an exact number of nodes, because correct programs expand different numbers.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from searchlab.binding.names import files_in, parse_name, with_files
from searchlab.errors import UsageError, did_you_mean
from searchlab.experiments.filters import parse_condition
from searchlab.experiments.specification import SpecificationError, at, decoded, located
from searchlab.files import read_bytes
from searchlab.files.toml import load_toml
from searchlab.model.limits import parse_bytes, parse_seconds
from searchlab.plugins.loading import code_files
from searchlab.testing.contract import PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlab.files.toml import Place

VISIBILITIES = ("visible", "hidden", "after_due_date", "after_published")
"""The visibilities of a test, in the words of Gradescope."""
TIME, MEMORY, OUTPUT = "60s", "2GiB", "64KiB"
"""The default limits of a test: wall time, memory of the processes, and printed text that is kept."""
LEAST_SECONDS = 5.0
"""The least time limit, which a process needs to load searchlab on a busy machine."""
MOST_GAMES = 100_000
MOST_TESTS = 1000
COUNTS = ("expanded", "generated", "evaluated", "reopened", "stored", "duplicates")
"""Columns of counts that depend on the order in which a correct program visits nodes."""
COUNT_WANTED = re.compile(r"\b(expand\w*|generat\w*|nodes?)\b.*\d")
NOT_A_COUNT = (
    "correct programs expand different numbers of nodes: compare with another heuristic, as in "
    "'expands less than misplaced on sliding-tile/puzzle8-*'"
)
DIGITS = 16
"""The number of hexadecimal digits of a digest."""


@dataclass(frozen=True)
class Form:
    """A form of phrases.

    Attributes:
        name: the first words of the phrase.
        subject: the tested part of a student's file: "heuristic", "player", "domain", "component" or "file".
        pattern: the regular expression of the phrase, with a group for each part.
        example: a phrase of this form.
        is_graded: whether a test can hold partially, so that it may give part of the points.
    """

    name: str
    subject: str
    pattern: re.Pattern[str]
    example: str
    is_graded: bool = False


def _form(name: str, subject: str, pattern: str, example: str, *, is_graded: bool = False) -> Form:
    return Form(name, subject, re.compile(pattern, re.DOTALL), example, is_graded)


FORMS = (
    _form("admissible", "heuristic", r"admissible(?: on (?P<board>\S+))?", "admissible"),
    _form("consistent", "heuristic", r"consistent(?: on (?P<board>\S+))?", "consistent"),
    _form(
        "same values",
        "heuristic",
        r"same values as (?P<reference>\S.*?)(?: on (?P<boards>.+))?",
        "same values as taxicab",
        is_graded=True,
    ),
    _form("optimal", "heuristic", r"optimal on (?P<boards>.+)", "optimal on sliding-tile/puzzle8-*", is_graded=True),
    _form(
        "solves",
        "heuristic",
        r"solves (?P<boards>\S.*?) within (?P<time>.+)",
        "solves 2048/board10 within 10 s",
        is_graded=True,
    ),
    _form(
        "expands less",
        "heuristic",
        r"expands less than (?:(?P<factor>\S+) times )?(?P<reference>\S.*?) on (?P<boards>.+)",
        "expands less than misplaced on sliding-tile/puzzle8-*",
        is_graded=True,
    ),
    _form(
        "every run",
        "heuristic",
        r"every run on (?P<boards>\S.*?) has (?P<condition>.+)",
        "every run on sliding-tile/puzzle8-* has cost<=31",
        is_graded=True,
    ),
    _form(
        "games",
        "player",
        r"(?P<figure>score|moves|largest tile) of (?P<games>\d+) games? (?:>=|≥) (?P<bound>.+)",
        "score of 20 games >= 5000",
        is_graded=True,
    ),
    _form(
        "same moves",
        "domain",
        r"same moves as (?P<reference>\S.*?)(?: on (?P<boards>.+))?",
        "same moves as 2048",
        is_graded=True,
    ),
    _form("check", "component", r"check (?P<property>\S+)(?: on (?P<board>\S+))?", "check deterministic"),
    _form("holds", "file", r"holds (?P<function>\S.*\.py:\w+)", "holds checks.py:slides", is_graded=True),
)
EXAMPLES = {form.name: form.example for form in FORMS}
PROPERTY_NAMES = tuple(dict.fromkeys(prop.name for kind in PROPERTIES.values() for prop in kind))


class LimitsOfTests(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of each test: numbers, or texts with a unit."""

    time: float | str = TIME
    memory: int | str = MEMORY
    output: int | str = OUTPUT


class TableOfTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test in the file; `RubricTest` explains the keys."""

    test: str
    points: float = 1
    name: str = ""
    heuristic: str = ""
    player: str = ""
    domain: str = ""
    frontier: str = ""
    partial: bool = False
    visibility: str = ""
    leaderboard: bool = False


class RubricFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rubric file; `Rubric` explains the keys."""

    file: str
    tests: tuple[TableOfTest, ...]
    title: str = ""
    heuristic: str = ""
    player: str = ""
    domain: str = ""
    frontier: str = ""
    visibility: str = "visible"
    skeleton: str = ""
    limits: LimitsOfTests = LimitsOfTests()


TABLES: Mapping[Place, type[msgspec.Struct]] = {("tests",): TableOfTest, ("limits",): LimitsOfTests}


@dataclass(frozen=True)
class RubricTest:
    """A test of a rubric.

    Attributes:
        phrase: the phrase.
        form: the form of the phrase.
        parts: the parts of the phrase; names of the teacher's files have full paths.
        points: the points of the test.
        name: the heading on pages, by default the phrase.
        heuristic, player: the name of the student's function or component.
        domain: the game, or `""` for the game of the boards.
        frontier: the frontier strategy of searches.
        partial: whether part of the points is given if the test holds partially.
        visibility: who sees the test, one of `VISIBILITIES`.
        leaderboard: whether Gradescope ranks students by the figure of the test.
        digest: the digest of everything that determines the outcome besides the student's file.
    """

    phrase: str
    form: Form
    parts: Mapping[str, str]
    points: float
    name: str
    heuristic: str
    player: str
    domain: str
    frontier: str
    partial: bool
    visibility: str
    leaderboard: bool
    digest: str = ""

    @property
    def subject(self) -> str:
        """The name of the student's component, or `""` for the file as a whole."""
        if self.form.subject == "component":
            return self.heuristic or self.player
        return {"heuristic": self.heuristic, "player": self.player}.get(self.form.subject, "")

    @property
    def boards(self) -> tuple[str, ...]:
        """The names of the boards of the test."""
        return tuple(filter(None, (self.parts.get("board"), *self.parts.get("boards", "").split("\n"))))


@dataclass(frozen=True)
class Rubric:
    """A rubric.

    Attributes:
        path: the file.
        title: the name of the assignment.
        file: the name of the Python file that students hand in.
        tests: the tests in order.
        skeleton: the file that students were given to start from, or None.
        seconds: the wall time of a test.
        memory: the bytes that the processes of a test may take.
        output: the bytes of printed text that are kept per test.
        files: the rubric itself, and the teacher's files that it names.
    """

    path: Path
    title: str
    file: str
    tests: tuple[RubricTest, ...]
    skeleton: Path | None
    seconds: float
    memory: int
    output: int
    files: tuple[Path, ...]

    @property
    def points(self) -> float:
        """The most points that a student can get."""
        return sum(test.points for test in self.tests)


def read_rubric(path: str | Path) -> Rubric:
    """Read a rubric.

    Python files and boards are looked for beside the rubric first, then in the current folder, and boards at last among
    the shipped boards.

    Raises:
        UsageError: the file cannot be read or is invalid; the message is one line with file, line and key.
    """
    file = Path(path)
    content, _ = load_toml(file)
    with located(str(file)):
        return _rubric(file.absolute(), decoded(content, RubricFile, TABLES))


def _rubric(file: Path, given: RubricFile) -> Rubric:
    if Path(given.file).name != given.file or not given.file.endswith(".py"):
        raise SpecificationError(
            ("file",), f"the name of a Python file is wanted, such as heuristic.py, not {given.file!r}"
        )
    if not given.tests:
        raise SpecificationError(("tests",), "a rubric has one test or more: [[tests]]")
    if len(given.tests) > MOST_TESTS:
        raise SpecificationError(("tests",), f"{len(given.tests):,} tests; there can be {MOST_TESTS:,}")
    with at("visibility"):
        _check_choice(given.visibility, VISIBILITIES)
    with at("limits", "time"):
        seconds = _seconds(given.limits.time)
        if not LEAST_SECONDS <= seconds < float("inf"):
            raise UsageError(f"a test needs {LEAST_SECONDS:g} s or more, and an end, not {given.limits.time}")
    with at("limits", "memory"):
        memory = _bytes(given.limits.memory)
    with at("limits", "output"):
        output = _bytes(given.limits.output)
    skeleton = None
    if given.skeleton:
        skeleton = file.parent / given.skeleton
        if not skeleton.is_file():
            raise SpecificationError(("skeleton",), f"{skeleton}: no such file")
    tests = tuple(_test(file.parent, table, given, number) for number, table in enumerate(given.tests))
    names = [test.name for test in tests]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise SpecificationError(("tests", number), f"there are two tests {name!r}: give one of them another name")
    tests = tuple(_with_digest(test, f"{seconds} {memory} {output}") for test in tests)
    named = [file, *filter(None, [skeleton]), *(each for test in tests for each in files_of(test))]
    return Rubric(
        file,
        given.title or file.parent.name,
        given.file,
        tests,
        skeleton,
        seconds,
        memory,
        output,
        tuple(dict.fromkeys(named)),
    )


def _test(folder: Path, table: TableOfTest, rubric: RubricFile, number: int) -> RubricTest:
    place = ("tests", number)
    phrase = " ".join(table.test.split())
    with at(*place, "test"):
        form, parts = parse_phrase(phrase)
        parts = {key: _resolved(folder, key, value) for key, value in parts.items()}
    if not (isfinite(table.points) and table.points >= 0):
        raise SpecificationError((*place, "points"), f"0 points or more are wanted, not {table.points}")
    if table.partial and not form.is_graded:
        raise SpecificationError((*place, "partial"), f"{phrase!r} holds or does not: leave out partial")
    visibility = table.visibility or rubric.visibility
    with at(*place, "visibility"):
        _check_choice(visibility, VISIBILITIES)
    with at(*place):
        names = {
            key: getattr(table, key) or getattr(rubric, key) for key in ("heuristic", "player", "domain", "frontier")
        }
        if form.subject in ("heuristic", "player") and not names[form.subject]:
            kind = form.subject
            raise UsageError(f"{phrase!r} is about a {kind}: say {kind} = NAME, the name of the students' function")
        if form.subject == "component":
            names = _of_one_component(names, table, phrase)
        for name in filter(None, names.values()):
            parse_name(name)
        if form.name in ("admissible", "consistent", "games", "check") and not names["domain"]:
            raise UsageError(f"{phrase!r} needs a game: say domain = NAME")
        if form.name in ("same values", "same moves") and not names["domain"] and "boards" not in parts:
            if form.name == "same values":
                raise UsageError(f"{phrase!r} needs a game or boards: say domain = NAME, or … on BOARDS")
            names["domain"] = parts["reference"]
    name = " ".join((table.name or phrase).split())
    names["domain"], names["frontier"] = (_with_paths(folder, names[key]) for key in ("domain", "frontier"))
    return RubricTest(
        phrase,
        form,
        parts,
        table.points,
        name,
        names["heuristic"],
        names["player"],
        names["domain"],
        names["frontier"] or "astar",
        table.partial,
        visibility,
        table.leaderboard,
    )


def _of_one_component(names: dict[str, str], table: TableOfTest, phrase: str) -> dict[str, str]:
    """Return names with either a heuristic or a player; names of the test replace those of the rubric."""
    kinds = [kind for kind in ("heuristic", "player") if getattr(table, kind)]
    kinds = kinds or [kind for kind in ("heuristic", "player") if names[kind]]
    if len(kinds) != 1:
        wanted = "heuristic = NAME or player = NAME, the name of the students' function"
        raise UsageError(f"{phrase!r}: say {wanted}")
    return {**names, **{kind: "" for kind in ("heuristic", "player") if kind not in kinds}}


def parse_phrase(phrase: str) -> tuple[Form, dict[str, str]]:
    """Return the form of a phrase, and its parts.

    >>> form, parts = parse_phrase("solves 2048/board10 within 10 s")
    >>> form.name, parts
    ('solves', {'boards': '2048/board10', 'time': '10 s'})

    Raises:
        UsageError: the phrase has no known form, or a part is invalid.
    """
    for form in FORMS:
        if found := form.pattern.fullmatch(phrase):
            parts = {key: value.strip() for key, value in found.groupdict().items() if value is not None}
            _check_parts(form, parts)
            return form, parts
    if COUNT_WANTED.search(phrase):
        raise UsageError(f"{phrase!r}: {NOT_A_COUNT}")
    for form in FORMS:
        if phrase.startswith(form.name):
            raise UsageError(f"{phrase!r} is not complete: write it as in {form.example!r}")
    raise UsageError(f"no test is called {phrase!r}: {did_you_mean(phrase, EXAMPLES.values())}")


def _check_parts(form: Form, parts: Mapping[str, str]) -> None:
    """Raise a UsageError if a part of a phrase is invalid."""
    if "time" in parts:
        seconds = parse_seconds(parts["time"])
        if not 0 < seconds < float("inf"):
            raise UsageError(f"{parts['time']}: a time above 0 is wanted")
    if "factor" in parts:
        _positive(parts["factor"])
    if "games" in parts and not 1 <= int(parts["games"]) <= MOST_GAMES:
        raise UsageError(f"{parts['games']} games: from 1 to {MOST_GAMES:,} are possible")
    if "property" in parts and parts["property"] not in PROPERTY_NAMES:
        raise UsageError(
            f"no property is called {parts['property']!r}: {did_you_mean(parts['property'], PROPERTY_NAMES)}"
        )
    if "condition" in parts:
        condition = parse_condition(parts["condition"])
        if condition.column in COUNTS and condition.operator in ("=", "!=", "~", "!~"):
            raise UsageError(f"{parts['condition']!r}: {NOT_A_COUNT}")


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (isfinite(number) and number > 0):
        raise UsageError(f"{text!r} is not a number above 0")
    return number


def number_or_name(text: str) -> float | str:
    """Return the bound of a test about games: a number, or the name of a player."""
    try:
        return float(text.replace(",", "")) if isfinite(float(text.replace(",", ""))) else text
    except ValueError:
        return text


def _resolved(folder: Path, key: str, value: str) -> str:
    """Return a part of a phrase with the full paths of the teacher's files."""
    if key == "board":
        return _board_beside(folder, value)
    if key == "boards":
        return "\n".join(_board_beside(folder, name) for name in value.split())
    if key == "function":
        file, _, function = value.rpartition(":")
        found = _beside(folder, file)
        if found is None:
            raise UsageError(f"{file}: no such file beside the rubric")
        return f"{found}:{function}"
    return _with_paths(folder, value) if key in ("reference", "bound") else value


def _with_paths(folder: Path, name: str) -> str:
    """Return the name of a component with the full paths of the Python files in it."""
    if ".py" not in name:
        return name
    parse_name(name)
    missing: list[str] = []

    def found(file: str) -> str:
        path = _beside(folder, file)
        if path is None:
            missing.append(file)
        return path or file

    resolved = with_files(name, found)
    if missing:
        raise UsageError(f"{missing[0]}: no such file beside the rubric")
    return resolved


def _beside(folder: Path, file: str) -> str | None:
    """Return the full path of a file beside the rubric or in the current folder, or None if there is no such file."""
    return next((str(path.absolute()) for path in (folder / file, Path(file)) if path.is_file()), None)


def _board_beside(folder: Path, name: str) -> str:
    """Return the full path of boards beside the rubric or in the current folder, or else the name itself."""
    for path in (folder / name, Path(name)):
        bare = str(path).partition("#")[0]
        if os.path.exists(bare) or glob.glob(bare, recursive=True):
            return str(path.absolute())
    return name


def files_of(test: RubricTest) -> list[Path]:
    """Return the teacher's files that a test names, and the Python files that they import."""
    texts = (*test.parts.values(), test.domain, test.frontier)
    python = [Path(file) for text in texts for file in files_in(text)]
    boards = [Path(name.partition("#")[0]) for name in test.boards if os.path.isabs(name)]
    on_disk = [Path(each) for path in boards for each in sorted(glob.glob(str(path), recursive=True)) or [str(path)]]
    found = [each for path in python if path.is_file() for each in sorted(code_files(path))]
    for path in on_disk:
        found += sorted(path.iterdir()) if path.is_dir() else [path]
        beside = (path if path.is_dir() else path.parent) / "set.toml"
        found += [beside] if beside.is_file() else []
    return [path for path in dict.fromkeys(found) if path.is_file()]


def _with_digest(test: RubricTest, limits: str) -> RubricTest:
    said = (test.phrase, *sorted(test.parts.items()), test.subject, test.domain, test.frontier, limits)
    digest = hashlib.sha256(repr(said).encode())
    for path in files_of(test):
        content = read_bytes(path)
        digest.update(f"{path.name} {len(content)}\n".encode())
        digest.update(content)
    return replace(test, digest=digest.hexdigest()[:DIGITS])


def _check_choice(value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(f"expected one of {', '.join(choices)}, not {value!r:.40}")


def _seconds(value: float | str) -> float:
    return parse_seconds(value) if isinstance(value, str) else float(value)


def _bytes(value: int | str) -> int:
    number = parse_bytes(value) if isinstance(value, str) else value
    if number < 1:
        raise UsageError(f"a size above 0 is wanted, not {value}")
    return number
