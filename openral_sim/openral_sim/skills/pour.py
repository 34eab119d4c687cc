"""POUR: tilt what is held over a vessel until it is filled."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.arm_motion import follow, line_postures, reach_to
from openral_sim.motion_primitives.base_pose_selection import ReachOption, move_to_work_pose
from openral_sim.motion_primitives.gripper import require_held
from openral_sim.motion_primitives.head import aim
from openral_sim.motion_primitives.pouring import PourVessel, bottle_in_hand, pour_step, vessel_at
from openral_sim.motion_primitives.retract import retract_hand
from openral_sim.planning.approach import frontal, hand_axes
from openral_sim.planning.arm_planner import Trajectory
from openral_sim.skills.context import CONTROL_PERIOD, Feedback, Held, Move, Running, SkillContext
from openral_sim.skills.errors import BadRequest, Blocked, NotReachable
from openral_sim.skills.requests import PourRequest

Vector = NDArray[np.float64]
FILL = 0.65
"""How full a vessel is poured in [0, 1]."""
_TILT = 1.95
_ALONG = 1.65
_OVER_RIM = 0.045
_SPARED = 0.02
_SHARE, _BACK_SHARE = 0.35, 0.9
_BOUND = 12.0
_MOVED = 0.015


def pour(context: SkillContext, request: PourRequest) -> Running:
    """Bring the hand beside the vessel, turn the wrist until it fills, and turn it back."""
    held = require_held(context, Verb.POUR)
    source = bottle_in_hand(context, held)
    vessel = vessel_at(context, request, held.body)
    if vessel.liquid.level >= FILL:
        raise BadRequest(f"the {request.label} is {vessel.liquid.level:.0%} full already")
    rim, before = vessel.rim(context), vessel.liquid.level
    stance = yield from move_to_work_pose(
        context, rim, lambda base: _ways(held, source, rim, base), "docking"
    )
    yield from aim(context, rim, "looking")
    yield from reach_to(context, stance.before, "reaching", 0.6)
    spilled = yield from _tilt(context, source, vessel, stance.option.T_map_goal)
    said = f"poured from the {held.label} into the {request.label}"
    work = _Work(source, vessel, rim, before, spilled)
    context.achieved = told_now = partial(_told, context, work, request.label, said)
    yield from retract_hand(context, 0.10)
    return told_now()


@dataclass(frozen=True)
class _Work:
    """What was poured: from where, into what, where its rim was and how full it was [0, 1]; spilled [l]."""

    source: PourVessel
    vessel: PourVessel
    rim: Vector
    before: float
    spilled: float


def _told(context: SkillContext, work: _Work, label: str, said: str) -> SkillResult:
    """How full the vessel is now.

    Raises:
        Blocked: If it was pushed.
        NotReachable: If the stream missed it.
    """
    level = work.vessel.liquid.level
    _require_untouched(context, work.vessel, work.rim, label)
    if level <= work.before:
        raise NotReachable(f"the stream missed the {label}: {work.spilled:.2f} l were spilled")
    left = work.source.liquid.level
    evidence: dict[str, ParamValue] = {"fill": level, "left": left, "spilled": work.spilled}
    return SkillResult(SkillStatus.SUCCEEDED, said, evidence)


def _ways(held: Held, source: PourVessel, rim: Vector, base: Vector) -> Iterator[ReachOption]:
    """The hand beside the vessel, upright and tilted to either side, its spout over the rim when tilted."""
    heading = float(np.arctan2(rim[1] - base[1], rim[0] - base[0]))
    upright = np.eye(4)
    upright[:3, :3] = hand_axes(frontal(heading))
    spout = held.T_grasp_body @ np.array([0.0, 0.0, source.top, 1.0])
    for side in (1.0, -1.0):
        turned = upright[:3, :3] @ Rotation.from_rotvec([0.0, 0.0, side * _ALONG]).as_matrix()
        tilted = upright.copy()
        tilted[:3, :3] = upright[:3, :3] @ Rotation.from_rotvec([0.0, 0.0, side * _TILT]).as_matrix()
        lowest = (tilted[:3, :3] @ spout[:3])[2]
        at = rim - turned @ spout[:3]
        at[2] = rim[2] + _OVER_RIM - lowest
        before = upright.copy()
        before[:3, 3] = tilted[:3, 3] = at
        yield ReachOption("beside it", before, tilted, (rim, _SPARED))


def _tilt(context: SkillContext, source: PourVessel, vessel: PourVessel, T_map_goal: Vector) -> Move[float]:
    """Turn the wrist, wait while it runs, turn back; what was spilled in [l]."""
    start = context.solver.forward(context.control.reach_target)
    corners = line_postures(context, start, context.in_base(T_map_goal, context.control.base_pose))
    spilled = 0.0

    def watch() -> bool:
        nonlocal spilled
        spilled += pour_step(context, source, vessel, CONTROL_PERIOD)
        return vessel.liquid.level >= FILL

    context.secure = lambda: _turn_back(context, corners[:1], watch)
    reached = yield from follow(context, Trajectory(corners, _SHARE), "tilting", watch)
    for _ in range(int(_BOUND / CONTROL_PERIOD) if reached else 0):
        if watch() or source.liquid.level <= 0.0:
            break
        yield Feedback("pouring", min(1.0, vessel.liquid.level))
    yield from _turn_back(context, corners[:1], watch)
    context.secure = None
    return spilled


def _turn_back(context: SkillContext, upright: Vector, watch: Callable[[], bool]) -> Move[None]:
    """Bring the bottle up again, to a posture of shape (1, 8)."""
    back = np.vstack([context.control.reach_target, upright])
    yield from follow(context, Trajectory(back, _BACK_SHARE), "turning back", lambda: _run_on(watch))


def _run_on(watch: Callable[[], bool]) -> bool:
    """Liquid runs on until the bottle is up again; that does not end the motion."""
    watch()
    return False


def _require_untouched(context: SkillContext, vessel: PourVessel, rim: Vector, label: str) -> None:
    """Make sure the vessel stands where it stood.

    Raises:
        Blocked: If it was pushed.
    """
    moved = float(np.linalg.norm(vessel.rim(context) - rim))
    if moved > _MOVED:
        raise Blocked(f"the {label} was pushed by {moved * 100:.0f} cm")
