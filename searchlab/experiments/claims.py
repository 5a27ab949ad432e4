"""Claims: comparisons of figures of searches of one board, such as `expanded[astar/h1] > 2 * expanded[astar/h2]`.

    claim   = sum (= | != | < | <= | > | >=) sum, or status[SEARCH] (= | !=) STATUS or STATUS|STATUS
    sum     = product ((+ | -) product) …
    product = factor ((* | × | /) factor) …
    factor  = NUMBER, -factor, (sum), or FIGURE[SEARCH]

SEARCH is a frontier and a heuristic, `astar/taxicab`, in either order, or only one of the two; the domain's default is
then the other. FIGURE is a figure of a result. Nothing is evaluated as Python.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, did_you_mean
from searchlab.experiments.quantities import EFFORT_STATUSES
from searchlab.model.results import STATUSES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from searchlab.model.results import Result

SIGNS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
ALSO_WRITTEN = str.maketrans({"−": "-", "×": "*", "·": "*", "÷": "/"})
EFFORT = ("expanded", "generated", "evaluated", "duplicates", "reopened", "stored", "max_open")
"""Figures that are known of searches that came to an answer."""
OF_SOLUTIONS = ("cost", "moves")
"""Figures that are known of searches that found a solution."""
FIGURES = (*EFFORT, *OF_SOLUTIONS, "lower_bound")
STATUS = "status"
FIGURE = re.compile(r"([a-z_]+)\s*\[")
NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?")
MOST_TERMS = 100
"""The most numbers, figures, signs and brackets of a claim, which is read and evaluated by recursion."""
SIGN = re.compile("|".join(map(re.escape, SIGNS)))
EXAMPLE = "'expanded[astar/h1] > 2 * expanded[astar/h2]'"


class Unknown(Exception):  # no error: what is asked for is not known of this board
    """A figure is unknown, because the search found no answer, or a number is divided by 0."""


@dataclass(frozen=True)
class Figure:
    """A figure of the result of a search.

    Attributes:
        name: the name of a field of `Result`.
        search: the search as the user wrote it.
    """

    name: str
    search: str

    def value(self, results: Mapping[str, Result]) -> float:
        """Return the figure.

        Raises:
            Unknown: the search came to no answer.
        """
        result = results[self.search]
        known = ("solved",) if self.name in OF_SOLUTIONS else (*EFFORT_STATUSES, "exhausted")
        value = getattr(result, self.name) if result.status in known or self.name == "lower_bound" else None
        if value is None:
            raise Unknown
        number: float = value
        return number

    def __str__(self) -> str:
        return f"{self.name}[{self.search}]"


@dataclass(frozen=True)
class Number:
    """A number.

    Attributes:
        number: the number.
    """

    number: float

    def value(self, _results: Mapping[str, Result]) -> float:
        """Return the number."""
        return self.number


@dataclass(frozen=True)
class Operation:
    """Two terms that are added, subtracted, multiplied or divided.

    Attributes:
        sign: one of `+`, `-`, `*`, `/`.
        left, right: the terms.
    """

    sign: str
    left: Term
    right: Term

    def value(self, results: Mapping[str, Result]) -> float:
        """Return the value of the operation.

        Raises:
            Unknown: a figure is not known, or the right term is 0 and divides.
        """
        try:
            return ARITHMETIC[self.sign](self.left.value(results), self.right.value(results))
        except ZeroDivisionError:
            raise Unknown from None


Term = Figure | Number | Operation


@dataclass(frozen=True)
class Claim:
    """A comparison of figures of searches, or of the status of one with some.

    Attributes:
        sign: one of `=`, `!=`, `<`, `<=`, `>`, `>=`.
        left, right: what is compared; `right` is a list of statuses if `left` is a status.
        figures: the figures in it, in the order in which they are written.
    """

    sign: str
    left: Term
    right: Term | Sequence[str]
    figures: Sequence[Figure]

    @property
    def searches(self) -> list[str]:
        """The searches that it compares, each once."""
        return list(dict.fromkeys(figure.search for figure in self.figures))

    def values(self, results: Mapping[str, Result]) -> dict[str, float | str | None]:
        """Return the compared figures, by their texts; None for an unknown figure."""
        found: dict[str, float | str | None] = {}
        for figure in self.figures:
            try:
                found[str(figure)] = results[figure.search].status if figure.name == STATUS else figure.value(results)
            except Unknown:
                found[str(figure)] = None
        return found

    def holds(self, results: Mapping[str, Result]) -> bool:
        """Return whether it holds; one about a figure that is not known does not.

        Args:
            results: the result of each of the `searches`.
        """
        if isinstance(self.left, Figure) and self.left.name == STATUS:
            assert not isinstance(self.right, Term)
            return (results[self.left.search].status in self.right) == (self.sign == "=")
        assert isinstance(self.right, Term)
        try:
            return SIGNS[self.sign](self.left.value(results), self.right.value(results))
        except Unknown:
            return False


def parse_claim(text: str) -> Claim:
    """Return the claim that a text makes.

    >>> claim = parse_claim("cost[greedy] >= 2 × cost[astar/taxicab]")
    >>> claim.searches
    ['greedy', 'astar/taxicab']

    Raises:
        UsageError: the text is no claim.
    """
    return _Parser(text).claim()


class _Parser:
    """Reads a claim from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text.translate(ALSO_WRITTEN)
        self.at = 0
        self.terms = 0
        self.figures: list[Figure] = []

    def claim(self) -> Claim:
        left = self._sum()
        sign = self._match(SIGN)
        if not sign:
            raise self._wrong(f"{', '.join(SIGNS)} or an operation is wanted")
        if STATUS in [figure.name for figure in self.figures]:
            return self._status(left, sign[0])
        right = self._sum()
        if self._rest():
            raise self._wrong("nothing more is wanted")
        if STATUS in [figure.name for figure in self.figures]:
            raise self._wrong("a status stands on the left, alone")
        if not self.figures:
            raise UsageError(f"{self.text!r}: no figure of a search is compared; write for example {EXAMPLE}")
        return Claim(sign[0], left, right, self.figures)

    def _status(self, left: Term, sign: str) -> Claim:
        if not isinstance(left, Figure) or sign not in ("=", "!="):
            raise self._wrong("a status is compared as in status[astar/h1]=error")
        statuses = [word.strip() for word in self._rest().split("|")]
        for status in statuses:
            if status not in STATUSES:
                raise UsageError(f"{self.text!r}: there is no status {status!r}: {did_you_mean(status, STATUSES)}")
        return Claim(sign, left, statuses, self.figures)

    def _sum(self) -> Term:
        return self._operations("+-", self._product)

    def _product(self) -> Term:
        return self._operations("*/", self._factor)

    def _operations(self, signs: str, part: Callable[[], Term]) -> Term:
        term = part()
        while self._rest()[:1] and self._rest()[0] in signs:
            sign = self._take(1)
            term = Operation(sign, term, part())
        return term

    def _factor(self) -> Term:
        self.terms += 1
        if self.terms > MOST_TERMS:
            raise UsageError(f"the claim has more than {MOST_TERMS} numbers, figures, signs and brackets")
        rest = self._rest()
        if rest.startswith("-"):
            self._take(1)
            return Operation("-", Number(0), self._factor())
        if rest.startswith("("):
            self._take(1)
            term = self._sum()
            if not self._rest().startswith(")"):
                raise self._wrong("')' is wanted")
            self._take(1)
            return term
        if number := self._match(NUMBER):
            return Number(float(number[0]))
        if figure := self._match(FIGURE):
            return self._figure(figure[1])
        raise self._wrong(f"a number or FIGURE[SEARCH] is wanted; write for example {EXAMPLE}")

    def _figure(self, name: str) -> Figure:
        known = (*FIGURES, STATUS)
        if name not in known:
            if name.endswith("seconds"):
                raise UsageError(f"{self.text!r}: {name} differs from run to run; compare expanded, say")
            raise UsageError(f"{self.text!r}: there is no figure {name!r}: {did_you_mean(name, known)}")
        depth, end = 1, self.at
        while depth and end < len(self.text):
            depth += {"[": 1, "]": -1}.get(self.text[end], 0)
            end += 1
        if depth:
            raise self._wrong("']' is wanted")
        search = self._take(end - self.at)[:-1].strip()
        if not search:
            raise self._wrong("a search is missing in the brackets, like astar/taxicab")
        self.figures.append(Figure(name, search))
        return self.figures[-1]

    def _rest(self) -> str:
        self.at += len(self.text[self.at :]) - len(self.text[self.at :].lstrip())
        return self.text[self.at :]

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self._rest()
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def _take(self, count: int) -> str:
        taken = self.text[self.at : self.at + count]
        self.at += count
        return taken

    def _wrong(self, what: str) -> UsageError:
        rest = self._rest()
        place = f"at {rest[:20]!r}" if rest else "at the end"
        return UsageError(f"{self.text!r}: {place}: {what}")
