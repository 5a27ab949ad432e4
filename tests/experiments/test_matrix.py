"""The matrix holds every combination that makes sense, and says why each of the others is none."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.components import bind, fingerprints_of
from searchlab.experiments.matrix import matrix
from searchlab.experiments.specification import Exclusion, Experiment, Generation, read_experiment
from searchlab.search.solve import checked, problem

SLIDING = "3\n1 2 3\n0 4 6\n7 5 8\n"
PLUGIN = """
from searchlab import Board, Defaults, Domain, Frontier, Generator, Heuristic, hookimpl


def noise(tiles, seed=0, scale=1.0):
    return 0.0


def asks(tiles, ruler):
    return 0.0


def own_loop(problem, watch):
    raise NotImplementedError


def shuffling(g, h, seed=0):
    return h


def broken(random):
    raise ValueError("no board today")


def of_any_game(random, size=2):
    return Board([[1] * size])


@hookimpl
def searchlab_heuristics():
    yield Heuristic("noise", noise, aliases=("static",))
    yield Heuristic("asks", asks)
    yield Heuristic("snake", noise)


@hookimpl
def searchlab_frontiers():
    yield Frontier("own-loop", run=own_loop)
    yield Frontier("shuffling", shuffling)


@hookimpl
def searchlab_generators():
    yield Generator("broken", broken, domains={"2048"})
    yield Generator("any", of_any_game)


@hookimpl
def searchlab_domains():
    if NEEDS_DOMAIN:
        yield Domain(
            "line", lambda board: [], lambda board: True, why_invalid=why_invalid,
            defaults=Defaults(frontier="greedy"),
        )
        yield Domain("fails", lambda board: [], lambda board: True, why_invalid=fails)


def why_invalid(board):
    return "" if board.shape[0] == 1 else "not one row"


def fails(board):
    return 1 / 0


NEEDS_DOMAIN = {needs_domain}
"""


@pytest.fixture(scope="module")
def shipped():
    return sl.Plugins()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def mine(folder):
    """The plugins, and a file with one of every sort."""
    Path("mine.py").write_text(PLUGIN.replace("{needs_domain}", "False"), encoding="utf-8")
    return sl.Plugins(files=["mine.py"])


@pytest.fixture
def with_domains(folder):
    """The same, with two domains of its own: one of lines, and one that fails when it is asked for its boards."""
    Path("lines.py").write_text(PLUGIN.replace("{needs_domain}", "True"), encoding="utf-8")
    return sl.Plugins(files=["lines.py"])


def plugins_of(run):
    """Return the names of the plugins whose code a run uses, without those of the values that it reaches."""
    return {name for name in run.plugins if ":" not in name}


def skipped(found):
    """Return the number of skipped runs and the parts concerned, by reason."""
    return {each.reason: (each.count, each.what) for each in found.skipped}


def named(found):
    """Return the names of the runs."""
    return [
        (
            run.instance.name,
            run.parts["domain"],
            run.parts["heuristic"],
            run.parts["frontier"],
            run.seed,
            run.repetition,
        )
        for run in found.runs
    ]


def test_every_combination_in_a_fixed_order(shipped):
    """Board by board, heuristics, frontiers, repetitions; parameters as they are by default are left out."""
    experiment = Experiment(
        boards=["2048/board10", "2048/start"],
        heuristics=["snake", "left-weighted:corner=-2"],
        frontiers=["greedy", "beam:width=100"],
        repetitions=2,
        limits=sl.Limits(3.0),
        engine="readable",
        batch=5,
    )
    found = matrix(experiment, shipped)
    assert named(found) == [
        (board, "2048", heuristic, frontier, None, repetition)
        for board in ("2048/board10", "2048/start")
        for heuristic in ("snake", "left-weighted:corner=-2")
        for frontier in ("greedy", "beam")
        for repetition in (1, 2)
    ]
    assert found.skipped == []
    assert {(run.limits, run.engine, run.batch) for run in found.runs} == {(sl.Limits(3.0), "readable", 5)}
    assert (len(found.boards), found.domains, found.frontiers) == (2, ("2048",), ("greedy", "beam"))
    assert found.runs[0].instance.rows == ((256, 8, 0, 2), (256, 8, 16, 2), (512, 4, 0, 0), (1024, 0, 0, 0))
    assert [run.instance.optimal for run in found.runs[::8]] == [3, 1033]


def test_too_many_runs_are_refused_before_any_is_made(shipped):
    """The lengths of all axes are multiplied first."""
    experiment = Experiment(
        boards=["2048/board10", "2048/diagonal"],
        heuristics=["snake", "left-weighted"],
        frontiers=["beam", "greedy"],
        seeds=range(1000),
        repetitions=10**6,
    )
    with pytest.raises(UsageError, match=r"^8,000,000,000 runs; an experiment can have 10,000,000$"):
        matrix(experiment, shipped)


def test_omitted_components_are_the_defaults_of_the_domain(shipped):
    """The domain is that of set.toml."""
    found = matrix(Experiment(boards=["2048/board10", "sliding-tile/korf100/001"]), shipped)
    assert named(found) == [
        ("2048/board10", "2048", "searchlab/left-weighted", "searchlab/greedy", None, 1),
        ("sliding-tile/korf100/001", "sliding-tile:goal=blank-first", "searchlab/taxicab", "searchlab/astar", None, 1),
    ]


def test_heuristics_run_in_their_domains_only(shipped):
    """The reason is the one that `solve` gives."""
    found = matrix(
        Experiment(boards=["2048/board10", "sliding-tile/example"], heuristics=["snake", "taxicab"]), shipped
    )
    assert [(run.parts["domain"], run.parts["heuristic"]) for run in found.runs] == [
        ("2048", "snake"),
        ("sliding-tile", "taxicab"),
    ]
    reasons = skipped(found)
    assert [what for _, what in reasons.values()] == [("taxicab on 2048",), ("snake on sliding-tile",)]
    assert next(iter(reasons)).startswith("heuristic 'taxicab' is made for sliding-tile, not for 2048; for that")


def test_boards_a_domain_refuses_are_skipped(shipped):
    """Each domain gets the boards that can be its own."""
    experiment = Experiment(
        boards=["2048/board10", "sliding-tile/example"],
        domains=["2048:goal=512", "sliding-tile"],
        heuristics=["left-weighted", "taxicab"],
        repetitions=3,
    )
    found = matrix(experiment, shipped)
    assert len(found.runs) == 6
    assert found.combinations == 2 * 2 * 2 * 3
    (of_2048,) = [value for reason, value in skipped(found).items() if reason.startswith("not a board of 2048:goal=51")]
    assert of_2048 == (6, ("sliding-tile/example",))


def test_optimal_costs_belong_to_the_domain_of_the_set(shipped):
    """The optimal cost of the start board is for the goal 2048."""
    found = matrix(Experiment(boards=["2048/start"], domains=["2048", "2048:goal=512"]), shipped)
    assert [(run.parts["domain"], run.instance.optimal) for run in found.runs] == [
        ("2048", 1033),
        ("2048:goal=512", None),
    ]


def test_invalid_combinations_are_skipped(mine):
    """Scores in ida-star, late detection in batches, a loop of its own compiled, what a heuristic asks in vain."""
    experiment = Experiment(
        boards=["2048/board10"],
        heuristics=["left-weighted", "moves-to-go", "asks"],
        frontiers=["ida-star", "astar:duplicates=late", "own-loop"],
        batch=10,
        engine="compiled",
    )
    found = matrix(experiment, mine)
    assert [(run.parts["heuristic"], run.parts["frontier"]) for run in found.runs] == [("moves-to-go", "ida-star")]
    reasons = skipped(found)
    assert [(reason[:50], count) for reason, (count, _) in reasons.items()] == [
        ("ida-star needs an estimate of the cost to go, and ", 1),
        ("astar cannot detect duplicates late in batches of ", 2),
        ("frontier own-loop has no compiled form", 2),
        ("heuristic asks asks for 'ruler', which has no defa", 3),
    ]
    assert reasons["frontier own-loop has no compiled form"][1] == (
        "left-weighted with own-loop on 2048",
        "moves-to-go with own-loop on 2048",
    )


def test_exclusions_skip_runs_that_meet_all_their_conditions(shipped):
    """Names without parameters match all parameters; an exclusion without effect is reported."""
    experiment = Experiment(
        boards=["2048/board10", "2048/start", "2048/diagonal"],
        domains=["2048"],
        heuristics=["snake", "left-weighted", "left-weighted:corner=3"],
        frontiers=["greedy", "beam:width=10", "beam:width=20"],
        exclude=[
            Exclusion(heuristic="left-weighted", frontier="beam:width=10"),
            Exclusion(frontier="beam", board="2048/st*"),
            Exclusion(heuristic="left-weighted:corner=3", board="board10.txt"),
            Exclusion(board="diagonal"),
            Exclusion(heuristic="penalty"),
            Exclusion(domain="2048:goal=4", board="*"),
        ],
    )
    found = matrix(experiment, shipped)
    assert [(run.instance.name, run.parts["heuristic"], run.parts["frontier"]) for run in found.runs] == [
        ("2048/board10", "snake", "greedy"),
        ("2048/board10", "snake", "beam:width=10"),
        ("2048/board10", "snake", "beam:width=20"),
        ("2048/board10", "left-weighted", "greedy"),
        ("2048/board10", "left-weighted", "beam:width=20"),
        ("2048/start", "snake", "greedy"),
        ("2048/start", "left-weighted", "greedy"),
        ("2048/start", "left-weighted:corner=3", "greedy"),
    ]
    assert found.unused == ("heuristic penalty", "board *, domain 2048:goal=4")
    assert skipped(found)["excluded: board diagonal"][0] == 7
    assert found.combinations == 27


def test_a_plugin_file_is_excluded_by_its_file(mine):
    """A bare function has no other name."""
    Path("bare.py").write_text("def one(tiles): return 1.0\ndef two(tiles): return 2.0\n", encoding="utf-8")
    found = matrix(
        Experiment(
            boards=["2048/board10"],
            heuristics=["bare.py:one", "bare.py:two"],
            exclude=[Exclusion(heuristic="bare.py:one")],
        ),
        mine,
    )
    assert [run.parts["heuristic"] for run in found.runs] == ["bare.py:two"]


def test_a_search_without_heuristic_runs_once(shipped):
    """And has none, whichever are named."""
    experiment = Experiment(
        boards=["sliding-tile/example"],
        heuristics=["snake", "taxicab", "misplaced", "euclidean"],
        frontiers=["breadth-first", "astar"],
        exclude=[Exclusion(heuristic="taxicab", frontier="breadth-first")],
    )
    found = matrix(experiment, shipped)
    alone = [run for run in found.runs if run.parts["frontier"] == "breadth-first"]
    assert [run.parts for run in alone] == [{"domain": "sliding-tile", "frontier": "breadth-first"}]
    fewer = matrix(replace(experiment, heuristics=["euclidean"], exclude=[]), shipped)
    assert [run.identity for run in fewer.runs if "heuristic" not in run.parts] == [alone[0].identity]
    assert skipped(found)["it asks for no heuristic: it runs once"] == (1, ("breadth-first",))


def test_only_components_with_a_seed_run_with_every_seed(mine):
    """A name that includes a seed has only this one."""
    experiment = Experiment(
        boards=["2048/board10"],
        heuristics=["noise", "noise:seed=0,scale=2", "penalty"],
        frontiers=["astar", "breadth-first", "shuffling"],
        seeds=[5, 6],
        repetitions=2,
    )
    found = matrix(experiment, mine)
    seeds = {}
    for run in found.runs:
        seeds.setdefault((run.parts.get("heuristic"), run.parts["frontier"]), []).append((run.seed, run.repetition))
    without, each = [(None, 1), (None, 2)], [(5, 1), (5, 2), (6, 1), (6, 2)]
    assert seeds == {
        ("noise", "astar"): each,
        (None, "breadth-first"): without,
        ("noise", "shuffling"): each,
        ("noise:scale=2,seed=0", "astar"): without,
        ("noise:scale=2,seed=0", "shuffling"): each,
        ("penalty", "astar"): without,
        ("penalty", "shuffling"): each,
    }
    assert skipped(found)["nothing in it takes a seed: it runs once, without one"] == (
        6,
        ("noise with breadth-first", "noise:scale=2,seed=0 with astar", "penalty with astar"),
    )
    bound = [tuple(bind(run.parts, run.seed, mine).values()) for run in found.runs]
    assert [bound[k][1].values.get("seed") for k in (0, 2, 10)] == [5, 6, 0]
    assert [frontier.values["seed"] for *_, frontier in bound if frontier.name == "shuffling"] == [5, 5, 6, 6] * 3


def test_aliases_and_equal_boards_run_once(shipped):
    """Aliases, the plugin's name before it, parameters as they are by default, other files with the same board."""
    experiment = Experiment(
        boards=["sliding-tile/example", "sliding-tile/ex*", "sliding-tile/puzzle8-20"],
        domains=["sliding-tile", "sliding-tile:goal=blank-last"],
        heuristics=["manhattan", "taxicab"],
        frontiers=["astar", "searchlab/a*", "weighted-astar", "weighted-astar:weight=2"],
    )
    found = matrix(experiment, shipped)
    assert [(run.parts["heuristic"], run.parts["frontier"]) for run in found.runs] == [
        ("taxicab", "astar"),
        ("taxicab", "weighted-astar"),
    ] * 2
    assert skipped(found)["named twice: it runs once"][1] == (
        "sliding-tile:goal=blank-last is sliding-tile",
        "taxicab is manhattan",
        "searchlab/a* is astar",
        "weighted-astar:weight=2 is weighted-astar",
    )
    assert found.combinations == 2 * 2 * 2 * 4


def test_two_files_with_the_same_tiles_are_one_board(folder, shipped):
    """It has the name of the first."""
    for name in ("a.txt", "b.txt"):
        Path(name).write_text(SLIDING)
    found = matrix(Experiment(boards=["."]), shipped)
    assert [run.instance.name for run in found.runs] == ["a.txt"]
    assert skipped(found) == {"the same board again: it runs once": (1, ("b.txt is a.txt",))}


@pytest.mark.parametrize(("first", "second"), [("bad", "good"), ("good", "zbad")])
def test_a_board_that_cannot_be_read_is_a_run_with_a_fault(folder, shipped, first, second):
    """In the domain of its neighbours, with all that they are searched with."""
    for name in (first, second):
        Path(f"{name}.txt").write_text("3\n1 2\n" if "bad" in name else SLIDING)
    found = matrix(
        Experiment(boards=["*.txt"], frontiers=["astar", "ida-star"], heuristics=["taxicab", "snake"]), shipped
    )
    bad = [run for run in found.runs if run.instance.rows is None]
    assert len(found.runs) == 4
    assert [(run.parts["domain"], run.parts["heuristic"], run.parts["frontier"]) for run in bad] == [
        ("sliding-tile", "taxicab", "astar"),
        ("sliding-tile", "taxicab", "ida-star"),
    ]
    assert "bad.txt" in bad[0].instance.fault
    assert found.combinations == 8


def test_unreadable_boards_need_a_domain(folder, shipped):
    """Then they are runs with a fault."""
    Path("bad.txt").write_text("nonsense")
    with pytest.raises(UsageError, match=r"^boards: bad\.txt.*; and no domain is named$"):
        matrix(Experiment(boards=["bad.txt"]), shipped)
    found = matrix(Experiment(boards=["bad.txt"], domains=["2048"]), shipped)
    assert [run.instance.name for run in found.runs] == ["bad.txt"]


def test_a_file_of_another_domain_of_the_experiment_is_skipped(shipped):
    """The other domain reads the file, or reports what is wrong with it."""
    domains = ["sliding-tile", "grid-map", "strips"]
    found = matrix(Experiment(boards=["grid-map/maze.scen", "strips"], domains=domains, frontiers=["greedy"]), shipped)
    assert all(run.instance.rows for run in found.runs)
    assert {run.parts["domain"] for run in found.runs} == {"grid-map", "strips"}
    assert skipped(found)["not a board of strips: the file is one of grid-map"] == (1, ("grid-map/maze.scen",))


def test_a_broken_file_is_a_run_of_its_own_domain_only(folder, shipped):
    Path("bad.scen").write_text("version 2\n")
    found = matrix(Experiment(boards=["bad.scen"], domains=["strips", "grid-map"], frontiers=["greedy"]), shipped)
    assert [(run.parts["domain"], run.instance.name) for run in found.runs] == [("grid-map", "bad.scen")]


def test_a_board_of_no_game_is_skipped(folder, shipped):
    """The reason is that of the most likely game."""
    Path("odd.txt").write_text("2 2\n1 2\n3 5\n")
    found = matrix(Experiment(boards=["odd.txt", "2048/board10"], heuristics=["snake", "penalty"]), shipped)
    assert len(found.runs) == 2
    ((reason, value),) = skipped(found).items()
    assert reason.startswith("the tiles fit no game; for sliding-tile: ")
    assert reason.endswith("; say which in domains")
    assert value == (2, ("odd.txt",))


def test_boards_are_generated(shipped):
    """The name says generator, seed, and the domain where that has parameters; the first that fits is taken."""
    experiment = Experiment(
        generate=[Generation("shuffled:n=3", count=2, seed=8), Generation("walk:n=3,moves=0", "sliding-tile")],
        domains=["2048", "sliding-tile:goal=blank-first"],
        heuristics=["taxicab"],
    )
    found = matrix(experiment, shipped)
    assert [run.instance.name for run in found.runs] == [
        "shuffled:n=3 seed 8 of sliding-tile:goal=blank-first",
        "shuffled:n=3 seed 9 of sliding-tile:goal=blank-first",
        "walk:n=3,moves=0 seed 1",
    ]
    assert {run.parts["domain"] for run in found.runs} == {"sliding-tile:goal=blank-first"}
    generator = sl.generator("shuffled:n=3", domain="sliding-tile:goal=blank-first")
    assert sl.Board(found.runs[1].instance.rows) == generator(9)
    alone = matrix(Experiment(generate=[Generation("played")]), shipped)
    assert named(alone) == [("played seed 1", "2048", "searchlab/left-weighted", "searchlab/greedy", None, 1)]


def test_a_generator_that_fails_makes_runs_with_a_fault(mine):
    """One of many games needs to be told which."""
    found = matrix(Experiment(generate=[Generation("broken", count=2)]), mine)
    assert [run.instance.rows for run in found.runs] == [None, None]
    assert "no board today" in found.runs[0].instance.fault
    with pytest.raises(UsageError, match=r"generate\[1\]: generator any makes boards of several games: say which with"):
        matrix(Experiment(generate=[Generation("any")]), mine)
    (run,) = matrix(Experiment(generate=[Generation("any:size=1")], domains=["2048"]), mine).runs
    assert run.instance.fault.startswith("generator any:size=1 made no board from the seed 1: not one of 2048")


def test_a_domain_without_a_default_heuristic_needs_one_for_frontiers_that_use_h(with_domains):
    """A domain that fails on a board has runs that report it."""
    Path("line.txt").write_text("1 2\n1 2\n")
    found = matrix(Experiment(boards=["line.txt"], domains=["line"]), with_domains)
    assert skipped(found) == {
        "line has no heuristic of its own: name one in heuristics, or by --heuristic": (1, ("greedy on line",))
    }
    frontiers = ["astar", "breadth-first", "greedy", "uniform-cost"]
    found = matrix(Experiment(boards=["line.txt"], domains=["line"], frontiers=frontiers), with_domains)
    assert [run.parts for run in found.runs] == [
        {"domain": "line", "frontier": "breadth-first"},
        {"domain": "line", "frontier": "uniform-cost"},
    ]
    assert (found.heuristics, found.frontiers) == ((), ("breadth-first", "uniform-cost"))
    assert list(skipped(found).values()) == [(2, ("astar on line", "greedy on line"))]
    found = matrix(Experiment(boards=["line.txt"], domains=["line", "fails"], heuristics=["noise"]), with_domains)
    assert [(run.parts["domain"], run.parts["frontier"]) for run in found.runs] == [
        ("line", "greedy"),
        ("fails", "astar"),
    ]


def test_ambiguous_names_are_recorded_in_full(mine):
    """With the plugin's name, or the file's."""
    experiment = Experiment(
        boards=["2048/board10"],
        heuristics=["searchlab/snake", "mine/snake", "mine.py:snake:scale=1", "mine/static", "mine.py:noise:scale=3"],
        frontiers=["searchlab/greedy"],
    )
    runs = matrix(experiment, mine).runs
    assert [run.parts["heuristic"] for run in runs] == [
        "searchlab/snake",
        "mine/snake",
        "mine/noise",
        "mine.py:noise:scale=3",
    ]
    assert {run.parts["frontier"] for run in runs} == {"searchlab/greedy"}
    for run in runs:
        assert run.plugins == fingerprints_of(run.parts, mine)
        assert plugins_of(run) == {"searchlab/twenty48", "searchlab/frontiers"} | (
            set() if run.parts["heuristic"] == "searchlab/snake" else {"mine"}
        )


def test_the_folder_of_a_plugin_file_is_not_part_of_the_identity(folder):
    Path("sub").mkdir()
    Path("sub/mine.py").write_text("def flat(tiles): return 0.0\n")
    Path("mine.py").write_text("def flat(tiles): return 0.0\n")
    here, there = (
        matrix(Experiment(boards=["2048/board10"], heuristics=[f"{place}mine.py:flat"]), sl.Plugins()).runs[0]
        for place in ("", "sub/")
    )
    assert (here.parts["heuristic"], there.parts["heuristic"]) == ("mine.py:flat", "sub/mine.py:flat")
    assert here.identity == there.identity


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('heuristics = ["snak"]', "line 2: heuristics: no heuristic is called 'snak': did you mean 'snake'"),
        (
            'frontiers = ["beam:widht=3"]',
            "line 2: frontiers: frontier beam has no parameter 'widht': did you mean 'width'",
        ),
        ('frontiers = ["beam:width=0"]', "line 2: frontiers: frontier beam: width=0: a beam is from 1 to"),
        ('domains = ["2049"]', "line 2: domains: no domain is called '2049': did you mean '2048'"),
        (
            '[[exclude]]\nfrontier = "asta"',
            "line 3: exclude[1].frontier: no frontier is called 'asta': did you mean 'astar'",
        ),
        ('[[exclude]]\nfrontier = "beam:w=1"', "line 3: exclude[1].frontier: frontier beam has no parameter 'w'"),
        ('[[generate]]\ngenerator = "shufled"', "line 2: generate[1]: no generator is called 'shufled': did you mean"),
        ('[[generate]]\ngenerator = "walk:n=1"', "line 2: generate[1]: generator walk: n=1: the side of a board"),
        ('[[generate]]\ngenerator = "walk"\ndomain = "x"', "line 2: generate[1]: no domain is called 'x'"),
        (
            '[[generate]]\ngenerator = "walk"\ndomain = "2048"',
            "line 2: generate[1]: generator 'walk' is made for sliding",
        ),
        ("# nothing", "line 1: boards: 2048/bord10: no such file, and no board of that name ships with searchlab; did"),
    ],
)
def test_an_unknown_name_is_an_error_with_its_line(folder, shipped, line, message):
    """It is not skipped."""
    board = "2048/bord10" if line == "# nothing" else "2048/board10"
    Path("my.toml").write_text(f'boards = ["{board}"]\n{line}\n')
    with pytest.raises(UsageError) as raised:
        matrix(read_experiment("my.toml"), shipped)
    assert str(raised.value).startswith(f"my.toml, {message}")
    assert "\n" not in str(raised.value)


def test_an_invalid_domain_in_set_toml_is_refused(folder, shipped):
    """Unless the experiment names domains."""
    Path("a.txt").write_text(SLIDING)
    Path("set.toml").write_text('domain = "slide"\n[optimal]\na = 3\n')
    with pytest.raises(UsageError, match=r"^boards: the domain of a\.txt: no domain is called 'slide'"):
        matrix(Experiment(boards=["a.txt"]), shipped)
    (run,) = matrix(Experiment(boards=["a.txt"], domains=["sliding-tile"]), shipped).runs
    assert run.instance.optimal is None


def test_games_of_chance_are_skipped_with_the_reason(shipped):
    """They are played, not searched; an exclusion may name one by its preset."""
    domains = ("2048-random:preset=cs61b", "2048-random:n=5", "2048")
    exclude = [Exclusion(domain="2048-random:n=5")]
    found = matrix(Experiment(boards=["2048/board10"], domains=domains, frontiers=["greedy"], exclude=exclude), shipped)
    assert [run.parts["domain"] for run in found.runs] == ["2048"]
    reasons = {skipped.reason: skipped.what for skipped in found.skipped}
    said = (
        "2048-random is a game of chance, which has no path to search for: play it"
        "; sl.exact_values and the player exact solve small ones"
    )
    assert reasons[said] == ("searchlab/smooth with greedy on 2048-random:preset=cs61b",)
    assert found.combinations == 3
    assert not found.unused


BOARDS = ("2048/board10", "2048/start", "sliding-tile/example", "sliding-tile/korf100/001", "sliding-tile/puzzle8-20")
DOMAINS = (
    *("2048", "2048:goal=512", "sliding-tile", "sliding-tile:goal=blank-first", "searchlab/sliding-tile"),
    "2048-random:preset=cs61b",
)
HEURISTICS = ("snake", "left-weighted", "left-weighted:corner=2", "moves-to-go", "taxicab", "manhattan", "misplaced")
FRONTIERS = ("greedy", "astar", "astar:duplicates=late", "beam:width=3", "beam", "ida-star", "breadth-first", "a*")


def some(names, least=0):
    return st.lists(st.sampled_from(names), min_size=least, max_size=4).map(tuple)


def mostly_empty(names):
    return st.just("") | st.sampled_from(names)


experiments = st.builds(
    Experiment,
    boards=some(BOARDS, 1),
    domains=some(DOMAINS),
    heuristics=some(HEURISTICS),
    frontiers=some(FRONTIERS),
    seeds=st.lists(st.integers(0, 9), max_size=3, unique=True),
    repetitions=st.integers(1, 3),
    batch=st.sampled_from((None, 7)),
    exclude=st.lists(
        st.builds(
            Exclusion, mostly_empty(("2048/*", "example")), *map(mostly_empty, (DOMAINS[:4], HEURISTICS, FRONTIERS))
        ).filter(str),
        max_size=2,
    ),
)


@given(experiment=experiments)
def test_runs_and_skipped_combinations_are_all_combinations(shipped, experiment):
    """Each run can be searched, none is another's double, and every combination is accounted for."""
    found = matrix(experiment, shipped)
    boards = len(dict.fromkeys(experiment.boards))
    axes = (experiment.domains, experiment.heuristics, experiment.frontiers, experiment.seeds)
    combinations = boards * experiment.repetitions
    for axis in axes:
        combinations *= max(1, len(axis))
    assert found.combinations == combinations
    assert len({run.identity for run in found.runs}) == len(found.runs)
    for each in found.skipped:
        assert each.reason
        assert each.what
        assert each.count
    for run in found.runs:
        bound = bind(run.parts, run.seed, shipped)
        board = sl.Board(run.instance.rows)
        bound["domain"].check(board)
        checked(problem(board, **bound, plugins=shipped), run.engine, run.batch)
        assert run.plugins == fingerprints_of(run.parts, shipped)
    assert list(matrix(Experiment.from_json(experiment.as_json()), shipped).runs) == list(found.runs)


ROOT = Path(__file__).parents[2]
PLAYERS = Path(__file__).parents[1] / "plugin_files" / "players_of_all_sorts.py"


@pytest.fixture(scope="module")
def with_players():
    return sl.Plugins(files=[str(PLAYERS)])


def made(with_players, **experiment):
    """Return the matrix of an experiment."""
    return matrix(Experiment(**experiment), with_players)


def reasons(found):
    """Return the number of skipped runs and the parts concerned, by reason."""
    return {each.reason: (each.count, each.what) for each in found.skipped}


def test_without_boards_games_begin_with_the_start_of_their_domain(with_players):
    """Each player plays each seed in each domain; by default the game that is played by default, with seed 0."""
    found = made(with_players, players=["random", "greedy"], domains=["2048-random", "2048-random:n=3"], seeds=[4, 5])
    assert [(run.parts["domain"], run.parts["player"], run.seed) for run in found.runs] == [
        (domain, player, seed)
        for domain in ("2048-random", "2048-random:n=3")
        for player in ("random", "greedy")
        for seed in (4, 5)
    ]
    assert all(run.instance.is_opening for run in found.runs)
    assert (found.boards, found.players, found.skipped) == ((), ("random", "greedy"), [])
    (run,) = made(with_players, players=["greedy"]).runs
    assert (run.parts["domain"], run.seed) == ("2048-random", 0)


def test_boards_are_played_in_the_domain_of_their_set(with_players):
    found = made(with_players, boards=["2048/board10", "sliding-tile/puzzle8-20"], players=["random"], seeds=[1])
    assert [(run.instance.name, run.parts["domain"]) for run in found.runs] == [
        ("2048/board10", "2048"),
        ("sliding-tile/puzzle8-20", "sliding-tile"),
    ]


def test_impossible_games_are_skipped_with_a_reason(with_players):
    """Players and heuristics of other games, domains without a start board, exclusions, and what is the same again."""
    found = made(
        with_players,
        domains=["2048-random", "sliding-tile"],
        players=["spins", "greedy:heuristic=taxicab", "greedy", "greedy:heuristic=smooth", "random"],
        seeds=[1, 2],
        exclude=[Exclusion(player="random"), Exclusion(player="greedy:heuristic=snake")],
    )
    assert [
        (run.parts["domain"], run.parts["player"]) for run in found.runs if run.parts["domain"] == "2048-random"
    ] == [
        *[("2048-random", "spins")] * 2,
        *[("2048-random", "greedy")] * 2,
    ]
    said = reasons(found)
    assert said["named twice: it runs once"] == (2, ("greedy:heuristic=smooth is greedy",))
    assert said["excluded: player random"][0] >= 2
    (of_others,) = [what for reason, (_, what) in said.items() if "'taxicab' is made for sliding-tile" in reason]
    assert of_others == ("greedy:heuristic=taxicab on 2048-random",)
    assert found.unused == ("player greedy:heuristic=snake",)
    assert found.combinations == 20


def test_games_without_chance_are_played_once(with_players):
    found = made(with_players, domains=["2048"], players=["greedy", "random", "counts"], seeds=[1, 2, 3])
    assert [(run.parts["player"], run.seed) for run in found.runs] == [
        ("greedy", None),
        *(("random", seed) for seed in (1, 2, 3)),
        *(("counts", seed) for seed in (1, 2, 3)),
    ]
    assert reasons(found) == {"nothing in it takes a seed: it runs once, without one": (2, ("greedy",))}


def test_the_code_of_player_heuristic_and_domain_is_part_of_a_game(with_players):
    """So is a heuristic in a file of one's own, whose folder does not count."""
    (run,) = made(with_players, players=["spins"], seeds=[1]).runs
    assert plugins_of(run) == {"players_of_all_sorts", "searchlab/twenty48"}
    assert run.plugins == fingerprints_of(run.parts, with_players)
    hangs = PLAYERS.with_name("hangs.py")
    (run,) = made(with_players, players=[f"greedy:heuristic=[{hangs}:hoards]"], seeds=[1]).runs
    assert plugins_of(run) == {"searchlab/players", "hangs", "searchlab/twenty48"}


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("gredy", r"^players: .*did you mean 'greedy'"),
        ("greedy:depth=3", r"^players: player greedy has no parameter 'depth'"),
        ("greedy:heuristic=snail", r"^players: .*snail"),
        ("expectimax:depth=deep", r"^players: player expectimax: depth is a number, not 'deep'"),
    ],
)
def test_an_unknown_player_is_refused(with_players, player, message):
    """Before games are played."""
    with pytest.raises(UsageError, match=message):
        made(with_players, players=["random", player])


def test_the_experiment_on_smooth():
    """Every coefficient as it is, left out and doubled; all play the same games."""
    found = matrix(read_experiment(ROOT / "experiments" / "smooth.toml"), sl.Plugins())
    varied = {"merges": 1400, "monotonicity": 50, "blanks": 850, "total": 22.6}
    before = "expectimax:heuristic=[smooth:blanks=270,monotonicity=47,steepness=4,total=11,growth=3.5],depth=2"
    players = {f"smooth:{name}={value}" for name, doubled in varied.items() for value in (0, doubled)}
    assert set(found.players) == {
        "expectimax:heuristic=smooth,depth=2",
        before,
        *(f"expectimax:heuristic=[{h}],depth=2" for h in players),
    }
    assert {(run.parts["player"], run.seed) for run in found.runs} == {
        (player, seed) for player in found.players for seed in range(1, 31)
    }
    assert found.skipped == []
    own = {parameter.name: parameter.default for parameter in sl.heuristic("smooth").component.own_parameters()}
    assert {name: doubled / 2 for name, doubled in varied.items()} == {name: own[name] for name in varied}


def test_an_edited_heuristic_makes_different_runs(shipped, folder):

    def identity(code):
        Path("mine.py").write_text(f"def h(tiles):\n    return {code}\n")
        (run,) = matrix(Experiment(boards=["2048/board10"], heuristics=["mine.py:h"]), shipped).runs
        return run.identity

    assert identity("tiles[0, 0]") != identity("tiles[1, 0]")
    assert identity("tiles[1, 0]") == identity("tiles[1, 0]  # the same code")


def test_frontiers_with_a_random_order_run_with_every_seed(shipped):
    """Unless they name a seed themselves; other orders take none."""
    frontiers = ["greedy:order=random", "greedy:order=random,seed=7", "greedy"]
    found = matrix(Experiment(boards=["sliding-tile/puzzle8-20"], frontiers=frontiers, seeds=[1, 2, 3]), shipped)
    assert [(run.parts["frontier"], run.seed) for run in found.runs] == [
        *((frontiers[0], seed) for seed in (1, 2, 3)),
        (frontiers[1], None),
        (frontiers[2], None),
    ]


def test_blocks_are_united_and_a_run_of_two_blocks_is_one_run(shipped):
    """Each block is a product of its own, with its own limits; the runs keep the order of the blocks."""
    tiles = Experiment(name="tiles", boards=["sliding-tile/example"], heuristics=["taxicab"], frontiers=["greedy"])
    blocks = [
        tiles,
        Experiment(name="more", boards=tiles.boards, heuristics=["misplaced", "taxicab"], frontiers=["greedy"]),
        Experiment(name="limited", boards=["2048/board10"], frontiers=["greedy"], limits=sl.Limits(1.0)),
    ]
    found = matrix(Experiment(runs=blocks), shipped)
    alone = [matrix(block, shipped) for block in blocks]
    assert [len(block.runs) for block in found.blocks] == [1, 2, 1]
    assert [run.identity for run in found.runs] == [
        *(run.identity for run in (*alone[0].runs, alone[1].runs[0])),
        alone[2].runs[0].identity,
    ]
    assert [run.limits for run in found.runs] == [sl.Limits(), sl.Limits(), sl.Limits(1.0)]
    assert found.boards == ("sliding-tile/example", "2048/board10")
    assert found.code.keys() == {"domain", "heuristic", "frontier"}
    assert found.code["domain"].keys() == {"sliding-tile", "2048"}


def test_an_exclusion_counts_as_unused_only_if_no_block_uses_it(shipped):
    exclude = [Exclusion(heuristic="taxicab"), Exclusion(heuristic="gap")]
    blocks = [
        Experiment(boards=["sliding-tile/example"], heuristics=[name], frontiers=["greedy"], exclude=exclude)
        for name in ("misplaced", "taxicab")
    ]
    found = matrix(Experiment(runs=blocks), shipped)
    assert (len(found.runs), found.unused) == (1, ("heuristic gap",))


def test_mistakes_in_a_block_are_told_with_the_block(shipped, tmp_path):
    file = tmp_path / "e.toml"
    file.write_text("boards = ['2048']\nheuristics = ['snaek']\n[[runs]]\nheuristics = ['snake']\n[[runs]]\n")
    with pytest.raises(UsageError, match=r"e\.toml, line 2: heuristics: .*snake"):
        matrix(read_experiment(file), shipped)
    file.write_text("boards = ['2048']\n[[runs]]\n[[runs]]\nheuristics = ['snaek']")
    with pytest.raises(UsageError, match=r"e\.toml, line 4: runs\[2\]\.heuristics: .*snake"):
        matrix(read_experiment(file), shipped)


def test_lists_that_go_together_are_no_product(shipped):
    """Folders of boards and generated boards are written out; other lists are combined with each pair."""
    experiment = Experiment(
        boards=["sliding-tile/puzzle8-2[01]", "sliding-tile/example"],
        generate=[Generation("shuffled:n=3", "sliding-tile", 2, seed=7)],
        heuristics=["taxicab", "misplaced"],
        frontiers=["greedy:order=random"],
        seeds=[1, 2, 3, 4, 5],
        pair=["boards", "seeds"],
    )
    found = matrix(experiment, shipped)
    boards = [
        *("sliding-tile/puzzle8-20", "sliding-tile/puzzle8-21", "sliding-tile/example"),
        *(f"shuffled:n=3 seed {seed}" for seed in (7, 8)),
    ]
    assert [(run.instance.name, run.parts["heuristic"], run.seed) for run in found.runs] == [
        (board, heuristic, seed) for seed, board in enumerate(boards, 1) for heuristic in ("taxicab", "misplaced")
    ]
    assert (found.boards, found.skipped) == (tuple(boards), [])
    whole = matrix(replace(experiment, pair=()), shipped)
    assert {run.identity for run in found.runs} < {run.identity for run in whole.runs}


def test_boards_that_go_together_with_others_are_counted_when_they_are_known(shipped):
    experiment = Experiment(boards=["sliding-tile/puzzle8-2[01]"], seeds=[1, 2, 3], pair=["boards", "seeds"])
    with pytest.raises(UsageError, match=r"^pair: .* equally long, and these are not: boards 2, seeds 3$"):
        matrix(experiment, shipped)


def test_instances_of_one_file_go_together_with_frontiers(shipped):
    """An instance in a file of many is a board like others."""
    instances = [f"grid-map/rooms.scen#{number}" for number in (3, 1)]
    experiment = Experiment(
        boards=instances,
        domains=["grid-map", "grid-map"],
        frontiers=["greedy", "astar"],
        pair=["frontiers", "boards", "domains"],
    )
    found = matrix(experiment, shipped)
    assert [(run.instance.name, run.parts["frontier"]) for run in found.runs] == [
        (instances[0], "greedy"),
        (instances[1], "astar"),
    ]


def test_a_dry_run_of_boards_that_go_together_generates_the_first_only(shipped):
    generate = [Generation("shuffled:n=3", "sliding-tile", 20)]
    experiment = Experiment(generate=generate, frontiers=["greedy"], seeds=range(20), pair=["boards", "seeds"])
    found = matrix(experiment, shipped, most_generated=5)
    assert (len(found.runs), found.not_generated) == (5, 15)
