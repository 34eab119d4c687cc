"""A silence is what one listened to, and a node that answers is not yet one that serves."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_reasoner_ros.liveness import NodeProbe, SilenceTimer
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.resources import ResourceScope

SpinUntil = Callable[..., None]


def listened(gaps: list[float], heard_before: bool = True) -> SilenceTimer:
    """A silence of 1 s at most, after listening with these gaps [s]."""
    times = iter([0.0, *(sum(gaps[: index + 1]) for index in range(len(gaps)) for _ in range(2))])
    silence = SilenceTimer(1.0, clock=lambda: next(times))
    if heard_before:
        silence.broken()
    for _ in gaps:
        silence.listen()
    return silence


@pytest.mark.parametrize(
    ("gaps", "too_long"),
    [([0.4, 0.4], False), ([0.4, 0.4, 0.4], True), ([60.0], False), ([60.0, 60.0], True)],
)
def test_a_silence_is_too_long_after_its_timeout_but_never_because_nobody_listened(
    gaps: list[float], too_long: bool
) -> None:
    assert listened(gaps).too_long is too_long


def test_who_was_never_heard_is_not_there() -> None:
    assert listened([0.1], heard_before=False).too_long


def test_a_node_that_answers_serves_only_while_it_is_active(
    ros_context: Any, operator: Any, spin_until: SpinUntil
) -> None:
    managed, scope = LifecycleNodeBase("managed", context=ros_context), ResourceScope(operator)
    probe = NodeProbe(scope, operator, "/managed", 1.0)
    scope.timer(0.1, probe.poll)
    nodes = [managed, operator]
    try:
        spin_until(nodes, lambda: probe.alive, 10.0)
        assert not probe.serves
        managed.trigger_configure()
        managed.trigger_activate()
        spin_until(nodes, lambda: probe.serves, 5.0)
        managed.trigger_deactivate()
        spin_until(nodes, lambda: probe.alive and not probe.serves, 5.0)
    finally:
        scope.close()
        managed.close()
        managed.destroy_node()
