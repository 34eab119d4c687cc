"""Events come back from an MCAP recording as they were written, and a torn file says what to run."""

from pathlib import Path

import pytest
from mcap.writer import Writer
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from openral_reasoner_ros.cli.mcap_recording import EVENTS, UnreadableRecording, mcap_lines


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Three lines of events between lines of another topic."""
    path = tmp_path / "run.mcap"
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start("ros2")
        schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data")
        channels = [writer.register_channel(topic, "cdr", schema) for topic in (EVENTS, "/other")]
        for number in range(6):
            data = bytes(serialize_message(String(data=f"line {number}")))
            writer.add_message(channels[number % 2], number, data, number)
        writer.finish()
    return path


def test_the_lines_of_events_come_back_in_order(recording: Path) -> None:
    assert list(mcap_lines(recording)) == ["line 0", "line 2", "line 4"]


@pytest.mark.parametrize("content", [b"", b"no recording", None])
def test_a_damaged_file_says_what_to_run(content: bytes | None, recording: Path) -> None:
    recording.write_bytes(recording.read_bytes()[:-60] if content is None else content)
    with pytest.raises(UnreadableRecording, match="openral recover"):
        list(mcap_lines(recording))
