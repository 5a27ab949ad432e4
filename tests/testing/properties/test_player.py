"""The contract of players finds those that make no legal move, waver, write to boards, or hang."""

import re
from dataclasses import replace
from functools import cache
from math import inf

import pytest

import searchlab as sl
from searchlab.testing import check, contract_of


@pytest.fixture
def player(checked):
    """Checks a player of the faulty ones."""
    return lambda name, **options: checked(name, "faulty_players.py", **{"seconds": 5, **options})


def failing(report):
    return {asked.name for asked, finding in report.findings if finding.status == "failed"}


def test_a_correct_component_passes(player):
    """The report gives the boards that were used."""
    report = player("good")
    assert (report.kind, report.name, report.passed) == ("player", "good", True)
    assert [ground.partition(" boards of walks from ")[2] for ground in report.grounds] == [
        "2048:goal=32, 3 × 3",
        "2048:goal=512, 3 × 3",
        "2048:goal=64, 4 × 4",
    ]
    assert report.finding("legal").facts["answers"] > 500
    assert report.finding("plays").facts == {"games": 3}
    assert report.finding("values").status == "skipped"


def test_a_player_that_raises_on_some_boards_fails(player):
    """The board is shown."""
    finding = player("fails_on_large_tiles").finding("legal")
    assert finding.message.startswith("player fails_on_large_tiles: AssertionError (")
    ((_, board),) = finding.boards
    assert board.largest_tile() >= 8


def test_an_illegal_move_fails(player):
    """With the moves that are."""
    finding = player("always_left").finding("legal")
    assert "player always_left returned 'left'; the action of a legal move is wanted: " in finding.message
    ((_, board),) = finding.boards
    assert "left" not in dict(sl.domain("2048").successors(board))


def test_values_that_contradict_the_move_are_reported():
    """Where a player makes a move it does not think the most of, the board is shown."""
    agrees = sl.Player("agrees", lambda board, moves: moves[0].action, values=lambda board, moves: [1] * len(moves))
    (report,) = check(agrees, domain="2048")
    assert report.passed
    assert report.finding("values").facts["boards"] > 100
    disagrees = sl.Player("disagrees", lambda board, moves: moves[-1].action, values=agrees.values)
    (report,) = check(disagrees, domain="2048")
    assert failing(report) == {"values"}
    finding = report.finding("values")
    ((_, board),) = finding.boards
    first, *_, last = dict(sl.domain("2048").successors(board))
    said = f"it makes the move {last}, and the first of those with the highest value is {first}"
    assert finding.message == said


def test_invalid_values_fail():
    """Too few, or an error on some boards; where there is no function nothing else is asked of them."""
    few = sl.Player("few", lambda board, moves: moves[0].action, values=lambda board, moves: [1] * (len(moves) - 1))
    (report,) = check(few, domain="2048")
    assert "a number for each of 2 moves is wanted" in report.finding("values").message
    (report,) = check(sl.Player("few", values=few.values), domain="2048")
    assert {"legal", "values"} <= failing(report)


def test_values_that_write_to_boards_fail():
    """Also where the function does not."""

    def writes(board, moves):
        board.tiles[0, 0] = 2
        return [1] * len(moves)

    (report,) = check(sl.Player("p", lambda board, moves: moves[0].action, values=writes), domain="2048")
    assert report.finding("pure").status == "failed"


@pytest.mark.parametrize("name", ["by_chance", "takes_turns"])
def test_a_player_that_ignores_its_seed_fails(player, name):
    """Python's own random numbers, and a memory that outlives a game."""
    report = player(name)
    assert failing(report) == {"same-seed"}
    assert report.finding("same-seed").boards


def test_memory_that_outlives_a_game_fails():
    """On single boards nothing shows; the second game goes another way."""
    start = sl.domain("2048").start()
    first_or_last = [0, -1]

    def wavers(board, moves):
        if board == start:
            first_or_last.reverse()
            return moves[0].action
        return moves[first_or_last[0]].action

    (report,) = check(wavers, domain="2048", board=start)
    assert failing(report) == {"same-seed"}
    finding = report.finding("same-seed")
    assert finding.message.startswith("a game played again with the same seed is another one")
    assert [caption for caption, _ in finding.boards] == ["it went on to:", "and then to:"]


@pytest.mark.parametrize("name", ["clears_the_board", "writes", "writes_ahead"])
def test_a_player_that_writes_to_boards_fails(player, name):
    """To its own, or to those after a move, by whatever trick."""
    finding = player(name).finding("pure")
    assert finding.status == "failed"
    what = "the board after a move" if name == "writes_ahead" else "the board it is given"
    assert f"it changes {what}; work on board.tiles.copy()" in finding.message


def test_a_game_without_end_is_reported(player):
    report = player("back_and_forth", domain="sliding-tile")
    assert report.passed
    assert report.finding("plays").status == "info"
    assert "a game is not over at move " in report.finding("plays").message


def test_a_player_that_hangs_is_given_up(player):
    """After the longest call, with the board; nothing more is asked."""
    report = player("sleeps", longest_call=0.3)
    finding = report.finding("legal")
    assert "it did not come back within 0.3 s" in finding.message
    assert finding.boards[0][1].largest_tile() >= 8
    assert report.finding("plays").message == "not checked after legal got no answer"


@pytest.mark.slow
def test_a_player_is_checked_in_a_domain_that_fits(player):
    """On the first domain that offers what it asks for, else on none."""
    assert any("sliding-tile" in ground for ground in player("plays_pancakes").grounds)
    with pytest.raises(sl.UsageError, match=r"player wants_the_moon fits no domain: .*moon"):
        player("wants_the_moon")


def test_boards_without_moves_are_skipped(player):
    report = player("good", board=sl.Board([[2, 4], [4, 2]]), domain="2048")
    assert report.finding("legal").status == "skipped"
    assert report.finding("plays").message == "games end by their rules (0 moves: dead)"


def test_at_least_one_move_is_checked(player):
    report = player("good", seconds=0.0)
    assert report.passed
    assert report.finding("plays").message == "a game is not over at move 1"


def test_a_given_board_replaces_the_samples(player, board10):
    report = player("good", board=board10, domain="2048")
    assert len(report.grounds) == 1
    assert report.grounds[0].endswith("2048, 4 × 4")


def test_a_bare_function_of_a_board_and_moves_is_a_player():
    """Handed in as such; of a kind that is named, whatever its arguments are called."""
    assert check(lambda board, moves: moves[0].action)[0].kind == "player"
    assert check(lambda position, options: options[0].action, kind="player")[0].kind == "player"


def test_players_are_checked_with_their_heuristic():
    """Also under other parameters of the domain than those of the samples."""
    (report,) = check("greedy:heuristic=[left-weighted:corner=-2]", kind="player")
    assert report.name == "greedy:heuristic=[left-weighted:corner=-2]"
    assert report.passed
    (report,) = check("greedy", kind="player", domain="2048:spawn=corner")
    assert report.passed
    assert all("spawn=corner" in ground for ground in report.grounds)


test_contract_of_a_player = contract_of("greedy:heuristic=empty", kind="player", domain="2048")


@pytest.mark.slow
def test_compiled_games_are_compared_with_readable_ones():
    """The finding names the first move that differs, and its board."""

    @cache
    def ahead(domain):
        return sl.Expectimax(sl.LookAhead(domain, sl.heuristic("empty", domain=domain), dead=-inf), depth=0)

    def fewest_blanks(board, moves, domain):
        return [-value for value in ahead(domain).values(board).values()]

    start = sl.Board([[0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 4, 0], [0, 0, 0, 0]])
    four = sl.domain(replace(sl.domain("2048-random").component, samples=lambda: [start]), stop_at=32768)
    (report,) = check(sl.Player("p", looks_ahead=ahead), domain=four)
    assert report.finding("same-games").facts["moves"] > 50
    (report,) = check(sl.Player("p", values=fewest_blanks, looks_ahead=ahead), domain=four)
    finding = report.finding("same-games")
    assert finding.status == "failed"
    assert re.fullmatch(r"its move \d+ is \w+ on boards, and \w+ in compiled code: see looks_ahead", finding.message)
