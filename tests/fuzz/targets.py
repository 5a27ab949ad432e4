"""The readers of user input: for each, inputs that are nearly valid, and properties that must hold."""

from __future__ import annotations

import io
import json
import math
import sqlite3
import tomllib
import warnings
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import searchlab as sl
from searchlab.binding.names import parse_name, with_parameters
from searchlab.board.board import parse_board_line
from searchlab.board.display import FOLDED_SIDE
from searchlab.board.files import board_set, shipped_boards
from searchlab.cli.session import folders_of_settings_file
from searchlab.cli.terminal.device import Keyboard
from searchlab.experiments import notation, record
from searchlab.experiments.filters import in_order, parse_condition, where
from searchlab.experiments.published import published_rows
from searchlab.experiments.specification import LARGEST_SEED, listed_seeds
from searchlab.games.learning.network import save_network
from searchlab.games.learning.training import Training
from searchlab.games.script import Script, replay
from searchlab.model.limits import parse_bytes, parse_seconds
from searchlab.plugins import lookup

from .mutation import WORDS, Input, Mutator, as_toml, words
from .oracle import command
from .reported import CAPITALS, NO_PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .bench import Bench

HERE = Path(__file__).parents[2]


class Target(NamedTuple):
    """Something that reads inputs.

    Attributes:
        make: makes an input.
        run: reads it; whatever is raised but a SearchlabError is a fault.
        weight: how many of all inputs it gets, beside the others.
    """

    make: Callable[[Mutator], Input]
    run: Callable[[Bench, Any], None]
    weight: float


# Boards


@cache
def _board_texts() -> tuple[str, ...]:
    """Boards of the shipped sets, and some that are written otherwise."""
    texts = [path.read_text() for path in list(shipped_boards().values())[::6]]
    return (
        *texts,
        "2 3\n1 2 3\n4 5 0\n",
        "// c\n2\n\n2 0 0 2\n",
        "1\n0\n",
        "\ufeff2\r\n2\t0\r\n0 2\r\n",
        "2\n2 0 # c\n0 2",
    )


BOARD_WORDS = (*WORDS, *words("3 4 5 1024 131072 1152921504606846976 // # / ;"), "5 6", "\r\n")
DOMAINS = ("2048", "2048:n=2,goal=8", "2048-random", "sliding-tile", "sliding-tile:goal=blank-first")


def _read_board(_: Bench, data: bytes) -> None:
    """A board that is read is written and read again, and is one of a domain or refused by it."""
    Path("x.txt").write_bytes(data)
    board = sl.read_board("x.txt")
    assert sl.Board.parse(str(board)) == board
    assert sl.Board.parse(board.text()) == board
    for name in DOMAINS:
        _board_of(name, board)


def _board_of(name: str, board: sl.Board) -> None:
    """Call the functions of a domain if it accepts a board."""
    domain = sl.domain(name)
    try:
        domain.check(board)
    except sl.SearchlabError:
        return
    if board.tiles.size <= 25:
        moves = list(domain.successors(board))
        assert len(moves) <= 4
        domain.is_goal(board)
        for heuristic in _heuristics_of(name):
            assert not math.isnan(heuristic(board))


@cache
def _heuristics_of(domain: str) -> tuple[sl.BoundHeuristic, ...]:
    from searchlab.plugins.registry import installed

    game = sl.domain(domain)
    named = [item.component for item in installed().all("heuristic")]
    fitting = [each for each in named if game.name in each.domains and each.name not in ("ntuple", "exact")]
    return tuple(sl.heuristic(each.name, domain=game) for each in fitting)


# Instances

OTHER_ORDER = """(define (domain x) (:types t) (:predicates (p ?x) (on ?x ?y)) (:constants Table - t)
 (:action do :parameters (?a) :precondition (forall (?b - object) (not (= ?a table))) :effect (and (p ?a))))
(define (problem p1) (:domain x) (:objects a b - t) (:init (on a Table)) (:goal (and (p b) (not (on b a)))))
"""
COSTS = """(define (domain x) (:predicates (s) (p ?x)) (:functions (f ?x) (total-cost))
 (:action nop :effect (and (s) (increase (total-cost) (f a)))) (:constants a))
(define (problem p1) (:domain x) (:init (= (f a) 3)) (:goal (s)) (:metric minimize (total-cost)))
(define (problem p2) (:domain x) (:init (p a) (= (f a) 0.5)) (:goal (and)) )
"""
TASK_WORDS = (
    *words(
        "( ) (and (not (forall (?x) (= (increase (either - -object :types :parameters :effect ; ?x a 3 -1 nan 1e999"
    ),
    *words("(when (or (exists (define (domain (problem :INIT (:action object number total-cost minimize"),
    "(not " * 200,
)


@cache
def _tasks() -> tuple[str, ...]:
    from searchlab_plugins.strips.tasks import DOMAINS as TEXTS
    from searchlab_plugins.strips.tasks import blocks_problem, delivery_problem, gripper_problem

    delivery = delivery_problem([(1, 2, 3), (2, 3, 1)], [1], [(1, 3)])
    problems = {"gripper": gripper_problem(1), "blocks": blocks_problem([[1, 2]], [[2, 1]]), "delivery": delivery}
    return (CAPITALS, NO_PARAMETERS, OTHER_ORDER, COSTS, *(TEXTS[name] + problem for name, problem in problems.items()))


SCENARIOS = (
    "version 1\n1 - 3 2 0 0 2 0 2.0\n1 - 3 2 0 1 2 0 -\ntype octile\nheight 2\nwidth 3\nmap\n.GS\n@TW\n",
    "version 1.0\n0\tx.map\t1\t1\t0\t0\t0\t0\t0\n",
)


def _read_instances(domain: str, suffix: str, data: bytes) -> None:
    """Instances are written and read again, and each start can be searched."""
    path = Path(f"x{suffix}")
    path.write_bytes(data)
    bound = sl.domain(domain)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SearchlabWarning)
        found = bound.instances(path)
    for instance in found[:3]:
        of_instance = bound.of(instance)
        list(of_instance.successors(instance.start))
        (again,) = bound.parse(of_instance.format(instance))
        assert (again.start, again.digest) == (instance.start, instance.digest)


ROWS = words("list tuple np.array np.asarray iter set np.float64 np.uint64 np.matrix np.ma.array")
"""What may be around rows."""
TILES = words("""
0 2 4 1024 None True 1.0 '2' b'1' 1j 10**400 -1 2**63 2**63-1 float('nan') np.float64(2) np.int8(1) np.uint64(2**64-1)
[] {} set() ... int [[]] object() range(2) np.zeros((2,2)) np.array([]) np.array(None) np.datetime64('2026')
'\\x1b[31m' 'a\\nb' np.array([[1,None]]) np.bool_(True) np.str_('2') np.void(b'1') 0 2 4 8 0 2 4 8 0 2 4 8 0 2 4 8
""")


def _make_rows(mutator: Mutator) -> Input:
    """Return a Python expression: a grid, or nearly, of tiles, or nearly."""
    random = mutator.random
    columns = random.choice((1, 2, 3))
    rows = []
    for _ in range(random.choice((0, 1, 2, 2, 3))):
        tiles = random.choices(TILES[-16:] if random.random() < 0.8 else TILES, k=columns + (random.random() < 0.05))
        rows.append(f"[{', '.join(tiles)}]" if random.random() < 0.95 else random.choice(TILES))
    grid = f"[{', '.join(rows)}]"
    return f"{random.choice(ROWS)}({grid})" if random.random() < 0.3 else grid


def _take_rows(_: Bench, expression: str) -> None:
    """Any Python value makes a board or is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = eval(expression, {"np": np})
    except (
        SyntaxError,
        ValueError,
        TypeError,
        NameError,
        ArithmeticError,
    ):  # NumPy makes no array of it, or it was cut while it shrank
        return
    board = sl.Board(rows)
    assert sl.Board.parse(str(board)) == board
    if max(board.shape) <= FOLDED_SIDE:
        assert eval(repr(board), {"Board": sl.Board}) == board


LINES = """\
0 2 2 0
2 0 2 2 0
0 2 / 2 0
1,2,3;4,5,0
3 1 2 /
2 / 0 2 / 2 0 /
4 256 8 0 2 256 8 16 2 512 4 0 0 1024 0 0 0
""".splitlines()


def _read_line(_: Bench, line: str) -> None:
    """A board in one line is the same with its rows marked."""
    board = parse_board_line(line)
    marked = " / ".join(" ".join(map(str, row)) for row in board.tiles.tolist())
    assert parse_board_line(f"{marked} /") == board
    _board_of("2048-random", board)


# Names and values

NAMES = {
    "domain": words(
        "2048 2048:goal=64,spawn=corner 2048-random:preset=cs61b searchlab/sliding-tile:n=3 2048-random:p2=0.5"
    ),
    "heuristic": words(
        "taxicab left-weighted:corner=-2 ntuple:file=network.npz mine.py:blanks:weight=2 smooth:blanks=1"
    ),
    "frontier": words("astar weighted-astar:weight=2 beam:width=10 ida-star:threads=2 astar:duplicates=late"),
    "player": words("greedy:heuristic=[left-weighted:corner=-2] expectimax:depth=2,heuristic=[mine.py:blanks] random"),
    "generator": words("shuffled:n=3 walk:moves=10 scattered:tiles=4,most=64 played:moves=5"),
    "renderer": words("box"),
    "executor": words("local dask:address=[tcp://host:8786]"),
    "learner": words("ntuple ntuple:tuples=[0-1/2-3],rate=0.5,rule=td"),
}
NAME_WORDS = (
    *WORDS,
    *words(": = , [ ] / .py: mine.py:blanks broken.py:f nowhere.py:f network.npz mine.py:failing n=3 goal=64 weight=2"),
    *words("depth=3 seconds=1 file= heuristic= searchlab/ of=[a,b] width=1e9"),
)


def _make_name(mutator: Mutator) -> Input:
    kind = mutator.random.choice(sorted(NAMES))
    return kind, mutator.text(NAMES[kind], NAME_WORDS)


def _look_up(_: Bench, given: tuple[str, ...]) -> None:
    """A name that is taken apart is put together again, and by what a thing is called it is found again."""
    if len(given) != 2 or given[0] not in NAMES:
        return
    kind, name = given
    spelled = parse_name(name)
    again = with_parameters(name, {})
    assert parse_name(again) == spelled, again
    find = getattr(lookup, kind)
    bound = find(name)
    if not spelled.file:
        again = find(str(bound))
        assert again.component is bound.component
        assert str(find(str(again))) == str(again)


AMOUNTS = ("10s", "500ms", "2m", "1.5h", "200MiB", "2GiB", "500 MB", "0", "1e3", ".5", "10", "0.1kb")


def _measure(_: Bench, text: str) -> None:
    """An amount is a number of 0 or more that limits can be made of."""
    for parse in (parse_seconds, parse_bytes):
        try:
            amount = parse(text)
        except sl.UsageError as error:
            said = error
        else:
            assert 0 <= amount < math.inf
            sl.Limits(amount) if parse is parse_seconds else sl.Limits(memory=int(amount))
    if "said" in locals():
        raise said


def _list_seeds(_: Bench, text: str) -> None:
    """Seeds are whole numbers, each once."""
    seeds = listed_seeds(text.split(",") if "," in text else text)
    assert len(set(seeds)) == len(seeds) <= 1_000_000
    assert all(0 <= seed <= LARGEST_SEED for seed in seeds)
    assert listed_seeds(seeds) == seeds


ACTIONS = ("up", "down", "left", "right", "flip 2", "flip 13", "été", "2")


def _read_moves(_: Bench, text: str) -> None:
    """Moves in short are those they are written as."""
    moves = [notation.read(move, ACTIONS) for move in notation.moves_in(text)]
    assert [notation.read(notation.written(move, ACTIONS), ACTIONS) for move in moves] == moves


def _type_keys(_: Bench, data: bytes) -> None:
    """Keys are the same however the bytes come in."""
    whole, piecemeal = Keyboard(), Keyboard()
    assert whole.keys(data) == [key for byte in data for key in piecemeal.keys(bytes([byte]))]
    assert whole.is_waiting == piecemeal.is_waiting


KEYS = ("wasd\x1b[A\x1b[B\x1bOC", "\x1b[1;5D q\r", "\x1b\x1b[A", "\x03\x04", "\x1b[15~é漢")


# Games


@cache
def _scripts() -> tuple[str, ...]:
    golden = sorted((HERE / "tests" / "golden" / "event_scripts").glob("*.script"))
    return tuple(path.read_text()[:4000] for path in golden)


SCRIPT_WORDS = (
    *(*WORDS, "T 2 0 0\n", "T 4 3 3\n", "T 2048 1 1\n", "T", "K"),
    *("KUp\n", "KLeft\n", "KNew Game\n", "KQuit\n", "# c\n"),
)


def _play_script(_: Bench, script: str) -> None:
    """A script is played to its end, or a line of it makes no sense; its transcript is of lines of known letters."""
    lines: list[str] = []
    try:
        replay(Script(script.splitlines(), "script"), sl.domain("2048-random:preset=cs61b"), lines.append)
    finally:
        assert all(line[:2].strip() in "CADE" and line.isascii() and line.isprintable() for line in lines)


def _play_in_process(_: Bench, data: bytes) -> None:
    """The same through the command line."""
    command(["play", "--testing", "--preset", "cs61b"], data)


def _ask_in_process(_: Bench, data: bytes) -> None:
    """Every line is answered by a line."""
    asked = data.split(b"\n")
    code, printed = command(["advise", "--player", "greedy:heuristic=empty"], data)
    assert code == 0
    assert printed.count("\n") == len(asked) - (asked[-1] == b"")


# Experiments


@cache
def _experiments() -> tuple[dict[str, Any], ...]:
    files = [tomllib.loads(path.read_text()) for path in sorted((HERE / "experiments").glob("*.toml"))]
    boards = {"name": "x", "boards": ["eight.txt"], "heuristics": ["taxicab", {"name": "misplaced"}]}
    everything = {
        **{
            "description": "d",
            "generate": [{"generator": "shuffled:n=3", "count": 2, "seed": 4}],
            "domains": ["sliding-tile"],
        },
        **{"frontiers": [{"name": "beam", "width": [1, 2]}], "seeds": [1, "3-5"], "repetitions": 2, "order-seed": 3},
        **{"engine": "readable", "batch": 10, "limits": {"time": "1s", "memory": 10**9, "expansions": 5}},
        **{"exclude": [{"board": "*", "heuristic": "misplaced"}], "record": {"solutions": False}},
    }
    return (*files, {**boards, **everything}, boards)


def _make_experiment(mutator: Mutator) -> Input:
    text = as_toml(mutator.tree(mutator.random.choice(_experiments())))
    return mutator.data([text], WORDS) if mutator.random.random() < 0.3 else text.encode("utf-8", "surrogatepass")


def _make_json(mutator: Mutator) -> Input:
    text = json.dumps(mutator.tree(mutator.random.choice(_experiments())))
    return mutator.text([text], WORDS) if mutator.random.random() < 0.3 else text


def _read_experiment(_: Bench, data: bytes) -> None:
    """An experiment that is read from a file is the same from its JSON."""
    Path("x.toml").write_bytes(data)
    _same_from_json(sl.read_experiment("x.toml"))


def _read_json(_: Bench, text: str) -> None:
    _same_from_json(sl.Experiment.from_json(text))


def _same_from_json(experiment: sl.Experiment) -> None:
    again = sl.Experiment.from_json(experiment.as_json())
    assert again == experiment or _has_nan(experiment)
    assert again.as_json() == experiment.as_json()


def _has_nan(experiment: sl.Experiment) -> bool:
    return math.isnan(experiment.limits.seconds)


def _plan(_: Bench, data: bytes) -> None:
    """What would be run is shown, or it is said why nothing can be."""
    Path("x.toml").write_bytes(data)
    command(["run", "x.toml", "--dry-run"])


SETS = ('domain = "2048:goal=8"\nsource = "made"\n\n[optimal]\n1 = 2\n"2" = 3.5\n', 'domain = "sliding-tile"\n', "")
SET_WORDS = (*WORDS, *words("domain source optimal [optimal] \"\"\" ''' = 1979-05-27 inf { } \\u0000 \\ud800"))


def _read_set(_: Bench, data: bytes) -> None:
    Path("set/set.toml").write_bytes(data)
    said = board_set(Path("set"))
    assert said is None or all(0 <= cost < math.inf for cost in said.optimal.values())


def _use_set(_: Bench, data: bytes) -> None:
    Path("set/set.toml").write_bytes(data)
    command(["evaluate", "set"])


PUBLISHED = (
    '[[table]]\nauthors = ["A. Bee"]\nyear = 1999\nvenue = "Where"\nheuristic = "taxicab"\n'
    'rows = [{ name = "A*", frontier = "astar", expanded = 20 }, { name = "B", frontier = "beam", cost = { 1 = 2 }}]\n',
    '[[table]]\nauthors = ["A. Bee", "C. Dee"]\nyear = 2025\nvenue = "W"\nplace = "1"\ndomain = "pancake:n=3"\n'
    'boards = ["1"]\ncounted = "all"\nrows = [{ name = "all", layers = [1, 2, 2, 1] }]\n',
)


def _read_published(_: Bench, data: bytes) -> None:
    Path("set/published.toml").write_bytes(data)
    try:
        for row in published_rows(Path("set")):
            assert row.paper.short
            assert row.layers or row.figures
    finally:
        Path("set/published.toml").unlink()  # other targets list the boards of this folder


SETTINGS = ('plugins_dirs = ["plugins", "~/x"]\n', "plugins_dirs = []\n", "")


def _read_settings(_: Bench, data: bytes) -> None:
    Path("searchlab.toml").write_bytes(data)
    assert all(isinstance(folder, Path) for folder in folders_of_settings_file())


# Results

CONDITIONS = """\
status=solved
expanded >= 10
seconds<10s
board_name~3|5
cost=
heuristic!~taxi
finished>2026-01-01
optimal=yes
""".splitlines()
CONDITION_WORDS = (*WORDS, *words("= != < >= ~ !~ | status seconds 10ms 2GiB peak_bytes 2026-11-21T18:30+01:00"))


def _select(bench: Bench, text: str) -> None:
    """A condition and its opposite share the rows between them."""
    condition = parse_condition(text)
    rows = where(bench.table, [condition])
    assert len(rows) <= len(bench.table)
    if condition.operator in ("=", "~"):
        opposite = parse_condition(f"{condition.column}!{condition.operator}{condition.value}")
        assert len(rows) + len(where(bench.table, [opposite])) == len(bench.table)


def _sort(bench: Bench, text: str) -> None:
    """Rows are put in another order, and none is lost."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    assert len(in_order(bench.table, names)) == len(bench.table)


SHOWN = [
    line.split()
    for line in """\
results searched
results played
results searched --group-by heuristic,frontier
results standings played
results export searched --format json
results export searched --format latex
results export played --format markdown
results export searched --format csv
results merge searched --into merged
compare searched taxicab misplaced --where frontier=astar
replay played --best
replay played --player greedy --seed 3
""".splitlines()
]
ODD_CELLS = (
    *words("NULL '' 'x' '\x1b[31m' '\u202e' -1 0 1 1.5 9e999 -9e999 9223372036854775807 x'00ff' x'c3' '[]' '{}'"),
    *words("'{\"a\":[1]}' '{\"a\":1e999}' 'null' '1' '2026-13-01' 'upup' '=1+1' 'a|b'"),
    *("'1 0 / 2'", "'up up'", "CAST(x'ff41' AS TEXT)", "replace(hex(zeroblob(5000)), '0', 'a')", "printf('a%cb', 0)"),
)


def _make_damage(mutator: Mutator, size: int) -> list[str]:
    """Return a description of damage to the bytes of a file."""
    random = mutator.random
    found = []
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        at = random.choice((random.randrange(size), random.randrange(min(size, 200))))
        match random.randrange(5):
            case 0:
                found.append(f"cut {at}")
            case 1:
                found.append(f"flip {at} {random.randrange(8)}")
            case 2:
                found.append(f"write {at} {random.randbytes(random.choice((1, 4, 100))).hex()}")
            case 3:
                found.append(f"zero {at} {random.choice((1, 16, 4096))}")
            case _:
                found.append(f"insert {at} {random.randbytes(random.choice((1, 4, 100))).hex()}")
    return found


def _damaged(data: bytes, damages: Sequence[str]) -> bytes:
    """Return bytes with the described damage."""
    for damage in damages:
        word, at, *rest = damage.split(" ")
        begin = int(at)
        if word == "cut":
            data = data[:begin]
        elif word == "flip" and begin < len(data):
            data = data[:begin] + bytes([data[begin] ^ 1 << int(rest[0])]) + data[begin + 1 :]
        elif word == "write":
            new = bytes.fromhex(rest[0])
            data = data[:begin] + new + data[begin + len(new) :]
        elif word == "zero":
            data = data[:begin] + bytes(int(rest[0])) + data[begin + int(rest[0]) :]
        elif word == "insert":
            data = data[:begin] + bytes.fromhex(rest[0]) + data[begin:]
    return data


def _make_store(mutator: Mutator) -> Input:
    random = mutator.random
    shown = "\t".join(random.choice(SHOWN))
    if random.random() < 0.5:
        return (shown, *_make_damage(mutator, 40_000))
    return (shown, *(_make_statement(mutator) for _ in range(random.choice((1, 1, 2, 4)))))


COLUMNS = words("""
board_name board domain heuristic frontier player seed repetition status reason moves cost optimal_cost optimal expanded
peak_bytes seconds actions engine batch limit_seconds limit_memory limit_expansions attempt finished worker metrics
provenance identity score
""")


def _make_statement(mutator: Mutator) -> str:
    """Return SQL that leaves a store odd."""
    random = mutator.random
    which = random.choice(("", " WHERE number = 1", " WHERE number % 2"))
    match random.randrange(10):
        case 0:
            return f"PRAGMA user_version = {random.choice((0, 1, 2, 3, -1, 2**31 - 1))}"
        case 1:
            return f"PRAGMA application_id = {random.choice((0, 1, -1))}"
        case 2:
            return random.choice(("DELETE FROM runs", "DELETE FROM provenance", "DELETE FROM specifications"))
        case 3:
            return random.choice(("DROP TABLE runs", "DROP TABLE provenance", "DROP TABLE specifications"))
        case 4:
            return f"ALTER TABLE runs DROP COLUMN {random.choice(COLUMNS)}"
        case 5:
            new = random.choice(("x", "number2", "player"))
            return f"ALTER TABLE runs RENAME COLUMN {random.choice(COLUMNS)} TO {new}"
        case 6:
            return f"UPDATE provenance SET content = {random.choice(ODD_CELLS)}"
        case _:
            return f"UPDATE runs SET {random.choice(COLUMNS)} = {random.choice(ODD_CELLS)}{which}"


def _show_store(bench: Bench, given: tuple[str, ...]) -> None:
    """A results file with any content is shown, or reported as damaged."""
    if not given or given[0].split("\t")[0] not in ("results", "compare", "plot", "replay"):
        return
    arguments = given[0].split("\t")
    for name, content in bench.stores.items():
        file = Path(name) / "results.sqlite"
        damages = [word for word in given[1:] if word.split(" ")[0] in ("cut", "flip", "write", "zero", "insert")]
        statements = [word for word in given[1:] if word not in damages]
        file.write_bytes(_damaged(content, damages))
        if statements:
            with closing(sqlite3.connect(file, isolation_level=None)) as connection:
                for statement in statements:
                    try:
                        connection.execute(statement)
                    except (sqlite3.Error, sqlite3.Warning):  # not every column is in both files
                        continue
    command(arguments, is_exact="csv" in arguments)


RECORD = ",".join([*record.COLUMNS, "my_metric"])


def _make_record(mutator: Mutator) -> Input:
    row = ",".join("1" for _ in RECORD.split(","))
    return mutator.data(
        [f"{RECORD}\n", f"{RECORD}\n{row}\n", f"{RECORD}\n{row[:20]}", f"\ufeff{RECORD}\r\n{row}\r\n"], WORDS
    )


def _append_to_record(_: Bench, data: bytes) -> None:
    """A row is appended to a record that is one, and can be read; nothing is done to another file."""
    file = Path("record.csv")
    file.write_bytes(data)
    try:
        record.check(file)
        record.append(file, _solved())
    except sl.SearchlabError:
        assert file.read_bytes() == data
        raise
    kept = data[: data.rfind(b"\n") + 1]
    assert file.read_bytes().startswith(kept)


@cache
def _solved() -> sl.Result:
    board = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
    return sl.solve(board, domain="sliding-tile", heuristic="taxicab", frontier="greedy", engine="readable")


# Networks

FILLS = words("0 1 1 1 5 -1 0.5 nan inf 1e30 1001")


def _make_network(mutator: Mutator) -> Input:
    """Return what is done to a network's file: to its bytes, or to the arrays in it."""
    random = mutator.random
    if random.random() < 0.5:
        return tuple(_make_damage(mutator, 900))
    about = {"holds": "n-tuple network", "version": 1, "rows": 2, "columns": 2, "bits": 2, "powers_of_two": True}
    about |= {"symmetric": True, "base": 0.0, "tuples": [[0, 1], [1, 3]], "learned": {}}
    found = [f"about {json.dumps(mutator.tree(about))}"] if random.random() < 0.6 else []
    dtypes = ("uint8", "float32", "float64", "<U3", "bool", "int64", "complex64", "object", "S1", "V3", "datetime64[s]")
    for _ in range(random.choice((0, 1, 2))):
        name, shape = (
            random.choice(("about", "learned", "weights", "x", "../x")),
            random.choice(("0", "4", "5", "2,2", "", "1000")),
        )
        found.append(f"array {name} {random.choice(dtypes)} {shape} {random.choice(FILLS)}")
    return tuple(found)


def _archive(bench: Bench, changes: Sequence[str]) -> bytes:
    """Return the bytes of a network's file to which is done what is said."""
    damages = [change for change in changes if not change.startswith(("about ", "array "))]
    if len(damages) == len(changes):
        return _damaged(bench.network, damages)
    with np.load(io.BytesIO(bench.network)) as content:
        arrays: dict[str, Any] = dict(content)
    for change in changes:
        word, _, rest = change.partition(" ")
        if word == "about":
            arrays["about"] = np.frombuffer(rest.encode("utf-8", "surrogatepass"), np.uint8)
        elif word == "array":
            name, dtype, shape, fill = rest.split(" ")
            array = np.zeros(tuple(map(int, filter(None, shape.split(",")))), dtype)
            if array.dtype.kind == "f":
                array.fill(float(fill))
            arrays[name] = array
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return _damaged(stream.getvalue(), damages)


def _read_network(bench: Bench, changes: tuple[str, ...]) -> None:
    """A network that is read gives a number for a board, and is the same when it is written and read again."""
    Path("x.npz").write_bytes(_archive(bench, changes))
    network = sl.read_network("x.npz")
    shape = (network.rows, network.columns)
    if shape[0] * shape[1] <= 64:
        assert math.isfinite(network.value(sl.Board(np.zeros(shape, np.int64))))
    save_network(network, "y.npz")
    again = sl.read_network("y.npz")
    assert (again.weights == network.weights).all()
    assert again.tuples == network.tuples


class _Forgetful:
    """A learning that takes any state, for what is read before one is restored."""

    def restore(self, state: dict[str, Any]) -> None:
        if any(array.dtype.hasobject for array in state.values()):
            raise AssertionError(state)


def _make_checkpoint(mutator: Mutator) -> Input:
    random = mutator.random
    if random.random() < 0.4:
        return tuple(_make_damage(mutator, 900))
    about = {"holds": "checkpoint of learning", "version": 1, "what": {"learner": "x"}, "state": ["a"]}
    found = [f"about {json.dumps(about if random.random() < 0.5 else mutator.tree(about))}"]
    arrays = {"course": "float64 2", "curve": "float64 1,13", "state.a": "float32 3"}
    for name, good in arrays.items():
        odd = random.choice(
            ("float64 2,2", "float64 0", "float32 2", "object 2", "int64 1,13", "float64 1,3", "float64 ")
        )
        if random.random() < 0.95:
            found.append(f"array {name} {odd if random.random() < 0.2 else good} {random.choice(FILLS)}")
    return tuple(found)


def _resume(bench: Bench, changes: tuple[str, ...]) -> None:
    """A course of learning goes on from a checkpoint, or says why it does not."""
    Path("course").mkdir(exist_ok=True)
    Path("course/checkpoint.npz").write_bytes(_archive(bench, changes))
    training = Training(Path("course"), {"learner": "x"}, _Forgetful())  # type: ignore[arg-type]
    training.resume()
    assert training.curve.games >= 0
    assert math.isfinite(training.curve.mean_score)


# Command lines

LINES_OF_COMMANDS = [
    line.split()
    for line in """\
solve b.txt
solve eight.txt --heuristic misplaced --frontier greedy --json
solve unsolvable.txt --goal 4
solve b.txt --transcript --output out.txt
solve eight.txt --record new.csv --moves-only
solve - --domain 2048:n=2,goal=8
solve --heuristic mine.py:blanks --renderer box
solve set/1.txt --batch 10 --memory-limit 1GiB
solve wide.txt
solve b.txt --debug
evaluate b.txt eight.txt
evaluate set --json
evaluate 2048/b*1* --heuristic snake
neighbors b.txt --json
neighbors 2048/board10
enumerate set/1.txt --json
enumerate --domain 2048:n=2,goal=8 --csv out.csv
boards show set/1.txt eight.txt --renderer box
boards show set
boards generate shuffled:n=3 --count 3 --seed 2 --output made
boards generate played:moves=3 --json
play --player greedy:heuristic=empty --seed 3 --json
play b.txt --player random --transcript
play --testing
play set/1.txt
play --preset classic --player random --log
advise b.txt --json
advise --player greedy:heuristic=snake
advise - --goal 64
run e.toml
run eight.txt set --heuristic taxicab --frontier astar --output out
run games.toml --seeds 1-3,7 --max-moves 10
tournament greedy random --games 3 --output out
results searched --group-by heuristic,frontier --sort -expanded
results searched --where status=solved --columns board_name,cost --limit 3
results played
results standings played --json
results export searched --format csv --output out.csv
results export played --format json
results merge searched searched --into m
compare searched taxicab misplaced --where frontier=astar --json
compare played greedy random
plot searched scatter --x taxicab --y misplaced --metric expanded --where frontier=astar
plot searched scaling --x optimal_cost --group-by heuristic --theme dark --output out.svg
plot played scores
replay played --best --moves-only
replay played --player greedy --seed 3 --json
plugins
plugins list --json
plugins list --failed
plugins show taxicab --json
plugins show frontier greedy
plugins which greedy
plugins new mine-own --output own.py
plugins new other --kind domain --package --output pack
--help
solve --help
--version
--plugin mine.py solve b.txt
--plugins-dir . plugins
--no-plugins evaluate b.txt
-p no:players plugins
""".splitlines()
]
ARGUMENTS = (
    *sorted({word for line in LINES_OF_COMMANDS for word in line}),
    *words("ragged.txt empty.txt broken.py broken.py:f mine.py:failing runs.csv loop nowhere loop/x . .. / ./ // - --"),
    *words(
        "/dev/null /dev/full/x searched/results.sqlite network.npz ~ ~nobody/x --engine --time-limit --max-expansions"
    ),
    *words("--repetitions --time-per-move --delay --fast --name --workers --executor --retry --all-attempts --worst"),
    *words("no:ntuple -h 0 1 -1 3 7-9 10s 1ms 200MiB 1e9 * [ set/*.txt 2048/* ** sliding-tile/korf100 ida-star cs61b"),
    *words("astar:weight=2 weighted-astar:weight=0.5 beam:width=0 ntuple:file=network.npz expectimax:depth=1"),
    *("", " ", "two words.txt", "a\0b", "9" * 30),
)
BOUNDED: dict[str, tuple[str, ...]] = {
    "solve": ("--engine", "readable", "--max-expansions", "100", "--time-limit", "5s"),
    "enumerate": ("--engine", "readable", "--max-expansions", "100", "--time-limit", "5s"),
    "run": ("--dry-run",),
    "tournament": ("--dry-run",),
    "train": ("--help",),
    "check": ("--help",),
    "generate": ("--count", "3"),
}
"""What is put behind a command so that it costs no more than others: a search is cut short, a run only planned."""


def _make_command(mutator: Mutator) -> Input:
    return mutator.words(LINES_OF_COMMANDS, ARGUMENTS)


def _run_command(_: Bench, words: tuple[str, ...]) -> None:
    """A command line works, or one line gives the reason."""
    bounds = [more for name, more in BOUNDED.items() if name in words]
    at = words.index("--") if "--" in words else len(words)
    moves = ("--max-moves", "20") if "play" in words and "--player" in words else ()
    arguments = (*words[:at], *(word for more in bounds for word in more), *moves, *words[at:])
    command(arguments, b"2\n2 0\n0 2\n", is_exact="csv" in " ".join(words))


TARGETS: dict[str, Target] = {
    "boards": Target(lambda m: m.data(_board_texts(), BOARD_WORDS), _read_board, 24),
    "rows": Target(_make_rows, _take_rows, 8),
    "tasks": Target(
        lambda m: m.data(_tasks(), TASK_WORDS), lambda _, data: _read_instances("strips", ".pddl", data), 12
    ),
    "scenarios": Target(
        lambda m: m.data(SCENARIOS, BOARD_WORDS), lambda _, data: _read_instances("grid-map", ".scen", data), 4
    ),
    "lines": Target(lambda m: m.text(LINES, BOARD_WORDS), _read_line, 14),
    "names": Target(_make_name, _look_up, 10),
    "amounts": Target(lambda m: m.text(AMOUNTS, WORDS), _measure, 6),
    "seeds": Target(lambda m: m.text(("7", "1-20", "3,5,7-9", "0-0"), WORDS), _list_seeds, 4),
    "moves": Target(lambda m: m.text(("ldlu", "(4)(13)e(5)", "(7)"), WORDS), _read_moves, 4),
    "keys": Target(lambda m: m.data(KEYS, ("\x1b[", "\x1bO", "A", "~")), _type_keys, 4),
    "scripts": Target(lambda m: m.text(_scripts(), SCRIPT_WORDS), _play_script, 7),
    "script-commands": Target(lambda m: m.data(_scripts(), SCRIPT_WORDS), _play_in_process, 0.5),
    "asked-lines": Target(lambda m: m.data(("\n".join(LINES) + "\n",), BOARD_WORDS), _ask_in_process, 0.5),
    "experiments": Target(_make_experiment, _read_experiment, 4),
    "json": Target(_make_json, _read_json, 4),
    "dry-runs": Target(_make_experiment, _plan, 0.7),
    "sets": Target(lambda m: m.data(SETS, SET_WORDS), _read_set, 3),
    "used-sets": Target(lambda m: m.data(SETS, SET_WORDS), _use_set, 0.3),
    "published": Target(lambda m: m.data(PUBLISHED, SET_WORDS), _read_published, 3),
    "settings": Target(lambda m: m.data(SETTINGS, SET_WORDS), _read_settings, 2),
    "conditions": Target(lambda m: m.text(CONDITIONS, CONDITION_WORDS), _select, 3),
    "orders": Target(lambda m: m.text(("cost,-board_name", "status", "-seconds"), CONDITION_WORDS), _sort, 0.7),
    "stores": Target(_make_store, _show_store, 1.5),
    "records": Target(_make_record, _append_to_record, 2),
    "networks": Target(_make_network, _read_network, 2),
    "checkpoints": Target(_make_checkpoint, _resume, 1),
    "commands": Target(_make_command, _run_command, 5),
}
