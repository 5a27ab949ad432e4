"""Players that keep an object from move to move and from game to game."""

import gc
import weakref

import pytest

import searchlab as sl

GAME = "2048-random:n=2"
BOARD = sl.Board([[2, 2], [0, 0]])


class Counts:
    """Counts games and moves."""

    made = 0

    def __init__(self, domain, first):
        Counts.made += 1
        self.domain, self.first, self.games, self.moves = domain, first, [], 0

    def begin(self, seed):
        """Begin a game."""
        self.games.append(seed)
        self.moves = 0


def choose(board, moves, kept):
    kept.moves += 1
    return moves[0 if kept.moves <= kept.first else -1].action


@pytest.fixture
def player():
    """A player that makes the last move once it has made a number of others."""
    Counts.made = 0
    return sl.player(sl.Player("counts", choose, keeps=lambda domain, first=1: Counts(domain, first)), domain=GAME)


def moves_of(player):
    return tuple(sl.Move(*pair) for pair in player.domain.successors(BOARD))


def test_what_a_player_keeps_lasts_from_move_to_move_and_from_game_to_game(player):
    moves = moves_of(player)
    asked = player.begin(5)
    assert [asked(BOARD, moves) for _ in range(3)] == [moves[0].action, moves[-1].action, moves[-1].action]
    del asked
    assert player.begin(6)(BOARD, moves) == moves[0].action
    (kept,) = player._kept
    assert (Counts.made, kept.games, kept.domain) == (1, [5, 6], player.domain)
    assert sl.player(player, domain=GAME, first=0).begin(1)(BOARD, moves) == moves[-1].action


def test_games_at_the_same_time_have_one_each(player):
    moves = moves_of(player)
    one, other = player.begin(1), player.begin_judging(2)
    assert (one(BOARD, moves), other(BOARD, moves).action) == (moves[0].action, moves[0].action)
    assert (one(BOARD, moves), other(BOARD, moves).action) == (moves[-1].action, moves[-1].action)
    del one, other
    assert Counts.made == len(player._kept) == 2


def test_a_game_that_is_never_asked_for_a_move_needs_none(player):
    player.begin(1)
    assert (Counts.made, player._kept) == (0, [])


def test_what_is_kept_is_forgotten_with_the_player():
    player = sl.player(sl.Player("counts", choose, keeps=lambda domain: Counts(domain, 1)), domain=GAME)
    sl.play(player=player, domain=player.domain)
    kept = weakref.ref(player._kept[0])
    del player
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize(
    ("keeps", "says"),
    [
        (lambda: 1 / 0, "player p: ZeroDivisionError"),
        (lambda: None, "player p: AttributeError: 'NoneType' object has no attribute 'begin'"),
    ],
)
def test_keeping_that_fails_ends_the_game_with_an_error(keeps, says):
    game = sl.play(player=sl.Player("p", choose, keeps=keeps), domain=GAME)
    assert (game.status, game.moves) == ("error", 0)
    assert game.reason.startswith(says)


def test_a_function_may_return_the_values_of_its_moves():
    def judged(board, moves, extra=0):
        return sl.Judgement(moves[-1].action, (float(k) for k in range(len(moves) + extra)))

    player = sl.player(sl.Player("p", judged), domain=GAME)
    moves = moves_of(player)
    assert player.begin(1)(BOARD, moves) == moves[-1].action
    assert player.begin_judging(1)(BOARD, moves) == (moves[-1].action, tuple(map(float, range(len(moves)))))
    assert sl.advise(BOARD, domain=GAME, player=player).values == {m.action: float(k) for k, m in enumerate(moves)}
    wrong = sl.player(sl.Player("p", judged), domain=GAME, extra=1)
    with pytest.raises(sl.PluginError, match=r"player p returned .* as its values; a number for each of"):
        wrong.begin(1)(BOARD, moves)
    pair = sl.player(sl.Player("p", lambda board, moves: moves[0]), domain=GAME)
    with pytest.raises(sl.PluginError, match=r"player p returned Move\(.*; the action of a legal move is wanted"):
        pair.begin(1)(BOARD, moves)
