"""Rules that are written once, for the packed form, are the rules on boards, too."""

from dataclasses import replace

import numpy as np
import pytest

import searchlab as sl
from tests.changed_domain import changed

START = sl.Board([[0, 0]])


def steps(tiles, out, costs, terminal, points, far):
    """A token in the first cell goes one step on for 1, or `far` for half of that; the second cell counts moves."""
    count = 0
    for step in (1, far):
        if tiles[0, 0] + step <= 6:
            out[count, 0, 0] = tiles[0, 0] + step
            out[count, 0, 1] = tiles[0, 1] + 1
            if step == far:
                costs[count] = far / 2
            terminal[count] = tiles[0, 0] + step == 5
            if points is not None:
                points[count] = 10 * step
            count += 1
    return count


def arrived(tiles, last):
    return tiles[0, 0] == last


def winds(tiles, out, probabilities):
    out[0] = tiles
    probabilities[0] = 0.25
    out[1] = tiles
    out[1, 0, 1] = 0
    probabilities[1] = 0.75
    return 2


def drawn_wind(tiles, out, random):
    out[0] = tiles
    if sl.next_raw(random) >> 62:
        out[0, 0, 1] = 0
    return 1


FORM = sl.PackedForm(8, 2, steps, arrived, tables={"last": 6})
TOKEN = sl.Domain(
    "token",
    packed=lambda board: FORM,
    action=lambda board, after, k, far: f"by-{after.tile_at(0, 0) - board.tile_at(0, 0)}-of-{far}",
    parameters=(sl.Parameter("far", 3),),
    unit_cost=False,
    chance=sl.Chance(points="packed"),
)
RIVER = replace(
    TOKEN,
    packed=lambda board: replace(FORM, chances=winds, most_chances=2, draws=drawn_wind),
)


def token(**fields):
    return sl.domain(replace(TOKEN, **fields))


def form(**fields):
    return token(packed=lambda board: replace(FORM, **fields))


def test_successors_have_names_costs_and_ends_of_the_packed_form():
    edges = list(token().edges(sl.Board([[2, 1]])))
    assert edges == [
        ("by-1-of-3", sl.Board([[3, 2]]), 1, False),
        ("by-3-of-3", sl.Board([[5, 2]]), 1.5, True),
    ]
    assert [type(edge.cost) for edge in edges] == [int, float]


def test_without_names_moves_are_numbered():
    assert [action for action, _ in token(action=None).successors(START)] == ["move-1", "move-2"]


def test_goals_and_points_come_from_the_packed_form():
    domain = token()
    assert [domain.is_goal(sl.Board([[cell, 0]])) for cell in (5, 6)] == [False, True]
    assert domain.points(START, sl.Board([[3, 1]])) == 30
    with pytest.raises(sl.PluginError, match="token: points is undefined for a board to which no move leads"):
        domain.points(START, START)


def test_rules_on_boards_override_those_of_the_packed_form():
    domain = token(is_goal=lambda board: board == START)
    assert domain.is_goal(START)
    assert len(domain.successors(START)) == 2


def test_each_shape_has_its_own_packed_form():
    domain = token(packed=lambda board: replace(FORM, tables={"last": board.shape[1]}))
    assert domain.is_goal(sl.Board([[2, 0]]))
    assert domain.is_goal(sl.Board([[3, 0, 0]]))


def test_chance_and_draws_come_from_the_packed_form():
    river, board = sl.domain(RIVER), sl.Board([[1, 3]])
    assert river.is_of_chance
    assert river.chance(board) == (
        ("event-1", board, 0.25),
        ("event-2", sl.Board([[1, 0]]), 0.75),
    )
    random, copy = sl.Randomness(4), sl.Randomness(4)
    drawn = [river.draw(board, random)[0].text for _ in range(20)]
    assert drawn == [f"event-{1 + int(copy.raw() >> 62 > 0)}" for _ in range(20)]


EIGHT_PUZZLE = [[1, 2, 3], [4, 0, 5], [6, 7, 8]]
SMALL, USUAL = [[2, 0, 4], [0, 0, 0], [0, 2, 0]], [[2, 0, 0, 4], [0, 0, 0, 0], [0, 2, 0, 0], [2, 2, 0, 0]]


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("sliding-tile", EIGHT_PUZZLE),
        ("2048", USUAL),
        ("2048:n=3,goal=64,spawn=corner", SMALL),
        ("2048-random", USUAL),
        ("2048-random:n=3", SMALL),
    ],
)
def test_the_games_that_ship_have_the_same_rules_interpreted(name, rows):
    """Successors, goals, points, events and draws are compared along a game."""
    defined, board = sl.domain(name), sl.Board(rows)
    fields = {"events": None, "draw": None, "apply": None, "points": "packed"} if defined.is_of_chance else {}
    once = changed(defined.component, successors=None, is_goal=None, **fields)
    interpreted = sl.domain(once, **defined.values)
    random, other = sl.Randomness(1), sl.Randomness(1)
    for turn in range(12):
        edges = [(edge.board, edge.cost, edge.terminal) for edge in defined.edges(board)]
        assert edges == [(edge.board, edge.cost, edge.terminal) for edge in interpreted.edges(board)]
        assert interpreted.is_goal(board) == defined.is_goal(board)
        before, board = board, edges[turn % len(edges)][0]
        if fields:
            assert interpreted.points(before, board) == defined.points(before, board)
            events = [(event.board, event.probability) for event in defined.chance(board)]
            assert events == [(event.board, event.probability) for event in interpreted.chance(board)]
            drawn, again = defined.draw(board, random)[-1].board, interpreted.draw(board, other)[-1].board
            assert drawn == again
            assert random.state == other.state
            board = drawn


def back(tiles, out, costs, far):
    count = 0
    for step in (1, far):
        if step <= tiles[0, 0] and tiles[0, 1] > 0:
            out[count] = tiles
            out[count, 0] -= (step, 1)
            costs[count] = 1 if step == 1 else far / 2
            count += 1
    return count


def test_predecessors_come_from_inverse():
    domain = token(inverse=back, goals=lambda board: [sl.Board([[6, 2]])])
    (goal,) = domain.goals(START)
    assert domain.predecessors(goal) == [(sl.Board([[5, 1]]), 1), (sl.Board([[3, 1]]), 1.5)]
    assert domain.inverse_form(START).successors is back


def test_reversible_moves_are_their_own_inverse():
    domain = sl.domain("sliding-tile")
    board = sl.Board([[1, 2], [3, 0]])
    assert [before for before, _ in domain.predecessors(board)] == domain.neighbors(board)
    assert domain.goals(board) == (board,)
    assert domain.inverse_form(board).successors is domain.packed(board).successors


def test_a_heuristic_estimates_the_distance_between_two_boards():
    taxicab, domain = sl.heuristic("taxicab"), sl.domain("sliding-tile")
    board, other = sl.Board([[1, 2], [3, 0]]), sl.Board([[2, 1], [0, 3]])
    assert taxicab.between(board, other) == taxicab.between(other, board) == 3
    assert taxicab.between(other, *domain.goals(board)) == taxicab(other)
    with pytest.raises(sl.UsageError, match="expected two boards of the same shape, not of 2 × 2 and 1 × 2"):
        taxicab.between(board, START)
    with pytest.raises(sl.UsageError, match="heuristic pattern-database has no estimate from one board to another"):
        sl.heuristic("pattern-database").between(board, other)
    with pytest.raises(ValueError, match="between needs prefer='low'"):
        sl.Heuristic("h", len, prefer="high", between=lambda tiles, other: 0)


def test_listed_goals_replace_the_goal_test():
    """Of a packed form that has none, and of rules on boards; functions may ask for them as an array."""
    far, near = sl.Board([[6, 2]]), sl.Board([[5, 1]])
    domain = token(packed=lambda board: replace(FORM, is_goal=None), goals=lambda board: [far, near])
    assert [domain.is_goal(board) for board in (far, near, START)] == [True, True, False]
    assert domain.names(START)["listed_goals"].tolist() == [[[6, 2]], [[5, 1]]]
    on_boards = sl.domain(sl.Domain("d", lambda board: [], goals=lambda board: [near]))
    assert [on_boards.is_goal(board) for board in (far, near)] == [False, True]
    with pytest.raises(sl.PluginError, match=r"token: packed returned a form without is_goal\(tiles\), and the domain"):
        form(is_goal=None).is_goal(START)
    of_other_shape = token(packed=lambda board: replace(FORM, is_goal=None), goals=lambda board: [sl.Board([[1]])])
    with pytest.raises(
        sl.PluginError, match="goals yields boards of another shape than the one it is given: 1 × 2 and"
    ):
        of_other_shape.is_goal(START)


def test_an_estimate_between_two_boards_is_the_value_to_the_nearest_goal():
    """Where a heuristic has nothing else; `towards` puts a board in the place of the goals."""

    def apart(tiles, other, far, weight=1):
        return weight * abs(tiles[0, 0] - other[0, 0]) / far

    domain = token(goals=lambda board: [sl.Board([[6, 2]]), sl.Board([[3, 1]])])
    h = sl.heuristic(sl.Heuristic("apart", between=apart), domain=domain, weight=6)
    assert [h(board) for board in (START, sl.Board([[5, 1]]))] == [6, 2]
    twice = replace(h.component, between=lambda tiles, other, far: 2.0)
    assert sl.heuristic(twice, domain=domain)(START) == 2
    assert h.between(START, sl.Board([[1, 0]])) == h.towards(sl.Board([[1, 0]]))(START) == 2
    with pytest.raises(sl.UsageError, match="heuristic pattern-database has no estimate from one board to another"):
        sl.heuristic("pattern-database").towards(START)


def test_missing_inverse_or_goals_are_an_error_of_one_line():
    with pytest.raises(sl.UsageError, match=r"token does not list predecessors \(Domain.inverse\)"):
        token().predecessors(START)
    with pytest.raises(sl.UsageError, match=r"token does not list its goals \(Domain.goals\)"):
        token().goals(START)
    with pytest.raises(sl.PluginError, match="token: goals yields boards, not 3"):
        token(goals=lambda board: [3]).goals(START)


@pytest.mark.parametrize(
    ("successors", "said"),
    [
        (lambda tiles, out: 3, "max_successors=2 of its packed form is too small: this board has 3 successors"),
        (lambda tiles, out: -1, "successors returned -1 as the number of boards it wrote, not 0 to 2"),
        (lambda tiles, out: "all", "successors returned 'all', not the number of boards it wrote"),
        (lambda tiles, out: None, "successors returned None, not the number of boards it wrote"),
        (lambda tiles, out: 1, "successors wrote nothing to out[0, 0, 0]"),
        (lambda tiles, out: tiles[7], "successors failed: IndexError"),
        (lambda tiles, out: tiles.fill(0), "successors failed: ValueError: assignment destination is read-only"),
    ],
)
def test_invalid_rules_are_an_error_of_one_line(successors, said):
    with pytest.raises(sl.PluginError) as error:
        list(form(successors=successors).edges(START))
    assert f"token: {said}" in str(error.value)
    assert "\n" not in str(error.value)


def test_an_invalid_cost_is_refused():
    def free(tiles, out, costs):
        out[0] = tiles
        costs[0] = float("nan")
        return 1

    said = (
        "its packed form's successors failed: ValueError: the move move-1 costs nan, and a cost is a number from 0 to"
    )
    with pytest.raises(sl.PluginError, match=said):
        list(sl.domain(replace(TOKEN, action=None, packed=lambda board: replace(FORM, successors=free))).edges(START))


def test_a_shape_without_rules_is_an_error():
    said = "token has no successors, and no packed form for boards of 1 × 2"
    with pytest.raises(sl.PluginError, match=said):
        token(packed=lambda board: None).successors(START)


def test_a_packed_form_with_functions_on_words_only_has_no_rules_on_boards():
    """The error names the missing function."""
    packed = sl.PackedForm(4, 1, words=sl.Words(lambda words, out: 0, lambda words: words[0] == np.uint64(3)))
    domain = sl.domain(sl.Domain("words", packed=lambda board: packed))
    with pytest.raises(
        sl.PluginError, match=r"words: it needs successors\(board\): its packed form has successors only on words"
    ):
        domain.successors(START)
    with pytest.raises(
        sl.PluginError, match=r"words: it needs is_goal\(board\): its packed form has is_goal only on words"
    ):
        domain.is_goal(START)
    result = sl.solve(sl.Board([[0]]), domain=domain, frontier="breadth-first", engine="readable")
    assert "it needs is_goal(board)" in result.reason


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"packed": None, "chance": None}, "'token': successors is None, not a function (board)"),
        (
            {"packed": None, "successors": print, "is_goal": print},
            "'token': chance.points needs a packed form",
        ),
        ({"inverse": "both"}, "'token': inverse is one of '', same, not 'both'"),
        ({"inverse": lambda tiles: 0}, "'token': inverse is a function (tiles, out), not <lambda>(tiles)"),
        ({"action": "up"}, "'token': action is 'up', not a function (board, after, k)"),
    ],
)
def test_an_invalid_declaration_is_refused(fields, said):
    with pytest.raises((TypeError, ValueError)) as error:
        token(**fields)
    assert said in str(error.value)


def test_a_move_name_that_is_no_text_is_an_error_with_the_field():
    with pytest.raises(sl.PluginError, match=r"^token: action returned 7, not a text$"):
        token(action=lambda board, after, k: 7).successors(START)
