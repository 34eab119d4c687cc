"""DDS ports in shared memory, and unused domains.

Source: RTPS 9.6.2.3, a domain's ports; eProsima Fast DDS, shared-memory transport: a file for every port.
"""

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

FOLDER, PREFIX = Path("/dev/shm"), "fastrtps_port"
FIRST_PORT, PORTS = 7400, 250
"""Of domain 0, and for every domain."""
DOMAINS = range(1, 101)


def domains() -> Iterator[int]:
    """Yield random domains without any port."""
    numbers = random.sample(DOMAINS, len(DOMAINS))
    # Killed processes leave their ports, in the worst case in every domain.
    return cycle([number for number in numbers if not ports_there(number)] or numbers)


@contextmanager
def reserved_domain(logs: Path) -> Iterator[int]:
    """Reserve a ROS_DOMAIN_ID on this machine, which child processes inherit; they log into a folder."""
    import domain_coordinator
    import pytest

    with domain_coordinator.domain_id(domains().__next__) as domain, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_DOMAIN_ID", str(domain))
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        patch.setenv("ROS_LOG_DIR", str(logs))
        yield domain


def ports_there(domain: int) -> set[str]:
    """List the files of ports on this machine, including unused ones."""
    return ports_of(domain, (file.name for file in FOLDER.glob(f"{PREFIX}*")))


def ports_held(domain: int) -> set[str]:
    """Files of ports that this process has mapped."""
    maps = Path("/proc/self/maps")
    lines = maps.read_text(encoding="utf-8", errors="replace").splitlines() if maps.exists() else []
    return ports_of(domain, (line.rpartition("/")[2] for line in lines if f"{FOLDER}/{PREFIX}" in line))


def ports_of(domain: int, names: Iterable[str]) -> set[str]:
    """Those files that belong to a domain; the low ports of the transport itself belong to every one."""
    first = FIRST_PORT + PORTS * domain
    theirs = {f"{PREFIX}{number}" for number in range(first, first + PORTS)}
    return theirs.intersection(names)
