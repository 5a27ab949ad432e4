"""Images of boards: those of the domains that ship, and how pages show them."""

from xml.etree import ElementTree

import pandas as pd
import pytest
from browser import wait_for
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.reports.board_svg import strip_svg
from searchlab.reports.pictures import own_pictures, picture_data, shared_ends, without
from searchlab.reports.recording import of_result
from searchlab.reports.report import _images
from searchlab.reports.trace_page import trace_page
from searchlab.reports.viewer import viewer_page
from searchlab.search.solve import problem
from searchlab.testing import check
from tests.changed_domain import changed

PATH = "grid-map/rooms.scen#1"
SCRIPT = "<script>alert(1)</script></svg>"
DRAWN = [
    ("cube2", "cube2/moves-02"),
    ("graph", "graph/romania.edges#1"),
    ("grid-map", PATH),
    ("hanoi", "hanoi/discs-12"),
    ("lights-out", "lights-out/all-3"),
    ("pancake", "pancake/stack-60-1"),
    ("topspin", "topspin/ring-16-1"),
]


def image_of(name, board, path=()):
    """The elements of a domain's image of a board."""
    domain = sl.domain(name)
    return list(ElementTree.fromstring(domain.svg(board, path)).iter())


def coloured(elements):
    """The colours in which something is filled, with the number of times."""
    fills = [each.attrib.get("fill", "") for each in elements]
    return {fill: fills.count(fill) for fill in fills if fill not in ("", "none")}


@pytest.mark.parametrize(("name", "board"), DRAWN)
def test_boards_of_the_domains_that_ship_are_drawn(name, board):
    """As images of a size, in which every mark has its place."""
    root, *elements = image_of(name, board)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for each in elements:
        x, y = (float(each.attrib.get(key, each.attrib.get(f"c{key}", 0))) for key in "xy")
        assert 0 <= x <= width
        assert 0 <= y <= height


def test_a_cube_has_four_stickers_of_each_colour():
    for board in ("cube2/moves-11", "cube2/moves-02"):
        assert sorted(coloured(image_of("cube2", board)).values()) == [4] * 6


def test_all_lamps_pancakes_and_discs_are_drawn():
    """All on, all off; a label on each pancake and each token."""
    assert coloured(image_of("lights-out", sl.Board([[1, 0], [0, 0]])))["#ffd54a"] == 1
    texts = [each.text for each in image_of("pancake", sl.Board([[3, 1, 2]])) if each.text]
    assert texts == ["3", "1", "2"]
    assert [each.text for each in image_of("topspin", sl.Board([range(1, 9)])) if each.text] == list("12345678")
    discs = [each for each in image_of("hanoi", sl.Board([[4, 1, 1]])) if "hsl" in each.attrib.get("fill", "")]
    assert [(float(each.attrib["y"]), each.attrib["width"]) for each in discs] == [(78, "147"), (52, "90"), (78, "32")]


@pytest.mark.slow
def test_a_map_shows_the_path_in_a_page_and_in_the_terminal():
    """From its start; of a straight part the ends only."""
    result = sl.solve(PATH)
    domain = sl.domain("grid-map").of(result.instance)
    route = next(e for e in image_of_path(domain, result.boards) if e.attrib.get("stroke-linejoin"))
    bends = [tuple(map(float, point.split())) for point in route.attrib["d"][1:].split("L")]
    assert bends[0] == tuple(result.boards[0].tiles[0] + 0.5)
    assert bends[-1] == tuple(result.boards[-1].tiles[0] + 0.5)
    assert len(bends) < len(result.boards) / 2
    text = domain.picture(result.boards[-1], result.boards[:-1])
    assert (text.count("S"), text.count("●")) == (1, 1)
    assert text.count("•") > 10


def image_of_path(domain, boards):
    return ElementTree.fromstring(domain.svg(boards[-1], boards[:-1])).iter()


@given(st.lists(st.text("ab", max_size=6), min_size=1, max_size=4))
def test_shared_ends_of_pictures_are_stored_once(texts):
    """Put together they are as they were."""
    begin, end = shared_ends(texts)
    assert [begin + without(text, (begin, end)) + end for text in texts] == texts


def test_a_page_stores_common_parts_of_images_once():
    """A map in each of 30 images takes no 30 times its room."""
    result = sl.solve(PATH)
    domain = sl.domain("grid-map").of(result.instance)
    pictures = own_pictures(domain, result.boards)
    images = [pictures.draw(board, result.boards[:k]) for k, board in enumerate(result.boards)]
    stored = picture_data(images, are_images=True)
    assert sum(map(len, stored["pictures"])) < len(images[0])


@pytest.mark.slow
def test_pages_show_images_without_running_scripts_in_them(pages, tmp_path):
    """The viewer's, move by move; a search's; without a script, too."""
    board = sl.read_board("hanoi/discs-03")
    result = sl.solve(board, domain="hanoi")
    described = problem(board, domain="hanoi")
    plain = described.domain.component
    domain = sl.domain(changed(plain, svg=lambda board, pegs: plain.views.svg(board, pegs).replace("</svg>", SCRIPT)))
    recording = of_result(result, described, title="discs")
    (tmp_path / "view.html").write_text(viewer_page(recording, own_pictures(domain, recording.boards)), "utf-8")
    page = pages.open(tmp_path / "view.html")
    shown = "document.querySelector('#board img')"
    wait_for(page, f"{shown}.naturalWidth > 0")
    first = page.evaluate(f"{shown}.src")
    page.keyboard.press("ArrowRight")
    wait_for(page, f"{shown}.src !== decodeURIComponent('') && {shown}.alt.startsWith('after 1 moves')")
    assert page.evaluate(f"{shown}.src") != first
    assert page.evaluate(f"{shown}.complete")
    assert '<img class="board" src="data:image/svg+xml,' in viewer_page(
        recording, own_pictures(domain, recording.boards)
    )

    trace = sl.trace(board, domain="hanoi")
    (tmp_path / "search.html").write_text(trace_page(trace.content, title="a search"), "utf-8")
    page = pages.open(tmp_path / "search.html")
    page.keyboard.press("ArrowRight")
    wait_for(page, f"{shown}.naturalWidth > 0")


@pytest.mark.slow
def test_a_strip_has_the_images():
    """Each with its own size, and as an image: whatever a plugin has drawn, no script of it runs."""
    result = sl.solve("lights-out/all-3")
    pictures = own_pictures(sl.domain("lights-out"), result.boards)
    strip = ElementTree.fromstring(strip_svg(result.boards, result.actions, title="lamps", pictures=pictures))
    assert list(strip.iter("{http://www.w3.org/2000/svg}svg")) == [strip]
    pieces = list(strip.iter("{http://www.w3.org/2000/svg}image"))
    assert all(each.attrib["href"].startswith("data:image/svg+xml,%3Csvg%20") for each in pieces)
    assert [(each.attrib["width"], each.attrib["height"]) for each in pieces] == [("400", "400")] * 6


def test_an_image_that_fails_costs_a_warning():
    """Boards are drawn without it; what is no SVG is refused."""
    fails = sl.domain(changed(sl.domain("lights-out").component, svg=lambda board: 1 // 0))
    with pytest.warns(sl.SearchlabWarning, match="svg failed|lambda.* failed.*; boards are drawn without it"):
        pictures = own_pictures(fails, [sl.Board([[1, 0]])])
    assert not pictures.are_images
    none = sl.domain(changed(sl.domain("lights-out").component, svg=lambda board: "<p>"))
    with pytest.raises(sl.PluginError, match="does not begin with '<svg '"):
        none.svg(sl.Board([[1, 0]]))


def test_a_report_has_the_image_of_the_board_of_a_run():
    """One for all runs of a board; none where the domain has no images."""
    cube = sl.read_board("cube2/moves-02")
    text = " / ".join(" ".join(map(str, row)) for row in cube.tiles.tolist())
    rows = [{"domain": "cube2", "board_name": None, "board": text}] * 2
    rows.append({"domain": "sliding-tile", "board_name": None, "board": "1 2 / 3 0"})
    assert list(_images(pd.DataFrame(rows), sl.Plugins())) == [sl.domain("cube2").svg(cube)] * 2 + [None]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("svg", "said"),
    [
        (lambda board: "<p>", "does not begin with '<svg '"),
        (lambda board: "<svg a>", "not well-formed"),
        (lambda board: '<svg viewBox="0 0 1 1"/>', "xmlns"),
        (lambda board: '<svg xmlns="http://www.w3.org/2000/svg"/>', "no viewBox"),
    ],
)
def test_the_contract_finds_invalid_images(svg, said):
    start = sl.Board([[1]])
    game = sl.Domain(
        "one", lambda board: [("stay", board)], lambda board: True, start=lambda: start, views=sl.Views(svg=svg)
    )
    (report,) = check(game, seconds=0.01)
    finding = report.finding("pictures")
    assert finding.status == "failed"
    assert said in finding.message


def there(board):
    yield "on", sl.Board([[board.tile_at(0, 0) + 1]])


@pytest.mark.parametrize(
    ("render", "shown"), [(None, ["0", "1"]), (lambda board: ("Arad", "Sibiu")[board.tile_at(0, 0)], ["Arad", "Sibiu"])]
)
def test_a_board_of_one_tile_is_shown_as_a_number(render, shown):
    """Of a graph: place 0 is no blank, and a domain's text form names the places."""
    domain = sl.domain(
        sl.Domain("roads", there, lambda board: board.tile_at(0, 0) == 1, files=sl.FileFormat(format=render))
    )
    boards = [sl.Board([[0]]), sl.Board([[1]])]
    pictures = own_pictures(domain, boards)
    assert [pictures.draw(board, ()) for board in boards] == shown
