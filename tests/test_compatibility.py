"""The promises of docs/compatibility.md."""

import json
import re
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.experiments.loading import column_types
from searchlab.experiments.runs import GAMES
from searchlab.experiments.tables import outcome_types

ROOT = Path(__file__).parent.parent
COLUMNS = ROOT / "tests" / "golden" / "columns-0.2.json"
"""Columns and keys of version 0.2. Nothing in it may be changed before 1.0; new columns need no entry."""
SOLVE = "solve sliding-tile/puzzle8-20 --json"
PLAY = "play --player greedy --seed 1 --json"


def types(columns):
    return {name: str(dtype) for name, dtype in columns.items()}


def keys(capsys, command):
    assert main(command.split()) == 0
    return {name: type(value).__name__ for name, value in json.loads(capsys.readouterr().out).items()}


def test_columns_and_keys_of_0_2_are_kept(capsys):
    current = {
        "sl.table": types(outcome_types()),
        "sl.load_results of searches": types(column_types()),
        "sl.load_results of games": types(column_types(GAMES)),
        "solve --json": keys(capsys, SOLVE),
        "play --json": keys(capsys, PLAY),
    }
    promised = json.loads(COLUMNS.read_text(encoding="utf-8"))
    for place, columns in promised.items():
        assert {name: current[place].get(name) for name in columns} == columns, place


def test_every_public_name_is_stable_or_provisional():
    text = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    listed = [
        name
        for row in re.findall(r"^\| (?:stable|provisional) \| (.*) \|$", text, re.M)
        for name in re.findall(r"`(\w+)`", row)
    ]
    assert sorted(listed) == sl.__all__


@pytest.mark.parametrize("extra", ["cluster", "dask", "parquet", "plots"])
def test_no_message_names_a_package_index_entry_that_is_not_ours(extra):
    """searchlab is not published yet: anybody may take the name."""
    for folder in ("searchlab", "plugins", "docs"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".md", ".template"):
                text = path.read_text(encoding="utf-8")
                assert f"searchlab[{extra}]" not in text, path
                assert "pypi.org/project/searchlab" not in text, path
