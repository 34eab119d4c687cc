"""HTTP client for a model's endpoint, with one hard deadline per request and a bound on its size.

Read and write timeouts restart with every byte, so a slow server could hold a call for ever. Here each
request runs in its own event loop, which is abandoned at the deadline whatever it is waiting for: name
resolution, the connection, headers, an event, or a line that never ends.
"""

import asyncio
import codecs
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import cache
from typing import TypeVar

import httpx2

from openral_reasoner.llm.base import ModelUnavailable

T = TypeVar("T")
Request = Callable[[httpx2.AsyncClient], Coroutine[None, None, T]]
MAX_BYTES = 32_000_000
"""Maximum size of one response [bytes]: a long answer has an event of some 300 bytes per word."""
MAX_EVENT = 2_000_000
"""Maximum size of one event, which is buffered, and of a body that is not a stream [bytes]."""
_ENDS = (b"\n\n", b"\r\r", b"\r\n\r\n")
STREAM = "text/event-stream"
COMPRESSED = ("gzip", "deflate")
"""Encodings that are read: some proxies compress whatever was requested."""
MAX_PART = 65_536
"""Longest part that a compressed body is inflated by [bytes], so that its bounds hold."""


class Endpoint:
    """Endpoint of a model; every request uses its own connection."""

    def __init__(
        self, max_bytes: int = MAX_BYTES, max_event: int = MAX_EVENT, *, takes_json: bool = False
    ) -> None:
        self._max_bytes, self._max_event, self._takes_json = max_bytes, max_event, takes_json

    def ask(self, request: Request[T], seconds: float) -> T:
        """Run ``request`` for at most ``seconds`` [s] and return its result.

        Raises:
            ModelUnavailable: TIMEOUT at the deadline, and any failure of the request.
        """
        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(self._within(request, seconds))
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            # Not asyncio.run, which would wait for a name that is still being looked up.
            loop.close()

    async def _within(self, request: Request[T], seconds: float) -> T:
        end = time.monotonic() + seconds

        async def guard(response: httpx2.Response) -> None:
            kind = _kind(response)
            whole = self._takes_json and kind == "application/json"
            _check(response, STREAM if whole else kind)
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            content: httpx2.AsyncByteStream = response.stream
            if response.headers.pop("content-encoding", "identity") in COMPRESSED:
                content = _Inflated(content)
            body = _Bounded(content, end, self._max_bytes, self._max_event)
            response.stream = _AsEvent(body) if whole and response.is_success else body

        try:
            async with (
                httpx2.AsyncClient(
                    verify=_certificates(),
                    headers={"accept-encoding": "identity"},
                    event_hooks={"response": [guard]},
                    follow_redirects=False,
                    timeout=seconds,
                ) as client,
                asyncio.timeout(seconds),
            ):
                return await request(client)
        except TimeoutError as error:
            raise late() from error


@cache
def _certificates() -> ssl.SSLContext:
    """Load the trusted certificates once; reading them may take longer than an answer."""
    return httpx2.create_ssl_context()


def late() -> ModelUnavailable:
    """Build the failure of a call that missed its deadline."""
    return ModelUnavailable("TIMEOUT", "no answer in time")


def _kind(response: httpx2.Response) -> str:
    """Return the media type of a response; that of a stream if it states none."""
    kind: str = response.headers.get("content-type", STREAM)
    return kind.split(";")[0].strip().lower()


def _check(response: httpx2.Response, kind: str) -> None:
    """Reject a response that must not be read.

    Raises:
        ModelUnavailable: For a redirect, an unknown compression, or a body that is not a stream.
    """
    if response.is_redirect:
        where = response.headers.get("location", "")[:200]
        raise ModelUnavailable(
            "REDIRECTED", f"the endpoint redirects to {where!r}: set base_url to the actual address"
        )
    encoding = response.headers.get("content-encoding", "identity")
    if encoding not in ("identity", *COMPRESSED):
        valid = f"identity was requested, {' and '.join(COMPRESSED)} can be read"
        raise ModelUnavailable("BAD_ANSWER", f"the endpoint compresses its answer by {encoding!r}: {valid}")
    # Some servers call their event stream a plain text.
    if response.is_success and kind not in (STREAM, "text/plain"):
        raise ModelUnavailable(
            "NOT_A_STREAM",
            f"the endpoint answered with {kind[:80]!r} instead of an event "
            f"stream ({STREAM}): check base_url and that the endpoint matches the chosen brain and supports "
            "streaming",
        )


class _AsEvent(httpx2.AsyncByteStream):
    """Body of one JSON value as the only event of a stream."""

    def __init__(self, body: httpx2.AsyncByteStream) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        content = b"".join([part async for part in self._body])
        # A line break within JSON is mere white space.
        yield b"data: " + content.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n\n"

    async def aclose(self) -> None:
        await self._body.aclose()


class _Inflated(httpx2.AsyncByteStream):
    """Body of gzip or zlib data, inflated in small parts."""

    def __init__(self, body: httpx2.AsyncByteStream) -> None:
        # 32 beyond the window's size tells gzip and zlib apart by their headers.
        self._body, self._inflater = body, zlib.decompressobj(zlib.MAX_WBITS + 32)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for compressed in self._body:
            data = compressed
            while part := self._inflate(data):
                yield part
                data = self._inflater.unconsumed_tail

    def _inflate(self, data: bytes) -> bytes:
        try:
            return self._inflater.decompress(data, MAX_PART)
        except zlib.error as error:
            raise ModelUnavailable(
                "BAD_ANSWER", f"the endpoint's compressed answer is broken: {error}"
            ) from error

    async def aclose(self) -> None:
        await self._body.aclose()


class _Bounded(httpx2.AsyncByteStream):
    """Response body that fails at its deadline or size limit."""

    def __init__(self, body: httpx2.AsyncByteStream, end: float, most: int, most_event: int) -> None:
        self._body, self._end, self._most, self._most_event = body, end, most, most_event

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = event = 0
        tail = b""
        async for received in self._body:
            part = received if total else received.removeprefix(codecs.BOM_UTF8)
            # What is already received is read without waiting, and so without passing the loop's deadline.
            if time.monotonic() > self._end:
                raise late()
            total += len(part)
            window = tail + part
            past = max(window.rfind(mark) for mark in _ENDS)
            event = event + len(part) if past < 0 else len(window) - past
            tail = window[-3:]
            if total > self._most or event > self._most_event:
                raise ModelUnavailable("ANSWER_TOO_LARGE", f"{total} bytes, {event} of them in one event")
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()
