"""Values computed when a module is imported belong to the identity of runs whose functions reach them."""

import sys

import pytest

from searchlab.experiments.fingerprints import fingerprints
from searchlab.plugins.registry import Plugins

IMPORTS = "import os, functools, datetime\nimport numpy as np\nfrom searchlab import Heuristic, hookimpl\n"
REGISTERED = '\n\n@hookimpl\ndef searchlab_heuristics():\n    yield Heuristic("h5", h, domains={"sliding-tile"})\n'
REACHING = {
    "a global": "W = int(os.environ['W'])\ndef h(tiles): return W * tiles[0, 0]",
    "an array": "A = np.full(3, float(os.environ['W']))\ndef h(tiles): return A[0] * tiles[0, 0]",
    "a dictionary of lists": "D = {'a': [os.environ['W']]}\ndef h(tiles): return len(D['a'])",
    "a date": "D = datetime.date(2026, 1, int(os.environ['W']))\ndef h(tiles): return D.day",
    "a helper": "W = int(os.environ['W'])\ndef helper(): return W\ndef h(tiles): return helper()",
    "a lambda in a comprehension": "W = int(os.environ['W'])\ndef h(tiles): return sum((lambda: W)() for _ in '12')",
    "a free variable": "def make(w):\n    def h(tiles): return w\n    return h\nh = make(os.environ['W'])",
    "a default": "def h(tiles, w=float(os.environ['W'])): return w * tiles[0, 0]",
    "a partial function": "def g(w): return w\nP = functools.partial(g, os.environ['W'])\ndef h(tiles): return P()",
    "a decorated function": "W = os.environ['W']\n@functools.cache\ndef g(): return W\ndef h(tiles): return len(g())",
    "an attribute": "class C:\n    w = os.environ['W']\ndef h(tiles): return len(C.w)",
    "an object": "class C:\n    def __init__(self): self.w = os.environ['W']\nO = C()\ndef h(tiles): return len(O.w)",
    "a second value": "W = 1\nif os.environ['W'] == '2': W = 3\ndef h(tiles): return W",
}
NOT_REACHING = {
    "another global": "V = os.environ['W']\ndef h(tiles): return tiles[0, 0]",
    "a dictionary that is filled": "C = {os.environ['W']: 1}\ndef h(tiles):\n    C[1] = 2\n    return 1",
    "a list that grows": "C = [os.environ['W']]\ndef h(tiles):\n    C.append(2)\n    return 1",
    "what is computed once": "class C:\n    @functools.cached_property\n    def w(self): return os.environ['W']\n"
    "O = C()\nO.w\ndef h(tiles): return len(O.w)",
    "a counter": "N = int(os.environ['W'])\ndef h(tiles):\n    global N\n    N += 1\n    return 1",
    "a literal": "W = 5\ndef h(tiles, corner=-1.0): return W",
    "the folder": "F = os.path.dirname(__file__) + '/x'\ndef h(tiles): return len(F)",
    "a digit of a float": "W = 0.1 + (os.environ['W'] == '2') * 1e-16\nA = np.full(2, W)\ndef h(t): return W * A[0]",
}


@pytest.fixture
def found(tmp_path, monkeypatch):
    """A function that returns the fingerprints of a heuristic of some code, imported with W in the environment."""
    number = iter(range(100))

    def found(code, value, **others):
        monkeypatch.setenv("W", value)
        folder = tmp_path / str(next(number))
        folder.mkdir()
        for name, text in {"mine": f"{IMPORTS}{code}{REGISTERED}", **others}.items():
            (folder / f"{name}.py").write_text(text)
        plugins = Plugins(entry_points=(), files=[str(folder / "mine.py")])
        return fingerprints(plugins.all("heuristic"))

    return found


@pytest.mark.parametrize("code", REACHING.values(), ids=list(REACHING))
def test_a_value_that_functions_reach_counts(found, code):
    one, same, other = found(code, "1"), found(code, "1"), found(code, "2")
    assert one == same
    assert one.keys() == other.keys() == {"mine", "mine:h5"}
    assert one["mine"] == other["mine"]
    assert one["mine:h5"] != other["mine:h5"]


@pytest.mark.parametrize("code", NOT_REACHING.values(), ids=list(NOT_REACHING))
def test_unrelated_values_do_not_change_the_identity(found, code):
    assert found(code, "1") == found(code, "2")


def test_a_value_in_another_file_of_the_folder_counts(found):
    """However it is imported; literal ones tell nothing that the code does not."""
    others = {"config": "import os\nW = os.environ['W']\nL = 3\n"}
    for code in (
        "from .config import W\ndef h(tiles): return len(W)",
        "from . import config\ndef h(t): return config.W",
    ):
        assert found(code, "1", **others)["mine:h5"] != found(code, "2", **others)["mine:h5"]
    assert list(found("from .config import L\ndef h(tiles): return L", "1", **others)) == ["mine"]


def test_a_run_with_another_value_is_another_run(tmp_path, monkeypatch):
    """And the worker has the same value, or it refuses."""
    from searchlab.experiments.matrix import matrix
    from searchlab.experiments.specification import Experiment

    (tmp_path / "mine.py").write_text(f"{IMPORTS}{REACHING['a global']}{REGISTERED}")
    monkeypatch.chdir(tmp_path)
    experiment = Experiment(boards=["sliding-tile/example"], heuristics=["h5"], frontiers=["greedy"])
    identities = []
    for value in ("1", "2", "1"):
        monkeypatch.setenv("W", value)
        for name in [
            name for name, module in sys.modules.items() if "mine.py" in (getattr(module, "__file__", "") or "")
        ]:
            monkeypatch.delitem(sys.modules, name)
        (run,) = matrix(experiment, Plugins(files=["mine.py"])).runs
        identities.append(run.identity)
    assert identities[0] == identities[2] != identities[1]
