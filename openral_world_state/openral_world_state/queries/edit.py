"""Corrections of memory by an operator: rename, move, forget and merge objects, and take that back."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import InvalidGeometry, Pose
from openral_core.spatial_memory import EditOperation, EditResult, EditStatus, MemoryEdit, Presence
from openral_core.text import Thesaurus, UnreadableText
from openral_world_state.data_association import merge_records
from openral_world_state.spatial_memory.memory import SpatialMemory, UnknownObject
from openral_world_state.spatial_memory.record import OPERATOR_LABEL_WEIGHT, ObjectRecord
from openral_world_state.static_map import MAX_COORDINATE, is_on_map
from openral_world_state.tracking import newest_labels

OPERATOR = "operator"


class SameObject(OpenRALError):
    """The ids to merge are of one object."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first!r} and {second!r} are already the same object")


def rename_object(memory: SpatialMemory, name: str, label: str, thesaurus: Thesaurus) -> ObjectRecord:
    """Change an object's label, overriding the labels of detectors.

    Detectors' labels still associate observations with this object, but no longer match queries.

    Raises:
        UnknownObject: If there is no such object.
        UnreadableText: If the label names nothing.
    """
    thesaurus.parse(label)
    label, record = " ".join(label.split()), memory.get(name)
    votes = {voted: weight for voted, weight in record.votes.items() if weight < OPERATOR_LABEL_WEIGHT}
    record.label, record.votes, record.source = label, {**votes, label: OPERATOR_LABEL_WEIGHT}, OPERATOR
    record.unprompted = newest_labels(record.unprompted, (label,))
    record.confidence = 1.0
    return _store(memory, record)


def move_object(
    memory: SpatialMemory, name: str, x: float, y: float, z: float, map_epoch: int | None = None
) -> ObjectRecord:
    """Set an object's position; it is present there until it is missed.

    Args:
        x: In map [m].
        y: In map [m].
        z: In map [m].
        map_epoch: Of the position; None for the object's own.

    Raises:
        UnknownObject: If there is no such object.
        InvalidGeometry: If the position is not on any map.
    """
    record = memory.get(name)
    if not is_on_map((x, y, z)):
        raise InvalidGeometry("position", (x, y, z), f"three finite numbers of at most {MAX_COORDINATE:g} m")
    record.map_epoch = record.map_epoch if map_epoch is None else map_epoch
    record.pose = Pose((x, y, z), record.pose.orientation)
    record.presence, record.misses, record.carried, record.source = Presence.PRESENT, 0, False, OPERATOR
    record.confidence = 1.0
    return _store(memory, record)


def forget_object(memory: SpatialMemory, name: str) -> None:
    """Delete an object.

    Raises:
        UnknownObject: If there is no such object.
    """
    memory.forget(memory.get(name).id)
    memory.commit()


def merge_objects(memory: SpatialMemory, name: str, other: str) -> ObjectRecord:
    """Merge two records; the other id refers to the kept one from then on.

    Raises:
        UnknownObject: If one of them does not exist.
        SameObject: If they are one object already.
    """
    first, second = memory.get(name), memory.get(other)
    if first is second:
        raise SameObject(name, other)
    merge_records(first, second)
    memory.forget(second.id, merged_into=first.id)
    return _store(memory, first)


def _store(memory: SpatialMemory, record: ObjectRecord) -> ObjectRecord:
    memory.touch(record)
    memory.commit()
    return record


MAX_UNDO = 20
"""Edits that can be taken back [count]."""


class NothingToUndo(OpenRALError):
    """No edit to take back, or one that a later observation has overtaken."""


@dataclass(frozen=True, slots=True)
class AppliedEdit:
    """An edit with its message and copies of its objects before it."""

    operation: EditOperation
    message: str
    before: tuple[ObjectRecord, ...]


@dataclass(frozen=True, slots=True)
class EditHistory:
    """The last edits of this process; a restart forgets them."""

    applied: deque[AppliedEdit] = field(default_factory=lambda: deque(maxlen=MAX_UNDO))

    def undo(self, memory: SpatialMemory) -> str:
        """Take back the last edit; what was observed since stays. Return the message for the operator.

        Raises:
            NothingToUndo: If there is none, or the object was seen elsewhere since it was moved.
            UnknownObject: If the object is gone.
        """
        if not self.applied:
            raise NothingToUndo("no edit to undo: edits before the last start of world_state are final")
        last = self.applied.pop()
        for record in [_restored(memory, last, copied) for copied in last.before]:
            memory.touch(record)
        memory.commit()
        return f"undone: {last.message}"


def _restored(memory: SpatialMemory, edit: AppliedEdit, before: ObjectRecord) -> ObjectRecord:
    """Return an object as it was before an edit, with later observations."""
    if edit.operation is EditOperation.FORGET or memory.current_id(before.id) != before.id:
        return before
    now = memory.get(before.id)
    seen_since = now.last_seen > before.last_seen
    if edit.operation is EditOperation.RENAME:
        return replace(now, **{name: getattr(before, name) for name in _RENAMED})
    if edit.operation is EditOperation.MOVE and seen_since:
        raise NothingToUndo(f"{now.id} was seen since it was moved, and stays where it was seen")
    if edit.operation is EditOperation.MERGE and seen_since:
        latest = {
            name: getattr(now, name) for name in ("pose", "covariance", "presence", "misses", "last_seen")
        }
        return replace(before, **latest)
    return before


_RENAMED = ("label", "votes", "unprompted", "source", "confidence")
"""What a rename changes."""


class UnknownOperation(OpenRALError):
    """The number is not an edit operation."""

    def __init__(self, number: int) -> None:
        valid = format_choices(f"{operation.value} ({operation.name})" for operation in EditOperation)
        super().__init__(f"unknown operation {number}; valid are {valid}")


_REFUSALS: Mapping[type[OpenRALError], EditStatus] = {
    UnknownObject: EditStatus.UNKNOWN_OBJECT,
    UnreadableText: EditStatus.BAD_LABEL,
    InvalidGeometry: EditStatus.BAD_POSITION,
    SameObject: EditStatus.SAME_OBJECT,
    UnknownOperation: EditStatus.BAD_OPERATION,
    NothingToUndo: EditStatus.NOTHING_TO_UNDO,
}


def edit(
    memory: SpatialMemory,
    request: MemoryEdit,
    thesaurus: Thesaurus,
    history: EditHistory,
    map_epoch: int | None = None,
) -> EditResult:
    """Apply an edit; an invalid one leaves memory unchanged and is answered with the reason."""
    try:
        if request.operation == EditOperation.UNDO:
            message = history.undo(memory)
        else:
            before = _copies(memory, request)
            message = _apply(memory, request, thesaurus, map_epoch)
            history.applied.append(AppliedEdit(EditOperation(request.operation), message, before))
    except tuple(_REFUSALS) as error:
        similar_ids = error.similar_ids if isinstance(error, UnknownObject) else ()
        return EditResult(_REFUSALS[type(error)], str(error), similar_ids, memory.revision)
    if memory.unwritten is not None:
        message = f"{message}; {memory.unwritten}"
    return EditResult(EditStatus.EDITED, message, revision=memory.revision)


def _copies(memory: SpatialMemory, request: MemoryEdit) -> tuple[ObjectRecord, ...]:
    names = [request.node_id, *([request.other] if request.operation == EditOperation.MERGE else [])]
    records = [memory.get(name) for name in names if name in memory]
    return tuple(replace(record, votes=dict(record.votes)) for record in records)


def _apply(memory: SpatialMemory, request: MemoryEdit, thesaurus: Thesaurus, map_epoch: int | None) -> str:
    """Apply an edit; return the message for the operator."""
    name = request.node_id
    if request.operation == EditOperation.RENAME:
        record = rename_object(memory, name, request.label, thesaurus)
        return f"renamed {record.id} to {record.label!r}"
    if request.operation == EditOperation.MOVE:
        record = move_object(memory, name, *request.position, map_epoch)
        return f"moved {record.id} to ({', '.join(f'{value:.2f}' for value in record.pose.position)}) m"
    if request.operation == EditOperation.FORGET:
        forget_object(memory, name)
        return f"forgot {name}"
    if request.operation == EditOperation.MERGE:
        record = merge_objects(memory, name, request.other)
        return f"merged {request.other} into {record.id}"
    raise UnknownOperation(request.operation)
