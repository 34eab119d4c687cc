"""A process that was stopped and comes back deaf to some of those it heard.

Source: eProsima Fast DDS 2.14, shared-memory transport. A reader's port is marked as broken when its listener
does not move for a second; its writers then make a new one of the same name. A reader that awakes opens what
has the name just then; a writer that makes another one in the same moment is not heard again. Removing the
name while the reader awakes makes that moment long.
"""

import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil

AWAKING = 0.5
"""How long the name is removed [s]."""
_LOCK = "_el"


def go_on_without_ports(process: psutil.Process) -> None:
    """Let a stopped process go on, whose shared-memory ports cannot be found meanwhile."""
    ports = _ports_of(process)
    process.send_signal(signal.SIGCONT)
    end = time.monotonic() + AWAKING
    while time.monotonic() < end:
        for port in ports:
            port.unlink(missing_ok=True)


def _ports_of(process: psutil.Process) -> set[Path]:
    """Ports that it reads alone: it holds their locks open."""
    found: set[Path] = set()
    for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(OSError):
            target = descriptor.readlink()
            if target.name.startswith("fastrtps_port") and target.name.endswith(_LOCK):
                found.add(target.with_name(target.name.removesuffix(_LOCK)))
    return found
