"""The window's answers to commands of the page, and the page itself in a real browser."""

import re

import html5lib
import pytest
from browser import READABLE, contrast, wait_for

import searchlab as sl
from searchlab.games.script import ScriptFile, continued
from searchlab.reports.pictures import Pictures
from searchlab.reports.viewer import page_template

HOSTILE = '"><img src=http://example.org onerror=alert(1)><script>alert(2)</script>'
HOSTILE_NAME = '"><img><script>alert(3)<script>'


def tiles(page):
    """The numbers on the board, row by row, once nothing slides any more."""
    wait_for(page, "document.getElementById('board').ariaBusy === 'false'")
    return page.locator("#board svg").get_attribute("aria-label").partition(": ")[2]


def expected(board):
    return " ".join(str(tile or "blank") for tile in board.tiles.ravel().tolist())


def until_shown(page, series, moves):
    """Wait until the page shows the board after a number of moves."""
    wait_for(page, f"parseInt(document.getElementById('made').textContent) === {moves}")
    assert tiles(page) == expected(series.board)


def swipe(page, across, down):
    """Drag over the board, from its middle."""
    box = page.locator("#board svg").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across, y + down, steps=3)
    page.mouse.up()


def click_cell(page, row, column, side):
    box = page.locator("#board svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] * (column + 0.5) / side, box["y"] + box["height"] * (row + 0.5) / side)


def pancakes(stack=4, names=lambda k: f"flip {k}"):
    """A game of a plugin whose moves are no directions, with the names of moves that somebody chose."""

    def successors(board):
        row = board.tiles[0].tolist()
        for k in range(2, len(row) + 1):
            yield names(k), sl.Board([row[:k][::-1] + row[k:]])

    def is_goal(board):
        row = board.tiles[0].tolist()
        return row == sorted(row)

    return sl.Domain("pancakes", successors, is_goal, start=lambda: sl.Board([[*range(stack, 0, -1)]]))


@pytest.mark.slow
def test_keys_move_undo_and_start_a_new_game(tabs, played):
    """The page shows the score, the number of moves, and the points of a move."""
    game = played("2048-random")
    page = tabs.open(game.address)
    assert tiles(page) == expected(game.series.board)
    opening = game.series.board
    for key in ("ArrowLeft", "s", "ArrowUp", "d", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
    until_shown(page, game.series, 6)
    assert page.locator("#score").inner_text() == f"{game.series.score:,}"
    assert [turn.action for turn in game.series.turns] == ["left", "down", "up", "right", "left", "down"]
    for _ in range(6):
        page.keyboard.press("u")
    until_shown(page, game.series, 0)
    assert game.series.board == opening
    assert page.locator("#undo").is_disabled()
    page.keyboard.press("ArrowLeft")
    until_shown(page, game.series, 1)
    page.click("#new")
    wait_for(page, "document.getElementById('made').textContent === '0 moves'")
    assert tiles(page) == expected(game.series.board) != expected(opening)


@pytest.mark.slow
def test_tiles_slide_and_merge(tabs, played):
    """Between two boards a tile is on its way; where the reader wants no motion, none is."""
    game = played("2048-random", start=sl.Board([[0, 0, 2, 2], [0] * 4, [0] * 4, [0] * 4]))
    # The page's clock goes on by 16 ms a frame however late a busy machine draws it.
    steady = """() => {
        const draw = requestAnimationFrame;
        let time = performance.now();
        performance.now = () => time;
        window.requestAnimationFrame = (then) => draw(() => then((time += 16)));
    }"""
    seen = """async (key) => {
        const [board, made] = ["board", "made"].map((id) => document.getElementById(id));
        const before = made.textContent;
        const places = new Set();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        while (made.textContent === before || board.ariaBusy === "true") {
            await new Promise(requestAnimationFrame);
            for (const g of board.querySelectorAll("g > g")) places.add(g.getAttribute("transform"));
        }
        const exact = [...places].map((place) => place.match(/\\((\\S+) (\\S+?)\\)/).slice(1));
        return exact.filter((place) => place.some((x) => (x - 60) % 108)).length;
    }"""
    page = tabs.open(game.address)
    page.evaluate(steady)
    assert page.evaluate(seen, "ArrowLeft") > 0
    assert tiles(page) == expected(game.series.board)
    assert game.series.board.tile_at(0, 0) == 4
    assert page.evaluate(seen, "u") > 0
    still = tabs.open(game.address, reduced_motion="reduce")
    still.evaluate(steady)
    assert still.evaluate(seen, "ArrowLeft") == 0


@pytest.mark.slow
def test_a_hint_is_the_value_of_every_move(tabs, played):
    """The best is marked, and is the one that the player would make; the next move takes the values away."""
    start = sl.Board([[2, 0, 0, 2], [0, 4, 0, 0], [0, 0, 8, 0], [16, 0, 0, 2]])
    game = played("2048-random", start=start)
    page = tabs.open(game.address)
    page.keyboard.press("h")
    page.locator("#moves .best").wait_for()
    player = sl.player("greedy", domain="2048-random")
    moves = game.series.legal_moves
    action, values = player.begin_judging(1)(start, moves)
    shown = page.locator("#moves button").evaluate_all(
        "all => all.map((b) => [b.dataset.action, b.children[1].textContent])"
    )
    assert {name: float(worth.replace(",", "")) for name, worth in shown} == {
        move.action: pytest.approx(value) for move, value in zip(moves, values, strict=True)
    }
    assert page.locator("#moves .best").get_attribute("data-action") == action
    page.locator("#moves .best").click()
    wait_for(page, "!document.querySelector('#moves .best')")
    assert [turn.action for turn in game.series.turns] == [action]
    page.check("#hints")
    page.locator("#moves .best").wait_for()
    page.keyboard.press("ArrowUp")
    wait_for(
        page, "document.getElementById('made').textContent === '2 moves' && document.querySelector('#moves .best')"
    )


@pytest.mark.slow
def test_a_player_is_watched_and_a_move_takes_over(tabs, played):
    """At any speed; the space bar lets it go on until the game is over, which is said."""
    game = played("2048-random:n=3", watches=True, delay=0.2, most_moves=100_000)
    page = tabs.open(game.address, color_scheme="dark")
    wait_for(page, "parseInt(document.getElementById('made').textContent) >= 2")
    assert page.locator("#watch").inner_text() == "stop it"
    for key in ("ArrowUp", "ArrowLeft"):  # one of them is a move
        page.keyboard.press(key)
    wait_for(page, "document.getElementById('watch').textContent === 'let it play'")
    made = len(game.series.turns)
    page.wait_for_timeout(700)
    assert len(game.series.turns) <= made + 1  # the second key
    page.check("#hints")
    page.select_option("#speed", "0.1")
    page.keyboard.press(" ")
    wait_for(
        page, "document.querySelector('#moves .best') && document.getElementById('watch').textContent === 'stop it'"
    )
    page.select_option("#speed", "0")
    page.locator("#veil").wait_for()
    assert page.locator("#verdict").inner_text() == "Game over"
    assert "n begins a new one" in page.locator("#status").inner_text()
    assert page.locator("#best").inner_text() == f"{game.series.score:,}"
    assert tiles(page) == expected(game.series.board)
    page.click("#back")
    page.locator("#veil").wait_for(state="hidden")
    page.keyboard.press("n")
    wait_for(page, "document.getElementById('made').textContent === '0 moves'")


def test_a_tile_that_is_clicked_or_swiped_slides(tabs, played):
    """On a phone; a puzzle has no score, and the goal is the end."""
    game = played("sliding-tile", start=sl.Board([[1, 2, 3], [4, 5, 6], [0, 7, 8]]))
    page = tabs.open(game.address, width=390, height=844, has_touch=True)
    assert page.locator("#score-box").is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    click_cell(page, 0, 0, 3)  # far from the blank
    click_cell(page, 2, 1, 3)
    wait_for(page, "document.getElementById('made').textContent === '1 move'")
    assert tiles(page) == "1 2 3 4 5 6 7 blank 8"
    swipe(page, 0, 120)  # the tile above goes down
    wait_for(page, "document.getElementById('made').textContent === '2 moves'")
    assert tiles(page) == "1 2 3 4 blank 6 7 5 8"
    swipe(page, 0, -120)
    wait_for(page, "document.getElementById('made').textContent === '3 moves'")
    swipe(page, -120, 10)
    page.locator("#veil").wait_for()
    assert page.locator("#verdict").inner_text() == "Goal reached"
    assert tiles(page) == "1 2 3 4 5 6 7 8 blank"


def test_a_swipe_is_the_move_of_its_direction(tabs, played):
    game = played("2048-random")
    page = tabs.open(game.address, width=390, height=844, has_touch=True)
    for across, down in ((-100, 5), (5, 100), (100, -5), (0, -100), (3, 4)):
        swipe(page, across, down)
    wait_for(page, "document.getElementById('made').textContent === '4 moves'")
    assert [turn.action for turn in game.series.turns] == ["left", "down", "right", "up"]


def test_moves_of_other_games_have_buttons_and_numbers(tabs, played):
    """Numbers may have two digits; markup in names is escaped."""
    game = played(
        pancakes(12, lambda k: f"{HOSTILE} {k}"), player=sl.Player(HOSTILE_NAME, lambda board, moves: moves[0].action)
    )
    page = tabs.open(game.address)
    assert page.locator("#moves button").count() == 11
    page.keyboard.press("2")
    wait_for(page, "document.getElementById('made').textContent === '1 move'")
    page.keyboard.press("1")
    page.keyboard.press("1")
    wait_for(page, "document.getElementById('made').textContent === '2 moves'")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    wait_for(page, "document.getElementById('made').textContent === '3 moves'")
    page.locator("#moves button").nth(4).click()
    wait_for(page, "document.getElementById('made').textContent === '4 moves'")
    assert [turn.action.rsplit(" ", 1)[1] for turn in game.series.turns] == ["3", "12", "2", "6"]
    page.keyboard.press("h")
    page.locator("#moves .best").wait_for()
    assert HOSTILE in page.locator("#status").inner_text()
    assert page.locator("img, main script").count() == 0


@pytest.mark.slow
def test_two_windows_show_one_game(tabs, played):
    """A key pressed in one window shows in the other, both say that there are two, and a reload loses nothing."""
    game = played("2048-random")
    one = tabs.open(game.address)
    assert one.locator("#notice").is_hidden()
    other = tabs.open(game.address)
    other.keyboard.press("ArrowLeft")
    until_shown(one, game.series, 1)
    for page in (one, other):
        wait_for(page, "document.getElementById('notice').textContent.includes('open in another window')")
    one.keyboard.press("ArrowDown")
    until_shown(other, game.series, 2)
    other.close()
    wait_for(one, "document.getElementById('notice').hidden")
    one.reload()
    one.locator("main[aria-busy=false]").wait_for()
    assert tiles(one) == expected(game.series.board)
    assert one.locator("#made").inner_text() == "2 moves"
    one.locator("summary").click()
    one.click("#end")
    wait_for(one, "document.getElementById('notice').textContent.includes('it was ended on the page')")


@pytest.mark.slow
def test_hints_stay_chosen_while_older_states_arrive(tabs, played):
    """A state that was sent before the program heard of the choice does not take it back."""
    game = played("2048-random")
    page, other = tabs.open(game.address), tabs.open(game.address)
    held = []
    page.route("**/command", lambda route: held.append(route))
    page.check("#hints")
    other.keyboard.press("ArrowLeft")
    until_shown(page, game.series, 1)
    assert held
    assert page.locator("#hints").is_checked()
    assert not other.locator("#hints").is_checked()
    held[0].continue_()
    wait_for(other, "document.getElementById('hints').checked")
    page.unroute("**/command")
    other.uncheck("#hints")
    wait_for(page, "!document.getElementById('hints').checked")


def test_texts_have_enough_contrast(tabs, played):
    """At least 4.5, in both colour schemes."""
    game = played("2048-random", about=lambda: {"record": "/a/folder/game.script"})
    page = tabs.open(game.address, reduced_motion="reduce")
    page.locator("summary").click()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("h")
    page.locator("#moves .best").wait_for()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        texts = page.evaluate(READABLE)
        assert len(texts) > 20
        assert [(text, ink, paper) for text, ink, paper in texts if contrast(ink, paper) < 4.5] == []


def test_pages_of_other_origins_get_nothing(browser, tabs, played, tmp_path):
    """Even with the token, they cannot read, move, or show the page in a frame."""
    game = played("2048-random")
    tabs.open(game.address)
    path = tmp_path / "evil.html"
    path.write_text(f"<iframe src='{game.address}'></iframe>")
    page = browser.new_page()
    page.goto(path.as_uri())
    told = page.evaluate(
        """async (address) => {
            const told = [];
            const ask = async (path, options) => {
                const read = async () => (await (await fetch(address + path, options)).text()).length;
                told.push(await read().catch(() => 0));
            };
            const body = '{"command":"move","action":"left"}';
            await ask("", {});
            await ask("events", {});
            await ask("command", { method: "POST", body, headers: { "Content-Type": "application/json" } });
            await ask("command", { method: "POST", body, mode: "no-cors" });
            await ask("", { mode: "no-cors" });
            return told;
        }""",
        game.address,
    )
    assert told == [0, 0, 0, 0, 0]
    assert all("2048" not in frame.content() for frame in page.frames if frame.url.startswith("http"))
    assert game.series.turns == []
    page.close()


def test_the_page_is_html():
    """A strict parser accepts the page, for any name of the game."""
    page = page_template("window.html").render(title=HOSTILE, headline=HOSTILE, empty="")
    html5lib.HTMLParser(strict=True).parse(page)
    assert "<img" not in page


def test_nonsense_is_refused(window_of):
    """Commands that no page of ours sends; nothing happens."""
    window, series = window_of("2048-random")
    before = series.board
    for command in (
        {},
        {"command": "jump"},
        {"command": "move"},
        {"command": "move", "action": "sideways"},
        {"command": "move", "action": "left\nKNew Game"},
        {"command": "move", "action": 3},
        {"command": "speed", "delay": -1},
        {"command": "speed", "delay": float("nan")},
        {"command": "speed", "delay": "fast"},
        {"command": "watch"},
        {"command": "watch", "on": "yes"},
        {"command": "hints", "on": 1},
        {"command": "swipe", "way": "sideways"},
        {"command": "click", "cell": "first"},
    ):
        assert window.execute(command) == {"refused": True}, command
    assert series.board == before


def test_a_new_game_is_recorded_from_its_start(window_of, tmp_path):
    """A program that is closed then does not continue the game before."""
    path, domain = tmp_path / "game.script", sl.domain("2048-random:n=3")
    window, series = window_of(domain, log=ScriptFile(path, {}))
    window.execute({"command": "move", "action": series.edges[0].action})
    window.execute({"command": "new"})
    again = continued(ScriptFile(path, {}), domain, lambda board: ())
    assert (again.board, again.moves) == (series.board, 0)


def test_a_failing_player_is_reported_and_the_game_continues(tabs, played):

    def failing(board, moves):
        raise ValueError("no idea")

    game = played("2048-random", player=sl.Player("mine", failing), watches=True)
    page = tabs.open(game.address)
    wait_for(page, "document.getElementById('status').textContent.includes('no idea')")
    assert re.match(r"the player failed: player mine: .*no idea", page.locator("#status").inner_text())
    page.keyboard.press("h")
    wait_for(page, "document.getElementById('status').textContent.includes('no hint')")
    page.keyboard.press("ArrowLeft")
    wait_for(page, "document.getElementById('made').textContent === '1 move'")


@pytest.mark.slow
def test_pictures_of_a_renderer(tabs, played):
    """In place of tiles."""
    game = played("2048-random", pictures=Pictures(lambda board, path: f"<b>{board.largest_tile()}</b>\n+--+"))
    page = tabs.open(game.address)
    assert page.locator("pre.board").inner_text() == "<b>2</b>\n+--+"
    page.keyboard.press("ArrowLeft")
    wait_for(page, "document.getElementById('made').textContent === '1 move'")
