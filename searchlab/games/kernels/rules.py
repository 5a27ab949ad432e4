"""The rules of a domain inside a kernel of games, and their arrays.

A kernel is compiled for a domain: the domain's rules on packed states replace the functions below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from searchlab.compiler.adapters import Adapter

PLAIN_MOVES = True
"""Whether no move ends the game."""


class RuleArrays(Arrays):
    """The arrays that rules read, and their working space."""

    params: Pointer = array(np.float64, "params")
    tables: Pointer = array(np.uint8, "tables")
    tiles: Pointer = array(np.int64, "cells")
    out_tiles: Pointer = array(np.int64, "most written", "cells")
    costs: Pointer = array(np.float64, "successors")
    moves: Pointer = array(np.int64, "successors", "described")


class Rules(NamedTuple):
    """The arrays of `RuleArrays`, as an argument of the functions below."""

    params: Pointer
    tables: Pointer
    tiles: Pointer
    out_tiles: Pointer
    costs: Pointer
    moves: Pointer


UNPACKED = f"\n    {', '.join(Rules._fields)} = rules"
"""The first line of a function that replaces a function below: it unpacks the arrays under the names of adapters."""


def in_place_of(adapter: Adapter, functions: Iterable[tuple[Callable[..., Any], Any, str]]) -> dict[str, Any]:
    """Return the replacements of functions below, by name.

    Args:
        functions: for each function, whether it is inlined, and the body of its replacement.
    """
    return {
        stand_in.__name__: adapter.replacing(stand_in, UNPACKED + body, inlined=bool(inlined))
        for stand_in, inlined, body in functions
    }


def rules_of(s: RuleArrays) -> Rules:
    """Return the arrays in the form that the functions below take."""
    return Rules(s.params, s.tables, s.tiles, s.out_tiles, s.costs, s.moves)


def after_move(rules: Rules, words: Any, out: Any, terminal: Any, points: Any) -> int:
    """Placeholder for the domain's successor function."""
    return 0


def after_chance(rules: Rules, words: Any, out: Any, probabilities: Any) -> int:
    """Placeholder for the domain's random outcomes of a state; by default the state itself."""
    return 0


def draw(rules: Rules, words: Any, out: Any, random: Any) -> int:
    """Placeholder for the domain's draw after a move."""
    return 0


def is_won(rules: Rules, words: Any) -> bool:
    """Placeholder for the domain's goal test."""
    return False


def is_outgrown(rules: Rules, words: Any) -> bool:
    """Placeholder for the form's test whether a board needs another form."""
    return False


def legal_moves(rules: Rules, words: Any) -> int:
    """Placeholder for the form's function of the legal actions; negative if it has none."""
    return -1


def judge(params: Any, tables: Any, words: Any, tiles: Any) -> float:
    """Placeholder for a heuristic; larger values are better.

    A heuristic on tiles is not inlined, and is called often. Therefore it does not take the other arrays of rules: with
    them as arguments, expectimax executed 1.6 % more instructions.
    """
    return 0.0


def find(params: Any, tables: Any, words: Any, into: Any) -> None:
    """Placeholder for the function that finds the weights of a board."""


def sum_up(params: Any, tables: Any, into: Any) -> float:
    """Placeholder for the function that adds the weights up."""
    return 0.0
