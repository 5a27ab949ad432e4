"""The pancake puzzle: rules, heuristics, and known results for small stacks."""

from itertools import permutations

import pytest

import searchlab as sl

PANCAKE_NUMBERS = (0, 1, 3, 4, 5, 7, 8, 9, 10)
"""The flips that the worst stack of 1 to 9 pancakes needs (Gates and Papadimitriou 1979; OEIS A058986)."""


def flipped(stack):
    """What each flip makes of a stack, with the sizes that it lifts."""
    return [((*reversed(stack[:count]), *stack[count:]), sum(stack[:count])) for count in range(2, len(stack) + 1)]


def distances(n, *, heavy):
    """The cheapest cost from every stack, by going over all flips until nothing gets cheaper."""
    costs = {tuple(range(1, n + 1)): 0}
    changed = list(costs)
    while changed:
        stack = changed.pop(0)
        for after, lifted in flipped(stack):
            cost = costs[stack] + (lifted if heavy else 1)
            if cost < costs.get(after, 10**6):
                costs[after] = cost
                changed.append(after)
    return costs


@pytest.mark.slow
@pytest.mark.parametrize("n", range(1, 10))
def test_pancake_numbers(n):
    """The layers of the enumeration from the sorted stack, whose moves are those backwards, too."""
    engine = "readable" if n < 7 else "compiled"  # each number of pancakes is compiled anew
    layers = sl.state_space(sl.Board([range(1, n + 1)]), domain="pancake", engine=engine)
    assert layers[-1].depth == PANCAKE_NUMBERS[n - 1]


@pytest.mark.parametrize("cost", ["unit", "heavy"])
def test_heuristics_keep_their_declarations_on_every_stack_of_six(cost):
    """They are below the true cost, and drop by no more than a flip costs; the one that looks ahead is never below."""
    exact = distances(6, heavy=cost == "heavy")
    domain = sl.domain("pancake", cost=cost)
    gap, ahead = (sl.heuristic(name, domain=domain) for name in ("gap", "lookahead-gap"))
    values = {stack: (gap(sl.Board([stack])), ahead(sl.Board([stack]))) for stack in exact}
    assert len(values) == 720
    for stack, (h, further) in values.items():
        assert h <= further <= exact[stack]
        assert domain.lower_bound(sl.Board([stack])) == h
        for after, lifted in flipped(stack):
            price = lifted if cost == "heavy" else 1
            assert h <= values[after][0] + price
            assert further <= values[after][1] + price


def test_values_of_gap_are_those_computed_by_hand():
    """Of 2 5 3 4 1 the pairs 2-5, 5-3 and 4-1 do not belong together, nor 1 and the plate."""
    board = sl.Board([[2, 5, 3, 4, 1]])
    assert sl.heuristic("gap", domain="pancake")(board) == 4
    assert sl.heuristic("gap", domain="pancake:cost=heavy")(board) == 2 + 3 + 1 + 1


def test_gaps_between_two_stacks_follow_the_names_of_the_pancakes():
    """Renaming both stacks so that the other one is sorted makes them the usual gaps."""
    h = sl.heuristic("gap", domain="pancake")
    other = (3, 1, 4, 2, 5)
    place = {size: rank for rank, size in enumerate(other, 1)}
    for stack in permutations(range(1, 6)):
        renamed = sl.Board([[place[size] for size in stack]])
        assert h.between(sl.Board([stack]), sl.Board([other])) == h(renamed)


@pytest.mark.slow
@pytest.mark.parametrize("cost", ["unit", "heavy"])
@pytest.mark.parametrize("heuristic", ["gap", "lookahead-gap"])
def test_solutions_are_optimal(cost, heuristic):
    """The costs of the moves add up to the cost, which is proved to be the least."""
    exact = distances(6, heavy=cost == "heavy")
    domain = sl.domain("pancake", cost=cost)
    for stack in list(exact)[::60]:
        result = sl.solve(sl.Board([stack]), domain=domain, heuristic=heuristic)
        assert (result.cost, result.optimal) == (exact[stack], True)
        stacks = [board.tiles[0].tolist() for board in result.boards]
        lifted = [sum(one[: int(action[5:])]) for one, action in zip(stacks, result.actions, strict=False)]
        assert result.cost == (sum(lifted) if cost == "heavy" else len(lifted))


@pytest.mark.slow
def test_breadth_first_is_not_optimal_if_flips_differ_in_cost():
    domains = [sl.domain("pancake", cost=cost) for cost in ("unit", "heavy")]
    assert [domain.unit_cost for domain in domains] == [True, False]
    board = sl.Board([[2, 5, 3, 4, 1]])
    found = [sl.solve(board, domain=domain, frontier="breadth-first") for domain in domains]
    assert [result.optimal for result in found] == [True, False]


@pytest.mark.parametrize(
    ("rows", "said"), [([[1, 2, 2]], "each of 1 … 3 once"), ([[1], [2]], "one row"), ([[*range(1, 66)]], "up to 64")]
)
def test_invalid_boards_are_refused(rows, said):
    """The message says why."""
    assert said in sl.domain("pancake").why_invalid(sl.Board(rows))
