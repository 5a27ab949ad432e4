"""Looking ahead compiled is looking ahead as it is defined, on Board objects: the same values to the last bit."""

import functools
import inspect
import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import inf, nan
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.functions import CannotCompile
from searchlab.games import expectimax, expectimax_compiled
from searchlab.games.expectimax_compiled import (
    SLICE,
    CompiledExplorer,
    ExpectimaxKernel,
    SharedExplorer,
    packing_and_form,
)
from searchlab.games.kernels.expectimax import LEVELS
from searchlab.games.learning.network import in_16_bits, save_network
from searchlab.games.look_ahead import Interrupted, ReadableExplorer
from searchlab.search.problem import EvaluationError
from searchlab_plugins.twenty48.tutorial import Summed

MIDDLE = sl.Board([[2, 0, 4, 0], [8, 2, 0, 0], [16, 64, 32, 2], [128, 256, 4, 2]])


def always():
    return True


@functools.cache
def looks(heuristic="smooth", *, domain="2048-random", summed=False, how=(), **parameters):
    """What is computed; the same object each time, with what is compiled for it."""
    bound = sl.domain(domain, **parameters)
    bound = Summed(bound.component, bound.values) if summed else bound
    return sl.LookAhead(bound, sl.heuristic(heuristic, domain=bound), **dict(how))


@functools.cache
def compiled(look_ahead, shape, tall, table_bits=0, *, in_threads=False, **memory):
    board = sl.Board([[65536 if tall else 0] * shape[1]] * shape[0])
    form = packing_and_form(look_ahead, board)[1]
    kernel = ExpectimaxKernel.of(look_ahead, form, board, in_threads=in_threads)
    return CompiledExplorer(kernel, look_ahead, table_bits, **memory)


def explorer(look_ahead, board, table_bits=0):
    tall = sum(board.tiles.ravel().tolist()) >= 65_000 or look_ahead.domain.is_goal(board)
    return compiled(look_ahead, board.shape, tall, table_bits)


def assert_twins(look_ahead, board, depth):
    edges = list(look_ahead.domain.edges(board))
    defined = ReadableExplorer(look_ahead).values(edges, depth, always)
    assert explorer(look_ahead, board).values(edges, depth, always) == defined
    assert_found_alike(look_ahead, board, depth, edges, defined, explorer(look_ahead, board))
    return defined


def assert_found_alike(look_ahead, board, depth, edges, defined, compiled):
    """Moves that the kernel finds are those of the domain, in its order, with the same values."""
    found = compiled.values_from(board, depth, always)
    named = {edge.action: value + look_ahead.earned(board, edge) for edge, value in zip(edges, defined, strict=True)}
    assert found is None or list(found.items()) == list(named.items())


def boards(n, *larger):
    tiles = st.sampled_from([0, 0, 0, 2, 2, 4, 8, 64, *larger])
    rows = st.lists(st.lists(tiles, min_size=n, max_size=n), min_size=n, max_size=n)
    return rows.map(sl.Board)


@pytest.mark.slow
@given(board=boards(4), depth=st.integers(0, 1), p2=st.sampled_from([0.0, 0.9, 1.0]), stop_at=st.sampled_from([0, 128]))
def test_values_computed_with_line_tables_equal_the_readable_ones(board, depth, p2, stop_at):
    """4 × 4 by tables of rows for moves and for the heuristic; goals and every probability of a 2 included."""
    assert_twins(looks(p2=p2, stop_at=stop_at), board, depth)


@pytest.mark.slow
@given(board=boards(3), depth=st.integers(0, 2), cutoff=st.sampled_from([0.0, 0.02, 0.2, 1.0]))
def test_values_computed_cell_by_cell_equal_the_readable_ones(board, depth, cutoff):
    """3 × 3, and boards that are too unlikely to be looked beyond."""
    assert_twins(looks(n=3, p2=0.6, how=(("cutoff", cutoff),)), board, depth)


@pytest.mark.slow
@given(board=boards(4, 8192), depth=st.integers(0, 1), p2=st.sampled_from([0.0, 0.9, 1.0]))
def test_truncated_sums_equal_the_readable_ones(board, depth, p2):
    """A lost board is worth nothing, as in the tutorial."""
    look_ahead = looks("tutorial", summed=True, p2=p2, how=(("dead", 0.0), ("whole", True)))
    values = assert_twins(look_ahead, board, depth)
    assert depth == 0 or all(value == int(value) for value in values)


def never_without_tiles(tiles):
    """Refuse a board without tiles, which no game reaches."""
    if tiles.max() == 0:
        raise ValueError("no tile")
    return False


@pytest.mark.slow
@pytest.mark.parametrize("rows", [[[2, 4, 8], [4, 2, 4], [2, 0, 0]], [[2, 0, 0], [4, 2, 4], [2, 4, 2]]])
def test_only_boards_that_are_reached_are_looked_at(rows):
    """Where a board has fewer moves than there is room for, nothing is made of the rest of the room."""
    board = sl.Board(rows)
    bound = sl.domain("2048-random", n=3)

    def packed(*arguments, **named):
        return replace(bound.component.packed(*arguments, **named), is_goal=never_without_tiles, words=sl.Words())

    packed.__signature__ = inspect.signature(bound.component.packed)
    domain = sl.domain(replace(bound.component, packed=packed), n=3)
    look_ahead = sl.LookAhead(domain, sl.heuristic("smooth", domain=domain))
    found = explorer(look_ahead, board).values(list(domain.edges(board)), 1, always)
    assert found == explorer(looks(n=3), board).values(list(bound.edges(board)), 1, always)


def room(tiles):
    """Points still to come: many where there is room."""
    blanks = 0.0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            blanks += tiles[row, column] == 0
    return 7.0 * blanks


ROOM = sl.Heuristic("room", room, prefer="high", of_points=True)


@pytest.mark.slow
@given(board=boards(4), depth=st.integers(0, 1), table_bits=st.sampled_from([0, 8]))
def test_points_of_moves_are_added_like_in_the_readable_form(board, depth, table_bits):
    """To a heuristic of the points to come; a game that is over is worth nothing more."""
    look_ahead = looks(ROOM, stop_at=128)
    edges = list(look_ahead.domain.edges(board))
    defined = ReadableExplorer(look_ahead).values(edges, depth, always)
    assert explorer(look_ahead, board, table_bits).values(edges, depth, always) == defined
    assert_found_alike(look_ahead, board, depth, edges, defined, explorer(look_ahead, board, table_bits))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([[2, 0, 4, 0], [8, 2, 0, 0], [16, 64, 32, 2], [64, 256, 4, 2]], ""),
        ([[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]], ""),
        ([[512, 0, 4, 0], [8, 2, 0, 0], [16, 64, 32, 2], [128, 256, 4, 2]], "a goal"),
        ([[32768, 32768, 0, 0], [0] * 4, [0] * 4, [0] * 4], "too large"),
    ],
)
def test_the_kernel_finds_the_moves_of_ordinary_boards(rows, why):
    """Of others they are found on Board objects; the values are those of the readable engine either way."""
    board, look_ahead = sl.Board(rows), looks(stop_at=512)
    found = compiled(look_ahead, (4, 4), tall=False).values_from(board, 1, always)
    assert (found is None) == bool(why)
    values = sl.Expectimax(look_ahead, depth=1).values(board)
    assert values == sl.Expectimax(look_ahead, depth=1, engine="readable").values(board)
    assert why or list(values.items()) == list(found.items())
    without_code = sl.Board([[2, 0, 4, 0], [8, 2, 0, 0], [16, 64, 32, 2], [128, 256, 4, 6]])
    assert compiled(look_ahead, (4, 4), tall=False).values_from(without_code, 1, always) is None


@pytest.mark.slow
@given(board=boards(4, 32768, 65536), depth=st.integers(0, 1))
def test_tall_and_lost_boards_have_the_readable_values(board, depth):
    """Tiles beyond the tables, a byte a cell; a board without moves is worth what the heuristic says."""
    look_ahead = looks(ROOM, how=(("dead_is_evaluated", True),))
    if sum(board.tiles.ravel().tolist()) >= 65_000:
        assert_twins(look_ahead, board, depth)


@pytest.mark.slow
def test_the_points_of_the_move_itself_count():
    """For the values of moves, and for the greedy player; a goal is worth its points alone."""
    look_ahead = looks(ROOM, stop_at=128)
    board = sl.Board([[2, 4, 64, 64], [4, 2, 8, 16], [2, 4, 16, 8], [4, 2, 32, 32]])
    assert sl.Expectimax(look_ahead, depth=0).values(board) == {"left": 128.0 + 64.0, "right": 128.0 + 64.0}
    wide = sl.Board([[2, 4, 64, 32], [4, 2, 8, 16], [2, 4, 16, 8], [4, 2, 32, 32]])
    assert sl.Expectimax(look_ahead, depth=0).values(wide) == {"left": 64.0 + 7.0, "right": 64.0 + 7.0}
    split = sl.Board([[64, 64], [2, 0]])
    unbounded = sl.domain("2048-random", n=2)
    greedy = sl.player("greedy", domain=unbounded, heuristic=sl.heuristic(ROOM, domain=unbounded))
    moves = tuple(sl.Move(edge.action, edge.board) for edge in unbounded.edges(split))
    assert greedy.begin(1)(split, moves) == "left"


@pytest.mark.slow
@given(board=boards(3), depth=st.integers(1, 3), cutoff=st.sampled_from([0.0, 0.01, 0.1]))
def test_a_table_of_boards_changes_no_value(board, depth, cutoff):
    """However small it is, and whatever was looked at before; and it can only save work."""
    look_ahead = looks(n=3, p2=0.6, how=(("cutoff", cutoff),))
    edges = list(look_ahead.domain.edges(board))
    explorers = [explorer(look_ahead, board, table_bits) for table_bits in (0, 1, 12)]
    before = [each.tries for each in explorers]
    without, small, large = (each.values(edges, depth, always) for each in explorers)
    assert without == small == large
    tries = [each.tries - tried for each, tried in zip(explorers, before, strict=True)]
    assert max(tries) == tries[0]
    assert explorers[0].control.found == 0
    explorers[2].forget()
    assert explorers[2].values(edges, depth, always) == large


@pytest.mark.slow
@given(board=boards(3, 128), depth=st.integers(0, 2))
def test_boards_that_were_judged_before_are_worth_the_same(board, depth):
    """However few are remembered, whatever was looked at before, and when the same is asked again."""
    look_ahead = looks("left-weighted", n=3)
    edges = list(look_ahead.domain.edges(board))
    defined = ReadableExplorer(look_ahead).values(edges, depth, always)
    for memory_bits in (0, 1, 13):
        remembering = compiled(look_ahead, board.shape, tall=False, memory_bits=memory_bits)
        assert remembering.values(edges, depth, always) == defined
        assert remembering.values(edges, depth, always) == defined


@pytest.mark.slow
def test_the_memory_of_values_can_be_cleared():
    remembering = compiled(looks("left-weighted"), MIDDLE.shape, tall=False)
    memory = remembering.arrays.memory_values
    remembering.values(list(looks("left-weighted").domain.edges(MIDDLE)), 1, always)
    assert not np.isnan(memory).all()
    remembering.forget()
    assert np.isnan(memory).all()


def steps(board):
    """Lay 1 on a cell below 3; three of them end the game."""
    for k, value in enumerate(board.tiles[0].tolist()):
        if value < 3:
            row = board.tiles[0].tolist()
            row[k] += 1
            yield f"{k}", sl.Board([row], signed=True), 1, row[k] == 3


def packed_steps(tiles, out, terminal, costs):
    count = 0
    for k in range(tiles.shape[1]):
        if tiles[0, k] < 3:
            for cell in range(tiles.shape[1]):
                out[count, 0, cell] = tiles[0, cell]
            out[count, 0, k] += 1
            terminal[count] = out[count, 0, k] == 3
            costs[count] = 1.0
            count += 1
    return count


def losses(board):
    """Perhaps one of the first cell is lost; nothing happens where it has none."""
    row = board.tiles[0].tolist()
    if row[0]:
        yield "none", board, 0.25
        yield "one", sl.Board([[row[0] - 1, *row[1:]]], signed=True), 0.75


def packed_losses(tiles, out, probabilities):
    if tiles[0, 0] == 0:
        return 0
    for k in range(2):
        for cell in range(tiles.shape[1]):
            out[k, 0, cell] = tiles[0, cell]
        out[k, 0, 0] -= k
        probabilities[k] = 0.75 if k else 0.25
    return 2


def never(board):
    return False


FORM = sl.PackedForm(
    values=4, max_successors=3, successors=packed_steps, is_goal=never, chances=packed_losses, most_chances=2
)
STEPS = sl.Domain("steps", steps, never, packed=lambda board: FORM, chance=sl.Chance(losses))


RIGHT, INFINITE, NOT_A_NUMBER, RAISES = range(4)


def weighed(tiles, way=RIGHT):
    """Fail in some way on boards with 2 in the third cell; a number says how, so that all share their machine code."""
    if tiles[0, 2] == 2 and way != RIGHT:
        if way == NOT_A_NUMBER:
            return nan
        if way == RAISES:
            raise ValueError("two in the third cell")
        return inf
    return tiles[0, 0] + 10.0 * tiles[0, 1] + 100.0 * tiles[0, 2]


@pytest.mark.slow
@given(row=st.lists(st.integers(0, 3), min_size=3, max_size=3), depth=st.integers(0, 4))
def test_games_of_plugins_have_the_readable_values(row, depth):
    """One with moves that end it, costs that are not asked for, and boards on which chance has nothing to do."""
    assert_twins(of_steps(RIGHT), sl.Board([row]), depth)


@functools.cache
def steps_domain():
    return sl.domain(STEPS)


@functools.cache
def of_steps(way, **declared):
    domain = steps_domain()
    heuristic = sl.heuristic(sl.Heuristic("weighed", weighed, **declared), domain=domain, way=way)
    return sl.LookAhead(domain, heuristic, dead=-5.0)


@functools.cache
def below_zero():
    """The same game with cells of a range each, in which tiles may be below 0."""
    form = replace(FORM, values=0, cells=((-9, 3), (0, 3), (-300, 3)))
    domain = sl.domain(replace(STEPS, packed=lambda board: form))
    return sl.LookAhead(domain, sl.heuristic(sl.Heuristic("weighed", weighed), domain=domain), dead=-5.0)


@pytest.mark.slow
@given(row=st.tuples(st.integers(-3, 3), st.integers(0, 3), st.integers(-300, 3)), depth=st.integers(0, 2))
def test_boards_with_negative_tiles_have_the_readable_values(row, depth):
    assert_twins(below_zero(), sl.Board([row], signed=True), depth)


def going_wrong(way, engine, **declared):
    return sl.Expectimax(of_steps(way, **declared), depth=0, engine=engine)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["auto", "readable"])
def test_infinite_is_a_dead_end(engine):
    """As bad as a lost game."""
    values = {"0": -101.0, "1": -110.0, "2": -5.0}
    assert going_wrong(INFINITE, engine).values(sl.Board([[0, 0, 1]])) == values


def test_infinite_is_a_dead_end_of_a_score():
    """Of either sign."""
    assert going_wrong(INFINITE, "readable", prefer="high").values(sl.Board([[0, 0, 1]]))["2"] == -5.0


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["auto", "readable"])
@pytest.mark.parametrize(("way", "said"), [(NOT_A_NUMBER, "not an estimate"), (RAISES, "two in the third cell")])
def test_an_error_of_a_heuristic_names_the_board(way, said, engine):
    """NaN is an error, too."""
    with pytest.raises(EvaluationError, match=said) as caught:
        going_wrong(way, engine).values(sl.Board([[0, 0, 1]]))
    assert caught.value.board == sl.Board([[0, 0, 2]])


@pytest.mark.slow
def test_too_many_events_are_an_error():
    form = sl.PackedForm(
        values=4,
        max_successors=3,
        successors=packed_steps,
        is_goal=never,
        chances=lambda tiles, out, probabilities: 3,
        most_chances=2,
    )
    domain = sl.domain(sl.Domain("steps", steps, never, packed=lambda board: form, chance=sl.Chance(losses)))
    ahead = sl.Expectimax(sl.LookAhead(domain, sl.heuristic(weighed, domain=domain)), depth=1)
    with pytest.raises(sl.PluginError, match="most_chances"):
        ahead.values(sl.Board([[0, 0, 0]]))


def test_looking_ahead_can_be_stopped_and_started_again():
    look_ahead = looks()
    edges = list(look_ahead.domain.edges(MIDDLE))
    each = explorer(look_ahead, MIDDLE)
    asked = itertools.count(1)
    with pytest.raises(Interrupted):
        each.values(edges, 4, lambda: next(asked) < 3)
    assert next(asked) == 4
    before = each.tries
    assert each.values(edges, 1, always) == ReadableExplorer(look_ahead).values(edges, 1, always)
    assert each.tries - before < SLICE
    with pytest.raises(Interrupted):
        ReadableExplorer(look_ahead).values(edges, 1, lambda: False)


@pytest.mark.slow
def test_threads_find_the_same_values():
    """For the moves of one board, and for many boards, in their order."""
    look_ahead = looks(how=(("cutoff", 0.001),))
    game = sl.play(player="random", seed=5)
    several = [board for board in game.boards[:-1:8] if look_ahead.domain.neighbors(board)]
    alone, together = (sl.Expectimax(look_ahead, depth=2, threads=threads) for threads in (1, 2))
    values = [alone.values(board) for board in several]
    assert [together.values(board) for board in several] == values
    assert list(together.values_of(several)) == list(alone.values_of(iter(several))) == values
    assert [together.best(board) for board in several] == [max(v, key=v.get) for v in values]
    assert min(together.tries, alone.tries) > 0


@functools.cache
def sharing(look_ahead, shape, threads):
    return SharedExplorer(compiled(look_ahead, shape, tall=False, in_threads=True).kernel, look_ahead, threads)


SHORT = mock.patch.multiple(expectimax_compiled, FIRST_SLICE=1, SLICE=40, WHOLE_LOOK=40, WORTH_SHARING=0)
"""The others join at once, and all look at the clock often."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "look_ahead",
    [
        looks(n=3, p2=0.6, how=(("cutoff", 0.02),)),
        looks(n=3),
        looks(ROOM, n=3, stop_at=64),
        looks("tutorial", n=3, summed=True, how=(("dead", 0.0), ("whole", True))),
    ],
    ids=["cutoff", "all", "points", "whole"],
)
@given(board=boards(3), depth=st.integers(0, 3), threads=st.sampled_from([2, 3]))
def test_threads_that_share_the_outcomes_find_the_same_values(look_ahead, board, depth, threads):
    """To the last bit, whoever looks at what; the table of boards is one for all."""
    edges = list(look_ahead.domain.edges(board))
    alone = explorer(look_ahead, board, 8).values(edges, depth, always)
    with SHORT:
        together = sharing(look_ahead, board.shape, threads)
        assert together.values(edges, depth, always) == alone
        assert_found_alike(look_ahead, board, depth, edges, alone, together)


@pytest.mark.slow
@given(row=st.lists(st.integers(0, 3), min_size=3, max_size=3), depth=st.integers(0, 4))
def test_threads_share_work_with_few_events(row, depth):
    """Boards on which chance does nothing, or one thing, and moves that end the game."""
    board = sl.Board([row])
    edges = list(steps_domain().edges(board))
    with SHORT:
        found = sharing(of_steps(RIGHT), board.shape, 2).values(edges, depth, always)
    assert found == ReadableExplorer(of_steps(RIGHT)).values(edges, depth, always)


@pytest.mark.slow
def test_other_threads_take_a_share_of_the_work():
    """Hardly more is tried by all together than by one; on a busy machine a look may find no other core free."""
    look_ahead = looks()
    alone = sl.Expectimax(look_ahead, depth=4)
    expected = list(alone.values(MIDDLE).values())
    kernel = compiled(look_ahead, MIDDLE.shape, tall=False, in_threads=True).kernel
    for _ in range(5):
        together = SharedExplorer(kernel, look_ahead, 3)
        assert together.values(list(look_ahead.domain.edges(MIDDLE)), 4, always) == expected
        most, in_all = max(explorer.tries for explorer in together.explorers), together.tries
        if most < alone.tries and in_all < 1.2 * alone.tries:
            break
    assert most < alone.tries
    assert in_all < 1.2 * alone.tries


@pytest.mark.slow
def test_threads_are_used_if_the_last_look_of_this_depth_took_long():
    """Otherwise one thread starts, and the others join if it takes too long."""
    look_ahead = looks()
    kernel = compiled(look_ahead, MIDDLE.shape, tall=False, in_threads=True).kernel
    alone, together = CompiledExplorer(kernel, look_ahead), SharedExplorer(kernel, look_ahead, 2)
    full = sl.Board([[2, 4, 8, 16], [32, 64, 128, 256], [2, 4, 8, 16], [32, 64, 128, 128]])
    for board, depth, is_shared in (
        (full, 1, True),
        (full, 1, False),
        (MIDDLE, 2, True),
        (MIDDLE, 2, True),
        (MIDDLE, 1, True),
        (full, 1, True),
        (full, 1, False),
    ):
        shared_before = together.explorers[0].control.look
        with mock.patch.object(expectimax_compiled, "WORTH_SHARING", 40):
            assert together.values_from(board, depth, always) == alone.values_from(board, depth, always)
        assert (together.explorers[0].control.look > shared_before) is is_shared


@pytest.mark.slow
@pytest.mark.parametrize(("way", "said"), [(NOT_A_NUMBER, "not an estimate"), (RAISES, "two in the third cell")])
def test_an_error_in_a_thread_is_raised(way, said):
    """The next board is evaluated normally."""
    together = sharing(of_steps(way), (1, 3), 3)
    board = sl.Board([[1, 0, 1]])
    with SHORT, pytest.raises(EvaluationError, match=said) as caught:
        together.values(list(steps_domain().edges(board)), 3, always)
    assert caught.value.board.tiles[0, 2] == 2
    board = sl.Board([[1, 0, 3]])
    edges = list(steps_domain().edges(board))
    with SHORT:
        assert together.values(edges, 2, always) == ReadableExplorer(of_steps(RIGHT)).values(edges, 2, always)


def test_a_time_limit_deepens_until_the_time_is_up():
    """The values are those of a completed depth."""
    look_ahead = looks()
    values = sl.Expectimax(look_ahead, seconds=0.05).values(MIDDLE)
    depths = [sl.Expectimax(look_ahead, depth=depth).values(MIDDLE) for depth in range(1, 5)]
    assert values in depths or values not in depths[:1]


@pytest.mark.parametrize("engine", ["auto", "readable"])
def test_no_depth_is_begun_when_the_time_is_over(engine):
    """However little there is to do at each, where most boards are too unlikely to be looked beyond."""
    look_ahead = looks(how=(("cutoff", 0.2),))
    in_time, once = (sl.Expectimax(look_ahead, engine=engine, **how) for how in ({"seconds": 1e-9}, {"depth": 1}))
    assert in_time.values(MIDDLE) == once.values(MIDDLE)
    assert in_time.tries == once.tries > 0


def test_the_depth_suits_the_board():
    """Different tiles less four, at least two."""
    look_ahead = looks()
    for board, depth in ((sl.Board([[2, 2, 0, 0]] * 4), 2), (MIDDLE, 4)):
        assert sl.Expectimax(look_ahead).values(board) == sl.Expectimax(look_ahead, depth=depth).values(board)


def test_the_depth_stays_within_bounds():
    """However many tiles are different, and where there is no chance that would make a greater depth affordable."""
    domain = sl.domain("sliding-tile")
    look_ahead = sl.LookAhead(domain, sl.heuristic("misplaced", domain=domain))
    board = sl.Board([[*range(1 + row, 11 + row)] for row in range(0, 90, 10)] + [[*range(91, 99), 0, 99]])
    assert sl.Expectimax(look_ahead)._depth_for(board) == expectimax.DEPTH_WITHOUT_CHANCE
    assert sl.Expectimax(looks())._depth_for(board) == expectimax.MOST_DEPTH
    assert expectimax.MOST_DEPTH < LEVELS


def test_interrupted_threads_are_awaited():
    """They do not change later values."""
    look_ahead = looks(how=(("cutoff", 0.001),))
    together = sharing(look_ahead, MIDDLE.shape, 4)
    edges = list(look_ahead.domain.edges(MIDDLE))

    def ends_when_all_are_at_work():
        time.sleep(0.02)
        return False

    with pytest.raises(Interrupted):
        together.values(edges, 5, ends_when_all_are_at_work)
    tries = together.tries
    time.sleep(0.05)
    assert together.tries == tries
    values = together.values(edges, 2, always)
    assert values == list(sl.Expectimax(look_ahead, depth=2).values(MIDDLE).values())


def test_uncompilable_functions_are_interpreted_with_one_warning():
    """The values are the same."""
    domain = sl.domain("2048-random", n=2)
    known = {}

    def looked_up(tiles):
        return known.setdefault(int(tiles[0, 0]), 1)

    ahead = sl.Expectimax(sl.LookAhead(domain, sl.heuristic(looked_up, domain=domain)), depth=1)
    with pytest.warns(sl.SearchlabWarning, match=r"looked_up cannot be compiled: .*known.* runs interpreted"):
        first = ahead.values(sl.Board([[2, 2], [4, 8]]))
    assert ahead.values(sl.Board([[2, 2], [4, 8]])) == first
    assert first["left"] == -1.0


@pytest.mark.parametrize("ask", ["prepare", "values", "best", "values_of"])
def test_the_warning_points_to_the_line_that_asked(ask, monkeypatch):
    """However many functions are in between."""
    monkeypatch.setattr(sl.Expectimax, "_compiled", mock.Mock(side_effect=CannotCompile("it")))
    ahead, board = sl.Expectimax(counting(packed_count), depth=1), sl.Board([[1]])
    with pytest.warns(sl.SearchlabWarning) as warned:
        list(ahead.values_of([board])) if ask == "values_of" else getattr(ahead, ask)(board)
    (warning,) = warned
    assert warning.filename == __file__


def test_a_form_without_chances_is_not_compiled():
    """The message says that the form says nothing of chance."""
    form = sl.PackedForm(values=4, max_successors=3, successors=packed_steps, is_goal=never)
    domain = sl.domain(sl.Domain("steps", steps, never, packed=lambda board: form, chance=sl.Chance(losses)))
    look_ahead = sl.LookAhead(domain, sl.heuristic(weighed, domain=domain))
    with pytest.raises(CannotCompile, match="says nothing of chance"):
        packing_and_form(look_ahead, sl.Board([[0, 0, 0]]))


def count_on(board):
    """Counts by 1 or 2 up to 9, then by 1."""
    count = int(board.tiles[0, 0])
    yield "one", sl.Board([[count + 1]])
    if count < 10:
        yield "two", sl.Board([[count + 2]])


def count_by_two(tiles, out):
    out[0, 0, 0], out[1, 0, 0] = tiles[0, 0] + 1, tiles[0, 0] + 2
    return 2


def count_by_one(tiles, out):
    out[0, 0, 0] = tiles[0, 0] + 1
    return 1


def counted(tiles):
    return tiles[0, 0]


def counting(packed):
    domain = sl.domain(sl.Domain("counting", count_on, never, packed=packed))
    return sl.LookAhead(domain, sl.heuristic(sl.Heuristic("counted", counted, prefer="high"), domain=domain))


def packed_count(board):
    """A form for boards of each kind, packed alike, and made anew each time."""
    rules = count_by_two if board.tiles[0, 0] < 10 else count_by_one
    return sl.PackedForm(values=64, max_successors=2, successors=rules, is_goal=never)


@pytest.mark.slow
def test_boards_with_equal_packing_may_have_different_rules():
    """Each kind of board is looked at by its own; the same form made anew is no other."""
    ahead = sl.Expectimax(counting(packed_count), depth=1)
    assert ahead.values(sl.Board([[1]])) == {"one": 4.0, "two": 5.0}
    assert ahead.values(sl.Board([[12]])) == {"one": 14.0}
    assert ahead.values(sl.Board([[2]])) == {"one": 5.0, "two": 6.0}
    assert len(ahead._explorers) == 2


def test_explorers_of_outdated_rules_are_released(monkeypatch):
    """The moves that they tried still count."""

    class Tries:
        tries = 10

    monkeypatch.setattr(sl.Expectimax, "_compiled", lambda ahead, form, board: Tries())
    form = sl.PackedForm(values=64, max_successors=2, successors=count_by_two, is_goal=never)
    ahead = sl.Expectimax(
        counting(lambda board: replace(form, successors=lambda tiles, out: count_by_two(tiles, out))), depth=1
    )
    for count in range(40):
        ahead.prepare(sl.Board([[count]]))
    assert len(ahead._explorers) == expectimax.MOST_EXPLORERS
    assert ahead.tries == 400


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"depth": -1}, "a depth is a whole number from 0 to"),
        ({"depth": 61}, "a depth is a whole number from 0 to"),
        ({"depth": 2.5}, "a depth is a whole number from 0 to"),
        ({"seconds": 0}, "more than 0"),
        ({"threads": 0}, "threads are from 1"),
        ({"threads": 257}, "threads are from 1"),
        ({"threads": 1.5}, "threads are from 1"),
        ({"engine": "fast"}, "engine is one of"),
    ],
)
def test_invalid_numbers_are_refused(how, said):
    """Before the computation."""
    with pytest.raises(sl.UsageError, match=said):
        sl.Expectimax(looks(), **how)


@pytest.mark.parametrize("parameter", ["depth=-1", "depth=61", "threads=0", "threads=257"])
def test_a_player_refuses_the_numbers_that_expectimax_refuses(parameter):
    """For the same reason, which is stated in one place."""
    name, value = parameter.split("=")
    with pytest.raises(sl.UsageError) as refused:
        sl.Expectimax(looks(), **{name: int(value)})
    with pytest.raises(sl.UsageError) as of_player:
        sl.player(f"expectimax:{parameter}")
    assert (
        str(refused.value) == f"{str(of_player.value).removeprefix(f'player expectimax: {parameter}: ')}, not {value}"
    )


@pytest.mark.slow
@given(board=boards(4), depth=st.integers(0, 3))
def test_without_chance_the_best_reachable_value_is_found(board, depth):
    """Deterministic 2048, with moves that end the game, and an estimate of which less is better."""
    assert_twins(looks("left-weighted", domain="2048", goal=64), board, depth)


def test_one_object_may_be_used_by_several_threads(ahead_of_many):
    ahead, asked, alone = ahead_of_many
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ahead.values, asked)) == alone


def test_threads_that_share_boards_remember_and_are_counted(ahead_of_many):
    """What they do is done by the one that is asked."""
    _, asked, alone = ahead_of_many
    together = sl.Expectimax(looks("smooth"), depth=1, threads=2)
    assert list(together.values_of(asked)) == alone
    tries = together.tries
    assert tries > 0
    assert list(together.values_of(asked)) == alone
    assert together.tries < 2 * tries
    together.forget()


@pytest.fixture
def ahead_of_many():
    """What looks ahead, many boards, and what it says of each of them."""
    game = sl.play(player="random", seed=5)
    ahead = sl.Expectimax(looks("smooth"), depth=1)
    asked = [turn.board for turn in game.turns] * 3
    return ahead, asked, [ahead.values(board) for board in asked]


def test_best_without_a_move_is_an_error():
    with pytest.raises(sl.UsageError, match="no move"):
        sl.Expectimax(looks(), depth=1).best(sl.Board([[2, 4, 2, 4], [4, 2, 4, 2]] * 2))


NETWORKS = {
    "downgrading": {"downgrade": 16},
    "in stages": {"stages": (8, 16, 16 + 8, 2048)},
    "both, of few codes": {"downgrade": 1024, "stages": (4, 512), "codes": 11},
    "one of more cells than are computed together": {"tuples": ((8, 7, 6, 5, 4, 3, 2, 1, 0), (0, 1)), "bits": 2},
    "of all cells": {"tuples": ((0, 1, 2), (8, 0, 1, 2, 3, 4, 5, 6, 7)), "codes": 4},
}


@pytest.fixture(scope="module", params=[(how, small) for how in NETWORKS for small in (False, True)], ids=str)
def file(request, tmp_path_factory):
    """The path of a network with all sorts of weights, perhaps of 16 bits."""
    how, small = request.param
    path = tmp_path_factory.mktemp("networks") / "network.npz"
    network = sl.NTupleNetwork(3, 3, **{"tuples": ((0, 1, 2, 3), (3, 4, 5)), "base": 5.0, **NETWORKS[how]})
    network.weights[...] = np.random.default_rng(1).normal(scale=100, size=network.entries)
    save_network(in_16_bits(network) if small else network, path)
    return str(path)


GAME = sl.domain("2048-random", n=3)


@pytest.mark.slow
@given(
    st.lists(st.sampled_from([0, 0, 0, 2, 4, 8, 2048]), min_size=9, max_size=9),
    st.sampled_from([(0, 0.0), (1, 0.0), (2, 0.05), (3, 0.2)]),
    st.sampled_from([1, 13]),
)
def test_compiled_values_of_a_network_equal_the_readable_ones(file, cells, looks, memory_bits):
    """The points of all moves on the way count, and what the network expects at the end.

    With a cut-off, some outcomes after a board are looked beyond and others not; in a memory of two boards, most find
    their slot taken.
    """
    board, (depth, cutoff) = sl.Board(np.array(cells).reshape(3, 3)), looks
    ahead = sl.LookAhead(GAME, sl.heuristic("ntuple", domain=GAME, file=file), cutoff=cutoff)
    kernel = ExpectimaxKernel.of(ahead, packing_and_form(ahead, board)[1], board)
    compiled = CompiledExplorer(kernel, ahead, memory_bits=memory_bits)
    edges = GAME.all_edges(board)
    readable = ReadableExplorer(ahead)
    assert compiled.values(edges, depth, lambda: True) == readable.values(edges, depth, lambda: True)


@pytest.mark.slow
def test_depth_1_chooses_the_move_with_the_most_points_and_value(file):
    network = sl.read_network(file)
    choose = sl.player("ntuple", domain=GAME, file=file)
    game = sl.play(domain=GAME, player=choose, seed=4)
    board = game.turns[0].board
    for turn in game.turns[1:]:
        moves = list(GAME.edges(board))
        worth = [GAME.points(board, edge.board) + network.value(edge.board) for edge in moves]
        assert moves[worth.index(max(worth))].action == turn.action
        board = turn.board
    assert game.moves > 5
