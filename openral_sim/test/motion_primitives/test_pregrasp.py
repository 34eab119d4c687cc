import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.grasping.approach import HandOrientation, frontal, hand_axes
from openral_core.skill_requests import GraspRequest
from openral_sim.motion_primitives.base_pose_selection import ReachOption, WorkPose
from openral_sim.motion_primitives.pregrasp import approaches_from, grasp_options

BASE = np.array([0.0, 0.0, 0.0])
SOAP = GraspRequest(Pose((0.7, 0.0, 0.765)), (0.055, 0.085, 0.03), "soap")
BOTTLE = GraspRequest(Pose((0.7, 0.0, 0.895)), (0.068, 0.068, 0.29), "wine bottle")
UNUSUAL = ["from the side", "obliquely", "steeply", "obliquely from the side", "steeply from the side"]


def work_pose(pointing: HandOrientation) -> WorkPose:
    """A robot at the origin whose hand points so at something straight ahead."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = pointing.axes(0.0), (0.7, 0.0, 0.8)
    return WorkPose(BASE, np.zeros(8), np.zeros(8), ReachOption("as told", T, T, (T[:3, 3], 0.1)))


@pytest.mark.parametrize(
    ("request_", "usual"),
    [(SOAP, ["from above", "from the front"]), (BOTTLE, ["from the front", "from above"])],
)
def test_comes_an_unusual_way_only_after_the_usual_ones(request_: GraspRequest, usual: list[str]) -> None:
    ways = grasp_options(request_, BASE)
    assert list(dict.fromkeys(way.tag for way in ways)) == usual + UNUSUAL
    assert all(way.is_narrow == (way.tag in UNUSUAL) for way in ways)


def test_waits_on_the_way_in_and_closes_off_the_support() -> None:
    for way in grasp_options(SOAP, BASE):
        back = way.T_map_pregrasp[:3, 3] - way.T_map_goal[:3, 3]
        assert back == pytest.approx(-0.21 * way.T_map_goal[:3, 2])
        if way.tag.startswith(("obliquely", "steeply")):
            assert way.T_map_goal[2, 3] > 0.75 + 0.025


@pytest.mark.parametrize("pitch", [0.0, 0.5, 0.8, np.pi / 2])
def test_tries_first_the_direction_it_looked_from_and_none_it_did_not_see_from(pitch: float) -> None:
    looked = work_pose(HandOrientation(pitch, 0.0))
    first, *others = approaches_from(looked)
    forward = looked.option.T_map_goal[:3, 2]
    assert hand_axes(first)[:, 2] == pytest.approx(forward, abs=0.02)
    assert others
    for other in others:
        assert 0.01 < np.arccos(np.clip(hand_axes(other)[:, 2] @ forward, -1.0, 1.0)) < 0.95


def test_a_hand_turned_about_where_it_points_looked_from_there_all_the_same() -> None:
    first = approaches_from(work_pose(HandOrientation(0.0, np.pi)))[0]
    assert np.allclose(first.R_map_approach, frontal(0.0).R_map_approach)
