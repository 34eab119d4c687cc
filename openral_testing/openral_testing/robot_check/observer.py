"""Observation of a running robot for a few seconds: cameras, transforms, actions and localisation."""

import asyncio
from collections.abc import Callable

import numpy as np
from geometry_msgs.msg import PoseWithCovarianceStamped
from numpy.typing import NDArray
from rclpy.action import get_action_names_and_types
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from openral_core.errors import OpenRALError
from openral_core.geometry import UnknownFrame, frame_name
from openral_core.robot import RobotDescription
from openral_ros.conversions.images import depth_of, rgb_of, rgb_of_compressed
from openral_ros.conversions.stamps import seconds
from openral_ros.foreign_topics import subscribe_state
from openral_ros.node_thread import NodeThread
from openral_ros.qos import SENSOR
from openral_ros.tf_buffer import TransformBuffer
from openral_skills_ros.backends.localisation import YAW, X, Y
from openral_testing.robot_check.findings import CameraModel, Observations, Stream, frames_of

MIN_TIME = 2.0
"""Shortest observation [s]: rates and the discovery of actions need it."""


class Observer:
    """Subscriptions to everything that robot.yaml names."""

    def __init__(self, robot: RobotDescription, domain: int | None = None) -> None:
        self._robot = robot
        self._thread = NodeThread("robot_check", robot.namespace, domain)
        self._node, scope = self._thread.node, self._thread.scope
        self._images = {name: Stream() for name in robot.cameras}
        self._depths = {name: Stream() for name, camera in robot.cameras.items() if camera.depth}
        self._newest: dict[int, Image | CompressedImage] = {}
        self._models: dict[str, CameraModel] = {}
        self._variances: tuple[float, float, float] | None = None
        self._transforms = TransformBuffer(scope)
        for name, camera in robot.cameras.items():
            kind = CompressedImage if camera.transport == "compressed" else Image
            scope.subscription(kind, camera.image_topic, self._taker(self._images[name]), SENSOR)
            subscribe_state(scope, CameraInfo, camera.info, self._info_taker(name))
            if camera.depth:
                scope.subscription(Image, camera.depth, self._taker(self._depths[name]), SENSOR)
        if robot.localisation is not None:
            subscribe_state(scope, PoseWithCovarianceStamped, robot.localisation.topic, self._on_pose)

    async def observe(self, duration: float) -> Observations:
        """Observe for ``duration`` [s]."""
        self._thread.start()
        try:
            await asyncio.sleep(max(duration, MIN_TIME))
            return await self._thread.ask(self._result)
        finally:
            self._thread.close()

    def _taker(self, stream: Stream) -> Callable[[Image | CompressedImage], None]:
        def take(message: Image | CompressedImage) -> None:
            stamp = seconds(message.header.stamp)
            stream.stamps.append(stamp)
            stream.ages.append(self._now() - stamp)
            self._newest[id(stream)] = message

        return take

    def _info_taker(self, name: str) -> Callable[[CameraInfo], None]:
        def take(message: CameraInfo) -> None:
            matrix = np.array(message.k, float).reshape(3, 3)
            self._models[name] = CameraModel(matrix, (message.width, message.height))

        return take

    def _on_pose(self, message: PoseWithCovarianceStamped) -> None:
        covariance = message.pose.covariance
        self._variances = (float(covariance[X]), float(covariance[Y]), float(covariance[YAW]))

    def _now(self) -> float:
        return seconds(self._node.get_clock().now().to_msg())

    def _result(self) -> Observations:
        for stream in self._images.values():
            self._read(stream, _colour_of)
        for stream in self._depths.values():
            self._read(stream, depth_of)
        served = {
            name: tuple(types)
            for name, types in get_action_names_and_types(self._node)
            if self._node.count_services(f"{name}/_action/send_goal") > 0
        }
        return Observations(
            self._images,
            self._depths,
            self._models,
            {frame: self._age(frame) for frame in frames_of(self._robot)},
            served,
            self._variances,
        )

    def _read(self, stream: Stream, decode: Callable[[Image | CompressedImage], NDArray[np.generic]]) -> None:
        message = self._newest.get(id(stream))
        if message is None:
            return
        stream.frame_id = frame_name(message.header.frame_id)
        if isinstance(message, Image):
            stream.encoding, stream.size = message.encoding, (message.width, message.height)
        try:
            stream.pixels = decode(message)
        except OpenRALError as error:
            stream.problem = str(error)
            return
        stream.size = (stream.pixels.shape[1], stream.pixels.shape[0])

    def _age(self, frame: str) -> float | None:
        try:
            newest = self._transforms.newest(self._robot.frames.map, frame)
        except UnknownFrame:
            return None
        return max(0.0, self._now() - newest) if np.isfinite(newest) else 0.0


def _colour_of(message: Image | CompressedImage) -> NDArray[np.uint8]:
    return rgb_of_compressed(message) if isinstance(message, CompressedImage) else rgb_of(message)
