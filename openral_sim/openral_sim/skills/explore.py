"""EXPLORE: drive from view to view and look around until no unknown floor worth the way is left."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from openral_core.arrays import Mask
from openral_core.floor_map import FloorMap
from openral_core.skill_errors import BadRequest, Blocked, TookTooLong
from openral_core.skill_requests import ExploreRequest
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus
from openral_mapping.floor.exploration import Exploration, LookAround, explore
from openral_sim.motion_primitives.base_motion import plan_base_motion
from openral_sim.motion_primitives.context import Move, Running, SkillContext
from openral_sim.motion_primitives.driving import drive_to
from openral_sim.motion_primitives.looking import MAPS, look_into, newer_map
from openral_sim.motion_primitives.retract import stow_arm
from openral_sim.planning.base_planner import NoBasePath
from openral_sim.planning.perceived_floor import PerceivedFloor


@dataclass(frozen=True)
class LookConfig:
    """Parameters of a look around."""

    # Tilts of the head at each bearing in [rad]: the floor from 1.3 m on, and from 0.2 m to 2.4 m.
    tilts: tuple[float, ...] = (0.35, 1.0)
    # Time at each in [s]: four images at 5 Hz, which the mapper needs to leave no cell out.
    dwell: float = 0.8
    time_limit: float = 500.0  # Time after which no further view is taken in [s].


LOOK = LookConfig()


def explore_floor(context: SkillContext, request: ExploreRequest) -> Running:
    """Take the best view again and again; each feedback's progress is the share of the floor that was seen.

    A view that cannot be reached, or where something stops the base, is passed over.

    Raises:
        BadRequest: If the base does not plan on the perceived floor.
        NoFloorMap: If no map has come.
    """
    floor = context.perceived
    if floor is None:
        raise BadRequest(
            "EXPLORE fills the map on which the base plans: set the parameter 'floor' to 'perceived'"
        )
    floor.map()
    yield from stow_arm(context, "folding the arm")
    began, views, problem = float(context.data.time), list[LookAround](), ""
    while True:
        step = next_step(context, floor, views, request)
        late = float(context.data.time) - began > LOOK.time_limit
        if step.view is None or late or 0 < request.views <= len(views):
            return result_of(step, views, problem)
        views.append(step.view)
        try:
            for feedback in take(context, floor, step.view):
                yield Feedback(feedback.stage, step.share)
        except (NoBasePath, Blocked, TookTooLong) as error:
            problem = str(error)


def next_step(
    context: SkillContext, floor: PerceivedFloor, views: Sequence[LookAround], request: ExploreRequest
) -> Exploration:
    """Choose the next view from where the base is; the nearest known floor first if no floor of a room is."""
    x, y, _ = context.control.base_pose
    newest, base = floor.map(), (float(x), float(y))
    step = explore(newest, base, views, floor_within(newest, request))
    if request.room is None or step.view is not None or step.share > 0.0:
        return step
    return replace(step, view=explore(newest, base, views).view)


def floor_within(floor: FloorMap, request: ExploreRequest) -> Mask | None:
    """Select the cells of the requested room, shape (H, W); None for all."""
    if request.room is None:
        return None
    cells = floor.centres(*np.indices(floor.cells.shape).reshape(2, -1))
    centre, yaw = np.array(request.room.position[:2]), request.room.yaw
    along = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    offset = np.abs((cells - centre) @ along) - np.array(request.size) / 2.0
    inside: Mask = np.asarray(offset.max(axis=1) <= 0.0)
    return inside.reshape(floor.cells.shape)


def result_of(step: Exploration, views: Sequence[LookAround], problem: str) -> SkillResult:
    """Report what was seen, and the last problem on the way to a view; TIMEOUT if views are left."""
    evidence: dict[str, ParamValue] = {"seen": round(step.share, 3), "views": len(views)}
    evidence |= {"problem": problem} if problem else {}
    summary = f"saw about {step.share:.0%} of the reachable floor from {len(views)} places"
    if step.view is None:
        return SkillResult(SkillStatus.SUCCEEDED, f"{summary}; no place promises more", evidence)
    x, y = step.view.at
    return SkillResult(SkillStatus.TIMEOUT, f"{summary}; next would be ({x:.2f}, {y:.2f})", evidence)


def take(context: SkillContext, floor: PerceivedFloor, view: LookAround) -> Move[None]:
    """Drive to a view, look into each of its directions, and wait for the map that shows what was seen."""
    if view.way > 0.0:
        x, y, yaw = context.control.base_pose
        heading = np.arctan2(view.at[1] - y, view.at[0] - x)
        context.control.point_head(0.0, LOOK.tilts[0])
        yield from drive_to(context, np.array([*view.at, heading]), plan_base_motion(context), "driving")
    yaw = float(context.control.base_pose[2])
    for bearing in sorted(view.bearings, key=lambda bearing: (bearing - yaw) % (2.0 * np.pi)):
        for tilt in LOOK.tilts:
            yield from look_into(context, bearing, tilt, LOOK.dwell)
    for _ in range(MAPS):
        yield from newer_map(floor)
