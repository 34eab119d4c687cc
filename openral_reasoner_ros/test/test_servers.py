"""Peers in processes of their own that are stopped, killed and started again."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")

SpinUntil = Callable[..., None]
LONE_PEER = Path(__file__).parent / "lone_peer.py"
OFFERED: dict[str, Callable[[dict[str, Any]], bool]] = {
    "memory": lambda palette: bool(palette["spatial_memory_available"]),
    "skills": lambda palette: bool(palette["skills"]),
}
SOON = 2.5
"""The promised 2 s and what a busy machine adds [s]; `python -m benchmarks liveliness` measures."""


@pytest.mark.parametrize("role", OFFERED)
def test_a_peer_that_hangs_or_is_killed_leaves_the_palette_within_two_seconds_and_comes_back(
    operator: Any, make_reasoner: Any, spin_until: SpinUntil, ros_domain: int, role: str
) -> None:
    nodes = [operator, make_reasoner(poll_period=0.4)]

    def becomes(expected: bool, timeout: float) -> float:
        begun = time.monotonic()
        spin_until(nodes, lambda: offers(operator, role) is expected, timeout)
        return time.monotonic() - begun

    with started(role) as process:
        becomes(True, 20.0)
        process.send_signal(signal.SIGSTOP)
        assert becomes(False, 10.0) < SOON
        process.send_signal(signal.SIGCONT)
        assert becomes(True, 10.0) < SOON
        process.kill()
        assert becomes(False, 10.0) < SOON
    with started(role):
        becomes(True, 20.0)


@contextmanager
def started(role: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-P", str(LONE_PEER), role])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def offers(operator: Any, role: str) -> bool:
    return bool(operator.palettes) and OFFERED[role](json.loads(operator.palettes[-1])["palette"])


def test_a_server_that_is_not_managed_is_asked_too(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    reasoner = make_reasoner()
    spin_until([graph, operator, reasoner], lambda: offers(operator, "memory"), 10.0)
    spin_until([operator, reasoner], lambda: not offers(operator, "memory"), 5.0)
    spin_until([graph, operator, reasoner], lambda: offers(operator, "memory"), 5.0)
