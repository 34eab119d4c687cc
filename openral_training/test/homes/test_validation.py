from openral_sim.scene.scene import Scene
from openral_training.homes.validation import find_problems


def test_a_sampled_home_has_no_problems(sampled_home: Scene) -> None:
    assert list(find_problems(sampled_home, 0)) == []
