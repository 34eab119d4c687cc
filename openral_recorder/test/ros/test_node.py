"""The recorder on real DDS: what was published is in the file, for readers that are not ours."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import rclpy
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rclpy.context import Context
from rclpy.qos import QoSProfile
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import Image
from std_msgs.msg import String

from openral_msgs.msg import MissionStatus
from openral_recorder.ros.node import MAX_LINE, JsonLinesFollower, NoFileName, RecorderParameters
from openral_recorder.writer import McapRecording, RecordingLimits
from openral_ros.conversions.images import image_message
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_testing.recordings.recovery import is_complete, recover

SpinUntil = Callable[..., None]
EVERY = QoSProfile(depth=50)
"""Reliable, and deep enough for every message of a test: a writer overwrites what is not acknowledged."""
MAIN = "import sys; from openral_recorder.ros.node import main; sys.exit(main())"


@contextmanager
def recorder(folder: Path, *parameters: str, code: str = MAIN) -> Iterator[subprocess.Popen[bytes]]:
    values = [part for item in (f"path:={folder / 'run.mcap'}", *parameters) for part in ("-p", item)]
    command = [sys.executable, "-c", code, "--ros-args", *values]
    with (folder / "recorder.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(timeout=10.0)


def finish(process: subprocess.Popen[bytes]) -> int:
    process.send_signal(signal.SIGINT)
    return process.wait(timeout=60.0)


def counts_by_mcap(path: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, _, _ in reader.iter_decoded_messages():
            found[channel.topic] = found.get(channel.topic, 0) + 1
    return found


def counts_by_rosbags(path: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    with AnyReader([path]) as reader:
        for connection, _, raw in reader.messages():
            reader.deserialize(raw, connection.msgtype)
            found[connection.topic] = found.get(connection.topic, 0) + 1
    return found


@pytest.fixture
def publish(ros_context: Context, spin_until: SpinUntil) -> Iterator[Callable[..., None]]:
    """`publish(type, topic, qos, messages)`: publish once a recorder listens."""
    node = rclpy.create_node("robot", context=ros_context)

    def run(message_type: type, topic: str, qos: object, messages: list[object]) -> None:
        publisher = node.create_publisher(message_type, topic, qos)
        spin_until(node, lambda: publisher.get_subscription_count() > 0)
        for message in messages:
            publisher.publish(message)
        if qos is not SENSOR:
            publisher.wait_for_all_acked(rclpy.duration.Duration(seconds=10.0))

    yield run
    node.destroy_node()


def test_two_foreign_readers_count_what_was_published(publish: Callable[..., None], tmp_path: Path) -> None:
    pixels = np.full((48, 64, 3), 90, np.uint8)
    with recorder(tmp_path) as process:
        publish(String, "/words", EVERY, [String(data=str(item)) for item in range(30)])
        publish(MissionStatus, "/openral/mission", LATCHED, [MissionStatus(goal="find the mug")])
        publish(Image, "/head/image_raw", RELIABLE, [image_message(pixels, "rgb8", 1.0, "head")] * 5)
        assert finish(process) == 0
    counts = counts_by_mcap(tmp_path / "run.mcap")
    assert counts == counts_by_rosbags(tmp_path / "run.mcap")
    assert counts["/words"] == 30
    assert counts["/openral/mission"] == 1
    assert counts["/head/image_raw/compressed"] == 1, "five images at once are four too many"
    assert "/head/image_raw" not in counts


def test_lines_of_events_are_recorded_to_the_last(ros_domain: int, tmp_path: Path) -> None:
    events = tmp_path / "events"
    events.mkdir()
    (events / "reasoner.jsonl").write_text('{"event": 1}\n')
    with recorder(tmp_path, f"follow:={events}") as process:
        path = tmp_path / "run.mcap"
        wait_until(path.exists)
        with (events / "reasoner.jsonl").open("a") as file:
            file.write('{"event": 2}\n')
        finish(process)
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        topic = "/openral/recording/reasoner"
        lines = [json.loads(item.data) for _, _, _, item in reader.iter_decoded_messages(topics=[topic])]
    assert lines == [{"event": 1}, {"event": 2}]


GARBAGE = [b"\0\1\0\0", b"\0\1\0\0" + b"\xff\xff\xff\x7f" * 20, b"\xff\xff\xff\xff" + b"A" * 300]


def test_what_is_no_message_is_left_out_and_what_is_good_before_and_after_is_kept(
    publish: Callable[..., None], tmp_path: Path
) -> None:
    goals = [MissionStatus(goal=f"find mug {number}") for number in range(2)]
    with recorder(tmp_path) as process:
        publish(MissionStatus, "/openral/mission", EVERY, [goals[0], *GARBAGE, goals[1]])
        publish(Image, "/head/image_raw", RELIABLE, [*GARBAGE])
        assert finish(process) == 0
    counts = counts_by_mcap(tmp_path / "run.mcap")
    assert counts == counts_by_rosbags(tmp_path / "run.mcap")
    assert counts["/openral/mission"] == 2


def test_rosbags_reads_the_profiles_that_publishers_offer(
    publish: Callable[..., None], tmp_path: Path
) -> None:
    with recorder(tmp_path) as process:
        publish(MissionStatus, "/openral/mission", LATCHED, [MissionStatus(goal="find the mug")])
        publish(String, "/words", RELIABLE, [String(data="a")])
        assert finish(process) == 0
    with AnyReader([tmp_path / "run.mcap"]) as reader:
        offered = {each.topic: each.ext.offered_qos_profiles for each in reader.connections}
    found = {
        topic: (qos[0].durability.name, qos[0].reliability.name) for topic, qos in offered.items() if qos
    }
    assert found["/openral/mission"] == ("TRANSIENT_LOCAL", "RELIABLE")
    assert found["/words"] == ("VOLATILE", "RELIABLE")


def test_a_killed_recorder_leaves_a_file_that_is_recovered(
    publish: Callable[..., None], tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with recorder(tmp_path) as process:
        publish(String, "/words", EVERY, [String(data=str(item)) for item in range(20)])
        wait_until(lambda: flushed(path))
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=10.0)
    assert not is_complete(path)
    recover(path)
    assert counts_by_mcap(path)["/words"] == 20
    assert counts_by_mcap(path) == counts_by_rosbags(path)


def test_a_second_start_keeps_the_first_recording(ros_domain: int, tmp_path: Path) -> None:
    first = tmp_path / "run.mcap"
    McapRecording(first, RecordingLimits(min_free=0)).close()
    before = first.read_bytes()
    with recorder(tmp_path) as process:
        wait_until((tmp_path / "run.1.mcap").exists)
        assert finish(process) == 0
    assert first.read_bytes() == before
    assert is_complete(tmp_path / "run.1.mcap")


def test_a_folder_that_cannot_be_written_ends_no_process(ros_domain: int, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    log = tmp_path / "recorder.log"
    with recorder(tmp_path, f"path:={tmp_path / 'file' / 'run.mcap'}") as process:
        wait_until(lambda: "cannot be written" in log.read_text(errors="replace"))
        assert process.poll() is None
        assert finish(process) == 0


def test_a_full_disk_ends_one_file_and_room_begins_another(ros_domain: int, tmp_path: Path) -> None:
    full = tmp_path / "full"
    code = (
        "import os, sys, pathlib; from openral_recorder.ros.node import main; disk = os.statvfs\n"
        f"full = pathlib.Path({str(full)!r}); none = os.statvfs_result((1,) * 2 + (0,) * 7 + (255,))\n"
        "os.statvfs = lambda path: none if full.exists() else disk(path)\n"
        "sys.exit(main())"
    )
    with recorder(tmp_path, "min_free_mb:=1.0", code=code) as process:
        wait_until((tmp_path / "run.mcap").exists)
        full.touch()
        wait_until(lambda: is_complete(tmp_path / "run.mcap"))
        full.unlink()
        wait_until((tmp_path / "run.1.mcap").exists)
        assert finish(process) == 0
    log = (tmp_path / "recorder.log").read_text()
    assert log.count("The robot continues unrecorded") == 1
    assert is_complete(tmp_path / "run.1.mcap")


def flushed(path: Path) -> bool:
    """Return whether a copy of the file, as a kill would leave it, holds all words."""
    copy = path.with_name("copy.mcap")
    copy.write_bytes(path.read_bytes())
    recover(copy)
    return counts_by_mcap(copy).get("/words", 0) == 20


def wait_until(condition: Callable[[], bool], timeout: float = 60.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_a_line_is_read_once_and_only_when_complete(tmp_path: Path) -> None:
    follower = JsonLinesFollower(tmp_path)
    append(tmp_path / "events.jsonl", '{"a": 1}\n{"b"')
    assert list(follower.new_lines()) == [("events", b'{"a": 1}')]
    assert list(follower.new_lines()) == []
    append(tmp_path / "events.jsonl", ": 2}\n")
    assert list(follower.new_lines()) == [("events", b'{"b": 2}')]


def test_a_replaced_file_is_read_from_its_beginning(tmp_path: Path) -> None:
    follower = JsonLinesFollower(tmp_path)
    append(tmp_path / "events.jsonl", '{"a": 1}\n{"a": 2}\n')
    list(follower.new_lines())
    (tmp_path / "events.jsonl").write_text('{"a": 3}\n')
    assert list(follower.new_lines()) == [("events", b'{"a": 3}')]


def test_what_is_no_json_object_is_left_out(tmp_path: Path) -> None:
    append(tmp_path / "events.jsonl", 'text\n[1]\n{"a": 1\n{"a": 1}\n')
    assert list(JsonLinesFollower(tmp_path).new_lines()) == [("events", b'{"a": 1}')]


def test_an_endless_line_is_skipped_and_the_next_one_read(tmp_path: Path) -> None:
    follower = JsonLinesFollower(tmp_path)
    append(tmp_path / "events.jsonl", '{"a": "' + "x" * (2 * MAX_LINE + 10))
    assert list(follower.new_lines()) == []
    append(tmp_path / "events.jsonl", '"}\n{"b": 1}\n')
    assert list(follower.new_lines())[-1:] == [("events", b'{"b": 1}')]


def test_a_folder_that_does_not_exist_yet_has_no_lines(tmp_path: Path) -> None:
    follower = JsonLinesFollower(tmp_path / "later")
    assert list(follower.new_lines()) == []
    (tmp_path / "later").mkdir()
    append(tmp_path / "later" / "spans.jsonl", "{}\n")
    assert list(follower.new_lines()) == [("spans", b"{}")]


def test_a_file_in_a_folder_below_is_named_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "spans").mkdir()
    append(tmp_path / "spans" / "sim.jsonl", "{}\n")
    assert list(JsonLinesFollower(tmp_path).new_lines()) == [("spans/sim", b"{}")]


@pytest.mark.parametrize("path", ["", "/", ".", "\0", "~an-unknown-user/run.mcap"])
def test_a_path_that_names_no_file_is_refused_by_name(path: str) -> None:
    with pytest.raises(NoFileName, match=r"valid is one such as run\.mcap"):
        RecorderParameters(path=path).file()
