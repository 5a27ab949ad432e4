"""Configurations are written as they come to mind, and what is not clear is asked back."""

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.filters import run_filter

HEURISTICS = ("taxicab", "mine/snake:corner=-2,edge=1", "lib/h.py:left:weight=2", "greedy")
FRONTIERS = ("astar", "greedy", "beam:width=10", "beam:width=100", "searchlab/ida-star")


@pytest.fixture
def results(make_record, make_results):
    """Every heuristic with every frontier, but the last with the first only."""
    pairs = [(h, f) for h in HEURISTICS[:-1] for f in FRONTIERS] + [(HEURISTICS[-1], FRONTIERS[0])]
    return sl.load_results(make_results([make_record(1, h, f, seed=n % 2) for n, (h, f) in enumerate(pairs)]))


@pytest.mark.parametrize(
    ("text", "heuristic", "frontier"),
    [
        ("taxicab", "taxicab", None),
        (" astar ", None, "astar"),
        ("beam:width=10", None, "beam:width=10"),
        ("ida-star", None, "searchlab/ida-star"),
        ("searchlab/ida-star", None, "searchlab/ida-star"),
        ("snake", "mine/snake:corner=-2,edge=1", None),
        ("mine/snake", "mine/snake:corner=-2,edge=1", None),
        ("snake:corner=-2,edge=1", "mine/snake:corner=-2,edge=1", None),
        ("snake:edge=1,corner=-2", "mine/snake:corner=-2,edge=1", None),
        ("mine/snake:edge=1", "mine/snake:corner=-2,edge=1", None),
        ("left", "lib/h.py:left:weight=2", None),
        ("h.py:left", "lib/h.py:left:weight=2", None),
        ("taxicab/astar", "taxicab", "astar"),
        ("taxicab/searchlab/ida-star", "taxicab", "searchlab/ida-star"),
        ("mine/snake/ida-star", "mine/snake:corner=-2,edge=1", "searchlab/ida-star"),
        ("mine/snake:corner=-2,edge=1/beam:width=100", "mine/snake:corner=-2,edge=1", "beam:width=100"),
        ("lib/h.py:left:weight=2/greedy", "lib/h.py:left:weight=2", "greedy"),
        ("greedy/astar", "greedy", "astar"),
        ("heuristic=greedy", "greedy", None),
        ("frontier=greedy", None, "greedy"),
        ("heuristic=mine/snake:corner=-2,edge=1, frontier=beam:width=10", HEURISTICS[1], "beam:width=10"),
        ("frontier = ida-star ,heuristic=[taxicab]", "taxicab", "searchlab/ida-star"),
    ],
)
def test_what_is_written_is_what_is_meant(results, text, heuristic, frontier):
    """A name may lack its plugin, its folder and its parameters where one thing only is called so."""
    meant = run_filter(text, results)
    said = {"heuristic": heuristic, "frontier": frontier}
    assert meant.values == {column: value for column, value in said.items() if value}
    runs = meant.runs(results)
    assert len(runs)
    assert all(set(runs[column]) == {value} for column, value in meant.values.items())


def test_any_column_may_say_it(results):
    """With conditions as --where has them."""
    meant = run_filter("seed=1,limit_seconds=10s,frontier=astar", results)
    assert meant.values == {"seed": "1", "limit_seconds": "10s", "frontier": "astar"}
    assert set(meant.runs(results)["seed"]) == {1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("taxcab", "nothing that was run is called 'taxcab': did you mean 'taxicab'"),
        ("taxicab/astr", "did you mean 'taxicab/astar'"),
        ("greedy/greedy", "nothing that was run is called 'greedy/greedy'"),
        ("greedy", "'greedy' may be several things; write heuristic=greedy or frontier=greedy"),
        ("beam", "'beam' may be several things; write frontier=beam:width=10 or frontier=beam:width=100"),
        ("taxicab/beam", "write heuristic=taxicab,frontier=beam:width=10 or heuristic=taxicab,frontier=beam:width=100"),
        ("frontier=beam", "may be several things; write beam:width=10 or beam:width=100"),
        ("frontier=bem", "no run has frontier=bem: did you mean"),
        ("seed=7", "no run has seed=7; there are: 0, 1"),
        ("seed=x", "seed is a number, not 'x'"),
        ("", "nothing that was run is called ''"),
    ],
)
def test_what_is_not_clear_is_asked_back(results, text, said):
    """With what it may be."""
    with pytest.raises(UsageError) as error:
        run_filter(text, results)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "player"),
    [
        ("greedy", "greedy"),
        ("look", None),
        ("look:depth=2", "look:depth=2"),
        ("look:heuristic=[smooth:merges=0]", "look:heuristic=[smooth:merges=0],depth=2"),
        ("look:depth=2,heuristic=[smooth:merges=0]", "look:heuristic=[smooth:merges=0],depth=2"),
        ("player=look:depth=2,heuristic=[smooth:merges=0]", "look:heuristic=[smooth:merges=0],depth=2"),
        ("mine/left", "mine/left"),
        ("heuristic=smooth", None),
        ("greedy/look", None),
    ],
)
def test_players_are_named_likewise(make_game, make_results, text, player):
    """What is said of a player is enough where it fits one."""
    players = ("greedy", "look:depth=2", "look:heuristic=[smooth:merges=0],depth=2", "mine/left")
    results = sl.load_results(make_results([make_game(name) for name in players]))
    if player:
        assert run_filter(text, results).values == {"player": player}
        return
    with pytest.raises(UsageError, match=r"may be several things|nothing that was run is called"):
        run_filter(text, results)
