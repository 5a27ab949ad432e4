"""The documentation becomes a site without a warning, with every name of the program, and without foreign addresses."""

import importlib
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import html5lib
import pytest

import searchlab as sl
from searchlab.cli.program import BUILT_IN
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins.hookspecs import HOOKS

pytest.importorskip("sphinx", reason="the extra docs is not installed")

ROOT = Path(__file__).parents[1]
LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "object": "data", "source": "src"}
"""What a browser fetches without being asked: elements and their attributes."""


class Page(HTMLParser):
    """The links, anchors and fetched addresses of a page."""

    def __init__(self, path):
        super().__init__()
        self.path, self.links, self.anchors, self.fetched = path, [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag in LOADED and attributes.get("rel") != "canonical" and attributes.get(LOADED[tag]):
            self.fetched.append(attributes[LOADED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built by the command that docs/installing.md names."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "-d", folder / "trees", "."]
    done = subprocess.run([*command, folder / "html"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    """The pages of the site, without the reports that it has if docs/gallery/regenerate.py was run."""
    others = {site / folder for folder in ("_static", "_downloads", "reports")}
    return {path: Page(path) for path in sorted(site.rglob("*.html")) if not others & {*path.parents}}


def test_nothing_is_fetched_from_elsewhere(pages):
    foreign = [
        (page.path.name, address) for page in pages.values() for address in page.fetched if urlsplit(address).netloc
    ]
    assert foreign == []


def test_links_between_pages_lead_somewhere(pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].anchors if target in pages else set()
            if not target.exists() or (parts.fragment and target in pages and unquote(parts.fragment) not in anchors):
                broken.append((path.name, link))
    assert broken == []


def test_pages_are_valid_html(pages):
    """As html5lib reads them."""
    faults = []
    for path in pages:
        parser = html5lib.HTMLParser()
        parser.parse(path.read_text(encoding="utf-8"))
        faults += [(path.name, *error) for error in parser.errors]
    assert faults == []


def test_reference_has_every_public_name_hook_and_component(pages, site):
    """Nothing of it is written by hand: what the program has is there."""
    reference = {path.stem: page for path, page in pages.items() if path.parent == site / "docs" / "reference"}
    anchors = set().union(*(page.anchors for page in reference.values()))
    names = {name: f"searchlab.{name}" for name in sl.__all__} | {"plot": "module-searchlab.plot"}
    assert [name for name, anchor in names.items() if anchor not in anchors] == []
    assert [name for name in HOOKS if f"searchlab.plugins.hookspecs.{name}" not in anchors] == []
    assert [name for name in BUILT_IN if f"searchlab-{name}" not in anchors] == []
    text = {stem: page.path.read_text(encoding="utf-8") for stem, page in reference.items()}
    ours = [
        (kind, found.component.name) for kind in COMPONENT_TYPES for found in sl.Plugins(third_party=False).all(kind)
    ]
    assert [(kind, name) for kind, name in ours if f">{name}<" not in text[f"{kind}s"]] == []


def test_pages_of_the_gallery_link_reports_that_are_there(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    directive = importlib.import_module("generated_pages").WholeReport
    page = SimpleNamespace(arguments=["ties"], config=SimpleNamespace(html_extra_path=["site", str(tmp_path)]))
    page.env = SimpleNamespace(note_reread=lambda: None)
    (without,) = directive.lines(page)
    assert without.startswith("The last command writes the whole report")
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "ties.html").write_text("", encoding="utf-8")
    (linked,) = directive.lines(page)
    assert linked.startswith('<a href="../../reports/ties.html">The whole report</a> has ')


@pytest.mark.parametrize(
    "message",
    [
        "in use by another program",
        "the tiles fit no game",
        "--trace follows the readable engine",
        "which cannot be grouped by",
        "walking-distance is for boards of up to",
    ],
)
def test_a_message_is_found_by_its_words(site, message):
    """Messages from several parts of the program."""
    found = re.sub(r"<[^>]+>", "", (site / "docs" / "reference" / "messages.html").read_text(encoding="utf-8"))
    assert message in found


MOST_WORDS = 2500


def test_pages_outside_the_reference_are_short():
    """Nobody reads a page to its end that takes more than a quarter of an hour."""
    listed = (ROOT / "docs" / "reference" / "index.md").read_text(encoding="utf-8").split()
    reference = {(ROOT / "docs" / "reference" / f"{name}.md").resolve() for name in listed}
    pages = [path for path in (ROOT / "docs").rglob("*.md") if path.resolve() not in reference]
    long = {path.name: len(path.read_text(encoding="utf-8").split()) for path in pages}
    assert {name: words for name, words in long.items() if words > MOST_WORDS} == {}
