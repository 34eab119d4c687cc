"""The 13 encodings a camera may send, padded rows, compressed images, and what cannot be decoded."""

import numpy as np
import pytest
from sensor_msgs.msg import CompressedImage, Image

from openral_core.rskills import Sensor
from openral_perception_ros.conformance.encodings import LOSSLESS, LOSSY, bomb, compressed, encoded, padded
from openral_perception_ros.conformance.subject import Subject
from openral_perception_ros.engines import Frame
from openral_perception_ros.frames import Shot
from openral_perception_ros.looks import DetectorFailed
from openral_perception_ros.ros.decoding import decode

COLOUR_ERROR = 6.0
"""Mean over the picture of what a lossy colour encoding may change [of 255]."""
GREY = ("mono8", "8UC1", "mono16")


def _received(subject: Subject, message: Image | CompressedImage) -> Frame:
    """The picture as the node decodes it; other planes as they are."""
    frame = subject.picture()
    planes = decode(_shot(subject, message)).planes
    return Frame({**frame.planes, **planes}, frame.camera, frame.stamp, frame.labels)


def _shot(subject: Subject, message: Image | CompressedImage) -> Shot:
    frame = subject.picture()
    return Shot(frame.camera, frame.stamp, "optical", 0.0, {Sensor.RGB.value: message})


def _rgb(subject: Subject) -> np.ndarray:
    return subject.picture().plane(Sensor.RGB).astype(np.uint8)


@pytest.fixture
def sees_colour(subject: Subject) -> None:
    """Skips what looks at no colour image."""
    if Sensor.RGB not in subject.detector.manifest.sensors:
        pytest.skip("its manifest asks for no colour image")


@pytest.mark.usefixtures("sees_colour")
@pytest.mark.parametrize("encoding", [*LOSSLESS, "padded rows", "png"])
def test_encodings_that_keep_every_pixel_change_nothing(subject: Subject, encoding: str) -> None:
    """The same boxes, whatever the camera sends."""
    rgb = _rgb(subject)
    others = {"padded rows": padded, "png": compressed}
    message = others[encoding](rgb) if encoding in others else encoded(rgb, encoding)
    frame = _received(subject, message)
    np.testing.assert_array_equal(frame.plane(Sensor.RGB), rgb)
    assert subject.look(frame, subject.words) == subject.look(subject.picture(), subject.words)


@pytest.mark.usefixtures("sees_colour")
@pytest.mark.parametrize("encoding", list(LOSSY))
def test_other_encodings_look_alike_and_are_looked_at(subject: Subject, encoding: str) -> None:
    """No channel is swapped and no half of the picture lost."""
    frame = _received(subject, encoded(_rgb(subject), encoding))
    seen, true = frame.plane(Sensor.RGB).astype(float), _rgb(subject).astype(float)
    if encoding in GREY:
        true = np.repeat(true @ [[0.299], [0.587], [0.114]], 3, axis=2)
    assert np.abs(seen - true).mean() < COLOUR_ERROR
    for each in subject.look(frame, subject.words):
        assert 0.0 <= each.box.x_min < each.box.x_max <= frame.size[0]


@pytest.mark.usefixtures("sees_colour")
@pytest.mark.parametrize("side", [40_000, 8_000, 10])
def test_a_picture_that_cannot_be_decoded_costs_one_answer(subject: Subject, side: int) -> None:
    """The next picture is looked at by the same worker."""
    before, shot = subject.worker.pid, _shot(subject, bomb(side))
    assert isinstance(subject.outcome_of(shot, subject.words), DetectorFailed)
    subject.look(subject.picture(), subject.words)
    assert subject.worker.pid == before
