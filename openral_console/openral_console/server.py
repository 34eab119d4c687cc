"""Web server of the console: its address, the page, one event stream per viewer, images and commands."""

import asyncio
import json
import secrets
import socket
import ssl
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import uvicorn
from fastapi import Body, FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles

from openral_console.checks import Checks
from openral_console.sections import Sections, pause_after
from openral_console.security import (
    SESSION_COOKIE,
    STOP_PATH,
    TOO_MANY_GUESSES,
    Access,
    Gate,
    client_of,
    is_loopback,
)
from openral_console.source import ConsoleError, ConsoleSource
from openral_core.errors import OpenRALError
from openral_core.token_guesses import check_token
from openral_core.web_server import BoundedServer

STATIC = Path(__file__).with_name("static")
MAX_VIEWERS = 32
"""Event streams at once; each costs a connection and the newest version of every section."""
STREAM_PERIOD = 0.05
"""Time between two looks for changes of one stream [s]."""
KEEP_ALIVE = 10.0
"""Longest silence of a stream [s]; a page that hears nothing for longer connects again."""
NOT_STORED = {"cache-control": "no-store", "x-accel-buffering": "no"}
LOOK_UPS = frozenset({"recall", "locate", "check"})
"""Commands that change nothing."""
Values = Annotated[dict[str, object], Body()]


class NotAllowed(ConsoleError):
    """A command that changes something, to a console that only shows."""

    status = 403

    def __init__(self) -> None:
        super().__init__("this console only shows: start it with --allow-actions to give commands")


class TooManyViewers(ConsoleError):
    """More pages than the console serves."""

    status = 503

    def __init__(self) -> None:
        super().__init__(f"{MAX_VIEWERS} pages are open already: close one")


class Viewers:
    """Number of open event streams."""

    def __init__(self) -> None:
        self.count = 0

    async def stream(self, sections: Sections, request: Request) -> AsyncIterator[str]:
        """Yield changed sections as server-sent events until the page closes.

        The next event is made only when the last one was sent: a page that does not read costs nothing.
        """
        self.count += 1
        sent: dict[str, int] = {}
        due: dict[str, float] = {}
        last = time.monotonic()
        try:
            yield "retry: 1000\n\n"
            while not await request.is_disconnected():
                for name, version, text in sections.newer(sent, due):
                    sent[name], last = version, time.monotonic()
                    due[name] = last + pause_after(text)
                    yield f'data: {{"name":{json.dumps(name)},"value":{text}}}\n\n'
                if time.monotonic() - last > KEEP_ALIVE:
                    last = time.monotonic()
                    yield ": still here\n\n"
                await asyncio.sleep(STREAM_PERIOD)
        finally:
            self.count -= 1


class ConsoleRoutes:
    """Handlers of the requests that passed the gate."""

    def __init__(self, source: ConsoleSource, access: Access, checks: Checks) -> None:
        self._source, self._access, self._viewers, self._checks = source, access, Viewers(), checks

    async def log_in(self, values: Values, request: Request) -> Response:
        """Exchange the token for a session cookie, so that the token is in no URL."""
        address = client_of(request.scope)
        if self._access.guesses.blocks(address):
            return JSONResponse({"error": TOO_MANY_GUESSES}, status_code=429)
        session = self._access.log_in(str(values.get("token", "")), address)
        if session is None:
            await self._access.guesses.punish(address)
            return JSONResponse({"error": "wrong token"}, status_code=401)
        response = JSONResponse({})
        secure = request.url.scheme == "https"
        response.set_cookie(
            SESSION_COOKIE, session, httponly=True, samesite="strict", path="/", secure=secure
        )
        return response

    async def about(self) -> dict[str, object]:
        """Tell the page what it shows and whether it may act."""
        live = self._source.is_live
        actions = self._access.allow_actions and live
        return {"live": live, "actions": actions, "checks": self._checks.names}

    async def events(self, request: Request) -> Response:
        """Stream changed sections."""
        if self._viewers.count >= MAX_VIEWERS:
            raise TooManyViewers
        stream = self._viewers.stream(self._source.sections, request)
        return StreamingResponse(stream, media_type="text/event-stream", headers=NOT_STORED)

    async def watch(self) -> dict[str, object]:
        """Take note that a page draws the robot."""
        self._source.watch()
        return {}

    async def at(self, t: float) -> Response:
        """Return all sections at a time of a recording [s]."""
        text = await asyncio.to_thread(self._source.at, t)
        return Response(text, media_type="application/json", headers=NOT_STORED)

    async def frame(self, camera: str, after: float = 0.0, t: float = 0.0) -> Response:
        """Return one image of a camera."""
        image = await self._source.frame(camera, after, t)
        frame_id = image.frame_id.encode("ascii", "replace").decode()[:100]
        stamps = {"x-stamp": f"{image.stamp:.6f}", "x-frame-id": "".join(filter(str.isprintable, frame_id))}
        return Response(image.jpeg, media_type="image/jpeg", headers={**stamps, **NOT_STORED})

    async def picture(self, name: str, t: float = 0.0) -> Response:
        """Return the picture of a remembered object."""
        image = await asyncio.to_thread(self._source.picture, name, t)
        return Response(image.jpeg, media_type="image/jpeg", headers=NOT_STORED)

    async def stop(self) -> Response:
        """Stop the robot; permitted to every viewer."""
        return JSONResponse(await self._source.command("stop", {}))

    async def command(self, name: str, values: Values) -> Response:
        """Carry out a command."""
        if name not in LOOK_UPS and not self._access.allow_actions:
            raise NotAllowed
        if name == "check":
            return JSONResponse(await self._checks.run(values.get("name")))
        return JSONResponse(await self._source.command(name, values))


def make_app(source: ConsoleSource, access: Access, checks: Checks | None = None) -> Gate:
    """Return the application that serves a source under the rules of access."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    routes = ConsoleRoutes(source, access, checks or Checks({}))
    app.add_exception_handler(ConsoleError, _explain)
    app.add_exception_handler(RecursionError, _too_deep)
    app.post("/api/session")(routes.log_in)
    app.get("/api/about")(routes.about)
    app.get("/api/events")(routes.events)
    app.get("/api/watch")(routes.watch)
    app.get("/api/at")(routes.at)
    app.get("/api/cameras/{camera:path}/frame.jpg")(routes.frame)
    app.get("/api/pictures/{name:path}")(routes.picture)
    app.post(STOP_PATH)(routes.stop)
    app.post("/api/commands/{name}")(routes.command)
    app.mount("/", StaticFiles(directory=STATIC, html=True))
    return Gate(app, access)


async def _explain(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, status_code=getattr(error, "status", 500))


async def _too_deep(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "the request is nested too deeply"}, status_code=400)


PORT = 8770
"""Port of the console unless it is taken."""
TOKEN_BYTES = 24
"""Length of a generated token: 192 random bits."""


class PortTaken(OpenRALError):
    """An address that the web server cannot listen on."""

    def __init__(self, host: str, port: int, error: OSError) -> None:
        super().__init__(f"cannot listen on {host}:{port}: {error.strerror}; choose another --port, or 0")


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes `PORT` if it is free, else any.

    Raises:
        PortTaken: If the address cannot be had.
    """
    for candidate in (port,) if port else (PORT, 0):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen(128)  # two sockets that may reuse an address can both bind, one can listen
        except OSError as error:
            listener.close()
            if port or candidate == 0:
                raise PortTaken(host, port, error) from error
        else:
            return listener
    raise AssertionError("the loop returns or raises")


@dataclass(frozen=True)
class Certificate:
    """Certificate chain and private key by which pages are served over TLS; both are PEM files.

    Raises:
        CertificateUnusable: If they cannot be read, or do not belong together.
    """

    chain: Path
    key: Path

    def __post_init__(self) -> None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.chain, self.key, password="")
        except OSError as error:  # the base of ssl.SSLError
            raise CertificateUnusable(self.chain, self.key, error) from error


class CertificateUnusable(OpenRALError):
    """A certificate or private key that cannot be used."""

    def __init__(self, chain: Path, key: Path, error: OSError) -> None:
        reason = getattr(error, "reason", None) or error.strerror or error
        super().__init__(
            f"certificate {chain} with private key {key}: {reason}; expected an unencrypted pair of PEM files"
        )


def make_access(host: str, allow_actions: bool, token: str = "", names: Sequence[str] = ()) -> Access:
    """Return the rules of access of an address: one that other machines reach always has a token.

    Raises:
        TokenTooShort: If the token is one that is easily guessed.
    """
    check_token(token, "the console's token")
    needed = not is_loopback(host)
    chosen = token or (secrets.token_urlsafe(TOKEN_BYTES) if needed else "")
    return Access(chosen, allow_actions, frozenset(name.lower() for name in names))


def address_of(listener: socket.socket, scheme: str = "http") -> str:
    """Return the URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"


def make_server(
    source: ConsoleSource,
    access: Access,
    certificate: Certificate | None = None,
    checks: Checks | None = None,
) -> BoundedServer:
    """Return the web server of a source; over TLS with a certificate."""
    config = uvicorn.Config(
        make_app(source, access, checks),
        access_log=False,
        log_level="error",  # not a line for each invalid request
        timeout_graceful_shutdown=1,
        http="h11",
        proxy_headers=False,  # which would let a client choose its address
        h11_max_incomplete_event_size=65_536,
        server_header=False,
        ws="none",
        ssl_certfile=certificate.chain if certificate else None,
        ssl_keyfile=certificate.key if certificate else None,
    )
    return BoundedServer(config, STOP_PATH)
