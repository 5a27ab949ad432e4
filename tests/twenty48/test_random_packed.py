"""The rules for the compiled engine, run interpreted, are the readable rules, probabilities to the last bit."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.packing import Packing
from searchlab.model.randomness import state_of, words_of
from searchlab_plugins.twenty48 import random_packed, rowwise

PROBABILITIES = (0.0, 0.1, 0.75, 0.9, 1.0)
TALL = [[65536, 32768, 16384, 4096], [65536, 1024, 512, 256], [131072, 131072, 8, 16], [2, 0, 0, 2]]


def continued(words):
    """The Randomness that goes on from these words."""
    random = sl.Randomness(0)
    random.state = state_of(words)
    return random


def grids(smallest, largest, tiles):
    def rows(n):
        return st.lists(st.lists(st.sampled_from(tiles), min_size=n, max_size=n), min_size=n, max_size=n)

    return st.integers(smallest, largest).flatmap(rows)


ANY_SIZE = grids(2, 6, (0, 0, 2, 2, 4, 8, 2**61))
FOUR = grids(4, 4, (0, 0, 2, 2, 4, 8, 16384, 32768, 65536, 2**40))
FULL = grids(4, 4, (2, 4, 8, 32768, 65536))
RULES = {"idle": st.booleans(), "p2": st.sampled_from(PROBABILITIES)}


def game(idle, p2=0.9, **parameters):
    return sl.domain("2048-random", idle=idle, p2=p2, **parameters)


def described(chances):
    return [(event.board.tiles.tolist(), event.probability) for event in chances]


@given(rows=ANY_SIZE, **RULES)
def test_the_form_for_any_size_has_the_readable_rules(rows, idle, p2):
    """The form for any size writes the same boards in the same order, after a swipe and after chance."""
    domain, board = game(idle, p2), sl.Board(rows)
    assume(not domain.why_invalid(board))
    form = domain.packed(board)
    out, points = np.full((form.max_successors, board.n, board.n), 77), np.full(form.max_successors, np.nan)
    with np.errstate(over="ignore"):
        count = random_packed.successors(board.tiles, out, points, idle)
    after = [sl.Board(out[k]) for k in range(count)]
    assert after == domain.neighbors(board)
    assert points[:count].tolist() == [float(domain.points(board, successor)) for successor in after]
    assert random_packed.successors(board.tiles, out, None, idle) == count
    out, probabilities = np.full((form.most_chances, board.n, board.n), 77), np.full(form.most_chances, np.nan)
    count = random_packed.chances(board.tiles, out, probabilities, p2)
    here = [(out[k].tolist(), probabilities[k]) for k in range(count)]
    assert here == described(domain.chance(board))


def by_words(form, domain, board):
    """The boards after a swipe, and those after chance with their probabilities, by the forms for experts."""
    packing = Packing.of(form, board)
    words = packing.pack(board)
    out = np.full((4, packing.words), 77, np.uint64)
    tables = {name: table for name, table in form.tables.items() if name != "goal_exponent"}
    points = np.full(4, np.nan)
    with np.errstate(over="ignore"):
        count = form.words.successors(words, out, points, **tables, idle=domain.values["idle"])
    after = packing.unpack(out[:count])
    assert points[:count].tolist() == [float(domain.points(board, successor)) for successor in after]
    assert form.words.successors(words, out, None, **tables, idle=domain.values["idle"]) == count
    out, probabilities = np.full((form.most_chances, packing.words), 77, np.uint64), np.full(form.most_chances, np.nan)
    count = form.words.chances(words, out, probabilities, domain.values["p2"])
    chances = zip((b.tiles.tolist() for b in packing.unpack(out[:count])), probabilities[:count].tolist(), strict=True)
    return after, list(chances)


@given(rows=st.one_of(FOUR, FULL), **RULES)
@example(rows=TALL, idle=False, p2=0.9)
@example(rows=TALL, idle=True, p2=0.9)
def test_the_forms_on_words_have_the_readable_rules(rows, idle, p2):
    """The forms for 4 × 4, in four bits a cell and in a byte: with tiles in the tables, and with larger ones."""
    domain, board = game(idle, p2), sl.Board(rows)
    form = domain.packed(board)
    small = board.tiles.sum() < random_packed.LARGEST_SUM_IN_NIBBLES
    assert form.bits == (4 if small else 8)
    assert by_words(form, domain, board) == (domain.neighbors(board), described(domain.chance(board)))


@pytest.mark.parametrize("stop_at", [0, 4, 32768, 65536, 2**62])
@given(rows=FOUR)
def test_the_tile_that_ends_the_game_is_seen(stop_at, rows):
    """In every form, also where no form has room for it."""
    domain, board = game(idle=False, stop_at=stop_at), sl.Board(rows)
    form = domain.packed(board)
    if form.words.is_goal is None:
        here = form.is_goal(board.tiles, stop_at)
    else:
        exponent = {} if form.words.is_goal is random_packed.never else {"goal_exponent": stop_at.bit_length() - 1}
        here = form.words.is_goal(Packing.of(form, board).pack(board), **exponent)
    assert bool(here) == domain.is_goal(board)
    assert bool(random_packed.is_goal(board.tiles, stop_at)) == domain.is_goal(board)


def test_a_form_is_made_once():
    """Who asks before every move can see that it is the one of the move before."""
    domain = game(idle=False)
    boards = [sl.Board([[0] * 4] * 3 + [[0, 2, tile, 0]]) for tile in (4, 8, 32768)]
    assert len({id(domain.packed(board)) for board in boards}) == 1
    large = sl.Board([[0] * 4] * 3 + [[0, 32768, 32768, 0]])
    assert domain.packed(large).bits == 8


def test_two_tiles_that_have_no_room_cannot_meet_for_a_while():
    """In four bits 32768 is the largest tile: a hundred tiles must appear before there are two."""
    assert random_packed.LARGEST_NIBBLE_TILE == 32768
    assert random_packed.LARGEST_SUM_IN_NIBBLES + 100 * 4 < 2 * 32768
    assert rowwise.VALUES == 16


@pytest.mark.slow
@pytest.mark.parametrize("offers", ["blank", "any"])
@given(rows=st.one_of(ANY_SIZE, FOUR, FULL), p2=st.sampled_from(PROBABILITIES), seed=st.integers(0, 9))
def test_compiled_draws_equal_the_domains(offers, rows, p2, seed):
    """By the same numbers, of which as many are used; on tiles and on words."""
    domain, board = game(False, p2, offers=offers), sl.Board(rows)
    assume(not domain.why_invalid(board))
    form, drawn = domain.packed(board), sl.Randomness(seed)
    offered = domain.draw(board, drawn)
    wanted = offered[-1].board.tiles.tolist() if offered else None
    words = words_of(sl.Randomness(seed))
    out = np.full((1, board.n, board.n), 77)
    with np.errstate(over="ignore"):
        count = random_packed.draws(board.tiles, out, words, p2, offers)
    assert (out[0].tolist() if count else None) == wanted
    assert continued(words).raw() == sl.Randomness.raw(drawn)
    if form.words.draws:
        words, packing = words_of(sl.Randomness(seed)), Packing.of(form, board)
        out = np.zeros((1, packing.words), np.uint64)
        with np.errstate(over="ignore"):
            count = form.words.draws(packing.pack(board), out, words, p2, offers)
        assert (packing.unpack(out)[0].tiles.tolist() if count else None) == wanted


@given(rows=st.one_of(grids(2, 6, (0, 2, 16384, 32768)), FOUR))
def test_a_form_is_outgrown_before_tiles_exceed_it(rows):
    """As soon as two of the largest tiles there is room for could merge."""
    board = sl.Board(rows)
    form = sl.domain("2048-random").packed(board)
    if form.words.outgrown:
        of_largest = int((board.tiles == 32768).sum())
        assert bool(form.words.outgrown(Packing.of(form, board).pack(board))) == (of_largest > 1)


@given(st.lists(st.sampled_from([0, 0, 2, 4, 8]), min_size=9, max_size=9))
def test_legal_swipes_of_one_board_equal_those_of_many(cells):
    """A single board is looked at row by row, many together in NumPy."""
    tiles = np.array(cells).reshape(1, 3, 3)
    both = random_packed.legal(np.repeat(tiles, 2, axis=0), idle=False)
    assert random_packed.legal(tiles, idle=False).tolist() == both[:1].tolist()


@given(st.lists(st.sampled_from([0, 0, 2, 4, 8, 32768]), min_size=16, max_size=16), st.booleans())
def test_legal_on_words_equals_legal_on_boards(cells, idle):
    """A bit for each action, as the form for boards says."""
    board = sl.Board(np.array(cells).reshape(4, 4))
    form = random_packed.packed_form(sl.Board([[0] * 4] * 4), 0)
    legal = random_packed.legal(board.tiles[None], idle)[0]
    words = Packing.of(form, board).pack(board)
    assert form.words.legal(words, idle) == sum(1 << k for k in range(4) if legal[k])
