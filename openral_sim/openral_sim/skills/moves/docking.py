"""Finding where to stand to work at a place, and going there."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from openral_core.errors import listed
from openral_core.geometry import angle_between
from openral_sim.motions.kinematics import COMFORTABLE, Unreachable
from openral_sim.motions.paths import TravelField
from openral_sim.motions.placements import standing_poses
from openral_sim.motions.scans import line_of_sight
from openral_sim.robot.body import HEAD_HEIGHT
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import NotReachable
from openral_sim.skills.feedback import Feedback, Move
from openral_sim.skills.moves.driving import drive_to, ways_now
from openral_sim.skills.moves.folding import fold

Vector = NDArray[np.float64]
_CANDIDATES, _APART = 60, 0.10
_LEAP = 1.2


@dataclass(frozen=True)
class Option:
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
class Stance:
    """Where the base stands and how the arm waits for one option."""

    base: Vector
    before: Vector
    goal: Vector
    option: Option


Options = Callable[[Vector], Iterable[Option]]
"""The ways to work at a place from a base pose, the preferred first."""


def dock(
    context: SkillContext, target: Vector, options: Options, stage: str, *, elsewhere: bool = False
) -> Move[Stance]:
    """Go where one of the options can be reached; stay if the preferred kind of option works from here.

    With ``elsewhere`` it is another place than here all the same.

    Raises:
        NotReachable: If no standing place offers any.
    """
    context.look_around()
    base = context.control.base_pose
    here = stance_at(context, base, _only(_tags(options, base)[0], options))
    if here is not None and _faces(base, target) and not elsewhere:
        return here
    field = ways_now(context)
    apart = _APART if elsewhere else 0.0
    stance = yield from find_stance(context, field, target, options, stage, apart)
    yield from fold(context, stage)
    yield from drive_to(context, stance.base, field, stage)
    context.look_around()
    settled = stance_at(context, context.control.base_pose, lambda _base: [stance.option])
    return settled or stance


def find_stance(
    context: SkillContext, field: TravelField, target: Vector, options: Options, stage: str, apart: float
) -> Move[Stance]:
    """Try standing places around a target, ``apart`` [m] from here, the cheapest and those that see it first.

    Raises:
        NotReachable: If none of a bounded number of them works.
    """
    yield Feedback(stage, 0.0)
    here = context.control.base_pose[:2]
    poses = [
        pose for pose in standing_poses(field, target) if float(np.linalg.norm(pose[:2] - here)) >= apart
    ]
    seen = [pose for pose in poses if sees(context, pose, target)]
    unseen = [pose for pose in poses if not any(pose is other for other in seen)]
    yield Feedback(stage, 0.0)
    tags = _tags(options, context.control.base_pose)
    for tag in tags:
        for pose in (seen + unseen)[:_CANDIDATES]:
            stance = stance_at(context, pose, _only(tag, options))
            if stance is not None:
                return stance
            yield Feedback(stage, 0.0)
    where = ", ".join(f"{value:.2f}" for value in target)
    tried = min(len(poses), _CANDIDATES)
    raise NotReachable(
        f"({where}) in map is not reachable: none of {tried} standing places"
        f" with {field.clearance:.2f} m of room works; tried {listed(tags)}"
    )


def _tags(options: Options, base: Vector) -> list[str]:
    """The kinds of options there are, the preferred first."""
    return list(dict.fromkeys(option.tag for option in options(base)))


def _only(tag: str, options: Options) -> Options:
    return lambda base: (option for option in options(base) if option.tag == tag)


def stance_at(context: SkillContext, base: Vector, options: Options) -> Stance | None:
    """The first option that lift and arm can reach from a base pose without touching anything."""
    for option in options(base):
        try:
            before = context.solver.solve(context.in_base(option.T_map_before, base), COMFORTABLE, tries=2)
            goal = context.solver.solve(context.in_base(option.T_map_goal, base), before, tries=1)
        except Unreachable:
            continue
        if _is_line(before, goal, option) and _is_free(context, base, before, goal, option):
            return Stance(base, before, goal, option)
    return None


def _is_line(before: Vector, goal: Vector, option: Option) -> bool:
    """Whether the hand can go straight from one posture to the other: no joint turns much further than it."""
    R = option.T_map_before[:3, :3].T @ option.T_map_goal[:3, :3]
    return float(np.abs(goal - before).max()) < _LEAP + float(Rotation.from_matrix(R).magnitude())


def _is_free(context: SkillContext, base: Vector, before: Vector, goal: Vector, option: Option) -> bool:
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
