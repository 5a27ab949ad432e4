"""A server of one page on the loopback interface, for the browser of the person who started the program.

The page's address holds a random token, and every request needs it. Requests by a foreign name of this machine (DNS
rebinding), from pages of other origins, and with any other path are refused with an empty answer. The states of the
page are sent as server-sent events; key presses and clicks come as POST requests. Requests are answered in threads,
which end with the program; commands wait until the program takes them, one at a time, in its own thread.
"""

from __future__ import annotations

import json
import secrets
import select
import socket
import threading
import time
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from queue import Empty, SimpleQueue
from socketserver import ThreadingTCPServer
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from searchlab.errors import MachineError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 24
LONGEST_COMMAND = 4096
"""Bytes of the longest command."""
PATIENCE = 60.0
"""Seconds in which a command is answered: the program may be busy in a plugin's function."""
REQUEST_TIME = 20.0
"""The seconds in which a request must arrive, and the client must accept the answer."""
HEARTBEAT = 10
"""Seconds after which a stream without news is written to."""
MOST_CONNECTIONS = 64
FAREWELL = 0.5
"""Seconds in which pages may take the last state."""
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class PageRequest(NamedTuple):
    """A command from the page.

    Attributes:
        content: the JSON object that was sent.
        answer: receives the object to send back.
    """

    content: Mapping[str, Any]
    answer: Future[Mapping[str, Any]]

    @contextmanager
    def answered(self) -> Iterator[None]:
        """Cancel the answer if the context ends without one."""
        try:
            yield
        finally:
            self.answer.cancel()  # which does nothing to an answer that is there


class PageServer:
    """Serves a page while the context lasts.

    Args:
        page: the page, which requests `events` and posts to `command`, both relative to its own address.

    Attributes:
        address: the page's address, with the token.

    Raises:
        MachineError: no server can be started.
    """

    def __init__(self, page: str) -> None:
        self.page = page.encode()
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self.states = States()
        self._commands: SimpleQueue[PageRequest] = SimpleQueue()
        self._bell, self._ringer = socket.socketpair()
        self._bell.setblocking(False)
        self._ringer.setblocking(False)
        try:
            self._listener = _Listener(self)
        except OSError as error:
            raise MachineError(f"no page can be served on {LOOPBACK}: {error.strerror}") from None
        port = self._listener.server_address[1]
        self.hosts = (f"{LOOPBACK}:{port}", f"localhost:{port}")
        self.address = f"http://{LOOPBACK}:{port}/{self.token}/"

    def __enter__(self) -> Self:
        threading.Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.states.end()
        self._answer_rest()
        self.states.wait_for_streams(FAREWELL)
        self._listener.shutdown()
        self._listener.server_close()
        self._answer_rest()
        self._bell.close()
        self._ringer.close()

    @property
    def windows(self) -> int:
        """The number of pages that are open."""
        return self.states.streams

    def show(self, state: Mapping[str, Any]) -> None:
        """Send a state to all open pages, and to later ones."""
        self.states.add(json.dumps(state, allow_nan=False, separators=(",", ":")))

    def end(self, state: Mapping[str, Any]) -> None:
        """Send the last state."""
        self.show(state)
        self.states.end()

    def wait(self, seconds: float, *others: int) -> list[PageRequest]:
        """Wait for commands, for a page that is opened or closed, or for a file descriptor that becomes readable.

        Args:
            seconds: the most to wait.
            others: the file descriptors.

        Returns:
            the commands, in their order; each has to be answered.
        """
        if select.select([self._bell.fileno(), *others], [], [], seconds)[0]:
            with suppress(BlockingIOError):
                while self._bell.recv(4096):
                    pass
        commands = []
        with suppress(Empty):
            while True:
                commands.append(self._commands.get_nowait())
        return commands

    def ring(self) -> None:
        """Let `wait` return."""
        with suppress(OSError):  # full: it will return anyway
            self._ringer.send(b"\0")

    def ask(self, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """Pass a command to the program; return the answer. Called in the threads of requests.

        Raises:
            CancelledError: the program no longer answers.
            TimeoutError: the program is busy.
        """
        command = PageRequest(content, Future())
        self._commands.put(command)
        self.ring()
        if self.states.has_ended:
            self._answer_rest()
        return command.answer.result(PATIENCE)

    def _answer_rest(self) -> None:
        with suppress(Empty):
            while True:
                self._commands.get_nowait().answer.cancel()


class States:
    """The latest of the states that a page shows, for the threads that send them."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._number = 0
        self._state = ""
        self.has_ended = False
        self.streams = 0

    def add(self, state: str) -> None:
        """Replace the state."""
        with self._news:
            if not self.has_ended:
                self._number, self._state = self._number + 1, state
                self._news.notify_all()

    def end(self) -> None:
        """No further state follows."""
        with self._news:
            self.has_ended = True
            self._news.notify_all()

    def after(self, number: int, seconds: float) -> tuple[int, str]:
        """Return the number of the latest state and the state, which is empty if it is not after this number."""
        with self._news:
            self._news.wait_for(lambda: self._number > number or self.has_ended, seconds)
            return self._number, self._state if self._number > number else ""

    @contextmanager
    def stream(self) -> Iterator[None]:
        """Count a stream of states while the context lasts."""
        with self._news:
            self.streams += 1
        try:
            yield
        finally:
            with self._news:
                self.streams -= 1
                self._news.notify_all()

    def wait_for_streams(self, seconds: float) -> None:
        """Wait until no stream is open."""
        with self._news:
            self._news.wait_for(lambda: not self.streams, seconds)


class _Listener(ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 32

    def __init__(self, pages: PageServer) -> None:
        self.pages = pages
        self._connections = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((LOOPBACK, 0), _RequestHandler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no error of the program."""


class _RequestHandler(BaseHTTPRequestHandler):
    server: _Listener
    protocol_version = "HTTP/1.1"
    timeout = REQUEST_TIME

    def do_GET(self) -> None:
        """Send the page, or the states that it shows."""
        path = self._path()
        if path == "":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.pages.page)
        elif path == "events" and self._is_of_the_page():
            self._send_states()
        else:
            self._refuse()

    def do_POST(self) -> None:
        """Receive a command, and send the answer."""
        content = self._command() if self._path() == "command" and self._is_of_the_page() else None
        if content is None:
            self._refuse()
            return
        try:
            answer, status = self.server.pages.ask(content), HTTPStatus.OK
        except CancelledError:
            answer, status = {"ended": True}, HTTPStatus.OK
        except TimeoutError:
            answer, status = {}, HTTPStatus.SERVICE_UNAVAILABLE
        self._send(status, "application/json", json.dumps(answer).encode())

    def _path(self) -> str | None:
        """Return the path below the token; None for a request with a foreign host name or without the token."""
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0] not in self.server.pages.hosts:
            return None
        origins = self.headers.get_all("Origin") or []
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            return None
        _, _, rest = self.path.partition("/")
        token, slash, path = rest.partition("/")
        is_ours = secrets.compare_digest(token.encode(), self.server.pages.token.encode())
        return path if is_ours and slash else None

    def _is_of_the_page(self) -> bool:
        """Return whether the request comes from the page itself, according to the browser."""
        return self.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"

    def _command(self) -> Mapping[str, Any] | None:
        """Return the object in the body of the request, or None."""
        try:
            length = int(self.headers.get("Content-Length", ""))
            if self.headers.get_content_type() != "application/json" or not 0 < length <= LONGEST_COMMAND:
                return None
            content = json.loads(self.rfile.read(length))
        except (ValueError, RecursionError):
            return None
        return content if isinstance(content, dict) else None

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response_only(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self) -> None:
        self.send_error(HTTPStatus.FORBIDDEN)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send an answer that says nothing."""
        self.close_connection = True
        self.send_response_only(code)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def _send_states(self) -> None:
        self.close_connection = True
        self.send_response_only(HTTPStatus.OK)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        pages = self.server.pages
        with suppress(OSError), pages.states.stream():
            pages.ring()
            self._write_states(pages.states)
        pages.ring()

    def _write_states(self, states: States) -> None:
        number, written = 0, time.monotonic()
        self.wfile.write(b"retry: 500\n\n")
        while True:
            has_ended = states.has_ended
            number, state = states.after(number, 1.0)
            if state:
                self.wfile.write(f"data: {state}\n\n".encode())
            elif time.monotonic() - written > HEARTBEAT:
                self.wfile.write(b": still here\n\n")
            elif has_ended or self._has_hung_up():
                return
            else:
                continue
            written = time.monotonic()

    def _has_hung_up(self) -> bool:
        readable = select.select([self.connection], [], [], 0)[0]
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that http.server gives it
        """Write nothing: standard error is for messages of the program."""
