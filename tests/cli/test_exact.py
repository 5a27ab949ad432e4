"""`searchlab exact`: the table of players, and players and games that are refused."""

import pytest

PLAYER = """\
def last(board, moves):
    "The last move."
    return moves[-1].action


def wrong(board, moves):
    return "sideways"
"""
GAME = ("--domain", "2048-random:n=2")


@pytest.fixture
def mine(folder):
    (folder / "mine.py").write_text(PLAYER)


def test_players_are_compared_with_the_best_play(run):
    ran = run("exact", "exact", "greedy", *GAME)
    assert ran.code == 0
    best, exact, greedy = (line.split() for line in ran.out.splitlines()[3:6])
    assert best == ["best", "play", "66.9641", "100", "%"]
    assert exact[:7] == ["exact", "66.9641", "100.000", "%", "0.000", "%", "11.96"]
    assert greedy[:7] == ["greedy:heuristic=smooth", "36.5989", "54.654", "%", "45.346", "%", "7.85"]
    assert "16" in ran.out


def test_json_has_all_figures_and_a_function_of_a_file_is_a_player(run, mine):
    found = run("exact", "mine.py:last", *GAME, "--json").json
    (player,) = found["players"]
    assert found["best"] == pytest.approx(66.9641494571)
    assert player["share"] == pytest.approx(player["mean"] / found["best"])
    assert player["loss"] == pytest.approx(1 - player["share"])
    assert player["tiles"]["4"] == pytest.approx(1)
    assert player["boards"] == 269


def test_one_player_that_cannot_be_judged_is_refused_before_the_others_are(run):
    assert "player random cannot be judged exactly" in run("exact", "exact", "random", *GAME).error
    assert "seconds" in run("exact", "expectimax:seconds=1", *GAME).error
    assert "no player is called" in run("exact", "gredy", *GAME).error


def test_a_game_that_is_too_large_is_refused(run):
    assert "up to 10^12 are tried. 2048-random can be solved with n=2 and n=3" in run("exact", "greedy").error


def test_a_player_that_fails_ends_it_with_a_line(run, mine):
    ran = run("exact", "mine.py:wrong", *GAME)
    assert ran.code == 4
    assert ran.err.splitlines()[-1].startswith("searchlab: error: player wrong returned 'sideways'")
