"""A planning task before grounding: objects, atoms and action schemas."""

from __future__ import annotations

from typing import NamedTuple

Atom = tuple[str, ...]
"""A predicate or a function with its arguments: `("at", "ball1", "rooma")`. A variable begins with `?`."""
MOST_STEPS = 10_000_000
"""The most steps of reading and grounding a task; a step takes about a microsecond, or 100 bytes."""
EQUAL = "="
"""The predicate of `(= ?a ?b)`."""


class Literal(NamedTuple):
    """An atom, or its negation.

    Attributes:
        atom: the atom.
        holds: whether it must be true.
    """

    atom: Atom
    holds: bool


class Schema(NamedTuple):
    """An action with variables.

    Attributes:
        name: the name.
        parameters: each variable with the types of which the value must have at least one.
        conditions: the literals that must hold before the action.
        effects: the literals that hold after the action; an atom that occurs positively and negatively is true.
        costs: the summands of the cost: numbers, and atoms of functions with known values.
    """

    name: str
    parameters: tuple[tuple[str, frozenset[str]], ...]
    conditions: tuple[Literal, ...]
    effects: tuple[Literal, ...]
    costs: tuple[float | Atom, ...]


class Task(NamedTuple):
    """A planning task.

    Attributes:
        objects: each object with its types and their supertypes.
        schemas: the actions.
        start: the initially true atoms.
        goal: the literals that must hold at the end.
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
    """The remaining steps for reading and grounding, so that a task that is too large is refused in time."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def spend(self, steps: int = 1) -> None:
        """Subtract steps from the budget.

        Raises:
            ValueError: the budget is exhausted.
        """
        self.left -= steps
        if self.left < 0:
            raise ValueError(f"reading it takes more than {MOST_STEPS:,} steps, more than are supported")
