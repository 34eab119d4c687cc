"""A detector's process that was stopped, and whether it hears its camera afterwards."""

import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

pytest.importorskip("openral_msgs")
from lifecycle_msgs.msg import Transition

from openral_core.rskills import Sensor
from openral_msgs.msg import FailureTrigger
from openral_perception_ros.detector import load_detector
from openral_perception_ros.engines import LoadOptions
from openral_ros.qos import RELIABLE
from openral_ros.stream_watchdog import SuspensionPolicy
from openral_testing.detectors.running_node import RunningNode, running_node
from openral_testing.detectors.scenes import golden, resized
from openral_testing.detectors.subject import LoadSetting

ROOT = Path(__file__).parents[2]
RULE = SuspensionPolicy()
LONGEST = 60.0
FAILURES = "/openral/failure/sim_groundtruth_locator"
pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def node(tmp_path: Path) -> Iterator[RunningNode]:
    folder = ROOT / "rskills" / "sim-groundtruth-locator"
    detector = load_detector(str(folder), [], ("head",), is_default=False)
    with running_node(detector, LoadSetting(ROOT / ".environments", LoadOptions()), tmp_path) as made:
        assert made.transition(Transition.TRANSITION_ACTIVATE)
        yield made


def show(node: RunningNode, seconds: float) -> None:
    """Publish small images, so that a loaded machine loses few of them."""
    image = resized(golden("kitchen_counter", [Sensor.RGB, Sensor.SEMANTIC], "head"), (64, 48))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        node.show(replace(image, stamp=time.time_ns()))
        idle(node, 0.1)


def idle(node: RunningNode, seconds: float) -> None:
    end = time.monotonic() + seconds
    node.wait("wait", lambda: time.monotonic() > end, LONGEST)


def stand_still(node: RunningNode) -> None:
    node.process.send_signal(signal.SIGSTOP)
    idle(node, RULE.gap + 2.0)
    node.process.send_signal(signal.SIGCONT)


def ended(node: RunningNode) -> bool:
    return node.process.status() == psutil.STATUS_ZOMBIE


@pytest.mark.slow
def test_a_stopped_node_goes_on_if_it_hears_its_camera_and_else_ends_saying_why(node: RunningNode) -> None:
    reported: list[FailureTrigger] = []
    node.client.create_subscription(FailureTrigger, FAILURES, reported.append, RELIABLE)
    show(node, 2.0)
    stand_still(node)
    show(node, RULE.timeout + 3.0)
    assert not ended(node)
    stand_still(node)
    node.wait("end itself", lambda: ended(node), LONGEST)
    node.wait("say why", lambda: reported, LONGEST)
    assert [item.kind for item in reported] == ["deaf"]
    assert "'/head/image_raw', '/head/semantic'" in reported[0].message
    assert node.process.wait() == 1
