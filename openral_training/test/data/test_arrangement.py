"""Arrangements of a home."""

import numpy as np
import pytest

from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.world import SimWorldModel
from openral_training.data.arrangement import ArrangedHome
from openral_training.homes.home import sample_home


@pytest.fixture(scope="module")
def home() -> ArrangedHome:
    return ArrangedHome(SimWorldModel.load(sample_home(1002), 0, load_sim_robot()))


def test_the_same_generator_gives_the_same_arrangement_and_another_one_another(home: ArrangedHome) -> None:
    def arranged(seed: int) -> bytes:
        home.rearrange(np.random.default_rng(seed))
        people = [home.world.model.body(person.body).pos for person in home.people]
        return home.world.data.qpos.tobytes() + np.array(people).tobytes()

    assert arranged(1) == arranged(1)
    assert len({arranged(seed) for seed in range(4)}) == 4


def test_some_containers_are_open_and_drawers_carry_what_lies_in_them(home: ArrangedHome) -> None:
    openings = []
    for seed in range(6):
        home.rearrange(np.random.default_rng(seed))
        for furniture in home.world.furniture.values():
            container = furniture.container
            if not furniture.doors or container is None:
                continue
            opening = home.world.door_opening(furniture.id)
            openings.append(opening)
            for item in home.objects if container.opens == "out" else []:
                x, y = furniture.pose.to_local(*home.position(item)[:2])
                z = home.position(item)[2]
                low, high = container.interior.min, container.interior.max
                if low[2] <= z < high[2] and abs(y) < furniture.fixture.width / 2 and abs(x) < 1.0:
                    assert low[0] - 0.05 <= x - opening * container.drawer_travel <= high[0] + 0.05
    assert 0.0 in openings
    assert max(openings) > 0.5


def test_moved_objects_rest_on_surfaces_the_floor_or_a_palm_and_do_not_overlap(home: ArrangedHome) -> None:
    for seed in range(6):
        home.rearrange(np.random.default_rng(seed))
        heights = [0.0] + [
            surface.z for furniture in home.world.furniture.values() for surface in furniture.surfaces
        ]
        heights += [float(home.world.data.site(person.hand_site).xpos[2]) for person in home.people]
        for item in home.objects:
            below = [home.position(item)[2] - half / 2 for half in item.size]
            gaps = [abs(bottom - height) for bottom in below for height in heights]
            assert min(gaps) < 0.03, item.id


def test_people_stand_on_free_floor_or_are_out_of_sight(home: ArrangedHome) -> None:
    standing = 0
    for seed in range(8):
        home.rearrange(np.random.default_rng(seed))
        for person in home.people:
            x, y, z = home.world.model.body(person.body).pos
            if z > -1.0:
                standing += 1
                assert home.world.scene.home.room_at(float(x), float(y)) is not None
    assert 0 < standing < 8 * len(home.people)
