"""Headers of arrays."""

import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from searchlab.files.arrays import array_header


def written(array):
    """Return an array as a file."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_a_header_is_read_and_the_data_follow():
    """Also of the format for long headers."""
    stream = io.BytesIO(written(np.arange(6, dtype=np.uint16).reshape(2, 3)))
    assert array_header(stream) == ((2, 3), False, np.uint16)
    assert stream.read() == np.arange(6, dtype=np.uint16).tobytes()
    np.lib.format.write_array(long := io.BytesIO(), np.zeros(3), version=(2, 0))
    long.seek(0)
    assert array_header(long) == ((3,), False, np.float64)


WHOLE = written(np.zeros(3))


@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=9))
@example(at=10, put=b"'''")  # a text without an end: the tokenizer raises errors of its own
@example(at=10, put=b"{((")
@example(at=8, put=b"\0")
def test_a_damaged_header_is_a_value_error(at, put):
    """The exceptions of NumPy and Python become a ValueError."""
    damaged = bytearray(WHOLE)
    damaged[at : at + len(put)] = put
    for content in (bytes(damaged), WHOLE[:at]):
        try:
            shape, _, dtype = array_header(io.BytesIO(content))
        except ValueError:
            continue
        assert isinstance(shape, tuple)
        assert isinstance(dtype, np.dtype)


def test_a_file_that_ends_early_is_a_value_error():
    """One that is empty, too."""
    for length in range(0, 80, 7):
        with pytest.raises(ValueError, match="no header of an array"):
            array_header(io.BytesIO(WHOLE[:length]))
