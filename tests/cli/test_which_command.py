"""`searchlab plugins which`: the plugin and the file behind a name, its full name, and who else claims it."""

from __future__ import annotations

from pathlib import Path

import pytest

import searchlab
from searchlab.model.component_types import COMPONENT_TYPES

CLAIMS = str(Path(__file__).parents[1] / "plugins" / "claims_names.py")
EVERYTHING = str(Path(__file__).parents[1] / "plugins" / "everything.py")
LEFT_HEAVY = str(Path(__file__).parents[1] / "plugins" / "left_heavy.py")


@pytest.mark.parametrize("name", ["taxicab", "manhattan", "searchlab/manhattan", "taxicab:weight=2"])
def test_a_name_is_traced_to_its_plugin(run, name):
    """However it is written."""
    ran = run("plugins", "which", name)
    assert (ran.code, ran.err) == (0, "")
    *lines, file = ran.out.splitlines()
    assert lines == [
        "heuristic taxicab",
        "full name   searchlab/taxicab",
        "aliases     manhattan",
        f"plugin      searchlab {searchlab.__version__}",
    ]
    assert Path(file.removeprefix("file        ")).name == "heuristics.py"


def test_everybody_who_claims_a_name_is_listed(run):
    """Each with the name that stands for it alone."""
    ours, theirs = run("plugins", "which", "frontier", "greedy", "--plugin", CLAIMS, "--json").json
    assert (ours["full_name"], theirs["full_name"]) == ("searchlab/greedy", "claims_names/greedy")
    assert ours["claimed_by"] == [{"full_name": "claims_names/greedy", "file": CLAIMS}]
    assert theirs["claimed_by"] == [{"full_name": "searchlab/greedy", "file": ours["file"]}]
    lines = run("plugins", "which", "frontier", "greedy", "--plugin", CLAIMS).out.splitlines()
    assert lines.count(f"claimed by  also claims_names/greedy ({CLAIMS})") == 1


def test_a_full_name_is_told_of_its_rivals(run):
    """Though it stands for one thing only."""
    (meaning,) = run("plugins", "which", "claims_names/greedy", "--plugin", CLAIMS, "--json").json
    assert [rival["full_name"] for rival in meaning["claimed_by"]] == ["searchlab/greedy"]


@pytest.mark.parametrize(
    ("name", "kind", "full"),
    [
        (f"{LEFT_HEAVY}:left_heavy", "heuristic", f"{LEFT_HEAVY}:left-heavy"),
        (f"{EVERYTHING}:largest", "heuristic", f"{EVERYTHING}:largest"),
        (f"{EVERYTHING}:pancakes", "domain", f"{EVERYTHING}:pancake"),
        (f"{EVERYTHING}:sideways", "frontier", f"{EVERYTHING}:sideways"),
        (f"{EVERYTHING}:topple", "player", f"{EVERYTHING}:topple"),
        (f"{EVERYTHING}:top", "player", f"{EVERYTHING}:topple"),
        (f"{EVERYTHING}:stacked", "generator", f"{EVERYTHING}:stacked"),
        (f"{EVERYTHING}:effort", "metric", f"{EVERYTHING}:effort"),
        (f"{EVERYTHING}:pile", "renderer", f"{EVERYTHING}:pile"),
    ],
)
def test_what_a_file_is_named_for_is_called_after_the_file(run, name, kind, full):
    """Whatever its kind is, without loading the file as a plugin."""
    (meaning,) = run("plugins", "which", name, "--json").json
    assert (meaning["kind"], meaning["full_name"], meaning["claimed_by"]) == (kind, full, [])


def test_a_name_of_nothing_is_guessed(run):
    """Also in a file."""
    assert "no component is called 'taxcab': did you mean 'taxicab'" in run("plugins", "which", "taxcab").error
    assert "left_heavy.py has no heuristic 'lft'" in run("plugins", "which", f"{LEFT_HEAVY}:lft").error
    assert "not left_heavy(tiles)" in run("plugins", "which", "frontier", f"{LEFT_HEAVY}:left_heavy").error
    assert "has no frontier 'lft'" in run("plugins", "which", "frontier", f"{LEFT_HEAVY}:lft").error


@pytest.mark.parametrize("command", ["show", "which"])
def test_the_help_names_every_kind(run, command):
    """In the order in which they are listed."""
    said = " ".join(run("plugins", command, "--help").out.split())
    assert f"KIND ({', '.join(COMPONENT_TYPES)})" in said
