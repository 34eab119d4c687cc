"""Finding where to stand to work at a place, and going there."""
# MERGED Standing where furniture hides least of what shall be seen.

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from openral_core.errors import format_choices
from openral_core.geometry import angle_between
from openral_sim.motion_primitives.base_motion import drive_to, plan_base_motion
from openral_sim.motion_primitives.head import aim, face
from openral_sim.motion_primitives.retract import stow_arm
from openral_sim.planning.base_planner import CostToGo
from openral_sim.planning.inverse_kinematics import COMFORTABLE, IkFailed
from openral_sim.planning.placement import candidate_base_poses
from openral_sim.planning.range_sensor import line_of_sight
from openral_sim.planning.visibility import Boxes, VisibilityResult, nearby_occluders, visible_fraction
from openral_sim.robot.model import HEAD_HEIGHT
from openral_sim.skills.context import Feedback, Move, SkillContext
from openral_sim.skills.errors import NotReachable

Vector = NDArray[np.float64]
_CANDIDATES, _APART = 60, 0.10
_LEAP = 1.2


@dataclass(frozen=True)
class ReachOption:
    """One way to work at a place: where the hand waits, where it goes, and what it may touch there.

    Attributes:
        tag: What this way is called.
        T_map_before: Pose of the grasp site to come from, shape (4, 4).
        T_map_goal: Pose of the grasp site to work at, shape (4, 4).
        spared: Point in map [m] and radius [m] within which contact is meant.
        is_narrow: Whether there is so little room that the way in must be free, too, not its ends only.
    """

    tag: str
    T_map_before: Vector
    T_map_goal: Vector
    spared: tuple[Vector, float]
    is_narrow: bool = False


@dataclass(frozen=True)
class WorkPose:
    """Where the base stands and how the arm waits for one option."""

    base: Vector
    before: Vector
    goal: Vector
    option: ReachOption


Options = Callable[[Vector], Iterable[ReachOption]]
"""The ways to work at a place from a base pose, the preferred first."""


def move_to_work_pose(
    context: SkillContext, target: Vector, options: Options, stage: str, *, elsewhere: bool = False
) -> Move[WorkPose]:
    """Go where one of the options can be reached; stay if the preferred kind of option works from here.

    With ``elsewhere`` it is another place than here all the same.

    Raises:
        NotReachable: If no standing place offers any.
    """
    context.look_around()
    base = context.control.base_pose
    here = work_pose_at(context, base, _only(_tags(options, base)[0], options))
    if here is not None and _faces(base, target) and not elsewhere:
        return here
    field = plan_base_motion(context)
    apart = _APART if elsewhere else 0.0
    stance = yield from find_work_pose(context, field, target, options, stage, apart)
    yield from stow_arm(context, stage)
    yield from drive_to(context, stance.base, field, stage)
    context.look_around()
    settled = work_pose_at(context, context.control.base_pose, lambda _base: [stance.option])
    return settled or stance


def find_work_pose(
    context: SkillContext, field: CostToGo, target: Vector, options: Options, stage: str, apart: float
) -> Move[WorkPose]:
    """Try standing places around a target, ``apart`` [m] from here, the cheapest and those that see it first.

    Raises:
        NotReachable: If none of a bounded number of them works.
    """
    yield Feedback(stage, 0.0)
    here = context.control.base_pose[:2]
    poses = [
        pose
        for pose in candidate_base_poses(field, target)
        if float(np.linalg.norm(pose[:2] - here)) >= apart
    ]
    seen = [pose for pose in poses if sees(context, pose, target)]
    unseen = [pose for pose in poses if not any(pose is other for other in seen)]
    yield Feedback(stage, 0.0)
    tags = _tags(options, context.control.base_pose)
    for tag in tags:
        for pose in (seen + unseen)[:_CANDIDATES]:
            stance = work_pose_at(context, pose, _only(tag, options))
            if stance is not None:
                return stance
            yield Feedback(stage, 0.0)
    where = ", ".join(f"{value:.2f}" for value in target)
    tried = min(len(poses), _CANDIDATES)
    raise NotReachable(
        f"({where}) in map is not reachable: none of {tried} standing places"
        f" with {field.clearance:.2f} m of room works; tried {format_choices(tags)}"
    )


def _tags(options: Options, base: Vector) -> list[str]:
    """The kinds of options there are, the preferred first."""
    return list(dict.fromkeys(option.tag for option in options(base)))


def _only(tag: str, options: Options) -> Options:
    return lambda base: (option for option in options(base) if option.tag == tag)


def work_pose_at(context: SkillContext, base: Vector, options: Options) -> WorkPose | None:
    """The first option that lift and arm can reach from a base pose without touching anything."""
    for option in options(base):
        try:
            before = context.solver.solve(context.in_base(option.T_map_before, base), COMFORTABLE, tries=2)
            goal = context.solver.solve(context.in_base(option.T_map_goal, base), before, tries=1)
        except IkFailed:
            continue
        if _is_line(before, goal, option) and _is_free(context, base, before, goal, option):
            return WorkPose(base, before, goal, option)
    return None


def _is_line(before: Vector, goal: Vector, option: ReachOption) -> bool:
    """Whether the hand can go straight from one posture to the other: no joint turns much further than it."""
    R = option.T_map_before[:3, :3].T @ option.T_map_goal[:3, :3]
    return float(np.abs(goal - before).max()) < _LEAP + float(Rotation.from_matrix(R).magnitude())


def _is_free(context: SkillContext, base: Vector, before: Vector, goal: Vector, option: ReachOption) -> bool:
    context.checker.spare(*option.spared)
    shares = (1.0, 0.0, 0.5, 0.25, 0.75) if option.is_narrow else (0.0, 1.0)
    free = all(context.checker.free(before + share * (goal - before), base) for share in shares)
    context.look_around()
    return free


def _faces(base: Vector, target: Vector) -> bool:
    offset = target[:2] - base[:2]
    return angle_between(float(np.arctan2(offset[1], offset[0])), float(base[2])) < 0.5


def sees(context: SkillContext, pose: Vector, target: Vector) -> bool:
    """Whether the head would see a point of map from a base pose."""
    eye = np.array([pose[0], pose[1], HEAD_HEIGHT])
    return line_of_sight(context.model, context.data, eye, target, context.own_bodies())


_FARTHEST, _PEERING_APART = 1.5, 3
"""How far from the middle of it to stand in [m], and every how many cells of the floor to try."""
_PANS = (0.0, 1.45, -1.45)
"""Turns of the head on the base: a head over the base's rear comes nearer when it looks aside."""
_ENOUGH = 0.75
"""Share of all of it with which the robot stays."""
_STAYING, _NEAREST = 0.9, 0.95
"""Share of the best sight with which the robot stays, and with which a place may be chosen as nearer."""
_TURN = 0.1
_AT_ONCE = 80


def move_to_unoccluded_view(context: SkillContext, points: Vector, stage: str) -> Move[VisibilityResult]:
    """Go where the head sees points of map past the furniture, if it does not from here, and point it there.

    Args:
        context: The robot and its world.
        points: What shall be seen, in map in [m], shape (N, 3).
        stage: What to call it.
    """
    boxes = nearby_occluders(
        context.model, context.data, points.mean(axis=0), _FARTHEST + 0.3, context.own_bodies()
    )
    here = visible_fraction(context.control.base_pose, points, boxes)
    if here.share < _ENOUGH:
        field = plan_base_motion(context)
        there = yield from _better(context, field, points, boxes, here, stage)
        if there is not here:
            yield from stow_arm(context, stage)
            yield from drive_to(context, there.base, field, stage)
            here = visible_fraction(context.control.base_pose, points, boxes)
    yield from face(context, here.aim, stage)
    yield from aim(context, here.aim, stage)
    return here


def _better(
    context: SkillContext, field: CostToGo, points: Vector, boxes: Boxes, here: VisibilityResult, stage: str
) -> Move[VisibilityResult]:
    """The nearest of the places that see about the most, or where the robot stands if that sees enough."""
    found: list[tuple[float, VisibilityResult]] = []
    for number, base in enumerate(_stances(field, points.mean(axis=0)[:2])):
        found.append((_cost(field, context.control.base_pose, base), visible_fraction(base, points, boxes)))
        if number % _AT_ONCE == 0:
            yield Feedback(stage, 0.0)
    most = max((there.share for _, there in found), default=0.0)
    if here.share >= _STAYING * most:
        return here
    good = [(cost, i) for i, (cost, there) in enumerate(found) if there.share >= _NEAREST * most]
    return found[min(good)[1]][1]


def _stances(field: CostToGo, middle: Vector) -> Iterator[Vector]:
    """Base poses on reachable floor around a point, facing it or with a shoulder towards it."""
    cells = np.argwhere(np.isfinite(field.cost))
    places = field.grid.point(cells[(cells % _PEERING_APART == 0).all(axis=1)])
    for place in places[np.linalg.norm(places - middle, axis=1) < _FARTHEST]:
        bearing = float(np.arctan2(*(middle - place)[::-1]))
        for pan in _PANS:
            yield np.append(place, bearing - pan)


def _cost(field: CostToGo, here: Vector, base: Vector) -> float:
    """Way to a base pose in [m], a turn counted as a way."""
    turn = np.arccos(np.clip(np.cos(base[2] - here[2]), -1.0, 1.0))
    return field.cost_at(base[:2]) + _TURN * float(turn)
