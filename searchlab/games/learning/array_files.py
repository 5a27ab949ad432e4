"""Files of arrays with a description: networks and checkpoints of training.

Such a file is a NumPy `.npz` archive with named arrays and an array `about`, the bytes of a JSON object that describes
the content. Nothing in a file is ever executed or unpickled. A file is replaced in one step, so it is always complete.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import UsageError
from searchlab.files import LONGEST_TEXT, file_error, open_to_read, reason_of, replacing
from searchlab.files.arrays import array_header

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

ABOUT, HOLDS = "about", "holds"
VERSION = 1
ARCHIVE = b"PK"
"""The first bytes of a file."""
DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, EOFError, ValueError, KeyError, TypeError, MemoryError, NotImplementedError),
    *(OverflowError, RecursionError, RuntimeError),
)
"""The exceptions that NumPy, and the modules it uses, raise for a damaged archive."""


def write_arrays(path: Path, holds: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file; the same content gives the same bytes.

    Args:
        holds: the kind of content, in a word or two.
        about: a description that can be written as JSON.

    Raises:
        UsageError: the file cannot be written.
        MachineError: there is no room for it.
    """
    said = json.dumps({HOLDS: holds, "version": VERSION, **about}, indent=1).encode()
    named: dict[str, Any] = {ABOUT: np.frombuffer(said, np.uint8), **arrays}
    try:
        with replacing(path) as stream, zipfile.ZipFile(stream, "w") as archive:
            for name, array in named.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)
    except OSError as error:
        raise file_error(path, error) from None


class ArrayFile:
    """A file of arrays that is being read.

    Attributes:
        path: the file.
        holds: the required kind of content.
        about: the description.
    """

    def __init__(self, path: Path, holds: str, content: Any) -> None:
        self.path, self.holds = path, holds
        self._content = content
        self.about: dict[str, Any] = self._described()

    def array(self, name: str, dtype: Any, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """Return an array.

        Args:
            name: the name of the array.
            dtype: the required type.
            shape: the required shape, None for any length.

        Raises:
            UsageError: there is no such array, or it has another type or shape.
        """
        found, has = self._header(name)
        fits = len(found) == len(shape) and all(
            wanted in (None, length) for length, wanted in zip(found, shape, strict=False)
        )
        if has != dtype or not fits:
            raise self.wrong(f"its {name} are {has} of shape {found}")
        return self._loaded(name)

    def any_array(self, name: str) -> NDArray[Any]:
        """Return an array of numbers of any type and shape.

        Raises:
            UsageError: there is no such array.
        """
        self._header(name)
        return self._loaded(name)

    def _header(self, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Return the shape and the type from an array's header, without reading the array.

        Raises:
            UsageError: there is no such array, or its header is damaged or contradicts the size of the array.
        """
        if name not in self._content.files:
            raise self.wrong(f"it has no {name}")
        archive: zipfile.ZipFile = self._content.zip
        try:
            entry = archive.getinfo(name if name in archive.namelist() else f"{name}.npy")
            with archive.open(entry) as stream:
                shape, _, dtype = array_header(stream)
                said = math.prod(shape) * dtype.itemsize + stream.tell()
        except DAMAGES:
            raise self._damaged() from None
        if said != entry.file_size or dtype.hasobject:
            raise self._damaged()
        return shape, dtype

    def _loaded(self, name: str) -> NDArray[Any]:
        array: NDArray[Any] = self._content[name]
        return array

    def _damaged(self) -> UsageError:
        return UsageError(f"{self.path} is no {self.holds} that can be read: it is cut off or damaged")

    def wrong(self, what: str) -> UsageError:
        """Return an error about the file."""
        return UsageError(f"{self.path} is no {self.holds}: {what}")

    def _described(self) -> dict[str, Any]:
        (size,), _ = self._header(ABOUT) if ABOUT in self._content.files else ((0,), None)
        if size > LONGEST_TEXT:
            raise self.wrong(f"its description has more than {LONGEST_TEXT >> 20} MiB")
        about = json.loads(self.array(ABOUT, np.uint8, (None,)).tobytes())
        if not isinstance(about, dict) or not isinstance(about.get(HOLDS), str):
            raise self.wrong("it does not say what it holds")
        if about[HOLDS] != self.holds:
            raise self.wrong(f"it holds a {about[HOLDS]}")
        if about.get("version") != VERSION:
            raise self.wrong("it was written by a later version of searchlab")
        return about


@contextmanager
def read_arrays(path: Path, holds: str) -> Iterator[ArrayFile]:
    """Open a file that `write_arrays` wrote.

    Args:
        holds: the required kind of content.

    Raises:
        UsageError: there is no such file, it is damaged, or it has another kind of content. A damaged part may be found
            only later, inside the context.
    """
    try:
        if os.path.isdir(path):
            raise UsageError(f"{path} is a folder, not a {holds}")
        if not os.path.lexists(path):
            raise UsageError(f"{path}: no such file")
        with open_to_read(path) as stream:
            if stream.read(len(ARCHIVE)) != ARCHIVE:
                raise UsageError(f"{path} is no {holds}: it is another kind of file")
            stream.seek(0)
            with np.load(stream, allow_pickle=False) as content:
                yield ArrayFile(path, holds, content)
    except UsageError:
        raise
    except OSError as error:
        raise UsageError(f"{path}: {reason_of(error)}") from None
    except DAMAGES:
        raise UsageError(f"{path} is no {holds} that can be read: it is cut off or damaged") from None
