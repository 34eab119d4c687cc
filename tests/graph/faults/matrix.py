"""A fault in one phase of a mission after the other, and each time a second mission after it.

KEEP=folder in the environment keeps the recordings.
"""

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from graph.fault_injection.goal_log import done_twice
from graph.faults.deployment import FaultTestDeployment, is_alive
from graph.faults.injections import Fault

from openral_bringup.deploy.mission_runner import REASONER_DIED, RunOutcome, save
from openral_bringup.deploy.shared_memory import remove_stale_segments

GOAL, SECOND_GOAL = "find the baguette", "find the mug"
PHASES = {"idle": "", "locate": "locate_in_view", "skill": "execute_rskill"}
"""The tool that is pending when the fault comes; none before the mission."""
RECOVERY = 45.0
"""A goal that is not reached sooner after the fault is over counts as no recovery [s]."""
IDLE = 3.0
"""From a fault without a mission to the next goal [s]."""
NO_END, LOST = "NO END", "LOST"
Row = dict[str, object]


async def fault_matrix(fault: Fault, phases: Sequence[str]) -> list[Row]:
    """One row per phase; a graph that does not recover is taken down, and the next phase gets a new one."""
    rows: list[Row] = []
    waiting = list(phases)
    while waiting:
        done = await _on_one_graph(fault, waiting)
        waiting = waiting[len(done) :]
        rows += done
    return rows


async def _on_one_graph(fault: Fault, phases: Sequence[str]) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        rig = FaultTestDeployment(Path(folder), fault.setup)
        async with rig:
            for phase in phases:
                rows.append(await tried(rig, fault, phase))
                if rows[-1].get("recovered") != "yes":
                    break
            keep(folder, f"{fault.name}-{phase}")  # a disk of its own is unmounted at the end
    left = {"left_processes": sum(map(is_alive, rig.seen.values())), "left_segments": remove_stale_segments()}
    return [row | left for row in rows]


async def tried(rig: FaultTestDeployment, fault: Fault, phase: str, recovery: float = RECOVERY) -> Row:
    """One mission with a fault in it and the goals after it, for ``recovery`` [s] until one is reached."""
    row: Row = {"fault": fault.name, "phase": phase}
    if not await rig.runner.wait_until_ready():
        return {**row, "end": "the graph did not come up"}
    rig.operator.answer = fault.setup.answer
    harm = asyncio.create_task(_harm(rig, fault, phase))
    if phase == "idle":
        await asyncio.sleep(IDLE)
    before, asked = len(rig.executed), len(rig.operator.questions)
    first = await rig.runner.run_goal(GOAL)
    ended = time.monotonic()
    injected, mission_id = await harm
    fault.heal(rig)
    rig.switches.off("slow_look")
    _save(first, rig)
    end = LOST if fault.survives and mission_id not in ("", first.mission.id) else _end(first)
    row |= {"end": end, "after_s": round(ended - injected, 1) if injected else "not injected"}
    row |= {"operator_reads": _told(first), "questions": len(rig.operator.questions) - asked}
    row |= {"done_twice": "; ".join(done_twice(rig.executed[before:]))}
    return row | await _recovered(rig, recovery)


def _save(outcome: RunOutcome, rig: FaultTestDeployment) -> None:
    """Save an outcome if the disk, which may be the fault, takes it."""
    with suppress(OSError):
        save(outcome, rig.folder)


async def _harm(rig: FaultTestDeployment, fault: Fault, phase: str) -> tuple[float, str]:
    """Bring the fault in its phase; when that was [s], steady, and in which mission; 0 if it never came."""
    if phase == "locate":
        rig.switches.on("slow_look")
    if PHASES[phase] and not await rig.until(lambda: _pending(rig, PHASES[phase]), 60.0):
        return 0.0, ""
    mission_id = rig.mission.id if PHASES[phase] else ""
    fault.inject(rig)
    injected = time.monotonic()
    if fault.lasts:
        asyncio.get_running_loop().call_later(fault.lasts, fault.heal, rig)
    return injected, mission_id


async def _recovered(rig: FaultTestDeployment, recovery: float) -> Row:
    begun = time.monotonic()
    if not await rig.runner.wait_until_ready():
        return {"recovered": "no: the graph is not up"}
    while True:
        second = await rig.runner.run_goal(SECOND_GOAL)
        _save(second, rig)
        passed = time.monotonic() - begun
        if second.exit_code == 0:
            return {"recovered": "yes", "next_goal_reached_after_s": round(passed, 1)}
        if passed > recovery:
            return {"recovered": f"no: {_end(second)}: {_told(second)}"}


def keep(folder: str, name: str) -> None:
    """Keep a graph's recordings, where that is wanted."""
    kept = os.environ.get("KEEP")
    if kept:
        shutil.copytree(folder, Path(kept) / name, dirs_exist_ok=True)


def _pending(rig: FaultTestDeployment, tool: str) -> bool:
    mission = rig.mission
    return not mission.state.ended and any(c.tool == tool and c.status == "pending" for c in mission.calls)


def _end(outcome: RunOutcome) -> str:
    """Return the final state of a mission; `NO_END` if it did not end."""
    if outcome.problem:
        return LOST if outcome.problem == REASONER_DIED else NO_END
    return outcome.mission.state.name


def _told(outcome: RunOutcome) -> str:
    return outcome.problem or outcome.mission.reason
