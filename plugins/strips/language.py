"""Convert the PDDL definitions of a domain and a problem to a `Task`.

The parts of a definition may be in any order. Requirements are ignored, because many files omit requirements that they
need.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from searchlab_plugins.strips.expressions import Expression, ListExpression, Word, spelled, wrong
from searchlab_plugins.strips.task import EQUAL, Atom, Literal, Schema, Task, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from searchlab_plugins.strips.definitions import Definition
    from searchlab_plugins.strips.task import StepBudget

Types = frozenset[str]
"""Alternative types of an object; an empty set allows any object."""
OBJECT, NUMBER = "object", "number"
COST = "total-cost"
UNSUPPORTED = {
    **dict.fromkeys((":durative-action", ":duration", ":condition"), "durative actions"),
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
"""Unsupported keywords, each with the name of the feature in errors."""
PARTS = {
    "domain": (":types", ":constants", ":predicates", ":functions", ":action"),
    "problem": (":domain", ":objects", ":init", ":goal", ":metric"),
}
IGNORED = (":requirements", ":length")
OF_ACTIONS = (":parameters", ":precondition", ":effect")
A_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?")
STEPS_PER_LITERAL, STEPS_PER_TYPE = 20, 10


class DomainDeclarations:
    """The declarations of a domain.

    Args:
        domain: the definition.
        work: the budget of steps.

    Attributes:
        types: each type with all its supertypes and the type itself.
        constants: each constant with its types.
        predicates: the number of arguments of each predicate.
        functions: the number of arguments of each function.
        actions: the actions by name, as written.

    Raises:
        ValueError: the definition is invalid; the message names the line.
    """

    def __init__(self, domain: Definition, work: StepBudget) -> None:
        self.domain = domain
        self.predicates: dict[str, int] = {}
        self.functions: dict[str, int] = {}
        self.actions: dict[str, ListExpression] = {}
        with domain.named_in_errors():
            parts = parts_of(domain)
            self.types = _types(parts.get(":types", []), work)
            self.constants = dict(self.objects(parts.get(":constants", []), {}))
            for each in parts.get(":predicates", []):
                self._declare(self.predicates, "predicate", each)
            for each, types in typed(parts.get(":functions", [])):
                if types - {NUMBER}:
                    raise wrong(each, f"functions with other values than numbers are not supported: {spelled(each)}")
                self._declare(self.functions, "function", each)
            for action in actions_of(domain):
                name = action[1] if len(action) > 1 else None
                if not isinstance(name, Word):
                    raise wrong(action, "an action has no name")
                if self.actions.setdefault(name, action) is not action:
                    raise wrong(name, f"a second action {name}; names of actions differ")

    def _declare(self, declared: dict[str, int], what: str, expression: Expression) -> None:
        """Add a predicate or a function with the number of its arguments."""
        if not isinstance(expression, ListExpression) or not expression.head:
            raise wrong(expression, f"a {what} is declared as (name ?variable …), not {spelled(expression)}")
        name = expression.head
        if name == EQUAL:  # as some files have it
            return
        if name in declared:
            raise wrong(expression, f"a second {what} {name}; names of {what}s differ")
        declared[name] = sum(1 for _ in self.variables(expression[1:]))

    def objects(
        self, items: Iterable[Expression], known: Mapping[str, frozenset[str]]
    ) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield the objects of a list, each with all types and supertypes; a known object must have the same types."""
        found = dict(known)
        for each, types in typed(items):
            if not isinstance(each, Word):
                raise wrong(each, f"{spelled(each)} is no name of an object")
            if each.startswith("-"):
                raise wrong(each, f"{each} is no name of an object: is a blank missing after the '-'?")
            has = frozenset({OBJECT}.union(*(self.types[kind] for kind in self.known(types))))
            if found.setdefault(each, has) != has:
                raise wrong(each, f"the object {each} is declared twice, with different types")
            yield str(each), has

    def variables(self, items: Iterable[Expression]) -> Iterator[tuple[str, Types]]:
        """Yield the variables of a list, each with the types of which the value must have at least one."""
        names = set()
        for each, types in typed(items):
            if not isinstance(each, Word) or not each.startswith("?"):
                raise wrong(each, f"{spelled(each)} is no variable, which begins with '?'")
            if each in names:
                raise wrong(each, f"a second variable {each} in one list")
            names.add(each)
            self.known(types)
            yield str(each), frozenset() if OBJECT in types else types

    def known(self, types: Types) -> Types:
        """Return types unchanged, after checking that all of them are declared."""
        for each in types:
            if each not in self.types:
                names = ", ".join(self.types)
                assert isinstance(each, Word)
                raise wrong(each, f"no type {each} is declared; there are {names:.200}")
        return types


def parts_of(definition: Definition) -> dict[str, ListExpression]:
    """Return the content of each part of a definition by keyword, except actions.

    Raises:
        ValueError: a part is unknown, or occurs twice.
    """
    supported = PARTS[definition.kind]
    found: dict[str, ListExpression] = {}
    for part in definition.parts:
        keyword = part.head if isinstance(part, ListExpression) else ""
        refuse_unsupported(part)
        if keyword in IGNORED or keyword == ":action" in supported:
            continue
        if keyword not in supported:
            listed = ", ".join(supported)
            raise wrong(part, f"{spelled(part)} is no part of a {definition.kind}; its parts are {listed}")
        if keyword in found:
            raise wrong(part, f"a second part {keyword} of the {definition.kind} {definition.name}")
        assert isinstance(part, ListExpression)
        found[keyword] = _rest(part)
    return found


def actions_of(domain: Definition) -> Iterator[ListExpression]:
    """Yield the actions of a domain, as they are written."""
    for part in domain.parts:
        if isinstance(part, ListExpression) and part.head == ":action":
            yield part


def _rest(part: ListExpression) -> ListExpression:
    """Return the items of a part after the keyword."""
    rest = ListExpression(part[1:])
    rest.line = part.line
    return rest


def refuse_unsupported(expression: Expression) -> None:
    """Raise a ValueError for an expression that begins with an unsupported keyword."""
    word = expression.head if isinstance(expression, ListExpression) else expression
    if word in UNSUPPORTED:
        raise wrong(expression, f"{UNSUPPORTED[word]} are not supported: ({word} …)")


def typed(items: Iterable[Expression]) -> Iterator[tuple[Expression, Types]]:
    """Yield the items of a list like `a b - room c`, each with its types, empty for an item without a type."""
    waiting: list[Expression] = []
    items = iter(items)
    for item in items:
        if item != "-":
            waiting.append(item)
            continue
        kind = next(items, None)
        if kind is None:
            raise wrong(item, "a type is missing after the '-'")
        if isinstance(kind, ListExpression):
            if kind.head != "either" or not all(isinstance(each, Word) for each in kind):
                raise wrong(kind, f"{spelled(kind)} is no type: a type is a name or (either …)")
            types = frozenset(each for each in kind[1:] if isinstance(each, Word))
        else:
            types = frozenset((kind,))
        yield from ((each, types) for each in waiting)
        waiting.clear()
    yield from ((each, frozenset()) for each in waiting)


def _types(items: Iterable[Expression], work: StepBudget) -> dict[str, frozenset[str]]:
    """Return the declared types, each with all its supertypes and the type itself."""
    parents: dict[str, set[str]] = {OBJECT: set()}
    for each, above in typed(items):
        if not isinstance(each, Word):
            raise wrong(each, f"{spelled(each)} is no name of a type")
        if each == OBJECT and above:
            raise wrong(each, f"no type is above {OBJECT}")
        parents.setdefault(each, set()).update(above)
        for parent in above:
            parents.setdefault(parent, set())
    found = {}
    for kind, direct in parents.items():
        reached: set[str] = set()
        waiting = [*direct]
        while waiting:
            above_it = waiting.pop()
            if above_it not in reached:
                work.spend(STEPS_PER_TYPE)
                reached.add(above_it)
                waiting += parents[above_it]
        if kind in reached:
            assert isinstance(kind, Word)
            raise wrong(kind, f"the type {kind} is above itself")
        found[kind] = frozenset((kind, OBJECT, *reached))
    return found


def task_of(problem: Definition, rules: DomainDeclarations, work: StepBudget) -> Task:
    """Return the task of a problem.

    Raises:
        ValueError: the definition is invalid; the message names the line.
    """
    parts = parts_of(problem)
    objects = rules.constants | dict(rules.objects(parts.get(":objects", []), rules.constants))
    formulas = _Formulas(rules, objects, work)
    start, values = formulas.start(parts.get(":init", ListExpression()))
    if len(parts.get(":goal", [])) != 1:
        raise ValueError(f"line {problem.line}: the problem {problem.name} has no (:goal (…))")
    goal = []
    for literal, formula in formulas.literals(parts[":goal"][0], {}):
        if literal.atom[0] != EQUAL:
            goal.append(literal)
        elif (literal.atom[1] == literal.atom[2]) != literal.holds:
            raise wrong(formula, f"the goal {spelled(formula)} can never be reached")
    has_metric = ":metric" in parts
    if has_metric:
        _check_metric(parts[":metric"])
    with rules.domain.named_in_errors():
        schemas = tuple(formulas.schema(action, has_metric=has_metric) for action in rules.actions.values())
    return Task(objects, schemas, start, tuple(goal), values)


def _check_metric(metric: ListExpression) -> None:
    refuse_unsupported(metric[0] if metric else metric)
    if metric not in (["minimize", [COST]], ["minimize", COST]):
        shown = spelled(metric[1] if len(metric) == 2 and metric[0] == "minimize" else metric)
        raise wrong(metric, f"its metric is {shown}, and ({COST}) is supported")


class _Effect(NamedTuple):
    """A literal or an increase, with the bindings of its variables."""

    formula: ListExpression
    names: Mapping[str, str]


class _Formulas:
    """Convert formulas to literals; a quantifier is replaced by all objects of its types."""

    def __init__(self, rules: DomainDeclarations, objects: Mapping[str, frozenset[str]], work: StepBudget) -> None:
        self.rules, self.objects, self.work = rules, objects, work

    def start(self, facts: ListExpression) -> tuple[frozenset[Atom], dict[Atom, float]]:
        """Return the initially true atoms, and the values of functions."""
        true: set[Atom] = set()
        false: dict[Atom, ListExpression] = {}
        values: dict[Atom, float] = {}
        for fact in facts:
            group = self.group(fact)
            if group.head == EQUAL:
                if len(group) != 3 or not isinstance(group[1], ListExpression):
                    raise wrong(group, f"{spelled(group)} gives no value to a function, as (= (length a b) 3) does")
                function = self.atom(group[1], {}, is_function=True)
                if function in values:
                    raise wrong(group, f"a second value of {spelled(group[1])}")
                values[function] = _number(group[2])
            elif group.head == "at" and len(group) == 3 and isinstance(group[2], ListExpression):
                raise wrong(group, f"facts that become true later are not supported: {spelled(group)}")
            else:
                atom, holds = self.literal(group, {})
                if holds:
                    true.add(atom)
                else:
                    false[atom] = group
        for atom in true & false.keys():
            raise wrong(false[atom], f"{text_of(atom)} is both true and false at first")
        return frozenset(true), values

    def schema(self, action: ListExpression, *, has_metric: bool) -> Schema:
        """Return the schema of an action; without a metric every action costs 1."""
        name = str(action[1])
        fields = _fields(action)
        parameters = tuple(self.rules.variables(fields[":parameters"]))
        unchanged = {variable: variable for variable, _ in parameters}
        effects: list[Literal] = []
        costs: list[float | Atom] = []
        increase: ListExpression | None = None
        for formula, names in self.effects(fields[":effect"], unchanged):
            if formula.head == "increase":
                if increase is not None and increase is not formula:
                    raise wrong(formula, f"the action {name} increases ({COST}) a second time; write one sum")
                increase = formula
                costs.append(self.amount(formula, names))
            else:
                effects.append(self.literal(formula, names))
        conditions = tuple(literal for literal, _ in self.literals(fields[":precondition"], unchanged))
        return Schema(name, parameters, conditions, tuple(effects), tuple(costs) if has_metric else (1.0,))

    def group(self, formula: Expression) -> ListExpression:
        """Return a formula unchanged, after checking that it begins with a supported word."""
        if not isinstance(formula, ListExpression) or not formula.head:
            raise wrong(formula, f"a formula like (name …) is wanted, not {spelled(formula)}")
        refuse_unsupported(formula)
        return formula

    def literals(self, formula: Expression, names: Mapping[str, str]) -> Iterator[tuple[Literal, ListExpression]]:
        """Yield the literals of a conjunction, each with its written form.

        Args:
            formula: the conjunction.
            names: the bindings of the variables.
        """
        for simple, bound in self.effects(formula, names):
            if simple.head == "increase":
                raise wrong(simple, f"{spelled(simple)} is no condition")
            yield self.literal(simple, bound, may_be_equality=True), simple

    def effects(self, formula: Expression, names: Mapping[str, str]) -> Iterator[_Effect]:
        """Yield the parts of a conjunction, with quantifiers replaced by all their objects."""
        if formula == []:
            return
        group = self.group(formula)
        if group.head == "and":
            for each in group[1:]:
                yield from self.effects(each, names)
        elif group.head == "forall":
            if len(group) != 3 or not isinstance(group[1], ListExpression):
                raise wrong(group, f"(forall (variables) formula) is wanted, not {spelled(group)}")
            for bound in self.bindings(group[1], names):
                yield from self.effects(group[2], bound)
        else:
            self.work.spend(STEPS_PER_LITERAL)
            yield _Effect(group, names)

    def bindings(self, variables: ListExpression, names: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
        """Yield the possible bindings of the variables of a quantifier."""
        listed = dict(self.rules.variables(variables))
        fitting = [
            [name for name, has in self.objects.items() if not types or types & has] for types in listed.values()
        ]
        for chosen in product(*fitting):
            self.work.spend(len(names) + len(listed))
            yield {**names, **dict(zip(listed, chosen, strict=True))}

    def literal(self, formula: ListExpression, names: Mapping[str, str], *, may_be_equality: bool = False) -> Literal:
        """Return a formula that is an atom or the negation of one."""
        if formula.head == "not":
            if len(formula) != 2:
                raise wrong(formula, f"one formula is wanted after 'not', not {spelled(formula)}")
            inner = self.group(formula[1])
            if inner.head in ("and", "forall", "increase"):
                raise wrong(formula, f"this is not supported: {spelled(formula)}")
            literal = self.literal(inner, names, may_be_equality=may_be_equality)
            return Literal(literal.atom, not literal.holds)
        if formula.head == EQUAL and may_be_equality:
            if any(isinstance(term, ListExpression) for term in formula):
                raise wrong(formula, f"conditions on numbers are not supported: {spelled(formula)}")
            if len(formula) != 3:
                raise wrong(formula, f"two names are wanted after '=', not {spelled(formula)}")
            return Literal((EQUAL, *self.terms(formula, names)), True)
        return Literal(self.atom(formula, names), True)

    def atom(self, formula: ListExpression, names: Mapping[str, str], *, is_function: bool = False) -> Atom:
        """Return an atom; its predicate must be declared, and its objects must be known."""
        name, arguments = formula.head, len(formula) - 1
        what, declared = ("function", self.rules.functions) if is_function else ("predicate", self.rules.predicates)
        known = declared.get(name, arguments if is_function else None)
        if known is None:
            raise wrong(formula, f"{spelled(formula)}: no predicate of this name is declared")
        if known != arguments:
            raise wrong(formula, f"{spelled(formula)}: the {what} takes {known}")
        return (str(name), *self.terms(formula, names))

    def terms(self, formula: ListExpression, names: Mapping[str, str]) -> Iterator[str]:
        """Yield the terms of an atom: objects, and the values of variables."""
        for term in formula[1:]:
            if isinstance(term, ListExpression):
                raise wrong(term, f"a name is wanted in {spelled(formula)}, not {spelled(term)}")
            if term.startswith("?"):
                if term not in names:
                    raise wrong(term, f"{term} is no parameter and under no quantifier")
                yield names[term]
            elif term in self.objects:
                yield str(term)
            else:
                raise wrong(term, f"there is no object {term}")

    def amount(self, increase: ListExpression, names: Mapping[str, str]) -> float | Atom:
        """Return the increase of the cost: a number, or an atom with a value that the problem gives."""
        if len(increase) != 3:
            raise wrong(increase, f"(increase ({COST}) …) is wanted, not {spelled(increase)}")
        function, amount = increase[1:]
        if function not in ([COST], COST):
            said = "is increased; numbers that change, but for costs, are not supported"
            raise wrong(increase, f"{spelled(function)} {said}")
        if isinstance(amount, Word):
            return _number(amount)
        if amount.head in ("+", "-", "*", "/", ""):
            said = "is not supported: it is a number or a function with known values"
            raise wrong(amount, f"the cost {spelled(amount)} {said}")
        return self.atom(amount, names, is_function=True)


def _fields(action: ListExpression) -> dict[str, ListExpression]:
    """Return the parameters, the condition and the effect of an action; omitted parts are empty."""
    found: dict[str, ListExpression] = {}
    items = iter(action[2:])
    for key in items:
        refuse_unsupported(key)
        if not isinstance(key, Word) or key not in OF_ACTIONS:
            raise wrong(
                key, f"{spelled(key)} is no part of the action {action[1]}; its parts are {', '.join(OF_ACTIONS)}"
            )
        value = next(items, None)
        if not isinstance(value, ListExpression):
            raise wrong(key, f"(…) is wanted after {key}, not {'the end' if value is None else value}")
        if key in found:
            raise wrong(key, f"a second part {key} of the action {action[1]}")
        found[key] = value
    return {key: found.get(key, ListExpression()) for key in OF_ACTIONS}


def _number(expression: Expression) -> float:
    if not isinstance(expression, Word) or not A_NUMBER.fullmatch(expression):
        raise wrong(expression, f"a number is wanted, not {spelled(expression)}")
    return float(expression)
