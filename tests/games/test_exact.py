"""Small games of chance solved exactly, held against a plain recursion over the readable rules."""

import signal
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
import pytest

import searchlab as sl
from searchlab.games import exact, exact_compiled
from searchlab.games.advice import PositionAdviser
from searchlab.games.compiled_game import compiled_game
from searchlab.games.exact_tables import kept_values
from searchlab.games.game import GameState, random_source
from searchlab.search import watch

TOLERANCE = 1e-9
PRESETS = ("2048-random:n=2", "2048-random:n=2,preset=tutorial", "2048-random:n=2,preset=cs61b,p2=0.5,stop_at=16")


@dataclass
class Recursion:
    """Values of boards by the rules on Board objects: it knows nothing of layers, of symmetry or of packed boards.

    Attributes:
        game: the game.
        choose: returns the probability with which each move is made; without it the best one is.
    """

    game: sl.BoundDomain
    choose: object = None
    known: dict = field(default_factory=dict)

    def of(self, board):
        """Return the points to come when it is the player's turn."""
        if board not in self.known:
            moves = {} if self.game.is_goal(board) else self.moves(board)
            if self.choose is None or not moves:
                self.known[board] = max(moves.values(), default=0.0)
            else:
                self.known[board] = sum(p * moves[move] for move, p in self.choose(board, moves).items())
        return self.known[board]

    def moves(self, board):
        """Return the value of each move."""
        return {
            edge.action: self.game.points(board, edge.board) + (0.0 if edge.terminal else self.expected(edge.board))
            for edge in self.game.edges(board)
        }

    def expected(self, after):
        """Return the points to come after a move."""
        if self.game.is_goal(after):
            return 0.0
        events = self.game.chance(after)
        return sum(event.probability * self.of(event.board) for event in events) if events else self.of(after)

    def start(self):
        """Return the points of a whole game."""
        return self._opened(self.game.start(), self.game.opening())

    def _opened(self, board, tiles):
        events = self.game.chance(board) if tiles and not self.game.is_goal(board) else ()
        if not events:
            return self.of(board)
        return sum(event.probability * self._opened(event.board, tiles - 1) for event in events)


@pytest.fixture(scope="module")
def solved():
    """The 2 × 2 game, solved."""
    return sl.exact_values("2048-random:n=2")


@pytest.fixture(scope="module")
def best():
    """The same by recursion: 662 boards."""
    recursion = Recursion(sl.domain("2048-random:n=2"))
    recursion.start()
    return recursion


def test_the_smallest_game_has_its_known_value(solved):
    """With 110 boards, counting turned and mirrored ones once."""
    assert solved.start == pytest.approx(66.9641494571, abs=1e-10)
    assert solved.states == 110
    assert len(solved) == len(solved.array)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_every_board_has_the_value_of_a_direct_recursion(name, solved, best):
    """With each preset, for turned and mirrored boards, too."""
    found = solved if name == PRESETS[0] else sl.exact_values(name)
    recursion = best if name == PRESETS[0] else Recursion(sl.domain(name))
    assert found.start == pytest.approx(recursion.start(), abs=TOLERANCE)
    assert len(recursion.known) > found.states
    for board, value in recursion.known.items():
        assert found[board] == pytest.approx(value, abs=TOLERANCE), board
        assert found.moves(board) == pytest.approx({} if found.domain.is_goal(board) else recursion.moves(board))


@pytest.mark.slow
def test_no_player_earns_more_on_average(solved, best):
    """The mean of each is computed from all its moves, not from games; looking ahead suffices here."""
    game = best.game
    ahead = sl.Expectimax(sl.LookAhead(game, sl.heuristic("empty", domain=game)), depth=1, engine="readable")
    means = {name: Recursion(game, _moves_of(name, game)).start() for name in ("exact", "greedy")}
    means["expectimax"] = Recursion(game, lambda board, moves: {ahead.best(board): 1.0}).start()
    means["random"] = Recursion(game, lambda board, moves: dict.fromkeys(moves, 1 / len(moves))).start()
    assert means["exact"] == pytest.approx(solved.start, abs=TOLERANCE)
    assert means["exact"] + TOLERANCE > means["expectimax"] > means["greedy"] > means["random"]


def _moves_of(name, game):
    adviser = PositionAdviser(sl.player(name, domain=game), 0)
    return lambda board, moves: {adviser.answer(board).action: 1.0}


LEARNERS = {
    "as it comes": {},
    "expecting much": {"optimism": 100.0},
    "by plain differences": {"rule": "td", "rate": 0.1},
    "in two threads": {"threads": 2},
    "in stages": {"stages": "16/16 8/32"},
}


@pytest.mark.slow
@pytest.mark.parametrize("parameters", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("small", [False, True], ids=["float32", "uint16"])
def test_a_network_learns_to_play_within_three_per_cent(parameters, small, best, tmp_path):
    """From 20,000 games, a tenth of a second; none earns more than the best play. The mean is of all its games."""
    game = best.game
    learning = sl.learner("ntuple", domain=game, weights="uint16" if small else "float32", **parameters)(1)
    games = 0
    while games < 20_000:
        games += len(learning.learn(1 << 20, 20_000 - games)[1])
    learning.save(tmp_path / "network.npz", {})
    network = sl.read_network(tmp_path / "network.npz")

    def choose(board, moves):
        after = {edge.action: edge.board for edge in game.edges(board)}
        return {max(after, key=lambda move: game.points(board, after[move]) + network.value(after[move])): 1.0}

    mean = Recursion(game, choose).start()
    assert 0.97 * best.start() < mean < best.start() + TOLERANCE


@pytest.mark.slow
def test_the_mean_of_many_games_agrees(solved):
    """Of 2,000 that are played in compiled code, as in experiments, within four standard errors."""
    player = sl.player("exact", domain="2048-random:n=2")
    scores = [played(player, seed) for seed in range(2000)]
    assert scores[:20] == [sl.play(domain=player.domain, player=player, seed=seed).score for seed in range(20)]
    assert abs(np.mean(scores) - solved.start) < 4 * np.std(scores) / len(scores) ** 0.5


def played(player, seed):
    """Return the score of a game, no move of which is made on Board objects."""
    random = sl.Randomness(seed)
    game = GameState(player.domain, random_source(player.domain, random))
    playing = compiled_game(player.domain, player, game.board)
    assert playing.play(game, random, 1000, lambda: None, lambda moves: None)
    assert game.status == "dead"
    return game.score


@pytest.mark.slow
def test_games_of_plugins_are_solved(pairs):
    """In which a board and its mirror image are two, tiles are no powers of two, and a move may end the game."""
    found, recursion = sl.exact_values(pairs), Recursion(pairs)
    assert found.start == pytest.approx(recursion.start(), abs=TOLERANCE)
    assert len(recursion.known) == found.states == 35
    for board, value in recursion.known.items():
        assert found[board] == pytest.approx(value, abs=TOLERANCE), board


@pytest.mark.slow
def test_events_may_skip_layers(pairs):
    """Here up to a hundred layers of boards wait at a time."""
    found = sl.exact_values(sl.domain(pairs.component, last=120, step=100))
    assert found.start == pytest.approx(Recursion(found.domain).start(), abs=TOLERANCE)


@pytest.mark.slow
def test_player_heuristic_and_function_agree(solved, best):
    """On every board."""
    domain = sl.domain("2048-random:n=2")
    adviser, heuristic = PositionAdviser(sl.player("exact", domain=domain), 0), sl.heuristic("exact", domain=domain)
    for board in islice(best.known, 0, None, 5):
        moves = solved.moves(board)
        answer = adviser.answer(board)
        assert (answer.values or {}) == moves
        assert [answer.action] == [move for move in moves if answer.losses[move] == 0][:1] or answer.over == "dead"
        for edge in domain.edges(board):
            to_come = sl.exact_value(edge.board.tiles, solved.boards, solved.array)
            assert heuristic.evaluate(edge.board) == to_come
            assert to_come + domain.points(board, edge.board) == moves[edge.action]


@pytest.mark.slow
def test_exact_values_are_kept_for_every_game(pairs, monkeypatch):
    """Also of a game with moves that end it, which no player of that kind plays."""
    assert kept_values(pairs).start == pytest.approx(Recursion(pairs).start(), abs=TOLERANCE)
    monkeypatch.setattr(exact, "exact_values", None)
    assert kept_values(pairs).start == pytest.approx(Recursion(pairs).start(), abs=TOLERANCE)


@pytest.mark.parametrize("name", ["2048-random:n=2", "2048-random:n=2,stop_at=16"])
def test_the_kept_values_are_those_of_the_player_exact(name, monkeypatch):
    """They are built once for both."""
    domain = sl.domain(name)
    expected = sl.exact_values(domain).start
    sl.player("exact", domain=domain).prepare(domain.start())
    monkeypatch.setattr(exact, "exact_boards", None)
    monkeypatch.setattr(exact, "exact_values", None)
    assert kept_values(domain).start == pytest.approx(expected)


def test_values_of_a_game_that_begins_on_a_board_are_not_kept(solved):
    """Tables are of games that begin on an empty board."""
    begun = replace(solved.domain.component, start=lambda: sl.Board([[64, 0], [0, 0]]))
    assert kept_values(sl.domain(begun, n=2, tiles=0)).start == pytest.approx(19.943331)


def test_tables_that_grow_hold_the_same_boards(solved, monkeypatch):
    """However small they begin."""
    monkeypatch.setattr(exact_compiled, "SMALLEST", 16)
    found = sl.exact_values("2048-random:n=2")
    assert np.array_equal(found.boards, solved.boards)
    assert np.array_equal(found.array, solved.array)


def test_an_opening_that_fills_the_board_is_the_start_of_the_game():
    """As in a game: tiles for which there is no room do not appear."""
    found = sl.exact_values("2048-random:n=2,tiles=5")
    assert found.start == pytest.approx(Recursion(found.domain).start(), abs=TOLERANCE)
    assert found.start > 0


def test_a_game_that_begins_on_another_board(solved):
    """The boards that it cannot reach are not there; without an opening the first move is made on it."""
    start = sl.Board([[64, 0], [0, 0]])
    found = sl.exact_values("2048-random:n=2,tiles=0", start)
    assert found[start] == found.start == pytest.approx(19.943331)
    assert 0 < len(found) < len(solved)
    reached = sl.Board([[2, 4], [0, 2]])
    assert sl.exact_values(found.domain, reached)[reached] == pytest.approx(solved[reached], abs=TOLERANCE)
    with pytest.raises(sl.UsageError, match="never leads to this board"):
        found[reached]
    opened = sl.exact_values("2048-random:n=2", start)  # two tiles appear on it
    domain, by_rules = opened.domain, Recursion(opened.domain)
    pairs = ((one, other) for one in domain.chance(start) for other in domain.chance(one.board))
    expected = sum(one.probability * other.probability * by_rules.of(other.board) for one, other in pairs)
    assert opened.start == pytest.approx(expected, abs=TOLERANCE)


def test_a_start_without_moves_has_value_0():
    """A layer without boards is searched for one."""
    start = sl.Board([[4, 2], [2, 4]])
    found = sl.exact_values("2048-random:n=2,tiles=0", start)
    assert (found.start, len(found)) == (0, 0)
    with pytest.raises(sl.UsageError, match="never leads to this board"):
        found[sl.Board([[8, 4], [0, 0]])]


def test_a_game_that_is_too_large_or_unsuitable_is_refused_at_once(pairs):
    interpreted = sl.domain(replace(pairs.component, packed=None))
    for game, said in (
        ("2048-random", r"about 10\^19 ways to fill 4 × 4 cells, and up to 10\^12 are tried"),
        ("2048:n=2", "not a game of chance"),
        (interpreted, "compiled rules"),
    ):
        with pytest.raises(sl.UsageError, match=said) as refused:
            sl.exact_values(game)
        assert "\n" not in str(refused.value)


def test_a_board_that_is_never_reached_is_an_error_and_not_a_value(solved):
    """Of other tiles, or of another size."""
    for tiles in ([[64, 64], [2, 2]], [[2, 0, 0], [0, 0, 0], [0, 0, 2]]):
        with pytest.raises(sl.UsageError, match="never leads to this board"):
            solved[sl.Board(tiles)]


@pytest.mark.slow
@pytest.mark.parametrize("other", ["n=2,p2=1.0", "n=2,stop_at=8", "n=3,stop_at=16"])
def test_boards_of_another_game_are_refused(solved, other, monkeypatch):
    """Those that lack some of its boards, or are larger; where nobody gave them, the rules have changed meanwhile."""
    boards = sl.exact_boards(f"2048-random:{other}")
    with pytest.raises(sl.UsageError, match=r"belong to another game; sl\.exact_boards finds those of 2048-random:n=2"):
        sl.exact_values(solved.domain, boards=boards)
    monkeypatch.setattr(exact, "exact_boards", lambda *_, **__: boards)
    with pytest.raises(sl.PluginError, match="its rules return other boards at the second call"):
        sl.exact_values(solved.domain)


def test_a_game_whose_moves_change_the_sum_of_the_tiles_is_refused(pairs):
    """It has no layers."""
    with pytest.raises(sl.UsageError, match="after a board whose tiles add up to 1 comes one of 3"):
        sl.exact_values(sl.domain(pairs.component, gain=2))


def test_limits_and_ctrl_c_end_the_computation(pairs, monkeypatch):
    """The error states its progress."""
    monkeypatch.setattr(watch, "REPORT_EVERY", 0.0)  # the game is solved before a tenth of a second is over
    long = sl.domain(pairs.component, last=500)
    with pytest.raises(sl.UsageError, match=r"memory-limit; [0-9,]+ boards were looked at"):
        sl.exact_boards(long, limits=sl.Limits(memory=2**18))
    with pytest.raises(sl.UsageError, match=r"time-limit; [0-9,]+ boards were looked at"):
        sl.exact_values(long, limits=sl.Limits(seconds=1e-6))
    seen = []

    def interrupt(progress):
        seen.append(progress)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sl.exact_boards(long, progress=interrupt)
    assert len(seen) == 1
