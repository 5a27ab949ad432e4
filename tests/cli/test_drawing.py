"""Boards as people see them: aligned, folded, or drawn by a plugin with `--renderer`."""

from __future__ import annotations

from pathlib import Path

import pytest

import searchlab as sl
from searchlab.cli.drawing import Drawer, board_blocks

BOX = """\
┌───┬───┬───┐
│ 1 │ 2 │ 3 │
├───┼───┼───┤
│   │ 4 │ 6 │
├───┼───┼───┤
│ 7 │ 5 │ 8 │
└───┴───┴───┘
"""
PICTURES = """\
from searchlab import Renderer, hookimpl


def red(board):
    return "\\n".join("\\x1b[31m" + str(row) + "\\x1b[0m" for row in board.tiles.tolist())


def moody(board):
    if board.tiles[0, 0] == 1:
        raise ValueError("not this one")
    return "fine"


@hookimpl
def searchlab_renderers():
    yield Renderer("red", red)
    yield Renderer("moody", moody, domains={"sliding-tile"})
"""
MOODY = "searchlab: warning: moody: moody failed: ValueError: not this one ("
GAME = ("--domain", "sliding-tile")


@pytest.fixture
def pictures(write):
    return write("pictures.py", PICTURES)


def test_boards_are_drawn_by_a_renderer(run, solve, sliding):
    """Those of a solution, of a game, of their transcripts, of the neighbours, and a board itself."""
    summary = solve(sliding, *GAME, "--renderer", "box").out
    assert "start           1 right         2 down          3 right\n┌───┬───┬───┐   ┌───┬" in summary
    transcript = solve(sliding, *GAME, "--transcript", "--renderer", "box").out
    assert transcript.startswith(f"Minimum number of moves = 3\n{BOX}┌")
    assert transcript.count("└───┴───┴───┘\n") == 4
    game = run("play", sliding, *GAME, "--player", "greedy", "--max-moves", 1, "--renderer", "box").out
    assert "start           1 right\n┌───┬───┬───┐   ┌───┬" in game
    transcript = run(
        "play", sliding, *GAME, "--player", "greedy", "--max-moves", 1, "--transcript", "--renderer", "box"
    ).out
    assert transcript.startswith(f"Number of moves = 1\n{BOX}┌")
    assert "right\n┌───┬───┬───┐\n│ 1 │ 2 │ 3 │" in run("neighbors", sliding, *GAME, "--renderer", "box").out
    assert run("boards", "show", sliding, *GAME, "--renderer", "box").out == f"# {sliding}\n{BOX}"
    assert "┌───┬───┬" in run("boards", "generate", "played:moves=9", "--renderer", "box").out


def test_a_renderer_does_not_change_json_and_moves(solve, sliding):
    for form in ("--json", "--moves-only"):
        plain, drawn = (solve(sliding, *GAME, form, *more) for more in ((), ("--renderer", "box")))
        assert drawn.out.partition('"seconds"')[0] == plain.out.partition('"seconds"')[0]


@pytest.mark.parametrize("command", ["solve", "play", "neighbors"])
def test_an_unknown_renderer_is_refused(run, sliding, pictures, command):
    """Before the search or the game; so is one of another game."""
    assert "no renderer is called 'bax': did you mean 'box'" in run(command, sliding, *GAME, "--renderer", "bax").error
    wrong = run("--plugin", pictures, command, "2048/board10", "--renderer", "moody")
    assert "renderer 'moody' is made for sliding-tile, not for 2048; for that there are: box, red" in wrong.error


def test_a_renderer_that_fails_costs_a_line(run, solve, sliding, pictures):
    """It is said once, and all boards look as they do without it; the exit code is that of the search."""
    for command in ((solve, sliding), (solve, sliding, "--transcript"), (run, "boards", "show", sliding)):
        program, *arguments = command
        plain = program(*arguments, *GAME)
        ran = program(*arguments, *GAME, "--plugin", pictures, "--renderer", "moody")
        assert ran.code == 0
        assert [line for line in ran.out.splitlines() if " ms " not in line] == [
            line for line in plain.out.splitlines() if " ms " not in line
        ]
        assert ran.err.startswith(MOODY)
        assert ran.err.endswith("; boards are drawn without it\n")
        assert ran.err.count("\n") == 1


def test_colours_are_for_terminals(run, solve, sliding, pictures, folder):
    """Neither in a pipe nor in a file are there escape sequences."""
    arguments = ("--plugin", pictures, "--renderer", "red", "--transcript", *GAME)
    out = solve(sliding, *arguments).out
    assert "[1, 2, 3]\n" in out
    assert "\x1b" not in out
    solve(sliding, *arguments, "--output", "out.txt")
    assert Path("out.txt").read_text() == out


def test_a_drawing_fits_the_page():
    """A line that is too long is cut, a coloured one loses its colours with it; shorter ones keep them."""
    domain = sl.domain("2048")
    boards = [sl.Board([[2, 0], [0, 4]])]

    def picture(board, short="\x1b[1mabc\x1b[0m"):
        return f"{short}\n\x1b[1m0123456789\x1b[0m"

    for colour, short in ((True, "\x1b[1mabc\x1b[0m"), (False, "abc")):
        draws = Drawer(domain, sl.renderer(sl.Renderer("p", picture), domain=domain), colour=colour)
        assert draws.blocks(boards, 6) == [[short, "01234…"]]


def test_boxes_are_drawn_in_ascii_if_the_encoding_has_no_others(process, folder):
    import os

    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = process("boards", "show", "sliding-tile/example", "--renderer", "box", env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[1:4] == ["+---+---+---+", "| 1 | 2 | 3 |", "+---+---+---+"]


def test_large_boards_are_folded():
    """A board wider than the page shows its corners and its size."""
    domain = sl.domain("2048")
    block = board_blocks([sl.domain("2048", n=100).start()], domain, 40)[0]
    assert all(len(line) <= 40 for line in block)
    assert block[-1] == "(100 × 100)"
    assert len(block) == 17


def test_columns_of_all_boards_are_equally_wide():
    domain = sl.domain("sliding-tile")
    board = sl.Board([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 0]])
    assert board_blocks([board], domain, 80)[0][:2] == [" 1  2  3  4", " 5  6  7  8"]


def test_a_failing_picture_of_a_domain_is_a_warning():
    """Tiles are shown instead; a renderer replaces pictures."""

    def picture(board):
        if board.tile_at(0, 0) == 7:
            raise ValueError("no sevens")
        return f"<{board.tile_at(0, 0)}>"

    domain = sl.domain(sl.Domain("counter", lambda board: [], lambda board: True, views=sl.Views(picture=picture)))
    digits = sl.Renderer("digits", lambda board: "digits", domains={"counter"})
    assert Drawer(domain).text(sl.Board([[3]])) == "<3>"
    assert Drawer(domain, sl.renderer(digits, domain=domain)).text(sl.Board([[3]])) == "digits"
    draws = Drawer(domain)
    with pytest.warns(sl.SearchlabWarning, match="no sevens .*; boards are drawn without it"):
        assert draws.text(sl.Board([[7]])).split() == ["1", "7"]
    assert not draws.has_picture
    huge = sl.domain(
        sl.Domain("huge", lambda board: [], lambda board: True, views=sl.Views(picture=lambda board: "row\n" * 65))
    )
    assert Drawer(huge).text(sl.Board([[3]])).split() == ["1", "3"]
