"""Files of instances, and names of instances: `maze.scen#17` is an instance of a file, by name or by number.

A file is read by the given domain, in the domain's own format if it has one, else as a board file.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from searchlab.board.files import board_name, board_paths, find_board, is_many, read_board_content, read_board_file
from searchlab.errors import BoardError, SearchlabWarning, UsageError, did_you_mean, message_of, shown
from searchlab.files import read_text, reason_of
from searchlab.model.formatting import counted
from searchlab.model.instance import Instance

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from searchlab.board.board import Board
    from searchlab.model.domain import Domain

    Stamp = frozenset[tuple[str, int, int]]

MARK = "#"
"""Stands between the name of a file and that of an instance in it."""
FEW = 12
"""An error lists the names of up to this many instances."""
FILES_KEPT, MOST_KEPT = 4, 20_000
"""The files whose instances are kept, and the most instances of such a file."""
MOST_BESIDE = 1000
"""The instances of a file are not kept if there are more files than this that it may refer to."""


class Reader(Protocol):
    """The part of a bound domain that reads files."""

    @property
    def component(self) -> Domain:
        """The domain."""

    @property
    def key(self) -> tuple[str, str]:
        """A key that is equal for the same domain with the same parameters."""

    def parse_each(self, text: str, path: Path | None = None) -> list[Instance | ValueError]:
        """Return the instances in a text in the domain's own format; see `BoundDomain.parse_each`."""

    def has_signed_cells(self, board: Board) -> bool:
        """Return whether a board's tiles may be below 0."""


@dataclass(frozen=True, eq=False)
class NamedInstance:
    """An instance with its name.

    Attributes:
        name: the name of the file, of a shipped board, or of one of several instances in a file.
        instance: the instance; for a board file just a board.
        path: the file, None for standard input.
        key: the name within the file, or the number from 1; `""` for the only instance.
    """

    name: str
    instance: Instance
    path: Path | None = None
    key: str = ""

    @property
    def board(self) -> Board:
        """The start board."""
        start: Board = self.instance.start
        return start


@dataclass(frozen=True)
class LeftOut:
    """An unreadable instance among several in a file.

    Attributes:
        name: the name, including that of the file.
        key: the number within the file, from 1.
        why: the error message.
    """

    name: str
    key: str
    why: str


def split_name(name: str | Path) -> tuple[str, str]:
    """Return the name of a file, and the name of an instance in it, `""` if there is none.

    >>> split_name("maze.scen#17"), split_name("2048/board10")
    (('maze.scen', '17'), ('2048/board10', ''))
    """
    text = str(name)
    file, mark, key = text.rpartition(MARK)
    return (file, key) if mark and file and key and not os.path.lexists(text) else (text, "")


def named_instance(name: str | Path, domain: Reader | None) -> NamedInstance:
    """Return the instance of a name.

    Args:
        name: a file with one instance, `FILE#NAME`, a board file, or the name of a board that ships.
        domain: the domain of the instance; without it the file is a board file.

    Raises:
        BoardError: there is no such file or instance, or it cannot be read.
        UsageError: the name is invalid.
    """
    if not isinstance(name, str | Path):
        said = (
            "Board(rows) makes one, and a text is the name of one: a file, or a board that ships, like '2048/board10'"
        )
        raise UsageError(f"a Board is wanted, not {shown(name)}; {said}")
    file, key = split_name(name)
    path = find_board(file, lambda: domain.component.files.suffixes if domain else ())
    found = instances_at(Place(path, key), domain)
    if len(found) > 1:
        msg = f"{file}: {counted(len(found), 'instance')}; name one of them, for example {found[0].name}"
        raise BoardError(msg)
    return found[0]


@dataclass(frozen=True)
class Place:
    """A place to read instances from.

    Attributes:
        path: the file.
        key: the name or the number of one of its instances, `""` for all.
        is_among_others: whether it is a file of a folder or a pattern, which may have no instances, like a file that
            the others refer to, in the same format.
    """

    path: Path
    key: str = ""
    is_among_others: bool = field(default=False, compare=False)


class NoInstance(BoardError):
    """A file is in a domain's own format and has no instance."""


def places(name: str, suffixes: Collection[str] = ()) -> list[Place]:
    """Return the places of the instances of a name: a file, an instance of one, a folder or a pattern.

    Args:
        suffixes: the suffixes of files in a folder to read besides board files.

    Raises:
        BoardError: no place matches the name.
    """
    if is_many(name):
        return [Place(path, is_among_others=True) for path in board_paths(name, suffixes)]
    file, key = split_name(name)
    return [Place(find_board(file, lambda: suffixes), key)]


def instances_of_name(
    name: str,
    suffixes: Collection[str],
    reader: Callable[[Path], Reader | None],
    refuse: Callable[[BoardError], None] | None = None,
) -> list[NamedInstance]:
    """Return the instances of a file, a folder or a pattern, at least one.

    Args:
        name: the name of the file, folder or pattern.
        suffixes: the suffixes of files in a folder to read besides board files.
        reader: returns the domain of a file.
        refuse: called with the error of a file, which is then omitted; by default the error is raised.

    Raises:
        BoardError: no instance can be read.
    """
    found: list[NamedInstance] = []
    is_any_refused = False
    for place in places(name, suffixes):
        try:
            found += instances_at(place, reader(place.path))
        except BoardError as error:
            if refuse is None:
                raise
            refuse(error)
            is_any_refused = True
    if not found and not is_any_refused:
        msg = f"{name}: there is no instance in any of its files"
        raise BoardError(msg)
    return found


def instances_at(place: Place, domain: Reader | None) -> list[NamedInstance]:
    """Return the instances of a place, at least one unless it is among others.

    Unreadable instances among readable ones are omitted with a warning.

    Raises:
        BoardError: the instances cannot be read, or no instance has that name.
    """
    found = each_at(place, domain)
    name = board_name(place.path)
    return [_chosen(found, place.key, name)] if place.key else _without_left_out(found, name)


def each_at(place: Place, domain: Reader | None) -> list[NamedInstance | LeftOut]:
    """Return the instances of a place, and an error for each that cannot be read although others can.

    Raises:
        BoardError: the file cannot be read.
    """
    try:
        return _each_of_file(place.path, domain)
    except NoInstance:
        if place.is_among_others:
            return []
        raise


def _without_left_out(found: list[NamedInstance | LeftOut], file: str) -> list[NamedInstance]:
    """Return the readable instances, at least one unless there is none, with a warning about the others."""
    left_out = [each for each in found if isinstance(each, LeftOut)]
    kept = [each for each in found if isinstance(each, NamedInstance)]
    if left_out and not kept:
        raise BoardError(f"{file}: {left_out[0].why}")
    if left_out:
        first = left_out[0]
        others = f"; {counted(len(left_out) - 1, 'other')}, too" if len(left_out) > 1 else ""
        warnings.warn(f"{first.name} is left out: {first.why}{others}", SearchlabWarning, stacklevel=3)
    return kept


def _chosen(found: list[NamedInstance | LeftOut], key: str, file: str) -> NamedInstance:
    """Return the instance of a name, or of a number from 1 if none has it as its name."""
    kept = [each for each in found if isinstance(each, NamedInstance)]
    named: NamedInstance | LeftOut | None = None
    named = next((each for each in kept if key in (each.key, each.instance.name)), None)
    if named is None and key.isdecimal() and 1 <= int(key) <= len(found):
        named = found[int(key) - 1]
    if isinstance(named, LeftOut):
        raise BoardError(f"{named.name}: {named.why}")
    if named is None:
        names = [each.key or each.instance.name or "1" for each in kept]
        known = did_you_mean(key, names) if len(names) <= FEW else f"there are {len(names):,}: {names[0]} … {names[-1]}"
        msg = f"{file}: no instance is called {key!r}; {known}"
        raise BoardError(msg)
    return named


def _each_of_file(path: Path, domain: Reader | None) -> list[NamedInstance | LeftOut]:
    """Return the instances of a file in order, at least one.

    Raises:
        BoardError: the file cannot be read, or is not in a format of the domain.
    """
    name = board_name(path)
    if domain is None or domain.component.files.parse is None:
        return [NamedInstance(name, Instance("", plain_board(partial(read_board_file, path), domain)), path)]
    if path.is_dir() or path.suffix == ".py":
        read_board_file(path)  # raises
    kept = next((kept for kept in _kept if kept.is_of(path, domain)), None)
    if kept is not None:
        return kept.found
    try:
        text = read_text(path)
    except UnicodeDecodeError:
        msg = f"{path}: it is not in UTF-8"
        raise BoardError(msg) from None
    except UsageError as error:
        raise BoardError(str(error)) from None
    beside = tuple(_named_below(text, path.parent))
    stamp = _stamp(path, beside)
    found = _each_in(text, domain, name, path)
    if stamp and 1 < len(found) <= MOST_KEPT:
        _kept[:] = [_KeptFile(path, domain, beside, stamp, found), *_kept[: FILES_KEPT - 1]]
    return found


class _KeptFile(NamedTuple):
    """A file of several instances as it was read last.

    Attributes:
        path: the file.
        domain: the domain that read it.
        beside: files in folders below that are named in it.
        stamp: see `_stamp`.
        found: its instances.
    """

    path: Path
    domain: Reader
    beside: tuple[Path, ...]
    stamp: Stamp
    found: list[NamedInstance | LeftOut]

    def is_of(self, path: Path, domain: Reader) -> bool:
        """Return whether a file would be read as it was."""
        if path != self.path or domain.component is not self.domain.component or domain.key != self.domain.key:
            return False
        return _stamp(path, self.beside) == self.stamp


_kept: list[_KeptFile] = []
"""The files that were read last, the latest first."""


def _stamp(path: Path, beside: Sequence[Path]) -> Stamp:
    """Return size and time of all files that a file may refer to: those of its folder, and those it names below.

    It is empty if one cannot be looked at, or there are too many.
    """
    try:
        with os.scandir(path.absolute().parent) as entries:
            around = list(islice(entries, MOST_BESIDE + 1))
        if len(around) + len(beside) > MOST_BESIDE:
            return frozenset()
        found = [(str(one), one.stat()) for one in (*map(Path, around), *beside)]
        return frozenset((name, its.st_size, its.st_mtime_ns) for name, its in found)
    except OSError:
        return frozenset()


def _named_below(text: str, folder: Path) -> Iterator[Path]:
    """Yield the files in folders below that are named in a text, as maps are in the file of their instances."""
    for word in {word for word in text.split() if "/" in word}:
        try:
            if (folder / word).is_file():
                yield folder / word
        except (OSError, ValueError):
            continue


def instances_in(text: str, domain: Reader | None, name: str) -> list[NamedInstance]:
    """Return the instances in a text, at least one: in the domain's own format, or in that of a board file.

    Args:
        text: the content of standard input.
        domain: the domain, None for a board file.
        name: the name of the text in error messages.

    Raises:
        BoardError: the text is in neither format, or a file named in it cannot be read.
    """
    return _without_left_out(_each_in(text, domain, name, None), name)


def _each_in(text: str, domain: Reader | None, name: str, path: Path | None) -> list[NamedInstance | LeftOut]:
    """Return the result of `instances_in`, with an error for each unreadable instance."""
    if domain is None or domain.component.files.parse is None:
        board = plain_board(partial(read_board_content, text.encode(), name), domain)
        return [NamedInstance(name, Instance("", board), path)]
    try:
        found = domain.parse_each(text, path)
    except OSError as error:
        beside = f"{error.filename}: " if error.filename else ""
        msg = f"{name}: {beside}{reason_of(error)}"
        raise BoardError(msg) from None
    except ValueError as error:
        if path is not None and path.suffix in domain.component.files.suffixes:
            raise BoardError(f"{name}: {message_of(error)}") from None
        return [NamedInstance(name, Instance("", _board(text, name, domain, message_of(error))), path)]
    if not found:
        msg = f"{name}: there is no instance of {domain} in it"
        raise NoInstance(msg)
    if len(found) == 1 and isinstance(found[0], Instance):
        return [NamedInstance(name, found[0], path)]
    names = [each.name if isinstance(each, Instance) else "" for each in found]
    keys = [each or str(number) for number, each in enumerate(names, 1)]
    twice = next((key for key, count in Counter(keys).items() if count > 1), None)
    if twice is not None:
        msg = f"{name}: two of its instances are called {twice!r}"
        raise BoardError(msg)
    return [
        NamedInstance(f"{name}{MARK}{key}", each, path, key)
        if isinstance(each, Instance)
        else LeftOut(f"{name}{MARK}{key}", key, message_of(each))
        for key, each in zip(keys, found, strict=True)
    ]


def plain_board(read: Callable[..., Board], domain: Reader | None) -> Board:
    """Return the board of a board file or of a line; negative tiles are allowed only if the domain has such tiles.

    Args:
        read: reads the board; `signed` allows negative tiles.
        domain: the domain of the board, if known.

    Raises:
        BoardError: it is not a board, or has negative tiles that the domain does not have.
    """
    try:
        return read()
    except BoardError:
        try:
            board = read(signed=True)
        except BoardError:
            board = None
        if domain is None or board is None or not domain.has_signed_cells(board):
            raise
        return board


def _board(text: str, name: str, domain: Reader, why: str) -> Board:
    """Return the board of a text that is not in the domain's own format."""
    try:
        return plain_board(partial(read_board_content, text.encode(), name), domain)
    except BoardError as error:
        said = str(error).removeprefix(f"{name}: ")
        msg = f"{name}: not in the format of {domain} ({why}), and no board file ({said})"
        raise BoardError(msg) from None
