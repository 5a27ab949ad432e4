"""docs/fields.md lists every field of the classes that plugins make, each with a file that uses it."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

import searchlab as sl

PAGE = Path(__file__).parents[1] / "docs" / "fields.md"
CLASSES = ("Domain", "Chance", "FileFormat", "Views", "Defaults", "PackedForm", "Words", "Heuristic", "Frontier")
ROW = re.compile(r"^\| `(\w+)` \|.*\[.*\]\((\S+)\) \|$", re.MULTILINE)


def rows(name):
    """Return the fields of a class and the files that the page names."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0]
    return [(field, (PAGE.parent / link).resolve()) for field, link in ROW.findall(section)]


def used(kind, path):
    """Return the fields that a file gives to a class, by position or by name, or puts into a dict for it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called == kind.__name__:
                found.update(field.name for field, _ in zip(fields(kind), node.args, strict=False))
            if called in (kind.__name__, "replace"):
                found.update(keyword.arg for keyword in node.keywords)
        if isinstance(node, ast.Dict):
            found.update(key.value for key in node.keys if isinstance(key, ast.Constant))
    return found


@pytest.mark.parametrize("name", CLASSES)
def test_every_field_is_listed_with_a_file_that_uses_it(name):
    kind = getattr(sl, name)
    listed, declared = [field for field, _ in rows(name)], {field.name for field in fields(kind)}
    assert {"missing in docs/fields.md": declared - {*listed}, "no field": {*listed} - declared} == {
        "missing in docs/fields.md": set(),
        "no field": set(),
    }
    assert len(listed) == len(declared)
    unused = [f"{field} in {path.name}" for field, path in rows(name) if field not in used(kind, path)]
    assert not unused
