"""What a coordinator and its worker processes say to each other, through pipes: lengths and MessagePack, no pickle."""

from __future__ import annotations

from typing import IO, Any, TypeVar

import msgspec

from searchlab.experiments.runs import Run

T = TypeVar("T")

LENGTH_BYTES = 4


class Setup(msgspec.Struct, frozen=True):
    """What a worker needs to know before its first run.

    Attributes:
        files, folders, without, shipped_only: which plugins to load, as on the command line.
        memory: the bytes a run may hold that has no memory limit of its own.
        grace: seconds a function that does not return has to hear that its time is up.
        path: the folders the coordinator imports from, so that workers find the same modules.
    """

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    shipped_only: bool = False
    memory: int | None = None
    grace: float | None = None
    path: tuple[str, ...] = ()


class Ready(msgspec.Struct, frozen=True):
    """A worker's first message.

    Attributes:
        problems: plugins that were left out, a line each.
        provenance: versions and machine; plain values.
        worker: what it calls itself.
        refused: why it cannot do any run, in a line; empty where it can.
    """

    problems: tuple[str, ...] = ()
    provenance: dict[str, Any] = {}
    worker: str = ""
    refused: str = ""


class Done(msgspec.Struct, frozen=True):
    """What became of a run.

    Attributes:
        cells: the result by column.
        metrics: further columns.
        finished: when, in UTC, ISO 8601.
        problems: what plugins did meanwhile that should be told, a line each.
        refused: why the worker did not do it, in a line; empty where it did.
        leaves: whether the worker process ends with this: nothing else stops what hangs in it, or a plugin has left it
            in a state that cannot be put back.
    """

    cells: dict[str, Any]
    metrics: dict[str, Any]
    finished: str
    problems: tuple[str, ...] = ()
    refused: str = ""
    leaves: bool = False


_run_decoder = msgspec.msgpack.Decoder(Run)


def encode(message: Any) -> bytes:
    """Return a message with its length before it."""
    content = msgspec.msgpack.encode(message)
    return len(content).to_bytes(LENGTH_BYTES, "little") + content


def read(stream: IO[bytes]) -> bytes | None:
    """Return the next message as it was encoded; None where the other side is gone."""
    head = _read_all(stream, LENGTH_BYTES)
    return None if head is None else _read_all(stream, int.from_bytes(head, "little"))


def _read_all(stream: IO[bytes], size: int) -> bytes | None:
    """Read exactly `size` bytes from a pipe, which may deliver them in parts."""
    content = bytearray()
    while len(content) < size:
        part = stream.read(size - len(content))
        if not part:
            return None
        content += part
    return bytes(content)


def decode(content: bytes, kind: type[T]) -> T:
    """Return a message of a kind."""
    return msgspec.msgpack.decode(content, type=kind)


def decode_run(content: bytes) -> Run:
    """Return a run."""
    return _run_decoder.decode(content)
