"""Write a certificate, with which others can check that no solution costs less than a bound.

`docs/certificates.md` describes the file, and why it proves the bound. `searchlab.testing.certificate` checks
certificates, and shares no code with this module.
"""

from __future__ import annotations

import json
from math import inf
from typing import IO, TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from searchlab.files import replacing
from searchlab.model.instance import static_as_json
from searchlab.model.states import is_board
from searchlab.search.closed_states import closed_states, uses_heuristic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from searchlab.model.results import Result
    from searchlab.model.states import State
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

FORMAT = "searchlab certificate 1"
CLAIM, STATES, OTHER_STATES, COSTS = "claim.json", "states.npy", "states.jsonl", "g.npy"
"""The files of a certificate, which is a zip archive."""


def proved_bound(result: Result) -> float | None:
    """Return the lower bound that a result proves, infinite if there is no solution; None if unknown."""
    if result.status == "unsolvable":
        return inf
    return result.cost if result.optimal else result.lower_bound


def why_no_certificate(result: Result) -> str:
    """Return the reason why there can be no certificate of a result, or `''`."""
    if result.status == "unsolvable" and not result.stored:
        return "the rules of the domain say that there is no solution, and no search was needed"
    return "" if proved_bound(result) else "nothing is proved"


def write_certificate(path: Path, problem: Problem, result: Result, watch: Watch) -> int:
    """Write the certificate of a result, or leave the file unchanged; return the number of states in it.

    Args:
        path: the file.
        problem: the problem that was searched.
        result: a result for which `why_no_certificate` is empty.
        watch: limits the states by memory.

    Raises:
        CheaperSolution, Stopped, UsageError, PluginError: as `closed_states`.
        OSError: the file cannot be written.
    """
    bound = proved_bound(result)
    assert bound is not None
    closed = closed_states(problem, bound, watch, compiled=result.engine == "compiled")
    with replacing(path.resolve()) as file, ZipFile(file, "w") as archive:
        _write(archive, CLAIM, json.dumps(_claim(problem, result, bound, len(closed.costs)), indent=1).encode())
        if isinstance(closed.states, list):
            lines = "".join(f"{json.dumps(as_json(state))}\n" for state in closed.states)
            _write(archive, OTHER_STATES, lines.encode())
        else:
            _write_array(archive, STATES, np.asfortranarray(closed.states))
        _write_array(archive, COSTS, _as_small_integers(closed.costs))
    return len(closed.costs)


def _claim(problem: Problem, result: Result, bound: float, states: int) -> Mapping[str, Any]:
    """Return the claim of a certificate, with the problem and the versions that wrote it."""
    instance = problem.domain.instance
    return {
        "format": FORMAT,
        "domain": str(problem.domain),
        **({"static": static_as_json(instance.static)} if instance else {}),
        "heuristic": str(problem.heuristic) if uses_heuristic(problem) else None,
        "start": as_json(problem.board),
        "bound": None if bound == inf else bound,
        "cost": result.cost,
        "plan": [as_json(state) for state in result.states] or None,
        "states": states,
        "frontier": str(problem.frontier),
        "versions": result.versions,
    }


def as_json(state: State) -> Any:
    """Return a state as a JSON value: rows for a board, a list for a tuple, {"set": […]} for a frozenset.

    >>> as_json(("a", frozenset({2, 1})))
    ['a', {'set': [1, 2]}]
    """
    if is_board(state):
        return state.tiles.tolist()
    if isinstance(state, tuple):
        return [as_json(item) for item in state]
    if isinstance(state, frozenset):
        return {"set": sorted(map(as_json, state), key=json.dumps)}
    return state


def _as_small_integers(costs: Any) -> Any:
    """Return costs as small integers if they are whole numbers."""
    if (costs == np.floor(costs)).all() and costs.max(initial=0) < 2**32:
        return costs.astype(np.min_scalar_type(int(costs.max(initial=0))))
    return costs


def _write(archive: ZipFile, name: str, content: bytes) -> None:
    with _member(archive, name) as file:
        file.write(content)


def _write_array(archive: ZipFile, name: str, array: Any) -> None:
    with _member(archive, name) as file:
        np.lib.format.write_array(file, array, allow_pickle=False)


def _member(archive: ZipFile, name: str) -> IO[bytes]:
    """Return a new file of an archive, without a date, so that equal searches write equal bytes."""
    info = ZipInfo(name)
    info.compress_type = ZIP_DEFLATED
    return archive.open(info, "w", force_zip64=True)
