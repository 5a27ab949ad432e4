"""Paths on grid maps: the rules, the costs of the shipped scenarios, the generators and the picture."""

from heapq import heappop, heappush
from itertools import product
from math import sqrt
from pathlib import Path
from random import Random

import numpy as np
import pytest

import searchlab as sl
from searchlab.board.files import find_board
from searchlab_plugins.grid_map.files import map_text
from searchlab_plugins.grid_map.generators import largest_part, maze_map, noise_map, rooms_map

FRONTIERS = sorted(item.component.name for item in sl.Plugins().all("frontier") if item.component.run is None)
OPTIMAL = {"astar", "uniform-cost", "ida-star", "iterative-deepening"}


def on(*rows, start, goal):
    """An instance on a map of letters."""
    grid = np.array([[letter != "@" for letter in row] for row in rows], np.uint8)
    return sl.Instance("", sl.Board([start]), {"grid": grid, "goal": goal})


def cheapest(grid, start, ways=8):
    """The cost of a cheapest path to each cell that can be reached, by Dijkstra's algorithm."""
    free = {(x, y) for y, x in np.argwhere(grid).tolist()}
    steps = [step for step in product((-1, 0, 1), repeat=2) if 0 < abs(step[0]) + abs(step[1]) <= ways // 4]
    costs, queue = {}, [(0.0, start)]
    while queue:
        cost, (x, y) = heappop(queue)
        if (x, y) in costs:
            continue
        costs[x, y] = cost
        for right, down in steps:
            if {(x + right, y), (x, y + down), (x + right, y + down)} <= free:
                heappush(queue, (cost + sqrt(right * right + down * down), (x + right, y + down)))
    return costs


@pytest.mark.parametrize("name", ["maze", "noise", "rooms"])
def test_costs_of_shipped_scenarios_equal_those_of_another_search(name):
    """To 1e-6, in 8 directions as the file says, and in 4, of which it says nothing."""
    instances = sl.domain("grid-map").instances(f"grid-map/{name}.scen")
    assert len(instances) == 10
    assert [each.optimal for each in instances] == sorted(each.optimal for each in instances)
    for number, instance in enumerate(instances):
        grid, start, goal = (
            instance.static["grid"],
            *(tuple(map(int, cell)) for cell in (instance.start.tiles[0], instance.static["goal"])),
        )
        assert max(grid.shape) <= 128
        cost = cheapest(grid, start)[goal]
        assert instance.optimal == pytest.approx(cost, rel=0, abs=1e-6)
        result = sl.solve(instance, domain="grid-map")
        assert result.cost == pytest.approx(cost, rel=0, abs=1e-9)
        assert result.optimal
        if number % 3 == 0:
            result = sl.solve(instance, domain="grid-map:ways=4", heuristic="manhattan-distance")
            assert (result.cost, result.optimal) == (cheapest(grid, start, ways=4)[goal], True)


def test_a_diagonal_step_cuts_no_corner():
    """Both cells beside it have to be free; between two walls that touch at a corner nobody gets through."""
    domain = sl.domain("grid-map")

    def actions(*rows):
        instance = on(*rows, start=(1, 1), goal=(0, 0))
        return [action for action, _ in domain.of(instance).successors(instance.start)]

    straight, diagonal = ["north", "east", "south", "west"], ["north-east", "south-east", "south-west", "north-west"]
    assert actions("...", "...", "...") == straight + diagonal
    assert actions("..@", "...", "...") == straight + diagonal[1:]
    assert actions(".@.", "...", "...") == straight[1:] + diagonal[1:3]
    shut = on(".@", "@.", start=(0, 0), goal=(1, 1))
    assert sl.solve(shut, domain="grid-map", engine="readable").status == "unsolvable"


@pytest.mark.slow
@pytest.mark.parametrize("frontier", [name for name in FRONTIERS if name != "epea-star"])  # it needs `chosen`
def test_every_frontier_finds_a_path_in_compiled_code(frontier):
    """With diagonal steps; a cheapest one where that is claimed."""
    instance = on("....", ".@@.", "...@", start=(0, 2), goal=(3, 1))
    result = sl.solve(instance, domain="grid-map", frontier=frontier, engine="compiled")
    assert result.status == "solved"
    assert result.cost >= cheapest(instance.static["grid"], (0, 2))[3, 1] - 1e-9
    assert result.optimal or frontier not in OPTIMAL


def test_maps_of_1024_by_1024_are_searched_compiled():
    """A wall across the map with one gap at its end."""
    grid = np.ones((1024, 1024), np.uint8)
    grid[512, :-1] = 0
    instance = sl.Instance("", sl.Board([[0, 0]]), {"grid": grid, "goal": (0, 1023)})
    result = sl.solve(instance, domain="grid-map", engine="compiled")
    there, back = (min(1023, rows) * sqrt(2) + abs(1023 - rows) for rows in (511, 510))
    assert result.cost == pytest.approx(there + back + 2)
    assert result.optimal


def test_another_map_or_goal_is_another_instance():
    """Runs are told apart by it."""
    rows = ("...", ".@.")
    digests = [
        on(*rows, start=(0, 0), goal=(2, 1)).digest,
        on(*rows, start=(0, 0), goal=(2, 0)).digest,
        on("...", "...", start=(0, 0), goal=(2, 1)).digest,
    ]
    assert len(set(digests)) == 3
    assert digests[0] == on(*rows, start=(0, 1), goal=(2, 1)).digest


def test_the_heuristics_are_exact_on_a_map_without_walls():
    """Octile with 8 directions, Manhattan with 4; where they are not, they claim nothing wrong."""
    empty = on(*["......."] * 5, start=(2, 1), goal=(0, 0))
    for ways, name in ((8, "octile"), (4, "manhattan-distance")):
        h = sl.heuristic(name, domain=sl.domain("grid-map", ways=ways).of(empty))
        for cell, cost in cheapest(empty.static["grid"], (2, 1), ways).items():
            assert h.between(sl.Board([(2, 1)]), sl.Board([cell])) == pytest.approx(cost)
    claims = [sl.heuristic("manhattan-distance", domain=f"grid-map:ways={ways}").admissible for ways in (4, 8)]
    assert claims == [True, False]


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("maze", lambda random: maze_map(random, 63, 63, 0.05)),
        ("noise", lambda random: noise_map(random, 64, 64, 0.35)),
        ("rooms", lambda random: rooms_map(random, 63, 63, 7, 0.7)),
    ],
)
def test_the_shipped_maps_are_drawn_from_their_seed(name, draw):
    """The starts lie in the largest part, from which each cell of it can be reached."""
    grid = draw(Random(1))
    assert Path(find_board(f"grid-map/{name}.map")).read_text() == map_text(grid)
    part = largest_part(grid)
    assert set(cheapest(grid, part[0])) == set(part)
    for instance in sl.domain("grid-map").instances(f"grid-map/{name}.scen"):
        assert {tuple(instance.start.tiles[0].tolist()), tuple(instance.static["goal"].tolist())} <= set(part)


def test_rooms_with_all_doors_and_mazes_without_loops():
    """Every room can be reached; a maze without loops is a tree: one step less than cells."""
    rooms = sl.generator("rooms:columns=19,rows=11,room=3,doors=1", domain="grid-map").instance(1).static["grid"]
    assert len(largest_part(rooms)) == np.count_nonzero(rooms)

    assert np.count_nonzero(rooms) == 15 * 9 + (4 * 3 + 5 * 2)
    maze = maze_map(Random(1), 21, 15, 0)
    steps = sum(np.count_nonzero(one & other) for one, other in ((maze[1:], maze[:-1]), (maze[:, 1:], maze[:, :-1])))
    assert steps == np.count_nonzero(maze) - 1
    assert np.count_nonzero(maze[1::2, 1::2]) == 10 * 7


def test_the_largest_part_of_a_large_map_is_soon_found():
    """In time by the number of cells, not by its square."""
    assert len(largest_part(np.ones((300, 300), np.uint8))) == 90_000


@pytest.mark.parametrize(
    ("spelled", "said"),
    [
        ("noise:walls=1", "no two free cells"),
        ("noise:walls=1.5", "a probability, from 0 to 1"),
        ("maze:columns=2", "from 3 to 4096 cells"),
        ("rooms:room=0", "from 1 to 4096 cells"),
    ],
)
def test_maps_that_cannot_be_drawn(spelled, said):
    """One line says why."""
    with pytest.raises(sl.UsageError, match=said):
        sl.generator(spelled, domain="grid-map")(1)


def drawn(columns, rows, start, goal, walls=()):
    """The lines of a picture."""
    grid = np.ones((rows, columns), np.uint8)
    for x, y in walls:
        grid[y, x] = 0
    instance = sl.Instance("", sl.Board([start]), {"grid": grid, "goal": goal})
    return sl.domain("grid-map").picture(instance).splitlines()


@pytest.mark.parametrize(
    ("columns", "rows", "start", "goal"),
    [
        (5, 4, (0, 0), (4, 3)),
        (64, 64, (0, 63), (63, 0)),
        (512, 512, (250, 250), (260, 255)),
        (1024, 700, (0, 0), (1023, 699)),
    ],
)
def test_pictures_fit_a_terminal_and_show_position_and_goal(columns, rows, start, goal):
    """Of a large map a part, or squares of cells as one."""
    lines = drawn(columns, rows, start, goal, walls=[(columns // 2, y) for y in range(rows)])
    assert len(lines) <= 36
    assert max(map(len, lines)) <= 78
    text = "\n".join(lines)
    assert (text.count("●"), text.count("G")) == (1, 1)
    assert (f"of {columns} × {rows}" in lines[-1]) == (columns == 512)


def test_a_character_of_a_picture_shows_two_cells():
    lines = drawn(50, 40, (0, 39), (49, 39), walls=[(3, 0), (4, 1), (5, 0), (5, 1)])
    assert lines[1] == "│   ▀▄█" + " " * 44 + "│"
    assert lines[20] == "│●" + " " * 48 + "G│"
