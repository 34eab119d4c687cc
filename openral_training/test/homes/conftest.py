import pytest

from openral_sim.scene.scene import Scene
from openral_training.homes.floor_plan import PLANS
from openral_training.homes.home import sample_home


@pytest.fixture(scope="session", params=sorted(PLANS))
def sampled_home(request: pytest.FixtureRequest) -> Scene:
    return sample_home(100 + request.param, request.param)
