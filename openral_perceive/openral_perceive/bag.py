"""Reading of recordings: an MCAP file, the folder of a run, or a bag folder of rosbag2."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mcap.reader import make_reader
from rosbags.rosbag2 import Reader as Rosbag2Reader
from rosbags.rosbag2 import ReaderError

from openral_core.errors import OpenRALError
from openral_recorder.errors import NotARecording
from openral_recorder.recovery import complete_recording, recorded_messages

NANO = 1e-9
"""Seconds per nanosecond [s]."""
METADATA = "metadata.yaml"
"""File that makes a folder a bag of rosbag2."""


class UnreadableBag(OpenRALError):
    """A bag that cannot be read."""

    def __init__(self, path: Path, error: Exception) -> None:
        super().__init__(f"{path} cannot be read as a recording: {str(error)[:300] or type(error).__name__}")


@dataclass(frozen=True, slots=True)
class BagMessage:
    """One serialised message; ``time`` is when it was recorded [s]."""

    topic: str
    message_type: str
    data: bytes
    time: float


class Bag(Protocol):
    """Topics of a recording with their types, such as ``sensor_msgs/msg/Image``, and its messages."""

    path: Path
    topics: Mapping[str, str]

    def messages(self, topics: Collection[str]) -> Iterator[BagMessage]:
        """Yield the messages of some topics in the order in which they were recorded.

        Raises:
            UnreadableBag: If the file is damaged.
        """


class McapBag:
    """One MCAP file."""

    def __init__(self, path: Path) -> None:
        self.path = complete_recording(path)
        with self.path.open("rb") as file:
            summary = make_reader(file).get_summary()
        channels = summary.channels.values() if summary is not None else ()
        schemas = summary.schemas if summary is not None else {}
        self.topics: Mapping[str, str] = {
            channel.topic: schemas[channel.schema_id].name
            for channel in channels
            if channel.schema_id in schemas
        }

    def messages(self, topics: Collection[str]) -> Iterator[BagMessage]:
        """Yield the messages of some topics in order."""
        if not topics:
            return
        try:
            for _, channel, message in recorded_messages(self.path, list(topics)):
                kind = self.topics[channel.topic]
                yield BagMessage(channel.topic, kind, message.data, message.log_time * NANO)
        except (NotARecording, OSError) as error:
            raise UnreadableBag(self.path, error) from error


class Rosbag2Bag:
    """Folder of rosbag2, with MCAP or SQLite files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with Rosbag2Reader(path) as reader:
                self.topics: Mapping[str, str] = {each.topic: each.msgtype for each in reader.connections}
        except (ReaderError, OSError, ValueError) as error:
            raise UnreadableBag(path, error) from error

    def messages(self, topics: Collection[str]) -> Iterator[BagMessage]:
        """Yield the messages of some topics in order."""
        try:
            with Rosbag2Reader(self.path) as reader:
                wanted = [each for each in reader.connections if each.topic in topics]
                if wanted:
                    for connection, time, data in reader.messages(wanted):
                        yield BagMessage(connection.topic, connection.msgtype, bytes(data), time * NANO)
        except (ReaderError, OSError, ValueError) as error:
            raise UnreadableBag(self.path, error) from error


def open_bag(path: Path) -> Bag:
    """Open a recording.

    Raises:
        NotARecording: If there is none.
        NeedsRecovery: If it has no index.
        UnreadableBag: If it cannot be read.
    """
    return Rosbag2Bag(path) if (path / METADATA).is_file() else McapBag(path)
