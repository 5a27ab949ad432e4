"""Which tests are run: none of the slow ones and of the documents, all, or a share of them."""

from pathlib import Path
from types import SimpleNamespace

import pytest

SLOW, DOCS = "slow", "docs"


@pytest.fixture
def chosen(request):
    """Return the names of the tests that are run with options, of six of which every other one has a mark."""
    conftest = next(
        plugin
        for plugin in request.config.pluginmanager.get_plugins()
        if getattr(plugin, "__file__", None) == str(Path(__file__).with_name("conftest.py"))
    )

    def chosen(slow=None, docs=None, arguments=("tests",), mark=SLOW, share="all"):
        items = [Item(f"{number}{mark if number % 2 else ''}") for number in range(6)]
        options = {"--slow": slow and conftest.share(slow), "--docs": bool(docs)}
        options["--docs-share"] = conftest.share(docs or "all")
        options["--share"] = conftest.share(share)
        config = SimpleNamespace(
            args=arguments,
            hook=SimpleNamespace(pytest_deselected=lambda items: None),
            getoption=options.__getitem__,
        )
        conftest.pytest_collection_modifyitems(config, items)
        return [item.name for item in items]

    return chosen


class Item:
    def __init__(self, name):
        self.name = name

    def get_closest_marker(self, mark):
        return mark if mark in self.name else None


def test_slow_tests_are_run_on_request(chosen):
    """By an option, or by their own names."""
    assert chosen() == ["0", "2", "4"]
    assert chosen(slow="all") == ["0", "1slow", "2", "3slow", "4", "5slow"]
    assert chosen(arguments=["tests/test_a.py::test_b"]) == chosen(slow="all")


def test_shares_together_contain_all_slow_tests(chosen):
    """Each slow test is in one share; the other tests are in all of them."""
    shares = [chosen(slow=f"{number}/2") for number in range(2)]
    assert shares == [["0", "1slow", "2", "4", "5slow"], ["0", "2", "3slow", "4"]]
    assert chosen(slow="7/2") == shares[1]


def test_documented_blocks_are_shared_out_in_the_same_way(chosen):
    """Without --docs nothing of it is run, and with it all or a share."""
    assert chosen(mark=DOCS) == ["0", "2", "4"]
    assert chosen(docs="all", mark=DOCS) == ["0", "1docs", "2", "3docs", "4", "5docs"]
    shares = [chosen(docs=f"{number}/2", mark=DOCS) for number in range(2)]
    assert shares == [["0", "1docs", "2", "4", "5docs"], ["0", "2", "3docs", "4"]]


def test_shares_together_contain_all_selected_tests(chosen):
    assert [chosen(share=f"{number}/2") for number in range(2)] == [["0", "4"], ["2"]]
    assert [chosen(slow="all", share=f"{number}/2") for number in range(2)] == [
        ["0", "2", "4"],
        ["1slow", "3slow", "5slow"],
    ]


def test_an_invalid_share_is_refused(chosen):
    """The error says what one looks like."""
    for text in ("2", "1/0", "a/4", "-1/4"):
        with pytest.raises(Exception, match="such as 1/4"):
            chosen(slow=text)
