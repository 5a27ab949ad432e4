"""The player that looks ahead: it makes the best move of what it is asked to compute, and plays well."""

import pytest

import searchlab as sl
from tests.changed_domain import changed

BOARD = sl.Board([[2, 0, 4, 0], [8, 2, 0, 0], [16, 64, 32, 2], [128, 256, 4, 2]])


def blanks(tiles):
    return -(tiles == 0).sum()


def asked(player, board=BOARD):
    moves = tuple(sl.Move(*pair) for pair in player.domain.successors(board))
    return player.begin(0)(board, moves)


@pytest.mark.slow
@pytest.mark.parametrize("cutoff", [0.0, 0.05])
def test_expectimax_makes_the_best_move(cutoff):
    """With its depth, cutoff and heuristic."""
    player = sl.player("expectimax:heuristic=smooth", depth=2, cutoff=cutoff)
    look_ahead = sl.LookAhead(player.domain, sl.heuristic("smooth", domain=player.domain), cutoff)
    assert asked(player) == sl.Expectimax(look_ahead, depth=2).best(BOARD)


def test_the_only_move_is_made_without_looking():
    """There is nothing to choose."""
    calls = []

    def counted(tiles):
        calls.append(1)
        return 0

    only = sl.Board([[2, 4], [0, 0]])
    assert asked(sl.player("expectimax", domain="2048-random:n=2", heuristic=counted, depth=1), only) == "down"
    assert calls == []


@pytest.mark.slow
def test_expectimax_accepts_any_heuristic():
    """A plain function too; blanks alone make a better game than chance does."""
    player = sl.player("expectimax", heuristic=blanks, depth=1)
    scores = [sl.play(player=who, seed=1).score for who in (player, "random")]
    assert scores[0] > 2 * scores[1]


@pytest.mark.slow
def test_games_of_expectimax_are_reproducible():
    """From the same seed; it draws nothing itself, and a heuristic in whole numbers is exact everywhere."""
    game = sl.play(player=sl.player("expectimax", heuristic=blanks, depth=1), seed=3, most_moves=40)
    assert "".join(action[0] for action in game.actions) == "ulduuuruurluulruulrurlulluuuluurrulrudrd"


@pytest.mark.slow
def test_looking_further_ahead_is_better():
    """In the sum of a few games, two tiles ahead against none."""
    by_smooth = [f"{name}heuristic=smooth" for name in ("greedy:", "expectimax:depth=1,", "expectimax:depth=2,")]
    scores = [sum(sl.play(player=player, seed=seed).score for seed in (1, 2)) for player in by_smooth]
    assert scores[0] < scores[1] < scores[2]


@pytest.mark.slow
def test_the_value_of_a_lost_game_may_be_set():
    """By default 0, so more than any score below; an estimate of the cost to go is not concerned."""
    board = sl.Board([[4, 8], [16, 16]])  # moved to the left nothing can go on, to the right something after a 4
    below_0 = sl.Heuristic("below-0", lambda tiles: -1.0, prefer="high")
    for heuristic, dead, values in (
        (below_0, {}, {"left": 0.0, "right": pytest.approx(-0.1)}),
        (below_0, {"dead": -5}, {"left": pytest.approx(-5.0), "right": pytest.approx(-4.6)}),
        (blanks, {}, {"left": pytest.approx(-1e9), "right": pytest.approx(-9e8)}),
    ):
        player = sl.player("expectimax", domain="2048-random:n=2", heuristic=heuristic, depth=1, **dead)
        assert player.looks_ahead(board).values(board) == values


@pytest.mark.parametrize(
    "wrong", ["depth=-1", "depth=61", "cutoff=1.5", "cutoff=-0.5", "seconds=-1", "threads=0", "dead=low", "dead=inf"]
)
def test_invalid_numbers_are_refused(wrong):
    with pytest.raises(sl.UsageError, match=wrong.partition("=")[0]):
        sl.player(f"expectimax:{wrong}")


@pytest.mark.slow
def test_a_time_per_move_replaces_the_depth():
    game = sl.play(player="expectimax:seconds=0.001", seed=1, most_moves=20)
    assert (game.status, game.moves) == ("move-limit", 20)


@pytest.mark.parametrize(
    ("game", "heuristic"),
    [
        ("2048-random", "ntuple"),
        ("2048-random:preset=cs61b", "ntuple"),
        ("2048-random:n=3", "smooth"),
        ("2048", "left-weighted"),
        ("sliding-tile", "taxicab"),
    ],
)
def test_the_default_heuristic_comes_from_the_domain(game, heuristic):
    """By a heuristic for players that look ahead, if it has one; that may follow from its parameters."""
    assert str(sl.player("expectimax", domain=game)) == f"expectimax:heuristic={heuristic}"


def judged_by(judge):
    """The game of random 2048 with another heuristic for players that look ahead."""
    return changed(sl.domain("2048-random").component, afterstate_heuristic=judge)


def test_any_domain_may_name_a_heuristic_for_players_that_look_ahead():
    """Greedy, which does not look ahead, is not concerned; a name of nothing is refused."""
    assert str(sl.player("expectimax", domain=judged_by("empty"))) == "expectimax:heuristic=empty"
    assert str(sl.player("greedy", domain=judged_by("empty"))) == "greedy:heuristic=smooth"
    assert str(sl.player("expectimax", domain=judged_by(lambda p2: ""))) == "expectimax:heuristic=smooth"
    with pytest.raises(sl.UsageError, match="nobody"):
        sl.player("expectimax", domain=judged_by("nobody"))
    with pytest.raises(sl.PluginError, match="afterstate_heuristic returned 7, not a text"):
        sl.player("expectimax", domain=judged_by(lambda n: 7))
    with pytest.raises(TypeError, match="afterstate_heuristic is a text or a function of its parameters"):
        judged_by(7)


@pytest.mark.parametrize(
    ("spelled", "cutoff"), [("", 0.03), ("heuristic=smooth", 0.01), ("cutoff=0.2", 0.2), ("cutoff=0", 0)]
)
def test_the_default_cutoff_depends_on_the_heuristic(spelled, cutoff):
    """A network takes longer than a sum over lines."""
    player = sl.player(f"expectimax:{spelled}" if spelled else "expectimax")
    assert player.looks_ahead(player.domain.start()).definition.cutoff == cutoff
