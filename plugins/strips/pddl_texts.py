"""PDDL files: where the domain of a problem is found, and what the package `pddl` reads, as a `Task`.

A text may hold several definitions, so that a problem and its domain can be one file. What is not supported is looked
for by its keyword before the text is parsed: so an error can name the line.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab import UsageError
from searchlab_plugins.strips.task import EQUAL, Atom, Literal, Schema, Task, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

INSTALL = "PDDL files are read by the package pddl, which is not installed: python -m pip install 'searchlab[pddl]'"
LARGEST_FILE = 64 << 20
DEFINITION = re.compile(r"\(\s*define\s*\(\s*(domain|problem)\s+([^\s()]+)\s*\)", re.IGNORECASE)
DOMAIN_OF_PROBLEM = re.compile(r"\(\s*:domain\s+([^\s()]+)\s*\)", re.IGNORECASE)
UNSUPPORTED = {
    **dict.fromkeys((":durative-action", ":duration"), "durative actions"),
    **dict.fromkeys((":derived", ":axiom"), "derived predicates"),
    **dict.fromkeys((":process", ":event"), "processes and events"),
    **dict.fromkeys((":constraints", "preference"), "constraints and preferences"),
    "when": "conditional effects",
    "or": "disjunctions",
    "imply": "implications",
    "exists": "existential quantifiers",
    **dict.fromkeys(("oneof", "probabilistic"), "uncertain effects"),
    **dict.fromkeys(("assign", "decrease", "scale-up", "scale-down"), "numbers that change, but for costs,"),
    **dict.fromkeys(("<", ">", "<=", ">="), "conditions on numbers"),
    "maximize": "metrics that are maximized",
}
"""Keywords, each with what it is about."""
IN_PROBLEMS = {**UNSUPPORTED, "forall": "quantifiers in a goal"}
"""The package pddl 0.5 does not read the latter."""
KEYWORD = re.compile(r"\(\s*:metric\s+(maximize)\b|\(\s*([:a-z<>][^\s()]*)|(:duration)\b", re.IGNORECASE)
REQUIREMENTS = (
    "(:requirements :strips :typing :equality :negative-preconditions :universal-preconditions :conditional-effects "
    ":fluents :numeric-fluents :action-costs)"
)
"""What stands in place of a file's own requirements: many files leave out some that they need."""


class Definition(NamedTuple):
    """A `(define …)` of a text.

    Attributes:
        kind: `domain` or `problem`.
        name: its name.
        text: its text without comments.
        line: the number of its first line.
    """

    kind: str
    name: str
    text: str
    line: int

    @property
    def in_place(self) -> str:
        """The text behind as many empty lines as there are lines before it, so that errors name its lines."""
        return "\n" * (self.line - 1) + self.text


def definitions(text: str) -> list[Definition]:
    r"""Return the definitions of a text.

    Raises:
        ValueError: what is wrong, with the line.

    >>> text = "(define (domain d))\n; and\n(define (problem p))"
    >>> [(each.kind, each.name, each.line) for each in definitions(text)]
    [('domain', 'd', 1), ('problem', 'p', 3)]
    """
    text = re.sub(r";[^\n]*", "", text)
    found: list[Definition] = []
    depth, begin = 0, 0
    for match in re.finditer(r"[()]|[^\s()]+", text):
        if depth == 0:
            begin = match.start()
            if match[0] != "(":
                raise ValueError(f"line {line_at(text, begin)}: a (define …) is wanted, not {match[0]!r:.40}")
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            found.append(_definition(text[begin : match.end()], line_at(text, begin)))
    if depth:
        raise ValueError(f"line {line_at(text, begin)}: the parenthesis that opens here is not closed")
    return found


def _definition(text: str, line: int) -> Definition:
    match = DEFINITION.match(text)
    if match is None:
        raise ValueError(f"line {line}: (define (domain …) or (define (problem …) is wanted, not {text!r:.40}")
    kind = match[1].lower()
    unsupported = IN_PROBLEMS if kind == "problem" else UNSUPPORTED
    for keyword in KEYWORD.finditer(text):
        word = keyword[keyword.lastindex or 0].lower()
        if word in unsupported:
            where = line + line_at(text, keyword.start()) - 1
            raise ValueError(f"line {where}: {unsupported[word]} are not supported: ({word} …)")
    return Definition(kind, match[2].lower(), text, line)


def line_at(text: str, place: int) -> int:
    """Return the number of the line of a place in a text."""
    return text.count("\n", 0, place) + 1


def domain_of(
    problem: Definition, known: list[Definition], folder: Path, stem: str, named: str
) -> tuple[str, Definition]:
    """Return the file and the definition of a problem's domain; the file is '' if it is the problem's own.

    Args:
        problem: the problem.
        known: the definitions of its file.
        folder: where the file is.
        stem: the file's name without its ending.
        named: the domain file that the user has named, '' for none.

    Raises:
        ValueError: there is none, or it cannot be read.
    """
    match = DOMAIN_OF_PROBLEM.search(problem.text)
    if match is None:
        raise ValueError(f"line {problem.line}: the problem {problem.name} has no (:domain …)")
    name = match[1].lower()
    if named:
        found = [each for each in _definitions_of(Path(named)) if each.kind == "domain"]
        if not found:
            raise ValueError(f"{named}: it has no (define (domain …)")
        return named, next((each for each in found if each.name == name), found[0])
    for each in known:
        if (each.kind, each.name) == ("domain", name):
            return "", each
    others = []
    for path in candidates(folder, stem, name):
        for each in _definitions_of(path) if path.is_file() else ():
            if each.kind == "domain":
                if each.name == name:
                    return str(path), each
                others.append(f"{path.name} defines {each.name}")
    looked = "; ".join(others) or f"looked for {name}-domain.pddl, domain.pddl and the like beside it and above it"
    raise ValueError(f"no file with its domain {name}: {looked}; strips:domain_file=FILE names one")


def candidates(folder: Path, stem: str, name: str) -> Iterator[Path]:
    """Yield the files in which a problem's domain may be, as the collections of problems call them.

    >>> [path.as_posix() for path in candidates(Path("trucks"), "p07", "trucks")][:4]
    ['trucks/p07-domain.pddl', 'trucks/p07_domain.pddl', 'trucks/domain-p07.pddl', 'trucks/domain_p07.pddl']
    """
    number = re.search(r"\d*$", stem)
    digits = number[0] if number else ""
    of_problem = [f"{stem}-domain", f"{stem}_domain", f"domain-{stem}", f"domain_{stem}"] if stem else []
    if digits:
        of_problem += [f"domain-{digits}", f"domain_{digits}", f"domain{digits}"]
    of_all = [f"{name}-domain", f"{name}_domain", f"domain-{name}", f"domain_{name}", name, "domain"]
    for place in (folder, folder / ".." / "domains", folder / ".."):
        for each in dict.fromkeys((*of_problem, *of_all)):
            yield place / f"{each}.pddl"


def _definitions_of(path: Path) -> list[Definition]:
    """Return the definitions of a file."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    if len(content) > LARGEST_FILE:
        raise ValueError(f"{path}: larger than {LARGEST_FILE >> 20} MiB")
    try:
        return definitions(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError(f"{path}: it is not in UTF-8") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def task_of(problem: Definition, domain: Definition, file: str) -> Task:
    """Return the task of a problem and its domain.

    Args:
        problem: the problem.
        domain: its domain.
        file: the domain's file, for errors; '' if it is that of the problem.

    Raises:
        UsageError: the package pddl is not installed.
        ValueError: what is wrong.
    """
    rules = _Rules(_parsed(domain, f"{file}: " if file else ""))
    return rules.task(_parsed(problem, ""))


@cache
def _parsers() -> Mapping[str, Any]:
    """Return the parsers by the kinds of definitions; it takes longer to make them than to use them.

    Raises:
        UsageError: the package pddl is not installed.
    """
    try:
        from pddl.parser.domain import DomainParser
        from pddl.parser.problem import ProblemParser
    except ModuleNotFoundError:
        raise UsageError(INSTALL) from None
    return {"domain": DomainParser(), "problem": ProblemParser()}


def _completed(definition: Definition) -> str:
    """Return a definition with what `pddl` insists on: all requirements, and a precondition in each action.

    The text of each line stays in its line.
    """
    text = re.sub(
        r"\(\s*:requirements[^()]*\)", lambda match: "\n" * match[0].count("\n"), definition.in_place, flags=re.I
    )
    if definition.kind == "domain":
        text = DEFINITION.sub(lambda match: f"{match[0]} {REQUIREMENTS}", text, count=1)
    head, *actions = re.split(r"(?=\(\s*:action\b)", text, flags=re.I)
    for number, action in enumerate(actions):
        if not re.search(r":precondition\b", action, re.I):
            actions[number] = re.sub(r":effect\b", ":precondition () :effect", action, count=1, flags=re.I)
    return "".join((head, *actions))


def _parsed(definition: Definition, where: str) -> Any:
    """Return what `pddl` makes of a definition; its errors become a ValueError of one line that begins with the place.

    Raises:
        UsageError, ValueError: see `task_of`.
    """
    parser = _parsers()[definition.kind]
    from lark.exceptions import LarkError
    from pddl.exceptions import PDDLError

    limit = getattr(sys, "tracebacklimit", None)
    try:
        return parser(_completed(definition))
    except (LarkError, PDDLError, ValueError, TypeError, KeyError, AssertionError) as error:
        _parsers.cache_clear()  # it may have stopped halfway
        raise ValueError(f"{where}{_told(error)}") from None
    finally:  # it changes how tracebacks look
        if limit is None:
            sys.__dict__.pop("tracebacklimit", None)
        else:
            sys.tracebacklimit = limit


def _told(error: Exception) -> str:
    """Return the error of a parser in one line."""
    cause = getattr(error, "orig_exc", None)
    if cause is not None:
        return _told(cause)
    line = getattr(error, "line", None)
    if isinstance(line, int):
        token = getattr(error, "token", None)
        what = f"{str(token)!r:.40}" if token is not None else "this character"
        return f"line {line}, column {getattr(error, 'column', 0)}: {what} cannot stand here"
    return " ".join(str(error).split()) or f"{type(error).__name__} in the package pddl"


class _Rules:
    """A domain as `pddl` has read it, which makes tasks of problems."""

    def __init__(self, domain: Any) -> None:
        self.domain = domain
        self.parents = {_name(kind): _name(above) if above else "object" for kind, above in domain.types.items()}
        self.arities = {_name(each.name): len(each.terms) for each in domain.predicates}

    def task(self, problem: Any) -> Task:
        """Return the task of a problem."""
        objects = {}
        for each in (*self.domain.constants, *problem.objects):
            objects[_name(each.name)] = self.with_types_above({_name(tag) for tag in each.type_tags} or {"object"})
        formulas = _Formulas(objects, self.arities)
        start, values = set(), {}
        for fact in problem.init:
            kind = type(fact).__name__
            if kind == "EqualTo":
                function, value = fact.operands
                values[formulas.atom(function, {}, is_function=True)] = float(value.value)
            elif kind != "Not":
                start.add(formulas.atom(fact, {}))
        schemas = [self.schema(action, formulas, problem.metric) for action in self.domain.actions]
        goal = tuple(formulas.literals(problem.goal, {}, "the goal"))
        return Task(objects, tuple(sorted(schemas)), frozenset(start), goal, values)

    def schema(self, action: Any, formulas: _Formulas, metric: Any) -> Schema:
        """Return an action; without a metric every action costs 1."""
        where = f"the action {_name(action.name)}"
        if metric is not None and _metric(metric) != ("total-cost",):
            raise ValueError(f"its metric is {metric.expression}, and (total-cost) is supported")
        parameters = tuple(
            (f"?{_name(each.name)}", frozenset(map(_name, each.type_tags))) for each in action.parameters
        )
        unchanged = {variable: variable for variable, _ in parameters}
        effects: list[Literal] = []
        costs: list[float | Atom] = []
        for effect, names in formulas.effects(action.effect, unchanged, where):
            if type(effect).__name__ == "Increase":
                function, amount = effect.operands
                if _name(function.name) != "total-cost":
                    raise ValueError(
                        f"{where}: {function} is increased; numbers that change, but for costs, are not supported"
                    )
                costs.append(formulas.amount(amount, names, where))
            else:
                effects.append(formulas.literal(effect, names, where))
        conditions = tuple(formulas.literals(action.precondition, unchanged, where))
        return Schema(
            _name(action.name), parameters, conditions, tuple(effects), (1.0,) if metric is None else tuple(costs)
        )

    def with_types_above(self, types: set[str]) -> frozenset[str]:
        """Return types with all types above them."""
        found = {"object"}
        for each in types:
            while each not in found:
                found.add(each)
                each = self.parents.get(each, "object")
        return frozenset(found)


class _Formulas:
    """Formulas of `pddl` as literals; quantifiers are replaced by all objects of their types."""

    def __init__(self, objects: Mapping[str, frozenset[str]], arities: Mapping[str, int]) -> None:
        self.objects, self.arities = objects, arities

    def literals(self, formula: Any, names: Mapping[str, str], where: str) -> Iterator[Literal]:
        """Yield the literals of a condition, all of which have to hold; names replace its variables."""
        kind = type(formula).__name__
        if formula is None or (kind in ("And", "Or") and not formula.operands):
            return
        if kind == "And":
            for each in formula.operands:
                yield from self.literals(each, names, where)
        elif kind == "ForallCondition":
            for bound in self.bindings(formula.variables, names):
                yield from self.literals(formula.condition, bound, where)
        else:
            yield self.literal(formula, names, where)

    def effects(self, effect: Any, names: Mapping[str, str], where: str) -> Iterator[tuple[Any, Mapping[str, str]]]:
        """Yield the simple effects of an effect, each with what replaces its variables."""
        kind = type(effect).__name__
        if effect is None or (kind in ("And", "Or") and not effect.operands):
            return
        if kind == "And":
            for each in effect.operands:
                yield from self.effects(each, names, where)
        elif kind == "Forall":
            for bound in self.bindings(effect.variables, names):
                yield from self.effects(effect.effect, bound, where)
        else:
            yield effect, names

    def literal(self, formula: Any, names: Mapping[str, str], where: str) -> Literal:
        """Return a formula that is an atom or the negation of one."""
        kind = type(formula).__name__
        if kind == "Not":
            literal = self.literal(formula.argument, names, where)
            return Literal(literal.atom, not literal.holds)
        if kind == "EqualTo" and hasattr(formula, "left"):
            return Literal((EQUAL, *self.terms((formula.left, formula.right), names)), True)
        if kind != "Predicate":
            raise ValueError(f"{where}: {formula} is not supported")
        return Literal(self.atom(formula, names), True)

    def atom(self, formula: Any, names: Mapping[str, str], *, is_function: bool = False) -> Atom:
        """Return an atom, whose predicate has to be declared and whose objects have to be known."""
        found = (_name(formula.name), *self.terms(formula.terms, names))
        if not is_function and self.arities.get(found[0]) != len(found) - 1:
            known = self.arities.get(found[0])
            why = "no predicate of this name is declared" if known is None else f"the predicate takes {known}"
            raise ValueError(f"{text_of(found)}: {why}")
        return found

    def terms(self, terms: Any, names: Mapping[str, str]) -> Iterator[str]:
        """Yield what replaces the variables of an atom, and its objects."""
        for term in terms:
            name = _name(term.name)
            if type(term).__name__ == "Variable":
                if f"?{name}" not in names:
                    raise ValueError(f"?{name} is no parameter and under no quantifier")
                yield names[f"?{name}"]
            elif name in self.objects:
                yield name
            else:
                raise ValueError(f"there is no object {name}")

    def amount(self, amount: Any, names: Mapping[str, str], where: str) -> float | Atom:
        """Return by what a cost increases: a number, or an atom whose value the problem gives."""
        kind = type(amount).__name__
        if kind == "NumericValue":
            return float(amount.value)
        if kind != "NumericFunction":
            raise ValueError(
                f"{where}: the cost {amount} is not supported: it is a number or a function with known values"
            )
        return self.atom(amount, names, is_function=True)

    def bindings(self, variables: Any, names: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
        """Yield what may replace the variables of a quantifier."""
        listed = sorted((f"?{_name(each.name)}", sorted(map(_name, each.type_tags))) for each in variables)
        fitting = [
            [name for name, types in self.objects.items() if not wanted or types.intersection(wanted)]
            for _, wanted in listed
        ]
        for chosen in product(*fitting):
            yield {**names, **dict(zip((variable for variable, _ in listed), chosen, strict=True))}


def _metric(metric: Any) -> Atom:
    expression = metric.expression
    return (_name(expression.name), *map(str, expression.terms)) if hasattr(expression, "name") else ()


def _name(name: Any) -> str:
    """Return a name of `pddl` as a plain text; names in PDDL have no capitals."""
    return str(name).lower()
