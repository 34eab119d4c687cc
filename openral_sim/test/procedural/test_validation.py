from openral_sim.procedural.validation import find_problems
from openral_sim.scene.scene import Scene


def test_a_sampled_home_has_no_problems(sampled_home: Scene) -> None:
    assert list(find_problems(sampled_home, 0)) == []
