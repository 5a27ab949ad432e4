"""What docs/architecture.md says of the code is so."""

import ast
import re
import sys
import threading
from pathlib import Path

import pytest

from searchlab.cli import main
from searchlab.compiler import compilation
from searchlab.compiler.dependencies import Dependencies
from searchlab.compiler.machine_code import MachineCode

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(\w+)`\s+in\s+\[[^\]]*\]\(([^)]+)\)", TEXT)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file"), NAMED, ids=[name for name, _ in NAMED])
def test_documented_names_are_defined_in_the_linked_files(name, file):
    """As a function, a class or a value of the module."""
    tree = ast.parse((ROOT / "docs" / file).read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    assert name in defined


def test_documented_layers_are_the_tested_ones():
    layers = re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)
    tested = ast.literal_eval(re.search(r"LAYERS = (\(.*?\n\))", layers_test(), re.DOTALL)[1].replace("*", ""))
    assert layers == [name for group in tested for name in group]
    folders = {path.name for path in (ROOT / "searchlab").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert set(layers) == folders


def layers_test():
    return (ROOT / "tests" / "test_layers.py").read_text(encoding="utf-8")


def test_the_package_has_no_other_modules_at_the_top():
    files = {path.name for path in (ROOT / "searchlab").iterdir() if path.is_file()}
    assert files == {"__init__.py", "__main__.py", "py.typed"}


def steps(heading, end):
    """What a section names step by step, up to some words: names and files."""
    section = TEXT.partition(f"## {heading}\n")[2].partition(end)[0]
    named = re.findall(r"`(\w+)`\s+in\s+\[[^\]]*\]\(([^)]+)\)", section)
    return list(dict.fromkeys((name, str((ROOT / "docs" / file).resolve())) for name, file in named))


def traced(command):
    """The functions and classes that a command calls in any thread, by their first calls, each with its file.

    The compiler is not followed: it makes millions of calls, and is ten times slower when each is noted.
    """
    called, state = {}, threading.local()

    def note(frame, event, _):
        code = frame.f_code
        importing = getattr(state, "importing", 0)
        if code.co_name == "<module>":
            state.importing = importing + {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not importing:
            called.setdefault((code.co_qualname.partition(".")[0], code.co_filename))

    def compile_unnoted(*arguments, **options):
        sys.setprofile(None)
        try:
            return compile_function(*arguments, **options)
        finally:
            sys.setprofile(note)

    compile_function, compilation.compile_function = compilation.compile_function, compile_unnoted
    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        assert main(command) in (0, 3)
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
        compilation.compile_function = compile_function
    return list(called)


EXPERIMENT = """
boards = ["sliding-tile/puzzle8-20"]
heuristics = ["taxicab"]
frontiers = ["astar"]
"""


@pytest.mark.parametrize(
    ("heading", "end", "command"),
    [
        (
            "The path of a search",
            "If something cannot be compiled",
            "solve --heuristic left-weighted --goal 256 --engine compiled",
        ),
        ("The path of a run", "In a worker process", "run experiment.toml --workers 1 --output results"),
        ("The path of a game", "Runs of experiments", "play --player greedy --seed 1 --max-moves 30"),
    ],
    ids=["search", "run", "game"],
)
def test_a_search_passes_through_the_documented_stations(heading, end, command, tmp_path, monkeypatch, capsys):
    """Through all that is named, in that order."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    named, called = steps(heading, end), traced(command.split())
    assert capsys.readouterr().out
    assert len(named) > 5
    assert [step for step in named if step not in called] == []
    assert sorted(named, key=called.index) == named


MINE = """
from searchlab import Heuristic, plugin


def mine(tiles):
    return tiles[0, 0]


hooks = plugin(Heuristic("mine", mine, domains={"2048"}, prefer="high"))
"""
MOST_STATIONS = 9
LAST_STATION = "MachineCode"


def contents(value):
    """The objects that an object holds: its attributes, and what is in those that are collections."""
    held = [*getattr(value, "__dict__", {}).values(), *(value if isinstance(value, tuple) else ())]
    for each in [*held]:
        held += each if type(each) in (tuple, list) else each.values() if type(each) is dict else ()
    return held


def arguments(frame):
    """The values of the arguments of a function that is returning."""
    code = frame.f_code
    return [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]


def stations_of(heuristic, command):
    """The classes of the objects that a command makes of a heuristic, by the first object of each, with their files.

    An object is made of it if it holds the heuristic's function, or another such object. Machine code does not hold
    what it was compiled from: it is made of the dependencies that the function that returns it was given.
    """
    made, stations = {}, {}

    def note(frame, event, returned):
        file = frame.f_code.co_filename
        if event != "return" or (str(ROOT / "searchlab") not in file and file != "<string>"):
            return
        sys.setprofile(None)
        given = arguments(frame)
        for value in (*given, returned):
            look_at(value)
        depends = [value for value in given if isinstance(value, Dependencies)]
        if isinstance(returned, MachineCode) and any(id(value) in made for value in depends):
            look_at(returned, is_made=True)
        sys.setprofile(note)

    def look_at(value, *, is_made=False):
        kind = type(value)
        if not kind.__module__.startswith("searchlab.") or kind.__module__.startswith("searchlab.cli."):
            return
        if not made and kind.__name__ == "Heuristic" and vars(value).get("name") == heuristic:
            made[id(value.function)] = value.function
        if is_made or any(id(each) in made for each in contents(value)):
            made[id(value)] = value
            stations.setdefault(kind.__name__, sys.modules[kind.__module__].__file__)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        assert main(command) == 0
    finally:
        sys.setprofile(before)
    return list(stations.items())


def test_a_heuristic_passes_through_the_documented_stations(tmp_path, capsys):
    """From the hook to the kernel of a warm search, in this order and no others."""
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    command = ["--plugin", str(file), "solve", "--heuristic", "mine", "--goal", "64", "--engine", "compiled"]
    assert main(command) == 0
    stations = stations_of("mine", command)
    assert capsys.readouterr().out
    named = [name for name, _ in stations]
    on_the_way = stations[: named.index(LAST_STATION) + 1]
    assert on_the_way == steps("The stations of a heuristic", "## The path of a run")
    assert len(on_the_way) <= MOST_STATIONS
