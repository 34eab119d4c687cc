"""Hostile requests: none succeeds, and the console answers others meanwhile."""

import json
import socket
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from openral_console.sections import Json, Sections
from openral_console.security import MAX_BODY, Access
from openral_console.source import JpegImage, NothingToShow

TOKEN = "correct horse battery staple"
ACTIONS = ("prompt", "edit", "detector", "release", "stop")
HOSTS = [
    "evil.example",
    "robot.local",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "7f000001.rbndr.us",
    "evil.example:80",
    "localhost@evil.example",
    "evil.example#localhost",
    "0x7f.1",
    "2130706433",
    "127.1",
    "[::1].evil.example",
    "local\x00host",
    "localhost,evil.example",
    "LOCALHOST.evil.example",
    "xn--localhst-q4a",
    "lo\u0441alhost",
    "127.0.0.1.evil.example:8770",
    "[evil.example]",
    "[localhost]",
    ".localhost",
    "localhost.",
    "*.localhost",
    "%6cocalhost",
]
ORIGINS = [
    "http://evil.example",
    "https://evil.example",
    "null",
    "file://",
    "http://localhost.evil.example",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "https://127.0.0.1.evil.example",
    "chrome-extension://abcdef",
    "data:",
    "about:blank",
    "http://[::1]",
    "http://robot.local",
    "ftp://127.0.0.1",
    "javascript:0",
]
TOKENS = (
    "",
    "wrong",
    TOKEN[:-1],
    f"{TOKEN}x",
    TOKEN.upper(),
    f"{TOKEN}, {TOKEN}",
    "Bearer",
    "x" * 5000,
    "ü",
    "%00",
)
TYPES = (
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "",
    "text/json",
    "application/jsonx",
)
PATHS = [
    "/../server.py",
    "/%2e%2e/server.py",
    "/..%2fserver.py",
    "/....//server.py",
    "/%252e%252e/security.py",
    "//etc/passwd",
    "/static/../security.py",
    "/%00",
    "/..\\\\server.py",
    "/main.js/../../server.py",
    "/.git/config",
    "/api/../../server.py",
]
METHODS = ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND")
LENGTHS = ("-1", "1e3", "999999999999", str(MAX_BODY + 1), "", "0x10", "\u0661\u0662", "12, 13")
Case = tuple[str, bytes]


class Untouched:
    """A robot that must hear of nothing."""

    is_live = True

    def __init__(self) -> None:
        self.sections = Sections()
        self.sections.put("mission", {"goal": "a secret goal"})
        self.heard: list[str] = []

    async def frame(self, camera: str, after: float, time: float) -> JpegImage:
        self.heard.append(f"frame {camera}")
        raise NothingToShow("none")

    def picture(self, name: str, time: float) -> JpegImage:
        self.heard.append(f"picture {name}")
        raise NothingToShow("none")

    def watch(self) -> None:
        self.heard.append("watch")

    def at(self, time: float) -> str:
        return self.sections.as_json()

    async def command(self, name: str, values: Mapping[str, Json]) -> Json:
        self.heard.append(name)
        return {}


def request(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("utf-8") + body


def act(
    host: str, body: bytes = b'{"text": "open the door"}', path: str = "/api/commands/prompt", **others: str
) -> bytes:
    """A command that would be obeyed but for what ``others`` change."""
    headers = {
        "host": host,
        "authorization": f"Bearer {TOKEN}",
        "content-type": "application/json",
        "content-length": str(len(body)),
        **{name.replace("_", "-"): value for name, value in others.items()},
    }
    return request("POST", path, headers, body)


def path_of(action: str) -> str:
    return "/api/stop" if action == "stop" else f"/api/commands/{action}"


def foreign(host: str) -> Iterator[Case]:
    """Requests of other sites and of rebound names."""
    for name in HOSTS:
        yield f"rebound host {name!r}", act(name)
        headers = {"host": name, "authorization": f"Bearer {TOKEN}"}
        yield f"reads as {name!r}", request("GET", "/api/at?t=0", headers)
    for origin, action in product(ORIGINS, ("prompt", "stop")):
        yield f"origin {origin} {action}", act(host, path=path_of(action), origin=origin)
    for action, site in product(ACTIONS, ("cross-site", "same-site")):
        fetched = {"sec_fetch_site": site, "sec_fetch_mode": "cors"}
        yield f"{site} {action}", act(host, path=path_of(action), **fetched)


def unauthorised(host: str) -> Iterator[Case]:
    """Requests without the token, or with a wrong one."""
    for action in ACTIONS:
        yield f"without a token {action}", act(host, path=path_of(action), authorization="")
    for token in TOKENS:
        yield f"token {token[:30]!r}", act(host, authorization=f"Bearer {token}")
        yield f"cookie {token[:30]!r}", act(host, authorization="", cookie=f"openral_session={token}")
    yield "two tokens", act(host).replace(b"\r\n", b"\r\nauthorization: Bearer x\r\n", 1)


def malformed(host: str) -> Iterator[Case]:
    """Requests of a wrong form or size, and to what is not served."""
    yield from ((f"content type {kind!r}", act(host, content_type=kind)) for kind in TYPES)
    yield from ((f"content length {length!r}", act(host, content_length=length)) for length in LENGTHS)
    yield from ((f"path {path}", request("GET", path, {"host": host})) for path in PATHS)
    yield from ((f"method {each}", act(host).replace(b"POST", each.encode(), 1)) for each in METHODS)
    yield "chunked without a length", act(host, content_length="0", transfer_encoding="chunked")
    yield "two hosts", act(host).replace(b"\r\n", f"\r\nhost: {HOSTS[0]}\r\n".encode(), 1)
    yield "a long header", act(host, x_filler="y" * 100_000)
    yield "a long path", request("GET", "/" + "a" * 100_000, {"host": host})
    yield "another protocol", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64)
    socket_headers = {"host": host, "upgrade": "websocket", "connection": "upgrade"}
    yield "a web socket", request("GET", "/api/events", socket_headers)


def answer(address: tuple[str, int], data: bytes) -> tuple[int, bytes]:
    """Status and whole reply; 0 if the connection is closed without one."""
    with socket.create_connection(address, 20.0) as connection:
        reply = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while len(reply) < 100_000 and (part := connection.recv(65_536)):
                reply += part
        except ConnectionError:
            pass
    words = reply.split(None, 2)
    return (int(words[1]) if len(words) > 1 and words[1].isdigit() else 0), reply


@pytest.fixture
def guarded(site_class: Any) -> Iterator[Any]:
    access = Access(TOKEN, allow_actions=True)
    access.requests.burst = access.requests.rate = 1e9  # the limits of rates have tests of their own
    access.requests._tokens = 1e9
    access.guesses.hold = 0.0
    opened = site_class(Untouched(), access)
    yield opened
    opened.close()


def test_no_hostile_request_succeeds_and_none_holds_up_another(guarded: Any) -> None:
    name, _, port = guarded.url.removeprefix("http://").rstrip("/").partition(":")
    address, host = (name, int(port)), f"{name}:{port}"
    idle = [socket.create_connection(address, 20.0) for _ in range(20)]
    for place, connection in enumerate(idle):  # slow readers and writers, for as long as the cases take
        connection.sendall(act(host)[: 20 + place])
    hostile = [*foreign(host), *unauthorised(host), *malformed(host)]
    assert len(hostile) >= 150
    succeeded = []
    for title, data in hostile:
        status, reply = answer(address, data)
        if status // 100 == 2 or b"secret goal" in reply or b"OpenRALError" in reply:
            succeeded.append((title, status))
    assert succeeded == []
    assert guarded.source.heard == []
    assert answer(address, act(host))[0] == 200, "the same request with all that it needs"
    assert guarded.source.heard == ["prompt"]
    for connection in idle:
        connection.close()


@pytest.mark.parametrize(
    "text", ["{", "[1]", "null", '"x"', "[" * 60_000, json.dumps({"text": 5}), "\ud800"], ids=range(7)
)
def test_a_body_that_is_no_object_reaches_no_robot(text: str, guarded: Any) -> None:
    name, _, port = guarded.url.removeprefix("http://").rstrip("/").partition(":")
    body = text.encode("utf-8", "surrogatepass")
    status, _ = answer((name, int(port)), act(f"{name}:{port}", body))
    assert status // 100 == 4 or guarded.source.heard == ["prompt"], "an object is the robot's to judge"
