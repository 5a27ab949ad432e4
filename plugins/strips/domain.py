"""The rules of planning tasks in STRIPS (Fikes and Nilsson 1971): actions make facts true and false.

A board has a cell for each fact, which is 1 if the fact is true. The cells are in rows of 64, and a row is a word of
the packed state. Cells beyond the last fact are 0. The facts and actions themselves are static data, grounded from the
files of a task.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Defaults, Domain, FileFormat, PackedForm, Parameter, Views, Words, trailing_zeros
from searchlab_plugins.strips.files import format_task, instance_of, parse
from searchlab_plugins.strips.grounding import MOST_ACTIONS, WORD_BITS
from searchlab_plugins.strips.picture import picture, svg
from searchlab_plugins.strips.smaller import smaller
from searchlab_plugins.strips.tasks import DELIVERY, GRIPPER, delivery_problem, gripper_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from searchlab import Instance

STATIC = (
    *("facts", "actions", "prices", "goal", "watched_at", "first", "task"),
    *("conditions", "conditions_at", "adds", "adds_at", "deletes", "deletes_at", "users", "users_at"),
    *("needed_words", "added_words", "kept_words", "goal_words"),
)
"""The static data of `parse`: `first` holds the initially true facts, `task` the text; `grounding.arrays_of` describes
the others."""
ROOM = (16, 64, 254, 1024, 4096, 16384, 65536, MOST_ACTIONS)
"""The possible maximum numbers of successors: the rules are compiled for each of these numbers, not for each task."""


@lru_cache(maxsize=8)
def lines_of(text: str) -> tuple[str, ...]:
    """Return the names in a text that has one name per line."""
    return tuple(text.split("\n"))


def is_goal(board: Board, goal: NDArray[np.int64]) -> bool:
    """Return whether all facts of the goal are true."""
    return bool(board.tiles.ravel()[goal].all())


def successors(
    board: Board,
    actions: str,
    prices: NDArray[np.float64],
    conditions: NDArray[np.int64],
    conditions_at: NDArray[np.int64],
    adds: NDArray[np.int64],
    adds_at: NDArray[np.int64],
    deletes: NDArray[np.int64],
    deletes_at: NDArray[np.int64],
) -> Iterator[tuple[str, Board, float]]:
    """Yield (action, board, cost) for each applicable action, which first deletes facts and then adds facts."""
    facts = board.tiles.ravel()
    for k in applicable(facts, conditions, conditions_at):
        after = facts.copy()
        after[deletes[deletes_at[k] : deletes_at[k + 1]]] = 0
        after[adds[adds_at[k] : adds_at[k + 1]]] = 1
        yield lines_of(actions)[k], Board(after.reshape(board.shape)), float(prices[k])


def applicable(
    facts: NDArray[np.int64], conditions: NDArray[np.int64], conditions_at: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the numbers of the actions that have only true conditions, in order."""
    true_before = np.concatenate([[0], np.cumsum(facts[conditions])])
    count = np.diff(conditions_at)
    return np.flatnonzero(true_before[conditions_at[1:]] - true_before[conditions_at[:-1]] == count)


def expand(
    words: Any, out: Any, moves: Any, needed_words: Any, added_words: Any, kept_words: Any, watched_at: Any
) -> int:
    """Write the packed states after the same actions, and the number of each action.

    Only the actions that watch a true fact are examined, and the actions without conditions, which come last. Actions
    are sorted by the fact that they watch, so the successors are in the order of the actions.
    """
    count = 0
    for word in range(len(words)):
        left = words[word]
        while left != np.uint64(0):
            fact = WORD_BITS * word + trailing_zeros(left)
            left &= left - np.uint64(1)
            for action in range(watched_at[fact], watched_at[fact + 1]):
                count += take(words, out, moves, count, action, needed_words, added_words, kept_words)
    for action in range(watched_at[len(watched_at) - 2], watched_at[len(watched_at) - 1]):
        count += take(words, out, moves, count, action, needed_words, added_words, kept_words)
    return count


def take(
    words: Any, out: Any, moves: Any, count: int, action: int, needed_words: Any, added_words: Any, kept_words: Any
) -> int:
    """Write the packed state after an action and return 1, or return 0 if a condition is false."""
    missing = np.uint64(0)
    for k in range(len(words)):
        missing |= needed_words[action, k] & ~words[k]
    if missing != np.uint64(0):
        return 0
    for k in range(len(words)):
        out[count, k] = words[k] & kept_words[action, k] | added_words[action, k]
    moves[count, 0] = action
    return 1


def expand_at_cost(
    words: Any,
    out: Any,
    moves: Any,
    costs: Any,
    needed_words: Any,
    added_words: Any,
    kept_words: Any,
    watched_at: Any,
    prices: Any,
) -> int:
    """Write the packed states as `expand` does, and the cost of each action."""
    count = expand(words, out, moves, needed_words, added_words, kept_words, watched_at)
    for k in range(count):
        costs[k] = prices[moves[k, 0]]
    return count


def is_packed_goal(words: Any, goal_words: Any) -> bool:
    """Return whether all facts of the goal are true in a packed state."""
    missing = np.uint64(0)
    for k in range(len(words)):
        missing |= goal_words[k] & ~words[k]
    return bool(missing == np.uint64(0))


@lru_cache(maxsize=2 * len(ROOM))
def form(most: int, is_unit: bool) -> PackedForm:
    """Return the compiled rules for tasks with up to `most` actions."""
    return PackedForm(
        values=2,
        max_successors=most,
        words=Words(successors=expand if is_unit else expand_at_cost, is_goal=is_packed_goal),
        move=("action",),
    )


def packed(board: Board, prices: NDArray[np.float64]) -> PackedForm:
    """Return the compiled rules."""
    return form(next(most for most in ROOM if most >= len(prices)), has_unit_cost(prices))


def has_unit_cost(prices: NDArray[np.float64]) -> bool:
    """Return whether every action costs 1."""
    return bool((prices == 1).all())


def why_invalid(board: Board, facts: str, goal_words: NDArray[np.uint64]) -> str:
    """Return an error message for a board that is not a state of the task, or `""`."""
    rows, count = len(goal_words), len(lines_of(facts))
    if board.shape != (rows, WORD_BITS):
        return (
            f"a state of {count} facts has {rows} × {WORD_BITS} cells, and this has {board.shape[0]} × {board.shape[1]}"
        )
    if board.tiles.min() < 0 or board.tiles.max() > 1:
        return "a fact is true, 1, or false, 0"
    return f"there are {count} facts, and the cells after them are 0" if board.tiles.ravel()[count:].any() else ""


def why_unsolvable(
    board: Board,
    facts: str,
    goal: NDArray[np.int64],
    conditions: NDArray[np.int64],
    conditions_at: NDArray[np.int64],
    adds: NDArray[np.int64],
    adds_at: NDArray[np.int64],
) -> str:
    """Return a message about a goal fact that no action makes true even if no fact ever becomes false, or `""`."""
    reached = board.tiles.ravel().copy()
    owners = np.repeat(np.arange(len(adds_at) - 1), np.diff(adds_at))
    before = -1
    while before < reached.sum() and not reached[goal].all():
        before = reached.sum()
        can_act = np.isin(owners, applicable(reached, conditions, conditions_at))
        reached[adds[can_act]] = 1
    lacking = goal[reached[goal] == 0]
    if not len(lacking):
        return ""
    return f"nothing makes {lines_of(facts)[lacking[0]]} true, even if no fact ever became false"


def samples() -> Iterator[Instance]:
    """Yield a task of gripper with two balls, and a task with costs and negative conditions."""
    yield instance_of(GRIPPER, gripper_problem(2))
    yield instance_of(DELIVERY, delivery_problem([(1, 2, 3), (2, 3, 1), (1, 3, 5)], [1], [(1, 3), (2, 1)]))


def check_file(path: str) -> str:
    """Return an error message for an invalid domain file, or `""`."""
    return "" if not path or Path(path).is_file() else f"there is no file {path}"


DOMAIN = Domain(
    "strips",
    successors,
    is_goal,
    summary="planning tasks in PDDL: STRIPS with types, equality, negative conditions and costs",
    parameters=(
        Parameter(
            "domain_file", "", "the domain's file, by default looked for by its name", check=check_file, kind="file"
        ),
    ),
    static=STATIC,
    packed=packed,
    why_invalid=why_invalid,
    why_unsolvable=why_unsolvable,
    smaller=smaller,
    samples=samples,
    unit_cost=has_unit_cost,
    files=FileFormat(parse, format=format_task, suffixes=(".pddl",)),
    views=Views(picture=picture, svg=svg, layer_columns={"game over": "", "largest": ""}),
    defaults=Defaults(heuristic="searchlab/hmax"),
)
