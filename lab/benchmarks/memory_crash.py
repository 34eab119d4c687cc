"""Memory killed with SIGKILL at random moments of writing. KILLS=n in the environment, else 200."""

import os
import signal
import tempfile
from pathlib import Path
from typing import NoReturn

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.text import Thesaurus
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord

LONG = True
PARTS = 3
KILLS_OF_ONE = 25
"""Kills that one file lives through before the next begins: what it holds is read again at each."""


def run() -> list[dict[str, object]]:
    """One row: what was promised and lost."""
    kills, rng = int(os.environ.get("KILLS", "200")), np.random.default_rng(0)
    promised: set[str] = set()
    committed = lost = unreadable = torn = 0
    with tempfile.TemporaryDirectory() as folder:
        thesaurus = Thesaurus.load()
        for number in range(kills):
            path = Path(folder) / f"memory_{number // KILLS_OF_ONE}.sqlite"
            if number % KILLS_OF_ONE == 0:
                committed, promised = committed + len(promised), set()
            promised |= _killed_after(path, int(rng.integers(1, 80)), thesaurus)
            try:
                memory = SpatialMemory(path, thesaurus)
            except OpenRALError:
                unreadable += 1
                continue
            kept = {record.id for record in memory}
            memory.close()
            lost += len(promised - kept)
            torn += len(kept) % PARTS != 0
    return [
        {
            "kills": kills,
            "committed": committed + len(promised),
            "lost": lost,
            "unreadable": unreadable,
            "half a commit": torn,
        }
    ]


def _killed_after(path: Path, commits: int, thesaurus: Thesaurus) -> set[str]:
    """Ids that were committed when the writer was killed."""
    reading, writing = os.pipe()
    writer = os.fork()
    if not writer:
        _write(path, writing, thesaurus)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        numbers = [int(pipe.readline()) for _ in range(commits)]
        os.kill(writer, signal.SIGKILL)
        # The last line may itself be cut.
        numbers += [int(line) for line in pipe.read().splitlines()[:-1]]
    os.waitpid(writer, 0)
    return {f"mug_{number}_{part}" for number in numbers for part in range(PARTS)}


def _write(path: Path, pipe: int, thesaurus: Thesaurus) -> NoReturn:
    """Commit for ever, and tell of each commit once it is done."""
    memory = SpatialMemory(path, thesaurus)
    number = len(memory)
    while True:
        for part in range(PARTS):
            name = f"mug_{number}_{part}"
            memory.touch(ObjectRecord(id=name, label="mug", pose=Pose(), votes={"mug": 1.0}))
        memory.commit()
        os.write(pipe, f"{number}\n".encode())
        number += 1
