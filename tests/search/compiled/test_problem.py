"""What the compiled searches of a searcher share, and what each has of its own."""

import pytest

import searchlab as sl
from searchlab.compiler.arrays import SpareArrays
from searchlab.search.compiled.problem import CompiledProblem
from searchlab.search.solve import problem


def test_each_search_of_a_searcher_has_the_packed_start_of_its_own_board():
    first, second = (sl.generator("shuffled:n=3")(seed) for seed in (1, 2))
    of_first = problem(first, domain="sliding-tile", heuristic="taxicab", frontier="astar")
    compiled = CompiledProblem.of(of_first, SpareArrays())
    assert compiled.start.tolist() == compiled.packing.pack(first).tolist()
    again = compiled.for_board_of(of_first.from_board(second))
    assert again.start.tolist() == compiled.packing.pack(second).tolist() != compiled.start.tolist()


def test_packed_start_cannot_be_written_to():
    of_board = problem("sliding-tile/puzzle8-20", frontier="astar")
    start = CompiledProblem.of(of_board, SpareArrays()).start
    with pytest.raises(ValueError, match="read-only"):
        start[0] = 0
