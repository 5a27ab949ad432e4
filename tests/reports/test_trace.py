"""A search trace has every step of a readable search, in Posthoc's format, and a page that follows it."""

import json
from collections import Counter

import html5lib
import pytest
from browser import READABLE, contrast, wait_for
from hypothesis import given, settings
from hypothesis import strategies as st

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.reports.trace import TraceRecorder, read_trace
from searchlab.reports.trace_page import trace_page, trace_pair_page
from searchlab.search.solve import problem, search

HOSTILE = '</script><script>alert("x")</script><img src=http://example.org onerror=alert(1)>'


def traced(board, *, limit=20_000, limits=None, **settings):
    """Search; return the result and the trace as it is written."""
    described = problem(board, **settings)
    recorder = TraceRecorder(described, limit)
    result = search(described, engine="readable", batch=1, observer=recorder, limits=limits)
    return result, json.loads("".join(recorder.parts(result)))


def kinds(trace):
    return Counter(event["type"] for event in trace["events"])


def inconsistent():
    """A game on a line of numbers in which a closed node is met again on a shorter path, and its heuristic."""
    moves = {0: [(1, 4.0), (2, 1.0)], 1: [(3, 10.0)], 2: [(1, 1.0)], 3: []}
    estimates = {0: 0.0, 1: 0.0, 2: 5.0, 3: 0.0}
    domain = sl.Domain(
        "line",
        lambda board: [(f"to {n}", sl.Board([[n + 1]]), cost) for n, cost in moves[board.tile_at(0, 0) - 1]],
        lambda board: board.tile_at(0, 0) == 4,
        start=lambda: sl.Board([[1]]),
        unit_cost=False,
    )
    return sl.domain(domain), lambda tiles: estimates[int(tiles[0, 0]) - 1]


BOARD = sl.Board([[7, 2, 4], [5, 0, 6], [8, 3, 1]])
FRONTIERS = ["astar", "astar:duplicates=early", "greedy", "weighted-astar:weight=3", "uniform-cost", "breadth-first"]


@pytest.mark.slow
@pytest.mark.parametrize("frontier", FRONTIERS)
def test_counts_of_a_trace_equal_those_of_the_result(frontier):
    """Of expansions, successors, duplicates and reopened nodes."""
    board = sl.read_board("sliding-tile/puzzle8-20")
    if frontier in ("uniform-cost", "breadth-first"):  # without a heuristic 12 moves are far enough
        board = sl.solve(board, domain="sliding-tile", engine="readable").boards[8]
    result, trace = traced(board, domain="sliding-tile", frontier=frontier, limit=10**6)
    count = kinds(trace)
    assert result.status == "solved"
    assert (count["source"], count["goal"], count["limit"]) == (1, 1, 0)
    assert (count["expand"], count["generate"]) == (result.expanded, result.generated)
    late = [event for event in trace["events"] if event["type"] == "close" and "why" in event]
    assert len(late) == result.duplicates
    assert sum(event.get("reopened", False) for event in trace["events"]) == result.reopened
    kept = sum(event["type"] in ("source", "generate") and "why" not in event for event in trace["events"])
    assert kept - len(late) - result.reopened * (trace["searchlab"]["duplicates"] == "late") == result.stored
    assert trace["searchlab"]["result"]["expanded"] == result.expanded
    assert trace["searchlab"]["complete"] is True


@given(
    st.permutations(range(9)),
    st.sampled_from(FRONTIERS[:-1]),
    st.integers(1, 60),
)
@settings(max_examples=25)
def test_a_trace_can_be_followed(tiles, frontier, expansions):
    """Every parent was seen before, ids are counted, f is the priority, and nodes of one state say so."""
    board = sl.Board([tiles[:3], tiles[3:6], tiles[6:]])
    settings = {"domain": "sliding-tile", "frontier": frontier}
    result, trace = traced(board, limits=sl.Limits(expansions=expansions), **settings)
    strategy = sl.frontier(frontier)
    seen, states, plain = (
        set(),
        {},
        sl.solve(board, engine="readable", limits=sl.Limits(expansions=expansions), **settings),
    )
    assert (result.status, result.expanded, result.generated) == (plain.status, plain.expanded, plain.generated)
    for event in trace["events"]:
        if event["type"] in ("source", "generate"):
            assert event["id"] == len(seen)
            assert states.setdefault(tuple(event["tiles"]), event["state"]) == event["state"]
            seen.add(event["id"])
        assert event["id"] in seen
        assert event.get("pId") is None or event["pId"] in seen
        if "f" in event:
            assert event["f"] == pytest.approx(strategy.priority(event["g"], event.get("h", 0)))


def test_a_shorter_path_to_a_closed_node_is_traced():
    """Early it is found with the successor, late when the node is taken; then the node is expanded again."""
    domain, heuristic = inconsistent()
    for duplicates in ("early", "late"):
        result, trace = traced(None, domain=domain, heuristic=heuristic, frontier=f"astar:duplicates={duplicates}")
        assert (result.status, result.cost, result.reopened) == ("solved", 12, 1)
        update = next(event for event in trace["events"] if event["type"] == "update")
        assert (update["g"], update["reopened"]) == (2, True)
        assert [event["id"] for event in trace["events"] if event["type"] == "expand"].count(update["id"]) == 2


def test_dead_ends_and_lost_games_are_traced(board10):
    """With the reason."""
    never = sl.heuristic(lambda tiles: float("inf") if tiles[3, 3] else 0.0, domain="2048")
    _, trace = traced(board10, domain="2048", heuristic=never, frontier="astar")
    assert "dead end" in {event.get("why") for event in trace["events"]}
    _, trace = traced(sl.Board([[4, 2], [0, 8]]), domain="2048:spawn=corner,goal=16")
    assert "game over" in {event.get("why") for event in trace["events"]}


def test_a_trace_ends_at_its_limit_of_events():
    """The search continues."""
    result, trace = traced(sl.read_board("sliding-tile/puzzle8-31"), domain="sliding-tile", limit=500)
    assert result.status == "solved"
    count = kinds(trace)
    assert (len(trace["events"]), trace["events"][-1]["type"], count["limit"]) == (501, "limit", 1)
    facts = trace["searchlab"]
    assert (facts["complete"], facts["limit"], facts["result"]["expanded"]) == (False, 500, result.expanded)
    again, _ = traced(
        sl.read_board("sliding-tile/puzzle8-31"),
        domain="sliding-tile",
        limits=sl.Limits(expansions=count["expand"] - 1),
    )
    last = max(k for k, event in enumerate(trace["events"]) if event["type"] == "expand")
    assert kinds({"events": trace["events"][:last]})["generate"] == again.generated


def test_an_observer_does_not_change_the_search(example8):
    with_it, _ = traced(example8, domain="sliding-tile")
    without = sl.solve(example8, domain="sliding-tile", engine="readable")
    assert with_it.actions == without.actions
    assert with_it.expanded == without.expanded


@pytest.mark.parametrize("frontier", ["beam:width=5", "beam:width=40", "ida-star", "iterative-deepening"])
def test_searches_without_an_open_list_are_traced(example8, frontier):
    """Their counts are those of the result, every parent was seen before, and what they drop says why."""
    board = example8 if frontier == "iterative-deepening" else sl.read_board("sliding-tile/puzzle8-20")
    result, trace = traced(board, domain="sliding-tile", frontier=frontier, limit=10**6)
    plain = sl.solve(board, domain="sliding-tile", frontier=frontier, engine="readable")
    assert (result.status, result.actions, result.expanded, result.generated, result.stored) == (
        *("solved", plain.actions, plain.expanded, plain.generated, plain.stored),
    )
    count, seen = kinds(trace), 0
    assert (count["expand"], count["generate"], count["goal"]) == (result.expanded, result.generated, 1)
    for event in trace["events"]:
        if event["type"] in ("source", "generate"):
            assert event["id"] == seen
            seen += 1
        assert event["id"] < seen
        assert event["pId"] is None or event["pId"] < event["id"]
    dropped = Counter(event.get("why") for event in trace["events"] if event["type"] in ("generate", "close"))
    if frontier.startswith("beam"):
        kept = result.generated - dropped["duplicate"] - dropped["beyond the width"]
        assert count["source"] == 1
        assert kept + 1 >= result.stored  # the candidates of the layer with the goal were kept but not stored
    else:
        bounds = [event["bound"] for event in trace["events"] if event["type"] == "source"]
        assert bounds == sorted(set(bounds))
        assert bounds[-1] == result.cost
        assert all(event["f"] == event["g"] + event.get("h", 0) for event in trace["events"] if "f" in event)
        assert result.generated - dropped["beyond the bound"] + len(bounds) == result.expanded + 1


def test_a_start_that_is_solved_or_a_dead_end_is_traced_by_every_search():
    """As its one event, or with the goal after it."""
    solved = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])
    never = sl.heuristic(lambda tiles: float("inf"), domain="sliding-tile")
    for frontier in ("astar", "beam", "ida-star"):
        _, trace = traced(solved, domain="sliding-tile", frontier=frontier)
        assert [event["type"] for event in trace["events"]] == ["source", "goal"]
        _, trace = traced(BOARD, domain="sliding-tile", frontier=frontier, heuristic=never)
        assert [(event["type"], event["why"]) for event in trace["events"]] == [("source", "dead end")]


def test_a_search_of_a_plugin_is_not_traced(example8):
    """Its steps are unknown."""
    own = sl.Frontier("own", run=lambda problem, watch: None)
    with pytest.raises(UsageError, match="own has its own search loop, which cannot be traced"):
        traced(example8, domain="sliding-tile", frontier=own)


def test_the_trace_has_posthocs_format(example8):
    """Of its version, with a view that draws each cell of the board: every event has its tiles."""
    _, trace = traced(example8, domain="sliding-tile", limit=5)
    assert trace["events"][-1]["type"] == "limit"
    assert trace["version"] == "1.4.0"
    (cell,) = trace["views"]["main"]
    assert (cell["$"], cell["$for"]["$to"]) == ("rect", 9)
    assert all(isinstance(event["type"], str) and isinstance(event["id"], int) for event in trace["events"])
    assert all(len(event["tiles"]) == 9 and "pId" in event for event in trace["events"])


def test_scripts_can_evaluate_the_view(pages, tmp_path, example8):
    """Every expression of it, as Posthoc evaluates them."""
    _, trace = traced(example8, domain="sliding-tile")
    (cell,) = trace["views"]["main"]
    expressions = {
        name: value[3:-2] for name, value in cell.items() if isinstance(value, str) and value.startswith("${{")
    }
    page_file = tmp_path / "empty.html"
    page_file.write_text("<!DOCTYPE html><title>empty</title>")
    page = pages.open(page_file)
    drawn = page.evaluate(
        """([expressions, event]) => {
            const value = (text, i) => Function("$", `return ${text}`)({...event, i});
            const entries = Object.entries(expressions);
            const cell = (i) => Object.fromEntries(entries.map(([name, text]) => [name, value(text, i)]));
            return Array.from({length: 9}, (_, i) => cell(i));
        }""",
        [expressions, trace["events"][0]],
    )
    assert [(cell["x"], cell["y"], cell["label"]) for cell in drawn] == [
        (k % 3, k // 3, str(tile) if tile else "") for k, tile in enumerate(example8.tiles.ravel().tolist())
    ]
    assert len({cell["fill"] for cell in drawn}) == 9


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no JSON", "not a search trace: it is not JSON"),
        (b"[" * 100_000, "not a search trace: it is not JSON"),
        (b"\xff", "not a search trace: it is not in UTF-8"),
        (b"[]", "not a search trace of version 1.4.0"),
        (b'{"version": "2.0.0"}', "not a search trace of version 1.4.0"),
        (b'{"version": "1.4.0", "events": []}', "a search trace of another program"),
        (b'{"version": "1.4.0", "searchlab": {"format": 1}, "events": []}', "a damaged search trace: Object missing"),
    ],
)
def test_a_file_that_is_no_trace_is_refused(tmp_path, content, said):
    """The message gives the reason."""
    path = tmp_path / "odd.trace.json"
    path.write_bytes(content)
    with pytest.raises(UsageError) as refused:
        read_trace(path)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda trace: trace["events"].clear(), "it has no events"),
        (lambda trace: trace["events"].pop(0), "event 0 names a node that was not there before"),
        (lambda trace: trace["events"][0]["tiles"].pop(), "event 0 has no id and tiles of a new node"),
        (lambda trace: trace["events"][2].update(pId=999), "names a node that was not there before"),
        (lambda trace: trace["events"][2].pop("action"), "does not say all that an event of the type generate says"),
        (lambda trace: trace["events"][2].update(h="much"), "Expected `float | null`, got `str`"),
        (lambda trace: trace["searchlab"]["result"].pop("expanded"), "its result has no expanded"),
        (lambda trace: trace["searchlab"]["board"][0].pop(), "its boards have different numbers of cells"),
        (lambda trace: trace["searchlab"].update(limit=None), "Expected `int`, got `null`"),
    ],
)
def test_a_damaged_trace_is_refused(tmp_path, example8, damage, said):
    """One that is whole is not."""
    _, trace = traced(example8, domain="sliding-tile")
    path = tmp_path / "damaged.trace.json"
    path.write_text(json.dumps(trace))
    assert read_trace(path) == trace
    damage(trace)
    path.write_text(json.dumps(trace))
    with pytest.raises(UsageError) as refused:
        read_trace(path)
    assert str(refused.value).startswith(f"{path}: a damaged search trace: ")
    assert said in str(refused.value)


def test_the_page_says_the_cost_of_a_solution_if_it_is_not_the_number_of_moves(example8):
    for domain, said in (
        ("sliding-tile", "solved in 3 moves, optimal"),
        ("sliding-tile:cost=heavy", "solved in 3 moves, cost 17, optimal"),
    ):
        _, trace = traced(example8, domain=domain)
        assert said in trace_page(trace, title="a search")


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The page of a search of 20 moves, and its trace."""
    _, trace = traced(sl.read_board("sliding-tile/puzzle8-20"), domain="sliding-tile")
    path = tmp_path_factory.mktemp("trace") / "page.html"
    path.write_text(trace_page(trace, title="a search"), encoding="utf-8")
    return path, trace


def at(page):
    return int(page.locator("#position").input_value())


def test_events_are_followed_by_keys(pages, followed):
    """One by one, expansion by expansion, along the solution."""
    path, trace = followed
    page = pages.open(path)
    assert "event 0 of" in page.locator("#status").inner_text()
    page.keyboard.press("ArrowRight")
    assert (at(page), page.locator("#status b").inner_text()) == (1, "expand")
    expansions = [k for k, event in enumerate(trace["events"]) if event["type"] == "expand"]
    page.keyboard.press("e")
    assert at(page) == expansions[1]
    page.select_option("#unit", "expand")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    assert at(page) == expansions[2]
    page.keyboard.press("ArrowLeft")
    assert at(page) == expansions[1]
    page.keyboard.press("n")
    solution = {tuple(tiles) for tiles in trace["searchlab"]["solution"]}
    assert tuple(trace["events"][at(page)]["tiles"]) in solution
    page.keyboard.press("End")
    assert page.locator("#status b").inner_text() == "goal"
    page.keyboard.press("Home")
    assert at(page) == 0


@pytest.mark.slow
def test_the_head_of_the_open_list_is_expanded_next(pages, followed):
    """At every expansion, all the way: the page and the search agree on the order."""
    path, trace = followed
    page = pages.open(path)
    wrong = page.evaluate(
        """async () => {
            const wrong = [];
            for (const key of Array(60).fill("e")) {
                const head = document.querySelector("#open tbody td").textContent;
                document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                const shown = document.getElementById("node-title").textContent;
                if (shown !== `node ${head}`) wrong.push([head, shown]);
                while (!["close", "goal"].includes(document.querySelector("#status b").textContent))
                    document.getElementById("forth").click();
            }
            return wrong;
        }"""
    )
    # Between two expansions a taken duplicate may be dropped: it was the head, and is not expanded.
    dropped = {str(event["id"]) for event in trace["events"] if event["type"] == "close" and "why" in event}
    assert [pair for pair in wrong if pair[0].replace(",", "") not in dropped] == []


def test_the_lists_agree_with_the_result(pages, followed):
    """At the end the trace has as many closed and open nodes as the search reports."""
    path, trace = followed
    page = pages.open(path)
    page.keyboard.press("End")
    result = trace["searchlab"]["result"]
    assert f"{result['expanded']} expanded" in page.locator("#open-size").inner_text()
    layers = [row.split() for row in page.locator("#layers tbody tr").all_inner_texts()]
    assert sum(int(closed) for _, _, closed in layers) == result["expanded"] + 1  # and the goal


def test_a_node_of_the_tree_is_gone_to(pages, followed):
    """By a click: to the event that generated it."""
    path, trace = followed
    page = pages.open(path, fragment="30")
    card = page.locator("#ancestors [data-node]").first
    node = int(card.get_attribute("data-node"))
    card.click()
    assert trace["events"][at(page)]["id"] == node
    assert trace["events"][at(page)]["type"] in ("source", "generate")


@pytest.mark.slow
def test_the_page_says_why_a_successor_was_dropped(pages, followed):
    """A duplicate that is dropped, and a move straight back."""
    path, trace = followed
    for kind, said in (("skip", "straight back to its parent"), ("close", "is a duplicate of node")):
        number = next(k for k, e in enumerate(trace["events"]) if e["type"] == kind and "why" in e)
        assert said in pages.open(path, fragment=str(number)).locator("#status").inner_text()


@pytest.mark.slow
def test_the_page_plays_the_trace(pages, followed):
    """And stops at the end."""
    page = pages.open(followed[0])
    page.select_option("#speed", "256")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    wait_for(page, "document.querySelector('#status b').textContent === 'goal'")
    assert page.locator("#play").inner_text() == "play"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_texts_have_enough_contrast(pages, followed, scheme, width):
    """With a contrast of 4.5 at least, and nothing is wider than the page."""
    page = pages.open(followed[0], width=width, color_scheme=scheme, fragment="200")
    texts = page.evaluate(READABLE)
    assert len(texts) > 50
    assert [text for text, colour, background in texts if contrast(colour, background) < 4.5] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_a_script_the_expansions_are_listed(pages, followed):
    """With the start, the goal and the moves."""
    path, trace = followed
    page = pages.open(path, java_script_enabled=False)
    assert page.locator(".still svg.board").count() == 2
    assert page.locator(".still tbody tr").count() == trace["searchlab"]["result"]["expanded"]
    assert page.locator(".stage:visible").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["beam:width=4", "ida-star"])
def test_pages_show_the_path_or_the_layer_of_other_searches(pages, tmp_path, frontier):
    """The page says of each event what it is, and shows the path or the layer in place of the open list."""
    _, trace = traced(sl.read_board("sliding-tile/puzzle8-20"), domain="sliding-tile", frontier=frontier)
    path = tmp_path / "page.html"
    path.write_text(trace_page(trace, title="a search"), encoding="utf-8")
    events = trace["events"]
    dropped = "beyond the width" if "beam" in frontier else "beyond the bound"
    number = next(k for k, event in enumerate(events) if event.get("why") == dropped)
    page = pages.open(path, fragment=str(number))
    said = "is not among the best of its layer" if "beam" in frontier else "not entered in this iteration"
    assert said in page.locator("#status").inner_text()
    if frontier == "ida-star":
        second = [k for k, event in enumerate(events) if event["type"] == "source"][1]
        page = pages.open(path, fragment=str(second))
        assert page.locator("#status b").inner_text() == "iteration"
        assert "bound 16" in page.locator("#open-size").inner_text()
        assert page.locator("#open-name").inner_text() == "Path, the deepest first"
    page.keyboard.press("End")
    assert page.locator("#status b").inner_text() == "goal"
    path_nodes = page.locator("#open tbody tr").count()
    assert path_nodes == 8 if frontier == "ida-star" else path_nodes > 0


def paired(first, second):
    board = sl.read_board("sliding-tile/puzzle8-20")
    return [traced(board, domain="sliding-tile", **settings)[1] for settings in (first, second)]


@pytest.fixture(scope="module")
def side_by_side(tmp_path_factory):
    """The page of two searches of one board, and their traces."""
    traces = paired({"frontier": "astar"}, {"frontier": "greedy"})
    path = tmp_path_factory.mktemp("pair") / "pair.html"
    path.write_text(trace_pair_page(*traces, title="a board"), encoding="utf-8")
    return path, traces


def test_two_searches_step_together(pages, side_by_side):
    """Expansion by expansion, each until its end."""
    path, traces = side_by_side
    page = pages.open(path)
    expanded = [[event["id"] for event in trace["events"] if event["type"] == "expand"] for trace in traces]
    for number in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        shown = [page.locator(f"#node-title-{side}").inner_text() for side in (0, 1)]
        assert shown == [f"node {nodes[number - 1]}" for nodes in expanded]
        assert page.locator("#value-0").inner_text() != "–"
    page.fill("#jump", str(len(expanded[1]) + 1))
    page.keyboard.press("Enter")
    assert page.locator("#status-1 b").inner_text() == "goal"
    assert page.locator("#status-0 b").inner_text() == "expand"
    assert "greedy has ended" in page.locator("#status").inner_text()
    page.click("#last")
    assert at(page) == len(expanded[0]) + 1
    assert page.locator("#status-0 b").inner_text() == "goal"


def test_two_searches_show_the_expansion_of_a_state_by_the_other(pages, side_by_side):
    """Both expand the start first; in all as many states as the table says."""
    path, traces = side_by_side
    page = pages.open(path, fragment="1")
    assert "expands this state as number 1" in page.locator("#node-0").inner_text()
    both = set.intersection(
        *({tuple(e["tiles"]) for e in trace["events"] if e["type"] == "expand"} for trace in traces)
    )
    assert page.locator(".figures tr").last.inner_text().split()[-1] == str(len(both))


def test_a_click_on_a_node_goes_to_the_expansion_that_generated_it(pages, side_by_side):
    path, traces = side_by_side
    page = pages.open(path, fragment="5")
    card = page.locator("#children-1 [data-node]").first
    node = int(card.get_attribute("data-node"))
    card.click()
    before = traces[1]["events"][: next(k for k, e in enumerate(traces[1]["events"]) if e["id"] == node)]
    assert at(page) == sum(event["type"] == "expand" for event in before)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 360)])
def test_every_text_of_two_searches_can_be_read(pages, side_by_side, scheme, width):
    """And nothing is wider than the page; html5lib reads it strictly."""
    page = pages.open(side_by_side[0], width=width, color_scheme=scheme, fragment="20")
    texts = page.evaluate(READABLE)
    assert [text for text, colour, background in texts if contrast(colour, background) < 4.5] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    html5lib.HTMLParser(strict=True).parse(side_by_side[0].read_text(encoding="utf-8"))


@pytest.mark.slow
def test_searches_side_by_side_have_names_that_differ():
    """By what differs; and they are of one board and one game."""
    traces = paired({"heuristic": "taxicab"}, {"heuristic": "misplaced"})
    assert "astar with taxicab and astar with misplaced" in trace_pair_page(*traces, title="x")
    assert "astar (first) and astar (second)" in trace_pair_page(traces[0], traces[0], title="x")
    _, other = traced(BOARD, domain="sliding-tile", limit=50)
    with pytest.raises(UsageError, match="the two searches are of different boards"):
        trace_pair_page(traces[0], other, title="x")
    other["searchlab"]["domain"] = "another"
    with pytest.raises(UsageError, match="the two searches are of different games"):
        trace_pair_page(traces[0], other, title="x")


def test_names_and_reasons_of_two_searches_are_no_markup(pages, tmp_path):
    """However long they are: the page is no wider for them."""
    traces = paired({"frontier": "astar"}, {"frontier": "greedy"})
    for trace in traces:
        trace["searchlab"]["frontier"] += HOSTILE
        trace["searchlab"]["result"].update(status="error", reason=HOSTILE * 100 + "x" * 10_000)
    path = tmp_path / "hostile.html"
    path.write_text(trace_pair_page(*traces, title=HOSTILE), encoding="utf-8")
    page = pages.open(path, width=400)
    page.keyboard.press("ArrowRight")
    assert page.locator("#node-title-0").inner_text() == "node 0"
    assert page.locator("img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    html5lib.HTMLParser(strict=True).parse(path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_markup_in_names_is_escaped(pages, tmp_path, followed):
    domain = sl.Domain(
        "walk",
        lambda board: [(HOSTILE, sl.Board([[2]]))] if board.tile_at(0, 0) == 1 else [],
        lambda board: board.tile_at(0, 0) == 2,
        start=lambda: sl.Board([[1]]),
    )
    _, trace = traced(None, domain=sl.domain(domain), heuristic=lambda tiles: 0.0)
    trace["searchlab"]["result"]["status"], trace["searchlab"]["result"]["reason"] = "error", HOSTILE * 100
    path = tmp_path / "hostile.html"
    path.write_text(trace_page(trace, title=HOSTILE), encoding="utf-8")
    page = pages.open(path)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert HOSTILE in page.locator("#status").inner_text()
    assert page.locator("img").count() == 0
    for each in (path, followed[0]):
        html5lib.HTMLParser(strict=True).parse(each.read_text(encoding="utf-8"))


@pytest.mark.parametrize("board", ["sliding-tile/puzzle8-20", "sliding-tile/puzzle8-24"])
def test_a_trace_of_an_anytime_beam_has_all_its_iterations_and_solutions(board, tmp_path):
    result, trace = traced(sl.read_board(board), domain="sliding-tile", frontier="cabs")
    count = kinds(trace)
    assert (count["expand"], count["goal"]) == (result.expanded, len(result.solutions))
    assert count["source"] == len(result.layers)
    file = tmp_path / "cabs.trace.json"
    file.write_text(json.dumps(trace))
    assert trace_page(read_trace(file), title="cabs")


def test_a_trace_of_a_beam_with_costs_tells_of_shorter_paths():
    """In one layer 2 is reached at cost 9 and then at cost 2."""
    moves = {0: [(1, 1.0), (3, 1.0)], 1: [(2, 8.0)], 3: [(2, 1.0)], 2: [(4, 1.0)], 4: []}
    domain = sl.Domain(
        "line",
        lambda board: [(f"to {n}", sl.Board([[n + 1]]), cost) for n, cost in moves[board.tile_at(0, 0) - 1]],
        lambda board: board.tile_at(0, 0) == 5,
        unit_cost=False,
    )
    result, trace = traced(sl.Board([[1]]), domain=domain, heuristic=lambda tiles: 0, frontier="beam:width=9")
    assert result.cost == 3
    assert kinds(trace)["update"] == 1
