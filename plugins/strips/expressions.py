"""The expressions of PDDL, with line numbers: lower-case words, and lists of words and lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab_plugins.strips.task import StepBudget

MOST_NESTED = 100
"""The deepest nesting of lists, which are read recursively."""
STEPS_PER_WORD = 5
LONGEST_SHOWN = 60
COMMENT = re.compile(r";[^\n]*")
TOKEN = re.compile(r"\n|[()]|[^\s()]+")


class Word(str):
    """A word in lower case, because PDDL ignores case.

    Attributes:
        line: the number of the line.
    """

    __slots__ = ("line",)
    line: int


class ListExpression(list["Word | ListExpression"]):
    """A parenthesised list.

    Attributes:
        line: the number of the line of its opening parenthesis.
    """

    __slots__ = ("line",)
    line: int

    @property
    def head(self) -> str:
        """The first word, or `""`."""
        return self[0] if self and isinstance(self[0], Word) else ""


Expression = Word | ListExpression


def expressions(text: str, work: StepBudget) -> Iterator[tuple[ListExpression, str]]:
    r"""Yield the top-level lists of a text, each with the text of the list, both without comments.

    Raises:
        ValueError: a parenthesis is missing, or a word is outside parentheses; the message names the line.

    >>> from searchlab_plugins.strips.task import StepBudget
    >>> (group, text), = expressions("; two facts\n(AND (p)\n (q))", StepBudget())
    >>> group, group.line, group[2].line, text
    (['and', ['p'], ['q']], 2, 3, '(AND (p)\n (q))')
    """
    text = COMMENT.sub("", text)
    line, begin = 1, 0
    open_groups: list[ListExpression] = []
    for match in TOKEN.finditer(text):
        token = match[0]
        if token == "\n":
            line += 1
            continue
        work.spend(STEPS_PER_WORD)
        if token == "(":
            group = ListExpression()
            group.line = line
            if not open_groups:
                begin = match.start()
            elif len(open_groups) == MOST_NESTED:
                raise ValueError(f"line {line}: more than {MOST_NESTED} parentheses are open, more than are supported")
            else:
                open_groups[-1].append(group)
            open_groups.append(group)
        elif not open_groups:
            raise ValueError(f"line {line}: a (define …) is wanted, not {token!r:.40}")
        elif token == ")":
            group = open_groups.pop()
            if not open_groups:
                yield group, text[begin : match.end()]
        else:
            word = Word(token.lower())
            word.line = line
            open_groups[-1].append(word)
    if open_groups:
        raise ValueError(f"line {open_groups[0].line}: the parenthesis that opens here is not closed")


def wrong(expression: Expression, text: str) -> ValueError:
    """Return an error about an expression that names the line."""
    return ValueError(f"line {expression.line}: {text}")


def spelled(expression: Expression) -> str:
    """Return an expression as text for errors, shortened if it is long.

    >>> from searchlab_plugins.strips.task import StepBudget
    >>> spelled(next(expressions("(on  a  (b))", StepBudget()))[0])
    '(on a (b))'
    """
    text = _text(expression)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def _text(expression: Expression) -> str:
    return expression if isinstance(expression, Word) else f"({' '.join(map(_text, expression))})"
