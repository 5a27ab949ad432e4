"""Every hook has a use: what a plugin returns from it is there, and is not there when the plugin lacks the hook.

`USES` has an entry for each hook, which is held to both: against the fixture plugin that implements all hooks, and
against a copy of it that implements all but that one.
"""

import pytest

import searchlab as sl
from searchlab.binding.names import parse_name
from searchlab.plugins.hookspecs import HOOKS

EVERYTHING = "everything.py"
STACK = sl.Board([[3, 1, 4, 2]])


def searched(plugins, heuristic=lambda tiles: 0):
    """The result of a search, whatever hooks there are."""
    domain = sl.Domain("turns", lambda board: [("turn", sl.Board(board.tiles[:, ::-1]))], lambda board: False)
    return sl.solve(STACK, domain=domain, heuristic=heuristic, frontier="greedy", plugins=plugins, engine="readable")


def fails(tiles):
    raise ValueError("no idea")


def told(plugins):
    """The occasions of which the plugin was notified."""
    (plugin,) = [plugin for plugin in plugins.loaded if plugin.name == "everything"]
    return {occasion for occasion, *_ in plugin.module.TOLD}


def brings(kind, name):
    """Whether a component is found by its name."""

    def use(plugins):
        try:
            return plugins.get(kind, parse_name(name)).plugin.name == "everything"
        except sl.UsageError:
            return False

    return use


def is_told(occasion, use):
    """Whether the plugin is notified of an occasion that comes about by a use of the plugins."""

    def tells(plugins):
        use(plugins)
        return occasion in told(plugins)

    return tells


def experiment(occasion):
    """Tell of an experiment."""
    return lambda plugins: plugins.notify(occasion, experiment=sl.ExperimentInfo("tried", "results", 3))


USES = {
    "searchlab_domains": brings("domain", "crepe"),
    "searchlab_heuristics": brings("heuristic", "crease"),
    "searchlab_frontiers": brings("frontier", "sideways"),
    "searchlab_players": brings("player", "topple"),
    "searchlab_executors": brings("executor", "one-by-one"),
    "searchlab_generators": brings("generator", "stacked"),
    "searchlab_metrics": lambda plugins: "effort" in searched(plugins).metrics,
    "searchlab_renderers": brings("renderer", "pile"),
    "searchlab_learners": brings("learner", "practice"),
    "searchlab_commands": lambda plugins: "flip" in plugins.commands(),
    "searchlab_report_sections": lambda plugins: any(
        section.title == "Pancakes"
        for _, sections, _ in plugins.report_sections(lambda: sl.table([]))
        for section in sections
    ),
    "searchlab_run_started": is_told("run_started", searched),
    "searchlab_run_finished": is_told("run_finished", searched),
    "searchlab_run_failed": is_told("run_failed", lambda plugins: searched(plugins, fails)),
    "searchlab_experiment_started": is_told("experiment_started", experiment("experiment_started")),
    "searchlab_experiment_finished": is_told("experiment_finished", experiment("experiment_finished")),
}


@pytest.fixture
def host(request, tmp_path):
    """A function that returns a host with the plugin of all hooks, without some of them."""
    source = (request.path.parent / "plugin_files" / EVERYTHING).read_text()

    def host(*without):
        folder = tmp_path / "-".join(("all", *without))
        folder.mkdir()
        text = source
        for hook in without:
            assert f"@hookimpl\ndef {hook}(" in text
            text = text.replace(f"@hookimpl\ndef {hook}(", f"def without_{hook}(")
        (folder / EVERYTHING).write_text(text)
        plugins = sl.Plugins([folder / EVERYTHING])
        assert plugins.problems == []
        return plugins

    return host


def test_every_hook_has_a_use():
    """No hook is left out here."""
    assert sorted(USES) == sorted(HOOKS)


@pytest.mark.parametrize("hook", HOOKS)
def test_each_hook_has_an_effect_that_is_missing_without_it(hook, host):
    """What its use shows is there with the hook, and is not without it; and it is the plugin's, nobody else's."""
    assert USES[hook](host())
    assert not USES[hook](host(hook))
