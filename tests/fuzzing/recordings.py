"""A recorded run as MCAP: recovered, opened by the console, and its decisions read."""

from pathlib import Path

import numpy as np
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from openral_console.source import ConsoleError
from openral_msgs.msg import SceneGraph
from openral_recorder.ros.topic_recorder import compressed
from openral_recorder.schemas import ros_schema
from openral_recorder.writer import McapRecording, RecordingLimits
from openral_ros.conversions.images import image_message
from openral_testing.recordings.recovery import recover
from openral_testing.recordings.ros.source import RecordingSource
from openral_testing.ros.robot import mission, scene

SECOND = 1_000_000_000


def valid_recording(folder: Path) -> bytes:
    """Return a run of three seconds with missions, scene graphs and images."""
    path = folder / "valid.mcap"
    path.unlink(missing_ok=True)
    recording = McapRecording(path, RecordingLimits(min_free=0))
    suffix, image = compressed(image_message(np.full((24, 32, 3), 90, np.uint8), "rgb8", 1.0, "head_optical"))
    messages = {
        "/openral/mission": (mission(), "openral_msgs/msg/MissionStatus"),
        "/openral/scene_graph": (scene(), f"openral_msgs/msg/{SceneGraph.__name__}"),
        "/openral/palette": (String(data="{}"), "std_msgs/msg/String"),
        f"/head/image_raw/{suffix}": (image, "sensor_msgs/msg/CompressedImage"),
    }
    for number in range(3):
        for topic, (message, kind) in messages.items():
            data = bytes(serialize_message(message))
            recording.write(topic, ros_schema(kind), data, (1 + number) * SECOND)
    recording.close()
    return path.read_bytes()


def open_recording(path: Path) -> None:
    """Recover a file if it is torn, then show its middle and its end."""
    recover(path)
    source = RecordingSource(path)
    for share in (0.5, 1.0):
        try:
            source.at(share * source.duration)
        except ConsoleError:
            continue
