"""People who walk are left out of what corrects the pose."""

import numpy as np
import pytest

from openral_core.geometry import yaw_matrix
from openral_mapping.floor.recent_people import PEOPLE, RecentPeople
from openral_mapping.floor.robot_body import STEP
from openral_mapping.floor.scan_matching import ScanMatcher
from openral_testing.synthetic_depth import Block, Plane, SyntheticDepthImage, look_at_pose, render_depth

SIZE = 160, 120
ROOM = {
    "_floor": Plane((0.0, 0.0, 1.0), 0.0),
    "wall_x": Block((4.0, 0.0, 1.0), (0.1, 6.0, 2.0)),
    "wall_y": Block((0.0, 2.5, 1.0), (8.0, 0.1, 2.0)),
}


def shot(x: float, person: float) -> SyntheticDepthImage:
    """Return an image from (x, 0), with a person at (person, 0)."""
    body = Block((person, 0.0, 0.9), (0.5, 0.9, 1.8))
    return render_depth({**ROOM, "person": body}, look_at_pose((x, 0.0, 1.2), (x + 2.0, 0.0, 0.9)), SIZE)


def pose_after_meeting(people: RecentPeople) -> float:
    """Drive towards a person who comes the other way; return the largest error of the pose [m]."""
    matcher, x, error, largest = ScanMatcher(), 0.0, np.eye(4), 0.0
    for number in range(12):
        image, person = shot(x, 2.6 - 0.1 * number), 2.6 - 0.1 * number
        people.see(np.array([[person, 0.0]]), 0.2 * number)
        rays, T = image.view.depth_intrinsics.image_rays(), error @ image.view.T_map_camera
        body_rays = np.nan_to_num(rays[::STEP, ::STEP])
        depth = people.left_out(image.view.depth, body_rays, T, 0.2 * number)
        error = matcher.correction(depth, rays, T, error @ yaw_matrix(x, 0.0, 0.0)) @ error
        largest = max(largest, float(np.hypot(*error[:2, 3])))
        x += 0.03
    return largest


class Nobody(RecentPeople):
    """Record that forgets people at once."""

    def see(self, positions: np.ndarray, stamp: float) -> None:
        """Keep nothing."""


def test_somebody_who_comes_closer_does_not_push_the_robot_back() -> None:
    assert pose_after_meeting(Nobody()) > 0.1
    assert pose_after_meeting(RecentPeople()) < 0.01


@pytest.mark.parametrize(("stamp", "seen"), [(1.0, False), (1.0 + PEOPLE.lifetime + 0.1, True)])
def test_what_is_close_to_somebody_is_unknown_for_a_while(stamp: float, seen: bool) -> None:
    image, people = shot(0.0, 2.0), RecentPeople()
    people.see(np.array([[2.0, 0.0]]), 1.0)
    rays = image.view.depth_intrinsics.image_rays()
    left = people.left_out(
        image.view.depth, np.nan_to_num(rays[::STEP, ::STEP]), image.view.T_map_camera, stamp
    )
    middle = left[SIZE[1] // 2, SIZE[0] // 2]
    assert np.isfinite(middle) == seen
    wall = np.isfinite(image.view.depth[40, :4])
    assert np.array_equal(np.isfinite(left[40, :4]), wall)
