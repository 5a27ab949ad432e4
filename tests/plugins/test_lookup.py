"""The functions `heuristic` and `player`: by name, bound, or around a function; with parameters, for a domain."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import searchlab as sl
from searchlab.binding.heuristic import BoundHeuristic
from searchlab.binding.player import Move
from searchlab.plugins.found import NO_PLUGIN
from searchlab.plugins.lookup import find

PLUGINS = Path(__file__).parents[1] / "plugin_files"
BOARD = sl.Board([[0, 2, 4], [8, 0, 0], [2, 2, 2]])


def test_a_heuristic_by_name_gives_values():
    """Its own parameters can be set, and show in its spelling."""
    assert sl.heuristic("left-weighted")(BOARD) == 1 * 0 + 3 * 8 + 6 * 2 + 2 - 2
    assert sl.heuristic("left-weighted:corner=-2")(BOARD) == 34
    assert sl.heuristic("left-weighted", corner=3)(BOARD) == 44
    assert str(sl.heuristic("left-weighted:corner=-2.0")) == "left-weighted:corner=-2"
    assert str(sl.heuristic("left-weighted:corner=-1")) == "left-weighted"


def test_an_alias_is_the_same_heuristic():
    """It shows under its name."""
    assert str(sl.heuristic("weighted")) == "distance-weighted"


def test_parameters_are_filled_from_the_domain():
    """A heuristic's parameter named like one of the domain takes the domain's value."""
    board = sl.domain("2048").start()
    assert sl.heuristic("moves-to-go")(board) == 1033
    assert sl.heuristic("moves-to-go", domain="2048:goal=8")(board) == 5
    assert sl.heuristic("moves-to-go", domain=sl.domain("2048", goal=16))(board) == 10


def test_parameters_of_the_domain_cannot_be_set_separately():
    """Neither in the name nor as a keyword."""
    for name, more in (("moves-to-go:goal=8", {}), ("moves-to-go", {"goal": 8})):
        said = "heuristic moves-to-go: goal is filled from the domain; set it there, as in 2048:goal=8"
        with pytest.raises(sl.UsageError, match=said):
            sl.heuristic(name, **more)
    with pytest.raises(sl.UsageError, match="goal_row is filled from the domain; it cannot be set"):
        sl.heuristic("taxicab", goal_row=[1])


def test_a_bound_heuristic_keeps_its_domain_and_values():
    """Binding again changes only the given values."""
    bound = sl.heuristic("moves-to-go", domain="2048:goal=8")
    board = sl.domain("2048").start()
    assert sl.heuristic(bound)(board) == 5
    assert sl.heuristic(bound, domain="2048:goal=16")(board) == 10
    corner = sl.heuristic("left-weighted:corner=-2")
    assert str(sl.heuristic(corner)) == "left-weighted:corner=-2"
    assert str(sl.heuristic(corner, corner=5)) == "left-weighted:corner=5"


def test_a_heuristic_of_another_domain_is_refused():
    """With the domains it is made for, and the heuristics there are for this one."""
    with pytest.raises(sl.UsageError) as raised:
        sl.solve(heuristic="taxicab")
    assert str(raised.value).startswith(
        "heuristic 'taxicab' is made for sliding-tile, not for 2048; for that there are: column-snake, "
    )


def test_a_function_is_a_heuristic():
    """With its parameters, and `prefer` to say that it is a score."""

    def largest(tiles, factor=2):
        return factor * tiles.max()

    assert sl.heuristic(largest)(BOARD) == 16
    assert sl.heuristic(largest, factor=3)(BOARD) == 24
    assert sl.heuristic(largest).prefer == "low"
    assert sl.heuristic(largest, prefer="high").prefer == "high"
    assert sl.heuristic(partial(largest, factor=5))(BOARD) == 40
    with pytest.raises(sl.UsageError, match="prefer is one of low, high, not up"):
        sl.heuristic(largest, prefer="up")


def test_a_parameter_named_prefer_belongs_to_the_function():

    def mine(tiles, prefer="left"):
        return len(prefer)

    assert sl.heuristic(mine, prefer="right")(BOARD) == 5


def test_a_function_in_a_file_is_a_heuristic():
    """`FILE.py:function`, with parameters and `prefer=high`."""
    name = f"{PLUGINS / 'everything.py'}:largest"
    assert sl.heuristic(name)(BOARD) == 8
    score = sl.heuristic(f"{name}:prefer=high")
    assert (score.prefer, str(score)) == ("high", "largest:prefer=high")
    result = sl.solve(domain="2048:goal=16", heuristic=f"{name}:prefer=high", engine="readable")
    assert result.status == "solved"


def test_values_are_plain_numbers_and_kept_on_the_board():
    """A NumPy number comes out as Python's, and the function is called once for a board."""
    calls = []

    def counting(tiles, by=1):
        calls.append(by)
        return np.int64(by) * tiles.sum()

    board = sl.Board(BOARD.tiles)
    once, twice = sl.heuristic(counting), sl.heuristic(counting, by=2)
    assert [once(board), once(board), twice(board), twice(board), once(board)] == [20, 20, 40, 40, 20]
    assert type(once(board)) is int
    assert calls == [1, 2]
    assert once(sl.Board(BOARD.tiles)) == 20
    assert calls == [1, 2, 1]


def test_kept_values_are_distinguished_by_arrays():
    """Two long arrays that differ in the middle give two values for the same board."""

    def weighted(tiles, weights):
        return int(weights.sum()) + tiles[0, 1]

    zeros = np.zeros(5000, np.int64)
    changed = zeros.copy()
    changed[2500] = 7
    first, second = sl.heuristic(weighted, weights=zeros), sl.heuristic(weighted, weights=changed)
    assert [first(BOARD), second(BOARD), first(BOARD)] == [2, 9, 2]


def test_kept_values_are_distinguished_by_domain(example8):
    """The same board has another value under another goal."""
    last = sl.heuristic("taxicab")
    first = sl.heuristic("taxicab", domain="sliding-tile:goal=blank-first")
    assert (last(example8), first(example8), last(example8)) == (3, 11, 3)


def test_kept_values_are_distinguished_after_a_new_declaration():
    """As by a notebook cell that is run again with another goal."""

    def far(tiles, other):
        return abs(tiles[0, 0] - other[0, 0])

    near = sl.Heuristic("near", between=far)
    line = sl.Domain("line", lambda board: (), goals=lambda board: [sl.Board([[3]])])
    board = sl.Board([[0]])
    first, again, other = (
        sl.heuristic(near, domain=sl.domain(each))
        for each in (line, line, replace(line, goals=lambda board: [sl.Board([[7]])]))
    )
    assert [first(board), again(board), other(board), first(board)] == [3, 3, 7, 3]
    assert first._key == again._key


def test_a_declared_domain_is_accepted():
    declared = sl.domain("sliding-tile").component
    bound = sl.heuristic("taxicab", domain=declared)
    assert bound.domain.component is declared
    assert bound(sl.read_board("sliding-tile/puzzle8-20")) == sl.heuristic("taxicab")(
        sl.read_board("sliding-tile/puzzle8-20")
    )


def test_defaults_of_a_bound_heuristic_are_filled_from_the_domain():
    """A value that was set and that the domain has, too, is refused."""

    def toward(tiles, goal="anywhere", weight=1):
        return weight * (goal == "blank-last")

    bound = sl.heuristic(toward, weight=3)
    for again in (sl.heuristic(bound, domain="sliding-tile"), sl.heuristic(toward, domain="sliding-tile", weight=3)):
        assert again(BOARD) == 3
        assert str(again) == "toward:weight=3"
    assert sl.heuristic(bound, domain="sliding-tile:goal=blank-first")(BOARD) == 0
    with pytest.raises(sl.UsageError, match="heuristic toward: goal is filled from the domain; set it there"):
        sl.heuristic(sl.heuristic(toward, goal="here"), domain="sliding-tile")
    with pytest.raises(sl.UsageError, match="heuristic toward: goal is filled from the domain; set it there"):
        sl.heuristic(bound, domain="sliding-tile", goal="anywhere")


def test_a_heuristic_must_not_write_to_the_board():
    """The tiles it is given are read-only."""

    def vandal(tiles):
        tiles[0, 0] = 9
        return 0

    with pytest.raises(ValueError, match="read-only"):
        sl.heuristic(vandal)(BOARD)


EVERYTHING = Path(__file__).parents[1] / "plugin_files" / "everything.py"
GAME_BOARD = sl.Board([[2, 0], [2, 4]])


def asking(seen):
    """A player that notes what it is given."""

    def ask(board, moves, domain, heuristic, random, goal, depth=3):
        seen.append((board, moves, domain, heuristic, random.random(), goal, depth))
        return moves[0].action

    return ask


def test_a_player_gets_its_arguments_by_name():
    """The game, chance, the domain's own heuristic, the domain's parameters, and its own."""
    seen = []
    player = sl.player(asking(seen), domain="2048:goal=8", depth=5)
    assert str(player) == "ask:depth=5,heuristic=left-weighted"
    assert player.begin(1)(GAME_BOARD, (Move("up", GAME_BOARD),)) == "up"
    player.begin(1)(GAME_BOARD, (Move("up", GAME_BOARD),))
    (board, moves, domain, heuristic, chance, goal, depth), again = seen
    assert (board, moves, goal, depth) == (GAME_BOARD, (("up", GAME_BOARD),), 8, 5)
    assert str(domain) == "2048:goal=8"
    assert isinstance(heuristic, BoundHeuristic)
    assert str(heuristic) == "left-weighted"
    assert chance == again[4]


@pytest.mark.parametrize(
    ("spelled", "shown", "value"),
    [
        ("greedy", "greedy:heuristic=smooth", sl.heuristic("smooth")(GAME_BOARD)),
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
    assert player.heuristics["heuristic"](GAME_BOARD) == value


def test_the_shown_name_of_a_player_can_be_looked_up():
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


def test_the_default_domain_of_a_player_is_the_one_it_is_made_for():
    """Unless another one is given; without any it plays the game that is played by default."""
    plugins = sl.Plugins([EVERYTHING])
    assert sl.player("topple", plugins=plugins).domain.name == "crepe"
    assert sl.player("random").domain.name == "2048-random"
    assert str(sl.player("greedy", domain="sliding-tile")) == "greedy:heuristic=taxicab"
    with pytest.raises(
        sl.UsageError,
        match=r"'topple' is made for crepe, not for 2048; .* there are: expectimax, greedy, ntuple, program, random",
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
        ("greedy:depth=1", "2048", "player greedy has no parameter 'depth': there is only heuristic"),
        ("random:chance=1", "2048", "player random has no parameter 'chance'"),
        ("random:random=1", "2048", "player random has no parameter 'random'"),
        ("random:goal=64", "2048", "player random: goal is filled from the domain; set it there"),
    ],
)
def test_invalid_arguments_are_refused(spelled, domain, said):
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


def test_a_domain_without_a_default_heuristic_needs_one():
    """Unless the player uses none."""
    plain = sl.domain(sl.Domain("plain", lambda board: (), lambda board: False))
    with pytest.raises(
        sl.UsageError, match="player greedy: plain has no heuristic of its own; name one as heuristic=NAME"
    ):
        sl.player("greedy", domain=plain)
    assert sl.player("random", domain=plain).domain is plain


def test_values_of_the_domain_are_those_for_the_board():
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
    """Lower is better for any heuristic; a value that is not a number is an error that names the heuristic."""
    assert sl.heuristic("empty").estimate(GAME_BOARD) == -1
    assert sl.heuristic("penalty").estimate(GAME_BOARD) == sl.heuristic("penalty")(GAME_BOARD) > 0
    odd = sl.heuristic(lambda tiles: value)
    with pytest.raises(
        sl.PluginError, match=f"heuristic <lambda> returned {shown}, which is not an? (estimate|number)"
    ):
        odd.estimate(GAME_BOARD)


def test_a_name_is_found_with_its_plugin_its_values_and_its_domain():
    """A component and a function are found in the same way; no plugin brings them."""
    found = find("heuristic", "left-weighted:corner=-2", "2048:goal=64")
    assert (found.kind, found.plugin.name, found.component.name) == ("heuristic", "searchlab", "left-weighted")
    assert dict(found.values) == {"corner": -2.0}
    assert str(found.domain) == "2048:goal=64"
    for passed in (found.component, lambda tiles, corner=-1.0: 0):
        again = find("heuristic", passed, "2048:goal=64", parameters={"corner": -2})
        assert (again.plugin, again.values["corner"]) == (NO_PLUGIN, -2.0)


@pytest.mark.parametrize("plugins", ["mine.py", ["mine.py"], []])
@pytest.mark.parametrize(
    "call",
    [
        lambda plugins: sl.solve("sliding-tile/puzzle8-20", plugins=plugins),
        lambda plugins: sl.searcher(domain="sliding-tile", plugins=plugins),
        lambda plugins: sl.domain("sliding-tile", plugins=plugins),
        lambda plugins: sl.generator("shuffled", plugins=plugins),
        lambda plugins: sl.run(sl.Experiment(boards=["sliding-tile/puzzle8-20"]), plugins=plugins),
    ],
)
def test_plugins_that_are_no_registry_are_refused(call, plugins):
    """A file given in place of sl.Plugins, as newcomers do."""
    with pytest.raises(
        sl.UsageError, match=r"plugins are an sl.Plugins, such as sl.Plugins\(files=\['mine.py'\]\), not"
    ):
        call(plugins)
