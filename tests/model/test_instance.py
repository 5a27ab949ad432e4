"""An instance keeps the static data of its domain, and different data have different digests."""

import pickle

import numpy as np
import pytest

import searchlab as sl

START = sl.Board([[0, 0]])


def test_static_data_is_read_only_and_the_array_is_not_copied():
    """Thousands of instances may share one map."""
    grid = np.ones((3, 4), np.uint8)
    first, second = (sl.Instance(name, START, {"grid": grid, "goal": [1, 2], "ways": np.int64(8)}) for name in "ab")
    assert np.shares_memory(first.static["grid"], second.static["grid"])
    assert first.static["goal"].tolist() == [1, 2]
    assert type(first.static["ways"]) is int
    with pytest.raises(ValueError, match="read-only"):
        grid[0, 0] = 0


def test_a_digest_tells_static_data_apart_by_content(tmp_path):
    """It depends on the values, the types and the shapes, not on the order, the name, or where a file lies."""
    (tmp_path / "there").mkdir()
    for file in (tmp_path / "a.map", tmp_path / "there" / "a.map"):
        file.write_text("..@")

    def digest(**static):
        return sl.Instance("x", START, static).digest

    data = {"grid": np.arange(6).reshape(2, 3), "ways": 8}
    assert digest() == ""
    assert digest(**data) == digest(ways=8, grid=np.arange(6).reshape(2, 3))
    assert digest(map=tmp_path / "a.map") == digest(map=tmp_path / "there" / "a.map")
    others = [
        {**data, "ways": 4},
        {**data, "ways": 8.0},
        {**data, "grid": np.arange(6).reshape(3, 2)},
        {**data, "grid": np.arange(6).astype(np.int32).reshape(2, 3)},
        {**data, "grid": np.arange(1, 7).reshape(2, 3)},
        {"map": tmp_path / "a.map"},
    ]
    digests = {digest(**data), *(digest(**other) for other in others)}
    (tmp_path / "a.map").write_text("...")
    digests.add(digest(map=tmp_path / "a.map"))
    assert len(digests) == len(others) + 2


def test_an_array_that_was_freed_does_not_lend_its_digest():
    """Digests are kept by address, which another array may get."""
    seen = {sl.Instance("x", START, {"grid": np.full(100_000, k)}).digest for k in range(20)}
    assert len(seen) == 20


def test_an_instance_can_be_pickled():
    """As the result of a search does when its process is watched from another."""
    there = pickle.loads(pickle.dumps(sl.Instance("x", START, {"grid": np.eye(2)}, optimal=3)))
    assert (there.name, there.start, there.optimal) == ("x", START, 3.0)
    assert there.digest == sl.Instance("y", START, {"grid": np.eye(2)}).digest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("two\nlines", START), "a name is a text of one line"),
        (("x", [[0, 0]]), "start: .* is not a state: a list can change"),
        (("x", START, {"grid": "text", "my map": 1}), "no argument can be called that"),
        (("x", START, {"grid": {"a": 1}}), "static are arrays, numbers, texts and paths"),
        (("x", START, {"grid": np.array(["a"])}), "static are arrays of numbers"),
        (("x", START, {"grid": [[1], [2, 3]]}), "its rows differ in length"),
        (("x", START, 7), "static is a dict"),
        (("x", START, {}, -1.0), "optimal is a cost of 0 or more"),
        (("x", START, {}, "3"), "optimal is a cost or None"),
    ],
)
def test_an_invalid_instance_is_refused_in_one_line(arguments, message):
    """The message says which field is wrong."""
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        sl.Instance(*arguments)
    assert "\n" not in str(caught.value)
