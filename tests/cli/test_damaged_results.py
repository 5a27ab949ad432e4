"""A damaged results file: each command that reads it reports that in one line, or works all the same."""

import os
import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from searchlab.experiments.runs import GAMES, SEARCHES
from searchlab.experiments.store import APPLICATION, FILE
from searchlab.experiments.worker_pool import end_workers

TRIES = int(os.environ.get("SEARCHLAB_TEST_DAMAGES", "30"))
SEED = int(os.environ.get("SEARCHLAB_TEST_SEED", "1"))
KINDS = {"searches": SEARCHES, "games": GAMES}
DONE = {
    "searches": ("run", "2048/board10", "--frontier", "greedy", "--frontier", "astar", "--engine", "readable"),
    "games": ("run", "--player", "random", "--player", "greedy", "--seeds", "1-3", "--max-moves", "5"),
}
"""What was run, and is run again: there is nothing left to do."""
OF_ALL = (
    ("results", "damaged"),
    ("results", "damaged", "--json", "--all-attempts"),
    ("results", "export", "damaged", "--format", "csv"),
    ("results", "export", "damaged", "--format", "latex"),
    ("results", "export", "damaged", "--format", "json"),
    ("results", "merge", "damaged", "--into", "merged"),
)
COMMANDS = {
    "searches": (
        *OF_ALL,
        ("results", "damaged", "--group-by", "heuristic,frontier"),
        ("compare", "damaged", "greedy", "astar"),
        ("plot", "damaged", "scatter", "--x", "greedy", "--y", "astar", "--output", "drawn.svg"),
        ("plot", "damaged", "cactus", "--output", "drawn.svg"),
        ("plot", "damaged", "heatmap", "--metric", "cost", "--output", "drawn.svg"),
    ),
    "games": (
        *OF_ALL,
        ("results", "damaged", "--group-by", "player"),
        ("results", "standings", "damaged"),
        ("compare", "damaged", "greedy", "random"),
        ("plot", "damaged", "scores", "--output", "drawn.svg"),
        ("replay", "damaged", "--player", "random", "--seed", "2"),
    ),
}
ODD = (
    *(None, "x", "", "17", -1, 0, 7, 2**63 - 1, -(2**63), 1.5, -0.5, 1e308, float("inf"), float("-inf"), b"\xff\x00"),
    *("[1, 2]", "{", '{"a": ' * 3000, '{"a": 1' + "0" * 400 + "}", '{"a": "\\ud800"}', '{"": null}'),
    *('{"status": 1, "metric_status": 2}', '{"a": [{}], "b": Infinity, "c": NaN}'),
    *("9999-12-31T23:59:59Z", "2026-02-30T00:00:00Z", "1 0 / x", "\x00", "solved", "goal", "no-such-plugin/x:y=1"),
)
NOT_TEXT = "CAST(x'ff41' AS TEXT)"
"""Bytes that are no UTF-8, which Python cannot hand to SQLite."""


NOT_IN_EVERY_TABLE = ("bad metrics", "metrics that are no object", "a time that is none")
"""Damages of columns that some commands do not read."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folders of an experiment of searches and one of games."""
    from searchlab.cli import main

    folder = tmp_path_factory.mktemp("whole")
    for kind, command in DONE.items():
        assert main([*command, "--workers", "1", "--output", str(folder / kind)]) == 0
    end_workers()
    return folder


@pytest.fixture
def damaged(whole, folder):
    """Make a copy of an experiment that is as it was."""

    def damaged(kind):
        for made in ("damaged", "merged"):
            shutil.rmtree(made, ignore_errors=True)
        shutil.copytree(whole / kind, "damaged")
        return Path("damaged", FILE)

    return damaged


def said_in_a_line(run, *command):
    """Run a command and return its error message, or `""` if the damage does not affect it.

    Notes on older runs may precede the error.
    """
    ran = run(*command)
    if ran.code == 0:
        assert "error" not in ran.err, (command, ran)
        return ""
    *before, error = ran.err.splitlines()
    assert all("older run" in line for line in before), (command, ran)
    return replace(ran, err=f"{error}\n").error


def execute(file, *statements):
    """Change a file behind everybody's back."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(*statement) if isinstance(statement, tuple) else connection.execute(statement)


def cut(file, rng):
    """Truncate the file at a random place."""
    os.truncate(file, rng.randrange(file.stat().st_size))


def overwrite(file, rng):
    """Put some bytes in place of others, at one place or several."""
    with file.open("r+b") as content:
        for _ in range(rng.choice([1, 1, 5])):
            content.seek(rng.randrange(file.stat().st_size))
            content.write(rng.randbytes(rng.choice([1, 2, 16, 300])))


def spoil_a_cell(file, rng):
    """Put something odd into a cell, or all cells of a column."""
    with closing(sqlite3.connect(file)) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(runs)")]
    column, where = rng.choice(columns), rng.choice(["1", "number = 1"])
    value = rng.choice([*ODD, NOT_TEXT])
    change = f"UPDATE OR IGNORE runs SET {column} = {NOT_TEXT if value == NOT_TEXT else '?'} WHERE {where}"
    try:
        execute(file, (change, () if value == NOT_TEXT else (value,)))
    except sqlite3.IntegrityError:
        overwrite(file, rng)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_random_damage_is_harmless_or_an_error_of_one_line(run, damaged, kind):
    """Files are cut off, overwritten, or have odd cells."""
    rng = random.Random(SEED)
    refused = 0
    for _ in range(TRIES):
        file, damage = damaged(kind), rng.choice([cut, overwrite, spoil_a_cell])
        damage(file, rng)
        for command in rng.sample(COMMANDS[kind], 2):
            refused += bool(said_in_a_line(run, *command))
    assert refused > TRIES / 2


def replaced_by_a_view(file):
    execute(
        file,
        "ALTER TABLE runs RENAME TO others",
        "CREATE VIEW runs AS WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) "
        "SELECT others.*, k FROM others, n",
    )


DAMAGES = {
    "no provenance": lambda file: execute(file, "DELETE FROM provenance"),
    "another provenance": lambda file: execute(file, "UPDATE runs SET provenance = 99"),
    "bad JSON": lambda file: execute(file, "UPDATE provenance SET content = '{'"),
    "a provenance that is no object": lambda file: execute(file, "UPDATE provenance SET content = '[]'"),
    "a machine that is no object": lambda file: execute(file, "UPDATE provenance SET content = '{\"machine\": 3}'"),
    "half a character": lambda file: execute(
        file, 'UPDATE provenance SET content = \'{"machine": {"host": "\\ud800"}}\''
    ),
    "bad metrics": lambda file: execute(file, "UPDATE runs SET metrics = '{' WHERE number = 2"),
    "metrics that are no object": lambda file: execute(file, "UPDATE runs SET metrics = '-1'"),
    "no UTF-8": lambda file: execute(file, f"UPDATE runs SET domain = {NOT_TEXT}"),
    "a text for a number": lambda file: execute(file, "UPDATE runs SET moves = 'x'"),
    "a time that is none": lambda file: execute(file, "UPDATE runs SET finished = '99'"),
    "no column": lambda file: execute(file, "ALTER TABLE runs DROP COLUMN reason"),
    "no table": lambda file: execute(file, "DROP TABLE provenance"),
    "a view in place of the table": replaced_by_a_view,
    "the first half": lambda file: os.truncate(file, file.stat().st_size // 2),
    "a version of old": lambda file: execute(file, "PRAGMA user_version = 0"),
}
OTHERS = {
    "a version to come": lambda file: execute(file, "PRAGMA user_version = 99"),
    "another program's file": lambda file: execute(file, f"PRAGMA application_id = {APPLICATION + 1}"),
    "a text": lambda file: file.write_text("number,status\n1,solved\n"),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", [*DAMAGES, *OTHERS])
def test_errors_name_the_file(run, damaged, kind, damage):
    """Each command that reads the damaged part says that the file is damaged, and what to do."""
    commands = [command for command in OF_ALL if "--all-attempts" in command or "csv" in command or "merge" in command]
    for command in commands if damage in NOT_IN_EVERY_TABLE else COMMANDS[kind]:
        file = damaged(kind)
        (DAMAGES | OTHERS)[damage](file)
        said = said_in_a_line(run, *command)
        assert said.startswith("damaged"), (command, said)
        if damage in DAMAGES:
            assert said.startswith(f"{file}: damaged: "), (command, said)
            assert said.endswith("; restore it from a copy, or start again in another folder")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", ["cut off", "no column of the identity", "a status that none is", *OTHERS])
def test_run_refuses_to_continue_damaged_results(run, damaged, kind, damage):
    """Nothing is added to it, and nothing begun."""
    file = damaged(kind)
    assert run(*DONE[kind], "--output", "damaged").code == 0
    {
        "cut off": lambda file: os.truncate(file, file.stat().st_size - 5000),
        "no column of the identity": lambda file: execute(file, "ALTER TABLE runs RENAME COLUMN identity TO it"),
        "a status that none is": lambda file: execute(file, "UPDATE runs SET status = 'odd'"),
        **OTHERS,
    }[damage](file)
    before = None if file.is_dir() else file.read_bytes()
    assert run(*DONE[kind], "--output", "damaged").error.startswith("damaged")
    assert before is None or file.read_bytes() == before


@pytest.mark.parametrize("kind", KINDS)
def test_every_column_refuses_values_of_other_types(run, damaged, kind):
    """Bytes are valid in none."""
    for column in KINDS[kind].stored:
        file = damaged(kind)
        execute(file, (f"UPDATE OR IGNORE runs SET {column} = ? WHERE number = 2", (b"\xff",)))
        said = said_in_a_line(run, "results", "merge", "damaged", "--into", "merged")
        assert said.startswith(f"{file}: damaged: run 2: its {column} is b'")


def test_a_score_that_is_infinite_is_damaged(run, damaged):
    """No game has one, and no difference of two is a number."""
    file = damaged("games")
    execute(file, "UPDATE runs SET score = 9e999 WHERE number = 2")
    assert said_in_a_line(run, "results", "damaged").startswith(f"{file}: damaged: run 2: its score is inf")


def test_an_empty_file_has_no_runs(run, damaged):
    """A process that is killed early leaves such a file."""
    damaged("searches").write_bytes(b"")
    assert run("results", "damaged").out == "there are no runs yet\n"
