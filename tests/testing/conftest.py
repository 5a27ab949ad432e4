from pathlib import Path

import pytest

import searchlab as sl
from searchlab.testing import check

PLUGINS = Path(__file__).parents[1] / "plugin_files"
SOLVED = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])


@pytest.fixture(scope="session")
def checked():
    """Checks something of a fixture plugin; returns its only report."""

    def checked(name, file="faulty_heuristics.py", seconds=0.35, **options):
        (report,) = check(f"{PLUGINS / file}:{name}", seconds=seconds, **options)
        return report

    return checked


@pytest.fixture(scope="session")
def on_8_puzzle(checked):
    """The same, on all boards of the 8-puzzle alone."""
    return lambda name, **options: checked(name, domain="sliding-tile", board=SOLVED, **options)
