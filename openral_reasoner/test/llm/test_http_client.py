"""No part, comment, redirect or drip of bytes moves a call's deadline, and no answer grows without bound."""

import gzip
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

httpx2 = pytest.importorskip("httpx2")
from loopback import (
    EVENTS,
    Behaviour,
    Script,
    completions_api,
    dripping,
    endpoint,
    raw,
    stream,
    without_proxies,
)

from openral_reasoner.llm.base import ModelUnavailable
from openral_reasoner.llm.http_client import Endpoint

SOON = 0.4
"""A deadline for what would take half a minute [s]."""
PLENTY = 100.0
GOOD = stream(completions_api(("done", "{}")), named=False)


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    without_proxies(monkeypatch)


@pytest.fixture
def served() -> Iterator[tuple[str, Script]]:
    with endpoint(GOOD) as pair:
        yield pair


def ask(url: str, seconds: float, bounds: Endpoint | None = None) -> bytes:
    async def body(client: "httpx2.AsyncClient") -> bytes:
        async with client.stream("POST", url, json={}) as response:
            return b"".join([part async for part in response.aiter_raw()])

    return (bounds or Endpoint()).ask(body, seconds)


def condition(url: str, seconds: float, bounds: Endpoint | None = None) -> str:
    with pytest.raises(ModelUnavailable) as caught:
        ask(url, seconds, bounds)
    return caught.value.condition


HEADERS = b"HTTP/1.1 200 OK\r\n"
DRIPS: dict[str, tuple[bytes, bytes]] = {
    "one byte of an event": (EVENTS + b"data: ", b"x"),
    "comments": (EVENTS, b": PROCESSING\n\n"),
    "empty events": (EVENTS, b"data: {}\n\n"),
    "a line without an end": (EVENTS, b"y" * 1000),
    "slow headers": (HEADERS, b"x-a: b\r\n"),
    "one byte of a header": (HEADERS + b"x-a: ", b"b"),
    "told to wait again and again": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "chunks": (EVENTS[:-2] + b"transfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "an error's body": (b"HTTP/1.1 500 No\r\ncontent-length: 9999\r\n\r\n", b"x"),
    "silence after headers": (EVENTS, b""),
    "silence": (b"", b""),
}


@pytest.mark.parametrize(("first", "drop"), DRIPS.values(), ids=DRIPS)
def test_nothing_that_an_endpoint_sends_moves_the_deadline(
    first: bytes, drop: bytes, served: tuple[str, Script]
) -> None:
    url, script = served
    script.play(dripping(script, first, drop, GOOD))
    assert condition(url, SOON) == "TIMEOUT"
    script.play(GOOD)
    assert b"[DONE]" in ask(url, PLENTY)


def test_a_name_that_is_looked_up_for_ever_is_left_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    found = threading.Event()

    def slow(*_: object, **__: object) -> list[object]:
        found.wait(60.0)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    assert condition("http://model.invalid/", SOON) == "TIMEOUT"
    assert not found.is_set()
    found.set()


def endless(part: bytes) -> Behaviour:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(EVENTS)
        for _ in range(3000):
            handler.wfile.write(part)

    return answer


@pytest.mark.parametrize(
    "part", [b"x" * 100_000, b"data: {}\n\n" * 10_000], ids=["in one line", "in many events"]
)
def test_more_bytes_than_are_allowed_are_not_received(part: bytes, served: tuple[str, Script]) -> None:
    url, script = served
    script.play(endless(part))
    assert condition(url, PLENTY, Endpoint(max_bytes=5_000_000, max_event=1_000_000)) == "ANSWER_TOO_LARGE"


def test_a_small_answer_that_inflates_without_bound_is_not_received(served: tuple[str, Script]) -> None:
    url, script = served
    bomb = gzip.compress(b"data: x\n\n" * 4_000_000)
    script.play(raw(EVENTS[:-2] + b"content-encoding: gzip\r\n\r\n", bomb))
    assert condition(url, PLENTY, Endpoint(max_bytes=5_000_000)) == "ANSWER_TOO_LARGE"


def test_a_long_answer_in_small_events_is_received_whole(served: tuple[str, Script]) -> None:
    url, script = served
    script.play(raw(EVENTS, *[b"data: " + b"x" * 500 + b"\n\n"] * 4000))
    assert len(ask(url, PLENTY, Endpoint(max_event=10_000))) == 4000 * 508


REFUSED: dict[str, tuple[bytes, str]] = {
    "a redirect elsewhere": (b"HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:9/\r\n\r\n", "REDIRECTED"),
    "a redirect to itself": (b"HTTP/1.1 302 Go\r\nlocation: /\r\n\r\n", "REDIRECTED"),
    "HTML": (HEADERS + b"content-type: text/html\r\n\r\n<html>Log in</html>", "NOT_A_STREAM"),
    "JSON": (HEADERS + b"content-type: application/json\r\n\r\n{}", "NOT_A_STREAM"),
    "compressed": (EVENTS[:-2] + b"content-encoding: br\r\n\r\n\x1f\x8b", "BAD_ANSWER"),
}


@pytest.mark.parametrize(("answer", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_event_stream_is_refused_at_once(
    answer: bytes, expected: str, served: tuple[str, Script]
) -> None:
    url, script = served
    script.play(raw(answer))
    assert condition(url, PLENTY) == expected
    assert len(script.requests) == 1


def test_a_stuck_call_on_one_thread_holds_up_no_other(served: tuple[str, Script]) -> None:
    url, script = served
    bounds = Endpoint()
    script.play(dripping(script, EVENTS, b": wait\n\n", GOOD), GOOD)
    stuck = threading.Thread(target=ask, args=(url, PLENTY, bounds), daemon=True)
    stuck.start()
    while not script.requests:
        assert stuck.is_alive()
    assert b"[DONE]" in ask(url, PLENTY, bounds)
    assert stuck.is_alive()
    script.release.set()
    stuck.join(PLENTY)
    assert not stuck.is_alive()
