"""Claims on node names in a ROS domain, and the search for a free domain.

Two graphs with the same node names in one domain interfere: one pursues the goals of the other. Graphs on
this machine claim their names by abstract sockets, which live in the network namespace like DDS, identify
their holder and end with the process. Nodes without claims, or on other hosts, are found by discovery.
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

from openral_bringup.graph.problems import Flag, InvalidDeployment, Problem
from openral_core.errors import format_choices
from openral_ros.discovery import init_rclpy
from openral_ros.node_names import nodes_of

AUTO = "auto"
MAX_DOMAIN = 232
"""Largest ROS domain id whose ports are valid (RTPS 9.6.2.3)."""
AUTO_DOMAINS = range(1, 101)
"""Domains that `auto` tries: their ports lie below Linux's ephemeral ports (RTPS 9.6.2.3)."""
FIRST_PORT = 7400
"""UDP port of domain 0 (RTPS 9.6.2.3)."""
PORTS = 250
"""UDP ports of each domain (RTPS 9.6.2.3)."""
DISCOVERY_TIME = 0.5
"""Time to discover participants on other hosts [s]; multicast takes a fifth of it."""
UNKNOWN_HOLDER = "a process that is not visible from here"
MAX_ADDRESS_LENGTH = 100
"""Longest abstract socket address [bytes]; Linux allows 108."""
_CREDENTIALS = struct.Struct("3i")


class Claims:
    """Names that this process holds until `release` or its end."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []

    def take(self, domain: int, name: str) -> str:
        """Claim a name; return "", or the holder if it is taken."""
        address = f"\0openral/{domain}/{name}".encode()[:MAX_ADDRESS_LENGTH]
        held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            held.bind(address)
            held.listen(1)
        except OSError:
            held.close()
            return holder_of(address)
        self._sockets.append(held)
        return ""

    def release(self) -> None:
        """Release every name."""
        while self._sockets:
            self._sockets.pop().close()


HELD: list[Claims] = []
"""Claims that last until this process ends."""


def domain_of(text: str, environment: Mapping[str, str]) -> int | None:
    """Return the given domain, else the environment's; None for ``auto``.

    Raises:
        InvalidDeployment: If the text is neither a domain id nor ``auto``.
    """
    if text == AUTO:
        return None
    chosen = text or environment.get("ROS_DOMAIN_ID", "") or "0"
    if not chosen.isdecimal() or int(chosen) > MAX_DOMAIN:
        source = Flag("domain_id", chosen) if text else f"ROS_DOMAIN_ID {chosen}"
        valid = f"0 to {MAX_DOMAIN}, or {AUTO}" if text else f"0 to {MAX_DOMAIN}"
        raise InvalidDeployment([Problem(source, f": expected {valid}")])
    return int(chosen)


def occupy(domain: int | None, names: Sequence[str]) -> int:
    """Claim the nodes' names in the domain, or in a free one if it is None.

    Returns:
        The domain.

    Raises:
        InvalidDeployment: With the names that are taken, their holders and what to do.
    """
    if domain is None:
        return occupy_free(names)
    claims = Claims()
    taken = {name: holder for name in names if (holder := claims.take(domain, name))}
    others = {**dict.fromkeys(discovered_nodes(domain), UNKNOWN_HOLDER), **running_nodes(domain)}
    taken = {**{name: others[name] for name in names if name in others}, **taken}
    if taken:
        claims.release()
        raise InvalidDeployment([_conflict(domain, taken)])
    claims.take(domain, "domain")
    HELD.append(claims)
    return domain


def occupy_free(names: Sequence[str]) -> int:
    """Claim the names in the first free domain of `AUTO_DOMAINS`."""
    used = set(used_ports())
    for domain in AUTO_DOMAINS:
        first = FIRST_PORT + PORTS * domain
        claims = Claims()
        if used.isdisjoint(range(first, first + PORTS)) and not claims.take(domain, "domain"):
            with suppress(InvalidDeployment):
                HELD.append(claims)
                return occupy(domain, names)
            HELD.remove(claims)
        claims.release()
    text = f": none of the domains {AUTO_DOMAINS.start} to {AUTO_DOMAINS.stop - 1} is free"
    raise InvalidDeployment([Problem(Flag("domain_id", AUTO), text)])


def _conflict(domain: int, taken: Mapping[str, str]) -> Problem:
    holders = ", ".join(dict.fromkeys(taken.values()))
    text = (
        f"ROS domain {domain} already has {format_choices(sorted(taken))}, started by {holders}: "
        "two graphs with the same node names interfere. Stop it, or choose "
    )
    return Problem(text, Flag("domain_id", AUTO), ", another domain, or ", Flag("namespace", "/robot2"))


def holder_of(address: bytes) -> str:
    """Return the process that listens at an abstract socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client, suppress(OSError):
        client.settimeout(1.0)
        client.connect(address)
        credentials = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        return describe_process(_CREDENTIALS.unpack(credentials)[0])
    return UNKNOWN_HOLDER


def describe_process(pid: int) -> str:
    """Describe a process by id, command and working folder, as far as it is visible."""
    try:
        process = psutil.Process(pid)
        command = [Path(word).name for word in process.cmdline() if not word.startswith("-")]
        return f"process {pid} ({' '.join(command[:4])}) in {process.cwd()}"
    except psutil.Error:
        return f"process {pid}"


def running_nodes(domain: int) -> dict[str, str]:
    """Return nodes of this machine and network namespace with their processes, from command lines."""
    holders: dict[str, str] = {}
    network = network_namespace(os.getpid())
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            names = nodes_of(process.cmdline())
            if not names or process.environ().get("ROS_DOMAIN_ID", "0") != str(domain):
                continue
            if network_namespace(process.pid) == network:
                holders |= dict.fromkeys(names, describe_process(process.pid))
    return holders


def network_namespace(pid: int) -> str:
    """Return the network namespace of a process."""
    return str(Path(f"/proc/{pid}/ns/net").readlink())


def discovered_nodes(domain: int) -> set[str]:
    """Return the fully qualified names of the nodes in a domain."""
    context = Context()
    init_rclpy(context=context, domain=domain)
    node = Node("_openral_start", context=context)
    try:
        time.sleep(DISCOVERY_TIME)
        names = node.get_node_names_and_namespaces()
        return {f"{namespace.rstrip('/')}/{name}" for name, namespace in names}
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)


def used_ports() -> Iterator[int]:
    """Yield the local UDP ports in use in this network namespace."""
    for table in ("udp", "udp6"):
        with suppress(OSError):
            for line in Path("/proc/self/net", table).read_text().splitlines()[1:]:
                yield int(line.split()[1].rpartition(":")[2], 16)
