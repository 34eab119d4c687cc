"""Missions in a loop on one graph with a fault in each: does every one end, and does anything grow?

MINUTES=n in the environment, else 30; SEED=n draws the order of the cells, CELLS="kill_node:locate ..." names
them instead, each once.
"""

import asyncio
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from graph.faults.deployment import FaultTestDeployment
from graph.faults.injections import FAULTS, SCARCE
from graph.faults.matrix import PHASES, Row, keep, tried
from graph.faults.resource_usage import ResourceUsage, resource_usage, segments

from openral_bringup.deploy.shm_cleanup import remove_stale_segments

LONG = True


def run() -> list[Row]:
    """One row per node, and one that sums up."""
    chosen = [tuple(item.split(":")) for item in os.environ.get("CELLS", "").split()]
    cells = chosen or drawn(int(os.environ.get("SEED", "0")))
    return asyncio.run(soak(60.0 * float(os.environ.get("MINUTES", "30")), cells))


async def soak(seconds: float, cells: Sequence[tuple[str, ...]]) -> list[Row]:
    """One cell after the other until the time is over."""
    ends: Counter[str] = Counter()
    scarce = any(FAULTS[fault].budget_mb for fault, _ in cells)
    with tempfile.TemporaryDirectory() as folder:
        rig = FaultTestDeployment(Path(folder), SCARCE if scarce else 0.0)
        async with rig:
            await rig.runner.wait_until_ready()
            await rig.runner.run_goal("find the mug")
            before, shared = resource_usage(rig), segments()
            begun = time.monotonic()
            for fault, phase in cells:
                if time.monotonic() - begun > seconds:
                    break
                row = await tried(rig, FAULTS[fault], phase)
                print(json.dumps(row), flush=True)
                ends[str(row["end"])] += 1
                ends["recovered"] += row.get("recovered") == "yes"
            await rig.runner.wait_until_ready()
            after, shared_after = resource_usage(rig), segments()
            restarts = rig.supervisor.restarts()
        keep(folder, f"soak-{os.getpid()}")
        left = sum(item.is_running() for item in rig.seen.values())
    total: Row = {
        "node": "all",
        "ends": dict(ends),
        "left_processes": left,
        "left_segments": remove_stale_segments(),
    }
    total |= {"minutes": round((time.monotonic() - begun) / 60.0, 1), "shared": f"{shared} -> {shared_after}"}
    there = [node for node in before if node in after]
    return [*(_row(node, before[node], after[node], restarts[node]) for node in there), total]


def drawn(seed: int) -> list[tuple[str, ...]]:
    """Every cell of the matrix in a drawn order, again and again."""
    dice = random.Random(seed)
    every: list[tuple[str, ...]] = [(fault, phase) for fault in FAULTS for phase in PHASES]
    return [cell for _ in range(100) for cell in dice.sample(every, len(every))]


def _row(node: str, before: ResourceUsage, after: ResourceUsage, restarts: int) -> Row:
    changes = {name: f"{getattr(before, name)} -> {getattr(after, name)}" for name in ResourceUsage.__slots__}
    return {"node": node, "restarts": restarts, **changes}
