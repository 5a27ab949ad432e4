"""The code and the documents use the field's words: none that an audit found to be a private vocabulary."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [path for folder in ("searchlab", "plugins") for path in sorted((ROOT / folder).rglob("*.py"))]

MODULES = {
    *("accessories", "asking", "bare", "cases", "combining", "contests", "declared", "doing", "found", "handed_over"),
    *("hands", "hosting", "kinds", "leaving", "lifecycle", "machine", "matches", "performing", "reach", "telling"),
}
"""What modules were called before they were named after what is in them."""
NAMES = {
    *("Contest", "Doing", "Hand", "LARGEST_BATCH", "Machine", "Reach", "ReachedFunction"),
    *("UpperPart", "_Match", "_asked", "_calling", "bare_component", "bite", "can_follow", "handed_over"),
    *("leave_process", "look_ahead", "meet", "why_refused", "why_untold"),
}
"""What functions and classes were called: `docs/architecture.md` names those that took their place."""
PHRASES = (
    *("what became of", "an empty text", "as it is spelled", "as they are spelled", "handed over"),
    *(
        "whatever its family",
        "what is left of it then",
        "have to have in common",
        "(of|in|for|from|until) so many",
        "is told(?! (apart|to))",
    ),
    *("(is|are) (not )?gone on from", "how many that (is|were)", "with --group-by what"),
)
"""Patterns of circumlocutions of words there are: outcome, empty string, spelling, returned, count, notified."""
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "experiments" / "README.md"]
DOCUMENTS += sorted((ROOT / "docs").glob("**/*.md"))
PHRASES_OF_DOCUMENTS = (
    *("the same command (again|continues|does|goes on)", "at any moment", "whose a name is", "how good it became"),
    *("is of no interest", "looked after", "as one that was never stopped", "has all it takes", "(in|of) so many\\b"),
    *("(is|are) told(?! (apart|to))", "what became of", "handed over", "as (it is|they are) spelled", "an empty text"),
)
"""Patterns of sentences that a reader has to read twice, most of them found by newcomers."""


def words():
    """Yield the names that the sources define or import, each with its file."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name, path
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id, path
            elif isinstance(node, ast.Attribute):
                yield node.attr, path


def test_modules_are_named_after_what_is_in_them():
    """With the words that a reader who knows the field would look for."""
    assert [path.name for path in SOURCES if path.stem in MODULES] == []


def test_names_are_the_fields_words():
    """No private vocabulary."""
    used = {f"{path.relative_to(ROOT)}: {name}" for name, path in words() if name in NAMES}
    assert sorted(used) == []


@pytest.mark.parametrize(
    ("files", "phrase"),
    [*((SOURCES, phrase) for phrase in PHRASES), *((DOCUMENTS, phrase) for phrase in PHRASES_OF_DOCUMENTS)],
)
def test_no_circumlocutions(files, phrase):
    """Across the ends of lines, too."""
    pattern = re.compile(phrase.replace(" ", r"[\s#]+"), re.IGNORECASE)
    places = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        for match in pattern.finditer(text):
            places.append(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}")
    assert places == []
