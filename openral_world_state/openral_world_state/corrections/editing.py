"""One edit of memory, carried out or refused."""

from collections.abc import Callable, Mapping

from openral_core.errors import OpenRALError, listed
from openral_core.geometry import InvalidGeometry
from openral_core.queries import EditOperation, EditResult, EditStatus, MemoryEdit
from openral_core.text import Thesaurus, UnreadableText
from openral_world_state.corrections.correcting import SameObject, forget, join, move, rename
from openral_world_state.memories import Memory, UnknownObject


class UnknownOperation(OpenRALError):
    """A number that stands for no edit."""

    def __init__(self, asked: int) -> None:
        known = listed(f"{each.value} ({each.name})" for each in EditOperation)
        super().__init__(f"there is no operation {asked}: known are {known}")


_REFUSALS: Mapping[type[OpenRALError], EditStatus] = {
    UnknownObject: EditStatus.UNKNOWN_OBJECT,
    UnreadableText: EditStatus.BAD_LABEL,
    InvalidGeometry: EditStatus.BAD_POSITION,
    SameObject: EditStatus.SAME_OBJECT,
    UnknownOperation: EditStatus.BAD_OPERATION,
}


def edit(memory: Memory, asked: MemoryEdit, thesaurus: Thesaurus, map_epoch: int | None = None) -> EditResult:
    """Carry an edit out; a refusal says why and leaves memory as it was."""
    try:
        done = _carry_out(memory, asked, thesaurus, map_epoch)
    except tuple(_REFUSALS) as error:
        known = error.known if isinstance(error, UnknownObject) else ()
        return EditResult(_REFUSALS[type(error)], str(error), known, memory.revision)
    if memory.unwritten is not None:
        done = f"{done}; {memory.unwritten}"
    return EditResult(EditStatus.EDITED, done, revision=memory.revision)


def _carry_out(memory: Memory, asked: MemoryEdit, thesaurus: Thesaurus, map_epoch: int | None) -> str:
    edits: dict[int, Callable[[], str]] = {
        EditOperation.RENAME: lambda: _renamed(memory, asked, thesaurus),
        EditOperation.MOVE: lambda: _moved(memory, asked, map_epoch),
        EditOperation.FORGET: lambda: _forgotten(memory, asked),
        EditOperation.MERGE: lambda: _merged(memory, asked),
    }
    if asked.operation not in edits:
        raise UnknownOperation(asked.operation)
    return edits[asked.operation]()


def _renamed(memory: Memory, asked: MemoryEdit, thesaurus: Thesaurus) -> str:
    record = rename(memory, asked.node_id, asked.label, thesaurus)
    return f"{record.id} is called {record.label!r}"


def _moved(memory: Memory, asked: MemoryEdit, map_epoch: int | None) -> str:
    record = move(memory, asked.node_id, *asked.position, map_epoch)
    return f"{record.id} is at {', '.join(f'{value:.2f}' for value in record.pose.position)} m"


def _forgotten(memory: Memory, asked: MemoryEdit) -> str:
    forget(memory, asked.node_id)
    return f"{asked.node_id} is forgotten"


def _merged(memory: Memory, asked: MemoryEdit) -> str:
    record = join(memory, asked.node_id, asked.other)
    return f"{asked.other} is {record.id}"
