import pytest

from openral_sim.procedural.floor_plan import PLANS
from openral_sim.procedural.home import sample_home
from openral_sim.scene.scene import Scene


@pytest.fixture(scope="session", params=sorted(PLANS))
def sampled_home(request: pytest.FixtureRequest) -> Scene:
    return sample_home(100 + request.param, request.param)
