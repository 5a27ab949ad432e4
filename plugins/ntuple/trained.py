"""The heuristic of a trained network."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab import Heuristic, Parameter, UsageError

if TYPE_CHECKING:
    from searchlab import NTupleNetwork

DOMAINS = frozenset({"2048"})
SHIPPED = Path(__file__).with_name("four-5-tuples-downgrading-500000-games.npz")
"""The network that ships, for 4 × 4 boards; docs/learning.md describes how it was trained. A new network needs a new
file name: runs of experiments are distinguished by the code of plugins, not by data files."""


def network(file: str, downgrade: int = 0) -> NTupleNetwork:
    """Return the network in a file.

    Args:
        file: the name of the file; by default the network that ships.
        downgrade: boards with this tile or a larger tile are downgraded; 0 for the setting of the network.

    Raises:
        UsageError: the file does not contain a network.
    """
    from searchlab import read_network  # not at the top, because every search loads all heuristics

    return downgrading(read_network(file or SHIPPED), downgrade)


@lru_cache(maxsize=4)
def downgrading(network: NTupleNetwork, downgrade: int) -> NTupleNetwork:
    """Return a network that downgrades boards from another tile on; 0 returns the network itself."""
    return replace(network, downgrade=downgrade) if downgrade else network


def points_to_come(boards: Any, file: str = "", downgrade: int = 0) -> Any:
    """Return the points that a network expects after boards, shape (boards,).

    Args:
        boards: the boards after moves, before a tile appears, shape (boards, rows, columns).
        file: the name of the file; by default the network that ships.
        downgrade: see `network`.
    """
    return network(file, downgrade).values(boards)


def check_file(file: str) -> str:
    """Return an error message for an invalid file, or `""`."""
    try:
        network(file)
    except UsageError as error:
        return str(error)
    return ""


def check_downgrade(downgrade: int) -> str:
    """Return an error message for an invalid tile to downgrade boards from, or `""`."""
    is_tile = downgrade >= 4 and downgrade & (downgrade - 1) == 0
    return "" if downgrade == 0 or is_tile else "a tile is a power of two, from 4 up, or 0"


FILE = Parameter("file", "", "of searchlab train ntuple; else the network that ships", check=check_file, kind="file")
DOWNGRADE = Parameter(
    "downgrade",
    0,
    "boards with this tile or more are read with large tiles halved; 0: as learned",
    check=check_downgrade,
)
HEURISTIC = Heuristic(
    "ntuple",
    batch=points_to_come,
    network=network,
    of_points=True,
    domains=DOMAINS,
    prefer="high",
    parameters=(FILE, DOWNGRADE),
    summary="the future points predicted by a trained n-tuple network",
)
