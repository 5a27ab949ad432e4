"""What newcomers write runs compiled, or one line says what to write."""

from pathlib import Path

import pytest

FILE = Path(__file__).with_name("newcomers.py")
COMPILED = [
    "any_and_all",
    "closure",
    "closure_inside",
    "dict",
    "generator",
    "index",
    "list",
    "max",
    "numpy",
    "recursion_outside",
    "set",
    "settings",
    "sorted",
    "sorted_key",
    "where",
]
HINTS = {
    "class": "it uses Puzzle, an object (type) (line {line} of newcomers.py); write methods as functions of the tiles",
    "counter": "write `counts = np.zeros(16)` with the key as index, and count in it: `counts[key] += 1`",
    "lambda_map": "write `return sum(pair[0] != pair[1] for pair in zip(tiles.ravel(), range(9))) / 2`",
    "min_key": "min with key=",
    "numpy_mask": "flatten first, flat = tiles.ravel(), then flat[flat > 2]",
    "recursion": "move it out, and give it what it needs: def count(tiles, place): …",
    "set_of_rows": "write `return 3 - len(set([tile // 3 for tile in tiles[0]]))`",
    "string": 'write `text = "".join([str(tile) for tile in tiles.ravel()])`',
    "tolist": "write `flat = tiles.flatten()`",
    "try": "ask first: if tile != 0: …",
}


def solved(run, name):
    asked = ("sliding-tile/puzzle8-31", "--heuristic", f"{FILE}:with_{name}", "--frontier", "greedy")
    return run("solve", *asked, "--max-expansions", 200)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_heuristics_of_newcomers_run_compiled(run, name):
    """A dict, a generator, a list, a set, NumPy, recursion, sorted and closures."""
    ran = solved(run, name)
    assert "cannot be compiled" not in ran.err
    assert "batches" not in ran.out


@pytest.mark.slow
@pytest.mark.parametrize("name", HINTS)
def test_a_line_says_what_to_write(run, name):
    """Once, with the line of the file; and the search runs."""
    ran = solved(run, name)
    said = " ".join(ran.err.split())
    assert said.count(f"with_{name} cannot be compiled: ") == 1
    before, _, after = HINTS[name].partition("{line}")
    assert before in said
    assert after in said
    assert "it is evaluated in Python, in batches of 1,000" in said
    assert "batches of 1,000" in ran.out
