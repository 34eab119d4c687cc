"""Shots as frames: the one place where a detector's images are decoded."""

from collections.abc import Callable, Mapping

import numpy as np
from sensor_msgs.msg import CompressedImage

from openral_core.rskills import Sensor
from openral_perception_ros.engines import Frame, Plane
from openral_perception_ros.frames import Shot
from openral_perception_ros.frames.exposure import is_blank
from openral_perception_ros.looks.refusals import BlankFrame
from openral_ros.conversions.compressed import rgb_of_compressed
from openral_ros.conversions.images import depth_of, image_view, rgb_of


def _colour(message: object) -> Plane:
    return rgb_of_compressed(message) if isinstance(message, CompressedImage) else rgb_of(message)


def _instances(message: object) -> Plane:
    return image_view(message).astype(np.uint16, copy=False)


_DECODERS: Mapping[Sensor, Callable[[object], Plane]] = {
    Sensor.RGB: _colour,
    Sensor.DEPTH: depth_of,
    Sensor.SEMANTIC: _instances,
}


def decode(shot: Shot) -> Frame:
    """The planes of a shot.

    Raises:
        UnsupportedEncoding: If an image's encoding cannot be read.
        MalformedImage: If an image's sizes contradict its data.
        UndecodableImage: If compressed data is neither JPEG nor PNG.
        ImageTooLarge: If it is larger than any camera's; nothing of it is decoded.
        BlankFrame: If its colours show nothing.
    """
    planes = {name: _DECODERS[Sensor(name)](image) for name, image in shot.images.items()}
    colour = planes.get(Sensor.RGB.value)
    if colour is not None and is_blank(colour.astype(np.uint8, copy=False)):
        raise BlankFrame(shot.camera)
    return Frame(planes, shot.camera, shot.stamp, shot.labels)
