from pathlib import Path

import pytest

from openral_sim.procedural.floor_plan import PLANS, NoSuchPlan
from openral_sim.procedural.home import UnknownScene, find_scene, sample_home, write_home
from openral_sim.procedural.object_placement import object_locations
from openral_sim.procedural.validation import find_problems
from openral_sim.scene.scene import Scene, load_scene

ROOMS = sorted(PLANS)


@pytest.fixture(scope="module", params=ROOMS)
def drawn(request: pytest.FixtureRequest) -> Scene:
    return sample_home(100 + request.param, request.param)


def test_a_home_has_the_rooms_that_were_asked_for(drawn: Scene) -> None:
    rooms = int(drawn.document.name.removeprefix("generated_")) - 100
    assert len(drawn.home.rooms) == rooms
    assert len(drawn.home.doorways) == rooms - 1, "every room is joined to the others"


def test_nothing_floats_sticks_in_something_or_is_out_of_sight_or_reach(drawn: Scene) -> None:
    assert list(find_problems(drawn, 0)) == []


def test_something_is_hidden_in_every_room_that_can_hide_and_something_lies_open(drawn: Scene) -> None:
    things = object_locations(drawn)
    hiding = {f.id for f in drawn.home.fixtures if f.container and f.container.occludes_contents}
    assert {thing.hidden_in for thing in things} == hiding | {""}
    assert len({thing.phrase for thing in things}) == len(things), "each goes by a name of its own"


def test_a_seed_always_gives_the_same_home_and_another_seed_another() -> None:
    assert sample_home(3, 2) == sample_home(3, 2)
    assert sample_home(3, 2) != sample_home(4, 2)


def test_what_is_written_is_read_back_the_same(drawn: Scene, tmp_path: Path) -> None:
    path = write_home(drawn, tmp_path)
    assert load_scene(path) == drawn
    assert (tmp_path / "whereabouts" / path.name).is_file()


def test_a_scene_is_found_by_name_by_file_and_by_seed(tmp_path: Path) -> None:
    scene = find_scene("generated:3:2", tmp_path)
    path = write_home(scene, tmp_path)
    assert find_scene("generated_3", tmp_path) == find_scene(str(path), tmp_path) == scene


def test_an_unknown_scene_is_refused_naming_the_shipped_ones(tmp_path: Path) -> None:
    write_home(sample_home(3, 1, "hut"), tmp_path)
    with pytest.raises(UnknownScene, match=r"'castle'.*'hut'.*generated:SEED"):
        find_scene("castle", tmp_path)


def test_a_home_of_too_many_rooms_is_refused() -> None:
    with pytest.raises(NoSuchPlan, match="no plan has 9 rooms"):
        sample_home(0, 9)
