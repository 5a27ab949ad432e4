"""The headers of array files, in the format of NumPy (`.npy`)."""

from __future__ import annotations

from typing import IO, Any

import numpy as np


def array_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read the header of an array, leaving the stream at the beginning of the data.

    Returns:
        the shape, whether the array is in Fortran order, and the type.

    Raises:
        ValueError: the header is damaged.
    """
    try:
        major, _ = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
        header: tuple[tuple[int, ...], bool, np.dtype[Any]] = read(stream)
    except OSError:
        raise
    except Exception as error:
        raise ValueError(f"no header of an array: {error}") from error
    return header
