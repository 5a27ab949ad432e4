"""Read the file of a certificate, which may be from anybody: nothing in it is executed, and its size is limited."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from math import inf, isfinite, prod
from typing import IO, TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np

from searchlab.board.board import Board
from searchlab.errors import SearchlabError, UsageError, shown
from searchlab.files import LONGEST_TEXT, file_error, open_to_read
from searchlab.files.arrays import array_header
from searchlab.model.costs import exceeds
from searchlab.model.instance import Instance, static_from_json
from searchlab.plugins import lookup

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.model.states import State
    from searchlab.plugins.registry import Plugins

FORMAT = "searchlab certificate 1"
CLAIM, BOARDS, OTHER_STATES, COSTS = "claim.json", "states.npy", "states.jsonl", "g.npy"


@dataclass(frozen=True)
class Certificate:
    """The content of a certificate.

    Attributes:
        domain: the domain, with the static data of the instance.
        heuristic: the heuristic h, or None if h is 0.
        start: the start.
        bound: the lower bound on the solution cost, or infinity if there is no solution.
        cost: the cost of the plan, or None.
        plan: the states of a solution, empty without a plan.
        states: the states of S: the tiles of boards, shape (states, rows, columns), or a list of other states.
        costs: the cost g of each state.
    """

    domain: BoundDomain
    heuristic: BoundHeuristic | None
    start: State
    bound: float
    cost: float | None
    plan: tuple[State, ...]
    states: Any
    costs: Any

    @property
    def claim(self) -> str:
        """The claim in one line."""
        if self.bound == inf:
            return "there is no solution"
        least = f"no solution costs less than {self.bound:.10g}"
        if not self.plan:
            return least
        if not exceeds(self.cost or 0.0, self.bound):
            return f"the cost {self.cost:.10g} is optimal"
        return f"{least}, and there is one of cost {self.cost:.10g}"


def read(
    path: Path,
    plugins: Plugins,
    memory: int,
    domain: BoundDomain | None = None,
    heuristic: BoundHeuristic | None = None,
) -> Certificate:
    """Read a certificate.

    Args:
        path: the file.
        plugins: the plugins that names are looked up in; a Python file in a name must have been named by the user.
        memory: the number of bytes that the arrays may take.
        domain, heuristic: the domain and the heuristic of the file, if they cannot be looked up by name.

    Raises:
        UsageError: the file is not a certificate, is damaged or too large, or contains an unknown name.
    """
    try:
        with open_to_read(path) as file, ZipFile(file) as archive:
            return _certificate(archive, plugins.for_data(f"the certificate {path}"), memory, domain, heuristic)
    except OSError as error:
        raise file_error(path, error) from None
    except SearchlabError as error:
        raise UsageError(str(error) if str(error).startswith(str(path)) else f"{path}: {error}") from None
    except (BadZipFile, zlib.error, EOFError, RuntimeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{path}: no certificate, or a damaged one: {error}") from None


def _certificate(
    archive: ZipFile, plugins: Plugins, memory: int, domain: BoundDomain | None, heuristic: BoundHeuristic | None
) -> Certificate:
    claim = json.loads(_content(archive, CLAIM, LONGEST_TEXT))
    if claim["format"] != FORMAT:
        raise ValueError(f"its format is {shown(claim['format'])}, and this is {FORMAT!r}")
    has_boards = BOARDS in archive.namelist()
    start, *plan = (_state(state, has_boards=has_boards) for state in (claim["start"], *(claim["plan"] or ())))
    domain = domain or lookup.domain(_text(claim["domain"]), plugins=plugins)
    domain = domain.of(Instance("", start, static_from_json(claim.get("static", {}), memory)))
    domain.check(start)
    if claim["heuristic"] is None:
        heuristic = None
    else:
        heuristic = heuristic or lookup.heuristic(_text(claim["heuristic"]), domain=domain, plugins=plugins)
        domain.prepare(start, heuristic)
    states: Any
    if has_boards:
        states = _array(archive, BOARDS, "iu", memory)
        if states.shape[1:] != start.shape:
            raise ValueError(f"states of the shape {states.shape[1:]}, and the start has {start.shape}")
    else:
        lines = _content(archive, OTHER_STATES, memory).splitlines()
        states = [_state(json.loads(line), has_boards=False) for line in lines]
    costs = _array(archive, COSTS, "iuf", memory).astype(np.float64)
    if costs.shape != (len(states),):
        raise ValueError(f"{len(states):,} states, and costs of the shape {costs.shape}")
    bound, cost = _cost(claim["bound"]), _cost(claim["cost"])
    return Certificate(domain, heuristic, start, inf if bound is None else bound, cost, tuple(plan), states, costs)


def _open(archive: ZipFile, name: str) -> IO[bytes]:
    """Open a file in the archive; raise a ValueError for compression methods other than deflate."""
    if archive.getinfo(name).compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise ValueError(f"{name} is compressed by another method than deflate")
    return archive.open(name)


def _content(archive: ZipFile, name: str, most: int) -> bytes:
    """Return the bytes of a file in the archive; raise a ValueError if there are more than `most`."""
    with _open(archive, name) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{name} has more than {most:,} bytes, the limit")
    return content


def _array(archive: ZipFile, name: str, kinds: str, most: int) -> NDArray[Any]:
    """Return an array of numbers of some kinds; raise a ValueError for other kinds, or more than `most` bytes."""
    with _open(archive, name) as file:
        shape, in_columns, kind = array_header(file)
        size = prod(shape) * kind.itemsize
        if kind.kind not in kinds or min(shape, default=0) < 0:
            raise ValueError(f"{name} has numbers of type {kind}")
        if size > most:
            raise ValueError(f"{name} takes {size:,} bytes, and the limit of memory is {most:,}")
        content = file.read(size + 1)
    if len(content) != size:
        raise ValueError(f"{name} has {len(content):,} bytes, and its header says {size:,}")
    return np.frombuffer(content, kind).reshape(shape, order="F" if in_columns else "C")


def _state(content: Any, *, has_boards: bool) -> State:
    """Convert a JSON value to the state it represents; see `docs/certificates.md`."""
    if has_boards:
        return Board(content, signed=True)
    if isinstance(content, list):
        return tuple(_state(item, has_boards=False) for item in content)
    if isinstance(content, dict):
        return frozenset(_state(item, has_boards=False) for item in content["set"])
    return content


def _cost(content: Any) -> float | None:
    """Convert a JSON value to a cost, or to None."""
    if content is not None and (isinstance(content, bool) or not (isfinite(content) and content >= 0)):
        raise ValueError(f"{shown(content)} is no cost")
    return None if content is None else float(content)


def _text(content: Any) -> str:
    """Return a JSON value if it is a text; raise a ValueError otherwise."""
    if not isinstance(content, str):
        raise TypeError(f"{shown(content)} is no name")
    return content
