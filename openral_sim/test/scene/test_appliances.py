import numpy as np
import pytest

from openral_sim.assets.furniture.builder import FurnitureAppliance
from openral_sim.rendering.camera import free_camera
from openral_sim.rendering.renderer import SceneView
from openral_sim.scene.appliances import UnknownAppliance
from openral_sim.scene.world import SimWorldModel

ACROSS_THE_LIVING_ROOM = ((8.3, 3.0, 1.0), 60.0, -20.0, 3.2)


def part(world: SimWorldModel, name: str) -> FurnitureAppliance:
    parts = (part for item in world.furniture.values() for part in item.appliances)
    return next(part for part in parts if part.appliance.id == name)


def push(world: SimWorldModel, name: str, force: float, seconds: float = 0.3) -> None:
    """Turn or slide a control with a torque [N m] or force [N], then let go of it."""
    dof = world.model.joint(part(world, name).joint).dofadr[0]
    for _ in range(round(seconds / 0.02)):
        detent = world.data.qfrc_applied[dof]
        world.data.qfrc_applied[dof] = detent + force
        world.step(0.02)
        if world.data.qfrc_applied[dof] == detent + force:
            world.data.qfrc_applied[dof] = detent
    world.data.qfrc_applied[dof] = 0.0
    world.step(0.3)


def image(world: SimWorldModel) -> np.ndarray:
    view = SceneView(world.model, 320, 240, shadows=False)
    view.update(world.data, free_camera(*ACROSS_THE_LIVING_ROOM))
    rgb, _ = view.render()
    view.close()
    return rgb.astype(float)


def test_a_switch_stays_where_it_is_pressed(world: SimWorldModel) -> None:
    assert not world.appliances.is_on("floor_lamp")
    push(world, "floor_lamp", 0.1)
    assert world.appliances.is_on("floor_lamp")
    world.step(20.0)
    assert world.appliances.is_on("floor_lamp")
    push(world, "floor_lamp", -0.1)
    assert not world.appliances.is_on("floor_lamp")


def test_a_button_springs_back_and_changes_over_with_each_press(world: SimWorldModel) -> None:
    joint = part(world, "tv").joint
    for on in (True, False, True):
        push(world, "tv", 8.0)
        assert world.appliances.is_on("tv") is on
        assert world.data.joint(joint).qpos[0] < 0.001


def test_a_touch_changes_nothing(world: SimWorldModel) -> None:
    push(world, "tv", 1.0)
    push(world, "floor_lamp", 0.01)
    assert not any(map(world.appliances.is_on, world.appliances.ids))


def test_a_lamp_lights_the_room_and_a_screen_shows_a_picture(world: SimWorldModel) -> None:
    dark = image(world)
    world.appliances.set_on(world.data, "tv", True)
    screen = image(world)
    changed = np.abs(screen - dark).max(axis=2) > 30
    assert 0.01 < changed.mean() < 0.2
    world.appliances.set_on(world.data, "floor_lamp", True)
    assert (image(world) - screen).mean() > 5.0
    for name in world.appliances.ids:
        world.appliances.set_on(world.data, name, False)
    assert np.array_equal(image(world), dark)


def test_an_unknown_appliance_is_refused_naming_the_valid_ones(world: SimWorldModel) -> None:
    with pytest.raises(UnknownAppliance, match=r"'kettle'.*'floor_lamp'"):
        world.appliances.is_on("kettle")
