"""Images of a recording, a folder, or the topic of a running robot's camera."""

import time
from collections.abc import Generator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image

from openral_core.errors import OpenRALError, format_choices
from openral_ros.conversions.images import rgb_of, rgb_of_compressed
from openral_ros.message_types import DamagedMessage, by_type_name, decoded
from openral_ros.qos import SENSOR
from openral_ros.temporary_node import TemporaryNode
from openral_testing.recordings.recovery import complete_recording, recorded_messages
from openral_training.perceive.bag import open_bag

IMAGES = by_type_name((Image, CompressedImage))
SUFFIXES = (".jpg", ".jpeg", ".png")
NANO = 1_000_000_000
"""Nanoseconds per second [1/s]."""
STALL = 30.0
"""Longest wait for an image of a camera [s]."""
Found = tuple[NDArray[np.uint8], str]
"""An image, RGB of shape (H, W, 3), and where it comes from."""


class NoImages(OpenRALError):
    """A source without usable images."""

    def __init__(self, source: object, problem: str) -> None:
        super().__init__(f"{source} has no images: {problem}")


def frames_of(source: str, camera: str, every: float) -> Generator[Found]:
    """Yield the images of a source.

    Args:
        source: A recording, a folder of images, or "live".
        camera: Id of the camera of a recording or robot, or a topic that begins with "/".
        every: Least time between two images of a camera [s].

    Raises:
        NoImages: If it has none.
        NotARecording, NeedsRecovery: If a file is no recording, or has no index.
    """
    if source == "live":
        return live_images(camera, every)
    path = Path(source)
    if path.is_dir() and any(each.suffix.lower() in SUFFIXES for each in path.iterdir()):
        return stored_images(path)
    return recorded_images(path, camera, every)


def stored_images(path: Path) -> Generator[Found]:
    """Yield an image, or the images of a folder by name."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    for file in (each for each in files if each.suffix.lower() in SUFFIXES):
        bgr = cv2.imread(str(file), cv2.IMREAD_COLOR)
        if bgr is None:
            raise NoImages(file, "it cannot be decoded; mend or remove it")
        yield np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), np.uint8), str(file)


def images_of(path: Path, camera: str, every: float) -> Generator[tuple[str, NDArray[np.uint8]]]:
    """Yield name and pixels of an image, of the images of a folder, or of those of any recording.

    Args:
        path: Where they are.
        camera: Id or topic of a recording's camera; "" = the first.
        every: Least time between two images of a recording [s].

    Raises:
        NoImages: If there are none.
        NotARecording, NeedsRecovery, UnreadableBag: If a file is neither an image nor a recording.
    """
    is_still = path.suffix.lower() in SUFFIXES
    if is_still or (path.is_dir() and any(each.suffix.lower() in SUFFIXES for each in path.iterdir())):
        yield from ((Path(origin).name, rgb) for rgb, origin in stored_images(path))
        return
    bag = open_bag(path)
    topics = [topic for topic, kind in sorted(bag.topics.items()) if kind in IMAGES]
    chosen = [topic for topic in topics if _is_of(topic, camera) or (not camera and _shows_colours(topic))]
    if not chosen:
        raise NoImages(bag.path, f"no topic of camera {camera!r} among {format_choices(topics)}")
    due = 0.0
    for message in bag.messages(chosen[:1]):
        if message.time >= due:
            due = message.time + every
            image: Image | CompressedImage = decoded(message.data, IMAGES[message.message_type])
            yield f"{message.topic} {message.time:.3f}", _rgb(image)


def _shows_colours(topic: str) -> bool:
    return topic.removesuffix("/compressed").endswith(("/image_raw", "/image", "/image_rect_color"))


def recorded_images(path: Path, camera: str, every: float) -> Generator[Found]:
    """Yield the images of one camera of a recording, ``every`` [s] of recorded time."""
    file = complete_recording(path)
    kinds = {
        channel.topic: schema.name
        for schema, channel, _ in recorded_messages(file)
        if schema is not None and schema.name in IMAGES
    }
    topics = [topic for topic in sorted(kinds) if _is_of(topic, camera)]
    if not topics:
        raise NoImages(file, f"no topic of camera {camera!r} among {format_choices(sorted(kinds))}")
    due = 0
    for _, channel, message in recorded_messages(file, topics[:1]):
        if message.log_time >= due:
            due = message.log_time + int(every * NANO)
            try:
                image: Image | CompressedImage = decoded(message.data, IMAGES[kinds[channel.topic]])
            except DamagedMessage:
                continue
            yield _rgb(image), f"{file.resolve()} {channel.topic} {message.log_time}"


def live_images(camera: str, every: float) -> Generator[Found]:
    """Yield the images of a running robot's camera until it falls silent."""
    topic = camera if camera.startswith("/") else f"/{camera}/image_raw"
    received: list[Image] = []
    due, latest = 0.0, time.monotonic()
    with TemporaryNode("openral_teach") as temporary:
        temporary.scope.subscription(Image, topic, received.append, SENSOR)
        while time.monotonic() - latest < STALL:
            temporary.spin(0.2)
            if received and time.monotonic() >= due:
                latest, due = time.monotonic(), time.monotonic() + every
                stamp = received[-1].header.stamp
                yield _rgb(received[-1]), f"{topic} {stamp.sec}.{stamp.nanosec:09d}"
            received.clear()
        raise NoImages(topic, f"no image within {STALL:g} s; is the robot running, is the name right")


def _is_of(topic: str, camera: str) -> bool:
    plain = topic.removesuffix("/compressed")
    return plain == camera or plain.endswith(f"/{camera}/image_raw")


def _rgb(image: Image | CompressedImage) -> NDArray[np.uint8]:
    return rgb_of_compressed(image) if isinstance(image, CompressedImage) else rgb_of(image)
