"""Pipes that wake a thread, and tell it of signals."""

from __future__ import annotations

import os
from contextlib import suppress

LAST_STREAM = 2
"""The file descriptor of standard error, the last of the standard streams."""


class WakeupPipe:
    """A pipe for which a thread can wait with a timeout.

    Attributes:
        fd: the end to which signal numbers can be written.
    """

    def __init__(self) -> None:
        if os.name == "nt":  # where `select` accepts sockets only
            import socket

            self._sockets = socket.socketpair()
            self._read_fd, self.fd = (end.fileno() for end in self._sockets)
            self._sockets[1].setblocking(False)
        else:
            self._read_fd, self.fd = pipe()
            os.set_blocking(self.fd, False)

    def write(self, content: bytes) -> None:
        """Write to the pipe; if it is full nothing is written, as its reader wakes up anyway."""
        with suppress(BlockingIOError):
            if os.name == "nt":
                self._sockets[1].send(content)
            else:
                os.write(self.fd, content)

    def read(self, seconds: float | None) -> bytes:
        """Return what was written, or b'' if that is nothing within `seconds`; None waits for ever."""
        import select

        if not select.select([self._read_fd], [], [], seconds)[0]:
            return b""
        return self._sockets[0].recv(64) if os.name == "nt" else os.read(self._read_fd, 64)

    def close(self) -> None:
        """Close both ends, in a process to which the pipe does not belong."""
        if os.name == "nt":
            for end in self._sockets:
                end.close()
        else:
            os.close(self._read_fd)
            os.close(self.fd)


def pipe() -> tuple[int, int]:
    """Return the file descriptors of a pipe, to read and to write; they are never those of a standard stream."""
    import fcntl

    ends = list(os.pipe())
    for k, fd in enumerate(ends):
        if fd <= LAST_STREAM:
            ends[k] = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, LAST_STREAM + 1)
            os.close(fd)
    return ends[0], ends[1]
