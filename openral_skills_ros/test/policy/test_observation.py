"""Observations of a policy: sizes and encodings of images, units of joints."""

from typing import Any

import cv2
import numpy as np
import pytest

pytest.importorskip("rclpy")

from sensor_msgs.msg import CompressedImage, JointState

from openral_core.policies import CameraInput, JointInput
from openral_core.robot import Camera
from openral_core.rskills import PolicyManifest
from openral_ros.qos import SENSOR
from openral_ros.resources import ResourceScope
from openral_skills_ros.backends.policy.observation import (
    JointStates,
    ObservationReader,
    StaleInput,
    joint_values,
    resized,
)

RGB = np.full((60, 120, 3), (200, 100, 50), np.uint8)
CONTRACT: dict[str, Any] = {
    "kind": "policy",
    "id": "p",
    "description": "Opens.",
    "verb": "OPEN",
    "protocol": "openpi",
    "observation": {"image": {"source": "camera", "camera": "head", "size": [30, 30], "fit": "stretch"}},
    "action": {"layout": [{"joints": ["a"]}], "execute": 1},
    "rate": 10.0,
    "max_duration": 1.0,
    "verify": {"by": "none"},
}


def camera(**options: Any) -> CameraInput:
    return CameraInput.model_validate({"source": "camera", "camera": "head", "size": (64, 48), **options})


def test_a_padded_image_keeps_its_proportions() -> None:
    image = resized(RGB, camera())
    assert image.shape == (48, 64, 3)
    assert (image[8:40] == (200, 100, 50)).all()
    assert not image[:8].any()
    assert not image[40:].any()


def test_a_stretched_image_fills_its_size_in_the_asked_encoding() -> None:
    image = resized(RGB, camera(fit="stretch", encoding="bgr8"))
    assert image.shape == (48, 64, 3)
    assert image.flags.c_contiguous
    assert (image == (50, 100, 200)).all()


def test_a_grippers_range_becomes_zero_to_one() -> None:
    source = JointInput(source="joints", joints=("finger",), unit_range=(0.04, 0.0))
    values = joint_values(np.array([0.03]), source)
    assert values.dtype == np.float32
    assert values.tolist() == pytest.approx([0.25])


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (cv2.imencode(".png", RGB[..., ::-1])[1].tobytes(), ""),
        (b"no image", "camera 'head': 8 bytes of 'png' cannot be decoded"),
    ],
)
def test_compressed_images_are_decoded(bench: Any, data: bytes, problem: str) -> None:
    topics = Camera(image="/rgb", info="/info", optical_frame="optical", transport="compressed")
    publisher = bench.robot.create_publisher(CompressedImage, "/rgb/compressed", SENSOR)
    scope = ResourceScope(bench.client)
    reader = ObservationReader(
        scope, PolicyManifest.model_validate(CONTRACT), {"head": topics}, JointStates(scope), {}
    )
    assert reader.stale == "camera 'head': images may be 0.5 s old, none has come"
    bench.until(publisher.get_subscription_count)
    publisher.publish(CompressedImage(format="png", data=data))
    bench.until(lambda: not reader.stale)
    if problem:
        with pytest.raises(StaleInput, match=problem):
            reader.read()
    else:
        image = reader.read()["image"]
        assert isinstance(image, np.ndarray)
        assert (image == (200, 100, 50)).all()
    scope.close()


def test_joint_states_ignore_what_is_not_finite(bench: Any) -> None:
    scope = ResourceScope(bench.client)
    joints = JointStates(scope)
    publisher = bench.robot.create_publisher(JointState, "joint_states", 10)
    bench.until(publisher.get_subscription_count)
    publisher.publish(JointState(name=["a", "b"], position=[1.0, float("nan")]))
    bench.until(lambda: not joints.missing(["a"]))
    assert joints.missing(["a", "b"]) == ["b"]
    assert joints.stale(["b"], 1.0) == "joint 'b' was last in joint_states never, the limit is 1.0 s"
    scope.close()
