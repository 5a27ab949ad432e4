"""numba is used by its public interface, but for one module; with a version that is not known everything works, too."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import searchlab
from searchlab.compiler.numba_private import PLAIN_VARIABLE

PACKAGE = Path(searchlab.__file__).parent
PUBLIC = {
    "numba",
    "numba.extending",
    *(f"numba.core.{name}" for name in ("cgutils", "compiler", "compiler_machinery", "errors", "event", "ir")),
    *(f"numba.core.{name}" for name in ("typed_passes", "untyped_passes")),
}
"""The modules that numba's documentation shows to those who extend it."""
PRIVATE = "numba_private.py"

SOLVE = """
import searchlab as sl
from searchlab.compiler import numba_private
{change}

def mine(tiles, goal_row, goal_col):
    count = 0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            tile = tiles[row, column]
            if tile:
                count += abs(goal_row[tile] - row) + abs(goal_col[tile] - column)
    return count

board = sl.read_board("sliding-tile/puzzle8-20")
found = [sl.solve(board, domain="sliding-tile", heuristic=heuristic, frontier=frontier, engine="compiled")
         for heuristic in ("taxicab", mine) for frontier in ("astar", "ida-star")]
print([(one.status, one.optimal, one.cost, one.expanded, one.generated) for one in found])
print(numba_private.why_plain())
"""


def test_one_module_imports_private_parts_of_numba():
    """It imports them by name, in one place; all others import what numba's documentation describes."""
    found = []
    for path in [*PACKAGE.rglob("*.py"), *(PACKAGE.parent / "plugins").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
                names = [f"{node.module}.{name.name}" for name in node.names]
                allowed = node.module in PUBLIC or all(name in PUBLIC for name in names)
                if node.module == "numba.core":
                    allowed = all(name in PUBLIC for name in names)
                found += [] if allowed else [(path.name, node.module)]
            if isinstance(node, ast.Import):
                found += [(path.name, name.name) for name in node.names if name.name.startswith("numba.")]
            if isinstance(node, ast.Constant) and str(node.value).startswith("numba.") and path.name != PRIVATE:
                found += [(path.name, node.value)]
    assert not found


def solved(change="", **variables):
    """Solve boards in a fresh process with an empty cache; return the results, and why numba is plain."""
    environment = {name: value for name, value in os.environ.items() if name != PLAIN_VARIABLE} | variables
    ran = subprocess.run(
        [sys.executable, "-c", SOLVE.format(change=change)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.shortcuts
@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "variables", "why"),
    [
        ("", {"SEARCHLAB_PLAIN_NUMBA": "1"}, "SEARCHLAB_PLAIN_NUMBA is set"),
        ("numba_private.TESTED = ('0.1',)", {}, "the shortcuts were tested with numba 0.1, not with "),
        (
            "numba_private.PARTS['JITCodeLibrary'] = 'numba.core.gone'",
            {},
            "has no numba.core.gone.JITCodeLibrary",
        ),
        (
            "numba_private.PARTS['PostProcessor'] = 'numba.core.ir'",
            {},
            "has no numba.core.ir.PostProcessor",
        ),
    ],
)
def test_without_the_shortcuts_the_results_are_the_same(tmp_path, change, variables, why):
    """Switched off, with another version of numba, and if a private part is gone."""
    kept, plain = tmp_path / "kept", tmp_path / "plain"
    with_shortcuts = solved(SEARCHLAB_CACHE_DIR=str(kept))
    without = solved(change, SEARCHLAB_CACHE_DIR=str(plain), **variables)
    assert without[0] == with_shortcuts[0]
    assert with_shortcuts[1] == ""
    assert why in without[1]
    assert list(kept.glob("*.machine-code"))
    assert not list(plain.glob("*.machine-code"))


def test_the_cache_says_how_functions_are_compiled(tmp_path):
    command = [sys.executable, "-m", "searchlab", "cache"]
    environment = {**os.environ, "SEARCHLAB_CACHE_DIR": str(tmp_path), "SEARCHLAB_PLAIN_NUMBA": "1"}
    shown = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
    assert "by plain numba, and keeps no machine code: SEARCHLAB_PLAIN_NUMBA is set" in " ".join(shown.split())
    written = subprocess.run([*command, "--json"], capture_output=True, text=True, env=environment, check=True).stdout
    assert json.loads(written)["plain_numba"] == "SEARCHLAB_PLAIN_NUMBA is set"
