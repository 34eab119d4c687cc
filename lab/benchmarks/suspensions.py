"""Suspensions of the reasoner for 20 s at random moments of fetching and pouring, on the launched graph.

SUSPENSIONS=n in the environment, else 40; SEED=n draws the moments. LOCK=file is held while a graph runs. One
graph has one story of wine and several of fetching. The skill server's own record tells whether an acting
step was begun again after it was done, and whether one that was done is reported otherwise. Every story is
kept in benchmarks/results/suspensions.jsonl, with which an interrupted run goes on.
"""

import asyncio
import json
import os
import random
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from graph.fault_injection.goal_log import ExecutedGoal, done_twice
from graph.faults.deployment import FaultTestDeployment
from graph.faults.matrix import Row

from benchmarks.reasoner_kills import SETUP, TIMEOUTS, locked
from openral_bringup.deploy.monitor_node import MissionSnapshot
from openral_core.skills import SkillStatus

LONG = True
STORIES = Path(__file__).parent / "results" / "suspensions.jsonl"
AWAY = 20.0
"""Length of a suspension [s]: as long as DDS waits before it forgets a participant."""
FETCHED = ("baguette", "apple", "lemon", "remote", "can")
PER_GRAPH = 3
"""Fetched objects in one graph: the person takes four things, one of them the wine."""
GOALS = (*((f"bring me the {label}", 2, 8.0) for label in FETCHED), ("bring me a cup of wine", 6, 15.0))
"""Goal, most suspensions in its story, and longest time from one to the next [s]."""
PATIENCE = 60.0
"""A bound, not a measure: longest wait for a mission to begin acting [s]."""


def run() -> list[Row]:
    """One row per story, and one that sums up."""
    target, seed = int(os.environ.get("SUSPENSIONS", "40")), int(os.environ.get("SEED", "0"))
    stored = [json.loads(line) for line in STORIES.read_text().splitlines()] if STORIES.is_file() else []
    stories: list[Row] = [story for story in stored if story["seed"] == seed]
    while _count(stories) < target:
        with locked():
            asyncio.run(_graph(seed, target, stories))
    return [*stories, _total(stories)]


async def _graph(seed: int, target: int, stories: list[Row]) -> None:
    """Tell the stories of one graph."""
    dice = random.Random(f"{seed}/{len(stories)}")
    with tempfile.TemporaryDirectory() as folder:
        rig = FaultTestDeployment(Path(folder), replace(SETUP, seed=len(stories)), TIMEOUTS)
        async with rig:
            if not await rig.runner.wait_until_ready():
                raise RuntimeError("the graph did not come up")
            goals = [*dice.sample(GOALS[:-1], PER_GRAPH), GOALS[-1]]
            for goal, most, longest in dice.sample(goals, len(goals)):
                if _count(stories) >= target:
                    return
                story = {"seed": seed, **await _story(rig, goal, most, longest, dice)}
                stories.append(story)
                STORIES.parent.mkdir(exist_ok=True)
                with STORIES.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(story) + "\n")
                print(json.dumps(story), flush=True)


async def _story(rig: FaultTestDeployment, goal: str, most: int, longest: float, dice: random.Random) -> Row:
    """One mission with suspensions at drawn moments."""
    before, begun, moments = len(rig.executed), time.monotonic(), list[str]()
    suspending = asyncio.create_task(_suspend(rig, goal, most, longest, dice, moments))
    outcome = await rig.runner.run_goal(goal)
    suspending.cancel()
    with suppress(asyncio.CancelledError):
        await suspending
    rig.signal("reasoner", signal.SIGCONT)
    goals = rig.executed[before:]
    return {
        "goal": goal,
        "end": outcome.mission.state.name if not outcome.problem else "LOST",
        "reason": outcome.problem or outcome.mission.reason,
        "suspensions": len(moments),
        "moments": moments,
        "goals": len(goals),
        "twice": [*done_twice(goals), *_begun_again(goals)],
        "misreported": list(_misreported(goals, outcome.mission)),
        "seconds": round(time.monotonic() - begun, 1),
    }


async def _suspend(
    rig: FaultTestDeployment, goal: str, most: int, longest: float, dice: random.Random, moments: list[str]
) -> None:
    """Suspend the reasoner again and again, each time a drawn while after it went on."""
    await rig.until(lambda: rig.mission.goal == goal and bool(rig.mission.calls), PATIENCE)
    for _ in range(most):
        await asyncio.sleep(dice.uniform(0.0, longest))
        if rig.mission.state.ended:
            return
        moments.append(rig.mission.step)
        rig.signal("reasoner", signal.SIGSTOP)
        await asyncio.sleep(AWAY)
        rig.signal("reasoner", signal.SIGCONT)


def _begun_again(goals: Sequence[ExecutedGoal]) -> Iterator[str]:
    """Yield goals that were begun again after they had succeeded, however they ended then."""
    for index, goal in enumerate(goals):
        again = done_twice([*(each for each in goals[:index] if each.success), _as_success(goal)])
        if again and not goal.success:
            yield f"{goal.verb} {' '.join(goal.names)}: begun again, {goal.status or 'without an end'}"


def _as_success(goal: ExecutedGoal) -> ExecutedGoal:
    return replace(goal, status=SkillStatus.SUCCEEDED.name)


def _misreported(goals: Sequence[ExecutedGoal], mission: MissionSnapshot) -> Iterator[str]:
    """Yield goals that succeeded and that the mission reports otherwise."""
    reported = [call for call in mission.calls if call.tool == "execute_rskill"]
    if len(reported) != len(goals):
        yield f"{len(goals)} goals were executed, {len(reported)} are reported"
    for goal, call in zip(goals, reported, strict=False):
        if goal.success and call.status != SkillStatus.SUCCEEDED.name:
            yield f"{goal.verb} {' '.join(goal.names)}: done, reported {call.status}"


def _count(stories: Sequence[Row]) -> int:
    return sum(int(str(story["suspensions"])) for story in stories)


def _total(stories: Sequence[Row]) -> Row:
    return {
        "seed": "all",
        "stories": len(stories),
        "suspensions": _count(stories),
        "succeeded": sum(story["end"] == "SUCCEEDED" for story in stories),
        "twice": sum(bool(story["twice"]) for story in stories),
        "misreported": sum(bool(story["misreported"]) for story in stories),
        "load": os.getloadavg()[0],
    }
