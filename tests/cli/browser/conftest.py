"""A page in a real browser that plays games: the program in a thread of this process, or in a process of its own."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from browser import running_browser

import searchlab as sl
from searchlab.cli.browser.server import PageServer
from searchlab.cli.browser.window import Window
from searchlab.cli.terminal.advisor import DirectAdvisor
from searchlab.games.game import GameSeries, random_source
from searchlab.model.randomness import Randomness
from searchlab.plugins import lookup
from searchlab.reports.viewer import page_template

PATIENCE = 60


def begun(domain, player="greedy", *, start=None, seed=1, watches=False, most_moves=1000, delay=0.0, log=None, **more):
    """A window on games, and the games."""
    game = sl.domain(domain)
    series = GameSeries(game, random_source(game, Randomness(seed)), start, log)
    advisor = DirectAdvisor(lambda: lookup.player(player, domain=game), seed)
    settings = {
        "delay": delay,
        "most_moves": most_moves,
        "is_watching": watches,
        "pictures": None,
        "about": dict,
        **more,
    }
    return Window(series, advisor, str(player), log, **settings), series


@pytest.fixture
def window_of():
    """Return a window on games, and the games, which nobody plays on."""
    return begun


class Played:
    """A window that is played on in a thread.

    Attributes:
        series: the games.
        address: of the page.
    """

    def __init__(self, domain, player="greedy", **settings):
        self._window, self.series = begun(domain, player, **settings)
        self.server = PageServer(
            page_template("window.html").render(title=str(self.series.domain), headline="headline", empty="")
        )
        self.address = self.server.address
        self._thread = threading.Thread(target=self._play)
        self._thread.start()

    def _play(self):
        with self.server:
            self._window.play(self.server)
            self.server.end({"ended": self._window.closed_by, "about": {}})

    def close(self):
        if self._thread.is_alive():
            with contextlib.suppress(CancelledError):
                self.server.ask({"command": "end"})
            self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


@pytest.fixture(scope="module")
def browser():
    """One browser for the tests of a module."""
    with running_browser() as browser:
        yield browser


class Tabs:
    """Opens pages that are served.

    Attributes:
        complaints: what the pages said on the console.
        requests: what they asked for besides what begins with their address.
    """

    def __init__(self, browser):
        self._browser = browser
        self._contexts = []
        self.complaints, self.requests = [], []

    def open(self, address, *, width=1100, height=850, **settings):
        context = self._browser.new_context(viewport={"width": width, "height": height}, **settings)
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._note(request.url, address))
        page.goto(address)
        page.locator("main[aria-busy=false]").wait_for()
        return page

    def close(self):
        """Close all that was opened."""
        for context in self._contexts:
            context.close()

    def _note(self, url, address):
        if not url.startswith((address, "data:")):
            self.requests.append(url)


@pytest.fixture
def tabs(browser):
    """Opens pages; that they complain of nothing and ask nobody else for anything holds for every test."""
    tabs = Tabs(browser)
    yield tabs
    tabs.close()
    assert tabs.complaints == []
    assert tabs.requests == []


@pytest.fixture
def played():
    """Begin to play in a thread; return what is played."""
    all_played = []

    def played(*arguments, **settings):
        all_played.append(Played(*arguments, **settings))
        return all_played[-1]

    yield played
    for each in all_played:
        each.close()


class Program:
    """`searchlab play --browser` in a process of its own.

    Attributes:
        address: of the page.
    """

    def __init__(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "BROWSER")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "searchlab", "play", "--browser", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        said = self.process.stderr.readline()
        found = re.search(r"http://\S+", said)
        assert found, said + self.process.stderr.read()
        self.address = found[0]

    def interrupt(self):
        """Press Ctrl-C; return the exit code, the output and what was said after the address."""
        self.process.send_signal(signal.SIGINT)
        return self.finish()

    def finish(self):
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Start the program in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    started = []

    def program(*arguments):
        started.append(Program(*arguments))
        return started[-1]

    yield program
    for each in started:
        with contextlib.suppress(ProcessLookupError):
            each.process.kill()
        each.process.communicate()
