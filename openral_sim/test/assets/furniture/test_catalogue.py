import mujoco
import numpy as np
import pytest

from openral_core.home_map import Fixture, Pose2, Surface
from openral_sim.assets.furniture.builder import FurnitureBuilder, FurnitureDoor, FurnitureStyle
from openral_sim.assets.furniture.catalogue import FURNITURE_KINDS, UnknownFurnitureKind, build_fixture
from openral_sim.assets.furniture.doors import NotAContainer
from openral_sim.scene.entities import WorldFurniture
from openral_sim.scene.scene import Scene
from openral_sim.scene.world import SimWorldModel


def bare(kind: str) -> FurnitureBuilder:
    fixture = Fixture(id="f", kind=kind, name="f", room="r", pose=Pose2(x=0, y=0), depth=1, width=1, height=1)
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="furniture/f")
    return FurnitureBuilder(spec, body, fixture, FurnitureStyle(main="oak", accent="steel"))


def test_an_unknown_kind_is_refused_naming_the_valid_ones() -> None:
    with pytest.raises(UnknownFurnitureKind, match=r"'throne'.*fridge"):
        build_fixture(bare("throne"))


@pytest.mark.parametrize("kind", ["fridge", "cabinet", "shelf"])
def test_a_hollow_kind_needs_a_container(kind: str) -> None:
    with pytest.raises(NotAContainer, match="needs a `container`"):
        build_fixture(bare(kind))


def test_the_home_is_of_known_kinds(scene: Scene) -> None:
    assert {fixture.kind for fixture in scene.home.fixtures} <= set(FURNITURE_KINDS)


def test_every_surface_of_the_map_is_really_there(still_world: SimWorldModel) -> None:
    for fixture in still_world.furniture.values():
        for surface in fixture.surfaces:
            assert height_below(still_world, fixture, surface, 0.05) == pytest.approx(surface.z, abs=0.002)


def height_below(world: SimWorldModel, fixture: WorldFurniture, surface: Surface, drop: float) -> float:
    """Return the height under a corner of a surface that is free of objects [m]."""
    x, y = fixture.pose.to_parent(surface.area.min[0] + 0.02, surface.area.max[1] - 0.01)
    hit = np.zeros(1, dtype=np.int32)
    start = np.array([x, y, surface.z + drop])
    distance = mujoco.mj_ray(world.model, world.data, start, np.array([0, 0, -1.0]), None, 1, -1, hit)
    return start[2] - distance


def test_parts_stay_within_the_fixture(still_world: SimWorldModel) -> None:
    """Only a handle or a splashback may stand out."""
    for fixture in still_world.furniture.values():
        handles = {name for door in fixture.doors for name in door.handle_geoms}
        for name in set(fixture.geoms) - handles:
            geom = still_world.model.geom(name)
            centre = still_world.data.geom(name).xpos
            x, y = fixture.pose.to_local(centre[0], centre[1])
            assert fixture.footprint.contains(x, y, margin=-0.06), (name, x, y)
            assert geom.size.min() >= 0


@pytest.mark.parametrize("container", ["fridge", "cabinet"])
def test_a_door_swings_freely_both_ways(world: SimWorldModel, container: str) -> None:
    door = world.furniture[container].doors[0]
    world.data.joint(door.joint).qvel[0] = 2.0
    world.step(1.5)
    opened = world.door_opening(container)
    assert 0.05 < opened < 0.95
    world.step(1.0)
    assert world.door_opening(container) == pytest.approx(opened, abs=0.01), "it stays where it was left"


@pytest.mark.parametrize("container", ["fridge", "cabinet"])
def test_an_opened_handle_is_in_front_of_where_it_was(world: SimWorldModel, container: str) -> None:
    fixture = world.furniture[container]
    door = fixture.doors[0]
    shut = local_x(world, fixture, door)
    world.data.joint(door.joint).qpos[0] = door.travel
    mujoco.mj_forward(world.model, world.data)
    assert local_x(world, fixture, door) > shut + 0.3


def local_x(world: SimWorldModel, fixture: WorldFurniture, door: FurnitureDoor) -> float:
    return fixture.pose.to_local(*world.data.site(door.handle_site).xpos[:2])[0]
