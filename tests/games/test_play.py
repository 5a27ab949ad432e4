"""A game that a player plays is the same in compiled code and on Board objects, whoever looks at it."""

import pickle
from dataclasses import replace

import pytest

import searchlab as sl
from searchlab.games import play
from searchlab.model.games import LaterTurns

FAR = "2048-random:stop_at=32768"
"""The compiled code is that of other tests."""


@pytest.fixture(scope="module")
def player():
    return sl.player("greedy:heuristic=empty", domain=FAR)


@pytest.fixture
def played(player, monkeypatch):
    """Play a game in compiled code from the first move on, or on boards."""

    def played(*, compiled, **more):
        with monkeypatch.context() as patched:
            patched.setattr(play, "SECONDS_ON_BOARDS", 0.0)
            if not compiled:
                patched.setattr(play, "_compiled", lambda *game, **only: None)
            return replace(sl.play(domain=player.domain, player=player, **more), seconds=1.0)

    return played


START = sl.Board([[2, 4, 8, 16], [256, 128, 64, 32], [2, 0, 0, 0], [0, 0, 0, 0]])


@pytest.mark.parametrize("more", [{"seed": 3}, {"seed": 4, "most_moves": 40}, {"seed": 5, "board": START}])
def test_compiled_games_equal_interpreted_ones(played, more):
    """Its figures without a look at the moves, and each of these."""
    found, defined = played(compiled=True, **more), played(compiled=False, **more)
    assert isinstance(found.turns, LaterTurns)
    assert isinstance(defined.turns, tuple)
    assert (len(found.turns), "actions" in vars(found.turns)) == (found.moves, False), "nobody has asked for them"
    figures = [(g.status, g.moves, g.score, g.cost, g.final, g.actions, repr(g)) for g in (found, defined)]
    assert figures[0] == figures[1]
    assert [type(figure) for figure in figures[0]] == [type(figure) for figure in figures[1]]
    assert "_made" not in vars(found.turns)
    assert found == defined
    assert defined == found
    assert (found.boards, found.events, found.turns[-1], found.turns[:2]) == (
        *(defined.boards, defined.events),
        *(defined.turns[-1], defined.turns[:2]),
    )
    assert found.as_dict() == defined.as_dict()
    assert str(found) == str(defined)
    assert pickle.loads(pickle.dumps(found)) == defined


def test_progress_is_called_with_moves_and_boards(played, monkeypatch):
    """The number of moves and the board."""
    monkeypatch.setattr(play, "REPORT_EVERY", 0.0)
    seen = []
    game = played(compiled=True, seed=3, progress=lambda moves, board: seen.append((moves, board)))
    assert seen[-1] == (game.moves, game.final)


def test_ctrl_c_ends_a_compiled_game_with_the_moves_so_far(played, monkeypatch):
    monkeypatch.setattr(play, "REPORT_EVERY", 0.0)

    def interrupt(moves, board):
        raise KeyboardInterrupt

    game = played(compiled=True, seed=3, progress=interrupt)
    whole = played(compiled=False, seed=3)
    assert game.status == "interrupted"
    assert 0 < game.moves <= whole.moves
    assert game.turns == whole.turns[: game.moves]


def test_a_bound_player_plays_its_own_game():
    player = sl.player("greedy", domain="2048-random:n=2")
    game = sl.play(player=player)
    assert game.start.shape == (2, 2)
    assert game.domain == "2048-random:n=2"
    assert sl.play(player=player, domain="2048-random:n=3").start.shape == (3, 3)
