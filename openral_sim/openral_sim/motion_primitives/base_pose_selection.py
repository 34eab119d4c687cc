"""Base poses to work at a place, or to see it past the furniture, and driving there."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.ndimage
from scipy.spatial.transform import Rotation

from openral_core.arrays import Array, Joints, PlanarPose, Points, Transform, Vector3
from openral_core.errors import format_choices
from openral_core.geometry import angle_between
from openral_core.skill_errors import NotReachable
from openral_core.skills import Feedback
from openral_sim.motion_primitives.arm_motion import line_postures
from openral_sim.motion_primitives.base_motion import plan_base_motion
from openral_sim.motion_primitives.context import Move, SkillContext
from openral_sim.motion_primitives.driving import drive_to
from openral_sim.motion_primitives.head import aim, face
from openral_sim.motion_primitives.retract import stow_arm
from openral_sim.planning.base_planner import CostToGo, NoBasePath, candidate_base_poses
from openral_sim.planning.inverse_kinematics import IkFailed
from openral_sim.planning.range_sensor import line_of_sight
from openral_sim.planning.visibility import Boxes, VisibilityResult, nearby_occluders, visible_fraction
from openral_sim.robot.sim_robot import HeadGeometry


@dataclass(frozen=True)
class WorkPoseConfig:
    """Parameters of choosing a base pose to work from; tuned in simulation."""

    max_candidates: int = 60  # Number of base poses to try per kind of option.
    min_displacement: float = 0.10  # Distance from the present pose that counts as another place in [m].
    # Largest motion of a joint between pregrasp and goal, beyond the hand's rotation, in [rad]; more means
    # that the straight line leaves the solution branch.
    max_joint_motion: float = 1.2
    # Largest bearing of a target that the robot can work at without turning in [rad].
    facing_angle: float = 0.5


WORK_POSE = WorkPoseConfig()


@dataclass(frozen=True)
class ViewConfig:
    """Parameters of choosing a base pose to look from; tuned in simulation."""

    max_distance: float = 1.5  # Largest distance from the middle of the points in [m].
    occluder_margin: float = 0.3  # Additional distance within which furniture may occlude in [m].
    stride: int = 3  # Only every so many cells of the floor are tried along each axis.
    # Pan to either side to look with, besides ahead, in [rad]; a head on the base's rear gets closer when it
    # looks sideways.
    aside: float = 1.45
    good_fraction: float = 0.75  # Visible fraction with which the robot stays where it is.
    stay_ratio: float = 0.9  # Ratio to the best visible fraction with which the robot stays where it is.
    # Ratio to the best visible fraction with which a place may be preferred as closer.
    near_best_ratio: float = 0.95
    turn_cost: float = 0.1  # Cost of a turn as a length of path in [m/rad].
    batch: int = 80  # Number of base poses evaluated per control period.


VIEW = ViewConfig()


@dataclass(frozen=True)
class ReachOption:
    """One way to reach a place: the hand's pregrasp pose, its goal and the contact allowed there."""

    tag: str  # Kind of option, as named in messages and evidence.
    T_map_pregrasp: Transform  # Pose of the grasp site before it, shape (4, 4).
    T_map_goal: Transform  # Pose of the grasp site at work, shape (4, 4).
    # Point in map [m] and radius [m] within which contact is intended.
    allowed_contact: tuple[Vector3, float]
    is_narrow: bool = False  # True if the path in must be checked, not only its ends.
    has_room: bool = True  # False if a held object would not lie free at the goal.
    below: float = 0.0  # Distance under the goal that the hand has to reach as well in [m].


@dataclass(frozen=True)
class WorkPose:
    """A base pose and the arm's postures for one option."""

    base: PlanarPose  # Pose (x, y, yaw) in map, shape (3,).
    before: Joints  # Posture of the pregrasp pose, shape (N,).
    goal: Joints  # Posture of the goal, shape (N,).
    option: ReachOption  # The option they reach.


Options = Callable[[PlanarPose], Iterable[ReachOption]]
"""Lists the options at a place for a base pose, the preferred first."""


def move_to_work_pose(
    context: SkillContext,
    target: Vector3,
    options: Options,
    stage: str,
    *,
    elsewhere: bool = False,
    takes: bool = False,
) -> Move[WorkPose]:
    """Drive to a base pose that reaches one of the options; stay if the preferred kind works from here.

    With ``elsewhere`` the robot moves to another place in any case. If it ``takes`` an object, base poses
    that it can leave with one in the hand come first.

    Raises:
        NotReachable: If no base pose reaches any.
    """
    context.sync_collision_scene()
    base = context.control.base_pose
    bearing = float(np.arctan2(*(target[:2] - base[:2])[::-1]))
    is_facing = angle_between(bearing, float(base[2])) < WORK_POSE.facing_angle
    stays = is_facing and not elsewhere
    here = work_pose_at(context, base, _only(_tags(options, base)[0], options)) if stays else None
    if here is not None and not takes:
        return here
    try:
        field = plan_base_motion(context)
        clearance = context.robot.description.base.clearance_holding if takes else field.clearance
        if here is not None and leaves(field, clearance)(base):
            return here
        apart = WORK_POSE.min_displacement if elsewhere else 0.0
        work_pose = yield from find_work_pose(context, field, target, options, stage, apart, clearance)
    except (NoBasePath, NotReachable):
        if here is not None:
            return here
        raise
    yield from stow_arm(context, stage)
    yield from drive_to(context, work_pose.base, field, stage)
    context.sync_collision_scene()
    settled = work_pose_at(context, context.control.base_pose, lambda _base: [work_pose.option])
    return settled or work_pose


def find_work_pose(
    context: SkillContext,
    field: CostToGo,
    target: Vector3,
    options: Options,
    stage: str,
    apart: float,
    clearance: float = 0.0,
) -> Move[WorkPose]:
    """Try base poses around a target, ``apart`` [m] from here: those that see it first, then by cost.

    Before all others come those that the base can leave with ``clearance`` [m].

    Raises:
        NotReachable: If none of a bounded number of them reaches an option.
    """
    yield Feedback(stage, 0.0)
    here = context.control.base_pose[:2]
    poses = [
        pose
        for pose in candidate_base_poses(field, target, context.robot.description.arm.distances)
        if float(np.linalg.norm(pose[:2] - here)) >= apart
    ]
    seeing = [pose for pose in poses if sees(context, pose, target)]
    blind = [pose for pose in poses if not any(pose is other for other in seeing)]
    is_left, ordered = leaves(field, clearance), seeing + blind
    ordered.sort(key=lambda pose: not is_left(pose))
    yield Feedback(stage, 0.0)
    tags = _tags(options, context.control.base_pose)
    for tag in tags:
        for pose in ordered[: WORK_POSE.max_candidates]:
            work_pose = work_pose_at(context, pose, _only(tag, options))
            if work_pose is not None:
                return work_pose
            yield Feedback(stage, 0.0)
    where = ", ".join(f"{value:.2f}" for value in target)
    count = min(len(poses), WORK_POSE.max_candidates)
    raise NotReachable(
        f"({where}) in map is not reachable: none of {count} base poses"
        f" with {field.clearance:.2f} m of clearance works; tried {format_choices(tags)}"
    )


def leaves(field: CostToGo, clearance: float) -> Callable[[PlanarPose], bool]:
    """Return whether the base can drive from a pose to most of the floor with another clearance [m].

    A base that fits between a person and a table with an empty hand may not with a full one.
    """
    if clearance <= field.clearance:
        return lambda _pose: True
    free = np.isfinite(field.cost) & (field.grid.clearance >= clearance)
    parts, number = scipy.ndimage.label(free, np.ones((3, 3)))
    if not number:
        return lambda _pose: False
    # A path from floor that is too narrow begins at the nearest free cell.
    nearest = scipy.ndimage.distance_transform_edt(~free, return_distances=False, return_indices=True)
    largest = parts[tuple(nearest)] == 1 + int(np.bincount(parts[free] - 1).argmax())
    return lambda pose: bool(largest[field.grid.cell(pose[:2])])


def _tags(options: Options, base: PlanarPose) -> list[str]:
    """List the kinds of options, the preferred first."""
    return list(dict.fromkeys(option.tag for option in options(base)))


def _only(tag: str, options: Options) -> Options:
    return lambda base: (option for option in options(base) if option.tag == tag)


def work_pose_at(context: SkillContext, base: PlanarPose, options: Options) -> WorkPose | None:
    """Find the first option that lift and arm can reach from a base pose without a collision."""
    for option in options(base):
        if not option.has_room:
            continue
        try:
            before = context.solver.solve(
                context.to_base_frame(option.T_map_pregrasp, base), context.robot.comfortable, tries=2
            )
            goal = context.solver.solve(context.to_base_frame(option.T_map_goal, base), before, tries=1)
        except IkFailed:
            continue
        if (
            is_continuous(before, goal, option)
            and is_collision_free(context, base, before, goal, option)
            and is_line_reachable(context, base, before, option)
        ):
            return WorkPose(base, before, goal, option)
    return None


def is_line_reachable(context: SkillContext, base: PlanarPose, before: Joints, option: ReachOption) -> bool:
    """Return True if the hand can move in a straight line from a posture to its goal, and below."""
    try:
        plan_line(context, base, before, option)
    except IkFailed:
        return False
    return True


def plan_line(context: SkillContext, base: PlanarPose, before: Joints, option: ReachOption) -> Array:
    """Solve for postures from the first, in a straight line to the goal or below it, shape (N, D).

    Raises:
        IkFailed: If the line leaves the arm's reach.
    """
    T_map_end = option.T_map_goal.copy()
    T_map_end[2, 3] -= option.below
    return line_postures(context, before, context.to_base_frame(T_map_end, base))


def is_continuous(before: Joints, goal: Joints, option: ReachOption) -> bool:
    """Return True if no joint moves much further between the postures than the hand rotates."""
    R = option.T_map_pregrasp[:3, :3].T @ option.T_map_goal[:3, :3]
    return float(np.abs(goal - before).max()) < WORK_POSE.max_joint_motion + float(
        Rotation.from_matrix(R).magnitude()
    )


def is_collision_free(
    context: SkillContext, base: PlanarPose, before: Joints, goal: Joints, option: ReachOption
) -> bool:
    """Return True if the arm is free at both postures, and on the way between them if that is narrow."""
    context.checker.allow_contact_near(*option.allowed_contact)
    fractions = (1.0, 0.0, 0.5, 0.25, 0.75) if option.is_narrow else (0.0, 1.0)
    free = all(context.checker.is_free(before + fraction * (goal - before), base) for fraction in fractions)
    context.sync_collision_scene()
    return free


def sees(context: SkillContext, pose: PlanarPose, target: Vector3) -> bool:
    """Return True if the head would see a point of map from a base pose."""
    eye = np.array([pose[0], pose[1], context.head.height])
    return line_of_sight(context.model, context.data, eye, target, context.own_bodies())


def move_to_unoccluded_view(context: SkillContext, points: Points, stage: str) -> Move[VisibilityResult]:
    """Aim the head at points of map; drive first if furniture hides too many of them from here.

    Args:
        points: Points to see, in map in [m], shape (N, 3).
    """
    boxes = nearby_occluders(
        context.model,
        context.data,
        points.mean(axis=0),
        VIEW.max_distance + VIEW.occluder_margin,
        context.own_bodies(),
    )
    here = visible_fraction(context.head, context.control.base_pose, points, boxes)
    if here.fraction < VIEW.good_fraction:
        field = plan_base_motion(context)
        there = yield from best_view(context, field, points, boxes, here, stage)
        if there is not here:
            yield from stow_arm(context, stage)
            yield from drive_to(context, there.base, field, stage)
            here = visible_fraction(context.head, context.control.base_pose, points, boxes)
    yield from face(context, here.aim, stage)
    yield from aim(context, here.aim, stage)
    return here


def best_view(
    context: SkillContext, field: CostToGo, points: Points, boxes: Boxes, here: VisibilityResult, stage: str
) -> Move[VisibilityResult]:
    """Choose the closest base pose that sees the most, or the present one if it sees almost as much."""
    views: list[tuple[float, VisibilityResult]] = []
    for number, base in enumerate(view_poses(context.head, field, points.mean(axis=0)[:2])):
        views.append(
            (
                driving_cost(field, context.control.base_pose, base),
                visible_fraction(context.head, base, points, boxes),
            )
        )
        if number % VIEW.batch == 0:
            yield Feedback(stage, 0.0)
    most = max((there.fraction for _, there in views), default=0.0)
    if here.fraction >= VIEW.stay_ratio * most:
        return here
    good = [
        (cost, i) for i, (cost, there) in enumerate(views) if there.fraction >= VIEW.near_best_ratio * most
    ]
    return views[min(good)[1]][1]


def view_poses(head: HeadGeometry, field: CostToGo, middle: Vector3) -> Iterator[PlanarPose]:
    """List base poses on reachable floor around a point, facing it or side-on to it."""
    cells = np.argwhere(np.isfinite(field.cost))
    places = field.grid.point(cells[(cells % VIEW.stride == 0).all(axis=1)])
    for place in places[np.linalg.norm(places - middle, axis=1) < VIEW.max_distance]:
        bearing = float(np.arctan2(*(middle - place)[::-1]))
        aside = min(VIEW.aside, head.pan_limit)
        for pan in (0.0, aside, -aside):
            yield np.append(place, bearing - pan)


def driving_cost(field: CostToGo, here: PlanarPose, base: PlanarPose) -> float:
    """Cost of driving to a base pose in [m], including its turn."""
    turn = np.arccos(np.clip(np.cos(base[2] - here[2]), -1.0, 1.0))
    return field.cost_at(base[:2]) + VIEW.turn_cost * float(turn)
