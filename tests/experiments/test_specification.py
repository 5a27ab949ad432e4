"""Experiment files: an invalid entry is an error of one line with its place."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.specification import Exclusion, Experiment, Generation, SpecificationError, read_experiment

EVERYTHING = """\
name = "all-keys"
description = "Which is better?"
boards = ["2048", "more/*.txt"]
domains = ["2048:goal=512", { name = "sliding-tile", goal = ["blank-first", "blank-last"] }]
heuristics = ["left-weighted", "mine.py:best"]
frontiers = [
    "greedy",
    { name = "beam", width = [10, 100] },
]
repetitions = 2
seeds = [7, "1-3"]
order-seed = 5
engine = "readable"
batch = 10

[[generate]]
generator = "shuffled:n=3"
domain = "sliding-tile"
count = 20
seed = 4

[limits]
time = "1m"
memory = "1GiB"
expansions = 1000

[[exclude]]
heuristic = "mine.py:best"
frontier = "beam"

[record]
solutions = false
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write an experiment file into the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="my.toml"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
        return name

    return write


def test_a_file_with_every_key(write):
    """Lists of parameters are spelled out, amounts are numbers."""
    assert read_experiment(write(EVERYTHING)) == Experiment(
        name="all-keys",
        description="Which is better?",
        boards=("2048", "more/*.txt"),
        generate=(Generation("shuffled:n=3", "sliding-tile", 20, 4),),
        domains=("2048:goal=512", "sliding-tile:goal=blank-first", "sliding-tile:goal=blank-last"),
        heuristics=("left-weighted", "mine.py:best"),
        frontiers=("greedy", "beam:width=10", "beam:width=100"),
        seeds=(7, 1, 2, 3),
        repetitions=2,
        order_seed=5,
        engine="readable",
        batch=10,
        limits=sl.Limits(60.0, 2**30, 1000),
        exclude=(Exclusion(heuristic="mine.py:best", frontier="beam"),),
        solutions=False,
    )


def test_a_file_of_games(write):
    """Players with lists of parameters, a heuristic and its file among them; boards need not be named."""
    write("", "here/mine.py")
    file = write(
        'players = ["greedy", { name = "greedy", heuristic = { name = "mine.py:h", k = [1, 2] } }]\n'
        "seeds = '1-3'\n[limits]\nmoves = 50\n[[exclude]]\nplayer = 'greedy'",
        "here/my.toml",
    )
    assert read_experiment(file) == Experiment(
        name="my",
        players=("greedy", "greedy:heuristic=[here/mine.py:h:k=1]", "greedy:heuristic=[here/mine.py:h:k=2]"),
        seeds=(1, 2, 3),
        most_moves=50,
        exclude=(Exclusion(player="greedy"),),
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('heuristics = ["snake"]', "line 2: heuristics"),
        ('frontiers = ["greedy"]', "line 2: frontiers"),
        ('engine = "readable"', "line 2: engine"),
        ("batch = 3", "line 2: batch"),
        ("[limits]\nexpansions = 3", "line 3: limits.expansions"),
    ],
)
def test_searches_and_games_are_not_mixed(write, text, place):
    """Keys for searches are refused beside players."""
    with pytest.raises(UsageError) as raised:
        read_experiment(write(f'players = ["greedy"]\n{text}'))
    said = "it is for searches, and players play games: make two experiments of it"
    assert str(raised.value) == f"my.toml, {place}: {said}"


def test_only_boards_are_needed(write):
    """The file's name is the experiment's; the rest is as in Python."""
    assert read_experiment(write('boards = ["2048"]')) == Experiment(name="my", boards=["2048"])


def test_files_beside_the_experiment_take_precedence(write):
    """Boards, patterns of boards and Python files, by their paths from the current folder."""
    write(sl.read_board("2048/board10").text(), "here/2048.txt")
    write("", "here/mine.py")
    file = write(
        'boards = ["2048.txt", "*.txt", "2048/board10"]\n'
        'heuristics = ["mine.py:h:corner=-2", "other.py:h", "snake"]\n'
        'exclude = [{ heuristic = "mine.py:h" }]\n'
        'generate = [{ generator = "mine.py:g" }]',
        "here/my.toml",
    )
    experiment = read_experiment(file)
    assert experiment.boards == ("here/2048.txt", "here/*.txt", "2048/board10")
    assert experiment.heuristics == ("here/mine.py:h:corner=-2", "other.py:h", "snake")
    assert experiment.exclude[0].heuristic == "here/mine.py:h"
    assert experiment.generate[0].generator == "here/mine.py:g"


@pytest.mark.parametrize(
    ("entry", "names"),
    [
        ('{ name = "greedy" }', ["greedy"]),
        (
            '{ name = "h", a = [1, 2.5], b = [true, false] }',
            ["h:a=1,b=yes", "h:a=1,b=no", "h:a=2.5,b=yes", "h:a=2.5,b=no"],
        ),
        ('{ name = "h", of = [["taxicab", "misplaced"], "taxicab"] }', ["h:of=[taxicab,misplaced]", "h:of=taxicab"]),
        (
            '{ name = "h", by = { name = "snake", k = [1, 2] }, n = 3 }',
            ["h:by=[snake:k=1],n=3", "h:by=[snake:k=2],n=3"],
        ),
        ('{ name = "mine.py:h", text = "a,b" }', ["mine.py:h:text=[a,b]"]),
    ],
)
def test_a_table_means_all_combinations_of_its_lists(write, entry, names):
    """Whatever can be spelled: numbers, texts, truth values, names with parameters, lists as one value."""
    assert read_experiment(write(f'boards = ["2048"]\nheuristics = [{entry}]')).heuristics == tuple(names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[limits]\ntiem = 3",
            "line 3: limits.tiem: there is no such key: did you mean 'time'? There are expansions,",
        ),
        (
            'heuristic = ["snake"]',
            "line 2: heuristic: there is no such key: did you mean 'heuristics'? There are batch",
        ),
        ("order_seed = 1", "line 2: order_seed: there is no such key: did you mean 'order-seed'?"),
        ("'a b' = 1", "line 2: a b: there is no such key: there are batch, boards,"),
        (
            "[[exclude]]\n[[exclude]]\nheuristik = 'x'",
            "line 4: exclude[2].heuristik: there is no such key: did you mean",
        ),
        ("[[generate]]\ncount = 3", "line 2: generate[1]: the key 'generator' is missing"),
        ("generate = 3", "line 2: generate: a list is wanted, not 3"),
        ("limits = '10s'", "line 2: limits: a table is wanted, not the text '10s'"),
        ("repetitions = 'two'", "line 2: repetitions: a whole number is wanted, not the text 'two'"),
        ("repetitions = 1.5", "line 2: repetitions: a whole number is wanted, not 1.5"),
        ("repetitions = 0", "line 2: repetitions: a whole number, 1 or more, is wanted, not 0"),
        ("order-seed = -1", "line 2: order-seed: a whole number, 0 or more, is wanted, not -1"),
        ("batch = true", "line 2: batch: a whole number is wanted, not true"),
        ("batch = 0", "line 2: batch: a whole number, 1 or more, is wanted, not 0"),
        ("engine = 'fast'", "line 2: engine: one of auto, compiled, readable is wanted, not 'fast'"),
        ("name = ''", "line 2: name: one line of text is wanted, not ''"),
        (
            "name = '../x'",
            "line 2: name: '../x' is not the name of a folder: its results go to results/NAME; leave out",
        ),
        (
            "name = 'C:\\x'",
            "line 2: name: 'C:\\\\x' is not the name of a folder: its results go to results/NAME; leave",
        ),
        ("name = '..'", "line 2: name: '..' is not the name of a folder: its results go to results/NAME"),
        ("heuristics = 'snake'", "line 2: heuristics: a list is wanted, not the text 'snake'"),
        ("heuristics = ['snake', 3]", "line 2: heuristics[2]: a text or a table is wanted, not 3"),
        ("frontiers = [\n  'greedy',\n  {width = 3},\n]", "line 2: frontiers[2]: a table here has a name: {name = "),
        (
            "frontiers = [{name = 'beam:width=3', ties = 1}]",
            "line 2: frontiers[1].name: parameters stand beside the name",
        ),
        ("frontiers = [{name = '', ties = 1}]", "line 2: frontiers[1].name: '': a name is missing"),
        (
            f"frontiers = [{{name = 'beam', {', '.join(f'p{k} = {list(range(10))}' for k in range(8))}}}]",
            "line 2: frontiers[1]: 100,000,000 combinations of parameters; there can be 1,000,000",
        ),
        ("frontiers = [{name = 'beam', width = []}]", "line 2: frontiers[1].width: an empty list leaves nothing to do"),
        (
            "frontiers = [{name = 'beam', width = 2020-01-01}]",
            "line 2: frontiers[1].width: a number, a text or true or",
        ),
        ("seeds = 'one'", "line 2: seeds: a seed is a whole number, 0 or more, or a range like 1-20, not 'one'"),
        ("seeds = [-1]", "line 2: seeds: a seed is a whole number, 0 or more, or a range like 1-20, not -1"),
        ("seeds = [1.5]", "line 2: seeds[1]: a whole number or a text is wanted, not 1.5"),
        ("seeds = '5-1'", "line 2: seeds: the range of seeds '5-1' ends before it begins"),
        ("seeds = '1-1000001'", "line 2: seeds: '1-1000001': there can be 1,000,000 seeds"),
        ("seeds = 9223372036854775808", "line 2: seeds: a seed is at most 2^63 - 1, not 9223372036854775808"),
        ("[limits]\n\ntime = 'soon'", "line 4: limits.time: 'soon' is not a time; write for example 500ms, 10s or 2m"),
        ("[limits]\ntime = -1", "line 3: limits.time: a time limit is 0 or more seconds, not -1"),
        (
            "[limits]\nmemory = 'lots'",
            "line 3: limits.memory: 'lots' is not an amount of memory; write for example 200MiB or 2GiB",
        ),
        ("[limits]\nmemory = -1", "line 3: limits.memory: a memory limit is 0 or more, not -1"),
        ("[limits]\nexpansions = -1", "line 3: limits.expansions: a limit of expansions is 0 or more, not -1"),
        ("[limits]\nmoves = 5", "line 3: limits.moves: it limits games, and there are no players"),
        ("[limits]\nmoves = -5", "line 3: limits.moves: a whole number, 0 or more, is wanted, not -5"),
        ("[record]\nsolutions = 1", "line 3: record.solutions: true or false is wanted, not 1"),
        ("[[exclude]]", "line 2: exclude[1]: it says neither board, domain, heuristic, frontier nor player"),
        (
            "[[generate]]\ngenerator = 'walk'\ncount = 0",
            "line 4: generate[1].count: a whole number, 1 or more, is wanted",
        ),
        (
            "[[generate]]\ngenerator = 'walk'\nseed = -1",
            "line 4: generate[1].seed: a whole number, 0 or more, is wanted",
        ),
        (
            "description = '''\nrepetitions = 'x'\n'''\nbatch = 'x'",
            "line 5: batch: a whole number is wanted, not the text",
        ),
        ("name = ", "Invalid value (at end of document)"),
    ],
)
def test_invalid_values_are_refused_with_their_place(write, text, message):
    """File, line and key."""
    with pytest.raises(UsageError) as raised:
        read_experiment(write(f'boards = ["2048"]\n{text}'))
    said = str(raised.value)
    assert said.startswith((f"my.toml, {message}", f"my.toml: {message}"))
    assert "\n" not in said


@pytest.mark.parametrize(("name", "message"), [("no.toml", "no such file"), (".", "a directory, not a file")])
def test_a_file_that_cannot_be_read(write, name, message):
    """One line with its name."""
    write("")
    with pytest.raises(UsageError) as raised:
        read_experiment(name)
    assert str(raised.value) == f"{name}: {message}"


def test_the_escape_in_the_path_of_a_board_is_explained(write):
    """`\\b` in double quotes is no error of TOML, but no folder and file either."""
    with pytest.raises(UsageError) as raised:
        read_experiment(write('boards = [\n"2048",\n"sub\\b.txt"]'))
    said = "in double quotes a backslash begins an escape; write / or use single quotes"
    assert str(raised.value) == rf"my.toml, line 1: boards[2]: 'sub\x08.txt': no such file: {said}"
    write("2\n2 0\n0 2\n", "sub/b.txt")
    assert read_experiment(write('boards = ["sub/b.txt"]')).boards == ("sub/b.txt",)


def test_an_experiment_without_boards_is_refused(write):
    with pytest.raises(UsageError, match=r"my\.toml: boards: name files, folders or shipped boards, or"):
        read_experiment(write('name = "x"'))


def test_experiments_made_in_python_are_checked():
    """The error names the key."""
    with pytest.raises(SpecificationError, match=r"^boards: a list is wanted, not the text '2048'$"):
        Experiment(boards="2048")
    with pytest.raises(SpecificationError, match=r"^repetitions: a whole number, at most 1,000,000, is wanted, not"):
        Experiment(boards=["2048"], repetitions=10**7)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"boards": 5}, "boards: a list is wanted, not 5"),
        ({"seeds": range(-1, 2)}, "seeds: a seed is a whole number, 0 or more, or a range like 1-20, not -1"),
        ({"seeds": [1.5]}, "seeds: a seed is a whole number, 0 or more, or a range like 1-20, not 1.5"),
        ({"seeds": [2**63]}, f"seeds: a seed is at most 2^63 - 1, not {2**63}"),
        ({"repetitions": 2.0}, "repetitions: a whole number, 1 or more, is wanted, not 2.0"),
        ({"repetitions": "2"}, "repetitions: a whole number, 1 or more, is wanted, not '2'"),
        ({"repetitions": True}, "repetitions: a whole number, 1 or more, is wanted, not True"),
        ({"batch": 2.5}, "batch: a whole number, 1 or more, is wanted, not 2.5"),
        ({"most_moves": 2.5}, "limits.moves: a whole number, 0 or more, is wanted, not 2.5"),
        (
            {"generate": [Generation("random", count=1.5)]},
            "generate[1].count: a whole number, 1 or more, is wanted, not 1.5",
        ),
    ],
)
def test_numbers_of_the_wrong_type_are_refused_in_python(wrong, message):
    with pytest.raises(SpecificationError) as raised:
        Experiment(**{"boards": ["2048"], **wrong})
    assert str(raised.value) == message


def test_seeds_in_python_may_be_ranges_and_numpy_numbers():
    experiment = Experiment(boards=["2048"], seeds=[*np.arange(2), "7-9", 8])
    assert experiment.seeds == (0, 1, 7, 8, 9)
    assert Experiment.from_json(experiment.as_json()) == experiment


words = st.text("abc:=[],é \"'\\", min_size=1).filter(str.strip)
names = st.lists(words.map(str.strip), max_size=3).map(tuple)
amounts = st.none() | st.integers(0, 2**60)
experiments = st.builds(
    Experiment,
    name=words.map(lambda name: name.replace("\\", "_")),
    description=st.text(st.characters(codec="utf-8")),
    boards=names.filter(bool),
    generate=st.lists(st.builds(Generation, words, words, st.integers(1, 10**6), st.integers(0, 2**40)), max_size=2),
    domains=names,
    heuristics=names,
    frontiers=names,
    seeds=st.lists(st.integers(0, 2**63 - 1), unique=True, max_size=3),
    repetitions=st.integers(1, 10**6),
    order_seed=st.integers(0, 2**63 - 1),
    engine=st.sampled_from(["auto", "compiled", "readable"]),
    batch=st.none() | st.integers(1, 2**62),
    limits=st.builds(sl.Limits, st.floats(0, allow_nan=False), amounts, amounts),
    exclude=st.lists(st.builds(Exclusion, words, words, words, words), max_size=2),
    solutions=st.booleans(),
)
games = st.builds(
    Experiment,
    name=words.map(lambda name: name.replace("\\", "_")),
    boards=names,
    domains=names,
    players=names.filter(bool),
    seeds=st.lists(st.integers(0, 2**63 - 1), unique=True, max_size=3),
    limits=st.builds(sl.Limits, st.floats(0, allow_nan=False), amounts),
    most_moves=st.none() | st.integers(0, 10**9),
)


unseeded = st.builds(
    Experiment, boards=names.filter(bool), heuristics=names, limits=st.builds(sl.Limits, st.floats(0, 9))
)
with_blocks = st.builds(Experiment, runs=st.lists(unseeded, min_size=1, max_size=3), order_seed=st.integers(0, 9))


@given(experiment=experiments | games | with_blocks)
def test_json_and_back(experiment):
    """The frozen form loses nothing."""
    assert Experiment.from_json(experiment.as_json()) == experiment


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no experiment: "),
        ("[]", "no experiment: "),
        ('"\ud800"', "no experiment: "),
        ('{"boards": ' + "[" * 100_000, "no experiment: "),
        ('{"name": "x", "boards": ["2048"], "bords": []}', "bords: there is no such key: did you mean 'boards'?"),
    ],
)
def test_invalid_json_is_refused(text, message):
    """As strict as a file."""
    with pytest.raises(UsageError) as raised:
        Experiment.from_json(text)
    assert str(raised.value).startswith(message)


def test_objects_in_place_of_names_are_refused():
    """Results identify runs by names."""
    for what, said in (
        (
            {"boards": [sl.Board([[1, 0]])]},
            r"^boards.*: a name is wanted \(its file, or a shipped one\), not Board",
        ),
        ({"heuristics": [lambda tiles: 0]}, r"^heuristics.*: a name is wanted \(FILE.py:NAME\), not <function"),
        ({"limits": 5}, r"^limits: an sl.Limits is wanted, such as sl.Limits\(seconds=5\), not 5$"),
    ):
        with pytest.raises(SpecificationError, match=said):
            sl.Experiment(**{"boards": ["2048/board10"], **what})
    with pytest.raises(sl.UsageError, match=r"limits are an sl.Limits, such as sl.Limits\(seconds=5\), not 5$"):
        sl.solve(limits=5)


BLOCKS = """\
name = "two"
boards = ["2048/board10"]
frontiers = ["greedy"]
seeds = "1-3"

[limits]
time = "5s"
expansions = 100

[[runs]]
name = "first"
heuristics = [{ name = "left-weighted", corner = [-1, -2] }]

[[runs]]
boards = ["sliding-tile/example"]
seeds = []

[runs.limits]
time = "1s"

[[runs.exclude]]
heuristic = "misplaced"
"""


def test_a_block_takes_from_the_top_level_what_it_does_not_give(write):
    """Of the limits each by itself; a list that is given, even an empty one, replaces that of the top level."""
    experiment = read_experiment(write(BLOCKS))
    first, second = experiment.runs
    assert (experiment.boards, experiment.seeds, experiment.limits) == ((), (), sl.Limits())
    assert (first.name, first.boards, first.seeds) == ("first", ("2048/board10",), (1, 2, 3))
    assert first.heuristics == ("left-weighted:corner=-1", "left-weighted:corner=-2")
    assert (first.limits, second.limits) == (sl.Limits(5.0, None, 100), sl.Limits(1.0, None, 100))
    assert (second.name, second.boards, second.frontiers) == ("block 2", ("sliding-tile/example",), ("greedy",))
    assert (second.seeds, second.exclude) == ((), (Exclusion(heuristic="misplaced"),))
    assert Experiment.from_json(experiment.as_json()) == experiment


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("runs = []", "line 2: runs: an empty list leaves nothing to do"),
        ("[[runs]]\nbords = []", "line 3: runs[1].bords: there is no such key: did you mean 'boards'?"),
        ("[[runs]]\norder-seed = 2", "line 3: runs[1].order-seed: there is no such key"),
        ("[[runs]]\n[[runs.runs]]", "line 2: runs[1].runs: there is no such key"),
        ("[[runs]]\n[[runs]]\nseeds = 'x'", "line 4: runs[2].seeds: a seed is a whole number"),
        ("[[runs]]\n[runs.limits]\ntime = 'soon'", "line 4: runs[1].limits.time: 'soon' is not a time"),
        ("[limits]\ntime = 'soon'\n[[runs]]\n[runs.limits]\nmemory = 1", "line 3: limits.time: 'soon' is not a time"),
        ("seeds = 'x'\n[[runs]]", "line 2: seeds: a seed is a whole number"),
        ("[[runs]]\n[[runs]]\nplayers = ['greedy']", "line 3: runs[2]: the first block has searches, and these are"),
        ("[[runs]]\nboards = []", "line 3: runs[1].boards: name files, folders or shipped boards"),
        ("pair = ['boards', 'sedes']", "line 2: pair[2]: there is no such list: did you mean 'seeds'?"),
        ("pair = ['boards', 'boards']", "line 2: pair[2]: boards is named twice"),
        ("pair = ['boards']", "line 2: pair: two lists or more go together: name another one"),
        ("pair = ['boards', 'seeds']", "line 2: pair[2]: there are no seeds to go together with others"),
        (
            "pair = ['seeds', 'frontiers']\nfrontiers = ['greedy']\nseeds = '1-3'",
            "line 2: pair: lists that go together are equally long, and these are not: seeds 3, frontiers 1",
        ),
    ],
)
def test_mistakes_in_blocks_are_refused_with_their_place(write, text, message):
    """The line of the block, or of the top level where the block takes the value from there."""
    with pytest.raises(UsageError) as raised:
        read_experiment(write(f'boards = ["2048"]\n{text}'))
    assert str(raised.value).startswith(f"my.toml, {message}")


@pytest.mark.parametrize(
    ("block", "further", "message"),
    [
        ("x", {}, "runs[1]: an Experiment is wanted, not 'x'"),
        (
            Experiment(runs=[Experiment(boards=["2048"])]),
            {},
            "runs[1].runs: a block has no blocks",
        ),
        (Experiment(boards=["2048"], order_seed=2), {}, "runs[1].order-seed: it is one for all blocks"),
        (Experiment(boards=["2048"]), {"boards": ["2048"]}, "boards: there are blocks: give it in each of runs"),
        (Experiment(boards=["2048"]), {"limits": sl.Limits(1.0)}, "limits: there are blocks: give it in each of runs"),
    ],
)
def test_blocks_made_in_python_are_checked(block, further, message):
    with pytest.raises(SpecificationError) as raised:
        Experiment(runs=[block], **further)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("other", [{"boards": ["2048"]}, None, 3])
def test_an_experiment_that_is_neither_one_nor_a_path_is_refused(other):
    """As a dict in place of an sl.Experiment."""
    with pytest.raises(UsageError, match=r"an experiment is an sl\.Experiment or the path of a file, not "):
        sl.run(other)
