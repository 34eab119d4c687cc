"""Export of recorded runs as a LeRobot data set.

This process reads and resamples the recordings; `lerobot_writer` writes the data set with the library itself,
in an environment of its own, because `lerobot` cannot be installed beside the pinned libraries.
"""

import json
import math
import os
import subprocess
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import cv2
import numpy as np
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CompressedImage, JointState
from trajectory_msgs.msg import JointTrajectory

from openral_core.errors import OpenRALError
from openral_core.missions import MissionState, is_final
from openral_msgs.msg import MissionStatus
from openral_ros.conversions.stamps import seconds
from openral_ros.message_types import DamagedMessage, by_type_name, decoded
from openral_testing.recordings.recovery import complete_recording, recorded_messages

IMAGES = "/image_raw/compressed"
STATE, ACTION = "observation.state", "action"
Values = dict[str, float]
T = TypeVar("T")
ENVIRONMENT = Path(".environments") / "lerobot"
"""Environment that `make lerobot` creates."""
MAX_EPISODE = 86_400.0
"""Longest episode [s]: a day."""
SAME = 1e-6
"""Difference below which two times are the same [s]."""


class NothingToExport(OpenRALError):
    """A recording without what an episode needs."""

    def __init__(self, run: Path, lacks: str) -> None:
        super().__init__(f"{run} has nothing to export: {lacks}")


class UnlikeRuns(OpenRALError):
    """Runs that do not fit into one data set, whose episodes have the same joints and cameras."""

    def __init__(self, run: Path, what: str, value: object, expected: object) -> None:
        super().__init__(f"{run}: {what} {value}; the runs before it have {expected}. Export them separately")


class LerobotMissing(OpenRALError):
    """An environment without an interpreter."""

    def __init__(self, interpreter: Path) -> None:
        super().__init__(
            f"the export needs the library lerobot: {interpreter} does not exist. Run `make lerobot` in the "
            "checkout (8 GB on x86_64), or name an interpreter that has it with --python"
        )


class NotWritten(OpenRALError):
    """A data set that could not be written."""


@dataclass
class Track(Generic[T]):
    """Values by time [s], each valid until the next."""

    times: list[float] = field(default_factory=list)
    values: list[T] = field(default_factory=list)

    def put(self, time: float, value: T) -> None:
        """Append a value; one that is older than the last is left out."""
        if not self.times or time >= self.times[-1]:
            self.times.append(time)
            self.values.append(value)

    def at(self, time: float) -> T:
        """Return the value at a time, the first one before its beginning."""
        return self.values[max(0, bisect_right(self.times, time + SAME) - 1)]


@dataclass(frozen=True, slots=True)
class Span:
    """An episode: what was asked, and from when to when [s]."""

    task: str
    start: float
    end: float
    succeeded: bool


@dataclass
class RecordedRun:
    """Content of one recording that a data set takes: numbers of the robot, images as files, missions."""

    state: Track[Values] = field(default_factory=Track)
    action: Track[Values] = field(default_factory=Track)
    cameras: dict[str, Track[Path]] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    damaged: Counter[str] = field(default_factory=Counter)


def joint_positions(message: JointState) -> Values:
    """Return the positions of the joints; one that is not finite is left out."""
    return {f"{n}.pos": p for n, p in zip(message.name, message.position, strict=False) if math.isfinite(p)}


def level_velocity(message: Twist) -> Values:
    """Return the velocity of the base, in the names of LeRobot's mobile robots."""
    return {"x.vel": message.linear.x, "y.vel": message.linear.y, "theta.vel": message.angular.z}


def last_positions(message: JointTrajectory) -> Values:
    """Return where a trajectory leads."""
    end = message.points[-1].positions if message.points else ()
    return {f"{name}.pos": position for name, position in zip(message.joint_names, end, strict=False)}


@dataclass(frozen=True, slots=True)
class Signal:
    """Messages that give numbers: the end of their topics' names, what they are part of, and their values."""

    ending: str
    part: str
    values: Callable[[Any], Values]


SIGNALS: Mapping[type, Signal] = {
    JointState: Signal("joint_states", STATE, joint_positions),
    Odometry: Signal("odom", STATE, lambda message: level_velocity(message.twist.twist)),
    JointTrajectory: Signal("joint_trajectory", ACTION, last_positions),
    Twist: Signal("cmd_vel", ACTION, level_velocity),
    TwistStamped: Signal("cmd_vel", ACTION, lambda message: level_velocity(message.twist)),
}
KINDS = by_type_name((*SIGNALS, CompressedImage, MissionStatus))
"""Classes of the messages that are read, by type."""
WRITER = Path(__file__).parents[1] / "lerobot_writer.py"


class RunReader:
    """Reader of one recording; its images become files in ``folder``.

    Time is that of the robot: stamps where messages have one, else that of the message before.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._now = folder, 0.0
        self._latest: dict[str, Values] = {STATE: {}, ACTION: {}}
        self._missions: dict[tuple[str, str], Span] = {}
        self.run = RecordedRun()

    def read(self, path: Path) -> RecordedRun:
        """Return the content of a recording."""
        file = complete_recording(path)
        for schema, channel, recorded in recorded_messages(file, damaged=self.run.damaged):
            kind = KINDS.get(schema.name) if schema is not None else None
            if kind is None or (kind is CompressedImage and not channel.topic.endswith(IMAGES)):
                continue
            try:
                message: Any = decoded(recorded.data, kind)
            except DamagedMessage:
                self.run.damaged["messages"] += 1
                continue
            header = getattr(message, "header", None)
            self._now = (seconds(header.stamp) if header is not None else 0.0) or self._now
            signal = SIGNALS.get(kind)
            if kind is CompressedImage:
                self._add_image(channel.topic, recorded.log_time, message)
            elif kind is MissionStatus:
                self._add_status(message)
            elif signal is not None and channel.topic.endswith(signal.ending):
                self._add_values(signal.part, signal.values(message))
        self.run.spans = list(self._missions.values())
        return self.run

    def _add_image(self, topic: str, log_time: int, message: CompressedImage) -> None:
        camera = topic.removesuffix(IMAGES).strip("/").replace("/", "_")
        file = self._folder / camera / f"{log_time}.jpg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(message.data))
        self.run.cameras.setdefault(camera, Track()).put(self._now, file)

    def _add_values(self, part: str, values: Values) -> None:
        self._latest[part] = {**self._latest[part], **values}
        (self.run.state if part == STATE else self.run.action).put(self._now, self._latest[part])

    def _add_status(self, message: MissionStatus) -> None:
        """Extend the span of a mission until it has ended."""
        key = (message.mission_id, message.prompt_id)
        span = self._missions.get(key)
        if message.state == MissionState.IDLE or (span is not None and math.isfinite(span.end)):
            return
        end = self._now if is_final(message.state) else math.inf
        start = self._now if span is None else span.start
        self._missions[key] = Span(message.goal, start, end, message.state == MissionState.SUCCEEDED)


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """Choice of what is exported: ``fps`` [Hz], cameras (none: all), the task instead of the goals."""

    fps: int = 10
    cameras: tuple[str, ...] = ()
    task: str = ""
    all_outcomes: bool = False


class DataSet:
    """Content of the file that the writer takes, run by run."""

    def __init__(self, name: str, choice: ExportSelection) -> None:
        self._choice = choice
        self.cameras: dict[str, Sequence[int]] = {}
        self.names: dict[str, list[str]] = {}
        self.episodes: list[dict[str, Any]] = []
        self.name, self.from_commands = name, False

    def add(self, path: Path, folder: Path) -> int:
        """Add the episodes of a run; return their number.

        Raises:
            NothingToExport: If it has none.
            UnlikeRuns: If it has other joints or cameras than the runs before.
        """
        run = RunReader(folder).read(path)
        chosen = self._choice.cameras or tuple(sorted(run.cameras))
        if not run.state.values or not chosen or not set(chosen) <= run.cameras.keys():
            cameras = ", ".join(sorted(run.cameras)) or "none"
            lacks = f"it needs joint states (found {len(run.state.times)}) and images of cameras "
            raise NothingToExport(path, f"{lacks}{', '.join(chosen) or '(any)'} (found: {cameras})")
        self._agree(path, run, chosen)
        before = len(self.episodes)
        for span in self._spans(run):
            frames = list(self._frames(run, span, chosen, folder.parent))
            if len(frames) > 1:
                self.episodes.append({"task": span.task, "frames": frames})
        if len(self.episodes) == before:
            lacks = "no mission that succeeded (--all-outcomes takes all; --task TEXT a run without missions)"
            raise NothingToExport(path, lacks)
        return len(self.episodes) - before

    @property
    def frames(self) -> int:
        """Number of frames of all episodes."""
        return sum(len(episode["frames"]) for episode in self.episodes)

    def document(self, robot: str) -> str:
        """Return the file for the writer."""
        facts = {"name": self.name, "fps": self._choice.fps, "robot": robot}
        return json.dumps({**facts, "names": self.names, "cameras": self.cameras, "episodes": self.episodes})

    def _agree(self, path: Path, run: RecordedRun, chosen: Sequence[str]) -> None:
        """Take the joints and cameras of the first run; demand them of the others."""
        commands = bool(run.action.values)
        names = {
            STATE: sorted(run.state.values[-1]),
            ACTION: sorted((run.action if commands else run.state).values[-1]),
        }
        cameras = {each: _shape(run.cameras[each].values[0]) for each in chosen}
        if not self.names:
            self.names, self.cameras, self.from_commands = names, cameras, commands
        for what, actual, expected in (("values", names, self.names), ("cameras", cameras, self.cameras)):
            if actual != expected:
                raise UnlikeRuns(path, what, actual, expected)

    def _spans(self, run: RecordedRun) -> list[Span]:
        """Return the episodes: missions, or if there is a task the whole of a run without missions."""
        task = self._choice.task
        if not run.spans and task:
            return [Span(task, -math.inf, math.inf, succeeded=True)]
        spans = [span for span in run.spans if span.succeeded or self._choice.all_outcomes]
        return [Span(task or span.task, span.start, span.end, span.succeeded) for span in spans]

    def _frames(
        self, run: RecordedRun, span: Span, chosen: Sequence[str], root: Path
    ) -> Iterator[dict[str, object]]:
        """Yield the frames of an episode: the latest of everything at each instant, once all is known."""
        names, actions = self.names[STATE], run.action if self.from_commands else run.state
        states = zip(run.state.times, run.state.values, strict=True)
        complete = next(time for time, values in states if len(values) == len(names))
        times = [run.state.times, *(run.cameras[each].times for each in chosen)]
        start = max(span.start, complete, *(each[0] for each in times))
        end = min(span.end, max(each[-1] for each in times))
        step = 1.0 / self._choice.fps
        if end - start > MAX_EPISODE:
            raise NotWritten(
                f"an episode of {end - start:.0f} s is longer than {MAX_EPISODE:.0f} s: its times are wrong"
            )
        for index in range(math.floor((end - start) * self._choice.fps + SAME) + 1 if end > start else 0):
            time = start + index * step
            state = run.state.at(time)
            action = actions.at(time if self.from_commands else time + step)
            yield {
                STATE: [state[name] for name in names],
                ACTION: [action.get(name, state.get(name, 0.0)) for name in self.names[ACTION]],
                "images": {each: str(run.cameras[each].at(time).relative_to(root)) for each in chosen},
            }


def _shape(file: Path) -> Sequence[int]:
    image = cv2.imdecode(np.fromfile(file, np.uint8), cv2.IMREAD_COLOR)
    return () if image is None else list(image.shape)


def write(document: str, folder: Path, out: Path, python: Path) -> None:
    """Write the data set with the library, in a folder that gets its name once it is complete.

    Raises:
        NotWritten: If the library failed.
    """
    file, partial = folder / "episodes.json", folder / "dataset"
    file.write_text(document, encoding="utf-8")
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "cache"), "SVT_LOG": "1"}
    command = [str(python), "-s", str(WRITER), str(file), str(partial)]
    job = subprocess.run(command, env={**variables, **offline}, capture_output=True, text=True, check=False)
    if job.returncode:
        raise NotWritten(f"lerobot wrote no data set: {job.stderr.strip()[-1500:]}")
    partial.rename(out)


def interpreter(python: Path | None) -> Path:
    """Return the interpreter that has the library: the given one, or that of `make lerobot`.

    Raises:
        LerobotMissing: If it does not exist.
    """
    path = (python or ENVIRONMENT / "bin" / "python").absolute()
    if not path.exists():
        raise LerobotMissing(path)
    return path
