"""Memory after a day: many missions in each shipped home, one memory, learned detectors, against the truth.

MISSIONS=n: missions per home, else 30; HOMES=a,b: homes, else all.
"""

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from openral_bringup.graph.resources import scene_path
from openral_core.geometry import Pose
from openral_core.rskills import Registry
from openral_core.spatial_memory import CONFIRMED, Presence, SceneNode
from openral_core.text import TermRelation, Thesaurus
from openral_household_benchmark.choices import TaskType
from openral_household_benchmark.cli import brain_of
from openral_household_benchmark.environment import DetectorPair, HouseholdEnv, robot_at_home
from openral_household_benchmark.episode import MissionEpisode
from openral_household_benchmark.task import NothingToAsk, draw_task
from openral_reasoner.llm.base import Model
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.brains import Brain
from openral_sim.scene.world import SimWorldModel
from openral_world_state.box_overlap import distance_to_box

LONG = True
Row = dict[str, str | float]
Triple = tuple[float, float, float]
HOMES = ("home", "flat", "house", "studio")
PAIR = DetectorPair("home-tiny", "home-tiny-locator")
KINDS = (TaskType.FIND, TaskType.REARRANGE, TaskType.VIEW, TaskType.SWAP, TaskType.CONDITION, TaskType.SWITCH)
"""Kinds of missions, in turn; few of them end with an object in a person's hand."""
NEAR = 0.25  # Distance of a record from the box of the object that it is of [m].
LONGEST = 2.0  # Side from which a record is suspicious [m].
ALIKE = 1.3  # Ratio of longest sides up to which a size is right [1].


@dataclass(frozen=True, slots=True)
class TrueObject:
    """An object that is there: its names, and the middle and sides of its box in map [m]."""

    id: str
    names: tuple[str, ...]
    position: Triple
    size: Triple
    yaw: float = 0.0
    is_furniture: bool = False

    def distance(self, point: Triple) -> float:
        """Distance of a point from the box [m], 0 inside."""
        x, y, z = self.position
        return distance_to_box(point, Pose.planar(x, y, self.yaw, z), self.size)


def row(name: str, records: Sequence[SceneNode], truth: Sequence[TrueObject], mapped: int = 0) -> Row:
    """Compare records with the truth; ``mapped`` pieces of furniture are nodes of the map besides."""
    tentative = sum(record.confidence < CONFIRMED for record in records)
    records = [
        each for each in records if each.confidence >= CONFIRMED and each.presence is not Presence.GONE
    ]
    of = owners(records, truth)
    things = [each for each in of.values() if each is None or not each.is_furniture]
    objects = {each.id for each in things if each}
    pieces = {each.id for each in of.values() if each and each.is_furniture}
    furniture = len(of) - len(things) + mapped
    ratios = [max(record.size) / max(each.size) for record in records if (each := of[record.id])]
    right = sum(1.0 / ALIKE <= ratio <= ALIKE for ratio in ratios)
    long = [r for r in records if max(r.size) > LONGEST > ALIKE * max(e.size if (e := of[r.id]) else (0.0,))]
    return {
        "memory": name,
        "records": len(records),
        "tentative": tentative,
        "objects": len(objects),
        "records per object": round(len(things) / max(len(objects), 1), 2),
        "furniture per piece": round(furniture / max(mapped or len(pieces), 1), 2),
        "of nothing": sum(each is None for each in of.values()),
        "sizes within 30 % [%]": round(100.0 * right / max(len(ratios), 1)),
        "falsely over 2 m": len(long),
    }


def owners(records: Sequence[SceneNode], truth: Sequence[TrueObject]) -> dict[str, TrueObject | None]:
    """Return the true object of each record: one of its name that is near, else one whose place it fills.

    The nearest have the first choice, and an object without a record comes before one that has another.
    """
    pairs = sorted(
        (not is_named(record, each), math.dist(each.position, record.pose.position), record.id, each.id, each)
        for record in records
        for each in truth
        if (away := each.distance(record.pose.position)) <= NEAR
        if is_named(record, each) or (away == 0.0 and not each.is_furniture)
    )
    of: dict[str, TrueObject | None] = {}
    for is_second in (False, True):
        for *_, name, other, each in pairs:
            if name not in of and (is_second or other not in {e.id for e in of.values() if e}):
                of[name] = each
    return {record.id: of.get(record.id) for record in records}


THESAURUS = Thesaurus.load()


def is_named(record: SceneNode, each: TrueObject) -> bool:
    """Tell if a record's label names an object."""
    return any(THESAURUS.relation(name, record.label) is not TermRelation.NONE for name in each.names)


def run() -> list[Row]:
    """One row per home."""
    homes = os.environ.get("HOMES", ",".join(HOMES)).split(",")
    registry, brain = brain_of(Brain.SCRIPTED, "", "")
    return [day(home, int(os.environ.get("MISSIONS", "30")), registry, brain) for home in homes]


def day(home: str, missions: int, registry: Registry, brain: Model) -> Row:
    """Do missions one after the other with one memory."""
    with robot_at_home(scene_path(home), 0, registry, PAIR) as robot:
        ends = [report for number in range(missions) for report in mission(robot, number, registry, brain)]
        records = [node for node in robot.memory.graph().nodes if node.id in robot.memory.memory]
        judged = row(
            home, records, true_objects(robot.simulation.world), len(robot.simulation.world.furniture)
        )
        return {"missions": len(ends), "succeeded": ends.count("SUCCEEDED"), **judged}


def mission(robot: HouseholdEnv, number: int, registry: Registry, brain: Model) -> Iterator[str]:
    """Do a mission if the home now offers one, and yield its end; then take what the hand still holds."""
    try:
        task = draw_task(KINDS[number % len(KINDS)], robot.simulation.world, number)
    except NothingToAsk:
        return
    person = next(iter(robot.simulation.world.people), "")
    episode = partial(MissionEpisode, robot, registry, brain, MissionSettings(), lambda *_: None)
    yield episode().run(task.goal, person).state.name
    if robot.simulation.holding:
        episode().run(f"give me the {robot.simulation.holding}", person)


def true_objects(world: SimWorldModel) -> list[TrueObject]:
    """Movable objects, people, furniture and what hangs or stands there for good."""
    things = [
        TrueObject(item.id, (item.phrase, item.kind.replace("_", " ")), xyz(world, item.body), item.size)
        for item in world.objects.values()
    ]
    people = [
        TrueObject(each.id, ("person", each.name), (each.pose.x, each.pose.y, 0.85), (0.5, 0.5, 1.7))
        for each in world.people.values()
    ]
    pieces = [
        TrueObject(
            each.id,
            (each.phrase, each.kind.replace("_", " "), *each.aliases),
            (each.pose.x, each.pose.y, each.fixture.height / 2.0),
            (each.fixture.depth, each.fixture.width, each.fixture.height),
            each.pose.yaw,
            is_furniture=True,
        )
        for each in world.furniture.values()
    ]
    trims = [
        TrueObject(each.id, (each.id.split("_")[-2],), each.centre, each.size)
        for each in world.scene.document.trims
        if each.id.count("_")
    ]
    return [*things, *people, *pieces, *trims]


def xyz(world: SimWorldModel, body: str) -> Triple:
    """Return the position of a body in map [m]."""
    x, y, z = (float(value) for value in world.T_world(body)[:3, 3])
    return x, y, z
