"""HTTP to a model's endpoint: one hard deadline for everything, and a bound on the bytes received.

Deadlines of reads and writes begin anew with every byte, so a server that sends one now and then holds a
call for ever. Here each request runs in an event loop of its own that is left at the deadline, whatever it
is waiting for: the name, the connection, headers, an event, or a line that never ends.
"""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import cache
from typing import TypeVar

import httpx2

from openral_reasoner.llm.base import ModelUnavailable

T = TypeVar("T")
Request = Callable[[httpx2.AsyncClient], Coroutine[None, None, T]]
MAX_BYTES = 32_000_000
"""Of one response: a long answer comes in events of some 300 bytes for every word."""
MAX_EVENT = 2_000_000
"""Of one event, which is held in memory until its end, and of a body that is no stream [bytes]."""
_ENDS = (b"\n\n", b"\r\r", b"\r\n\r\n")
STREAM = "text/event-stream"


class Endpoint:
    """Sends requests, each over a connection of its own that is closed with it."""

    def __init__(self, max_bytes: int = MAX_BYTES, max_event: int = MAX_EVENT) -> None:
        self._max_bytes, self._max_event = max_bytes, max_event

    def ask(self, request: Request[T], seconds: float) -> T:
        """What ``request`` gives within ``seconds``.

        Raises:
            ModelUnavailable: TIMEOUT, and whatever else the request raises.
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
            _check(response)
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _Bounded(response.stream, end, self._max_bytes, self._max_event)

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
    """Whom to trust; reading them takes longer than many an answer."""
    return httpx2.create_ssl_context()


def late() -> ModelUnavailable:
    """The failure of a call whose time is over."""
    return ModelUnavailable("TIMEOUT", "no answer in time")


def _check(response: httpx2.Response) -> None:
    """Refuse what is not worth reading.

    Raises:
        ModelUnavailable: For a redirect, for compression that was not asked for, and for what is no stream.
    """
    if response.is_redirect:
        where = response.headers.get("location", "")[:200]
        raise ModelUnavailable(
            "REDIRECTED", f"the endpoint redirects to {where!r}: set base_url to where it really is"
        )
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ModelUnavailable("BAD_ANSWER", "the endpoint compresses its answer although told not to")
    kind = response.headers.get("content-type", STREAM).split(";")[0].strip().lower()
    if response.is_success and kind != STREAM:
        raise ModelUnavailable(
            "NOT_A_STREAM",
            f"the endpoint answered with {kind[:80]!r}, not with an event stream ({STREAM}): "
            "check base_url, and that this is an endpoint of the chosen brain that can stream",
        )


class _Bounded(httpx2.AsyncByteStream):
    """A body as it comes, until its time is over or it is too large."""

    def __init__(self, body: httpx2.AsyncByteStream, end: float, most: int, most_event: int) -> None:
        self._body, self._end, self._most, self._most_event = body, end, most, most_event

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = event = 0
        tail = b""
        async for part in self._body:
            # What is already received is read without waiting, and so without passing the loop's deadline.
            if time.monotonic() > self._end:
                raise late()
            total += len(part)
            seen = tail + part
            past = max(seen.rfind(mark) for mark in _ENDS)
            event = event + len(part) if past < 0 else len(seen) - past
            tail = seen[-3:]
            if total > self._most or event > self._most_event:
                raise ModelUnavailable("ANSWER_TOO_LARGE", f"{total} bytes, {event} of them in one event")
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()
