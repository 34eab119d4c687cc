"""A closer look at an object before it is grasped, by the depth camera on the hand."""

from collections.abc import Iterator

import numpy as np
import scipy

from openral_core.arrays import Rotation, Transform, Vector3
from openral_core.geometry import Pose
from openral_core.grasping.approach import ApproachDirection, hand_axes
from openral_core.grasping.segmentation import ObjectSegment
from openral_core.robot import MoveItBackend
from openral_core.skill_errors import NothingThere
from openral_core.skill_requests import GraspRequest
from openral_core.skills import SkillStatus
from openral_skills_ros.backends.backend import Failed, Run
from openral_skills_ros.backends.manipulation import Hand
from openral_skills_ros.backends.object_scan import NotSeen, ObjectScanner

TURNS = (0.0, np.pi, np.pi / 2, -np.pi / 2)
"""Turns of the hand about the line of sight to try [rad]."""
MAX_VIEWS = 6
"""Hand poses from which a closer look is tried [count]."""


class CloserLook:
    """Moves the hand before an object and scans it with the camera that the hand carries."""

    def __init__(self, hand: Hand, options: MoveItBackend, scanner: ObjectScanner) -> None:
        self._hand, self._options, self._scanner = hand, options, scanner

    async def scan(
        self, request: GraspRequest, approaches: list[ApproachDirection], run: Run
    ) -> tuple[ObjectSegment, list[ApproachDirection]] | None:
        """Scan an object from the first approach that the hand reaches; None if it cannot be seen from any.

        Returns:
            The object, and the approaches in the order of the angle from which it was seen.
        """
        scene, attempts = self._hand.scene(request.position), 0
        for approach in approaches:
            for T in self._views(request, approach):
                if attempts == MAX_VIEWS:
                    return None
                attempts += 1
                try:
                    await self._hand.arm.reach(T, scene, run, "looking closely")
                    segment = await self._scanner.scan(request, run, closely=True)
                except Failed as error:
                    if error.status is not SkillStatus.NOT_REACHABLE:
                        raise
                except (NotSeen, NothingThere):
                    return None
                else:
                    return segment, sorted(approaches, key=lambda other: angle_between(approach, other))
        return None

    def _views(self, request: GraspRequest, approach: ApproachDirection) -> Iterator[Transform]:
        """List hand poses in map from which the camera sees an object along an approach."""
        tip, frame = self._hand.arm.options.tip, self._scanner.hand_frame
        T_tip_camera = self._hand.T(tip, frame)
        T_grasp_camera = self._hand.arm.T_grasp_tip() @ T_tip_camera
        # The fingers, which reach farther than the camera, stay as far away as before a grasp.
        ahead = float(np.linalg.inv(T_tip_camera)[2, 3]) + self._hand.gripper.options.tip_length
        distance = max(self._options.look_distance, ahead + self._options.distance)
        for turn in TURNS:
            yield view_pose(request, approach, T_grasp_camera, distance, turn)


def view_pose(
    request: GraspRequest,
    approach: ApproachDirection,
    T_grasp_camera: Transform,
    distance: float,
    turn: float,
) -> Transform:
    """Pose of the hand at which its camera looks along an approach at an object, shape (4, 4).

    Args:
        approach: Direction to look along.
        T_grasp_camera: Pose of the camera in the grasp frame, shape (4, 4).
        distance: Distance from the camera to the object's near side in [m].
        turn: Turn of the hand about the line of sight in [rad].
    """
    R_map_hand = hand_axes(approach)
    sight = R_map_hand[:, 2]
    R_map_camera = R_map_hand @ T_grasp_camera[:3, :3]
    R_map_camera = _shortest_rotation(R_map_camera[:, 2], sight) @ R_map_camera
    T = np.eye(4)
    T[:3, :3] = _rotation(turn * sight) @ R_map_camera
    half = np.array([request.reach, request.reach, request.height / 2])
    T[:3, 3] = request.position - (distance + float(np.abs(sight) @ half)) * sight
    pose: Transform = T @ np.linalg.inv(T_grasp_camera)
    return pose


def _shortest_rotation(one: Vector3, other: Vector3) -> Rotation:
    """Rotation matrix that takes one unit vector to another, shape (3, 3)."""
    axis, cosine = np.cross(one, other), float(one @ other)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-9:
        return np.eye(3) if cosine > 0.0 else _rotation(np.pi * _across(one))
    return _rotation(axis / sine * np.arctan2(sine, cosine))


def _rotation(vector: Vector3) -> Rotation:
    """Rotation matrix of a rotation vector [rad], shape (3, 3)."""
    matrix: Rotation = scipy.spatial.transform.Rotation.from_rotvec(vector).as_matrix()
    return matrix


def _across(one: Vector3) -> Vector3:
    """Return a unit vector across another one."""
    across: Vector3 = np.cross(one, np.eye(3)[int(np.abs(one).argmin())])
    return across / np.linalg.norm(across)


def angle_between(one: ApproachDirection, other: ApproachDirection) -> float:
    """Angle between two approaches in [rad]."""
    along = one.R_map_approach[:, 2] @ other.R_map_approach[:, 2]
    return float(np.arccos(np.clip(along, -1.0, 1.0)))


def around(segment: ObjectSegment, request: GraspRequest) -> GraspRequest:
    """Return the request of an object with its measured middle and extents."""
    own = segment.own_points
    low, high = own.min(axis=0), own.max(axis=0)
    low[2] = segment.support
    x, y, z = ((low + high) / 2).tolist()
    width, depth, height = (high - low).tolist()
    return GraspRequest(Pose((x, y, z)), (width, depth, height), request.label)
