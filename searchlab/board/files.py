"""Boards on disk: one file, a folder or a glob of files, and the `set.toml` that describes a folder.

Board sets that ship with searchlab can be named without a path: `2048/board10`, `sliding-tile/korf100/001`.
"""

from __future__ import annotations

import glob
import json
import math
import os
import re
from codecs import BOM_UTF8 as BOM
from dataclasses import dataclass, field
from errno import EACCES
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

from searchlab.board.board import COMMENT_MARKS, MAX_SIDE, SIGNED_CHARACTERS, Board
from searchlab.errors import BoardError, UsageError, did_you_mean, shown
from searchlab.files import file_error, open_to_read, python_file_instead, read_at_most, reason_of, why_not_utf8
from searchlab.files.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

HEAD = 2**16
"""The bytes of a board file that are read to find the board's size, comments before it included."""
DIGITS_OF_SIDE = len(str(MAX_SIDE))
COMMENTS = tuple(mark.encode() for mark in COMMENT_MARKS)
BYTES_BESIDE, BYTES_OF_TILE = 2**20, 32
"""The most bytes a board file may have for comments, and for each tile with the blanks around it."""
BOARDS_FOLDER = "boards"
"""The folder of the shipped boards in a clone: if it is missing, their names omit it."""
SET_FILE = "set.toml"
SET_KEYS = ("domain", "source", "optimal")
CLOSE, MOST_SUGGESTED = 0.8, 2
"""The likeness from which on the end of a board's name is suggested, and the most boards that are."""
LEADING_ZEROS = re.compile(r"\b0+(?=\d)")
COMPANIONS = (".toml", ".csv")
"""The suffixes of files beside boards that are not boards, even if a glob pattern matches them."""


@dataclass(frozen=True)
class BoardSet:
    """The content of a folder's `set.toml`.

    Attributes:
        folder: the folder.
        domain: the domain with its parameters, as on the command line; empty if the file names none.
        source: the origin of the boards.
        optimal: known optimal costs, by the stem of the board's file.
    """

    folder: Path
    domain: str = ""
    source: str = ""
    optimal: Mapping[str, float] = field(default_factory=dict)


def as_board(board: Board | str | Path) -> Board:
    """Return a board: the argument itself, or the board of a file or of a shipped name.

    Raises:
        BoardError: there is no such file, it cannot be read, or it holds no board.
        UsageError: the argument is neither a board nor a name.
    """
    if isinstance(board, Board):
        return board
    if isinstance(board, str | Path):
        return read_board(board)
    said = "Board(rows) makes one, and a text is the name of one: a file, or a board that ships, like '2048/board10'"
    raise UsageError(f"a Board is wanted, not {shown(board)}; {said}")


def read_board(path: str | Path) -> Board:
    """Read a board file, or a shipped board by name.

    Raises:
        BoardError: there is no such file, it cannot be read, or it is not a board.
    """
    return read_board_file(find_board(path))


def read_boards(where: str | Path) -> dict[Path, Board]:
    """Read all boards of a folder or a glob pattern, in natural order (2 before 10).

    Returns:
        the boards by path; for a folder those of its `*.txt` files, without subfolders.

    Raises:
        BoardError: there are no files, or a file is not a board.
    """
    return {path: read_board_file(path) for path in board_paths(where)}


def board_paths(where: str | Path, suffixes: Iterable[str] = ()) -> list[Path]:
    """Return the board files of a folder or a glob pattern, on disk or else shipped, in natural order.

    Args:
        where: the folder or the pattern.
        suffixes: the suffixes of other files of a folder to include.

    Raises:
        BoardError: there are no such files.
    """
    path = _local(where)
    for place in (path,) if os.path.exists(path) else (path, *_shipped_places(path)):
        inside = glob.escape(f"{place}{os.sep}") if os.path.isdir(place) else ""
        patterns = [f"{inside}*{suffix}" for suffix in (".txt", *suffixes)] if inside else [str(place)]
        found = (Path(name) for pattern in patterns for name in glob.glob(pattern, recursive=True))
        # A broken link counts as a board, so that reading it fails with an error.
        files = [file for file in found if (file.is_file() or not file.exists()) and file.suffix not in COMPANIONS]
        if files:
            return sorted(files, key=natural_order)
    if os.path.isfile(path):
        return [path]
    if os.path.isdir(path) and not os.access(path, os.R_OK | os.X_OK):
        raise BoardError(f"{where}: {os.strerror(EACCES)}")
    msg = f"{where}: no boards here; a folder of boards holds one .txt file per board"
    raise BoardError(msg)


def is_many(name: str) -> bool:
    """Return whether a name refers to a folder or a pattern instead of one board."""
    path = os.path.expanduser(name)
    if os.path.exists(path):
        return os.path.isdir(path)
    return glob.has_magic(name) or (_shipped_path(name, "is_dir") is not None)


def find_board(name: str | Path, suffixes: Callable[[], Iterable[str]] = tuple) -> Path:
    """Return the path of a board file, or of the shipped board of this name.

    Args:
        name: the name of the file or the board.
        suffixes: returns the suffixes of other shipped files to consider if there is no such board.

    Raises:
        BoardError: there is no such file.
    """
    found = board_path(name)
    if found is not None:
        return found
    shipped, key = shipped_boards(), _shipped_name(name)
    if _shipped_path(name, "is_dir") is not None:
        of_set = next((board for board in shipped if board.startswith(f"{key}/")), "")
        example = f", for example {of_set}" if of_set else ""
        msg = f"{name}: a set of boards, not a board; name one of them{example}"
        raise BoardError(msg)
    msg = f"{name}: {_why_unreadable(_local(name))}"
    if SIGNED_CHARACTERS.fullmatch(str(name)):
        raise BoardError(f"{msg}; a board stands in a file, or comes from standard input, which is called -")
    names = [*shipped, *shipped_files(suffixes())]
    near = did_you_mean(key, [other for other in names if os.path.splitext(other)[0] == key] or names)
    if not near.startswith("did you mean") and not Path(name).suffix:
        near = _without_its_set(key, names)
    if near.startswith("did you mean"):
        msg += f", and no board of that name ships with searchlab; {near.split('? ')[0]}?"
    raise BoardError(msg)


def _without_its_set(key: str, names: Iterable[str]) -> str:
    """Return the suggestion for the end of a board's name, such as `example` or `korf100/1`; `""` for other names."""
    from difflib import get_close_matches

    parts = key.count("/") + 1
    names_of: dict[str, list[str]] = {}
    for name in names:
        last = LEADING_ZEROS.sub("", "/".join(os.path.splitext(name)[0].split("/")[-parts:]))
        names_of.setdefault(last, []).append(name)
    key = LEADING_ZEROS.sub("", key)
    near = [key] if key in names_of else get_close_matches(key, names_of, n=1, cutoff=CLOSE)
    meant = names_of[near[0]][:MOST_SUGGESTED] if near else []
    return f"did you mean {' or '.join(map(repr, meant))}" if meant else ""


def board_path(name: str | Path) -> Path | None:
    """Return the path of a board file, or of the shipped board of this name; None if there is none."""
    path = _local(name)
    if not _why_unreadable(path):
        return path
    return shipped_boards().get(_shipped_name(name)) or _shipped_path(name, "is_file")


def _why_unreadable(path: Path) -> str:
    """Return the reason why there is no file at a path, or `''`."""
    try:
        path.stat()
    except OSError as error:
        return reason_of(error)
    except ValueError:  # a null character in the name
        return "no such file"
    return ""


@cache
def shipped_boards() -> dict[str, Path]:
    """Return the boards that ship with searchlab, by names like `2048/board10`."""
    return {name.removesuffix(".txt"): path for name, path in shipped_files((".txt",)).items()}


def shipped_files(suffixes: Iterable[str]) -> dict[str, Path]:
    """Return the files with these suffixes that ship with searchlab, by names like `grids/rooms.scen`."""
    root = _shipped_root()
    if root is None:
        return {}
    files = sorted((path for suffix in suffixes for path in root.rglob(f"*{suffix}")), key=natural_order)
    return {path.relative_to(root).as_posix(): path for path in files}


def board_name(path: Path) -> str:
    """Return the short name of a shipped board or file of boards, or the path of any other."""
    root = _shipped_root()
    if root is None or not path.is_relative_to(root):
        return str(path)
    return path.relative_to(root).as_posix().removesuffix(".txt")


def board_folder(name: str) -> tuple[Path, str] | None:
    """Return the folder of the board of this name, and the board's name in it; None if there is no such folder.

    >>> board_folder("2048/board10")[1], board_folder("grid-map/maze.scen#3")[1]
    ('board10', 'maze.scen#3')
    """
    path, mark, key = name.partition("#")
    local = _local(path)
    folder = local.parent if os.path.exists(local) else _shipped_path(Path(path).parent, "is_dir")
    return None if folder is None else (folder, f"{Path(path).name.removesuffix('.txt')}{mark}{key}")


def board_set(path: Path) -> BoardSet | None:
    """Return the content of the `set.toml` beside a board file or in a folder, or None.

    Raises:
        UsageError: the file cannot be read, or has an unknown key.
    """
    folder = path if path.is_dir() else path.parent
    file = folder / SET_FILE
    if not file.is_file():
        return None
    content = read_toml(file, SET_KEYS)
    optimal = content.get("optimal", {})
    texts = {key: content.get(key, "") for key in ("domain", "source")}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise UsageError(f"{file}: {key} is a text, not {text!r}")
    if not isinstance(optimal, dict) or not all(map(_is_cost, optimal.values())):
        raise UsageError(f"{file}: [optimal] gives a cost, a number of 0 or more, for a board's name")
    return BoardSet(folder, texts["domain"], texts["source"], optimal)


def check_new_set(folder: Path) -> None:
    """Raise a UsageError if a new set of boards cannot be written to a folder: it is not empty, or impossible."""
    try:
        if any(folder.iterdir()):
            raise UsageError(f"{folder}: there is something in it already; name a new folder")
    except NotADirectoryError:
        raise UsageError(f"{folder}: a file; name a new folder") from None
    except FileNotFoundError:
        if not folder.parent.is_dir():
            raise UsageError(f"{folder}: there is no folder {folder.parent}") from None
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror or error}") from None


def write_boards(
    folder: Path, texts: Mapping[str, str], *, domain: str, source: str, optimal: Mapping[str, float] | None = None
) -> None:
    """Write boards to a new folder, one file each, and the `set.toml` that describes them.

    Args:
        folder: a folder that does not exist yet, or is empty.
        texts: the boards' text forms, by file name.
        domain: the domain with parameters, as on the command line.
        source: the origin of the boards.
        optimal: known optimal costs, by the stem of the board's file.

    Raises:
        UsageError: the folder is not empty, or cannot be written.
    """
    check_new_set(folder)
    said = {"domain": domain, "source": source}
    content = "".join(f"{key} = {json.dumps(text, ensure_ascii=False)}\n" for key, text in said.items())
    if optimal:
        content += "\n[optimal]\n" + "".join(f'"{stem}" = {cost:.17g}\n' for stem, cost in optimal.items())
    try:
        folder.mkdir(exist_ok=True)
        for name, text in {**texts, SET_FILE: content}.items():
            (folder / name).write_text(f"{text.rstrip()}\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise file_error(folder, error) from None


def read_board_file(path: Path, *, signed: bool = False) -> Board:
    """Read an existing board file; `signed` allows negative tiles."""
    if os.path.isdir(path):
        msg = f"{path}: a directory, not a board file; name one of the boards in it"
        raise BoardError(msg)
    if path.suffix == ".py":
        raise BoardError(python_file_instead(path, "a board"))
    try:
        with open_to_read(path) as stream:
            return read_board_stream(stream, str(path), signed=signed)
    except UsageError as error:
        raise BoardError(str(error)) from None
    except OSError as error:
        raise BoardError(f"{path}: {reason_of(error)}") from None


def read_board_stream(stream: IO[bytes], source: str, *, signed: bool = False) -> Board:
    """Read a board from an open file, and no more bytes than a board of its size can have."""
    return read_board_content(board_content(stream, source), source, signed=signed)


def board_content(stream: IO[bytes], source: str) -> bytes:
    """Return the content of an open board file or of standard input.

    Raises:
        BoardError: the content is longer than a board of its size can be.
    """
    head = stream.read(HEAD)
    if len(head) < HEAD:
        return head
    tiles = _tiles_implied(head)
    content = read_at_most(stream, BYTES_BESIDE + BYTES_OF_TILE * tiles, head)
    if content is not None:
        return content
    if not tiles:
        read_board_content(head[: head.rfind(b"\n") + 1] or head, source)  # raises if the first line gives no size
    raise BoardError(f"{source}: longer than a board of the size in its first line can be")


def _tiles_implied(head: bytes) -> int:
    """Return the number of tiles of a board with this beginning of a file, 0 if it gives no size."""
    for line in map(bytes.strip, head.removeprefix(BOM).splitlines()):
        if line and not line.startswith(COMMENTS):
            sides = [int(side) for side in line.split()[:2] if side.isdigit() and len(side) <= DIGITS_OF_SIDE]
            return min(MAX_SIDE, sides[0]) * min(MAX_SIDE, max(sides)) if sides else 0
    return 0


def read_board_content(content: bytes, source: str, *, signed: bool = False) -> Board:
    """Return the board of a file's whole content.

    Args:
        content: the content.
        source: the name of the file in error messages.
        signed: whether tiles may be negative.

    Raises:
        BoardError: the content is not a board.
    """
    if not content.strip():
        msg = f"{source}: empty; a board file gives the size n, then n rows of n tiles"
        raise BoardError(msg)
    other = why_not_utf8(content)
    if other.startswith("encoded in "):
        msg = f"{source}: {other}"
        raise BoardError(msg)
    try:
        if b"\0" in content:
            raise ValueError
        text = content.decode("utf-8-sig")
    except ValueError:
        msg = f"{source}: a binary file, not a board file (a text with the size n, then n rows of n tiles)"
        raise BoardError(msg) from None
    return Board.parse(text, source, signed=signed)


def natural_order(path: Path) -> list[tuple[int, str]]:
    """Sort key under which `9.txt` comes before `10.txt`."""
    parts = re.split(r"(\d+)", str(path))
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in parts]


def _shipped_places(path: Path) -> list[Path]:
    """Return the possible paths of a shipped board of this name; a pattern must begin with a shipped folder."""
    root = _shipped_root()
    path = Path(*path.parts[1:]) if path.parts[:1] == (BOARDS_FOLDER,) else path
    if root is None or not path.parts or _shipped_path(path.parts[0], "is_dir") is None:
        return []
    return [root / path, root / f"{path}.txt"]


def _shipped_name(name: str | Path) -> str:
    """Return the name of a shipped board or set: `2048/board10` for `boards/2048/board10.txt`."""
    return Path(name).as_posix().removesuffix(".txt").removeprefix(f"{BOARDS_FOLDER}/")


def _shipped_path(name: str | Path, kind: Literal["is_file", "is_dir"]) -> Path | None:
    """Return the file or folder of this name among the shipped boards, or None."""
    root, key = _shipped_root(), Path(_shipped_name(name))
    if root is None or key.is_absolute() or not key.parts or ".." in key.parts or key.parts[0].startswith("_"):
        return None
    path = root / key
    try:
        return path if getattr(path, kind)() else None
    except (OSError, ValueError):
        return None


def _local(name: str | Path) -> Path:
    """Return a path with `~` expanded, if there is such a user."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def _is_cost(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


@cache
def _shipped_root() -> Path | None:
    """Return the folder of the shipped boards, or None if the package is not installed."""
    from importlib.util import find_spec

    spec = find_spec("searchlab_boards")
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None
