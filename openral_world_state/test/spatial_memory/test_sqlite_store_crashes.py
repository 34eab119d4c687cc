"""Killed at any moment, memory keeps what it said it kept."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from openral_core.text import Thesaurus
from openral_world_state.spatial_memory.memory import SpatialMemory

_WRITER = """
import sys
from pathlib import Path
from openral_core.geometry import Pose
from openral_core.text import Thesaurus
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
memory = SpatialMemory(Path(sys.argv[1]), Thesaurus.load())
start = len(memory)
print("ready", flush=True)
for number in range(start, start + 100_000):
    for part in range(3):
        memory.touch(ObjectRecord(id=f"mug_{number}_{part}", label="mug", pose=Pose(), votes={"mug": 1.0}))
    memory.commit()
    print(number, flush=True)
"""
KILLS = 2


def test_no_committed_record_is_lost_to_kill_9(tmp_path: Path) -> None:
    path, rng = tmp_path / "memory.sqlite", np.random.default_rng(0)
    promised: set[str] = set()
    for _ in range(KILLS):
        promised |= _killed_after(path, int(rng.integers(1, 60)))
        memory = SpatialMemory(path, Thesaurus.load())
        kept = {record.id for record in memory}
        memory.close()
        assert promised <= kept
        assert len(kept) % 3 == 0


def _killed_after(path: Path, commits: int) -> set[str]:
    """Ids the writer had committed when it was killed in the midst of writing."""
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True, env=os.environ.copy()
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    numbers = [int(writer.stdout.readline()) for _ in range(commits)]
    writer.send_signal(signal.SIGKILL)
    numbers += [int(line) for line in writer.stdout.read().splitlines() if line.isdigit()][:-1]
    writer.stdout.close()
    writer.wait()
    return {f"mug_{number}_{part}" for number in numbers for part in range(3)}
