"""Validation of a scene: objects that fell, interpenetrate, move, or cannot be seen, and unreachable places.

Reachability is checked with the base planner and closed doors, visibility with rays from the robot's head.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.home_map import Place
from openral_sim.planning.base_planner import CostToGo, NoBasePath, plan_from
from openral_sim.planning.occupancy_grid import rasterise
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.compose import compose
from openral_sim.scene.object_locations import ObjectLocation, object_locations
from openral_sim.scene.scene import Scene
from openral_sim.scene.world import SimWorldModel


@dataclass(frozen=True)
class ValidationLimits:
    """Limits beyond which a scene has a problem."""

    penetration: float = 0.003  # Depth of contact between two geoms [m].
    displacement: float = 0.03  # Difference between an object's height and that of its surface [m].
    motion: float = 0.005  # Distance an object may move after loading [m].
    motion_time: float = 1.0  # Simulated time over which its motion is observed [s].
    # Smallest fraction of an object in the open that must be visible from some place [-].
    visible_fraction: float = 0.15
    view_distance: float = 3.2  # Largest distance from the head at which an object counts as visible [m].


LIMITS = ValidationLimits()
_STEPS = (-0.35, 0.0, 0.35)
"""Offsets of the points to cast rays at along each axis, as fractions of an object's size [-]."""
_RAY_TARGETS = np.array(np.meshgrid(_STEPS, _STEPS, _STEPS)).reshape(3, -1).T
_ALL_GROUPS = None


def find_problems(scene: Scene, seed: int) -> Iterator[str]:
    """Yield every problem of a scene as a sentence; none for a valid scene."""
    world = SimWorldModel.load(scene, seed)
    yield from interpenetrations(world)
    yield from displaced_objects(world)
    for place in unreachable_places(scene):
        yield f"place '{place.id}' cannot be reached"
    for location in object_locations(scene):
        yield from visibility_problems(world, location)
    yield from moving_objects(world)


def all_places_reachable(scene: Scene) -> bool:
    """Return True if the robot, holding an object, can reach every place from its start."""
    return not list(unreachable_places(scene))


def unreachable_places(scene: Scene) -> Iterator[Place]:
    """Yield the places to which there is no path."""
    field = _cost_to_go(scene)
    for place in scene.home.places:
        at = np.array([place.pose.x, place.pose.y])
        if field is None or not np.isfinite(field.cost_at(at)):
            yield place


def _cost_to_go(scene: Scene) -> CostToGo | None:
    """Plan from the robot's start with the doors closed; None if the start is not free."""
    empty = Scene(scene.document.model_copy(update={"objects": ()}), scene.home)
    model = compose(empty, 0, None).spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    start = np.array([scene.document.robot.x, scene.document.robot.y])
    clearance = load_sim_robot().description.base.clearance_holding
    try:
        return plan_from(rasterise(model, data, frozenset()), start, clearance)
    except NoBasePath:
        return None


def visible_fraction(world: SimWorldModel, object_id: str) -> float:
    """Return the fraction of an object that is visible from the best of the places, in [0, 1]."""
    return max(
        (visible_fraction_from(world, place, object_id) for place in world.places.values()), default=0.0
    )


def visible_fraction_from(world: SimWorldModel, place: Place, object_id: str) -> float:
    """Return the fraction of rays from the head at a place that hit the object first."""
    item = world.objects[object_id]
    T = world.T_world(item.body)
    eye = np.array([place.pose.x, place.pose.y, load_sim_robot().head.height])
    if float(np.linalg.norm(T[:3, 3] - eye)) > LIMITS.view_distance:
        return 0.0
    points = T[:3, 3] + (_RAY_TARGETS * item.size) @ T[:3, :3].T
    return float(np.mean([_hits(world, eye, point, world.model.body(item.body).id) for point in points]))


def _hits(world: SimWorldModel, eye: NDArray[np.float64], point: NDArray[np.float64], body: int) -> bool:
    geom = np.full(1, -1, dtype=np.int32)
    mujoco.mj_ray(world.model, world.data, eye, point - eye, _ALL_GROUPS, 1, -1, geom)
    return int(geom[0]) >= 0 and int(world.model.geom_bodyid[geom[0]]) == body


def interpenetrations(world: SimWorldModel) -> Iterator[str]:
    """Yield the contacts that are too deep."""
    for contact in world.data.contact:
        if contact.dist < -LIMITS.penetration:
            first, second = (world.model.geom(int(geom)).name for geom in contact.geom)
            yield f"'{first}' penetrates '{second}' by {-1000 * contact.dist:.0f} mm"


def displaced_objects(world: SimWorldModel) -> Iterator[str]:
    """Yield the objects that do not rest on the surface where they were placed."""
    for placement in world.scene.document.objects:
        fixture, surface = world.scene.spot(placement)
        item = world.objects[placement.id]
        height = float(world.T_world(item.body)[2, 3])
        if abs(height - surface.z - item.size[2] / 2) > LIMITS.displacement:
            yield f"'{placement.id}' lies at {height:.2f} m, not on '{fixture.id}' at {surface.z:.2f} m"
        support = world.support_of(placement.id)
        if support != fixture.id:
            yield f"'{placement.id}' was placed on '{fixture.id}' but rests on {support or 'nothing'}"


def visibility_problems(world: SimWorldModel, location: ObjectLocation) -> Iterator[str]:
    """Check that an object in the open is visible from some place, and a hidden one from none."""
    fraction = visible_fraction(world, location.id)
    if location.hidden_in and fraction > 0.0:
        yield f"'{location.id}' is visible although '{location.hidden_in}' is closed"
    if not location.hidden_in and fraction < LIMITS.visible_fraction:
        yield f"'{location.id}' on '{location.fixture}' is not visible from any place"


def moving_objects(world: SimWorldModel) -> Iterator[str]:
    """Yield the objects that do not stay at rest."""
    before = {item.id: world.T_world(item.body)[:3, 3] for item in world.objects.values()}
    mujoco.mj_step(world.model, world.data, round(LIMITS.motion_time / world.model.opt.timestep))
    for item in world.objects.values():
        moved = float(np.linalg.norm(world.T_world(item.body)[:3, 3] - before[item.id]))
        if moved > LIMITS.motion:
            yield f"'{item.id}' moves {1000 * moved:.0f} mm within {LIMITS.motion_time:.0f} s"
