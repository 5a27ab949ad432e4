"""A plain function in a file is as good as one that a hook returns, of any kind."""

import pytest

import searchlab as sl
from searchlab.binding.names import parse_name

FILE = '''
"""Lights on a row."""
from searchlab import Board, Frontier, Heuristic


def start():
    return Board([[1, 0, 1, 1]])


def successors(board):
    for at in range(board.shape[1]):
        tiles = board.tiles.copy()
        tiles[0, max(0, at - 1) : at + 2] ^= 1
        yield f"press-{at}", Board(tiles)


def is_goal(board):
    return not board.tiles.any()


def lit(tiles, share=3.0):
    """Lights that are on."""
    return tiles.sum() / share


def hurried(g, h, weight=2.0):
    """Weighted."""
    return g + weight * h


def gives_up(problem, watch):
    from searchlab import Outcome, Statistics

    return Outcome("exhausted", Statistics())


DECLARED = Frontier("declared", hurried, ties="low-h")
COUNTED = Heuristic("counted", lit, admissible=True)
'''


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "lights.py"
    path.write_text(FILE)
    return str(path)


@pytest.fixture
def plugins():
    return sl.Plugins()


def test_a_search_may_consist_of_bare_functions(file, plugins):
    """Domain, heuristic and frontier come from one file, with parameters."""
    result = sl.solve(
        domain=f"{file}:successors",
        heuristic=f"{file}:lit:share=2",
        frontier=f"{file}:hurried:weight=1",
        plugins=plugins,
        engine="readable",
    )
    assert (result.status, result.moves) == ("solved", 2)
    assert (result.domain, result.heuristic, result.frontier) == ("lights", "lit:share=2", "hurried:weight=1")


def test_a_bare_priority_equals_a_declared_frontier(file, plugins, example8):
    """Both engines expand the same nodes; Python accepts the function without a file."""
    declared = sl.Frontier("hurried", lambda g, h, weight=2.0: g + weight * h)
    for engine in ("compiled", "readable"):
        results = [
            sl.solve(example8, domain="sliding-tile", frontier=frontier, plugins=plugins, engine=engine)
            for frontier in (f"{file}:hurried", sl.frontier(declared), lambda g, h: g + 2 * h)
        ]
        assert len({(result.actions, result.expanded, result.generated) for result in results}) == 1


def test_a_search_loop_is_recognised_by_its_first_argument(file, plugins, example8):
    """It is run, not asked for priorities, and proves nothing where it finds no solution."""
    component = plugins.get("frontier", parse_name(f"{file}:gives_up")).component
    assert component.run is not None
    result = sl.solve(example8, domain="sliding-tile", frontier=f"{file}:gives_up", plugins=plugins, engine="readable")
    assert result.status == "exhausted"


def test_components_declared_without_a_hook_are_found(file, plugins):
    """They are named by their variables."""
    assert plugins.get("frontier", parse_name(f"{file}:DECLARED")).component.ties == "low-h"
    assert plugins.get("heuristic", parse_name(f"{file}:COUNTED")).component.admissible
    with pytest.raises(sl.UsageError, match="has no domain 'DECLARED'"):
        plugins.get("domain", parse_name(f"{file}:DECLARED"))


def test_a_domain_of_bare_functions_may_be_a_game_of_chance(tmp_path, plugins):
    """With a `chance`, as a Domain."""
    path = tmp_path / "stormy.py"
    chances = """
def events(board):
    yield "calm", board, 1.0


def points(board, after):
    return 2


chance = searchlab.Chance(events, opening=lambda: 1, points=points)
"""
    path.write_text("import searchlab\n" + FILE + chances)
    domain = sl.domain(f"{path}:successors", plugins=plugins)
    assert domain.is_of_chance
    game = sl.play(domain=domain, player=lambda board, moves: moves[0].action, most_moves=3)
    assert (game.score, game.opening, game.events) == (6, ("calm",), (("calm",),) * 3)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("lit", "heuristic"), ("hurried", "frontier"), ("gives_up", "frontier"), ("successors", "domain")],
)
def test_the_kind_follows_from_the_function(file, plugins, name, kind):
    """Where the command does not say which is meant."""
    (item,) = plugins.find(parse_name(f"{file}:{name}"))
    assert (item.kind, item.plugin.name) == (kind, "lights")


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("frontier", "lit", "a frontier is a function (g, h), or (problem, watch), not lit(tiles, share)"),
        ("heuristic", "start", "function is a function (tiles), not start()"),
        ("frontier", "hurired", "has no frontier 'hurired': did you mean 'hurried'?"),
        ("domain", "succesors", "has no domain 'succesors': did you mean 'successors'?"),
    ],
)
def test_a_function_of_another_kind(file, plugins, kind, name, said):
    """The message gives the kind of function that is expected."""
    with pytest.raises(sl.UsageError) as caught:
        plugins.get(kind, parse_name(f"{file}:{name}"))
    assert said in str(caught.value)


def test_a_domain_without_a_goal(tmp_path, plugins):
    """The missing function is named."""
    (tmp_path / "endless.py").write_text("def successors(board):\n    return []\n")
    with pytest.raises(sl.UsageError, match="is_goal is missing"):
        plugins.get("domain", parse_name(f"{tmp_path / 'endless.py'}:successors"))


def test_names_in_brackets(plugins):
    """A name with parameters may stand in brackets, as where it is a value."""
    assert str(sl.frontier("[weighted-astar:weight=3]", plugins=plugins)) == "weighted-astar:weight=3"
    assert parse_name("[a.py:f:x=1]").file == "a.py"


def test_a_name_in_full(plugins):
    """`plugin/NAME` for every kind."""
    assert sl.frontier("searchlab/astar", plugins=plugins).name == "astar"
    assert sl.domain("searchlab/2048:goal=8", plugins=plugins).values["goal"] == 8
    assert sl.heuristic("searchlab/taxicab", plugins=plugins).name == "taxicab"


def test_variables_of_a_file_that_is_a_domain_count(tmp_path, plugins):
    """As its functions do; a function that is called like a field of a part is no such field."""
    path = tmp_path / "dear.py"
    path.write_text(
        "from searchlab import Defaults\n\nunit_cost = False\ndefaults = Defaults(frontier='uniform-cost')\n\n\n"
        "def heuristic(tiles):\n    return 0\n\n\n"
        "def successors(board):\n    yield 'stay', board, 5\n\n\ndef is_goal(board):\n    return False\n"
    )
    domain = plugins.get("domain", parse_name(f"{path}:successors")).component
    assert (domain.unit_cost, domain.defaults) == (False, sl.Defaults(frontier="uniform-cost"))


def test_a_variable_of_a_wrong_type_is_named(tmp_path, plugins):
    """It is a field, and is checked as one."""
    path = tmp_path / "odd.py"
    path.write_text(
        "unit_cost = 'no'\n\n\ndef successors(board):\n    return []\n\n\ndef is_goal(board):\n    return False\n"
    )
    with pytest.raises(sl.UsageError, match="unit_cost"):
        plugins.get("domain", parse_name(f"{path}:successors"))
