"""Paths in graphs: costs beside Dijkstra's algorithm, Python's graphs, files, heuristics, pictures."""

from fractions import Fraction
from heapq import heappop, heappush
from itertools import islice
from math import inf
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import searchlab as sl
from searchlab_plugins.graph import instance

ROADS = "graph/romania.edges"


def cheapest(graph, start):
    """The cost of a cheapest path to each node that can be reached, by Dijkstra's algorithm."""
    costs, queue = {}, [(0, start)]
    while queue:
        cost, node = heappop(queue)
        if node not in costs:
            costs[node] = cost
            for after, edge in graph.get(node, {}).items():
                heappush(queue, (cost + edge, after))
    return costs


@st.composite
def graphs(draw):
    """A random directed graph as a dict of dicts, with costs of 0, fractions, loops, dead ends and parts of its own."""
    nodes = draw(st.integers(1, 9))
    costs = st.sampled_from([0, 1, 1, 2, 3.5, 0.1, 70])
    edges = draw(st.dictionaries(st.tuples(*[st.integers(0, nodes - 1)] * 2), costs, max_size=3 * nodes))
    return {node: {b: cost for (a, b), cost in edges.items() if a == node} for node in range(nodes)}


@settings(max_examples=60)
@given(graphs(), st.data())
def test_costs_equal_those_of_dijkstra(graph, data):
    start, goal = (data.draw(st.sampled_from(sorted(graph))) for _ in range(2))
    cost = cheapest(graph, start).get(goal)
    one = instance(graph, start, goal)
    for heuristic, engine in (
        ("landmarks:count=2", "compiled"),
        ("landmarks", "readable"),
        ("straight-line", "readable"),
    ):
        result = sl.solve(one, domain="graph", heuristic=heuristic, frontier="astar", engine=engine)
        assert result.status == ("unsolvable" if cost is None else "solved")
        if cost is not None:
            assert result.cost == pytest.approx(cost)
            assert result.optimal


@given(graphs(), st.data())
def test_estimates_are_consistent(graph, data):
    """On every edge, with positions at random; no estimate exceeds the cost to the goal."""
    goal = data.draw(st.sampled_from(sorted(graph)))
    places = st.tuples(*[st.sampled_from([0, 1, 2.5, -3])] * 2)
    positions = {node: data.draw(places) for node in graph}
    one = instance(graph, goal, goal, positions=positions)
    domain = sl.domain("graph").of(one)
    for name in ("straight-line", "landmarks:count=3"):
        h = sl.heuristic(name, domain=domain)
        values = [h(sl.Board([[node]])) for node in graph]
        for node, after in graph.items():
            assert values[node] <= cheapest(graph, node).get(goal, inf) + 1e-9
            for successor, cost in after.items():
                assert values[node] <= cost + values[successor] + 1e-9


def test_landmarks_are_exact_between_landmarks():
    graph = {node: {(node + 1) % 12: 1 + node} for node in range(12)}
    one = instance(graph, 3, 2)
    assert sl.heuristic("landmarks:count=12", domain=sl.domain("graph").of(one))(one.start) == cheapest(graph, 3)[2]


FORMS = {
    "dict of dicts": {"a": {"b": 2, "c": 9}, "b": {"c": 3}},
    "costs of NumPy": {"a": {"b": np.float32(2), "c": 9}, "b": {"c": Fraction(3)}},
    "edges": [("a", "b", 2), ("b", "c", 3), ("a", "c", 9)],
    "parallel edges": [("a", "b", 4), ("a", "b", 2), ("b", "c", 3), ("b", "c", 7)],
    "networkx": SimpleNamespace(
        adjacency=lambda: [("a", {"b": {"weight": 2}}), ("b", {"c": {"weight": 3}}), ("c", {})]
    ),
    "networkx, parallel edges": SimpleNamespace(
        adjacency=lambda: [("a", {"b": {0: {"weight": 2}, 1: {}}}), ("b", {"c": {0: {"weight": 4}}}), ("c", {})]
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_graphs_of_python_are_accepted(form):
    result = sl.solve(instance(FORMS[form], "a", "c"), domain="graph", frontier="uniform-cost")
    assert (result.actions, result.cost, result.optimal) == (("b", "c"), 5, True)


def test_nodes_that_only_edges_lead_to_come_last():
    found = instance({"b": {"z": 1, "a": 2}, "a": {"y": 1, "z": 3}}, "b", "y").static
    assert found["names"].split() == ["b", "a", "z", "y"]
    assert found["targets"].tolist() == [2, 1, 3, 2]


def test_names_are_in_one_line_and_never_empty():
    found = instance({"New  York": [""], "": [7], " Rome\n": []}, "New  York", 7).static
    assert found["names"].split("\n") == ["New York", "''", "Rome", "7"]


def test_positions_may_be_listed_in_any_order():
    places = {"a": (0, 0), "b": (1, 0), "c": (1, 2)}
    edges = {"a": ["b"], "b": ["c"], "c": []}
    in_order, otherwise = (
        instance(edges, "a", "c", positions=given).static for given in (places, dict(reversed(places.items())))
    )
    assert in_order["positions"].tolist() == otherwise["positions"].tolist() == [[0, 0], [1, 0], [1, 2]]
    assert in_order["scale"] == otherwise["scale"] == pytest.approx(0.5)


@pytest.mark.parametrize("graph", [{"a": ["b"], "b": {"c"}}, [("a", "b"), ("b", "c")]])
def test_edges_without_costs_cost_1(graph):
    result = sl.solve(instance(graph, "a", "c"), domain="graph", frontier="breadth-first")
    assert (result.actions, result.cost, result.optimal) == (("b", "c"), 2, True)


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        ({"a": {"b": 1}}, {"goal": "z"}, "the goal 'z' is no node of the graph"),
        ({"a": {"b": -1}}, {}, "the edge from 'a' to 'b' costs -1; a cost is a number from 0 to 1e"),
        ({"a": {"b": "near"}}, {}, "costs 'near'"),
        ({"a": {"b": inf}}, {}, "costs inf"),
        ({"a": {"b": [1, 2]}, "b": {"a": 1}}, {}, r"costs \[1, 2\]"),
        ([("a", "b", 1, 2)], {}, "an edge is"),
        ([7], {}, "an edge is"),
        ({"a": {"b": 1}}, {"positions": {"a": (0, 0)}}, "the node 'b' has no position"),
        ({"a": {"b": 1}}, {"positions": {"a": (0, 0), "b": 3}}, "the position of 'b' is 3, not two numbers"),
        ({"a": {"b": 1}}, {"positions": {"a": (0, 0), "b": (1, 2, 3)}}, r"the position of 'b' is \(1, 2, 3\)"),
        ({"a": {"b": 1}}, {"positions": {"a": (0, 0), "b": ("x", 3)}}, r"the position of 'b' is \('x', 3\)"),
        ({"a": {"b": 10**400}}, {}, "costs 1000"),
    ],
)
def test_graphs_that_cannot_be_searched_are_refused(graph, options, message):
    with pytest.raises(ValueError, match=message):
        instance(graph, "a", **{"goal": "b", **options})


def test_shipped_roads_have_the_costs_of_the_book():
    found = [sl.solve(each, domain="graph") for each in sl.domain("graph").instances(ROADS)]
    assert [result.cost for result in found] == [418, 942]
    assert found[0].actions == ("Sibiu", "Rimnicu_Vilcea", "Pitesti", "Bucharest")
    assert [each.optimal for each in sl.domain("graph").instances(ROADS)] == [418, 942]


@pytest.mark.parametrize("seed", range(3))
def test_text_of_an_instance_reads_back(seed):
    domain = sl.domain("graph")
    generator = sl.generator("roads:places=30", domain=domain)
    one = generator(seed)
    bound = domain.of(one)
    (again,) = bound.parse(bound.format(one.start))
    assert again.start == one.start
    assert again.digest == one.digest


def test_text_of_a_graph_without_positions_reads_back():
    one = instance({"a b": {"c": 0.1}, "lost": {}, "c": {"c": 1}}, "a b", "lost")
    bound = sl.domain("graph").of(one)
    (again,) = bound.parse(bound.format(one.start))
    assert again.digest == one.digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b 3", "an instance is a line 'start NODE' and a line 'goal NODE': there are 0 starts and 0 goals"),
        ("a b x\nstart a\ngoal b", "line 1: the edge from 'a' to 'b' costs 'x'"),
        ("a b 1\na 'b\nstart a\ngoal b", "line 2: No closing quotation"),
        ("New York Boston 3\nstart a\ngoal b", "line 1: an edge is NODE NODE COST, and this line has 4 words"),
        ("a b 1\nat a 1 2\nstart a\ngoal b", "'b' has no line 'at NODE X Y'"),
        ("a b 1\nat a 1 nan\nstart a\ngoal b", "line 2: a position is two numbers"),
    ],
)
def test_files_of_edges_with_mistakes_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        sl.domain("graph").parse(text)


@pytest.fixture
def dimacs(tmp_path):
    """The files of a small graph in the formats of DIMACS."""
    (tmp_path / "town.gr").write_text("c a comment\np sp 4 4\na 1 2 5\na 2 3 6\na 1 3 20\na 3 1 1\n")
    (tmp_path / "town.co").write_text("p aux sp co 4\nv 1 0 0\nv 2 3 0\nv 3 3 4\nv 4 9 9\n")
    path = tmp_path / "town.p2p"
    path.write_text("c\np aux sp p2p 3\nq 1 3\nq 3 2\nq 1 9\n")
    return path


def test_dimacs_files_are_read(dimacs):
    with pytest.warns(sl.SearchlabWarning, match="'9' is no number from 1 to 4"):
        there = sl.domain("graph").instances(dimacs)
    assert [sl.solve(each, domain="graph").cost for each in there] == [11, 6]
    assert there[0].static["positions"].tolist() == [[0, 0], [3, 0], [3, 4], [9, 9]]


@pytest.mark.parametrize(
    ("suffix", "text", "message"),
    [
        (".gr", "p sp 4 2\na 1 2 5\n", "the header announces 2 arcs, and there are 1"),
        (".gr", "p sp 4 1\na 1 7 5\n", "names a node outside 1 to 4"),
        (".gr", "p sp 4 1\na 1 2 -5\n", "negative"),
        (".gr", "a 1 2 5\n", "town.gr: a .gr file has a line 'p sp NODES ARCS' before its arcs"),
        (".gr", "p sp 4 1\na 1 2\n", "a line that begins with 'a' has not 3 numbers"),
        (".co", "v 1 0 0\n", "town.co: it has no position for each of the 4 nodes"),
    ],
)
def test_dimacs_files_with_mistakes_are_refused(dimacs, suffix, text, message):
    dimacs.with_suffix(suffix).write_text(text)
    with pytest.raises(sl.BoardError, match=message):
        sl.domain("graph").instances(dimacs)


def test_a_gr_file_may_have_queries_itself(dimacs):
    dimacs.unlink()
    graph = dimacs.with_suffix(".gr")
    with pytest.raises(sl.BoardError, match=r"a \.gr file has no start and no goal: write lines 'q START GOAL'"):
        sl.domain("graph").instances(graph)
    graph.write_text(graph.read_text() + "q 1 3\n")
    (one,) = sl.domain("graph").instances(graph)
    assert sl.solve(one, domain="graph").cost == 11


def test_a_query_file_without_its_graph_is_refused(dimacs):
    dimacs.with_suffix(".gr").unlink()
    with pytest.raises(sl.BoardError, match=r"the graph is town\.gr beside it, which is not there"):
        sl.domain("graph").instances(dimacs)


@settings(max_examples=40)
@given(graphs(), st.data())
def test_smaller_graphs_are_parts_with_the_same_start_and_goal(graph, data):
    """Of named nodes; each has fewer nodes or edges, and every single node and edge is left out once."""
    graph = {f"n {node}": {f"n {after}": cost for after, cost in row.items()} for node, row in graph.items()}
    start, goal = (data.draw(st.sampled_from(sorted(graph))) for _ in range(2))
    positions = data.draw(st.sampled_from([None, {node: (k, k * k) for k, node in enumerate(graph)}]))
    whole = instance(graph, start, goal, positions=positions)
    nodes, edges = parts_of(whole)
    without = []
    for part in sl.domain("graph").of(whole).smaller(whole.start):
        assert not sl.domain("graph").of(part).why_invalid(part.start)
        some_nodes, some_edges = parts_of(part)
        assert some_nodes.items() <= nodes.items()
        assert some_edges.items() <= edges.items()
        assert (len(some_nodes), len(some_edges)) < (len(nodes), len(edges))
        called = list(some_nodes)
        assert (called[part.start.tile_at(0, 0)], called[part.static["goal"]]) == (start, goal)
        lost = nodes.keys() - some_nodes.keys()
        assert {ends for ends in edges if not lost & {*ends}} >= some_edges.keys()
        without.append(frozenset(lost or edges.keys() - some_edges.keys()))
    assert {frozenset({node}) for node in nodes.keys() - {start, goal}} <= {*without}
    assert {frozenset({ends}) for ends in edges} <= {*without}


def parts_of(graph):
    """The nodes of an instance with their positions, and its edges with their costs, by name."""
    static = graph.static
    names = static["names"].split("\n")
    places = static["positions"].tolist() or [None] * len(names)
    origins = np.repeat(np.arange(len(names)), np.diff(static["offsets"])).tolist()
    ends = zip(origins, static["targets"].tolist(), static["weights"].tolist(), strict=True)
    nodes = {name: tuple(place or ()) for name, place in zip(names, places, strict=True)}
    return nodes, {(names[a], names[b]): cost for a, b, cost in ends}


def test_smaller_graphs_keep_the_numbers_of_nodes_without_names():
    """The first are halves, then three quarters, with start and goal, which stay."""
    roads = sl.generator("roads:places=400", domain="graph")(1)
    parts = list(islice(sl.domain("graph").of(roads).smaller(roads.start), 3))
    left = [len(part.static["offsets"]) - 1 for part in parts]
    assert all(most <= count <= most + 2 for count, most in zip(left, (200, 200, 300), strict=True))
    names = parts[1].static["names"].split("\n")
    assert names[parts[1].start.tile_at(0, 0)] == str(roads.start.tile_at(0, 0) + 1)


def test_a_map_is_shrunk_to_where_greedy_search_goes_astray():
    """As in the book: by way of Fagaras, which is nearer to Bucharest."""
    found = sl.shrink(f"{ROADS}#1", "cost[greedy] > cost[astar]")
    assert (found.holds, found.complete) == (True, True)
    nodes, edges = parts_of(found.instance)
    assert [*nodes] == ["Sibiu", "Rimnicu Vilcea", "Pitesti", "Fagaras", "Bucharest"]
    assert (len(edges), found.figures) == (5, {"cost[greedy]": 310, "cost[astar]": 278})


@pytest.mark.parametrize("places", [12, 2000])
def test_pictures_show_the_path(places):
    domain = sl.domain("graph")
    one = sl.generator(f"roads:places={places}", domain=domain)(1)
    result = sl.solve(one, domain="graph")
    bound = domain.of(one)
    image = bound.svg(result.boards[-1], result.boards[:-1])
    assert image.count("<text") == (12 if places == 12 else 0)
    assert len(image) < 60_000
    text = bound.picture(result.boards[-1], result.boards[:-1])
    assert text.startswith(str(one.start.tile_at(0, 0) + 1))
    assert text.count("→") == min(len(result.boards), 12) - 1


def test_a_graph_without_positions_is_drawn_in_columns():
    one = instance({"a": {"b": 1, "c": 1}, "b": {"d": 1}, "c": {"d": 1}, "lost": {}}, "a", "d")
    image = sl.domain("graph").of(one).svg(one.start)
    assert all(f">{name}</text>" in image for name in ("a", "b", "c", "d", "lost"))


def test_roads_of_a_generator_lead_to_the_goal():
    generator = sl.generator("roads:places=40,neighbors=2", domain="graph")
    assert {sl.solve(generator(seed), domain="graph").status for seed in range(10)} == {"solved"}


def test_node_names_in_sets_do_not_depend_on_the_hash_seed():
    names = [f"n{number}" for number in Random(1).sample(range(100), 20)]
    one = instance({"n": set(names)}, "n", "n")
    assert one.static["names"].split("\n") == ["n", *sorted(names)]
