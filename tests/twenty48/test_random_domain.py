"""The rules of 2048 with random tiles: moves, new tiles, points, and the end of the game."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import searchlab as sl

START = sl.Board([[0, 0, 0, 0]] * 4)
ACTIONS = ("up", "down", "left", "right")


def grids(smallest=2, largest=5, tiles=(0, 0, 2, 2, 4, 8)):
    def rows(n):
        return st.lists(st.lists(st.sampled_from(tiles), min_size=n, max_size=n), min_size=n, max_size=n)

    return st.integers(smallest, largest).flatmap(rows)


def game(**parameters):
    return sl.domain("2048-random", **parameters)


def first(board, moves):
    return moves[0].action


@given(rows=grids())
def test_a_move_is_a_swipe_that_changes_the_board(rows, naive_swipe):
    """Nothing appears by it; with idle=yes the others are moves as well as long as a cell is blank."""
    swiped = [(action, naive_swipe(rows, action)) for action in ACTIONS]
    moves = [(action, sl.Board(after)) for action, after in swiped if after != rows]
    board = sl.Board(rows)
    assert game().successors(board) == moves
    is_full = all(tile for row in rows for tile in row)
    idle = [] if is_full else [(action, sl.Board(after)) for action, after in swiped]
    assert game(idle=True).successors(board) == idle
    assert game(idle=True).is_dead(board) == is_full


@given(rows=grids())
def test_points_of_a_move_are_the_merged_tiles(rows):
    """Counted while sliding, line by line."""

    def made(line):
        tiles, earned = [tile for tile in line if tile], 0
        while len(tiles) > 1:
            merges = tiles[0] == tiles[1]
            earned += 2 * tiles[0] if merges else 0
            del tiles[: 1 + merges]
        return earned

    domain, board = game(), sl.Board(rows)
    columns = [list(column) for column in zip(*rows, strict=True)]
    lines = {
        "up": columns,
        "down": [column[::-1] for column in columns],
        "left": rows,
        "right": [row[::-1] for row in rows],
    }
    for action, after in domain.successors(board):
        assert domain.points(board, after) == sum(map(made, lines[action]))


def test_points_of_large_tiles_are_exact():
    """Points above 2^53 are exact."""
    board, after = sl.Board([[2**61, 2**61], [2, 0]]), sl.Board([[2**62, 0], [2, 0]])
    assert game().points(board, after) == 2**62
    assert game().points(after, after) == 0


@given(rows=grids(), p2=st.sampled_from([0.0, 0.25, 0.9, 1.0]))
def test_events_are_each_tile_in_each_blank_cell(rows, p2):
    """Row by row, the 2 before the 4; tiles with probability 0 are omitted."""
    domain, board = game(p2=p2), sl.Board(rows)
    blanks = [(r, c) for r, row in enumerate(rows) for c, tile in enumerate(row) if not tile]
    expected = [
        (f"{value} {r} {c}", probability / len(blanks))
        for r, c in blanks
        for value, probability in ((2, p2), (4, 1 - p2))
        if probability
    ]
    events = domain.chance(board)
    assert [(event.text, event.probability) for event in events] == expected
    for event in events:
        value, row, column = map(int, event.text.split())
        tiles = np.array(rows)
        tiles[row, column] = value
        assert event.board == sl.Board(tiles) == domain.apply(board, event.text)


@given(rows=grids(), seed=st.integers(0, 2**64), p2=st.sampled_from([0.0, 0.25, 0.9, 1.0]))
def test_one_raw_number_draws_cell_and_tile(rows, seed, p2):
    """Its upper half the cell, its lower half the value, as documented; done here by hand."""
    assume(any(0 in row for row in rows))
    board, n = sl.Board(rows), len(rows)
    numbers = np.random.PCG64(seed)
    cells = [(r, c) for r in range(n) for c in range(n)]
    blanks = [(r, c) for r, c in cells if not rows[r][c]]

    def tile(cells):
        raw = int(numbers.random_raw())
        row, column = cells[(raw >> 32) * len(cells) >> 32]
        return 2 if raw % 2**32 < p2 * 2**32 else 4, row, column

    offers = [tile(blanks)]
    drawn = game(p2=p2).draw(board, sl.Randomness(seed))
    assert [offer.text for offer in drawn] == ["{} {} {}".format(*offer) for offer in offers]

    numbers = np.random.PCG64(seed)
    offers = [tile(cells)]
    while offers[-1][1:] not in blanks:
        offers.append(tile(cells))
    drawn = game(p2=p2, offers="any").draw(board, sl.Randomness(seed))
    assert [offer.text for offer in drawn] == ["{} {} {}".format(*offer) for offer in offers]
    assert [offer.board is None for offer in drawn] == [True] * (len(offers) - 1) + [False]
    assert drawn[-1].board == game().apply(board, drawn[-1].text)


def test_a_full_board_has_no_events():
    full = sl.Board([[2, 4], [4, 2]])
    for offers in ("blank", "any"):
        domain = game(offers=offers)
        assert domain.chance(full) == domain.draw(full, sl.Randomness(1)) == ()


def test_a_tile_in_a_taken_cell_is_refused():
    """A blank cell accepts any power of two."""
    board = sl.Board([[2, 0], [0, 0]])
    assert game().apply(board, "4 0 0") is None
    assert game().apply(board, " 1024  1 0 ") == sl.Board([[2, 0], [1024, 0]])
    assert game().apply(board, f"{2**62} 1 1").largest_tile() == 2**62


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ("", "a tile is given as value, row and column"),
        ("2 0", "a tile is given as value, row and column"),
        ("2 0 1 1", "a tile is given as value, row and column"),
        ("two 0 1", "a tile is given as value, row and column"),
        ("2 0 -1", "a tile is given as value, row and column"),
        ("2 0 1.5", "a tile is given as value, row and column"),
        ("٢ 0 1", "a tile is given as value, row and column"),
        ("3 0 1", "3 is no power of two from 2 to 2^62"),
        ("0 0 1", "0 is no power of two from 2 to 2^62"),
        (f"{2**63} 0 1", "9223372036854775808 is no power of two from 2 to 2^62"),
        ("2 2 1", "no tile at row 2, column 1: rows go from 0 to 1, columns to 1"),
    ],
)
def test_invalid_events_are_refused(event, said):
    with pytest.raises(sl.UsageError) as raised:
        game().apply(sl.Board([[2, 0], [0, 0]]), event)
    assert str(raised.value) == f"2048-random: {event!r} is not an event: {said}"


def test_a_game_begins_with_tiles_on_a_blank_board():
    """Two unless said otherwise, as many as there is room for."""
    for tiles in (0, 1, 2, 3, 4):
        played = sl.play(domain=game(n=2, tiles=tiles), player=first, most_moves=0)
        assert played.start.size() == len(played.opening) == tiles
    full = sl.play(domain=game(n=2, tiles=10**9), player=first, most_moves=0)
    assert full.start.size() == 4
    assert sl.play(domain="2048-random", player=first, most_moves=0).start.shape == (4, 4)


@pytest.mark.parametrize("stop_at", [4, 8, 16])
def test_the_game_is_over_when_a_tile_appears(stop_at):
    """Made by a merge, after which nothing is drawn; or drawn."""
    for seed in range(20):
        played = sl.play(domain=game(n=3, stop_at=stop_at), player=first, seed=seed)
        if played.status == "goal":
            assert played.boards[-1].largest_tile() >= stop_at
            assert all(board.largest_tile() < stop_at for board in played.boards[:-1])
            made = played.turns and played.turns[-1].after.largest_tile() >= stop_at
            assert not made or played.turns[-1].events == ()
        else:
            assert played.status == "dead"


@pytest.mark.parametrize(
    ("preset", "values"),
    [
        ("classic", {}),
        ("cs61b", {"p2": 0.75, "stop_at": 2048, "offers": "any"}),
        ("tutorial", {"idle": True, "printout": "boxes"}),
    ],
)
def test_presets(preset, values):
    """What the games of that name are, besides what they share."""
    defaults = {"n": 4, "p2": 0.9, "tiles": 2, "stop_at": 0, "offers": "blank", "idle": False, "printout": "boards"}
    assert game(preset=preset).values == {**defaults, **values}
    assert game(preset=preset, n=5, p2=0.5).values == {**defaults, **values, "n": 5, "p2": 0.5}


@pytest.mark.parametrize(
    ("spelled", "said"),
    [
        ("2048-random:p2=1.5", "p2=1.5: a probability is between 0 and 1"),
        ("2048-random:stop_at=2", "stop_at=2: it is a power of two from 4 to 2^62, or 0 for none"),
        ("2048-random:stop_at=100", "stop_at=100: it is a power of two"),
        ("2048-random:tiles=-1", "tiles=-1: there are 0 or more"),
        ("2048-random:n=1", "n=1: the side of a board is between 2 and 32768"),
        ("2048-random:offers=all", "offers is one of blank, any, not all"),
        ("2048-random:preset=cs61", "no preset 'cs61': did you mean 'cs61b'? There are classic, cs61b and tutorial"),
    ],
)
def test_invalid_parameters_are_refused(spelled, said):
    with pytest.raises(sl.UsageError) as raised:
        sl.domain(spelled)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[2, 0, 0], [0, 0, 0]], "it is 2 × 3"),
        ([[2, 3], [0, 0]], "the tile 3 at row 1, column 2 is no power of two"),
        ([[2**62, 2**62], [0, 0]], "its tiles add up to 2^63 or more"),
    ],
)
def test_invalid_boards_are_refused_with_a_reason(rows, said):
    assert said in game().why_invalid(sl.Board(rows))
    assert game().why_invalid(START) == game().why_invalid(sl.Board([[2**62, 2**61], [2**61 - 2**60, 0]])) == ""


def turning(board, moves):
    return moves[board.size() % len(moves)].action


@pytest.mark.parametrize(
    ("spelled", "status", "moves", "score", "drawn", "final"),
    [
        ("2048-random", "dead", 105, 952, 105, "8 4 16 4 / 4 16 4 16 / 2 8 128 4 / 4 2 4 8"),
        ("2048-random:preset=cs61b", "dead", 129, 1356, 691, "2 8 16 2 / 32 2 64 32 / 2 4 128 4 / 16 8 4 2"),
        ("2048-random:preset=tutorial", "dead", 63, 356, 63, "2 8 4 2 / 2 16 32 4 / 2 8 16 8 / 16 4 16 2"),
        ("2048-random:n=3,p2=0.5", "dead", 21, 120, 21, "2 16 2 / 16 8 4 / 4 2 16"),
        (
            "2048-random:n=5,preset=cs61b",
            "dead",
            265,
            3208,
            794,
            "4 8 4 8 4 / 2 32 16 128 8 / 8 4 64 4 2 / 16 2 16 256 16 / 8 4 8 32 8",
        ),
    ],
)
def test_games_of_a_seed_never_change(spelled, status, moves, score, drawn, final):
    """Golden games: whoever finds them changed has changed what seeds mean."""
    played = sl.play(domain=spelled, player=turning, seed=20480)
    rows = " / ".join(" ".join(map(str, row)) for row in played.boards[-1].tiles.tolist())
    assert (played.status, played.moves, played.score, rows) == (status, moves, score, final)
    assert sum(map(len, played.events)) == drawn
