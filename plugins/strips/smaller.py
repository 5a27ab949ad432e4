"""Smaller planning tasks: the same task without a single object, or without a single goal."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from searchlab import Instance
from searchlab_plugins.strips.files import FACT, format_task, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from searchlab import Board

PROBLEM = re.compile(r"\(\s*define\s*\(\s*problem\b", re.IGNORECASE)
SECTION = r"\(\s*:{}\b"
NAME = re.compile(r"[^\s()]+")


def smaller(board: Board, task: str, facts: str, first: NDArray[np.int64]) -> Iterator[Instance]:
    """Yield the tasks without a single object and all facts about it, then the tasks without a single goal."""
    text = format_task(board, task, facts, first)
    problem = PROBLEM.search(text)
    if problem is None:
        return
    rules, own = text[: problem.start()], text[problem.start() :]
    objects, goal = _section(own, "objects"), _section(own, "goal")
    names = [name for name in NAME.findall(_without_types(objects)) if not name.startswith(":")]
    texts = [_without_object(text, objects, name) for name in dict.fromkeys(names)]
    goals = FACT.findall(goal[1:-1].partition(":")[2])
    inner = FACT.findall(goals[0][1:-1]) if goals else []
    texts += [rules + own.replace(goal, goal.replace(one, "", 1), 1) for one in inner if len(inner) > 1]
    for each in texts:
        with suppress(ValueError):
            yield from (found for found in parse(each) if isinstance(found, Instance))


def _section(text: str, name: str) -> str:
    """Return a part of a problem, from opening to closing parenthesis, or `""` if there is no such part."""
    begins = re.search(SECTION.format(name), text, re.IGNORECASE)
    if begins is None:
        return ""
    depth = 0
    for at in range(begins.start(), len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[begins.start() : at + 1]
    return ""


def _without_types(objects: str) -> str:
    """Return a list of objects without their types."""
    return re.sub(r"\s-\s+[^\s()]+", " ", objects)


def _without_object(text: str, objects: str, name: str) -> str:
    """Return a task without an object, and without the facts and goals that mention it."""
    word = re.compile(rf"(?<![^\s()]){re.escape(name)}(?![^\s()])", re.IGNORECASE)
    fewer = text.replace(objects, word.sub("", objects, count=1), 1)
    mentioned = re.compile(rf"\([^()]*{word.pattern}[^()]*\)", re.IGNORECASE)
    return mentioned.sub(lambda fact: fact[0] if fact[0].startswith("(:") else "", fewer)
