"""Reading ends: devices are refused at once, and files are read up to their size limit."""

from __future__ import annotations

import io
import os
import threading

import pytest

from searchlab import files
from searchlab.board import files as boardfiles

ZERO = "/dev/zero"
IN_EVERY_OPTION = {
    "solve": ("solve", ZERO),
    "evaluate": ("evaluate", ZERO),
    "boards": ("boards", "show", ZERO),
    "enumerate": ("enumerate", ZERO),
    "advise": ("advise", ZERO, "--player", "greedy"),
    "check": ("plugins", "check", "taxicab", "--board", ZERO),
    "run": ("run", ZERO),
    "experiment": ("run", "zero.toml"),
    "record": ("solve", "--record", ZERO),
    "plugin": ("solve", "--plugin", ZERO),
    "plugins": ("solve", "--plugins-dir", ZERO),
    "heuristic": ("solve", "--heuristic", "zero.py:f"),
    "network": ("play", "--player", f"ntuple:file={ZERO}", "--domain", "2048-random"),
    "results": ("results", ZERO),
    "store": ("results", "zeros"),
    "merge": ("results", "merge", ZERO, "--into", "all"),
    "output of run": ("run", "2048/board10", "--output", ZERO),
    "output of generate": ("boards", "generate", "2048", "--output", ZERO),
    "output of new": ("plugins", "new", "x", "--package", "--output", ZERO),
    "output of train": ("train", "ntuple", "--output", ZERO),
}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", IN_EVERY_OPTION.values(), ids=IN_EVERY_OPTION)
def test_a_device_is_refused_at_once(run, folder, arguments):
    """Wherever a file or a folder can be named, also behind a link."""
    for name in ("zero.toml", "zero.py", "results.sqlite"):
        (folder / name).symlink_to(ZERO)
    (folder / "zeros").mkdir()
    (folder / "zeros" / "results.sqlite").symlink_to(ZERO)
    assert run(*arguments).error


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("e.toml", ("run", "e.toml")), ("searchlab.toml", ("plugins",)), ("p.py", ("solve", "--heuristic", "p.py:f"))],
)
def test_a_file_of_text_has_a_sensible_size(run, folder, name, arguments):
    """Anything longer is not read on."""
    with (folder / name).open("wb") as file:
        file.truncate(files.LONGEST_TEXT + 1)
    assert f"{name}: larger than 64 MiB" in run(*arguments).error


class Endless(io.RawIOBase):
    """A stream that repeats a line for ever; it counts what is read."""

    def __init__(self, first: bytes, line: bytes) -> None:
        self.given = 0
        self._waiting, self._line = first, line

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        while len(self._waiting) < len(buffer):
            self._waiting += self._line * (1 + len(buffer) // len(self._line))
        buffer[:] = self._waiting[: len(buffer)]
        self._waiting = self._waiting[len(buffer) :]
        self.given += len(buffer)
        return len(buffer)


@pytest.mark.parametrize(
    ("first", "line", "said", "most"),
    [
        (b"4\n", b"0 0 0 0\n", "longer than a board of the size in its first line can be", 2**21),
        (b"4 256 8 0 2 256 8 16 2 512 4 0 0 1024 0 0 0\n", b"\n", "longer than a board", 2**21),
        (b"200 300\n", b"1\n", "longer than a board", 2**22),
        (b"", b"y\n", "line 1: 'y' is not a whole number", 2**21),
        (b"", b"# comment\n", "there is no board", 2**21),
        (b"", b"\0", "a binary file", 2**21),
        (b"", b"9" * 100 + b" ", "is too large", 2**21),
    ],
)
def test_an_endless_board_is_refused(first, line, said, most):
    """Reading stops after as many numbers as the board may have, and the error gives the reason."""
    stream = Endless(first, line)
    with pytest.raises(boardfiles.BoardError, match=said) as caught:
        boardfiles.read_board_stream(io.BufferedReader(stream), "here")
    assert "\n" not in str(caught.value)
    assert stream.given <= most


def test_a_large_board_is_read_in_whole(write, folder):
    """However wide its columns are."""
    side = 200
    write("large.txt", f"# {'x' * 70_000}\n{side}\n" + "".join(f"{'7':>20}" * side + "\n" for _ in range(side)))
    assert boardfiles.read_board("large.txt").shape == (side, side)


def test_a_script_with_an_endless_line_is_refused(run):
    ran = run("play", "--testing", "--domain", "2048-random", stdin=b"x" * 2**17)
    assert (ran.code, ran.err) == (2, "searchlab: error: standard input: a line has more than 65,535 bytes\n")


def test_pipes_are_read(run, folder, write):
    """The output of another program works like a file."""
    board = b"2\n2 0\n0 2\n"
    os.mkfifo(folder / "pipe")
    os.mkfifo(folder / "e.toml")

    def say(name: str, content: bytes) -> threading.Thread:
        thread = threading.Thread(target=(folder / name).write_bytes, args=(content,))
        thread.start()
        return thread

    saying = say("pipe", board)
    ran = run("evaluate", "pipe", "--heuristic", "empty")
    saying.join()
    assert (ran.code, ran.out.split()) == (0, ["board", "empty", "pipe", "2"])
    write("b.txt", board)
    saying = say("e.toml", b'boards = ["b.txt"]\nfrontiers = ["greedy"]\ndomains = ["2048:goal=4"]\n')
    ran = run("run", "e.toml", "--dry-run")
    saying.join()
    assert ran.code == 0, ran
    saying = say("e.toml", b'boards = ["b.txt"]\nrepetitions = 0\n')
    error = run("run", "e.toml", "--dry-run").error
    saying.join()
    assert error.startswith("e.toml: repetitions: ")
