"""PLACE: put the held object down at, or near, a point of a surface."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from scipy.ndimage import distance_transform_edt

from openral_core.arrays import PlanarPose, Vector2, Vector3
from openral_core.geometry import Pose
from openral_core.grasping.approach import pregrasp_pose
from openral_core.skill_errors import BadRequest, LostObject, NotReachable
from openral_core.skill_requests import PlaceRequest
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.base_motion import plan_base_motion
from openral_sim.motion_primitives.base_pose_selection import (
    Options,
    ReachOption,
    WorkPose,
    move_to_work_pose,
    plan_line,
)
from openral_sim.motion_primitives.context import HeldObject, Move, Running, SkillContext
from openral_sim.motion_primitives.gripper import (
    contact_detected,
    deactivate_weld,
    release_slowly,
    require_held,
)
from openral_sim.motion_primitives.pregrasp import hold_poses_over
from openral_sim.motion_primitives.release import CONFIG as RELEASE
from openral_sim.motion_primitives.release import (
    extent,
    is_round,
    lower_until_supported,
    slip_off,
    wait_until_still,
)
from openral_sim.motion_primitives.retract import retract_hand
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.planning.base_planner import CostToGo
from openral_sim.planning.footprint import ObjectFootprint, lies_free
from openral_sim.planning.furniture_surfaces import FurnitureBounds, FurnitureSurfaces
from openral_sim.planning.inverse_kinematics import IkFailed
from openral_sim.planning.occupancy_grid import RESOLUTION
from openral_sim.planning.placement import find_placements


@dataclass(frozen=True)
class PlaceConfig:
    """Parameters of the skill; lengths in [m]."""

    gap: float = 0.012  # Height of the object above the surface before it is lowered onto it.
    drop: float = 0.12  # Height from which a hand that points down lowers the object.
    # Height from which a level hand lowers the object; it has less room under a shelf.
    level_drop: float = 0.07
    margin: float = 0.05  # Free surface around the object.
    narrow_margin: float = 0.02  # The same on a board or in a drawer where nothing wider is free.
    # Radius that a level hand needs beside other objects; half its width and a margin.
    hand_radius: float = 0.13
    # Length of hand and wrist above the point between the pads when the hand points down.
    wrist_length: float = 0.25
    hand_half_height: float = 0.05  # Half the height of a level hand.
    yaw_step: int = 5  # Step of the yaw with which a long object is tried on a spot in [degrees].
    # Least depth and width of a target whose whole surfaces are searched; a smaller one is an object, on or
    # beside which there may be room.
    min_furniture: float = 0.3
    max_spots: int = 15  # Number of free points on a piece of furniture that are tried.
    max_floor_height: float = 0.04  # Height up to which a free spot is the floor, or a rug on it.
    attempts: int = 5  # Number of base poses from which an arm path is searched.
    # Distance from a point that no arm path led to within which others are not tried.
    avoided_radius: float = 0.15
    reach_speed: float = 0.7  # Fraction of the arm's top speed with the object.
    lower_speed: float = 0.12  # Speed of the hand on the way down in [m/s].
    retract_speed: float = 0.25  # Speed of the emptied hand in [m/s].
    clearance: float = 0.14  # Distance that a level hand retracts from the object.
    reported_offset: float = 0.03  # Distance from the requested point from which the result mentions it.
    max_displacement: float = 0.10  # Largest horizontal distance from the spot after release.
    max_sinking: float = 0.02  # Largest depth below the surface after release; more means that it fell off.
    min_upright: float = 0.94  # Cosine of the largest tilt after release; 20 degrees.


CONFIG = PlaceConfig()


def place(context: SkillContext, request: PlaceRequest) -> Running:
    """Move to a free spot, lower the object until it is supported, release it slowly and retract."""
    held = require_held(context, Verb.PLACE)
    spot, work_pose = yield from bring_over(context, held, request)
    yield from reach_along(
        context,
        work_pose.option.T_map_goal,
        "lowering",
        CONFIG.lower_speed,
        stop=lambda: contact_detected(context),
    )
    yield from lower_until_supported(context, held)
    deactivate_weld(context, context.names.grasp_weld)
    context.held = None
    context.achieved = result = partial(_result, context, held, request, spot)
    yield from release_slowly(context, "letting go")
    yield from wait_until_still(context, held.body, "letting go")
    if held.orientation.is_level:
        yield from slip_off(context, held.body)
    if not held.orientation.is_level:
        back = pregrasp_pose(work_pose.option.T_map_goal, CONFIG.drop)
        yield from reach_along(context, back, "drawing back", CONFIG.retract_speed)
    yield from retract_hand(context, CONFIG.clearance if held.orientation.is_level else 0.0)
    return result()


def bring_over(
    context: SkillContext, held: HeldObject, request: PlaceRequest
) -> Move[tuple[Vector3, WorkPose]]:
    """Bring the object over a free spot, from another base pose if the arm finds no path.

    Raises:
        NotReachable: If there is no free spot, or none can be reached.
        NoArmPath: If the arm found no path from a bounded number of base poses.
        IkFailed: If it cannot lower the object from any of them.
    """
    avoided = list[Vector3]()
    refused: NoArmPath | IkFailed | None = None
    for attempt in range(CONFIG.attempts):
        try:
            spot, work_pose = yield from move_to_free_spot(
                context, held, request, avoided, elsewhere=attempt > 0
            )
        except NotReachable:
            if refused is None:
                raise
            break
        try:
            yield from reach_to(context, work_pose.before, "reaching", CONFIG.reach_speed)
            plan_line(context, context.control.base_pose, context.control.reach_target, work_pose.option)
        except (NoArmPath, IkFailed) as error:
            refused = error
            avoided += [spot] if attempt > 0 else []
            yield Feedback("reaching", 0.0)
        else:
            return spot, work_pose
    assert refused is not None
    raise refused


def move_to_free_spot(
    context: SkillContext,
    held: HeldObject,
    request: PlaceRequest,
    avoided: Sequence[Vector3],
    *,
    elsewhere: bool,
) -> Move[tuple[Vector3, WorkPose]]:
    """Try free spots near the requested point, the nearest first, but for those to be avoided.

    Raises:
        BadRequest: If there is only floor at the requested point; objects are not put on the floor.
        NotReachable: If there is no free spot, or none can be reached.
    """
    requested = np.array(request.target.position)
    spots = free_spots(context, held, request)
    where = ", ".join(f"{value:.2f}" for value in requested)
    if spots and spots[0][2] < CONFIG.max_floor_height:
        raise BadRequest(
            f"PLACE needs a surface, but at ({where}) there is only floor; still holding the {held.label}"
        )
    for spot in spots:
        if any(float(np.linalg.norm(spot - other)) < CONFIG.avoided_radius for other in avoided):
            continue
        try:
            options = _options(context, held, spot)
            work_pose = yield from move_to_work_pose(context, spot, options, "docking", elsewhere=elsewhere)
        except NotReachable:
            continue
        return spot, work_pose
    raise NotReachable(
        f"none of {len(spots)} free spots near ({where}) can be reached with the {held.label}"
        if spots
        else f"no free spot of {_size(context, held)} m for the {held.label} near ({where})"
    )


def free_spots(context: SkillContext, held: HeldObject, request: PlaceRequest) -> list[Vector3]:
    """List free points on a piece of furniture, or near a point of a surface, the best first."""
    requested, size = np.array(request.target.position), np.array(request.size)
    effort = distance_to_floor(plan_base_motion(context))
    footprint = footprint_of(context, held)
    # A level hand comes down beside other objects; the object alone may fit where the hand does not.
    wide = footprint.radius + CONFIG.margin
    discs = {wide} if held.is_downward else {wide, max(wide, CONFIG.hand_radius)}
    if footprint.is_long:
        discs |= {footprint.half_width + CONFIG.margin}
    if not is_furniture(request):
        find = partial(find_placements, context.model, context.data, requested, effort=effort)
        return [spot for disc in sorted(discs, reverse=True) for spot in find(radius=disc)]
    top = float(requested[2] + size[2] / 2)
    furniture = FurnitureBounds(np.append(requested[:2], request.target.yaw), size[:2], top)
    surfaces = FurnitureSurfaces.of(context.model, context.data, furniture, context.own_bodies())
    discs |= {footprint.half_width + CONFIG.narrow_margin}
    spots = surfaces.placements(sorted(discs, reverse=True), headroom(context, held), effort)
    return spots[: CONFIG.max_spots]


def is_furniture(request: PlaceRequest) -> bool:
    """Return True if all surfaces of the target are searched, not those about a point of it."""
    return min(request.size[:2]) >= CONFIG.min_furniture


def footprint_of(context: SkillContext, held: HeldObject) -> ObjectFootprint:
    """Footprint of the held object, upright; a disc's is as wide as it is long."""
    low, high = extent(context.model, held.body)
    footprint = ObjectFootprint(np.abs([low[:2], high[:2]]).max(axis=0))
    return footprint if footprint.is_long else ObjectFootprint(np.full(2, footprint.radius))


def _size(context: SkillContext, held: HeldObject) -> str:
    """Sides of the footprint in [m], in words."""
    footprint = footprint_of(context, held)
    long, short = 2 * footprint.radius, 2 * footprint.half_width
    return f"{long:.2f}" if long == short else f"{long:.2f} x {short:.2f}"


def headroom(context: SkillContext, held: HeldObject) -> float:
    """Free height above a surface that the held object and the hand need in [m]."""
    low, high = extent(context.model, held.body)
    height = float(high[2] - low[2])
    if held.is_downward:
        return max(height, held.above_support + CONFIG.wrist_length) + CONFIG.drop
    return max(height, held.above_support + CONFIG.hand_half_height) + CONFIG.gap + CONFIG.level_drop


def distance_to_floor(field: CostToGo) -> Callable[[Vector2], float]:
    """Return the function from a point to its distance from floor that the base can reach, in [m]."""
    distances = distance_transform_edt(~np.isfinite(field.cost)) * RESOLUTION
    return lambda xy: float(distances[field.grid.cell(xy)])


def _options(context: SkillContext, held: HeldObject, spot: Vector3) -> Options:
    """List ways to hold the object over a spot; a long one may have room there in some directions only."""
    drop = CONFIG.drop if held.is_downward else CONFIG.level_drop
    footprint, above = footprint_of(context, held), headroom(context, held)

    @cache
    def is_free(degrees: int) -> bool:
        points = footprint.points(spot, float(np.radians(degrees)), CONFIG.narrow_margin)
        return lies_free(context.model, context.data, points, float(spot[2]), above, context.own_bodies())

    def with_room(option: ReachOption) -> ReachOption:
        option = replace(option, below=RELEASE.descents[0])
        if not footprint.is_long:
            return option
        R = option.T_map_goal[:3, :3] @ held.T_grasp_body[:3, :3]
        degrees = round(float(np.degrees(np.arctan2(R[1, 0], R[0, 0]))) / CONFIG.yaw_step) * CONFIG.yaw_step
        return replace(option, has_room=is_free(degrees % 180))

    def options(base: PlanarPose) -> Iterator[ReachOption]:
        return map(with_room, hold_poses_over(held, spot, CONFIG.gap, drop, base))

    return options


def _result(context: SkillContext, held: HeldObject, request: PlaceRequest, spot: Vector3) -> SkillResult:
    """Report where the object is now.

    Raises:
        LostObject: If it fell over or off.
    """
    position, up = context.data.xpos[held.body], context.data.xmat[held.body].reshape(3, 3)[2]
    upright = 1.0 if is_round(context.model, held.body) else max(up[2], float(up @ held.up_in_body))
    x, y, z = (float(value) for value in position)
    is_displaced = np.hypot(x - spot[0], y - spot[1]) > CONFIG.max_displacement
    if is_displaced or z < spot[2] - CONFIG.max_sinking or upright < CONFIG.min_upright:
        where = f"({x:.2f}, {y:.2f}, {z:.2f})"
        raise LostObject(f"the {held.label} did not stay where it was placed; it is now at {where}")
    offset = float(np.linalg.norm(spot[:2] - request.target.position[:2]))
    message = f"placed the {held.label}"
    if is_furniture(request):
        message += f" at a height of {spot[2]:.2f} m"
    elif offset > CONFIG.reported_offset:
        message += f" at the nearest free spot, {offset:.2f} m from the requested point"
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = context.data.xmat[held.body].reshape(3, 3), position
    evidence: dict[str, ParamValue] = {"pose": Pose.from_matrix(T), "x": x, "y": y, "z": z}
    return SkillResult(SkillStatus.SUCCEEDED, message, evidence)
