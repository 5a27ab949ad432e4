"""Files that are much like each other: a hint for the teacher, and no proof of anything.

Files are compared by their statements, as runs of three one after another (after Schleimer, Wilkerson and Aiken,
"Winnowing", 2003). Names, texts and comments do not matter. What students were given does not count, and short files
are not compared, because there is only one way to write many a short function.
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
"""The statements besides those of the skeleton from which on a file is compared."""
RUN = 3
ALIKE = 0.8
"""The share of the runs of the shorter file, from which on two files are called alike."""
MOST_REMARKS = 3
"""The most alike are named; if all files are alike, the assignment left no choice."""

Shapes = list[str]


def alike(submissions: Sequence[Submission], skeleton: Path | None) -> dict[str, list[str]]:
    """Return remarks by student, for files that share most of their statements with another one.

    Args:
        submissions: what the students handed in.
        skeleton: the file that they were given, or None.
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
    """Return statements without those of the skeleton, each as often as it is there."""
    left, found = Counter(given), []
    for shape in shapes:
        if left[shape]:
            left[shape] -= 1
        else:
            found.append(shape)
    return found


def _shapes(file: Path) -> Shapes:
    """Return the statements of a file in their order, without names and texts; none if it cannot be parsed."""
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
    """Return the form of an expression: kinds of nodes, and numbers."""
    if isinstance(node, ast.Constant):
        return repr(node.value) if isinstance(node.value, int | float) else type(node.value).__name__
    parts = [_shape(child) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context)]
    return f"{type(node).__name__}({','.join(parts)})"
