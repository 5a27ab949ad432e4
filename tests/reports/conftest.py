"""A browser for the pages of reports."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser import Pages, running_browser


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests of a process."""
    with running_browser() as browser:
        yield browser


@pytest.fixture
def pages(browser):
    """Opens pages; that they complain of nothing and ask the network for nothing holds for every test."""
    pages = Pages(browser)
    yield pages
    assert pages.complaints == []
    assert pages.requests == []
