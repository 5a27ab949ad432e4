"""The viewer's page in a real browser: keys and clicks; it needs no network, no colours and no script."""

import json
import re

import html5lib
import pytest
from browser import READABLE, contrast, wait_for

import searchlab as sl
from searchlab.board.display import POWER_COLORS, hue_color, ink
from searchlab.reports.board_svg import Palette, strip_svg
from searchlab.reports.pictures import Pictures
from searchlab.reports.recording import of_game, of_result
from searchlab.reports.viewer import nice_ticks, viewer_page
from searchlab.search.solve import problem

HOSTILE = '</script><script>alert("x")</script><img src=http://example.org onerror=alert(1)>'


def solution(board, **settings):
    return of_result(sl.solve(board, **settings), problem(board, **settings), title="a board")


@pytest.fixture(scope="module")
def puzzle(tmp_path_factory):
    """The page of an 8-puzzle that takes 31 moves."""
    board = sl.read_board("sliding-tile/puzzle8-31")
    return written(tmp_path_factory, viewer_page(solution(board, domain="sliding-tile")))


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    """The page of a game of 2048 of 120 moves, and the game."""
    played = sl.play(player="greedy", seed=4, most_moves=120)
    return written(tmp_path_factory, viewer_page(of_game(played, sl.domain("2048-random")))), played


def written(factory, page):
    path = factory.mktemp("page") / "page.html"
    path.write_text(page, encoding="utf-8")
    return path


def at(page):
    """The number of the move that is shown."""
    return int(page.locator("#position").input_value())


def tiles(page):
    """The faces on the board by their places, once no tile slides any more."""
    wait_for(page, "document.getElementById('board').ariaBusy === 'false'")
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("#board g > g")].map((g) =>
            [g.getAttribute("transform").match(/translate.(\\S+ \\S+?)\\)/)[1], g.textContent]))"""
    )


def expected(board):
    """The same of a board."""
    return {
        f"{10 + 108 * column + 50:.2f} {10 + 108 * row + 50:.2f}": str(board.tile_at(row, column))
        for row in range(board.shape[0])
        for column in range(board.shape[1])
        if board.tile_at(row, column)
    }


@pytest.mark.slow
def test_arrows_and_home_and_end_move_through_the_boards(pages, puzzle):
    """Every board is that of the solution."""
    boards = sl.solve(sl.read_board("sliding-tile/puzzle8-31"), domain="sliding-tile").boards
    page = pages.open(puzzle)
    assert tiles(page) == expected(boards[0])
    for number in range(1, 4):
        page.keyboard.press("ArrowRight")
        assert at(page) == number
        assert tiles(page) == expected(boards[number])
    page.keyboard.press("ArrowLeft")
    assert tiles(page) == expected(boards[2])
    page.keyboard.press("End")
    assert (at(page), tiles(page)) == (31, expected(boards[31]))
    page.keyboard.press("ArrowRight")
    assert at(page) == 31
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert (at(page), tiles(page)) == (0, expected(boards[0]))


@pytest.mark.slow
def test_a_tile_slides_on_its_way(pages, puzzle):
    """In the middle of a move one tile is between two cells."""
    page = pages.open(puzzle)
    between = page.evaluate(
        """async () => {
            document.getElementById("forth").click();
            const seen = new Set();
            for (let frame = 0; frame < 40; frame++) {
                await new Promise(requestAnimationFrame);
                for (const g of document.querySelectorAll("#board g > g")) seen.add(g.getAttribute("transform"));
            }
            const places = [...seen].map((place) => place.match(/\\((\\S+) (\\S+?)\\)/).slice(1));
            return places.filter((place) => place.some((x) => (x - 60) % 108)).length;
        }"""
    )
    assert between > 0


def test_tiles_do_not_move_if_the_reader_prefers_no_motion(pages, puzzle):
    page = pages.open(puzzle, reduced_motion="reduce")
    before = page.locator("#board").inner_html()
    page.evaluate("document.getElementById('forth').click()")
    after = page.locator("#board").inner_html()
    assert before != after
    page.wait_for_timeout(300)
    assert page.locator("#board").inner_html() == after


@pytest.mark.slow
def test_space_plays_and_pauses(pages, puzzle):
    """At the end it stops; then it plays from the start."""
    page = pages.open(puzzle)
    page.select_option("#speed", "64")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    wait_for(page, "document.getElementById('position').value === '31'")
    assert page.locator("#play").inner_text() == "play"
    page.select_option("#speed", "4")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    assert page.locator("#play").inner_text() == "pause"
    wait_for(page, "Number(document.getElementById('position').value) >= 2")
    page.keyboard.press("Space")
    stopped = at(page)
    page.wait_for_timeout(600)
    assert (at(page), page.locator("#play").inner_text()) == (stopped, "play")


def test_space_on_a_button_presses_that_button(pages, puzzle):
    """One that was reached by Tab; one that was clicked gives the keys back."""
    page = pages.open(puzzle)
    page.focus("#last")
    page.keyboard.press("Space")
    assert at(page) == 31
    page.click("#first")
    page.keyboard.press("Space")
    assert page.locator("#play").inner_text() == "pause"


def test_plus_and_minus_change_the_speed(pages, puzzle):
    """Between the slowest and the fastest."""
    page = pages.open(puzzle)
    page.keyboard.press("+")
    assert page.locator("#speed").input_value() == "4"
    for _ in range(9):
        page.keyboard.press("-")
    assert page.locator("#speed").input_value() == "0.5"


def test_clicks_jump_to_a_move(pages, puzzle):
    """On a move, on the graph, on a number, on the slider, on the buttons."""
    page = pages.open(puzzle)
    page.click("[data-move='7']")
    assert at(page) == 7
    assert page.locator("#status").inner_text() == "7 of 31: right"
    box = page.locator("#plot").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 20 / 31, box["y"] + 20)
    assert at(page) == 20
    page.fill("#jump", "12")
    page.keyboard.press("Enter")
    assert at(page) == 12
    page.fill("#jump", "99")
    page.keyboard.press("Enter")
    assert (at(page), page.locator("#jump").input_value()) == (31, "31")
    page.click("#back")
    assert at(page) == 30
    page.click("#forth")
    page.click("#first")
    assert at(page) == 0
    page.fill("#position", "5")
    assert at(page) == 5
    assert page.locator("[aria-current]").get_attribute("data-move") == "5"


def test_the_graph_shows_the_values_at_the_board(pages, puzzle):
    """Beside the names of the curves, and in the table behind them."""
    page = pages.open(puzzle, fragment="2")
    assert [page.locator(f"#value-{k}").inner_text() for k in range(3)] == ["21", "29", "23"]
    assert page.locator("#cursor").get_attribute("x1") == "2"
    page.click("text=The values as a table")
    assert page.locator("tbody tr:nth-child(3)").inner_text().split() == ["2", "left", "21", "29", "23"]


@pytest.mark.slow
def test_the_address_contains_the_number_of_the_board(pages, puzzle):
    page = pages.open(puzzle, fragment="17")
    assert at(page) == 17
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.hash") == "#18"
    page.evaluate("location.hash = '#3'")
    wait_for(page, "document.getElementById('position').value === '3'")
    assert at(pages.open(puzzle, fragment="nonsense")) == 0


@pytest.mark.slow
def test_tiles_of_2048_merge_and_appear(pages, game):
    """After each move the board is that of the game, forwards and backwards."""
    path, played = game
    page = pages.open(path)
    for number in range(1, 16):
        page.keyboard.press("ArrowRight")
        if number % 5 == 0:
            assert tiles(page) == expected(played.boards[number])
    page.keyboard.press("End")
    assert tiles(page) == expected(played.boards[-1])
    page.keyboard.press("ArrowLeft")
    assert tiles(page) == expected(played.boards[-2])
    assert page.locator("#value-0").inner_text() == f"{sum(turn.points for turn in played.turns[:-1]):,}"


@pytest.mark.slow
def test_a_long_game_is_played_fast_and_lists_the_moves_around(pages, tmp_path):
    """Ten thousand moves are no more than the page can bear."""
    moves = "".join("ruld"[k % 4] for k in range(10_000))
    board = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])
    boards, domain = [board], sl.domain("sliding-tile")
    names = {"r": "left", "u": "up", "l": "right", "d": "down"}
    actions = [names[move] for move in moves]
    for action in actions:
        boards.append(dict(domain.successors(boards[-1]))[action])
    recording = of_result(
        sl.Result("solved", board, "sliding-tile", "taxicab", "astar", actions=tuple(actions), states=tuple(boards)),
        problem(board, domain="sliding-tile"),
    )
    page_text = viewer_page(recording)
    assert len(page_text) < 1_000_000
    path = tmp_path / "long.html"
    path.write_text(page_text, encoding="utf-8")
    page = pages.open(path)
    page.keyboard.press("End")
    assert page.locator("#moves li").count() <= 301
    assert page.locator("[aria-current]").inner_text() == "10000 down"
    page.select_option("#speed", "256")
    page.click("#play")
    wait_for(page, "Number(document.getElementById('position').value) > 200")
    page.click("#play")
    assert tiles(page) == expected(boards[at(page)])


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_texts_have_enough_contrast(pages, puzzle, scheme, width):
    """With a contrast of 4.5 at least, and nothing is wider than the page."""
    page = pages.open(puzzle, width=width, color_scheme=scheme)
    page.click("text=The values as a table")
    found = page.evaluate(READABLE)
    assert len(found) > 100
    assert [text for text, colour, background in found if contrast(colour, background) < 4.5] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_colours_of_tiles_can_be_read():
    """Of every tile there is, and of the hues between."""
    colours = [*POWER_COLORS, *(hue_color(part / 100) for part in range(101))]
    assert min(contrast(colour, ink(colour)) for colour in colours) >= 4.5


def test_the_reader_chooses_dark_or_light(pages, puzzle):
    """The system's choice is the first."""
    page = pages.open(puzzle, color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.click("#theme")
    light = page.evaluate(background)
    assert dark != light == "rgb(255, 255, 255)"
    page.wait_for_timeout(200)  # a busy browser takes a moment to store what was chosen
    page.reload()
    assert page.evaluate(background) == light
    page.click("#theme")
    assert page.evaluate(background) == dark


def test_without_a_script_both_ends_and_the_moves_are_shown(pages, puzzle):
    page = pages.open(puzzle, java_script_enabled=False)
    assert page.locator(".still svg.board:visible").count() == 2
    assert page.locator(".stage:visible").count() == 0
    assert page.locator("text=up left down left").is_visible()
    assert page.locator("#plot path").count() == 3
    assert "6,731" in page.locator("dl").inner_text()


@pytest.fixture
def hostile(tmp_path):
    """The page of a solution of which every name is markup."""
    from dataclasses import replace

    after = sl.Board([[2]])
    rules = sl.Domain("walk", lambda board: [(HOSTILE, after)] if board != after else [], lambda board: board == after)
    start = sl.Board([[1]])
    described = problem(start, domain=sl.domain(rules), heuristic=lambda tiles: 2.0 - tiles[0, 0])
    recording = of_result(sl.solve(start, domain=sl.domain(rules), engine="readable"), described, title=HOSTILE)
    recording = replace(
        recording,
        headline=HOSTILE,
        command=HOSTILE,
        facts=((HOSTILE, HOSTILE),),
        curves=tuple(replace(curve, name=HOSTILE, explanation=HOSTILE) for curve in recording.curves),
    )
    path = tmp_path / "hostile.html"
    path.write_text(viewer_page(recording, Pictures(lambda board, path: HOSTILE)), encoding="utf-8")
    return path


def test_markup_in_names_is_escaped(pages, hostile):
    page = pages.open(hostile)
    assert page.locator("h1").inner_text() == HOSTILE
    page.keyboard.press("ArrowRight")
    assert page.locator("#status b").inner_text() == HOSTILE
    assert page.locator("#board pre").inner_text() == HOSTILE
    assert page.locator("img").count() == 0


def test_the_page_is_strictly_html(puzzle, game, hostile):
    """For a parser that forgives nothing."""
    for path in (puzzle, game[0], hostile):
        html5lib.HTMLParser(strict=True).parse(path.read_text(encoding="utf-8"))


def test_no_address_is_in_the_page(puzzle, game):
    """But for the name of SVG."""
    for path in (puzzle, game[0]):
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"\w+://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.slow
def test_a_large_board_is_shown_without_its_middle(pages, tmp_path):
    """As everywhere; tiles that go to where nothing is shown go."""
    board = sl.domain("2048:n=40").start()
    path = tmp_path / "large.html"
    path.write_text(viewer_page(solution(board, domain="2048:n=40,goal=16", heuristic="snake")), encoding="utf-8")
    page = pages.open(path)
    assert page.locator("#board .slot").count() == 15 * 15
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(350)


def test_a_solved_board_has_a_page(pages, tmp_path):
    """Without moves and a graph."""
    board = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])
    path = tmp_path / "solved.html"
    path.write_text(viewer_page(solution(board, domain="sliding-tile")), encoding="utf-8")
    page = pages.open(path)
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    assert (at(page), page.locator("#play").inner_text(), page.locator("#plot").count()) == (0, "play", 0)
    assert tiles(page) == expected(board)


@pytest.mark.slow
def test_a_tile_beyond_the_exact_numbers_of_scripts_is_written_out(pages, tmp_path):
    """2^60 has 19 digits."""
    board = sl.Board([[2**60, 2**60], [0, 2]])
    path = tmp_path / "huge.html"
    path.write_text(viewer_page(solution(board, domain=f"2048:goal={2**61}")), encoding="utf-8")
    page = pages.open(path)
    page.keyboard.press("End")
    assert str(2**61) in tiles(page).values()


def test_a_tile_has_the_same_colour_on_all_boards():
    small, large = sl.Board([[1, 2]]), sl.Board([[1, 8]])
    palette = Palette.of([small, large])
    assert palette.fill(2) == Palette.of([large]).fill(2) != Palette.of([small]).fill(2)


def test_a_strip_shows_both_ends_of_a_long_solution():
    """As SVG that any program reads."""
    from xml.etree import ElementTree

    recording = solution(sl.read_board("sliding-tile/puzzle8-31"), domain="sliding-tile")
    root = ElementTree.fromstring(strip_svg(recording.boards, recording.actions, title=HOSTILE + "\x01"))
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in texts if not text.isdigit()][:2] == ["start", "1. up"]
    assert {"⋯", "9 more", "31. right"} <= set(texts)
    assert root[0].text == HOSTILE + r"\x01"
    few = ElementTree.fromstring(strip_svg(recording.boards[:3], recording.actions[:2], title="few"))
    assert "⋯" not in [node.text for node in few.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 7), (-3, 4), (0, 1e12), (0, 1e-6), (123456, 123457), (-9, 0)])
def test_ticks_are_few_and_round(low, high):
    """Within what is to be shown."""
    ticks = nice_ticks(low, high)
    assert 2 <= len(ticks) <= 8
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)


@pytest.mark.slow
def test_the_data_is_json(puzzle):
    """Of numbers and names alone."""
    text = puzzle.read_text(encoding="utf-8")
    content = json.loads(re.search(r'<script type="application/json" id="recording">(.*?)</script>', text)[1])
    assert set(content) == {
        "names",
        "moves",
        "curves",
        "width",
        "height",
        "places",
        "faces",
        "boards",
        "motions",
    }
    assert content["motions"][0] == [2, 5]
