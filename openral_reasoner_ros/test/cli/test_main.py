"""The `openral` command against a live graph and against recordings."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
import pytest
from mcap.writer import Writer
from rclpy.executors import SingleThreadedExecutor
from rclpy.serialization import serialize_message
from std_msgs.msg import String
from typer.testing import CliRunner

from openral_msgs.msg import PromptStamped
from openral_reasoner.context import Decision, RawCall
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.recording import settings_line, step_line
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner_ros.cli.main import EVENTS, UnreadableRecording, app, mcap_lines
from openral_reasoner_ros.telemetry import RECORDING_FILE
from openral_reasoner_ros.topics import PROMPT
from openral_ros.qos import RELIABLE
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.ros.executor_thread import ExecutorThread

Invoke = Callable[..., Any]


@pytest.fixture
def invoke() -> Invoke:
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


@pytest.fixture
def live(graph: Any, make_reasoner: Any) -> Iterator[Any]:
    """The graph spinning on a thread of its own, as another process would."""
    executor = SingleThreadedExecutor(context=graph.context)
    reasoner = make_reasoner(handoff_timeout=30.0)
    for node in (graph, reasoner):
        executor.add_node(node)
    with ExecutorThread(executor):
        yield graph


def test_a_goal_is_given_and_waited_for(live: Any, invoke: Invoke) -> None:
    done = invoke("prompt", "bring me the baguette", "--wait")
    assert done.exit_code == 0, done.output
    assert "SUCCEEDED" in done.output
    assert live.home.delivered == [("bread_1", "ana")]
    shown = invoke("mission", "status")
    assert "bring me the baguette" in shown.output
    assert "recalls: " in shown.output


def test_what_a_goal_points_at_is_named_by_its_id(live: Any, invoke: Invoke) -> None:
    done = invoke("prompt", "bring me this", "--object", "bread_1", "--wait")
    assert done.exit_code == 0, done.output
    assert live.home.delivered == [("bread_1", "ana")]
    gone = invoke("prompt", "bring me this", "--object", "bread_9", "--wait")
    assert gone.exit_code == 1, gone.output
    assert "bread_9, which you point at, is gone" in gone.output


def test_a_claim_without_proof_has_an_exit_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, invoke: Invoke
) -> None:
    lie = RawCall(tool="done", arguments='{"success": true, "message": "I brought it."}')
    monkeypatch.setattr(
        "openral_reasoner_ros.node.make_model", lambda _: lambda context: Decision(calls=(lie,))
    )
    live = request.getfixturevalue("live")
    claimed = invoke("prompt", "bring me the baguette", "--wait")
    assert claimed.exit_code == 5, claimed.output
    assert "CLAIMED: I brought it. (claimed, not proven: no successful HANDOVER or PLACE" in claimed.output
    assert live.home.delivered == []
    assert (
        "evidence: missing: no successful HANDOVER or PLACE of 'baguette'"
        in invoke("mission", "status").output
    )


def test_a_handoff_is_answered_and_the_mission_goes_on(live: Any, invoke: Invoke, operator: Any) -> None:
    assert invoke("prompt", "open the portcullis").exit_code == 0
    executor = SingleThreadedExecutor(context=operator.context)
    executor.add_node(operator)
    while not operator.handoffs:
        executor.spin_once(timeout_sec=0.05)
    assert invoke("mission", "answer", operator.handoffs[0].id, "no").exit_code == 0
    while not operator.ended:
        executor.spin_once(timeout_sec=0.05)
    executor.shutdown()
    assert "the answer was 'no'" in operator.statuses[-1].reason


def test_every_goal_and_every_stop_is_acknowledged_beside_another_listener(live: Any, invoke: Invoke) -> None:
    live.create_subscription(PromptStamped, PROMPT, lambda prompt: None, RELIABLE)
    for number in range(5):
        given = invoke("prompt", f"open portcullis {number}", "--timeout", "30")
        stopped = invoke("mission", "cancel", "--timeout", "30")
        assert (given.exit_code, stopped.exit_code) == (0, 0), given.output + stopped.output
        assert given.output.startswith("started "), given.output
        assert stopped.output.startswith("stopped"), stopped.output


def test_the_palette_is_what_the_model_is_given(live: Any, invoke: Invoke) -> None:
    shown = invoke("palette")
    assert shown.exit_code == 0, shown.output
    content = json.loads(shown.output)
    assert content["system"] == SYSTEM_PROMPT
    assert "done" in {tool["name"] for tool in content["tools"]}
    assert content["listed"]["skills"]


def test_silence_is_told_with_what_to_check(ros_domain: int, invoke: Invoke) -> None:
    silent = invoke("mission", "status", "--timeout", "0.2")
    assert silent.exit_code != 0
    assert "ROS_DOMAIN_ID" in str(silent.exception)


def test_recordings_replay_and_explain(invoke: Invoke, tmp_path: Path, graph: Any) -> None:
    settings = MissionSettings()
    played = run_mission_in_home(
        "find the mug", ToolPalette(), HomePeers(graph.home).answer, decide, settings
    )
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
