"""The way out of a process in which something does not return: no stack is unwound, no thread waited for."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from searchlab.errors import SearchlabError

if TYPE_CHECKING:
    from collections.abc import Callable

FAILED = 4


def leave_process(last_words: Callable[[], int]) -> None:
    """End this process with the exit code of what is still to be done, or 4 where that fails."""
    code = FAILED
    try:
        code = last_words()
    except SearchlabError as error:
        from searchlab.cli.messages import tell_error

        tell_error(str(error))
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)
