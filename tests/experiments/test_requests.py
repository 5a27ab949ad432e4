"""The version of a component or board that was asked for last counts, in any order of recording."""

import sqlite3
from dataclasses import replace

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.filters import run_filter
from searchlab.experiments.identities import packed
from searchlab.experiments.loading import LEFT_OUT
from searchlab.experiments.requests import Request, board_digest, spell_varied, undated
from searchlab.experiments.store import FILE, Store, merge_into
from searchlab.experiments.tables import every_run

OLD, NEW = {"mine": "0123456789abcdef"}, {"mine": "fedcba9876543210"}
SHIPPED = {"searchlab/frontiers": "ffff"}


@pytest.fixture
def record(make_record):
    """A function that makes up a run of a heuristic with some code, on the board of a number."""

    def record(board, heuristic, code, **figures):
        return make_record(board, heuristic, plugins={**code, **SHIPPED}, **figures)

    return record


def asked(begun, records, **code):
    """Return a request for the runs of records whose heuristics have some code."""
    named = {name.replace("_", "-"): code for name, code in code.items()}
    boards = {one.run.instance.name: board_digest(one.cells["board"]) for one in records}
    found = {"heuristic": named, "frontier": {"astar": SHIPPED}}
    request = Request(f"2026-11-21T{begun}:00.000+00:00", found, boards)
    return request, [one.run.identity for one in records]


@pytest.fixture
def stored(tmp_path):
    """A function that makes a store of records and requests, and returns its folder."""

    def stored(records, requests, wanted=(), name="results"):
        folder = tmp_path / name
        with Store(folder, writes=True) as store:
            store.number(packed(one.run.identity for one in (*records, *wanted)))
            for request, identities in requests:
                store.request(request, store.number(packed(identities)))
            store.add(records)
        return folder

    return stored


@pytest.fixture
def edited(record):
    """Runs of a heuristic before and after it was edited, and of another one, on two boards."""
    old = [record(board, "plus", OLD, expanded=10) for board in (1, 2)]
    new = [record(board, "plus", NEW, expanded=20) for board in (1, 2)]
    other = [record(board, "taxicab", {}, expanded=5) for board in (1, 2)]
    return old, new, other


def counted(folder):
    """Return the expansions of the runs that count, by heuristic and board."""
    table = sl.load_results(folder).sort_values(["heuristic", "board_name"])
    return list(zip(table["heuristic"], table["expanded"], strict=True))


def test_runs_of_a_former_version_of_a_heuristic_do_not_count(stored, edited):
    old, new, other = edited
    requests = [asked("12:00", [*old, *other], plus=OLD, taxicab={}), asked("12:30", [*new, *other], plus=NEW)]
    folder = stored([*old, *other, *new], requests)
    assert counted(folder) == [("plus", 20)] * 2 + [("taxicab", 5)] * 2
    line = "2 older runs of plus left out; --all-versions shows them"
    assert sl.load_results(folder).attrs[LEFT_OUT] == line
    assert sl.pivot(folder, "heuristic").loc["boards/1.txt"].tolist() == [20, 5]
    assert len(every_run(folder)) == 6


def test_tables_of_some_columns_leave_former_versions_out_too(stored, edited):
    """The metrics of the runs, which such a table does not read, are not needed for that."""
    old, new, other = edited
    requests = [asked("12:00", [*old, *other], plus=OLD, taxicab={}), asked("12:30", [*new, *other], plus=NEW)]
    folder = stored([*old, *other, *new], requests)
    names = ["board_name", "heuristic", "expanded"]
    some = sl.load_results(folder, columns=names)
    assert some.equals(sl.load_results(folder)[list(some.columns)])
    assert some["expanded"].tolist() == [5, 5, 20, 20]


def test_the_last_request_decides_which_version_counts(stored, edited):
    """If an edit is undone, the former runs count again without being repeated."""
    old, new, other = edited
    requests = [asked("12:00", old, plus=OLD), asked("12:30", new, plus=NEW), asked("12:40", old, plus=OLD)]
    folder = stored([*old, *other, *new], requests)
    assert counted(folder) == [("plus", 10)] * 2 + [("taxicab", 5)] * 2
    with Store(folder) as store:
        assert [request.begun[11:16] for request in store.requests()] == ["12:00", "12:30", "12:40"]


def test_requested_runs_that_are_not_done_are_missing(stored, edited):
    """Older runs do not replace them."""
    old, new, other = edited
    requests = [asked("12:00", old, plus=OLD), asked("12:30", [*new, *other], plus=NEW)]
    folder = stored([*old, *other, new[1]], requests, wanted=new)
    assert counted(folder) == [("plus", 20)] + [("taxicab", 5)] * 2
    assert sl.load_results(folder).attrs[LEFT_OUT] == (
        "2 older runs of plus left out; --all-versions shows them; 1 of the 4 runs asked for last are not done"
    )


def test_components_without_a_new_request_keep_their_version(stored, edited):
    """Another experiment in the same folder replaces nothing; new code of a strategy replaces all of its runs."""
    old, _, other = edited
    folder = stored([*old, *other], [asked("12:00", old, plus=OLD), asked("12:30", other, taxicab={})])
    assert len(sl.load_results(folder)) == 4
    request, identities = asked("12:40", other, taxicab={})
    changed = replace(request, code={"frontier": {"astar": {"searchlab/frontiers": "new"}}})
    assert sl.load_results(stored([*old, *other], [(changed, identities)], name="another")).empty


def test_runs_on_a_former_version_of_a_board_do_not_count(stored, record):
    before, after = (record(1, "plus", OLD, expanded=number) for number in (10, 20))
    rows = ((9, 0), (2, 1))
    instance = replace(after.run.instance, rows=rows)
    after = replace(after, run=replace(after.run, instance=instance), cells={**after.cells, "board": "9 0 / 2 1"})
    folder = stored([before, after], [asked("12:00", [before], plus=OLD), asked("12:30", [after], plus=OLD)])
    assert counted(folder) == [("plus", 20)]
    assert sl.load_results(folder).attrs[LEFT_OUT].startswith("1 older run of boards/1.txt left out")
    found = sl.load_results(folder, all_versions=True)["board_name"]
    assert sorted(found) == ["boards/1.txt (2026-11-21 12:00)", "boards/1.txt (2026-11-21 12:30)"]


def test_versions_are_named_apart_by_their_dates(stored, edited):
    """As long as they have to be; names that have one version stay."""
    old, new, other = edited
    asked_old = asked("12:00", [*old, *other], plus=OLD, taxicab={})
    folder = stored([*old, *other, *new], [asked_old, asked("12:30", new, plus=NEW)])
    table = sl.load_results(folder, all_versions=True)
    names = ["plus (2026-11-21 12:00)", "plus (2026-11-21 12:30)", "taxicab"]
    assert sorted(table["heuristic"].unique()) == names
    assert run_filter("plus (2026-11-21 12:30)/astar", table).runs(table)["expanded"].tolist() == [20, 20]
    with pytest.raises(UsageError, match="'plus' may be several things; write heuristic=plus \\(2026"):
        run_filter("plus", table)
    request, identities = asked_old
    earlier = replace(request, begun="2026-11-20T23:00:00.000+00:00"), identities
    later = [earlier, asked("12:30", new, plus=NEW)]
    days = sl.load_results(stored([*old, *new], later, name="days", wanted=other), all_versions=True)
    assert sorted(days["heuristic"].unique()) == ["plus (2026-11-20)", "plus (2026-11-21)"]
    assert [undated(name) for name in names] == ["plus", "plus", "taxicab"]


def test_a_merged_store_has_the_requests(stored, edited, tmp_path):
    """The last request of both counts; merging again changes nothing."""
    old, new, other = edited
    laptop = stored([*old], [asked("12:00", old, plus=OLD)], name="laptop")
    server = stored([*new, *other], [asked("12:30", [*new, *other], plus=NEW)], name="server")
    for _ in range(2):
        list(merge_into(tmp_path / "all", [server, laptop]))
        assert counted(tmp_path / "all") == [("plus", 20)] * 2 + [("taxicab", 5)] * 2
        with Store(tmp_path / "all") as store:
            assert [request.number_of_runs for request in store.requests()] == [2, 4]


def test_a_repeated_request_is_stored_once(stored, edited):
    old, _, _ = edited
    folder = stored(old, [asked("12:00", old, plus=OLD), asked("12:30", old, plus=OLD)])
    with Store(folder) as store:
        assert [request.begun[11:16] for request in store.requests()] == ["12:00"]


def test_all_runs_count_without_a_request(stored, edited):
    """As in results of former versions; a run whose worker was lost counts if it was asked for in the last version."""
    old, new, other = edited
    assert len(sl.load_results(stored([*old, *new, *other], []))) == 6
    lost = [replace(one, provenance={}) for one in (old[0], new[1])]
    folder = stored(
        lost, [asked("12:00", old, plus=OLD), asked("12:30", new, plus=NEW)], name="lost", wanted=[*old, *new]
    )
    assert counted(folder) == [("plus", 20)]


def test_a_run_without_known_code_counts_while_its_version_does(stored, edited):
    """Another experiment with the same frontier does not make it an older run; an edit does, until it is undone."""
    old, new, other = edited
    lost = [replace(one, provenance={}) for one in old]
    first, second = asked("12:00", old, plus=OLD), asked("12:30", other, taxicab={})
    assert counted(stored([*lost, *other], [first, second])) == [("plus", 10)] * 2 + [("taxicab", 5)] * 2
    edit = asked("12:40", new, plus=NEW)
    folder = stored([*lost, *other], [first, second, edit], name="edit", wanted=new)
    assert counted(folder) == [("taxicab", 5)] * 2
    undone = asked("12:50", old[:1], plus=OLD)
    folder = stored([*lost, *other], [first, second, edit, undone], name="undone", wanted=new)
    assert counted(folder) == [("plus", 10)] * 2 + [("taxicab", 5)] * 2


def test_a_run_without_known_code_that_was_not_asked_for_counts(stored, edited):
    """A repetition that `repeat-until` has added."""
    old, new, other = edited
    requests = [asked("12:00", old[:1], plus=OLD), asked("12:30", new, plus=NEW)]
    lost = replace(other[0], provenance={})
    assert counted(stored([old[0], lost, *new], requests)) == [("plus", 20)] * 2 + [("taxicab", 5)]


@pytest.mark.parametrize(
    "content",
    [
        *("", "[]", "{", "null", 7),
        '{"runs": [[1, 2]], "code": {}}',
        '{"runs": [[2, 1]], "code": {}, "boards": {}}',
        '{"runs": [[1, 2], [2, 3]], "code": {}, "boards": {}}',
        '{"runs": [3], "code": {}, "boards": {}}',
        '{"runs": [], "code": {"heuristic": {"plus": 3}}, "boards": {}}',
        '{"runs": [], "code": {}, "boards": {"a": 1}}',
    ],
)
def test_a_request_that_cannot_be_read_is_damage(stored, edited, content):
    old, _, _ = edited
    folder = stored(old, [asked("12:00", old, plus=OLD)])
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("UPDATE requests SET content = ?", (content,))
    connection.close()
    with pytest.raises(UsageError, match="damaged: the request cannot be read"):
        sl.load_results(folder)


def test_large_numbers_in_a_request_take_no_time(stored, edited):
    old, _, _ = edited
    folder = stored(old, [asked("12:00", old, plus=OLD)])
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute(
            "UPDATE requests SET content = ?", (f'{{"runs": [[1, {10**18}]], "code": {{}}, "boards": {{}}}}',)
        )
    connection.close()
    assert len(sl.load_results(folder)) == 2


@pytest.mark.parametrize(
    ("full_names", "spelled"),
    [
        ({"beam": "beam:width=100", "beam:width=9": "beam:width=9"}, ["beam:width=100", "beam:width=9"]),
        ({"beam": "beam:width=100", "astar": "astar:ties=low"}, ["beam", "astar"]),
        ({"m.py:f": "m.py:f:a=1,b=2", "m.py:f:b=3": "m.py:f:a=1,b=3"}, ["m.py:f:b=2", "m.py:f:b=3"]),
        (
            {"p": "p:of=[h:a=1,b=2]", "p:of=h": "p:of=[h:a=1,b=2]", "p:of=[h:b=3]": "p:of=[h:a=1,b=3]"},
            ["p:of=[h:b=2]", "p:of=[h:b=2]", "p:of=[h:b=3]"],
        ),
        ({"p": "p:of=[x/h:a=1]", "p:of=k": "p:of=k"}, ["p:of=x/h", "p:of=k"]),
        (
            {"m:of=[h,k]": "m:of=[[h:a=1],[k:a=1]]", "m:of=[h:a=3]": "m:of=[h:a=3]"},
            ["m:of=[h:a=1,k]", "m:of=[h:a=3]"],
        ),
        ({"p:x=[1 -2]": "p:x=[1 -2],y=0", "p": "p:x=[3 4/5],y=0"}, ["p:x=1 -2", "p:x=3 4/5"]),
        ({"p:file=a.npz": "p:file=a.npz", "p": "p"}, ["p:file=a.npz", "p"]),
    ],
)
def test_names_show_only_parameters_that_differ(full_names, spelled):
    """In nested names, too."""
    found = spell_varied(full_names)
    assert [found[name] for name in full_names] == spelled


def test_names_show_a_default_beside_other_values(stored, make_record):
    """`weighted-astar` is `weighted-astar:weight=2` beside `weight=3`; a single one stays what it is."""
    names = {"weighted-astar": "weighted-astar:weight=2", "weighted-astar:weight=3": "weighted-astar:weight=3"}
    records = [make_record(1, frontier=name, plugins=SHIPPED) for name in names]
    request = Request("2026-11-21T12:00:00.000+00:00", {}, {}, {"frontier": names})
    wanted = request, [one.run.identity for one in records]
    assert sl.load_results(stored(records, [wanted]))["frontier"].tolist() == list(names.values())
    alone = sl.load_results(stored(records[:1], [wanted], name="alone", wanted=records))
    assert alone["frontier"].tolist() == ["weighted-astar"]
