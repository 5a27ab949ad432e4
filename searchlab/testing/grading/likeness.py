"""Find files that are much alike, as a hint for the teacher; this is no proof of anything.

Files are compared by runs of three consecutive statements (after Schleimer, Wilkerson and Aiken, "Winnowing", 2003).
Names, texts and comments do not matter. Code that students were given does not count. Short files are not compared,
because many a short function can be written in only one way.
"""

from __future__ import annotations

import ast
from collections import Counter
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING

from searchlab.errors import SearchlabError
from searchlab.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from searchlab.testing.grading.submissions import Submission

LEAST_STATEMENTS = 15
"""The fewest statements, besides those of the skeleton, with which a file is compared."""
RUN = 3
ALIKE = 0.8
"""The share of the runs of the shorter file from which two files are called alike."""
MOST_REMARKS = 3
"""The most similar files that a remark names; if all files are alike, the assignment left no choice."""

Shapes = list[str]


def alike(submissions: Sequence[Submission], skeleton: Path | None) -> dict[str, list[str]]:
    """Return remarks by student, for files that share most of their statements with another file.

    Args:
        submissions: the submissions of the students.
        skeleton: the file that students were given, or None.
    """
    given = Counter(_shapes(skeleton)) if skeleton else Counter[str]()
    runs: dict[str, tuple[int, Counter[tuple[str, ...]]]] = {}
    for submission in submissions:
        shapes = _without(_shapes(submission.file), given) if submission.file else []
        if len(shapes) >= LEAST_STATEMENTS:
            runs[submission.student] = len(shapes), Counter(zip(*(shapes[k:] for k in range(RUN)), strict=False))
    pairs = []
    for one, other in combinations(runs, 2):
        (first, own), (second, others) = runs[one], runs[other]
        share = (own & others).total() / min(own.total(), others.total())
        if share >= ALIKE:
            pairs.append((share, min(first, second), one, other))
    remarks: dict[str, list[str]] = {}
    for share, statements, one, other in sorted(pairs, key=lambda pair: -pair[0]):
        for student, like in ((one, other), (other, one)):
            listed = remarks.setdefault(student, [])
            if len(listed) < MOST_REMARKS:
                listed.append(f"much like {like}: {share:.0%} of {statements} statements")
    return remarks


def _without(shapes: Shapes, given: Counter[str]) -> Shapes:
    """Return statements without those of the skeleton, each removed as often as the skeleton has it."""
    left, found = Counter(given), []
    for shape in shapes:
        if left[shape]:
            left[shape] -= 1
        else:
            found.append(shape)
    return found


def _shapes(file: Path) -> Shapes:
    """Return the statements of a file in order, without names and texts; empty if it cannot be parsed."""
    with suppress(SearchlabError, OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return list(_shapes_in(ast.parse(read_bytes(file)).body))
    return []


def _shapes_in(statements: Iterable[ast.stmt]) -> Iterable[str]:
    for statement in statements:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # a docstring
        blocks = [name for name in ("body", "orelse", "finalbody") if getattr(statement, name, None)]
        yield " ".join((type(statement).__name__, *map(_shape, _heads(statement, blocks))))
        for name in blocks:
            yield from _shapes_in(getattr(statement, name))
        for handler in getattr(statement, "handlers", ()):
            yield from _shapes_in(handler.body)
        for case in getattr(statement, "cases", ()):
            yield from _shapes_in(case.body)


def _heads(statement: ast.stmt, blocks: Sequence[str]) -> Iterable[ast.AST]:
    """Yield the parts of a statement besides its blocks of statements."""
    for name, value in ast.iter_fields(statement):
        if name not in (*blocks, "handlers", "cases"):
            yield from (part for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST))


def _shape(node: ast.AST) -> str:
    """Return the shape of an expression: the kinds of its nodes, and its numbers."""
    if isinstance(node, ast.Constant):
        return repr(node.value) if isinstance(node.value, int | float) else type(node.value).__name__
    parts = [_shape(child) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context)]
    return f"{type(node).__name__}({','.join(parts)})"
