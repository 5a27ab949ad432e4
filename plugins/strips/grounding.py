"""Grounding: from actions with variables to the reachable actions and facts, as arrays.

An atom is *reachable* if actions can make it true when no atom ever becomes false. An action is reachable if all its
conditions are. Atoms that are unreachable in this *delete relaxation* are unreachable in the task, too (Helmert 2009).
Negative conditions become facts of their own, such as `(not (at ball1 rooma))`, which are true whenever the atom is
false. An atom that is true at the start and never changes is not a fact, and is omitted from all conditions. Actions
and facts that cannot help to reach the goal are also omitted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from searchlab_plugins.strips.task import EQUAL, Atom, Literal, StepBudget, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from numpy.typing import NDArray

    from searchlab_plugins.strips.task import Schema, Task

MOST_ACTIONS, MOST_FACTS, MOST_WORDS = 100_000, 1 << 14, 1 << 24
"""The most reachable actions, the most facts, and the most words in a table with a state for each action."""
STEPS_PER_LITERAL = 5
OF_TYPE = "of type"
NOT = "not"
WORD_BITS = 64
NATURAL = re.compile(r"(\d+)")


class Action(NamedTuple):
    """An action without variables.

    Attributes:
        name: the name in plans: `(move rooma roomb)`.
        conditions: the facts that must be true.
        adds: the facts that become true.
        deletes: the facts that become false; disjoint from `adds`.
        cost: the cost.
    """

    name: str
    conditions: frozenset[Atom]
    adds: frozenset[Atom]
    deletes: frozenset[Atom]
    cost: float


class GroundTask(NamedTuple):
    """A task without variables.

    Attributes:
        facts: the atoms that are true in some states and false in others according to the relaxation, in natural order.
        actions: the actions, in the order of the successors.
        start: the initially true facts.
        goal: the facts that must be true at the end.
        watched: the fact that each action watches, which is the condition that the fewest actions share; for an action
            without conditions, the number of facts. Actions are sorted by these numbers, so actions that watch the same
            fact are adjacent.
    """

    facts: tuple[Atom, ...]
    actions: tuple[Action, ...]
    start: frozenset[Atom]
    goal: frozenset[Atom]
    watched: tuple[int, ...]


def ground(task: Task, work: StepBudget) -> GroundTask:
    """Return a task without variables.

    Raises:
        ValueError: the task has too many actions or takes too many steps, or a cost is missing or negative.
    """
    actions, goal, start = without_negations(list(_instantiated(task, work)), task)
    reached = relaxed_reachable(actions, start)
    actions = [action for action in actions if action.conditions <= reached]
    changing = {atom for action in actions for atom in action.deletes if atom in reached}
    changing |= {atom for action in actions for atom in action.adds if atom not in start}
    actions = [each for action in actions if (each := _simplified(action, changing)) is not None]
    goal = frozenset(atom for atom in goal if atom in changing or atom not in start)
    actions, facts = relevant(actions, changing | goal, goal)
    if len(facts) > MOST_FACTS or len(actions) * words_for(len(facts)) > MOST_WORDS:
        raise ValueError(f"it has {len(facts):,} facts and {len(actions):,} actions, more than are supported")
    return _in_order(tuple(sorted(facts, key=_natural)), actions, start & facts, goal)


def relevant(
    actions: Sequence[Action], facts: Set[Atom], goal: frozenset[Atom]
) -> tuple[list[Action], frozenset[Atom]]:
    """Return the actions and the facts that can help to reach the goal.

    A fact helps if it is part of the goal or a condition of a helpful action. An action helps if it adds a helpful
    fact. A plan remains a plan without the other actions, because helpful facts are true whenever they were before. A
    fact with a helpful negation is kept for readers of states.

    >>> paint, press = (Action(f"({name})", *[frozenset()] * 3, 1.0) for name in ("paint", "press"))
    >>> paint, press = paint._replace(adds={("red",)}), press._replace(adds={("lit",)})
    >>> relevant([paint, press], {("red",), ("lit",)}, frozenset({("lit",)})) == ([press], {("lit",)})
    True
    """
    adders: dict[Atom, list[int]] = defaultdict(list)
    for number, action in enumerate(actions):
        for atom in action.adds:
            adders[atom].append(number)
    helps = set(goal)
    queue = list(goal)
    taken: set[int] = set()
    for atom in queue:  # grows meanwhile
        for number in adders[atom]:
            if number not in taken:
                taken.add(number)
                fresh = actions[number].conditions - helps
                helps |= fresh
                queue += fresh
    kept = frozenset(atom for atom in facts if atom in helps or (NOT, *atom) in helps)
    helping = [
        action._replace(adds=action.adds & kept, deletes=action.deletes & kept)
        for number, action in enumerate(actions)
        if number in taken
    ]
    return helping, kept


def _in_order(
    facts: tuple[Atom, ...], actions: list[Action], start: frozenset[Atom], goal: frozenset[Atom]
) -> GroundTask:
    """Return the task with actions sorted by the fact that they watch, then by name."""
    users: dict[Atom, int] = defaultdict(int)
    for action in actions:
        for atom in action.conditions:
            users[atom] += 1
    number = {atom: k for k, atom in enumerate(facts)}

    def watched(action: Action) -> int:
        return min(((users[atom], number[atom]) for atom in action.conditions), default=(0, len(facts)))[1]

    ordered = sorted(actions, key=lambda action: (watched(action), _natural_text(action.name)))
    return GroundTask(facts, tuple(ordered), start, goal, tuple(map(watched, ordered)))


def _instantiated(
    task: Task, work: StepBudget
) -> Iterator[tuple[str, tuple[Literal, ...], tuple[Literal, ...], float]]:
    """Yield the name, conditions, effects and cost of each action with reachable positive conditions."""
    changed = {literal.atom[0] for schema in task.schemas for literal in schema.effects}
    for schema, names in _Join(task, work):
        work.spend(STEPS_PER_LITERAL * (1 + len(schema.conditions) + len(schema.effects)))
        conditions = tuple(Literal(_with(names, atom), holds) for atom, holds in schema.conditions)
        if any(not _may_be(literal, task, changed) for literal in conditions):
            continue
        name = text_of((schema.name, *(names[variable] for variable, _ in schema.parameters)))
        effects = tuple(Literal(_with(names, atom), holds) for atom, holds in schema.effects)
        yield (
            name,
            tuple(each for each in conditions if each.atom[0] != EQUAL),
            effects,
            _cost(schema, names, task, name),
        )


def _may_be(literal: Literal, task: Task, changed: set[str]) -> bool:
    """Return whether a condition can hold, which is known only for equality and predicates that no action changes."""
    if literal.atom[0] == EQUAL:
        return (literal.atom[1] == literal.atom[2]) == literal.holds
    return literal.holds or literal.atom[0] in changed or literal.atom not in task.start


def _cost(schema: Schema, names: Mapping[str, str], task: Task, name: str) -> float:
    """Return the cost of an action."""
    cost = 0.0
    for part in schema.costs:
        if isinstance(part, tuple):
            atom = _with(names, part)
            if atom not in task.values:
                raise ValueError(f"{name} costs {text_of(atom)}, and the problem gives no value for it")
            part = task.values[atom]
        cost += part
    if cost < 0:
        raise ValueError(f"{name} costs {cost:g}, and a cost is 0 or more")
    return cost


def _with(names: Mapping[str, str], atom: Atom) -> Atom:
    """Return an atom with variables replaced by objects."""
    return (atom[0], *map(names.get, atom[1:], atom[1:]))


class _Join:
    """Find the possible bindings of the variables of schemas, by processing the reachable atoms one by one.

    The conditions of a schema are joined like tables of a database: a new atom is tried as each condition that it fits,
    and the other conditions are looked up among the earlier atoms. The type of a parameter is a condition, too, so that
    each variable occurs in a condition.
    """

    def __init__(self, task: Task, work: StepBudget) -> None:
        self.task, self.work = task, work
        self.conditions = [(schema, self._joined(schema)) for schema in task.schemas]
        self.equalities = {
            schema.name: [each for each in schema.conditions if each.atom[0] == EQUAL] for schema in task.schemas
        }
        self.matching: dict[tuple[object, ...], list[tuple[Schema, list[Atom], int]]] = defaultdict(list)
        for schema, conditions in self.conditions:
            for k, atom in enumerate(conditions):
                *_, key = _keys(atom)  # the last key, which contains an object if the atom does
                self.matching[key].append((schema, conditions, k))
        self.known: dict[tuple[object, ...], list[Atom]] = defaultdict(list)
        self.reached: set[Atom] = set()
        self.queue: list[Atom] = []
        self.queued: set[Atom] = set()
        self.seen: set[tuple[str, ...]] = set()

    def _joined(self, schema: Schema) -> list[Atom]:
        """Return the positive conditions of a schema, and conditions on the types of its parameters."""
        positive = [atom for atom, holds in schema.conditions if holds and atom[0] != EQUAL]
        return [*positive, *((_type_name(types), variable) for variable, types in schema.parameters)]

    def _types(self) -> Iterator[Atom]:
        wanted = {types for schema in self.task.schemas for _, types in schema.parameters}
        for types in sorted(wanted, key=_type_name):
            for name, has in self.task.objects.items():
                if not types or types & has:
                    yield (_type_name(types), name)

    def _reach(self, atom: Atom) -> None:
        if atom not in self.queued:
            self.queued.add(atom)
            self.queue.append(atom)

    def __iter__(self) -> Iterator[tuple[Schema, Mapping[str, str]]]:
        for schema, conditions in self.conditions:
            if not conditions:
                yield from self._found(schema, {})
        for atom in (*self._types(), *sorted(self.task.start)):
            self._reach(atom)
        for atom in self.queue:  # grows meanwhile
            self.reached.add(atom)
            keys = tuple(_keys(atom))
            for key in keys:
                self.known[key].append(atom)
            for schema, conditions, k in chain.from_iterable(self.matching.get(key, ()) for key in keys):
                self.work.spend()
                names = _matched(conditions[k], atom, {})
                if names is not None:
                    for found in self._joins(schema, conditions[:k] + conditions[k + 1 :], names):
                        yield from self._found(schema, found)

    def _joins(self, schema: Schema, left: list[Atom], names: dict[str, str]) -> Iterator[dict[str, str]]:
        """Yield the bindings under which the remaining conditions are known, most selective condition first."""
        tried = [(left, names)]
        while tried:
            left, names = tried.pop()
            self.work.spend(STEPS_PER_LITERAL)
            if not self._are_different(schema, names):
                continue
            choices: list[tuple[Atom, Sequence[Atom]]] = []
            for condition in left:
                self.work.spend(STEPS_PER_LITERAL)
                atom = _with(names, condition)
                if any(term.startswith("?") for term in atom[1:]):
                    known: Sequence[Atom] = min((self.known.get(key, ()) for key in _keys(atom)), key=len)
                    choices.append((atom, known))
                elif atom not in self.reached:
                    break
            else:
                if not choices:
                    yield names
                    continue
                chosen, known = min(choices, key=lambda choice: len(choice[1]))
                rest = [atom for atom, _ in choices if atom is not chosen]
                self.work.spend(len(known))
                further = (_matched(chosen, atom, names) for atom in tuple(known))
                tried += [(rest, each) for each in further if each is not None]

    def _are_different(self, schema: Schema, names: Mapping[str, str]) -> bool:
        """Return whether bindings satisfy the conditions on equality, as far as both sides are bound."""
        for atom, holds in self.equalities[schema.name]:
            _, left, right = _with(names, atom)
            if not left.startswith("?") and not right.startswith("?") and (left == right) != holds:
                return False
        return True

    def _found(self, schema: Schema, names: Mapping[str, str]) -> Iterator[tuple[Schema, Mapping[str, str]]]:
        """Yield a schema with bindings if they are new, and record the atoms that the action makes true."""
        key = (schema.name, *(names[variable] for variable, _ in schema.parameters))
        if key in self.seen:
            return
        if len(self.seen) >= MOST_ACTIONS:
            raise ValueError(f"it has more than {MOST_ACTIONS:,} reachable actions, more than are supported")
        self.seen.add(key)
        for atom, holds in schema.effects:
            if holds:
                self._reach(_with(names, atom))
        yield schema, names


def _type_name(types: Iterable[str]) -> str:
    """Return the name of the predicate of objects that have any of some types."""
    return f"{OF_TYPE} {' '.join(sorted(types))}"


def _keys(atom: Atom) -> Iterator[tuple[object, ...]]:
    """Yield the keys under which an atom is indexed: the predicate alone, and with each object."""
    yield (atom[0],)
    for place, term in enumerate(atom[1:], 1):
        if not term.startswith("?"):
            yield atom[0], place, term


def _matched(condition: Atom, atom: Atom, names: dict[str, str]) -> dict[str, str] | None:
    """Extend bindings so that a condition equals an atom, or return None if this is impossible."""
    found = dict(names)
    for term, name in zip(condition[1:], atom[1:], strict=True):
        if found.setdefault(term, name) != name if term.startswith("?") else term != name:
            return None
    return found


def without_negations(
    instantiated: list[tuple[str, tuple[Literal, ...], tuple[Literal, ...], float]], task: Task
) -> tuple[list[Action], frozenset[Atom], frozenset[Atom]]:
    """Replace negative conditions by facts of their own; return the actions, the goal and the initial facts.

    >>> from searchlab_plugins.strips.task import Task
    >>> lit = (Literal(("lit",), False),), (Literal(("lit",), True),)
    >>> task = Task({}, (), frozenset(), (Literal(("lit",), True),), {})
    >>> (action,), goal, start = without_negations([("(switch)", *lit, 1.0)], task)
    >>> sorted(action.conditions), sorted(action.adds), sorted(action.deletes), sorted(start)
    ([('not', 'lit')], [('lit',)], [('not', 'lit')], [('not', 'lit')])
    """
    wanted = {literal.atom for _, conditions, _, _ in instantiated for literal in conditions if not literal.holds}
    wanted |= {literal.atom for literal in task.goal if not literal.holds}

    def negation(atom: Atom) -> Atom:
        return (NOT, *atom)

    def facts(literals: Iterable[Literal]) -> frozenset[Atom]:
        return frozenset(literal.atom if literal.holds else negation(literal.atom) for literal in literals)

    actions = []
    for name, conditions, effects, cost in instantiated:
        adds = {literal.atom for literal in effects if literal.holds}
        deletes = {literal.atom for literal in effects if not literal.holds} - adds
        more = {negation(atom) for atom in deletes & wanted}
        fewer = {negation(atom) for atom in adds & wanted}
        actions.append(Action(name, facts(conditions), frozenset(adds | more), frozenset(deletes | fewer), cost))
    start = task.start | {negation(atom) for atom in wanted - task.start}
    return actions, facts(task.goal), start


def relaxed_reachable(actions: Sequence[Action], start: frozenset[Atom]) -> set[Atom]:
    """Return the facts that can become true if no fact ever becomes false."""
    missing = [len(action.conditions) for action in actions]
    users: dict[Atom, list[int]] = defaultdict(list)
    for number, action in enumerate(actions):
        for atom in action.conditions:
            users[atom].append(number)
    reached = set(start)
    queue = list(start)
    for action in actions:
        if not action.conditions:
            fresh = action.adds - reached
            reached |= fresh
            queue += fresh
    for atom in queue:  # grows meanwhile
        for number in users[atom]:
            missing[number] -= 1
            if missing[number] == 0:
                fresh = actions[number].adds - reached
                reached |= fresh
                queue += fresh
    return reached


def _simplified(action: Action, changing: set[Atom]) -> Action | None:
    """Restrict an action to atoms that change; return None if it is never applicable or changes nothing."""
    if any((NOT, *atom) in action.conditions for atom in action.conditions):
        return None
    conditions = action.conditions & changing
    deletes = action.deletes & changing
    adds = (action.adds & changing) - conditions
    return action._replace(conditions=conditions, adds=adds, deletes=deletes) if adds or deletes else None


def words_for(facts: int) -> int:
    """Return the number of words of 64 facts in a state: 1, 2, 3, 4, 6, 8, 12, …, as each number needs compiled code.

    >>> [words_for(facts) for facts in (0, 64, 65, 193, 257, 400, 600)]
    [1, 1, 2, 4, 6, 8, 12]
    """
    return min(size << k for k in range(WORD_BITS) for size in (1, 3) if size << k >= -(-facts // WORD_BITS))


def arrays_of(task: GroundTask) -> dict[str, NDArray[np.generic] | str]:
    """Return the static data of a task by name.

    The conditions of action k are `conditions[conditions_at[k] : conditions_at[k + 1]]`, and likewise for `adds` and
    `deletes`. The actions with fact k as a condition are `users[users_at[k] : users_at[k + 1]]`, and the actions that
    watch it are numbered from `watched_at[k]` to `watched_at[k + 1] - 1`.
    """
    number = {atom: k for k, atom in enumerate(task.facts)}

    def lists(sets: Iterable[Iterable[Atom]]) -> list[list[int]]:
        return [sorted(number[atom] for atom in atoms) for atoms in sets]

    conditions = lists(action.conditions for action in task.actions)
    adds = lists(action.adds for action in task.actions)
    deletes = lists(action.deletes for action in task.actions)
    users: list[list[int]] = [[] for _ in task.facts]
    for action, listed in enumerate(conditions):
        for fact in listed:
            users[fact].append(action)
    words = words_for(len(task.facts))
    goal = sorted(number[atom] for atom in task.goal)
    return {
        "facts": "\n".join(map(fact_name, task.facts)),
        "actions": "\n".join(action.name for action in task.actions),
        "prices": np.array([action.cost for action in task.actions], np.float64),
        "goal": np.array(goal, np.int64),
        "watched_at": np.searchsorted(task.watched, np.arange(len(task.facts) + 2)).astype(np.int64),
        **_joined("conditions", conditions),
        **_joined("adds", adds),
        **_joined("deletes", deletes),
        **_joined("users", users),
        "needed_words": masks(conditions, words),
        "added_words": masks(adds, words),
        "kept_words": ~masks(deletes, words),
        "goal_words": masks([goal], words)[0],
    }


def _joined(name: str, lists: Sequence[Sequence[int]]) -> dict[str, NDArray[np.generic] | str]:
    """Return lists of numbers as one array, and the start of each list in it, followed by the end of the last list."""
    ends = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return {name: np.array([number for each in lists for number in each], np.int64), f"{name}_at": ends}


def masks(lists: Sequence[Sequence[int]], words: int) -> NDArray[np.uint64]:
    """Return sets of facts as words of bits, shape (sets, words): fact k is bit k % 64 of word k // 64."""
    bits = np.zeros((len(lists), words), np.uint64)
    for row, facts in enumerate(lists):
        for fact in facts:
            bits[row, fact // WORD_BITS] |= np.uint64(1 << fact % WORD_BITS)
    return bits


def fact_name(atom: Atom) -> str:
    """Return a fact as PDDL writes it.

    >>> fact_name(("at", "ball1", "rooma")), fact_name(("not", "free", "left"))
    ('(at ball1 rooma)', '(not (free left))')
    """
    return f"(not {text_of(atom[1:])})" if atom[0] == NOT else text_of(atom)


def _natural(atom: Atom) -> tuple[bool, list[list[tuple[int, str]]]]:
    """Return a sort key for facts: ball10 follows ball2, and negations are last."""
    return atom[0] == NOT, [_natural_text(term) for term in atom]


@cache
def _natural_text(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in NATURAL.split(text)]
