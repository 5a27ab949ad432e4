"""`max` and `sum` combine values in both engines, and declare only properties that follow from their parts."""

import math

import numpy as np
import pytest

import searchlab as sl
from searchlab.experiments.components import fingerprints_of, heuristic_part
from searchlab.model.component import extra_parameters
from searchlab.testing import check

PUZZLE = "sliding-tile/puzzle8-20"
PATTERNS = "pattern-database:groups=[1 2/3 4],mirror=no"
DISJOINT = ["pattern-database:groups=[1 2 3 4],mirror=no", "pattern-database:groups=[5 6 7 8],mirror=no"]
COMBINED = [
    ("max:of=[taxicab,misplaced]", max),
    (f"max:of=[{PATTERNS},linear-conflict]", max),
    ("max:of=[taxicab,euclidean,walking-distance:conflicts=yes]", max),
    ("sum:of=[taxicab,misplaced]", sum),
    ("sum:of=[euclidean,euclidean]", sum),
    ("weighted-sum:of=[taxicab,misplaced],weights=[0.75 -2]", lambda values: 0.75 * values[0] - 2 * values[1]),
    ("max:of=[misplaced,[weighted-sum:of=[taxicab],weights=[0.5]]]", lambda values: max(values)),
    ("weighted-sum:of=[taxicab,euclidean]", sum),
]
UPDATED = [
    (f"max:of=[{PATTERNS},linear-conflict,misplaced]", ""),
    (f"sum:of=[[max:of=[{PATTERNS},taxicab]],pattern-database:groups=[5 6]]", ""),
    ("sum:of=[taxicab,misplaced]", ":cost=heavy"),
    ("weighted-sum:of=[taxicab,misplaced],weights=[2 0.3]", ""),
]


def boards(n=3, count=20):
    generate = sl.generator("shuffled", domain="sliding-tile", n=n)
    return [generate(seed) for seed in range(count)]


@pytest.fixture
def mine(tmp_path):
    """A file with a heuristic, and its name."""
    file = tmp_path / "mine.py"
    file.write_text("def far(tiles, weight=1):\n    return weight * (tiles[0, 0] != 1)\n")
    return file


@pytest.mark.parametrize(("name", "of"), COMBINED)
def test_the_value_is_that_of_the_parts(name, of):
    """To the last bit."""
    h = sl.heuristic(name)
    for board in boards():
        assert h(board) == of([part(board) for part in h.parts])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "frontier"),
    [
        ("max:of=[taxicab,misplaced]", "astar"),
        ("max:of=[taxicab,misplaced]", "ida-star"),
        ("max:of=[taxicab,misplaced]", "beam:width=20"),
        (f"max:of=[{PATTERNS},taxicab]", "ida-star"),
        ("max:of=[taxicab,euclidean]", "astar"),
        ("weighted-sum:of=[taxicab,misplaced],weights=[0.75 0.25]", "ida-star"),
    ],
)
def test_both_engines_expand_the_same_nodes(name, frontier):
    found = [sl.solve(PUZZLE, heuristic=name, frontier=frontier, engine=one) for one in ("compiled", "readable")]
    first, second = ([one.actions, one.expanded, one.generated, one.optimal] for one in found)
    assert first == second
    assert found[0].optimal or frontier == "beam:width=20"
    assert found[0].engine == "compiled"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cost"), UPDATED)
def test_a_combination_of_incremental_parts_is_incremental(name, cost):
    """Along a walk it has the value and the numbers of each board; fractions are kept by their bits."""
    h = sl.heuristic(name, domain=f"sliding-tile{cost}")
    board = sl.read_board(PUZZLE)
    value, carried, names = h(board), h.carried(board), h.names(board)
    for step in range(40):
        following = h.domain.neighbors(board)
        after = following[step * step % 7 % len(following)]
        (source,), (target,) = (np.flatnonzero(one.tiles.ravel() == 0) for one in (after, board))
        move = {"tile": board.tiles.ravel()[source], "source": source, "target": target}
        asked = [one.name for one in extra_parameters(h.component.incremental, 2)]
        given = {one: move[one] if one in move else names[one] for one in asked}
        value, carried = h.component.incremental(value, carried, **given)
        board = after
        assert (value, h.plain_numbers(carried)) == (h(board), h.carried(board))


def half(tiles):
    """A fraction that a move changes by a fraction."""
    return 0.5 * (tiles[0, 0] != 1)


def half_after(h, tile, source, target):
    return h + 0.5 * ((tile == 1) & (source == 0)) - 0.5 * ((tile == 1) & (target == 0))


@pytest.mark.slow
def test_fractions_are_kept_beside_whole_numbers():
    """In both engines."""
    fraction = sl.Heuristic("half", half, domains={"sliding-tile"}, incremental=half_after, admissible=True)
    h = sl.heuristic("sum", of=["taxicab", fraction], additive=True, domain="sliding-tile")
    assert h.component.incremental
    found = [sl.solve(PUZZLE, heuristic=h, frontier=f, engine=e) for e in ("compiled", "readable") for f in ("astar",)]
    assert found[0].expanded == found[1].expanded
    deep = [sl.solve(PUZZLE, heuristic=h, frontier="ida-star", engine=one) for one in ("compiled", "readable")]
    assert deep[0].engine == "compiled"
    assert deep[0].generated == deep[1].generated


def test_a_combination_with_a_part_that_is_not_incremental_is_recomputed():
    assert sl.heuristic("max:of=[taxicab,euclidean]").component.incremental is None


@pytest.mark.parametrize(
    ("name", "admissible", "consistent"),
    [
        ("max:of=[taxicab,misplaced]", True, True),
        (f"max:of=[taxicab,{PATTERNS}]", True, False),
        ("sum:of=[taxicab,misplaced]", False, False),
        ("sum:of=[taxicab]", True, True),
        (f"sum:of=[[{DISJOINT[0]}],[{DISJOINT[1]}]],additive=yes", True, False),
        (f"sum:of=[[max:of=[[{DISJOINT[0]}]]],[{DISJOINT[1]}]],additive=yes", True, False),
        ("max:of=[taxicab,[sum:of=[taxicab,misplaced]]]", False, False),
        ("weighted-sum:of=[taxicab,misplaced]", False, False),
        ("weighted-sum:of=[taxicab,misplaced],weights=[0.75 0.25]", True, True),
        (f"weighted-sum:of=[taxicab,{PATTERNS.partition(',')[0]}],weights=[0.5 0.5]", True, False),
        ("weighted-sum:of=[taxicab,misplaced],weights=[-1 1]", False, False),
        ("weighted-sum:of=[taxicab],weights=[1.1]", False, False),
    ],
)
def test_declarations_follow_from_those_of_the_parts(name, admissible, consistent):
    """A sum of two is admissible only if somebody says that no move counts in both, a weighted one if it is a mean."""
    h = sl.heuristic(name)
    assert (h.admissible, h.consistent) == (admissible, consistent)


def test_claims_depend_on_the_domain():
    """That the number of misplaced tiles is no bound where moves cost less than 1 holds in a combination, too."""
    assert not sl.heuristic("max:of=[taxicab,misplaced]", domain="sliding-tile:cost=inverse").admissible


def test_the_domain_follows_from_the_parts():
    """Scores of 2048, whose parameters the domain fills."""
    h = sl.heuristic("sum:of=[left-weighted:corner=-2,empty]")
    assert (h.domain.name, h.prefer, h.component.domains) == ("2048", "high", {"2048"})
    board = sl.read_board("2048/board10")
    assert h(board) == sum(part(board) for part in h.parts)


def test_the_default_part_is_the_default_heuristic_of_the_domain():
    assert str(sl.heuristic("max", domain="sliding-tile")) == "max:of=taxicab"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("max:of=[taxicab,misplacd]", "did you mean 'misplaced'"),
        ("max:of=[taxicab,left-weighted]", "combine heuristics of one domain"),
        ("max:of=[left-weighted,moves-to-go]", "left-weighted is the higher the better, moves-to-go the lower"),
        ("sum:of=[taxicab,nowhere.py:h]", "nowhere.py: no such file"),
        ("max:of=[taxicab:x=1]", "taxicab has no parameter 'x'"),
        ("max", "name one as of=[NAME,NAME]"),
        ("max:of=[[taxicab]", "the brackets do not match"),
    ],
)
def test_an_invalid_part_is_an_error_of_one_line(name, message):
    with pytest.raises(sl.UsageError) as error:
        sl.heuristic(name)
    assert message in str(error.value).replace("moves-to-go is the", "moves-to-go the")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ("pattern-database:groups=[1 2 3 4],pattern-database:groups=[5 6 7 8]", "only with mirror=no and dual=no can"),
        (f"[{DISJOINT[0]}],[{DISJOINT[1]},dual=yes]", "with dual=yes moves of other tiles count, too"),
        (f"[{DISJOINT[0]}],[pattern-database:groups=[4 5],mirror=no]", "both count the moves of tile 4"),
        (f"[{DISJOINT[0]}],[pattern-database:groups=8,mirror=no]", "both count the moves of tile 1"),
        (
            f"[{DISJOINT[0]}],[max:of=[misplaced,taxicab]]",
            "it cannot be added to misplaced: both count the moves of tile",
        ),
        ("taxicab,misplaced", "it cannot be added to misplaced: both count the moves of all tiles"),
    ],
)
def test_a_sum_is_not_additive_if_a_part_denies_it(parts, message):
    """With mirror images of {1 2 3 4} and {5 6 7 8} a board of 19 moves was claimed to take 21."""
    with pytest.raises(sl.UsageError, match=message):
        sl.heuristic(f"sum:of=[{parts}],additive=yes")


@pytest.mark.slow
def test_a_sum_of_disjoint_patterns_is_a_bound():
    """On all boards that the goal is reached from."""
    h = sl.heuristic(f"sum:of=[[{DISJOINT[0]}],[{DISJOINT[1]}]],additive=yes")
    board = sl.Board([[5, 1, 2], [0, 8, 3], [6, 7, 4]])
    assert sl.solve(board, domain="sliding-tile", heuristic=h, frontier="astar").cost == 19
    for one in boards(count=100):
        assert h(one) <= sl.solve(one, domain="sliding-tile", heuristic="linear-conflict", frontier="astar").cost


@pytest.mark.slow
def test_a_check_leaves_out_values_that_a_part_refuses():
    """With `additive=yes`, which it tries as well, there is no such sum."""
    (report,) = check("sum:of=[taxicab,misplaced]", board=sl.Board([[1, 2], [0, 3]]), seconds=0.5)
    assert report.passed


def test_a_heuristic_declares_the_sums_it_may_be_part_of():
    """By a function that returns False, or raises an error with the reason."""

    def never(added_to=()):
        return not added_to

    one = sl.Heuristic("one", half, domains={"sliding-tile"}, admissible=never)
    assert sl.heuristic("sum", of=[one], additive=True, domain="sliding-tile").admissible
    with pytest.raises(sl.UsageError, match="sum: additive=yes: one is not admissible added to taxicab"):
        sl.heuristic("sum", of=[one, "taxicab"], additive=True, domain="sliding-tile")


@pytest.mark.parametrize(
    ("weights", "message"),
    [("2", "weights=2: 2 heuristics have a weight each, and 1 are given"), ("2 nan", "it is a number for each")],
)
def test_invalid_weights_are_refused(weights, message):
    with pytest.raises(sl.UsageError, match=message):
        sl.heuristic(f"weighted-sum:of=[taxicab,misplaced],weights=[{weights}]")(boards()[0])


def test_a_part_of_another_domain_is_refused():
    """By the domain that is searched."""
    with pytest.raises(sl.UsageError, match="'left-weighted' is made for 2048, not for sliding-tile"):
        sl.solve(PUZZLE, heuristic="max:of=[taxicab,left-weighted]")


def test_a_circular_default_heuristic_is_an_error():
    domain = sl.Domain(
        "round", lambda board: [], lambda board: True, defaults=sl.Defaults(heuristic="max:of=[sum,sum]")
    )
    with pytest.raises(sl.UsageError, match="its domain's own heuristic combines the domain's own heuristic"):
        sl.heuristic("max", domain=sl.domain(domain))


def test_names_of_combinations_can_be_parsed():
    """A part with commas stands in brackets; parameters after a comma belong to the name before."""
    h = sl.heuristic(f"max:of=[{PATTERNS},linear-conflict]")
    assert str(h) == "max:of=[[pattern-database:groups=1 2/3 4,mirror=no],linear-conflict]"
    again = sl.heuristic(str(h))
    assert str(again) == str(h)


def test_a_batch_form_may_be_a_part():
    """The combination is then evaluated in batches."""
    count = sl.Heuristic("count", batch=lambda boards: (boards[:, 0, 0] != 1) * 100, domains={"sliding-tile"})
    h = sl.heuristic("max", of=[count, "taxicab"], domain="sliding-tile")
    some = boards()
    h.evaluate_together(some)
    assert [h(board) for board in some] == [max(part(board) for part in h.parts) for board in some]
    assert sl.solve(PUZZLE, heuristic=h, frontier="astar").status == "solved"


@pytest.mark.parametrize("order", [1, -1])
def test_a_part_that_is_no_number_is_an_error(order):
    """It is not hidden by the others."""

    def broken(tiles):
        return math.nan

    h = sl.heuristic("max", of=["taxicab", broken][::order], domain="sliding-tile")
    with pytest.raises(sl.PluginError, match="max returned nan"):
        h.estimate(sl.read_board(PUZZLE))


@pytest.mark.slow
def test_a_player_looks_ahead_by_a_combination():
    """The values of the moves are those by the sum of the two, in both engines."""
    name = "expectimax:heuristic=[sum:of=[empty,left-weighted]],depth=1"
    player = sl.player(name, domain="2048-random")
    assert str(player) == name
    board = sl.read_board("2048/board10")
    ahead = sl.LookAhead(player.domain, player.heuristics["heuristic"], 0.01)
    compiled, readable = (sl.Expectimax(ahead, depth=1, engine=one).values(board) for one in ("auto", "readable"))
    assert compiled == pytest.approx(readable)


def test_a_run_is_known_by_the_full_names_of_the_parts(mine):
    """An alias, and a default that is written out, make no other run; the code of each part counts."""
    plugins, domain = sl.Plugins(), sl.domain("sliding-tile")

    def part(name):
        return heuristic_part(name, domain, plugins)

    assert part("max:of=[manhattan,pdb:mirror=yes]").name == "max:of=[taxicab,pattern-database]"
    assert part("max:of=[manhattan,pdb:mirror=yes]").key == part("searchlab/max:of=[taxicab,pdb]").key
    of_file = part(f"max:of=[taxicab,{mine}:far:weight=1]")
    assert of_file.name == f"max:of=[taxicab,{mine}:far]"
    before = fingerprints_of({"domain": "sliding-tile", "heuristic": of_file.name}, plugins)
    assert any("mine" in name for name in before)
    mine.write_text(mine.read_text().replace("!= 1", "!= 2"))
    after = fingerprints_of({"domain": "sliding-tile", "heuristic": of_file.name}, sl.Plugins())
    assert [name for name in before if before[name] != after[name]] == [name for name in before if "mine" in name]


@pytest.mark.slow
def test_an_experiment_prepares_the_tables_of_the_parts(tmp_path, mine):
    """Worker processes solve the same boards as this process."""
    names = [f"max:of=[taxicab,{mine}:far]", "max:of=[pattern-database:groups=[1 2/3],mirror=no,misplaced]"]
    experiment = sl.Experiment(name="combined", boards=[PUZZLE], heuristics=names, frontiers=["astar"])
    table = sl.run(experiment, folder=tmp_path, workers=1)
    expected = [sl.solve(PUZZLE, heuristic=name, frontier="astar").expanded for name in table["heuristic"]]
    assert table["expanded"].tolist() == expected
    names[1] = "max:of=[[pattern-database:groups=1 2/3,mirror=no],misplaced]"
    assert set(table["heuristic"]) == set(names)


def middle(values):
    """The mean of the parts' values."""
    mean = 0.0
    for value in values:
        mean += value / len(values)
    return mean


def test_plugins_may_combine_heuristics():
    """`combine` and a parameter of kind "heuristics" are all that `max` has."""
    mean = sl.Heuristic("mean", combine=middle, parameters=(sl.Parameter("of", "", kind="heuristics"),))
    h = sl.heuristic(mean, of="taxicab,misplaced", domain="sliding-tile")
    assert h(sl.read_board(PUZZLE)) == (sl.heuristic("taxicab")(PUZZLE) + sl.heuristic("misplaced")(PUZZLE)) / 2
    compiled, readable = (sl.solve(PUZZLE, heuristic=h, engine=one) for one in ("compiled", "readable"))
    assert compiled.expanded == readable.expanded


def test_combine_needs_a_parameter_of_kind_heuristics():
    with pytest.raises(ValueError, match="combine needs a Parameter"):
        sl.Heuristic("none", combine=middle)
    with pytest.raises(ValueError, match="combine stands in place of a function"):
        sl.Heuristic("both", half, combine=middle, parameters=(sl.Parameter("of", "", kind="heuristics"),))
    with pytest.raises(ValueError, match="of cannot be a list of heuristics"):
        sl.Heuristic("plain", half, parameters=(sl.Parameter("of", "", kind="heuristics"),))
