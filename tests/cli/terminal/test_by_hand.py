"""`searchlab play` on a terminal: keys, the screen, and the state of the terminal afterwards."""

import json
import os
import re
import signal
import sys
import time

import pytest

import searchlab as sl

HELP = "arrows or WASD move · u undo · n new game · h hint · q quit"
FIRST = """\
2048-random
score 0 · best 0 · 0 moves

┌────────┬────────┬────────┬────────┐
│        │        │        │        │
│        │        │        │        │
│        │        │        │        │
├────────┼────────┼────────┼────────┤
│        │        │        │        │
│        │        │        │        │
│        │        │        │        │
├────────┼────────┼────────┼────────┤
│        │        │        │        │
│    2   │        │        │        │
│        │        │        │        │
├────────┼────────┼────────┼────────┤
│        │        │        │        │
│        │        │        │    2   │
│        │        │        │        │
└────────┴────────┴────────┴────────┘


arrows or WASD move · u undo · n new game · h hint · q quit"""
SMALL = """\
score 0 · best 0 · 0 moves
┌──────┬──────┬──────┬──────┐
│      │      │      │      │
├──────┼──────┼──────┼──────┤
│      │      │      │      │
├──────┼──────┼──────┼──────┤
│   2  │      │      │      │
├──────┼──────┼──────┼──────┤
│      │      │      │   2  │
└──────┴──────┴──────┴──────┘

WASD · u undo · n new · h hint · q quit"""
DUMB = """\
score 0 · best 0 · 0 moves
0 0 0 0
0 0 0 0
2 0 0 0
0 0 0 2
(WASD · u undo · n new · h hint · q quit)"""
SOLVED_BUT_ONE = "3\n1 2 3\n4 5 6\n7 0 8\n"
SEED = ("--seed", "1")


def cells(screen):
    """The tiles that a screen shows in tall boxes, row by row."""
    rows = [line for line in screen.splitlines() if line.startswith("│")][1::3]
    return [[int(cell) if cell.strip() else 0 for cell in row.strip("│").split("│")] for row in rows]


def test_a_game_is_played_with_keys(terminal):
    """Arrows in both spellings and letters move; undo, new game, hint; the terminal is given back."""
    play = terminal("play", *SEED)
    assert play.until(HELP) == FIRST
    assert play.emulator.is_up
    play.after("\x1b[D", "1 move")
    play.after("\x1bOA", "2 moves")
    play.after("S", "3 moves")
    play.after("u", "2 moves")
    play.after("uu", "0 moves", gone=["1 move"])
    assert play.emulator.text == FIRST
    play.after("u", "there is no move to take back")
    play.after("h", "hint: ")
    play.after("n", "0 moves", gone=["hint: "])
    play.type("q")
    assert play.finish() == 0
    assert play.is_restored
    assert play.emulator.text == "score 0 after 0 moves, best score 0"
    assert not play.emulator.unknown


def test_every_position_follows_by_the_rules(terminal, write):
    """Each is a swipe and a new tile after the one before; points are shown."""
    board = write("board.txt", "3\n2 2 0\n0 0 0\n4 4 0\n")
    play = terminal("play", board, "--domain", "2048-random", *SEED)
    play.until(HELP)
    screen = play.after("a", "score 12 · best 0 · 1 move · +12")
    tiles = [tile for row in cells(screen) for tile in row]
    assert (tiles[0], tiles[6], sum(map(bool, tiles))) == (4, 8, 3)
    play.after("w", "2 moves")
    play.type("q")
    assert play.finish() == 0
    assert "after 2 moves" in play.emulator.text


def test_a_key_without_a_move_shows_a_message(terminal, write):
    """And nothing else happens."""
    play = terminal("play", write("board.txt", "2\n2 4\n0 0\n"), "--domain", "2048-random")
    play.until(HELP)
    play.after("w", "no tile moves that way", "0 moves")


def test_the_end_of_a_game_is_shown_and_counts_for_the_best_score(terminal, write):
    """Undo leads back to before the end."""
    play = terminal("play", write("board.txt", "2\n2 2\n4 8\n"), "--domain", "2048-random:stop_at=4", *SEED)
    screen = play.until("goal reached, the game is over: n begins a new one", HELP)
    assert "back" not in screen
    play.after("a", "the game is over: n begins a new one", gone=["goal"])
    play.after("h", "the game is over")
    stop = terminal("play", write("board.txt", "2\n4 4\n2 0\n"), "--domain", "2048-random:stop_at=8")
    stop.until(HELP)
    stop.after("d", "n begins a new one, u takes the last move back", "score 8 · best 8 · 1 move · +8")
    stop.after("u", "score 0 · best 8 · 0 moves", gone=["goal"])
    stop.after("n", "score 0 · best 8 · 0 moves")
    stop.type("q")
    assert stop.finish() == 0
    assert stop.emulator.text == "score 0 after 0 moves, best score 8"
    dead = terminal("play", write("board.txt", "2\n2 4\n8 16\n"), "--domain", "2048-random")
    dead.until("game over: n begins a new one")


def test_reaching_2048_is_announced_in_a_game_that_continues(terminal, write):
    play = terminal("play", write("board.txt", "2\n1024 1024\n2 0\n"), "--domain", "2048-random")
    play.until(HELP)
    play.after("a", "2048 reached: the game goes on", "+2,048")


def test_a_puzzle_is_played_and_can_be_played_on(terminal, write):
    """Directions move the blank; without points no score is shown."""
    play = terminal("play", write("board.txt", SOLVED_BUT_ONE), "--domain", "sliding-tile")
    assert "score" not in play.until("0 moves", HELP)
    play.after("d", "goal reached", "1 move")
    play.after("a", "2 moves", gone=["goal"])


def test_moves_that_are_no_directions_have_numbers(terminal, pancakes):
    """One that could go on waits for Enter."""
    play = terminal("play", "--plugin", pancakes, "--domain", "pancakes:stack=12")
    play.until("1 flip 2", "11 flip 12", "a number chooses a move")
    play.after("2", "1 move")
    play.after("1", "1 … or Enter")
    play.after("1", "2 moves")
    play.after("1\r", "3 moves")
    play.after("0", "there is no move 0")
    play.after("w", "no tile moves that way")
    play.type("q")
    assert play.finish() == 0


@pytest.mark.slow
@pytest.mark.parametrize("key", ["q", "Q", "\x03", "\x04"])
def test_q_ctrl_c_and_ctrl_d_quit(terminal, key):
    play = terminal("play")
    play.until(HELP)
    play.type(key)
    assert play.finish() == 0
    assert play.is_restored


def test_the_screen_follows_the_size_of_the_window(terminal):
    """Smaller boxes, no boxes, one line; and back."""
    play = terminal("play", *SEED)
    play.until(HELP)
    play.resize(40, 12)
    play.until("q quit", "┌")
    assert play.emulator.text == SMALL
    play.resize(20, 6)
    play.until("2 · · ·")
    assert play.emulator.text.splitlines()[1:] == ["· · · ·", "· · · ·", "2 · · ·", "· · · 2"]
    play.resize(60, 3)
    play.until("this board takes 7 × 5 characters, and here are 60 × 3")
    play.resize(80, 24)
    play.until(HELP)
    assert play.emulator.text == FIRST


def test_a_large_board_shrinks_to_the_window(terminal):
    """A message says if it does not fit."""
    play = terminal("play", "--domain", "2048-random:n=10")
    assert "┌──────┬──────┬" in play.until("q quit")
    large = terminal("play", "--domain", "2048-random:n=50")
    large.until("this board takes 99 × 51 characters, and here are 80 × 24")
    large.after("q")
    assert large.finish() == 0


@pytest.mark.parametrize(
    ("environment", "style"),
    [
        ({}, "1;38;5;16;48;5;231"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "1;38;5;16;48;5;231"),
        ({"TERM": "xterm-16color"}, "1;47;30"),
        ({"NO_COLOR": "1"}, ""),
    ],
)
def test_tiles_use_the_colours_of_the_terminal(terminal, environment, style):
    """256, 16 or none."""
    play = terminal("play", *SEED, environment=environment)
    assert play.until(HELP) == FIRST
    assert play.emulator.style_of("2   │") == style
    if not style:
        assert set(re.findall(rb"\x1b\[[\d;]*m", play.raw)) == {b"\x1b[0m"}


def test_commands_are_read_from_lines_if_keys_cannot_be_read(terminal):
    """A command is a key or a word; nothing is drawn that the terminal cannot show."""
    play = terminal("play", *SEED, environment={"TERM": "dumb"})
    assert play.until("q quit)").strip() == DUMB
    play.after("left\n", "1 move")
    play.after("h\n", "hint: ")
    play.after("what\n", "a command is a move (w a s d, or its name), u, n, h or q")
    play.after("u\n", "0 moves")
    play.after("n\n", "0 moves")
    play.type("q\n")
    assert play.finish() == 0
    assert b"\x1b" not in play.raw
    ended = terminal("play", environment={"TERM": "dumb"})
    ended.until("q quit)")
    ended.type("\x04")
    assert ended.finish() == 0


def test_capitals_in_names_of_moves_count(terminal):
    """The cube's U is not undo, and `Q` quits if no move has this name."""
    play = terminal("play", "--domain", "cube2", environment={"TERM": "dumb"})
    play.until("q quit)")
    play.after("U2\n", "1 move")
    play.after("U\n", "2 moves")
    play.after("u\n", "1 move")
    play.type("Q\n")
    assert play.finish() == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT])
@pytest.mark.parametrize("domain", ["pancakes", "with-endless"])
def test_a_killed_game_restores_the_terminal(terminal, pancakes, number, domain):
    """Also while a player that does not return computes a hint."""
    play = terminal("play", "--plugin", pancakes, "--domain", domain)
    play.until("0 moves")
    if domain == "with-endless":
        play.after("h", "thinking …")
        assert len(descendants(play.process.pid)) == 1  # the player
    children = descendants(play.process.pid)
    play.process.send_signal(number)
    assert play.finish() == (0 if number == signal.SIGINT else -number)
    assert play.is_restored
    assert not [child for child in children if is_running(child)]


def test_computing_of_a_hint_ends_with_the_process(terminal, pancakes):
    play = terminal("play", "--plugin", pancakes, "--domain", "with-endless")
    play.until("0 moves")
    play.after("h", "thinking …")
    children = descendants(play.process.pid)
    play.process.kill()
    assert play.finish() == -signal.SIGKILL
    assert len(children) == 1
    assert not [child for child in children if is_running(child)]


def test_boxes_are_drawn_in_ascii_if_the_encoding_has_no_others(terminal):
    play = terminal("play", *SEED, environment={"PYTHONIOENCODING": "ascii"})
    play.until("+--------+--------+", "arrows or WASD move - u undo")
    play.type("q")
    assert play.finish() == 0
    assert play.raw.isascii()


def descendants(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(child) for child in file.read().split()]


def is_running(process):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            with open(f"/proc/{process}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return False
        except OSError:
            return False
        time.sleep(0.05)
    return True


def test_the_screen_is_updated_while_a_hint_is_computed(terminal, pancakes):
    """The time goes on, moves are made, the size is followed; the hint for another position is not told."""
    play = terminal("play", "--plugin", pancakes, "--domain", "with-endless")
    play.after("h", "thinking … 0 s")
    play.until("thinking … 1 s")
    play.resize(60, 20)
    play.until("thinking …")
    play.after("2", "1 move", gone=["thinking"])
    play.after("h", "thinking … 0 s")
    play.after("u", "0 moves", gone=["thinking"])
    play.type("q")
    assert play.finish() == 0


@pytest.mark.parametrize(
    ("domain", "said"),
    [
        ("with-failing", "no hint: player failing: ValueError: no idea"),
        ("with-dying", "no hint: the process in which the player thinks has ended"),
    ],
)
def test_a_player_that_fails_gives_no_hint(terminal, pancakes, domain, said):
    """The game goes on."""
    play = terminal("play", "--plugin", pancakes, "--domain", domain)
    play.until("0 moves")
    play.after("h", said)
    play.after("1", "1 move", gone=["no hint"])
    play.after("h", said)
    play.type("q")
    assert play.finish() == 0


def test_output_during_a_game_is_printed_afterwards(terminal, pancakes):
    """The screen is not disturbed by a plugin that prints; it comes when the screen is down."""
    play = terminal("play", "--plugin", pancakes, "--domain", "pancakes")
    play.until("0 moves")
    assert "a message" not in play.after("h", "hint: flip 2")
    play.type("q")
    assert play.finish() == 0
    assert "a message of the player" in play.emulator.text


def test_an_error_in_the_rules_is_one_line_on_a_restored_terminal(terminal, pancakes):
    """The exit code is 4, and there is no traceback."""
    play = terminal("play", "--plugin", pancakes, "--domain", "burnt")
    play.until("0 moves")
    play.type("3")
    assert play.finish() == 4
    assert play.is_restored
    assert play.emulator.text.startswith("searchlab: error: burnt: broken failed: ValueError: burnt (")
    assert "Traceback" not in play.emulator.text


SHELL = """\
import os, signal, sys, time

signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpgrp())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.executable, [sys.executable, "-m", "searchlab", "play", "--seed", "1"])
while True:
    _, status = os.waitpid(child, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    print("stopped, says the shell", flush=True)
    sys.stdin.readline()
    os.tcsetpgrp(0, child)
    os.killpg(child, signal.SIGCONT)
"""


def test_a_game_can_be_suspended_and_resumed(terminal, write):
    """Ctrl-Z restores the terminal, and fg shows the screen again."""
    play = terminal(command=[sys.executable, write("shell.py", SHELL)])
    play.until(HELP)
    play.after("a", "1 move")
    screen = play.emulator.text
    for _ in range(2):
        play.after("\x1a", "stopped, says the shell")
        assert play.is_restored
        play.type("fg\n")
        play.until("1 move", HELP)
        assert play.emulator.is_up
        assert play.emulator.text == screen
    play.after("u", "0 moves")
    play.type("q")
    assert play.finish() == 0
    assert play.is_restored


def test_keys_and_tiles_are_logged_and_the_log_plays_the_game_again(terminal, run, folder):
    """Standard output is the script, the terminal has the screen; undo is no part of it."""
    with open(folder / "game.log", "w") as log:
        play = terminal("play", "--preset", "cs61b", "--log", *SEED, stdout=log)
    play.until("score", "n new game", gone=["u undo"])
    play.after("u", "a move that is recorded cannot be taken back")
    for keys in ("a", "\x1b[A", "d", "s", "x", "n", "w"):
        play.type(keys)
    play.type("d")
    script = play.until_written(folder / "game.log", lines=19)  # game, seed, 7 keys, and the 10 tiles of both games
    play.type("q")
    assert play.finish() == 0
    assert play.is_restored
    whole = (folder / "game.log").read_text()
    assert whole == f"{script}KQuit\n"
    keys = [line for line in whole.splitlines() if line.startswith("K")]
    assert keys == ["KLeft", "KUp", "KRight", "KDown", "KNew Game", "KUp", "KRight", "KQuit"]
    replayed = run("play", "--preset", "cs61b", "--testing", stdin=whole.encode())
    assert (replayed.code, replayed.err) == (0, "")
    drawn = [line[2:] for line in whole.splitlines() if line.startswith("T")]
    appeared = [line[2:] for line in replayed.out.splitlines() if line.startswith("A")]
    assert [event for event in drawn if event in appeared] == appeared
    assert replayed.out.splitlines().count("C") == 3


def test_a_log_on_the_terminal_is_printed_after_the_game(terminal):
    play = terminal("play", "--log", *SEED)
    play.until("q quit")
    assert "T 2" not in play.after("a", "1 move")
    play.type("q")
    assert play.finish() == 0
    assert "KLeft\nT " in play.emulator.text
    assert play.emulator.text.endswith("KQuit")


def test_the_game_is_handed_over_in_a_form(terminal, folder):
    """As that of a player would be."""
    play = terminal("play", *SEED, "--json", "--output", "game.json")
    play.until(HELP)
    play.after("a", "1 move")
    play.type("q")
    assert play.finish() == 0
    game = json.loads((folder / "game.json").read_text())
    assert (game["player"], game["status"], game["actions"], game["seed"]) == ("by hand", "interrupted", ["left"], 1)


def test_games_differ_unless_a_seed_is_given(terminal, folder):
    """The seed is part of what is handed over."""
    seeds = set()
    for number in range(2):
        play = terminal("play", "--json", "--output", f"{number}.json")
        play.until(HELP)
        play.type("q")
        assert play.finish() == 0
        seeds.add(json.loads((folder / f"{number}.json").read_text())["seed"])
    assert len(seeds) == 2


def test_without_a_terminal_an_error_says_what_to_do(process, folder):
    ran = process("play")
    assert (ran.returncode, ran.stdout) == (2, "")
    said = "there is no terminal to play on: name a --player, or play by a script with --testing"
    assert ran.stderr == f"searchlab: error: {said}\n"


def test_the_keys_are_read_from_a_terminal_only(terminal):
    """Standard input that is none is no terminal to play on."""
    read, write = os.pipe()
    play = terminal("play", stdin=read)
    assert play.finish() == 2
    assert "there is no terminal to play on" in play.emulator.text
    os.close(read)
    os.close(write)


def test_a_seed_means_the_game_a_player_gets(terminal):
    """The first board is the one `sl.play` begins with."""
    play = terminal("play", "--seed", "12345")
    play.until(HELP)
    start = sl.play(domain="2048-random", player="random", seed=12345, most_moves=0).start
    assert [tile for row in cells(play.emulator.text) for tile in row if tile] == start.tiles[start.tiles > 0].tolist()
