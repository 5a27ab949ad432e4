"""The exact values of small games of chance as prepared tables, built once and kept for all processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.binding.tables import TableBuild, prepared
from searchlab.board.board import Board
from searchlab.games.layered_boards import exact_value
from searchlab.model.strategies import Heuristic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.binding.domain import BoundDomain
    from searchlab.games.exact import ExactValues


def all_boards(progress: Any, domain: BoundDomain, rows: int, columns: int) -> Any:
    """Return the numbered boards after moves of games that begin on an empty board of a size."""
    from searchlab.games.exact import exact_boards  # not at the top: loading a plugin with these tables loads no solver

    return exact_boards(domain, _empty(rows, columns), progress=progress)


def all_values(progress: Any, domain: BoundDomain, rows: int, columns: int, solved_boards: Any) -> Any:
    """Return the points to come after each of `solved_boards`."""
    from searchlab.games.exact import exact_values

    return exact_values(domain, _empty(rows, columns), boards=solved_boards, progress=progress).array


def _empty(rows: int, columns: int) -> Board:
    return Board(np.zeros((rows, columns), np.int64))


def exact_tables() -> Mapping[str, Callable[..., Any]]:
    """Return the `tables` of a component with functions that ask for `solved_boards` and `solved_values`.

    These are the arrays for `exact_value`, for games that begin on an empty board. All components with these tables,
    and `searchlab exact`, share the same files.

    >>> sorted(exact_tables())
    ['solved_boards', 'solved_values']
    """
    return {"solved_boards": all_boards, "solved_values": all_values}


def points_to_come(tiles: Any, solved_boards: Any, solved_values: Any) -> float:
    """Return the expected points after a move that led to a board; -inf if the game never leads to it."""
    value = exact_value(tiles, solved_boards, solved_values)
    return value if value == value else -np.inf


def exact_heuristic(name: str = "exact", **declared: Any) -> Heuristic:
    """Return the heuristic of a solved game of chance: the expected points of optimal play from a board after a move.

    Args:
        name: the name of the heuristic.
        declared: further fields of the Heuristic, such as `domains` and `summary`.

    >>> import searchlab as sl
    >>> points = sl.heuristic(sl.exact_heuristic(), domain="2048-random:n=2")
    >>> round(points(sl.Board([[4, 2], [0, 0]])), 2)
    64.01
    """
    return Heuristic(name, points_to_come, tables=exact_tables(), of_points=True, prefer="high", **declared)


def kept_values(domain: BoundDomain) -> ExactValues:
    """Return the exact values of a game from its start, from `exact_tables` if games begin on an empty board.

    Raises:
        UsageError: the game cannot be solved; see `exact_values`.
    """
    from searchlab.games.exact import ExactValues, exact_values

    begin = domain.start()
    if begin.tiles.any():
        return exact_values(domain)
    rows, columns = begin.shape
    of_game = {"domain": domain, "rows": rows, "columns": columns}
    boards = prepared(TableBuild(f"table solved_boards of {domain.name}", all_boards, of_game))
    with_boards = {**of_game, "solved_boards": boards}
    values = prepared(TableBuild(f"table solved_values of {domain.name}", all_values, with_boards))
    return ExactValues(domain, begin, boards, values)
