"""Checks of every request before it reaches the console: host, origin, token, size and rate.

Threats: pages of other sites that the operator visits (cross-site requests, DNS rebinding), other hosts of
the network, and requests that are too large or too many.
"""

import hmac
import ipaddress
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any

from openral_core.errors import OpenRALError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY = 65_536
"""Largest request body [bytes]; the longest goal that the reasoner takes is shorter."""
MAX_HEADERS = 16_384
"""Largest headers of a request [bytes]; a browser sends about 1,000."""
MAX_SESSIONS = 64
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


class TokenNeeded(OpenRALError):
    """An address that others reach, without a token."""

    def __init__(self, host: str) -> None:
        super().__init__(f"--host {host} is reachable from other machines: a token is required")


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass
class TokenBucket:
    """Rate limit: ``burst`` requests at once, then ``rate`` per second [Hz]."""

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    _tokens: float = field(init=False)
    _filled: float = field(init=False)

    def __post_init__(self) -> None:
        self._tokens, self._filled = self.burst, self.clock()

    def take(self) -> bool:
        """Return whether one more request is allowed."""
        now = self.clock()
        self._tokens = min(self.burst, self._tokens + (now - self._filled) * self.rate)
        self._filled = now
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True


@dataclass
class Access:
    """Rules of access.

    Attributes:
        token: Secret that a page must present; empty on a loopback address that needs none.
        allow_actions: Permit commands that change something. A stop is always permitted.
        hosts: Names by which the console may be addressed, besides addresses and localhost.
    """

    token: str = ""
    allow_actions: bool = False
    hosts: Collection[str] = ()
    logins: TokenBucket = field(default_factory=lambda: TokenBucket(0.2, 5.0))
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

    def log_in(self, token: str) -> str | None:
        """Return the id of a new session, or None if the token is wrong or there were too many tries."""
        if not self.logins.take() or not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        session = secrets.token_urlsafe(32)
        self._sessions[session] = None
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.pop(next(iter(self._sessions)))
        return session

    def admits(self, headers: "Headers") -> bool:
        """Return whether a request carries the token or a session, as far as one is needed."""
        if not self.token:
            return True
        kind, _, given = headers.text("authorization").partition(" ")
        if kind.lower() == "bearer" and hmac.compare_digest(given.encode(), self.token.encode()):
            return True
        try:
            cookie = SimpleCookie(headers.text("cookie")).get(SESSION_COOKIE)
        except CookieError:
            return False
        return cookie is not None and cookie.value in self._sessions


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
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no WebSockets
        refusal = self.refusal(scope)
        if refusal is None:
            await self._app(scope, _limited(receive), _with_headers(send))
        else:
            await _refuse(refusal, _with_headers(send))

    def refusal(self, scope: Scope) -> Refusal | None:
        """Return why a request is refused, or None."""
        return next(self._refusals(scope), None)

    def _refusals(self, scope: Scope) -> Iterator[Refusal]:
        headers, access, path = Headers(scope), self._access, scope["path"]
        if sum(len(name) + len(value) for name, value in scope["headers"]) + len(path) > MAX_HEADERS:
            yield Refusal(431, f"address and headers may have {MAX_HEADERS} bytes")
        if not access.knows_host(headers.text("host")):
            yield Refusal(421, "unknown host name: use the printed address, or start with --allow-host NAME")
        if not _is_same_origin(headers):
            yield Refusal(403, "requests of other sites are refused")
        posts = scope["method"] not in ("GET", "HEAD")
        if posts:
            yield from _body_refusals(headers)
        if path.startswith("/api/") and path not in OPEN_PATHS and not access.admits(headers):
            yield Refusal(401, "a token is needed")
        if posts and path != "/api/stop" and not access.requests.take():
            yield Refusal(429, "too many requests; wait a second")


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
