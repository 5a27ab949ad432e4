"""Files in a domain's own format: `rooms.scen#2` names an instance, and an error about a file is one line."""

from pathlib import Path

import numpy as np
import pytest

import searchlab as sl
from searchlab.binding.instance_files import instances_at, places, split_name
from searchlab.board.files import board_name
from tests.changed_domain import changed

GRIDS = Path(__file__).parents[2] / "docs" / "examples"
SCEN = GRIDS / "rooms.scen"


@pytest.fixture(scope="module")
def plugins():
    """Return the plugins with the domain grid."""
    return sl.Plugins(files=[str(GRIDS / "grid.py")])


@pytest.fixture
def grid(plugins):
    """Return the domain grid."""
    return sl.domain("grid", plugins=plugins)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stacks():
    """Return a domain without static data whose instances are lines: a stack of pancakes each, with a name or not."""

    def parse(text):
        for line in text.splitlines():
            name, _, stack = line.rpartition(":")
            yield sl.Instance(name, sl.Board([[int(each) for each in stack.split()]]))

    def successors(board):
        return []

    return sl.domain(sl.Domain("stacks", successors, lambda board: True, files=sl.FileFormat(parse)))


def fill(folder, *names):
    """Write a board of one tile, its number, for each name."""
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"1\n{number}\n")


def test_files_folders_patterns_and_sets_name_boards(folder):
    """The boards come in the order of the names."""
    fill(folder, "mine/10.txt", "mine/9.txt", "one.txt")
    names = ["one.txt", "mine", "m*/1*.txt", "2048/board10", "sliding-tile/unsolvable"]
    assert [board_name(place.path) for name in names for place in places(name)] == [
        *("one.txt", "mine/9.txt", "mine/10.txt", "mine/10.txt", "2048/board10"),
        *("sliding-tile/unsolvable/fourteen-fifteen", "sliding-tile/unsolvable/puzzle8"),
    ]
    for name in ("two.txt", "n*.txt", "."):
        (folder / "one.txt").unlink(missing_ok=True)
        with pytest.raises(sl.BoardError, match=r"no such file|no boards here"):
            places(name)


def test_a_folder_yields_files_of_the_requested_formats(folder):
    """Beside board files, in natural order."""
    fill(folder, "set/2.txt", "set/10.scen", "set/1.map", "set/3.scen")
    assert [place.path.name for place in places("set", {".scen"})] == ["2.txt", "3.scen", "10.scen"]


def test_an_instance_is_named_after_the_file(folder, grid):
    """By its number or its name; a file whose name contains the mark is a file."""
    fill(folder, "board#1")
    assert split_name("board#1") == ("board#1", "")
    assert split_name("rooms.scen#2") == ("rooms.scen", "2")
    (second,) = instances_at(places(f"{SCEN}#2")[0], grid)
    assert (second.key, second.board.tiles.tolist(), second.instance.static["goal"].tolist()) == (
        "2",
        [[4, 4]],
        [0, 11],
    )
    assert second.name == f"{SCEN}#2"
    assert second.instance.optimal == pytest.approx(15.82842712)


def test_an_instance_is_known_by_its_name_or_else_by_its_number(folder):
    domain = stacks()
    Path("stacks.txt").write_text("2:3 1 2\nlast:1 2 3\n2 1\n")
    found = instances_at(places("stacks.txt")[0], domain)
    assert [each.name for each in found] == ["stacks.txt#2", "stacks.txt#last", "stacks.txt#3"]
    assert instances_at(places("stacks.txt#2")[0], domain)[0].board.tiles.tolist() == [[3, 1, 2]]
    assert instances_at(places("stacks.txt#3")[0], domain)[0].board.tiles.tolist() == [[2, 1]]
    Path("stacks.txt").write_text("2:3 1 2\n2 1\n")
    with pytest.raises(sl.BoardError, match=r"^stacks.txt: two of its instances are called '2'$"):
        instances_at(places("stacks.txt")[0], domain)


def test_a_folder_omits_files_without_instances(folder):
    """Others may name it; a folder of nothing else, and the file by its name, are errors."""
    domain = stacks()
    Path("empty.txt").write_text("")
    with pytest.raises(sl.BoardError, match=r"^\.: there is no instance in any of its files$"):
        domain.instances(".")
    with pytest.raises(sl.BoardError, match=r"^empty.txt: there is no instance of stacks in it$"):
        domain.instances("empty.txt")
    Path("stacks.txt").write_text("3 1 2\n")
    assert [each.start.tiles.tolist() for each in domain.instances(".")] == [[[3, 1, 2]]]


def test_the_domains_format_is_tried_before_the_board_format(folder):
    """The error about a file in neither format names both; for a file with the suffix of the domain only its own."""
    domain = stacks()
    Path("board.txt").write_text("2\n1 2\n3 0\n")
    with pytest.raises(sl.BoardError, match=r"^board.txt: 3 instances; name one of them"):
        domain.at("board.txt")
    Path("neither").write_text("one two\n")
    with pytest.raises(sl.BoardError, match=r"^neither: not in the format of stacks \(invalid.*\), and no board file"):
        domain.at("neither")
    suffixed = sl.domain(changed(domain.component, suffixes=(".stack",)))
    Path("a.stack").write_text("one two\n")
    with pytest.raises(sl.BoardError, match=r"^a.stack: invalid literal"):
        suffixed.at("a.stack")
    Path("empty.stack").write_text("")
    with pytest.raises(sl.BoardError, match=r"^empty.stack: there is no instance of stacks in it$"):
        suffixed.at("empty.stack")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rooms.scen", r"^rooms.scen: 5 instances; name one of them, for example rooms.scen#1$"),
        ("rooms.scen#9", r"^rooms.scen: no instance is called '9'; there are 1, 2, 3, 4 and 5$"),
        ("rooms.scen#", "no such file"),
        ("lost.scen#1", r"^lost.scen: .*elsewhere.map: no such file$"),
        ("bad.scen", r"^bad.scen: not enough values"),
        ("walled.scen", r"^walled.scen: not a board of grid: start and goal are free cells$"),
        ("rooms.map", r"^rooms.map: not in the format of grid \(not enough values.*\), and no board file"),
        ("latin.scen", r"^latin.scen: it is not in UTF-8$"),
    ],
)
def test_an_unreadable_file_is_an_error_of_one_line(folder, plugins, name, message):
    """It names the file, the fault, and the remedy."""
    for file in (SCEN, SCEN.with_suffix(".map")):
        Path(file.name).write_bytes(file.read_bytes())
    line = "0\t{}\t12\t8\t0\t0\t{}\t{}\t1\n"
    Path("lost.scen").write_text("version 1\n" + line.format("elsewhere.map", 1, 1))
    Path("bad.scen").write_text("version 1\nrooms.map\n")
    Path("walled.scen").write_text("version 1\n" + line.format("rooms.map", 1, 1))
    Path("latin.scen").write_bytes(b"version 1\n\xff\n")
    with pytest.raises(sl.BoardError, match=message):
        sl.solve(name, domain="grid", plugins=plugins)


def stairs():
    """Return a domain with static data whose instances are written like `1->3`."""

    def parse(text):
        start, goal = map(int, text.split("->"))
        yield sl.Instance("", sl.Board([[start]]), {"goal": goal})

    rules = {"successors": lambda board: [], "is_goal": lambda board, goal: board.tile_at(0, 0) == goal}
    written = sl.FileFormat(parse, format=lambda board, goal: f"{board.tile_at(0, 0)}->{goal}")
    return sl.domain(sl.Domain("stairs", **rules, static=("goal",), files=written))


def test_format_is_the_inverse_of_parse():
    """Static data are included."""
    domain = stairs()
    for text in ("1->3", "4->4"):
        (instance,) = domain.parse(text)
        assert domain.format(instance) == text
        (again,) = domain.parse(domain.format(instance))
        assert (again.start, again.digest) == (instance.start, instance.digest)


def test_a_domain_draws_its_boards(grid):
    """With the static data of the instance; a domain without a picture has none."""
    (second,) = grid.instances(f"{SCEN}#2")
    lines = grid.picture(second).splitlines()
    assert (lines[0], lines[4]) == ("...........G", "...@*.@...@.")
    assert stairs().picture(stairs().parse("1->3")[0]) is None


def test_static_data_reaches_every_function_by_name(grid):
    """Rules, goal test and heuristic; a board without it is refused, and so is data nobody declared."""
    first = grid.parse(SCEN.read_text(), SCEN)[0]
    assert [action for action, _ in grid.successors(first)] == ["east", "south"]
    assert grid.of(first).is_goal(sl.Board([[7, 11]]))
    assert not grid.is_goal(first)
    with pytest.raises(sl.BoardError, match="a board alone is not enough, grid, goal belong to it: name an instance"):
        grid.check(first.start)
    with pytest.raises(sl.UsageError, match="the static data 'walls', which the domain does not declare"):
        grid.of(sl.Instance("x", first.start, {**first.static, "walls": 1}))
    with pytest.raises(sl.UsageError, match="lacks 'goal', which is static data"):
        grid.of(sl.Instance("x", first.start, {"grid": first.static["grid"]}))


def test_a_name_with_two_meanings_is_refused_in_the_declaration():
    """For example static data and a parameter with the same name."""
    parts = {"successors": lambda board: [], "is_goal": lambda board: True}
    with pytest.raises(ValueError, match="'n' is both a parameter and static data"):
        sl.Domain("d", **parts, parameters=(sl.Parameter("n", 3),), static=("n",))
    with pytest.raises(ValueError, match="'n' is both one of the values and static data"):
        sl.Domain("d", **parts, values={"n": lambda board: 3}, static=("n",))
    with pytest.raises(ValueError, match=r"suffixes need a function parse\(text\)"):
        sl.Domain("d", **parts, files=sl.FileFormat(suffixes=(".d",)))


@pytest.mark.slow
def test_other_instances_do_not_recompile(plugins, monkeypatch):
    """Static arrays are passed by their address: one machine code serves maps of all sizes."""
    from searchlab.compiler import cache

    domain = sl.domain("grid", plugins=plugins)
    sl.solve(f"{SCEN}#1", domain=domain, plugins=plugins, engine="compiled")
    monkeypatch.setattr(cache, "_compile", lambda *_: pytest.fail("compiled anew"))
    for instance in domain.parse(SCEN.read_text(), SCEN):
        result = sl.solve(instance, domain=domain, plugins=plugins, engine="compiled")
        assert result.optimal
        assert result.cost == pytest.approx(instance.optimal, abs=1e-6)
        assert result.instance is instance
    open_map = {"grid": np.ones((30, 50), bool), "goal": [29, 49]}
    far = sl.solve(sl.Instance("", sl.Board([[0, 0]]), open_map), domain=domain, plugins=plugins, engine="compiled")
    assert far.cost == pytest.approx(29 * 2**0.5 + 20)


@pytest.mark.slow
def test_both_engines_expand_the_same_nodes_on_each_instance(plugins):
    for number in (1, 4):
        runs = [sl.solve(f"{SCEN}#{number}", plugins=plugins, engine=engine) for engine in ("compiled", "readable")]
        assert len({(run.cost, run.expanded, run.generated, run.reopened) for run in runs}) == 1


def format_alone(parse):
    """Return a domain that has little but a format of its own."""
    return sl.Domain("stack", lambda board: (), lambda board: True, files=sl.FileFormat(parse, suffixes=(".stacks",)))


def test_a_file_of_instances_is_kept_until_it_or_a_file_beside_it_changes(folder):
    """A file may name others, such as a map, also in a folder below."""
    (folder / "maps").mkdir()
    (folder / "maps" / "one.map").write_text("1")
    (folder / "some.stacks").write_text("maps/one.map\n2")
    read = []

    def parse(text, folder):
        read.append(text)
        for number, line in enumerate(text.splitlines(), 1):
            beside = folder / line
            yield sl.Instance("", sl.Board([[number, int(beside.read_text()) if beside.is_file() else 0]]))

    stack = format_alone(parse)
    domain = sl.domain(stack)

    def second(path="some.stacks"):
        return domain.instances(f"{path}#1")[0].start.tile_at(0, 1)

    assert [second(), second(), second()] == [1, 1, 1]
    assert len(read) == 1
    (folder / "maps" / "one.map").write_text("20")
    assert (second(), len(read)) == (20, 2)
    (folder / "beside.txt").write_text("")
    assert (second(), len(read)) == (20, 3)
    (folder / "some.stacks").write_text("maps/one.map\n2\n3")
    assert (second(), second(), len(read)) == (20, 20, 4)
    assert sl.domain(format_alone(parse)).instances("some.stacks#2")
    assert len(read) == 5


def test_a_file_with_one_instance_is_read_each_time(folder):
    """As that of a planning task, whose domain may lie in another folder."""
    (folder / "one.stacks").write_text("2")
    read = []

    def parse(text):
        read.append(text)
        yield sl.Instance("", sl.Board([[1, 2]]))

    domain = sl.domain(format_alone(parse))
    assert domain.instances("one.stacks")[0].start == domain.instances("one.stacks")[0].start
    assert len(read) == 2
