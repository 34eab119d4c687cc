"""Malformed messages of any node never end the monitor."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy")
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.context import Context

from openral_bringup.deploy import monitor_node
from openral_bringup.deploy.monitor_node import MonitorNode, watch_processes
from openral_bringup.graph.nodes import NodeSpec
from openral_core.missions import MissionState
from openral_msgs.msg import MissionStatus
from openral_ros.qos import LATCHED, RELIABLE


def test_a_state_of_a_newer_version_does_not_end_what_is_heard(
    ros_domain: int, ros_context: Context, spin_until: Callable[..., None]
) -> None:
    reasoner = rclpy.create_node("reasoner", context=ros_context)
    publisher = reasoner.create_publisher(MissionStatus, "openral/mission", LATCHED)
    observer = MonitorNode("", (), {}, ros_domain)
    try:
        spin_until(reasoner, lambda: publisher.get_subscription_count() > 0)
        for state in (int(MissionState.ACTIVE), 250, int(MissionState.SUCCEEDED)):
            publisher.publish(MissionStatus(mission_id="m", goal="find the mug", state=state))
            spin_until(reasoner, lambda: True)
        spin_until(reasoner, lambda: observer.snapshot.mission.state is MissionState.SUCCEEDED)
    finally:
        observer.close()
        reasoner.destroy_node()


class Silent:
    """A process that counts how often it would be restarted."""

    def __init__(self, name: str, *members: str) -> None:
        nodes = tuple(NodeSpec(member, "p", "e") for member in members)
        self.spec, self.restarts, self.deaths = NodeSpec(name, "p", "e", members=nodes), 0, 0

    def restart_if_older(self, age: float, reason: str) -> None:
        self.restarts += 1


def test_a_node_that_stays_down_is_restarted_and_only_while_bringup_reports(
    ros_domain: int,
    ros_context: Context,
    spin_until: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(monitor_node, "UNRESPONSIVE", 0.3)
    monkeypatch.setattr(monitor_node, "WATCH_PERIOD", 0.05)
    bringup = rclpy.create_node("bringup", context=ros_context)
    publisher = bringup.create_publisher(DiagnosticArray, "/diagnostics", RELIABLE)
    monitor = MonitorNode("", (), {}, ros_domain)
    eye, other, container = Silent("eye"), Silent("other"), Silent("container", "ear", "eye")

    def report() -> bool:
        states = {"bringup: /eye": "given up, down", "bringup: /other": "active"}
        status = [DiagnosticStatus(name=name, message=state) for name, state in states.items()]
        publisher.publish(DiagnosticArray(status=status))
        return bool(monitor.unresponsive(0.3))

    async def watch() -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(
                watch_processes(monitor, SimpleNamespace(processes=[eye, other, container])), 0.5
            )

    try:
        spin_until(bringup, lambda: publisher.get_subscription_count() > 0)
        spin_until(bringup, report)
        assert monitor.unresponsive(60.0) == []
        asyncio.run(watch())
        assert (eye.restarts > 0, other.restarts) == (True, 0)
        assert container.restarts > 0, "one of its nodes does not answer"
        monkeypatch.setattr(monitor_node, "REPORT_AGE", 0.0)
        assert "/eye" not in monitor.unresponsive(0.3)
    finally:
        monitor.close()
        bringup.destroy_node()


def test_the_nodes_of_a_process_that_died_are_down_until_they_are_reported_again(
    ros_domain: int, ros_context: Context, spin_until: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor_node, "WATCH_PERIOD", 0.05)
    bringup = rclpy.create_node("bringup", context=ros_context)
    publisher = bringup.create_publisher(DiagnosticArray, "/diagnostics", RELIABLE)
    monitor, container = MonitorNode("", (), {}, ros_domain), Silent("container", "eye")

    def report() -> bool:
        status = [DiagnosticStatus(name=f"bringup: /{name}", message="active") for name in ("eye", "ear")]
        publisher.publish(DiagnosticArray(status=status))
        return monitor.snapshot.nodes == {"/eye": "active", "/ear": "active"}

    async def watch() -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(watch_processes(monitor, SimpleNamespace(processes=[container])), 0.3)

    try:
        spin_until(bringup, lambda: publisher.get_subscription_count() > 0)
        spin_until(bringup, report)
        container.deaths = 1
        asyncio.run(watch())
        spin_until(bringup, lambda: monitor.snapshot.nodes == {"/eye": "down", "/ear": "active"})
        spin_until(bringup, report)
    finally:
        monitor.close()
        bringup.destroy_node()


def test_bringup_that_no_longer_reports_is_restarted_too(
    ros_domain: int, ros_context: Context, spin_until: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor_node, "REPORT_AGE", 0.2)
    bringup = rclpy.create_node("bringup", context=ros_context)
    publisher = bringup.create_publisher(DiagnosticArray, "/robot1/diagnostics", RELIABLE)
    monitor = MonitorNode("/robot1", (), {"/diagnostics": "/robot1/diagnostics"}, ros_domain)
    try:
        time.sleep(2.0 * monitor_node.CHECK_PERIOD)
        assert monitor.unresponsive(0.1) == [], "it has not reported yet"
        spin_until(bringup, lambda: publisher.get_subscription_count() > 0)
        status = DiagnosticStatus(name="bringup: /robot1/eye", message="active")
        publisher.publish(DiagnosticArray(status=[status]))
        spin_until(bringup, lambda: monitor.unresponsive(0.1) == ["/robot1/bringup"])
    finally:
        monitor.close()
        bringup.destroy_node()
