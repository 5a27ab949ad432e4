"""Finding components to check: by names, files, functions and objects, on domains that they support."""

import pytest

import searchlab as sl
from searchlab.testing.contract import PROPERTIES
from searchlab.testing.finder import CHECKED, Finder

FILE = """
from searchlab import Frontier, Heuristic, hookimpl

def first(tiles, goal_row):
    return goal_row[tiles[0, 0]]

def second(tiles, weight=1.0):
    return weight * tiles[0, 0]

def helper(x):
    return x
"""
HOOK = """
@hookimpl
def searchlab_heuristics():
    yield Heuristic("the-first", first, domains={"sliding-tile"})

@hookimpl
def searchlab_frontiers():
    yield Frontier("the-third", lambda g, h: h)
"""


@pytest.fixture
def find(tmp_path):
    """Finds subjects, with a file of bare functions and one with hooks in the folder."""
    (tmp_path / "bare.py").write_text(FILE)
    (tmp_path / "hooked.py").write_text(FILE + HOOK)

    def find(wanted, **options):
        text = wanted.replace("DIR", str(tmp_path)) if isinstance(wanted, str) else wanted
        found = Finder(sl.Plugins(), **options).find(text)
        return [(s.kind, s.name, *(b.domain.name for b in s.bound if s.kind == "heuristic")) for s in found]

    return find


def test_names(find):
    """Of any kind, with parameters, by an alias, and of one kind where several things have the name."""
    assert find("manhattan") == [("heuristic", "taxicab", "sliding-tile")]
    assert find("weighted-astar:weight=3") == [("frontier", "weighted-astar:weight=3")]
    assert find("2048:goal=64") == [("domain", "2048:goal=64")]
    assert find("searchlab/snake", kind="heuristic") == [("heuristic", "snake", "2048")]


def test_there_is_a_contract_of_each_kind_that_can_be_checked():
    """And no other."""
    assert sorted(PROPERTIES) == sorted(CHECKED)


def test_files(find):
    """A file stands for all that its hooks bring, else for its functions of tiles."""
    assert find("DIR/hooked.py") == [("heuristic", "the-first", "sliding-tile"), ("frontier", "the-third")]
    assert find("DIR/bare.py") == [("heuristic", "first", "sliding-tile"), ("heuristic", "second", "2048")]


BARE = """
from searchlab import Board, Heuristic

def successors(board):
    yield "turn", Board(board.tiles[:, ::-1])

def is_goal(board):
    return board.tiles[0, 0] == 1

def start():
    return Board([[2, 1]])

def first(tiles):
    return tiles[0, 0]

def hurried(g, h):
    return g + 2 * h

def gives_up(problem, watch):
    raise NotImplementedError

def last(board, moves):
    return moves[-1].action

DECLARED = Heuristic("declared", first, domains={"2048"})
"""


def test_a_file_of_bare_functions_stands_for_all_that_they_say_they_are(find, tmp_path):
    """By what their first arguments are called, and the name of a domain's; helpers are passed over."""
    (tmp_path / "game.py").write_text(BARE)
    assert find("DIR/game.py") == [
        ("heuristic", "declared", "2048"),
        ("domain", "game"),
        ("heuristic", "first", "2048"),
        ("frontier", "hurried"),
        ("frontier", "gives_up"),
        ("player", "last"),
    ]
    assert find("DIR/game.py", kind="player") == [("player", "last")]
    assert find("DIR/game.py:successors") == [("domain", "game")]
    assert find("DIR/game.py:DECLARED") == [("heuristic", "declared", "2048")]


def test_functions_of_files(find):
    """By the name of the function or of the component, with parameters."""
    assert find("DIR/hooked.py:first") == find("DIR/hooked.py:the-first")
    assert find("DIR/hooked.py:second:weight=2") == [("heuristic", "second:weight=2", "2048")]
    assert find("DIR/hooked.py:second", domain="sliding-tile") == [("heuristic", "second", "sliding-tile")]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("taxicb", "no component is called 'taxicb': did you mean 'taxicab'?"),
        ("DIR/none.py", "no such file"),
        ("DIR/bare.py:third", "has no heuristic 'third'"),
        ("first:weight=2", "no component is called"),
        (3, "3 cannot be checked"),
    ],
)
def test_unknown_components_are_refused(find, wanted, said):
    """The UsageError lists the known ones."""
    with pytest.raises(sl.UsageError) as raised:
        find(wanted)
    assert said in str(raised.value)


def test_a_heuristic_that_no_domain_can_serve_is_refused(find):
    """It asks for a name that no domain offers."""

    def wants(tiles, moon_phase):
        return moon_phase

    with pytest.raises(sl.UsageError, match=r"fits no domain: .*moon_phase"):
        find(wants)


def test_a_file_without_components_is_refused(tmp_path):
    """Neither hooks nor functions of tiles."""
    (tmp_path / "empty.py").write_text("def helper(x):\n    return x\n")
    with pytest.raises(sl.UsageError, match="brings nothing to check"):
        Finder(sl.Plugins()).find(str(tmp_path / "empty.py"))
