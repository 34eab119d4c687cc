"""A robot, and a console that watches it, each test in a ROS domain of its own."""

import asyncio
import time
from collections.abc import Callable, Iterator
from threading import Thread

import httpx2
import pytest

from openral_console.checks import Checks
from openral_console.ros.robot import LiveSource
from openral_console.security import Access
from openral_console.server import Certificate, address_of, listen, make_server
from openral_console.source import ConsoleSource
from openral_testing.ros.robot import PlayedRobot

TIMEOUT = 20.0


class Site:
    """A console that listens on a free port of loopback, in a thread."""

    def __init__(
        self,
        source: ConsoleSource,
        access: Access,
        certificate: Certificate | None = None,
        checks: Checks | None = None,
    ) -> None:
        self.source = source
        self._socket = listen("127.0.0.1", 0)
        self.url = address_of(self._socket, "https" if certificate else "http")
        self._server = make_server(source, access, certificate, checks)
        serving = self._server.serve(sockets=[self._socket])
        self._thread = Thread(target=asyncio.run, args=(serving,), daemon=True)
        self._thread.start()
        self.wait(lambda: self._server.started)

    def client(self, **headers: str) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, headers=headers, timeout=TIMEOUT, trust_env=False)

    def section(self, name: str) -> object:
        return self.source.sections.get(name)

    def wait(self, condition: Callable[[], object], timeout: float = TIMEOUT) -> None:
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, "not in time"
            time.sleep(0.03)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=TIMEOUT)
        self._socket.close()


@pytest.fixture
def robot(ros_domain: int) -> Iterator[PlayedRobot]:
    made = PlayedRobot(ros_domain)
    yield made
    made.close()


@pytest.fixture
def site(ros_domain: int, robot: PlayedRobot) -> Iterator[Site]:
    """A console with actions, once it knows mission, scene and camera."""
    source = LiveSource(domain=ros_domain)
    opened = Site(source, Access(allow_actions=True))
    opened.wait(
        lambda: all(opened.section(name) for name in ("mission", "scene", "cameras", "detectors", "parts"))
    )
    yield opened
    opened.close()
    source.close()


@pytest.fixture
def site_class() -> type[Site]:
    return Site
