"""Two launched robots share a list of errands; one is killed with all its processes while it has one.

Each has a simulation of its own with the same home, since a simulation has one robot.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from diagnostic_msgs.msg import DiagnosticArray
from graph.deployments import Deployment, alive
from rclpy.context import Context
from rclpy.node import Node

from openral_ros.qos import LATCHED

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(900)]
GOALS = ("find the mug", "find the bread", "bring me the baguette", "go to the kitchen")
OPTIONS = ("--presumed-off", "15", "--patience", "90", "--answer-timeout", "10")
WAIT = 400.0


def kill(robot: Deployment) -> None:
    """Kill every process of a robot at once, its supervisor first."""
    family = robot.family()
    for process in family:
        process.kill()
    psutil.wait_procs(family, timeout=30.0)
    assert alive(family) == []


def test_the_errand_of_a_killed_robot_is_taken_over(
    ros_context: Context, ros_domain: int, tmp_path: Path, spin_until: Callable[..., None]
) -> None:
    errands = tmp_path / "errands.txt"
    errands.write_text("\n".join(GOALS))
    operator = Node("operator", context=ros_context)
    tables: list[DiagnosticArray] = []
    operator.create_subscription(DiagnosticArray, "/fleet/openral/errands", tables.append, LATCHED)

    def states() -> list[tuple[str, str]]:
        return [(each.message, each.hardware_id) for each in tables[-1].status] if tables else []

    code = "from openral_fleet.ros.cli import commands; commands()"
    command = [sys.executable, "-P", "-c", code, "fleet", "run", str(errands), "--robots", "r1,r2", *OPTIONS]
    robots = {name: Deployment(tmp_path / name[1:], "--namespace", name) for name in ("/r1", "/r2")}
    with robots["/r1"], robots["/r2"]:
        for robot in robots.values():
            robot.wait_until_printed("/reasoner is active", WAIT)
        fleet = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            spin_until(operator, lambda: {name for _, name in states()} >= set(robots), WAIT)
            spin_until(operator, lambda: any(state == "running" for state, _ in states()), WAIT)
            victim = next(name for state, name in states() if state == "running")
            kill(robots[victim])
            survivor = next(name for name in robots if name != victim)
            output = fleet.communicate(timeout=WAIT)[0]
        finally:
            if fleet.poll() is None:
                fleet.kill()
                fleet.wait(30.0)
    operator.destroy_node()
    assert fleet.returncode == 0, output
    assert output.count(f"done         {survivor}") >= 3, output
