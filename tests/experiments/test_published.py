"""Published figures: those that ship can be computed again, and runs are compared with those of the same algorithm."""

from itertools import count

import pytest

import searchlab as sl
from searchlab.board.files import shipped_boards
from searchlab.errors import UsageError
from searchlab.experiments.published import compare_published, growth, published_rows
from searchlab.search.enumeration import enumerate_states
from searchlab.search.watch import Watch

ROOT = shipped_boards()["2048/board10"].parents[1]
FILES = sorted(ROOT.rglob("published.toml"))
HEAD = """[[table]]
authors = ["A. Bee", "C. Dee"]
year = 1999
venue = "On puzzles"
heuristic = "taxicab"
"""


@pytest.fixture
def publish(tmp_path, monkeypatch):
    """Write a published.toml beside some boards in the current folder, and return their folder."""
    monkeypatch.chdir(tmp_path)

    def publish(rows, head=HEAD, boards=2):
        place = tmp_path / "boards"
        place.mkdir(exist_ok=True)
        (place / "set.toml").write_text('domain = "sliding-tile"\n')
        for number in range(1, boards + 1):
            (place / f"{number}.txt").write_text("2\n1 2\n3 0\n")
        (place / "published.toml").write_text(f"{head}rows = [\n{rows}\n]\n")
        return place

    return publish


@pytest.fixture
def compared(make_results):
    """Compare made-up runs with published figures."""

    numbers = count()

    def compared(records):
        return compare_published(sl.load_results(make_results(records, f"results{next(numbers)}")), sl.Plugins())

    return compared


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_each_shipped_file_can_be_read(file):
    assert published_rows(file.parent)


@pytest.mark.parametrize("domain", [f"pancake:n={n}" for n in (5, 6, 7, 8)] + ["cube2"])
def test_the_growth_of_small_state_spaces_is_the_published_one(domain):
    """All depths of pancakes, and the first ones of the cube."""
    row = growth(domain, ROOT / domain.partition(":")[0], sl.Plugins())
    bound = sl.domain(domain)
    found = enumerate_states(bound.start(), bound, Watch(sl.Limits(expansions=41_000)))
    layers = [layer.states for layer in found]
    assert layers == list(row.layers[: len(layers)])
    assert len(layers) >= 6 if domain == "cube2" else len(layers) == len(row.layers)


def test_korfs_figures_of_ida_star_are_computed_again(tmp_path):
    """Of his easiest boards, to the node: he counts the root, too."""
    boards = tuple(f"sliding-tile/korf100/{number:03d}" for number in (12, 42, 55, 79))
    runs = sl.run(sl.Experiment(boards=boards, frontiers=("ida-star",)), folder=tmp_path / "runs", workers=1)
    found = compare_published(runs, sl.Plugins()).table
    assert found[["published", "boards"]].to_numpy().tolist() == [["IDA*, Manhattan distance", "4 of 100"]]
    assert found["theirs"][0] - found["ours"][0] == 1


@pytest.mark.slow
def test_towers_of_hanoi_expand_as_many_nodes_as_published(tmp_path):
    """The small figures, and costs; the others are in experiments/README.md."""
    weighted = ("weighted-astar:weight=2,order=random", "weighted-astar:weight=10000000,order=random")
    experiment = sl.Experiment(
        boards=("hanoi/hog2-12",), heuristics=("disc-database:groups=10/2",), frontiers=weighted, seeds=(1, 2, 3)
    )
    found = compare_published(sl.run(experiment, folder=tmp_path / "runs", workers=1), sl.Plugins()).table
    assert found["boards"].tolist() == ["100 of 100"] * 4
    expanded, costs = (found["ratio"][found["figure"] == name] for name in ("expanded", "suboptimality"))
    assert expanded.between(0.85, 1.15).all()
    assert costs.between(0.97, 1.03).all()


def test_means_over_seeds_and_boards_worked_by_hand(publish, compared, make_record):
    """Each board counts once, whatever the number of its seeds."""
    publish('{ name = "A*", frontier = "astar", expanded = 20, cost = 4 }')
    records = [make_record(1, "taxicab", "astar:order=random", seed=seed, expanded=9 + seed) for seed in (1, 2, 3)]
    records += [make_record(2, "taxicab", "astar:order=random", seed=1, expanded=31, cost=5.0)]
    found = compared(records)
    assert found.table[["figure", "ours", "theirs", "ratio", "boards"]].to_numpy().tolist() == [
        ["expanded", (11 + 31) / 2, 20, 1.05, "2 of 2"],
        ["cost", (3 + 5) / 2, 4, 1.0, "2 of 2"],
    ]
    assert found.table["seeds"].tolist() == [3, 3]
    assert found.sources == ("A. Bee, C. Dee: On puzzles (1999)",)


def test_ours_has_a_spread_over_seeds(publish, compared, make_record):
    """That of the means over the boards, of the seeds that have all boards; a single seed has none."""
    publish('{ name = "A*", frontier = "astar", expanded = 20 }')
    runs = [(1, 1, 10), (2, 1, 20), (1, 2, 14), (2, 2, 24), (1, 3, 99)]
    found = compared([make_record(board, seed=seed, expanded=expanded) for board, seed, expanded in runs])
    assert found.table["ours_spread"].tolist() == [pytest.approx(4 / 2**0.5)]  # of the means 15 and 19
    assert "ours_spread" in found.shown_columns()
    assert any(note.startswith("ours_spread: standard deviation") for note in found.notes())
    alone = compared([make_record(board, seed=1, expanded=10) for board in (1, 2)])
    assert "ours_spread" not in " ".join([*alone.shown_columns(), *alone.notes()])


def test_a_mean_is_not_compared_with_that_of_other_boards(publish, compared, make_record):
    """If a board is missing, or one of its runs was not solved, there is no ratio."""
    publish('{ name = "A*", frontier = "astar", expanded = 20 }', boards=3)
    records = [make_record(1, expanded=10), make_record(2, expanded=20, status="time-limit")]
    found = compared(records)
    assert found.table[["ours", "ratio"]].isna().all(axis=None)
    assert found.table["boards"].tolist() == ["1 of 3"]
    assert "no ratio" in " ".join(found.notes())


def test_figures_of_each_board_are_compared_over_the_boards_here(publish, compared, make_record):
    """Those in the file itself, and those in a column of a CSV file beside it."""
    folder = publish(
        '{ name = "A*", frontier = "astar", expanded = {1 = 10, 2 = 1000}, cost = "p.csv:cost" }', boards=2
    )
    (folder / "p.csv").write_text("board,cost\n1,6\n2,60\n")
    found = compared([make_record(1, expanded=20)]).table
    assert found[["theirs", "ratio", "boards"]].to_numpy().tolist() == [[10, 2, "1 of 2"], [6, 0.5, "1 of 2"]]


def test_suboptimality_needs_the_optimal_costs(publish, compared, make_record):
    publish('{ name = "A*", frontier = "astar", suboptimality = 1.5 }', boards=1)
    assert compared([make_record(1)]).table["ratio"].isna().all()


@pytest.mark.parametrize(
    ("frontier", "fits"),
    [
        ("weighted-astar:weight=3", True),
        ("wastar:weight=3,ties=high-h,order=oldest,siblings=first", True),
        ("weighted-astar:weight=2", False),
        ("weighted-astar:weight=3,reopen=yes", False),
        ("greedy", False),
    ],
)
def test_runs_belong_to_the_figures_of_their_algorithm(publish, compared, make_record, frontier, fits):
    """With all its parameters, except those that only break ties."""
    publish('{ name = "WA*", frontier = "weighted-astar:weight=3", expanded = 20 }', boards=1)
    assert len(compared([make_record(1, "taxicab", frontier)]).table) == fits


def test_other_domains_and_heuristics_are_not_compared(publish, compared, make_record):
    publish('{ name = "A*", frontier = "astar", expanded = 20, domain = "sliding-tile:cost=heavy" }', boards=1)
    assert compared([make_record(1)]).table.empty
    publish('{ name = "A*", frontier = "astar", expanded = 20, heuristic = "misplaced" }', boards=1)
    found = compared([make_record(1)])
    assert (len(found.table), found.without_runs) == (0, 1)


def test_an_algorithm_that_is_not_here_is_compared_by_its_name(publish, compared, make_record):
    """Such as one of a plugin that is not installed any more."""
    publish('{ name = "X", frontier = "theirs:bound=2", expanded = 14 }', boards=1)
    assert compared([make_record(1, "taxicab", "theirs:bound=2")]).table["ratio"].tolist() == [0.5]


def test_runs_of_boards_without_files_have_no_published_figures():
    """Their name is the text of the board, however long it is."""
    runs = sl.table([sl.solve(sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]), domain="sliding-tile", engine="readable")])
    assert sl.published(runs).empty
    assert sl.published(runs.assign(board_name="7 " * 5000)).empty
    assert "nothing is published of these runs" in repr(sl.published(runs))


ROW = '{ name = "A*", frontier = "astar", expanded = 20 }'


@pytest.mark.parametrize(
    ("rows", "head", "said"),
    [
        ('{ name = "A*", frontier = "astar" }', HEAD, "line 6: table[1].rows[1]: a row has a frontier and its figures"),
        ('{ name = "A*", expanded = 20 }', HEAD, "table[1].rows[1]: a row has a frontier"),
        ('{ frontier = "astar", expanded = 20 }', HEAD, "table[1].rows[1]: the key 'name' is missing"),
        ('{ name = "A*", frontier = "astar", expnded = 2 }', HEAD, "expnded: there is no such key: did you mean"),
        ('{ name = "A*", frontier = "astar", expanded = -1 }', HEAD, "expanded: a figure is a number, 0 or more"),
        ('{ name = "A*", frontier = "astar", expanded = nan }', HEAD, "expanded: a figure is a number, 0 or more"),
        ('{ name = "A*", frontier = "astar", expanded = true }', HEAD, "expanded: a number or a text or a table"),
        ('{ name = "A*", frontier = "astar", expanded = {} }', HEAD, "expanded: there is no figure"),
        ('{ name = "A*", frontier = "astar", expanded = {9 = 1} }', HEAD, "expanded: there is no board '9'"),
        ('{ name = "A*", frontier = "astar", expanded = "x" }', HEAD, "expanded: a number, a table of boards, or"),
        ('{ name = "A*", frontier = "astar", expanded = "../x.csv:a" }', HEAD, "expanded: a number, a table of"),
        ('{ name = "A*", frontier = "astar", expanded = "x.csv:a" }', HEAD, "x.csv: no such file"),
        ('{ name = "A*", frontier = "astar:weight", expanded = 20 }', HEAD, "frontier: "),
        ('{ name = "A*", frontier = "astar", expanded = 2, boards = ["8"] }', HEAD, "boards: there is no board '8'"),
        ('{ name = "growth", layers = [1, 0] }', HEAD, "layers: numbers of states from 1 on"),
        (ROW, HEAD.replace("1999", "99"), "table[1].year: a year is wanted, not 99"),
        (ROW, HEAD.replace('["A. Bee", "C. Dee"]', "[]"), "table[1].authors: a list of names is wanted"),
        (ROW, HEAD.replace("On puzzles", " "), "table[1].venue: say where"),
        (ROW, HEAD + "[", "published.toml: "),
    ],
)
def test_a_fault_of_the_file_is_one_clear_line(publish, rows, head, said):
    folder = publish(rows, head)
    with pytest.raises(UsageError) as caught:
        published_rows(folder)
    line = str(caught.value)
    assert line.startswith(str(folder / "published.toml"))
    assert said in line
    assert "\n" not in line
