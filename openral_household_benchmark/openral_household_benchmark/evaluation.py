"""Evaluation of a task by ground truth, independent of what the robot reports."""

from collections.abc import Callable, Mapping

import numpy as np

from openral_household_benchmark.environment import HouseholdEnv
from openral_household_benchmark.task import Task, TaskType
from openral_sim.world import SimWorldModel

IN_HAND = 0.30
"""How near its middle is to the palm of whoever has a thing [m]."""
FULL = 0.4
"""How full a served glass is at least."""
IN_VIEW = 20
"""Pixels that show what is looked at, at least."""


def evaluate(robot: HouseholdEnv, task: Task) -> str:
    """Return the unmet condition of the task at a mission's end; "" when it is done."""
    return _VERDICTS[task.archetype](robot, task)


def _delivered(robot: HouseholdEnv, task: Task) -> str:
    if _in_hand(robot.simulation.world, task):
        return ""
    return f"no {task.phrase} in the hand of {task.person}"


def _served(robot: HouseholdEnv, task: Task) -> str:
    liquids = robot.simulation.liquids
    levels = [liquids[body].level for body in _in_hand(robot.simulation.world, task) if body in liquids]
    if not levels:
        return f"no {task.phrase} in the hand of {task.person}"
    return "" if max(levels) >= FULL else f"the {task.phrase} is {max(levels):.0%} full"


def _seen(robot: HouseholdEnv, task: Task) -> str:
    pixels = robot.camera.pixels_of(task.phrase)
    return "" if pixels >= IN_VIEW else f"{pixels} pixels show the {task.phrase}"


def _in_hand(world: SimWorldModel, task: Task) -> list[int]:
    palm = np.array(world.data.site(world.people[task.person].hand_site).xpos)
    near = [
        item.body
        for item in world.objects.values()
        if item.phrase == task.phrase and np.linalg.norm(world.T_world(item.body)[:3, 3] - palm) < IN_HAND
    ]
    return [int(world.model.body(body).id) for body in near]


_VERDICTS: Mapping[TaskType, Callable[[HouseholdEnv, Task], str]] = {
    TaskType.FETCH: _delivered,
    TaskType.FIND: _seen,
    TaskType.OPEN: _delivered,
    TaskType.VIEW: _seen,
    TaskType.HAND: _delivered,
    TaskType.POUR: _served,
}
