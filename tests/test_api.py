"""The Python functions: domains and frontiers by name or bound, with parameters, and `solve`."""

from pathlib import Path

import pytest

import searchlab as sl

PLUGINS = Path(__file__).parent / "plugin_files"
BOARD = sl.Board([[0, 2, 4], [8, 0, 0], [2, 2, 2]])


def test_a_domain_by_name_has_its_defaults():
    """And shows as it is spelled."""
    domain = sl.domain("2048")
    assert (domain.name, domain.values) == ("2048", {"goal": 2048, "spawn": "right-column", "n": 4})
    assert str(domain) == "2048"


def test_parameters_are_part_of_the_name_or_keywords():
    """The spelling of a domain omits defaults."""
    for domain in (
        sl.domain("2048:goal=64,spawn=corner"),
        sl.domain("2048", goal=64, spawn="corner"),
        sl.domain("2048:goal=64", spawn="corner"),
        sl.domain("2048:goal=64,spawn=corner,n=4"),
        sl.domain(sl.domain("2048", spawn="corner"), goal="64"),
        sl.domain("searchlab/2048:goal=64,spawn=corner"),
    ):
        assert str(domain) == "2048:goal=64,spawn=corner"
        assert repr(domain) == "<BoundDomain 2048:goal=64,spawn=corner>"


def test_a_parameter_given_twice_must_agree():
    """In the name and as a keyword: the same value is fine, two are an error."""
    assert sl.domain("2048:goal=64", goal=64).values["goal"] == 64
    with pytest.raises(sl.UsageError, match="domain 2048: goal is given twice, 64 and 32"):
        sl.domain("2048:goal=64", goal=32)


def test_a_domain_answers_for_boards():
    """Its functions, with the parameters filled in."""
    domain = sl.domain("2048", goal=16)
    board = domain.start()
    assert domain.successors(board) == [
        (action, after) for action, after in zip(("down", "left"), domain.neighbors(board), strict=True)
    ]
    assert not domain.is_goal(board)
    assert not domain.is_dead(board)
    assert domain.lower_bound(board) == 10
    assert domain.why_invalid(board) == domain.why_unsolvable(board) == ""
    assert domain.format(board) == str(board)


def test_omitted_fields_of_a_domain_have_defaults():
    """The bound is 0, boards without successors are dead, and transcripts have the usual form."""
    domain = sl.domain(sl.Domain("bare", lambda board: [], lambda board: False))
    assert domain.lower_bound(BOARD) == 0
    assert domain.is_dead(BOARD)
    assert domain.packed(BOARD) is None
    assert domain.why_invalid(BOARD) == domain.why_unsolvable(BOARD) == ""
    assert domain.transcript(BOARD, (), proved=True) is None
    with pytest.raises(sl.UsageError, match="bare has no start board: name a board file"):
        domain.start()


@pytest.mark.parametrize("kind", ["domain", "heuristic", "frontier"])
@pytest.mark.parametrize("name", [2048, None, 1.5, ["astar"]])
def test_values_other_than_names_and_components_are_refused(kind, name):
    """A number is not looked up, not even 2048."""
    with pytest.raises(sl.UsageError, match=f"a {kind} is given by its name, not as"):
        getattr(sl, kind)(name)


def test_components_of_another_kind_are_refused():
    """A frontier is no domain."""
    with pytest.raises(sl.UsageError, match="a domain is given by its name, not as Frontier"):
        sl.domain(sl.frontier("astar").component)
    with pytest.raises(sl.UsageError, match="a frontier is given by its name, not as Domain"):
        sl.frontier(sl.domain("2048"))


def test_a_frontier_by_name_has_its_parameters():
    """In the name, as keywords, and bound again."""
    assert str(sl.frontier("weighted-astar")) == "weighted-astar"
    assert str(sl.frontier("weighted-astar:weight=1.5")) == "weighted-astar:weight=1.5"
    assert str(sl.frontier("weighted-astar", weight=1.5)) == "weighted-astar:weight=1.5"
    bound = sl.frontier("weighted-astar:weight=3")
    assert sl.frontier(bound) is bound
    assert str(sl.frontier(bound, weight=4)) == "weighted-astar:weight=4"
    assert sl.frontier(bound).priority(1, 2) == 7


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("weighted-astar:weight=0.5", "weight=0.5: a weight is at least 1; 1 is A*"),
        ("weighted-astar:weight=inf", "weight=inf: a weight is at least 1; 1 is A*"),
        ("weighted-astar:wieght=2", "no parameter 'wieght': did you mean 'weight'"),
        ("depth-first:weight=2", "frontier depth-first has no parameter 'weight': there are none"),
        ("greedy:weight=2", "frontier greedy has no parameter 'weight': there are duplicates, order, reopen, seed"),
    ],
)
def test_invalid_parameters_are_refused(name, message):
    """The error is one line with the name of the strategy."""
    with pytest.raises(sl.UsageError) as raised:
        sl.frontier(name)
    assert message in str(raised.value)


@pytest.mark.parametrize(("alias", "name"), [("a*", "astar"), ("dijkstra", "uniform-cost"), ("ida*", "ida-star")])
def test_usual_names_of_strategies_are_aliases(alias, name):
    assert sl.frontier(alias).name == name


def test_solve_without_arguments_solves_the_start_board_of_2048():
    result = sl.solve(engine="readable")
    assert (result.domain, result.heuristic, result.frontier) == ("2048", "left-weighted", "greedy")
    assert (result.status, result.moves, result.start) == ("solved", 1041, sl.domain("2048").start())


def test_a_domain_without_a_default_heuristic_is_searched_with_h_0():

    def count_up(board):
        yield "up", sl.Board([[board.tile_at(0, 0) + 1]])

    domain = sl.Domain("counter", count_up, lambda board: board.tile_at(0, 0) == 3)
    result = sl.solve(sl.Board([[0]]), domain=domain, engine="readable")
    assert (result.status, result.cost, result.frontier) == ("solved", 3, "astar")


def test_components_may_be_given_by_name_bound_or_declared(example8):
    domain = sl.domain("sliding-tile")
    results = [
        sl.solve(example8, domain=d, heuristic=h, frontier=f, engine="readable").actions
        for d, h, f in (
            ("sliding-tile", "misplaced", "astar"),
            (domain, sl.heuristic("misplaced"), sl.frontier("astar")),
            (domain.component, sl.heuristic("misplaced").component, sl.frontier("astar").component),
            (domain, lambda tiles: 0, "breadth-first"),
        )
    ]
    assert results == [("right", "down", "right")] * 4


def test_a_board_of_another_game_is_refused(example8):
    """Before anything is searched, with what is wrong."""
    with pytest.raises(sl.BoardError, match="not a board of 2048: the tile 1 at row 1, column 1 is no power of two"):
        sl.solve(example8)


def test_a_board_may_be_named():
    """A file or a board that ships; its game is what the set.toml beside it says."""
    by_name = sl.solve("sliding-tile/example", engine="readable")
    assert (by_name.status, by_name.domain, by_name.moves) == ("solved", "sliding-tile", 3)
    assert by_name.start == sl.read_board("sliding-tile/example")
    assert sl.solve("2048/board10", heuristic="snake", engine="readable").domain == "2048"


def test_a_named_board_without_a_set_is_of_the_game_its_tiles_fit(tmp_path):
    """Searched without chance, and played with it."""
    path = tmp_path / "mine.txt"
    path.write_text(str(BOARD))
    assert sl.solve(path, limits=sl.Limits(expansions=1), engine="readable").domain == "2048"
    game = sl.play(str(path), player="random", most_moves=1)
    assert (game.domain, game.start) == ("2048-random", BOARD)


def test_a_named_board_of_another_game_is_refused_by_its_name():
    """As is one that is not there, and what is not a board."""
    with pytest.raises(sl.BoardError, match="sliding-tile/example: not a board of 2048: the tile"):
        sl.solve("sliding-tile/example", domain="2048")
    with pytest.raises(sl.BoardError, match=r"sliding-tile/puzle8-20: no such file.* did you mean"):
        sl.play("sliding-tile/puzle8-20")
    with pytest.raises(sl.UsageError, match=r"a Board is wanted, not 7; .* a text is the name of one"):
        sl.heuristic("taxicab")(7)


def test_functions_of_boards_accept_board_names():
    """Domains, heuristics and renderers do."""
    name = "sliding-tile/example"
    board, domain = sl.read_board(name), sl.domain("sliding-tile")
    assert sl.heuristic("taxicab")(name) == 3
    assert sl.renderer("box")(name) == sl.renderer("box")(board)
    bound = domain.lower_bound(board)
    assert domain.successors(name) == domain.successors(board)
    assert domain.neighbors(name) == domain.neighbors(board)
    assert (domain.is_goal(name), domain.is_dead(name), domain.lower_bound(name)) == (False, False, bound)
    assert domain.why_invalid(name) == domain.why_unsolvable(name) == ""
    assert domain.format(name) == domain.format(board)


def test_names_are_looked_up_in_the_plugins_given():
    """A host of one's own knows its files, the installed one does not."""
    mine = sl.Plugins([PLUGINS / "left_heavy.py"])
    assert sl.heuristic("left-heavy", plugins=mine)(BOARD) == 22
    with pytest.raises(sl.UsageError, match="no heuristic is called 'left-heavy'"):
        sl.heuristic("left-heavy")
