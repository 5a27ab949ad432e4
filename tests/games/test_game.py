"""The flow of a game, whoever plays it: what is drawn, when the game is over, and how it is said to have ended."""

from itertools import islice
from typing import NamedTuple

import pytest

import searchlab as sl
from searchlab.games.game import GameSeries, random_source
from searchlab.games.learning.definition import learned_games

LAST = 4
"""Where the walk of these games has no further move."""
MOST_MOVES = 10


def place(board):
    return int(board.tiles[0, 0])


def marks(board):
    return int(board.tiles[0, 1])


def moved(board, *, terminal=False):
    return "on", sl.Board([[place(board) + 1, marks(board)]]), 1, terminal


def marked(board):
    return sl.Board([[place(board), marks(board) + 1]])


def walk(**fields):
    """A game of steps from place 0 to place LAST, the left cell; the right cell counts what has appeared."""
    given = {
        "successors": lambda board: [moved(board)] if place(board) < LAST else [],
        "is_goal": lambda board: False,
        "start": lambda: sl.Board([[0, 0]]),
        **fields,
    }
    return sl.domain(sl.Domain("walk", **given))


def mark_appears(board):
    yield "mark", marked(board), 1.0


def nothing_appears(board):
    return ()


def second_offer_is_taken(board, random):
    yield "no", None
    yield "mark", marked(board)


def always_offers(board, random):
    yield "mark", marked(board)


class Played(NamedTuple):
    """A game as one of the loops played it."""

    status: str
    moves: int
    events: tuple
    opening: tuple
    final: list


def first(board, moves):
    return moves[0].action


def by_player(domain):
    game = sl.play(domain=domain, player=first, most_moves=MOST_MOVES)
    return Played(game.status, game.moves, game.events, game.opening, game.boards[-1].tiles[0].tolist())


def by_hand(domain):
    """The moves are made one by one from outside until there is none."""
    series = GameSeries(domain, random_source(domain, sl.Randomness(0)))
    while not series.is_over and len(series.turns) < MOST_MOVES:
        series.move(series.edges[0].action)
    events = tuple(turn.events for turn in series.turns)
    final = series.board.tiles[0].tolist()
    return Played(series.status, len(series.turns), events, series.opening, final)


def learned(domain):
    """Moves and last board of a game that a network learns from."""
    network = sl.NTupleNetwork(1, 2, ((0, 1),), 3, powers_of_two=False, symmetric=False)
    game = next(islice(learned_games(network, None, domain, 0.5, sl.Randomness(0)), 1))
    return game.moves, game.final.tiles[0].tolist()


def in_all_ways(domain, *expected):
    """Every loop plays the same game."""
    wanted = Played(*expected)
    assert by_player(domain) == wanted
    assert by_hand(domain) == wanted
    assert learned(domain) == (wanted.moves, wanted.final)


@pytest.mark.parametrize("chance", [None, nothing_appears])
def test_a_game_is_over_where_there_is_no_move(chance):
    in_all_ways(walk(chance=chance), "dead", LAST, ((),) * LAST, (), [LAST, 0])


def test_something_appears_after_each_move():
    """After the last one, too: whether there is a move afterwards is seen only then."""
    in_all_ways(walk(chance=mark_appears), "dead", LAST, (("mark",),) * LAST, (), [LAST, LAST])


@pytest.mark.parametrize("chance", [None, mark_appears])
@pytest.mark.parametrize(("goal", "status"), [(2, "goal"), (LAST, "dead")])
def test_a_terminal_move_is_the_last_and_nothing_appears_after_it(chance, goal, status):
    domain = walk(
        successors=lambda board: [moved(board, terminal=place(board) == 1)],
        is_goal=lambda board: place(board) == goal,
        chance=chance,
    )
    events = ((("mark",) if chance else ()), ())
    in_all_ways(domain, status, 2, events, (), [2, 1 if chance else 0])


@pytest.mark.parametrize("ends_at_goal", [False, True])
def test_a_game_of_chance_ends_when_a_move_reaches_the_goal(ends_at_goal):
    """Nothing appears any more."""
    domain = walk(is_goal=lambda board: place(board) == 2, chance=mark_appears, ends_at_goal=ends_at_goal)
    in_all_ways(domain, "goal", 2, (("mark",), ()), (), [2, 1])


def test_a_game_of_chance_ends_when_what_appears_reaches_the_goal():
    domain = walk(is_goal=lambda board: marks(board) == 2, chance=mark_appears)
    in_all_ways(domain, "goal", 2, (("mark",),) * 2, (), [2, 2])


def test_a_game_without_chance_ends_at_the_goal_if_its_domain_says_so():
    domain = walk(is_goal=lambda board: place(board) == 2, ends_at_goal=True)
    in_all_ways(domain, "goal", 2, ((),) * 2, (), [2, 0])


def test_a_person_may_play_on_from_the_goal_of_a_puzzle():
    """A player and a learner have done what there is to do."""
    domain = walk(is_goal=lambda board: place(board) == 2)
    assert by_player(domain) == Played("goal", 2, ((),) * 2, (), [2, 0])
    assert learned(domain) == (2, [2, 0])
    assert by_hand(domain) == Played("dead", LAST, ((),) * LAST, (), [LAST, 0])


def test_what_is_refused_is_drawn_too():
    """It is among the events, and the board is that of the offer that was taken."""
    domain = walk(chance=mark_appears, draw=second_offer_is_taken, opening=lambda: 1)
    in_all_ways(domain, "dead", LAST, (("no", "mark"),) * LAST, ("no", "mark"), [LAST, LAST + 1])


def test_the_opening_is_drawn_before_the_first_move():
    domain = walk(chance=mark_appears, opening=lambda: 3)
    in_all_ways(domain, "dead", LAST, (("mark",),) * LAST, ("mark",) * 3, [LAST, LAST + 3])


def test_the_opening_ends_where_it_reaches_the_goal():
    """No move is made then."""
    domain = walk(is_goal=lambda board: marks(board) == 2, chance=mark_appears, opening=lambda: 3)
    in_all_ways(domain, "goal", 0, (), ("mark",) * 2, [0, 2])


def test_the_opening_of_a_start_that_is_a_goal_is_drawn_once():
    """Whether the goal is reached is seen after each draw."""
    domain = walk(is_goal=lambda board: place(board) == 0, chance=mark_appears, opening=lambda: 2)
    in_all_ways(domain, "goal", 0, (), ("mark",), [0, 1])


def test_what_a_domain_draws_appears_whatever_its_chance_says():
    """Only a script asks first whether anything can appear."""
    domain = walk(chance=nothing_appears, draw=always_offers)
    in_all_ways(domain, "dead", LAST, (("mark",),) * LAST, (), [LAST, LAST])
