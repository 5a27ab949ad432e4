"""docs/extending.md lists the places that a new field or hook needs, each with a model that is there."""

import re
from pathlib import Path

import pytest

from searchlab.plugins.hookspecs import NOTIFICATIONS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
PLACES = re.findall(r"^\|[ \d]*\| \[[^]]*\]\(([^)#]+)[^)]*\) \| `(\w+)` \|", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("place", "model"), PLACES)
def test_each_place_has_its_model(place, model):
    text = (ROOT / "docs" / place).read_text(encoding="utf-8")
    assert re.search(rf"\b{model}\b", text)


def test_every_row_is_tested():
    """The tables for a field and for a notification."""
    assert len(PLACES) == len(re.findall(r"^\| ?\d? ?\| \[", TEXT, re.MULTILINE)) >= 29


@pytest.mark.parametrize(
    ("example", "declared"), [("caption", "domain_parts"), ("searchlab_solution_found", "hookspecs")]
)
def test_the_examples_are_not_part_of_searchlab(example, declared):
    """The page says so; who adds one of them takes another example."""
    (file,) = (ROOT / "searchlab").rglob(f"{declared}.py")
    assert not re.search(rf"\b{example}\b", file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("hook", NOTIFICATIONS)
def test_a_plugin_fails_in_every_notification(hook):
    text = (ROOT / "tests" / "plugin_files" / "raises_everywhere.py").read_text(encoding="utf-8")
    assert f"@hookimpl\ndef {hook}(" in text
