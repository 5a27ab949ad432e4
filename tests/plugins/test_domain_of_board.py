"""Which game is meant: by the tiles of a board."""

import pytest

import searchlab as sl
from searchlab.plugins.domain_of_board import game_of

TILES = sl.Board([[2, 4], [0, 0]])


def test_tiles_of_2048_are_searched_without_chance_and_played_with_it(example8):
    """Other boards are of one game either way."""
    plugins = sl.Plugins()
    assert game_of(TILES, plugins).name == "2048"
    assert game_of(TILES, plugins, played=True).name == "2048-random"
    assert game_of(example8, plugins).name == game_of(example8, plugins, played=True).name == "sliding-tile"


def test_a_board_invalid_in_the_default_domain_names_other_domains(example8):
    """Unless the user named the domain."""
    with pytest.raises(
        sl.BoardError, match=r"not a board of 2048: .*; its tiles fit sliding-tile: pass domain='sliding-"
    ):
        sl.solve(example8)
    with pytest.raises(sl.BoardError, match=r"not a board of 2048-random: .*; its tiles fit sliding-tile"):
        sl.advise(example8)
    with pytest.raises(sl.BoardError, match=r"no power of two from 2 to 2\^62$"):
        sl.solve(example8, domain="2048")
    with pytest.raises(sl.BoardError, match=r"no power of two from 2 to 2\^62$"):
        sl.solve(sl.Board([[2, 3], [7, 9]]))


def test_a_board_of_several_games_needs_a_domain(tmp_path):
    """Neither to be played nor to be searched; a game of chance is no rival where none is wanted."""
    file = tmp_path / "games.py"
    file.write_text(
        "from searchlab import Chance, Domain, hookimpl\n\n\ndef none(board):\n    return ''\n\n\n"
        "@hookimpl\ndef searchlab_domains():\n"
        "    yield Domain('stormy', none, none, why_invalid=none, chance=Chance(none))\n"
    )
    plugins = sl.Plugins([file])
    assert game_of(TILES, plugins).name == "2048"
    with pytest.raises(sl.BoardError, match="the tiles fit 2048-random and stormy"):
        game_of(TILES, plugins, played=True)
    odd = sl.Board([[7, 7], [7, 7]])
    assert game_of(odd, plugins).name == game_of(odd, plugins, played=True).name == "stormy"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 10, 0]],
            "the tiles fit no game; for sliding-tile: the tile 10 is there 2 times and 15 is missing: 0 … 15 once each",
        ),
        (
            [[0, 2, 4, 2], [2, 4, 8, 2], [4, 2, 2, 2], [0, 0, 0, 3]],
            "the tiles fit no game; for 2048: the tile 3 at row 4, column 4 is no power of two from 2 to 2^62",
        ),
        ([[0, 1, 1], [1, 0, 2], [0, 0, 0]], "the tiles fit no game; for lights-out: a light is on, 1, or off, 0"),
        ([[2]], "1 tile may be of any game (hanoi has such boards)"),
        ([[3, 1, 3]], "3 tiles may be of any game (hanoi has such boards)"),
    ],
)
def test_a_board_of_no_game_names_the_likely_one(rows, said):
    """That is the game whose board it would be with one other tile; a few tiles are no board of a game for sure."""
    with pytest.raises(sl.BoardError) as error:
        game_of(sl.Board(rows), sl.Plugins())
    assert str(error.value) == said
