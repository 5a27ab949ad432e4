"""Planning tasks once more, as plainly as possible: actions with every object, and a set of atoms for a state."""

import re
from heapq import heappop, heappush
from itertools import count, product
from math import inf


def read(text):
    """The expressions of a text in PDDL, as nested lists."""
    tokens = re.findall(r"[()]|[^\s()]+", re.sub(r";.*", "", text.lower()))
    stack = [[]]
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0]


def typed(items):
    """Pairs of a name and its type, from a list like `a b - room c`."""
    pairs, waiting, items = [], [], list(items)
    while items:
        item = items.pop(0)
        if item == "-":
            kind = items.pop(0)
            pairs += [(name, kind) for name in waiting]
            waiting = []
        else:
            waiting.append(item)
    return pairs + [(name, "object") for name in waiting]


class PlainTask:
    """A task of a domain with conjunctions, negations and costs, and a problem."""

    def __init__(self, text):
        domain, problem = read(text)
        sections = {each[0]: each[1:] for each in domain[2:]}
        above = dict(typed(sections.get(":types", [])))
        given = {each[0]: each[1:] for each in problem[2:]}
        self.fits = {}
        for name, kind in typed([*sections.get(":constants", []), *given.get(":objects", [])]):
            while True:
                self.fits.setdefault(kind, []).append(name)
                if kind == "object":
                    break
                kind = above.get(kind, "object")
        numbers = [each for each in given[":init"] if each[0] == "="]
        self.values = {tuple(each[1]): float(each[2]) for each in numbers}
        self.start = frozenset(tuple(each) for each in given[":init"] if each[0] not in ("=", "not"))
        self.goal = parts(given[":goal"][0])
        self.has_metric = ":metric" in given
        self.actions = []
        for action in (each for each in domain[2:] if each[0] == ":action"):
            fields = dict(zip(action[2::2], action[3::2], strict=True))
            self.ground(action[1], fields)

    def ground(self, name, fields):
        """Add an action for each choice of objects, whether it makes sense or not."""
        variables = typed(fields[":parameters"])
        for chosen in product(*(self.fits.get(kind, []) for _, kind in variables)):
            names = dict(zip((variable for variable, _ in variables), chosen, strict=True))
            conditions = parts(fields.get(":precondition", ["and"]), names)
            if any(atom[0] == "=" and (atom[1] == atom[2]) != holds for holds, atom in conditions):
                continue
            effects, cost = [], 0.0
            for holds, atom in parts(fields[":effect"], names):
                if atom[0] == "increase":
                    cost += self.values.get(atom[2], inf) if isinstance(atom[2], tuple) else float(atom[2])
                else:
                    effects.append((holds, atom))
            conditions = [(holds, atom) for holds, atom in conditions if atom[0] != "="]
            title = f"({' '.join((name, *chosen))})"
            self.actions.append((title, conditions, effects, cost if self.has_metric else 1.0))

    def successors(self, state):
        """Name, state and cost after each action that can be taken."""
        for name, conditions, effects, cost in self.actions:
            if holds_in(state, conditions):
                after = state - {atom for holds, atom in effects if not holds}
                yield name, after | {atom for holds, atom in effects if holds}, cost

    def cheapest(self):
        """The cost of a cheapest plan, None if there is none, by Dijkstra's algorithm."""
        order, costs = count(), {self.start: 0.0}
        queue = [(0.0, 0, self.start)]
        while queue:
            cost, _, state = heappop(queue)
            if cost > costs[state]:
                continue
            if holds_in(state, self.goal):
                return cost
            for _, after, price in self.successors(state):
                if cost + price < costs.get(after, inf):
                    costs[after] = cost + price
                    heappush(queue, (cost + price, next(order), after))
        return None

    def relaxed(self, state, together):
        """The cost of the goal without deletes, by going over all actions until nothing changes.

        `together` adds up what conditions cost. A condition that something be false is as dear as what deletes it.
        """
        costs = {}

        def cost_of(holds, atom):
            return 0.0 if (atom in state) == holds else costs.get((holds, atom), inf)

        changed = True
        while changed:
            changed = False
            for _, conditions, effects, price in self.actions:
                cost = price + together([0.0, *(cost_of(*each) for each in conditions)])
                added = {atom for holds, atom in effects if holds}
                for holds, atom in effects:
                    if (holds or atom not in added) and cost < cost_of(holds, atom):
                        costs[holds, atom] = cost
                        changed = True
        return together([0.0, *(cost_of(*each) for each in self.goal)])


def parts(expression, names=None):
    """The literals of a conjunction: whether each is to hold, and the atom; names replace variables."""
    if not expression:
        return []
    if expression[0] == "and":
        return [each for part in expression[1:] for each in parts(part, names)]
    if expression[0] == "not":
        return [(not holds, atom) for holds, atom in parts(expression[1], names)]
    if expression[0] == "increase":
        amount = expression[2]
        return [(True, ("increase", "", atom_of(amount, names) if isinstance(amount, list) else amount))]
    return [(True, atom_of(expression, names))]


def atom_of(expression, names):
    """An atom with objects in place of variables."""
    return tuple((names or {}).get(term, term) for term in expression)


def holds_in(state, literals):
    """Whether all literals hold."""
    return all((atom in state) == holds for holds, atom in literals)
