"""What docs/architecture.md says of the code is so."""

import ast
import re
import sys
from pathlib import Path

import pytest

from searchlab.cli import main

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(\w+)` in \[[^\]]*\]\(([^)]+)\)", TEXT)


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


STEPS = re.findall(
    r"`(\w+)`\s+in\s+\[[^\]]*\]\(([^)]+)\)", TEXT[TEXT.index("1. `main`") : TEXT.index("What cannot be compiled")]
)


def traced(command):
    """The functions and classes a command calls, each in the order of its first call, with its file."""
    called, importing = {}, 0

    def note(frame, event, _):
        nonlocal importing
        code = frame.f_code
        if code.co_name == "<module>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not importing:
            called.setdefault((code.co_qualname.partition(".")[0], code.co_filename))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        assert main(command) == 0
    finally:
        sys.setprofile(before)
    return list(called)


def test_a_search_goes_the_way_that_is_described(capsys):
    """Through all that is named, in that order."""
    steps = [(name, str((ROOT / "docs" / file).resolve())) for name, file in STEPS]
    called = traced(["solve", "--heuristic", "left-weighted", "--goal", "256"])
    assert capsys.readouterr().out
    assert [step for step in steps if step not in called] == []
    assert sorted(steps, key=called.index) == steps
