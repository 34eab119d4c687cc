"""Memory killed with SIGKILL at random moments of writing. KILLS=n in the environment, else 200."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.text import Thesaurus
from openral_world_state.memories import Memory

LONG = True
PARTS = 3
KILLS_OF_ONE = 25
"""Kills that one file lives through before the next begins: what it holds is read again at each."""
_WRITER = f"""
import sys
from pathlib import Path
from openral_core.geometry import Pose
from openral_core.text import Thesaurus
from openral_world_state.memories import Memory, Record
memory = Memory(Path(sys.argv[1]), Thesaurus.load())
start = len(memory)
print("ready", flush=True)
for number in range(start, start + 1_000_000):
    for part in range({PARTS}):
        memory.touch(Record(id=f"mug_{{number}}_{{part}}", label="mug", pose=Pose(), votes={{"mug": 1.0}}))
    memory.commit()
    print(number, flush=True)
"""


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
            promised |= _killed_after(path, int(rng.integers(1, 80)))
            try:
                memory = Memory(path, thesaurus)
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


def _killed_after(path: Path, commits: int) -> set[str]:
    """Ids that were committed when the writer was killed."""
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    if writer.stdout is None:
        return set()
    writer.stdout.readline()
    numbers = [int(writer.stdout.readline()) for _ in range(commits)]
    writer.send_signal(signal.SIGKILL)
    # The last line may itself be cut.
    numbers += [int(line) for line in writer.stdout.read().splitlines()[:-1] if line.isdigit()]
    writer.stdout.close()
    writer.wait()
    return {f"mug_{number}_{part}" for number in numbers for part in range(PARTS)}
