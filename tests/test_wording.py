"""The documents avoid sentences that newcomers had to read twice."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SKILL.md", ROOT / "experiments" / "README.md"]
DOCUMENTS += sorted((ROOT / "docs").glob("**/*.md"))
PHRASES = (
    *("the same command (again|continues|does|goes on)", "at any moment", "whose a name is", "how good it became"),
    *("is of no interest", "looked after", "as one that was never stopped", "has all it takes", "(in|of) so many\\b"),
    *("(is|are) told(?! (apart|to))", "what became of", "handed over", "as (it is|they are) spelled", "an empty text"),
)


@pytest.mark.parametrize("phrase", PHRASES)
def test_documents_avoid_phrase(phrase):
    """Also across line ends."""
    pattern = re.compile(phrase.replace(" ", r"[\s#]+"), re.IGNORECASE)
    places = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for match in pattern.finditer(text):
            places.append(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}")
    assert places == []
