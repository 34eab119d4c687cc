"""Commands that read recordings."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from mcap.writer import Writer
from PIL import Image
from rclpy.serialization import serialize_message
from std_msgs.msg import String
from typer.testing import CliRunner

from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.telemetry import RECORDING_FILE
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome
from openral_testing.recordings.lives import settings_line, step_line
from openral_testing.recordings.recovery import EVENTS
from openral_testing.recordings.ros.cli import UnreadableRecording, commands, mcap_lines

Invoke = Callable[..., Any]
HOME = SymbolicHome(
    places={"counter_1": HomePlace("counter_1", "kitchen counter", "kitchen", 2.0, 0.0)},
    objects={"mug_1": HomeObject("mug_1", "red mug", "counter_1", "mug")},
    rooms={"kitchen": "kitchen"},
    agents={},
)


@pytest.fixture
def invoke() -> Invoke:
    return lambda *arguments: CliRunner().invoke(commands, list(arguments))


SPAN = {
    "name": "invoke_agent openral",
    "context": {"span_id": "0x1"},
    "start_time": "2026-11-25T10:00:00Z",
    "end_time": "2026-11-25T10:00:09Z",
    "resource": {"attributes": {"service.name": "reasoner"}},
}


def test_draws_the_spans_of_a_run_folder(tmp_path: Path) -> None:
    folder = tmp_path / "recording" / "spans"
    folder.mkdir(parents=True)
    (folder / "reasoner.jsonl").write_text(json.dumps(SPAN) + "\n{broken\n", encoding="utf-8")
    out = tmp_path / "picture.png"
    done = CliRunner().invoke(commands, ["waterfall", str(tmp_path), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "1 spans" in done.output
    with Image.open(out) as image:
        assert image.width > 1000


def test_a_run_without_spans_is_refused_with_a_hint(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands, ["waterfall", str(tmp_path), "--service", "reasoner"])
    assert done.exit_code == 2
    assert "--record" in done.output


def test_recordings_replay_and_explain(invoke: Invoke, tmp_path: Path) -> None:
    settings = MissionSettings()
    played = run_mission_in_home("find the mug", ToolPalette(), HomePeers(HOME).answer, decide, settings)
    lines = [settings_line(settings), *(step_line(m.now, m.event, m.commands) for m in played.moments)]
    (tmp_path / RECORDING_FILE).write_text("\n".join(lines))
    assert invoke("replay", str(tmp_path)).exit_code == 0
    assert "find the mug" in invoke("explain", str(tmp_path)).output
    alike = invoke("compare", str(tmp_path), str(tmp_path))
    assert (alike.exit_code, alike.output.splitlines()[-1]) == (0, "no difference")
    (tmp_path / "other").mkdir()
    cut = [settings_line(settings), *(step_line(m.now, m.event, m.commands) for m in played.moments[:-1])]
    (tmp_path / "other" / RECORDING_FILE).write_text("\n".join(cut))
    differing = invoke("compare", str(tmp_path), str(tmp_path / "other"))
    assert differing.exit_code == 1
    assert "first difference: decisions of one run alone" in differing.output
    (tmp_path / RECORDING_FILE).write_text("\n".join([*lines[:-1], *lines]))
    assert "of 2 starts of the reasoner" in invoke("replay", str(tmp_path)).output
    assert "the reasoner stopped during this mission" in invoke("explain", str(tmp_path)).output
    (tmp_path / RECORDING_FILE).write_text(
        "\n".join(lines).replace("waiting: no spatial", "dozing: no spatial")
    )
    differs = invoke("replay", str(tmp_path))
    assert differs.exit_code == 1
    assert "recorded" in differs.output
    aside = invoke("replay", str(tmp_path), "--ignore-text")
    assert aside.exit_code == 0, aside.output
    assert "texts ignored" in aside.output


def test_a_recording_replays_by_its_own_name_and_gzipped(invoke: Invoke, tmp_path: Path) -> None:
    recording = tmp_path / "mission.jsonl.gz"
    recording.write_bytes(gzip.compress((settings_line(MissionSettings()) + "\n").encode()))
    reported = invoke("replay", str(recording))
    assert reported.exit_code == 0, reported.output
    assert "0 events" in reported.output


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


def test_a_damaged_message_is_an_empty_line(recording: Path) -> None:
    content = recording.with_name("damaged.mcap")
    with content.open("wb") as file:
        writer = Writer(file)
        writer.start("ros2")
        channel = writer.register_channel(EVENTS, "cdr", 0)
        for stamp, data in enumerate((bytes(serialize_message(String(data="a"))), b"", b"\0\1\0\0\xff\xff")):
            writer.add_message(channel, stamp, data, stamp)
        writer.finish()
    assert list(mcap_lines(content)) == ["a", "", ""]


def test_the_lines_of_events_come_back_in_order(recording: Path) -> None:
    assert list(mcap_lines(recording)) == ["line 0", "line 2", "line 4"]


@pytest.mark.parametrize("content", [b"", b"no recording", None])
def test_a_damaged_file_says_what_to_run(content: bytes | None, recording: Path) -> None:
    recording.write_bytes(recording.read_bytes()[:-60] if content is None else content)
    with pytest.raises(UnreadableRecording, match="openral recover"):
        list(mcap_lines(recording))
