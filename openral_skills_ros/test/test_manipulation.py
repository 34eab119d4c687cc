"""GRASP, PLACE and HANDOVER by a MoveIt and a gripper that work, fail, hang, lie and disappear."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("moveit_msgs", reason="the interfaces of MoveIt are not built: make robot")

from foreign_arm import (
    ARM,
    BEHIND_TIP,
    CAMERA,
    CUP,
    HAND_CAMERA,
    SKILLS,
    TABLE,
    ForeignArm,
    grasp,
    start,
)

from openral_core.geometry import Pose
from openral_core.skills import SkillStatus

SIDEBOARD = Pose((0.55, 0.1, TABLE))
PERSON = Pose.planar(1.3, 0.0, np.pi)


@pytest.fixture
def arm(bench: Any) -> ForeignArm:
    return ForeignArm(bench)


def tips(arm: ForeignArm) -> list[Any]:
    """Positions to which the tip was sent."""
    goals = [goal.request.goal_constraints[0].position_constraints for goal in arm.motion.goals]
    return [each[0].constraint_region.primitive_poses[0].position for each in goals if each]


def test_an_object_is_grasped_by_its_measured_shape_and_lifted(bench: Any, arm: ForeignArm) -> None:
    arm.publish_table()
    start(bench)
    result = grasp(bench).result()
    assert result.status is SkillStatus.SUCCEEDED, result.message
    assert result.evidence["opening"] == pytest.approx(0.05, abs=1e-3)
    assert result.evidence["width"] == pytest.approx(0.05, abs=0.01)
    assert (result.evidence["seen_gone"], result.evidence["approach"]) == (True, "from the front")
    before, at, lifted = tips(arm)
    assert (at.x, at.y) == pytest.approx(CUP.position[:2], abs=0.03)
    assert (at.x - before.x, lifted.z - at.z) == pytest.approx((0.10, 0.10), abs=1e-6)
    assert TABLE < at.z < TABLE + 0.12
    scene = arm.motion.goals[1].planning_options.planning_scene_diff
    assert {each.id for each in scene.world.collision_objects} == {"table", "vase_1"}
    (held,) = arm.motion.goals[2].planning_options.planning_scene_diff.robot_state.attached_collision_objects
    assert (held.link_name, held.weight) == ("tcp", 1.0)
    assert list(held.touch_links) == ["tcp", "left_finger", "right_finger"]
    carry = arm.motion.goals[3].request.goal_constraints[0].joint_constraints[0]
    assert (carry.joint_name, carry.position) == ("elbow", 1.5)
    bench.until(lambda: bench.catalogue[-1].holding == "cup")


def test_what_was_grasped_is_placed_and_seen_there(bench: Any, arm: ForeignArm) -> None:
    start(bench)
    assert grasp(bench).result().success
    refused = bench.send("place", target=Pose((0.5, 0.0, 0.0))).result()
    assert refused.status is SkillStatus.BAD_REQUEST
    assert "not the floor; still holding the cup" in refused.message
    other = grasp(bench, label="vase").result()
    assert (other.status, "already holds 'cup'" in other.message) == (SkillStatus.BAD_REQUEST, True)
    result = bench.send("place", target=SIDEBOARD).result()
    assert result.status is SkillStatus.SUCCEEDED, result.message
    assert result.evidence["seen"] is True
    assert arm.cup is not None
    assert arm.cup.position[:2] == pytest.approx(SIDEBOARD.position[:2], abs=0.01)
    assert bench.send("place", target=SIDEBOARD).result().status is SkillStatus.NOTHING_HELD


def test_a_person_gets_the_object_when_they_pull(bench: Any, arm: ForeignArm) -> None:
    start(bench, skills={**SKILLS, "HANDOVER": {"backend": "moveit", "wait": 0.5}})
    assert grasp(bench).result().success
    late = bench.send("handover", agent=PERSON, agent_id="anna").result()
    assert late.status is SkillStatus.TIMEOUT
    assert bench.catalogue[-1].holding == "cup"
    goal = bench.send("handover", agent=PERSON, agent_id="anna")
    bench.until(lambda: any("pull" in told.stage for told in goal.feedback))
    arm.pull()
    result = goal.result()
    assert result.status is SkillStatus.SUCCEEDED, result.message
    assert (tips(arm)[-1].x, tips(arm)[-1].z) == pytest.approx((0.7, 1.0), abs=0.03)
    assert arm.opening == pytest.approx(0.08)
    bench.until(lambda: bench.catalogue[-1].holding == "")


@pytest.mark.parametrize(
    ("mode", "code", "fault_at", "status", "words"),
    [
        ("rejects", 0, 0, SkillStatus.INACTIVE, "rejected the goal"),
        ("silent", 0, None, SkillStatus.SKILL_ERROR, "neither accepted nor rejected"),
        ("aborts", -31, None, SkillStatus.NOT_REACHABLE, "no inverse kinematics"),
        pytest.param(
            "aborts", -12, None, SkillStatus.NOT_REACHABLE, "goal in collision", marks=pytest.mark.slow
        ),
        ("aborts", -4, 0, SkillStatus.BLOCKED, "reaching: MoveIt: control failed"),
        pytest.param("aborts", -7, 1, SkillStatus.CANCELLED, "preempted", marks=pytest.mark.slow),
        pytest.param(
            "aborts", -6, 2, SkillStatus.TIMEOUT, "lifting: MoveIt: timed out", marks=pytest.mark.slow
        ),
        pytest.param(
            "aborts",
            99999,
            3,
            SkillStatus.SKILL_ERROR,
            "folding the arm: MoveIt: failure",
            marks=pytest.mark.slow,
        ),
        ("aborts", 4711, 0, SkillStatus.SKILL_ERROR, "unknown error code 4711"),
    ],
)
def test_each_failure_of_moveit_has_its_status(
    bench: Any, arm: ForeignArm, mode: str, code: int, fault_at: int | None, status: SkillStatus, words: str
) -> None:
    arm.motion.mode, arm.motion.code, arm.motion.fault_at = mode, code, fault_at
    start(bench)
    result = grasp(bench).result()
    assert (result.status, words in result.message) == (status, True), result.message
    assert not arm.motion.running
    assert len(arm.motion.goals) <= 8
    arm.motion.mode = "succeeds"
    arm.motion.answer()
    assert grasp(bench).result().success


def test_a_grasp_that_is_not_reachable_is_followed_by_another(bench: Any, arm: ForeignArm) -> None:
    arm.motion.mode, arm.motion.code, arm.motion.fault_at = "aborts", -1, 1
    start(bench)
    assert grasp(bench).result().success
    assert len(tips(arm)) == 5


def test_after_a_contact_the_hand_draws_back_and_another_grasp_is_tried(bench: Any, arm: ForeignArm) -> None:
    arm.motion.mode, arm.motion.code, arm.motion.fault_at = "aborts", -4, 1
    start(bench)
    result = grasp(bench).result()
    assert result.status is SkillStatus.SUCCEEDED, result.message
    assert result.evidence["attempts"] == 2
    first, hit, back, _, second, _ = tips(arm)
    assert (back.x, back.y, back.z) == pytest.approx((first.x, first.y, first.z))
    assert (second.x, second.y, second.z) != pytest.approx((hit.x, hit.y, hit.z), abs=1e-3)


def test_a_hand_that_hits_something_at_every_grasp_gives_up(bench: Any, arm: ForeignArm) -> None:
    arm.motion.mode, arm.motion.code, arm.motion.fault_at = "aborts", -4, 1
    arm.motion.also_at = (4, 7)
    start(bench)
    result = grasp(bench).result(40.0)
    assert result.status is SkillStatus.BLOCKED
    assert "approaching: MoveIt: control failed, 3 times at the cup" in result.message
    assert grasp(bench).result().success


def test_a_camera_on_the_hand_measures_what_the_other_sees_by_halves(bench: Any, arm: ForeignArm) -> None:
    arm.half_seen = True
    arm.carry_camera()
    start(bench, cameras={"head": CAMERA, "wrist": HAND_CAMERA})
    result = grasp(bench, size_z=0.0).result()
    assert result.status is SkillStatus.SUCCEEDED, result.message
    look, _, at, _ = tips(arm)
    assert (look.x, look.y) == pytest.approx(arm.over_the_seen_half(), abs=0.01)
    assert look.z == pytest.approx(TABLE + 0.12 + 0.22 - BEHIND_TIP, abs=0.01)
    assert (at.x, at.y) == pytest.approx(CUP.position[:2], abs=0.006)


def test_without_an_image_of_the_camera_on_the_hand_the_other_one_counts(bench: Any, arm: ForeignArm) -> None:
    arm.carry_camera(publishes=False)
    start(bench, cameras={"head": CAMERA, "wrist": HAND_CAMERA})
    result = grasp(bench).result(40.0)
    assert result.status is SkillStatus.SUCCEEDED, result.message


def test_an_arm_that_has_no_room_to_fold_is_driven_back_before(bench: Any, arm: ForeignArm) -> None:
    arm.motion.mode, arm.motion.code, arm.motion.fault_at = "aborts", -12, 3
    nav2 = bench.nav2()
    start(bench, skills={**SKILLS, "NAVIGATE": {"backend": "nav2", "navigator": ""}})
    result = grasp(bench).result()
    assert result.status is SkillStatus.SUCCEEDED, result.message
    (goal,) = nav2.goals
    assert goal.pose.pose.position.x == pytest.approx(-0.35)


def test_without_its_servers_a_verb_is_not_offered_and_says_why(bench: Any) -> None:
    bench.start(SKILLS, arm=ARM)
    result = grasp(bench).result()
    assert result.status is SkillStatus.INACTIVE
    assert "no action server at /move_action; start move_group" in result.message
    assert bench.offered() == []


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        ("empty", SkillStatus.NOT_IN_GRIPPER_RANGE, "closed on nothing, 3 times at the cup"),
        ("slips", SkillStatus.LOST_OBJECT, "the hand: "),
        ("stays", SkillStatus.LOST_OBJECT, "still stands where it was"),
        ("jams", SkillStatus.BLOCKED, "aborted, and nothing is gripped"),
        ("gone", SkillStatus.NOTHING_THERE, "no cup found"),
        ("hidden", SkillStatus.SKILL_ERROR, "does not see the place of the cup: LOOK_AT it first"),
        ("wide", SkillStatus.NOT_IN_GRIPPER_RANGE, "opens 0.080 m and does not fit around the cup"),
    ],
)
def test_a_grasp_is_judged_by_what_fingers_and_camera_measure(
    bench: Any, arm: ForeignArm, fault: str, status: SkillStatus, words: str
) -> None:
    arm.stays = fault in ("empty", "stays")
    arm.slips = fault == "slips"
    arm.cup = None if fault in ("empty", "gone") else CUP
    arm.size = (0.12, 0.12, 0.12) if fault == "wide" else arm.size
    arm.fingers.mode = "aborts" if fault == "jams" else "succeeds"
    start(bench)
    target = Pose((0.6, 0.4, CUP.position[2])) if fault == "hidden" else CUP
    result = grasp(bench, target=target).result(40.0)
    assert (result.status, words in result.message) == (status, True), result.message
    assert bench.catalogue[-1].holding == ""


@pytest.mark.parametrize("server", ["motion", "fingers"])
def test_a_cancelled_grasp_has_ended_at_its_server_when_its_client_is_told(
    bench: Any, arm: ForeignArm, server: str
) -> None:
    faulty = getattr(arm, server)
    faulty.mode, faulty.fault_at = "runs", 1
    start(bench)
    goal = grasp(bench)
    bench.until(lambda: faulty.running)
    goal.cancel()
    assert goal.result().status is SkillStatus.CANCELLED
    assert not faulty.running
    faulty.mode = "succeeds"
    assert grasp(bench).result().success


def test_a_grasp_is_cancelled_while_its_candidates_are_computed(bench: Any, arm: ForeignArm) -> None:
    arm.size = (0.12, 0.12, 0.12)
    start(bench)
    goal = grasp(bench)
    bench.until(lambda: arm.fingers.ended)
    goal.cancel()
    assert goal.result().status is SkillStatus.CANCELLED
    assert not arm.motion.goals


@pytest.mark.parametrize("server", ["motion", "fingers"])
def test_a_server_that_dies_ends_the_grasp(bench: Any, arm: ForeignArm, server: str) -> None:
    faulty = getattr(arm, server)
    faulty.mode, faulty.fault_at = "runs", 1
    start(bench)
    goal = grasp(bench)
    bench.until(lambda: faulty.running)
    faulty.stop()
    result = goal.result()
    assert (result.status, "disappeared" in result.message) == (SkillStatus.SKILL_ERROR, True)


def test_an_arm_that_ignores_cancellation_keeps_the_robot_busy(bench: Any, arm: ForeignArm) -> None:
    arm.motion.mode, arm.motion.fault_at = "hangs", 0
    start(bench)
    goal = bench.send("grasp", deadline=6.0, target=CUP, label="cup")
    bench.until(lambda: arm.motion.running)
    late = goal.result()
    assert (late.status, "has not stopped" in late.message) == (SkillStatus.TIMEOUT, True)
    assert grasp(bench).result().status is SkillStatus.BUSY
    arm.motion.obey()
    bench.until(lambda: not arm.motion.running and bench.catalogue[-1].busy_with == "")


@pytest.mark.parametrize("drives", [True, False])
def test_what_is_out_of_reach_is_approached_by_a_robot_that_drives(
    bench: Any, arm: ForeignArm, drives: bool
) -> None:
    nav2, skills = bench.nav2(), {**SKILLS, "NAVIGATE": {"backend": "nav2"}} if drives else SKILLS
    start(bench, arm={**ARM, "reach": 0.3}, skills=skills)
    result = grasp(bench).result()
    assert result.status is SkillStatus.NOT_REACHABLE
    assert "the target is 0.60 m from shoulder, the arm reaches 0.30 m" in result.message
    assert not arm.motion.goals
    assert [goal.pose.pose.position.x for goal in nav2.goals] == pytest.approx([-0.05] if drives else [])


def test_a_robot_without_depth_grasps_the_remembered_box(bench: Any) -> None:
    arm = ForeignArm(bench, "command")
    gripper = {**ARM["gripper"], "type": "command"}
    colour = {"image": "/rgb", "info": "/info", "optical_frame": "camera_optical"}
    start(bench, arm={**ARM, "gripper": gripper}, cameras={"head": colour})
    blind = grasp(bench, size_z=0.0).result()
    assert (blind.status, "needs size_x" in blind.message) == (SkillStatus.BAD_REQUEST, True)
    result = grasp(bench).result()
    assert result.status is SkillStatus.SUCCEEDED, result.message
    assert "seen_gone" not in result.evidence
    assert arm.holds
