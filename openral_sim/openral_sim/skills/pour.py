"""POUR: tilt the held bottle over a vessel until it is filled."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.spatial.transform import Rotation

from openral_core.arrays import Array, PlanarPose, Transform, Vector3
from openral_core.geometry import Pose
from openral_core.grasping.approach import frontal, hand_axes
from openral_core.skill_errors import BadRequest, Blocked, NothingThere, NotReachable
from openral_core.skill_requests import PourRequest
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.assets.objects.liquids import Liquid
from openral_sim.motion_primitives.arm_motion import follow, line_postures, reach_to
from openral_sim.motion_primitives.base_pose_selection import ReachOption, move_to_work_pose
from openral_sim.motion_primitives.context import CONTROL_PERIOD, HeldObject, Move, Running, SkillContext
from openral_sim.motion_primitives.gripper import require_held
from openral_sim.motion_primitives.head import aim
from openral_sim.motion_primitives.release import extent
from openral_sim.motion_primitives.retract import retract_hand
from openral_sim.planning.arm_planner import Trajectory


@dataclass(frozen=True)
class PourModel:
    """Parameters of simulated pouring; those of a wine bottle where not otherwise stated."""

    rate: float = 0.04  # Flow out of a tilted bottle in [l/s].
    full_tilt: float = 1.2  # Tilt from which a full bottle pours in [rad].
    # Tilt from which an almost empty bottle pours in [rad]; a little below its mouth's level.
    empty_tilt: float = 1.75
    max_fall: float = 0.15  # Largest height of the stream in [m]; from higher up it splashes.
    # Largest horizontal distance of a vessel from a goal's target in [m]; a cup's width.
    max_target_offset: float = 0.06
    max_target_height: float = 0.2  # Largest vertical distance of a vessel from a goal's target in [m].
    min_upright: float = 0.95  # Cosine of the largest tilt at which a vessel counts as upright; 18 degrees.


MODEL = PourModel()


@dataclass(frozen=True)
class PourVessel:
    """A body that contains, or can contain, a liquid."""

    body: int  # Its id.
    liquid: Liquid  # Its contents.
    top: float  # Height of its rim or spout above its origin in [m].

    def rim(self, context: SkillContext) -> Vector3:
        """Middle of its rim or spout in map, shape (3,)."""
        R = context.data.xmat[self.body].reshape(3, 3)
        at: Vector3 = context.data.xpos[self.body] + self.top * R[:, 2]
        return at

    def tilt(self, context: SkillContext) -> float:
        """Angle of its axis from the vertical in [rad]."""
        return float(np.arccos(np.clip(context.data.xmat[self.body].reshape(3, 3)[2, 2], -1.0, 1.0)))


def bottle_in_hand(context: SkillContext, held: HeldObject) -> PourVessel:
    """Return the held object as a vessel to pour from.

    Raises:
        BadRequest: If it is empty or not held level, so that the wrist cannot tilt it.
    """
    liquid = context.liquids.get(held.body)
    if liquid is None or liquid.level <= 0.0:
        raise BadRequest(f"the {held.label} is empty")
    if not held.orientation.is_level:
        how = "from above" if held.is_downward else "obliquely"
        raise BadRequest(f"the {held.label} is held {how}; to pour, grasp it from the side")
    return _vessel(context, held.body)


def vessel_at(context: SkillContext, request: PourRequest, source: int) -> PourVessel:
    """Find the upright vessel nearest to a goal's target.

    Raises:
        NothingThere: If none is near there.
    """
    target = np.array(request.target.position)
    others = [body for body in context.liquids if body != source]
    distances = {body: float(np.linalg.norm((context.data.xpos[body] - target)[:2])) for body in others}
    body = min(distances, key=lambda body: distances[body], default=None)
    where = ", ".join(f"{value:.2f}" for value in target)
    is_near = body is not None and (
        distances[body] <= MODEL.max_target_offset
        and abs(context.data.xpos[body][2] - target[2]) <= MODEL.max_target_height
    )
    if body is None or not is_near:
        raise NothingThere(
            f"no fillable {request.label} within {MODEL.max_target_offset * 100:.0f} cm of ({where})"
        )
    if context.data.xmat[body].reshape(3, 3)[2, 2] < MODEL.min_upright:
        raise NothingThere(f"the {request.label} at ({where}) is not upright")
    return _vessel(context, body)


def _vessel(context: SkillContext, body: int) -> PourVessel:
    return PourVessel(body, context.liquids[body], float(extent(context.model, body)[1][2]))


def pour_step(context: SkillContext, source: PourVessel, vessel: PourVessel, seconds: float) -> float:
    """Pour for some seconds if the source is tilted enough; return the spilled volume in [l]."""
    if source.tilt(context) < MODEL.empty_tilt + (MODEL.full_tilt - MODEL.empty_tilt) * source.liquid.level:
        return 0.0
    poured = -source.liquid.add(-MODEL.rate * seconds, source.liquid.colour)
    if not falls_in(context, source, vessel):
        return poured
    return max(0.0, poured - vessel.liquid.add(poured, source.liquid.colour))


def falls_in(context: SkillContext, source: PourVessel, vessel: PourVessel) -> bool:
    """Return True if a stream straight down from the spout meets the vessel's mouth."""
    offset = source.rim(context) - vessel.rim(context)
    return 0.0 < offset[2] < MODEL.max_fall and float(np.linalg.norm(offset[:2])) < vessel.liquid.mouth


@dataclass(frozen=True)
class PourConfig:
    """Parameters of the skill."""

    fill: float = 0.65  # Level that a vessel is filled to in [0, 1]; leaves room under the rim.
    tilt: float = 1.95  # Roll of the wrist at the end of the pour in [rad]; pours an almost empty bottle.
    # Roll at which the spout is over the middle of the rim in [rad]; the middle of the pour.
    spout_tilt: float = 1.65
    rim_clearance: float = 0.045  # Height of the tilted spout over the rim in [m].
    contact_radius: float = 0.02  # Radius around the rim within which contact is not checked in [m].
    reach_speed: float = 0.6  # Fraction of the arm's top speed with the bottle.
    tilt_speed: float = 0.35  # The same while the wrist tilts.
    return_speed: float = 0.9  # The same while it turns back, faster so that less is spilled.
    max_time: float = 12.0  # Longest wait for the vessel to fill in [s].
    max_push: float = 0.015  # Largest displacement of the vessel in [m].
    clearance: float = 0.10  # Distance that the hand retracts from the vessel in [m].


CONFIG = PourConfig()


def pour(context: SkillContext, request: PourRequest) -> Running:
    """Bring the hand beside the vessel, roll the wrist until it is filled, and roll it back."""
    held = require_held(context, Verb.POUR)
    source = bottle_in_hand(context, held)
    vessel = vessel_at(context, request, held.body)
    if vessel.liquid.level >= CONFIG.fill:
        raise BadRequest(f"the {request.label} is already {vessel.liquid.level:.0%} full")
    rim, before = vessel.rim(context), vessel.liquid.level
    work_pose = yield from move_to_work_pose(
        context, rim, lambda base: pour_options(held, source, rim, base), "docking"
    )
    yield from aim(context, rim, "looking")
    yield from reach_to(context, work_pose.before, "reaching", CONFIG.reach_speed)
    spilled = yield from tilt_bottle(context, source, vessel, work_pose.option.T_map_goal)
    message = f"poured from the {held.label} into the {request.label}"
    work = _Pour(source, vessel, rim, before, spilled)
    context.achieved = result = partial(_result, context, work, request.label, message)
    yield from retract_hand(context, CONFIG.clearance)
    return result()


@dataclass(frozen=True)
class _Pour:
    """A finished pour."""

    source: PourVessel  # The bottle.
    vessel: PourVessel
    rim: Vector3  # Middle of its rim before the pour, in map in [m], shape (3,).
    before: float  # Its level before the pour in [0, 1].
    spilled: float  # Spilled volume in [l].


def _result(context: SkillContext, work: _Pour, label: str, message: str) -> SkillResult:
    """Report the vessel's level.

    Raises:
        Blocked: If the vessel was pushed.
        NotReachable: If the stream missed it.
    """
    level = work.vessel.liquid.level
    _require_unmoved(context, work.vessel, work.rim, label)
    if level <= work.before:
        raise NotReachable(f"the stream missed the {label}; spilled {work.spilled:.2f} l")
    remaining = work.source.liquid.level
    x, y, z = map(float, work.rim)
    evidence: dict[str, ParamValue] = {
        "fill": level,
        "left": remaining,
        "spilled": work.spilled,
        "vessel": Pose((x, y, z)),
    }
    return SkillResult(SkillStatus.SUCCEEDED, message, evidence)


def pour_options(
    held: HeldObject, source: PourVessel, rim: Vector3, base: PlanarPose
) -> Iterator[ReachOption]:
    """List poses of the hand beside the vessel, tilted to either side with the spout over the rim."""
    heading = float(np.arctan2(rim[1] - base[1], rim[0] - base[0]))
    upright = np.eye(4)
    upright[:3, :3] = hand_axes(frontal(heading))
    spout = held.T_grasp_body @ np.array([0.0, 0.0, source.top, 1.0])
    for side in (1.0, -1.0):
        turned = upright[:3, :3] @ Rotation.from_rotvec([0.0, 0.0, side * CONFIG.spout_tilt]).as_matrix()
        tilted = upright.copy()
        tilted[:3, :3] = upright[:3, :3] @ Rotation.from_rotvec([0.0, 0.0, side * CONFIG.tilt]).as_matrix()
        lowest = (tilted[:3, :3] @ spout[:3])[2]
        at = rim - turned @ spout[:3]
        at[2] = rim[2] + CONFIG.rim_clearance - lowest
        before = upright.copy()
        before[:3, 3] = tilted[:3, 3] = at
        yield ReachOption("beside it", before, tilted, (rim, CONFIG.contact_radius))


def tilt_bottle(
    context: SkillContext, source: PourVessel, vessel: PourVessel, T_map_goal: Transform
) -> Move[float]:
    """Roll the wrist, wait while it pours, roll back; return the spilled volume in [l]."""
    goal = context.to_base_frame(T_map_goal, context.control.base_pose)
    waypoints = line_postures(context, context.control.reach_target, goal)
    spilled = 0.0

    def step() -> bool:
        nonlocal spilled
        spilled += pour_step(context, source, vessel, CONTROL_PERIOD)
        return vessel.liquid.level >= CONFIG.fill

    context.secure = lambda: turn_back(context, waypoints[:1], step)
    tilting = Trajectory(waypoints, context.robot.speeds, CONFIG.tilt_speed)
    reached = yield from follow(context, tilting, "tilting", step)
    for _ in range(int(CONFIG.max_time / CONTROL_PERIOD) if reached else 0):
        if step() or source.liquid.level <= 0.0:
            break
        yield Feedback("pouring", min(1.0, vessel.liquid.level))
    yield from turn_back(context, waypoints[:1], step)
    context.secure = None
    return spilled


def turn_back(context: SkillContext, upright: Array, step: Callable[[], bool]) -> Move[None]:
    """Return the bottle to an upright posture of shape (1, 8)."""
    back = np.vstack([context.control.reach_target, upright])
    turning = Trajectory(back, context.robot.speeds, CONFIG.return_speed)
    yield from follow(context, turning, "turning back", lambda: _keep_pouring(step))


def _keep_pouring(step: Callable[[], bool]) -> bool:
    """Simulate the stream until the bottle is upright, without ending the motion."""
    step()
    return False


def _require_unmoved(context: SkillContext, vessel: PourVessel, rim: Vector3, label: str) -> None:
    """Ensure that the vessel was not pushed.

    Raises:
        Blocked: If it was.
    """
    moved = float(np.linalg.norm(vessel.rim(context) - rim))
    if moved > CONFIG.max_push:
        raise Blocked(f"the {label} was pushed by {moved * 100:.0f} cm")
