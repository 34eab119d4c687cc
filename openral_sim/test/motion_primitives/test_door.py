from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skill_errors import BadRequest, NothingThere
from openral_core.skill_requests import DoorRequest
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.motion_primitives.door import (
    articulated_door,
    container_at,
    contents_of,
    drawer_front_height,
)

FRIDGE = DoorRequest(Pose.planar(0.36, 1.7, 0.0, 0.875), "fridge")


@pytest.fixture
def home(at_home: Callable[[int], SkillContext]) -> SkillContext:
    return at_home(0)


def test_reads_how_far_a_door_is_open(home: SkillContext) -> None:
    door = articulated_door(home, FRIDGE)
    assert door.describe_angle(home) == "0 degrees"
    home.data.joint(door.spec.joint).qpos[0] = np.pi / 4
    assert door.describe_angle(home) == "45 degrees"
    assert door.opening(home) == pytest.approx(np.pi / 4 / door.spec.travel)
    assert door.is_pushed_closed


def test_the_handle_moves_with_the_door(home: SkillContext) -> None:
    door = articulated_door(home, FRIDGE)
    for angle in (0.0, 1.0):
        home.data.joint(door.spec.joint).qpos[0] = angle
        mujoco.mj_kinematics(home.model, home.data)
        handle = home.data.site(door.spec.handle_site).xpos
        assert door.point(angle, float(door.handle[0]), 1.0) == pytest.approx(handle, abs=1e-6)


def test_a_container_without_a_door_is_refused(home: SkillContext) -> None:
    with pytest.raises(BadRequest, match="container 'sofa' has no door"):
        articulated_door(home, DoorRequest(FRIDGE.target, "sofa"))


def test_a_door_far_from_the_target_is_not_there(home: SkillContext) -> None:
    with pytest.raises(NothingThere, match=r"more than 1\.5 m from \(8\.00, 2\.00\)"):
        articulated_door(home, DoorRequest(Pose((8.0, 2.0, 0.5)), "fridge"))


def test_only_a_drawer_takes_its_contents_along(home: SkillContext) -> None:
    assert contents_of(home, articulated_door(home, FRIDGE).spec) == ()
    on_the_table = next(iter(home.world.people.values())).body
    assert drawer_front_height(home, home.model.body(on_the_table).id) == -np.inf


def test_a_name_of_the_robots_own_means_the_container_at_the_point(home: SkillContext) -> None:
    fridge = home.world.furniture["fridge"].fixture
    x, y = fridge.pose.x + 0.1, fridge.pose.y - 0.1
    near = Pose((x, y, fridge.height / 2.0))
    assert articulated_door(home, DoorRequest(near, "fridge_1")).spec == articulated_door(home, FRIDGE).spec
    with pytest.raises(BadRequest, match="container 'fridge_1' has no door"):
        articulated_door(home, DoorRequest(Pose((x + 0.5, y, fridge.height / 2.0)), "fridge_1"))


def test_drawers_above_each_other_are_told_by_their_height(home: SkillContext) -> None:
    drawers = {name: item for name, item in home.world.furniture.items() if item.fixture.kind == "drawer"}
    for name, item in drawers.items():
        pose = item.fixture.pose
        found = container_at(home, "drawer_9", (pose.x, pose.y, item.fixture.height / 2.0))
        assert found == name
