"""Plugins of installed distributions: found by their entry points, and reported by name and version."""

import subprocess
import sys
import textwrap
from importlib.metadata import EntryPoint

import searchlab as sl
from searchlab.plugins.registry import installed


def distribution(folder, name, version, modules, points):
    """Write the files of an installed distribution, as in site-packages."""
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(textwrap.dedent(text))
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"{key} = {value}" for key, value in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[searchlab]", *lines, ""]))


def said_with(folder, code):
    """Return the output of a new Python process that finds these distributions."""
    script = f"import sys; sys.path.insert(0, {str(folder)!r})\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines(), done.stderr


GOOD = """
    from searchlab import Heuristic, hookimpl

    @hookimpl
    def searchlab_heuristics():
        yield Heuristic("acme", len, domains={"2048"})
"""


def test_an_installed_distribution_is_found(tmp_path):
    """Its name tells its components apart from others', and its version is known."""
    distribution(tmp_path, "acme-search", "1.2", {"acme_plugin": GOOD}, {"acme": "acme_plugin"})
    said, _ = said_with(
        tmp_path,
        """
        import searchlab as sl
        plugins = sl.Plugins()
        print(*[plugin for plugin in plugins.loaded if plugin.name != "searchlab"])
        print(sl.heuristic("acme-search/acme"), plugins.problems)
        """,
    )
    assert said == ["acme-search 1.2", "acme []"]


def test_broken_distributions_are_reported_and_the_rest_works(tmp_path):
    """Each with distribution, version and file, whether it fails on import, in a hook, or is no module at all."""
    bad = GOOD.replace("yield", "raise KeyError('acme')\n        yield")
    distribution(tmp_path, "fails", "0.1", {"fails_at_once": "import nowhere_at_all"}, {"a": "fails_at_once"})
    distribution(tmp_path, "fails-later", "0.2", {"fails_later": bad}, {"a": "fails_later"})
    distribution(tmp_path, "points", "0.3", {"points": GOOD}, {"a": "points:searchlab_heuristics", "b": "points:no"})
    said, warned = said_with(
        tmp_path,
        """
        import searchlab as sl
        plugins = sl.Plugins()
        print(sl.heuristic("taxicab", plugins=plugins))
        print(*plugins.problems, sep="\\n")
        """,
    )
    assert said == [
        "taxicab",
        "plugin fails 0.1 (fails_at_once): ModuleNotFoundError: No module named 'nowhere_at_all' "
        f"({tmp_path / 'fails_at_once.py'}, line 1)",
        "plugin points 0.3 (points:no): AttributeError: module 'points' has no attribute 'no'",
        "plugin points 0.3 (points:searchlab_heuristics): points:searchlab_heuristics is a function; "
        "a plugin is a module",
        f"plugin fails-later 0.2 ({tmp_path / 'fails_later.py'}): "
        "searchlab_heuristics failed: KeyError: 'acme' (line 6)",
    ]
    assert warned == ""


def test_python_warns_of_a_broken_distribution(tmp_path):
    """Where nobody gave a host, a problem is a SearchlabWarning."""
    distribution(tmp_path, "fails", "0.1", {"fails_at_once": "1 / 0"}, {"a": "fails_at_once"})
    said, warned = said_with(tmp_path, 'import searchlab as sl; print(sl.frontier("greedy"))')
    assert said == ["greedy"]
    assert "SearchlabWarning: plugin fails 0.1 (fails_at_once): ZeroDivisionError: division by zero" in warned


def test_a_module_behind_two_entry_points_is_registered_once():
    """The second is reported, and what it brings is there once."""
    points = [EntryPoint(name, "searchlab_plugins.frontiers", "searchlab") for name in "ab"]
    plugins = sl.Plugins(entry_points=points)
    assert [problem.what for problem in plugins.problems] == ["it is registered twice"]
    assert [item.component.name for item in plugins.all("frontier")].count("greedy") == 1


def test_installed_plugins_are_loaded_once():
    assert installed() is installed()
