"""A real browser for tests of pages, which keeps console messages and network requests."""

import shutil
import time
from contextlib import contextmanager

import pytest

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
NOT_HERE = "no Chromium here: apt-get install chromium, and playwright of the extra [test]"


READABLE = """() => {
    const solid = (node) => {
        for (; node; node = node.parentElement) {
            const colour = getComputedStyle(node).backgroundColor;
            if (!colour.startsWith("rgba(0, 0, 0, 0")) return colour;
        }
        return "rgb(255, 255, 255)";
    };
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (node.closest("svg, script, option") || !node.offsetParent) continue;
        if (!walker.currentNode.textContent.trim()) continue;
        texts.push([walker.currentNode.textContent, getComputedStyle(node).color, solid(node)]);
    }
    return texts;
}"""
"""Every text of a page with its colour and that of what is behind it."""
OUTSIDE = """() => [...document.querySelectorAll("svg")].flatMap(svg => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter(text => {
        const box = text.getBoundingClientRect();
        return box.left < frame.left - 1 || box.right > frame.right + 1
            || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
    }).map(text => text.textContent);
})"""
"""The texts of drawings that are not within their drawing."""
OVERLAPPING = """() => [...document.querySelectorAll("svg")].flatMap(svg => {
    const texts = [...svg.querySelectorAll("text")].filter(text => !text.getAttribute("transform"));
    const boxes = texts.map(text => text.getBoundingClientRect());
    const found = [];
    for (let a = 0; a < boxes.length; a++) for (let b = 0; b < a; b++) {
        const [one, other] = [boxes[a], boxes[b]];
        const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (across > 2 && down > 4) found.push(`${texts[a].textContent} / ${texts[b].textContent}`);
    }
    return found;
})"""
"""Pairs of texts of a drawing that lie on each other."""


@contextmanager
def running_browser():
    """A browser without a window; the test is skipped where there is none."""
    if PROGRAM is None:
        pytest.skip(NOT_HERE)
    playwright = pytest.importorskip("playwright.sync_api", reason=NOT_HERE)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PROGRAM, args=list(ARGUMENTS))
        yield browser
        browser.close()


class Pages:
    """Opens pages of files in a browser of its own settings each.

    Attributes:
        complaints: what the pages said on the console, errors among it.
        requests: what they asked for besides themselves.
    """

    def __init__(self, browser):
        self._browser = browser
        self._contexts = []
        self.complaints, self.requests = [], []

    def open(self, path, *, fragment="", width=1200, height=900, **settings):
        """Return the page of a file; `settings` are those of playwright's contexts."""
        context = self._browser.new_context(viewport={"width": width, "height": height}, **settings)
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        address = path.resolve().as_uri()
        page.on("request", lambda request: self._note(request.url, address))
        page.goto(address + (f"#{fragment}" if fragment else ""))
        return page

    def close(self):
        """Close all that was opened: a page that is left open goes on taking time."""
        for context in self._contexts:
            context.close()

    def _note(self, url, address):
        if url.partition("#")[0] != address and not url.startswith("data:"):
            self.requests.append(url)


def wait_for(page, expression, seconds=15):
    """Wait until an expression is true; playwright's own way is one that these pages do not allow."""
    until = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < until, expression
        page.wait_for_timeout(20)


def contrast(one, other):
    """Return the contrast of two colours `rgb(r, g, b)` or `#rrggbb`, by the Web Content Accessibility Guidelines."""
    light, dark = sorted((luminance(channels(one)), luminance(channels(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def channels(colour):
    if colour.startswith("#"):
        return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return [float(part) for part in colour.partition("(")[2].rstrip(")").split(",")[:3]]


def luminance(rgb):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
