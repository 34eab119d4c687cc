"""Checks of every request before it reaches the console: host, origin, token, size and rate.

Threats: pages of other sites that the operator visits (cross-site requests, DNS rebinding), other hosts of
the network, and requests that are too large or too many.
"""

import ipaddress
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any

from openral_core.token_bucket import TokenBucket
from openral_core.token_guesses import TokenGuesses
from openral_core.web_server import network_of

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY = 65_536
"""Largest request body [bytes]; the longest goal that the reasoner takes is shorter."""
MAX_HEADERS = 16_384
"""Largest headers of a request [bytes]; a browser sends about 1,000."""
MAX_REQUESTS = 200
"""Most requests at a time, beside stops."""
MAX_SESSIONS = 64  # The oldest ends when one more logs in.
STOP_PATH = "/api/stop"
UNAUTHORISED = 401  # HTTP status.
TOO_MANY_GUESSES = "too many wrong tokens came from this address: wait some seconds"
SESSION_COOKIE = "openral_session"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
OPEN_PATHS = ("/api/session",)
"""Paths below /api that need no token: logging in."""


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass
class Access:
    """Rules of access."""

    token: str = ""  # Secret that a page must present; empty on a loopback address that needs none.
    allow_actions: bool = False  # Permit commands that change something. A stop is always permitted.
    # Names by which the console may be addressed, besides addresses and localhost.
    hosts: Collection[str] = ()
    guesses: TokenGuesses = field(default_factory=TokenGuesses)
    requests: TokenBucket = field(default_factory=lambda: TokenBucket(10.0, 30.0))
    _sessions: dict[str, None] = field(default_factory=dict)

    def knows_host(self, host: str) -> bool:
        """Return whether a Host header names this console.

        A page that rebinds a DNS name to this address sends that name; addresses cannot be rebound.
        """
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return name.lower() == "localhost" or name.lower() in self.hosts
        return True

    def log_in(self, token: str, address: str) -> str | None:
        """Return the id of a new session, or None if the token is wrong or there were too many tries."""
        if not self.guesses.is_right(token, self.token, address):
            return None
        session = secrets.token_urlsafe(32)
        self._sessions[session] = None
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.pop(next(iter(self._sessions)))
        return session

    def admits(self, headers: "Headers", address: str) -> bool:
        """Return whether a request carries a session or the token, as far as one is needed."""
        if not self.token:
            return True
        with suppress(CookieError):
            cookie = SimpleCookie(headers.text("cookie")).get(SESSION_COOKIE)
            if cookie is not None and cookie.value in self._sessions:
                return True
        guess = headers.bearer
        return guess is not None and self.guesses.is_right(guess, self.token, address)


class Headers:
    """Headers of one request; a header that occurs twice where one is allowed counts as invalid."""

    def __init__(self, scope: Scope) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            self._values.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))

    def text(self, name: str) -> str:
        """Return the value, "" if there is none or more than one."""
        values = self._values.get(name, [])
        return values[0] if len(values) == 1 else ""

    @property
    def bearer(self) -> str | None:
        """The token of the header ``authorization``, None if there is none."""
        kind, _, token = self.text("authorization").partition(" ")
        return token if kind.lower() == "bearer" else None

    def has(self, name: str) -> bool:
        """Return whether the header occurs."""
        return name in self._values


@dataclass(frozen=True, slots=True)
class Refusal:
    """Answer to a refused request."""

    status: int
    message: str


class Gate:
    """ASGI application that lets only admissible requests through and adds security headers."""

    def __init__(self, app: App, access: Access) -> None:
        self._app, self._access, self._running = app, access, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no WebSockets
        refusal = self.refusal(scope)
        if refusal is not None:
            if refusal.status == UNAUTHORISED and Headers(scope).bearer is not None:
                await self._access.guesses.punish(client_of(scope))
            await _refuse(refusal, _with_headers(send))
            return
        counts = scope["path"] not in (STOP_PATH, *OPEN_PATHS)
        self._running += counts
        try:
            await self._app(scope, _limited(receive), _with_headers(send))
        finally:
            self._running -= counts

    def refusal(self, scope: Scope) -> Refusal | None:
        """Return why a request is refused, or None."""
        return next(self._refusals(scope), None)

    def _refusals(self, scope: Scope) -> Iterator[Refusal]:
        headers, path = Headers(scope), scope["path"]
        if sum(len(name) + len(value) for name, value in scope["headers"]) + len(path) > MAX_HEADERS:
            yield Refusal(431, f"address and headers may have {MAX_HEADERS} bytes")
        if not self._access.knows_host(headers.text("host")):
            yield Refusal(421, "unknown host name: use the printed address, or start with --allow-host NAME")
        if not _is_same_origin(headers):
            yield Refusal(403, "requests of other sites are refused")
        if _changes(scope):
            yield from _body_refusals(headers)
        is_open = path in OPEN_PATHS or not path.startswith("/api/")
        if not is_open and not self._access.admits(headers, client_of(scope)):
            yield self._no_token(headers, client_of(scope))
        if path not in (STOP_PATH, *OPEN_PATHS):
            yield from self._limits(scope)

    def _no_token(self, headers: Headers, address: str) -> Refusal:
        if headers.bearer is not None and self._access.guesses.blocks(address):
            return Refusal(429, TOO_MANY_GUESSES)
        return Refusal(UNAUTHORISED, "a token is needed")

    def _limits(self, scope: Scope) -> Iterator[Refusal]:
        if self._running >= MAX_REQUESTS:
            yield Refusal(503, f"{MAX_REQUESTS} requests are being answered: try again")
        if _changes(scope) and not self._access.requests.take(time.monotonic()):
            yield Refusal(429, "too many requests; wait a second")


def _changes(scope: Scope) -> bool:
    return scope["method"] not in ("GET", "HEAD")


def client_of(scope: Scope) -> str:
    """Return the address that a request comes from, "" if there is none."""
    client = scope.get("client")
    return network_of(client[0]) if client else ""


def _body_refusals(headers: Headers) -> Iterator[Refusal]:
    if headers.text("content-type").split(";")[0].strip() != "application/json":
        yield Refusal(415, "expected content type application/json")
    length = headers.text("content-length")
    if not (length.isascii() and length.isdigit()):
        yield Refusal(411, "expected a content length")
    elif len(length) > 9 or int(length) > MAX_BODY:
        yield Refusal(413, f"a request may have {MAX_BODY} bytes")


def _is_same_origin(headers: Headers) -> bool:
    if headers.text("sec-fetch-site") in ("cross-site", "same-site"):
        return headers.text("sec-fetch-mode") == "navigate" and headers.text("sec-fetch-dest") == "document"
    if not headers.has("origin"):
        return True
    _, _, origin = headers.text("origin").partition("://")
    return bool(origin) and origin == headers.text("host")


def _limited(receive: Receive) -> Receive:
    """Pass on a request body up to `MAX_BODY`; what exceeds its announced length reads as disconnected."""
    received = 0

    async def read() -> MutableMapping[str, Any]:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        return message if received <= MAX_BODY else {"type": "http.disconnect"}

    return read


def _with_headers(send: Send) -> Send:
    async def write(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
        await send(message)

    return write


async def _refuse(refusal: Refusal, send: Send) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": refusal.message.encode()})
