"""Hand poses from which a camera on the hand sees an object."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

pytest.importorskip("rclpy")
pytest.importorskip("moveit_msgs", reason="the interfaces of MoveIt are not built: make robot")

from openral_core.geometry import Pose
from openral_core.grasping.approach import ApproachDirection, frontal, hand_axes, oblique, top_down
from openral_core.grasping.segmentation import ObjectSegment
from openral_core.skill_requests import GraspRequest
from openral_skills_ros.backends.closer_look import TURNS, around, view_pose

CUP = GraspRequest(Pose((2.0, 1.0, 0.8)), (0.06, 0.06, 0.10), "cup")
DISTANCE = 0.2


def mounted(tilt: float) -> NDArray[np.float64]:
    """Pose in the grasp frame of a camera that stands off the hand, tilted towards the fingers."""
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("y", tilt).as_matrix()
    T[:3, 3] = (0.07, 0.01, -0.08)
    return T


@pytest.mark.parametrize("approach", [top_down(0.3), frontal(-0.5), oblique(1.0, 0.8)])
@pytest.mark.parametrize("tilt", [0.0, -0.4, np.pi / 2, np.pi])
@pytest.mark.parametrize("turn", TURNS)
def test_the_camera_looks_along_the_approach_at_the_middle_of_the_object(
    approach: ApproachDirection, tilt: float, turn: float
) -> None:
    T_map_camera = view_pose(CUP, approach, mounted(tilt), DISTANCE, turn) @ mounted(tilt)
    sight, offset = T_map_camera[:3, 2], CUP.position - T_map_camera[:3, 3]
    assert np.linalg.det(T_map_camera[:3, :3]) == pytest.approx(1.0)
    assert sight == pytest.approx(hand_axes(approach)[:, 2], abs=1e-9)
    assert np.cross(offset, sight) == pytest.approx(np.zeros(3), abs=1e-9)
    assert DISTANCE < offset @ sight < DISTANCE + 0.1


def test_a_camera_along_the_fingers_leaves_the_hand_as_for_the_grasp() -> None:
    T = view_pose(CUP, top_down(0.3), mounted(0.0), DISTANCE, 0.0)
    assert T[:3, :3] == pytest.approx(hand_axes(top_down(0.3)))


def test_the_measured_middle_and_extents_reach_down_to_the_support() -> None:
    top = np.array([[0.0, 0.0, 0.9], [0.04, 0.0, 0.9], [0.0, 0.06, 0.85]])
    segment = ObjectSegment(np.vstack([top, [[1.0, 1.0, 0.8]]]), np.array([True, True, True, False]), 0.8)
    measured = around(segment, CUP)
    assert measured.position == pytest.approx((0.02, 0.03, 0.85))
    assert measured.size == pytest.approx((0.04, 0.06, 0.10))
