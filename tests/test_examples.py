"""Every example runs; the clients of a running graph in tests/graph/test_running_graph.py."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import yaml

if TYPE_CHECKING:
    from rclpy.context import Context

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
ALONE = {
    "edit_memory.py": "blue mug: FOUND",
    "own_decision_model.py": "SUCCEEDED",
    "own_scene.py": "0 problems",
    "own_tool.py": "FOUND: 2 objects",
    "foreign_tool.py": "ANSWERED: 2 x milk",
    "read_recording.py": "the same commands",
}
SERVERS = ("own_detector.py", "own_skill_server.py")
SUPPORT = ("kitchen.py",)
TWO_ROBOTS = "two_robots.py"


def environment(domain: int | None = None) -> dict[str, str]:
    here = {name: value for name, value in os.environ.items() if name != "ROS_PYTHON_CHECK_FIELDS"}
    return here if domain is None else {**here, "ROS_DOMAIN_ID": str(domain)}


def test_every_example_is_listed_and_run() -> None:
    listed = set(re.findall(r"\]\((\w+\.py)\)", (EXAMPLES / "README.md").read_text()))
    with_graph = set(re.findall(r"\w+\.py", (ROOT / "tests/graph/test_running_graph.py").read_text()))
    assert listed == {file.name for file in EXAMPLES.glob("*.py")} - set(SUPPORT)
    assert listed - set(ALONE) - set(SERVERS) - {TWO_ROBOTS} <= with_graph


@pytest.mark.parametrize("name", ALONE)
def test_the_example_runs(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / name],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert ALONE[name] in done.stdout


def test_two_robots_are_planned_each_with_its_own_goal() -> None:
    """The plan alone: tests/graph/test_namespaces.py has the same two robots pursue the same goals."""
    pytest.importorskip("openral_msgs")
    command = [sys.executable, EXAMPLES / TWO_ROBOTS, "--dry-run"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("exit code 0") == 2, done.stdout
    for robot in ("/robot1", "/robot2"):
        assert f"{robot}/reasoner" in done.stdout, done.stdout


@contextmanager
def started(name: str, folder: Path, domain: int) -> Iterator[None]:
    with (folder / "server.txt").open("w") as out:
        server = subprocess.Popen(
            [sys.executable, EXAMPLES / name],
            env=environment(domain),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        yield
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(timeout=10.0)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(timeout=5.0)


def test_the_detector_finds_the_red_region(
    ros_context: "Context", ros_domain: int, spin_until: Callable[..., None], tmp_path: Path
) -> None:
    pytest.importorskip("openral_msgs")
    from rclpy.node import Node
    from sensor_msgs.msg import Image

    from openral_msgs.msg import DetectorInfo
    from openral_msgs.srv import LocateInView
    from openral_ros.conversions.images import image_message
    from openral_ros.qos import LATCHED, SENSOR

    node = Node("asker", context=ros_context)
    pixels = np.full((48, 64, 3), 90, np.uint8)
    pixels[10:20, 30:50] = (200, 20, 20)
    images = node.create_publisher(Image, "/head/image_raw", SENSOR)
    node.create_timer(0.05, lambda: images.publish(image_message(pixels, "rgb8", 1.0, "camera")))
    infos: list[DetectorInfo] = []
    node.create_subscription(DetectorInfo, "openral/perception/red_finder/info", infos.append, LATCHED)
    client = node.create_client(LocateInView, "openral/perception/red_finder/locate_in_view")

    def ask(query: str) -> LocateInView.Response:
        future = client.call_async(LocateInView.Request(query=query))
        spin_until(node, future.done)
        return future.result()

    with started("own_detector.py", tmp_path, ros_domain):
        spin_until(node, lambda: client.service_is_ready() and infos, 30.0)
        while (answer := ask("red mug")).status == LocateInView.Response.NO_FRAME:
            pass
        assert answer.status == LocateInView.Response.FOUND, answer.message
        assert answer.detections.detections[0].bbox.size_x == 20.0
        assert ask("blue mug").status == LocateInView.Response.NOT_IN_VOCABULARY
    node.destroy_node()


@pytest.mark.slow
def test_the_skill_server_conforms(ros_domain: int, tmp_path: Path) -> None:
    pytest.importorskip("openral_msgs")
    from skill_kit import LONGEST, Kit

    goals = yaml.safe_load((EXAMPLES / "own_skill_goals.yaml").read_text())
    with started("own_skill_server.py", tmp_path, ros_domain):
        kit = Kit(tmp_path, goals, domain=ros_domain)
        kit.wait(LONGEST)
    assert kit.passed, kit.output
