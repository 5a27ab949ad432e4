"""`searchlab neighbors`: the successors of a board."""

from __future__ import annotations


def test_successors_are_printed_with_their_actions(run):
    """In a pipe each action is followed by its board in the board-file format."""
    ran = run("neighbors", "2048/one-neighbor")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "down\n4\n    0    0    0    2\n    0    0    0    0\n    0    0    0    0\n   16    8    4    2\n"
    )


def test_terminal_successors_are_marked(run, write):
    """With spawn=corner a swipe that fills the corner ends the game."""
    board = write("b.txt", "2\n0 0\n2 4\n")
    ran = run("neighbors", board, "--domain", "2048:spawn=corner")
    assert "up (game over)\n2\n    2    4\n    0    0\n" in ran.out


def test_json_has_the_tiles(run, sliding):
    """--json lists the successors in the domain's order."""
    ran = run("neighbors", sliding, "--json")
    assert [successor["action"] for successor in ran.json["neighbors"]] == ["up", "right", "down"]
    assert ran.json["neighbors"][1] == {
        "action": "right",
        "cost": 1,
        "terminal": False,
        "tiles": [[1, 2, 3], [4, 0, 6], [7, 5, 8]],
    }
    assert (ran.json["board"], ran.json["domain"]) == (sliding, "sliding-tile")


def test_a_board_without_successors_says_so(run):
    """A full right column without a merge has no neighbours."""
    assert run("neighbors", "2048/right-column-full").out == "no successors: there is no move from this board\n"
