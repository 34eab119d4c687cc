"""What is wrong with a scene: things that fell, that stick in each other, that nobody can see or reach."""
# MERGED Whether the robot can get everywhere it has to in a home.
# MERGED What can be seen of a thing from where the robot stands, told by rays.

from collections.abc import Iterator

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.home_map import Place
from openral_sim.motion_primitives.base_motion import CLEARANCE_HOLDING
from openral_sim.planning.base_planner import CostToGo, NoBasePath, plan_from
from openral_sim.planning.occupancy_grid import rasterise
from openral_sim.procedural.object_placement import Whereabouts, whereabouts
from openral_sim.robot.model import HEAD_HEIGHT
from openral_sim.scene.compose import compose
from openral_sim.scene.scene import Scene
from openral_sim.world import SimWorldModel


def can_be_lived_in(scene: Scene) -> bool:
    """Whether every place can be reached from the robot's start with something in the hand."""
    return not list(unreachable_places(scene))


def unreachable_places(scene: Scene) -> Iterator[Place]:
    """The places no way leads to."""
    field = _ways(scene)
    for place in scene.home.places:
        at = np.array([place.pose.x, place.pose.y])
        if field is None or not np.isfinite(field.cost_at(at)):
            yield place


def _ways(scene: Scene) -> CostToGo | None:
    """Ways over the floor of the home with its doors shut; None if the robot stands too tightly."""
    empty = Scene(scene.document.model_copy(update={"objects": ()}), scene.home)
    model = compose(empty, 0, None).spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    start = np.array([scene.document.robot.x, scene.document.robot.y])
    try:
        return plan_from(rasterise(model, data, frozenset()), start, CLEARANCE_HOLDING)
    except NoBasePath:
        return None


_FARTHEST = 3.2
_STEPS = (-0.35, 0.0, 0.35)
_OFFSETS = np.array(np.meshgrid(_STEPS, _STEPS, _STEPS)).reshape(3, -1).T
_ALL_GROUPS = None


def visible_share_from(world: SimWorldModel, thing: str) -> float:
    """The share of a thing that is seen from the best of the places, in [0, 1]."""
    return max((_seen_from(world, place, thing) for place in world.places.values()), default=0.0)


def _seen_from(world: SimWorldModel, place: Place, thing: str) -> float:
    """The share of points in a thing that the head would see something of it towards."""
    item = world.objects[thing]
    T = world.T_world(item.body)
    eye = np.array([place.pose.x, place.pose.y, HEAD_HEIGHT])
    if float(np.linalg.norm(T[:3, 3] - eye)) > _FARTHEST:
        return 0.0
    points = T[:3, 3] + (_OFFSETS * item.size) @ T[:3, :3].T
    return float(np.mean([_hits(world, eye, point, world.model.body(item.body).id) for point in points]))


def _hits(world: SimWorldModel, eye: NDArray[np.float64], point: NDArray[np.float64], body: int) -> bool:
    geom = np.full(1, -1, dtype=np.int32)
    mujoco.mj_ray(world.model, world.data, eye, point - eye, _ALL_GROUPS, 1, -1, geom)
    return int(geom[0]) >= 0 and int(world.model.geom_bodyid[geom[0]]) == body


_DEEP = 0.003
_MOVED = 0.005
_FAR = 0.03
_WATCHED = 1.0
_VISIBLE = 0.15


def problems_of(scene: Scene, seed: int) -> Iterator[str]:
    """Every problem in words, none for a sound scene."""
    world = SimWorldModel.load(scene, seed)
    yield from _interpenetrations(world)
    yield from _not_where_put(world)
    for place in unreachable_places(scene):
        yield f"place '{place.id}' cannot be reached"
    for thing in whereabouts(scene):
        yield from _sight(world, thing)
    yield from _restless(world)


def _interpenetrations(world: SimWorldModel) -> Iterator[str]:
    for contact in world.data.contact:
        if contact.dist < -_DEEP:
            first, second = (world.model.geom(int(geom)).name for geom in contact.geom)
            yield f"'{first}' sticks {-1000 * contact.dist:.0f} mm in '{second}'"


def _not_where_put(world: SimWorldModel) -> Iterator[str]:
    """Things that do not rest on what they were put on."""
    for placement in world.scene.document.objects:
        fixture, surface = world.scene.spot(placement)
        item = world.objects[placement.id]
        height = float(world.T_world(item.body)[2, 3])
        if abs(height - surface.z - item.size[2] / 2) > _FAR:
            yield f"'{placement.id}' lies at {height:.2f} m, not on '{fixture.id}' at {surface.z:.2f} m"
        support = world.support_of(placement.id)
        if support != fixture.id:
            yield f"'{placement.id}' was put on '{fixture.id}' and rests on {support or 'nothing'}"


def _sight(world: SimWorldModel, thing: Whereabouts) -> Iterator[str]:
    """A thing must be seen from some place, unless it is hidden: then from none."""
    share = visible_share_from(world, thing.id)
    if thing.hidden_in and share > 0.0:
        yield f"'{thing.id}' is in '{thing.hidden_in}' and can be seen although that is shut"
    if not thing.hidden_in and share < _VISIBLE:
        yield f"'{thing.id}' on '{thing.fixture}' can be seen from no place"


def _restless(world: SimWorldModel) -> Iterator[str]:
    """What still moves once the world has begun."""
    before = {item.id: world.T_world(item.body)[:3, 3] for item in world.objects.values()}
    mujoco.mj_step(world.model, world.data, round(_WATCHED / world.model.opt.timestep))
    for item in world.objects.values():
        moved = float(np.linalg.norm(world.T_world(item.body)[:3, 3] - before[item.id]))
        if moved > _MOVED:
            yield f"'{item.id}' moves {1000 * moved:.0f} mm within {_WATCHED:.0f} s"
