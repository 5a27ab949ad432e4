"""`searchlab advise`: advice for a board, and for boards that arrive line by line."""

import contextlib
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tracemalloc
from math import inf

import pytest

import searchlab as sl
from searchlab.cli.lines import LONGEST_LINE

PLAYERS = """\
from searchlab import Player, hookimpl


def worth(board, moves):
    "What each move is worth."
    assert board.largest_tile() < 64
    return [float(move.board.tiles[0, 0]) for move in moves]


def first(board, moves):
    return moves[0].action


def infinite(board, moves):
    return [float("inf"), float("-inf"), 0.5, 1e300][: len(moves)]


def short(board, moves):
    return [1.0]


def round_and_round(board, moves):
    print("asked", flush=True)
    while True:
        pass


def steps(board):
    rows, cells = board.shape
    for k in range(cells):
        if not board.tiles[0, k]:
            yield f"step\\n {k}=x", Board([[1 if c == k else t for c, t in enumerate(board.tiles[0].tolist())]])


def positions(board, moves):
    return [0.1 * (len(moves) - k) if k else -1.0 for k in range(len(moves))]


@hookimpl
def searchlab_players():
    for values in (worth, infinite, short, positions):
        yield Player(values.__name__, values=values)


@hookimpl
def searchlab_domains():
    yield Domain("stairs", steps, lambda board: False)


from searchlab import Board, Defaults, Domain
"""
GREEDY = ("advise", "--player", "greedy:heuristic=empty")


@pytest.fixture
def players(write):
    return write("players.py", PLAYERS)


def lines_of(*boards):
    return "".join(f"{board}\n" for board in boards).encode()


def test_a_board_is_answered_by_the_best_move_and_a_table(run, sliding):
    """The best first, of equally good ones in the domain's order."""
    ran = run("advise", sliding, "--domain", "sliding-tile")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "right\nsliding-tile · greedy:heuristic=taxicab\n\n"
        "move   worth  loss\nright     -2     0\nup        -4     2\ndown      -4     2\n"
    )


def test_the_default_player_is_the_one_that_gives_hints(run, board10_file):
    """The game is chosen as in `play`."""
    ran = run("advise", board10_file, "--json")
    assert ran.err == "searchlab: domain 2048-random, judging by the tiles (--domain NAME chooses one)\n"
    assert (ran.json["domain"], ran.json["player"]) == ("2048-random", "expectimax:heuristic=ntuple")
    played = run("advise", "2048/board10", "--json")
    assert (played.json["domain"], played.json["player"]) == ("2048", "greedy:heuristic=left-weighted")
    preset = run("advise", "2048/board10", "--preset", "cs61b", "--player", "random", "--json")
    assert (preset.json["domain"].partition(":")[0], preset.json["values"]) == ("2048-random", None)


def test_the_answer_has_the_values_of_the_player(run, board10):
    ran = run("advise", "2048/board10", "--domain", "2048", "--player", "greedy:heuristic=snake", "--json")
    values = {action: sl.heuristic("snake")(after) for action, after in sl.domain("2048").successors(board10)}
    assert ran.json == {
        "board": "2048/board10",
        "domain": "2048",
        "player": "greedy:heuristic=snake",
        "move": max(values, key=values.get),
        "values": values,
    }


def test_a_player_without_values_gives_only_its_move(run, players):
    ran = run("advise", "2048/board10", "--player", f"{players}:first")
    assert ran.out == "up\n2048 · first\n"


def test_a_game_that_is_over_needs_no_advice(run, write):
    """Because no move is left, or because the goal is there."""
    dead = write("dead.txt", "2\n2 4\n4 2\n")
    assert run("advise", dead, "--domain", "2048").out.startswith("game over: no legal move is left\n2048 · ")
    goal = write("goal.txt", "2\n2 4\n4 0\n")
    ran = run("advise", goal, "--domain", "2048:goal=4", "--json")
    assert (ran.code, ran.json["move"], ran.json["values"], ran.json["over"]) == (0, None, {}, "goal")
    assert run("advise", goal, "--domain", "2048:goal=4").out.startswith("game over: goal reached\n")


def test_many_moves_are_cut_to_the_best(run, players, write):
    """On a page of 24 lines; a move of a strange name is shown in one."""
    board = write("stairs.txt", f"1 30\n{'0 ' * 30}\n")
    ran = run("--plugin", players, "advise", board, "--domain", "stairs", "--player", "positions")
    lines = ran.out.splitlines()
    assert len(lines) == 21
    assert (lines[0], lines[1]) == ("step 1=x", "stairs · positions")
    assert lines[4].split() == ["step", "1=x", "2.90000", "0.00000"]
    assert lines[-1] == "and 14 moves of no higher value; --json shows all"


def test_the_best_move_is_green_on_a_terminal(folder):
    """Lines have at most 80 columns."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "searchlab", "advise", "2048/board10", "--player", "greedy"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(command, stdout=theirs, env=environment) as process:
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # its end is gone
            while more := os.read(ours, 1024):
                said += more
        assert process.wait(timeout=120) == 0
    os.close(ours)
    assert said.startswith(b"\x1b[32m\x1b[1mdown\x1b[0m\r\n")
    assert max(map(len, said.decode().splitlines())) < 80


def test_lines_are_answered_in_order(run):
    """Errors and finished games are answers, too."""
    boards = ("2 0 0 0", "", "2 4 4 2", "3,0,0,2", "2 2 2 / 4 4", "4 0 0 4", "2 2 2/0 4", "x")
    ran = run(*GREEDY, "--domain", "2048:n=2", stdin=lines_of(*boards))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "down\tdown=2.0\tright=2.0",
        "error: there is no board: n × n tiles row by row (n may precede them)",
        "over: no legal move is left",
        "error: not a board of 2048:n=2: the tile 3 at row 1, column 1 is no power of two from 2 to 2^62",
        "left\tleft=1.0",
        "up\tup=1.0\tdown=1.0\tleft=1.0",
        "left\tleft=1.0",
        "error: 'x' is not a tile: a tile is a whole number, 0 for blank",
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"\n", "there is no board"),
        (b"2 0 0\n", "got 3 numbers"),
        (b"2 0 0 1\n", "not a board of 2048-random: the tile 1 at row 2, column 2 is no power of two"),
        (b"2 0 0/0 0 4\n", "not a board of 2048-random: it is 2 × 3"),
        (b"4\n", "not a board of 2048-random: it is 1 × 1"),
        (b"2 0 0 \xff\n", "the byte 0xff is not UTF-8"),
        (b"2 0 0 \x1b[2J\n", r"'\x1b[2J' is not a tile"),
        (b"0" * (LONGEST_LINE + 5) + b"\n", "the line has more than 65,535 bytes"),
        (b"2 " * LONGEST_LINE * 2 + b"\n", "the line has more than 65,535 bytes"),
        (b"# 2 0 0 4\n", "'#' is not a tile"),
    ],
)
def test_an_invalid_line_is_answered_by_an_error(run, line, said):
    """In text and in JSON; the next line is answered normally."""
    stdin = line + b"2 2 0 0\r\n" + line + b"\xef\xbb\xbf2 2 0 0"
    wrong, well, again, last = run(*GREEDY, stdin=stdin).out.splitlines()
    assert wrong.startswith("error: ")
    assert said in wrong
    assert (again, last) == (wrong, well)
    assert well == "left\tdown=2.0\tleft=3.0\tright=3.0"
    ran = run(*GREEDY, "--json", stdin=stdin)
    answers = [json.loads(answer) for answer in ran.out.splitlines()]
    assert (ran.code, ran.err) == (0, "")
    assert answers[0] == answers[2] == {"error": wrong.removeprefix("error: ")}
    assert list(answers[1]) == ["move", "values"]


def test_json_has_a_line_for_each_line(run, players):
    """Names of moves may contain any characters; values that JSON cannot express are null."""
    plugin = ("--plugin", players, "advise", "--json")
    ran = run(*plugin, "--domain", "2048-random", "--player", "infinite", stdin=lines_of("0 2 2 0", "2 4 4 2"))
    first, second = map(json.loads, ran.out.splitlines())
    assert first == {"move": "up", "values": {"up": None, "down": None, "left": 0.5, "right": 1e300}}
    assert second == {"move": None, "values": {}, "over": "dead"}
    ran = run(*plugin, "--domain", "stairs", "--player", "positions", stdin=b"0 1 0 /\n")
    assert json.loads(ran.out) == {"move": "step\n 2=x", "values": {"step\n 0=x": -1.0, "step\n 2=x": 0.1}}
    ran = run(*plugin, "--player", "random", stdin=b"2 0 0 0\n")
    assert json.loads(ran.out)["values"] is None


def test_an_answer_is_always_one_line(run, players):
    """Names of moves may contain any characters; the value follows the last `=`."""
    ran = run("--plugin", players, "advise", "--domain", "stairs", "--player", "positions", stdin=b"0 1 0/\n")
    assert ran.out == "step 2=x\tstep 0=x=-1.0\tstep 2=x=0.1\n"
    ran = run("--plugin", players, "advise", "--domain", "2048-random", "--player", "infinite", stdin=b"0 2 2 0\n")
    assert ran.out == "up\tup=inf\tdown=-inf\tleft=0.5\tright=1e+300\n"
    assert [float(worth.rpartition("=")[2]) for worth in ran.out.split("\t")[1:]] == [inf, -inf, 0.5, 1e300]


def test_a_failing_player_is_reported_in_the_line(run, players):
    """The other lines are answered; the exit code is 4."""
    ran = run("--plugin", players, "advise", "--player", "worth", stdin=lines_of("2 0 64 0", "3", "2 2 0 0"))
    assert (ran.code, ran.err) == (4, "")
    failed, bad, well = ran.out.splitlines()
    assert failed.startswith("error: player worth: AssertionError (")
    assert bad.startswith("error: not a board")
    assert well == "left\tdown=0.0\tleft=4.0\tright=0.0"


def test_a_player_that_fails_on_a_board_is_an_error(run, players):
    """In one line on standard error."""
    ran = run("--plugin", players, "advise", "2048/board10", "--player", "short")
    assert (ran.code, ran.out) == (4, "")
    wanted = "a number for each of 3 moves is wanted"
    assert ran.err == f"searchlab: error: player short returned [1.0] as its values; {wanted}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--player", "nobody"), "no player is called 'nobody'"),
        (("--player", "tutorial", "--domain", "2048"), "player 'tutorial' is made for 2048-random, not for 2048"),
        (("--player", "random", "--time-per-move", "1s"), "--time-per-move: player random has no parameter seconds"),
        (("--seed", "-1"), "invalid value for '--seed'"),
        (("--preset", "clasic"), "no game has a preset 'clasic'"),
        (("nowhere.txt",), "nowhere.txt: no such file"),
        (("2048",), "2048: a set of boards, not a board"),
    ],
)
def test_invalid_arguments_are_refused_before_input_is_read(run, arguments, said):
    assert said in run("advise", *arguments, stdin=b"2 0 0 0\n").error


def test_empty_input_gives_no_output(run):
    assert run(*GREEDY, stdin=b"") == run(*GREEDY, "-", stdin=b"")
    assert run(*GREEDY, stdin=b"").out == ""


def test_boards_of_other_games_are_read(run):
    """Sliding tiles, and deterministic 2048 with --goal."""
    ran = run("advise", "--domain", "sliding-tile", stdin=lines_of("1 2 3 0 4 6 7 5 8", "2 0 0 4"))
    right, wrong = ran.out.splitlines()
    assert right == "right\tup=-4.0\tright=-2.0\tdown=-4.0"
    assert wrong.startswith("error: not a board of sliding-tile: ")
    assert run("advise", "--goal", 4, stdin=b"2 0 0 4\n").out == "over: goal reached\n"


def test_the_seed_is_that_of_the_player(run):
    """Its random numbers go on from line to line: the same lines get the same answers."""
    stdin = lines_of(*["2 2 4 4"] * 40)
    runs = {seed: run("advise", "--player", "random", "--seed", seed, stdin=stdin).out for seed in (1, 2)}
    assert runs[1] == run("advise", "--player", "random", "--seed", 1, stdin=stdin).out != runs[2]
    assert set(runs[1].split()) == {"left", "right"}


def test_a_time_per_move_is_the_players_parameter(run):
    """Also of the player who is asked by default."""
    ran = run("advise", "2048/board10", "--preset", "classic", "--time-per-move", "1ms", "--json")
    assert ran.json["player"] == "expectimax:seconds=0.001,heuristic=ntuple"


def test_each_line_is_answered_at_once():
    """A program can hold a conversation with the command."""
    command = [sys.executable, "-m", "searchlab", *GREEDY]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            said = []
            for line in (b"2 2 0 0\n", b"\n", b"2 " * LONGEST_LINE + b"\n", b"2 4 4 2\n", b"0 2 2 0\n"):
                process.stdin.write(line)
                process.stdin.flush()
                said.append(process.stdout.readline().split(b"\t")[0].split(b":")[0].strip())
            process.stdin.close()
            assert process.stdout.read() == b""
            assert process.wait(timeout=120) == 0
        finally:
            process.kill()
    assert said == [b"left", b"error", b"error", b"over", b"up"]


@pytest.mark.parametrize(
    ("player", "answered", "printed"), [("first", b"down\n", b""), ("round_and_round", b"", b"asked\n")]
)
def test_ctrl_c_ends_advise(players, player, answered, printed):
    """While it waits for a line, and while a player thinks."""
    command = [sys.executable, "-m", "searchlab", "advise", "--player", f"{players}:{player}"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes) as process:
        try:
            process.stdin.write(b"2 2 0 0\n")
            process.stdin.flush()
            assert (process.stderr if printed else process.stdout).readline() == printed + answered
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=120) == 130
            assert (process.stdout.read(), process.stderr.read()) == (b"", b"searchlab: interrupted\n")
        finally:
            process.kill()


@pytest.mark.slow
def test_many_lines_from_a_file_to_a_file_tell_how_many_are_answered(folder, read_to_end):
    """On a terminal, in a line that is gone at the end; of lines that a program waits for it tells nothing."""
    (folder / "boards").write_bytes(lines_of(*["0 2 2 4 8 16 32 64 2 4 8 16 0 0 0 0"] * 60))
    command = [sys.executable, "-m", "searchlab", "advise", "--player", "expectimax:cutoff=0.0001,seconds=0.05"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    told = {}
    for destination in ("answers", os.devnull):
        ours, theirs = pty.openpty()
        with open("boards", "rb") as boards, open(destination, "wb") as answers:
            subprocess.run(command, stdin=boards, stdout=answers, stderr=theirs, env=environment, check=True)
        os.write(theirs, b"end")
        os.close(theirs)
        told[destination] = read_to_end(ours)
    assert re.search(r"\r\x1b\[K[1-9][0-9]? boards answered", told["answers"])
    assert told["answers"].endswith("\r\x1b[Kend")
    assert "answered" not in told[os.devnull]
    assert len((folder / "answers").read_bytes().splitlines()) == 60


def test_a_closed_pipe_ends_advise_without_an_error():
    command = [sys.executable, "-m", "searchlab", *GREEDY]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes) as process:
        try:
            process.stdin.write(b"2 2 0 0\n")
            process.stdin.flush()
            assert process.stdout.readline()
            process.stdout.close()
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(b"2 2 0 0\n" * 10)
                process.stdin.flush()
            assert process.wait(timeout=120) == 141
            assert process.stderr.read() == b""
        finally:
            process.kill()


class Endless(io.RawIOBase):
    """Many lines with boards, none of which is kept; notes how much memory is taken on the way."""

    def __init__(self, lines):
        self._lines = lines
        self.taken = []

    def readable(self):
        return True

    def readinto(self, buffer):
        line = next(self._lines, b"")
        buffer[: len(line)] = line
        self.taken.append(tracemalloc.get_traced_memory()[0])
        return len(line)


@pytest.mark.slow
def test_thousands_of_lines_are_answered_in_constant_memory(run, monkeypatch, capsys, tmp_path):
    """Each board is another one, and the last thousands take no more than the first."""
    count = 4_000

    def lines():
        for k in range(count):
            exponents = [(k // 10**digit) % 10 for digit in range(4)]
            yield (" ".join(str((1 << e) & ~1) for e in exponents) + "\n").encode()

    source = Endless(lines())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(source)))
    with (tmp_path / "answers.txt").open("w", encoding="utf-8") as answers:
        monkeypatch.setattr(sys, "stdout", answers)
        tracemalloc.start()
        try:
            assert sl.cli.main(list(GREEDY)) == 0
        finally:
            tracemalloc.stop()
    said = (tmp_path / "answers.txt").read_text(encoding="utf-8").splitlines()
    assert len(said) == count
    assert not [answer for answer in said if answer.startswith("error")]
    assert all(re.fullmatch(r"over: .*|(up|down|left|right)(\t\w+=\d+\.\d)+", answer) for answer in said)
    assert max(source.taken[count // 2 :]) - max(source.taken[: count // 2]) < 2**20


BELOW_0 = """\
from searchlab import Defaults, Domain, PackedForm, hookimpl


def step(tiles, out):
    out[0, 0, 0] = tiles[0, 0] + 1
    return 1


@hookimpl
def searchlab_domains():
    form = PackedForm(cells=[(-3, 3)], max_successors=1, successors=step, is_goal=lambda tiles: tiles[0, 0] == 3)
    yield Domain("depth", packed=lambda board: form, defaults=Defaults(frontier="breadth-first"))
"""


def test_negative_tiles_are_read_if_the_game_has_them(run, write):
    """Other games refuse them."""
    of = ("--plugin", write("depth.py", BELOW_0), "--domain", "depth")
    answers = run("advise", *of, "--player", "random", stdin=b"-2\n-4\n").out.splitlines()
    assert answers[0].startswith("move-1")
    assert (
        answers[1] == "error: not a board of depth: the tile at row 1, column 1 is -4: a tile there is between -3 and 3"
    )
    assert run("solve", *of, "-", "--engine", "readable", "--moves-only", stdin=b"1\n1\n").out == "move-1 move-1\n"
    assert run("solve", *of, "-", "--engine", "readable", "--json", stdin=b"1\n-1\n").json["moves"] == 4
    refused = run("solve", "-", "--domain", "2048", stdin=b"2\n-1 0\n2 2\n")
    assert refused.error == "standard input: line 2: -1 is negative: a tile is 0 (blank) or more"
