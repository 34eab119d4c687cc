"""Corrections of memory by an operator: rename, move, forget and merge objects."""

from collections.abc import Mapping

from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import InvalidGeometry, Pose
from openral_core.spatial_memory import EditOperation, EditResult, EditStatus, MemoryEdit, Presence
from openral_core.text import Thesaurus, UnreadableText
from openral_world_state.data_association import merge_records
from openral_world_state.spatial_memory.memory import SpatialMemory, UnknownObject
from openral_world_state.spatial_memory.record import OPERATOR_LABEL_WEIGHT, ObjectRecord
from openral_world_state.static_map import MAX_COORDINATE, is_on_map

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
    return _store(memory, record)


def move_object(
    memory: SpatialMemory, name: str, x: float, y: float, z: float, map_epoch: int | None = None
) -> ObjectRecord:
    """Set an object's position; it is present there until it is missed.

    Args:
        memory: Contains the object.
        name: Id of the object.
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
    return _store(memory, record)


def forget_object(memory: SpatialMemory, name: str) -> None:
    """Delete an object.

    Raises:
        UnknownObject: If there is no such object.
    """
    memory.forget(memory.get(name).id)
    memory.commit()


def merge_objects(memory: SpatialMemory, kept: str, other: str) -> ObjectRecord:
    """Merge two records; the other id refers to the kept one from then on.

    Raises:
        UnknownObject: If one of them does not exist.
        SameObject: If they are one object already.
    """
    first, second = memory.get(kept), memory.get(other)
    if first is second:
        raise SameObject(kept, other)
    merge_records(first, second)
    memory.forget(second.id, merged_into=first.id)
    return _store(memory, first)


def _store(memory: SpatialMemory, record: ObjectRecord) -> ObjectRecord:
    memory.touch(record)
    memory.commit()
    return record


class UnknownOperation(OpenRALError):
    """The number is not an edit operation."""

    def __init__(self, number: int) -> None:
        known = format_choices(f"{operation.value} ({operation.name})" for operation in EditOperation)
        super().__init__(f"unknown operation {number}; valid are {known}")


_REFUSALS: Mapping[type[OpenRALError], EditStatus] = {
    UnknownObject: EditStatus.UNKNOWN_OBJECT,
    UnreadableText: EditStatus.BAD_LABEL,
    InvalidGeometry: EditStatus.BAD_POSITION,
    SameObject: EditStatus.SAME_OBJECT,
    UnknownOperation: EditStatus.BAD_OPERATION,
}


def edit(
    memory: SpatialMemory, request: MemoryEdit, thesaurus: Thesaurus, map_epoch: int | None = None
) -> EditResult:
    """Apply an edit; an invalid one leaves memory unchanged and is answered with the reason."""
    try:
        message = _apply(memory, request, thesaurus, map_epoch)
    except tuple(_REFUSALS) as error:
        known = error.known if isinstance(error, UnknownObject) else ()
        return EditResult(_REFUSALS[type(error)], str(error), known, memory.revision)
    if memory.unwritten is not None:
        message = f"{message}; {memory.unwritten}"
    return EditResult(EditStatus.EDITED, message, revision=memory.revision)


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
