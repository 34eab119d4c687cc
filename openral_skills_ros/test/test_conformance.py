"""The conformance kit, as a user runs it, on the skill server of real robots before a robot that obeys."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("nav2_msgs", reason="the interfaces of Nav2 are not built: make robot")

import numpy as np
import serve_robot
from foreign_joints import ForeignJoints, start_policies
from nav2_msgs.action import NavigateToPose
from policy_server import PolicyServer
from skill_kit import LONGEST, Kit, write_goals

from openral_testing.skills.goals import NoPoseParameter, load_goals

HEAD = {
    "backend": "head",
    "action": "head/follow_joint_trajectory",
    "pan_joint": "pan",
    "tilt_joint": "tilt",
    "pan_frame": "head_base",
}
SKILLS = {"NAVIGATE": {"backend": "nav2"}, "LOOK_AT": HEAD}
GOALS = {
    "quick": {"rskill": "look-at", "params": {"target": {"x": 2.0, "y": 0.5, "z": 0.5}}},
    "long": {"rskill": "navigate", "params": {"goal": {"x": 8.0, "y": 1.0, "yaw": 0.5}}},
}


@pytest.fixture
def driving(bench: Any) -> Any:
    """A base that drives until it is cancelled, and a head that obeys at once."""
    nav2 = bench.nav2()
    nav2.mode = "runs"
    nav2.feedback = [NavigateToPose.Feedback(distance_remaining=4.0)]
    nav2.feedback[0].current_pose.pose.orientation.w = 1.0
    bench.head()
    bench.publish_transform("map", "head_base")
    bench.publish_transform("map", "base_link")
    return nav2


def test_the_skill_server_of_real_robots_conforms(bench: Any, driving: Any, tmp_path: Path) -> None:
    bench.start(SKILLS)
    kit = Kit(tmp_path, GOALS, domain=bench.domain)
    bench.until(lambda: kit.ended, LONGEST)
    assert kit.passed, kit.output
    assert "longest refusal [s]: " in kit.output
    assert "motion after the end of a goal [m]: 0.000" in kit.output
    assert not driving.running


@pytest.mark.slow
def test_a_skill_by_a_policy_conforms(bench: Any, tmp_path: Path) -> None:
    """OPEN by a policy that never ends beside CLOSE by one that is done at once.

    The refusals are left out: they are the same code for every backend, as the test above has it.
    """
    joints = ForeignJoints(bench)
    still = {"actions": np.array([[0.0, 0.5, 0.0]] * 10)}
    endless, brief = PolicyServer(lambda _: still), PolicyServer(lambda _: {"done": True})
    start_policies(bench, tmp_path, {"OPEN": endless.address, "CLOSE": brief.address})
    place = {"target": {"x": 1.0, "y": 0.0, "z": 0.5}, "container_id": "fridge_1"}
    goals = {"quick": {"rskill": "close", "params": place}, "long": {"rskill": "open", "params": place}}
    kit = Kit(tmp_path, goals, "-k", "reached or at_rest or late_goal or emergency", domain=bench.domain)
    bench.until(lambda: kit.ended, LONGEST)
    assert kit.passed, kit.output
    assert joints.commands
    bench.until(lambda: endless.closed == endless.open)
    for server in (endless, brief):
        server.stop()


def test_a_killed_skill_server_leaves_nothing_running_after_its_restart(
    bench: Any, driving: Any, tmp_path: Path
) -> None:
    """Killed in mid-drive: the drive that Nav2 goes on with is cancelled by the new process."""
    robot, pid = bench.write_robot(SKILLS), tmp_path / "pid"
    start = f"{sys.executable} {serve_robot.__file__} {robot} {pid} >{tmp_path}/server.txt 2>&1 </dev/null &"
    subprocess.run(start, shell=True, check=True)
    restart = f"kill -9 $(cat {pid}); {start}"
    kit = Kit(tmp_path, GOALS, "-k", "restarted", "--openral-skill-restart", restart, domain=bench.domain)
    try:
        bench.until(lambda: kit.ended, LONGEST)
        assert kit.passed, kit.output
        assert "1 passed" in kit.output
        assert not driving.running
        assert driving.cancels
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)


def test_a_server_that_reports_arrival_when_it_is_cancelled_does_not_conform(
    bench: Any, driving: Any, tmp_path: Path
) -> None:
    driving.mode = "races"
    bench.start(SKILLS)
    kit = Kit(tmp_path, GOALS, "-k", "at_rest", domain=bench.domain)
    bench.until(lambda: kit.ended, LONGEST)
    assert not kit.passed
    assert "SkillStatus.SUCCEEDED" in kit.output


def test_a_long_goal_without_a_pose_is_refused(tmp_path: Path) -> None:
    file = write_goals(tmp_path, {**GOALS, "long": {"rskill": "navigate"}})
    with pytest.raises(NoPoseParameter, match="the long goal of navigate has no pose"):
        load_goals(file)
