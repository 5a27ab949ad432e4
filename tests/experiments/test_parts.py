"""Parts of an experiment: each run is in one list, and the merged stores are those of the whole experiment."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.matrix import matrix
from searchlab.experiments.parts import dealt, part_folder, read_part
from searchlab.experiments.runs import Run, RunInstance
from searchlab.experiments.scheduler import matrix_of_part, plan_parts, run_matrix
from searchlab.experiments.specification import Experiment
from searchlab.experiments.store import Store, merge_into

BOARD = RunInstance("b", ((1, 2, 3), (4, 5, 6), (7, 8, 0)))
EXPERIMENT = Experiment(
    boards=["sliding-tile/puzzle8-2[01]"], frontiers=["greedy", "astar"], engine="readable", limits=sl.Limits(60.0)
)


@given(
    heuristics=st.integers(1, 3), boards=st.integers(1, 20), number=st.integers(1, 30), seed=st.integers(0, 2**63 - 1)
)
def test_each_part_has_as_many_runs_of_each_configuration(heuristics, boards, number, seed):
    """Or one more; the lists depend on the seed only."""
    runs = [
        Run(BOARD, {"domain": "sliding-tile", "heuristic": f"h{heuristic}", "frontier": "astar"}, repetition=board)
        for heuristic, board in product(range(heuristics), range(boards))
    ]
    lists = dealt(runs, number, seed)
    assert sorted(run.identity for each in lists for run in each) == sorted(run.identity for run in runs)
    counts = [Counter(run.parts["heuristic"] for run in each) for each in lists]
    for name in [f"h{heuristic}" for heuristic in range(heuristics)]:
        assert max(count[name] for count in counts) - min(count[name] for count in counts) <= 1
    assert max(map(len, lists)) - min(map(len, lists)) <= 1
    assert dealt(runs, number, seed) == lists


@pytest.fixture
def made():
    return matrix(EXPERIMENT, sl.Plugins())


def test_merged_parts_are_the_experiment(made, tmp_path):
    """With the same numbers, and nothing left to do; parts that are merged make room for others."""
    whole, split = tmp_path / "whole", tmp_path / "split"
    run_matrix(made, sl.Plugins(), folder=whole)
    assert plan_parts(made, split, 3) == [2, 1, 1]
    for number in (1, 2, 3):
        folder = part_folder(split, number)
        for _ in range(2):  # the second time all are done
            state = run_matrix(made, sl.Plugins(), folder=folder, part=read_part(split, number))
            assert (state.total, state.kept + state.done) == (len(read_part(split, number)),) * 2
    with pytest.raises(UsageError, match=r"parts/1: 2 runs of earlier parts are not in .*split; join them first: "):
        plan_parts(made, split, 2)
    list(merge_into(split, [part_folder(split, number) for number in (1, 2, 3)]))
    columns = ["run", "identity", "board_name", "frontier", "cost", "expanded"]
    whole_table, merged = (sl.load_results(folder)[columns].sort_values("run") for folder in (whole, split))
    assert merged.to_dict("records") == whole_table.to_dict("records")
    assert plan_parts(made, split, 2, retry=["solved"]) == [2, 2]
    with Store(split) as store:
        assert len(store.requests()) >= 1


def test_lists_are_written_again_without_a_change(made, tmp_path):
    plan_parts(made, tmp_path, 2)
    before = [read_part(tmp_path, number) for number in (1, 2)]
    run_matrix(made, sl.Plugins(), folder=part_folder(tmp_path, 1), part=before[0])
    plan_parts(made, tmp_path, 2)
    assert [read_part(tmp_path, number) for number in (1, 2)] == before


def test_a_part_of_an_edited_experiment_is_refused(made, tmp_path):
    plan_parts(made, tmp_path, 1)
    edited = matrix(Experiment(boards=["sliding-tile/puzzle8-2[01]"], frontiers=["greedy"]), sl.Plugins())
    with pytest.raises(UsageError, match=r"^4 runs of this part have changed since --parts wrote it "):
        matrix_of_part(edited, read_part(tmp_path, 1))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"parts\.json: no such file: the same command with --parts N in place of --part 2 writes it$"),
        (b"{", r"parts\.json: no lists of runs: .*; write it again with --parts N$"),
        (b'{"further": ' + b"[" * 100_000, r"parts\.json: no lists of runs: .*; write it again with --parts N$"),
        (b'{"parts": [[1]]}', r"parts\.json: no lists of runs: .*; write it again with --parts N$"),
        (b'{"parts": [["a"]]}', r"^there is no part 2: .*parts\.json has 1 part$"),
    ],
)
def test_a_file_of_lists_that_is_missing_or_damaged(tmp_path, content, message):
    if content is not None:
        (tmp_path / "parts.json").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_part(tmp_path, 2)
