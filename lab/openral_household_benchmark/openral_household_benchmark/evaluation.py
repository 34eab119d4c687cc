"""Evaluation of a task by ground truth, independent of what the robot reports."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, RecallQuery
from openral_household_benchmark.choices import TaskType
from openral_household_benchmark.environment import HouseholdEnv
from openral_household_benchmark.requirements import Given, bodies_in_hand, unmet
from openral_household_benchmark.task import Task
from openral_sim.scene.entities import WorldObject
from openral_sim.scene.world import SimWorldModel
from openral_world_state.world.world_model import WorldModel

FULL = 0.4
"""How full a served glass is at least."""
IN_VIEW = 20
"""Pixels that show what is looked at, at least."""
NEAR = 0.15
"""Distance at which a remembered object is taken for a real one [m]."""


class Sighting(StrEnum):
    """State of a task's object in memory, by ground truth."""

    SEEN = "seen"
    SEEN_WRONG = "seen as something else"
    WRONGLY_LOCATED = "wrongly located"
    NOT_SEEN = "not seen"


def sighting(memory: WorldModel, world: SimWorldModel, phrase: str, now: float) -> Sighting:
    """Compare what memory has seen since the start with the real objects of a phrase.

    A record imported from an earlier visit counts from its first detection on.
    """
    kinds = {item.kind for item in world.objects.values() if item.phrase == phrase}
    real = _positions(world, lambda item: item.phrase == phrase)
    alike = _positions(world, lambda item: item.kind in kinds)
    nodes = [node for node in memory.graph().nodes if node.kind is NodeKind.OBJECT and node.last_seen > 0.0]
    names = {phrase, *(kind.replace("_", " ") for kind in kinds)}
    ids = {match.node_id for name in names for match in memory.recall(RecallQuery(name), now).matches}
    there = [node for node in nodes if _is_near(node.pose, real)]
    if any(node.id in ids for node in there):
        return Sighting.SEEN
    if there:
        return Sighting.SEEN_WRONG
    if any(node.id in ids and not _is_near(node.pose, alike) for node in nodes):
        return Sighting.WRONGLY_LOCATED
    return Sighting.NOT_SEEN


def _positions(world: SimWorldModel, chosen: Callable[[WorldObject], bool]) -> list[NDArray[np.float64]]:
    return [world.T_world(item.body)[:3, 3] for item in world.objects.values() if chosen(item)]


def _is_near(pose: Pose, places: Sequence[NDArray[np.float64]]) -> bool:
    return any(float(np.linalg.norm(np.array(pose.position) - place)) < NEAR for place in places)


def evaluate(robot: HouseholdEnv, task: Task) -> str:
    """Return the unmet condition of the task at a mission's end; "" when it is done."""
    return _VERDICTS[task.archetype](robot, task)


def _delivered(robot: HouseholdEnv, task: Task) -> str:
    return unmet(robot.simulation.world, Given(task.phrase, task.person))


def _served(robot: HouseholdEnv, task: Task) -> str:
    liquids = robot.simulation.liquids
    glasses = bodies_in_hand(robot.simulation.world, task.phrase, task.person)
    levels = [liquids[body].level for body in glasses if body in liquids]
    if not levels:
        return f"no {task.phrase} in the hand of {task.person}"
    return "" if max(levels) >= FULL else f"the {task.phrase} is {max(levels):.0%} full"


def _seen(robot: HouseholdEnv, task: Task) -> str:
    pixels = robot.camera.pixels_of(task.phrase)
    return "" if pixels >= IN_VIEW else f"{pixels} pixels show the {task.phrase}"


def parts_done(world: SimWorldModel, task: Task) -> int:
    """Count the requirements of a task that are met."""
    return sum(not unmet(world, each) for each in task.requirements)


def _all_parts(robot: HouseholdEnv, task: Task) -> str:
    world = robot.simulation.world
    return "; ".join(filter(None, (unmet(world, each) for each in task.requirements)))


_VERDICTS: Mapping[TaskType, Callable[[HouseholdEnv, Task], str]] = {
    TaskType.FETCH: _delivered,
    TaskType.FIND: _seen,
    TaskType.OPEN: _delivered,
    TaskType.VIEW: _seen,
    TaskType.HAND: _delivered,
    TaskType.POUR: _served,
    TaskType.SEVERAL: _all_parts,
    TaskType.REARRANGE: _all_parts,
    TaskType.SWAP: _all_parts,
    TaskType.CLEAR: _all_parts,
    TaskType.TIDY: _all_parts,
    TaskType.CONDITION: _all_parts,
    TaskType.SWITCH: _all_parts,
}
