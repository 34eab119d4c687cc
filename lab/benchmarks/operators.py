"""Three operators who send goals, stops and answers at random to one robot, on the launched graph.

No node is restarted, so the memory of each one's whole life is seen.

MINUTES=n in the environment, else 30; SEED=n draws what they say and when. REAL_TIME_FACTOR=1 limits the
simulation to real time. By the skill server's own record no goal may run on after a stop, and none may begin
before the next mission. By the statuses one mission runs at a time.
"""

import asyncio
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from graph.fault_injection.goal_log import ExecutedGoal
from graph.faults.deployment import FaultTestDeployment, Setup, is_alive
from graph.faults.matrix import Row, keep
from graph.faults.operator import Acknowledged, Operator
from graph.faults.resource_usage import ResourceUsage, resource_usage

from openral_bringup.deploy.shared_memory import remove_stale_segments
from openral_core.missions import PromptOutcome

LONG = True
NAMES = ("ana", "ben", "cleo")
GOALS = (
    "find the mug",
    "find the baguette",
    "bring me the baguette",
    "bring me the unicorn",
    "go to the kitchen",
    "open the fridge",
)
STOPS = ("stop", "halt", "Stopp!", "cancel that", "arrête")
ANSWERS = ("yes", "no", "look in the fridge", "give up")
SHARES = {"goal": 0.5, "stop": 0.2, "answer": 0.2, "wrong answer": 0.1}
"""Shares of what an operator says."""
PAUSE = 10.0
"""Mean time between two prompts of an operator [s]."""
GRACE = 8.0
"""Longest time for the robot to stop [s]: retreat from a grasp, on a loaded machine."""
SAMPLE_PERIOD = 20.0
"""Time between two measurements of memory [s]: measuring takes some 50 ms of a core."""
SETUP = Setup(patience=15.0, real_time_factor=float(os.environ.get("REAL_TIME_FACTOR", "0")))


def run() -> list[Row]:
    """One row."""
    minutes, seed = float(os.environ.get("MINUTES", "30")), int(os.environ.get("SEED", "0"))
    return [asyncio.run(_missions(60.0 * minutes, seed))]


async def _missions(seconds: float, seed: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        rig = FaultTestDeployment(Path(folder), SETUP)
        async with rig:
            ready = await rig.runner.wait_until_ready()
            operators = [Operator(name) for name in NAMES]
            end = time.monotonic() + seconds
            dice = [random.Random(f"{seed}/{name}") for name in NAMES]
            usage: list[Mapping[str, ResourceUsage]] = []
            await asyncio.gather(
                *map(_speak, operators, dice, [end] * len(NAMES)), _measure_memory(rig, usage, end)
            )
            operators[0].say("stop")
            idle = await rig.until(lambda: not operators[0].running, 30.0)
            await asyncio.sleep(GRACE)
            goals, restarts = rig.executed, sum(rig.supervisor.restarts().values())
            for operator in operators:
                operator.close()
        keep(folder, f"operators-{seed}")
    acknowledged = sorted(
        (each for o in operators for each in o.acknowledged), key=lambda each: each.received
    )
    late = list(goals_after_stops(goals, acknowledged))
    return {
        "minutes": round(seconds / 60.0, 1),
        "graph": "up" if ready else "not up",
        "prompts": len(acknowledged),
        "outcomes": dict(Counter(each.outcome.name for each in acknowledged)),
        "unacknowledged": sum(len(operator.unacknowledged) for operator in operators),
        "missions": dict(operators[0].ends),
        "overlaps": len(operators[0].overlaps),
        "goals": len(goals),
        "goals_after_a_stop": late,
        "longest_stop_s": round(max(standstills(goals, acknowledged), default=0.0), 2),
        "idle_at_the_end": idle,
        "restarts": restarts,
        "memory_growth_mb": memory_growth(usage),
        "left_processes": sum(map(is_alive, rig.seen.values())),
        "left_segments": remove_stale_segments(),
    }


async def _measure_memory(
    rig: FaultTestDeployment, usage: list[Mapping[str, ResourceUsage]], end: float
) -> None:
    while time.monotonic() < end:
        usage.append(resource_usage(rig))
        await asyncio.sleep(SAMPLE_PERIOD)


def memory_growth(usage: Sequence[Mapping[str, ResourceUsage]]) -> dict[str, float]:
    """Return the growth of each node's memory from the second quarter to the last [MB], by medians.

    The first quarter fills caches. A sample with another number of children than the last one is left out: a
    worker that is switched off and on is no growth.
    """
    quarter = len(usage) // 4
    parts = usage[quarter : 2 * quarter], usage[-quarter:]
    grown: dict[str, float] = {}
    for node, last in usage[-1].items() if quarter else ():
        alike = [[each[node] for each in part if node in each] for part in parts]
        settled, latest = ([used.memory for used in part if used.children == last.children] for part in alike)
        if settled and latest:
            grown[node] = round(median(latest) - median(settled), 1)
    return grown


async def _speak(operator: Operator, dice: random.Random, end: float) -> None:
    """Say something drawn after drawn pauses."""
    while time.monotonic() < end:
        await asyncio.sleep(dice.expovariate(1.0 / PAUSE))
        match dice.choices(list(SHARES), list(SHARES.values()))[0]:
            case "goal":
                operator.say(dice.choice(GOALS))
            case "stop":
                operator.say(dice.choice(STOPS))
            case "answer" if operator.questions:
                operator.say(dice.choice(ANSWERS), operator.questions[-1])
            case _:
                operator.say(dice.choice(ANSWERS), "no-such-question")


def goals_after_stops(goals: Sequence[ExecutedGoal], acks: Sequence[Acknowledged]) -> Iterator[str]:
    """Yield the goals that ran on after a stop, or began after it without a new mission."""
    for stop, following in _stops(acks):
        for goal in goals:
            ran_on = goal.began < stop.sent and (not goal.ended or goal.ended > stop.received + GRACE)
            revived = stop.received + GRACE < goal.began < following
            if ran_on or revived:
                what = "ran on" if ran_on else "began"
                yield f"{goal.verb} {' '.join(goal.names)} {what} after {stop.text!r}"


def standstills(goals: Sequence[ExecutedGoal], acks: Sequence[Acknowledged]) -> Iterator[float]:
    """Yield the times from a stop to the end of the goal that it interrupted [s]."""
    for stop, _ in _stops(acks):
        yield from (goal.ended - stop.sent for goal in goals if goal.began < stop.sent < goal.ended)


def _stops(acks: Sequence[Acknowledged]) -> Iterator[tuple[Acknowledged, float]]:
    """Yield each stop with the time at which the next prompt that may start a mission was sent [s]."""
    for stop in acks:
        if stop.outcome is PromptOutcome.STOPPED:
            later = [other.sent for other in acks if other.outcome in STARTING and other.received > stop.sent]
            yield stop, min(later, default=float("inf"))


STARTING = (PromptOutcome.STARTED, PromptOutcome.QUEUED)
