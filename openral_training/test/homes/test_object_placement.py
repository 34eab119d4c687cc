import pytest

from openral_sim.assets.objects.catalogue import KINDS
from openral_sim.scene.object_locations import object_locations
from openral_sim.scene.scene import Scene
from openral_training.homes.furniture_placement import pieces


def test_something_is_hidden_in_every_room_that_can_hide_and_something_lies_open(sampled_home: Scene) -> None:
    objects = object_locations(sampled_home)
    hiding = {f.id for f in sampled_home.home.fixtures if f.container and f.container.occludes_contents}
    assert {location.hidden_in for location in objects} == hiding | {""}
    assert len({location.phrase for location in objects}) == len(objects), "each goes by a name of its own"


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_kind_is_kept_on_furniture_there_is(name: str) -> None:
    assert KINDS[name].kept
    assert set(KINDS[name].kept) <= set(pieces())
