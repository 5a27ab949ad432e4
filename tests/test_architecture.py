"""What docs/architecture.md says of the code is so."""

import ast
import re
import sys
import threading
from pathlib import Path

import pytest

from searchlab.cli import main
from searchlab.compiler import compilation, functions

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(\w+)`\s+in\s+\[[^\]]*\]\(([^)]+)\)", TEXT)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file"), NAMED, ids=[name for name, _ in NAMED])
def test_what_is_named_is_defined_there(name, file):
    """As a function, a class or a value of the module."""
    tree = ast.parse((ROOT / "docs" / file).read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    assert name in defined


def test_the_layers_are_those_that_are_tested():
    """In the same order."""
    layers = re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)
    tested = ast.literal_eval(re.search(r"LAYERS = (\(.*?\n\))", layers_test(), re.DOTALL)[1].replace("*", ""))
    assert layers == [name for group in tested for name in group]
    folders = {path.name for path in (ROOT / "searchlab").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert set(layers) == folders


def layers_test():
    return (ROOT / "tests" / "test_layers.py").read_text(encoding="utf-8")


def test_nothing_lies_loose_at_the_top():
    """Besides the face, the way in, and the mark that says there are types."""
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
def test_the_way_is_as_it_is_described(heading, end, command, tmp_path, monkeypatch, capsys):
    """Through all that is named, in that order."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(functions, "_compiled_before", {})  # by other tests of this process
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    named, called = steps(heading, end), traced(command.split())
    assert capsys.readouterr().out
    assert len(named) > 5
    assert [step for step in named if step not in called] == []
    assert sorted(named, key=called.index) == named
