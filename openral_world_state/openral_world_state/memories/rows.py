"""Records as rows of the objects table and back."""

import json

from openral_core.geometry import Pose
from openral_core.scene_graph import Opening, Presence
from openral_world_state.memories.records import Record

Value = str | float | int
_TEXTS = ("id", "label", "votes", "aliases")
_POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
_SHAPE = ("size_x", "size_y", "size_z", "covariance")
_SIGHTINGS = ("confidence", "presence", "first_seen", "last_seen", "observations", "source", "map_epoch")
_LOOKS = ("misses", "looked", "eye", "carried", "is_container", "occludes_contents", "opening")
COLUMNS = (*_TEXTS, *_POSE, *_SHAPE, *_SIGHTINGS, *_LOOKS)
UPSERT = f"INSERT OR REPLACE INTO objects ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
SELECT = f"SELECT {', '.join(COLUMNS)} FROM objects ORDER BY id"


def row_of(record: Record) -> tuple[Value, ...]:
    """A record as a row, in the order of `COLUMNS`."""
    return (
        record.id,
        record.label,
        _json(record.votes),
        _json(record.aliases),
        *record.pose.position,
        *record.pose.orientation,
        *record.size,
        _json(record.covariance),
        record.confidence,
        record.presence.value,
        record.first_seen,
        record.last_seen,
        record.observations,
        record.source,
        record.map_epoch,
        record.misses,
        record.looked,
        _json(record.eye),
        int(record.carried),
        int(record.is_container),
        int(record.occludes_contents),
        record.opening.value,
    )


def record_of_row(row: tuple[Value, ...]) -> Record:
    """A row as a record."""
    of = dict(zip(COLUMNS, row, strict=True))
    eye = json.loads(str(of["eye"]))
    return Record(
        id=str(of["id"]),
        label=str(of["label"]),
        pose=Pose(_floats(row[4:7]), _floats(row[7:11])),  # type: ignore[arg-type]
        size=_floats(row[11:14]),  # type: ignore[arg-type]
        votes=json.loads(str(of["votes"])),
        covariance=tuple(json.loads(str(of["covariance"]))),
        confidence=float(of["confidence"]),
        presence=Presence(str(of["presence"])),
        first_seen=float(of["first_seen"]),
        last_seen=float(of["last_seen"]),
        observations=int(of["observations"]),
        source=str(of["source"]),
        map_epoch=int(of["map_epoch"]),
        aliases=tuple(json.loads(str(of["aliases"]))),
        misses=int(of["misses"]),
        looked=float(of["looked"]),
        eye=tuple(eye) if eye else None,
        carried=bool(of["carried"]),
        is_container=bool(of["is_container"]),
        occludes_contents=bool(of["occludes_contents"]),
        opening=Opening(str(of["opening"])),
    )


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _floats(values: tuple[Value, ...]) -> tuple[float, ...]:
    return tuple(map(float, values))
