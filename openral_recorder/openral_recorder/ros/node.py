"""Recorder node.

Records every topic that `TopicSelection` accepts as it appears, and the lines of the JSON-lines files that
other nodes write, to one MCAP file.
Subscribes: the selected topics. Publishes: /diagnostics.
"""

import json
import os
import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from pydantic import Field
from rclpy.serialization import serialize_message
from rclpy.subscription import Subscription
from std_msgs.msg import String

from openral_core.errors import OpenRALError
from openral_core.parsing import InvalidText, parse_json
from openral_recorder.ros.topic_recorder import TopicRecorder, compatible_qos, qos_yaml
from openral_recorder.schemas import ros_schema
from openral_recorder.selection import MAX_TOPICS, TopicSelection
from openral_recorder.stillness import Stillness
from openral_recorder.writer import McapRecording, RecordingLimits
from openral_ros.callback_guard import guard_of
from openral_ros.lifecycle_node import SUCCESS, LifecycleNodeBase
from openral_ros.parameters import Parameters, declare
from openral_ros.qos import RELIABLE
from openral_ros.rclpy_internals import take_waiting
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run_process
from openral_ros.worker_thread import ExecutorQueue

MAX_LINE = 4_000_000
"""Longest line that is read [bytes]; a longer one is skipped."""
MAX_READ = 8_000_000
"""Most that one call reads of a file [bytes]."""
MAX_FILES = 64  # Files of one folder; the nodes of a graph write a file each.
MAX_PROFILES = 16
"""Publishers of a topic whose profiles are recorded."""


class JsonLinesFollower:
    """Reads what is appended to the ``*.jsonl`` files below a folder; each complete line once.

    Args:
        folder: May not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: dict[Path, int] = {}

    def new_lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield (path of the file without suffix, line); a line that is not a JSON object is left out."""
        for path in sorted(self._folder.rglob("*.jsonl"))[:MAX_FILES]:
            name = path.relative_to(self._folder).with_suffix("").as_posix()
            for line in self._read(path):
                if _is_object(line):
                    yield name, line

    def _read(self, path: Path) -> list[bytes]:
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                offset = self._offsets.get(path, 0)
                offset = 0 if size < offset else offset  # the file was replaced by a new one
                file.seek(offset)
                content = file.read(MAX_READ)
        except OSError:
            return []
        end = content.rfind(b"\n") + 1
        skipped = len(content) if end == 0 and len(content) > MAX_LINE else 0
        self._offsets[path] = offset + (end or skipped)
        return content[:end].splitlines()


def _is_object(line: bytes) -> bool:
    if not line.startswith(b"{") or len(line) > MAX_LINE:
        return False
    try:
        parse_json(line, finite=False)
    except InvalidText:
        return False
    return True


MEGABYTE = 1_000_000  # [bytes]


class NoFileName(OpenRALError):
    """A path to record to that names no file."""

    def __init__(self, path: str) -> None:
        super().__init__(f"parameter path: {path!r} names no file; valid is one such as run.mcap")


class RecorderParameters(Parameters):
    """Parameters of the recorder: file, topics, rates and limits."""

    path: str = Field("run.mcap", description="file to write; an existing one is kept, and a number appended")
    follow: str = Field(
        "", description="folder whose JSON-lines files are recorded as they grow; empty = none"
    )
    include: tuple[str, ...] = Field((), description="regular expressions of topics to record; empty = all")
    exclude: tuple[str, ...] = Field((), description="regular expressions of topics to leave out")
    image_rate: float = Field(
        2.0, ge=0.0, le=60.0, description="highest rate of a colour image [Hz]; 0 = none"
    )
    depth_rate: float = Field(
        2.0, ge=0.0, le=60.0, description="highest rate of a depth image [Hz]; 0 = none"
    )
    topic_rate: float = Field(
        200.0, ge=0.0, le=10000.0, description="highest rate of each other topic [Hz]; 0 = none"
    )
    max_size_mb: float = Field(2000.0, ge=2.0, le=1e6, description="largest file [MB]")
    min_free_mb: float = Field(
        200.0, ge=0.0, le=1e6, description="disk space that recording leaves free [MB]"
    )
    discovery_period: float = Field(
        0.5, ge=0.05, le=10.0, description="time between two looks for topics [s]"
    )

    def selection(self) -> TopicSelection:
        """Return the policy of topics and rates."""
        return TopicSelection(
            include=self.include,
            exclude=self.exclude,
            image_rate=self.image_rate,
            depth_rate=self.depth_rate,
            topic_rate=self.topic_rate,
        )

    def limits(self) -> RecordingLimits:
        """Return the limits of the file."""
        return RecordingLimits(
            max_size=int(self.max_size_mb * MEGABYTE), min_free=int(self.min_free_mb * MEGABYTE)
        )

    def file(self) -> Path:
        """Return the file to write: ``path``, numbered if recordings of an earlier start exist.

        Raises:
            NoFileName: If ``path`` names no file.
        """
        try:
            first = Path(self.path).expanduser()
        except RuntimeError as error:  # the home of an unknown user
            raise NoFileName(self.path) from error
        if not first.name or "\0" in first.name:
            raise NoFileName(self.path)
        names = (first.with_name(f"{first.stem}.{number}{first.suffix}") for number in range(1, 1000))
        return next((path for path in (first, *names) if not path.exists()), first)


FLUSH_PERIOD = 0.25
"""Time between two checks whether messages wait to be written [s]."""
FOLLOW_PERIOD = 0.2
"""Time between two reads of the JSON-lines files [s]."""
NICENESS = 5
"""Added to the process's niceness: recording gives way to the robot."""
FOLLOWED = "/openral/recording"
"""Prefix of the topics of followed files; the file's name without suffix is appended.

A line is a std_msgs/String: the profile ``ros2`` of MCAP allows no other encoding than CDR.
"""


class InvalidPattern(OpenRALError):
    """A topic pattern that is not a regular expression."""

    def __init__(self, pattern: str, error: re.error) -> None:
        super().__init__(f"topic pattern {pattern!r} is not a regular expression: {error}")


class RecorderNode(LifecycleNodeBase):
    """Node that starts recording when it is constructed and finishes the file when it is closed.

    After a full disk it begins another file when there is room again.
    """

    def __init__(self, **options: object) -> None:
        super().__init__("recorder", **options)
        self.recording: McapRecording | None = None
        self._topics: dict[str, TopicRecorder | None] = {}
        if self.trigger_configure() == SUCCESS:
            self.trigger_activate()

    def configure(self, scope: ResourceScope) -> None:
        """Check the parameters."""
        self._queue = ExecutorQueue(scope)
        self._settings = declare(self, RecorderParameters)
        self._selection = self._settings.selection()
        for pattern in (*self._settings.include, *self._settings.exclude):
            try:
                re.compile(pattern)
            except re.error as error:
                raise InvalidPattern(pattern, error) from error

    def activate(self, scope: ResourceScope) -> None:
        """Open the file and look for topics."""
        settings = self._settings
        metadata = {"parameters": json.dumps(settings.model_dump(mode="json"), sort_keys=True)}
        self.recording = recording = McapRecording(settings.file(), settings.limits(), metadata)
        scope.callback(recording.close)
        self._topics, self._reported, self._stillness = {}, False, Stillness()
        self.get_logger().info(f"Recording to {recording.path}")
        if settings.follow:
            follow = partial(self._follow, recording, JsonLinesFollower(Path(settings.follow)))
            scope.callback(follow)  # once more before the file is closed
            scope.timer(FOLLOW_PERIOD, follow)
        self._diagnostics = scope.publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        scope.timer(settings.discovery_period, partial(self._discover, scope, recording))
        scope.timer(FLUSH_PERIOD, partial(self._flush, recording))
        scope.timer(1.0, partial(self._report, recording))

    def _discover(self, scope: ResourceScope, recording: McapRecording) -> None:
        if not recording.is_open or len(self._topics) >= MAX_TOPICS:
            return
        for topic, types in self.get_topic_names_and_types():
            is_new = len(types) == 1 and topic not in self._topics and "/msg/" in types[0]
            if is_new and self._selection.accepts(topic, types[0]):
                self._subscribe(scope, recording, topic, types[0])

    def _subscribe(
        self, scope: ResourceScope, recording: McapRecording, topic: str, message_type: str
    ) -> None:
        publishers = self.get_publishers_info_by_topic(topic)
        if not publishers:
            return
        try:
            rate = self._selection.rate(topic, message_type)
            offered = qos_yaml(publishers[:MAX_PROFILES])
            recorder = TopicRecorder(recording, topic, message_type, rate, self._stillness, offered)
        except OpenRALError as error:
            self._topics[topic] = None
            self.get_logger().warning(f"Topic {topic} is not recorded: {error}")
            return
        self._topics[topic] = recorder
        qos = compatible_qos(publishers)
        subscription = scope.subscription(recorder.message_class, topic, recorder.on_message, qos, raw=True)
        scope.callback(self._record_waiting, subscription, recorder)

    def _record_waiting(self, subscription: Subscription, recorder: TopicRecorder) -> None:
        """Record what has arrived until the end."""
        for data in take_waiting(subscription):
            guard_of(self).run(f"subscription {subscription.topic_name}", recorder.on_message, data)

    def _follow(self, recording: McapRecording, files: JsonLinesFollower) -> None:
        for name, line in files.new_lines():
            data = serialize_message(String(data=line.decode(errors="replace")))
            recording.write(f"{FOLLOWED}/{name}", ros_schema("std_msgs/msg/String"), data, time.time_ns())

    def _flush(self, recording: McapRecording) -> None:
        recording.flush_if_due()
        if recording.error is None:
            return
        if not self._reported:
            self._reported = True
            self.get_logger().error(f"{recording.error}. The robot continues unrecorded.")
        elif recording.has_room_again:
            self._queue.post(self._begin_again)

    def _begin_again(self) -> None:
        """Record to a new file."""
        self.trigger_deactivate()
        self.trigger_activate()

    def _report(self, recording: McapRecording) -> None:
        status = DiagnosticStatus(level=DiagnosticStatus.OK, name="recorder", message="recording")
        if recording.error is not None:
            status.level, status.message = DiagnosticStatus.ERROR, str(recording.error)
        elif not recording.takes_bulk:
            status.level, status.message = DiagnosticStatus.WARN, "recording without images: nearly full"
        facts = {
            "path": recording.path,
            "size": recording.size,
            "messages": sum(recording.counts.values()),
            "topics": len(recording.counts),
            "damaged": sum(each.damaged for each in self._topics.values() if each is not None),
        }
        status.values = [KeyValue(key=key, value=str(value)) for key, value in facts.items()]
        message = DiagnosticArray(status=[status])
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)


def main() -> None:
    """Run the recorder, with a lower priority than the robot."""
    os.nice(NICENESS)
    run_process(RecorderNode)
