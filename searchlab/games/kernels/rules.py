"""A domain's rules inside a kernel of games, and the arrays they work in.

A kernel is compiled for a domain: its rules on packed states take the place of the functions below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from searchlab.compiler.adapters import Adapter

PLAIN_MOVES = True
"""No move ends the game."""


class RuleArrays(Arrays):
    """The arrays that rules read, and those they work in besides the states they write."""

    params: Pointer = array(np.float64, "params")
    tables: Pointer = array(np.uint8, "tables")
    tiles: Pointer = array(np.int64, "cells")
    out_tiles: Pointer = array(np.int64, "most written", "cells")
    costs: Pointer = array(np.float64, "successors")
    moves: Pointer = array(np.int64, "successors", "described")


class Rules(NamedTuple):
    """The same, as rules take them."""

    params: Pointer
    tables: Pointer
    tiles: Pointer
    out_tiles: Pointer
    costs: Pointer
    moves: Pointer


UNPACKED = f"\n    {', '.join(Rules._fields)} = rules"
"""The source of the first line of what takes the place of a function below: the arrays by the names adapters use."""


def in_place_of(adapter: Adapter, functions: Iterable[tuple[Callable[..., Any], Any, str]]) -> dict[str, Any]:
    """Return what takes the place of functions below, by their names.

    Args:
        functions: each with whether it is inlined, and the body of what takes its place.
    """
    return {
        stand_in.__name__: adapter.replacing(stand_in, UNPACKED + body, inlined=bool(inlined))
        for stand_in, inlined, body in functions
    }


def rules_of(s: RuleArrays) -> Rules:
    """Return the arrays for rules."""
    return Rules(s.params, s.tables, s.tiles, s.out_tiles, s.costs, s.moves)


def after_move(rules: Rules, words: Any, out: Any, terminal: Any, points: Any) -> int:
    """Stand in for the domain's successor function."""
    return 0


def after_chance(rules: Rules, words: Any, out: Any, probabilities: Any) -> int:
    """Stand in for the domain's function of what chance may do to a state; at least that it stays as it is."""
    return 0


def draw(rules: Rules, words: Any, out: Any, random: Any) -> int:
    """Stand in for what the domain draws after a move."""
    return 0


def is_won(rules: Rules, words: Any) -> bool:
    """Stand in for the domain's test for a goal."""
    return False


def is_outgrown(rules: Rules, words: Any) -> bool:
    """Stand in for the form's test for a board that wants another form."""
    return False


def legal_moves(rules: Rules, words: Any) -> int:
    """Stand in for the form's function that says which actions are moves; below 0 where it has none."""
    return -1


def judge(params: Any, tables: Any, words: Any, tiles: Any) -> float:
    """Stand in for a heuristic, more being better.

    One of tiles is called, not inlined, and often: with the other arrays of rules as arguments, expectimax executed
    1.6 % more instructions.
    """
    return 0.0


def find(params: Any, tables: Any, words: Any, into: Any) -> None:
    """Stand in for what finds where a board's weights stand."""


def sum_up(params: Any, tables: Any, into: Any) -> float:
    """Stand in for what adds them up."""
    return 0.0
