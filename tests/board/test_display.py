"""How boards look in a terminal and in a notebook."""

import io
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.columns import Columns
from rich.console import Console

from searchlab import Board
from searchlab.board.display import board_html, hue_color, ink, power_color, shown_positions

BOARD10 = Board([[256, 8, 0, 2], [256, 8, 16, 2], [512, 4, 0, 0], [1024, 0, 0, 0]])
PUZZLE = Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
LARGE = Board(np.arange(1600).reshape(40, 40))


def printed(*things, width=80, encoding="utf-8", **options):
    """Return the output of a console, including colour codes."""
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding=encoding, newline="") as file:
        Console(file=file, width=width, **options).print(*things)
        file.flush()
        return raw.getvalue().decode(encoding)


def test_a_board_in_plain_text():
    """Without colours a board is a frame around right-aligned tiles, a dot for each blank."""
    assert printed(BOARD10) == (
        "╭──────────────────────────╮\n"
        "│   256     8     ·     2  │\n"
        "│   256     8    16     2  │\n"
        "│   512     4     ·     ·  │\n"
        "│  1024     ·     ·     ·  │\n"
        "╰──────────────────────────╯\n"
    )


def test_a_terminal_that_knows_only_ascii():
    """Where the output has no Unicode, frame and marks are ASCII."""
    text = printed(BOARD10, LARGE, encoding="ascii")
    assert "|   256     8     .     2  |" in text
    assert "40 x 40" in text


def test_every_tile_has_a_background_and_a_text_colour():
    """So it can be read on dark and on light terminals."""
    text = printed(BOARD10, force_terminal=True, color_system="truecolor")
    assert re.search(r"\x1b\[1;38;2;26;22;18;48;2;238;228;218m +2 \x1b\[0m", text)
    assert len(re.findall(r"48;2;\d+;\d+;\d+m", text)) == BOARD10.size()


def test_boards_fit_side_by_side_in_columns():
    first = printed(Columns([PUZZLE, PUZZLE])).splitlines()[1]
    assert first.split() == ["│", "1", "2", "3", "│", "│", "1", "2", "3", "│"]


@pytest.mark.parametrize("side", [1, 2, 15, 16])
def test_small_boards_are_shown_whole(side):
    """A board of up to 16 a side shows every tile if there is room."""
    numbers = re.findall(r"\d+", printed(Board(np.arange(1, side * side + 1).reshape(side, side)), width=120))
    assert [int(number) for number in numbers] == list(range(1, side * side + 1))


def test_large_boards_are_shown_without_their_middle():
    """A board with longer sides shows its corners, ⋯ for the middle, and its size."""
    text = printed(LARGE, width=120)
    lines = text.splitlines()
    assert len(lines) == 16 + 2
    assert lines[1].split()[1:9] == ["·", *map(str, range(1, 8))]
    assert lines[1].split()[9] == "⋯"
    assert lines[-2].split()[-2] == "1599"
    assert set(lines[9].split()) == {"│", "⋯"}
    assert "40 × 40" in lines[-1]


@pytest.mark.parametrize("width", [20, 30, 40, 80])
def test_a_board_fits_the_terminal(width):
    """No line is wider than the terminal, and no row is broken."""
    lines = printed(Board(np.arange(256).reshape(16, 16)), LARGE, width=width).splitlines()
    assert len(lines) == 2 * (16 + 2)
    assert max(map(len, lines)) <= width


def test_a_board_of_one_row_is_shown():
    """Rows and columns are omitted independently."""
    assert printed(Board([[3, 1, 2]])).splitlines()[1] == "│  3  1  2  │"
    assert printed(Board([list(range(1, 41))])).splitlines()[1].split().count("⋯") == 1


def test_html_is_well_formed_and_complete():
    """The HTML is one element with inline styles whose cells are the tiles, row by row."""
    root = ElementTree.fromstring(board_html(BOARD10))
    cells = [cell.text for cell in root]
    assert cells == ["256", "8", "·", "2", "256", "8", "16", "2", "512", "4", "·", "·", "1024", "·", "·", "·"]
    assert root.get("style").startswith("grid-template-columns:3.6em 3.6em 3.6em 3.6em;")
    assert (
        root.get("aria-label") == "board of 4 × 4: 256 8 blank 2; 256 8 16 2; 512 4 blank blank; 1024 blank blank blank"
    )
    assert all("background:" in cell.get("style") for cell in root)
    assert BOARD10._repr_html_() == board_html(BOARD10)


def test_html_of_a_large_board_omits_the_middle():
    """A large board is 16 rows and columns of HTML, the ninth of each being ⋯."""
    cells = [cell.text for cell in ElementTree.fromstring(board_html(LARGE))]
    assert len(cells) == 16 * 16
    assert cells.count("⋯") == 16 + 15
    assert cells[:9] == ["·", "1", "2", "3", "4", "5", "6", "7", "⋯"]
    assert cells[-1] == "1599"


def test_powers_of_two_have_different_colours():
    """Those above 131072 share one."""
    colors = [power_color(2**exponent) for exponent in range(1, 63)]
    assert len(set(colors)) == 18
    assert len(set(colors[17:])) == 1


def test_tiles_of_other_boards_have_different_hues():
    styles = {cell.get("style") for cell in ElementTree.fromstring(board_html(PUZZLE))}
    assert len(styles) == 9


def test_text_contrasts_with_its_background():
    """The luminance ratio is at least 4.5, as accessibility guidelines demand."""

    def luminance(color):
        parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    backgrounds = [power_color(2**k) for k in range(1, 63)] + [hue_color(k / 50) for k in range(51)]
    for background in backgrounds:
        darker, lighter = sorted(map(luminance, (background, ink(background))))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, background


@pytest.mark.parametrize(("side", "most"), [(1, 3), (3, 3), (4, 3), (17, 16), (1000, 16), (1000, 7)])
def test_first_and_last_are_always_shown(side, most):
    """As many positions are shown as may be, the first and the last among them."""
    shown = shown_positions(side, most)
    assert (shown[0], shown[-1]) == (0, side - 1)
    assert len(shown) == min(side, most)
    assert shown.count(None) == (side > most)


def test_rich_is_loaded_only_to_show_a_board():
    """Neither importing boards nor their HTML loads rich."""
    code = (
        "import sys, searchlab.board.display, searchlab; searchlab.Board([[2]])._repr_html_();"
        "assert 'rich' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
