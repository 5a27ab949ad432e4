"""`solve --certificate` and `check-proof`: proofs that others can check, and files that are none."""

import io
import json
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile

import numpy as np
import pytest

import searchlab as sl


@pytest.fixture
def proof(solve, folder):
    """Return the certificate of a board of the 8-puzzle."""
    assert solve("sliding-tile/puzzle8-20", "--certificate", "proof.zip").code == 0
    return folder / "proof.zip"


def files_of(path):
    """Return the content of the files of an archive by name."""
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(path, method=ZIP_DEFLATED, **changes):
    """Write an archive again with some of its claims, or its arrays, changed."""
    files = files_of(path)
    claim = json.loads(files["claim.json"])
    arrays = {name: changes.pop(name) for name in ("states", "g") if name in changes}
    files["claim.json"] = json.dumps({**claim, **changes}).encode()
    for name, array in arrays.items():
        stream = io.BytesIO()
        np.save(stream, array)
        files[f"{name}.npy"] = stream.getvalue()
    with ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("arguments", "claim"),
    [
        (("sliding-tile/puzzle8-20",), "the cost 20 is optimal"),
        (("sliding-tile/puzzle8-20", "--frontier", "ida-star"), "the cost 20 is optimal"),
        (("2048/board10", "--frontier", "breadth-first"), "the cost 3 is optimal"),
        (("grid-map/rooms.scen#3",), "the cost "),
        (("strips/gripper-2.pddl",), "the cost 5 is optimal"),
        (("graph/romania.edges#1", "--frontier", "uniform-cost"), "the cost 418 is optimal"),
    ],
)
def test_certificates_are_proved(solve, run, arguments, claim):
    """Of boards, maps, tasks and graphs, whatever search found the solution."""
    solved = solve(*arguments, "--certificate", "proof.zip")
    assert solved.code == 0
    assert "searchlab: proof.zip: " in solved.err
    ran = run("check-proof", "proof.zip")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"proved: {claim}")


def test_a_bound_is_certified_with_and_without_a_solution(solve, run):
    """What a search has proved by its end, within a factor or at a limit."""
    solve("sliding-tile/puzzle8-31", "--frontier", "weighted-astar:weight=3", "--certificate", "within.zip")
    found = run("check-proof", "within.zip")
    assert found.code == 0
    assert found.out.startswith("proved: no solution costs less than 2")
    assert "and there is one of cost " in found.out.splitlines()[0]
    solve("sliding-tile/puzzle8-31", "--max-expansions", "50", "--certificate", "limit.zip")
    found = run("check-proof", "limit.zip")
    assert (found.code, found.out.splitlines()[0]) == (0, "proved: no solution costs less than 25")


STATES = """
import searchlab as sl

def successors(state):
    name, seen = state
    for other in "abc":
        if other not in seen:
            yield f"to {other}", (other, seen | {other}), 1.5

def is_goal(state):
    return state[0] == "z" or len(state[1]) > GOAL

hooks = sl.plugin(sl.Domain("visits", successors, is_goal, start=lambda: ("a", frozenset("a")), unit_cost=False))
"""


@pytest.mark.parametrize(("goal", "claim"), [(2, "the cost 3 is optimal"), (9, "there is no solution")])
def test_states_that_are_not_boards_are_certified(solve, run, folder, goal, claim):
    """Tuples and frozensets come back from the file; a plugin is loaded only if the user names it."""
    (folder / "visits.py").write_text(STATES.replace("GOAL", str(goal)))
    plugin = ("--plugin", "visits.py")
    ran = solve("--domain", "visits", "--frontier", "uniform-cost", "--certificate", "proof.zip", *plugin)
    assert ran.code == (0 if goal == 2 else 1)
    found = run("check-proof", "proof.zip", *plugin)
    assert (found.code, found.out.splitlines()[0]) == (0, f"proved: {claim}")
    assert run("check-proof", "proof.zip").error.startswith("proof.zip: ")


def test_a_file_of_plugins_that_only_the_certificate_names_is_not_run(solve, run, folder, proof):
    """A certificate may come from anybody."""
    (folder / "other.py").write_text("print('run')\ndef h(tiles):\n    return 0\n")
    rewrite(proof, heuristic="other.py:h")
    assert "other.py" in run("check-proof", "proof.zip").error


def test_without_a_search_or_a_claim_there_is_no_certificate(solve, folder):
    """A line says why, and a file that was there stays."""
    (folder / "proof.zip").write_text("old")
    (folder / "odd.txt").write_text("3\n1 2 3\n4 5 6\n8 7 0\n")
    ran = solve("odd.txt", "--domain", "sliding-tile", "--certificate", "proof.zip")
    assert ran.code == 1
    assert "proof.zip: not written: the rules of the domain say that there is no solution" in ran.err
    (folder / "visits.py").write_text(STATES.replace("GOAL", "2"))
    named = ("--plugin", "visits.py", "--domain", "visits", "--frontier", "uniform-cost", "--max-expansions", "0")
    ran = solve(*named, "--certificate", "proof.zip")
    assert "proof.zip: not written: nothing is proved" in ran.err
    assert (folder / "proof.zip").read_text() == "old"
    assert solve("sliding-tile/puzzle8-20", "--certificate", "none/proof.zip").error.startswith(
        "none/proof.zip: there is"
    )


def test_states_that_do_not_fit_into_memory_are_not_written(solve, folder):
    """The result is printed all the same."""
    named = ("sliding-tile/puzzle8-31", "--frontier", "ida-star", "--memory-limit", "100KiB")
    ran = solve(*named, "--certificate", "p.zip")
    assert ran.code == 0
    assert "p.zip: not written: the closed states need more memory" in ran.err
    assert not (folder / "p.zip").exists()


def test_a_state_at_fault_is_named_and_drawn(run, proof):
    """Of a removed state: the one before it, and what leads there."""
    files = files_of(proof)
    states, g = (np.load(io.BytesIO(files[f"{name}.npy"])) for name in ("states", "g"))
    last = int(np.flatnonzero(g == 5)[0])
    rewrite(proof, states=np.delete(states, last, axis=0), g=np.delete(g, last))
    ran = run("check-proof", "proof.zip")
    assert ran.code == 1
    assert ran.out.startswith("not proved that the cost 20 is optimal: the successor by ")
    assert "is not closed" in ran.out.replace("\n", " ")
    assert sl.Board(states[last].astype(np.int64)).text(2).replace(" ", "") in ran.out.replace(" ", "")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"bound": 21}, "a closed state"),
        ({"bound": None}, "no solution, says the claim"),
        ({"cost": 18}, "the plan costs 20, and the claim says 18"),
        ({"heuristic": None}, "g + h"),
        ({"start": [[1, 2, 3], [4, 5, 6], [7, 0, 8]]}, "the plan does not begin at the start"),
        ({"plan": None}, "a cost without a plan"),
    ],
)
def test_claims_that_do_not_follow_are_refused(run, proof, changes, fault):
    """The exit code is 1, and a line says what is wrong."""
    rewrite(proof, **changes)
    ran = run("check-proof", "proof.zip")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("not proved that ")
    assert fault in " ".join(ran.out.split())


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "searchlab certificate 9"},
        {"bound": "high"},
        {"bound": -1},
        {"bound": float("nan")},
        {"bound": True},
        {"domain": "no-such-domain"},
        {"domain": ["sliding-tile"]},
        {"heuristic": "no-such-heuristic"},
        {"start": [[1, 2], [3]]},
        {"start": "text"},
        {"start": [[9, 9], [9, 9]]},
        {"plan": 7},
        {"static": {"map": {"array": "<i8", "shape": [10**9, 10**9], "zlib": ""}}},
        {"states": np.zeros((3, 2, 2), np.uint8)},
        {"states": np.zeros((3, 3, 3))},
        {"states": np.array([[["a"]]])},
        {"g": np.zeros((2, 2))},
        {"g": np.array([None])},
    ],
    ids=str,
)
def test_files_that_are_no_certificates_are_refused_in_one_line(run, proof, changes):
    """With the exit code 2."""
    rewrite(proof, **changes)
    assert run("check-proof", "proof.zip").error.startswith("proof.zip: ")


def test_archives_with_other_contents_are_refused(run, folder, proof):
    """Other methods of compression, missing files, JSON of another kind."""
    rewrite(proof, method=ZIP_LZMA)
    assert "another method" in run("check-proof", "proof.zip").error
    for files in ({}, {"claim.json": "[1]"}, {"claim.json": "[" * 100_000}, {"claim.json": "{}"}):
        with ZipFile(folder / "other.zip", "w", ZIP_STORED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        assert run("check-proof", "other.zip").error.startswith("other.zip: no certificate, or a damaged one: ")


def test_what_unpacks_to_more_than_the_memory_limit_is_not_unpacked(run, folder, proof):
    """An array says its size; a text stops at the limit."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (10**10, 3, 3)})
    files = files_of(proof)
    with ZipFile(folder / "bomb.zip", "w", ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("claim.json", files["claim.json"])
        with archive.open("states.npy", "w") as file:
            file.write(header.getvalue())
            for _ in range(200):
                file.write(bytes(2**20))
        archive.writestr("g.npy", files["g.npy"])
    assert "limit of memory" in run("check-proof", "bomb.zip").error
    with ZipFile(folder / "bomb.zip", "w", ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("claim.json", b" " * (80 * 2**20))
    assert "the limit" in run("check-proof", "bomb.zip").error


def test_truncated_and_damaged_files_are_refused(run, proof):
    """Each byte that is lost or changed is noticed, or does not matter."""
    content = proof.read_bytes()
    for end in range(0, len(content), len(content) // 40):
        proof.write_bytes(content[:end])
        assert run("check-proof", "proof.zip").error.startswith("proof.zip: ")
    for at in range(0, len(content), len(content) // 150):
        proof.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        ran = run("check-proof", "proof.zip")
        assert ran.code == 0 or ran.error.startswith("proof.zip: ")


def test_runs_of_an_experiment_are_certified_and_marked(run, folder):
    """Those that prove something, solved or not; tables and reports say which."""
    named = ("--heuristic", "taxicab", "--frontier", "astar", "--frontier", "weighted-astar", "--name", "eight")
    assert run("run", "sliding-tile/puzzle8-20", "sliding-tile/puzzle8-31", *named, "--max-expansions", "500").code == 0
    assert run("results", "certify", "results/eight", "--where", "frontier=astar").out == (
        "results/eight/certificates: 2 certificates written\n"
    )
    table = sl.load_results("results/eight")
    marked = table.set_index(["board_name", "frontier"])["certified"].to_dict()
    assert marked == {
        ("sliding-tile/puzzle8-20", "astar"): True,
        ("sliding-tile/puzzle8-20", "weighted-astar"): False,
        ("sliding-tile/puzzle8-31", "astar"): True,
        ("sliding-tile/puzzle8-31", "weighted-astar"): False,
    }
    shown = run("results", "results/eight", "--where", "certified=true")
    assert "2 of 4 runs" in shown.out
    files = sorted(map(str, folder.glob("results/eight/certificates/*.zip")))
    checked = run("check-proof", *files)
    assert (checked.code, checked.out.count("proved: ")) == (0, 2)
    assert "the cost 20 is optimal" in checked.out
    assert "no solution costs less than " in checked.out
    run("report", "results/eight", "--output", "report.html")
    assert ">certified<" in (folder / "report.html").read_text()
