"""Compiled chances are those on Board objects, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.functions import CannotCompile
from searchlab.search.compiled.chances import CompiledChances
from searchlab.search.state_space import wide_packing

GAMES = ("2048-random", "2048-random:n=3,p2=0.3", "2048-random:p2=1", "2048-random:p2=0", "2048-random:n=5")


@pytest.mark.slow
@pytest.mark.parametrize("spelled", GAMES)
@given(seed=st.integers(0, 1000), tall=st.booleans())
def test_packed_chances_of_2048_equal_the_readable_ones(spelled, seed, tall):
    """In every packed form, with tiles beyond four bits, too."""
    domain = sl.domain(spelled)
    game = sl.play(domain=domain, player="random", seed=seed, most_moves=seed % 50)
    for _, after in domain.successors(game.boards[-1]):
        board = sl.Board(np.where(after.tiles == 2, 2**17, after.tiles)) if tall else after
        expected = [(event.board, event.probability) for event in domain.chance(board)]
        assert CompiledChances.of(domain, board).after(board) == expected


def chances(tiles, out, probabilities, many):
    for k in range(2):
        out[k, 0, 0] = k
        probabilities[k] = 0.5
    return many


def coins(**form):
    def packed(board):
        return sl.PackedForm(values=2, max_successors=1, successors=still, is_goal=never, **form)

    return sl.Domain("coins", lambda board: (), lambda board: False, packed=packed, chance=sl.Chance(lambda board: ()))


def still(tiles, out):
    return 0


def never(tiles):
    return False


def test_a_plain_function_of_tiles_is_enough():
    """Its parameters and tables are filled in as those of successors are."""
    board = sl.Board([[0]])
    domain = sl.domain(coins(chances=chances, most_chances=2, tables={"many": 2}))
    compiled = CompiledChances.of(domain, board)
    assert compiled.after(board) == [(sl.Board([[0]]), 0.5), (sl.Board([[1]]), 0.5)]
    assert wide_packing(board).cells == compiled.packing.cells == 1


@pytest.mark.parametrize("many", [-1, 3])
def test_a_number_of_chances_that_cannot_be_is_an_error(many):
    """Nothing is read beyond the room there is."""
    domain = sl.domain(coins(chances=chances, most_chances=2, tables={"many": many}))
    with pytest.raises(ValueError, match="a number that is below 0 or above most_chances"):
        CompiledChances.of(domain, sl.Board([[0]])).after(sl.Board([[0]]))


def test_a_domain_without_compiled_chances_is_refused():
    """With or without a packed form."""
    plain = sl.Domain("plain", lambda board: (), lambda board: False, chance=sl.Chance(lambda board: ()))
    for domain in (sl.domain(coins()), sl.domain(plain)):
        with pytest.raises(CannotCompile, match="has no packed form with chances"):
            CompiledChances.of(domain, sl.Board([[0]]))


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"chances": still}, r"PackedForm: chances is a function \(tiles, out, probabilities\), not still"),
        ({"chances": chances}, "PackedForm: most_chances is a whole number from 1 to 4294967296, not 0"),
        ({"words": still}, r"PackedForm: words is a Words\(…\), not <function still"),
        ({"most_chances": 3}, "most_chances needs a function chances, on tiles or on words"),
    ],
)
def test_an_invalid_form_with_chances_is_refused(form, said):
    with pytest.raises((ValueError, TypeError), match=said):
        sl.PackedForm(values=2, max_successors=1, successors=still, is_goal=never, **form)


def test_an_invalid_function_on_words_is_refused():
    with pytest.raises(TypeError, match=r"Words: chances is a function \(words, out, probabilities\), not still"):
        sl.Words(chances=still)
