"""Machine code is cached by content, in a folder only its user can write, in files that are whole."""

import os
import subprocess
import sys
import textwrap

import pytest


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def run(cache, source, **environment):
    """Run a program with this cache folder; returns what it prints."""
    completed = subprocess.run(
        [sys.executable, "-W", "always", "-c", textwrap.dedent(source)],
        env={**os.environ, "SEARCHLAB_CACHE_DIR": str(cache), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout + completed.stderr


def listing(cache):
    return sorted(path.name for path in cache.iterdir())


SMALL = """
import searchlab as sl
result = sl.solve(domain="2048:goal=16", heuristic="{heuristic}")
print(result.status, result.moves, result.expanded)
"""


def test_a_second_process_compiles_nothing_and_the_folder_does_not_grow(cache):
    """The second run finds everything, and gives the same result."""
    first = run(cache, SMALL.format(heuristic="empty"))
    files = listing(cache)
    without_compiler = """
    import searchlab.search.machine_code as machine_code
    def refuse(*arguments):
        raise AssertionError("compiled something")
    machine_code._compile = refuse
    """
    second = run(cache, textwrap.dedent(without_compiler) + SMALL.format(heuristic="empty"))
    assert second == first
    assert listing(cache) == files


def test_what_two_processes_compiled_is_told_apart_in_a_third(cache):
    """Machine code of functions of one name, each the first its process compiled, does not take each other's place."""
    learn = """
    import numpy as np
    import searchlab as sl
    from searchlab.learning.compiled import CompiledLearner
    from searchlab.pcg64 import words_of

    def learned(n):
        network = sl.NTupleNetwork(n, n, ((0, 1), (1, 2, 3)))
        learner = CompiledLearner(network, None, sl.domain("2048-random", n=n), 0.5, words_of(sl.Randomness(n)))
        return [(game.moves, game.score) for game in learner.learn(1000, 3)[1]], float(network.weights.sum())
    """
    alone = [run(cache, textwrap.dedent(learn) + f"print(learned({n}))") for n in (2, 3)]
    assert run(cache, textwrap.dedent(learn) + "print(learned(2))\nprint(learned(3))") == "".join(alone)


def test_an_edited_heuristic_never_runs_from_a_stale_cache(cache, tmp_path):
    """Editing a helper in another file changes the result of the next run."""
    (tmp_path / "helpers.py").write_text("WEIGHT = 1\ndef weigh(x):\n    return WEIGHT * x\n")
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "import sys\nsys.path.insert(0, __file__.rpartition('/')[0])\nimport helpers\n"
        "def h(tiles):\n    return helpers.weigh(tiles[0, 0] + tiles[1, 1] + 2 * tiles[3, 2])\n"
    )
    source = f"""
    import searchlab as sl
    for engine in ("compiled", "readable"):
        result = sl.solve(domain="2048:goal=64", heuristic="{plugin}:h:prefer=high", engine=engine)
        print(result.moves, result.expanded)
    """
    before = run(cache, source).split("\n")
    (tmp_path / "helpers.py").write_text("WEIGHT = -1\ndef weigh(x):\n    return WEIGHT * x\n")
    after = run(cache, source).split("\n")
    assert before[0] == before[1]
    assert after[0] == after[1]
    assert before != after


def test_a_torn_file_is_compiled_again(cache):
    """A cache file that was cut off or is no machine code at all costs a compilation, nothing else."""
    first = run(cache, SMALL.format(heuristic="empty"))
    for k, path in enumerate(sorted(cache.iterdir())):
        path.write_bytes(path.read_bytes()[:100] if k % 2 else b"no machine code")
    assert run(cache, SMALL.format(heuristic="empty")) == first


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_folder_others_can_write_is_not_used(cache):
    """Machine code is run as it is found, so a folder that others can write is left alone, with one line."""
    cache.mkdir()
    cache.chmod(0o777)
    said = run(cache, SMALL.format(heuristic="empty"))
    assert said.startswith("solved")
    assert said.count("compiled code is not kept") == 1
    assert listing(cache) == []


def test_the_newest_files_of_a_name_stay(cache):
    """The folder keeps a bounded number of files for one function's name."""
    source = """
    import numpy as np
    import searchlab as sl
    from searchlab.search.compiling import Callee
    from searchlab.search.machine_code import KEPT, cache_folder
    from searchlab.search.packing import Packing
    packing = Packing(2, 2, 4, 2, powers_of_two=False)
    for k in range(KEPT + 3):
        scope = {"K": k}
        exec("def h(tiles):\\n    return K", scope)
        Callee.estimate(scope["h"], {}, packing)
    print(len(list(cache_folder().glob("h-*"))) == KEPT)
    """
    assert run(cache, source) == "True\n"
