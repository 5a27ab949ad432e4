"""The command line: one file a command; each parses, calls and prints."""

import os

# NumPy would start a thread a core for linear algebra that a search has no use for: a tenth of a short run.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from searchlab.cli.program import main

__all__ = ["main"]
