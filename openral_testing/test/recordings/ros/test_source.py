"""A recorded run at any time: the sections as a page would have seen them then."""

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import serialize_message

from openral_console.source import NothingToShow, RejectedCommand
from openral_msgs.msg import FailureTrigger, MissionStatus, PromptStamped, ToolCallRecord
from openral_recorder.ros.topic_recorder import compressed
from openral_recorder.schemas import ros_schema
from openral_recorder.writer import McapRecording, RecordingLimits
from openral_ros.conversions.images import image_message
from openral_testing.recordings.recovery import NeedsRecovery, NotARecording, recorded_messages
from openral_testing.recordings.ros.html_export import export_run, moments
from openral_testing.recordings.ros.source import RecordingSource
from openral_testing.ros.recorded_decision import record_decision
from openral_testing.ros.robot import picture

SECOND = 10**9


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of ten seconds: a goal, a call that ends, a failure, the end; two images."""
    recording = McapRecording(tmp_path / "run.mcap", RecordingLimits(min_free=0))

    def write(topic: str, message: Any, time: float) -> None:
        kind = f"{type(message).__module__.split('.')[0]}/msg/{type(message).__name__}"
        recording.write(topic, ros_schema(kind), bytes(serialize_message(message)), int(time * SECOND))

    def status(state: int, call: str) -> MissionStatus:
        calls = [ToolCallRecord(index=0, tool="recall_object", status=call)] if call else []
        return MissionStatus(mission_id="m1", goal="find the mug", state=state, calls=calls)

    write("/openral/prompt", PromptStamped(id="p1", text="find the mug"), 100.0)
    write("/openral/mission", status(1, ""), 101.0)
    write("/openral/mission", status(1, "pending"), 103.0)
    write("/openral/mission", status(1, "FOUND"), 104.0)
    write("/openral/failure/x", FailureTrigger(source="x", message="crashed"), 106.0)
    write("/openral/mission", status(3, "FOUND"), 110.0)
    for time, colour in ((102.0, 10), (108.0, 200)):
        image = image_message(np.full((8, 8, 3), colour, np.uint8), "rgb8", time, "head")
        write("/head/image_raw/compressed", compressed(image)[1], time)
    for time, colour in ((103.0, 10), (107.0, 200)):
        write("/openral/world_state/pictures", picture("mug_1", colour), time)
    recording.close()
    return tmp_path


def at(source: RecordingSource, time: float) -> dict[str, Any]:
    return dict(json.loads(source.at(time)))


def test_every_time_has_its_own_sections(run: Path) -> None:
    source = RecordingSource(run)
    assert source.duration == pytest.approx(10.0)
    assert at(source, 0.5)["prompts"][0]["prompt"]["text"] == "find the mug"
    assert "mission" not in at(source, 0.5)
    assert at(source, 3.5)["mission"]["calls"][0]["status"] == "pending"
    assert at(source, 5.0)["mission"]["calls"][0]["status"] == "FOUND"
    assert "failures" not in at(source, 5.9)
    assert at(source, 6.1)["failures"][0]["message"] == "crashed"
    assert at(source, 10.0)["mission"]["ended"] is True


@pytest.mark.parametrize("time", [-5.0, 1e9])
def test_a_time_outside_is_moved_to_the_nearest_end(run: Path, time: float) -> None:
    assert ("mission" in at(RecordingSource(run), time)) is (time > 0)


def test_the_moments_worth_seeing_are_marked(run: Path) -> None:
    about = RecordingSource(run).sections.get("run")
    assert isinstance(about, dict)
    marks = [(mark["time"], mark["kind"]) for mark in about["marks"]]
    assert marks == [(3.0, "decision"), (4.0, "outcome"), (6.0, "failure"), (10.0, "end")]


@pytest.mark.parametrize(("time", "stamp"), [(0.0, 102.0), (5.0, 102.0), (8.5, 108.0)])
def test_an_image_is_the_last_one_before_the_time(run: Path, time: float, stamp: float) -> None:
    frame = asyncio.run(RecordingSource(run).frame("head", 0.0, time))
    assert frame.stamp == stamp
    assert frame.jpeg.startswith(b"\xff\xd8")


def test_a_camera_that_was_not_recorded_is_told(run: Path) -> None:
    with pytest.raises(NothingToShow, match="no image of camera 'tail'"):
        asyncio.run(RecordingSource(run).frame("tail", 0.0, 0.0))


def test_a_recording_takes_no_commands(run: Path) -> None:
    with pytest.raises(RejectedCommand, match="recording"):
        asyncio.run(RecordingSource(run).command("prompt", {"text": "go"}))


def test_the_picture_of_an_object_is_that_of_the_moment(run: Path) -> None:
    source = RecordingSource(run)
    before, after = bytes(picture("mug_1", 10).data), bytes(picture("mug_1", 200).data)
    assert source.picture("mug_1", 4.0).jpeg == before
    assert source.picture("mug_1", 8.0).jpeg == after
    assert source.pictures() == {"mug_1": [(pytest.approx(3.0), before), (pytest.approx(7.0), after)]}
    assert list(at(source, 4.0)["pictures"]) == ["mug_1"]
    with pytest.raises(NothingToShow):
        source.picture("mug_1", 1.0)


def test_damaged_messages_are_left_out_and_told(run: Path) -> None:
    whole = RecordingSource(run)
    recording = McapRecording(run / "damaged.mcap", RecordingLimits(min_free=0))
    for schema, channel, message in recorded_messages(run / "run.mcap"):
        assert schema is not None
        data = [message.data, b"", message.data[:7], b"\0\1\0\0" + b"\xff\xff\xff\x7f" * 20]
        for content in data:
            recording.write(channel.topic, ros_schema(schema.name), content, message.log_time)
    recording.close()
    source = RecordingSource(run / "damaged.mcap")
    damaged = 3 * sum(1 for _ in recorded_messages(run / "run.mcap"))
    assert source.damaged == f"{damaged} damaged messages of the recording are left out"
    assert f"--- {source.damaged}" in source.sections.get("run")["story"]  # type: ignore[index, call-overload, operator]
    assert at(source, 9.0)["mission"] == at(whole, 9.0)["mission"]
    assert [each.frame.jpeg for each in source.images("head")] == [
        each.frame.jpeg for each in whole.images("head")
    ]
    assert export_run(source, 40_000_000).recorded == 2


def test_times_that_lie_centuries_apart_cost_no_memory(tmp_path: Path) -> None:
    recording = McapRecording(tmp_path / "run.mcap", RecordingLimits(min_free=0))
    for stamp in (0, 2**63 - 1):
        message = bytes(serialize_message(PromptStamped(id=str(stamp), text="find the mug")))
        recording.write("/openral/prompt", ros_schema("openral_msgs/msg/PromptStamped"), message, stamp)
    recording.close()
    assert len(moments(RecordingSource(tmp_path), 0.25)["prompts"]) == 2


def test_a_torn_recording_says_what_to_run(run: Path) -> None:
    path = run / "run.mcap"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(NeedsRecovery, match="openral recover"):
        RecordingSource(run)


def test_a_folder_without_a_recording_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotARecording):
        RecordingSource(tmp_path)


def test_moments_at_which_another_run_differs_are_marked(tmp_path: Path) -> None:
    blocked = record_decision(tmp_path / "bad", "BLOCKED", 100.0)
    done = record_decision(tmp_path / "good", "SUCCEEDED", 900.0)
    source = RecordingSource(blocked, beside=done)
    (mark,) = [mark for mark in source.marks if mark["kind"] == "difference"]
    assert mark["text"] == "GRASP mug: blocked"
    assert mark["time"] == pytest.approx(4.0, abs=0.01)
    about = source.sections.get("run")
    assert isinstance(about, dict)
    assert about["comparison"]["name"] == "good"
    assert "first difference: the same decision, another outcome" in about["comparison"]["lines"]
    assert not [
        mark for mark in RecordingSource(blocked, beside=blocked).marks if mark["kind"] == "difference"
    ]
