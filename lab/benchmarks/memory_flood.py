"""A million hostile detections: new labels without end, anywhere, at any time. DETECTIONS=n for fewer."""

import gc
import os
import random
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from openral_core.geometry import Pose
from openral_core.text import Thesaurus
from openral_world_state.data_association import AssociationGates, DataAssociator
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.memory import CapacityError, MemoryLimits, SpatialMemory

LONG = True
MOST, PER_SNAPSHOT = 50_000, 100
SURE = (1e-4, 0.0, 0.0, 0.0, 1e-4, 0.0, 0.0, 0.0, 1e-4)
LETTERS = "abcdefghijklmnopqrstuvwxyz\u00e9\u4e16\u0645"


def run() -> list[dict[str, object]]:
    """Objects kept and refused, and their cost, tenth by tenth."""
    count, rng = int(os.environ.get("DETECTIONS", "1000000")), random.Random(0)
    rows: list[dict[str, object]] = []
    with TemporaryDirectory() as folder:
        path, thesaurus = Path(folder) / "memory.sqlite", Thesaurus.load()
        memory = SpatialMemory(path, thesaurus)
        associator = DataAssociator(memory, thesaurus, AssociationGates(), 0, MemoryLimits(objects=MOST))
        refused: Counter[str] = Counter()
        for tenth in range(10):
            began = time.thread_time()
            for _ in range(count // (10 * PER_SNAPSHOT)):
                _take(associator, rng, refused)
            rows.append(_row((tenth + 1) * count // 10, time.thread_time() - began, memory, refused, path))
        memory.close()
    return rows


def _take(associator: DataAssociator, rng: random.Random, refused: Counter[str]) -> None:
    """One snapshot, mostly anywhere, now and then all in one corner, with a stamp from any time."""
    side, stamp = 0.4 if rng.random() < 0.05 else 100.0, rng.choice((0.0, 1e9, rng.uniform(0.0, 1e6)))
    snapshot = tuple(
        Observation(
            "".join(rng.choices(LETTERS, k=rng.randint(1, 60))) + "x",
            rng.random(),
            Pose((rng.uniform(0.0, side), rng.uniform(0.0, side), rng.uniform(0.0, 2.0))),
            (rng.uniform(0.0, 9.0), 0.1, 0.1),
            SURE,
            stamp,
            "flood",
        )
        for _ in range(PER_SNAPSHOT)
    )
    taken = associator.associate(snapshot, None)
    associator.memory.commit()
    refused.update(type(item).__name__ for item in taken if isinstance(item, CapacityError))


def _row(
    count: int, took: float, memory: SpatialMemory, refused: Counter[str], path: Path
) -> dict[str, object]:
    gc.collect()
    files = sum(item.stat().st_size for item in path.parent.glob("memory.sqlite*"))
    return {
        "detections": count,
        "objects": len(memory),
        "refused": sum(refused.values()),
        **{name: refused[name] for name in ("MemoryFull", "DensityLimitExceeded")},
        "CPU [s]": round(took, 1),
        "process [MB]": round(psutil.Process().memory_info().rss / 1e6),
        "file [MB]": round(files / 1e6, 1),
    }
