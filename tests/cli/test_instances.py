"""The commands take `rooms.scen#2` for a board: one of the instances in a file of a domain's own format."""

import json
import re
from pathlib import Path
from shutil import copy

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
MAKES_INSTANCES = """
import numpy as np
from searchlab import Board, Defaults, Domain, FileFormat, Generator, Instance, hookimpl


def parse(text):
    start, goal = (int(part) for part in text.split("->"))
    yield Instance("", Board([[start]]), {"goal": goal})


@hookimpl
def searchlab_domains():
    yield Domain(
        "stairs",
        lambda board, goal: [("up", Board([[board.tile_at(0, 0) + 1]]))],
        lambda board, goal: board.tile_at(0, 0) == goal,
        static=("goal",),
        files=FileFormat(
            parse,
            format=(lambda board, goal: f"{board.tile_at(0, 0)}->{goal}") if KEEPS else (lambda board: str(board)),
            suffixes=(".stairs",),
        ),
        defaults=Defaults(frontier="breadth-first"),
    )


@hookimpl
def searchlab_generators():
    yield Generator("climb", lambda random: Instance("", Board([[1]]), {"goal": 3}), domains={"stairs"})
"""


@pytest.fixture
def grid(run, folder):
    """A function that runs a command with the domain of the example where its map and scenarios lie."""
    for name in ("rooms.map", "rooms.scen"):
        copy(EXAMPLES / name, folder)
    return lambda *arguments, **options: run("--plugin", EXAMPLES / "grid.py", *arguments, **options)


@pytest.mark.slow
def test_an_instance_is_solved_by_its_name(grid):
    """Its file says which domain it is of; the optimum that the file gives is compared."""
    ran = grid("solve", "rooms.scen#2")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("solved in 15 moves, cost 15.82842712, optimal\ngrid · octile · astar")
    assert grid("solve", "rooms.scen").err == (
        "searchlab: error: rooms.scen: 5 instances; name one of them, for example rooms.scen#1\n"
    )
    assert grid("solve", "rooms.scen#2", "--domain", "grid:ways=4", "--json").json["cost"] == 17


def test_standard_input_is_in_the_format_of_the_domain_that_is_named(grid):
    """As a file is; a map that it names lies in the current folder."""
    line = b"0\trooms.map\t12\t8\t0\t0\t11\t7\t17.41421356\n"
    assert grid("solve", "-", "--domain", "grid", "--json", stdin=line).json["moves"] == 17
    both = grid("solve", "-", "--domain", "grid", stdin=line + line)
    assert both.err == "searchlab: error: standard input: expected one instance, not 2\n"


def test_each_instance_is_evaluated_with_its_static_data(grid):
    rows = grid("evaluate", "rooms.scen", "--json").json
    assert [row["board"] for row in rows] == [f"rooms.scen#{number}" for number in range(1, 6)]
    assert rows[1]["values"]["octile"] == pytest.approx(4 * 2**0.5 + 3)
    assert rows[4]["values"]["octile"] == pytest.approx(3 * 2**0.5 + 4)


def test_instances_and_neighbors_are_drawn_by_the_domain(grid):
    ran = grid("boards", "show", "rooms.scen")
    assert ran.out.splitlines()[9:11] == ["# rooms.scen#2", "...........G"]
    (shown,) = grid("boards", "show", "rooms.scen#2", "--json").json
    assert (shown["board"], shown["tiles"]) == ("rooms.scen#2", [[4, 4]])
    assert shown["text"].splitlines()[4] == "...@*.@...@."
    assert grid("neighbors", "rooms.scen#1").out.splitlines()[::9] == ["east", "south"]


@pytest.mark.slow
def test_other_commands_accept_instances(grid):
    """enumerate, advise, view, --trace and check."""
    assert grid("enumerate", "rooms.scen#1", "--json").json["verdict"] == "complete"
    assert grid("advise", "rooms.scen#1", "--domain", "grid", "--player", "greedy").out.startswith("east\n")
    assert grid("view", "rooms.scen#1", "--output", "page.html").code == 0
    assert grid("solve", "rooms.scen#1", "--trace", "way.trace.json").code == 0
    checked = grid("plugins", "check", "grid", "--board", "rooms.scen#1", "--seconds", 20)
    assert "on all 63 boards of grid, 1 × 2" in checked.out
    assert checked.code == 0


def test_a_search_over_a_map_is_followed_on_the_map(grid):
    """The trace has the picture of each board, and so has its page, for two searches, too."""
    assert grid("solve", "rooms.scen#2", "--trace", "way.trace.json").code == 0
    pictures = json.loads(Path("way.trace.json").read_text())["searchlab"]["pictures"]
    assert pictures["4 4"].splitlines()[4] == "...@*.@...@."
    assert len({len(text) for text in pictures.values()}) == 1
    assert grid("view", "way.trace.json", "way.trace.json", "--output", "pair.html").code == 0
    for page in ("way.html", "pair.html"):
        assert page == "pair.html" or grid("view", "way.trace.json", "--output", page).code == 0
        assert '"pictures":["...........G\\n' in Path(page).read_text()
    assert '<pre class="board">...........G\n' in Path("way.html").read_text()


def test_runs_over_a_file_are_listed_and_shown(grid, folder):
    """After an edit of the map, a message says so."""
    ran = grid("run", "rooms.scen", "--workers", 1)
    assert ran.out.startswith("5 runs, all done: solved 5\n")
    page = grid("results", "results/rooms", "--run", 2).out
    assert "\n...@*.@...@.\n" in page
    again = "again  searchlab --plugin .*grid.py solve 'rooms.scen#2' --domain grid --heuristic octile --frontier astar"
    assert re.search(again, page)
    assert grid("replay", "results/rooms", "--run", 2, "--moves-only").out.startswith("south")
    assert grid("view", "results/rooms", "--run", 2, "--output", "page.html").code == 0
    (folder / "rooms.map").write_text((folder / "rooms.map").read_text().replace("@", "."))
    changed = grid("replay", "results/rooms", "--run", 2)
    assert changed.err == ("searchlab: error: rooms.scen#2: its static data is not what it was when the run was done\n")


def test_plugins_show_names_static_data_and_files_of_a_domain(grid):
    """Without a board, an instance is required."""
    shown = grid("plugins", "show", "grid").out
    assert "static data grid, goal\nfiles       .scen\n" in shown
    assert grid("solve", "--domain", "grid").err == (
        "searchlab: error: grid has no start board: name an instance, like FILE#1\n"
    )
    alone = grid("solve", "-", "--domain", "grid", stdin=b"2\n1 2\n3 0\n")
    assert "a board alone is not enough, grid, goal belong to it: name an instance" in alone.err


def test_games_are_played_from_instances(grid, write):
    """By a player, in an experiment too, whose games can be shown, as can a game alone, which holds its map."""
    played = grid("play", "rooms.scen#1", "--player", "greedy", "--max-moves", 12, "--json")
    assert (played.json["start"], len(played.json["actions"])) == ([[0, 0]], 12)
    write("game.json", played.out)
    write("rooms.map", "type octile\nheight 1\nwidth 1\nmap\n.\n")  # another one by now
    assert grid("view", "game.json", "--output", "page.html").code == 0
    assert "*..........." in Path("page.html").read_text()
    copy(EXAMPLES / "rooms.map", "rooms.map")
    write("bare.json", json.dumps({**played.json, "static": {}}))
    assert "grid, goal belong to it, and are not recorded" in grid("view", "bare.json").error
    write("bad.json", json.dumps({**played.json, "static": {**played.json["static"], "grid": {"array": "O"}}}))
    assert grid("view", "bad.json").error.endswith("writes it: the static data 'grid' is damaged")
    assert grid("run", "rooms.scen", "--player", "greedy", "--max-moves", 12, "--workers", 1).code == 0
    assert grid("replay", "results/rooms", "--run", 1).out.endswith("the same board at the end\n")
    assert grid("view", "results/rooms", "--run", 1, "--output", "page.html").code == 0


def test_a_record_of_games_holds_the_map(grid, write):
    """In its head, as `play --browser --record` writes it and reads it again."""
    static = grid("play", "rooms.scen#1", "--player", "greedy", "--max-moves", 1, "--json").json["static"]
    head = f"# game: grid\n# seed: 0\n# board: 0 0 /\n# static: {json.dumps(static)}\n"
    write("way.script", f"{head}KEast\nKEast\n")
    assert grid("view", "way.script").code == 0
    assert "..*........." in Path("way.html").read_text()
    write("bad.script", head.replace("zlib", "zip") + "KEast\n")
    assert (
        "bad.script: the static data in the head: the static data 'grid' is damaged" in grid("view", "bad.script").error
    )


def test_generated_instances_are_shown_and_written_to_be_read(run, write):
    """As files in the domain's format, with the set.toml that names it; a format that loses data is refused."""
    write("stairs.py", f"KEEPS = True{MAKES_INSTANCES}")
    assert run("--plugin", "stairs.py", "boards", "generate", "climb").out == "# seed 1\n1->3\n"
    ran = run("--plugin", "stairs.py", "boards", "generate", "climb", "--count", 2, "--output", "set")
    assert ran.out == "2 boards of stairs in set: generator climb, seeds 1 to 2\n"
    assert (
        run("--plugin", "stairs.py", "solve", "set/2.stairs", "--engine", "readable", "--moves-only").out == "up up\n"
    )
    assert run("--plugin", "stairs.py", "boards", "show", "set").out.startswith("# set/1.stairs\n1->3\n")
    write("forgets.py", f"KEEPS = False{MAKES_INSTANCES}")
    refused = run("--plugin", "forgets.py", "boards", "generate", "climb", "--output", "other")
    assert refused.code == 2
    assert "generator climb makes instances with static data, which no file of stairs keeps: " in refused.err


def test_plugins_show_names_the_source_of_a_heuristic_between_boards(grid):
    shown = grid("plugins", "show", "octile").out
    assert "forms       between\n" in shown
    assert "grid.py\n" in shown
    assert "The cost on a map without walls." in shown


@pytest.mark.parametrize(("name", "meant"), [("strips/gripper-2", "gripper-2.pddl"), ("grid-map/maze", "maze.scen")])
@pytest.mark.parametrize("command", [("solve",), ("boards", "show")])
def test_a_shipped_file_is_suggested_for_its_name_without_the_suffix(run, command, name, meant):
    """That is how boards of other domains are named; a map alone is no instance."""
    assert run(*command, name).error.endswith(f"did you mean '{name.split('/')[0]}/{meant}'?")
