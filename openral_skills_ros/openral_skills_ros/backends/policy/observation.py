"""Observations of a policy: newest images, joint positions and texts of a goal."""

from collections.abc import Iterable, Mapping
from math import inf, isfinite
from time import monotonic

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image, JointState

from openral_core.arrays import Array32, Joints
from openral_core.errors import OpenRALError
from openral_core.policies import CameraInput, JointInput, PolicyContract, TextInput, fill_template
from openral_core.robot import Camera
from openral_core.skill_errors import SkillFailed
from openral_ros.conversions.images import rgb_of, rgb_of_compressed
from openral_ros.qos import SENSOR
from openral_ros.resources import ResourceScope

AT_REST = 0.02
"""Speed below which a joint stands still [rad/s] or [m/s]: noise of an encoder is below."""


class StaleInput(SkillFailed):
    """A camera or joint that has not been published for too long."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the robot holds: {problem}")


class JointStates:
    """Newest positions of joints in joint_states, with the times at which they arrived."""

    def __init__(self, scope: ResourceScope) -> None:
        self._newest: dict[str, tuple[float, float]] = {}
        self._speeds: dict[str, float] = {}
        scope.subscription(JointState, "joint_states", self._on_joints, SENSOR)

    def missing(self, joints: Iterable[str]) -> list[str]:
        """Return the joints that were never published."""
        return sorted(set(joints) - self._newest.keys())

    def positions(self, joints: Iterable[str]) -> Joints:
        """Return the positions of known joints [rad] or [m]."""
        return np.array([self._newest[joint][0] for joint in joints])

    def stale(self, joints: Iterable[str], max_age: float) -> str:
        """Return why positions are older than ``max_age`` [s], "" if they are not."""
        now = monotonic()
        for joint in joints:
            age = now - self._newest[joint][1] if joint in self._newest else inf
            if age > max_age:
                when = "never" if age == inf else f"{age:.1f} s ago"
                return f"joint {joint!r} was last in joint_states {when}, the limit is {max_age:.1f} s"
        return ""

    def at_rest(self, joints: Iterable[str]) -> bool:
        """Return True if no joint moved between its last two messages."""
        return all(self._speeds.get(joint, 0.0) < AT_REST for joint in joints)

    def _on_joints(self, message: JointState) -> None:
        now = monotonic()
        for name, position in zip(message.name, message.position, strict=False):
            if not isfinite(position):
                continue
            before, when = self._newest.get(name, (position, 0.0))
            self._speeds[name] = abs(position - before) / max(now - when, 1e-3)
            self._newest[name] = (position, now)


class ObservationReader:
    """Observations of one goal; cameras are subscribed as long as its scope lives."""

    def __init__(
        self,
        scope: ResourceScope,
        contract: PolicyContract,
        cameras: Mapping[str, Camera],
        joints: JointStates,
        texts: Mapping[str, str],
    ) -> None:
        self._contract, self._joints, self._texts = contract, joints, texts
        self._images: dict[str, tuple[Image | CompressedImage, float]] = {}
        self._cameras = {each.camera for each in contract.inputs if isinstance(each, CameraInput)}
        self._observed = [
            joint for each in contract.inputs if isinstance(each, JointInput) for joint in each.joints
        ]
        for name in self._cameras:
            self._subscribe(scope, name, cameras[name])

    @property
    def stale(self) -> str:
        """Reason why there is no observation now, "" if there is one."""
        now, max_age = monotonic(), self._contract.max_age
        for name in sorted(self._cameras):
            age = now - self._images[name][1] if name in self._images else inf
            if age > max_age:
                when = "none has come" if age == inf else f"the newest came {age:.1f} s ago"
                return f"camera {name!r}: images may be {max_age:.1f} s old, {when}"
        return self._joints.stale(self._observed, max_age)

    def read(self) -> dict[str, object]:
        """Return an observation.

        Raises:
            StaleInput: If an input is too old, or an image cannot be read.
        """
        if self.stale:
            raise StaleInput(self.stale)
        return {key: self._value(each) for key, each in self._contract.observation.items()}

    def _subscribe(self, scope: ResourceScope, name: str, camera: Camera) -> None:
        kind = CompressedImage if camera.transport == "compressed" else Image

        def on_image(image: Image | CompressedImage) -> None:
            self._images[name] = (image, monotonic())

        scope.subscription(kind, camera.image_topic, on_image, SENSOR)

    def _value(self, source: CameraInput | JointInput | TextInput) -> object:
        match source:
            case CameraInput():
                return self._picture(source)
            case JointInput():
                return joint_values(self._joints.positions(source.joints), source)
            case TextInput():
                return fill_template(source.text, self._texts)

    def _picture(self, source: CameraInput) -> NDArray[np.uint8]:
        image = self._images[source.camera][0]
        try:
            rgb = rgb_of_compressed(image) if isinstance(image, CompressedImage) else rgb_of(image)
        except OpenRALError as error:
            raise StaleInput(f"camera {source.camera!r}: {error}") from error
        return resized(rgb, source)


def resized(rgb: NDArray[np.uint8], source: CameraInput) -> NDArray[np.uint8]:
    """Return an RGB image of shape (H, W, 3) in the size and encoding of an input, padded with black."""
    width, height = source.size
    if source.fit == "pad":
        scale = min(width / rgb.shape[1], height / rgb.shape[0])
        inner = (max(1, round(rgb.shape[1] * scale)), max(1, round(rgb.shape[0] * scale)))
    else:
        inner = (width, height)
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    padded = np.zeros((height, width, 3), np.uint8)
    padded[top : top + inner[1], left : left + inner[0]] = cv2.resize(
        rgb, inner, interpolation=cv2.INTER_AREA
    )
    return padded if source.encoding == "rgb8" else np.ascontiguousarray(padded[..., ::-1])


def joint_values(positions: Joints, source: JointInput) -> Array32:
    """Return positions in the units of an input, shape (joints,)."""
    if source.unit_range is not None:
        zero, one = source.unit_range
        positions = (positions - zero) / (one - zero)
    return positions.astype(np.float32)
