"""The server of the page answers the page, and nobody else."""

import http.client
import json
import socket
import threading
import time
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress

import pytest

from searchlab.cli.browser.server import LONGEST_COMMAND, MOST_CONNECTIONS, PageServer

JSON = {"Content-Type": "application/json"}
OF_THE_PAGE = {**JSON, "Sec-Fetch-Site": "same-origin"}
ASK = b'{"command":"new"}'


@pytest.fixture(scope="module")
def running():
    """A server, and a thread that answers each command with itself."""
    with PageServer("<p>the page</p>") as server:
        server.taken, is_over = [], threading.Event()

        def answer():
            while not is_over.is_set():
                for command in server.wait(0.05):
                    server.taken.append(command.content)
                    command.answer.set_result({"got": command.content})

        thread = threading.Thread(target=answer)
        thread.start()
        yield server
        is_over.set()
        thread.join()


@pytest.fixture
def server(running):
    """It has taken nothing yet."""
    running.taken.clear()
    return running


@contextmanager
def listening(server):
    """The answer of the server to who asks for the states."""
    line = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=5)
    line.request("GET", f"/{server.token}/events")
    answer = line.getresponse()
    yield answer.fp
    answer.close()
    line.close()


def port_of(server):
    return int(server.address.split(":")[2].split("/")[0])


def asked(server, method="GET", path="", body=None, headers=None, host=None, token=None):
    """The status of the answer to a request, and its body."""
    port = port_of(server)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    token = server.token if token is None else token
    line.putrequest(method, f"/{token}/{path}", skip_host=True)
    for each in [f"127.0.0.1:{port}"] if host is None else host:
        line.putheader("Host", each)
    for name, value in (headers or {}).items():
        line.putheader(name, value.replace("PORT", str(port)))
    if body is not None:
        line.putheader("Content-Length", str(len(body)))
    line.endheaders(body)
    answer = line.getresponse()
    read = answer.status, answer.read() if answer.getheader("Content-Length") else answer.fp.readline()
    line.close()
    return read


def test_the_page_is_served(server):
    """Under both names of the loopback interface."""
    assert asked(server) == (200, b"<p>the page</p>")
    port = str(port_of(server))
    assert asked(server, host=[f"localhost:{port}"]) == (200, b"<p>the page</p>")
    assert asked(server, headers={"Sec-Fetch-Site": "cross-site"})[0] == 200  # a link in a notebook, with the token


def test_headers_restrict_loading_frames_caches_and_referrers(server):
    port = port_of(server)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    line.request("GET", f"/{server.token}/")
    answer = line.getresponse()
    policy = answer.getheader("Content-Security-Policy")
    assert policy.startswith("default-src 'none'")
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    said = {
        name: answer.getheader(name) for name in ("Cache-Control", "Referrer-Policy", "Cross-Origin-Resource-Policy")
    }
    assert said == {
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    assert answer.getheader("Access-Control-Allow-Origin") is None
    assert answer.getheader("Server") is None
    answer.read()
    line.close()


FOREIGN = {
    "no token": {"token": ""},
    "a wrong token": {"token": "A" * 32},
    "a token that is longer": {"token": "SAMEx"},
    "a foreign name": {"host": ["evil.example"]},
    "a foreign name of this port": {"host": ["evil.example:PORT"]},
    "no port": {"host": ["127.0.0.1"]},
    "no name": {"host": []},
    "two names": {"host": ["127.0.0.1:PORT", "evil.example"]},
    "a foreign origin": {"headers": {"Origin": "http://evil.example"}},
    "a file as origin": {"headers": {"Origin": "null"}},
    "another port as origin": {"headers": {"Origin": "http://127.0.0.1:1"}},
    "another name as origin": {"headers": {"Origin": "http://localhost:PORT"}},
    "a script of another site": {"headers": {"Sec-Fetch-Site": "cross-site"}},
    "a script of another port": {"headers": {"Sec-Fetch-Site": "same-site"}},
}


@pytest.mark.parametrize("by", FOREIGN)
def test_foreign_requests_get_an_empty_answer(server, by):
    """Their commands are ignored."""
    port = str(port_of(server))
    given = dict(FOREIGN[by])
    if "host" in given:
        given["host"] = [each.replace("PORT", port) for each in given["host"]]
    if "token" in given:
        given["token"] = given["token"].replace("SAME", server.token)
    headers = {**JSON, **given.pop("headers", {})}
    for path in ("", "events", "command", "other", "../", "events/"):
        if path or not by.startswith("a script of"):  # the page itself is no secret of who has the token
            assert asked(server, path=path, headers=headers, **given) == (403, b"")
        assert asked(server, "POST", path, ASK, headers, **given) == (403, b"")
    assert server.taken == []


def test_a_command_is_answered(server):
    """In JSON, by the program."""
    status, body = asked(server, "POST", "command", ASK, {**OF_THE_PAGE, "Origin": "http://127.0.0.1:PORT"})
    assert (status, json.loads(body)) == (200, {"got": {"command": "new"}})


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{", JSON),
        (b"[]", JSON),
        (b"", JSON),
        (ASK, {"Content-Type": "text/plain"}),
        (ASK, {}),
        (b'{"a":"' + b"x" * LONGEST_COMMAND + b'"}', JSON),
        (b"[" * (LONGEST_COMMAND - 1), JSON),
        (b'"\xff"', JSON),
    ],
    ids=["cut", "no object", "empty", "a form's type", "no type", "too long", "too deep", "no UTF-8"],
)
def test_an_invalid_command_is_refused(server, body, headers):
    """A form of another site can send text, not JSON."""
    assert asked(server, "POST", "command", body, headers) == (403, b"")
    assert server.taken == []


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "NONSENSE"])
def test_other_methods_are_refused(server, method):
    """Preflight requests of other origins among them."""
    status, body = asked(server, method, "command", ASK, JSON)
    assert (status, body) == (501, b"")


def test_an_invalid_request_is_harmless(server):
    """Nor does one that never ends, or more connections than there may be."""
    port = port_of(server)
    for nonsense in (
        b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"A" * 70_000,
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
            line.sendall(nonsense)
            line.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                assert b"<" not in line.recv(1000)
    idle = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(MOST_CONNECTIONS + 5)]
    assert idle[-1].recv(1) == b""
    for line in idle:
        line.close()
    until = time.monotonic() + 10
    while True:
        try:
            assert asked(server)[0] == 200
            break
        except OSError:
            assert time.monotonic() < until


def test_listeners_get_the_latest_state_and_those_that_follow():
    with PageServer("page") as server:
        server.show({"number": 1})
        server.show({"number": 2})
        with listening(server) as stream:
            first = [stream.readline() for _ in range(4)]
            assert first == [b"retry: 500\n", b"\n", b'data: {"number":2}\n', b"\n"]
            assert server.windows == 1
            server.show({"number": 3})
            assert stream.readline() == b'data: {"number":3}\n'
            server.end({"number": 4})
            assert stream.read() == b'\ndata: {"number":4}\n\n'


def test_closed_windows_are_no_longer_counted(server):
    """Within about a second, even if nothing is sent."""
    with listening(server) as stream:
        stream.readline()
        assert server.windows == 1
    until = time.monotonic() + 10
    while server.windows:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_port_is_closed_with_the_server():
    """And who still asks is answered."""
    with PageServer("page") as server:
        port = port_of(server)
        server.end({})
        with pytest.raises(CancelledError):
            server.ask({"command": "new"})
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_each_server_has_a_different_port_and_token():
    with PageServer("page") as one, PageServer("page") as other:
        assert one.token != other.token
        assert len(one.token) >= 32
        assert one.address.split("/")[2] != other.address.split("/")[2]
        assert one.address.startswith("http://127.0.0.1:")
