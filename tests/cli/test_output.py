"""JSON that every reader takes."""

import numpy as np

from searchlab.cli.output import as_json


def test_json_has_no_nan_and_no_infinity():
    """Numbers JSON does not know become null, NumPy's become Python's."""
    assert as_json({"a": float("nan"), "b": (float("inf"), np.int64(3))}) == '{"a": null, "b": [null, 3]}\n'
