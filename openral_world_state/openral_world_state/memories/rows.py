"""Records as rows of the objects table and back."""

import json
import struct

from openral_core.geometry import Pose
from openral_core.scene_graph import Opening, Presence
from openral_world_state.memories.records import Record, Triple

Value = str | float | int | bytes | None
_TEXTS = ("id", "label", "votes", "aliases")
_POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
_SIZE = ("size_x", "size_y", "size_z")
_SIGHTINGS = ("confidence", "presence", "first_seen", "last_seen", "observations", "source", "map_epoch")
_LOOKS = ("misses", "looked", "eye", "carried", "is_container", "occludes_contents", "opening")
_COVARIANCE = struct.Struct("<9d")
_POINT = struct.Struct("<3d")
_encode = json.JSONEncoder(separators=(",", ":")).encode
COLUMNS = (*_TEXTS, *_POSE, *_SIZE, "covariance", *_SIGHTINGS, *_LOOKS)
UPSERT = f"INSERT OR REPLACE INTO objects (number, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"
SELECT = f"SELECT number, {', '.join(COLUMNS)} FROM objects ORDER BY number"


def row_of(number: int, record: Record) -> tuple[Value, ...]:
    """A record as a row: its number, then the order of `COLUMNS`."""
    return (
        number,
        record.id,
        record.label,
        _encode(record.votes),
        _encode(record.aliases) if record.aliases else "[]",
        *record.pose.position,
        *record.pose.orientation,
        *record.size,
        _COVARIANCE.pack(*record.covariance),
        record.confidence,
        record.presence.value,
        record.first_seen,
        record.last_seen,
        record.observations,
        record.source,
        record.map_epoch,
        record.misses,
        record.looked,
        _POINT.pack(*record.eye) if record.eye else None,
        int(record.carried),
        int(record.is_container),
        int(record.occludes_contents),
        record.opening.value,
    )


def record_of_row(row: tuple[Value, ...]) -> Record:
    """A row, without its number, as a record."""
    values = dict(zip(COLUMNS, row, strict=True))
    text = {name: value for name, value in values.items() if isinstance(value, str)}
    number = {name: value for name, value in values.items() if isinstance(value, (int, float))}
    packed = {name: value for name, value in values.items() if isinstance(value, bytes)}
    x, y, z, qx, qy, qz, qw = (float(number[name]) for name in _POSE)
    size_x, size_y, size_z = (float(number[name]) for name in _SIZE)
    return Record(
        id=text["id"],
        label=text["label"],
        pose=Pose((x, y, z), (qx, qy, qz, qw)),
        size=(size_x, size_y, size_z),
        votes=json.loads(text["votes"]),
        covariance=_COVARIANCE.unpack(packed["covariance"]),
        confidence=float(number["confidence"]),
        presence=Presence(text["presence"]),
        first_seen=float(number["first_seen"]),
        last_seen=float(number["last_seen"]),
        observations=int(number["observations"]),
        source=text["source"],
        map_epoch=int(number["map_epoch"]),
        aliases=tuple(json.loads(text["aliases"])),
        misses=int(number["misses"]),
        looked=float(number["looked"]),
        eye=_eye(packed),
        carried=bool(number["carried"]),
        is_container=bool(number["is_container"]),
        occludes_contents=bool(number["occludes_contents"]),
        opening=Opening(text["opening"]),
    )


def _eye(packed: dict[str, bytes]) -> Triple | None:
    if "eye" not in packed:
        return None
    x, y, z = _POINT.unpack(packed["eye"])
    return x, y, z
