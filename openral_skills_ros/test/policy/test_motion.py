"""Policies in motion: chunks, ends, the envelope, and a robot that holds after every end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("nav2_msgs", reason="the interfaces of Nav2 are not built: make robot")

from foreign_joints import CONTROLLERS, ForeignJoints, policy_skill, start, write_policy
from foreign_robot import RSKILLS, release, skill_server, stop
from policy_server import PolicyServer
from rclpy.lifecycle import TransitionCallbackReturn

from openral_core.geometry import Pose
from openral_core.skills import SkillStatus

FRIDGE = Pose((1.0, 0.0, 0.5))
STILL = np.array([0.0, 0.5, 0.0])
"""Action that keeps the joints of `ForeignJoints` where they are, the hand open."""


def chunk(*steps: tuple[float, float, float]) -> dict[str, Any]:
    return {"actions": np.array([STILL + np.array(step) for step in steps], np.float32)}


def forever(_: object) -> dict[str, Any]:
    return chunk(*[(0.0, 0.0, 0.0)] * 10)


@pytest.fixture
def server() -> Iterator[PolicyServer]:
    made = PolicyServer(forever)
    yield made
    made.stop()


@pytest.fixture
def joints(bench: Any) -> ForeignJoints:
    return ForeignJoints(bench)


def send(bench: Any, **options: Any) -> Any:
    bench.until(lambda: bench.offered() == ["OPEN"])
    return bench.send("open", target=FRIDGE, container_id="fridge_1", **options)


def test_a_policy_moves_the_joints_until_it_is_done(
    bench: Any, joints: ForeignJoints, server: PolicyServer, tmp_path: Path
) -> None:
    answers = iter([chunk(*[(0.1 * n, 0.0, 0.0) for n in range(1, 11)]), {"done": True}])
    server.answer = lambda observation: next(answers)
    start(bench, tmp_path, server.address)
    result = send(bench).result()
    assert result.status is SkillStatus.SUCCEEDED, result.message
    assert result.evidence["verified"] is False
    assert (result.evidence["queries"], result.evidence["ended_by"]) == (2, "done")
    # Five of ten actions are carried out; the speed limit spreads them over more periods.
    assert joints.positions["shoulder"] == pytest.approx(0.5, abs=1e-3)
    (first, second) = server.observations
    assert first["prompt"] == "open the fridge_1"
    assert first["observation/image"].shape == (32, 32, 3)
    assert first["observation/image"][16, 16].tolist() == [200, 100, 50]
    assert first["observation/image"][0, 0].tolist() == [0, 0, 0]
    assert first["observation/joints"].tolist() == [0.0, 0.5]
    assert first["observation/joints"].dtype == np.float32
    assert first["observation/gripper"].tolist() == pytest.approx([0.0])
    assert second["observation/joints"][0] > 0.3


def test_every_command_obeys_the_limit_of_speed(
    bench: Any, joints: ForeignJoints, server: PolicyServer, tmp_path: Path
) -> None:
    answers = iter([chunk(*[(0.3 * n, 0.0, 0.0) for n in range(1, 5)]), {"done": True}])
    server.answer = lambda observation: next(answers)
    start(bench, tmp_path, server.address)
    result = send(bench).result()
    assert result.status is SkillStatus.SUCCEEDED, result.message
    assert result.evidence["limited_actions"] > 0
    shoulder = [0.0, *(each["shoulder"] for each in joints.commands if "shoulder" in each)]
    assert np.abs(np.diff(shoulder)).max() <= 2.0 / 25.0 + 1e-9


def test_the_motion_ends_at_its_longest_duration(
    bench: Any, joints: ForeignJoints, server: PolicyServer, tmp_path: Path
) -> None:
    start(bench, tmp_path, server.address, {"max_duration": 0.5})
    result = send(bench).result()
    assert result.status is SkillStatus.SUCCEEDED, result.message
    assert result.evidence["ended_by"] == "max_duration"


@pytest.mark.parametrize("how", ["cancel", "deadline", "stop", "deactivate"])
def test_the_robot_holds_once_the_goal_has_to_end(
    bench: Any, joints: ForeignJoints, server: PolicyServer, tmp_path: Path, how: str
) -> None:
    node = start(bench, tmp_path, server.address)
    goal = send(bench, deadline=1.0 if how == "deadline" else 0.0)
    bench.until(lambda: joints.commands)
    {
        "cancel": goal.cancel,
        "deadline": lambda: None,
        "stop": lambda: stop(bench),
        "deactivate": node.trigger_deactivate,
    }[how]()
    result = goal.result()
    assert result.status is (SkillStatus.TIMEOUT if how == "deadline" else SkillStatus.CANCELLED), result
    count = len(joints.commands)
    bench.until(lambda: server.closed == 1)
    assert joints.commands[-2:] == [{"shoulder": 0.0, "elbow": 0.5}, {"finger": 0.04}]
    if how == "stop":
        assert bench.send("open", target=FRIDGE, container_id="f").result().status is SkillStatus.INACTIVE
        assert len(joints.commands) == count
        release(bench)
    if how != "deactivate":
        again = send(bench)
        bench.until(lambda: len(joints.commands) > count)
        again.cancel()
        again.result()


def test_fingers_keep_their_grip_while_the_arm_holds(
    bench: Any, joints: ForeignJoints, server: PolicyServer, tmp_path: Path
) -> None:
    """An object of 3 cm stops the fingers; a hold at the measured opening would drop it."""
    server.answer = lambda observation: chunk(*[(0.0, 0.0, 0.5)] * 10)
    limits = {"range": [0.0, 0.04], "speed": 4.0, "lag": None, "jump": 0.5}
    hand = {**CONTROLLERS[1], "joints": {"finger": limits}}
    start(bench, tmp_path, server.address, controllers=[CONTROLLERS[0], hand])
    goal = send(bench)
    bench.until(lambda: {"finger": 0.02} in [{k: round(v, 6) for k, v in c.items()} for c in joints.commands])
    joints.stuck, joints.positions["finger"] = True, 0.03
    goal.cancel()
    assert goal.result().status is SkillStatus.CANCELLED
    assert joints.commands[-1]["finger"] == pytest.approx(0.02)


def test_a_blocked_joint_ends_the_motion(
    bench: Any, joints: ForeignJoints, server: PolicyServer, tmp_path: Path
) -> None:
    joints.stuck = True
    server.answer = lambda observation: chunk(*[(0.2 * n, 0.0, 0.0) for n in range(1, 6)])
    start(bench, tmp_path, server.address)
    result = send(bench).result()
    assert result.status is SkillStatus.BLOCKED
    assert "shoulder is" in result.message
    assert joints.commands[-2] == {"shoulder": 0.0, "elbow": 0.5}


@pytest.mark.parametrize(
    ("fault", "message"),
    [("silent", "was last in joint_states"), ("blind", "camera 'head': images may be 0.3 s old")],
)
def test_a_stale_input_ends_the_motion(
    bench: Any, joints: ForeignJoints, server: PolicyServer, tmp_path: Path, fault: str, message: str
) -> None:
    start(bench, tmp_path, server.address, {"max_age": 0.3})
    goal = send(bench)
    bench.until(lambda: joints.commands)
    setattr(joints, fault, True)
    result = goal.result()
    assert result.status is SkillStatus.SKILL_ERROR
    assert message in result.message


def test_the_tip_stays_in_its_workspace(
    bench: Any, joints: ForeignJoints, server: PolicyServer, tmp_path: Path
) -> None:
    bench.publish_transform("base_link", "tcp", x=0.5)
    box = {"frame": "base_link", "tip": "tcp", "low": [0.0, -1.0, -1.0], "high": [0.6, 1.0, 1.0]}
    start(bench, tmp_path, server.address, workspace=box)
    goal = send(bench)
    bench.until(lambda: joints.commands)
    bench.publish_transform("base_link", "tcp", x=0.7)
    result = goal.result()
    assert result.status is SkillStatus.BLOCKED
    assert "tcp must stay in its workspace in base_link: it is at (0.70, 0.00, 0.00)" in result.message


def test_a_robot_without_its_controllers_does_not_offer_the_verb(
    bench: Any, server: PolicyServer, tmp_path: Path
) -> None:
    start(bench, tmp_path, server.address)
    result = bench.send("open", target=FRIDGE, container_id="fridge_1").result()
    assert result.status is SkillStatus.INACTIVE
    assert "nothing subscribes" in result.message
    assert bench.offered() == []


def test_a_policy_that_does_not_fit_is_refused_at_the_start(
    bench: Any, server: PolicyServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folders = [str(RSKILLS), str(write_policy(tmp_path, verb="CLOSE"))]
    skill = policy_skill("test-policy", server.address, controllers=CONTROLLERS[:1])
    node = skill_server(bench.context, bench.write_robot({"OPEN": skill}), rskill_folders=folders)
    bench.nodes.append(node)
    assert node.trigger_configure() is TransitionCallbackReturn.FAILURE
    assert (
        capfd.readouterr().err.count("its verb is CLOSE; there is no joint with a controller 'finger'") == 1
    )


FAULTS = {
    "text": (
        lambda: "RuntimeError: CUDA",
        SkillStatus.SKILL_ERROR,
        "an error: 'RuntimeError: CUDA'",
    ),
    "noise": (lambda: b"\xc1", SkillStatus.SKILL_ERROR, "no message of its protocol"),
    "silent": (lambda: None, SkillStatus.TIMEOUT, "sent no actions within 0.6 s"),
    "nan": (lambda: chunk((np.nan, 0.0, 0.0)), SkillStatus.SKILL_ERROR, "number 0 of action 0 is nan"),
    "huge": (lambda: chunk((1e9, 0.0, 0.0)), SkillStatus.SKILL_ERROR, "shoulder at 1e+09, its range is"),
    "shape": (lambda: {"actions": np.zeros((5, 2))}, SkillStatus.SKILL_ERROR, "has the shape (5, 2)"),
}


@pytest.mark.parametrize("fault", [*FAULTS, "dies"])
def test_a_server_that_fails_in_the_middle_leaves_the_robot_holding(
    bench: Any, joints: ForeignJoints, server: PolicyServer, tmp_path: Path, fault: str
) -> None:
    """One good answer, then the fault; afterwards the next goal is reached."""
    answer, status, message = FAULTS.get(fault, (None, SkillStatus.SKILL_ERROR, "closed the connection"))

    def faulty(_: object) -> Any:
        if len(server.observations) == 1:
            return chunk(*[(0.05 * n, 0.0, 0.0) for n in range(1, 6)])
        if answer is None:
            raise ConnectionAbortedError
        return answer()

    server.answer = faulty
    start(bench, tmp_path, server.address, {"max_duration": 10.0})
    result = send(bench).result()
    assert result.status is status, result
    assert message in result.message
    count = len(joints.commands)
    # The speed limit may have left the last position of the good answer ahead.
    assert 0.15 < joints.positions["shoulder"] <= 0.25 + 1e-6
    assert joints.commands[-2]["shoulder"] == pytest.approx(joints.positions["shoulder"])
    server.answer = lambda observation: {"done": True}
    assert send(bench).result().status is SkillStatus.SUCCEEDED
    assert len(joints.commands) == count
