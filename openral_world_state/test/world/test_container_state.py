"""Doors that skills moved."""

from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.spatial_memory import Opening, RecallQuery
from openral_core.text import Thesaurus
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

MAP = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")


def opened(path: str = "") -> WorldModel:
    return open_world(MAP, path, WorldModelSettings(), Thesaurus.load())


def in_the_fridge(world: WorldModel) -> Pose:
    site = world.home.by_id["fridge"]
    assert site.interior is not None
    low, high = site.interior.min, site.interior.max
    x, y = site.frame.to_parent((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)
    return Pose((x, y, (low[2] + high[2]) / 2))


@pytest.mark.parametrize(
    ("share", "known"),
    [(1.0, Opening.OPEN), (0.6, Opening.OPEN), (0.3, None), (0.02, Opening.CLOSED), (float("nan"), None)],
)
def test_is_what_the_skill_left_it_as(share: float, known: Opening | None) -> None:
    world = opened()
    assert world.container_states.on_skill_result("fridge", share) == (known is not None)
    assert world.container_states.openings.get("fridge") is known


@pytest.mark.parametrize("name", ["kitchen_counter", "nothing", ""])
def test_of_what_has_no_door_is_not_taken_over(name: str) -> None:
    world = opened()
    assert not world.container_states.on_skill_result(name, 1.0)
    assert not world.container_states.openings


def test_need_no_opening_once_opened_and_that_outlives_the_process(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.sqlite")
    first = opened(path)
    first.memory.touch(
        ObjectRecord("wine_1", "wine bottle", in_the_fridge(first), votes={"wine bottle": 1.0})
    )
    assert first.recall(RecallQuery("wine"), 1.0).matches[0].must_open == "fridge"
    first.container_states.on_skill_result("fridge", 1.0)
    revision = first.memory.revision
    first.memory.close()
    second = opened(path)
    assert second.memory.revision > revision
    assert second.recall(RecallQuery("wine"), 1.0).matches[0].must_open == ""
    assert second.graph().by_id["fridge"].opening is Opening.OPEN


FLAT = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "flat.yaml")


def a_drawer_with_a_ball(path: str = "") -> tuple[WorldModel, Pose]:
    world = open_world(FLAT, path, WorldModelSettings(), Thesaurus.load())
    site = world.home.by_id["lower_drawer"]
    x, y = site.frame.to_parent(0.10, 0.05)
    lies = Pose((x, y, 0.60))
    world.memory.touch(ObjectRecord("ball_1", "tennis ball", lies, votes={"tennis ball": 1.0}))
    return world, lies


@pytest.mark.parametrize("share", [0.6, 0.95, 1.0, 1.7])
def test_what_lies_in_a_drawer_comes_out_with_it_and_goes_back(share: float) -> None:
    world, lay = a_drawer_with_a_ball()
    drawer = world.home.by_id["lower_drawer"]
    world.container_states.on_skill_result("lower_drawer", share)
    drawn = world.memory.get("ball_1").pose
    by = drawer.frame.to_local(*drawn.position[:2])[0] - drawer.frame.to_local(*lay.position[:2])[0]
    assert by == pytest.approx(min(share, 1.0) * drawer.drawn)
    match = world.recall(RecallQuery("tennis ball"), 1.0).matches[0]
    assert match.containers == ("lower_drawer",)
    assert match.must_open == ""
    world.container_states.on_skill_result("lower_drawer", 0.0)
    assert world.memory.get("ball_1").pose.distance(lay) < 1e-9
    assert world.recall(RecallQuery("tennis ball"), 1.0).matches[0].must_open == "lower_drawer"


def test_how_far_a_drawer_was_drawn_outlives_the_process(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.sqlite")
    first, lay = a_drawer_with_a_ball(path)
    first.container_states.on_skill_result("lower_drawer", 0.9)
    first.memory.commit()
    first.memory.close()
    second = open_world(FLAT, path, WorldModelSettings(), Thesaurus.load())
    second.container_states.on_skill_result("lower_drawer", 0.0)
    assert second.memory.get("ball_1").pose.distance(lay) < 1e-9


def test_what_is_carried_or_lies_in_another_drawer_stays() -> None:
    world, lay = a_drawer_with_a_ball()
    world.container_states.on_skill_result("drawer", 1.0)
    assert world.memory.get("ball_1").pose == lay
    record = world.memory.get("ball_1")
    record.carried = True
    world.memory.touch(record)
    world.container_states.on_skill_result("lower_drawer", 1.0)
    assert world.memory.get("ball_1").pose == lay


def test_nonsense_moves_nothing() -> None:
    world, lay = a_drawer_with_a_ball()
    world.container_states.on_skill_result("lower_drawer", float("nan"))
    assert world.memory.get("ball_1").pose == lay
