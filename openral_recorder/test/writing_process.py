"""Process that records numbered messages until it is killed; prints the number of those it has flushed."""

import sys
from pathlib import Path

from std_msgs.msg import String

from openral_recorder.schemas import ros_schema
from openral_recorder.writer import McapRecording, RecordingLimits

if __name__ == "__main__":
    from rclpy.serialization import serialize_message

    recording = McapRecording(Path(sys.argv[1]), RecordingLimits(flush_period=0.02, min_free=0))
    schema, number = ros_schema("std_msgs/msg/String"), 0
    size = recording.path.stat().st_size
    while True:
        recording.write("/numbers", schema, bytes(serialize_message(String(data=str(number)))), number)
        number += 1
        if recording.path.stat().st_size != size:
            size = recording.path.stat().st_size
            sys.stdout.write(f"{number - 1}\n")
            sys.stdout.flush()
