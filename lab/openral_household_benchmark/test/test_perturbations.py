"""Changes of a home during a task."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from openral_household_benchmark import perturbations
from openral_household_benchmark.choices import Perturbation, TaskType
from openral_household_benchmark.environment import HouseholdEnv
from openral_household_benchmark.perturbations import (
    BEGINS,
    DOOR_IS_SHUT,
    DUSK,
    drawn_walk,
    move_object,
    scene_of,
    schedule,
)
from openral_household_benchmark.requirements import floor_of
from openral_household_benchmark.task import Task
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel

SCENE = Path(__file__).parents[3] / "scenes" / "deploy" / "home.yaml"
TASK = Task(TaskType.FETCH, "bring me the lemon", "lemon", "requester", ("lemon",))


def world_of(scene: Path = SCENE) -> SimWorldModel:
    world = SimWorldModel.load(load_scene(scene), 0)
    world.step(0.2)
    return world


class StillRobot:
    """A robot that only lets time pass."""

    def __init__(self, world: SimWorldModel) -> None:
        self.simulation = SimpleNamespace(world=world, time=0.0, holding="")

    def run(self, watch: Any, until: float) -> None:
        self.simulation.time = until
        watch()


def begun(perturbation: Perturbation, world: SimWorldModel) -> tuple[StillRobot, Any]:
    robot = StillRobot(world)
    return robot, schedule(perturbation, cast("HouseholdEnv", robot), TASK, seed=3)


def test_the_object_is_moved_once_the_robot_is_on_its_way() -> None:
    world = world_of()
    robot, watch = begun(Perturbation.OBJECT_MOVED, world)
    robot.run(watch, BEGINS - 0.1)
    assert world.support_of("lemon") == "dining_table"
    robot.run(watch, BEGINS)
    world.step(0.5)
    assert world.support_of("lemon") not in {None, "floor", "dining_table"}


def test_what_the_robot_holds_stays_in_its_hand() -> None:
    world = world_of()
    before = world.T_world(world.objects["lemon"].body)[:3, 3]
    assert move_object(world, TASK, 3, held="lemon") == ""
    assert (world.T_world(world.objects["lemon"].body)[:3, 3] == before).all()


@pytest.mark.parametrize("phrase", ["unicorn", "fridge"])
def test_a_task_without_an_object_moves_nothing(phrase: str) -> None:
    assert move_object(world_of(), Task(TaskType.VIEW, f"look at the {phrase}", phrase), 3, held="") == ""


def test_the_light_is_dimmed_once() -> None:
    world = world_of()
    before = world.model.light_diffuse.copy()
    robot, watch = begun(Perturbation.LIGHT_OFF, world)
    robot.run(watch, BEGINS)
    robot.run(watch, BEGINS + 1.0)
    assert world.model.light_diffuse == pytest.approx(before * DUSK)


def test_a_person_walks_over_free_floor_and_stays_there() -> None:
    world = world_of()
    person = world.people["requester"]
    robot, watch = begun(Perturbation.PERSON_WALKS, world)
    before = world.T_world(person.body)[:2, 3].copy()
    robot.run(watch, BEGINS)
    clearance = []
    for _ in range(120):
        world.step(0.1)
        clearance.append(floor_of(world).clearance_at(world.T_world(person.body)[:2, 3]))
    after = world.T_world(person.body)[:2, 3].copy()
    assert np.linalg.norm(after - before) > 0.5
    assert min(clearance[5:]) >= 0.2
    world.step(1.0)
    assert world.T_world(person.body)[:2, 3] == pytest.approx(after)


def test_a_person_with_nowhere_to_go_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perturbations, "WALK", (100.0, 200.0))
    assert drawn_walk(world_of(), "requester", 3) is None
    monkeypatch.setattr(perturbations, "BODY", 50.0)
    assert drawn_walk(world_of(), "requester", 3) is None


def test_doors_are_shut_and_opened_again(tmp_path: Path) -> None:
    world = world_of(scene_of(Perturbation.DOOR_SHUT, SCENE, tmp_path))
    (wall,) = [each for each in world.scene.document.walls if each.opening and each.opening.door]
    robot, watch = begun(Perturbation.DOOR_SHUT, world)

    def position() -> tuple[float, float]:
        pose = world.body_pose(f"door/{wall.id}")
        return pose.x, pose.y

    robot.run(watch, BEGINS)
    assert position() == pytest.approx(wall.door_position(shut=True))
    robot.run(watch, BEGINS + DOOR_IS_SHUT)
    assert position() == pytest.approx(wall.door_position(shut=False))


def test_other_changes_need_no_other_scene(tmp_path: Path) -> None:
    assert scene_of(Perturbation.LIGHT_OFF, SCENE, tmp_path) == SCENE
    assert not list(tmp_path.iterdir())
