"""Reading of recordings: an MCAP file, the folder of a run, or a bag folder of rosbag2."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mcap.reader import make_reader
from rosbags.rosbag2 import Reader as Rosbag2Reader
from rosbags.rosbag2 import ReaderError

from openral_core.errors import OpenRALError
from openral_testing.recordings.foreign_files import REINDEX
from openral_testing.recordings.recovery import (
    RECORDING,
    NotARecording,
    complete_recording,
    recorded_messages,
)

NANO = 1e-9
"""Seconds per nanosecond [s]."""
METADATA = "metadata.yaml"
"""File that makes a folder a bag of rosbag2."""
BAG_FILES = (".mcap", ".db3", ".bag", ".mcap.zstd", ".db3.zstd")


class UnreadableBag(OpenRALError):
    """A bag that cannot be read."""

    def __init__(self, path: Path, error: Exception) -> None:
        super().__init__(f"{path} cannot be read as a recording: {str(error)[:300] or type(error).__name__}")


class DamagedChunks(OpenRALError):
    """Parts of a file that cannot be read."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} of its chunks are damaged: run `openral recover`, which leaves them out")


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
        damaged: Counter[str] = Counter()
        try:
            for _, channel, message in recorded_messages(self.path, list(topics), damaged=damaged):
                kind = self.topics[channel.topic]
                yield BagMessage(channel.topic, kind, message.data, message.log_time * NANO)
        except (NotARecording, OSError) as error:
            raise UnreadableBag(self.path, error) from error
        if damaged:
            raise UnreadableBag(self.path, DamagedChunks(damaged["chunks"]))


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
                connections = [each for each in reader.connections if each.topic in topics]
                if connections:
                    for connection, time, data in reader.messages(connections):
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
    if path.suffix == ".db3" and (path.parent / METADATA).is_file():
        path = path.parent
    if (path / METADATA).is_file():
        return Rosbag2Bag(path)
    if path.is_dir() and not (path / RECORDING).is_file() and not (path / "recording").is_dir():
        path = _only_file(path)
    return McapBag(path)


def _only_file(folder: Path) -> Path:
    """Return the one bag file of a folder without metadata, which a recorder that was killed leaves."""
    files = sorted(each for each in folder.iterdir() if each.name.endswith(BAG_FILES))
    if len(files) > 1:
        problem = f"it has {len(files)} files without {METADATA}: {REINDEX}, or give one file"
        raise NotARecording(folder, problem)
    return files[0] if files else folder
