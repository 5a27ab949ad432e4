"""Networks in files: only the weights that have been learned are written, so that a file is as small as it can be."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import UsageError
from searchlab.games.learning.array_files import ArrayFile, read_arrays, write_arrays
from searchlab.games.learning.network import NTupleNetwork

if TYPE_CHECKING:
    from numpy.typing import NDArray

HOLDS = "n-tuple network"
NUMBERS = ("rows", "columns", "bits")
FLAGS = ("powers_of_two", "symmetric")


def save_network(network: NTupleNetwork, path: str | Path) -> None:
    """Write a network to a file, replacing it in one step.

    Raises:
        UsageError: it cannot be written.
    """
    named = {name: getattr(network, name) for name in (*NUMBERS, *FLAGS, "base")}
    about = {**named, "tuples": list(map(list, network.tuples)), "learned": dict(network.about)}
    learned = network.weights != 0
    arrays = {"learned": np.packbits(learned), "weights": network.weights[learned]}
    write_arrays(Path(path), HOLDS, about, arrays)


def read_network(path: str | Path) -> NTupleNetwork:
    """Read a network from a file; while that stays as it is, the same object each time.

    Raises:
        UsageError: there is no such file, or it holds no network, or it is damaged; one line that says so.
    """
    file = Path(path)
    try:
        file = file.expanduser()
        status = file.stat()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}") from None
    except (ValueError, RuntimeError):  # what no file is called, and the home of nobody
        raise UsageError(f"{file}: no such file") from None
    return _read(file.resolve(), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _read(file: Path, _changed: int, _size: int) -> NTupleNetwork:
    with read_arrays(file, HOLDS) as content:
        network = _empty(content)
        learned = _unpacked(content, "learned", network.entries)
        network.weights[learned] = content.array("weights", np.float32, (int(learned.sum()),))
    network.weights.setflags(write=False)
    if not np.isfinite(network.weights).all():
        raise UsageError(f"{file} is no {HOLDS}: some of its weights are no finite numbers")
    return network


def _unpacked(content: ArrayFile, name: str, count: int) -> NDArray[np.bool_]:
    """Return an array of so many truth values, which a file holds as bits."""
    bits = content.array(name, np.uint8, (-(-count // 8),))
    return np.unpackbits(bits, count=count).view(np.bool_)


def _empty(content: ArrayFile) -> NTupleNetwork:
    """Return the network a file describes, without its weights."""
    about = content.about
    tuples: Any = about.get("tuples")
    listed = isinstance(tuples, list) and all(isinstance(cells, list) for cells in tuples)
    wrong = [name for name in NUMBERS if type(about.get(name)) is not int]
    wrong += [name for name in FLAGS if type(about.get(name)) is not bool]
    wrong += [] if type(about.get("base")) is float else ["base"]
    if not listed or any(type(cell) is not int for cells in tuples for cell in cells):
        wrong.append("tuples")
    learned = about.get("learned")
    if wrong or not isinstance(learned, dict):
        raise content.wrong(f"it does not say what its {', '.join(wrong or ['learned'])} are")
    try:
        return NTupleNetwork(
            **{name: about[name] for name in (*NUMBERS, *FLAGS, "base")},
            tuples=tuple(map(tuple, tuples)),
            about=learned,
        )
    except UsageError as error:
        raise content.wrong(str(error).partition(": ")[2]) from None
