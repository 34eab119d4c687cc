from pathlib import Path

import pytest

from openral_sim.scenes import load_scene
from openral_sim.world import World

SCENE = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"


@pytest.fixture(scope="session")
def scene():
    return load_scene(SCENE)


@pytest.fixture(scope="session")
def still_world(scene):
    """A world nobody may step or change."""
    return World.load(scene, seed=0)


@pytest.fixture
def world(scene):
    return World.load(scene, seed=0)
