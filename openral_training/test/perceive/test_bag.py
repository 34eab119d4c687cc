"""Recordings that are opened: those of the recorder, and bags of rosbag2."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from openral_testing.recordings.recovery import NeedsRecovery, NotARecording
from openral_training.perceive.bag import UnreadableBag, open_bag


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


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("home.bag", b"#ROSBAG V2.0\n" + bytes(5000), "a bag of ROS 1: convert it with `rosbags-convert"),
        (
            "bag_0.db3",
            b"SQLite format 3\x00" + bytes(9),
            "without its metadata: restore .* `ros2 bag reindex`",
        ),
        ("bag_0.mcap.zstd", b"\x28\xb5\x2f\xfd" + bytes(500), "compressed as a whole with zstd"),
        ("run.mcap", b"\x1f\x8b" + bytes(500), "compressed with gzip"),
        ("clip.mp4", b"\x00\x00\x00\x20ftypisom", "not as an MCAP file does"),
        ("run.mcap", b"", "it is empty"),
    ],
)
@pytest.mark.parametrize("by_folder", [False, True])
def test_a_foreign_file_is_told_what_it_is(
    name: str, content: bytes, words: str, by_folder: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(NotARecording, match="expected an MCAP file" if name == "clip.mp4" else words):
        open_bag(tmp_path if by_folder else tmp_path / name)


def test_a_folder_of_rosbag2_without_metadata_is_its_only_file_or_needs_them(
    record: Callable[..., Path], tmp_path: Path
) -> None:
    folder = tmp_path / "rosbag2"
    folder.mkdir()
    (record() / "run.mcap").rename(folder / "rosbag2_0.mcap")
    assert "/head/camera_info" in open_bag(folder).topics
    shutil.copy(folder / "rosbag2_0.mcap", folder / "rosbag2_1.mcap")
    with pytest.raises(NotARecording, match=r"2 files without metadata\.yaml.*reindex"):
        open_bag(folder)


def test_an_sqlite_file_is_opened_with_the_metadata_beside_it(foreign_bag: tuple[Path, Path]) -> None:
    folder, _ = foreign_bag
    (file,) = folder.glob("*.db3")
    assert open_bag(file).topics == open_bag(folder).topics


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
