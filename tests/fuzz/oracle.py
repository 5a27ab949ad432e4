"""The requirement for any input: the program accepts it, or refuses it in one line with the reason."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import time
import traceback
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from searchlab.cli import main
from searchlab.errors import PluginError, SearchlabError, SearchlabWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PATIENCE = 60.0
"""Seconds of wall time after which an input hangs; the machine may be busy with other tests."""
SLOW = 10.0
"""Seconds of processor time that no input may take."""
LONGEST_LINE = 2000
"""Characters of an error, besides those of the input that it repeats."""
CODES = frozenset({0, 1, 2, 3, 130})
"""The exit codes of a command in which no plugin and no machine fails, and whose output is read."""
FAILS = "failing"
"""A heuristic of the bench's plugin, which may be named, and fails."""
CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that do something to a terminal, or cannot be written."""
WRITES = {
    **dict.fromkeys(("os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.symlink", "os.link"), (0,)),
    **{"os.rename": (0, 1), "shutil.rmtree": (0,)},
}
"""What changes files, with the arguments that are paths."""


class Hang(BaseException):
    """An input takes too long."""


class Finding(NamedTuple):
    """A fault that was found.

    Attributes:
        what: in a line or a few, for people.
        where: the same for the same fault, as nearly as can be told.
    """

    what: str
    where: str


class Outside:
    """Notes what is written outside the folders in which something may be written."""

    def __init__(self) -> None:
        self.allowed: tuple[str, ...] = ()
        self.is_watching = False
        self.found: list[str] = []
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.is_watching:
            return
        if event == "open":
            path, _, flags = (*arguments, None, None)[:3]
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            paths = [path] if writes else []
        else:
            paths = [arguments[at] for at in WRITES.get(event, ())]
        for path in paths:
            if isinstance(path, str | bytes | os.PathLike):
                whole = os.path.realpath(os.fsdecode(path))
                is_pythons = "__pycache__" in whole.split(os.sep)  # of a module that is imported for the first time
                if not is_pythons and not whole.startswith(("/dev/", "/proc/self/", *self.allowed)):
                    self.found.append(f"{event} {whole}")


OUTSIDE = Outside()


def finding(run: Callable[[], None]) -> Finding | None:
    """Return what is wrong with what is done with an input, None where all is well.

    A SearchlabError is an input that is refused, which is well if it is one line without control characters; an error
    of a plugin is not, for ours take whatever their parameters' checks let through.
    """
    before = _surroundings()
    hung = False

    def hang(*_: object) -> None:
        nonlocal hung
        hung = True
        raise Hang

    previous = signal.signal(signal.SIGALRM, hang)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, 5.0)  # again and again, should the first be caught on its way
    began = time.process_time()
    found = None
    OUTSIDE.found.clear()
    OUTSIDE.is_watching = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", SearchlabWarning)
            inner = warnings.filters[:]
            run()
            if warnings.filters != inner:
                found = Finding("the filters of warnings were changed", "filters")
    except Hang:
        pass
    except PluginError as error:
        found = _raised(error)
    except SearchlabError as error:
        found = _line(str(error))
    except BaseException as error:  # noqa: BLE001 - everything else is a finding
        found = _raised(error)
    finally:
        OUTSIDE.is_watching = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    taken = time.process_time() - began
    changed = [name for name, value in _surroundings().items() if value != before[name]]
    if "current folder" in changed:
        os.chdir(before["current folder"])
    if hung:
        return Finding(f"it hangs: {PATIENCE:g} s are over", "hang")
    if found is None and OUTSIDE.found:
        found = Finding(f"something is written elsewhere: {OUTSIDE.found[0]}", "written")
    if found is None and changed:
        found = Finding(f"{', '.join(changed)} changed", "surroundings")
    if found is None and taken > SLOW:
        found = Finding(f"it took {taken:.1f} s of processor time", "slow")
    return found


def command(arguments: Sequence[str], stdin: bytes = b"", *, is_exact: bool = False) -> tuple[int, str]:
    """Run a command line in this process; return its exit code and what it printed.

    Args:
        is_exact: whether what is printed may hold control characters.

    Raises:
        AssertionError: it does not end as a command does.
    """
    out, err = io.BytesIO(), io.BytesIO()
    wrapped = [io.TextIOWrapper(stream, "utf-8", write_through=True) for stream in (out, err)]
    kept = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    try:
        with redirect_stdout(wrapped[0]), redirect_stderr(wrapped[1]):
            code = main(list(arguments))
    finally:
        sys.stdin = kept
    printed, said = out.getvalue().decode(), err.getvalue().decode()
    assert "internal error" not in said, said
    assert "Traceback" not in said or "--debug" in arguments, said
    assert code in CODES or (code == 4 and f"heuristic {FAILS}: " in said), (code, said)
    assert is_exact or not CONTROLS.search(printed), f"control characters in {printed[:400]!r}"
    assert not CONTROLS.search(said), f"control characters in {said[:400]!r}"
    lines = said.splitlines() if "--debug" not in arguments else []
    excerpt = [line for line in lines if line.startswith("    ")]  # of a plugin file, with a caret below it
    assert len(excerpt) in (0, 2), said
    lines = [line for line in lines if line not in excerpt]
    assert all(line.startswith("searchlab: ") for line in lines), said
    longest = LONGEST_LINE + 4 * sum(map(len, arguments))
    assert all(len(line) <= longest for line in lines), f"a line of {max(map(len, lines))} characters: {said[:400]}"
    if code == 2 and lines:
        assert sum(line.startswith("searchlab: error: ") for line in lines) == 1, said
        assert not printed or "--testing" in arguments, printed  # where lines are answered one by one
    return code, printed


@contextmanager
def writing_only_in(*folders: Path) -> Iterator[None]:
    """Let inputs write in these folders only."""
    OUTSIDE.allowed = tuple(f"{os.path.realpath(folder)}" for folder in folders)
    yield
    OUTSIDE.allowed = ()


def _surroundings() -> dict[str, object]:
    """Return what the program must leave as it is."""
    import numpy as np

    return {
        "current folder": os.getcwd(),
        "sys.path": tuple(sys.path),
        "signal handlers": tuple(signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)),
        "NumPy's errors": tuple(np.geterr().items()),
        "umask": _umask(),
    }


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _line(text: str) -> Finding | None:
    """Return the fault of an error message."""
    if not text.strip():
        return Finding("an error without a text", "line")
    if CONTROLS.search(text) or "\n" in text:
        return Finding(f"the error is no plain line: {text!r:.400}", "line")
    return None


def _raised(error: BaseException) -> Finding:
    """Return the exception and its place."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}searchlab{os.sep}" in frame.filename] or frames[-1:]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else ""
    text = "".join(traceback.format_exception(error)[-12:])
    said = re.sub(r"\d+", "", str(error))[:60]
    return Finding(text, f"{type(error).__name__} {place} {said if isinstance(error, AssertionError) else ''}")
