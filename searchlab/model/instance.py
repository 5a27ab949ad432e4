"""Instance: a start board with the static data that functions may ask for: a map, a goal, a list of operators."""

from __future__ import annotations

import base64
import hashlib
import weakref
import zlib
from dataclasses import dataclass, field
from math import isfinite, prod
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import shown
from searchlab.errors.cached import cached_property
from searchlab.model.states import is_board, text_form, why_no_state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from searchlab.model.states import State

DIGITS = 16
MOST_BYTES = 2**32
NUMBERS = "biuf"
"""The kinds of NumPy types of which static arrays can be."""


class StaticArray(np.ndarray):
    """An array of an instance's static data, read-only; compiled code gets its address and its shape.

    So the same machine code serves maps of any size. Other arrays are copied into the block of a function's arguments,
    and their shape is part of the code.
    """


@dataclass(frozen=True, eq=False)
class Instance:
    """A start board with a name and static data: data that stay the same in all states of a problem, such as a map.

    Attributes:
        name: the name users write after `#` and the name of the file; `""` if users write the number, from 1.
        start: the start board.
        static: arrays, numbers, truth values and texts by name. All functions of the domain, and all heuristics, may
            ask for them by name. Arrays become read-only and are not copied. A `Path` is a file whose content is part
            of a run's identity; functions get the path as text.
        optimal: the optimal solution cost, or None if unknown.

    Raises:
        TypeError, ValueError: an argument is invalid.

    >>> import numpy as np, searchlab as sl
    >>> instance = sl.Instance("corner", sl.Board([[0, 0]]), {"goal": np.array([3, 4]), "ways": 8}, optimal=5.0)
    >>> instance
    <Instance corner: 1 × 2, with goal, ways>
    """

    name: str
    start: State
    static: Mapping[str, Any] = field(default_factory=dict)
    optimal: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isprintable() or self.name != self.name.strip():
            msg = f"Instance: a name is a text of one line, not {shown(self.name)}"
            raise ValueError(msg)
        wrong = why_no_state(self.start)
        if wrong:
            msg = f"Instance {self.name!r}: start: {wrong}"
            raise TypeError(msg)
        if not isinstance(self.optimal, int | float | np.number | None) or isinstance(self.optimal, bool):
            msg = f"Instance {self.name!r}: optimal is a cost or None, not {shown(self.optimal)}"
            raise TypeError(msg)
        if self.optimal is not None:
            if not isfinite(self.optimal) or self.optimal < 0:
                msg = f"Instance {self.name!r}: optimal is a cost of 0 or more, not {self.optimal}"
                raise ValueError(msg)
            object.__setattr__(self, "optimal", float(self.optimal))
        try:
            given = dict(self.static)
        except (TypeError, ValueError):
            msg = f"Instance {self.name!r}: static is a dict of values by name, not {shown(self.static)}"
            raise TypeError(msg) from None
        object.__setattr__(self, "static", {key: self._checked(key, value) for key, value in given.items()})

    def _checked(self, key: object, value: Any) -> Any:
        """Return a value of the static data, converted to the form in which it is kept."""
        if not isinstance(key, str) or not key.isidentifier():
            msg = f"Instance {self.name!r}: {shown(key)} names static data, and no argument can be called that"
            raise ValueError(msg)
        if isinstance(value, list | tuple | np.ndarray):
            try:
                array = np.ascontiguousarray(value)
            except ValueError:
                msg = f"Instance {self.name!r}: {key} is {shown(value)}, not an array: its rows differ in length"
                raise ValueError(msg) from None
            if array.dtype.kind not in NUMBERS or array.ndim == 0 or not array.dtype.isnative:
                msg = f"Instance {self.name!r}: {key} is an array of {array.dtype}; static are arrays of numbers"
                raise TypeError(msg)
            array.setflags(write=False)
            return array.view(StaticArray)
        if not isinstance(value, bool | int | float | str | np.number | np.bool_ | Path):
            msg = f"Instance {self.name!r}: {key} is {shown(value)}; static are arrays, numbers, texts and paths"
            raise TypeError(msg)
        return value.item() if isinstance(value, np.generic) else value

    def __repr__(self) -> str:
        start = text_form(self.start)
        if is_board(self.start):
            rows, columns = self.start.shape
            start = f"{rows} × {columns}"
        data = f", with {', '.join(self.static)}" if self.static else ""
        return f"<Instance {self.name or 'without a name'}: {start}{data}>"

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """The static data as functions get them, with paths as texts."""
        return {key: str(value) if isinstance(value, Path) else value for key, value in self.static.items()}

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits that identify the static data on any machine, `""` if there are none."""
        if not self.static:
            return ""
        digest = hashlib.sha256()
        for key in sorted(self.static):
            digest.update(f"{key} {_description(self.static[key])}\n".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:DIGITS]


def static_as_json(static: Mapping[str, Any]) -> dict[str, Any]:
    """Return static data as values that JSON has, arrays compressed, from which `static_from_json` makes it again.

    >>> static_from_json(static_as_json({"goal": np.array([3, 4]), "ways": 8, "map": Path("rooms.map")}))
    {'goal': array([3, 4]), 'ways': 8, 'map': PosixPath('rooms.map')}
    """
    return {key: _as_json(value) for key, value in static.items()}


def _as_json(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        packed = base64.b64encode(zlib.compress(np.ascontiguousarray(value).tobytes())).decode()
        return {"array": value.dtype.str, "shape": list(value.shape), "zlib": packed}
    if isinstance(value, Path):
        return {"path": str(value)}
    return {"float": repr(value)} if isinstance(value, float) and not isfinite(value) else value


def static_from_json(content: Mapping[str, Any], most: int = MOST_BYTES) -> dict[str, Any]:
    """Return the static data that `static_as_json` has written.

    Args:
        most: the largest number of bytes of an array.

    Raises:
        ValueError: the data are damaged, or an array is larger.
    """
    return {key: _from_json(key, value, most) for key, value in content.items()}


def _from_json(key: str, value: Any, most: int) -> Any:
    if not isinstance(value, dict):
        return value
    try:
        if "array" in value:
            return _array_from_json(value, most)
        return Path(value["path"]) if "path" in value else float(value["float"])
    except (KeyError, TypeError, ValueError, OverflowError, zlib.error):
        msg = f"the static data {key!r} is damaged"
        raise ValueError(msg) from None


def _array_from_json(value: Mapping[str, Any], most: int) -> NDArray[Any]:
    """Return an array; raise a TypeError or a ValueError if it is not numeric, has the wrong size, or is too large."""
    kind, shape = np.dtype(value["array"]), [index(side) for side in value["shape"]]
    size = kind.itemsize * prod(shape)
    if size > most:
        raise ValueError
    unpacked = zlib.decompressobj().decompress(base64.b64decode(value["zlib"], validate=True), size + 1)
    if kind.kind not in NUMBERS or len(unpacked) != size:
        raise ValueError
    return np.frombuffer(unpacked, kind).reshape(shape)


def _description(value: Any) -> str:
    """Return a text that differs for different values."""
    if isinstance(value, StaticArray):
        return f"array {value.dtype.str} {value.shape} {_array_digest(value)}"
    if isinstance(value, Path):
        return f"file {value.name} {_file_digest(value)}"
    return f"{type(value).__name__} {value!r}"


_digests: dict[tuple[int, tuple[int, ...], str], tuple[weakref.ref[Any], str]] = {}
"""The digests of arrays, by address, shape and type, as long as the array that owns the memory is there."""
MOST_KEPT = 64


def _array_digest(array: NDArray[Any]) -> str:
    """Return the digest of an array's content, computed once for an array that many instances share."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    key = array.ctypes.data, array.shape, array.dtype.str
    known = _digests.get(key)
    if known is not None and known[0]() is owner:
        return known[1]
    found = hashlib.sha256(np.asarray(array).data).hexdigest()
    if len(_digests) >= MOST_KEPT:
        _digests.clear()
    _digests[key] = weakref.ref(owner), found
    return found


def _file_digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return "cannot be read"
