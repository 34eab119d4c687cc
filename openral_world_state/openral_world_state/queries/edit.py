"""What an operator can put right in memory."""
# MERGED One edit of memory, carried out or refused.

from collections.abc import Callable, Mapping

from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import InvalidGeometry, Pose
from openral_core.memory_queries import EditOperation, EditResult, EditStatus, MemoryEdit
from openral_core.scene_graph import Presence
from openral_core.text import Thesaurus, UnreadableText
from openral_world_state.data_association import merge_records
from openral_world_state.home.model import FARTHEST, is_on_map
from openral_world_state.spatial_memory.memory import SpatialMemory, UnknownObject
from openral_world_state.spatial_memory.record import OPERATORS_WORD, ObjectRecord

OPERATOR = "operator"


class SameObject(OpenRALError):
    """Two ids that are one object already."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first!r} and {second!r} are the same object already")


def rename_object(memory: SpatialMemory, name: str, label: str, thesaurus: Thesaurus) -> ObjectRecord:
    """Call an object something else, whatever detectors call it from now on.

    Their words still tell that what they see is this object, but no longer answer for it.

    Raises:
        UnknownObject: If there is no such object.
        UnreadableText: If the label names nothing.
    """
    thesaurus.parse(label)
    label, record = " ".join(label.split()), memory.get(name)
    said = {name: weight for name, weight in record.votes.items() if weight < OPERATORS_WORD}
    record.label, record.votes, record.source = label, {**said, label: OPERATORS_WORD}, OPERATOR
    return _kept(memory, record)


def move_object(
    memory: SpatialMemory, name: str, x: float, y: float, z: float, map_epoch: int | None = None
) -> ObjectRecord:
    """Say where an object is, in map [m]; it is there until it is looked for in vain.

    Args:
        memory: Has the object.
        name: Its id.
        x: In map [m].
        y: In map [m].
        z: In map [m].
        map_epoch: Of the map that the operator speaks of; None: the one the object was seen in.

    Raises:
        UnknownObject: If there is no such object.
        InvalidGeometry: If no map reaches that far.
    """
    record = memory.get(name)
    if not is_on_map((x, y, z)):
        raise InvalidGeometry("position", (x, y, z), f"three finite numbers of at most {FARTHEST:g} m")
    record.map_epoch = record.map_epoch if map_epoch is None else map_epoch
    record.pose = Pose((x, y, z), record.pose.orientation)
    record.presence, record.misses, record.carried, record.source = Presence.PRESENT, 0, False, OPERATOR
    return _kept(memory, record)


def forget_object(memory: SpatialMemory, name: str) -> None:
    """Drop an object for good.

    Raises:
        UnknownObject: If there is no such object.
    """
    memory.forget(memory.get(name).id)
    memory.commit()


def merge_objects(memory: SpatialMemory, kept: str, other: str) -> ObjectRecord:
    """Make two records one; the other id leads to the kept one from then on.

    Raises:
        UnknownObject: If one of them is not there.
        SameObject: If they are one already.
    """
    first, second = memory.get(kept), memory.get(other)
    if first is second:
        raise SameObject(kept, other)
    merge_records(first, second)
    memory.forget(second.id, merged_into=first.id)
    return _kept(memory, first)


def _kept(memory: SpatialMemory, record: ObjectRecord) -> ObjectRecord:
    memory.touch(record)
    memory.commit()
    return record


class UnknownOperation(OpenRALError):
    """A number that stands for no edit."""

    def __init__(self, asked: int) -> None:
        known = format_choices(f"{each.value} ({each.name})" for each in EditOperation)
        super().__init__(f"there is no operation {asked}: known are {known}")


_REFUSALS: Mapping[type[OpenRALError], EditStatus] = {
    UnknownObject: EditStatus.UNKNOWN_OBJECT,
    UnreadableText: EditStatus.BAD_LABEL,
    InvalidGeometry: EditStatus.BAD_POSITION,
    SameObject: EditStatus.SAME_OBJECT,
    UnknownOperation: EditStatus.BAD_OPERATION,
}


def edit(
    memory: SpatialMemory, asked: MemoryEdit, thesaurus: Thesaurus, map_epoch: int | None = None
) -> EditResult:
    """Carry an edit out; a refusal says why and leaves memory as it was."""
    try:
        done = _carry_out(memory, asked, thesaurus, map_epoch)
    except tuple(_REFUSALS) as error:
        known = error.known if isinstance(error, UnknownObject) else ()
        return EditResult(_REFUSALS[type(error)], str(error), known, memory.revision)
    if memory.unwritten is not None:
        done = f"{done}; {memory.unwritten}"
    return EditResult(EditStatus.EDITED, done, revision=memory.revision)


def _carry_out(memory: SpatialMemory, asked: MemoryEdit, thesaurus: Thesaurus, map_epoch: int | None) -> str:
    edits: dict[int, Callable[[], str]] = {
        EditOperation.RENAME: lambda: _renamed(memory, asked, thesaurus),
        EditOperation.MOVE: lambda: _moved(memory, asked, map_epoch),
        EditOperation.FORGET: lambda: _forgotten(memory, asked),
        EditOperation.MERGE: lambda: _merged(memory, asked),
    }
    if asked.operation not in edits:
        raise UnknownOperation(asked.operation)
    return edits[asked.operation]()


def _renamed(memory: SpatialMemory, asked: MemoryEdit, thesaurus: Thesaurus) -> str:
    record = rename_object(memory, asked.node_id, asked.label, thesaurus)
    return f"{record.id} is called {record.label!r}"


def _moved(memory: SpatialMemory, asked: MemoryEdit, map_epoch: int | None) -> str:
    record = move_object(memory, asked.node_id, *asked.position, map_epoch)
    return f"{record.id} is at {', '.join(f'{value:.2f}' for value in record.pose.position)} m"


def _forgotten(memory: SpatialMemory, asked: MemoryEdit) -> str:
    forget_object(memory, asked.node_id)
    return f"{asked.node_id} is forgotten"


def _merged(memory: SpatialMemory, asked: MemoryEdit) -> str:
    record = merge_objects(memory, asked.node_id, asked.other)
    return f"{asked.other} is {record.id}"
