"""Correct what the robot remembers: rename, move and forget objects of a memory file.

The same edits reach a running robot as service ``openral/edit_memory`` or ``openral memory live``.

Usage: tools/env python examples/edit_memory.py [home.sqlite]
"""

import sys
import tempfile
from pathlib import Path

from openral_core.geometry import Pose
from openral_core.spatial_memory import EditOperation, MemoryEdit, RecallQuery
from openral_core.text import Thesaurus
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import StaticMap
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

EDITS = (
    MemoryEdit(EditOperation.RENAME, "mug_1", label="blue mug"),
    MemoryEdit(EditOperation.MOVE, "bread_1", position=(1.0, 2.0, 0.9)),
    MemoryEdit(EditOperation.FORGET, "plate_1"),
    MemoryEdit(EditOperation.FORGET, "unicorn_1"),
)


def main(file: Path) -> int:
    """Fill a memory file, edit it, and recall from it."""
    thesaurus = Thesaurus.load()
    memory = SpatialMemory(file, thesaurus)
    for label, x in (("mug", 2.0), ("bread", 2.5), ("plate", 3.0)):
        memory.touch(ObjectRecord(f"{label}_1", label, Pose((x, 4.0, 0.9)), votes={label: 1.0}))
    memory.commit()
    world = WorldModel(memory, StaticMap(), WorldModelSettings(), thesaurus)
    for edit in EDITS:
        result = world.edit(edit)
        print(f"{result.status.name}: {result.message}")
    for query in ("blue mug", "bread", "plate"):
        answer = world.recall(RecallQuery(query), now=0.0)
        print(f"{query}: {answer.status.name}", *(match.pose.position for match in answer.matches))
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder}/home.sqlite")))
