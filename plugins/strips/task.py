"""A planning task before it is grounded: objects, atoms and action schemas, as values."""

from __future__ import annotations

from typing import NamedTuple

Atom = tuple[str, ...]
"""A predicate, or a function, and its arguments: `("at", "ball1", "rooma")`. A variable begins with `?`."""
MOST_STEPS = 10_000_000
"""The most steps of reading and grounding a task; a step takes about a microsecond, or 100 bytes."""
EQUAL = "="
"""The predicate of `(= ?a ?b)`."""


class Literal(NamedTuple):
    """An atom, or its negation.

    Attributes:
        atom: the atom.
        holds: whether it is to be true.
    """

    atom: Atom
    holds: bool


class Schema(NamedTuple):
    """An action with variables.

    Attributes:
        name: the name.
        parameters: each variable with the types of which an object that replaces it has one.
        conditions: what has to be so before the action.
        effects: what is so after it; where both an atom and its negation are here, it is true.
        costs: what it costs: numbers, and atoms of functions whose values are known, added up.
    """

    name: str
    parameters: tuple[tuple[str, frozenset[str]], ...]
    conditions: tuple[Literal, ...]
    effects: tuple[Literal, ...]
    costs: tuple[float | Atom, ...]


class Task(NamedTuple):
    """A planning task.

    Attributes:
        objects: each object with its types, those above them included.
        schemas: the actions.
        start: the atoms that are true at first.
        goal: what is to be so at last.
        values: the values of functions.
    """

    objects: dict[str, frozenset[str]]
    schemas: tuple[Schema, ...]
    start: frozenset[Atom]
    goal: tuple[Literal, ...]
    values: dict[Atom, float]


def text_of(atom: Atom) -> str:
    """Return an atom as PDDL writes it.

    >>> text_of(("at", "ball1", "rooma"))
    '(at ball1 rooma)'
    """
    return f"({' '.join(atom)})"


class StepBudget:
    """The steps that reading and grounding may still take, so that a task that is too large is refused in time."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def spend(self, steps: int = 1) -> None:
        """Take steps off those that are left.

        Raises:
            ValueError: reading takes more steps than are allowed.
        """
        self.left -= steps
        if self.left < 0:
            raise ValueError(f"reading it takes more than {MOST_STEPS:,} steps, more than are supported")
