"""Another machine and a graph: it sees nothing by default, and the graph where the deployment opens it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("openral_msgs")
from graph.hosts import DESK, ROBOT, on_host, two_hosts

pytestmark = [pytest.mark.slow, pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(180)]
NODE = """
from openral_ros.node_thread import NodeThread
import time
with NodeThread("victim"):
    print("up", flush=True)
    time.sleep(120)
"""
SPY = """
import rclpy, sys, time
rclpy.init()
node = rclpy.create_node("spy")
end = time.monotonic() + float(sys.argv[1])
while len(node.get_node_names()) < 2 and time.monotonic() < end:
    time.sleep(0.2)
print(sorted(node.get_node_names()))
"""
STOCK = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}
"""Environment that ROS's own set-up file exports."""
NAMING_IT = {**STOCK, "ROS_STATIC_PEERS": "10.77.0.1"}
"""Environment of another machine that knows the address of the robot."""


@pytest.fixture
def hosts(ros_domain: int) -> Iterator[None]:
    if shutil.which("ip") is None:
        pytest.skip("network namespaces need the `ip` command (package iproute2)")
    connected = two_hosts()
    try:
        connected.__enter__()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"network namespaces cannot be made here: {error.stderr.strip()}")
    yield
    connected.__exit__(None, None, None)


@contextmanager
def started(words: list[str], environment: dict[str, str]) -> "Iterator[subprocess.Popen[str]]":
    variables = {**os.environ, **environment}
    with subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def seen_from_the_desk(robot: dict[str, str], desk: dict[str, str], longest: float = 5.0) -> str:
    """Return the nodes that the desk sees as soon as there is another, at last after ``longest`` [s]."""
    with started(on_host(ROBOT, [sys.executable, "-c", NODE]), {**STOCK, **robot}) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        spy = on_host(DESK, [sys.executable, "-c", SPY, str(longest)])
        done = subprocess.run(
            spy,
            env={**os.environ, **desk},
            capture_output=True,
            text=True,
            timeout=longest + 30.0,
            check=True,
        )
    return done.stdout.strip()


@pytest.mark.parametrize("desk", [STOCK, NAMING_IT])
def test_another_machine_sees_nothing_although_ros_has_exported_the_subnet(
    hosts: None, desk: dict[str, str]
) -> None:
    assert seen_from_the_desk({}, desk) == "['spy']"
    assert seen_from_the_desk({"ROS_STATIC_PEERS": "10.77.0.2"}, desk) == "['spy']"


def test_another_machine_sees_what_the_deployment_opens(hosts: None) -> None:
    assert seen_from_the_desk({"OPENRAL_DISCOVERY": "subnet"}, STOCK, 90.0) == "['spy', 'victim']"
