from pathlib import Path

import pytest

from openral_sim.scenes import Scene, load_scene
from openral_sim.world import World

SCENE = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"


@pytest.fixture(scope="session")
def scene() -> Scene:
    return load_scene(SCENE)


@pytest.fixture(scope="session")
def still_world(scene: Scene) -> World:
    """A world nobody may step or change."""
    return World.load(scene, seed=0)


@pytest.fixture
def world(scene: Scene) -> World:
    return World.load(scene, seed=0)
