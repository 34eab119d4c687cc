"""Web server that always has room for one more connection, whatever those before it do.

Connections are bounded in number, in all and per address, and in the time that each may take to send a
request and to read its answer. One too many costs another its place: of the address that holds most, one that
has asked for nothing, else the one that has been silent longest.
"""

import asyncio
import ipaddress
import resource
import socket
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MAX_CONNECTIONS = 256
"""Connections at a time: 32 pages of six each, as browsers open, and a reserve."""
MAX_PER_ADDRESS = 200
"""Connections of one address, which leaves the others a reserve."""
DEADLINE = 5.0
"""Longest time for a TLS handshake, the head of a request, its body, and silence after it [s]."""
WRITE_DEADLINE = 10.0
"""Longest time for which a client may leave its answer unread [s]."""
CHECK_PERIOD = 0.5
"""Time between two checks of the deadlines [s]."""
BATCH = 16
"""Connections that are accepted before the others are served again: far fewer than there may be."""
BACKLOG = 1024
"""Connections that wait to be accepted: one more would be tried again by its client after a second."""


def network_of(host: str) -> str:
    """Return what counts as one address: of IPv6 the network of 64 bits, in which a host can choose."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    mapped = address.ipv4_mapped
    return str(mapped or ipaddress.ip_network((address, 64), strict=False).network_address)


@dataclass(eq=False)
class Connection:
    """One accepted connection."""

    socket: socket.socket  # Of the connection, which the transport owns once there is one.
    address: str  # What it counts for.
    protocol: H11Protocol | None = None  # Its state; None during the TLS handshake.
    # What it was doing when it was last checked, and since when [s].
    activity: tuple[str, RequestResponseCycle | None] = ("head", None)
    since: float = field(default_factory=time.monotonic)

    def check(self, now: float) -> bool:
        """Return whether the connection keeps its deadlines."""
        activity = self._current()
        if activity != self.activity:
            self.activity, self.since = activity, now
        limit = {"head": DEADLINE, "body": DEADLINE, "unread": WRITE_DEADLINE}.get(activity[0])
        return limit is None or now - self.since <= limit

    def importance(self, reserved: str) -> tuple[int, float]:
        """Return the rank of the connection when one has to go: the least goes first."""
        cycle = self.protocol.cycle if self.protocol is not None else None
        if cycle is None:
            return 0, self.since
        if self._current()[0] == "head":
            return 1, self.since
        return 3 if cycle.scope["path"] == reserved else 2, self.since

    def close(self) -> None:
        """End the connection at once."""
        if self.protocol is not None:
            self.protocol.transport.abort()
        else:
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_RDWR)

    def _current(self) -> tuple[str, RequestResponseCycle | None]:
        protocol = self.protocol
        if protocol is None or protocol.cycle is None or protocol.cycle.response_complete:
            return "head", protocol.cycle if protocol is not None else None
        if protocol.flow.write_paused:
            return "unread", protocol.cycle
        return "body" if protocol.cycle.more_body else "answer", protocol.cycle


class BoundedServer(uvicorn.Server):
    """Web server with bounded connections.

    Args:
        config: Of the server; its protocol is HTTP/1.1.
        reserved: Path whose requests keep their place before all others.
    """

    def __init__(self, config: uvicorn.Config, reserved: str = "") -> None:
        super().__init__(config)
        self._reserved = reserved
        self._open: set[Connection] = set()
        self._loops: list[asyncio.Task[None]] = []
        self._beginning: set[asyncio.Task[None]] = set()
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._most = MAX_CONNECTIONS if descriptors < 0 else min(MAX_CONNECTIONS, descriptors // 2)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections on sockets."""
        await self.lifespan.startup()
        self.servers = []
        for listener in sockets or []:
            listener.settimeout(0.0)
            listener.listen(BACKLOG)
            self._loops.append(asyncio.create_task(self._accept(listener)))
        self._loops.append(asyncio.create_task(self._watch()))
        self.started = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, then end those that there are."""
        for task in self._loops:
            task.cancel()
        for connection in self._open:
            if connection.protocol is None:
                connection.close()
        await asyncio.gather(*self._loops, *self._beginning, return_exceptions=True)
        await super().shutdown(sockets)

    async def _accept(self, listener: socket.socket) -> None:
        loop, accepted_in_row = asyncio.get_running_loop(), 0
        while True:
            try:
                accepted, address = await loop.sock_accept(listener)
            except OSError:  # no descriptor is left: those of a closed connection are free in the next round
                self._close_one(self._open)
                await asyncio.sleep(0)
                continue
            connection = Connection(accepted, network_of(str(address[0])))
            self._make_room(connection)
            self._open.add(connection)
            task = asyncio.create_task(self._connect(connection))
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)
            accepted_in_row = (accepted_in_row + 1) % BATCH
            if accepted_in_row == 0:  # the requests of those before are read meanwhile
                await asyncio.sleep(0)

    async def _connect(self, connection: Connection) -> None:
        loop = asyncio.get_running_loop()

        def make_protocol() -> H11Protocol:
            return _Protocol(self, connection)

        ssl, handshake = self.config.ssl, DEADLINE if self.config.ssl else None
        try:
            await loop.connect_accepted_socket(
                make_protocol, connection.socket, ssl=ssl, ssl_handshake_timeout=handshake
            )
        except OSError:
            self.forget(connection)

    def forget(self, connection: Connection) -> None:
        """Note that a connection has ended."""
        self._open.discard(connection)

    def _make_room(self, newcomer: Connection) -> None:
        held = Counter(connection.address for connection in self._open)
        if held[newcomer.address] >= MAX_PER_ADDRESS:
            self._close_one(each for each in self._open if each.address == newcomer.address)
        elif len(self._open) >= self._most:
            most = max(held, key=lambda address: held[address])
            self._close_one(each for each in self._open if each.address == most)

    def _close_one(self, candidates: Iterable[Connection]) -> None:
        least = min(candidates, key=lambda each: each.importance(self._reserved), default=None)
        if least is not None:
            self.forget(least)
            least.close()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(CHECK_PERIOD)
            now = time.monotonic()
            for connection in [each for each in self._open if not each.check(now)]:
                self.forget(connection)
                connection.close()


class _Protocol(H11Protocol):
    """State of one connection, which tells its server when it begins and ends."""

    def __init__(self, server: BoundedServer, connection: Connection) -> None:
        super().__init__(server.config, server.server_state, server.lifespan.state)
        self._server, self._connection = server, connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take note of the connection after its handshake."""
        super().connection_made(transport)
        self._connection.protocol = self

    def connection_lost(self, exc: Exception | None) -> None:
        """Take note of its end."""
        super().connection_lost(exc)
        self._server.forget(self._connection)
