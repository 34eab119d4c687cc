import pytest

from openral_sim.scene.scene import Scene
from openral_training.homes.floor_plan import NoSuchPlan
from openral_training.homes.home import sample_home


def test_a_home_has_the_rooms_that_were_asked_for(sampled_home: Scene) -> None:
    rooms = int(sampled_home.document.name.removeprefix("generated_")) - 100
    assert len(sampled_home.home.rooms) == rooms
    assert len(sampled_home.home.doorways) == rooms - 1, "every room is joined to the others"


def test_a_home_of_too_many_rooms_is_refused() -> None:
    with pytest.raises(NoSuchPlan, match="no plan has 9 rooms"):
        sample_home(0, 9)
