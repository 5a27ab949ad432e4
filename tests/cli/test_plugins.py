"""`searchlab plugins`: what there is, all that is known of one thing, who claims a name, and a plugin to begin with."""

import ast
import json
import os
import shlex
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest

import searchlab
from searchlab.cli import main
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins.hookspecs import NOTIFICATIONS
from searchlab.testing import scaffold
from searchlab.testing.contract import SECONDS_VARIABLE

CLAIMS = str(Path(__file__).parents[1] / "plugin_files" / "claims_names.py")
EVERYTHING = str(Path(__file__).parents[1] / "plugin_files" / "everything.py")
LEFT_HEAVY = str(Path(__file__).parents[1] / "plugin_files" / "left_heavy.py")
ROOT = Path(__file__).parents[2]


def checked_before():
    """The environment for tests of a contract that `plugins check` checks in full here: they need not look so long."""
    return {**os.environ, SECONDS_VARIABLE: "2s"}


def test_plugins_are_listed_with_their_components(run):
    ran = run("plugins")
    assert (ran.code, ran.err) == (0, "")
    assert f"searchlab {searchlab.__version__} (searchlab_plugins.twenty48)\n" in ran.out
    for name in ("2048", "sliding-tile", "left-weighted", "taxicab", "astar", "ida-star"):
        assert f" {name} " in ran.out
    assert "also manhattan" in " ".join(ran.out.split())
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_problems_are_listed_at_the_end(run, plugin, folder):
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


def test_json_has_plugins_components_and_problems(run, plugin):
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
        ("weighted-astar", ["weight=2", "within a factor that its parameters give"]),
        ("breadth-first", ["container   fifo", "where every move costs 1", "not used"]),
        ("2048", ["goal=2048", "spawn=right-column", "one of right-column, corner", "greedy", "domain.py"]),
        ("sliding-tile", ["none: name a board", "taxicab", "goal_row, goal_col"]),
        ("searchlab/greedy", ["frontier greedy"]),
        ("shuffled", ["generator shuffled", "domains     sliding-tile", "n=4\n      the side of the board", "Fisher"]),
        ("box", ["renderer box", "domains     any", "box.py"]),
    ],
)
def test_plugins_show_prints_everything_about_a_component(run, name, said):
    """Parameters, domains, declared properties, aliases and source."""
    ran = run("plugins", "show", name)
    assert ran.code == 0
    for text in said:
        assert text in ran.out
    assert all(len(line) <= 80 or "/" in line for line in ran.out.splitlines())


def test_show_takes_a_kind_and_functions_of_files(run, plugin):
    """KIND NAME tells namesakes apart; FILE.py:function shows a function that no hook registers."""
    assert run("plugins", "show", "frontier", "greedy").out.startswith("frontier greedy\n")
    assert "no heuristic" not in run("plugins", "show", f"{plugin}:first_tile").out
    shown = run("plugins", "show", "first-tile", "--plugin", plugin, "--json").json
    assert shown[0]["parameters"][0] == {
        "name": "weight",
        "default": 1.0,
        "required": False,
        "choices": [],
        "low": None,
        "high": None,
        "log": False,
        "summary": "",
    }


def test_an_unknown_name_is_refused_with_a_suggestion(run):
    """The error suggests a similar name."""
    assert "did you mean 'taxicab'" in run("plugins", "show", "taxcab").error
    assert "write one NAME" in run("plugins", "show", "one", "two").error
    assert "no domain is called 'greedy'" in run("plugins", "show", "domain", "greedy").error


def test_declarations_that_depend_on_parameters_are_marked(run, write):
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
    assert "forms       function, incremental, packed" in run("plugins", "show", "misplaced").out
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
    """`plugins list` prints the output of `plugins`, as text and as JSON."""
    for options in (("--plugin", plugin), ("--plugin", plugin, "--json")):
        assert run("plugins", "list", *options).out == run("plugins", *options).out


def test_failed_option_lists_only_problems(run, plugin, write):
    """Broken files and hooks; a line says if there are none."""
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


def test_players_generators_metrics_renderers_and_hooks_are_shown(run):
    everything = str(Path(__file__).parents[1] / "plugin_files" / "everything.py")
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


@pytest.mark.parametrize("name", ["taxicab", "manhattan", "searchlab/manhattan", "taxicab:weight=2"])
def test_which_names_the_plugin_of_a_component(run, name):
    """However it is written."""
    ran = run("plugins", "which", name)
    assert (ran.code, ran.err) == (0, "")
    *lines, file = ran.out.splitlines()
    assert lines == [
        "heuristic taxicab",
        "full name   searchlab/taxicab",
        "aliases     manhattan",
        f"plugin      searchlab {searchlab.__version__}",
    ]
    assert Path(file.removeprefix("file        ")).name == "heuristics.py"


def test_which_lists_all_components_with_a_name(run):
    """Each with its full name."""
    ours, theirs = run("plugins", "which", "frontier", "greedy", "--plugin", CLAIMS, "--json").json
    assert (ours["full_name"], theirs["full_name"]) == ("searchlab/greedy", "claims_names/greedy")
    assert ours["claimed_by"] == [{"full_name": "claims_names/greedy", "file": CLAIMS}]
    assert theirs["claimed_by"] == [{"full_name": "searchlab/greedy", "file": ours["file"]}]
    lines = run("plugins", "which", "frontier", "greedy", "--plugin", CLAIMS).out.splitlines()
    assert lines.count(f"claimed by  also claims_names/greedy ({CLAIMS})") == 1


def test_which_lists_rivals_of_a_full_name(run):
    (meaning,) = run("plugins", "which", "claims_names/greedy", "--plugin", CLAIMS, "--json").json
    assert [rival["full_name"] for rival in meaning["claimed_by"]] == ["searchlab/greedy"]


@pytest.mark.parametrize(
    ("name", "kind", "full"),
    [
        (f"{LEFT_HEAVY}:left_heavy", "heuristic", f"{LEFT_HEAVY}:left-heavy"),
        (f"{EVERYTHING}:largest", "heuristic", f"{EVERYTHING}:largest"),
        (f"{EVERYTHING}:sideways", "frontier", f"{EVERYTHING}:sideways"),
        (f"{EVERYTHING}:topple", "player", f"{EVERYTHING}:topple"),
        (f"{EVERYTHING}:top", "player", f"{EVERYTHING}:topple"),
        (f"{EVERYTHING}:stacked", "generator", f"{EVERYTHING}:stacked"),
        (f"{EVERYTHING}:effort", "metric", f"{EVERYTHING}:effort"),
        (f"{EVERYTHING}:pile", "renderer", f"{EVERYTHING}:pile"),
    ],
)
def test_which_names_a_component_of_a_file(run, name, kind, full):
    """The file is not loaded as a plugin."""
    (meaning,) = run("plugins", "which", name, "--json").json
    assert (meaning["kind"], meaning["full_name"], meaning["claimed_by"]) == (kind, full, [])


def test_which_suggests_names_for_an_unknown_one(run):
    """Also in a file."""
    assert "no component is called 'taxcab': did you mean 'taxicab'" in run("plugins", "which", "taxcab").error
    assert "left_heavy.py has no heuristic 'lft'" in run("plugins", "which", f"{LEFT_HEAVY}:lft").error
    assert "not left_heavy(tiles)" in run("plugins", "which", "frontier", f"{LEFT_HEAVY}:left_heavy").error
    assert "has no frontier 'lft'" in run("plugins", "which", "frontier", f"{LEFT_HEAVY}:lft").error


@pytest.mark.parametrize("command", ["show", "which"])
def test_the_help_names_every_kind(run, command):
    """In the order in which they are listed."""
    said = " ".join(run("plugins", command, "--help").out.split())
    assert f"KIND ({', '.join(COMPONENT_TYPES)})" in said


def said_commands(said):
    """The commands that were suggested."""
    return [line.removeprefix("searchlab: ").strip() for line in said.splitlines()[1:]]


KINDS = (*scaffold.SCAFFOLDED, "domain --form permutation", "domain --form map", "domain --form states")
"""What follows --kind, for each plugin that can be written."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_plugin_is_printed(run, kind):
    """Standard output is the file alone; the next command to try is on standard error."""
    ran = run("plugins", "new", "my-thing", "--kind", *kind.split())
    assert ran.code == 0
    tree = ast.parse(ran.out)
    assigned = [target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    assert assigned[-1] == "hooks"
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert functions[-1].startswith("test_")
    files = "this and maps.my-thing" if kind.endswith("map") else "this"
    assert ran.err.startswith(f"searchlab: add --output my_thing.py to write {files}; then try:\n")
    assert said_commands(ran.err)[1:] == ["searchlab plugins check my_thing.py", "python -m pytest my_thing.py"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_written_that_runs_and_passes(run, kind, folder, monkeypatch):
    """It solves a board or plays a game, keeps its contract, its test passes, and it is in the style of the house."""
    ran = run("plugins", "new", "my-thing", "--kind", *kind.split(), "--output", "my_thing.py")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("wrote my_thing.py; try:\n")
    program, *solve = shlex.split(said_commands(ran.out)[0])
    assert program == "searchlab"
    solved = run(*solve)
    assert "compiled engine" in solved.out or kind in ("player", "domain --form states")
    assert (solved.code, solved.err) == (0, "")
    assert solved.out.startswith(("goal reached after ", "game over after ") if kind == "player" else "solved in ")
    checked = run("plugins", "check", "my_thing.py")
    assert (checked.code, checked.err) == (0, ""), checked.out
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "my_thing.py"]
    assert subprocess.run(pytest_, cwd=folder, env=checked_before(), check=False).returncode == 0
    ruff = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), "my_thing.py"]
    if subprocess.run([*ruff[:3], "--version"], capture_output=True, check=False).returncode == 0:
        assert subprocess.run(ruff, cwd=folder, check=False).returncode == 0


FORMS = {form: ["domain", "--form", form] for form in scaffold.FORMS["domain"][1:]}
"""What follows --kind for the domains that are not a board game."""


@pytest.mark.slow
def test_packages_install_and_pass_their_tests(run, folder):
    """In another environment pip installs them, searchlab finds them by entry points, they work, and tests pass.

    What each kind does is that of its file, which has a test above: here two of them have to work.
    """
    packages, uses = {}, {}
    for kind in (*scaffold.SCAFFOLDED, *FORMS):
        ran = run("plugins", "new", f"my-{kind}", "--kind", *FORMS.get(kind, [kind]), "--package")
        assert (ran.code, ran.err) == (0, "")
        _, uses[kind], tests = said_commands(ran.out)
        assert tests == f"python -m pytest searchlab-my-{kind}"
        packages[kind] = package = folder / f"searchlab-my-{kind}"
        written = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
        files = {f"searchlab_my_{kind}.py", f"tests/test_my_{kind}.py", *(["maps.my-map"] if kind == "map" else [])}
        assert written == {"pyproject.toml", "README.md", *files}
        project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
        assert project["entry-points"]["searchlab"] == {f"my-{kind}": f"searchlab_my_{kind}"}
        assert project["version"] == "0.1.0"
    python = environment(folder / "environment")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", *map(str, packages.values())]
    subprocess.run([*pip, *offline], check=True, timeout=120, stdin=subprocess.DEVNULL)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()

    def ran_there(*arguments):
        command = [str(python), "-m", *map(str, arguments)]
        return subprocess.run(
            command, cwd=elsewhere, env=checked_before(), capture_output=True, text=True, check=False, timeout=300
        )

    listed = json.loads(ran_there("searchlab", "plugins", "list", "--json").stdout)
    for kind in packages:
        (mine,) = [plugin for plugin in listed["plugins"] if plugin["name"] == f"searchlab-my-{kind}"]
        assert mine["version"] == "0.1.0"
        assert Path(mine["file"]).is_relative_to(folder / "environment")
        assert f"my-{kind}" in [thing["name"] for thing in mine[f"{FORMS.get(kind, [kind])[0]}s"]]
    for kind in ("heuristic", "player", "permutation", "map"):
        program, *use = shlex.split(uses[kind].replace("searchlab-my-map/", f"{packages['map']}/"))
        assert program == "searchlab"
        solved = ran_there("searchlab", *use)
        assert (solved.returncode, solved.stderr) == (0, "")
        assert solved.stdout.startswith("goal reached after " if kind == "player" else "solved in ")
    tests = ran_there("pytest", "-p", "no:cacheprovider", packages["player"])
    assert tests.returncode == 0, tests.stdout
    assert "test_my_player.py" in tests.stdout


def environment(place):
    """Make an environment that sees what is installed here; what is installed into it is seen nowhere else."""
    venv.create(place, with_pip=False)
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    here = sysconfig.get_path("purelib")
    (Path(site) / "here.pth").write_text(f"import site; site.addsitedir({here!r})\n")
    return python


def test_new_overwrites_no_files(run, folder, write):
    """An empty folder is accepted."""
    write("mine.py", "precious")
    assert "mine.py exists already" in run("plugins", "new", "mine", "--output", "mine.py").error
    assert (folder / "mine.py").read_text() == "precious"
    write("full/notes.txt", "precious")
    assert "full exists already" in run("plugins", "new", "mine", "--package", "--output", "full").error
    assert [path.name for path in (folder / "full").iterdir()] == ["notes.txt"]
    (folder / "empty").mkdir()
    assert run("plugins", "new", "mine", "--package", "--output", "empty").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["mine", "--kind", "dragon"],
            "there is no kind 'dragon' of plugin: there are domain, frontier, heuristic and player",
        ),
        (["mine", "--kind", "heuristik"], "did you mean 'heuristic'?"),
        (["mine", "--kind", "domain", "--form", "mapp"], "there is no form 'mapp' of a domain: did you mean 'map'?"),
        (["mine", "--form", "map"], "a heuristic has no forms; --form is for --kind domain"),
        (["My Thing"], "'My Thing' is not a name: use lower-case letters, digits and hyphens"),
        (["9lives"], "is not a name"),
        (["class"], "'class' is a word of Python itself"),
        (["max"], "'max' is a word of Python itself"),
        (["random"], "'random' is a word of Python itself"),
        (["taxicab"], "heuristic 'taxicab' exists already (searchlab "),
        (["manhattan"], "heuristic 'manhattan' exists already"),
        (["mine", "--output", "mine.txt"], "mine.txt: a plugin file ends in .py"),
        (["mine", "--output", "taken/mine.py"], "taken/mine.py: "),
    ],
)
def test_new_refuses_invalid_arguments(run, write, arguments, said):
    """A kind, a name or a path."""
    write("taken", "")
    assert said in run("plugins", "new", *arguments).error


def test_new_accepts_names_of_other_kinds(run):
    assert run("plugins", "new", "greedy", "--kind", "heuristic").code == 0


def test_help_of_new_lists_all_forms(capsys):
    assert main(["plugins", "new", "--help"]) == 0
    said = capsys.readouterr().out
    assert all(form in said for forms in scaffold.FORMS.values() for form in forms)


def test_new_writes_nothing_if_the_instances_exist(run, folder, write):
    write("maps.ways", "precious")
    ran = run("plugins", "new", "ways", "--kind", "domain", "--form", "map", "--output", "ways.py")
    assert "maps.ways exists already: nothing was written" in ran.error
    assert [path.name for path in folder.iterdir()] == ["maps.ways"]


def test_help_lists_the_commands_of_the_group(capsys):
    assert main(["plugins", "--help"]) == 0
    said = capsys.readouterr().out
    for name in ("show", "check", "new"):
        assert f"\n  {name} " in said


def test_on_a_narrow_page_summaries_are_below_the_names(run, monkeypatch):
    """Names are whole, and summaries no wider than the page."""
    monkeypatch.setenv("COLUMNS", "20")
    lines = run("plugins", "list").out.splitlines()
    assert lines[lines.index("  executor local") + 1] == "    worker processes"
    assert "  weighted-astar" in lines
    assert all(len(line) <= 20 for line in lines if line.startswith("    "))


def test_list_may_be_limited_to_a_kind(run):
    """In the singular or the plural; plugins without such components are omitted."""
    listed = run("plugins", "list", "frontiers", "--json").json["plugins"]
    assert [[item["name"] for item in plugin["frontiers"]][:2] for plugin in listed] == [["greedy", "astar"]]
    assert run("plugins", "list", "frontier").out == run("plugins", "list", "frontiers").out
    assert "there is no kind 'dragon': there are command, domain" in run("plugins", "list", "dragon").error
