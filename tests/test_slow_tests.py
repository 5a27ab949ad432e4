"""Which of the slow tests are run: none, a share of them, or all."""

from pathlib import Path
from types import SimpleNamespace

import pytest

SLOW = "slow"


@pytest.fixture
def chosen(request):
    """Return the names of the tests that are run with --slow, of six of which every other one is slow."""
    conftest = next(
        plugin
        for plugin in request.config.pluginmanager.get_plugins()
        if getattr(plugin, "__file__", None) == str(Path(__file__).with_name("conftest.py"))
    )

    def chosen(slow=None, arguments=("tests",)):
        items = [Item(f"{number}{SLOW if number % 2 else ''}") for number in range(6)]
        config = SimpleNamespace(
            args=arguments,
            hook=SimpleNamespace(pytest_deselected=lambda items: None),
            getoption=lambda name: slow and conftest.share(slow) if name == "--slow" else None,
        )
        conftest.pytest_collection_modifyitems(config, items)
        return [item.name for item in items]

    return chosen


class Item:
    def __init__(self, name):
        self.name = name

    def get_closest_marker(self, mark):
        return mark if mark in self.name else None


def test_slow_tests_are_run_where_they_are_asked_for(chosen):
    """By an option, or by their own names."""
    assert chosen() == ["0", "2", "4"]
    assert chosen(slow="all") == ["0", "1slow", "2", "3slow", "4", "5slow"]
    assert chosen(arguments=["tests/test_a.py::test_b"]) == chosen(slow="all")


def test_the_shares_together_are_all_of_them(chosen):
    """Each slow test is in one share, and the others are in each."""
    shares = [chosen(slow=f"{number}/2") for number in range(2)]
    assert shares == [["0", "1slow", "2", "4", "5slow"], ["0", "2", "3slow", "4"]]
    assert chosen(slow="7/2") == shares[1]


def test_what_is_no_share_is_refused(chosen):
    """The error says what one looks like."""
    for text in ("2", "1/0", "a/4", "-1/4"):
        with pytest.raises(Exception, match="such as 1/4"):
            chosen(slow=text)
