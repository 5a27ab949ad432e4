"""Programs that answer line by line: how they are started, asked and ended, and what is said of those that fail."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.board.board import parse_board_line
from searchlab.games.programs import format_board, format_field, format_line, parse_line

BOT = Path(__file__).with_name("bot.py")


def command(*arguments):
    """Return the command line of the bot of the tests; -S -E let Python start in half the time."""
    return shlex.join([sys.executable, "-S", "-E", str(BOT), *map(str, arguments)])


def board_sent(program, seconds=10.0):
    """Send a board; return the fields of the answer."""
    return program.ask("board", "2 0 / 0 2", "up", "left", expected="move", seconds=seconds)


def is_there(process):
    """Return whether a process runs; one that is dead and not yet waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def gone(*processes, seconds=5.0):
    """Wait until these processes have ended; return whether they have."""
    until = time.monotonic() + seconds
    while any(map(is_there, processes)) and time.monotonic() < until:
        time.sleep(0.01)
    return not any(map(is_there, processes))


def test_a_program_is_asked_line_by_line_and_ends_when_it_is_closed(tmp_path):
    heard = tmp_path / "heard"
    with sl.Program(command("says", heard), "player", 10) as program:
        assert (program.name, program.is_running) == ("bot of tests", True)
        assert program.ask("new", "7", "2048-random", "10", expected="ready", seconds=10) == []
        assert board_sent(program) == ["up"]
    assert not program.is_running
    lines = ["hello\t1\tplayer", "new\t7\t2048-random\t10", "board\t2 0 / 0 2\tup\tleft", "quit"]
    assert heard.read_text().splitlines() == lines
    with pytest.raises(sl.PluginError, match="the program has ended"):
        board_sent(program)


def test_a_program_that_is_forgotten_is_ended(tmp_path):
    heard = tmp_path / "heard"
    program = sl.Program(command("says", heard), "player", 10)
    process, guard = program._process.pid, program._guard.pid
    assert is_there(process)
    assert is_there(guard)
    del program
    assert gone(process, guard)
    assert heard.read_text().splitlines()[-1] == "quit"


def test_a_program_that_ignores_quit_is_killed():
    program = sl.Program(command("stays"), "player", 10)
    process = program._process.pid
    began = time.monotonic()
    program.close()
    assert time.monotonic() - began < 3
    assert gone(process)


FAILURES = {
    "dies": r"the program ended with exit code 1 before it answered board \(standard error: .*no idea.x1b\[31m\)",
    "is-killed": "the program was ended by SIGKILL before it answered board",
    "closes": "the program closed its standard output before it answered board",
    "floods": "the program answered board by more than a line; one line answers each line, .* on standard error",
    "never-ends-the-line": "the program answered board by 1,[0-9,]+ bytes without an end of line",
    "empty": "the program answered board by ''; a line that begins with move is wanted",
    "garbage": r"the program answered board by '.x1b\[31mgarbage'; a line that begins with move is wanted",
    "bytes": "the program answered board by '\N{REPLACEMENT CHARACTER}'; a line that begins with move is wanted",
    "two-lines": "the program answered board by more than a line",
    "error": "the program answered board by an error: no such board",
    "late-line": "the program wrote 'thinking' before it was sent board",
}


@pytest.mark.parametrize("way", FAILURES)
def test_a_program_that_fails_is_ended_and_the_error_says_what_it_did(way):
    program = sl.Program(command(way), "player", 10)
    process, guard = program._process.pid, program._guard.pid
    for _ in range(4 if way == "late-line" else 3):
        assert board_sent(program) == ["up"]
    time.sleep(0.3 if way == "late-line" else 0)
    with pytest.raises(sl.PluginError, match=f"^.*bot.py {way}: {FAILURES[way]}") as caught:
        board_sent(program)
    assert "\n" not in str(caught.value)
    assert not program.is_running
    assert gone(process, guard)


@pytest.mark.parametrize(
    ("way", "says"),
    [
        ("floods-errors", r"did not answer board within 0.3 s; it has to flush .* \(standard error: so much to say\)"),
        ("part", "did not answer board within 0.3 s: it wrote 'move u' without an end of line; it has to flush"),
    ],
)
def test_a_program_that_does_not_answer_in_time_is_ended(way, says):
    program = sl.Program(command(way), "player", 10)
    for _ in range(3):
        board_sent(program)
    began = time.monotonic()
    with pytest.raises(sl.PluginError, match=says):
        board_sent(program, 0.3)
    assert 0.3 <= time.monotonic() - began < 3
    assert gone(program._process.pid)


def test_processes_that_a_program_started_end_with_it(tmp_path):
    program = sl.Program(command("hangs", tmp_path / "pids"), "player", 10)
    for _ in range(3):
        board_sent(program)
    with pytest.raises(sl.PluginError, match="did not answer board within 1 s"):
        board_sent(program, 1)
    pids = list(map(int, (tmp_path / "pids").read_text().split()))
    assert len(pids) == 2
    assert gone(*pids)


@pytest.mark.parametrize(
    ("way", "says"),
    [
        ("version-2", "the program speaks version '2' of the protocol, not 1"),
        ("no-hello", "the program answered hello by 'hi'; a line that begins with hello is wanted"),
    ],
)
def test_a_program_has_to_say_hello_in_this_version(way, says):
    with pytest.raises(sl.PluginError, match=says):
        sl.Program(command(way), "player", 10)


HOLDER = """\
import sys, time
import searchlab as sl
program = sl.Program(sys.argv[1], "player", 10)
print(program._process.pid, program._guard.pid, flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("way", ["plays", "stays"])
def test_a_program_ends_when_the_process_that_asks_it_is_killed(way):
    """Even if it does not react to the end of its input."""
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, command(way)], stdout=subprocess.PIPE, text=True)
    with holder:
        pids = list(map(int, holder.stdout.readline().split()))
        assert all(map(is_there, pids))
        holder.send_signal(signal.SIGKILL)
    assert gone(*pids)


def test_a_forked_process_does_not_end_the_program():
    with sl.Program(command("plays"), "player", 10) as program:
        child = os.fork()
        if not child:
            program.close()
            os._exit(0)
        os.waitpid(child, 0)
        assert board_sent(program) == ["up"]


def test_commands_that_cannot_be_started_are_refused_with_a_reason(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").write_text("echo hello\n")
    (tmp_path / "script").write_text("echo hello\n")
    (tmp_path / "script").chmod(0o755)
    (tmp_path / "folder").mkdir()
    (tmp_path / "fine").write_text("#!/bin/sh\n")
    (tmp_path / "fine").chmod(0o755)
    reasons = {
        "./nosuch": "there is no program ./nosuch",
        "nosuch --fast": "there is no program nosuch on the PATH; one in this folder is ./NAME",
        "./plain": "./plain is not executable: chmod +x ./plain, or begin with the program that runs it",
        "./script": "./script is a text, and its first line does not say what runs it, as #!/usr/bin/env python3 does",
        "./folder": "./folder is a folder",
        "./fine 'a": "no closing quotation",
        "": "name a program and its arguments, as in command=[./bot --fast]",
        "./fine 'a b'": "",
        "python3 fine": "",
    }
    assert {line: sl.Program.check_command(line) for line in reasons} == reasons
    with pytest.raises(sl.UsageError, match=r"^\./script: the program cannot be started: Exec format error"):
        sl.Program("./script", "player", 10)
    assert [bool(sl.Program.check_seconds(seconds)) for seconds in (0.01, 86_400, 0, -1, float("inf"))] == [
        *(False, False, True, True, True)
    ]


FIELDS = st.text(min_size=1).filter(lambda text: text.strip() == text)


PRINTABLE = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1)


@given(st.sampled_from(["board", "move"]), st.lists(PRINTABLE | st.sampled_from(["4 2", "a  b"]), min_size=1))
def test_a_line_has_the_fields_it_was_made_of(word, fields):
    assert parse_line(format_line(word, *fields)) == (word, fields)


@given(FIELDS)
def test_a_field_is_one_of_a_line_whatever_is_in_it(text):
    assert not {"\t", "\n", "\r"} & set(format_field(text))


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_a_board_is_read_as_it_was_written(rows, columns, data):
    tiles = st.lists(st.integers(-9, 2**40), min_size=columns, max_size=columns)
    board = sl.Board(data.draw(st.lists(tiles, min_size=rows, max_size=rows)), signed=True)
    assert parse_board_line(format_board(board), signed=True) == board
