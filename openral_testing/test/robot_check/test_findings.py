"""Every seeded mistake of a robot is found, with its mend, and none on the good robot."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

pytest.importorskip("rclpy")

from openral_core.robot import RobotDescription
from openral_testing.robot_check.findings import CameraModel, Observations, Stream, alignment, examine

NAVIGATE_TO_POSE = "nav2_msgs/action/NavigateToPose"
ROBOT = RobotDescription.model_validate(
    {
        "name": "test",
        "cameras": {
            "head": {
                "image": "/rgb",
                "info": "/info",
                "depth": "/depth",
                "optical_frame": "optical",
                "rate": 10.0,
            }
        },
        "localisation": {},
        "skills": {"NAVIGATE": {"backend": "nav2"}},
    }
)
STAMPS = [100.0 + 0.1 * step for step in range(30)]


def boxes(pixels: np.ndarray, near: float, far: float, shift: int = 0) -> np.ndarray:
    """Three boxes before a wall."""
    pixels[:] = far
    for x, y, width, height in ((40, 60, 60, 80), (130, 90, 50, 110), (220, 40, 70, 60)):
        pixels[y : y + height, x + shift : x + shift + width] = near
    return pixels


def scene(shift: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Colour and depth of the same boxes; depth is shifted to the right [px]."""
    grey = boxes(np.zeros((240, 320), np.float32), 220.0, 60.0)
    noise = np.random.default_rng(0).normal(0.0, 6.0, grey.shape)
    colour = np.clip(grey + noise, 0.0, 255.0).astype(np.uint8)
    return cv2.cvtColor(colour, cv2.COLOR_GRAY2RGB), boxes(np.zeros((240, 320), np.float32), 1.2, 3.0, shift)


def good() -> Observations:
    colour, depth = scene()
    return Observations(
        images={"head": Stream(list(STAMPS), [0.05] * 30, "optical", "rgb8", (320, 240), colour)},
        depths={"head": Stream(list(STAMPS), [0.05] * 30, "optical", "32FC1", (320, 240), depth)},
        models={"head": CameraModel(np.array([[300.0, 0, 160], [0, 300, 120], [0, 0, 1]]), (320, 240))},
        transforms={"base_link": 0.1, "optical": 0.1},
        actions={"/navigate_to_pose": (NAVIGATE_TO_POSE,)},
        variances=(0.01, 0.02, 0.01),
    )


def depth_in_millimetres(seen: Observations) -> None:
    seen.depths["head"].pixels = 1000.0 * scene()[1]


def depth_and_colour_swapped(seen: Observations) -> None:
    seen.depths["head"].pixels = None
    seen.depths["head"].problem = "encoding 'rgb8' is not supported: expected one of '16UC1'"


def unregistered_depth(seen: Observations) -> None:
    seen.depths["head"].pixels = scene(shift=24)[1]


def depth_of_other_proportions(seen: Observations) -> None:
    seen.depths["head"].size = (320, 180)


def depth_in_its_own_frame(seen: Observations) -> None:
    seen.depths["head"].frame_id = "depth_optical"


def blind_depth(seen: Observations) -> None:
    seen.depths["head"].pixels = np.zeros((240, 320), np.float32)


def no_images(seen: Observations) -> None:
    seen.images["head"].stamps.clear()


def half_the_rate(seen: Observations) -> None:
    seen.images["head"].stamps = STAMPS[::2]


def wrong_frame(seen: Observations) -> None:
    seen.images["head"].frame_id = "camera_link"


def clock_behind(seen: Observations) -> None:
    seen.images["head"].ages = [37.0] * 30


def clock_ahead(seen: Observations) -> None:
    seen.images["head"].ages = [-2.0] * 30


def intrinsics_unset(seen: Observations) -> None:
    seen.models["head"] = CameraModel(np.zeros((3, 3)), (320, 240))


def intrinsics_of_another_resolution(seen: Observations) -> None:
    seen.models["head"] = CameraModel(np.diag([600.0, 600.0, 1.0]), (640, 480))


def focal_length_in_millimetres(seen: Observations) -> None:
    seen.models["head"] = CameraModel(np.array([[3.6, 0, 160], [0, 3.6, 120], [0, 0, 1]]), (320, 240))


def principal_point_in_a_corner(seen: Observations) -> None:
    seen.models["head"] = CameraModel(np.diag([300.0, 300.0, 1.0]), (320, 240))


def frames_apart(seen: Observations) -> None:
    seen.transforms["optical"] = None


def stale_transform(seen: Observations) -> None:
    seen.transforms["base_link"] = 42.0


def action_absent(seen: Observations) -> None:
    del seen.actions["/navigate_to_pose"]


def action_of_another_type(seen: Observations) -> None:
    seen.actions["/navigate_to_pose"] = ("move_base_msgs/action/MoveBase",)


def action_in_a_namespace(seen: Observations) -> None:
    seen.actions["/robot1/navigate_to_pose"] = seen.actions.pop("/navigate_to_pose")


def never_localised(seen: Observations) -> None:
    seen.variances = None


def localised_without_a_number(seen: Observations) -> None:
    seen.variances = (0.01, float("nan"), 0.01)


def unreadable_colour(seen: Observations) -> None:
    seen.images["head"].pixels, seen.images["head"].problem = None, "encoding 'nv99' is not supported"


def poorly_localised(seen: Observations) -> None:
    seen.variances = (0.4, 0.4, 0.1)


MISTAKES: tuple[tuple[Callable[[Observations], None], str, str], ...] = (
    (depth_in_millimetres, "depth values", "the median depth is"),
    (depth_and_colour_swapped, "depth values", "'rgb8' is not supported"),
    (unregistered_depth, "depth registered to colour", "shifted by"),
    (depth_of_other_proportions, "depth registered to colour", "other proportions"),
    (depth_in_its_own_frame, "depth, frame", "frame_id is 'depth_optical'"),
    (blind_depth, "depth values", "less than 5 %"),
    (no_images, "image", "nothing on /rgb"),
    (half_the_rate, "image, rate", "5.0 Hz, expected 10.0 Hz"),
    (wrong_frame, "image, frame", "frame_id is 'camera_link'"),
    (clock_behind, "image, clock", "37.0 s ago"),
    (clock_ahead, "image, clock", "2.0 s in the future"),
    (intrinsics_unset, "intrinsics", "not set"),
    (intrinsics_of_another_resolution, "intrinsics", "is for 640x480, images are 320x240"),
    (focal_length_in_millimetres, "intrinsics", "field of view of 177 deg"),
    (principal_point_in_a_corner, "intrinsics", "principal point (0, 0)"),
    (frames_apart, "map <- optical", "not connected"),
    (stale_transform, "map <- base_link", "42.0 s old"),
    (action_absent, "/navigate_to_pose", "no action server"),
    (action_of_another_type, "/navigate_to_pose", "its type is move_base_msgs/action/MoveBase"),
    (action_in_a_namespace, "/navigate_to_pose", "no action server"),
    (never_localised, "localisation", "no pose on amcl_pose"),
    (poorly_localised, "localisation", "exceed the limits"),
    (localised_without_a_number, "localisation", "exceed the limits"),
    (unreadable_colour, "image", "'nv99' is not supported"),
)


def test_the_good_robot_has_no_problem() -> None:
    findings = examine(ROBOT, good())
    assert [finding for finding in findings if finding.problem] == []
    assert len(findings) == 15


@pytest.mark.parametrize(
    ("mistake", "what", "problem"), MISTAKES, ids=lambda item: getattr(item, "__name__", "")
)
def test_a_seeded_mistake_is_found_alone_and_has_a_mend(
    mistake: Callable[[Observations], None], what: str, problem: str
) -> None:
    seen = good()
    mistake(seen)
    (finding,) = [finding for finding in examine(ROBOT, seen) if finding.failed]
    assert finding.what.endswith(what)
    assert problem in finding.problem
    assert finding.mend


def no_pictures_at_all(seen: Observations) -> None:
    for streams in (seen.images, seen.depths):
        streams["head"] = Stream()  # type: ignore[index]


def no_edges(seen: Observations) -> None:
    seen.depths["head"].pixels = np.full((240, 320), 2.0, np.float32)


@pytest.mark.parametrize(
    ("absence", "what", "reason"),
    [
        (no_pictures_at_all, "intrinsics", "no image has come whose size"),
        (no_pictures_at_all, "depth values", "no image has come on /depth"),
        (no_pictures_at_all, "depth registered to colour", "no readable image has come on /rgb"),
        (unreadable_colour, "depth registered to colour", "no readable image has come on /rgb"),
        (depth_and_colour_swapped, "depth registered to colour", "no readable image has come on /depth"),
        (no_edges, "depth registered to colour", "too few edges"),
    ],
)
def test_what_could_not_be_looked_at_is_no_success(
    absence: Callable[[Observations], None], what: str, reason: str
) -> None:
    seen = good()
    absence(seen)
    (finding,) = [found for found in examine(ROBOT, seen) if found.what.endswith(what)]
    assert not finding.checked
    assert not finding.failed
    assert reason in finding.problem
    assert finding.mend


def test_an_action_under_another_name_is_proposed() -> None:
    seen = good()
    action_in_a_namespace(seen)
    (finding,) = [finding for finding in examine(ROBOT, seen) if finding.failed]
    assert finding.mend == "set action to /robot1/navigate_to_pose in robot.yaml"


HAND = {
    "group": "arm",
    "base": "shoulder",
    "tip": "tcp",
    "reach": 0.9,
    "payload": 1.0,
    "move_action": "/move_action",
    "gripper": {
        "action": "/gripper/cmd",
        "type": "command",
        "joint": "finger",
        "opening": 0.08,
        "open_position": 0.04,
        "pad": [0.02, 0.012, 0.044],
        "tip_length": 0.02,
    },
}


def test_the_actions_and_frames_of_an_arm_are_checked() -> None:
    skills = {"NAVIGATE": {"backend": "nav2"}, "GRASP": {"backend": "moveit"}}
    robot = RobotDescription.model_validate({**ROBOT.model_dump(), "arm": HAND, "skills": skills})
    seen = good()
    seen = replace(
        seen,
        transforms={**seen.transforms, "shoulder": 0.1},
        actions={
            **seen.actions,
            "/move_action": ("moveit_msgs/action/MoveGroup",),
            "/gripper/cmd": ("control_msgs/action/ParallelGripperCommand",),
        },
    )
    tip, gripper = [finding for finding in examine(robot, seen) if finding.problem]
    assert (tip.what, tip.problem) == ("transform map <- tcp", "the frames are not connected")
    assert gripper.problem.endswith("expected control_msgs/action/GripperCommand")


def test_depth_with_intrinsics_of_its_own_need_not_be_registered() -> None:
    head = ROBOT.cameras["head"].model_copy(update={"depth_info": "/depth_info"})
    seen = good()
    depth_in_its_own_frame(seen)
    unregistered_depth(seen)
    assert len([f for f in examine(ROBOT, seen) if f.problem]) == 2
    assert not [f for f in examine(ROBOT.model_copy(update={"cameras": {"head": head}}), seen) if f.problem]


def pictures(right: int, down: int) -> tuple[np.ndarray, np.ndarray]:
    """A picture of a few bodies, and their depth moved by some pixels."""
    colour, depth = np.full((240, 320, 3), 40, np.uint8), np.full((240, 320), 3.0, np.float32)
    for x, y, width, height in ((60, 50, 50, 70), (150, 80, 40, 100), (230, 60, 50, 50)):
        colour[y : y + height, x : x + width] = (200, 180, 90)
        depth[y + down : y + down + height, x + right : x + right + width] = 1.0
    return colour, depth


@pytest.mark.parametrize(("right", "down"), [(0, 0), (20, 0), (-16, 10), (0, -24)])
def test_the_shift_is_measured_in_parts_of_the_width(right: int, down: int) -> None:
    assert alignment(*pictures(right, down)) == pytest.approx((right / 320, down / 320), abs=0.01)


def test_a_blank_wall_says_nothing() -> None:
    assert alignment(np.full((240, 320, 3), 90, np.uint8), np.full((240, 320), 2.0, np.float32)) is None


def test_depth_of_another_resolution_is_compared_too() -> None:
    colour, depth = pictures(20, 0)
    assert alignment(colour, depth[::2, ::2]) == pytest.approx((20 / 320, 0.0), abs=0.015)
