"""Recorded missions become episodes of a LeRobot data set."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

pytest.importorskip("rclpy")
from geometry_msgs.msg import Twist
from rclpy.serialization import serialize_message
from sensor_msgs.msg import CompressedImage, JointState
from std_msgs.msg import Header
from typer.testing import CliRunner

from openral_msgs.msg import MissionStatus
from openral_recorder.schemas import ros_schema
from openral_recorder.writer import McapRecording, RecordingLimits
from openral_ros.conversions.stamps import stamp_of
from openral_training.ros.lerobot_cli import commands
from openral_training.ros.lerobot_export import (
    ACTION,
    STATE,
    DataSet,
    ExportSelection,
    LerobotMissing,
    NothingToExport,
    NotWritten,
    UnlikeRuns,
)

PYTHON = Path(__file__).parents[3] / ".environments" / "lerobot" / "bin" / "python"
ACTIVE, SUCCEEDED, FAILED = (
    MissionStatus.STATE_ACTIVE,
    MissionStatus.STATE_SUCCEEDED,
    MissionStatus.STATE_FAILED,
)
Record = Callable[..., Path]
LOADED = """import sys
from lerobot.datasets.lerobot_dataset import LeRobotDataset
found = LeRobotDataset("openral/set", root=sys.argv[1], video_backend="pyav")
first = found[10]
shade = round(float(first["observation.images.head"].mean()), 2)
action = round(float(first["action"].reshape(-1)[0]), 2)
print(found.num_episodes, len(found), found.meta.fps, first["task"], action, shade)
"""


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """Four seconds of a joint that turns by 1 rad/s, images at 2 Hz, and missions as (time, goal, state)."""

    def made(
        *missions: tuple[float, str, int],
        name: str = "run",
        cameras: tuple[str, ...] = ("head",),
        **more: Any,
    ) -> Path:
        messages: list[tuple[float, str, Any]] = []
        for step in range(81):
            time = step * 0.05
            joint = JointState(header=header(time), name=["pan"], position=[time])
            messages.append((time, "/joint_states", joint))
        for step in range(9):
            _, jpeg = cv2.imencode(".jpg", np.full((48, 64, 3), 20 * step, np.uint8))
            image = CompressedImage(header=header(step * 0.5), format="jpeg", data=bytes(jpeg))
            messages += [(step * 0.5, f"/{each}/image_raw/compressed", image) for each in cameras]
        for time, goal, state in missions:
            status = MissionStatus(header=header(time), mission_id=goal, goal=goal, state=state)
            messages.append((time, "/openral/mission", status))
        messages += [(time, f"/{topic}", message) for topic, (time, message) in more.items()]
        path = tmp_path / f"{name}.mcap"
        recording = McapRecording(path, RecordingLimits(min_free=0))
        for time, topic, message in sorted(messages, key=lambda each: each[0]):
            kind = f"{type(message).__module__.split('.')[0]}/msg/{type(message).__name__}"
            recording.write(
                topic, ros_schema(kind), bytes(serialize_message(message)), int((100 + time) * 1e9)
            )
        recording.close()
        return path

    return made


def header(time: float) -> Header:
    """Return a header of the robot's time, which is 7 s at the beginning."""
    return Header(stamp=stamp_of(7.0 + time))


def test_a_mission_is_an_episode_of_the_state_and_the_image_at_each_instant(
    record: Record, tmp_path: Path
) -> None:
    found = DataSet("openral/set", ExportSelection(fps=10))
    path = record((1.0, "bring the mug", ACTIVE), (3.0, "bring the mug", SUCCEEDED))
    assert found.add(path, tmp_path / "images" / "0") == 1
    [episode] = found.episodes
    frames = episode["frames"]
    assert (episode["task"], len(frames), found.names) == (
        "bring the mug",
        21,
        {STATE: ["pan.pos"], ACTION: ["pan.pos"]},
    )
    assert [frame[STATE][0] for frame in frames] == pytest.approx(np.arange(1.0, 3.05, 0.1), abs=0.051)
    steps = [after[STATE] for after in frames[1:]]
    assert [frame[ACTION] for frame in frames[:-1]] == steps
    shades = [
        int(np.median(cv2.imread(str(tmp_path / "images" / frame["images"]["head"])))) for frame in frames[:6]
    ]
    assert shades == pytest.approx([40, 40, 40, 40, 40, 60], abs=2)


def test_commands_are_the_actions_where_they_were_recorded(record: Record, tmp_path: Path) -> None:
    drive = Twist()
    drive.linear.x = 0.4
    path = record((1.0, "go", ACTIVE), (3.0, "go", SUCCEEDED), cmd_vel=(2.0, drive))
    found = DataSet("openral/set", ExportSelection(fps=2))
    found.add(path, tmp_path / "images" / "0")
    assert found.from_commands
    assert found.names[ACTION] == ["theta.vel", "x.vel", "y.vel"]
    assert found.episodes[0]["frames"][-1][ACTION] == [0.0, 0.4, 0.0]


@pytest.mark.parametrize(("all_outcomes", "tasks"), [(False, ["b"]), (True, ["a", "b"])])
def test_missions_that_did_not_succeed_are_taken_only_if_asked_for(
    all_outcomes: bool, tasks: list[str], record: Record, tmp_path: Path
) -> None:
    path = record((0.5, "a", ACTIVE), (1.0, "a", FAILED), (1.5, "b", ACTIVE), (3.0, "b", SUCCEEDED))
    found = DataSet("openral/set", ExportSelection(all_outcomes=all_outcomes))
    found.add(path, tmp_path / "images" / "0")
    assert [episode["task"] for episode in found.episodes] == tasks


def test_a_run_without_missions_needs_a_task(record: Record, tmp_path: Path) -> None:
    path = record()
    with pytest.raises(NothingToExport, match="--task TEXT"):
        DataSet("openral/set", ExportSelection()).add(path, tmp_path / "images" / "0")
    found = DataSet("openral/set", ExportSelection(task="wave"))
    assert found.add(path, tmp_path / "images" / "0") == 1
    assert (found.episodes[0]["task"], found.frames) == ("wave", 41)


def test_a_camera_that_was_not_recorded_is_told(record: Record, tmp_path: Path) -> None:
    with pytest.raises(NothingToExport, match=r"cameras wrist \(found: head\)"):
        DataSet("openral/set", ExportSelection(cameras=("wrist",))).add(record(), tmp_path / "images" / "0")


def test_runs_with_other_cameras_are_refused(record: Record, tmp_path: Path) -> None:
    found = DataSet("openral/set", ExportSelection(task="wave"))
    found.add(record(), tmp_path / "images" / "0")
    with pytest.raises(UnlikeRuns, match="Export them separately"):
        found.add(record(name="other", cameras=("head", "wrist")), tmp_path / "images" / "1")


def test_without_the_library_the_command_that_installs_it_is_named(record: Record, tmp_path: Path) -> None:
    arguments = ["export", "lerobot", str(record()), "--out", str(tmp_path / "set"), "--python", "/no/python"]
    result = CliRunner().invoke(commands, arguments)
    assert isinstance(result.exception, LerobotMissing)
    assert "`make lerobot`" in str(result.exception)


def test_an_existing_folder_is_not_written_to(record: Record, tmp_path: Path) -> None:
    arguments = ["export", "lerobot", str(record()), "--out", str(tmp_path), "--python", "/bin/sh"]
    result = CliRunner().invoke(commands, arguments)
    assert isinstance(result.exception, NotWritten)


def test_an_error_of_the_library_is_told_and_leaves_nothing_behind(record: Record, tmp_path: Path) -> None:
    out = tmp_path / "sets" / "set"
    arguments = ["export", "lerobot", str(record()), "--out", str(out), "--task", "wave"]
    result = CliRunner().invoke(commands, [*arguments, "--python", "/bin/false"])
    assert isinstance(result.exception, NotWritten)
    assert list(out.parent.iterdir()) == []


@pytest.mark.timeout(300)
@pytest.mark.skipif(not PYTHON.exists(), reason="lerobot is not installed: make lerobot")
def test_the_library_reads_what_was_exported(record: Record, tmp_path: Path) -> None:
    runs = [
        str(record((1.0, "bring the mug", ACTIVE), (3.0, "bring the mug", SUCCEEDED), name=name))
        for name in ("one", "two")
    ]
    out = tmp_path / "set"
    arguments = ["export", "lerobot", *runs, "--out", str(out), "--python", str(PYTHON)]
    result = CliRunner().invoke(commands, arguments)
    assert result.exception is None, result.exception
    assert "2 episodes, 42 frames" in result.output
    command = [str(PYTHON), "-s", "-c", LOADED, str(out)]
    read = subprocess.run(command, env={"HF_HUB_OFFLINE": "1"}, capture_output=True, text=True, check=False)
    last = read.stdout.splitlines()[-1] if read.returncode == 0 else read.stderr
    assert last == "2 42 10 bring the mug 2.1 0.31"
    assert json.loads((out / "meta" / "info.json").read_text())["robot_type"] == "openral"
