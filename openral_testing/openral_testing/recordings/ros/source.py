"""A recorded run as the source of the console: the sections at any time of it."""

import asyncio
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from pathlib import Path

from mcap.records import Message
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import String

from openral_console.history import Event, ObjectHistory
from openral_console.ros import views
from openral_console.ros.fold import LOGGED, PICTURES, UPDATES, Fold
from openral_console.sections import Json, Sections
from openral_console.source import JpegImage, NothingToShow, RejectedCommand
from openral_core.errors import OpenRALError
from openral_msgs.msg import FailureTrigger, MissionStatus, SceneGraph
from openral_ros.conversions.stamps import seconds
from openral_ros.message_types import DamagedMessage, by_type_name, decoded
from openral_ros.mission_calls import CallHistory, has_all_calls
from openral_testing.recordings.lives import Life, read_lives
from openral_testing.recordings.recovery import EVENTS, complete_recording, recorded_messages
from openral_testing.recordings.replay import stories
from openral_testing.recordings.run_comparison import compare_runs, comparison_lines, story_of
from openral_testing.recordings.spans import read_spans

CAMERA_SUFFIX = "/image_raw/compressed"
SPANS = "/openral/recording/spans/"
SHARED = ("/diagnostics", "/tf")
"""Topics of several publishers."""
SHARED_WINDOW = 3.0
"""Time over which the messages of several publishers make one picture [s]."""
MAX_MARKS = 500  # Marks of the time line: more than a screen has pixels to tell apart.
TYPES = by_type_name(UPDATES)
"""Classes of the messages that sections are made of, by type."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded message, still serialised."""

    time: float
    kind: type
    data: bytes


@dataclass(frozen=True, slots=True)
class RecordedImage:
    """Image of a camera; ``time`` is that in the recording [s]."""

    time: float
    frame: JpegImage


@dataclass(frozen=True, slots=True)
class MarkedComparison:
    """Comparison with another run in words, and (time [s], kind, text) of its moments in this one."""

    name: str
    lines: Sequence[str]
    marks: Sequence[tuple[float, str, str]]


class RecordingSource:
    """Timeline of one MCAP file; times are in [s] since its beginning.

    Args:
        path: MCAP file, or folder of a run.
        beside: Another run; the moments at which the decisions of both differ are marked.

    Raises:
        NotARecording: If there is none.
        NeedsRecovery: If it has no index.
    """

    is_live = False

    def __init__(self, path: Path, beside: Path | None = None) -> None:
        self.path = complete_recording(path)
        self._topics: dict[str, list[Entry]] = {}
        self._images: dict[str, list[float]] = {}
        self._lines: list[tuple[float, str]] = []
        self._spans: list[str] = []
        self._damaged: Counter[str] = Counter()
        self.duration = self._load()
        self.sections = Sections()
        self._comparison = None if beside is None else self._compared(RecordingSource(beside))
        self.marks = list(self._marks())[:MAX_MARKS]
        self.sections.put("run", self._about())

    @property
    def name(self) -> str:
        """Name of the run."""
        return self.path.parent.name or self.path.name

    @property
    def lives(self) -> list[Life]:
        """Recorded events of the reasoner.

        Raises:
            InvalidRecording: If they cannot be read.
        """
        return list(read_lives(line for _, line in self._lines))

    @property
    def cameras(self) -> tuple[str, ...]:
        """Ids of the recorded cameras."""
        return tuple(self._images)

    def messages(self, kinds: Collection[type] = tuple(UPDATES)) -> Iterator[tuple[float, str, object]]:
        """Yield (time, topic, message) of what sections are made of, in order, by message type."""
        entries = [
            (entry.time, topic, entry)
            for topic, entries in self._topics.items()
            for entry in entries
            if entry.kind in kinds
        ]
        for time, topic, entry in sorted(entries, key=itemgetter(0)):
            yield time, topic, deserialize_message(entry.data, entry.kind)

    def images(self, camera: str) -> list[RecordedImage]:
        """Return every image of a camera."""
        topic = f"/{camera}{CAMERA_SUFFIX}"
        images = []
        for _, _, message in recorded_messages(self.path, [topic]):
            with suppress(DamagedMessage):
                image = decoded(message.data, CompressedImage)
                images.append(RecordedImage((message.log_time - self._start) * 1e-9, _frame_of(image)))
        return images

    def picture(self, name: str, time: float) -> JpegImage:
        """Return the picture of an object at a time."""
        fold = Fold(Sections())
        for topic, entry in self._entries(min(max(time, 0.0), self.duration)):
            if entry.kind is CompressedImage:
                fold.apply(topic, deserialize_message(entry.data, entry.kind))
        return fold.picture(name)

    def watch(self) -> None:
        """Do nothing: every moment of a recording has its transforms."""

    def pictures(self) -> dict[str, list[tuple[float, bytes]]]:
        """Return (time [s], JPEG) of each new picture of each object."""
        by_name: dict[str, list[tuple[float, bytes]]] = {}
        for topic, entries in self._topics.items():
            for entry in entries if topic.endswith(PICTURES) else ():
                message = deserialize_message(entry.data, CompressedImage)
                pictures = by_name.setdefault(message.header.frame_id, [])
                if not pictures or pictures[-1][1] != bytes(message.data):
                    pictures.append((entry.time, bytes(message.data)))
        return by_name

    def at(self, time: float) -> str:
        """Return the sections at a time, as JSON."""
        sections = Sections()
        fold = Fold(sections)
        for topic, entry in self._entries(min(max(time, 0.0), self.duration)):
            fold.apply(topic, deserialize_message(entry.data, entry.kind))
        sections.put("cameras", list(self._images))
        histories = self._histories[: bisect_right(self._histories, time, key=itemgetter(0))]
        if histories:
            sections.put("history", {name: events for _, name, events in histories})
        return sections.as_json()

    @cached_property
    def _histories(self) -> list[tuple[float, str, list[Event]]]:
        """(time [s], id, all events so far) at each change of the history of an object."""
        history, calls = ObjectHistory(), CallHistory()
        histories: list[tuple[float, str, list[Event]]] = []
        for time, _, message in self.messages((SceneGraph, MissionStatus)):
            if isinstance(message, SceneGraph):
                changed = history.on_scene(views.scene(message))
            elif isinstance(message, MissionStatus):
                calls.complete(message)
                changed = history.on_calls(views.mission(message), seconds(message.header.stamp))
            histories += [
                (time, name, list(history.events[name])) for name in changed if name in history.events
            ]
        return histories

    async def frame(self, camera: str, after: float, time: float) -> JpegImage:
        """Return the image of a camera at a time."""
        return await asyncio.to_thread(self._frame, camera, time)

    async def command(self, name: str, values: Mapping[str, Json]) -> Json:
        """Refuse: a recording obeys no commands."""
        raise RejectedCommand("this is a recording: there is no robot to command")

    def close(self) -> None:
        """Release nothing: files are open only while they are read."""

    def _load(self) -> float:
        self._start = end = -1
        for schema, channel, message in recorded_messages(self.path, damaged=self._damaged):
            end = message.log_time
            self._start = end if self._start < 0 else self._start
            try:
                self._take(channel.topic, schema.name if schema is not None else "", message)
            except DamagedMessage:
                self._damaged["messages"] += 1
        return (end - self._start) * 1e-9

    def _take(self, topic: str, type_name: str, message: Message) -> None:
        """Keep a message, which is read once: nothing damaged is kept."""
        time, kind = (message.log_time - self._start) * 1e-9, TYPES.get(type_name)
        if topic.endswith(CAMERA_SUFFIX):
            decoded(message.data, CompressedImage)
            self._images.setdefault(_camera(topic), []).append(time)
        elif topic.endswith(EVENTS):
            self._lines.append((time, decoded(message.data, String).data))
        elif SPANS in topic:
            self._spans.append(decoded(message.data, String).data)
        elif kind is not None and (kind is not CompressedImage or topic.endswith(PICTURES)):
            decoded(message.data, kind)
            self._topics.setdefault(topic, []).append(Entry(time, kind, message.data))

    def _entries(self, time: float) -> Iterator[tuple[str, Entry]]:
        """Yield what makes the sections at a time: all logged messages, and the latest of the others."""
        for topic, entries in self._topics.items():
            end = bisect_right(entries, time, key=lambda entry: entry.time)
            if not end:
                continue
            if entries[0].kind in LOGGED or topic.endswith("/tf_static"):
                first = 0
            elif entries[0].kind is MissionStatus:
                first = self._last_complete(entries, end)
            elif topic.endswith(SHARED):
                first = bisect_right(entries, time - SHARED_WINDOW, hi=end, key=lambda entry: entry.time)
            else:
                first = end - 1
            yield from ((topic, entry) for entry in entries[first:end])

    def _last_complete(self, entries: list[Entry], end: int) -> int:
        """Return the place of the last status before ``end`` from which its mission is known completely."""
        places = (
            place
            for place in range(end - 1, -1, -1)
            if has_all_calls(deserialize_message(entries[place].data, MissionStatus))
        )
        return next(places, 0)

    def _frame(self, camera: str, time: float) -> JpegImage:
        times = self._images.get(camera, [])
        place = bisect_right(times, time)
        if not times:
            raise NothingToShow(f"no image of camera {camera[:60]!r} was recorded")
        stamp = self._start + round(times[max(place - 1, 0)] * 1e9)
        for _, channel, message in recorded_messages(self.path, start=stamp - 1000, end=stamp + 1000):
            if channel.topic.endswith(CAMERA_SUFFIX) and _camera(channel.topic) == camera:
                return _frame_of(deserialize_message(message.data, CompressedImage))
        raise NothingToShow(f"no image of camera {camera[:60]!r} at {time:.1f} s")

    def _about(self) -> Json:
        other = self._comparison
        return {
            "name": self.name,
            "duration": round(self.duration, 3),
            "marks": self.marks,
            "story": self._story(),
            "spans": read_spans(self._spans, self._start * 1e-9, self.duration),
            "comparison": other and {"name": other.name, "lines": list(other.lines)},
        }

    def _marks(self) -> Iterator[Mapping[str, float | str]]:
        """Yield the moments worth jumping to: decisions, their outcomes, failures, ends of missions."""
        marks: list[tuple[float, str, str]] = []
        for entries in self._topics.values():
            if entries[0].kind is MissionStatus:
                marks += _mission_marks(entries)
            elif entries[0].kind is FailureTrigger:
                for entry in entries:
                    message = deserialize_message(entry.data, FailureTrigger)
                    marks.append((entry.time, "failure", f"{message.source}: {message.message}"[:200]))
        marks += self._comparison.marks if self._comparison is not None else ()
        for time, kind, text in sorted(marks):
            yield {"time": round(time, 3), "kind": kind, "text": text}

    def _compared(self, beside: "RecordingSource") -> "MarkedComparison":
        """Compare the decisions with those of another run, and find their moments in this recording."""
        lives = self.lives
        steps = [step.now for life in lives for step in life.steps]
        damaged = {number for life in lives for number in life.damaged}
        times = [
            time
            for number, (time, line) in enumerate(self._lines, 1)
            if '"event"' in line and number not in damaged
        ]
        # Lines are read with a delay, so the earliest one is the best estimate of the clock's offset.
        offset = min((time - now for time, now in zip(times, steps, strict=False)), default=0.0)
        compared = compare_runs(story_of(lives), story_of(beside.lives))
        marks = [
            (max(0.0, time + offset), "difference", text[:200])
            for part in compared.divergences
            for time, text in (
                [(moment.time, moment.words()) for moment in part.first]
                or [(part.begun, f"only in {beside.name}: {part.second[0].words()}")]
            )
        ]
        lines = tuple(comparison_lines(compared, self.name, beside.name))
        return MarkedComparison(beside.name, lines, tuple(marks))

    def _story(self) -> list[str]:
        """Return the explanation of the events in words, as `openral explain` gives it."""
        lost = [f"--- {self.damaged}"] if self.damaged else []
        if not self._lines:
            return lost
        try:
            return [*stories(self.lives), *lost]
        except OpenRALError as error:
            return [f"no explanation: {error}", *lost]

    @property
    def damaged(self) -> str:
        """Parts of the file that could not be read, in words; empty if there are none."""
        parts = [f"{number} damaged {what}" for what, number in sorted(self._damaged.items())]
        return f"{' and '.join(parts)} of the recording are left out" if parts else ""


def _frame_of(image: CompressedImage) -> JpegImage:
    return JpegImage(bytes(image.data), image.header.frame_id, seconds(image.header.stamp))


def _camera(topic: str) -> str:
    return topic.removesuffix(CAMERA_SUFFIX).lstrip("/")


def _mission_marks(entries: list[Entry]) -> Iterator[tuple[float, str, str]]:
    statuses: dict[tuple[str, int], str] = {}
    ended: set[str] = set()
    for entry in entries:
        message = deserialize_message(entry.data, MissionStatus)
        for call in message.calls:
            key = (message.mission_id, call.index)
            if statuses.get(key) != call.status:
                kind = "decision" if key not in statuses else "outcome"
                statuses[key] = call.status
                yield (
                    entry.time,
                    kind,
                    f"{call.tool} {call.status}{call.message and f': {call.message}'}"[:200],
                )
        if message.state >= MissionStatus.STATE_SUCCEEDED and message.mission_id not in ended:
            ended.add(message.mission_id)
            yield entry.time, "end", f"{message.goal}: {message.reason}"[:200]
