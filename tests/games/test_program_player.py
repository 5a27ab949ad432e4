"""Both sides of the lines of a game: a program that plays, and a player that answers as a program."""

import gc
import re
import shlex
import sys
import threading

import pytest

import searchlab as sl
from searchlab.games.advice import PositionAdviser
from searchlab.games.program_player import Engine
from searchlab.games.programs import format_board
from tests.games.test_programs import command, gone

BOARD = sl.Board([[0, 0, 0], [0, 4, 0], [2, 2, 0]])
ENGINE = shlex.join([sys.executable, "-m", "searchlab", "engine", "--player", "greedy:heuristic=snake"])


def program(way, *arguments, **parameters):
    """Return the player of the bot of the tests, which behaves in this way, in a game."""
    parameters = {"domain": "2048-random:n=3", **parameters}
    return sl.player("program", command=command(way, *arguments), **parameters)


def last(board, moves):
    return moves[-1].action


def played(game):
    """Return all that has to be equal in two games."""
    return game.status, game.opening, game.actions, game.events, game.score, game.boards


@pytest.mark.parametrize("domain", ["2048-random", "2048:goal=64", "sliding-tile"])
def test_a_program_plays_the_game_that_a_function_plays_with_the_same_moves(domain):
    board = sl.Board([[8, 6, 7], [2, 5, 4], [3, 0, 1]]) if domain == "sliding-tile" else None
    games = [
        sl.play(board, domain=domain, player=player, seed=5, most_moves=60)
        for player in (program("last", domain=domain), last)
    ]
    assert played(games[0]) == played(games[1])
    assert games[0].moves > 10


def test_the_program_goes_on_from_game_to_game_and_is_told_of_each(tmp_path):
    heard = tmp_path / "heard"
    player = program("says", heard, seconds=7)
    games = [sl.play(player=player, domain=player.domain, seed=seed, most_moves=2) for seed in (3, 4)]
    assert [game.moves for game in games] == [2, 2]
    del player
    lines = heard.read_text().splitlines()
    words = [line.partition("\t")[0] for line in lines]
    assert words == ["hello", *("new", "board", "board") * 2, "quit"]
    assert [line for line in lines if line.startswith("new")] == [f"new\t{seed}\t2048-random:n=3\t7" for seed in (3, 4)]
    start = games[0].start
    tiles = " / ".join(" ".join(map(str, row)) for row in start.tiles.tolist())
    moves = [action for action, _ in sl.domain("2048-random:n=3").successors(start)]
    assert lines[2] == "\t".join(("board", tiles, *moves))


def test_games_at_the_same_time_have_a_program_each():
    player = program("last")
    one, other = player.begin(1), player.begin(2)
    moves = tuple(sl.Move(*pair) for pair in player.domain.successors(BOARD))
    assert {one(BOARD, moves), other(BOARD, moves), one(BOARD, moves)} == {moves[-1].action}
    games = []
    threads = [
        threading.Thread(target=lambda: games.append(sl.play(player=player, domain=player.domain, seed=9)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert played(games[0]) == played(games[1]) == played(games[2])


def test_a_program_ends_with_the_player():
    player = program("stays")
    sl.play(player=player, domain=player.domain, most_moves=2)
    gc.collect()
    (kept,) = player._kept
    process = kept._program._process.pid
    del player, kept
    assert gone(process)


FAILURES = {
    "illegal": "the program chose 'sideways'; a legal move is wanted: ",
    "no-move": "the program named no move; a legal move is wanted: ",
    "some-values": "the program gave values of 'up'; either the values of all moves are wanted, .*, or none",
    "no-number": "the program wrote '[a-z]+=much' where MOVE=VALUE is wanted",
    "nan": "the program gave a value that is not a number",
    "dies": "the program ended with exit code 1 before it answered board",
}


@pytest.mark.parametrize("way", FAILURES)
def test_a_program_that_fails_loses_its_game_and_plays_the_next_one(way):
    player = program(way)
    games = [sl.play(player=player, domain=player.domain, seed=seed) for seed in (1, 2)]
    for game in games:
        assert (game.status, game.moves) == ("error", 3)
        reason, _, board = game.reason.partition("\n")
        assert re.search(FAILURES[way], reason)
        assert sl.Board.parse(board) == game.boards[-1]
    assert games[0].boards != games[1].boards


def test_values_of_all_moves_are_optional():
    adviser = PositionAdviser(program("values"), 1)
    answer = adviser.answer(BOARD)
    assert dict(answer.values) == {"up": 2.5, "left": 4.5, "right": 5.5}
    assert list(answer.values) == [action for action, _ in sl.domain("2048-random:n=3").successors(BOARD)]
    assert answer.action == list(answer.values)[-1]  # the program's, which need not have the highest value
    assert PositionAdviser(program("last"), 1).answer(BOARD).values is None


def test_an_adviser_asks_a_program_again_after_it_has_failed():
    adviser = PositionAdviser(program("dies"), 1)
    assert [adviser.answer(BOARD).action for _ in range(3)] == ["up"] * 3
    with pytest.raises(sl.PluginError, match="exit code 1"):
        adviser.answer(BOARD)
    assert adviser.answer(BOARD).action == "up"


def engine(seed=1):
    """Return an engine of searchlab's own players."""
    return Engine("searchlab", lambda game: sl.player("greedy:heuristic=snake", domain=game or "2048-random"), seed)


def test_an_engine_answers_each_line_by_one_line():
    answers = engine()
    asked = {
        b"hello 1 player\n": "hello\t1\tsearchlab",
        b"hello\t1\n": "hello\t1\tsearchlab",
        b"hello\t2\tplayer\n": "error\tthis is version 1 of the protocol, not 2",
        b"hello\t1\tcook\n": "error\tthis program can be a player or an environment, not 'cook'",
        b"board 2 0 / 0 2\n": "move\tup\tup=0.0\tdown=0.0\tleft=0.0\tright=0.0",
        b"new\t7\t2048:goal=64\t10\n": "ready",
        b"board\t2 2 0 / 0 4 0 / 0 0 0\tup\n": "move\tdown\tdown=4.0\tleft=2.0\tright=2.0",
        b"new 7 sliding-tile\n": "error\theuristic 'snake' is made for 2048, not for sliding-tile",
        b"new\tseven\n": "error\t'seven' is not a seed: give a whole number, 0 or more",
        b"new\t7\tnosuch\n": "error\tno domain is called 'nosuch'",
        b"board\n": "error\texpected a board after board: its tiles row by row",
        b"board 3 0 / 0 2\n": "error\tnot a board of 2048",
        b"board 2 4 / 4 2\n": "error\tthe game is over: no legal move is left",
        b"board 2 x\n": "error\t'x' is not a tile",
        b"sing\n": "error\t'sing' is none of the words that begin a line: hello, new, board, quit",
        b"\xff\n": "error\t'\N{REPLACEMENT CHARACTER}' is none of the words",
        b"\n": "error\t'' is none of the words",
        None: "error\tthe line is too long",
        b"quit\n": None,
    }
    for line, wanted in asked.items():
        answer = answers.answer(line)
        assert answer is wanted or (answer.startswith(wanted) and "\n" not in answer), line
    assert not answers.has_failed


def test_an_engine_plays_the_game_of_its_player():
    game, other = (
        sl.play(domain="2048-random:n=3", player=player, seed=4)
        for player in (sl.player("program", domain="2048-random:n=3", command=ENGINE), "greedy:heuristic=snake")
    )
    assert played(game) == played(other)


def test_an_engine_keeps_a_game_after_hello_to_an_environment():
    """The game is the one that the same seed and moves give."""
    answers = engine()
    assert answers.answer(b"hello 1 environment\n").startswith("hello\t1")
    words, domain = [], sl.domain("2048-random:n=2")
    game = sl.play(domain=domain, player=last, seed=3)
    board = answers.answer(b"new\t3\t2048-random:n=2\n").partition("\t")[2]
    for turn, action in enumerate(game.actions):
        assert board == format_board(game.boards[turn])
        word, board, points = answers.answer(f"move {action}\n".encode()).split("\t")
        words.append((word, float(points)))
    assert board == format_board(game.final)
    assert [word for word, _ in words] == ["board"] * (game.moves - 1) + ["over"]
    assert sum(points for _, points in words) == game.score
    assert answers.answer(b"move left\n") == "error\tthe game is over: no move is legal"
    assert answers.answer(b"set 2 2 / 4 8\n") == "ready"
    assert answers.answer(b"move up\n") == "error\t'up' is not legal: left or right"
    assert answers.answer(b"move left\n").startswith("board\t4 ")
    assert answers.answer(b"move\n") == "error\ta move is wanted after move"
    assert answers.answer(b"set 2 x\n").startswith("error\t'x' is not a tile")
    assert answers.answer(b"board 2 2 / 4 8\n").startswith("error\t'board' is none of the words")
