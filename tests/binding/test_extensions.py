"""Generators and renderers with their parameters set: seeds make boards, boards make pictures."""

import sys
from pathlib import Path

import pytest

import searchlab as sl

EVERYTHING = Path(__file__).parents[1] / "plugin_files" / "everything.py"


@pytest.fixture(scope="module")
def plugins():
    return sl.Plugins([EVERYTHING])


def one_row(random, n=3, goal=2048):
    """A row of the goal, which is not a board of 2048."""
    return sl.Board([[goal] * n])


def described(board, spawn, word="board"):
    """The board's size and the rule."""
    return f"{word} of {board.size()}, {spawn}"


def generator(function, **more):
    return sl.generator(sl.Generator("g", function, **more))


def test_a_generator_makes_the_board_of_a_seed(plugins):
    """The same for the same seed; its own parameters may be set, and the domain is its own."""
    stacked = sl.generator("stacked:pancakes=5", plugins=plugins)
    boards = [stacked(seed) for seed in range(20)]
    assert [stacked(seed) for seed in range(20)] == boards
    assert len(set(boards)) > 10
    assert {board.shape for board in boards} == {(1, 5)}
    assert (str(stacked), repr(stacked)) == ("stacked:pancakes=5", "<BoundGenerator stacked:pancakes=5>")
    assert str(stacked.domain) == "crepe"
    assert sl.generator("stacked", plugins=plugins, pancakes=5)(3) == boards[3]
    assert sl.generator(stacked, plugins=plugins)(3) == boards[3]


def test_a_generator_takes_parameters_of_the_domain():
    """They cannot be set on the generator."""
    bound = sl.generator(sl.Generator("row", one_row), domain="2048:goal=64,n=2")
    assert bound.values == {}
    with pytest.raises(sl.PluginError, match="generator row made no board from the seed 0: not one of 2048:goal=64"):
        bound(0)
    with pytest.raises(sl.UsageError, match="generator row: goal is filled from the domain; set it there"):
        sl.generator(sl.Generator("row", one_row), domain="2048", goal=64)
    assert sl.generator(sl.Generator("row", one_row), goal=64)(0) == sl.Board([[64, 64, 64]])


@pytest.mark.parametrize("seed", [-1, 1.0, "1", None, True])
def test_a_seed_is_a_whole_number(seed):
    """From 0 on: Python seeds alike with 1 and with -1."""
    with pytest.raises(sl.UsageError, match="a seed is a whole number, 0 or more, not"):
        generator(one_row)(seed)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda random: [[1]], r"generator g made no board from the seed 7: it returned list \[\[1\]\], not a Board"),
        (lambda random: random.fast(), "g: <lambda> failed: AttributeError: 'Random' object has no attribute 'fast'"),
        (lambda random: sl.Board([]), "g: <lambda> failed: BoardError"),
        (lambda random: sys.exit(0), "g: <lambda> failed: SystemExit: 0"),
    ],
)
def test_a_generator_without_a_board_is_an_error(function, said):
    """The error is one line with the seed or the place in the code."""
    with pytest.raises(sl.PluginError, match=said):
        generator(function)(7)


def test_a_generator_may_refuse_its_parameters():
    """Then the user is to blame, not the plugin."""

    def picky(random, n=3):
        raise sl.UsageError(f"n={n} is odd")

    with pytest.raises(sl.UsageError, match="generator g: n=3 is odd"):
        generator(picky)(1)


@pytest.mark.parametrize("make", [sl.generator, sl.renderer])
def test_a_component_of_another_domain_is_refused(make, plugins):
    """With those that there are for it."""
    name = {"generator": "stacked", "renderer": "pile"}[make.__name__]
    fitting = {"generator": "shuffled, walk", "renderer": "box"}[make.__name__]
    with pytest.raises(sl.UsageError, match=f"'{name}' is made for crepe, not for sliding-tile; .*: {fitting}$"):
        make(name, domain="sliding-tile", plugins=plugins)
    with pytest.raises(sl.UsageError, match=f"a {make.__name__} is given by its name, not as int 3"):
        make(3)


def test_a_renderer_draws_boards(plugins):
    """With its own parameters, and those of the domain."""
    pile = sl.renderer("pile:mark=-", plugins=plugins)
    assert pile(sl.Board([[1, 3, 2]])) == "  -\n ---\n  --"
    board = sl.Board([[0, 2], [4, 0]])
    of_2048 = sl.renderer(sl.Renderer("described", described), domain="2048:spawn=corner", word="grid")
    assert of_2048(board) == "grid of 2, corner"
    assert sl.renderer(of_2048, word="box")(board) == "box of 2, corner"


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda board: 3, "renderer r returned int 3, not a text"),
        (lambda board: board.picture, "r: <lambda> failed: AttributeError"),
        (lambda board: sys.exit(0), "r: <lambda> failed: SystemExit: 0"),
    ],
)
def test_a_failing_renderer_is_an_error_of_one_line(function, said):
    with pytest.raises(sl.PluginError, match=said):
        sl.renderer(sl.Renderer("r", function))(sl.Board([[1]]))


@pytest.mark.parametrize("make", [sl.Generator, sl.Renderer])
def test_domains_are_a_set_of_names(make):
    """A text is refused when the component is made, and so is a name that could not be spelled."""
    with pytest.raises(TypeError, match=f"{make.__name__} 'x': domains is a set of names, not the text '2048'"):
        make("x", one_row, domains="2048")
    with pytest.raises(ValueError, match="a name is a text without any of"):
        make("x:y", one_row)
