"""Conditions on the true home, and objects that lie elsewhere when a task begins."""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from openral_household_benchmark import requirements
from openral_household_benchmark.requirements import (
    REACH,
    STANDING,
    Displaced,
    Given,
    HasLeft,
    LiesOn,
    bodies_in_hand,
    displace,
    free_position,
    unmet,
)
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel

SCENE = Path(__file__).parents[3] / "scenes" / "deploy" / "home.yaml"


@pytest.fixture
def world() -> SimWorldModel:
    home = SimWorldModel.load(load_scene(SCENE), 0)
    home.step(0.2)
    return home


def put(world: SimWorldModel, thing: str, furniture: str) -> None:
    position = free_position(world, world.objects[thing], world.furniture[furniture], Random(1))
    assert position is not None
    displace(world, Displaced(thing, position))
    world.step(0.5)


def test_an_object_lies_on_one_of_the_places_that_are_wanted(world: SimWorldModel) -> None:
    wanted = LiesOn("remote", ("sofa", "dining_table"))
    assert unmet(world, wanted) == "the remote lies on coffee_table, not on sofa or dining_table"
    put(world, "remote", "dining_table")
    assert unmet(world, wanted) == ""


def test_an_object_has_left_its_place_wherever_it_is_now(world: SimWorldModel) -> None:
    wanted = HasLeft("remote", "coffee_table")
    assert unmet(world, wanted) == "the remote still lies on coffee_table"
    put(world, "remote", "kitchen_counter")
    assert unmet(world, wanted) == ""


def test_an_object_is_given_if_it_is_in_the_hand(world: SimWorldModel) -> None:
    wanted = Given("lemon", "requester")
    assert unmet(world, wanted) == "no lemon in the hand of requester"
    palm = world.data.site(world.people["requester"].hand_site).xpos
    displace(world, Displaced("lemon", tuple(float(value) for value in palm)))
    assert unmet(world, wanted) == ""
    assert bodies_in_hand(world, "red mug", "requester") == []


@pytest.mark.parametrize("seed", range(8))
def test_a_free_position_is_apart_from_every_other_object(seed: int, world: SimWorldModel) -> None:
    table = world.furniture["dining_table"]
    position = free_position(world, world.objects["can"], table, Random(seed))
    assert position is not None
    others = [world.T_world(item.body)[:2, 3] for item in world.objects.values()]
    assert min(float(np.hypot(*(other - position[:2]))) for other in others) > 0.05
    assert position[2] > max(surface.z for surface in table.surfaces)


@pytest.mark.parametrize("seed", range(8))
def test_a_free_position_is_within_an_arms_reach_of_where_a_base_can_stand(seed: int) -> None:
    world = SimWorldModel.load(load_scene(SCENE.parent / "house.yaml"), seed)
    bed = world.furniture["bed"]
    position = free_position(world, world.objects["can"], bed, Random(seed))
    assert position is not None
    surface = max(bed.surfaces, key=lambda each: each.z).area
    local = np.array(bed.pose.to_local(*position[:2]))
    margins = np.minimum(local - np.array(surface.min), np.array(surface.max) - local)
    assert min(margins) <= REACH - STANDING


def test_a_piece_out_of_reach_offers_no_position(
    world: SimWorldModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    can, table = world.objects["can"], world.furniture["dining_table"]
    monkeypatch.setattr(requirements, "REACH", 0.2)
    assert free_position(world, can, table, Random(0)) is None


def test_a_piece_without_room_offers_no_position(world: SimWorldModel) -> None:
    wide = replace(world.objects["plate"], size=(2.0, 2.0, 0.02))
    assert free_position(world, wide, world.furniture["dining_table"], Random(0)) is None
