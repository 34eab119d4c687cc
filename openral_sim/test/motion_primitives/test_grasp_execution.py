from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skill_errors import NothingThere, NotInGripperRange
from openral_core.skill_requests import GraspRequest
from openral_sim.motion_primitives.arm_motion import reach_to
from openral_sim.motion_primitives.base_pose_selection import WorkPose, move_to_work_pose
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.motion_primitives.grasp_execution import GraspCandidate, grasp_candidates, scan_object
from openral_sim.motion_primitives.pregrasp import approaches_from, grasp_options

Play = Callable[..., WorkPose | list[GraspCandidate]]
CAN = GraspRequest(Pose((1.80, -0.10, 0.805)), (0.064, 0.064, 0.11), "can")
CRATE = GraspRequest(Pose((1.85, -0.45, 0.83)), (0.2, 0.2, 0.16), "crate")


def hover_over(context: SkillContext, play: Play, request: GraspRequest) -> WorkPose:
    moved = play(
        move_to_work_pose(context, request.position, lambda base: grasp_options(request, base), "docking")
    )
    assert isinstance(moved, WorkPose)
    context.control.grip(0.08)
    play(reach_to(context, moved.before, "reaching"))
    return moved


def test_ranks_the_grasps_that_a_scan_allows(context: SkillContext, play: Play) -> None:
    at = hover_over(context, play, CAN)
    segment = scan_object(context, CAN)
    assert segment.own_points[:, :2].mean(axis=0) == pytest.approx(CAN.position[:2], abs=0.03)
    found = play(grasp_candidates(context, segment, "can", approaches_from(at)[0]))
    assert isinstance(found, list)
    assert found
    for candidate in found:
        assert candidate.grasp.width == pytest.approx(0.064, abs=0.01)
        assert np.linalg.norm(candidate.grasp.T_map_grasp[:2, 3] - CAN.position[:2]) < 0.05


def test_says_that_the_gripper_does_not_fit(context: SkillContext, play: Play) -> None:
    at = hover_over(context, play, CRATE)
    with pytest.raises(NotInGripperRange, match=r"does not fit around the crate, which measures about 0\.2"):
        play(grasp_candidates(context, scan_object(context, CRATE), "crate", approaches_from(at)[0]))


def test_a_scan_of_an_empty_place_shows_nothing(context: SkillContext, play: Play) -> None:
    hover_over(context, play, CAN)
    beside = GraspRequest(Pose((1.80, 0.05, 0.805)), CAN.size, "cup")
    with pytest.raises(NothingThere, match="no cup found"):
        scan_object(context, beside)
