"""An n-tuple network: its weights, the values of boards, and the files it is kept in."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.games.learning import network as module
from searchlab.games.learning.array_files import write_arrays
from searchlab.games.learning.network import in_16_bits, save_network

TUPLES = ((0, 1, 2, 3), (0, 1, 4, 5))


def network(seed=0, tuples=TUPLES, n=4, **others):
    """A network with all sorts of weights."""
    found = sl.NTupleNetwork(n, n, tuples, **others)
    found.weights[...] = np.random.default_rng(seed).normal(size=found.entries)
    return found


def grids(n=4):
    tiles = st.sampled_from([0, 2, 4, 8, 1024, 32768])
    return st.lists(tiles, min_size=n * n, max_size=n * n).map(lambda cells: np.array(cells).reshape(n, n))


def by_hand(network, grid):
    """The value of a board by the definition: every tuple in every position."""
    exponents = np.where(grid > 0, np.log2(np.maximum(grid, 1)).astype(int), 0)
    codes = network.codes or 16
    exponents = np.minimum(exponents, codes - 1)
    turned = [np.rot90(flipped, k) for flipped in (exponents, exponents.T) for k in range(4)]
    total, first = network.base, 0
    for cells in network.tuples:
        for position in turned if network.symmetric else [exponents]:
            entry = sum(int(position.ravel()[cell]) * codes**k for k, cell in enumerate(cells))
            total += float(network.weights[first + entry])
        first += codes ** len(cells)
    return total


@given(grids(), st.booleans(), st.sampled_from([0, 11]))
def test_the_value_of_a_board_is_the_sum_of_the_weights_of_all_tuples(grid, symmetric, codes):
    of_network = network(base=7.5, symmetric=symmetric, codes=codes)
    assert of_network.value(sl.Board(grid)) == pytest.approx(by_hand(of_network, grid))


@given(grids(3))
def test_turned_and_mirrored_boards_have_the_same_value(grid):
    of_network = network(tuples=((0, 1, 2), (3, 4, 7)), n=3)
    values = [of_network.value(sl.Board(np.rot90(one, k))) for one in (grid, grid.T) for k in range(4)]
    assert values == pytest.approx([values[0]] * 8)


WHOLE = (8, 0, 1, 2, 3, 4, 5, 6, 7)


@given(grids(3))
def test_a_last_tuple_of_all_cells_looks_up_one_weight_that_counts_eight_times(grid):
    """That of the position with the smallest number, in which the last cell counts most."""
    of_network = network(tuples=((0, 1, 2), WHOLE), n=3, codes=4, base=2.0)
    exponents = np.minimum(np.where(grid > 0, np.log2(np.maximum(grid, 1)).astype(int), 0), 3)
    turned = [np.rot90(one, k).ravel().tolist() for one in (exponents, exponents.T) for k in range(4)]
    smallest = min(turned, key=lambda codes: codes[::-1])
    weight = of_network.weights[4**3 + sum(smallest[cell] * 4**k for k, cell in enumerate(WHOLE))]
    partial = sl.NTupleNetwork(3, 3, ((0, 1, 2),), codes=4, base=2.0, weights=of_network.weights[: 4**3])
    assert of_network.value(sl.Board(grid)) == partial.value(sl.Board(grid)) + 8 * float(weight)
    assert len(of_network.entries_of(turned_boards := np.array([grid, grid.T, grid[::-1]]))[0]) == 8 + 1
    assert len(set(of_network.values(turned_boards).tolist())) == 1


def test_the_weights_in_use_are_those_that_some_board_looks_up():
    cells = np.stack(np.meshgrid(*[[0, 2, 4]] * 4), axis=-1).reshape(-1, 2, 2)
    whole = network(tuples=((0, 1), (0, 1, 2, 3)), n=2, codes=3, stages=(4,))
    assert whole.entries == 2 * (9 + 81)
    assert whole.used == 2 * (9 + len(np.unique(whole.entries_of(cells)[:, -1] % (9 + 81))))
    partial = network(tuples=((0, 1, 2, 3), (0, 1)), n=2, codes=3)
    assert partial.used == partial.entries  # only the last tuples are looked up once
    assert partial.lookups == 16


def test_values_of_many_boards_equal_those_of_single_boards():
    boards = np.array([[[2, 4, 8, 0]] * 4, [[0, 0, 2, 65536]] * 4, [[2, 0, 0, 0]] * 4])
    values = network().values(boards)
    assert values.tolist() == [network().value(sl.Board(tiles)) for tiles in boards]


def test_a_tile_beyond_the_largest_code_counts_as_the_largest():
    assert network(bits=2).value(sl.Board([[8] * 4] * 4)) == network(bits=2).value(sl.Board([[4096] * 4] * 4))


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ([[32768, 16384, 2048, 1024], [0] * 4], [[16384, 8192, 2048, 1024], [0] * 4]),  # 4096 and 8192 are missing
        ([[8192, 8192, 4, 2], [0] * 4], [[8192, 8192, 4, 2], [0] * 4]),
        ([[16384, 0, 0, 0], [2, 4, 8, 16]], [[8192, 0, 0, 0], [2, 4, 8, 16]]),
        ([[16384, 8192, 4096, 2048], [1024, 512, 256, 128]], [[8192, 4096, 2048, 1024], [512, 256, 128, 64]]),
    ],
)
def test_boards_with_large_tiles_are_read_downgraded(given, read):
    """What is larger than the largest missing tile is halved, from the tile named on."""
    whole, downgrading = network(), network(downgrade=16384)
    given, read = (np.array([*rows, [0] * 4, [0] * 4]) for rows in (given, read))
    assert downgrading.value(sl.Board(given)) == whole.value(sl.Board(read))


def test_a_board_without_missing_tiles_is_not_downgraded():
    full = np.array([*2 ** np.arange(1, 16), 0]).reshape(4, 4)
    assert network(downgrade=16384).value(sl.Board(full)) == network().value(sl.Board(full))


STAGES = (16, 24, 2048)
"""From the first 16 on, from 16 and 8 on, and from 2048 on."""


@pytest.mark.parametrize(
    ("tiles", "stage"),
    [
        ([2, 4, 8, 8], 0),
        ([16, 4, 2], 1),
        ([16, 8], 2),
        ([16, 8, 8, 4], 2),
        ([16, 4, 4, 4], 1),  # each tile counts once
        ([32, 2], 2),
        ([1024, 512, 256, 8], 2),
        ([4096], 3),
        ([], 0),
    ],
)
def test_the_largest_tiles_decide_on_the_stage(tiles, stage):
    """Whose weights are looked up."""
    in_stages, board = network(tuples=TUPLES, stages=STAGES), np.zeros(16, np.int64)
    board[: len(tiles)] = tiles
    one = in_stages.weights.reshape(4, -1)[stage].copy()
    assert in_stages.value(sl.Board(board.reshape(4, 4))) == sl.NTupleNetwork(4, 4, TUPLES, weights=one).value(
        sl.Board(board.reshape(4, 4))
    )


def test_the_stage_of_a_downgraded_board_is_that_of_its_new_tiles():
    board = sl.Board([[4096, 8, 4, 2], [0] * 4, [0] * 4, [0] * 4])
    read = sl.Board([[2048, 8, 4, 2], [0] * 4, [0] * 4, [0] * 4])
    for stages in ((2048,), (4096,)):
        assert network(stages=stages, downgrade=4096).value(board) == network(stages=stages).value(read)


@pytest.mark.parametrize("stages", [(2,), (0,), (-4,), (6,), (16, 8), (8, 8), (65536,), tuple(range(4, 260, 4))])
def test_an_invalid_stage_is_refused(stages):
    with pytest.raises(sl.UsageError, match="ever larger sums of different tiles from 4 up"):
        network(stages=stages)


def test_stages_need_powers_of_two():
    with pytest.raises(sl.UsageError, match="ever larger sums"):
        network(stages=(8,), powers_of_two=False)


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ((0, 4, TUPLES), "rows and columns"),
        ((3, 4, ((0, 1),)), "only a square board can be turned"),
        ((4, 4, ()), "1 to 1024 tuples"),
        ((4, 4, ((),)), "each of a cell or more"),
        ((4, 4, ((0, 16),)), "the tuple 0 16 does not have cells from 0 to 15, each once"),
        ((4, 4, ((3, 3),)), "the tuple 3 3 does not have cells"),
        ((4, 4, (tuple(range(9)),)), "its tables would have 68,719,476,736 entries"),
    ],
)
def test_an_invalid_network_is_refused(arguments, wrong):
    with pytest.raises(sl.UsageError, match=wrong):
        sl.NTupleNetwork(*arguments)


@pytest.mark.parametrize("codes", [-1, 1, 17])
def test_codes_that_do_not_fit_into_the_bits_are_refused(codes):
    with pytest.raises(sl.UsageError, match="a cell of 4 bits has 2 to 16 codes"):
        sl.NTupleNetwork(4, 4, TUPLES, codes=codes)


@pytest.mark.parametrize("others", [{"downgrade": 3}, {"downgrade": 2}, {"downgrade": 8, "powers_of_two": False}])
def test_an_invalid_downgrade_is_refused(others):
    with pytest.raises(sl.UsageError, match="a power of two from 4 up"):
        sl.NTupleNetwork(4, 4, TUPLES, **others)


@pytest.mark.parametrize("base", [float("inf"), float("nan")])
def test_a_board_without_weights_has_a_finite_value(base):
    """Errors would be infinite, and all weights with them."""
    with pytest.raises(sl.UsageError, match=f"a finite number, not {base}"):
        sl.NTupleNetwork(4, 4, TUPLES, base=base)


def test_weights_of_a_wrong_number_are_refused():
    with pytest.raises(sl.UsageError, match="256 weights are needed"):
        sl.NTupleNetwork(4, 4, ((0, 1),), weights=np.zeros(17, np.float32))


def test_boards_of_another_shape_are_refused():
    with pytest.raises(sl.UsageError, match="boards of 4 × 4, not of 3 × 3"):
        network().values(np.zeros((1, 3, 3), np.int64))


def trained(**others):
    network = sl.NTupleNetwork(3, 3, ((0, 1, 2), (3, 4)), base=3.0, about={"games": 7}, **others)
    network.weights[::3] = np.arange(len(network.weights[::3]))
    return network


@given(grids(3), st.booleans(), st.sampled_from([(), (8,), (8, 24)]))
def test_a_network_that_begins_as_another_has_the_same_values(grid, small, stages):
    known = network(tuples=((0, 1, 2), (3, 4, 7)), n=3, stages=stages[:1], codes=12, base=2.0)
    known = in_16_bits(known) if small else known
    larger = sl.NTupleNetwork(3, 3, ((0, 1, 2), (3, 4, 7), (0, 1, 3)), stages=stages, codes=12, base=2.0)
    larger.begin_as(known)
    larger.take_over(larger.entries_of(grid[None])[0])
    assert larger.value(sl.Board(grid)) == pytest.approx(known.value(sl.Board(grid)), abs=1e-4)


def test_a_network_with_all_codes_may_begin_as_one_with_default_codes():
    named = sl.NTupleNetwork(3, 3, ((0, 1), (2, 3)), codes=16)
    named.begin_as(network(tuples=((0, 1),), n=3))
    assert named.weights[:256].all()
    assert not named.weights[256:].any()


@pytest.mark.parametrize(
    ("others", "wrong"),
    [
        ({"base": 1.0}, r"with base 1.0 cannot begin as one with base 0.0"),
        ({"codes": 12}, "with codes 12 cannot begin as one with codes 0"),
        ({"bits": 5, "codes": 16}, "with bits 5"),
        ({"symmetric": False}, "with symmetric False"),
        ({"stages": (16,)}, "unless the stages of that come first"),
        ({"tuples": ((0, 1),)}, "unless the tuples of that come first"),
    ],
)
def test_a_network_cannot_begin_as_one_of_another_kind(others, wrong):
    larger = sl.NTupleNetwork(3, 3, others.pop("tuples", ((0, 1, 2), (3, 4), (5, 6))), **others)
    with pytest.raises(sl.UsageError, match=wrong):
        larger.begin_as(sl.NTupleNetwork(3, 3, ((0, 1, 2), (3, 4)), stages=(8,) if "stages" in wrong else ()))


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """The bytes of a network's file."""
    path = tmp_path_factory.mktemp("networks") / "network.npz"
    save_network(trained(), path)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "network.npz"


def test_a_saved_network_is_read_back(path):
    save_network(trained(symmetric=False, bits=5, downgrade=16, codes=20), path)
    read = sl.read_network(path)
    assert (read.downgrade, read.codes) == (16, 20)
    assert (read.rows, read.columns, read.tuples, read.bits) == (3, 3, ((0, 1, 2), (3, 4)), 5)
    assert (read.symmetric, read.powers_of_two, read.base, read.about) == (False, True, 3.0, {"games": 7})
    assert np.array_equal(read.weights, trained(symmetric=False, bits=5, codes=20).weights)


@pytest.mark.parametrize("small", [False, True])
def test_unlearned_weights_of_a_stage_come_from_the_stage_before(path, small):
    """In the network that is read; in 16 bits a weight that was learned is not mistaken for one that was not."""
    whole = sl.NTupleNetwork(3, 3, ((0, 1),), stages=(8, 16))
    first, second, third = whole.weights.reshape(3, -1)
    first[:4] = 100, -50, 30, 8
    second[:3] = 0, 20, 1e-5
    third[:2] = 0, 70
    save_network(in_16_bits(whole) if small else whole, path)
    read = sl.read_network(path)
    assert read.stages == (8, 16)
    weights = read.scale * (read.weights.astype(float) - read.zero) if small else read.weights
    first, second, third = weights.reshape(3, -1)[:, :5]
    step = 150 / 65534
    assert first.tolist() == pytest.approx([100, -50, 30, 8, 0], abs=step)
    assert second.tolist() == pytest.approx([100, 20, 0, 8, 0], abs=step)
    assert third.tolist() == pytest.approx([100, 70, 0, 8, 0], abs=step)


def test_a_file_is_read_again_only_after_a_change(path):
    save_network(trained(), path)
    first = sl.read_network(path)
    assert sl.read_network(str(path)) is first
    other = path.with_name("other.npz")
    other.symlink_to(path)
    assert sl.read_network(other) is first, "the file counts, not what it is called"
    save_network(trained(symmetric=False), path)
    assert not sl.read_network(path).symmetric
    assert first.symmetric


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "~nobody-of-that-name/x"])
def test_an_empty_file_name_is_refused(name):
    with pytest.raises(sl.UsageError, match="no such file"):
        sl.read_network(name)


def test_the_same_network_is_the_same_file(path, content):
    save_network(trained(), path)
    assert path.read_bytes() == content


def test_a_network_larger_than_the_memory_is_refused(path, content, monkeypatch):
    """In learning and in playing."""
    path.write_bytes(content)
    monkeypatch.setattr(module, "available_memory", lambda: 1024)
    assert "network.npz needs 17 KiB of memory, and 1 KiB is available" in refused(path)
    with pytest.raises(sl.UsageError, match="learning with these tuples needs 51 KiB of memory, and 1 KiB"):
        sl.AfterstateLearning(trained(), sl.domain("2048-random", n=3))


def test_a_network_that_is_read_is_not_changed(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="read-only"):
        sl.read_network(path).weights[0] = 1


def refused(path):
    """Return the message for a file that is refused."""
    with pytest.raises(sl.UsageError) as error:
        sl.read_network(path)
    said = str(error.value)
    assert "\n" not in said
    assert str(path) in said
    return said


def test_a_truncated_file_is_refused(path, content):
    for length in [*range(0, len(content), 97), len(content) - 1]:
        path.write_bytes(content[:length])
        assert "is no n-tuple network" in refused(path)


@given(st.data())
def test_a_damaged_file_is_refused_or_holds_the_same(tmp_path_factory, content, data):
    """A byte of the archive's bookkeeping may go unread; no damage makes another network, none raises anything else."""
    at = data.draw(st.integers(0, len(content) - 1))
    damaged = bytearray(content)
    damaged[at] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("damaged") / "network.npz"
    path.write_bytes(damaged)
    try:
        read = sl.read_network(path)
    except sl.UsageError as error:
        said = str(error)
    else:
        said = ""
        assert np.array_equal(read.weights, trained().weights)
    assert "\n" not in said


@pytest.mark.parametrize(
    ("bytes_of_it", "said"),
    [
        (b"", "another kind of file"),
        (b"4\n2 0 0 0\n", "another kind of file"),
        (b"\x80\x04K\x01.", "another kind of file"),
        (b"PK", "cut off or damaged"),
    ],
)
def test_files_of_other_formats_are_refused(path, bytes_of_it, said):
    path.write_bytes(bytes_of_it)
    assert said in refused(path)


def test_pickles_in_a_file_are_not_read(path):
    stream = io.BytesIO()
    np.savez(stream, about=np.array([{"holds": "n-tuple network"}], dtype=object))
    path.write_bytes(stream.getvalue())
    assert "is no n-tuple network" in refused(path)


def test_missing_files_and_folders_are_refused(tmp_path):
    assert "no such file" in refused(tmp_path / "nothing.npz")
    assert "is a folder" in refused(tmp_path)


def test_other_zip_archives_are_refused(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert "it has no about" in refused(path)
    write_arrays(path, "checkpoint of learning", {}, {})
    assert "it holds a checkpoint of learning" in refused(path)


ABOUT = {
    **{"rows": 3, "columns": 3, "bits": 4, "powers_of_two": True, "symmetric": True, "base": 0.0},
    **{"tuples": [[0, 1]], "learned": {}},
}
ARRAYS = {"learned": np.full(32, 255, np.uint8), "weights": np.zeros(256, np.float32)}


@pytest.mark.parametrize(
    ("about", "arrays", "said"),
    [
        ({"rows": 4}, {}, "only a square board"),
        ({"rows": "3"}, {}, "its rows are"),
        ({"bits": True}, {}, "its bits are"),
        ({"tuples": [[0, 9]]}, {}, "cells from 0 to 8"),
        ({"tuples": [[0, 1.5]]}, {}, "its tuples are"),
        ({"tuples": [[0, 1, 2, 3, 4, 5, 6, 7, 8]]}, {}, "entries"),
        ({"downgrade": 2.5}, {}, "its downgrade are"),
        ({"downgrade": 5}, {}, "a power of two from 4 up"),
        ({"stages": 8}, {}, "its stages are"),
        ({"stages": [8.0]}, {}, "its stages are"),
        ({"stages": [16, 8]}, {}, "ever larger sums"),
        ({"stages": [8]}, {}, "its learned are uint8 of shape (32,)"),
        ({"learned": None}, {}, "its learned are"),
        ({}, {"weights": np.zeros(255, np.float32)}, "its weights are float32 of shape (255,)"),
        ({}, {"weights": np.zeros(256)}, "its weights are float64"),
        ({}, {"learned": np.full(31, 255, np.uint8)}, "its learned are uint8 of shape (31,)"),
        ({}, {"weights": np.full(256, np.nan, np.float32)}, "no finite numbers"),
        ({"version": 2}, {}, "a later version of searchlab"),
    ],
)
def test_inconsistent_files_are_refused(path, about, arrays, said):
    write_arrays(path, "n-tuple network", {**ABOUT, **about}, {**ARRAYS, **arrays})
    assert said in refused(path)


def test_consistent_files_are_read(path):
    """The case the table above departs from."""
    write_arrays(path, "n-tuple network", ABOUT, ARRAYS)
    assert sl.read_network(path).entries == 256


def test_a_description_that_is_no_object_is_refused(path):
    np.savez(path, about=np.frombuffer(json.dumps([1]).encode(), np.uint8))
    assert "does not say what it holds" in refused(path)


def test_unwritable_files_are_reported(tmp_path):
    with pytest.raises(sl.UsageError, match=r"network\.npz: no such file"):
        save_network(trained(), Path(tmp_path / "nowhere" / "network.npz"))


HEADERS = {
    "no Python": b"{'descr': '|u1', 'fortran_order': False, 'shape': (1,), ",
    "a string without an end": b"{'descr': '''",
    "odd indentation": b"    {\n  'a'\n }",
    "brackets": b"(" * 5000,
    "objects": b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
    "more than is there": b"{'descr': '|u1', 'fortran_order': False, 'shape': (10000000000000,), }",
    "a huge number": b"{'descr': '|u1', 'fortran_order': False, 'shape': (" + b"9" * 400 + b",), }",
    "no shape": b"{'descr': '|u1', 'fortran_order': False, 'shape': 3, }",
    "no type": b"{'descr': 3, 'fortran_order': False, 'shape': (1,), }",
    "bytes": b"\xff\0\n",
}


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_a_header_that_is_mangled_is_refused(path, content, header, version):
    """One line, whatever NumPy makes of it, and no memory is taken for what it promises."""
    length = len(header).to_bytes(2 if version == 1 else 4, "little")
    mangled = b"\x93NUMPY" + bytes([version, 0]) + length + header
    for name in ("about.npy", "weights.npy"):
        with zipfile.ZipFile(io.BytesIO(content)) as whole, zipfile.ZipFile(path, "w") as archive:
            for entry in whole.namelist():
                archive.writestr(entry, mangled if entry == name else whole.read(entry))
        with pytest.raises(sl.UsageError, match=r"that can be read: it is cut off or damaged$"):
            sl.read_network(path)
        path.unlink()


@given(grids(3))
def test_weights_of_16_bits_are_off_by_half_a_step_at_most(grid):
    whole = network(tuples=((0, 1, 2), (3, 4)), n=3, base=5.0)
    small = in_16_bits(whole)
    assert small.weights.nbytes == whole.weights.nbytes // 2
    board = sl.Board(grid)
    assert small.value(board) == pytest.approx(whole.value(board), abs=small.lookups * small.scale / 2)


def test_weights_of_16_bits_are_kept_in_files(path):
    small = in_16_bits(trained())
    save_network(small, path)
    read = sl.read_network(path)
    assert (read.scale, read.zero, read.weights.dtype) == (small.scale, small.zero, np.uint16)
    assert np.array_equal(read.weights, small.weights)
    assert read.value(sl.Board(np.zeros((3, 3), int))) == small.value(sl.Board(np.zeros((3, 3), int)))
