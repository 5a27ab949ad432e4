"""What a plugin hands in is checked when it is made: a mistake shows at the line that makes it."""

import dataclasses

import pytest

import searchlab as sl
from searchlab.model.component import extra_parameters


def f(tiles):
    return 0


def g_plus_h(g, h, weight=1.0, *, turbo=False):
    return g + weight * h


BY_NAME = sl.Parameter("of", "", kind="heuristic")


@pytest.mark.parametrize("name", ["", " ", "a:b", "a/b", "a,b", "a=b", "[a]", 3, None])
def test_names_that_could_not_be_spelled_are_refused(name):
    """Also as an alias, for every kind."""
    makers = (
        lambda name, **more: sl.Heuristic(name, f, **more),
        lambda name, **more: sl.Domain(name, f, f, **more),
        lambda name, **more: sl.Frontier(name, g_plus_h, **more),
        lambda name, **more: sl.Player(name, f, **more),
    )
    for make in makers:
        with pytest.raises(ValueError, match="a name is a text without any of"):
            make(name)
        with pytest.raises(ValueError, match="a name is a text without any of"):
            make("fine", aliases=("also-fine", name))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sl.Heuristic("h", f, prefer="hihg"), "Heuristic 'h': prefer is one of low, high, not 'hihg'"),
        (lambda: sl.Heuristic("h", f, domains="2048"), "Heuristic 'h': domains is a set of names, not the text '2048'"),
        (lambda: sl.Player("p", f, domains="2048"), "Player 'p': domains is a set of names, not the text '2048'"),
        (lambda: sl.Heuristic("h", f, parameters=(BY_NAME,)), "h': of cannot be the name of a heuristic: only a play"),
        (lambda: sl.Frontier("s", g_plus_h, parameters=(BY_NAME,)), "s': of cannot be the name of a heuristic"),
        (
            lambda: sl.Heuristic("h", f, admissible=1),
            "admissible is True, False or a function of its parameters, not 1",
        ),
        (lambda: sl.Heuristic("h"), "Heuristic 'h': it needs a function(tiles), or a batch(boards)"),
        (
            lambda: sl.Heuristic("h", batch=f, packed=f),
            "line stand beside a function(tiles), not in its place",
        ),
        (lambda: sl.Heuristic("h", batch=f, incremental=f), "stand beside a function(tiles), not in its place"),
        (lambda: sl.Heuristic("h", f, aliases="hh"), "Heuristic 'h': aliases is a tuple of names, not the text 'hh'"),
        (lambda: sl.Domain("d", f, f, duplicates="never"), "Domain 'd': duplicates is one of early, late, not 'never'"),
        (lambda: sl.Frontier("s"), "Frontier 's': a heap needs a priority"),
        (lambda: sl.Frontier("s", g_plus_h, family="worst-first"), "family is one of best-first, deepening, beam, not"),
        (lambda: sl.Frontier("s", g_plus_h, container="bag"), "container is one of heap, fifo, lifo, not 'bag'"),
        (lambda: sl.Frontier("s", g_plus_h, ties="oldest"), "ties is one of low-h, newest, not 'oldest'"),
        (lambda: sl.Frontier("s", g_plus_h, duplicates="late"), "duplicates is one of early, domain, not 'late'"),
        (lambda: sl.Frontier("s", g_plus_h, duplicates="domain"), "nodes are reopened: reopens=True"),
        (lambda: sl.Frontier("s", g_plus_h, optimal_with="luck"), "optimal_with is one of never, always"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    """With the component, the field, and what it takes."""
    with pytest.raises((ValueError, TypeError)) as raised:
        make()
    assert message in str(raised.value)


def test_components_never_change():
    """They are values: another one is made by `dataclasses.replace`, and checked again."""
    heuristic = sl.Heuristic("h", f)
    with pytest.raises(dataclasses.FrozenInstanceError):
        heuristic.name = "other"
    with pytest.raises(ValueError, match="prefer is one of"):
        dataclasses.replace(heuristic, prefer="both")


def test_a_functions_parameters_after_its_subjects_are_a_components_own():
    """With their defaults; what is declared completes them and comes first."""
    assert [(p.name, p.default) for p in extra_parameters(g_plus_h, 2)] == [("weight", 1.0), ("turbo", False)]
    declared = sl.Parameter("weight", 3.0, "how much")
    strategy = sl.Frontier("s", g_plus_h, parameters=(declared,), reopens=True, duplicates="domain")
    assert strategy.own_parameters()[0] is declared
    assert [p.name for p in strategy.own_parameters()] == ["weight", "turbo", "duplicates"]


def choose(board, moves, domain, random, heuristic, goal, depth=3):
    return moves[0].action


def test_what_a_player_is_supplied_with_is_no_parameter():
    """The game and chance are not; a heuristic is one, chosen by its name."""
    own = sl.Player("p", choose).own_parameters()
    assert [(p.name, p.kind) for p in own] == [("heuristic", "heuristic"), ("goal", ""), ("depth", "")]
    assert [p.default for p in own if p.name in ("heuristic", "depth")] == ["", 3]
    declared = sl.Parameter("heuristic", "empty", "what it likes", kind="heuristic")
    assert sl.Player("p", choose, parameters=(declared,)).own_parameters()[0] is declared
    named = sl.Player("p", lambda board, moves, heuristic="snake": moves[0].action)
    assert named.own_parameters()[0].default == "snake"


def test_functions_that_do_not_say_what_they_take_have_no_parameters():
    """Some functions of Python are written in C."""
    assert extra_parameters(max) == ()
    assert sl.heuristic(max).name == "max"
