"""TopSpin: the rules, the table, and known results for small rings."""

from math import factorial

import numpy as np
import pytest

import searchlab as sl
from searchlab_plugins.topspin.picture import picture


def seen_from_1(ring):
    """A ring, turned so that token 1 comes first."""
    one = ring.index(1)
    return (*ring[one:], *ring[:one])


def after(ring, k):
    """What each reversal makes of a ring: turn it, reverse the first k, and look at it from token 1 again."""
    turned = [ring[first:] + ring[:first] for first in range(len(ring))]
    return [seen_from_1((*reversed(one[:k]), *one[k:])) for one in turned]


def distances(n, k):
    """The moves that every ring that can be sorted needs, by breadth-first search."""
    wave = [tuple(range(1, n + 1))]
    found = {wave[0]: 0}
    while wave:
        reached = [(new, found[ring] + 1) for ring in wave for new in after(ring, k)]
        wave = []
        for new, moves in reached:
            if new not in found:
                found[new] = moves
                wave.append(new)
    return found


@pytest.mark.parametrize(("n", "k"), [(7, 4), (6, 4), (6, 2), (5, 3)])
def test_tables_and_moves_equal_those_of_an_independent_search(n, k):
    """A table about all tokens has the exact distances; half of the rings of seven cannot be sorted."""
    exact = distances(n, k)
    assert len(exact) == factorial(n - 1) // (2 if n % 2 and k == 4 else 1)
    domain = sl.domain("topspin", k=k)
    full, part, breaks = (
        sl.heuristic(name, domain=domain) for name in ("token-database:tokens=9", "token-database:tokens=3", "breaks")
    )
    values = {ring: [h(sl.Board([ring])) for h in (full, part, breaks)] for ring in exact}
    for ring, moves in exact.items():
        assert values[ring][0] == moves >= max(values[ring])
        assert domain.lower_bound(sl.Board([ring])) == values[ring][2]
    for ring in list(exact)[::7]:
        board = sl.Board([ring])
        new = [tuple(other.tiles[0].tolist()) for other in domain.neighbors(board)]
        assert new == after(ring, k)
        assert all(abs(a - b) <= 1 for other in new for a, b in zip(values[ring], values[other], strict=True))
        assert not domain.why_unsolvable(board)


def test_solutions_are_optimal_with_each_heuristic():
    """In compiled code; the layers of the enumeration are those of the independent search."""
    exact = distances(8, 4)
    assert len(exact) == factorial(7)
    domain = sl.domain("topspin", n=8)
    layers = sl.state_space(sl.Board([range(1, 9)]), domain=domain)
    assert [layer.states for layer in layers] == np.bincount(list(exact.values())).tolist()
    for seed in range(1, 4):
        board = sl.generator("turned", domain=domain)(seed)
        for name in ("token-database", "breaks"):
            result = sl.solve(board, domain=domain, heuristic=name)
            assert (result.moves, result.optimal) == (exact[tuple(board.tiles[0].tolist())], True)


def test_an_unsortable_ring_is_not_searched():
    """Two tokens of seven that have changed places."""
    result = sl.solve(sl.Board([[1, 3, 2, 4, 5, 6, 7]]), domain="topspin")
    assert result.status == "unsolvable"
    assert "a reversal of 4 of 7 tokens" in result.reason


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ([1, 2], "3 to 64 tokens"),
        ([1, 2, 2], "1 … 3 once"),
        ([2, 1, 3], "from token 1 on"),
        ([1, 2, 3, 4], "shorter than the ring"),
    ],
)
def test_invalid_boards_are_refused_with_a_reason(tokens, said):
    assert said in sl.domain("topspin").why_invalid(sl.Board([tokens]))


@pytest.mark.parametrize("n", [5, 6, 7, 20])
def test_all_tokens_are_drawn(n):
    """In two lines of the same width."""
    lines = picture(sl.Board([range(1, n + 1)]), 4).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert sorted(map(int, "".join(lines).translate(str.maketrans("╭╮╰╯[]", "      ")).split())) == [*range(1, n + 1)]
