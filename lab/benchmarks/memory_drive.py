"""Objects remembered by a robot that drives, turns its head, grasps and hands over: ghosts and duplicates.

The simulated robot tours the home, brings the baguette to the person, and tours it again, with the images,
transforms and held objects of the graph at its rate. SEEDS=n in the environment, else 3.
"""

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openral_bringup.graph.resources import rskill_folders
from openral_core.detectors import Detection
from openral_core.geometry import Pose
from openral_core.home_map import HomeMap
from openral_core.rskills import Registry, Sensor
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import ParamValue, Verb
from openral_core.spatial_memory import CONFIRMED, Presence
from openral_core.text import TermRelation, Thesaurus
from openral_household_benchmark.environment import DetectorPairEngines, HeadCamera
from openral_perception_ros.engines.base import EngineFrame
from openral_sim.rendering.sensor import PERFECT, SensorModel
from openral_sim.simulation import RateTimer, Simulation
from openral_world_state.depth_camera import DepthView
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.world import WorldModel, WorldModelSettings, open_world

LONG = True
SCENE = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"
IMAGE_RATE = 5.0
"""Images per second of the graph's head camera [Hz]."""
NEAR = 0.15
"""Distance from the true place up to which a record is right [m]; beyond half its size for larger ones."""
PATIENCE = 90.0
"""Simulated time after which a skill is cancelled [s]."""
ENOUGH_PIXELS = 30
"""Pixels from which an object was there to be seen [1]."""


@dataclass(frozen=True, eq=False)
class Moment:
    """One image of the head camera, its ground-truth detections, and what the gripper holds."""

    frame: EngineFrame
    view: DepthView
    semantic: NDArray[np.generic]
    detections: Sequence[Detection]
    holding: str
    gripper: Pose


@dataclass(frozen=True)
class Truth:
    """An entity at the end: its phrase, its centre in map [m], its longest side [m], and if it was seen."""

    id: str
    phrase: str
    center: tuple[float, float, float]
    side: float
    seen: bool


class Drive:
    """A robot that carries out a list of skills; `moments` yields what its camera sees."""

    def __init__(
        self,
        seed: int,
        stack: ExitStack,
        scene: Path = SCENE,
        size: tuple[int, int] | None = None,
        rate: float = IMAGE_RATE,
        sensor: SensorModel = PERFECT,
    ) -> None:
        self.simulation = Simulation.load(scene, seed)
        self.home = self.simulation.world.scene.home
        self._camera = stack.enter_context(HeadCamera(self.simulation, size, sensor))
        engines = DetectorPairEngines(Registry.load(rskill_folders()), seed)
        self._detectors = stack.enter_context(closing(engines))
        self.source, self.labels = self._detectors.source, self._detectors.labels
        self._rng = np.random.default_rng(seed)
        self._timer = RateTimer(rate)
        self.results: list[str] = []
        self.phrases: dict[int, str] = {}
        self._pixels: dict[str, int] = {}

    def moments(self) -> Iterator[Moment]:
        """Yield the images of the whole drive."""
        for verb, params in self._errands():
            self.simulation.start(ValidatedGoal(verb.value.lower(), verb, params, PATIENCE))
            began, result = self.simulation.time, None
            while result is None:
                if self.simulation.time - began > PATIENCE:
                    self.simulation.cancel()
                result = self.simulation.advance()
                if self._timer.due(self.simulation.time):
                    yield self._moment()
            self.results.append(f"{verb.value} {result.status.name}")

    def _errands(self) -> Iterator[tuple[Verb, dict[str, ParamValue]]]:
        yield from self._tour()
        world = self.simulation.world
        baguette, person = world.objects["baguette"], self.home.agents[0]
        T = world.T_world(baguette.body)
        target, agent = Pose.from_matrix(T), Pose.planar(person.pose.x, person.pose.y, person.pose.yaw)
        x, y, z = baguette.size
        yield Verb.NAVIGATE, {"target": target}
        yield Verb.LOOK_AT, {"target": target}
        yield Verb.GRASP, {"target": target, "size_x": x, "size_y": y, "size_z": z, "label": "baguette"}
        yield Verb.LOOK_AT, {"target": Pose.planar(person.pose.x, person.pose.y, 0.0, 1.2)}
        yield Verb.HANDOVER, {"agent": agent, "agent_id": person.id}
        yield from self._tour()

    def _tour(self) -> Iterator[tuple[Verb, dict[str, ParamValue]]]:
        for index in self._rng.permutation(len(self.home.places)).tolist():
            place = self.home.places[index]
            yield Verb.NAVIGATE, {"goal": Pose.planar(place.pose.x, place.pose.y, place.pose.yaw)}
            if place.looks_at is not None:
                fixture = self.home.fixture(place.looks_at)
                height = min(fixture.height, 0.9)
                yield Verb.LOOK_AT, {"target": Pose.planar(fixture.pose.x, fixture.pose.y, 0.0, height)}
        person = self.home.agents[0].pose
        yield Verb.LOOK_AT, {"target": Pose.planar(person.x, person.y, 0.0, 1.2)}

    def _moment(self) -> Moment:
        sight = self._camera.take()
        semantic = sight.frame.plane(Sensor.SEMANTIC)
        self.phrases = dict(sight.frame.labels)
        for number, count in zip(*np.unique(semantic, return_counts=True), strict=True):
            name = self.phrases.get(int(number), "")
            self._pixels[name] = max(self._pixels.get(name, 0), int(count))
        control = self.simulation.control
        gripper = Pose.from_matrix(control.T_map_grasp())
        found = self._detectors.stream(sight)
        return Moment(sight.frame, sight.view, semantic, found, self.simulation.holding, gripper)

    def truths(self) -> list[Truth]:
        """Return the places of all entities now."""
        world = self.simulation.world
        found = []
        for item in world.objects.values():
            x, y, z = (float(value) for value in world.T_world(item.body)[:3, 3])
            seen = self._pixels.get(item.phrase, 0) >= ENOUGH_PIXELS
            found.append(Truth(item.id, item.phrase, (x, y, z), max(item.size), seen))
        for agent in self.home.agents:
            center = (agent.pose.x, agent.pose.y, agent.height / 2.0)
            seen = self._pixels.get("person", 0) >= ENOUGH_PIXELS
            found.append(Truth(agent.id, "person", center, agent.height, seen))
        return found


class DrivenMemory:
    """A world model that is told what the graph would tell it."""

    def __init__(self, home: HomeMap, thesaurus: Thesaurus, labels: Sequence[str], detector: str) -> None:
        self.world: WorldModel = open_world(home, "", WorldModelSettings(), thesaurus)
        self.world.vocabularies.set(detector, tuple(labels))
        self._detector, self._held = detector, ""

    def take(self, moment: Moment, detections: Sequence[Detection]) -> None:
        """Integrate one image."""
        if moment.holding != self._held:
            self._held = moment.holding
            self.world.update_held_object(moment.holding, moment.gripper, moment.view.stamp)
        if self.world.held_object.held:
            self.world.held_object.move(moment.gripper)
        self.world.integrate(moment.view, detections, self._detector)


def figures(
    memory: WorldModel,
    truths: Sequence[Truth],
    labels: Sequence[str],
    thesaurus: Thesaurus,
    ignored: Sequence[str] = (),
) -> dict[str, float | str]:
    """Count the records that are of no object, and the objects that have several.

    Unconfirmed records, and those of ``ignored`` labels, are left out.
    """
    known = [r for r in memory.memory if r.presence is not Presence.GONE and r.label not in ignored]
    records = [r for r in known if r.confidence >= CONFIRMED]
    matches = {r.id: [t for t in truths if _is(r, t, thesaurus)] for r in records}
    ghosts = [r for r in records if not matches[r.id]]
    seen = [t for t in truths if t.seen and any(thesaurus.relation(n, t.phrase).is_hit for n in labels)]
    # At most one record per object, the rest of an object's records are duplicates.
    wrong = [t.id for t in seen if not any(t in matches[r.id] for r in records)]
    groups = {min(matches[r.id], key=lambda t: _distance(r, t)).id for r in records if matches[r.id]}
    duplicates = len(records) - len(ghosts) - len(groups)
    return {
        "objects seen": len(seen),
        "records": len(records),
        "unconfirmed": len(known) - len(records),
        "right [%]": round(100.0 * (1.0 - len(wrong) / len(seen)), 1),
        "ghosts": len(ghosts),
        "of them present": sum(r.presence is Presence.PRESENT for r in ghosts),
        "duplicates": duplicates,
        "not right": ", ".join(wrong),
        "ghosts and duplicates": ", ".join(sorted(f"{r.id} {r.presence.value}" for r in ghosts)),
    }


def _is(record: ObjectRecord, truth: Truth, thesaurus: Thesaurus) -> bool:
    relations = (thesaurus.relation(name, truth.phrase) for name in record.names)
    kinds = (TermRelation.EQUAL, TermRelation.NARROWER, TermRelation.BROADER)
    return any(r in kinds for r in relations) and _distance(record, truth) <= max(NEAR, truth.side / 2.0)


def _distance(record: ObjectRecord, truth: Truth) -> float:
    return math.dist(record.pose.position, truth.center)


def run() -> list[dict[str, float | str]]:
    """One row per seed."""
    return [row(seed) for seed in range(int(os.environ.get("SEEDS", "3")))]


def row(seed: int) -> dict[str, float | str]:
    """Figures of one drive."""
    thesaurus = Thesaurus.load()
    with ExitStack() as stack:
        drive = Drive(seed, stack)
        memory = DrivenMemory(drive.home, thesaurus, drive.labels, drive.source)
        images = 0
        for moment in drive.moments():
            memory.take(moment, moment.detections)
            images += 1
        found = figures(memory.world, drive.truths(), drive.labels, thesaurus)
    return {
        "bench": "drive",
        "seed": seed,
        "images": images,
        "seconds": round(drive.simulation.time),
        **found,
    }
