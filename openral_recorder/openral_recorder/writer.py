"""Writer of MCAP files that lose little when their process is killed, and never grow beyond a limit."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mcap.writer import CompressionType, Writer

from openral_recorder.errors import DiskFull, RecordingError, RecordingFull, recording_error

PROFILE = "ros2"
QOS = "offered_qos_profiles"
"""Key of the metadata by which rosbag2 plays a latched topic as a latched one."""
SUMMARY_SIZE = 1_000_000
"""Space kept for the index at the end [bytes]: 500 channels and a day of chunks need less."""
RESTART_MARGIN = 100_000_000
"""Space beyond what is kept free with which recording begins again [bytes]: some minutes of a home."""
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class RecordingLimits:
    """Limits of one recording.

    Attributes:
        max_size: Largest file [bytes].
        bulk_share: Share of ``max_size`` after which bulk messages, such as images, are dropped [1].
        min_free: Disk space that recording leaves free [bytes].
        flush_period: Largest age of messages that a kill loses [s].
    """

    max_size: int = 2_000_000_000
    bulk_share: float = 0.8
    min_free: int = 200_000_000
    flush_period: float = 0.5


DEFAULT_LIMITS = RecordingLimits()


@dataclass(frozen=True, slots=True)
class MessageSchema:
    """Definition of a message type: its name and its text, with those of every type it contains."""

    name: str
    text: str


class McapRecording:
    """One MCAP file, written in chunks that are handed to the operating system every ``flush_period``.

    The first error ends the recording: `error` then says why, and further messages are ignored.
    What was flushed can be recovered, also if the end of the file is missing.

    Raises:
        RecordingError: If the file cannot be created.
    """

    def __init__(
        self,
        path: Path,
        limits: RecordingLimits = DEFAULT_LIMITS,
        metadata: Mapping[str, str] | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.path = path
        self._limits, self._clock = limits, clock
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._pending, self._size, self._flushed = 0, 0, clock()
        self.error: RecordingError | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("xb")
            self._writer = Writer(self._file, compression=CompressionType.ZSTD)
            self._writer.start(PROFILE, library="openral_recorder")
            self._writer.add_metadata("openral", dict(metadata or {}))
            self._writer.flush()
        except OSError as error:
            raise recording_error(path, error, limits.min_free) from error

    @property
    def size(self) -> int:
        """Size of the file with what waits to be written, uncompressed [bytes]."""
        return self._size + self._pending

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of messages by topic."""
        return self._counts

    @property
    def is_open(self) -> bool:
        """True while messages are written."""
        return self.error is None and not self._file.closed

    @property
    def takes_bulk(self) -> bool:
        """True while there is space for images and other bulk."""
        return self.is_open and self.size < self._limits.bulk_share * self._limits.max_size

    @property
    def has_room_again(self) -> bool:
        """True if a full disk ended the recording and has room for another one."""
        if not isinstance(self.error, DiskFull):
            return False
        try:
            disk = os.statvfs(self.path.parent)
        except OSError:
            return False
        return disk.f_bavail * disk.f_frsize > self._limits.min_free + RESTART_MARGIN

    def write(self, topic: str, schema: MessageSchema, data: bytes, stamp: int, qos: str = "") -> None:
        """Add one message.

        Args:
            topic: Fully qualified name.
            schema: Type of every message of the topic.
            data: The message in CDR, with its encapsulation header.
            stamp: Time since the epoch [ns].
            qos: Profiles that its publishers offer, in the YAML of rosbag2; taken with the first message.
        """
        if not self.is_open:
            return
        if self.size + len(data) > self._limits.max_size - SUMMARY_SIZE:
            self._end(RecordingFull(self.path, self._limits.max_size))
            return
        try:
            channel = self._channels.get(topic) or self._add_channel(topic, schema, qos)
            self._writer.add_message(channel, stamp, data, stamp, self._counts[topic])
        except OSError as error:
            self._stop(recording_error(self.path, error, self._limits.min_free))
            return
        self._counts[topic] += 1
        self._pending += len(data)
        self.flush_if_due()

    def flush_if_due(self) -> None:
        """Hand the messages to the operating system if the oldest may be ``flush_period`` old."""
        if not self.is_open or self._clock() - self._flushed < self._limits.flush_period:
            return
        self._flushed = self._clock()
        try:
            self._writer.flush()
            self._size, self._pending = self._file.tell(), 0
            disk = os.statvfs(self.path.parent)
        except OSError as error:
            self._stop(recording_error(self.path, error, self._limits.min_free))
            return
        free = disk.f_bavail * disk.f_frsize
        if free < self._limits.min_free:
            self._end(DiskFull(self.path, free, self._limits.min_free))

    def close(self) -> None:
        """Write the index and close the file; without space for the index, the file needs recovery."""
        if self.is_open:
            try:
                self._writer.finish()
            except OSError as error:
                self.error = recording_error(self.path, error, self._limits.min_free)
            self._close_file()

    def _add_channel(self, topic: str, schema: MessageSchema, qos: str) -> int:
        schema_id = self._schemas.get(schema.name)
        if schema_id is None:
            schema_id = self._writer.register_schema(schema.name, "ros2msg", schema.text.encode())
            self._schemas[schema.name] = schema_id
        channel = self._writer.register_channel(topic, "cdr", schema_id, {QOS: qos} if qos else {})
        self._channels[topic], self._counts[topic] = channel, 0
        return channel

    def _end(self, reason: RecordingError) -> None:
        """Finish the file, which is complete, and keep the reason."""
        self.close()
        self.error = self.error or reason

    def _stop(self, reason: RecordingError) -> None:
        """Leave the file as it is."""
        self.error = reason
        self._close_file()

    def _close_file(self) -> None:
        try:
            self._file.close()
        except OSError as error:  # data of its buffer that found no space
            self.error = self.error or recording_error(self.path, error, self._limits.min_free)
