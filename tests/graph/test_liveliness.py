"""A dead detector is out of the palette at once, and back soon after its respawn."""

import signal
from pathlib import Path

import psutil
import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import Deployment
from graph.listeners import PaletteListener

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(300)]
LOCATOR, SLUG = "sim-groundtruth-locator", "sim_groundtruth_locator.yaml"
OUT, BACK = 30.0, 60.0
"""Bounds of the waits [s]; the promised 2 s and 10 s are measured by `python -m benchmarks liveliness`."""
ACTIVE = 3


def node_of(deployment: Deployment) -> psutil.Process:
    """The locator's node: the process that has started its worker."""
    (worker,) = deployment.pids("inference.worker", SLUG)
    node = psutil.Process(worker).parent()
    assert node is not None
    return node


def test_a_detector_that_is_stopped_and_later_killed_leaves_the_palette_and_comes_back_each_time(
    ros_domain: int, tmp_path: Path
) -> None:
    with Deployment(tmp_path) as deployment, PaletteListener(ros_domain) as heard:
        heard.seconds_until(lambda: heard.locators().get(LOCATOR) == ACTIVE, 120.0)
        node = node_of(deployment)
        node.send_signal(signal.SIGSTOP)
        heard.seconds_until(lambda: LOCATOR not in heard.locators(), OUT)
        node.send_signal(signal.SIGCONT)
        heard.seconds_until(lambda: heard.locators().get(LOCATOR) == ACTIVE, BACK)
        node_of(deployment).send_signal(signal.SIGKILL)
        heard.seconds_until(lambda: LOCATOR not in heard.locators(), OUT)
        heard.seconds_until(lambda: heard.locators().get(LOCATOR) == ACTIVE, BACK)
