"""MovingAI files: their content, and errors of one line with the place."""

import numpy as np
import pytest

import searchlab as sl

MAP = "type octile\nheight 2\nwidth 3\nmap\n.GS\n@TW\n"
LINE = "1\tsmall.map\t3\t2\t0\t0\t2\t0\t2.00000000\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is the current one, but for a map."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.map").write_text(MAP)
    return tmp_path


def read(content, ways=8):
    """The instances of a .scen file of this content."""
    with open("small.scen", "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return sl.domain("grid-map", ways=ways).instances("small.scen")


@pytest.mark.parametrize("version", ["version 1", "version 1.0"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_file_has_many_instances_of_maps_beside_it(folder, version, ends):
    """Ground and swamp are passable; instances with the same map share it; blanks may be between the fields."""
    (folder / "small.map").write_bytes(MAP.replace("\n", ends).encode() + ends.encode())
    one, other = read(f"{version}\n{LINE}\n{LINE.replace(chr(9), ' ')}".replace("\n", ends))
    assert one.start == sl.Board([[0, 0]])
    assert one.static["grid"].tolist() == [[1, 1, 1], [0, 0, 0]]
    assert one.static["goal"].tolist() == [2, 0]
    assert one.optimal == other.optimal == 2
    assert np.shares_memory(one.static["grid"], other.static["grid"])
    assert one.digest == other.digest


def test_costs_of_a_file_hold_only_with_diagonal_steps(folder):
    assert [each.optimal for each in read(f"version 1\n{LINE}", ways=4)] == [None]


@pytest.mark.parametrize("name", ["maps/small.map", "dao\\small.map", "Small Map.map"])
def test_a_map_may_be_named_with_a_missing_folder(folder, name):
    """As in the benchmarks, whose maps and scenarios lie in other folders; a name may have blanks in it."""
    (folder / "Small Map.map").write_text(MAP)
    assert len(read(f"version 1\n{LINE.replace('small.map', name)}")) == 1


def test_a_map_may_follow_below_the_instances(folder):
    """As generators write it, to files and to standard input; a cost need not be known."""
    (instance,) = read("version 1\n1 - 3 2 0 0 2 0 -\n" + MAP)
    assert instance.optimal is None
    domain = sl.domain("grid-map")
    (again,) = domain.parse(domain.format(instance))
    assert (again.start, again.digest) == (instance.start, instance.digest)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1: a .scen file begins with 'version 1', not ''"),
        (LINE, "line 1: a .scen file begins with 'version 1', not '1.*small.map"),
        ("version 2\n" + LINE, "line 1: a .scen file begins with 'version 1', not 'version 2'"),
        ("version 1\n1 small.map 3 2\n", "line 2: 4 fields, where an instance has 9: bucket, map, width"),
        ("version 1\n" + LINE.replace("\t3\t", "\t4\t"), "line 2: the map small.map has 3 × 2 cells, not 4 × 2"),
        ("version 1\n\n" + LINE.replace("\t0\t0\t", "\t1\t1\t"), r"line 3: the start, \(1, 1\), is on an impassable"),
        (
            "version 1\n" + LINE.replace("\t2\t0\t2.", "\t3\t0\t2."),
            r"line 2: the goal, \(3, 0\), is beside the map of 3 × 2",
        ),
        (
            "version 1\n" + LINE.replace("\t2\t0\t2.", "\t-1\t0\t2."),
            "line 2: '-1' is no whole number; the fields are bucket",
        ),
        ("version 1\n" + LINE.replace("2.00000000", "nan"), "line 2: 'nan' is no cost, a number of 0 or more"),
        ("version 1\n" + LINE.replace("2.00000000", "far"), "line 2: 'far' is no cost"),
        ("version 1\n" + LINE.replace("small", "lost"), "line 2: there is no map 'lost.map' in its folder"),
        ("version 1\n" + LINE.replace("small.map", "-"), "line 2: no map follows below the instances"),
        ("version 1\n1 - 3 2 0 0 2 0 -\n" + MAP.replace("TW", "T"), "line 8: the width is 3, and this row has 2 cells"),
        ("version 1\n", "there is no instance of grid-map in it"),
        (b"version 1\n\xff\n", "it is not in UTF-8"),
    ],
)
def test_errors_in_a_scenario_file(folder, content, said):
    """The message gives the file, the line and the fault."""
    with pytest.raises(sl.BoardError, match=f"^small.scen: {said}") as caught:
        read(content)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1: a map begins with the lines 'type octile', 'height …', 'width …', 'map'"),
        (MAP.replace("octile", "hexagonal"), "line 1: a map begins with"),
        (MAP.replace("height 2", "height two"), "line 2: height and width are whole numbers from 1 to 4096"),
        (MAP.replace("height 2", "height 4097"), "line 2: height and width are whole numbers from 1 to 4096"),
        (MAP.replace("height 2", "height 3"), "line 2: the height is 3, and 2 rows follow"),
        (MAP.replace(".GS", ".GSS"), "line 5: the width is 3, and this row has 4 cells"),
        (MAP.replace("@TW", "@XW"), "line 6: 'X' is no terrain: .GS are passable, @OTW not"),
        (MAP.replace("@TW", "@\x00W"), r"line 6: '\\x00' is no terrain"),
    ],
)
def test_errors_in_a_map(folder, content, said):
    """The file, the line in it, and what is wrong, after the line that names it."""
    (folder / "small.map").write_text(content)
    with pytest.raises(sl.BoardError, match=rf"^small.scen: line 2: small.map[,:] {said}") as caught:
        read(f"version 1\n{LINE}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_too_large_is_refused(folder):
    """A map may have 4096 × 4096 cells."""
    with (folder / "small.map").open("wb") as file:
        file.truncate(17_000_000)
    with pytest.raises(sl.BoardError, match=r"line 2: small.map: larger than a map of 4096 × 4096"):
        read(f"version 1\n{LINE}")


def test_a_board_beside_the_map_is_refused(folder):
    """Or of another shape."""
    (instance,) = read(f"version 1\n{LINE}")
    domain = sl.domain("grid-map").of(instance)
    assert domain.why_invalid(sl.Board([[1, 1]])) == "(1, 1) is no free cell of the map of 3 × 2"
    assert domain.why_invalid(sl.Board([[3, 0]])) == "(3, 0) is no free cell of the map of 3 × 2"
    assert "one row with its column and its row" in domain.why_invalid(sl.Board([[1], [0]]))
