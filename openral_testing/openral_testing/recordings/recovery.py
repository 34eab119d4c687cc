"""Recovery of an MCAP file whose writer was killed: every complete message is kept, and indexed."""

import heapq
import struct
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import BinaryIO

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, ChunkIndex, Header, McapRecord, Message, Metadata, Schema
from mcap.stream_reader import StreamReader, breakup_chunk
from mcap.summary import Summary
from mcap.writer import CompressionType, Writer
from zstandard import get_frame_parameters

from openral_core.errors import OpenRALError
from openral_testing.recordings.foreign_files import foreign_kind

RECORDING = "run.mcap"
EVENTS = "/openral/recording/reasoner"
"""Topic on which the recorder stores the lines of `reasoner.jsonl`."""
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
LAST = 1 << 64
"""Later than any time that a file can hold [ns]."""
UNKNOWN_SIZE = 1 << 63
"""Sizes from here on are no size: a frame of zstandard may leave it out."""
RECORD_HEADER = 9
"""Opcode and length before the content of a record [bytes]."""
MAX_RECORD = 1 << 28
"""Largest record, and largest chunk unfolded [bytes]; a damaged length must not allocate more."""


class NotARecording(OpenRALError):
    """A file or folder without a readable MCAP recording."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}; expected an MCAP file, or a run folder that contains run.mcap")


class NeedsRecovery(OpenRALError):
    """A recording without an index, whose recorder was killed."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} has no index: its recorder was killed; run: openral recover {path}")


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """Outcome of a recovery; ``complete`` if the file had its index already and was left as it is."""

    path: Path  # The file.
    messages: int  # Their number in it.
    complete: bool  # See above.
    damaged: int = 0  # Chunks that could not be read and are left out.


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
        refuse_foreign(file)
        raise NeedsRecovery(file)
    return file


def refuse_foreign(file: Path) -> None:
    """Refuse a file that does not begin as MCAP does: no recovery makes it one.

    Raises:
        NotARecording: Saying what it is, and what to do.
    """
    try:
        kind = foreign_kind(file)
    except OSError as error:
        raise NotARecording(file, f"it cannot be read ({error.strerror})") from error
    if kind:
        raise NotARecording(file, kind)


def recorded_messages(
    path: Path,
    topics: Collection[str] | None = None,
    start: int | None = None,
    end: int | None = None,
    damaged: Counter[str] | None = None,
) -> Iterator[tuple[Schema | None, Channel, Message]]:
    """Yield the messages of a complete file in order, checksums verified.

    Args:
        path: MCAP file with an index.
        topics: Fully qualified names; None takes all.
        start: Earliest log time [ns].
        end: Log time before which messages are taken [ns].
        damaged: Counts chunks that cannot be read, under "chunks"; they are left out.

    Raises:
        NotARecording: If the index is damaged.
    """
    summary = _summary(path)
    first, last = start or 0, LAST if end is None else end - 1
    channels = {key for key, each in summary.channels.items() if topics is None or each.topic in topics}
    order = count()
    queue: list[tuple[int, int, Message]] = []
    with path.open("rb") as file:
        for earliest, messages in _parts(file, path, summary, channels, (first, last), damaged):
            while queue and queue[0][0] < earliest:
                yield _described(heapq.heappop(queue)[2], summary)
            for message in messages:
                if first <= message.log_time <= last and message.channel_id in channels:
                    heapq.heappush(queue, (message.log_time, next(order), message))
    while queue:
        yield _described(heapq.heappop(queue)[2], summary)


def _summary(path: Path) -> Summary:
    try:
        with path.open("rb") as file:
            summary = make_reader(file).get_summary()
    except (*DAMAGE, OSError) as error:
        raise NotARecording(path, f"damaged index ({type(error).__name__})") from error
    if summary is None:
        raise NotARecording(path, "it has no index")
    return summary


def _described(message: Message, summary: Summary) -> tuple[Schema | None, Channel, Message]:
    channel = summary.channels[message.channel_id]
    return summary.schemas.get(channel.schema_id), channel, message


def _parts(
    file: BinaryIO,
    path: Path,
    summary: Summary,
    channels: Set[int],
    between: tuple[int, int],
    damaged: Counter[str] | None,
) -> Iterator[tuple[int, list[Message]]]:
    """Yield (earliest time [ns], messages) of the chunks that may have wanted messages, by their times."""
    if not summary.chunk_indexes:
        yield 0, [each for each in records(path, damaged) if isinstance(each, Message)]
    for index in sorted(summary.chunk_indexes, key=lambda each: each.message_start_time):
        inside = index.message_start_time <= between[1] and index.message_end_time >= between[0]
        offsets = index.message_index_offsets
        if inside and (not offsets or channels & offsets.keys()):
            yield index.message_start_time, _messages_of(file, index, damaged)


def _messages_of(file: BinaryIO, index: ChunkIndex, damaged: Counter[str] | None) -> list[Message]:
    """Read one chunk; one that is damaged is counted and left out."""
    try:
        file.seek(index.chunk_start_offset + RECORD_HEADER)
        if index.chunk_length > MAX_RECORD:
            raise OverflowError
        chunk = Chunk.read(ReadDataStream(BytesIO(file.read(index.chunk_length - RECORD_HEADER))))
        return [each for each in unpacked(chunk) if isinstance(each, Message)]
    except (*DAMAGE, OSError):
        if damaged is not None:
            damaged["chunks"] += 1
        return []


def unpacked(chunk: Chunk) -> list[McapRecord]:
    """Return the records of a chunk, checksum verified.

    Raises:
        OverflowError: If it unfolds to more than `MAX_RECORD`.
    """
    content = get_frame_parameters(chunk.data).content_size if chunk.compression == "zstd" else 0
    if max(chunk.uncompressed_size, content if content < UNKNOWN_SIZE else 0) > MAX_RECORD:
        raise OverflowError(f"a chunk of {content} bytes")
    return breakup_chunk(chunk, validate_crc=True)


def is_complete(path: Path) -> bool:
    """Return whether the file has a readable index."""
    try:
        return _summary(path).statistics is not None
    except NotARecording:
        return False


def recover(path: Path) -> RecoveryResult:
    """Rewrite a torn or damaged file with all its complete messages and an index.

    The file is replaced only when that is done.

    Raises:
        NotARecording: If not even its header can be read.
        OSError: If the new file cannot be written; the old one is unchanged.
    """
    refuse_foreign(path)
    damaged: Counter[str] = Counter()
    if is_complete(path):
        messages = sum(1 for _ in recorded_messages(path, damaged=damaged))
        if not damaged:
            return RecoveryResult(path, messages, complete=True)
        damaged.clear()  # counted again
    fresh = path.with_name(f".{path.name}.recovered")
    try:
        messages = _rewrite(path, fresh, damaged)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return RecoveryResult(path, messages, complete=False, damaged=damaged["chunks"])


def records(path: Path, damaged: Counter[str] | None = None) -> Iterator[McapRecord]:
    """Yield the records of a file up to its damaged end, if it has one, without damaged chunks before it.

    Raises:
        NotARecording: If not even its header can be read.
    """
    with path.open("rb") as file:
        stream = StreamReader(file, emit_chunks=True, validate_crcs=False, record_size_limit=MAX_RECORD)
        reader = iter(stream.records)
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
            if not isinstance(record, Chunk):
                yield record
                continue
            try:
                inside = unpacked(record)
            except DAMAGE:
                if damaged is not None:
                    damaged["chunks"] += 1
                continue
            yield from inside


def _rewrite(path: Path, fresh: Path, damaged: Counter[str]) -> int:
    schemas: dict[int, int] = {0: 0}
    channels: dict[int, int] = {}
    messages = 0
    with fresh.open("wb") as file:
        writer = Writer(file, compression=CompressionType.ZSTD)
        for record in records(path, damaged):
            if isinstance(record, Header):
                writer.start(record.profile, record.library)
            elif isinstance(record, Metadata):
                writer.add_metadata(record.name, record.metadata)
            elif isinstance(record, Schema) and record.id not in schemas:
                schemas[record.id] = writer.register_schema(record.name, record.encoding, record.data)
            elif isinstance(record, Channel) and record.id not in channels:
                channels[record.id] = writer.register_channel(
                    record.topic, record.message_encoding, schemas.get(record.schema_id, 0), record.metadata
                )
            elif isinstance(record, Message) and record.channel_id in channels:
                channel = channels[record.channel_id]
                writer.add_message(
                    channel, record.log_time, record.data, record.publish_time, record.sequence
                )
                messages += 1
        writer.finish()
    return messages
