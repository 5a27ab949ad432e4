"""`hooks = searchlab.plugin(…)` registers components of every kind, commands and report sections."""

import click
import pandas as pd
import pytest

import searchlab as sl
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins.registration import Hooks

EVERYTHING = """
import click
import searchlab
from searchlab import (Board, Domain, Executor, Frontier, Generator, Heuristic, Learner, Metric, Player, Renderer,
    ReportSection, hookimpl)

HEURISTICS = [Heuristic("first", len), Heuristic("second", len)]

hooks = searchlab.plugin(
    Domain("mine-game", lambda board: [], lambda board: True),
    *HEURISTICS,
    Frontier("mine-order", lambda g, h: g),
    Player("mine-player", lambda board, moves: "up"),
    Generator("mine-boards", lambda random: Board([[1]]), domains={"mine-game"}),
    Executor("mine-machines", lambda workers: None),
    Metric("mine-figure", lambda result: 1),
    Renderer("mine-picture", lambda board: "x"),
    Learner("mine-learner", lambda domain, seed: None),
    click.Command("mine-command", callback=lambda: print("called")),
    ReportSection("mine-section", "text"),
)


@hookimpl
def searchlab_heuristics():
    yield Heuristic("third", len)
"""


@pytest.fixture
def plugins(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(EVERYTHING)
    return sl.Plugins([file], entry_points=())


def test_every_kind_is_registered(plugins):
    """Each by the hook of its kind."""
    assert plugins.problems == []
    for kind in COMPONENT_TYPES:
        assert plugins.all(kind), kind
        assert {item.plugin.name for item in plugins.all(kind)} == {"mine"}
    assert list(plugins.commands()) == ["mine-command"]
    ((_, sections, wrong),) = plugins.report_sections(pd.DataFrame)
    assert ([section.title for section in sections], wrong) == (["mine-section"], "")


def test_hooks_of_the_module_work_beside_plugin(plugins):
    """A hook and `plugin` may both bring heuristics."""
    assert sorted(item.component.name for item in plugins.all("heuristic")) == ["first", "second", "third"]


def test_a_name_in_the_file_finds_a_registered_component(plugins, tmp_path):
    """As `FILE.py:NAME`, without loading the file as a plugin."""
    assert sl.heuristic(f"{tmp_path / 'mine.py'}:second").name == "second"


@pytest.mark.parametrize(
    ("registered", "message"),
    [("[DOMAIN]", "list .*: write \\* before it"), ("len", "builtin_function_or_method"), ("None", "NoneType None")],
)
def test_an_object_that_cannot_be_registered_is_named(registered, message, tmp_path):
    """In one line, with its type."""
    file = tmp_path / "mine.py"
    file.write_text(f"from searchlab import Domain, plugin\nDOMAIN = 1\nhooks = plugin({registered})\n")
    with pytest.raises(sl.UsageError, match=rf"plugin\(\) cannot register {message}.*line 3"):
        sl.Plugins([file], entry_points=())


def test_another_variable_than_hooks_is_an_error(tmp_path):
    """Otherwise its components would be missing without a message."""
    file = tmp_path / "mine.py"
    file.write_text("from searchlab import Heuristic, plugin\nmine = plugin(Heuristic('mine', len))\n")
    with pytest.raises(sl.UsageError, match="assign it to hooks"):
        sl.Plugins([file], entry_points=())


def test_hooks_of_another_module_are_registered_once(tmp_path):
    """A file that imports the hooks of another is a plugin that cannot be registered."""
    (tmp_path / "one.py").write_text("from searchlab import Heuristic, plugin\nhooks = plugin(Heuristic('one', len))\n")
    (tmp_path / "two.py").write_text("from .one import hooks\n")
    plugins = sl.Plugins(folders=[tmp_path], entry_points=())
    assert [item.component.name for item in plugins.all("heuristic")] == ["one"]
    assert len(plugins.problems) == 1


def test_plugin_returns_hooks_that_pluggy_knows():
    """One for each kind of object that is registered."""
    hooks = sl.plugin(click.Command("mine"), sl.Heuristic("mine", len))
    assert isinstance(hooks, Hooks)
    assert sorted(vars(hooks)) == ["searchlab_commands", "searchlab_heuristics"]
