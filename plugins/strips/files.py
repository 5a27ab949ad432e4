"""Read planning tasks from PDDL files and ground them, and write tasks as the text of both definitions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Instance
from searchlab_plugins.strips.definitions import Domains, definitions
from searchlab_plugins.strips.grounding import WORD_BITS, arrays_of, ground, words_for
from searchlab_plugins.strips.language import DomainDeclarations, task_of
from searchlab_plugins.strips.task import StepBudget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from searchlab_plugins.strips.definitions import Definition

STATE = re.compile(r"^; state:(.*)$", re.MULTILINE)
"""The comment with the state of a task that is not in the initial state."""
FACT = re.compile(r"\((?:[^()]|\([^()]*\))*\)")


def parse(
    text: str, folder: Path | None = None, path: Path | None = None, domain_file: str = ""
) -> Iterator[Instance | ValueError]:
    """Yield the tasks in a text; a text that contains only domains has none.

    If one of several tasks is invalid, yield a ValueError in its place.

    Args:
        text: problems, and possibly their domains.
        folder: the folder to search for domains.
        path: the file of the text.
        domain_file: the file of the domain, or `""` to search for it.

    Raises:
        ValueError: the text is invalid, or its only task is.
    """
    work = StepBudget()
    known = definitions(text, work)
    if not known:
        raise ValueError("it has no (define (problem …) in it")
    problems = [each for each in known if each.kind == "problem"]
    domains = Domains(known, folder or Path(), path.stem if path else "", domain_file, work)
    rules: dict[tuple[str, str], DomainDeclarations] = {}
    state = STATE.search(text)
    for problem in problems:
        try:
            domain = domains.of(problem)
            key = domain.file, domain.name
            if key not in rules:
                rules[key] = DomainDeclarations(domain, work)
            board, static = _grounded(problem, rules[key], state[1] if state else None)
        except ValueError as error:
            if len(problems) == 1:
                raise
            yield error
        else:
            yield Instance(problem.name if len(problems) > 1 else "", board, static)


def instance_of(domain: str, problem: str) -> Instance:
    """Return the task of a domain and a problem."""
    (instance,) = parse(domain + problem)
    assert isinstance(instance, Instance)
    return instance


def _grounded(problem: Definition, rules: DomainDeclarations, state: str | None) -> tuple[Board, dict[str, Any]]:
    """Return the start and the static data of a task; `state` lists the true facts if they are not the initial ones."""
    work = StepBudget()
    task = ground(task_of(problem, rules, work), work)
    static = arrays_of(task)
    first = [fact for fact, atom in enumerate(task.facts) if atom in task.start]
    tiles = np.zeros(words_for(len(task.facts)) * WORD_BITS, np.int64)
    tiles[first if state is None else _named(state, str(static["facts"]))] = 1
    texts = rules.domain.text, problem.text
    written = "\n".join(line for each in texts for line in each.splitlines() if line.strip())
    return Board(tiles.reshape(-1, WORD_BITS)), {**static, "first": np.array(first, np.int64), "task": written}


def _named(state: str, facts: str) -> list[int]:
    """Return the numbers of the facts that a comment lists."""
    numbers = {name: number for number, name in enumerate(facts.split("\n"))}
    listed = FACT.findall(state)
    unknown = next((name for name in listed if name not in numbers), None)
    if unknown is not None:
        raise ValueError(f"the comment '; state:' has {unknown!r:.60}, which is no fact of the task")
    return [numbers[name] for name in listed]


def format_task(board: Board, task: str, facts: str, first: NDArray[np.int64]) -> str:
    """Return the text of a task: both definitions, after a comment with the state if it is not the initial state."""
    true = np.flatnonzero(board.tiles)
    if np.array_equal(true, first):
        return task
    names = facts.split("\n")
    return "\n".join((f"; state: {' '.join(names[fact] for fact in true)}", task))
