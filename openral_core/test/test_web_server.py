"""A web server under connections that keep it busy: the next one is always served."""

import asyncio
import socket
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import ExitStack, suppress
from threading import Thread
from typing import Any

import pytest
import uvicorn

from openral_core import web_server
from openral_core.web_server import BoundedServer, network_of

HOST = "127.0.0.1"
HEAD = f"POST /stop HTTP/1.1\r\nhost: {HOST}\r\ncontent-length: 2\r\n"
STRANGER = "127.0.0.2"
TIMEOUT = 20.0


async def answer(
    scope: MutableMapping[str, Any], _: object, send: Callable[[MutableMapping[str, Any]], Any]
) -> None:
    body = b"x" * (30_000_000 if scope["path"] == "/large" else 2)
    if scope["path"] == "/slow":
        await asyncio.sleep(60.0)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"connection", b"close")]})
    for start in range(0, len(body), 1_000_000):
        part, more = body[start : start + 1_000_000], start + 1_000_000 < len(body)
        await send({"type": "http.response.body", "body": part, "more_body": more})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator["_Served"]:
    monkeypatch.setattr(web_server, "DEADLINE", 0.5)
    monkeypatch.setattr(web_server, "WRITE_DEADLINE", 0.5)
    monkeypatch.setattr(web_server, "CHECK_PERIOD", 0.1)
    with socket.create_server((HOST, 0)) as listener:
        config = uvicorn.Config(
            answer, http="h11", ws="none", lifespan="off", log_level="critical", timeout_graceful_shutdown=1
        )
        made = _Served(config, "/stop")
        thread = Thread(target=asyncio.run, args=(made.serve(sockets=[listener]),), daemon=True)
        thread.start()
        made.address = listener.getsockname()
        yield made
        made.should_exit = True
        thread.join(TIMEOUT)
        assert not thread.is_alive()


@pytest.fixture
def port(server: "_Served") -> int:
    return server.address[1]


class _Served(BoundedServer):
    address: tuple[str, int]


def connect(port: int, sent: str = "", source: str = HOST) -> socket.socket:
    opened = socket.create_connection((HOST, port), TIMEOUT, (source, 0))
    with suppress(ConnectionError):  # its place may have gone to another by now
        opened.sendall(sent.encode())
    return opened


def stop(port: int) -> float:
    """Return the time that a stop takes [s]."""
    start = time.monotonic()
    with connect(port, HEAD + "\r\n{}") as opened:
        assert opened.recv(100).startswith(b"HTTP/1.1 200")
    return time.monotonic() - start


@pytest.mark.parametrize(
    "sent",
    ["", "GET /x HTT", HEAD, HEAD + "\r\n{", "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n"],
    ids=["silent", "half a line", "half a head", "half a body", "no answer yet"],
)
def test_a_stop_is_answered_beside_more_connections_than_there_may_be(sent: str, port: int) -> None:
    with ExitStack() as stack:
        for number in range(400):
            stack.enter_context(connect(port, sent, STRANGER if number % 2 else HOST))
        assert max(stop(port) for _ in range(5)) < 5.0, "also on a loaded machine"


@pytest.mark.parametrize(
    ("first", "drip"),
    [
        ("", ""),
        ("GET /x HTTP/1.1\r\n", "x: y\r\n"),
        (HEAD.replace("/stop", "/slow").replace(": 2", ": 60000") + "\r\n", "x"),
        ("GET /large HTTP/1.1\r\nhost: x\r\n\r\n", ""),
    ],
    ids=["silent", "slow head", "slow body", "unread answer"],
)
def test_a_connection_that_takes_too_long_is_closed(first: str, drip: str, server: _Served) -> None:
    deadline = time.monotonic() + TIMEOUT
    with connect(server.address[1], first) as slow, suppress(ConnectionError):
        while not server._open:
            assert time.monotonic() < deadline, "not accepted"
        while server._open:
            assert time.monotonic() < deadline, "still open"
            slow.sendall(drip.encode())
            time.sleep(0.05)


def test_one_address_leaves_the_others_their_connections(port: int) -> None:
    with ExitStack() as stack:
        own = stack.enter_context(connect(port, "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n"))
        for _ in range(600):
            stack.enter_context(connect(port, "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n", STRANGER))
        own.settimeout(1.0)
        with pytest.raises(TimeoutError):
            own.recv(1)


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("10.0.0.7", "10.0.0.7"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("", ""),
    ],
)
def test_an_ipv6_host_counts_by_its_network(host: str, network: str) -> None:
    assert network_of(host) == network
