"""The process of a worker: it does the runs that a scheduler sends through a pipe, and ends when the scheduler is gone.

It is started as `python -P -m searchlab.experiments.worker_process`. A thread reads the pipe from the first moment on.
It notices the end of the pipe whatever the process is busy with (importing, compiling, a function that does not return)
and ends the process at once and without a message, as nobody is left to read one. On Linux the kernel does the same
where a library lets no other thread run. Plugins print to standard error.
"""

from __future__ import annotations

import os
import queue
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

PR_SET_PDEATHSIG = 1
"""The option of prctl that sets the signal a process gets when the thread that started it is gone."""
FAILED = 1


def main() -> NoReturn:
    """Do runs until the scheduler closes the pipe, and end the process."""
    code = FAILED
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the scheduler, which lets runs finish
        _end_with_parent()
        incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)  # the pipe is not for what a plugin reads and prints
        os.dup2(2, 1)
        # Slow to import, so only now that Ctrl-C is ignored.
        from searchlab.errors import alarm

        alarm.set_up()
        _work(_listening(incoming), outgoing)
    except BrokenPipeError:  # the scheduler is gone, and nobody reads more
        code = 0
    except BaseException as error:  # noqa: BLE001 - whatever it is, another process is started
        _print_error(error)
    finally:
        os._exit(code)  # the thread that listens would keep the interpreter from ending in good order


def _work(next_message: Callable[[], bytes], outgoing: IO[bytes]) -> None:
    """Do one run after another; return if the plugins cannot be loaded, or if a plugin has damaged the process."""
    from searchlab.errors import SearchlabError
    from searchlab.experiments.messages import Ready, Setup, decode, decode_run, encode
    from searchlab.experiments.processes import own_code
    from searchlab.experiments.worker import Worker

    try:
        setup = decode(next_message(), Setup)
        if setup.code and setup.code != (own := own_code()):
            raise SearchlabError(
                f"its searchlab is {own}, that of the command is {setup.code}: install the same there; "
                "it may take a minute until all machines see the same files of a shared folder"
            )
        worker = Worker(setup, outgoing)
    except SearchlabError as error:
        outgoing.write(encode(Ready(refused=f"the worker on {socket.gethostname()}: {error}")))
        return
    leaves = False
    while not leaves:
        done = worker.run(decode_run(next_message()))
        outgoing.write(encode(done))
        leaves = done.leaves


def _listening(incoming: IO[bytes]) -> Callable[[], bytes]:
    """Return a function that waits for the next message; a thread reads them, and ends the process with the pipe."""
    from searchlab.experiments.messages import read

    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        with suppress(OSError, ValueError):
            while (message := read(incoming)) is not None:
                waiting.put(message)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    return waiting.get


def _end_with_parent() -> None:
    """Make Linux kill this process when the thread that started it is gone, even if no thread here can run."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))


def _print_error(error: BaseException) -> None:
    """Print in a line why the process ends."""
    from searchlab.errors import with_type

    with suppress(OSError, ValueError):
        os.write(2, f"searchlab: a worker process ends: {with_type(error)}\n".encode(errors="replace"))


if __name__ == "__main__":
    main()
