"""Whatever a kill or a torn disk leaves of a file, its complete messages come back, indexed."""

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap.records import Message
from mcap.writer import Writer
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader

from openral_recorder.writer import McapRecording, MessageSchema, RecordingLimits
from openral_testing.recordings.recovery import (
    NotARecording,
    RecoveryResult,
    is_complete,
    recorded_messages,
    recording_file,
    records,
    recover,
)

KILLS = 5
CUTS = 60


@pytest.fixture
def torn(tmp_path: Path, text_schema: MessageSchema, words: bytes) -> Path:
    """Chunks of one message each, without the end of the file."""
    recording = McapRecording(tmp_path / "run.mcap", RecordingLimits(flush_period=0.0, min_free=0))
    for stamp in range(20):
        recording.write("/a", text_schema, words, stamp)
    kept = recording.path.read_bytes()
    recording.close()
    recording.path.write_bytes(kept)
    return recording.path


def decoded(path: Path) -> list[str]:
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        return [message.data for _, _, _, message in reader.iter_decoded_messages()]


def count_by_rosbags(path: Path) -> int:
    with AnyReader([path]) as reader:
        return sum(1 for _ in reader.messages())


def test_a_torn_file_is_recovered_whole(torn: Path) -> None:
    assert not is_complete(torn)
    result = recover(torn)
    assert (result.messages, result.complete) == (20, False)
    assert is_complete(torn)
    assert decoded(torn) == ["words"] * 20
    assert count_by_rosbags(torn) == 20


def test_a_complete_file_is_left_as_it_is(torn: Path) -> None:
    recover(torn)
    before = torn.read_bytes()
    assert recover(torn).complete
    assert torn.read_bytes() == before


def test_wherever_the_file_ends_the_messages_before_come_back(torn: Path) -> None:
    content = torn.read_bytes()
    header = 200  # magic, header and metadata
    for end in random.Random(7).sample(range(header, len(content)), CUTS):
        torn.write_bytes(content[:end])
        found = recover(torn).messages
        assert found <= 20
        assert decoded(torn) == ["words"] * found
    torn.write_bytes(content[:-1])
    assert recover(torn).messages >= 19


def test_a_flipped_bit_ends_the_recovery_and_spares_what_was_before(torn: Path) -> None:
    content = bytearray(torn.read_bytes())
    content[len(content) * 3 // 4] ^= 0xFF
    torn.write_bytes(content)
    found = recover(torn).messages
    assert 10 <= found <= 20
    assert decoded(torn) == ["words"] * found


def test_a_damaged_chunk_costs_its_messages_and_is_counted(torn: Path) -> None:
    recover(torn)
    assert [message.data[4:9] for _, _, message in recorded_messages(torn, ["/a"], 3, 5)] != []
    content = bytearray(torn.read_bytes())
    content[len(content) // 4] ^= 0xFF
    torn.write_bytes(content)
    assert is_complete(torn)
    damaged: Counter[str] = Counter()
    found = [message.data for _, _, message in recorded_messages(torn, damaged=damaged)]
    assert damaged == {"chunks": 1}
    assert found == [], "recovery had written one chunk"
    assert recover(torn) == RecoveryResult(torn, 0, complete=False, damaged=1)
    assert recover(torn) == RecoveryResult(torn, 0, complete=True)


def test_a_damaged_chunk_in_the_middle_spares_what_follows(torn: Path) -> None:
    content = bytearray(torn.read_bytes())
    at = content.index(b"zstd", len(content) // 2) + 20  # in the compressed part of one chunk
    content[at : at + 4] = bytes(4)
    torn.write_bytes(content)
    result = recover(torn)
    assert (result.messages, result.damaged) == (19, 1)
    assert decoded(torn) == ["words"] * 19


@pytest.mark.parametrize("indexed", [True, False])
def test_a_chunk_that_unfolds_to_gigabytes_is_not_unfolded(tmp_path: Path, indexed: bool) -> None:
    path = tmp_path / "bomb.mcap"
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=1 << 40)
        writer.start("ros2", "")
        channel = writer.register_channel("/a", "cdr", 0)
        for _ in range(20):
            writer.add_message(channel, 1, bytes(20_000_000), 1)
        writer.finish()
    if not indexed:
        path.write_bytes(path.read_bytes()[:-40])
    damaged: Counter[str] = Counter()
    assert [each for each in records(path, damaged) if isinstance(each, Message)] == []
    assert damaged["chunks"] == 1
    assert recover(path).messages == 0


def test_a_file_without_chunks_is_read_in_order(tmp_path: Path) -> None:
    path = tmp_path / "plain.mcap"
    with path.open("wb") as file:
        writer = Writer(file, use_chunking=False)
        writer.start("ros2", "")
        channel = writer.register_channel("/a", "cdr", 0)
        for stamp in (3, 1, 2):
            writer.add_message(channel, stamp, b"", stamp)
        writer.finish()
    assert [message.log_time for _, _, message in recorded_messages(path)] == [1, 2, 3]


def test_a_file_that_is_no_recording_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(b"not a recording at all")
    with pytest.raises(NotARecording, match="does not begin as an MCAP file"):
        recover(path)
    assert path.read_bytes() == b"not a recording at all"
    assert [item.name for item in tmp_path.iterdir()] == ["run.mcap"]


@pytest.mark.parametrize("inside", ["run.mcap", "recording/run.mcap"])
def test_the_recording_of_a_run_folder_is_found(tmp_path: Path, inside: str) -> None:
    (tmp_path / inside).parent.mkdir(exist_ok=True)
    (tmp_path / inside).touch()
    assert recording_file(tmp_path) == tmp_path / inside


def test_a_folder_without_a_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotARecording, match=r"no run\.mcap in this folder"):
        recording_file(tmp_path)


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_killed_process_loses_only_what_it_had_not_flushed(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    command = [sys.executable, str(Path(__file__).with_name("writing_process.py")), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        flushed = [process.stdout.readline() for _ in range(random.Random(seed).randint(1, 25))]
        process.kill()
        flushed += process.stdout.read().split()
    recover(path)
    numbers = decoded(path)
    assert numbers == [str(number) for number in range(len(numbers))]
    assert len(numbers) >= int(flushed[-1])
    assert count_by_rosbags(path) == len(numbers)
