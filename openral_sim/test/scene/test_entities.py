import pytest

from openral_sim.scene.world import SimWorldModel


def test_every_name_an_entity_gives_is_in_the_model(still_world: SimWorldModel) -> None:
    for item in (
        *still_world.objects.values(),
        *still_world.furniture.values(),
        *still_world.people.values(),
    ):
        assert [still_world.model.geom(name).name for name in item.geoms] == list(item.geoms)
        assert still_world.model.body(item.body).name == item.body
    for fixture in still_world.furniture.values():
        for door in fixture.doors:
            assert still_world.model.joint(door.joint).range[1] == pytest.approx(door.travel)
            assert still_world.model.site(door.handle_site).bodyid[0] == still_world.model.body(door.body).id
            assert set(door.handle_geoms) <= set(fixture.geoms)
