"""Kills of the reasoner at random moments of "bring me a cup of wine", on the launched graph.

KILLS=n in the environment, else 100; SEED=n draws the moments. Every story is kept in
benchmarks/results/reasoner_kills.jsonl, with which an interrupted run goes on. The skill server's own record
tells whether an acting step was done twice. LOCK=file is held while a graph runs.

REAL_TIME_FACTOR=1 limits the simulation to real time; else it competes with a restart for the processors.
The supervisor's back-off stays at its first step, as it is between deaths more than a minute apart.
"""

import asyncio
import fcntl
import json
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from graph.fault_injection.goal_log import done_twice
from graph.faults.deployment import FaultTestDeployment, Setup
from graph.faults.matrix import Row, keep

from openral_bringup.deploy.mission_runner import RunTimeouts
from openral_bringup.deploy.process_supervisor import Respawn
from openral_reasoner_ros.journal import JOURNAL_FILE

LONG = True
STORIES = Path(__file__).parent / "results" / "reasoner_kills.jsonl"
GOAL = "bring me a cup of wine"
PER_STORY = 8
"""Kills in one story; the reasoner hands a mission over after ten."""
LONGEST_DELAY = 20.0
"""Longest time from the moment a mission goes on to the next kill [s]."""
PATIENCE = 60.0
"""A bound, not a measure: longest wait for a mission to go on [s]."""
GAP = 3.0
"""Time in which others may take the lock between two stories [s]."""
SETUP = Setup(
    parameters={"reasoner": {"seconds": 1800.0}},
    respawn=Respawn(limit=100, back_off=1.0, longest=1.0),
    real_time_factor=float(os.environ.get("REAL_TIME_FACTOR", "0")),
)
TIMEOUTS = RunTimeouts(start_up=120.0, mission=1800.0, resumption=PATIENCE)


def run() -> list[Row]:
    """One row per story, and one that sums up."""
    target, seed = int(os.environ.get("KILLS", "100")), int(os.environ.get("SEED", "0"))
    stored = [json.loads(line) for line in STORIES.read_text().splitlines()] if STORIES.is_file() else []
    stories: list[Row] = [story for story in stored if story["seed"] == seed]
    while sum(len(_times(story)) for story in stories) < target:
        with locked():
            story = asyncio.run(_story(seed, len(stories)))
        stories.append(story)
        STORIES.parent.mkdir(exist_ok=True)
        with STORIES.open("a", encoding="utf-8") as file:
            file.write(json.dumps(story) + "\n")
        print(json.dumps(story), flush=True)
    return [*stories, _total(stories)]


@dataclass
class _Kills:
    """Kills of one story: times until the mission went on [s], and the tool that was pending at each kill."""

    times: list[float] = field(default_factory=list)
    moments: list[str] = field(default_factory=list)
    lost: str = ""


async def _story(seed: int, number: int) -> Row:
    """One mission with kills at drawn moments."""
    dice, begun = random.Random(f"{seed}/{number}"), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        rig = FaultTestDeployment(Path(folder), SETUP, TIMEOUTS)
        async with rig:
            ready = await rig.runner.wait_until_ready()
            kills = _Kills()
            killing = asyncio.create_task(_kill(rig, dice, kills))
            outcome = await rig.runner.run_goal(GOAL)
            killing.cancel()
            with suppress(asyncio.CancelledError):
                await killing
            goals = rig.executed
        keep(folder, f"kills-{seed}-{number}")
    return {
        "seed": seed,
        "story": number,
        "end": outcome.mission.state.name if ready and not outcome.problem else "LOST",
        "reason": outcome.problem or outcome.mission.reason,
        "kills": len(kills.times),
        "go_on_s": [round(seconds, 2) for seconds in kills.times],
        "moments": kills.moments,
        "not_resumed": kills.lost,
        "goals": len(goals),
        "done_twice": done_twice(goals),
        "seconds": round(time.monotonic() - begun, 1),
    }


async def _kill(rig: FaultTestDeployment, dice: random.Random, kills: _Kills) -> None:
    """Kill the reasoner again and again, each time a drawn while after the mission went on."""
    await rig.until(lambda: bool(rig.mission.calls) and not rig.mission.state.ended, PATIENCE)
    for _ in range(PER_STORY):
        await asyncio.sleep(dice.uniform(0.0, LONGEST_DELAY))
        if rig.mission.state.ended:
            return
        before, moment = _resumptions(rig), _pending(rig)
        rig.signal("reasoner", signal.SIGKILL)
        killed = time.monotonic()
        if not await rig.until(lambda: _resumptions(rig) > before or rig.mission.state.ended, PATIENCE):  # noqa: B023
            kills.lost = moment
            return
        if _resumptions(rig) > before:
            kills.times.append(time.monotonic() - killed)
            kills.moments.append(moment)


def _resumptions(rig: FaultTestDeployment) -> int:
    """Return how often the mission in the journal was resumed."""
    file = rig.recording / JOURNAL_FILE
    return file.read_bytes().count(b'"kind":"resumed"') if file.is_file() else 0


def _pending(rig: FaultTestDeployment) -> str:
    """Return the step of the mission, as the operator reads it."""
    tools = [call.tool for call in rig.mission.calls if call.status == "pending"]
    return f"{tools[-1] if tools else 'decision'}: {rig.mission.step}"


def _total(stories: Sequence[Row]) -> Row:
    times = sorted(seconds for story in stories for seconds in _times(story))
    cuts = quantiles(times, n=20) if len(times) > 1 else [0.0] * 19
    return {
        "seed": "all",
        "story": len(stories),
        "end": dict(Counter(str(story["end"]) for story in stories)),
        "kills": len(times),
        "done_twice": sum(bool(story["done_twice"]) for story in stories),
        "not_resumed": sum(bool(story["not_resumed"]) for story in stories),
        "p50_s": round(cuts[9], 2),
        "p95_s": round(cuts[18], 2),
        "load": os.getloadavg()[0],
    }


def _times(story: Row) -> list[float]:
    times = story["go_on_s"]
    assert isinstance(times, list)
    return times


@contextmanager
def locked() -> Iterator[None]:
    """Hold the file that LOCK names, if any."""
    name = os.environ.get("LOCK")
    if not name:
        yield
        return
    with Path(name).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    time.sleep(GAP)
