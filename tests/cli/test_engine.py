"""`searchlab engine` answers line by line, and programs play in every command that takes a player."""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.cli.lines import LONGEST_LINE
from searchlab.experiments.worker_pool import end_workers
from searchlab.testing.conformance.environment import program_factory
from searchlab.testing.conformance.suite import conformance
from tests.games.test_programs import command, gone

GREEDY = ("engine", "--player", "greedy:heuristic=snake")
PAGE, PAGE_OF_ENVIRONMENTS = (
    Path(__file__).parents[2] / "docs" / f"program-{role}.md" for role in ("players", "environments")
)


@pytest.fixture
def no_workers_left():
    """Worker processes end with the test."""
    yield
    end_workers()


def test_each_line_is_answered_at_once_until_quit():
    """The rest of the input is not read."""
    asked = [sys.executable, "-m", "searchlab", *GREEDY]
    with subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        said = []
        for line in (
            b"hello 1 player\n",
            b"new\t3\t2048:n=2\t5\r\n",
            b"board\t2 2 / 0 0\n",
            b"x" * LONGEST_LINE + b"\n",
        ):
            process.stdin.write(line)
            process.stdin.flush()
            said.append(process.stdout.readline().decode().rstrip("\n").split("\t"))
        process.stdin.write(b"quit\nboard\t2 2 / 0 0\n")
        process.stdin.flush()
        assert process.stdout.read() == b""
        assert process.wait(timeout=120) == 0
    assert said == [
        ["hello", "1", "searchlab greedy:heuristic=snake"],
        ["ready"],
        ["move", "left", "down=0.0", "left=2.0", "right=2.0"],
        ["error", "the line is too long"],
    ]


def test_the_end_of_the_input_ends_an_engine(run):
    assert run(*GREEDY, stdin=b"") == run(*GREEDY, stdin=b"quit\n")
    assert run(*GREEDY, stdin=b"").out == ""
    ran = run(*GREEDY, "--domain", "2048:n=3", stdin=b"board 0 0 0 / 0 2 0 / 4 0 0")
    assert (ran.code, ran.out.split("\t")[0]) == (0, "move")


def test_an_error_of_a_plugin_is_an_answer_and_the_exit_code(run, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def lost(board, moves):\n    return moves[len(board.tiles)].action\n")
    ran = run(
        "engine", "--player", f"{file}:lost", "--domain", "2048-random:n=2", stdin=b"board 0 2 / 0 0\nboard 0\nx\n"
    )
    assert ran.code == 4
    first, second, third = ran.out.splitlines()
    assert first.startswith("move") or "IndexError" in first
    assert second.startswith("error\tnot a board")
    assert third.startswith("error\t'x' is none of the words")


def test_wrong_names_are_refused_before_a_line_is_read(run):
    assert "no player is called 'gredy'" in run("engine", "--player", "gredy", stdin=b"hello 1 player\n").error
    assert "has no parameter seconds" in run(*GREEDY, "--time-per-move", "1s", stdin=b"").error


@pytest.mark.parametrize(
    "words",
    [
        ("play", "--player"),
        ("tournament",),
        ("run", "--seeds", "1-2", "--player"),
        ("advise", "2048/board10", "--player"),
    ],
    ids=lambda words: words[0],
)
def test_a_command_that_cannot_be_started_is_refused_at_once(run, words, folder):
    ran = run(*words, "program:command=[./bot --fast]")
    assert ran.code == 2
    assert "player program: command=./bot --fast: there is no program ./bot" in ran.error
    assert "player program: command=: name a program and its arguments" in run(*words, "program").error


def test_programs_that_fail_lose_their_games_and_the_tournament_goes_on(run, folder, no_workers_left):
    """In worker processes; all rows are there, with the reasons, and the games of others are as without them."""
    ways = {
        "dies": "ended with exit code 1 before it answered board",
        "garbage": "answered board by",
        "floods-errors": "did not answer board within 0.5 s",
    }
    players = [f"program:command=[{command(way)}],seconds=0.5" for way in ("last", *ways)]
    ran = run("tournament", "random", *players, "--games", 4, "--domain", "2048-random:n=3", "--workers", 2)
    assert ran.code == 0
    assert "20 games, all done: error 12 · dead 8" in ran.out
    assert "12, which count with the score they had" in ran.out
    table = sl.load_results("results/tournament")
    for way, reason in ways.items():
        rows = table[table["player"].str.contains(f"{way}")]
        assert list(rows["status"]) == ["error"] * 4
        assert set(rows["moves"]) <= {2, 3}  # a worker asks for one move before its first game
        assert rows["reason"].str.contains(re.escape(reason)).all()
        assert " ".join(reason.split()) in " ".join(ran.out.split())
    played = table[table["player"].str.contains("bot.py last")].set_index("seed")
    for seed in (1, 4):
        game = sl.play(domain="2048-random:n=3", player=lambda board, moves: moves[-1].action, seed=seed)
        assert (played["score"][seed], played["moves"][seed]) == (game.score, game.moves)


def test_a_program_that_is_edited_is_another_player(run, folder, no_workers_left):
    """The content of the files of a command is part of a run's identity."""
    shutil.copy(Path(__file__).parents[1] / "games" / "bot.py", "bot.py")
    player = f"program:command=[{sys.executable} bot.py last]"
    arguments = ("run", "--player", player, "--seeds", "1-2", "--domain", "2048-random:n=2", "--output", "games")
    assert "2 runs, all done: dead 2" in run(*arguments).out
    assert "2 done before" in run(*arguments).out
    with open("bot.py", "a") as stream:
        stream.write("# another\n")
    assert "done before" not in run(*arguments).out


def test_ctrl_c_ends_a_game_and_its_program(tmp_path):
    pids = tmp_path / "pids"
    player = f"program:command=[{command('hangs', pids)}]"
    asked = [sys.executable, "-m", "searchlab", "play", "--player", player, "--json"]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not (pids.exists() and len(pids.read_text().split()) == 2):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 130
    assert b'"status": "interrupted"' in out
    assert gone(*map(int, pids.read_text().split()))


def blocks(language, page=PAGE):
    """Return the code blocks of a language on the page about programs."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def programs_of(page, name):
    """Write the programs of this name that a page shows, and return their command lines."""
    ends = {"python": "py", "bash": "sh", "c": "c"}
    files = {}
    for language, end in ends.items():
        block = next(block for block in blocks(language, page) if f" {name}.{end}\n" in block)
        files[language] = Path(f"{name}.{end}")
        files[language].write_text(block)
    files["bash"].chmod(0o755)
    commands = [f"{sys.executable} {files['python']}", f"./{files['bash']}"]
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler:
        options = ["-O2", "-Wall", "-Werror", "-Wno-unused-result", "-o", name]
        subprocess.run([compiler, *options, files["c"]], check=True)
        commands.append(f"./{name}")
    return commands


@pytest.mark.slow
def test_the_environments_that_a_page_shows_conform(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in programs_of(PAGE_OF_ENVIRONMENTS, "game"):
        factory = program_factory(f"program:command=[{line}]", sl.domain("2048-random", n=2))
        checks = {check.name: check for check in conformance(factory, moves=1000, games=50)}
        assert {check.verdict for check in checks.values()} <= {"holds", "untested"}, line
        assert checks["mean of best-play"].verdict == "holds"
        three = program_factory(f"program:command=[{line}]", sl.domain("2048-random", n=3))()
        assert len(three.reset(7)) == 3
        assert three.reset(7) == three.reset(7)


def test_the_bots_that_the_page_shows_play_the_same_game(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = programs_of(PAGE, "bot")
    domain = sl.domain("2048-random:n=3")
    mine = sl.play(domain=domain, player=lambda board, moves: moves[-1].action, seed=3)
    for line in commands:
        game = sl.play(domain=domain, player=sl.player("program", domain=domain, command=line), seed=3)
        assert (game.status, game.actions, game.score) == ("dead", mine.actions, mine.score), game.reason


def test_the_pages_show_what_an_engine_answers(run):
    found = [*blocks("console"), *blocks("console", PAGE_OF_ENVIRONMENTS)]
    shown = [block.splitlines() for block in found if block.startswith("$ printf")]
    assert len(shown) == 2
    for first, *answers in shown:
        asked, words = re.search(r"printf '(.*)' \| searchlab (.*)", first).groups()
        assert run(*words.split(), stdin=asked.replace("\\n", "\n").encode()).out.splitlines() == answers
