"""Conditions, names of runs, columns and orders select runs; invalid ones are refused."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.filters import (
    ORDERINGS,
    check_columns,
    condition_for,
    in_order,
    parse_condition,
    run_filter,
    where,
)


@pytest.fixture
def results(make_record, make_results):
    """Four runs that differ in all sorts of ways."""
    records = [
        make_record(1, "taxicab", expanded=10, seconds=0.5, peak_bytes=2**20, optimal=True, metrics={"effort": 1.5}),
        make_record(2, "misplaced", expanded=2000, seconds=20.0, seed=3),
        make_record(3, "misplaced", "weighted-astar:weight=2", status="time-limit", reason="it took\nlong"),
        make_record(4, "taxicab", status="error", expanded=0),
    ]
    return sl.load_results(make_results(records))


def boards(results, *conditions):
    """The numbers of the boards for which conditions hold."""
    found = where(results, map(parse_condition, conditions))
    return [int(name.removeprefix("boards/").removesuffix(".txt")) for name in found["board_name"]]


@pytest.mark.parametrize(
    ("wanted", "condition"),
    [
        ("seed=3", "seed=3"),
        ("seed=", "seed="),
        ("status=time-limit", "frontier=weighted-astar:weight=2"),
        ("status=solved", ""),
    ],
)
def test_a_condition_is_found_that_holds_for_some_runs_only(results, wanted, condition):
    chosen = where(results, [parse_condition(wanted)])
    found = condition_for(chosen, results.drop(chosen.index))
    assert found == condition
    if found:
        assert where(results, [parse_condition(found)]).equals(chosen)


def test_statuses_sort_in_their_declared_order_and_coded_texts_by_the_alphabet(results):
    """Texts read as categories are still texts."""
    coded = results.astype({"heuristic": pd.CategoricalDtype(["taxicab", "misplaced"])})
    assert [*in_order(coded, ["heuristic"])["heuristic"].astype(str)] == ["misplaced"] * 2 + ["taxicab"] * 2
    assert [*in_order(results, ["status"])["status"]] == ["solved", "solved", "time-limit", "error"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("status=solved", [1, 2]),
        (" status  !=  solved ", [3, 4]),
        ("status=time-limit|error", [3, 4]),
        ("status!=time-limit|error", [1, 2]),
        ("status~LIMIT", [3]),
        ("status!~limit", [1, 2, 4]),
        ("expanded>=10", [1, 2]),
        ("expanded>10", [2]),
        ("expanded<10", [3, 4]),
        ("expanded<=1e1", [1, 3, 4]),
        ("expanded=10", [1]),
        ("seconds>=20", [2]),
        ("seconds<600ms", [1, 3, 4]),
        ("peak_bytes=1MiB", [1]),
        ("cost=3", [1, 2]),
        ("cost=", [3, 4]),
        ("cost!=", [1, 2]),
        ("cost!=3", [3, 4]),
        ("cost<100", [1, 2]),
        ("seed=3", [2]),
        ("seed!=3", [1, 3, 4]),
        ("seed<4", [2]),
        ("effort>1", [1]),
        ("optimal=yes", [1]),
        ("optimal=false", [2, 3, 4]),
        ("frontier=weighted-astar:weight=2", [3]),
        ("frontier~weighted|nothing", [3]),
        ("heuristic>=t", [1, 4]),
        ("reason~", [3]),
        ("finished>=2026-11-21", [1, 2, 3, 4]),
        ("finished<2026-11-21T12:00:00.3+00:00", [1, 2, 3, 4]),
        ("finished<2026-11-21T12:00:00.2", []),
        ("finished~2026-11", [1, 2, 3, 4]),
    ],
)
def test_a_condition_selects_runs_by_the_type_of_its_column(results, condition, expected):
    """A missing cell differs from every value and is neither smaller nor larger."""
    assert boards(results, condition) == expected


def test_all_conditions_have_to_hold(results):
    assert boards(results, "status=solved", "heuristic=misplaced") == [2]
    assert boards(results) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("status", "is not a condition; write for example status=solved"),
        ("=solved", "is not a condition"),
        ("heuristic~\udcff", "is not a condition"),
        ("statsu=solved", "there is no column 'statsu': did you mean 'status'"),
        ("status=solvd", "no status is called 'solvd': did you mean 'solved'"),
        ("status<solved", "status has no order"),
        ("expanded=many", "expanded is a number, not 'many'"),
        ("expanded~1", "~ is for text, and expanded is not a column of text"),
        ("seconds>soon", "'soon' is not a time"),
        ("peak_bytes>1mile", "'1mile' is not an amount of memory"),
        ("optimal=perhaps", "optimal is yes or no, not 'perhaps'"),
        ("finished>tomorrowish", "'tomorrowish' is not a date"),
    ],
)
def test_an_invalid_condition_is_refused(results, condition, said):
    """The error lists valid columns or values."""
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        boards(results, condition)


@given(
    cells=st.lists(st.none() | st.integers(-3, 3) | st.sampled_from([0.5, -1.25]), max_size=8),
    sign=st.sampled_from([*ORDERINGS, "=", "!="]),
    value=st.sampled_from(["-3", "0", "0.5", "2", "-1.25", "+1"]),
)
def test_numbers_compare_as_in_python(cells, sign, value):
    """Missing values, too."""
    table = pd.DataFrame({"x": pd.Series(cells, dtype="Float64")})
    number = float(value)
    compare = {**ORDERINGS, "=": lambda a, b: a == b}

    def holds(cell):
        if sign == "!=":
            return cell is None or cell != number
        return cell is not None and compare[sign](cell, number)

    found = where(table, [parse_condition(f"x{sign}{value}")])
    assert list(found.index) == [place for place, cell in enumerate(cells) if holds(cell)]


def test_an_order_of_several_columns(results):
    """A minus turns one round, missing cells come last, equal rows stay as they were."""

    def ordered(*order):
        return [int(name[7:-4]) for name in in_order(results, order)["board_name"]]

    assert ordered("-expanded") == [2, 1, 3, 4]
    assert ordered("heuristic", "-expanded") == [2, 3, 1, 4]
    assert ordered("-seed") == [2, 1, 3, 4]
    assert ordered() == [1, 2, 3, 4]
    with pytest.raises(UsageError, match="there is no column 'expnded': did you mean 'expanded'"):
        ordered("-expnded")


@pytest.mark.parametrize("order", [("-expanded",), ("heuristic", "-expanded"), ("status", "-seed")])
def test_a_table_that_is_emptied_has_the_same_order(results, order):
    kept = results.assign(either=[1, "b", None, "a"], finished=pd.Timestamp("2026-11-28", tz="UTC"))[1:]
    kept.attrs["note"] = "kept"
    emptied = kept.copy()
    found = in_order(emptied, order, empties=True)
    pd.testing.assert_frame_equal(found, in_order(kept, order).reset_index(drop=True))
    assert found.attrs == kept.attrs
    assert emptied.columns.empty


def test_numbers_in_texts_are_ordered_as_numbers():
    table = pd.DataFrame({"x": pd.Series(["b10", "b2", None, "a3/11", "a3/9"], dtype="string")})
    assert in_order(table, ["x"]).index.tolist() == [4, 3, 1, 0, 2]
    assert in_order(table, ["-x"]).index.tolist() == [0, 1, 3, 4, 2]


def test_the_first_missing_column_is_named():
    with pytest.raises(UsageError, match="there is no column 'b'"):
        check_columns(["a", "b", "c"], pd.DataFrame({"a": [1]}))


HEURISTICS = ("taxicab", "mine/snake:corner=-2,edge=1", "lib/h.py:left:weight=2", "greedy")
FRONTIERS = ("astar", "greedy", "beam:width=10", "beam:width=100", "searchlab/ida-star")


@pytest.fixture
def named_results(make_record, make_results):
    """Every heuristic with every frontier, but the last with the first only."""
    pairs = [(h, f) for h in HEURISTICS[:-1] for f in FRONTIERS] + [(HEURISTICS[-1], FRONTIERS[0])]
    return sl.load_results(make_results([make_record(1, h, f, seed=n % 2) for n, (h, f) in enumerate(pairs)]))


@pytest.mark.parametrize(
    ("text", "heuristic", "frontier"),
    [
        ("taxicab", "taxicab", None),
        (" astar ", None, "astar"),
        ("beam:width=10", None, "beam:width=10"),
        ("ida-star", None, "searchlab/ida-star"),
        ("searchlab/ida-star", None, "searchlab/ida-star"),
        ("snake", "mine/snake:corner=-2,edge=1", None),
        ("mine/snake", "mine/snake:corner=-2,edge=1", None),
        ("snake:corner=-2,edge=1", "mine/snake:corner=-2,edge=1", None),
        ("snake:edge=1,corner=-2", "mine/snake:corner=-2,edge=1", None),
        ("mine/snake:edge=1", "mine/snake:corner=-2,edge=1", None),
        ("left", "lib/h.py:left:weight=2", None),
        ("h.py:left", "lib/h.py:left:weight=2", None),
        ("taxicab/astar", "taxicab", "astar"),
        ("taxicab/searchlab/ida-star", "taxicab", "searchlab/ida-star"),
        ("mine/snake/ida-star", "mine/snake:corner=-2,edge=1", "searchlab/ida-star"),
        ("mine/snake:corner=-2,edge=1/beam:width=100", "mine/snake:corner=-2,edge=1", "beam:width=100"),
        ("lib/h.py:left:weight=2/greedy", "lib/h.py:left:weight=2", "greedy"),
        ("greedy/astar", "greedy", "astar"),
        ("heuristic=greedy", "greedy", None),
        ("frontier=greedy", None, "greedy"),
        ("heuristic=mine/snake:corner=-2,edge=1, frontier=beam:width=10", HEURISTICS[1], "beam:width=10"),
        ("frontier = ida-star ,heuristic=[taxicab]", "taxicab", "searchlab/ida-star"),
    ],
)
def test_equal_names_take_precedence(named_results, text, heuristic, frontier):
    """A name may lack its plugin, its folder and its parameters where one thing only is called so."""
    meant = run_filter(text, named_results)
    said = {"heuristic": heuristic, "frontier": frontier}
    assert meant.values == {column: value for column, value in said.items() if value}
    runs = meant.runs(named_results)
    assert len(runs)
    assert all(set(runs[column]) == {value} for column, value in meant.values.items())


def test_configurations_are_selected_by_any_column(named_results):
    """With the conditions of --where."""
    meant = run_filter("seed=1,limit_seconds=10s,frontier=astar", named_results)
    assert meant.values == {"seed": "1", "limit_seconds": "10s", "frontier": "astar"}
    assert set(meant.runs(named_results)["seed"]) == {1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("taxcab", "nothing that was run is called 'taxcab': did you mean 'taxicab'"),
        ("taxicab/astr", "did you mean 'taxicab/astar'"),
        ("greedy/greedy", "nothing that was run is called 'greedy/greedy'"),
        ("greedy", "'greedy' may be several things; write heuristic=greedy or frontier=greedy"),
        ("beam", "'beam' may be several things; write frontier=beam:width=10 or frontier=beam:width=100"),
        ("taxicab/beam", "write heuristic=taxicab,frontier=beam:width=10 or heuristic=taxicab,frontier=beam:width=100"),
        ("frontier=beam", "may be several things; write beam:width=10 or beam:width=100"),
        ("frontier=bem", "no run has frontier=bem: did you mean"),
        ("seed=7", "no run has seed=7; there are: 0, 1"),
        ("seed=x", "seed is a number, not 'x'"),
        ("", "nothing that was run is called ''"),
    ],
)
def test_ambiguous_names_are_refused(named_results, text, said):
    """The message lists the candidates."""
    with pytest.raises(UsageError) as error:
        run_filter(text, named_results)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "player"),
    [
        ("greedy", "greedy"),
        ("look", None),
        ("look:depth=2", "look:depth=2"),
        ("look:heuristic=[smooth:merges=0]", "look:heuristic=[smooth:merges=0],depth=2"),
        ("look:depth=2,heuristic=[smooth:merges=0]", "look:heuristic=[smooth:merges=0],depth=2"),
        ("player=look:depth=2,heuristic=[smooth:merges=0]", "look:heuristic=[smooth:merges=0],depth=2"),
        ("mine/left", "mine/left"),
        ("heuristic=smooth", None),
        ("greedy/look", None),
    ],
)
def test_players_are_selected_by_unambiguous_parts_of_their_names(make_game, make_results, text, player):
    players = ("greedy", "look:depth=2", "look:heuristic=[smooth:merges=0],depth=2", "mine/left")
    named_results = sl.load_results(make_results([make_game(name) for name in players]))
    if player:
        assert run_filter(text, named_results).values == {"player": player}
        return
    with pytest.raises(UsageError, match=r"may be several things|nothing that was run is called"):
        run_filter(text, named_results)
