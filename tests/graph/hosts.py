"""Two hosts on one machine: network namespaces with a cable between them, and shared memory of their own."""

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

ROBOT, DESK = "openral_robot", "openral_desk"
_ADDRESSES = {ROBOT: "10.77.0.1/24", DESK: "10.77.0.2/24"}
_OWN_MEMORY = 'mount -t tmpfs none /dev/shm && exec "$@"'


@dataclass(frozen=True)
class Cable:
    """The link between both hosts."""

    def cut(self) -> None:
        _ip("-n", ROBOT, "link", "set", "cable", "down")

    def heal(self) -> None:
        _ip("-n", ROBOT, "link", "set", "cable", "up")


def on_host(host: str, command: Sequence[str]) -> list[str]:
    """A command as that host runs it."""
    return ["ip", "netns", "exec", host, "unshare", "--mount", "sh", "-c", _OWN_MEMORY, "sh", *command]


@contextmanager
def two_hosts() -> Iterator[Cable]:
    """Both hosts, connected, until the block ends.

    Raises:
        OSError: If there is no `ip` command.
        CalledProcessError: If namespaces cannot be made here.
        TimeoutError: If their addresses do not settle.
    """
    try:
        for host in _ADDRESSES:
            _ip("netns", "add", host)
        _ip("link", "add", "cable", "netns", ROBOT, "type", "veth", "peer", "name", "cable", "netns", DESK)
        for host, address in _ADDRESSES.items():
            _ip("-n", host, "address", "add", address, "dev", "cable")
            for device in ("lo", "cable"):
                _ip("-n", host, "link", "set", device, "up")
        _await_addresses()
        yield Cable()
    finally:
        for host in _ADDRESSES:
            subprocess.run(["ip", "netns", "delete", host], capture_output=True, check=False)


def _await_addresses() -> None:
    """Wait until no address is tentative any more: a node started before that joins no multicast group."""
    deadline = time.monotonic() + 20.0
    while any(_ip("-n", host, "address", "show", "tentative") for host in _ADDRESSES):
        if time.monotonic() > deadline:
            raise TimeoutError("an address of the hosts is still tentative after 20 s")
        time.sleep(0.1)


def _ip(*words: str) -> str:
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=True).stdout
