"""Tasks of a seed."""

from collections import Counter
from pathlib import Path

import pytest

from openral_household_benchmark.choices import TaskType
from openral_household_benchmark.task import container_of, draw_task, remembered
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel

SCENE = Path(__file__).parents[3] / "scenes" / "deploy" / "home.yaml"


@pytest.fixture(scope="module")
def world() -> SimWorldModel:
    return SimWorldModel.load(load_scene(SCENE), 0)


@pytest.mark.parametrize("archetype", TaskType)
def test_a_seed_always_draws_the_same_task(archetype: TaskType, world: SimWorldModel) -> None:
    assert draw_task(archetype, world, 5) == draw_task(archetype, world, 5)


@pytest.mark.parametrize("archetype", [TaskType.FETCH, TaskType.HAND, TaskType.OPEN])
def test_only_opening_is_about_what_lies_behind_a_door(archetype: TaskType, world: SimWorldModel) -> None:
    for seed in range(12):
        task = draw_task(archetype, world, seed)
        hidden = {bool(container_of(world, x)) for x in world.objects.values() if x.phrase == task.phrase}
        assert hidden == {archetype is TaskType.OPEN}


def test_memory_holds_what_the_task_says_and_no_more(world: SimWorldModel) -> None:
    graph = remembered(world, ["wine_bottle"], seed=3)
    (node,) = graph.nodes
    truth = world.T_world(world.objects["wine_bottle"].body)[:3, 3]
    assert node.label == "wine bottle"
    assert max(abs(a - b) for a, b in zip(node.pose.position, truth, strict=True)) <= 0.021


def test_several_objects_of_a_kind_are_remembered_each_with_an_id(world: SimWorldModel) -> None:
    kinds = Counter(item.kind for item in world.objects.values())
    kind = next(kind for kind, count in kinds.items() if count > 1)
    same = [name for name, item in world.objects.items() if item.kind == kind]
    graph = remembered(world, same, seed=3)
    assert len({node.id for node in graph.nodes}) == len(same) > 1
