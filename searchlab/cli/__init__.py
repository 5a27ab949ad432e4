"""The command line: one file per command; each parses, calls and prints."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# NumPy would start a thread a core for linear algebra that a search has no use for: a tenth of a short run.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# With a pool of its own for texts, a process keeps what others could use again: 30 MB of 300 for 200,000 runs.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; see `searchlab.cli.program`.

    Args:
        argv: the arguments after the program's name; by default those of the process.

    Returns:
        the exit code.
    """
    try:
        from searchlab.cli import program  # here, so that Ctrl-C while it is loaded ends quietly, too

        return program.main(argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except RuntimeError as error:
        # Up to Python 3.11 this is what becomes of a Ctrl-C while an imported module makes a class.
        if isinstance(error.__cause__, KeyboardInterrupt):
            return INTERRUPTED
        raise
