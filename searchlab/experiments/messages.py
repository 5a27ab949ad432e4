"""The messages between a scheduler and worker processes: length-prefixed MessagePack through pipes, no pickle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping  # noqa: TC003 - msgspec reads it
from typing import IO, TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from searchlab.experiments.runs import Run
from searchlab.model.preparation import CompileProgress  # noqa: TC001 - msgspec reads it

if TYPE_CHECKING:
    from searchlab.model.results import Improvement

T = TypeVar("T")

LENGTH_BYTES = 4


class Setup(msgspec.Struct, frozen=True):
    """The first message to a worker.

    Attributes:
        files, folders, without, shipped_only: the plugins to load, as on the command line.
        memory: the memory limit in bytes of runs without a limit of their own.
        grace: the seconds that a function has to return after the time limit.
        path: the folders the scheduler imports from, so that workers find the same modules.
        folder: the scheduler's current folder, from which relative file names are read if the worker has it, too.
        experiment: the identifier of the experiment; its worker processes end with it.
        pin: whether each worker process is bound to a processor of its own.
        code: the digest of the scheduler's searchlab, for workers elsewhere; `""` for those on this machine.
    """

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    shipped_only: bool = False
    memory: int | None = None
    grace: float | None = None
    path: tuple[str, ...] = ()
    folder: str = ""
    experiment: str = ""
    pin: bool = False
    code: str = ""


class Ready(msgspec.Struct, frozen=True):
    """A worker's first message.

    Attributes:
        problems: plugins that were left out, one line each.
        provenance: versions and machine; plain values.
        worker: the worker's name in tables: machine and process number.
        refused: the reason why the worker cannot do any run, one line; `""` if it can.
    """

    problems: tuple[str, ...] = ()
    provenance: dict[str, Any] = {}
    worker: str = ""
    refused: str = ""


class Compiling(msgspec.Struct, frozen=True, tag=True):
    """A worker starts or ends compiling a function for its run.

    Attributes:
        progress: the function, and the time the worker has spent compiling before.
    """

    progress: CompileProgress


class Improved(msgspec.Struct, frozen=True, tag=True):
    """The search of a run has found a solution that is cheaper than those before it.

    Attributes:
        seconds, expanded, cost: see `Improvement`.
        encoded_actions: its moves, not decoded: they are looked at only if the process dies before the run is over.
    """

    seconds: float
    expanded: int
    cost: float
    encoded_actions: msgspec.Raw

    @classmethod
    def of(cls, solution: Improvement) -> Self:
        """Return the message about a solution."""
        encoded = msgspec.Raw(msgspec.msgpack.encode(solution.actions))
        return cls(solution.seconds, solution.expanded, solution.cost, encoded)

    @property
    def actions(self) -> tuple[str, ...]:
        """The moves of the solution."""
        return msgspec.msgpack.decode(self.encoded_actions, type=tuple[str, ...])


class Done(msgspec.Struct, frozen=True, tag=True):
    """The outcome of a run.

    Attributes:
        cells: the outcome by column.
        metrics: further columns.
        finished: the time in UTC, ISO 8601.
        load, clock: the load of the machine and its clock in MHz, None if unknown.
        problems: messages about plugins since the last run, one line each.
        refused: the reason why the worker did not do the run, one line; `""` if it did.
        leaves: whether the worker process ends after this message, because nothing else stops a function that does not
            return, or because a plugin left the process in a state that cannot be restored.
    """

    cells: Mapping[str, Any]
    metrics: Mapping[str, Any]
    finished: str
    load: float | None = None
    clock: float | None = None
    problems: tuple[str, ...] = ()
    refused: str = ""
    leaves: bool = False


Answer = Done | Compiling | Improved
"""The messages of a worker during a run."""
_run_decoder = msgspec.msgpack.Decoder(Run)
_answer_decoder: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Done | Compiling | Improved)


def encode(message: Any) -> bytes:
    """Return a message, prefixed with its length."""
    content = msgspec.msgpack.encode(message)
    return len(content).to_bytes(LENGTH_BYTES, "little") + content


def read(stream: IO[bytes]) -> bytes | None:
    """Return the next message of a buffered stream, not yet decoded; None if the other side is gone."""
    head = stream.read(LENGTH_BYTES)
    size = int.from_bytes(head, "little")
    content = stream.read(size)
    return content if len(head) == LENGTH_BYTES and len(content) == size else None


def taken_from(received: bytearray) -> Iterator[bytes]:
    """Yield the complete messages among bytes that were received, not yet decoded, and leave the bytes after them."""
    first = 0
    while len(received) - first >= LENGTH_BYTES:
        begins = first + LENGTH_BYTES
        ends = begins + int.from_bytes(received[first:begins], "little")
        if ends > len(received):
            break
        yield bytes(received[begins:ends])
        first = ends
    del received[:first]


def decode(content: bytes, kind: type[T]) -> T:
    """Return a message, decoded."""
    return msgspec.msgpack.decode(content, type=kind)


def decode_answer(content: bytes) -> Answer:
    """Decode a message that a worker sends during a run."""
    return _answer_decoder.decode(content)


def decode_run(content: bytes) -> Run:
    """Return a run, decoded."""
    return _run_decoder.decode(content)
