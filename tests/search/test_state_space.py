"""State spaces as arrays: all states, all moves, and the cost of solving each."""

from math import inf

import numpy as np
import pytest

import searchlab as sl
from searchlab.compiler.functions import CannotCompile
from searchlab.model.limits import Limits
from searchlab.search import state_space
from searchlab.search.state_space import CompiledEstimate, enumerated_space, wide_packing
from searchlab.testing.samples import Sample, readable_space
from searchlab.testing.toys import GRIDS, bound_grid

BY_DEPTH = [
    *(1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878),
    *(16993, 17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2),
]
SOLVED = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])


@pytest.fixture(scope="module")
def eight_puzzle():
    return enumerated_space(SOLVED, sl.domain("sliding-tile"), Limits())


def test_the_8_puzzle(eight_puzzle):
    """As many boards at each cost as are known, from 0 to 31."""
    assert len(eight_puzzle) == 181_440
    assert np.bincount(eight_puzzle.costs.astype(int)).tolist() == BY_DEPTH
    assert eight_puzzle.complete
    assert eight_puzzle.board(0) == SOLVED


def test_the_latest_state_spaces_are_kept(monkeypatch):
    """The same rules and the same start are the same space, within limits that allow it; nobody can write to it."""
    domain = sl.domain("sliding-tile")
    kept = enumerated_space(SOLVED, domain, Limits())
    assert enumerated_space(SOLVED, sl.domain("sliding-tile"), Limits()) is kept
    assert enumerated_space(SOLVED, domain, Limits(expansions=181_440)) is kept
    assert enumerated_space(SOLVED, domain, Limits(expansions=181_439)) is None
    with pytest.raises(ValueError, match="read-only"):
        kept.costs[0] = 1
    for goal in (16, 32):
        board = sl.domain("2048:n=2", goal=goal).start()
        spaces = [enumerated_space(board, sl.domain("2048:n=2", goal=goal), Limits()) for _ in range(2)]
        assert spaces[0] is spaces[1]
        assert np.isfinite(spaces[0].costs).any() == (goal == 16)
    monkeypatch.setattr(state_space, "MOST_KEPT", 0)
    assert enumerated_space(SOLVED, domain, Limits()) is kept
    assert enumerated_space(SOLVED, domain, Limits()) is not kept


def test_a_space_with_large_arrays_is_not_kept():
    """They may be changed in place, which is no part of the machine code."""
    targets = np.roll(np.arange(1 << 16), -1) % 8

    def step(tiles, out, targets):
        out[0, 0, 0] = targets[tiles[0, 0]]
        return 1

    def successors(board):
        yield "on", sl.Board([[int(targets[board.tile_at(0, 0)])]])

    def packed(board):
        tables = {"targets": targets}
        return sl.PackedForm(values=8, max_successors=1, successors=step, is_goal=lambda tiles: False, tables=tables)

    domain = sl.domain(sl.Domain("jumps", successors, lambda board: False, packed=packed))
    assert len(enumerated_space(sl.Board([[0]]), domain, Limits())) == 8
    targets[3] = 0
    assert len(enumerated_space(sl.Board([[0]]), domain, Limits())) == 4


CIRCLE = np.roll(np.arange(1 << 16), -1) % 8


def test_a_space_with_large_global_arrays_is_not_kept():
    """They are read by their address, too."""

    def step(tiles, out):
        out[0, 0, 0] = CIRCLE[tiles[0, 0]]
        return 1

    packed = sl.PackedForm(values=8, max_successors=1, successors=step, is_goal=lambda tiles: False)
    domain = sl.domain(sl.Domain("circle", packed=lambda board: packed))
    assert len(enumerated_space(sl.Board([[0]]), domain, Limits())) == 8
    CIRCLE[3] = 0
    assert len(enumerated_space(sl.Board([[0]]), domain, Limits())) == 4


def test_the_state_space_does_not_depend_on_the_start():
    """From the farthest board the costs are the same: waves go out from the goal."""
    far = sl.Board([[8, 6, 7], [2, 5, 4], [3, 0, 1]])
    space = enumerated_space(far, sl.domain("sliding-tile"), Limits())
    assert np.bincount(space.costs.astype(int)).tolist() == BY_DEPTH
    assert space.costs[0] == 31


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["right-column", "corner"])
@pytest.mark.parametrize("goal", [8, 16, 32])
def test_compiled_and_readable_spaces_are_the_same(rule, goal):
    """States, moves, goals and costs of 2048 on 2 × 2 and 3 × 3, boards with which the game is over included."""
    for n in (2, 3) if goal == 8 else (2,):
        domain = sl.domain("2048", goal=goal, spawn=rule, n=n)
        sample = Sample(domain, domain.start(), sl.Plugins())
        assert described(readable_space(sample, 10_000, lambda: True)) == described(
            enumerated_space(sample.board, domain, Limits())
        )


def test_moves_of_different_costs():
    """A cheapest way need not be the shortest; where there is no goal every cost is infinite."""
    domain = bound_grid(GRIDS[1], side=5, goal=23)
    sample = Sample(domain, sl.Board([[0, 0]]), sl.Plugins())
    compiled = enumerated_space(sample.board, domain, Limits())
    assert described(compiled) == described(readable_space(sample, 10_000, lambda: True))
    frontier = sl.solve(sample.board, domain=domain, frontier="uniform-cost")
    assert compiled.costs[0] == frontier.cost
    nowhere = enumerated_space(sample.board, bound_grid(GRIDS[1], side=5), Limits())
    assert set(nowhere.costs.tolist()) == {inf}


def described(space):
    """A space as a dictionary by board."""
    boards = space.boards(np.arange(len(space)))
    return {
        board: (
            bool(space.goals[at]),
            float(space.costs[at]),
            sorted(
                (repr(boards[to]), float(cost))
                for to, cost in zip(space.successors[at], space.edge_costs[at], strict=True)
                if to >= 0
            ),
        )
        for at, board in enumerate(boards)
    }


def test_a_state_space_beyond_the_limits_is_none():
    assert enumerated_space(SOLVED, sl.domain("sliding-tile"), Limits(expansions=1000)) is None
    domain = bound_grid(GRIDS[0], side=5)
    assert readable_space(Sample(domain, sl.Board([[0, 0]]), sl.Plugins()), 24, lambda: True) is None


def test_a_heuristic_on_every_state(eight_puzzle):
    """Its values are those of the interpreter, in the order of the states."""
    heuristic = sl.heuristic("taxicab")
    estimate = CompiledEstimate(
        heuristic.component.function, heuristic.arguments(SOLVED, heuristic.component.function), eight_puzzle.packing
    )
    values = estimate.values(eight_puzzle.states)
    assert (values <= eight_puzzle.costs).all()
    for at in range(0, len(eight_puzzle), 5000):
        assert values[at] == heuristic(eight_puzzle.board(at))
    assert estimate.done == len(eight_puzzle)


def test_evaluation_can_be_stopped(eight_puzzle):
    """States that were not evaluated are NaN."""
    estimate = CompiledEstimate(lambda tiles: 1.0, {}, eight_puzzle.packing)
    values = estimate.values(eight_puzzle.states, lambda: False)
    assert 0 < estimate.done < len(values)
    assert np.isnan(values).sum() == len(values) - estimate.done


def test_exceptions_of_a_function_are_raised(eight_puzzle):
    """The state it was raised at is known."""

    def refuses(tiles):
        if tiles[0, 0] == 0:
            raise ValueError("no")
        return 0.0

    estimate = CompiledEstimate(refuses, {}, eight_puzzle.packing)
    with pytest.raises(ValueError, match="no"):
        estimate.values(eight_puzzle.states)
    assert eight_puzzle.board(estimate.current).tile_at(0, 0) == 0


def test_wide_packing_holds_any_tiles():
    """With a word for each cell."""
    board = sl.Board([[2**62, 3, 0]])
    packing = wide_packing(board)
    assert packing.unpack(packing.pack(board).reshape(1, -1)) == [board]
    values = CompiledEstimate(lambda tiles: tiles[0, 1], {}, packing).values(packing.pack(board).reshape(1, -1))
    assert values.tolist() == [3]


def test_a_domain_without_packed_form():
    """It has none of these."""
    bare = sl.Domain("bare", lambda board: [], lambda board: True)
    with pytest.raises(CannotCompile, match="no packed form"):
        enumerated_space(SOLVED, sl.domain(bare), Limits())
