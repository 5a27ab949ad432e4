"""The Python function `player`: by name, bound, or around a function; with parameters, for a domain."""

from pathlib import Path

import pytest

import searchlab as sl
from searchlab.binding.heuristic import BoundHeuristic
from searchlab.binding.player import Move

EVERYTHING = Path(__file__).parents[1] / "plugin_files" / "everything.py"
BOARD = sl.Board([[2, 0], [2, 4]])


def asking(seen):
    """A player that notes what it is given."""

    def ask(board, moves, domain, heuristic, random, goal, depth=3):
        seen.append((board, moves, domain, heuristic, random.random(), goal, depth))
        return moves[0].action

    return ask


def test_a_player_gets_what_it_asks_for_by_name():
    """The game, chance, the domain's own heuristic, the domain's parameters, and its own."""
    seen = []
    player = sl.player(asking(seen), domain="2048:goal=8", depth=5)
    assert str(player) == "ask:depth=5,heuristic=left-weighted"
    assert player.begin(1)(BOARD, (Move("up", BOARD),)) == "up"
    player.begin(1)(BOARD, (Move("up", BOARD),))
    (board, moves, domain, heuristic, chance, goal, depth), again = seen
    assert (board, moves, goal, depth) == (BOARD, (("up", BOARD),), 8, 5)
    assert str(domain) == "2048:goal=8"
    assert isinstance(heuristic, BoundHeuristic)
    assert str(heuristic) == "left-weighted"
    assert chance == again[4]


@pytest.mark.parametrize(
    ("spelled", "shown", "value"),
    [
        ("greedy", "greedy:heuristic=smooth", sl.heuristic("smooth")(BOARD)),
        ("greedy:heuristic=empty", "greedy:heuristic=empty", 1),
        ("greedy:heuristic=[left-weighted:corner=-2]", "greedy:heuristic=[left-weighted:corner=-2]", 2 - 2 * 4),
        ("greedy:heuristic=searchlab/empty", "greedy:heuristic=empty", 1),
        (f"greedy:heuristic={EVERYTHING}:largest", "greedy:heuristic=largest", 4),
        (f"greedy:heuristic=[{EVERYTHING}:largest:prefer=high]", "greedy:heuristic=[largest:prefer=high]", 4),
    ],
)
def test_a_parameter_is_the_name_of_a_heuristic(spelled, shown, value):
    """With parameters in brackets, of a plugin or of a file; what is shown says which."""
    player = sl.player(spelled)
    assert str(player) == shown
    assert player.heuristics["heuristic"](BOARD) == value


def test_what_a_player_shows_as_its_name_is_its_name():
    """Spelled so, it is the same player."""
    for spelled in ("greedy", "greedy:heuristic=[left-weighted:corner=-2]"):
        player = sl.player(spelled)
        assert str(sl.player(str(player))) == str(player)


def test_a_heuristic_may_be_given_as_an_object():
    """Bound, as a component, or simply a function."""
    assert str(sl.player("greedy", heuristic=sl.heuristic("snake"))) == "greedy:heuristic=snake"
    assert str(sl.player("greedy", heuristic=lambda tiles: 0)) == "greedy:heuristic=<lambda>"
    mine = sl.Heuristic("mine", lambda tiles, weight=1.0: weight)
    assert str(sl.player("greedy", heuristic=mine)) == "greedy:heuristic=mine"


def test_several_parameters_can_name_heuristics():
    """Declared as such, whatever they are called; each is bound to the domain of the game."""

    def torn(board, moves, head, heart):
        return min(moves, key=lambda move: head.estimate(move.board) + heart.estimate(move.board)).action

    names = [sl.Parameter(name, "taxicab", kind="heuristic") for name in ("head", "heart")]
    component = sl.Player("torn", torn, domains={"sliding-tile"}, parameters=tuple(names))
    player = sl.player(component, domain="sliding-tile:goal=blank-first", heart="misplaced")
    assert str(player) == "torn:heart=misplaced,head=taxicab"
    assert {str(heuristic.domain) for heuristic in player.heuristics.values()} == {"sliding-tile:goal=blank-first"}


def test_a_player_plays_the_one_domain_it_is_made_for():
    """Unless it is told another one; without any it plays the game that is played by default."""
    plugins = sl.Plugins([EVERYTHING])
    assert sl.player("topple", plugins=plugins).domain.name == "pancake"
    assert sl.player("random").domain.name == "2048-random"
    assert str(sl.player("greedy", domain="sliding-tile")) == "greedy:heuristic=taxicab"
    with pytest.raises(
        sl.UsageError,
        match=r"'topple' is made for pancake, not for 2048; .* there are: expectimax, greedy, ntuple, random",
    ):
        sl.player("topple", domain="2048", plugins=plugins)


def test_a_bound_player_is_bound_again():
    """It keeps its domain and values; in another game a heuristic that was the domain's own is that one's own."""
    bound = sl.player("greedy", domain="2048:goal=8")
    assert str(sl.player(bound).domain) == "2048:goal=8"
    assert str(sl.player(bound, domain="sliding-tile")) == "greedy:heuristic=taxicab"
    corner = sl.player("greedy:heuristic=[left-weighted:corner=-2]")
    assert str(sl.player(corner, domain="2048:goal=8")) == "greedy:heuristic=[left-weighted:corner=-2]"
    with pytest.raises(sl.UsageError, match="heuristic 'left-weighted' is made for 2048, not for sliding-tile"):
        sl.player(corner, domain="sliding-tile")


@pytest.mark.parametrize(
    ("spelled", "domain", "said"),
    [
        ("greedy:heuristic=taxcab", "2048", "no heuristic is called 'taxcab'"),
        ("greedy:heuristic=taxicab", "2048", "heuristic 'taxicab' is made for sliding-tile, not for 2048"),
        ("greedy:heuristic=[left-weighted:edge=1]", "2048", "heuristic left-weighted has no parameter 'edge'"),
        ("greedy:depth=1", "2048", "player greedy has no parameter 'depth': Available: heuristic"),
        ("random:chance=1", "2048", "player random has no parameter 'chance'"),
        ("random:random=1", "2048", "player random has no parameter 'random'"),
        ("random:goal=64", "2048", "player random: goal is filled from the domain; set it there"),
    ],
)
def test_what_makes_no_sense_is_refused(spelled, domain, said):
    """In the player's parameters, and in those of the heuristic it names."""
    with pytest.raises(sl.UsageError) as raised:
        sl.player(spelled, domain=domain)
    assert said in str(raised.value)


def test_a_function_that_cannot_be_a_player_is_refused():
    """It takes too few arguments, or says by their names that it is something else."""
    with pytest.raises(sl.UsageError, match=r"function is a function \(board, moves\), not <lambda>\(board\)"):
        sl.player(lambda board: "up")
    with pytest.raises(sl.UsageError, match=r"a player is a function \(board, moves\), not <lambda>\(tiles, more\)"):
        sl.player(lambda tiles, more: "up")


def test_a_domain_without_a_heuristic_wants_one_named():
    """A player that uses none does without."""
    plain = sl.domain(sl.Domain("plain", lambda board: (), lambda board: False))
    with pytest.raises(
        sl.UsageError, match="player greedy: plain has no heuristic of its own; name one as heuristic=NAME"
    ):
        sl.player("greedy", domain=plain)
    assert sl.player("random", domain=plain).domain is plain


def test_offers_of_the_domain_are_those_for_the_board():
    """Arrays for boards of its size, as heuristics get them."""
    sizes = []

    def sized(board, moves, goal_row):
        sizes.append(len(goal_row))
        return moves[0].action

    choose = sl.player(sized, domain="sliding-tile").begin(0)
    for n in (2, 3, 2):
        board = sl.Board([[n * row + column for column in range(n)] for row in range(n)])
        choose(board, (Move("down", board),))
    assert sizes == [4, 9, 4]


@pytest.mark.parametrize(("value", "shown"), [(float("nan"), "nan"), ("a text", "'a text'"), (None, "None")])
def test_an_estimate_is_a_number(value, shown):
    """Lower is better whatever the heuristic prefers; what is no number is an error that names the heuristic."""
    assert sl.heuristic("empty").estimate(BOARD) == -1
    assert sl.heuristic("penalty").estimate(BOARD) == sl.heuristic("penalty")(BOARD) > 0
    odd = sl.heuristic(lambda tiles: value)
    with pytest.raises(sl.PluginError, match=f"heuristic <lambda> returned {shown}, which is no (estimate|number)"):
        odd.estimate(BOARD)
