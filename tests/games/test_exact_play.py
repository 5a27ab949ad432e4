"""`sl.exact_values(policy=…)`: it equals a plain recursion over all games, and what played games show."""

import signal
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest

import searchlab as sl
from searchlab.games import exact, exact_compiled
from searchlab.games.exact_play import Policy
from searchlab.model.limits import Limits
from searchlab.search import watch

TOLERANCE = 1e-9
OPTIMUM = 66.9641494571


@dataclass
class AllGames:
    """What a player achieves on average, by the rules on Board objects: it knows nothing of layers or packed boards.

    Attributes:
        game: the game.
        choose: returns the action on a board, given its moves.
        known: the mean points, the mean moves and the chances of the largest tile at the end, by board.
    """

    game: sl.BoundDomain
    choose: object
    known: dict = field(default_factory=dict)

    def of(self, board):
        """Return the three figures of games that go on from a board."""
        if board not in self.known:
            edges = [] if self.game.is_goal(board) else list(self.game.edges(board))
            self.known[board] = self._after_move(board, edges) if edges else (0.0, 0.0, Counter({largest(board): 1.0}))
        return self.known[board]

    def _after_move(self, board, edges):
        action = self.choose(board, tuple(sl.Move(edge.action, edge.board) for edge in edges))
        (edge,) = (edge for edge in edges if edge.action == action)
        earned = self.game.points(board, edge.board)
        if edge.terminal or self.game.is_goal(edge.board):
            return earned, 1.0, Counter({largest(edge.board): 1.0})
        points, moves, tiles = self.mean((event.board, event.probability) for event in self.game.chance(edge.board))
        return earned + points, 1.0 + moves, tiles

    def mean(self, boards):
        """Return the mean of the figures of boards with their probabilities."""
        points, moves, tiles = 0.0, 0.0, Counter()
        for board, likely in boards:
            more_points, more_moves, at_end = self.of(board)
            points, moves = points + likely * more_points, moves + likely * more_moves
            for tile, chance in at_end.items():
                tiles[tile] += likely * chance
        return points, moves, tiles

    def whole(self):
        """Return the figures of whole games."""
        return self.mean(exact.first_boards(self.game, self.game.start()).items())


def largest(board):
    return int(board.tiles.max())


def agrees(played, games):
    """Hold the exact play of a player to the recursion."""
    points, moves, tiles = games.whole()
    assert played.start == pytest.approx(points, abs=TOLERANCE)
    assert played.length == pytest.approx(moves, abs=TOLERANCE)
    expected = {tile: sum(p for other, p in tiles.items() if other >= tile) for tile in sorted(tiles)}
    assert list(played.tiles) == list(expected)
    assert played.tiles == pytest.approx(expected, abs=TOLERANCE)
    assert played.states == len(games.known)
    assert played.tiles[min(played.tiles)] == pytest.approx(1, abs=TOLERANCE)


def last_move(board, moves):
    return moves[-1].action


def by_largest_tile(board, moves):
    """Depends on where the largest tile is, so that turned boards are played differently."""
    return moves[int(board.tiles.argmax()) % len(moves)].action


def full_rows(tiles):
    """Ties often, and cannot be compiled."""
    return float(sum(1 for row in [*map(set, tiles.tolist())] if 0 not in row))


PLAYERS = {
    "greedy": "greedy",
    "a heuristic that prefers a corner": "greedy:heuristic=left-weighted",
    "exact": "exact",
    "looks ahead": "expectimax:depth=1,heuristic=left-weighted",
    "depth by board": "expectimax:heuristic=smooth,cutoff=0.1",
    "in threads": "expectimax:depth=1,threads=2",
    "a function": last_move,
    "a function of places": by_largest_tile,
}


@pytest.mark.slow
@pytest.mark.parametrize("player", PLAYERS.values(), ids=PLAYERS)
def test_a_player_of_the_smallest_game_has_the_figures_of_all_its_games(player):
    bound = sl.player(player, domain="2048-random:n=2")
    played = sl.exact_values(policy=bound)
    bound.prepare(bound.domain.start())
    agrees(played, AllGames(bound.domain, bound.begin(0)))
    assert played.start < OPTIMUM + TOLERANCE
    if player == "exact":
        assert played.start == pytest.approx(OPTIMUM, abs=1e-10)


def test_a_function_in_plain_python_is_judged():
    """With the chance of a tile that best play reaches in 96 games of 100."""
    bound = sl.player(by_largest_tile, domain="2048-random:n=2")
    played = sl.exact_values(policy=bound)
    agrees(played, AllGames(bound.domain, bound.begin(0)))
    assert played.tiles[16] < 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", ["n=2,preset=tutorial", "n=2,preset=cs61b,p2=0.5,stop_at=16", "n=2,stop_at=32", "n=2,tiles=5"]
)
@pytest.mark.parametrize("player", ["greedy", "expectimax:depth=2", last_move])
def test_games_with_other_rules_and_with_a_goal(game, player):
    bound = sl.player(player, domain=f"2048-random:{game}")
    agrees(sl.exact_values(policy=bound), AllGames(bound.domain, bound.begin(0)))


def test_tables_that_grow_hold_the_same_probabilities(monkeypatch):
    """A board is not counted twice if a table is full, or missing, in the middle of its events."""
    figures = sl.exact_values("2048-random:n=2", policy=last_move)
    monkeypatch.setattr(exact_compiled, "SMALLEST", 16)
    small = sl.exact_values("2048-random:n=2", policy=last_move)
    assert (small.start, small.length) == pytest.approx((figures.start, figures.length), abs=TOLERANCE)
    assert small.tiles == pytest.approx(figures.tiles, abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("player", ["greedy:heuristic=left-weighted", "expectimax:depth=1", "expectimax", "greedy"])
def test_compiled_choices_on_3_by_3_boards_are_those_of_the_player(player):
    """On boards of games played at random, and turned ones."""
    bound = sl.player(player, domain="2048-random:n=3")
    boards = {
        sl.Board(np.rot90(board.tiles, turn))
        for seed in range(40)
        for turn, board in enumerate(sl.play(domain=bound.domain, player="random", seed=seed).boards)
    }
    solver = exact._solver(bound.domain, bound.domain.start(), watch.Watch(Limits()), follows=True)
    policy = Policy(bound, solver, bound.domain.start())
    assert policy._compiled
    words = solver.pack(boards)
    compiled = policy.choose(words, lambda done: None)
    policy._compiled = None
    on_boards = policy.choose(words, lambda done: None)
    assert len(boards) > 1000
    for found, expected in zip(compiled, on_boards, strict=True):
        assert np.array_equal(found, expected)
    assert not compiled.moves.all()  # some of the games are over


@pytest.mark.slow
def test_the_mean_of_many_games_on_3_by_3_cells_agrees():
    """Of 20,000 games up to the first 32, within 3.5 standard errors; so do moves and the share that reaches it."""
    bound = sl.player("greedy:heuristic=left-weighted", domain="2048-random:n=3,stop_at=32")
    played = sl.exact_values(policy=bound)
    games = (sl.play(player=bound, domain=bound.domain, seed=seed) for seed in range(20_000))
    figures = np.array([(game.score, game.moves, largest(game.boards[-1]) >= 32) for game in games])
    errors = figures.std(axis=0) / len(figures) ** 0.5
    assert (abs(figures.mean(axis=0) - (played.start, played.length, played.tiles[32])) < 3.5 * errors).all()


@pytest.mark.slow
def test_a_move_that_ends_the_game_and_tiles_of_all_sizes(pairs):
    """On two cells, where chance is not symmetric."""
    for choose in (last_move, by_largest_tile, lambda board, moves: moves[board.tile_at(0, 0) % 2].action):
        bound = sl.player(choose, domain=pairs)
        agrees(sl.exact_values(policy=bound), AllGames(pairs, bound.begin(0)))


def test_games_that_begin_on_another_board():
    """Without an opening the first move is made on it."""
    start, bound = sl.Board([[64, 0], [0, 0]]), sl.player(last_move, domain="2048-random:n=2,tiles=0")
    played = sl.exact_values(policy=bound, start=start)
    points, moves, _ = AllGames(bound.domain, bound.begin(0)).of(start)
    assert (played.start, played.length) == pytest.approx((points, moves), abs=TOLERANCE)
    assert played.tiles[64] == pytest.approx(1, abs=TOLERANCE)


@pytest.mark.parametrize(
    ("player", "said"),
    [
        ("random", "player random cannot be judged exactly: .* it asks for random numbers"),
        ("expectimax:seconds=1", "it has a time per move; give it a depth instead of seconds"),
        ("program:command=[cat]", "it keeps something from move to move"),
    ],
)
def test_a_player_that_is_no_function_of_the_board_is_refused(player, said):
    with pytest.raises(sl.UsageError, match=said) as refused:
        sl.exact_values("2048-random:n=2", policy=player)
    assert "\n" not in str(refused.value)


def test_a_game_that_is_too_large_and_arguments_that_do_not_fit_are_refused():
    with pytest.raises(sl.UsageError, match=r"about 10\^19 ways to fill 4 × 4 cells"):
        sl.exact_values(policy="greedy")
    with pytest.raises(sl.UsageError, match="needs a domain or a policy"):
        sl.exact_values()
    with pytest.raises(sl.UsageError, match="leave out boards"):
        sl.exact_values("2048-random:n=2", policy="greedy", boards=np.zeros(3, np.uint64))


def test_a_player_that_fails_is_named():
    """Whether its function raises an exception or the heuristic it looks ahead with returns NaN."""

    def broken(board, moves):
        return "sideways" if largest(board) == 8 else moves[0].action

    def unsure(tiles):
        return float("nan") if tiles.max() == 8 else 0.0

    with pytest.raises(sl.PluginError, match="player broken returned 'sideways'"):
        sl.exact_values("2048-random:n=2", policy=broken)
    game = sl.domain("2048-random:n=2")
    heuristic = sl.heuristic(unsure, domain=game)
    judge = sl.Player("nan", looks_ahead=lambda: sl.Expectimax(sl.LookAhead(game, heuristic), depth=0))
    with pytest.raises(sl.PluginError, match="NaN"):
        sl.exact_values(game, policy=judge)


def test_limits_and_ctrl_c_end_the_work(monkeypatch):
    monkeypatch.setattr(watch, "REPORT_EVERY", 0.0)
    with pytest.raises(sl.UsageError, match="memory-limit"):
        sl.exact_values("2048-random:n=3", policy=last_move, limits=sl.Limits(memory=2**18))
    with pytest.raises(sl.UsageError, match="time-limit"):
        sl.exact_values("2048-random:n=3", policy=last_move, limits=sl.Limits(seconds=0.2))
    seen = []

    def interrupt(progress):
        seen.append(progress)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sl.exact_values("2048-random:n=2", policy=last_move, progress=interrupt)
    assert len(seen) == 1
