"""The heuristic of a trained network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab import Heuristic, Parameter, UsageError

if TYPE_CHECKING:
    from searchlab import NTupleNetwork

DOMAINS = frozenset({"2048"})


def network(file: str) -> NTupleNetwork:
    """Return the network in a file.

    Raises:
        UsageError: no file is named, or it holds no network.
    """
    if not file:
        msg = "file=NAME names a trained network; searchlab train ntuple makes one"
        raise UsageError(msg)
    from searchlab import read_network  # late: all heuristics are loaded for every search

    return read_network(file)


def points_to_come(boards: Any, file: str = "") -> Any:
    """Return the points that a network expects after moves that led to boards, shape (boards, rows, columns)."""
    return network(file).values(boards)


def check_file(file: str) -> str:
    """Return what is wrong with a file."""
    try:
        network(file)
    except UsageError as error:
        return str(error)
    return ""


FILE = Parameter("file", "", "the network: what searchlab train ntuple made", check=check_file, kind="file")
HEURISTIC = Heuristic(
    "ntuple",
    batch=points_to_come,
    network=network,
    of_points=True,
    domains=DOMAINS,
    prefer="high",
    parameters=(FILE,),
    summary="the points that a trained n-tuple network expects",
)
