"""A recording is bounded, ends with a typed reason, and is whole after every flush."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from mcap.reader import make_reader

from openral_recorder.errors import DiskFull, NotWritable, RecordingFull
from openral_recorder.writer import (
    RESTART_MARGIN,
    SUMMARY_SIZE,
    McapRecording,
    MessageSchema,
    RecordingLimits,
)

LIMITS = RecordingLimits(min_free=0)


def messages(path: Path) -> list[bytes]:
    with path.open("rb") as file:
        return [message.data for _, _, message in make_reader(file).iter_messages()]


def test_every_message_is_written_with_its_schema(
    tmp_path: Path, text_schema: MessageSchema, words: bytes
) -> None:
    recording = McapRecording(tmp_path / "run.mcap", LIMITS)
    for stamp in range(3):
        recording.write("/a", text_schema, words, stamp)
    recording.write("/b", text_schema, words, 3)
    recording.close()
    with recording.path.open("rb") as file:
        reader = make_reader(file)
        summary = reader.get_summary()
        assert reader.get_header().profile == "ros2"
    assert summary is not None
    assert {channel.topic for channel in summary.channels.values()} == {"/a", "/b"}
    assert [schema.encoding for schema in summary.schemas.values()] == ["ros2msg"]
    assert messages(recording.path) == [words] * 4
    assert recording.counts == {"/a": 3, "/b": 1}


def test_a_full_recording_ends_complete_and_says_so(tmp_path: Path, text_schema: MessageSchema) -> None:
    limits = RecordingLimits(max_size=SUMMARY_SIZE + 100_000, min_free=0)
    recording = McapRecording(tmp_path / "run.mcap", limits)
    for stamp in range(40):
        recording.write("/a", text_schema, os.urandom(10_000), stamp)
    assert isinstance(recording.error, RecordingFull)
    assert "max_size" in str(recording.error)
    assert recording.path.stat().st_size <= limits.max_size
    assert 5 <= len(messages(recording.path)) <= 10


def test_bulk_is_refused_before_the_file_is_full(tmp_path: Path, text_schema: MessageSchema) -> None:
    limits = RecordingLimits(max_size=SUMMARY_SIZE + 100_000, bulk_share=0.02, min_free=0)
    recording = McapRecording(tmp_path / "run.mcap", limits)
    before = recording.takes_bulk
    recording.write("/a", text_schema, os.urandom(30_000), 0)
    assert (before, recording.takes_bulk, recording.is_open) == (True, False, True)
    recording.close()


def test_a_disk_that_fills_up_ends_the_recording_complete(
    tmp_path: Path, text_schema: MessageSchema, words: bytes
) -> None:
    limits = RecordingLimits(min_free=1 << 60, flush_period=0.0)
    recording = McapRecording(tmp_path / "run.mcap", limits)
    recording.write("/a", text_schema, words, 0)
    assert isinstance(recording.error, DiskFull)
    assert messages(recording.path) == [words]
    recording.write("/a", text_schema, words, 1)
    recording.close()


def test_a_recording_tells_when_its_disk_has_room_again(
    tmp_path: Path, text_schema: MessageSchema, words: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = 0

    def disk(folder: object) -> os.statvfs_result:
        return os.statvfs_result((1, 1, free, free, free, 0, 0, 0, 0, 255))

    recording = McapRecording(tmp_path / "run.mcap", RecordingLimits(min_free=10, flush_period=0.0))
    monkeypatch.setattr(os, "statvfs", disk)
    assert not recording.has_room_again
    recording.write("/a", text_schema, words, 0)
    assert isinstance(recording.error, DiskFull)
    assert not recording.has_room_again
    free = 11 + RESTART_MARGIN
    assert recording.has_room_again


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, NotWritable)]
)
def test_a_write_error_is_typed_and_ends_only_the_recording(
    number: int,
    expected: type[Exception],
    tmp_path: Path,
    text_schema: MessageSchema,
    words: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(folder: object) -> os.statvfs_result:
        raise OSError(number, os.strerror(number))

    recording = McapRecording(tmp_path / "run.mcap", RecordingLimits(flush_period=0.0, min_free=0))
    monkeypatch.setattr(os, "statvfs", fails)
    recording.write("/a", text_schema, words, 0)
    assert isinstance(recording.error, expected)
    assert not recording.is_open


def test_a_folder_that_cannot_be_made_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotWritable, match="cannot be written"):
        McapRecording(tmp_path / "file" / "run.mcap")


def test_an_existing_recording_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "run.mcap").write_text("precious")
    with pytest.raises(NotWritable):
        McapRecording(tmp_path / "run.mcap")
    assert (tmp_path / "run.mcap").read_text() == "precious"


def test_messages_wait_no_longer_than_the_flush_period(
    tmp_path: Path, text_schema: MessageSchema, words: bytes
) -> None:
    now = [0.0]

    def clock() -> float:
        return now[0]

    moving: Callable[[], float] = clock
    recording = McapRecording(
        tmp_path / "run.mcap", RecordingLimits(min_free=0, flush_period=0.5), clock=moving
    )
    recording.write("/a", text_schema, words, 0)
    before = recording.path.stat().st_size
    now[0] = 0.4
    recording.flush_if_due()
    assert recording.path.stat().st_size == before
    now[0] = 0.6
    recording.flush_if_due()
    assert recording.path.stat().st_size > before
    recording.close()
