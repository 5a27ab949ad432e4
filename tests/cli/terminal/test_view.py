"""The view of a game fits the size of the terminal."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.cli.drawing import Drawer
from searchlab.cli.terminal.view import POWERS, Painter, View, colours_of_terminal, nearest, tile_colours

KEYS = ("arrows or WASD move", "u undo", "n new game", "h hint", "q quit")
BRIEF = ("WASD", "u undo", "n new", "h hint", "q quit")
LARGE = [[2, 4, 8, 16], [32, 64, 128, 256], [512, 1024, 2048, 4096], [8192, 16384, 32768, 65536]]


def view_of(board, message="message", choices=()):
    return View("title", ("score 0", "3 moves"), board, message, choices, KEYS, BRIEF)


def painter(domain="2048-random", colours=0, renderer=None):
    bound = sl.domain(domain)
    drawer = Drawer(bound, renderer and sl.renderer(renderer), colour=bool(colours))
    return Painter(bound, drawer, colours)


def shown(line):
    return re.sub(r"\x1b\[[\d;]*m", "", line)


@given(
    side=st.integers(1, 12),
    power=st.integers(0, 62),
    columns=st.integers(1, 120),
    rows=st.integers(1, 50),
    colours=st.sampled_from([0, 16, 256]),
)
def test_the_view_fits_the_window(side, power, columns, rows, colours):
    """In width and height; either all tiles are shown or none."""
    board = sl.Board([[2**power if power else 0] * side] * side)
    lines = [shown(line) for line in painter(colours=colours).lines(view_of(board), (columns, rows))]
    assert len(lines) <= rows
    assert all(len(line) <= columns for line in lines)
    tiles = re.findall(rf"(?<!\d){2**power if power else '·'}(?!\d)", "\n".join(lines))
    assert len(lines) == 1 or not power or len(tiles) == side * side


@pytest.mark.parametrize(
    ("size", "first", "lines"),
    [
        ((80, 24), "title", 23),
        ((80, 23), "title", 23),
        ((80, 22), "score 0 · 3 moves", 20),
        ((80, 19), "title", 15),
        ((80, 17), "title", 15),
        ((40, 12), "score 0 · 3 moves", 12),
        ((23, 7), "score 0 · 3 moves", 7),
        ((23, 5), "message", 5),
        ((22, 5), "this board takes 23 ×…", 1),
        ((80, 4), "this board takes 23 × 5 characters, and here are 80 × 4", 1),
    ],
)
def test_the_roomiest_form_is_taken(size, first, lines):
    """Tall boxes, low ones, none; with all around them, with what is needed, with one line."""
    drawn = painter().lines(view_of(sl.Board(LARGE)), size)
    assert drawn[0] == first
    assert len(drawn) == lines


@pytest.mark.parametrize("columns", [23, 40, 80])
def test_the_keys_are_visible_wherever_the_smallest_board_leaves_room(columns):
    """A board of four rows needs seven: the figures, the board, a message, the keys."""
    for rows in range(7, 30):
        drawn = painter().lines(view_of(sl.Board(LARGE)), (columns, rows))
        assert any(line.startswith((KEYS[0], BRIEF[0])) for line in drawn), rows


def test_a_renderer_draws_the_board():
    """As it does elsewhere."""
    drawn = painter(renderer="box").lines(view_of(sl.Board([[2, 0], [0, 4]])), (80, 24))
    assert drawn[3:8] == ["┌───┬───┐", "│ 2 │   │", "├───┼───┤", "│   │ 4 │", "└───┴───┘"]


def test_a_picture_of_the_domain_replaces_the_board():

    def render(board):
        return "\n".join(f"peg {row}" for row in board.tiles.tolist())

    towers = sl.Domain("towers", lambda board: (), lambda board: False, files=sl.FileFormat(format=render))
    bound = sl.domain(towers)
    drawn = Painter(bound, Drawer(bound), 256).lines(view_of(sl.Board([[1, 2], [0, 3]])), (80, 24))
    assert drawn[3:5] == ["peg [1, 2]", "peg [0, 3]"]


def test_neighbouring_tiles_differ_in_colour():
    """In many colours and in few; every tile up to 2^17 has one of its own where there are many."""
    board = sl.Board(LARGE)
    tiles = [2**k for k in range(1, 63)]
    for colours in (16, 256):
        styles = list(map(tile_colours(board, colours), tiles))
        assert all(one != other for one, other in pairwise(styles[:17]))
    assert len(set(map(tile_colours(board, 256), tiles[:17]))) == 17
    assert len(set(POWERS)) == len(POWERS)


def test_tiles_of_other_games_have_colours():
    """From the smallest to the largest."""
    board = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])
    assert len(set(map(tile_colours(board, 256), range(1, 9)))) >= 5
    assert len(set(map(tile_colours(board, 16), range(1, 9)))) >= 3


@given(parts=st.tuples(*[st.integers(0, 255)] * 3))
def test_the_nearest_colour_is_the_nearest(parts):
    """Of the 6 × 6 × 6 colours."""
    steps = (0, 95, 135, 175, 215, 255)
    number = nearest("#" + "".join(f"{part:02x}" for part in parts)) - 16
    chosen = (steps[number // 36], steps[number // 6 % 6], steps[number % 6])
    for part, step in zip(parts, chosen, strict=True):
        assert abs(part - step) == min(abs(part - other) for other in steps)


@pytest.mark.parametrize(
    ("environment", "colours"),
    [
        ({"TERM": "xterm-256color"}, 256),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, 0),
        ({"TERM": "dumb"}, 0),
        ({}, 0),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, 256),
        ({"TERM": "no such terminal"}, 16),
        ({"TERM": "linux"}, 16),
    ],
)
def test_the_number_of_colours_follows_from_the_environment(monkeypatch, environment, colours):
    for name in ("TERM", "NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with open("/dev/null") as nowhere:
        assert colours_of_terminal(nowhere.fileno()) == colours
