"""A short soak: on one graph, missions with a fault in each, drawn from a seed."""

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import alive, until
from graph.faults.deployment import USUAL, FaultTestDeployment
from graph.faults.injections import FAULTS
from graph.faults.matrix import PHASES, Row, tried
from graph.faults.resource_usage import ResourceUsage, resource_usage, segments_of

pytestmark = [pytest.mark.slow, pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(600)]
SEED, MISSIONS = 2, 3
PATIENCE = 120.0
"""A bound, not a measure: how long a goal after a fault may take to be reached [s]."""
TYPED = {"SUCCEEDED", "HANDED_OVER", "FAILED", "CLAIMED"}
MEMORY, DESCRIPTORS, THREADS = 60.0, 4, 4
"""What a node may hold more after three missions [MB, number, number]: caches fill, leaks per call show."""


@dataclass
class Soaked:
    """Result of one goal."""

    rows: list[Row] = field(default_factory=list)
    before: Mapping[str, ResourceUsage] = field(default_factory=dict)
    after: Mapping[str, ResourceUsage] = field(default_factory=dict)
    mapped: set[Path] = field(default_factory=set)


def drawn() -> list[tuple[str, str]]:
    """Faults that need nothing special of the graph, each in one phase."""
    dice = random.Random(SEED)
    names = dice.sample([name for name, fault in FAULTS.items() if fault.setup == USUAL], MISSIONS)
    return [(name, dice.choice(list(PHASES))) for name in names]


async def soaked(rig: FaultTestDeployment, domain: int) -> Soaked:
    found = Soaked()
    async with rig:
        assert await rig.runner.wait_until_ready()
        await rig.runner.run_goal("find the mug")
        found.before = resource_usage(rig)
        for fault, phase in drawn():
            found.rows.append(await tried(rig, FAULTS[fault], phase, PATIENCE))
        assert await rig.runner.wait_until_ready()
        found.after = resource_usage(rig)
        rig.look()
        found.mapped = segments_of(rig.seen.values(), domain)
    return found


def test_every_mission_ends_typed_and_nothing_grows_or_stays(ros_domain: int, tmp_path: Path) -> None:
    rig = FaultTestDeployment(tmp_path)
    found = asyncio.run(soaked(rig, ros_domain))
    for row in found.rows:
        assert row["end"] in TYPED, row
        assert row["done_twice"] == "", row
        assert row["after_s"] != "not injected", row
        assert row["operator_reads"], row
        assert row["recovered"] == "yes", row
    assert found.after.keys() == found.before.keys()
    for node, before in found.before.items():
        after = found.after[node]
        assert after.memory <= before.memory + MEMORY, (node, before, after)
        assert after.descriptors <= before.descriptors + DESCRIPTORS, (node, before, after)
        assert after.threads <= before.threads + THREADS, (node, before, after)
    processes = list(rig.seen.values())
    until(lambda: alive(processes) == [], 20.0, lambda: str(alive(processes)))
    assert found.mapped
    assert [path for path in found.mapped if path.exists()] == []
