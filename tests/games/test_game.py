"""Games: how they proceed and end whoever plays them, players that play, and games played move by move from outside."""

import random
import signal
import sys
from itertools import islice
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.games import play
from searchlab.games.game import GameSeries, Observer, random_source
from searchlab.games.learning.td import learned_games

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
def test_a_game_ends_if_there_is_no_move(chance):
    in_all_ways(walk(chance=sl.Chance(chance) if chance else None), "dead", LAST, ((),) * LAST, (), [LAST, 0])


def test_an_event_follows_each_move():
    """The last one, too."""
    in_all_ways(walk(chance=sl.Chance(mark_appears)), "dead", LAST, (("mark",),) * LAST, (), [LAST, LAST])


@pytest.mark.parametrize("chance", [None, mark_appears])
@pytest.mark.parametrize(("goal", "status"), [(2, "goal"), (LAST, "dead")])
def test_no_event_follows_a_terminal_move(chance, goal, status):
    domain = walk(
        successors=lambda board: [moved(board, terminal=place(board) == 1)],
        is_goal=lambda board: place(board) == goal,
        chance=sl.Chance(chance) if chance else None,
    )
    events = ((("mark",) if chance else ()), ())
    in_all_ways(domain, status, 2, events, (), [2, 1 if chance else 0])


@pytest.mark.parametrize("ends_at_goal", [False, True])
def test_a_game_of_chance_ends_when_a_move_reaches_the_goal(ends_at_goal):
    """Nothing appears any more."""
    domain = walk(is_goal=lambda board: place(board) == 2, chance=sl.Chance(mark_appears), ends_at_goal=ends_at_goal)
    in_all_ways(domain, "goal", 2, (("mark",), ()), (), [2, 1])


def test_a_game_of_chance_ends_when_an_event_reaches_the_goal():
    domain = walk(is_goal=lambda board: marks(board) == 2, chance=sl.Chance(mark_appears))
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


def test_refused_offers_are_among_the_events():
    """It is among the events, and the board is that of the offer that was taken."""
    domain = walk(chance=sl.Chance(mark_appears, draw=second_offer_is_taken, opening=lambda: 1))
    in_all_ways(domain, "dead", LAST, (("no", "mark"),) * LAST, ("no", "mark"), [LAST, LAST + 1])


def test_the_opening_is_drawn_before_the_first_move():
    domain = walk(chance=sl.Chance(mark_appears, opening=lambda: 3))
    in_all_ways(domain, "dead", LAST, (("mark",),) * LAST, ("mark",) * 3, [LAST, LAST + 3])


def test_the_opening_ends_at_the_goal():
    """No move follows."""
    domain = walk(is_goal=lambda board: marks(board) == 2, chance=sl.Chance(mark_appears, opening=lambda: 3))
    in_all_ways(domain, "goal", 0, (), ("mark",) * 2, [0, 2])


def test_the_opening_of_a_start_that_is_a_goal_is_drawn_once():
    """Whether the goal is reached is seen after each draw."""
    domain = walk(is_goal=lambda board: place(board) == 0, chance=sl.Chance(mark_appears, opening=lambda: 2))
    in_all_ways(domain, "goal", 0, (), ("mark",), [0, 1])


def test_draw_decides_the_event_regardless_of_chance():
    """Only a script checks first whether an event is possible."""
    domain = walk(chance=sl.Chance(nothing_appears, draw=always_offers))
    in_all_ways(domain, "dead", LAST, (("mark",),) * LAST, (), [LAST, LAST])


SMALL = "2048:n=3,goal=32"


def any_move(board, moves, random):
    return random.choice(moves).action


def played(player, domain=SMALL, **options):
    return sl.play(domain=domain, player=player, **options)


def checked(game, domain):
    """The boards of a game as its actions make them, which are to be those it shows."""
    domain = sl.domain(domain)
    assert game.boards[0] == game.start
    assert len(game.boards) == game.moves + 1
    for board, action, after in zip(game.boards, game.actions, game.boards[1:], strict=False):
        assert not domain.is_goal(board)
        assert dict(domain.successors(board))[action] == after
    return domain


@given(
    seed=st.integers(0, 2**64),
    domain=st.sampled_from([SMALL, "2048:n=2", "2048:n=3,spawn=corner", "2048:n=3,goal=16,spawn=corner"]),
    most_moves=st.integers(0, 40),
)
def test_a_game_follows_the_rules_and_ends_by_them(seed, domain, most_moves):
    """Every move is legal, no game goes on after its end, and none ends before it without a reason."""
    game = played(any_move, domain, seed=seed, most_moves=most_moves)
    rules = checked(game, domain)
    final = game.boards[-1]
    ended_by_move = game.moves > 0 and any(
        edge.terminal and edge.board == final
        for edge in rules.edges(game.boards[-2])
        if edge.action == game.actions[-1]
    )
    if rules.is_goal(final):
        assert game.status == "goal"
    elif ended_by_move or not rules.neighbors(final):
        assert game.status == "dead"
    else:
        assert (game.status, game.moves) == ("move-limit", most_moves)
    assert (game.cost, game.reason, game.seed, game.domain) == (game.moves, "", seed, str(rules))
    assert game.seconds >= 0


def test_the_same_seed_is_the_same_game():
    """Another one is another, and nobody else's random numbers matter."""
    random.seed(1)
    game = played(any_move, seed=5)
    random.seed(2)
    assert played(any_move, seed=5).actions == game.actions
    assert len({played(any_move, seed=seed).actions for seed in range(10)}) > 1


def test_a_start_that_is_a_goal_is_a_game_of_no_moves(example8):
    """The player is not even asked; nor is it with a limit of 0 moves."""

    def never(board, moves):
        raise AssertionError

    solved = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])
    game = sl.play(solved, domain="sliding-tile", player=never, most_moves=0)
    assert (game.status, game.moves, game.boards, game.cost) == ("goal", 0, (solved,), 0)
    game = sl.play(example8, domain="sliding-tile", player=never, most_moves=0)
    assert (game.status, game.moves) == ("move-limit", 0)


def test_a_board_without_moves_is_the_end():
    """Full right column, nothing merges."""
    board = sl.Board([[2, 4], [4, 2]])
    assert sl.play(board, player=first).status == "dead"


def test_a_goal_that_ends_the_game_is_a_goal():
    """Also where the move with which it is reached is terminal."""
    board = sl.Board([[2, 2, 8], [0, 0, 0], [0, 0, 0]])
    ends = {edge.action: edge.terminal for edge in sl.domain("2048:spawn=corner").edges(board)}
    assert ends == {"down": False, "left": False, "right": True}
    for goal, status in ((4, "goal"), (16, "dead")):
        game = sl.play(board, domain=f"2048:goal={goal},spawn=corner", player=lambda board, moves: "right")
        assert (game.status, game.moves) == (("goal", 0) if goal == 4 else (status, 1))


def test_the_cost_of_a_game_is_the_sum_of_its_moves():

    def steps(board):
        place = int(board.tiles[0, 0])
        yield "one", sl.Board([[place + 1]]), 1.5
        yield "two", sl.Board([[place + 2]]), 2.0

    walk = sl.Domain(
        "walk", steps, lambda board: board.largest_tile() >= 4, start=lambda: sl.Board([[0]]), unit_cost=False
    )
    domain = sl.domain(walk)
    game = sl.play(domain=domain, player=first)
    assert (game.status, game.cost, game.actions) == ("goal", 6.0, ("one",) * 4)
    last = sl.play(domain=domain, player=lambda board, moves: moves[-1][0])
    assert (last.status, last.cost, last.moves) == ("goal", 4.0, 2)


def failing(board, moves):
    raise ValueError("no\nidea")


@pytest.mark.parametrize(
    ("player", "said"),
    [
        (failing, "player failing: ValueError: no idea ("),
        (
            lambda board, moves: None,
            "player <lambda> returned None; the action of a legal move is wanted: down or left",
        ),
        (lambda board, moves: "up", "player <lambda> returned 'up'; the action of a legal move is wanted"),
        (lambda board, moves: 0, "returned 0;"),
        (lambda board, moves: moves[0], "returned Move(action='down'"),
        (lambda board, moves: moves[0].board.tiles == 0, "returned array("),
        (lambda board, moves: next(iter(())), "StopIteration"),
        (lambda board, moves: sys.exit(0), "SystemExit: 0"),
    ],
)
def test_a_player_that_fails_ends_the_game_with_an_error(player, said):
    """One line on what was wrong, and below it the board it was asked about."""
    game = played(player)
    assert (game.status, game.moves) == ("error", 0)
    line, board = game.reason.split("\n", 1)
    assert said in line
    assert board == str(game.start)


def test_a_player_may_refuse_its_parameters():
    """The error is a usage error of the call."""

    def helpless(board, moves, file=""):
        raise sl.UsageError(f"file={file} is none")

    with pytest.raises(sl.UsageError, match=r"file= is none"):
        played(helpless)


def test_moves_before_an_error_are_kept():

    def fails_later(board, moves):
        return moves[0].action if board.size() < 4 else "sideways"

    game = played(fails_later)
    checked(game, SMALL)
    assert game.status == "error"
    assert game.moves > 0
    assert game.reason.endswith(str(game.boards[-1]))


def test_a_failing_domain_ends_the_game_with_the_board():

    def moves_once(board):
        yield "on", sl.Board([[1]]) if board.largest_tile() == 0 else 1 / 0

    domain = sl.domain(sl.Domain("short", moves_once, lambda board: False, start=lambda: sl.Board([[0]])))
    game = sl.play(domain=domain, player=first)
    assert (game.status, game.moves) == ("error", 1)
    assert "short: moves_once failed: ZeroDivisionError" in game.reason
    assert game.reason.endswith(str(sl.Board([[1]])))


def test_ctrl_c_ends_a_game_with_the_moves_so_far():

    def is_stopped(board, moves):
        if board.size() > 2:
            signal.raise_signal(signal.SIGINT)
        return moves[0].action

    game = played(is_stopped)
    checked(game, SMALL)
    assert (game.status, game.reason) == ("interrupted", "")
    assert game.moves > 0


def test_progress_is_called_with_moves_and_board(monkeypatch):
    told = []
    monkeypatch.setattr(play, "REPORT_EVERY", -1.0)
    game = played(first, progress=lambda moves, board: told.append((moves, board)))
    assert told == list(enumerate(game.boards))[1:]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seed": -1}, "a seed is a whole number, 0 or more, not -1"),
        ({"seed": None}, "a seed is a whole number, 0 or more, not None"),
        ({"most_moves": 1.5}, "a limit of moves is a whole number, 0 or more, not 1.5"),
        ({"board": [[2, 0], [0, 0]]}, "a Board is wanted"),
        ({"board": sl.Board([[3]])}, "not a board of 2048"),
        ({"player": "gredy"}, "no player is called 'gredy': did you mean 'greedy'"),
        ({"player": 3}, "a player is given by its name, not as int 3"),
        ({"player": sl.heuristic("snake")}, "a player is given by its name"),
        ({"player": lambda board, moves, moon: "up"}, "player <lambda> asks for 'moon', which has no default"),
    ],
)
def test_invalid_arguments_are_refused_before_a_move(options, said):
    with pytest.raises((sl.UsageError, sl.BoardError)) as raised:
        sl.play(**options)
    assert said in str(raised.value)


def test_as_dict_returns_the_json_of_play():
    game = sl.play(sl.Board([[2, 0], [2, 4]]), domain="2048:goal=8", player="random", seed=1, most_moves=1)
    assert game.as_dict() == {
        "status": "move-limit",
        "reason": "",
        "moves": 1,
        "score": 0,
        "cost": 1,
        "seconds": game.seconds,
        "player": "random",
        "domain": "2048:goal=8",
        "seed": 1,
        "opening": [],
        "actions": list(game.actions),
        "events": [[]],
        "start": [[2, 0], [2, 4]],
        "final": game.boards[-1].tiles.tolist(),
    }


def replayed(game):
    """The boards of a game of chance made again from its record alone: texts, and no random numbers."""
    domain = sl.domain(game.domain)
    boards = [domain.start()]

    def happen(events):
        for event in events:
            after = domain.apply(boards[-1], event)
            boards[-1] = boards[-1] if after is None else after

    happen(game.opening)
    score = 0
    for action, events in zip(game.actions, game.events, strict=True):
        after = dict(domain.successors(boards[-1]))[action]
        score += domain.points(boards[-1], after)
        boards.append(after)
        happen(events)
    return tuple(boards), score


@pytest.mark.parametrize(
    "domain", ["2048-random:n=3", "2048-random:preset=cs61b,stop_at=64", "2048-random:idle=yes,n=2"]
)
@given(seed=st.integers(0, 2**64))
def test_a_game_of_chance_can_be_played_again_from_its_record(domain, seed):
    """What was drawn is kept, what was refused included."""
    game = sl.play(domain=domain, player=any_move, seed=seed)
    assert replayed(game) == (game.boards, game.score)
    assert game.boards[0] == game.start
    assert len(game.boards) == game.moves + 1
    assert game.status == ("goal" if sl.domain(domain).is_goal(game.boards[-1]) else "dead")


def test_a_board_is_a_position_to_move_in():
    """Nothing appears on it before the first move."""
    board = sl.Board([[2, 2], [0, 0]])
    game = sl.play(board, domain="2048-random", player=first, seed=3)
    assert (game.start, game.opening, game.boards[0]) == (board, (), board)
    assert game.turns[0].after == dict(sl.domain("2048-random").successors(board))[game.actions[0]]


def test_a_player_sees_the_boards_before_chance():
    """What it chooses from are the moves alone."""
    seen = []

    def looks(board, moves):
        seen.append([move.board for move in moves])
        return moves[0].action

    game = sl.play(domain="2048-random:n=2", player=looks)
    domain = sl.domain("2048-random:n=2")
    assert seen == [domain.neighbors(board) for board in game.boards[:-1]]


def test_chance_and_player_have_separate_random_numbers():

    def draws(board, moves, random):
        random.random()
        return moves[0].action

    assert sl.play(player=draws, seed=4).events == sl.play(player=first, seed=4).events


def test_by_default_the_game_of_chance_is_played():
    """In Python as on the command line."""
    assert sl.play(player=first, most_moves=1).domain == "2048-random"


def test_successors_are_computed_once_for_game_and_player():
    """Only those of the latest board are kept."""
    asked = []

    def successors(board):
        asked.append(board)
        yield "add", sl.Board(board.tiles + 1)

    counting = sl.Domain("counting", successors, lambda board: board.tile_at(0, 0) == 3, start=lambda: sl.Board([[0]]))
    domain = sl.domain(counting)

    def looks(board, moves):
        assert domain.all_edges(board) == tuple((*move, 1, False) for move in moves)
        return moves[0].action

    game = sl.play(domain=domain, player=looks)
    assert (game.status, game.moves) == ("goal", 3)
    assert asked == list(game.boards[:3])
    assert domain.all_edges(game.start) == tuple(domain.edges(game.start))


ACTIONS = ("up", "down", "left", "right")


class Told(Observer):
    """Records the events it is notified of."""

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
def test_a_series_equals_the_game_of_a_player_with_the_same_moves(domain, seed, actions):
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


def test_observers_are_notified_in_order():
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
def test_an_impossible_move_changes_nothing(name):
    """Observers are not notified."""
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


def test_an_invalid_board_is_refused():
    with pytest.raises(sl.BoardError, match="not a board of"):
        series_of("2048-random", sl.Board([[3]]))
