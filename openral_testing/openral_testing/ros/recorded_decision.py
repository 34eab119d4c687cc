"""A recording of one mission with one decision."""

from pathlib import Path

from rclpy.serialization import serialize_message
from std_msgs.msg import String

from openral_reasoner.commands import CallRecord, MissionReport, PublishStatus
from openral_reasoner.events import Cancelled, PromptReceived
from openral_reasoner.settings import MissionSettings
from openral_recorder.schemas import ros_schema
from openral_recorder.writer import McapRecording, RecordingLimits
from openral_testing.recordings.lives import settings_line, step_line
from openral_testing.recordings.recovery import EVENTS, RECORDING


def record_decision(folder: Path, status: str, start: float) -> Path:
    """Record a run whose mission grasps four seconds after the recording began, on a clock of its own.

    Args:
        folder: Folder of the run.
        status: Status of the grasp; none is recorded if it is empty.
        start: Time at which the recording begins [s].
    """
    call = CallRecord(index=0, tool="execute_rskill", arguments='{"step": "GRASP mug"}', status=status)
    calls = (call,) if status else ()
    report = PublishStatus(report=MissionReport(mission_id="m", goal="find the mug", calls=calls))
    lines = [
        settings_line(MissionSettings()),
        step_line(1.0, PromptReceived(id="p", text="find the mug"), ()),
        step_line(4.0, Cancelled(reason=""), (report,)),
    ]
    recording = McapRecording(folder / RECORDING, RecordingLimits(min_free=0))
    for seconds, line in zip((0.0, 1.0, 4.0), lines, strict=True):
        data = bytes(serialize_message(String(data=line)))
        time = int((start + seconds) * 1e9)
        recording.write(EVENTS, ros_schema("std_msgs/msg/String"), data, time)
    recording.close()
    return folder
