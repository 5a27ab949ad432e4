"""The public face: what it has, that loading it loads nothing else, and who imports whom."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import searchlab as sl

ROOT = Path(__file__).parent.parent
HEAVY = ("numpy", "numba", "pandas", "scipy", "matplotlib", "click", "rich", "pluggy")
NAMES = """
AfterstateLearning Board BoardError BoundDomain BoundHeuristic Chance Comparison Defaults
DepthFirstLearning Distances Domain ExactPlay
ExactValues Executor Expectimax Experiment ExperimentInfo FileFormat Frontier Game Generator Heuristic Improvement
InPlace Instance Judgement Learner Learning Limits LookAhead MachineError Metric Move NTupleNetwork NodeStore
Outcome PackedForm Parameter Player PluginError Plugins Program ProgramPlayer Queue Randomness Renderer
ReportSection Result Run RunInfo RunningExperiment Searcher SearchlabError SearchlabWarning Shrunk Statistics
TileIndexError Turn UsageError Views Words advise compare distances domain exact_boards exact_heuristic exact_tables
exact_value exact_values executor export frontier generator group heuristic hookimpl improvements learner
load_results merge next_raw one_bits pattern_rank pivot play player plot plugin published read_board read_boards
read_experiment read_network renderer replay report results run searcher shrink solve standings state_space table
trace trailing_zeros tune vertex_cover view
"""
"""The public names: whoever uses one of them can go on using it."""
TAKE_BOARDS = (sl.advise, sl.distances, sl.play, sl.plot.heuristic, sl.plot.search, sl.solve, sl.state_space, sl.trace)
FRAMEWORK = sorted((ROOT / "searchlab").rglob("*.py"))
PLUGINS = sorted((ROOT / "plugins").rglob("*.py"))


def relative(path):
    return path.relative_to(ROOT).as_posix()


def imports(path):
    """Every module a file imports, at any depth of its code, with the names taken from it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{relative(path)} imports relatively"
            yield node.module, tuple(alias.name for alias in node.names)


def modules(path):
    """The same, with the modules that are taken from packages by name spelled out."""
    for module, names in imports(path):
        yield module
        yield from (f"{module}.{name}" for name in names)


def is_under(module, package):
    return f"{module}.".startswith(f"{package}.")


def loaded_by(code):
    """Which of the heavy modules a fresh Python has loaded after some code."""
    code = f"import sys\n{code}\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.split("\n")[-2].split()


@pytest.mark.parametrize("name", sl.__all__)
def test_every_public_name_exists_and_has_a_docstring(name):
    assert name in dir(sl)
    assert getattr(sl, name).__doc__


def test_public_names_are_listed_in_order():
    """A missing name is an AttributeError."""
    assert sl.__all__ == dir(sl) == NAMES.split()
    with pytest.raises(AttributeError, match="module 'searchlab' has no attribute 'gredy'"):
        _ = sl.gredy


def test_type_checkers_find_the_names_in_the_same_modules():
    """As they are loaded from when the program runs."""
    tree = ast.parse((ROOT / "searchlab" / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.asname: node.module for node in block.body for alias in node.names}
    assert typed == {name: f"searchlab.{module}" for name, module in sl._HOME.items()}


def test_the_public_face_has_only_re_exports():
    """Its functions only load lazily."""
    tree = ast.parse((ROOT / "searchlab" / "__init__.py").read_text(encoding="utf-8"))
    made = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert made == ["__getattr__", "__dir__"]


def test_importing_searchlab_loads_no_dependencies():
    assert loaded_by("import searchlab") == []


def test_searching_loads_only_necessary_modules():
    """The readable engine needs no numba, and no search needs pandas or the command line."""
    solve = "import searchlab as sl\nsl.solve(domain='2048:goal=16', engine='readable')"
    assert loaded_by(solve) == ["numpy", "pluggy"]


def test_loading_plugins_does_not_import_numpy():
    assert loaded_by("import searchlab as sl\nsl.Plugins()") == ["pluggy"]


@pytest.mark.slow
@pytest.mark.parametrize("path", FRAMEWORK, ids=relative)
def test_the_framework_knows_no_plugin(path):
    """Nothing in searchlab/ imports the plugins that ship with it."""
    assert not [module for module in modules(path) if is_under(module, "searchlab_plugins")]


@pytest.mark.parametrize("path", PLUGINS, ids=relative)
def test_the_plugins_import_only_the_public_face(path):
    """From searchlab its public names, else their own package and the outside world: as any third party."""
    own = ".".join(("searchlab_plugins", *path.relative_to(ROOT / "plugins").parts[:1])).removesuffix(".py")
    for module, names in imports(path):
        if is_under(module, "searchlab"):
            assert module == "searchlab"
            assert set(names) <= set(sl.__all__)
        elif is_under(module, "searchlab_plugins"):
            assert is_under(module, own)


@pytest.mark.parametrize("function", TAKE_BOARDS, ids=lambda function: function.__name__)
def test_argument_types_include_everything_that_is_accepted(function):
    """A board may be an instance; components may be declared ones."""
    parameters = inspect.signature(function).parameters
    assert {"Board", "Instance", "str", "Path"} <= {*parameters["board"].annotation.split(" | ")}
    for name in {"domain", "heuristic", "frontier", "player"} & {*parameters}:
        assert {"str", name.title(), f"Bound{name.title()}"} <= {*parameters[name].annotation.split(" | ")}


def test_instances_and_declared_components_are_accepted():
    """By every function that searches or plays."""
    game, player = sl.domain("grid-map").component, sl.player("random").component
    searched = {"heuristic": sl.heuristic("octile").component, "frontier": sl.frontier("greedy").component}
    (instance,) = sl.domain(game).instances("grid-map/maze.scen#1")
    assert sl.solve(instance, domain=game, **searched, engine="readable").status == "solved"
    assert sl.trace(instance, domain=game, **searched).content["searchlab"]["name"] == ""
    assert sl.state_space(instance, domain=game, engine="readable")[0].states == 1
    assert sl.play(instance, domain=game, player=player, most_moves=1).instance.digest == instance.digest
    assert sl.advise(instance, domain=game, player=player).action
