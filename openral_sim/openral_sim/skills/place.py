"""PLACE: put down what is held at, or near, a point of a surface."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.base_motion import plan_base_motion
from openral_sim.motion_primitives.base_pose_selection import Options, WorkPose, move_to_work_pose
from openral_sim.motion_primitives.gripper import (
    contact_detected,
    deactivate_weld,
    release_slowly,
    require_held,
)
from openral_sim.motion_primitives.pregrasp import hold_poses_over
from openral_sim.motion_primitives.release import extent, lower_until_supported, wait_until_still
from openral_sim.motion_primitives.retract import retract_hand
from openral_sim.planning.approach import pregrasp_pose
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.planning.base_planner import CostToGo
from openral_sim.planning.occupancy_grid import RESOLUTION
from openral_sim.planning.placement import find_placements
from openral_sim.skills.context import Feedback, Held, Move, Running, SkillContext
from openral_sim.skills.errors import BadRequest, LostObject, NotReachable
from openral_sim.skills.requests import PlaceRequest

Vector = NDArray[np.float64]
_GAP = 0.012
_DROPS = {True: 0.12, False: 0.07}
_ROOM, _BESIDE = 0.05, 0.03
_CLEAR = 0.14
_FLOOR = 0.04
"""Height up to which a level spot is the floor, or a rug on it [m]."""
_HAND = 0.13
"""Half the width of a hand, and a little more [m]."""
_ATTEMPTS = 3
_UPRIGHT, _STRAYED = 0.94, 0.10


def place(context: SkillContext, request: PlaceRequest) -> Running:
    """Dock at a free spot, lower what is held until it stands, let go gently and draw back."""
    held = require_held(context, Verb.PLACE)
    told = np.array(request.target.position)
    spot, stance = yield from _bring_over(context, held, told)
    yield from reach_along(
        context, stance.option.T_map_goal, "lowering", 0.12, stop=lambda: contact_detected(context)
    )
    yield from lower_until_supported(context, held)
    deactivate_weld(context, context.names.grasp_weld)
    context.held = None
    context.achieved = told_now = partial(_told, context, held, told, spot)
    yield from release_slowly(context, "letting go")
    yield from wait_until_still(context, held.body, "letting go")
    if not held.pointing.is_level:
        back = pregrasp_pose(stance.option.T_map_goal, _DROPS[True])
        yield from reach_along(context, back, "drawing back", 0.25)
    yield from retract_hand(context, _CLEAR if held.pointing.is_level else 0.0)
    return told_now()


def _bring_over(context: SkillContext, held: Held, told: Vector) -> Move[tuple[Vector, WorkPose]]:
    """Bring what is held over a free spot, from another standing place if the arm finds no way.

    Raises:
        NotReachable: If there is no free spot, or none can be reached.
        NoArmPath: If the arm found no way from any of a bounded number of places.
    """
    for attempt in range(_ATTEMPTS):
        spot, stance = yield from _dock_at_free_spot(context, held, told, elsewhere=attempt > 0)
        try:
            yield from reach_to(context, stance.before, "reaching", 0.7)
        except NoArmPath as error:
            refused = error
            yield Feedback("reaching", 0.0)
        else:
            return spot, stance
    raise refused


def _dock_at_free_spot(
    context: SkillContext, held: Held, told: Vector, *, elsewhere: bool
) -> Move[tuple[Vector, WorkPose]]:
    """Try free spots near the told point, the nearest first.

    Raises:
        BadRequest: If there is no furniture at the told point: nothing is put on the floor.
        NotReachable: If there is none, or none can be reached.
    """
    low, high = extent(context.model, held.body)
    radius = float(np.abs([low[:2], high[:2]]).max()) + _ROOM
    effort = _distance_to_floor(plan_base_motion(context))
    # A level hand comes down beside what stands there: where it has no room, the thing itself may have some.
    radii = {radius} if held.downward else {max(radius, _HAND), radius}
    spots = [
        spot
        for each in sorted(radii, reverse=True)
        for spot in find_placements(context.model, context.data, told, each, effort)
    ]
    where = ", ".join(f"{value:.2f}" for value in told)
    if spots and spots[0][2] < _FLOOR:
        raise BadRequest(
            f"PLACE needs a surface, and at ({where}) there is only the floor; the {held.label} is kept"
        )
    for spot in spots:
        try:
            options = _presented(held, spot)
            stance = yield from move_to_work_pose(context, spot, options, "docking", elsewhere=elsewhere)
        except NotReachable:
            continue
        return spot, stance
    raise NotReachable(
        f"none of {len(spots)} free spots near ({where}) can be reached with the {held.label}"
        if spots
        else f"no free spot of {2 * radius:.2f} m for the {held.label} near ({where})"
    )


def _distance_to_floor(field: CostToGo) -> Callable[[Vector], float]:
    """How far a point is from where the base could stand, in [m]."""
    far = distance_transform_edt(~np.isfinite(field.cost)) * RESOLUTION
    return lambda xy: float(far[field.grid.cell(xy)])


def _presented(held: Held, spot: Vector) -> Options:
    return lambda base: hold_poses_over(held, spot, _GAP, _DROPS[held.downward], base)


def _told(context: SkillContext, held: Held, told: Vector, spot: Vector) -> SkillResult:
    """Where it stands now.

    Raises:
        LostObject: If it fell over or off.
    """
    position, axis = context.data.xpos[held.body], context.data.xmat[held.body].reshape(3, 3)[2, 2]
    x, y, z = (float(value) for value in position)
    if np.hypot(x - spot[0], y - spot[1]) > _STRAYED or z < spot[2] - 0.02 or axis < _UPRIGHT:
        where = f"({x:.2f}, {y:.2f}, {z:.2f})"
        raise LostObject(f"the {held.label} did not stay where it was put: it lies at {where}")
    beside = float(np.linalg.norm(spot[:2] - told[:2]))
    said = f"placed the {held.label}"
    if beside > _BESIDE:
        said += f" {beside:.2f} m beside the point: it is free there"
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = context.data.xmat[held.body].reshape(3, 3), position
    evidence: dict[str, ParamValue] = {"pose": Pose.from_matrix(T), "x": x, "y": y, "z": z}
    return SkillResult(SkillStatus.SUCCEEDED, said, evidence)
