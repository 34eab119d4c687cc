from pathlib import Path

import pytest

from openral_sim.scene.compose import Composition, compose
from openral_sim.scene.scene import Scene, load_scene
from openral_sim.world import SimWorldModel

SCENE = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"


@pytest.fixture(scope="session")
def scene() -> Scene:
    return load_scene(SCENE)


@pytest.fixture(scope="session")
def composition(scene: Scene) -> Composition:
    """The scene of seed 0 without a robot: composed once, as settling takes the longest."""
    return compose(scene, 0, None)


@pytest.fixture(scope="session")
def still_world(scene: Scene, composition: Composition) -> SimWorldModel:
    """A world nobody may step or change."""
    return SimWorldModel(scene, composition)


@pytest.fixture
def world(scene: Scene, composition: Composition) -> SimWorldModel:
    return SimWorldModel(scene, composition)
