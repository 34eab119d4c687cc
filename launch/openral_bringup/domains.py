"""Which names are taken in a ROS domain, by whom, and which domain is free.

Two graphs of the same names in one domain mix: goals of one are pursued by the other. Graphs of this
machine claim their names by abstract sockets, which live in the network namespace as DDS does, tell who holds
them, and go with the process. Nodes that claim nothing, or run on other hosts, are discovered in the domain.
"""

import os
import socket
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil
import rclpy
from rclpy.context import Context
from rclpy.node import Node

from openral_bringup.graph.errors import InvalidDeployment
from openral_core.errors import format_choices

AUTO = "auto"
LARGEST = 232
FREE = range(1, 101)
"""Domains that `auto` tries: their ports lie below those that Linux gives to clients (RTPS 9.6.2.3)."""
FIRST_PORT, PORTS = 7400, 250
"""UDP port of domain 0, and how many ports each domain has (RTPS 9.6.2.3)."""
LOOK = 1.0
"""Time in which participants that run already are discovered [s]; on one machine it takes a tenth of this."""
UNSEEN = "a process that is not visible from here"
LONGEST_ADDRESS = 100
_CREDENTIALS = struct.Struct("3i")


class Claims:
    """Names that this process holds until `release`, or its end."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []

    def take(self, domain: int, name: str) -> str:
        """Hold a name; "" or, if it is held already, by whom."""
        address = f"\0openral/{domain}/{name}".encode()[:LONGEST_ADDRESS]
        held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            held.bind(address)
            held.listen(1)
        except OSError:
            held.close()
            return _holder(address)
        self._sockets.append(held)
        return ""

    def release(self) -> None:
        """Give every name back."""
        while self._sockets:
            self._sockets.pop().close()


HELD: list[Claims] = []
"""For as long as this process lives."""


def domain_of(word: str, environment: Mapping[str, str]) -> int | None:
    """The domain that was asked for, else the environment's; None if any free one will do.

    Raises:
        ImpossibleChoices: If the word is neither a domain nor ``auto``.
    """
    if word == AUTO:
        return None
    chosen = word or environment.get("ROS_DOMAIN_ID", "") or "0"
    if not chosen.isdecimal() or int(chosen) > LARGEST:
        flag, valid = ("--domain-id", f", or {AUTO}") if word else ("ROS_DOMAIN_ID", "")
        raise InvalidDeployment([f"{flag} {chosen}: expected 0 to {LARGEST}{valid}"])
    return int(chosen)


def occupy(domain: int | None, names: Sequence[str]) -> int:
    """Hold the nodes' names in the domain, or in a free one if it is None.

    Returns:
        The domain.

    Raises:
        ImpossibleChoices: Naming what is taken, by whom, and what to do.
    """
    if domain is None:
        return _occupy_free(names)
    claims = Claims()
    taken = {name: holder for name in names if (holder := claims.take(domain, name))}
    others = {**dict.fromkeys(_seen(domain), UNSEEN), **_running(domain)}
    taken = {**{name: others[name] for name in names if name in others}, **taken}
    if taken:
        claims.release()
        raise InvalidDeployment([_words(domain, taken)])
    claims.take(domain, "domain")
    HELD.append(claims)
    return domain


def _occupy_free(names: Sequence[str]) -> int:
    used = set(_used_ports())
    for domain in FREE:
        first = FIRST_PORT + PORTS * domain
        claims = Claims()
        if used.isdisjoint(range(first, first + PORTS)) and not claims.take(domain, "domain"):
            with suppress(InvalidDeployment):
                HELD.append(claims)
                return occupy(domain, names)
            HELD.remove(claims)
        claims.release()
    raise InvalidDeployment(
        [f"--domain-id {AUTO}: none of the domains {FREE.start} to {FREE.stop - 1} is free"]
    )


def _words(domain: int, taken: Mapping[str, str]) -> str:
    holders = ", ".join(dict.fromkeys(taken.values()))
    return (
        f"ROS domain {domain} already has {format_choices(sorted(taken))}, "
        f"started by {holders}: two graphs of the "
        f"same names would mix. End it, or choose --domain-id {AUTO}, another one, or --namespace /robot2"
    )


def _holder(address: bytes) -> str:
    """Whoever listens at an abstract socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking, suppress(OSError):
        asking.settimeout(1.0)
        asking.connect(address)
        credentials = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        return _process(_CREDENTIALS.unpack(credentials)[0])
    return UNSEEN


def _process(pid: int) -> str:
    try:
        process = psutil.Process(pid)
        words = [Path(word).name for word in process.cmdline() if not word.startswith("-")]
        return f"process {pid} ({' '.join(words[:4])}) in {process.cwd()}"
    except psutil.Error:
        return f"process {pid}"


def _running(domain: int) -> dict[str, str]:
    """Nodes of this machine and network by name, with their processes, as far as command lines tell."""
    found = {}
    network = _network(os.getpid())
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            rules = dict(
                word.split(":=", 1) for word in process.cmdline() if word.startswith(("__node:=", "__ns:="))
            )
            if not rules.get("__node") or process.environ().get("ROS_DOMAIN_ID", "0") != str(domain):
                continue
            if _network(process.pid) == network:
                name = f"{rules.get('__ns', '').rstrip('/')}/{rules['__node']}"
                found[name] = _process(process.pid)
    return found


def _network(pid: int) -> str:
    """The network namespace of a process."""
    return str(Path(f"/proc/{pid}/ns/net").readlink())


def _seen(domain: int) -> set[str]:
    """Fully qualified names of the nodes that are in a domain now."""
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    node = Node("_openral_start", context=context)
    try:
        time.sleep(LOOK)
        found = node.get_node_names_and_namespaces()
        return {f"{namespace.rstrip('/')}/{name}" for name, namespace in found}
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)


def _used_ports() -> Iterator[int]:
    """Local UDP ports of this network namespace."""
    for table in ("udp", "udp6"):
        with suppress(OSError):
            for line in Path("/proc/self/net", table).read_text().splitlines()[1:]:
                yield int(line.split()[1].rpartition(":")[2], 16)
