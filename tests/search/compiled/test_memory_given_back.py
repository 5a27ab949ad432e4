"""A search that is over gives its memory back at once: the next one may need it."""

import gc
import weakref

import pytest

import searchlab as sl
from searchlab.search.compiled.beam import BeamSearch
from searchlab.search.compiled.best_first import BatchedSearch, BestFirstSearch
from searchlab.search.compiled.buckets import EarlyBucketSearch, LateBucketSearch
from searchlab.search.compiled.deepening import DeepeningSearch

SEARCHES = BestFirstSearch, LateBucketSearch, EarlyBucketSearch, BeamSearch, BatchedSearch, DeepeningSearch


@pytest.fixture
def made(monkeypatch):
    """The searches that were made, weakly held, where nobody looks for cycles."""
    made = []

    def noting(search_type, prepare):
        def prepared(self, *args, **kwargs):
            prepare(self, *args, **kwargs)
            made.append(weakref.ref(self))

        monkeypatch.setattr(search_type, "__init__", prepared)

    for search_type in SEARCHES:
        noting(search_type, search_type.__init__)
    gc.disable()
    yield made
    gc.enable()


@pytest.mark.parametrize("batch", [None, 7])
@pytest.mark.parametrize(
    "frontier",
    ["astar", "astar:duplicates=early", "weighted-astar:weight=1.3", "greedy", "beam:width=50", "iterative-deepening"],
)
def test_memory_is_released_with_the_search(made, frontier, batch):
    """Nothing in a cycle, which the collector would find at some later time."""
    board = sl.read_board("sliding-tile/puzzle8-20")
    limits = sl.Limits(expansions=2000)
    sl.solve(board, domain="sliding-tile", heuristic="taxicab", frontier=frontier, batch=batch, limits=limits)
    assert made
    assert not [search for search in made if search() is not None]
