"""`searchlab results --run`: one run in full, by its number, and the command that does it again."""

import json
import shlex

import pytest

import searchlab as sl
from searchlab.experiments.identities import packed
from searchlab.experiments.store import Store


@pytest.fixture
def experiment(make_record, make_results, folder):
    """Three runs, of which the second failed."""
    reason = "heuristic bad: " + "<b>no</b>\x1b[2J " * 40
    records = [
        make_record(1, expanded=11),
        make_record(2, "misplaced", "weighted-astar:weight=3", status="error", reason=reason, limit=2.5),
        make_record(3, expanded=33),
    ]
    return make_results(records, "folder")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_run_is_shown_in_full(run, experiment, monkeypatch, width):
    """With every column, the full reason, the board, and the command that repeats it."""
    monkeypatch.setenv("COLUMNS", str(width))
    ran = run("results", "folder", "--run", 2)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("run 2 of folder, ")
    labels = [line.split(" ")[0] for line in lines[2 : lines.index("", 2)] if not line.startswith(" ")]
    columns = [str(name) for name in sl.load_results(experiment).columns if name not in ("run", "identity", "attempt")]
    assert labels == columns
    assert ran.out.count(r"<b>no</b>\x1b[2J") == 40
    assert max(len(line) for line in lines[: lines.index("", 2)]) <= width
    assert ["2", "0"] in [line.split() for line in lines]
    assert lines[-1] == (
        r"again  printf '2 0\n2 1\n' | searchlab solve - --domain sliding-tile --heuristic misplaced "
        "--frontier weighted-astar:weight=3 --engine readable --batch 7 --time-limit 2.5s"
    )


def test_a_run_is_found_by_its_identity(run, experiment):
    """The first digits suffice; JSON has every column."""
    row = sl.load_results(experiment).iloc[2]
    (found,) = json.loads(run("results", "folder", "--run", row["identity"][:8], "--json").out)
    assert (found["run"], found["expanded"], found["identity"]) == (3, 33, row["identity"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--run", "9"], "folder: there is no run 9: the numbers are from 1 to 3"),
        (["--run", "first"], "a run is named by its number, or by the first digits of its identity"),
        (["--run", "ffffff"], "folder: there is no run ffffff"),
        (["--run", "1", "--group-by", "heuristic"], "--group-by is for a table, and --run shows one run in full"),
        (["--run", "1", "--where", "status=error"], "run 1 is excluded by --where"),
    ],
)
def test_an_unknown_run_is_refused(run, experiment, arguments, said):
    assert said in run("results", "folder", *arguments).error


def test_the_command_does_the_run_again(run, folder):
    """Typed as it is printed it expands the same nodes."""
    assert (
        run("run", "sliding-tile/puzzle8-20", "--heuristic", "taxicab", "--frontier", "astar", "--output", "r").code
        == 0
    )
    assert run("run", "--player", "greedy", "--seeds", "3", "--max-moves", "20", "--output", "g").code == 0
    again = [
        line.split("  ", 1)[1] for line in run("results", "r", "--run", 1).out.splitlines() if "searchlab " in line
    ]
    (row,) = sl.load_results("r").to_dict("records")
    solved = json.loads(run(*shlex.split(again[0])[1:], "--json").out)
    assert solved["expanded"] == row["expanded"]
    assert run(*shlex.split(again[1])[1:], "--output", "page.html").code == 0
    (game,) = sl.load_results("g").to_dict("records")
    line = next(line for line in run("results", "g", "--run", 1).out.splitlines() if line.startswith("again"))
    assert json.loads(run(*shlex.split(line)[2:], "--json").out)["score"] == game["score"]
    assert run("replay", "g", "--run", 1, "--moves-only").code == 0


def test_the_command_of_a_run_has_its_plugin_file_and_time_limit(run, folder, write):
    code = "from searchlab import Heuristic, hookimpl\n@hookimpl\ndef searchlab_heuristics():\n"
    write("mine.py", code + "    yield Heuristic('nothing', lambda tiles: 0, domains={'sliding-tile'})\n")
    mine = ("--plugin", "mine.py")
    what = ("sliding-tile/example", "--heuristic", "nothing", "--frontier", "astar", "--engine", "readable")
    assert run(*mine, "run", *what, "--time-limit", "2000000s", "--output", "r").code == 0
    page = run(*mine, "results", "r", "--run", 1).out.splitlines()
    again, look = (line.split(None, 1)[1] for line in page[-2:])
    assert again.startswith("searchlab --plugin mine.py solve sliding-tile/example")
    assert again.endswith("--time-limit 2000000s")
    assert run(*shlex.split(again)[1:]).code == 0
    assert look == "searchlab --plugin mine.py view r --run 1"
    assert "--plugin" not in run("results", "r", "--run", 1).out


def test_numbers_are_places_in_the_experiment_and_stay(make_record, tmp_path):
    """The order of execution does not matter; added and merged runs get the next numbers."""
    records = {board: make_record(board) for board in range(1, 6)}
    identities = {board: record.run.identity for board, record in records.items()}
    with Store(tmp_path / "a", writes=True) as store:
        store.number(packed(identities[board] for board in (1, 2, 3)))
        store.add([records[3], records[1]])
    with Store(tmp_path / "a", writes=True) as store:
        store.number(packed(identities[board] for board in (4, 1, 2, 3)))
        store.add([records[4]])
    with Store(tmp_path / "b", writes=True) as other:
        other.add([records[1], records[5]])
    with Store(tmp_path / "a", writes=True) as store, Store(tmp_path / "b") as other:
        store.merge(other)
    table = sl.load_results(tmp_path / "a")
    assert dict(zip(table["board_name"].str[7:8], table["run"], strict=True)) == {"1": 1, "3": 3, "4": 4, "5": 5}


def test_runs_without_numbers_are_numbered_in_the_order_of_records(make_record, make_results):
    """Several attempts are one run."""
    records = [make_record(2, status="error"), make_record(1), make_record(2)]
    table = sl.load_results(make_results(records), all_attempts=True)
    assert table[["run", "attempt"]].to_numpy().tolist() == [[1, 1], [2, 1], [1, 2]]
