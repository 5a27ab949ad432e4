"""Games played in compiled code are those on Board objects: the same moves, random numbers and points."""

import functools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import searchlab as sl
from searchlab.games import compiled_game as module
from searchlab.games.compiled_game import compiled_game
from searchlab.games.game import GameState, move_limit, random_source
from searchlab.games.learning.network import save_network
from searchlab.model.randomness import Randomness
from searchlab.plugins import lookup

FAR = "2048-random:stop_at=32768"
"""The compiled code is that of any game with a tile to stop at."""


@functools.cache
def parts(game, player):
    domain = lookup.domain(game)
    return domain, lookup.player(player, domain=domain)


def on_boards(game, player, seed, start=None, most_moves=100_000):
    """The game as it is defined, and the moves of it."""
    domain, bound = parts(game, player)
    state, turns = GameState(domain, random_source(domain, Randomness(seed)), start), []
    status = state.play(bound.begin(seed), move_limit(most_moves), turns.append)
    return status, [turn.action for turn in turns], state.score, state.board


def in_compiled_code(game, player, seed, start=None, most_moves=100_000):
    """The same, as experiments play it, and the number of moves made on boards."""
    domain, bound = parts(game, player)
    random = Randomness(seed)
    state = GameState(domain, random_source(domain, random), start)
    playing, actions, turns = compiled_game(domain, bound, state.board), [], []

    def note(played):
        actions.extend(move.action for move in played)

    def on_turn(turn):
        actions.append(turn.action)
        turns.append(turn)

    choose, limit = bound.begin(seed), move_limit(most_moves)
    playing.let_play(state, random, most_moves, choose, lambda: None, note, on_turn)
    return (state.play(choose, limit, on_turn), actions, state.score, state.board), len(turns)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "player"),
    [
        (FAR, "greedy:heuristic=empty"),
        (FAR, "expectimax:depth=1,heuristic=empty"),
        ("2048-random:p2=0.5,stop_at=64,offers=any", "expectimax:depth=1,heuristic=empty"),
        (f"{FAR},idle=yes", "greedy:heuristic=empty"),
    ],
)
def test_games_are_the_same_to_the_last_move(game, player):
    for seed in range(2):
        defined = on_boards(game, player, seed, most_moves=120)
        played, by_hand = in_compiled_code(game, player, seed, most_moves=120)
        assert played == defined
        assert by_hand < len(played[1]) / 2


@pytest.mark.slow
def test_games_of_a_network_are_the_same(tmp_path):
    """Its weights are fetched for all boards after a move before the first is read; NumPy reads them on boards."""
    network = sl.NTupleNetwork(4, 4, ((0, 1, 2, 3), (0, 1, 4)), 4, powers_of_two=True)
    network.weights[:] = np.random.default_rng(0).integers(0, 4096, network.weights.shape)  # exact in any order
    save_network(network, tmp_path / "network.npz")
    player = f"greedy:heuristic=[ntuple:file={tmp_path / 'network.npz'}]"
    for seed in range(2):
        played, by_hand = in_compiled_code(FAR, player, seed, most_moves=150)
        assert played == on_boards(FAR, player, seed, most_moves=150)
        assert by_hand < len(played[1]) / 2


def test_games_in_several_threads_equal_those_of_one():
    player = sl.player("expectimax:depth=1,heuristic=smooth", domain=sl.domain("2048-random"))

    def played(seed):
        game = sl.play(player=player, domain=player.domain, seed=seed, most_moves=2000)
        return game.status, game.score, game.moves

    alone = list(map(played, range(12)))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(played, range(12))) == alone


@pytest.mark.slow
def test_a_game_may_be_played_during_another():
    """A progress function may play a game itself."""
    player, game = "expectimax:depth=1,heuristic=empty", sl.domain(FAR)
    domain, bound = parts(FAR, player)
    alone = on_boards(FAR, player, 3, most_moves=400), on_boards(FAR, player, 4, most_moves=50)
    random, actions, others = Randomness(3), [], []
    state = GameState(domain, random_source(domain, random))

    def note(played):
        actions.extend(move.action for move in played)
        others.append(in_compiled_code(FAR, player, 4, most_moves=50)[0])

    playing = compiled_game(domain, bound, state.board)
    playing.let_play(state, random, 400, bound.begin(3), lambda: None, note, lambda turn: None)
    assert (actions, state.score) == (alone[0][1], alone[0][2])
    assert len(others) > 0
    assert all(other == alone[1] for other in others)
    assert game.key == domain.key


@pytest.mark.slow
def test_the_depth_that_suits_the_board_is_the_same():
    player = "expectimax:heuristic=empty"
    start = sl.Board([[2, 4, 8, 16], [256, 128, 64, 32], [2, 0, 0, 0], [0, 0, 0, 0]])
    assert in_compiled_code(FAR, player, 5, start, 30)[0] == on_boards(FAR, player, 5, start, 30)


def test_the_packed_form_changes_at_the_board_that_outgrows_it(monkeypatch):
    """Its first board is somewhere within a slice, the moves after which are taken back."""
    domain, player = parts(FAR, "greedy:heuristic=empty")
    start = sl.Board([[2, 0, 0, 0], [0, 4, 0, 0], [0, 0, 0, 0], [0, 0, 0, 8]])
    state = GameState(domain, random_source(domain, random := Randomness(3)), start)
    limit = sum(start.tiles.ravel().tolist()) + 40
    forms = domain.packed(start), object()
    monkeypatch.setattr(
        type(domain), "packed", lambda self, board: forms[int(board.tiles.sum()) >= limit], raising=True
    )
    playing, actions = compiled_game(domain, player, start), []
    noted = lambda played: actions.extend(move.action for move in played)  # noqa: E731
    assert not playing.play(state, random, 1000, lambda: None, noted)
    monkeypatch.undo()
    defined = on_boards(FAR, "greedy:heuristic=empty", 3, start, len(actions))
    assert ("move-limit", actions, state.score, state.board) == defined
    assert limit <= state.board.tiles.sum() <= limit + 2  # one tile more at most


def test_a_game_stopped_between_two_slices_keeps_its_moves():
    domain, player = parts(FAR, "greedy:heuristic=empty")
    state = GameState(domain, random_source(domain, random := Randomness(0)))
    playing, actions = compiled_game(domain, player, state.board), []

    class Enough(Exception):
        pass

    def check():
        if actions:
            raise Enough

    playing.slices = module.Slices()
    with pytest.raises(Enough):
        playing.play(state, random, 1000, check, lambda played: actions.extend(move.action for move in played))
    assert on_boards(FAR, "greedy:heuristic=empty", 0, most_moves=len(actions))[1:] == (
        actions,
        state.score,
        state.board,
    )


def test_legal_moves_have_the_names_of_the_domain():
    for game in ("2048-random", "2048-random:idle=yes"):
        domain = lookup.domain(game)
        boards = [turn.board for turn in sl.play(domain=domain, player="random", seed=1, most_moves=60).turns]
        form = domain.packed(boards[0])
        legal = form.legal(np.array([board.tiles for board in boards]), domain.values["idle"])
        for board, row in zip(boards, legal, strict=True):
            named = [action for action, is_legal in zip(form.actions, row, strict=True) if is_legal]
            assert named == [edge.action for edge in domain.edges(board)]


def test_players_and_games_without_a_compiled_form_play_on_boards():
    for game, player in (("2048-random", "random"), ("2048", "greedy"), ("2048-random", "expectimax:seconds=0.01")):
        domain, bound = parts(game, player)
        assert compiled_game(domain, bound, domain.start()) is None
