"""Kind of a file that is no complete MCAP file, by its first bytes, and what makes it one."""

from pathlib import Path

MCAP = b"\x89MCAP0\r\n"
REINDEX = "restore its metadata.yaml with `ros2 bag reindex`, and give the folder"
FOREIGN = (
    (b"#ROSBAG V2.0", "a bag of ROS 1: convert it with `rosbags-convert --src FILE --dst FOLDER`"),
    (b"#ROSBAG V1", "a bag of ROS 1 before version 2.0: fix it with `rosbag fix`, then convert it"),
    (b"SQLite format 3\x00", f"an SQLite bag of rosbag2 without its metadata: {REINDEX}"),
    (b"\x28\xb5\x2f\xfd", "compressed as a whole with zstd: unpack it with `zstd -d FILE`"),
    (b"\x04\x22\x4d\x18", "compressed as a whole with lz4: unpack it with `lz4 -d FILE`"),
    (b"\x1f\x8b", "compressed with gzip: unpack it with `gunzip FILE`"),
    (b"PK\x03\x04", "a ZIP archive: unpack it"),
)
"""First bytes of files that people take for recordings, and what they are."""


def foreign_kind(file: Path) -> str:
    """Return what a file is instead of MCAP, and what to do; "" if it begins as one.

    Raises:
        OSError: If it cannot be read.
    """
    with file.open("rb") as stream:
        head = stream.read(max(len(start) for start, _ in FOREIGN))
    if head.startswith(MCAP):
        return ""
    if not head:
        return "it is empty"
    kind = next((kind for start, kind in FOREIGN if head.startswith(start)), "")
    return f"it is {kind}" if kind else f"it does not begin as an MCAP file does, but with {head[:8]!r}"
