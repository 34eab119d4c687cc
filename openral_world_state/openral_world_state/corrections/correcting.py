"""What an operator can put right in memory."""

from openral_core.errors import OpenRALError
from openral_core.geometry import InvalidGeometry, Pose
from openral_core.scene_graph import Presence
from openral_core.text import Thesaurus
from openral_world_state.associations import merge
from openral_world_state.homes import FARTHEST, is_on_map
from openral_world_state.memories import Memory, Record
from openral_world_state.memories.records import OPERATORS_WORD

OPERATOR = "operator"


class SameObject(OpenRALError):
    """Two ids that are one object already."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first!r} and {second!r} are the same object already")


def rename(memory: Memory, name: str, label: str, thesaurus: Thesaurus) -> Record:
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


def move(memory: Memory, name: str, x: float, y: float, z: float, map_epoch: int | None = None) -> Record:
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


def forget(memory: Memory, name: str) -> None:
    """Drop an object for good.

    Raises:
        UnknownObject: If there is no such object.
    """
    memory.forget(memory.get(name).id)
    memory.commit()


def join(memory: Memory, kept: str, other: str) -> Record:
    """Make two records one; the other id leads to the kept one from then on.

    Raises:
        UnknownObject: If one of them is not there.
        SameObject: If they are one already.
    """
    first, second = memory.get(kept), memory.get(other)
    if first is second:
        raise SameObject(kept, other)
    merge(first, second)
    memory.forget(second.id, merged_into=first.id)
    return _kept(memory, first)


def _kept(memory: Memory, record: Record) -> Record:
    memory.touch(record)
    memory.commit()
    return record
