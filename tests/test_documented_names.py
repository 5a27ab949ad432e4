"""Names with parameters in the documents: each is that of a component, and keeps what the component declares."""

import re
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.errors import SearchlabError
from searchlab.testing.contract import Contract
from searchlab.testing.finder import Finder

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "experiments").glob("*.md")])
KINDS = ("domain", "heuristic", "frontier", "player", "generator", "learner")
BEGINNING = re.compile(r"(?<![\w./:=-])([a-z0-9][a-z0-9*-]*):(?=[a-z_]+=)")
ENDS = set(" \n\t`'\")|,;")
"""What ends a name outside brackets, a comma only where no parameter follows."""
PLACEHOLDERS = re.compile(r"[A-Z…]|=(,|\]|$)|\.(py|npz|pddl)|\./")
"""What stands for a value, a name without its values, and files, which a document's own test writes."""


def names_in(text):
    """Yield the names with parameters in a text."""
    for match in BEGINNING.finditer(text):
        depth, at = 0, match.end()
        while at < len(text):
            mark = text[at]
            depth += (mark == "[") - (mark == "]")
            goes_on = re.match(r",[a-z_]+=| \d", text[at:])  # a list of numbers has blanks between them
            if depth < 0 or (depth == 0 and mark in ENDS and not goes_on) or mark == "\n":
                break
            at += 1
        yield text[match.start() : at].rstrip(".:")


def components_called(plugins, name):
    """The kinds of components with this name."""
    return [kind for kind in KINDS for one in plugins.all(kind) if name in (one.component.name, *one.component.aliases)]


def documented():
    """The names of components that ship, with the documents they stand in; of each kind they have."""
    plugins = sl.Plugins()
    found = {}
    for path in DOCUMENTS:
        for name in names_in(path.read_text(encoding="utf-8")):
            if not PLACEHOLDERS.search(name):
                for kind in components_called(plugins, name.partition(":")[0]):
                    found.setdefault((kind, name), str(path.relative_to(ROOT)))
    return found


NAMES = documented()
OF_ITS_PAGE = ("maze:goal=5", "heuristic=snake", "heuristic=steps")
"""Names of what a page defines itself."""
LONG = ("groups=7-8", "groups=6-6-3", "ntuple:", "tokens=6")
"""Heuristics whose tables take minutes, or that are trained before."""


def test_names_in_documents_are_found():
    """They end where the sentence goes on; those in brackets are found, too."""
    assert list(names_in("so `max:of=[a:x=1,b]`, walk:n=4,moves=50; --x 'beam:width=10' or (hanoi:discs=3).")) == [
        "max:of=[a:x=1,b]",
        "a:x=1",
        "walk:n=4,moves=50",
        "beam:width=10",
        "hanoi:discs=3",
    ]
    assert len(NAMES) > 100


@pytest.mark.parametrize("name", sorted({name for _, name in NAMES if not any(one in name for one in OF_ITS_PAGE)}))
def test_every_documented_name_can_be_used(name):
    """As one of the kinds of components that have this name: its parameters exist and have possible values."""
    faults = []
    for kind in KINDS:
        if (kind, name) in NAMES and "{" not in name:
            try:
                getattr(sl, kind)(name)
                return
            except SearchlabError as error:
                faults.append(f"{NAMES[kind, name]}: {error}")
    assert faults == []


CHECKED_ON = {"disc-database": "hanoi:discs=12"}
"""The domains of heuristics that are for other boards with these parameters; they are checked on its start board."""


def domain_of(name):
    return CHECKED_ON.get(name.partition(":")[0], "")


def is_heuristic(name):
    """Whether a name is that of a heuristic: a player's may have other parameters."""
    try:
        sl.heuristic(name, domain=domain_of(name) or None)
    except SearchlabError:
        return False
    return True


def checked_heuristics():
    """The heuristics that are quickly checked."""
    named = sorted(name for kind, name in NAMES if kind == "heuristic" and "{" not in name)
    return [name for name in named if not any(one in name for one in LONG) and is_heuristic(name)]


@pytest.mark.slow
@pytest.mark.parametrize("name", checked_heuristics())
def test_every_documented_heuristic_keeps_its_declarations(name):
    """On a sample of boards: a sum of pattern databases called additive did not."""
    board = sl.domain(domain_of(name)).start() if domain_of(name) else None
    (subject,) = Finder(sl.Plugins(), domain_of(name), board, "heuristic").find(name)
    report = Contract(subject, board=board, seconds=1).report()
    assert [(prop.name, finding.message) for prop, finding in report.findings if finding.status == "failed"] == []
