"""Sightings of a task's object, judged by ground truth."""

from pathlib import Path

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, SceneGraph, SceneNode
from openral_core.text import Thesaurus
from openral_household_benchmark.evaluation import Sighting, sighting
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel
from openral_world_state.world.open_world import import_graph, open_world
from openral_world_state.world.world_model import WorldModelSettings

SCENE = Path(__file__).parents[3] / "scenes" / "deploy" / "home.yaml"


@pytest.fixture(scope="module")
def world() -> SimWorldModel:
    return SimWorldModel.load(load_scene(SCENE), 0)


@pytest.mark.parametrize(
    ("label", "offset", "last_seen", "expected"),
    [
        ("mug", 0.05, 3.0, Sighting.SEEN),
        ("mug", 0.0, 0.0, Sighting.NOT_SEEN),
        ("bowl", 0.05, 3.0, Sighting.SEEN_WRONG),
        ("mug", 5.0, 3.0, Sighting.WRONGLY_LOCATED),
        ("bowl", 5.0, 3.0, Sighting.NOT_SEEN),
    ],
)
def test_a_failure_names_what_perception_had_of_the_object(
    label: str, offset: float, last_seen: float, expected: Sighting, world: SimWorldModel
) -> None:
    x, y, z = world.T_world(world.objects["red_mug"].body)[:3, 3] + np.array([0.0, offset, 0.0])
    node = SceneNode(
        id="remembered",
        kind=NodeKind.OBJECT,
        label=label,
        pose=Pose((float(x), float(y), float(z))),
        size=(0.1, 0.1, 0.1),
        votes={label: 5.0},
        observations=5,
        last_seen=last_seen,
    )
    memory = open_world(world.scene.home, "", WorldModelSettings(), Thesaurus.load())
    import_graph(memory.memory, SceneGraph((node,)))
    assert sighting(memory, world, "red mug", 4.0) is expected
    memory.memory.close()
