"""Driving to a place: around what newer maps show, and waiting for what stands in the way to leave."""

from dataclasses import dataclass

import numpy as np

from openral_core.arrays import PlanarPose, Points, Vector2
from openral_core.obstructions import OBSTACLE
from openral_core.skill_errors import Blocked
from openral_core.skills import Feedback
from openral_sim.motion_primitives.base_motion import (
    CONFIG,
    PathFollower,
    brake_base,
    floor_now,
    follow_path,
    people_at,
    plan_base_motion,
)
from openral_sim.motion_primitives.context import CONTROL_PERIOD, Move, SkillContext
from openral_sim.motion_primitives.head import aim, face
from openral_sim.planning.base_planner import CostToGo, NoBasePath, is_line_free
from openral_sim.planning.occupancy_grid import RESOLUTION, SimOccupancyGrid

WAITING = "waiting for the way to clear"
LOOKING_AGAIN = "looking again at what blocks the way"


@dataclass(frozen=True)
class PeopleAvoidanceConfig:
    """Parameters of driving among people, in [m] and [s]."""

    # Distance of the way ahead from a person at which the base stops; the envelope's and 3 cm.
    least: float = 0.53
    ahead: float = 1.0  # Length of the way ahead that is watched; the base brakes within a third of it.
    in_way: float = 0.75  # Distance from a way within which a person obstructs it.
    look_from: float = 1.3  # Distance from a person to wait at.
    # Heights to look at in turn, so that the camera sees through all of where they stood.
    heights: tuple[float, ...] = (0.4, 1.2)
    look_period: float = 2.5  # Time at each; the mapper forgets what has left after nine images at 5 Hz.
    patience: float = 20.0  # Longest wait for one person.
    check_period: float = 0.5  # Time between two plans while waiting.


PEOPLE = PeopleAvoidanceConfig()


class WayNotCleared(Blocked):
    """The safety scanner keeps the base away from what stands in the only way, and it has not left in time.

    Who or what it is, memory tells; see `openral_core.surroundings`.
    """

    def __init__(self, base: PlanarPose, met: Vector2) -> None:
        super().__init__(
            f"the way at ({met[0]:.2f}, {met[1]:.2f}) did not clear within {PEOPLE.patience:.0f} s"
        )
        at = {f"{OBSTACLE}_x": float(met[0]), f"{OBSTACLE}_y": float(met[1])}
        self.evidence = {"x": float(base[0]), "y": float(base[1]), **at}


class ObstacleAppeared(Blocked):
    """Newer maps show obstacles on every way."""

    def __init__(self, base: PlanarPose, reason: str) -> None:
        super().__init__(reason)
        self.evidence = {"x": float(base[0]), "y": float(base[1])}


def drive_to(context: SkillContext, goal: PlanarPose, field: CostToGo, stage: str) -> Move[None]:
    """Drive along the least-cost path to a pose (x, y, yaw) in map, shape (3,).

    Where a newer map shows an obstacle on the way, or a person comes onto it, another path is planned; if
    people alone leave none, the base waits for them.

    Raises:
        NoBasePath: If no path leads there.
        WayNotCleared: If a person does not leave the only way.
        Blocked: If the base cannot move, or newer maps leave it no way.
        TookTooLong: If it does not arrive within its time limit.
    """
    path = field.path_to(goal[:2])
    for _ in range(1 + CONFIG.max_replans):
        watch = _WayWatch(context, field.grid)
        follower = PathFollower(path, float(goal[2]), context.robot.description.base.limits)
        yield from follow_path(context, follower, stage, watch.must_stop)
        if not watch.has_obstacle:
            return
        yield from brake_base(context.control)
        try:
            field = plan_base_motion(context)
            path = field.path_to(goal[:2])
        except NoBasePath as error:
            if person_in_way(context, goal[:2], 0.0) is None:
                reason = f"a newer map shows an obstacle on the way, and {error}"
                raise ObstacleAppeared(context.control.base_pose, reason) from error
            field = yield from wait_for_way(context, goal[:2], 0.0)
            path = field.path_to(goal[:2])
    reason = f"obstacles or people appeared on {1 + CONFIG.max_replans} paths in a row"
    raise ObstacleAppeared(context.control.base_pose, reason)


def person_in_way(context: SkillContext, goal: Vector2, within: float) -> tuple[Vector2, Points] | None:
    """Return the person who alone keeps the base from a goal, and the path that is else free.

    Args:
        goal: In map in [m], shape (2,).
        within: Largest distance from the goal that counts as reached in [m].

    Returns:
        Position of the person, shape (2,), and waypoints, shape (N, 2); None if none could free the way.
    """
    people = list(people_at(context))
    if not people:
        return None
    field = plan_base_motion(context, with_people=False)
    at = field.nearest_reachable(goal, within)
    if not np.isfinite(at).all():
        return None
    path = field.path_to(at)
    ways = PathFollower(path, 0.0).ahead(RESOLUTION)
    distances = [float(np.linalg.norm(ways - person, axis=1).min()) for person in people]
    nearest = int(np.argmin(distances))
    return (people[nearest], path) if distances[nearest] < PEOPLE.in_way else None


def wait_for_way(context: SkillContext, goal: Vector2, within: float) -> Move[CostToGo]:
    """Drive up to the person in the way, look at them, and wait until a path leads to the goal.

    Raises:
        WayNotCleared: If they do not leave in time.
    """
    blockage = person_in_way(context, goal, within)
    if blockage is None:
        return plan_base_motion(context)
    person, path = blockage
    yield from _come_near(context, person, path)
    yield from face(context, np.array([*person, PEOPLE.heights[0]]), WAITING)
    checks, looks = (round(each / CONTROL_PERIOD) for each in (PEOPLE.check_period, PEOPLE.look_period))
    for period in range(round(PEOPLE.patience / CONTROL_PERIOD)):
        if period % looks == 0:
            height = PEOPLE.heights[period // looks % len(PEOPLE.heights)]
            yield from aim(context, np.array([*person, height]), WAITING)
        if period % checks == 0:
            field = plan_base_motion(context)
            if np.isfinite(field.nearest_reachable(goal, within)).all():
                return field
        yield Feedback(WAITING, 0.5)
    raise WayNotCleared(context.control.base_pose, person)


def _come_near(context: SkillContext, person: Vector2, path: Points) -> Move[None]:
    """Drive along a path up to where the person can be seen from a polite distance."""
    ways = PathFollower(path, 0.0).ahead(RESOLUTION)
    near = np.flatnonzero(np.linalg.norm(ways - person, axis=1) < PEOPLE.look_from)
    viewpoint = ways[max(int(near[0]) - 1, 0)] if len(near) else ways[-1]
    field = plan_base_motion(context)
    yield from _drive_up(
        context, field, field.nearest_reachable(viewpoint, PEOPLE.look_from), person, WAITING
    )


def look_again(context: SkillContext, obstacle: Vector2, goal: Vector2, within: float) -> Move[CostToGo]:
    """Drive to where an obstacle of the map is in view, and look at it until the map shows a way, or twice.

    Args:
        obstacle: Position of what may have left since it was seen, in map in [m], shape (2,).
        goal: In map in [m], shape (2,).
        within: Largest distance from the goal that counts as reached in [m].
    """
    field = plan_base_motion(context)
    yield from _drive_up(context, field, _viewpoint(field, obstacle), obstacle, LOOKING_AGAIN)
    yield from face(context, np.array([*obstacle, PEOPLE.heights[0]]), LOOKING_AGAIN)
    checks = round(PEOPLE.check_period / CONTROL_PERIOD)
    for height in 2 * PEOPLE.heights:
        yield from aim(context, np.array([*obstacle, height]), LOOKING_AGAIN)
        for period in range(round(PEOPLE.look_period / CONTROL_PERIOD)):
            if period % checks == 0:
                field = plan_base_motion(context)
                if np.isfinite(field.nearest_reachable(goal, within)).all():
                    return field
            yield Feedback(LOOKING_AGAIN, 0.5)
    return field


def _viewpoint(field: CostToGo, obstacle: Vector2) -> Vector2:
    """Return the nearest floor from where nothing hides an obstacle, else the reachable floor next to it."""
    cells = np.argwhere(np.isfinite(field.cost))
    places = field.grid.point(cells)
    away = np.linalg.norm(places - obstacle, axis=1)
    near = (away >= PEOPLE.look_from / 2) & (away <= PEOPLE.look_from)
    order = np.argsort(field.cost[tuple(cells[near].T)])
    for place in places[near][order]:
        end = obstacle + PEOPLE.least * (place - obstacle) / float(np.linalg.norm(place - obstacle))
        if is_line_free(field.grid, place, end, RESOLUTION):
            return np.array(place, float)
    return np.array(places[int(away.argmin())], float)


def _drive_up(
    context: SkillContext, field: CostToGo, at: Vector2, towards: Vector2, stage: str
) -> Move[None]:
    """Drive to reachable floor and face a point from there, unless the base is there already."""
    if not float(np.linalg.norm(at - context.control.base_pose[:2])) >= 2 * RESOLUTION:
        return
    limits = context.robot.description.base.limits
    follower = PathFollower(field.path_to(at), float(np.arctan2(*(towards - at)[::-1])), limits)
    yield from follow_path(context, follower, stage, _WayWatch(context, field.grid).must_stop)
    yield from brake_base(context.control)


class _WayWatch:
    """Detect that a newer map shows an obstacle on a path that was free, or that a person comes onto it.

    From a person who is near already the base may leave.
    """

    def __init__(self, context: SkillContext, planned: SimOccupancyGrid) -> None:
        self._context, self._planned = context, planned
        self._checked_map = context.perceived and context.perceived.latest
        self.has_obstacle = False

    def must_stop(self, follower: PathFollower) -> bool:
        """Check the rest of the path if a newer map has come, and its next metre for people."""
        latest = self._context.perceived and self._context.perceived.latest
        ahead = follower.ahead(RESOLUTION / 2)
        if latest is not self._checked_map:
            self._checked_map = latest
            now = floor_now(self._context).clearance_along(ahead)
            radius = self._context.robot.description.base.radius
            self.has_obstacle = bool(
                ((now < radius) & (self._planned.clearance_along(ahead) >= radius)).any()
            )
        near = ahead[: round(2 * PEOPLE.ahead / RESOLUTION)]
        self.has_obstacle = self.has_obstacle or any(
            self._comes_onto(near, each) for each in people_at(self._context)
        )
        return self.has_obstacle

    def _comes_onto(self, ahead: Points, person: Vector2) -> bool:
        nearest = float(np.linalg.norm(ahead - person, axis=1).min(initial=np.inf))
        here = float(np.linalg.norm(self._context.control.base_pose[:2] - person))
        return nearest < min(PEOPLE.least, here)
