"""A game printed as a tutorial prints it."""

import searchlab as sl
from searchlab_plugins.twenty48.boxes import boxes

GAME = """\
+--------+--------+
|        |        |
|   2    |        |
|        |        |
+--------+--------+
|        |        |
|   2    |  128   |
|        |        |
+--------+--------+
Score: 0
Human move
==========
+--------+--------+
|        |        |
|   4    |  128   |
|        |        |
+--------+--------+
|        |        |
|        |        |
|        |        |
+--------+--------+
Score: 4
Computer move
=============
+--------+--------+
|        |        |
|   4    |  128   |
|        |        |
+--------+--------+
|        |        |
|        |   2    |
|        |        |
+--------+--------+
Score: 4
Final Score: 4
"""


def test_a_game_is_printed_move_by_move():
    """The board, each move and what appears after it, and the score at each."""
    board = sl.Board([[2, 0], [2, 128]])
    domain = sl.domain("2048-random:preset=tutorial,p2=1")
    game = sl.play(board, domain=domain, player=lambda board, moves: "up", seed=1, most_moves=1)
    assert game.events == (("2 1 1",),)
    assert "".join(domain.transcript(game.start, game.turns, proved=False)) == GAME


def test_a_move_without_a_new_tile_prints_no_line_of_the_computer():
    domain = sl.domain("2048-random:printout=boxes,stop_at=4")
    board = sl.Board([[2, 0], [2, 0]])
    game = sl.play(board, domain=domain, player=lambda board, moves: "up")
    printed = "".join(domain.transcript(game.start, game.turns, proved=False))
    assert printed.count("Human move\n==========\n") == 1
    assert "Computer" not in printed
    assert printed.endswith("Score: 4\nFinal Score: 4\n")


def test_other_games_have_the_usual_transcript():
    """The form is a parameter; only the preset asks for it."""
    assert sl.domain("2048-random").transcript(sl.Board([[2, 0], [0, 0]]), (), proved=False) is None


def test_an_odd_blank_is_on_the_right():
    """Of numbers of every length; a box is wider where one does not fit."""
    rows = boxes(sl.Board([[2, 16], [128, 1024]])).splitlines()
    assert (rows[2], rows[6]) == ("|   2    |   16   |", "|  128   |  1024  |")
    wide = boxes(sl.Board([[2**27, 2], [0, 0]])).splitlines()
    assert wide[0] == "+---------+---------+"
    assert wide[2] == "|134217728|    2    |"
    assert {len(line) for line in wide} == {21}
