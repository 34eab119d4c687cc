"""Test for `launch_test`: the graph of the launch file starts, is disturbed, and shuts down cleanly."""

import subprocess
import time
import unittest
from collections.abc import Callable

import launch_testing
import psutil
from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from openral_bringup.deploy.monitor_node import MonitorNode

LOCATOR = "/openral/perception/sim_groundtruth_locator/detector"
MANAGED = {"/sim", LOCATOR, "/openral/perception/sim_groundtruth/detector", "/world_state", "/reasoner"}
ARGUMENTS = {"real_time_factor": "0", "scene": "home", "detectors": "groundtruth"}.items()
REPORTS = 4
"""Bring-up's words on a node, one a second, after which it has had the time to meddle."""
SEEN: dict[int, psutil.Process] = {}


def generate_test_description() -> LaunchDescription:
    file = f"{get_package_share_directory('openral_bringup')}/launch/sim_e2e.launch.py"
    source = PythonLaunchDescriptionSource(file)
    included = IncludeLaunchDescription(source, launch_arguments=ARGUMENTS)
    return LaunchDescription([included, launch_testing.actions.ReadyToTest()])


class TestRunningGraph(unittest.TestCase):
    observer: MonitorNode

    @classmethod
    def setUpClass(cls) -> None:
        cls.observer = MonitorNode("", (), {}, None)

    @classmethod
    def tearDownClass(cls) -> None:
        SEEN.update({child.pid: child for child in psutil.Process().children(recursive=True)})
        cls.observer.close()

    def test_1_every_node_reaches_active(self) -> None:
        self.until(lambda: set(self.states()) == MANAGED and set(self.states().values()) == {"active"}, 120.0)

    def test_2_a_killed_node_comes_back(self) -> None:
        before = node_process(LOCATOR)
        before.kill()
        self.until(lambda: is_restarted(LOCATOR, before.pid), 60.0)
        self.until(lambda: self.next_states(LOCATOR) == {"active"}, 60.0)

    def test_3_a_deactivated_node_stays_so_also_after_a_crash(self) -> None:
        command = ["ros2", "lifecycle", "set", "--no-daemon", "--spin-time", "10", LOCATOR, "deactivate"]
        assert subprocess.run(command, timeout=60.0, check=False).returncode == 0
        self.until(lambda: self.states()[LOCATOR] == "inactive", 30.0)
        assert self.next_states(LOCATOR) == {"inactive"}
        before = node_process(LOCATOR)
        before.kill()
        # Bring-up may never see it down: `launch` starts it again within a second.
        self.until(lambda: is_restarted(LOCATOR, before.pid), 60.0)
        self.until(lambda: self.next_states(LOCATOR) == {"inactive"}, 60.0)
        assert self.next_states(LOCATOR) == {"inactive"}

    def states(self) -> dict[str, str]:
        return dict(self.observer.snapshot.nodes)

    def next_states(self, name: str) -> set[str]:
        """Return the next reports of bring-up about a node."""
        heard: list[object] = []
        said: set[str] = set()

        def listened() -> bool:
            nodes = self.observer.snapshot.nodes
            if not heard or nodes is not heard[-1]:
                heard.append(nodes)
                said.add(nodes[name])
            return len(heard) > REPORTS

        self.until(listened, 30.0)
        return said

    def until(self, condition: Callable[[], bool], timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, f"not within {timeout} s: {self.states()}"
            time.sleep(0.05)


@launch_testing.post_shutdown_test()
class TestEndedGraph(unittest.TestCase):
    def test_nothing_is_left(self) -> None:
        left = [item.cmdline() for item in SEEN.values() if is_alive(item)]
        assert len(SEEN) >= len(MANAGED) + 1
        assert left == []


def is_restarted(name: str, pid: int) -> bool:
    """True once another process runs the node."""
    return [p.pid for p in node_processes(name)] not in ([], [pid])


def node_processes(name: str) -> list[psutil.Process]:
    words = f"__ns:={name.rpartition('/')[0]}"
    return [p for p in psutil.Process().children() if is_alive(p) and words in p.cmdline()]


def node_process(name: str) -> psutil.Process:
    """The process of one node, told from the others by its namespace."""
    found = node_processes(name)
    assert len(found) == 1, f"{name}: {[p.cmdline() for p in psutil.Process().children()]}"
    return found[0]


def is_alive(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
