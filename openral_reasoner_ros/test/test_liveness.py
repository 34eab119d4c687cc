"""Tests of liveness: silence timers, probes, and peer processes that are stopped, killed and restarted."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_reasoner_ros.liveness import NodeProbe, SilenceTimer
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.resources import ResourceScope

SpinUntil = Callable[..., None]
PEER_PROCESS = Path(__file__).parent / "peer_process.py"
OFFERED: dict[str, Callable[[dict[str, Any]], bool]] = {
    "memory": lambda palette: bool(palette["spatial_memory_available"]),
    "skills": lambda palette: bool(palette["skills"]),
}
SILENCE_NOTICED = 15.0
"""Bound that only silence can meet [s]: DDS forgets a killed participant after 20 s.

`python -m benchmarks liveliness` measures the promised 2 s.
"""


def listened(gaps: list[float], heard_before: bool = True) -> SilenceTimer:
    """A silence of 1 s at most, after listening with these gaps [s]."""
    times = iter([0.0, *(sum(gaps[: index + 1]) for index in range(len(gaps)) for _ in range(2))])
    silence = SilenceTimer(1.0, clock=lambda: next(times))
    if heard_before:
        silence.reset()
    for _ in gaps:
        silence.update()
    return silence


@pytest.mark.parametrize(
    ("gaps", "expired"),
    [([0.4, 0.4], False), ([0.4, 0.4, 0.4], True), ([60.0], False), ([60.0, 60.0], True)],
)
def test_a_silence_is_too_long_after_its_timeout_but_never_because_nobody_listened(
    gaps: list[float], expired: bool
) -> None:
    assert listened(gaps).expired is expired


def test_who_was_never_heard_is_not_there() -> None:
    assert listened([0.1], heard_before=False).expired


def test_a_node_that_answers_serves_only_while_it_is_active(
    ros_context: Any, operator: Any, spin_until: SpinUntil
) -> None:
    managed, scope = LifecycleNodeBase("managed", context=ros_context), ResourceScope(operator)
    probe = NodeProbe(scope, operator, "/managed", 1.0)
    scope.timer(0.1, probe.poll)
    nodes = [managed, operator]
    try:
        spin_until(nodes, lambda: probe.alive)
        assert not probe.available
        managed.trigger_configure()
        managed.trigger_activate()
        spin_until(nodes, lambda: probe.available)
        managed.trigger_deactivate()
        spin_until(nodes, lambda: probe.alive and not probe.available)
    finally:
        scope.close()
        managed.close()
        managed.destroy_node()


@pytest.mark.parametrize("role", OFFERED)
def test_a_peer_that_hangs_or_is_killed_leaves_the_palette_by_its_silence_and_comes_back(
    operator: Any, make_reasoner: Any, spin_until: SpinUntil, ros_domain: int, role: str
) -> None:
    nodes = [operator, make_reasoner(poll_period=0.4)]

    def wait_until_offered(expected: bool, timeout: float = 30.0) -> None:
        spin_until(nodes, lambda: offers(operator, role) is expected, timeout)

    with started(role) as process:
        wait_until_offered(True)
        process.send_signal(signal.SIGSTOP)
        wait_until_offered(False, SILENCE_NOTICED)
        process.send_signal(signal.SIGCONT)
        wait_until_offered(True)
        process.kill()
        wait_until_offered(False, SILENCE_NOTICED)
    with started(role):
        wait_until_offered(True)


@contextmanager
def started(role: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-P", str(PEER_PROCESS), role])
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
    spin_until([graph, operator, reasoner], lambda: offers(operator, "memory"))
    spin_until([operator, reasoner], lambda: not offers(operator, "memory"))
    spin_until([graph, operator, reasoner], lambda: offers(operator, "memory"))
