"""`searchlab plugins`: what there is, and all that is known of one thing."""

from __future__ import annotations

from pathlib import Path

import pytest

import searchlab
from searchlab.plugins.hookspecs import NOTIFICATIONS


def test_every_plugin_is_listed_with_what_it_brings(run):
    """The bare command lists plugins, their versions and components."""
    ran = run("plugins")
    assert (ran.code, ran.err) == (0, "")
    assert f"searchlab {searchlab.__version__} (searchlab_plugins.twenty48)\n" in ran.out
    for name in ("2048", "sliding-tile", "left-weighted", "taxicab", "astar", "ida-star"):
        assert f" {name} " in ran.out
    assert "also manhattan" in " ".join(ran.out.split())
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_what_was_left_out_is_listed_at_the_end(run, plugin, folder):
    """A plugin with problems is listed with what works, and the problems follow."""
    ran = run("plugins", "--plugin", plugin)
    brought, left_out = ran.out.split("\nleft out:\n")
    assert f"mine ({folder / plugin})\n" in brought
    assert "command    greet" in brought
    assert "returned str 'not a heuristic', not a Heuristic" in left_out
    assert "its command 'solve' exists already and was left out" in left_out
    assert ran.err == ""


def test_a_plugin_file_that_cannot_be_loaded_is_left_out(run, write):
    """A syntax error in a folder of plugins is one line that names the file, and the rest is listed."""
    write("folder/broken.py", "def f(:\n")
    ran = run("plugins", "--plugins-dir", "folder")
    assert ran.code == 0
    assert "left-weighted" in ran.out
    assert "broken.py: SyntaxError" in ran.out.split("left out:")[1]


def test_the_list_as_json(run, plugin):
    """--json has plugins with their components, and the problems."""
    listed = run("plugins", "--plugin", plugin, "--json").json
    mine = next(entry for entry in listed["plugins"] if entry["name"] == "mine")
    assert [heuristic["name"] for heuristic in mine["heuristics"]] == ["first-tile", "failing", "no-number"]
    assert [command["name"] for command in mine["commands"]] == ["greet", "crash", "leave"]
    assert len(listed["problems"]) == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("left-weighted", ["corner=-1", "higher (a score)", "domains     2048", "heuristics.py"]),
        ("weighted", ["heuristic distance-weighted", "aliases     weighted"]),
        ("moves-to-go", ["admissible, consistent", "lower (an estimate)"]),
        ("astar", ["frontier astar", "container   heap", "optimal with an admissible", "duplicates\n", "early, late"]),
        ("weighted-astar", ["weight=2", "depends on its parameters"]),
        ("breadth-first", ["container   fifo", "where every move costs 1", "not used"]),
        ("2048", ["goal=2048", "spawn=right-column", "one of right-column, corner", "greedy", "domain.py"]),
        ("sliding-tile", ["none: name a board", "taxicab", "goal_row, goal_col"]),
        ("searchlab/greedy", ["frontier greedy"]),
        ("shuffled", ["generator shuffled", "domains     sliding-tile", "n=4\n      the side of the board", "Fisher"]),
        ("box", ["renderer box", "domains     any", "box.py"]),
    ],
)
def test_one_thing_is_shown_with_all_that_is_known(run, name, said):
    """Parameters with defaults and choices, domains, declared properties, aliases, source."""
    ran = run("plugins", "show", name)
    assert ran.code == 0
    for text in said:
        assert text in ran.out
    assert all(len(line) <= 80 or "/" in line for line in ran.out.splitlines())


def test_show_takes_a_kind_and_functions_of_files(run, plugin):
    """KIND NAME tells namesakes apart; FILE.py:function shows what has no name of its own."""
    assert run("plugins", "show", "frontier", "greedy").out.startswith("frontier greedy\n")
    assert "no heuristic" not in run("plugins", "show", f"{plugin}:first_tile").out
    shown = run("plugins", "show", "first-tile", "--plugin", plugin, "--json").json
    assert shown[0]["parameters"][0] == {
        "name": "weight",
        "default": 1.0,
        "required": False,
        "choices": [],
        "summary": "",
    }


def test_an_unknown_name_is_guessed(run):
    """Something that is not there is an error with what may be meant."""
    assert "did you mean 'taxicab'" in run("plugins", "show", "taxcab").error
    assert "write one NAME" in run("plugins", "show", "one", "two").error
    assert "no domain is called 'greedy'" in run("plugins", "show", "domain", "greedy").error


def test_declarations_that_depend_on_parameters_say_so(run, write):
    """Which they are for some parameters, nobody can say without these."""
    declared = "admissible=lambda weight: weight <= 1, consistent=True"
    plugin = write(
        "scaled.py",
        "import searchlab\n\n\ndef scaled(tiles, weight=1.0):\n    return weight\n\n\n@searchlab.hookimpl\n"
        f"def searchlab_heuristics():\n    return [searchlab.Heuristic('scaled', scaled, {declared})]\n",
    )
    shown = run("plugins", "show", "scaled", "--plugin", plugin).out
    assert "declared    admissible (depends on its parameters), consistent\n" in shown


def test_a_heuristic_is_shown_with_its_forms(run, write):
    """What it can be evaluated by, and where the source of its batch form stands."""
    assert "forms       function, incremental" in run("plugins", "show", "taxicab").out
    assert "forms       function, packed" in run("plugins", "show", "misplaced").out
    plugin = write(
        "net.py",
        "import searchlab\n\n\ndef net(boards, hidden=8):\n    'A net.'\n    return boards.max(axis=(1, 2))\n\n\n"
        "@searchlab.hookimpl\ndef searchlab_heuristics():\n    return [searchlab.Heuristic('net', batch=net)]\n",
    )
    shown = run("plugins", "show", "net", "--plugin", plugin).out
    assert "forms       batch\n" in shown
    assert "net.py" in shown
    assert "hidden=8" in shown
    assert shown.endswith("A net.\n")


def test_the_list_is_also_a_command(run, plugin):
    """`plugins list` says what `plugins` says, as text and as JSON."""
    for options in (("--plugin", plugin), ("--plugin", plugin, "--json")):
        assert run("plugins", "list", *options).out == run("plugins", *options).out


def test_only_what_failed_is_listed(run, plugin, write):
    """A line each, whether a file is broken or a hook; and it is said that nothing was."""
    write("folder/broken.py", "1 / 0\n")
    broken = ("--plugins-dir", "folder")
    ran = run("plugins", "list", "--failed", "--plugin", plugin, *broken)
    assert (ran.code, ran.err) == (0, "")
    assert len(ran.out.splitlines()) == 3
    assert ran.out.startswith("plugin folder/broken.py: ZeroDivisionError: division by zero (line 1)\n")
    assert "returned str 'not a heuristic', not a Heuristic" in ran.out
    listed = run("plugins", "list", "--failed", *broken, "--json").json
    assert listed == {
        "problems": [{"source": "folder/broken.py", "what": "ZeroDivisionError: division by zero (line 1)"}]
    }
    assert run("plugins", "list", "--failed").out == "nothing was left out\n"


def test_what_goes_around_a_search_is_listed_and_shown(run):
    """Players, generators, metrics, renderers, and the hooks by which a plugin is told of something."""
    everything = str(Path(__file__).parents[1] / "plugins" / "everything.py")
    ran = run("plugins", "list", "--plugin", everything)
    mine = " ".join(ran.out.partition(everything)[2].split())
    for line in (
        "player topple turns all over",
        "generator stacked a stack in any order",
        "metric effort nodes expanded for each move",
        "renderer pile a pancake a line",
        "hook searchlab_run_failed Note why a search failed",
    ):
        assert line in mine
    listed = run("plugins", "list", "--plugin", everything, "--json").json["plugins"][-1]
    assert [hook["name"] for hook in listed["hooks"]] == list(NOTIFICATIONS)
    assert [metric["name"] for metric in listed["metrics"]] == ["effort"]
    shown = run("plugins", "show", "metric", "effort", "--plugin", everything).out
    assert "values      number\n" in shown
    assert shown.startswith("metric effort\nnodes expanded for each move\n")
    (meaning,) = run("plugins", "which", "stacked", "--plugin", everything, "--json").json
    assert (meaning["kind"], meaning["file"]) == ("generator", everything)
