"""A series of games: moves from outside, what appears from wherever it comes, undo, scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.games.game import GameSeries, Observer, random_source

ACTIONS = ("up", "down", "left", "right")


class Told(Observer):
    """Keeps what it is told."""

    def __init__(self):
        self.said = []

    def begun(self):
        self.said.append("begun")

    def offered(self, event):
        self.said.append(("offered", event))

    def appeared(self, event):
        self.said.append(("appeared", event))

    def moved(self, board, score, best):
        self.said.append(("moved", board, score, best))

    def ended(self, score, best):
        self.said.append(("ended", score, best))


def series_of(name, start=None, seed=1, observer=None):
    domain = sl.domain(name)
    return GameSeries(domain, random_source(domain, sl.Randomness(seed)), start, observer)


def state(series):
    return series.board, series.score, tuple(series.turns), series.is_over, [edge.action for edge in series.edges]


@given(seed=st.integers(0, 2**32), actions=st.lists(st.sampled_from(ACTIONS), max_size=200))
@pytest.mark.parametrize("domain", ["2048-random:n=3", "2048-random:preset=cs61b,n=3,stop_at=4", "2048:n=3,goal=16"])
def test_a_game_is_the_one_a_player_would_play(domain, seed, actions):
    """The same numbers, moves and points as when a player that makes these moves plays it."""
    series = series_of(domain, seed=seed)
    for action in actions:
        series.move(action)
    made = iter([turn.action for turn in series.turns])
    game = sl.play(domain=domain, player=lambda board, moves: next(made), seed=seed, most_moves=len(series.turns))
    assert game.turns == tuple(series.turns)
    assert (game.start, game.opening, game.score) == (series.start, series.opening, series.score)
    assert (game.status in ("dead", "goal")) == series.is_over
    assert game.status == (series.status or "move-limit")


@given(seed=st.integers(0, 2**32), actions=st.lists(st.sampled_from((*ACTIONS, "undo")), max_size=60))
def test_undo_leads_back(seed, actions):
    """Move by move, to where the moves were made from, the end of a game included."""
    series = series_of("2048-random:n=2,tiles=1", seed=seed)
    assert not series.undo()
    before = [state(series)]
    for action in actions:
        if action == "undo":
            assert series.undo() == (len(before) > 1)
            before = before[:-1] or before
            assert state(series) == before[-1]
        elif series.move(action):
            before.append(state(series))


def test_what_is_told():
    """In the order in which it happens: the score before a move, the best score when a game is over."""
    told = Told()
    series = series_of("2048-random:preset=cs61b,n=2,stop_at=4,p2=1", observer=told)
    while not series.is_over:
        action = next(edge.action for edge in series.edges)
        series.move(action)
    kinds = [said if isinstance(said, str) else said[0] for said in told.said]
    assert kinds[0] == "begun"
    assert kinds[-2:] == ["moved", "ended"]
    assert kinds.count("appeared") == 2 + len(series.turns) - 1
    assert kinds.count("offered") >= kinds.count("appeared")
    assert told.said[-2][2:] == (0, 0)
    assert told.said[-1] == ("ended", 4, 4)


def test_the_best_score_is_of_games_that_ended():
    """One that is given up does not count, one that is taken back after its end does."""
    start = sl.Board([[2, 2], [4, 8]])
    series = series_of("2048-random:n=2,stop_at=16", start)
    series.move("left")
    assert (series.score, series.best) == (4, 0)
    series.begin()
    assert (series.score, series.best, series.turns, series.board) == (0, 0, [], start)
    over = series_of("2048-random:stop_at=16", sl.Board([[8, 8], [4, 2]]))
    assert over.move("right")
    assert (over.is_over, over.score, over.best, over.turns[0].events) == (True, 16, 16, ())
    assert over.move("left") is None
    assert over.undo()
    assert (over.is_over, over.score, over.best) == (False, 0, 16)


@pytest.mark.parametrize("name", ["2048-random:n=2", "2048:n=2", "sliding-tile"])
def test_a_move_that_is_none_changes_nothing(name):
    """It is not even told."""
    told = Told()
    start = sl.Board([[1, 2], [3, 0]]) if name == "sliding-tile" else sl.Board([[0, 2], [0, 4]])
    series = series_of(name, start, observer=told)
    before = state(series)
    assert series.move("right") is None
    assert series.move("sideways") is None
    assert state(series) == before
    assert told.said == ["begun"]


def test_a_solved_puzzle_can_be_played_on():
    """The goal is not the end of a game whose domain does not say so."""
    series = series_of("sliding-tile", sl.Board([[1, 2], [0, 3]]))
    series.move("right")
    assert series.domain.is_goal(series.board)
    assert not series.is_over
    assert series.move("left")


def test_a_move_after_which_the_game_is_over_is_the_last():
    """Where the domain says of a move that it ends the game."""
    series = series_of("2048:spawn=corner", sl.Board([[2, 2, 8], [0, 0, 0], [0, 0, 0]]))
    assert series.move("right")
    assert series.is_over
    assert not list(series.edges)


def test_a_board_that_is_none_of_the_domain_is_refused():
    with pytest.raises(sl.BoardError, match="not a board of"):
        series_of("2048-random", sl.Board([[3]]))
