"""Recovery of an MCAP file whose writer was killed: every complete message is kept, and indexed."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import zstandard
from mcap.exceptions import McapError
from mcap.reader import make_reader
from mcap.records import Channel, Header, McapRecord, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, Writer

from openral_recorder.errors import NeedsRecovery, NotARecording

RECORDING = "run.mcap"
DAMAGE = (
    McapError,
    EOFError,
    struct.error,
    ValueError,
    zlib.error,
    zstandard.ZstdError,
    RuntimeError,
    MemoryError,
    OverflowError,
)
"""Errors by which the reader reports the torn or damaged end of a file."""
MAX_RECORD = 1 << 28
"""Largest record that is read [bytes]; a damaged length must not allocate more."""


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """Outcome of a recovery; ``complete`` if the file had its index already and was left as it is."""

    path: Path
    messages: int
    complete: bool


def recording_file(path: Path) -> Path:
    """Return the MCAP file that ``path`` is or, as the folder of a run, contains.

    Raises:
        NotARecording: If there is none.
    """
    candidates = (path, path / RECORDING, path / "recording" / RECORDING)
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise NotARecording(
        path, "there is no such file" if not path.exists() else f"no {RECORDING} in this folder"
    )


def complete_recording(path: Path) -> Path:
    """Return the MCAP file that ``path`` is or contains.

    Raises:
        NotARecording: If there is none.
        NeedsRecovery: If it has no index.
    """
    file = recording_file(path)
    if not is_complete(file):
        raise NeedsRecovery(file)
    return file


def recorded_messages(
    path: Path, topics: Sequence[str] | None = None, start: int | None = None, end: int | None = None
) -> Iterator[tuple[Schema | None, Channel, Message]]:
    """Yield the messages of a complete file in order, checksums verified.

    Args:
        path: MCAP file with an index.
        topics: Fully qualified names; None takes all.
        start: Earliest log time [ns].
        end: Log time before which messages are taken [ns].

    Raises:
        NotARecording: If a chunk is damaged.
    """
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        try:
            yield from reader.iter_messages(topics=topics, starting_at=start, ending_before=end)
        except (*DAMAGE, OSError) as error:
            raise NotARecording(path, f"damaged content ({type(error).__name__})") from error


def is_complete(path: Path) -> bool:
    """Return whether the file has a readable index."""
    try:
        with path.open("rb") as file:
            summary = make_reader(file).get_summary()
            return summary is not None and summary.statistics is not None
    except (*DAMAGE, OSError):  # a file that is too short, or an offset that is damaged, is sought in vain
        return False


def recover(path: Path) -> RecoveryResult:
    """Rewrite a torn file with all its complete messages and an index; replace it only when that is done.

    Raises:
        NotARecording: If not even its header can be read.
        OSError: If the new file cannot be written; the old one is unchanged.
    """
    if is_complete(path):
        return RecoveryResult(path, _count(path), complete=True)
    fresh = path.with_name(f".{path.name}.recovered")
    try:
        messages = _rewrite(path, fresh)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return RecoveryResult(path, messages, complete=False)


def records(path: Path) -> Iterator[McapRecord]:
    """Yield the records of a file up to its damaged end, if it has one.

    Raises:
        NotARecording: If not even its header can be read.
    """
    with path.open("rb") as file:
        reader = iter(StreamReader(file, validate_crcs=True, record_size_limit=MAX_RECORD).records)
        try:
            first = next(reader)
        except (*DAMAGE, StopIteration) as error:
            raise NotARecording(path, "it does not begin as an MCAP file does") from error
        yield first
        while True:
            try:
                record = next(reader)
            except (*DAMAGE, StopIteration):
                return
            yield record


def _rewrite(path: Path, fresh: Path) -> int:
    schemas: dict[int, int] = {0: 0}
    channels: dict[int, int] = {}
    count = 0
    with fresh.open("wb") as file:
        writer = Writer(file, compression=CompressionType.ZSTD)
        for record in records(path):
            if isinstance(record, Header):
                writer.start(record.profile, record.library)
            elif isinstance(record, Metadata):
                writer.add_metadata(record.name, record.metadata)
            elif isinstance(record, Schema) and record.id not in schemas:
                schemas[record.id] = writer.register_schema(record.name, record.encoding, record.data)
            elif isinstance(record, Channel) and record.id not in channels:
                channels[record.id] = writer.register_channel(
                    record.topic, record.message_encoding, schemas[record.schema_id], record.metadata
                )
            elif isinstance(record, Message):
                channel = channels[record.channel_id]
                writer.add_message(
                    channel, record.log_time, record.data, record.publish_time, record.sequence
                )
                count += 1
        writer.finish()
    return count


def _count(path: Path) -> int:
    with path.open("rb") as file:
        summary = make_reader(file).get_summary()
    return summary.statistics.message_count if summary is not None and summary.statistics is not None else 0
