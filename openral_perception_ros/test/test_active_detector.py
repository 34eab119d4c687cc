"""A streaming detector that is switched off and on while pictures come, on a busy machine.

`python -m benchmarks deactivations` does it five hundred times.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
from openral_detector_conformance.activation_cycles import toggle
from openral_detector_conformance.running_node import RunningNode, running_node
from openral_detector_conformance.scenes import golden
from openral_detector_conformance.subject import Setting
from openral_perception_ros.detector import load_detector
from openral_perception_ros.engines import LoadOptions

TIMES = 8
pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def busy() -> Iterator[None]:
    """Other processes use the processor too, so that threads are interrupted anywhere."""
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield
    burner.kill()
    burner.wait()


@pytest.fixture
def node(rskills: Path, tmp_path: Path) -> Iterator[RunningNode]:
    detector = load_detector(str(rskills / "sim-groundtruth"), [], ("head",), is_default=False)
    with running_node(detector, Setting(Path(".environments"), LoadOptions()), tmp_path) as made:
        yield made


@pytest.mark.usefixtures("busy")
def test_a_streaming_detector_survives_being_switched_off_and_on(node: RunningNode, rskills: Path) -> None:
    sensors = load_detector(
        str(rskills / "sim-groundtruth"), [], ("head",), is_default=False
    ).manifest.sensors
    toggle(node, golden("kitchen_counter", sensors, "head"), TIMES)
    assert not node.ended
