"""Full names: each stands for one component only, also where plugins are namesakes."""

from pathlib import Path

import pytest

import searchlab as sl
from searchlab.binding.names import parse_name
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins.registry import full_name

PLUGIN = (Path(__file__).parents[1] / "plugin_files" / "left_heavy.py").read_text()


@pytest.fixture
def namesakes(tmp_path):
    """A host with two files of one name that bring a heuristic of one name."""
    files = [tmp_path / folder / "mine.py" for folder in "ab"]
    for file in files:
        file.parent.mkdir()
        file.write_text(PLUGIN)
    return sl.Plugins(files)


@pytest.mark.parametrize("kind", COMPONENT_TYPES)
def test_a_full_name_leads_back(kind, namesakes):
    """Whatever there is, it is found by its full name."""
    registered = namesakes.all(kind)
    for item in registered:
        assert namesakes.get(kind, parse_name(full_name(item, registered))).component is item.component


def test_a_full_name_has_the_plugin_or_else_the_file(namesakes, tmp_path):
    """The file only where plugin and name are not enough."""
    registered = namesakes.all("heuristic")
    full = [full_name(item, registered) for item in registered]
    assert full[-2:] == [f"{tmp_path / folder / 'mine.py'}:left-heavy" for folder in "ab"]
    assert "searchlab/taxicab" in full


def test_namesakes_are_refused_with_names_that_work(namesakes):
    """What the error says to write can be written."""
    for name in ("left-heavy", "mine/left-heavy"):
        with pytest.raises(sl.UsageError, match="claimed twice: say which, ") as raised:
            namesakes.get("heuristic", parse_name(name))
        for source in str(raised.value).partition("which, ")[2].split(" and "):
            assert namesakes.get("heuristic", parse_name(source.partition(" (")[0]))
