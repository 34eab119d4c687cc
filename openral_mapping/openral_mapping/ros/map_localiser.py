"""Localisation of the mapper: corrects odometry by every image, and publishes map -> odom."""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

from openral_core.arrays import Array, Transform
from openral_core.documents import InvalidDocument, read_json
from openral_core.geometry import Pose, planar_part, yaw_matrix
from openral_mapping.floor.recent_people import RecentPeople
from openral_mapping.floor.scan_matching import ScanMatcher, surfaces_path
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.stamps import seconds, stamp_of
from openral_ros.resources import ResourceScope
from openral_world_state.depth_camera import DepthView

PERIOD, AHEAD = 0.1, 0.3
"""Time between two transforms, and time by which each is stamped later than now [s]: images find theirs."""
POSE_PERIOD = 1.0
"""Time between two saves of the pose of odom [s], in which odometry errs by centimetres."""
_TF = QoSProfile(depth=100)


class MapLocaliser:
    """Pose of the odometry's frame in map.

    Args:
        scope: Of publisher and timer.
        node: Whose clock stamps the transforms.
        map_frame: Frame of the map.
        odom_frame: Frame in which odometry has the base; identical to map where the map begins.
        map_path: File of the map, beside which the surfaces are kept; None to keep nothing.

    Attributes:
        people: Those who were seen lately; their surfaces are not matched.

    Raises:
        InvalidMapFile: If the file of the surfaces cannot be used.
    """

    def __init__(
        self, scope: ResourceScope, node: Node, map_frame: str, odom_frame: str, map_path: Path | None
    ) -> None:
        self._node, self._map_frame, self.odom_frame = node, map_frame, odom_frame
        self._path = surfaces_path(map_path) if map_path is not None else None
        is_known = self._path is not None and self._path.exists()
        self._matcher = ScanMatcher.load(self._path) if is_known and self._path else ScanMatcher()
        self.people = RecentPeople()
        self._pose_path = map_path.with_name(f"{map_path.stem}.pose.json") if map_path is not None else None
        self._before = stored_pose(self._pose_path) if self._pose_path is not None else None
        self.T_map_odom: Transform = np.eye(4) if self._before is None else self._before
        self._publisher = scope.publisher(TFMessage, "tf", _TF)
        self._publish()
        scope.timer(PERIOD, self._publish)
        if self._pose_path is not None:
            scope.timer(POSE_PERIOD, self._keep_pose)

    @property
    def is_lost(self) -> bool:
        """True after a jump of the odometry until the pose was found again."""
        return self._matcher.is_lost

    def localise(self, view: DepthView, rays: Array, body_rays: Array, base: Transform) -> DepthView:
        """Correct the pose by an image; return its view in map.

        Args:
            view: The image without the robot itself, with its pose in the frame of the odometry.
            rays: Of its pixels at depth 1, shape (H, W, 3).
            body_rays: As for `without_body`.
            base: Pose of the base in the frame of the odometry, shape (4, 4).
        """
        if self._before is not None:
            self.T_map_odom, self._before = self._better(self._before, view, rays), None
        T_map_camera = self.T_map_odom @ view.T_map_camera
        still = self.people.left_out(view.depth, body_rays, T_map_camera, view.stamp)
        correction = self._matcher.correction(still, rays, T_map_camera, self.T_map_odom @ base)
        self.T_map_odom = correction @ self.T_map_odom
        return replace(view, T_map_camera=correction @ T_map_camera)

    def _better(self, before: Transform, view: DepthView, rays: Array) -> Transform:
        """Return the pose of odom that fits an image better: that kept, or that of odometry begun anew."""
        poses = (before, np.eye(4))
        shares = [self._matcher.known_share(view.depth, rays, T @ view.T_map_camera) for T in poses]
        return poses[int(np.argmax(shares))]

    def _keep_pose(self) -> None:
        """Keep the pose of odom for the next process; a disk that refuses is no reason to end."""
        if self._pose_path is None or self._before is not None:
            return
        text = json.dumps(dict(zip(("x", "y", "yaw"), planar_part(self.T_map_odom), strict=True)))
        temporary = self._pose_path.with_name(f".{self._pose_path.name}.tmp")
        with suppress(OSError):
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(self._pose_path)

    def save(self) -> None:
        """Write the surfaces.

        Raises:
            OSError: If the disk refuses.
        """
        if self._path is not None:
            self._matcher.save(self._path)

    def _publish(self) -> None:
        pose = Pose.from_matrix(self.T_map_odom)
        message = TransformStamped(child_frame_id=self.odom_frame, transform=transform_message(pose))
        message.header.frame_id = self._map_frame
        message.header.stamp = stamp_of(seconds(self._node.get_clock().now().to_msg()) + AHEAD)
        self._publisher.publish(TFMessage(transforms=[message]))


def stored_pose(path: Path) -> Transform | None:
    """Return the pose that a process kept, shape (4, 4); None if there is none that can be read."""
    try:
        pose = read_json(path)
        return yaw_matrix(float(str(pose["x"])), float(str(pose["y"])), float(str(pose["yaw"])))
    except (InvalidDocument, ValueError, KeyError):
        return None
