"""A browser for the pages of reports, and made-up tables of runs as `load_results` returns them."""

import sys
from pathlib import Path

import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser import Pages, running_browser

SEARCH = {
    "board_name": "b1",
    "board": "1 2 / 3 0",
    "domain": "sliding-tile",
    "heuristic": "taxicab",
    "frontier": "astar",
    "seed": pd.NA,
    "repetition": 1,
    "status": "solved",
    "cost": 20.0,
    "expanded": 100,
    "seconds": 0.5,
    "peak_bytes": 4096,
    "optimal_cost": 20.0,
    "limit_seconds": 1.0,
}
GAME = {
    "board_name": pd.NA,
    "board": pd.NA,
    "domain": "2048-random",
    "player": "greedy",
    "seed": 1,
    "repetition": 1,
    "status": "dead",
    "score": 1000.0,
    "largest_tile": 128,
    "moves": 100,
    "seconds": 0.5,
}
TYPES = {"seed": "Int64", "score": "Float64", "largest_tile": "Int64", "cost": "Float64", "optimal_cost": "Float64"}


@pytest.fixture(scope="module")
def browser():
    """One browser for the tests of a module: while it is there a loop of asyncio runs, which others may need."""
    with running_browser() as browser:
        yield browser


@pytest.fixture
def pages(browser):
    """Opens pages; that they complain of nothing and ask the network for nothing holds for every test."""
    pages = Pages(browser)
    yield pages
    pages.close()
    assert pages.complaints == []
    assert pages.requests == []


@pytest.fixture
def searches():
    """A function that returns a table of searches, of each of which it is said what is special."""
    return lambda *rows: _table(SEARCH, rows)


@pytest.fixture
def games():
    """The same of games."""
    return lambda *rows: _table(GAME, rows)


@pytest.fixture
def two_heuristics(searches):
    """Four boards, solved by taxicab; by misplaced the first two with ten times the expansions, the others not."""
    rows = []
    for number, expanded in enumerate((10, 100, 1000, 10_000), 1):
        of_board = {"board_name": f"b{number}", "board": f"{number} 0"}
        rows.append({**of_board, "heuristic": "taxicab", "expanded": expanded})
        status = "solved" if number < 3 else "time-limit"
        rows.append({**of_board, "heuristic": "misplaced", "expanded": 10 * expanded, "status": status})
    return searches(*rows)


def _table(common, rows):
    table = pd.DataFrame([{**common, **row} for row in rows])
    return table.astype({name: type_ for name, type_ in TYPES.items() if name in table.columns})
