"""A robot's walks through the home while people move things: what memory has right at the end."""

import math
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box, Detection
from openral_core.home_map import HomeMap
from openral_core.spatial_memory import Presence, RecallQuery
from openral_core.text import Thesaurus
from openral_sim.rendering.camera import InstanceLabels, intrinsics
from openral_sim.rendering.renderer import SceneView
from openral_sim.scene.scene import load_scene
from openral_sim.world import SimWorldModel
from openral_testing.synthetic_depth import look_at_pose
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.world import WorldModel, WorldModelSettings, open_world

Row = dict[str, str | float]
SCENE = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"
WIDTH, HEIGHT, EYE_HEIGHT = 320, 240, 1.35
LEAST_PIXELS, MISS_RATE, NOISE = 30, 0.05, 1.0
OTHER_WORDS = {"baguette": "bread"}
TURNS = (-0.5, -0.2, 0.0, 0.2, 0.5)
NEAR = 0.15
HIDDEN = ("fridge", "cabinet")
DETECTOR = "walk"


def run(seeds: int = 3, laps: int = 6) -> list[Row]:
    """One row per seed."""
    thesaurus = Thesaurus.load()
    return [_Walk(seed, thesaurus).row(laps) for seed in range(seeds)]


@dataclass
class _Walk:
    """A home, a camera that goes round in it, and a memory that fills."""

    seed: int
    thesaurus: Thesaurus
    time: float = 0.0
    moves: int = 0
    seen: set[str] = field(default_factory=set)
    sim: SimWorldModel = field(init=False)
    memory: WorldModel = field(init=False)

    def __post_init__(self) -> None:
        scene = load_scene(SCENE)
        self.rng = np.random.default_rng(self.seed)
        self.sim = SimWorldModel.load(scene, self.seed)
        self.home: HomeMap = scene.home
        self.memory = open_world(self.home, "", WorldModelSettings(), self.thesaurus)
        self.open_objects = [o for o in self.sim.objects.values() if self.sim.support_of(o.id) not in HIDDEN]
        self.labels = {o.id: OTHER_WORDS.get(o.kind, o.phrase.split()[-1]) for o in self.open_objects}
        self.memory.vocabularies.set(DETECTOR, tuple(set(self.labels.values())))

    def row(self, laps: int) -> Row:
        view_of = SceneView(self.sim.model, WIDTH, HEIGHT, shadows=False)
        try:
            for lap in range(laps):
                if lap:
                    self._move_something()
                self._lap(view_of)
            self.seen.clear()
            self._lap(view_of)
            self._lap(view_of)
        finally:
            view_of.close()
        return self._figures(laps)

    def _lap(self, view_of: SceneView) -> None:
        for place in self.home.places:
            if place.looks_at is None:
                continue
            fixture = self.home.fixture(place.looks_at)
            far = np.array([fixture.pose.x, fixture.pose.y, min(fixture.height, 0.9)])
            for turn in TURNS:
                self._look(view_of, (place.pose.x, place.pose.y), far, turn)

    def _look(
        self, view_of: SceneView, stand: tuple[float, float], at: NDArray[np.float64], turn: float
    ) -> None:
        eye = np.array([*stand, EYE_HEIGHT])
        forward = at - eye
        c, s = math.cos(turn), math.sin(turn)
        target = eye + np.array(
            [c * forward[0] - s * forward[1], s * forward[0] + c * forward[1], forward[2]]
        )
        self.time += 0.5
        depth, instances, labels = _shoot(view_of, self.sim, eye, target)
        K = intrinsics(WIDTH, HEIGHT, float(self.sim.model.vis.global_.fovy))
        T = look_at_pose((eye[0], eye[1], eye[2]), (target[0], target[1], target[2]))
        view = DepthView("head", self.time, depth, Intrinsics(K, WIDTH, HEIGHT), T)
        self.memory.integrate(view, self._detections(instances, labels), DETECTOR)

    def _detections(self, instances: NDArray[np.uint16], labels: InstanceLabels) -> list[Detection]:
        found = []
        for item in self.open_objects:
            mask = instances == labels.ids[item.id]
            if mask.sum() >= LEAST_PIXELS:
                self.seen.add(item.id)
            if mask.sum() >= LEAST_PIXELS and self.rng.random() > MISS_RATE:
                found.append(Detection(self._noisy_box(mask), self.labels[item.id], 0.9))
        return found

    def _noisy_box(self, mask: NDArray[np.bool_]) -> Box:
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        edges = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]) + self.rng.normal(
            0.0, NOISE, 4
        )
        x0, y0, x1, y1 = edges.tolist()
        return Box(x0, y0, max(x1, x0 + 2.0), max(y1, y0 + 2.0))

    def _move_something(self) -> None:
        """Put one object on a random free spot of some table top, as people do."""
        item = self.open_objects[int(self.rng.integers(len(self.open_objects)))]
        tops = [f for f in self.home.fixtures if f.surfaces and f.id not in (*HIDDEN, "bookshelf", "sofa")]
        for _ in range(50):
            fixture = tops[int(self.rng.integers(len(tops)))]
            surface = fixture.surfaces[0]
            low, high = np.array(surface.area.min) + 0.1, np.array(surface.area.max) - 0.1
            x, y = fixture.pose.to_parent(*self.rng.uniform(low, np.maximum(low + 0.01, high)).tolist())
            others = (self.sim.T_world(o.body)[:2, 3] for o in self.open_objects if o.id != item.id)
            if all(math.dist((x, y), other) > 0.3 for other in others):
                joint = self.sim.data.joint(item.body)
                joint.qpos[:3] = (x, y, surface.z + item.size[2] / 2.0 + 0.01)
                joint.qvel[:] = 0.0
                self.sim.step(1.0)
                self.moves += 1
                return

    def _figures(self, laps: int) -> Row:
        everything = [(o.id, self.labels[o.id], self.sim.T_world(o.body)[:3, 3]) for o in self.open_objects]
        truth = [(label, at) for name, label, at in everything if name in self.seen]
        present = [r for r in self.memory.memory if r.presence is Presence.PRESENT]
        known = sum(any(_is(r, label, at) for r in present) for label, at in truth)
        ghosts = sum(not any(_is(r, label, at) for _, label, at in everything) for r in present)
        right = 0
        words = sorted({label for label, _ in truth})
        for word in words:
            matches = self.memory.recall(RecallQuery(word), self.time).matches
            right += bool(matches) and any(
                math.dist(matches[0].pose.position, at) < NEAR for label, at in truth if label == word
            )
        return {
            "bench": "walk",
            "seed": self.seed,
            "laps": laps + 2,
            "looks": round(self.time / 0.5),
            "moved": self.moves,
            "objects": len(everything),
            "in view at the end": len(truth),
            "remembered right": known,
            "too many [%]": round(100.0 * max(0, len(present) - len(everything)) / len(everything), 1),
            "ghosts": ghosts,
            "recall@1": round(right / len(words), 3),
        }


def _is(record: ObjectRecord, label: str, at: NDArray[np.float64]) -> bool:
    return label in record.votes and math.dist(record.pose.position, at) < NEAR


def _shoot(
    view_of: SceneView, sim: SimWorldModel, eye: NDArray[np.float64], target: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.uint16], InstanceLabels]:
    camera = mujoco.MjvCamera()
    camera.type = mujoco.mjtCamera.mjCAMERA_FREE
    forward = target - eye
    camera.lookat[:], camera.distance = target, float(np.linalg.norm(forward))
    camera.azimuth = math.degrees(math.atan2(forward[1], forward[0]))
    camera.elevation = math.degrees(math.asin(forward[2] / camera.distance))
    view_of.update(sim.data, camera)
    _, depth = view_of.render()
    view_of.update(sim.data, camera)
    labels = InstanceLabels(sim)
    return depth, np.append(labels.of_geom, np.uint16(0))[view_of.render_geom_ids()], labels
