"""Beams whose layers have more successors than are entered together."""

import pytest

import searchlab as sl
from searchlab.search.kernels.beam import ARRIVALS

OF_THE_MACHINE = ("seconds", "cpu_seconds", "peak_bytes", "engine", "versions")


@pytest.mark.parametrize("closed", ["yes", "no"])
@pytest.mark.parametrize("cost", ["unit", "heavy"])
@pytest.mark.parametrize("expansions", [1500, 1501, None])
def test_both_engines_agree_where_successors_wait_to_be_entered(cost, closed, expansions):
    """Limits end the search within a layer; with `heavy` a state is often reached by a cheaper path later."""
    board = sl.read_board("sliding-tile/puzzle15-20")
    compiled, readable = (
        sl.solve(
            board,
            domain=f"sliding-tile:cost={cost}",
            heuristic="misplaced",
            frontier=f"beam:width=150,closed={closed}",
            limits=sl.Limits(expansions=expansions),
            engine=engine,
        )
        for engine in ("compiled", "readable")
    )
    assert {name: getattr(compiled, name) for name in compiled.__dataclass_fields__ if name not in OF_THE_MACHINE} == {
        name: getattr(readable, name) for name in readable.__dataclass_fields__ if name not in OF_THE_MACHINE
    }
    assert compiled.max_open > 3 * ARRIVALS
