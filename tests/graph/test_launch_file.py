"""`ros2 launch openral_bringup sim_e2e.launch.py`, tried with launch_testing where ROS 2 has it."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
NEEDED = ("launch_testing", "launch_ros", "ros2lifecycle")
MISSING = [name for name in NEEDED if find_spec(name) is None]
LAUNCHED = Path(__file__).parents[1] / "launched"

pytestmark = [
    pytest.mark.graph,
    pytest.mark.xdist_group("graph"),
    pytest.mark.timeout(500),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (apt's ROS 2 has them)"),
]


def test_the_launched_graph_comes_up_survives_what_dies_and_leaves_nothing(ros_domain: int) -> None:
    command = [sys.executable, "-P", "-m", "launch_testing.launch_test", str(LAUNCHED / "sim_e2e.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=450, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
