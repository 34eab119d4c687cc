"""Measured shape of an object: points of a depth camera, or the box of the request if there is no camera."""

from dataclasses import replace

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image

from openral_core.arrays import Array32, Intrinsics, Points, Transform, Vector3
from openral_core.errors import OpenRALError
from openral_core.geometry import StaleTransform, UnknownFrame, transform_points
from openral_core.grasping.segmentation import NoObjectFound, ObjectSegment, segment_object
from openral_core.robot import Camera, RobotDescription
from openral_core.skill_errors import BadRequest, NothingThere, SkillFailed
from openral_core.skill_requests import GraspRequest
from openral_ros.conversions.images import depth_of
from openral_ros.conversions.stamps import seconds
from openral_ros.foreign_topics import subscribe_state
from openral_ros.qos import SENSOR
from openral_ros.resources import ResourceScope
from openral_ros.tf_buffer import TransformBuffer
from openral_skills_ros.backends.backend import Pauses, Run
from openral_skills_ros.foreign_actions.goal_templates import Message

IMAGE_TIMEOUT = 5.0
"""Longest wait for a depth image, its intrinsics and its transform [s]."""
MARGIN = 0.10
"""Room around an object that is scanned, for the fingers and the support [m]."""
STEP = 0.004
"""Spacing of the points of a box that stands for an object that is not scanned [m]; finer than any pad."""
BODY_STEP = 0.01
"""Spacing of the hidden points below a seen one [m]."""
TOP_TOLERANCE = 0.01
"""Difference in height within which a surface is the object's top [m]; above the noise of a depth camera."""
STILL_THERE = 0.5
"""Fraction of the points in an object's footprint from which it is still there [1]."""
SEEN_RADIUS = 0.05
"""Distance from the expected position within which points show that its place is seen [m]."""
MIN_POINTS = 20
"""Points within that distance below which it is not [count]; a segment's support needs as many."""
STRIDE_PIXELS = 60_000
"""Pixels of a scan above which only every second row and column is used [count]."""


class NotSeen(SkillFailed):
    """A scan that says nothing about the place where an object is expected."""


class NoDepthImage(NotSeen):
    """A camera whose depth did not come in time."""

    def __init__(self, source: str, error: object) -> None:
        super().__init__(f"no usable depth image of {source} within {IMAGE_TIMEOUT:.0f} s: {error}")


class OutOfView(NotSeen):
    """A place that is not in the depth image, or hidden."""

    def __init__(self, label: str) -> None:
        super().__init__(f"the depth camera does not see the place of the {label}: LOOK_AT it first")


class ObjectScanner:
    """Scans with the first camera that has depth and is not on the hand, closely with the one on the hand.

    It subscribes only during a scan.
    """

    def __init__(
        self, node: Node, robot: RobotDescription, transforms: TransformBuffer, pauses: Pauses
    ) -> None:
        self._node, self._map, self._transforms, self._pauses = node, robot.frames.map, transforms, pauses
        seeing = [camera for camera in robot.cameras.values() if camera.depth]
        self._camera = next((camera for camera in seeing if camera.mounted_on != "hand"), None)
        self._on_hand = next((camera for camera in seeing if camera.mounted_on == "hand"), None)

    @property
    def sees(self) -> bool:
        """True if a camera that is not on the hand has depth."""
        return self._camera is not None

    @property
    def hand_frame(self) -> str:
        """Optical frame of the depth camera on the hand, "" if there is none."""
        return self._on_hand.optical_frame if self._on_hand else ""

    async def scan(self, request: GraspRequest, run: Run, *, closely: bool = False) -> ObjectSegment:
        """Segment an object near its expected position; ``closely``: as the camera on the hand sees it.

        Raises:
            NothingThere: If there is no object at a place that is seen.
            NotSeen: If the place is not seen.
            BadRequest: If there is no camera with depth and the request has no size.
        """
        camera = self._on_hand if closely else self._camera
        if camera is None:
            return box_segment(request)
        points, eye = await self._points(camera, request, run)
        try:
            bottom = request.position[2] - request.height / 2
            segment = segment_object(points, request.position, bottom, request.outline)
        except NoObjectFound as error:
            raise NothingThere(f"no {request.label} found: {error}") from error
        return replace(with_hidden_body(segment), eye=eye)

    async def points(self, request: GraspRequest, run: Run) -> Points:
        """Return the points around an object in map, shape (N, 3), from the camera that is not on the hand.

        Raises:
            NotSeen: If there are too few of them, or no camera.
        """
        if self._camera is None:
            raise OutOfView(request.label)
        points, _ = await self._points(self._camera, request, run)
        return points

    async def _points(self, camera: Camera, request: GraspRequest, run: Run) -> tuple[Points, Vector3]:
        """Return the points around an object, shape (N, 3), and the camera's position, shape (3,), in map.

        Raises:
            NotSeen: If there are too few of them.
        """
        image, info = await self._image(camera, run)
        try:
            depth = depth_of(image)
        except OpenRALError as error:
            raise NoDepthImage(image.header.frame_id, error) from error
        points = back_project(depth, np.array(info.k, float).reshape(3, 3))
        T_map_camera = self._T_map_camera(image)
        points = transform_points(T_map_camera, points)
        distance = np.linalg.norm(points[:, :2] - request.position[:2], axis=1)
        near = np.abs(points[:, 2] - request.position[2]) < request.height / 2 + MARGIN
        if np.count_nonzero(near & (distance < SEEN_RADIUS)) < MIN_POINTS:
            raise OutOfView(request.label)
        return points[near & (distance < request.reach + MARGIN)], T_map_camera[:3, 3]

    async def _image(self, camera: Camera, run: Run) -> tuple[Image, CameraInfo]:
        """Wait for a depth image whose transform is known, and for its intrinsics."""
        received: dict[str, Message] = {}
        problem = ["nothing was received"]
        scope = ResourceScope(self._node)
        info = camera.depth_info or camera.info
        scope.subscription(Image, camera.depth, lambda image: received.update(image=image), SENSOR)
        subscribe_state(scope, CameraInfo, info, lambda info: received.update(info=info))

        def complete() -> bool:
            if run.stopping() or len(received) < 2:
                return run.stopping()
            try:
                self._T_map_camera(received["image"])
            except (UnknownFrame, StaleTransform) as error:
                problem[0] = str(error)
                return False
            return True

        try:
            is_complete = await self._pauses.until(complete, IMAGE_TIMEOUT)
        finally:
            scope.close()
        run.check()
        if not is_complete:
            raise NoDepthImage(camera.depth, problem[0])
        return received["image"], received["info"]

    def _T_map_camera(self, image: Image) -> Transform:
        return self._transforms.lookup(self._map, image.header.frame_id, seconds(image.header.stamp))


def back_project(depth: Array32, K: Intrinsics) -> Points:
    """Lift the known pixels of a depth image into the camera's optical frame.

    Source: pinhole model of sensor_msgs/CameraInfo; axes of REP 103.

    Args:
        depth: Range along the optical axis in [m], shape (H, W); 0 or NaN where unknown.
        K: Intrinsics in [px], shape (3, 3).

    Returns:
        Points in [m], shape (N, 3).
    """
    step = 2 if depth.size > STRIDE_PIXELS else 1
    rows, columns = np.mgrid[0 : depth.shape[0] : step, 0 : depth.shape[1] : step]
    z = depth[::step, ::step].astype(np.float64)
    measured = np.isfinite(z) & (z > 0.0)
    x, y = (columns - K[0, 2]) * z / K[0, 0], (rows - K[1, 2]) * z / K[1, 1]
    return np.column_stack([x[measured], y[measured], z[measured]])


def with_hidden_body(segment: ObjectSegment) -> ObjectSegment:
    """Add what the camera does not see below an object's points, down to its support; on a grid of `STEP`.

    Without it, a box that is seen from above would look like a plate whose edge can be gripped.
    """
    own = segment.own_points
    depths = np.arange(0.0, float(own[:, 2].max()) - segment.support, BODY_STEP)
    columns = own[None] - depths[:, None, None] * np.array([0.0, 0.0, 1.0])
    body = columns.reshape(-1, 3)
    body = body[body[:, 2] > segment.support + STEP]
    body = np.unique(np.round(body / STEP), axis=0) * STEP
    rest = segment.points[~segment.mask]
    mask = np.arange(len(rest) + len(body)) >= len(rest)
    return ObjectSegment(np.vstack([rest, body]), mask, segment.support)


def is_still_there(segment: ObjectSegment, points: Points, lift: float) -> bool:
    """Return True if points show an object where it was before it was lifted.

    Args:
        segment: The object before, with its hidden body.
        points: Points seen afterwards in map in [m], shape (N, 3).
        lift: Height to which it was lifted in [m].
    """
    own = segment.own_points
    low, high = own.min(axis=0), own.max(axis=0)
    top = float(high[2])
    inside = ((points[:, :2] >= low[:2]) & (points[:, :2] <= high[:2])).all(axis=1)
    # From above, its top is seen; from the side, its lower part, which the lifted object has left.
    z = points[inside, 2]
    on_top = np.abs(z - top) < TOP_TOLERANCE
    below = (z > segment.support + 2 * STEP) & (z < min(top, segment.support + 0.8 * lift))
    return bool(np.count_nonzero(on_top | below) > STILL_THERE * np.count_nonzero(inside))


def box_segment(request: GraspRequest) -> ObjectSegment:
    """Make the points of an object's box, upright on its support.

    Raises:
        BadRequest: If the request has no size.
    """
    if not all(request.size):
        raise BadRequest("the robot has no camera with depth, so GRASP needs size_x, size_y and size_z")
    half = np.array(request.size) / 2
    axes = [np.arange(-value, value + STEP / 2, STEP) for value in half]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    shell = grid[(np.abs(np.abs(grid) - half) < STEP).any(axis=1)]
    own = transform_points(request.target.matrix(), shell)
    support = float(own[:, 2].min())
    reach = request.reach + MARGIN
    x, y = (offset.ravel() for offset in np.meshgrid(*[np.arange(-reach, reach, STEP)] * 2))
    floor = np.column_stack([x + request.position[0], y + request.position[1], np.full(x.size, support)])
    points = np.vstack([own[own[:, 2] > support + STEP], floor])
    return ObjectSegment(points, points[:, 2] > support + STEP / 2, support)
