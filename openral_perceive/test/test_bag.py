"""Recordings that are opened: those of the recorder, and bags of rosbag2."""

from collections.abc import Callable
from pathlib import Path

import pytest

from openral_perceive.bag import UnreadableBag, open_bag
from openral_recorder.errors import NeedsRecovery, NotARecording


def test_a_run_has_its_topics_with_their_types(record: Callable[..., Path]) -> None:
    bag = open_bag(record())
    assert bag.topics["/head/image_raw/compressed"] == "sensor_msgs/msg/CompressedImage"
    assert bag.topics["/openral/scene_graph"] == "openral_msgs/msg/SceneGraph"


@pytest.mark.parametrize("foreign", [True, False])
def test_messages_come_in_order_and_only_those_that_are_asked_for(
    foreign: bool, record: Callable[..., Path], foreign_bag: tuple[Path, Path]
) -> None:
    bag = open_bag(foreign_bag[0] if foreign else record())
    topic = "/driver/camera_info" if foreign else "/head/camera_info"
    found = list(bag.messages([topic, "/tf_static"]))
    assert {message.topic for message in found} == {topic, "/tf_static"}
    assert [message.time for message in found] == sorted(message.time for message in found)
    assert list(bag.messages([])) == []


def test_what_is_not_a_recording_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotARecording, match="expected an MCAP file"):
        open_bag(tmp_path)
    (tmp_path / "metadata.yaml").write_text("rosbag2_bagfile_information: {}")
    with pytest.raises(UnreadableBag, match="cannot be read as a recording"):
        open_bag(tmp_path)


def test_a_recording_without_index_says_what_to_run(record: Callable[..., Path]) -> None:
    file = record() / "run.mcap"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(NeedsRecovery, match="openral recover"):
        open_bag(file)


def test_a_damaged_chunk_is_told(record: Callable[..., Path]) -> None:
    file = record() / "run.mcap"
    data = bytearray(file.read_bytes())
    data[2000:2400] = bytes(400)
    file.write_bytes(bytes(data))
    with pytest.raises(UnreadableBag):
        list(open_bag(file).messages(["/head/camera_info", "/tf_static", "/head/image_raw/compressed"]))
