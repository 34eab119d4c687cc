"""Changes of a home while a task is done, of which the robot is not told."""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import numpy as np
import yaml

from openral_core.home_map import Pose2
from openral_household_benchmark.choices import Perturbation
from openral_household_benchmark.environment import HouseholdEnv
from openral_household_benchmark.requirements import Displaced, displace, floor_of, free_position
from openral_household_benchmark.task import Task, open_tables
from openral_sim.planning.base_planner import NoBasePath, plan_from
from openral_sim.scene.compose import DOOR
from openral_sim.scene.schema import Walk
from openral_sim.scene.world import SimWorldModel

BEGINS = 6.0
"""Simulated time of the task at which the home changes [s]: the robot has decided and is on its way."""
DOOR_IS_SHUT = 25.0
"""Simulated time for which a door stays shut [s], as if a person were behind it for a moment."""
DUSK = 0.2
"""Share of the light that is left [1], as at dusk with the lamps off."""
WALK, BODY, ARM = (1.5, 5.0), 0.3, 0.8
"""Least and largest length of a person's walk, and room for a body, and for an arm that is held out [m]."""


def scene_of(perturbation: Perturbation, scene: Path, folder: Path) -> Path:
    """Return the scene in which a change can happen: with doors in its doorways for a door that is shut."""
    if perturbation is not Perturbation.DOOR_SHUT:
        return scene
    content = yaml.safe_load(scene.read_text(encoding="utf-8"))
    content["map"] = str((scene.parent / content["map"]).resolve())
    for wall in content["walls"]:
        if "opening" in wall:
            wall["opening"]["door"] = True
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "scene.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def schedule(perturbation: Perturbation, robot: HouseholdEnv, task: Task, seed: int) -> Callable[[], None]:
    """Return what makes the changes in time; it is called after every control period."""
    begins = robot.simulation.time + BEGINS
    changes = [(begins + after, change) for after, change in _CHANGES[perturbation](robot, task, seed)]

    def watch() -> None:
        while changes and robot.simulation.time >= changes[0][0]:
            changes.pop(0)[1]()

    return watch


_Change = tuple[float, Callable[[], None]]


def _nothing(robot: HouseholdEnv, task: Task, seed: int) -> list[_Change]:
    return []


def _object_moved(robot: HouseholdEnv, task: Task, seed: int) -> list[_Change]:
    def move() -> None:
        move_object(robot.simulation.world, task, seed, robot.simulation.holding)

    return [(0.0, move)]


def move_object(world: SimWorldModel, task: Task, seed: int, held: str) -> str:
    """Put the object of a task on another table; return its id, "" if it was not moved.

    Args:
        world: The home.
        task: An object with its phrase is moved, one that memory knows before others.
        seed: Of the place.
        held: Label of what the robot holds, which stays.
    """
    named = [item for item in world.objects.values() if item.phrase == task.phrase]
    item = next((each for each in named if each.id in task.remembered), next(iter(named), None))
    if item is None or held:
        return ""
    rng, support = Random(f"moved {seed}"), world.support_of(item.id)
    tables = [piece for piece in open_tables(world) if piece.id != support]
    rng.shuffle(tables)
    for piece in tables:
        position = free_position(world, item, piece, rng)
        if position is not None:
            displace(world, Displaced(item.id, position))
            return item.id
    return ""


def _light_off(robot: HouseholdEnv, task: Task, seed: int) -> list[_Change]:
    def darken() -> None:
        model = robot.simulation.world.model
        model.light_diffuse[:] *= DUSK
        model.light_ambient[:] *= DUSK
        for part in ("ambient", "diffuse"):
            getattr(model.vis.headlight, part)[:] *= DUSK

    return [(0.0, darken)]


def _door_shut(robot: HouseholdEnv, task: Task, seed: int) -> list[_Change]:
    world = robot.simulation.world
    walls = [wall for wall in world.scene.document.walls if wall.opening and wall.opening.door]

    def slide(*, shut: bool) -> Callable[[], None]:
        def every() -> None:
            for wall in walls:
                x, y = wall.door_position(shut=shut)
                world.move_body(f"{DOOR}/{wall.id}", Pose2(x=x, y=y, yaw=wall.yaw))

        return every

    return [(0.0, slide(shut=True)), (DOOR_IS_SHUT, slide(shut=False))]


def _person_walks(robot: HouseholdEnv, task: Task, seed: int) -> list[_Change]:
    world = robot.simulation.world
    person = task.person or next(iter(world.people), "")

    def start() -> None:
        walk = drawn_walk(world, person, seed)
        if walk is not None:
            world.start_walk(person, walk)

    return [(0.0, start)] if person else []


def drawn_walk(world: SimWorldModel, person: str, seed: int) -> Walk | None:
    """Draw a way over free floor from where a person is; None if there is none of a fitting length."""
    pose, floor = world.body_pose(world.people[person].body), floor_of(world)
    try:
        ways = plan_from(floor, np.array([pose.x, pose.y]), BODY)
    except NoBasePath:
        return None
    ends = np.argwhere((ways.cost >= WALK[0]) & (ways.cost <= WALK[1]) & (floor.clearance >= ARM))
    if not len(ends):
        return None
    end = floor.point(Random(f"walk {seed}").choice(ends))
    return Walk(path=tuple((float(x), float(y)) for x, y in ways.path_to(end)[1:]))


_CHANGES: Mapping[Perturbation, Callable[[HouseholdEnv, Task, int], list[_Change]]] = {
    Perturbation.NONE: _nothing,
    Perturbation.OBJECT_MOVED: _object_moved,
    Perturbation.LIGHT_OFF: _light_off,
    Perturbation.DOOR_SHUT: _door_shut,
    Perturbation.PERSON_WALKS: _person_walks,
}
