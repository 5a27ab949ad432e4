"""The contract of domains finds rules that are none, and compiled rules that are others."""

from dataclasses import replace

import pytest

import searchlab as sl
from searchlab.model.packed import PackedForm
from searchlab.testing import check
from searchlab.testing.toys import DIRECTIONS, GRIDS, cost_of, packed_successors, steps

GRID, UNEVEN = GRIDS
GRID_MOVE = ("row", "column")
SIDE = 4
MOMENT = 0.02
"""Seconds in which all boards of a small grid are looked at."""


def report(domain, seconds=0.5, **options):
    (found,) = check(domain, seconds=seconds, **options)
    return found


def failing(domain, **options):
    return [asked.name for asked, finding in report(domain, **options).findings if finding.status == "failed"]


@pytest.mark.slow
@pytest.mark.parametrize("domain", GRIDS, ids=lambda domain: domain.name)
def test_good_domains_pass(domain):
    """Whether their moves cost the same or not."""
    found = report(domain)
    assert found.passed
    assert found.finding("same-compiled").status == found.finding("packing").status == "passed"
    assert "2 of the boards are goals" in found.finding("goal-test").message  # with goal=0 and goal=-2 beside -1


@pytest.mark.slow
def test_successors_that_vary_fail():
    """Another order the second time is found, on the board it happens on."""
    calls = []

    def shuffled(board, side, uneven):
        calls.append(1)
        found = list(GRID.successors(board, side, uneven))
        return reversed(found) if len(calls) % 2 else found

    found = report(replace(GRID, successors=shuffled)).finding("successors")
    assert found.status == "failed"
    assert found.boards


@pytest.mark.slow
def test_moves_to_invalid_boards_fail():
    """A successor the domain itself calls invalid is shown with the board before it."""
    domain = replace(GRID, why_invalid=lambda board: "too far" if board.largest_tile() == 3 else "")
    found = report(domain).finding("successors")
    assert "leads to an illegal board: too far" in found.message
    assert found.boards[1][1].largest_tile() == 3


def test_two_moves_with_the_same_name_fail():
    """They could not be distinguished in a replay."""

    def named_alike(board, side, uneven):
        return (("go", *rest) for _, *rest in GRID.successors(board, side, uneven))

    assert "both called go" in report(replace(GRID, successors=named_alike)).finding("actions-replay").message


def test_move_names_that_vary_fail():
    """A game cannot be played again by them; the board on which it goes wrong is shown."""
    calls = []

    def renamed(board, side, uneven):
        calls.append(1)
        found = list(GRID.successors(board, side, uneven))
        if len(calls) % 2:
            return found
        return [(other[0], *edge[1:]) for edge, other in zip(found, reversed(found), strict=True)]

    found = report(replace(GRID, successors=renamed)).finding("actions-replay")
    assert found.status == "failed"
    assert "does not lead where it led" in found.message
    assert found.boards


def test_goal_tests_that_vary_fail():
    """A goal test that keeps count says so of the same board."""
    calls = []

    def now_and_then(board):
        calls.append(1)
        return len(calls) % 3 == 0

    found = report(replace(GRID, is_goal=now_and_then, packed=None)).finding("goal-test")
    assert "a goal and that it is none" in found.message
    assert found.boards


@pytest.mark.slow
def test_a_packing_for_other_values_fails():
    """A form for powers of two has no room for other tiles."""
    found = report(compiled_with(packed_successors, powers_of_two=True)).finding("packing")
    assert "no room for the tile 1" in found.message
    assert found.boards


def compiled_with(successors, **form):
    def packed(board, side):
        declared = {"values": side, "max_successors": 4, "is_goal": lambda tiles: False, "move": GRID_MOVE, **form}
        return PackedForm(successors=successors, **declared)

    return replace(GRID, packed=packed)


def one_less(tiles, out, chosen, side):
    for k in range(2):
        if chosen is None or chosen[k]:
            out[k, 0, 1] = k
    return 2 if chosen is None or chosen[0] else 1


def makes_all(tiles, out, chosen, side):
    out[0, 0, 1], out[1, 0, 1] = 1, 2
    return 2


def of_others(tiles, out, chosen, side):
    for k in range(2):
        if chosen is None or chosen[k]:
            out[k, 0, 1] = 2 if chosen is None else 1
    return 2


def undescribed(tiles, out, moves, chosen, side):
    for k in range(2):
        if chosen is None or chosen[k]:
            out[k, 0, 1] = moves[k, 0] = 1
    return 2


def free_unless_chosen(tiles, out, costs, chosen, side):
    for k in range(2):
        if chosen is None or chosen[k]:
            out[k, 0, 1] = 1
        else:
            costs[k] = 0
    return 2


def needs_all(tiles, out, chosen, side):
    out[0, 0, 1] = out[1, 0, 1] = 1
    return 2 if chosen is None else 2 // chosen[0]


@pytest.mark.parametrize(
    ("successors", "said"),
    [
        (one_less, "with some states chosen it returns 1 instead of 2"),
        (makes_all, "it writes out[0], which is not chosen"),
        (of_others, "out[1] differs if it is chosen and others are not"),
        (undescribed, "moves differ if some states are not chosen"),
        (free_unless_chosen, "costs differ if some states are not chosen"),
        (needs_all, "its successor function fails if some states are chosen: "),
    ],
)
def test_successors_that_do_not_follow_chosen_fail(successors, said):
    found = report(compiled_with(successors)).finding("chosen")
    assert found.status == "failed"
    assert said in found.message
    assert found.boards


def test_only_successor_functions_that_ask_for_chosen_are_asked():
    assert report(compiled_with(other_order)).finding("chosen").status == "skipped"


def other_order(tiles, out, side):
    count = 0
    for k in range(4):
        row = tiles[0, 0] + DIRECTIONS[3 - k][0]
        column = tiles[0, 1] + DIRECTIONS[3 - k][1]
        if 0 <= row < side and 0 <= column < side:
            out[count, 0, 0] = row
            out[count, 0, 1] = column
            count += 1
    return count


def of_a_set(tiles, out):
    return 1 if tiles[0, 0] == SIDE else SETTING["b"][0]


SETTING = {"b": [2]}


@pytest.mark.slow
def test_compiled_rules_that_differ_fail():
    """The first successor that is another board is shown in both forms."""
    found = report(compiled_with(other_order)).finding("same-compiled")
    assert "successor 1, " in found.message
    assert [caption for caption, _ in found.boards] == ["from:", "readable:", "compiled:"]


def test_engines_with_different_solutions_fail():
    """The differing moves are shown if all figures are equal."""
    cells = [sl.Board([[cell]]) for cell in range(4)]
    ways = {0: (("left", 1), ("right", 2)), 1: (("down", 3),), 2: (("down", 3),)}

    def right_first(tiles, out):
        out[0, 0, 0], out[1, 0, 0] = 3 if tiles[0, 0] else 2, 1
        return 0 if tiles[0, 0] == 3 else 1 if tiles[0, 0] else 2

    domain = sl.Domain(
        "two-ways",
        lambda board: [(action, cells[to]) for action, to in ways.get(board.tile_at(0, 0), ())],
        lambda board: board == cells[3],
        start=lambda: cells[0],
        packed=lambda board: PackedForm(4, 2, right_first, is_goal=lambda tiles: tiles[0, 0] == 3),
    )
    found = report(domain).finding("engines-agree")
    searched = "solved, 3 expanded, 4 generated, from move 1 on"
    assert found.message == f"searched compiled and readable: {searched} left down, and {searched} right down"


def test_compiled_goals_that_differ_fail():
    """So does a goal test that is true in one form only."""
    domain = compiled_with(packed_successors, is_goal=lambda tiles: tiles[0, 0] == 1)
    assert "whether a board is a goal: compiled it is one" in report(domain).finding("same-compiled").message


@pytest.mark.slow
def test_a_packing_that_is_too_small_fails():
    """The board is shown that has no room, and its tile is named."""
    found = report(compiled_with(packed_successors, values=3)).finding("packing")
    assert found.status == "failed"
    assert "no room for the tile 3 at row 1, column" in found.message
    assert found.boards[0][1].largest_tile() == 3


def test_rules_that_do_not_compile_fail():
    """The line is named; what depends on them is skipped."""
    found = report(compiled_with(of_a_set))
    assert "SETTING, a dict" in found.finding("compiles").message
    assert found.finding("same-compiled").status == "skipped"


def test_successors_that_fail_far_away_are_found():
    """No walk of 40 moves leads there, but the enumeration does."""

    def fails(board):
        at = board.tile_at(0, 0)
        if at == 60:
            raise ValueError("here")
        return [("on", sl.Board([[at + 1]]))]

    line = sl.Domain("line", fails, lambda board: False, start=lambda: sl.Board([[0]]))
    finding = report(line).finding("successors")
    assert finding.status == "failed"
    assert "ValueError: here" in finding.message


def test_a_domain_without_packed_form_fails_only_if_it_must_compile():
    domain = replace(GRID, packed=None)
    assert failing(domain, must_compile=True) == ["compiles"]
    assert failing(domain) == []


def test_a_false_declaration_about_layers_fails():
    """On a grid every state is met again two moves later."""
    found = report(replace(GRID, layered=True), seconds=1).finding("revisited")
    assert "it declares layered=True, but a state of depth 0 is met again at depth 2" in found.message
    assert report(replace(GRID, inverse="same")).finding("revisited").status == "passed"


def test_false_bounds_fail():
    """A lower bound above the true cost, and a solvable board called unsolvable."""
    start = {"start": lambda: sl.Board([[0, 0]])}
    bound = replace(GRID, lower_bound=lambda board, goal, side: 2 * steps(board.tiles, goal, side), **start)
    assert "but solving costs" in report(sl.domain(bound, goal=5)).finding("bounds").message
    exact = replace(GRID, lower_bound=lambda board, goal, side: steps(board.tiles, goal, side), **start)
    assert report(sl.domain(exact, goal=5)).finding("bounds").status == "passed"
    hopeless = replace(GRID, why_unsolvable=lambda board: "never", **start)
    assert "it says “never”" in report(sl.domain(hopeless, goal=5)).finding("bounds").message


def test_endless_successors_are_given_up():
    """A generator without an end."""

    def endless(board):
        while True:
            pass
        yield

    domain = replace(GRID, successors=endless, packed=None)
    found = report(domain, longest_call=0.3, seconds=1)
    assert "did not come back" in found.finding("successors").message


def test_rules_that_raise_fail():
    """The exception is reported with its place."""

    def raising(board):
        raise KeyError("x")

    found = report(replace(GRID, successors=raising, packed=None)).finding("successors")
    assert "grid: raising failed: KeyError: 'x'" in found.message


@pytest.mark.parametrize("start", [lambda: 1 / 0, lambda: "no board", lambda: sl.Board([[9, 9]])])
def test_an_invalid_start_is_reported_once(start):
    domain = replace(GRID, start=start, why_invalid=lambda board: "beyond" if board.largest_tile() > 8 else "")
    found = report(domain)
    assert "grid: start failed: " in found.finding("successors").message
    assert {finding.status for _, finding in found.findings[1:]} == {"skipped"}


def backwards(tiles, out, costs, side, steep):
    """Write the cells from which a step leads here, in the uneven grid."""
    count = 0
    for k in range(4):
        row = tiles[0, 0] - DIRECTIONS[k][0]
        column = tiles[0, 1] - DIRECTIONS[k][1]
        if 0 <= row < side and 0 <= column < side:
            out[count] = [[row, column]]
            costs[count] = cost_of(row, column, k, steep)
            count += 1
    return count


def one_goal(board, side, goal):
    return [sl.Board([divmod(goal, side)])] if goal >= 0 else []


@pytest.mark.parametrize(("domain", "inverse"), [(GRID, "same"), (UNEVEN, backwards)], ids=["same", "listed"])
def test_correct_inverse_moves_and_goals_pass(domain, inverse):
    """Where steps can be taken back at the same cost, and where they are listed."""
    found = report(replace(domain, inverse=inverse, goals=one_goal), MOMENT)
    assert found.passed
    assert "moves are those of the boards they lead to" in found.finding("inverse").message
    assert found.finding("inverse").facts["moves"] > 4 * SIDE
    assert "each of the 2 met is listed" in found.finding("goals").message


def too_few(tiles, out, costs, side, steep):
    return min(1, backwards(tiles, out, costs, side, steep))


def too_cheap(tiles, out, costs, side, steep):
    count = backwards(tiles, out, costs, side, steep)
    costs[:] = 1
    return count


@pytest.mark.parametrize(
    ("inverse", "said"),
    [
        (too_few, "is no inverse move of its board"),
        (too_cheap, "is no inverse move of its board"),
        (
            lambda tiles, out: 5,
            "max_successors=4 of its packed form is too small: this board has 5 predecessors",
        ),
    ],
)
def test_wrong_inverse_moves_fail(inverse, said):
    """The move that cannot be taken back as declared is shown."""
    finding = report(replace(UNEVEN, inverse=inverse), MOMENT).finding("inverse")
    assert finding.status == "failed"
    assert said in finding.message
    assert finding.boards


def test_irreversible_moves_declared_reversible_fail():
    """Such as steps to the right and down alone."""

    def onwards(board, side, uneven):
        return list(GRID.successors(board, side, uneven))[-1:]

    finding = report(replace(GRID, inverse="same", successors=onwards, packed=None), MOMENT).finding("inverse")
    assert "the move down, which costs 1, is no inverse move of its board" in finding.message
    assert [caption for caption, _ in finding.boards] == ["from:", "to:"]


def test_excess_inverse_moves_fail():

    def from_everywhere(tiles, out, costs, side, steep):
        count = backwards(tiles, out, costs, side, steep)
        out[count] = tiles
        return count + 1

    packed = replace(UNEVEN.packed(sl.Board([[0, 0]]), SIDE), max_successors=5)
    finding = report(replace(UNEVEN, inverse=from_everywhere, packed=lambda board: packed), MOMENT).finding("inverse")
    assert "said to lead to another one has no move of cost 1 to this one" in finding.message


@pytest.mark.parametrize(
    ("goals", "said"),
    [
        (lambda board: [], "a goal is not listed among the goals"),
        (lambda board: [sl.Board([[0, 0]]), sl.Board([[0, 1]])], "a board that is listed as a goal is none as is_goal"),
        (lambda board: 3, "grid: <lambda> failed: TypeError: 'int' object is not iterable"),
    ],
)
def test_wrong_or_missing_goals_fail(goals, said):
    finding = report(replace(GRID, goals=goals), MOMENT).finding("goals")
    assert finding.status == "failed"
    assert said in finding.message
    assert finding.boards


def cut(board):
    """Yield the board nearer to the corner."""
    row, column = board.tiles[0].tolist()
    if row:
        yield sl.Board([[row - 1, column]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("smaller", "status", "said"),
    [
        (cut, "passed", "lead to ever smaller boards"),
        (lambda board: [board], "failed", "lead back to the same board"),
        (lambda board: [sl.Board([[1 - board.tile_at(0, 0), 0]])], "failed", "lead back to the same board"),
        (lambda board: [], "skipped", "no legal board is a step smaller than one of"),
        (lambda board: [sl.Board([[98, 99]])], "skipped", "no legal board is a step smaller than one of"),
        (lambda board: 3, "failed", "'int' object is not iterable"),
    ],
)
def test_boards_a_step_smaller_never_lead_back(smaller, status, said):
    finding = report(replace(GRID, smaller=smaller)).finding("smaller")
    assert (finding.status, said in finding.message) == (status, True), finding.message


def test_rules_that_are_written_once_pass():
    """Compiled they are compared with what Python makes of them."""
    found = report(replace(UNEVEN, successors=None, is_goal=None), MOMENT)
    assert found.passed
    assert found.finding("same-compiled").status == "passed"
    assert not {"inverse", "goals"} & {asked.name for asked, _ in found.findings}


def grows(board):
    if board.shape == (1, 1):
        yield "grow", sl.Board([[1, 2], [3, 4]])


def test_moves_to_boards_of_another_shape_fail():
    """Both shapes are named."""
    domain = sl.Domain("grows", grows, lambda board: board.shape == (2, 2), start=lambda: sl.Board([[1]]))
    finding = report(domain).finding("successors")
    assert finding.status == "failed"
    assert finding.message == "grows: its moves lead from boards of 1 × 1 to boards of 2 × 2"


def last_line(start, turns):
    yield f"{turns[-1].action}\n"


@pytest.mark.parametrize(
    ("views", "said"),
    [
        (sl.Views(transcript=lambda start, turns: [1 / 0]), "division by zero"),
        (sl.Views(transcript=lambda start, turns: [len(turns)]), "not a text"),
        (sl.Views(transcript=last_line), "tuple index out of range"),
        (sl.Views(remark=lambda board, after: after.tile_at(0, 0)), "remark"),
    ],
    ids=["raises", "numbers", "no moves", "remark"],
)
def test_transcripts_and_remarks_that_fail_are_found(views, said):
    """A start that is a goal has a transcript without moves."""
    finding = report(replace(GRID, views=views)).finding("texts")
    assert finding.status == "failed"
    assert said in finding.message


def test_transcripts_and_remarks_that_are_texts_pass():
    """The views get the moves of walks, and `text` draws their boards."""
    told = []

    def transcript(start, turns, text):
        told.append(len(turns))
        yield from map(text, (start, *(turn.board for turn in turns)))

    views = sl.Views(transcript=transcript, remark=lambda board, after: "" if after == board else "on")
    assert report(replace(GRID, views=views)).finding("texts").status == "passed"
    assert min(told) == 0
    assert max(told) > 1
