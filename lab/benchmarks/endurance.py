"""Missions in a loop on one graph with a fault in each, and what grows meanwhile.

MINUTES=n in the environment, else 60; SEED=n draws the order of the cells, CELLS="kill_node:locate ..." names
them instead, each once. REAL_TIME_FACTOR=1 limits the simulation to real time. Recording, memory and logs are
on a small disk, which needs the right to mount. Faults of a model's endpoint and of other file
systems are left out.
"""

import asyncio
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graph.faults.deployment import SLUG, FaultTestDeployment, Setup, is_alive
from graph.faults.injections import FAULTS
from graph.faults.matrix import LOST, NO_END, PHASES, Row, keep, tried
from graph.faults.resource_usage import ResourceUsage, resource_usage, segments

from openral_bringup.deploy.process_supervisor import Respawn, remove_stale_segments

LONG = True
SETUP = Setup(
    budget_mb=150.0,
    patience=10.0,
    disk="tmpfs",
    parameters={SLUG: {"cool_down": 15.0}},
    respawn=Respawn(limit=50),
    real_time_factor=float(os.environ.get("REAL_TIME_FACTOR", "0")),
)
"""Graph on which every fault but those of an endpoint can be injected."""


def run() -> list[Row]:
    """One row per node, and one that sums up."""
    chosen = [tuple(item.split(":")) for item in os.environ.get("CELLS", "").split()]
    cells = chosen or drawn(int(os.environ.get("SEED", "0")))
    return asyncio.run(soak(60.0 * float(os.environ.get("MINUTES", "60")), cells))


@dataclass
class _Usage:
    """Resources of the processes of a node: after their first mission and at last.

    Kept by process id and number of children: what a node holds with its worker is not compared with what
    it holds without one.
    """

    new: set[int] = field(default_factory=set)
    first: dict[tuple[int, int], ResourceUsage] = field(default_factory=dict)
    last: dict[tuple[int, int], ResourceUsage] = field(default_factory=dict)

    def note(self, pid: int, used: ResourceUsage) -> None:
        """Keep what a process holds now, unless it has just been started."""
        if pid in self.new:
            self.first.setdefault((pid, used.children), used)
            self.last[pid, used.children] = used
        self.new.add(pid)

    def largest_growth(self) -> dict[str, float]:
        """Return the largest growth of one process, by resource."""

        def grown(name: str, key: tuple[int, int]) -> float:
            return float(getattr(self.last[key], name) - getattr(self.first[key], name))

        names = ("memory", "descriptors", "threads")
        return {name: round(max((grown(name, key) for key in self.first), default=0.0), 1) for name in names}


async def soak(seconds: float, cells: Sequence[tuple[str, ...]]) -> list[Row]:
    """One cell after the other until the time is over."""
    ends: Counter[str] = Counter()
    usage: dict[str, _Usage] = {}
    with tempfile.TemporaryDirectory() as folder:
        rig = FaultTestDeployment(Path(folder), SETUP)
        async with rig:
            await rig.runner.wait_until_ready()
            await rig.runner.run_goal("find the mug")
            shared, begun = segments(), time.monotonic()
            for fault, phase in cells:
                if time.monotonic() - begun > seconds:
                    break
                _note(rig, usage)
                row = await tried(rig, FAULTS[fault], phase)
                print(json.dumps(row), flush=True)
                ends[str(row["end"])] += 1
                ends["recovered"] += row.get("recovered") == "yes"
                ends["done twice"] += bool(row.get("done_twice"))
            await rig.runner.wait_until_ready()
            _note(rig, usage)
            shared_after, restarts = segments(), rig.supervisor.restarts()
            keep(folder, f"soak-{os.getpid()}")
    total: Row = {
        "node": "all",
        "ends": dict(ends),
        "without_typed_end": ends[LOST] + ends[NO_END],
        "left_processes": sum(map(is_alive, rig.seen.values())),
        "left_segments": remove_stale_segments(),
        "minutes": round((time.monotonic() - begun) / 60.0, 1),
        "shared": f"{shared} -> {shared_after}",
    }
    return [
        *({"node": node, "restarts": restarts[node], **usage[node].largest_growth()} for node in usage),
        total,
    ]


def _note(rig: FaultTestDeployment, usage: dict[str, _Usage]) -> None:
    """Keep the resources of every running node."""
    for node, used in resource_usage(rig).items():
        process = rig.node(node)
        if process is not None:
            usage.setdefault(node, _Usage()).note(process.pid, used)


def drawn(seed: int) -> list[tuple[str, ...]]:
    """Every cell of the matrix in a drawn order, again and again."""
    dice = random.Random(seed)
    names = [
        name
        for name, fault in FAULTS.items()
        if not fault.setup.endpoint and fault.setup.disk in ("", SETUP.disk)
    ]
    every: list[tuple[str, ...]] = [(fault, phase) for fault in names for phase in PHASES]
    return [cell for _ in range(100) for cell in dice.sample(every, len(every))]
