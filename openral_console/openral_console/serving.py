"""Address of the console, and its web server."""

import secrets
import socket
from collections.abc import Sequence

import uvicorn

from openral_console.security import Access, is_loopback
from openral_console.server import make_app
from openral_console.source import StateSource
from openral_core.errors import OpenRALError

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
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((host, candidate))
        except OSError as error:
            opened.close()
            if port or candidate == 0:
                raise PortTaken(host, port, error) from error
        else:
            opened.listen(128)
            return opened
    raise AssertionError("the loop returns or raises")


def make_access(host: str, allow_actions: bool, token: str = "", names: Sequence[str] = ()) -> Access:
    """Return the rules of access of an address: one that other machines reach always has a token."""
    needed = not is_loopback(host)
    chosen = token or (secrets.token_urlsafe(TOKEN_BYTES) if needed else "")
    return Access(chosen, allow_actions, frozenset(name.lower() for name in names))


def address_of(opened: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(source: StateSource, access: Access, opened: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM."""
    config = uvicorn.Config(
        make_app(source, access),
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=1,
        limit_concurrency=200,
        h11_max_incomplete_event_size=65_536,
        server_header=False,
        ws="none",
    )
    uvicorn.Server(config).run(sockets=[opened])
