"""State spaces are enumerated depth by depth, with the results that are known."""

import numpy as np
import pytest

import searchlab as sl
from searchlab.search.enumeration import enumerate_states
from searchlab.search.watch import Watch

EIGHT_PUZZLE = [1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993]
EIGHT_PUZZLE += [17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2]
SOLVED_8 = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])


def enumerated(domain, board=None, limits=None, **arguments):
    """All layers, and how it ended."""
    bound = sl.domain(domain)
    layers = enumerate_states(board or bound.start(), bound, Watch(limits or sl.Limits()), **arguments)
    found = []
    while True:
        try:
            found.append(next(layers))
        except StopIteration as end:
            return found, end.value


@pytest.mark.parametrize(
    ("domain", "board"),
    [
        ("2048:n=2", None),
        ("2048:n=2,spawn=corner", None),
        ("2048:n=2,goal=16", None),
        ("2048:n=3,spawn=corner,goal=16", None),
        ("sliding-tile", sl.Board([[1, 2], [3, 0]])),
        ("sliding-tile:goal=blank-first", sl.Board([[3, 1], [2, 0]])),
    ],
)
def test_packed_and_readable_rules_count_the_same(domain, board):
    """The compiled enumeration and the one on Board objects agree on every layer."""
    assert enumerated(domain, board, engine="compiled") == enumerated(domain, board, engine="readable")


@pytest.mark.slow
def test_boards_of_several_words_are_enumerated():
    """The first layers of a 24-puzzle and of 5 × 5 2048 are the same in both forms."""
    limits = sl.Limits(expansions=300)
    goal = sl.Board(np.arange(25).reshape(5, 5))
    for domain, board in (("sliding-tile:goal=blank-first", goal), ("2048:n=5", None)):
        compiled, verdict = enumerated(domain, board, engine="compiled", limits=limits)
        assert (compiled, verdict) == enumerated(domain, board, engine="readable", limits=limits)
        assert verdict == "expansion-limit"


def grow(tiles, out, most):
    """One cell after another becomes 1, and then the largest number that it has room for."""
    for cell in range(tiles.shape[1]):
        if tiles[0, cell] < most:
            for other in range(tiles.shape[1]):
                out[0, 0, other] = tiles[0, other]
            out[0, 0, cell] = most if tiles[0, cell] else 1
            return 1
    return 0


@pytest.mark.slow
@pytest.mark.parametrize("bits", [1, 2, 7, 13, 16, 21, 22, 32, 33, 63, 64])
def test_the_largest_tile_is_found_in_cells_of_any_size(bits):
    """Wherever it lies in a word, and however many bits are left over."""
    cells = 64 // bits + 1
    for most, start in ((1, 0), (2 ** min(bits, 63) - 1, 0), (2 ** min(bits, 63) - 1, 1)):
        first = sl.Board([[start] * (cells - 1) + [0]])
        domain = sl.Domain(
            "grow",
            packed=lambda board, most=most: sl.PackedForm(
                most + 1, 1, grow, is_goal=lambda tiles: False, bits=bits, tables={"most": most}
            ),
            start=lambda first=first: first,
        )
        compiled, readable = (list(sl.state_space(domain=domain, engine=engine)) for engine in ("compiled", "readable"))
        assert compiled == readable
        assert {type(layer.largest) for layer in compiled} == {int}
        assert compiled[-1].largest == most


def rise(tiles, out):
    out[0, 0, 0] = tiles[0, 0] + 1
    return 1 if tiles[0, 0] < -2 else 0


@pytest.mark.parametrize("engine", ["compiled", "readable"])
def test_the_largest_tile_may_be_below_0(engine):
    """Where no cell holds more."""
    packed = sl.PackedForm(max_successors=1, successors=rise, is_goal=lambda tiles: False, cells=[(-5, -2)])
    domain = sl.Domain("rise", packed=lambda board: packed, start=lambda: sl.Board([[-5]], signed=True))
    assert [layer.largest for layer in sl.state_space(domain=domain, engine=engine)] == [-5, -4, -3, -2]


def test_2_by_2():
    """2 × 2 has 53 reachable boards, and the largest tile is 16."""
    layers, verdict = enumerated("2048:n=2")
    assert (verdict, sum(layer.states for layer in layers), layers[-1].largest) == ("complete", 53, 16)


@pytest.mark.slow
def test_3_by_3():
    """3 × 3 has 1,731,441 reachable boards, largest tile 512, and its longest game takes 505 moves."""
    layers, verdict = enumerated("2048:n=3")
    assert (verdict, sum(layer.states for layer in layers)) == ("complete", 1_731_441)
    assert (layers[-1].depth, layers[-1].largest) == (505, 512)


def test_the_first_layers_of_4_by_4():
    """Layer 20 has 51,956 boards."""
    layers, _ = enumerated("2048", limits=sl.Limits(expansions=250_000))
    assert layers[20].states == 51_956
    firsts = {tile: next(layer.depth for layer in layers if layer.largest == tile) for tile in (4, 8, 16, 32)}
    assert firsts == {4: 2, 8: 5, 16: 10, 32: 19}


def test_the_8_puzzle_by_depth():
    """The 8-puzzle has 181,440 reachable boards in 32 layers of known sizes."""
    layers, verdict = enumerated("sliding-tile", SOLVED_8)
    assert (verdict, [layer.states for layer in layers]) == ("complete", EIGHT_PUZZLE)
    assert [layer.goals for layer in layers] == [1] + 31 * [0]


@pytest.mark.parametrize("engine", ["compiled", "readable"])
def test_limits_end_an_enumeration(engine):
    """With the layers so far."""
    for limits, verdict in (
        (sl.Limits(seconds=0), "time-limit"),
        (sl.Limits(memory=1000), "memory-limit"),
        (sl.Limits(expansions=5), "expansion-limit"),
    ):
        layers, ended = enumerated("2048", engine=engine, limits=limits)
        assert ended == verdict
        assert len(layers) < 20


def ring(states, **declared):
    """A token on a ring, one step further with each move; what is declared of it is not so."""
    parameters = (sl.Parameter("states", states),)

    def successors(board, states):
        yield "on", sl.Board([[(board.tile_at(0, 0) + 1) % states]])

    def step(tiles, out, states):
        out[0, 0, 0] = (tiles[0, 0] + 1) % states
        return 1

    def packed(board, states):
        return sl.PackedForm(values=states, max_successors=1, successors=step, is_goal=lambda tiles: False)

    return sl.domain(
        sl.Domain(
            "ring",
            successors,
            lambda board: False,
            parameters=parameters,
            start=lambda: sl.Board([[0]]),
            packed=packed,
            **declared,
        )
    )


@pytest.mark.parametrize("engine", ["compiled", "readable"])
@pytest.mark.parametrize(
    ("declared", "said"), [({"layered": True}, "layered=True"), ({"inverse": "same"}, 'inverse="same"')]
)
def test_a_false_declaration_about_layers_is_an_error(engine, declared, said):
    """A ring comes back to where it began after as many moves as it has states."""
    domain = ring(5, **declared)
    with pytest.raises(sl.PluginError) as raised:
        list(enumerate_states(domain.start(), domain, engine=engine))
    message = f"ring declares {said}, but a state of layer 0 is met again in layer 5, Board([[0]])"
    assert str(raised.value).endswith(message)


@pytest.mark.slow
def test_states_met_again_after_many_layers_are_an_error():
    """Only some states of older layers are looked for, those of the latest power of two among them."""
    domain = ring(5000, layered=True)
    with pytest.raises(sl.PluginError, match="is met again in layer"):
        list(enumerate_states(domain.start(), domain, engine="compiled"))


@pytest.mark.slow
def test_thousands_of_thin_layers_are_enumerated_whole():
    """What was met is kept in few arrays, so that a layer does not cost more the more layers there are."""
    domain = ring(3000)
    layers = list(enumerate_states(domain.start(), domain, engine="compiled"))
    assert (len(layers), sum(layer.states for layer in layers)) == (3000, 3000)


def test_python_gets_the_layers_of_a_board_by_its_name():
    """As the command does; layers that are missing are not missing silently."""
    layers = sl.state_space(domain="2048:n=2,goal=16", engine="readable")
    assert layers == list(enumerate_states(sl.domain("2048:n=2,goal=16").start(), sl.domain("2048:n=2,goal=16")))
    with pytest.warns(sl.SearchlabWarning, match="ended before it was complete: expansion-limit"):
        layers = sl.state_space("sliding-tile/example", limits=sl.Limits(expansions=3), engine="readable")
    assert layers[0].states == 1
