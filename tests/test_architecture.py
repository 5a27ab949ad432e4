"""What docs/architecture.md says of the code is so."""

import ast
import re
from pathlib import Path

import pytest

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
