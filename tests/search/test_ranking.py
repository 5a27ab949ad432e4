"""Each way in which tiles lie on a board has a number, without gaps."""

from itertools import permutations

import numpy as np
import pytest

import searchlab as sl
from searchlab.search.ranking import Ranking, pattern_rank

RANKINGS = [
    Ranking((2, 3), (1, 2, 3), (1, 1, 1)),
    Ranking((2, 3), (4, 0), (1, 1)),
    Ranking((1, 6), (3, 1, 0), (2, 1, 2)),
    Ranking((2, 2), (1, 2, 3, 0), (1, 1, 1, 1)),
]


@pytest.mark.parametrize("ranking", RANKINGS, ids=str)
def test_ranks_number_the_boards_without_gaps(ranking):
    """Every way has one rank, from 0 on, and the rank gives the way back."""
    boards = np.array([ranking.unranked(rank, others=9) for rank in range(len(ranking))])
    assert len(np.unique(boards, axis=0)) == len(ranking)
    assert ranking.ranks(boards).tolist() == list(range(len(ranking)))


@pytest.mark.parametrize("ranking", RANKINGS, ids=str)
def test_the_function_to_be_compiled_gives_the_same_ranks(ranking):
    """Interpreted here, on all boards."""
    ranks = [
        pattern_rank(ranking.unranked(rank, others=9), ranking.order, ranking.terms) for rank in range(len(ranking))
    ]
    assert ranks == list(range(len(ranking)))


def test_different_tiles_are_ranked_in_the_order_of_their_cells():
    """That is the order of the permutations of cells."""
    ranking = RANKINGS[0]
    cells = [tuple(int(np.flatnonzero(ranking.unranked(rank) == tile)[0]) for tile in (1, 2, 3)) for rank in range(120)]
    assert cells == list(permutations(range(6), 3))


def test_a_board_with_other_tiles_has_no_rank():
    """A tile that is ranked is missing."""
    with pytest.raises(sl.UsageError, match="has 1 of the tile 1"):
        RANKINGS[0].ranks(np.zeros((1, 2, 3), np.int64))
