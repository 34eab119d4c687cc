"""What is wrong with a scene: things that fell, that stick in each other, that nobody can see or reach."""

from collections.abc import Iterator

import mujoco
import numpy as np

from openral_sim.homes.hiding import Whereabouts, whereabouts
from openral_sim.homes.reaching import unreachable_places
from openral_sim.homes.seeing import seen_share
from openral_sim.scenes import Scene
from openral_sim.world import World

_DEEP = 0.003
_MOVED = 0.005
_FAR = 0.03
_WATCHED = 1.0
_VISIBLE = 0.15


def problems_of(scene: Scene, seed: int) -> Iterator[str]:
    """Every problem in words, none for a sound scene."""
    world = World.load(scene, seed)
    yield from _interpenetrations(world)
    yield from _not_where_put(world)
    for place in unreachable_places(scene):
        yield f"place '{place.id}' cannot be reached"
    for thing in whereabouts(scene):
        yield from _sight(world, thing)
    yield from _restless(world)


def _interpenetrations(world: World) -> Iterator[str]:
    for contact in world.data.contact:
        if contact.dist < -_DEEP:
            first, second = (world.model.geom(int(geom)).name for geom in contact.geom)
            yield f"'{first}' sticks {-1000 * contact.dist:.0f} mm in '{second}'"


def _not_where_put(world: World) -> Iterator[str]:
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


def _sight(world: World, thing: Whereabouts) -> Iterator[str]:
    """A thing must be seen from some place, unless it is hidden: then from none."""
    share = seen_share(world, thing.id)
    if thing.hidden_in and share > 0.0:
        yield f"'{thing.id}' is in '{thing.hidden_in}' and can be seen although that is shut"
    if not thing.hidden_in and share < _VISIBLE:
        yield f"'{thing.id}' on '{thing.fixture}' can be seen from no place"


def _restless(world: World) -> Iterator[str]:
    """What still moves once the world has begun."""
    before = {item.id: world.T_world(item.body)[:3, 3] for item in world.objects.values()}
    mujoco.mj_step(world.model, world.data, round(_WATCHED / world.model.opt.timestep))
    for item in world.objects.values():
        moved = float(np.linalg.norm(world.T_world(item.body)[:3, 3] - before[item.id]))
        if moved > _MOVED:
            yield f"'{item.id}' moves {1000 * moved:.0f} mm within {_WATCHED:.0f} s"
