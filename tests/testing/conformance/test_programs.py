"""Environments that programs keep: they are held to the same rules, and each way to fail is a fault with a reason."""

import re
import shlex
import sys
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.errors import PluginError, UsageError
from searchlab.games.program_environment import ProgramEnvironment
from searchlab.testing.conformance.environment import MOVES, program_factory
from searchlab.testing.conformance.suite import FAULT, UNTESTED, conformance
from tests.testing.conformance.test_suite import faults

GAME = Path(__file__).with_name("game.py")
ENGINE = [sys.executable, "-m", "searchlab", "engine", "--player", "random"]


def name_of(environment):
    """Return the name of an environment that the program of the tests keeps."""
    return f"program:command=[{shlex.join([sys.executable, '-S', '-E', str(GAME), environment])}]"


def program(environment, n=2, **parameters):
    """Return a factory of this environment with n × n cells only."""
    name = ",".join((name_of(environment), *(f"{key}={value}" for key, value in parameters.items())))
    factory = program_factory(name, sl.domain("2048-random", n=n))
    return lambda: factory()


def test_a_program_that_keeps_the_rules_conforms():
    assert faults(program("Plain"), moves=1000) == {}


@pytest.mark.slow
def test_searchlab_as_a_program_conforms_and_every_row_is_tested():
    factory = program_factory(f"program:command=[{shlex.join(ENGINE)}]", sl.domain("2048-random", n=2))
    checks = {check.name: check for check in conformance(factory, moves=3000, games=50, illegal="raises")}
    assert FAULT not in {check.verdict for check in checks.values()}
    assert checks["slides"].text == "16 rows × 4 moves by set, and 3,000 moves"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "n", "moves", "check", "text"),
    [
        ("StaleCount", 2, 20_000, "2 empty cells", "with 2 empty cells (row by row) "),
        ("ManyFours", 2, 4_000, "share of 4s", "are 4s, not 10.00%"),
        ("WrongEnd", 3, 10_000, "equal tiles", "2 2 2 became "),
        ("SpawnsAlways", 2, 4_000, "illegal", ", which is illegal: a tile appeared"),
    ],
)
def test_each_planted_fault_is_found_through_a_program(environment, n, moves, check, text):
    assert text in faults(program(environment, n), moves=moves)[check]


def test_errors_are_the_exceptions_of_programs():
    assert faults(program("RaisesAtIllegal"), illegal="raises", moves=500) == {}
    found = faults(program("RaisesAtIllegal"), moves=500)
    assert list(found) == ["illegal"]
    assert ", which is illegal: the program answered move by an error: illegal (" in found["illegal"]


def test_a_program_that_dies_is_started_again_and_the_fault_shows_what_it_wrote():
    checks = {check.name: check for check in conformance(program("Crashes"), moves=300, games=50)}
    assert [check.name for check in checks.values() if check.verdict == FAULT] == ["slides"]
    text = checks["slides"].text
    assert (
        "the program ended with exit code 1 before it answered move (standard error: ZeroDivisionError: eight)" in text
    )
    assert checks["mean"] == ("mean", UNTESTED, "the environment failed")


def test_a_program_that_hangs_costs_its_time_a_few_times_only(monkeypatch):
    monkeypatch.setattr("searchlab.testing.conformance.suite.MOST_SECONDS", 1.0)
    checks = {check.name: check for check in conformance(program("Hangs", seconds=0.3), moves=100_000, games=50)}
    assert "the program did not answer move within 0.3 s; it has to flush each line" in checks["slides"].text
    assert re.search(r"\([1-4] times?\)$", checks["slides"].text)
    assert {checks[name].verdict for name in ("seeds", "mean")} == {UNTESTED}


def scripted(*answers):
    """Return an environment by a program that gives these answers, in turn, after `hello`."""
    script = "import sys\nfor said in sys.argv[1:]:\n    sys.stdin.readline()\n    print(said, flush=True)\ninput()\n"
    command = shlex.join([sys.executable, "-S", "-E", "-c", script, "hello 1 scripted", *answers])
    return ProgramEnvironment(command, sl.domain("2048-random"), MOVES, 10, 10)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (["ready"], "answered new by 'ready'; a line that begins with board is wanted"),
        (["board"], "answered new by 'board'; after the word a board is wanted"),
        (["error no such size"], "answered new by an error: no such size"),
        (["board 0 2 / 2"], "wrote '0 2 / 2' where a board is wanted: the rows of a square board are wanted"),
        (["board 0 x / 2 0"], "wrote '0 x / 2 0' where a board is wanted"),
        (["board 0 -2 / 2 0"], "where a board is wanted: its cells are tiles, or 0"),
        (["board 0 2 / 2 0", "board 4 0 / 0 2 4"], r"after the word a board, a tab and the points of the move are"),
        (["board 0 2 / 2 0", "board 4 0 / 0 2\tfour"], "wrote 'four' where the points of a move are wanted"),
        (["board 0 2 / 2 0", "board 4 0 2 / 0 2 0 / 0 0 0\t4"], "it had 2 rows"),
        (["board 0 2 / 2 0", "ready"], "a line that begins with board or over is wanted"),
    ],
)
def test_an_answer_that_cannot_be_read_stops_a_program(answers, message):
    environment = scripted(*answers)
    with pytest.raises(PluginError, match=message):
        [environment.reset(1), environment.step(0)]
    assert not environment.is_running


def test_a_program_says_that_it_cannot_be_put_on_a_board():
    environment = scripted("board 0 2 / 2 0", "error no", "over 0 2 / 2 0\t0")
    environment.reset(1)
    with pytest.raises(NotImplementedError):
        environment.set([[2, 2], [0, 0]])
    assert environment.step(1) == ([[0, 2], [2, 0]], 0.0, True, {})


def test_names_of_programs_have_the_parameters_of_the_player():
    domain = sl.domain("2048-random")
    assert program_factory("env.py:Game", domain) is None
    assert program_factory("program:Game", domain) is None
    with pytest.raises(UsageError, match=r"there is no program ./game in this folder|there is no program ./game"):
        program_factory("program:command=[./game --fast]", domain)
    with pytest.raises(UsageError, match="did you mean 'seconds'"):
        program_factory("program:command=[cat],second=2", domain)
    with pytest.raises(UsageError, match="no player is called 'programm': did you mean 'program'"):
        program_factory("programm:command=[cat]", domain)
    with pytest.raises(UsageError, match="the player greedy is no program; an environment is given as"):
        program_factory("greedy:heuristic=snake", domain)


BOT = """
from searchlab import Player, ProgramPlayer, plugin


def kept(domain, command="cat"):
    return ProgramPlayer(command, domain, 3.0, 4.0)


hooks = plugin(Player("bot", lambda board, moves, kept: moves[0].action, keeps=kept))
"""


def test_any_player_that_keeps_a_program_names_an_environment(tmp_path):
    (tmp_path / "bots.py").write_text(BOT)
    factory = program_factory("bot:command=cat", sl.domain("2048-random"), sl.Plugins([tmp_path / "bots.py"]))
    with pytest.raises(PluginError, match="cat: the program answered new by 'new 1"):
        factory().reset(1)


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["program:command=[./game]"], 2, "there is no program ./game"),
        (["program:command=[cat]", "--actions", "left,up,right,down"], 2, "--actions and --cells are for environments"),
        (
            ["program:command=[cat]"],
            1,
            r"fault    start  cat: the program answered new by 'new 0\t2048-random:n=2\t10'",
        ),
    ],
)
def test_exit_codes_and_lines_of_programs_that_are_no_environment(words, code, text, capsys):
    assert main(["conformance", "2048-random:n=2", "--env", *words]) == code
    said = "".join(capsys.readouterr())
    assert text in said
    assert "Traceback" not in said
