"""Standing places from which a door can be taken and turned, the robot turning with it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import angle_between
from openral_sim.motion_primitives.base_motion import drive_to, plan_base_motion
from openral_sim.motion_primitives.base_pose_selection import ReachOption, WorkPose, work_pose_at
from openral_sim.motion_primitives.door import ArticulatedDoor, contents_of
from openral_sim.motion_primitives.retract import stow_arm
from openral_sim.planning.approach import frontal, hand_axes, mirrored, pregrasp_pose
from openral_sim.planning.base_planner import CostToGo
from openral_sim.planning.occupancy_grid import SimOccupancyGrid, rasterise
from openral_sim.planning.placement import candidate_base_poses
from openral_sim.robot.model import BASE_RADIUS
from openral_sim.skills.context import Feedback, Move, SkillContext
from openral_sim.skills.errors import NotReachable

Vector = NDArray[np.float64]
BEFORE = 0.13
"""How far before its work the hand waits in [m]."""
_OBLIQUE = 0.9
_BEARINGS = 72
_REACHES = (0.62, 0.70, 0.55, 0.78)
_SPARED = 0.09
_ROOM = 0.04
_STEP = 0.12
_CANDIDATES = 40


@dataclass(frozen=True)
class HandleGrasp:
    """What the hand does with a door.

    Attributes:
        leaf: The door.
        name: What that is called.
        at: Where the grasp site works in map for an angle of the door, shape (3,).
        into: Direction into the door there for an angle, shape (3,).
    """

    leaf: ArticulatedDoor
    name: str
    at: Callable[[float], Vector]
    into: Callable[[float], Vector]

    def options(self, angle: float, heading: float) -> list[ReachOption]:
        """The level hand coming along ``heading`` [rad], either way round."""
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = hand_axes(frontal(heading)), self.at(angle)
        spared = (T[:3, 3], _SPARED)
        return [
            ReachOption(self.name, pregrasp_pose(turned, BEFORE), turned, spared)
            for turned in (T, mirrored(T))
        ]


@dataclass(frozen=True)
class DoorWorkPose:
    """A stance at a door and the angle to which it can be turned from there in [rad]."""

    stance: WorkPose
    angle: float


def move_to_door(
    context: SkillContext, hold: HandleGrasp, angles: Sequence[float], stage: str
) -> Move[DoorWorkPose]:
    """Go where the door can be taken and turned to the first of ``angles`` [rad] that is possible.

    Raises:
        NotReachable: If no standing place offers any.
    """
    context.look_around()
    field = plan_base_motion(context)
    swing = yield from _find(context, field, hold, angles, stage)
    yield from stow_arm(context, stage)
    yield from drive_to(context, swing.stance.base, field, stage)
    context.look_around()
    settled = work_pose_at(context, context.control.base_pose, lambda _base: [swing.stance.option])
    return DoorWorkPose(settled or swing.stance, swing.angle)


def _find(
    context: SkillContext, field: CostToGo, hold: HandleGrasp, angles: Sequence[float], stage: str
) -> Move[DoorWorkPose]:
    now = hold.leaf.angle(context)
    point = hold.at(now)
    poses = [
        pose
        for pose in candidate_base_poses(field, point, _REACHES, _BEARINGS)
        if angle_between(_heading(hold.into(now)), float(pose[2])) < _OBLIQUE
    ]
    floor = rasterise(context.model, context.data, context.own_bodies() | {hold.leaf.body})
    for angle in angles:
        roomy = (pose for pose in poses if _has_room(floor, hold.leaf, pose, angle - now))
        for _, pose in zip(range(_CANDIDATES), roomy, strict=False):
            yield Feedback(stage, 0.0)
            stance = work_pose_at(context, pose, _options_at(hold, now))
            if stance is not None and _stays_free(context, hold, stance, angle):
                return DoorWorkPose(stance, angle)
    where = ", ".join(f"{value:.2f}" for value in point)
    raise NotReachable(
        f"the {hold.name} at ({where}) is not reachable: none of {len(poses)} standing places"
        " leaves room to move the door"
    )


def _options_at(hold: HandleGrasp, angle: float) -> Callable[[Vector], list[ReachOption]]:
    return lambda base: hold.options(angle, float(base[2]))


def _heading(direction: Vector) -> float:
    return float(np.arctan2(direction[1], direction[0]))


def _samples(turn: float) -> Iterator[float]:
    count = max(1, int(np.ceil(abs(turn) / _STEP)))
    return (turn * i / count for i in range(count, 0, -1))


def _has_room(floor: SimOccupancyGrid, leaf: ArticulatedDoor, pose: Vector, turn: float) -> bool:
    """Whether the base finds floor all along the arc."""
    places = (leaf.hinge.carried(pose, by)[:2] for by in _samples(turn))
    return all(floor.clearance_at(place) > BASE_RADIUS + _ROOM for place in places)


def _stays_free(context: SkillContext, hold: HandleGrasp, stance: WorkPose, angle: float) -> bool:
    """Whether the robot touches nothing else while it and what lies in a drawer move with the door."""
    now, checker = hold.leaf.angle(context), context.checker
    inside = {body: context.data.xpos[body].copy() for body in contents_of(context, hold.leaf.door)}
    free = True
    for by in _samples(angle - now):
        checker.suppose(hold.leaf.door.joint, now + by)
        for body, position in inside.items():
            checker.put(body, position + by * hold.leaf.hinge.normal(now))
        checker.spare(hold.at(now + by), _SPARED)
        free = free and checker.free(stance.goal, hold.leaf.hinge.carried(stance.base, by))
    context.look_around()
    return free
