"""Lift of boxes that are too large, too small or shifted, in clean and in noisy depth.

VIEWS=n random views of the home, else 120. An error is silent if it is above 5 cm, lies beyond three
standard deviations of the reported covariance, and is not flagged as ambiguous. The baseline is the mean
depth of the box. The last rows have the errors of the simulated cameras' sensor `realsense`.
"""

import math
import os
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from benchmarks import memory_lift
from openral_core.detectors import Box, Detection
from openral_sim.rendering.camera import InstanceLabels, intrinsics
from openral_sim.rendering.renderer import SceneView
from openral_sim.rendering.sensor import SENSORS as SENSOR_MODELS
from openral_sim.rendering.sensor import SensorModel, SensorName
from openral_sim.scene.scene import load_scene
from openral_sim.world import SimWorldModel
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.lifting import DepthModel, LiftedObject, LiftRefused, lift

LONG = True
Row = dict[str, str | float]
WIDTH, HEIGHT = 320, 240
"""Size of the images of the scenes' cameras [px]."""
WRONG = 0.05
"""Error of a position that is wrong [m]."""
AIM = 1.0
"""Share of boxes with a silent error that is aimed at in every row [%]."""
SIGMAS = 3.0
"""Standard deviations within which the reported covariance covers an error [1]."""
SCALES = (0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8)
"""Sides of the boxes per those of tight boxes [1]."""
ENOUGH_PIXELS = 60
"""Pixels of an object that is in view [1]."""
SHIFTS = (0.1, 0.2, 0.3)
"""Displacements of tight boxes in both directions, per side [1]."""


@dataclass(frozen=True)
class Sensor:
    """Noise of a depth camera: its growth with squared depth [1/m], shares of holes and of flying edges.

    A ``model`` of the simulation replaces them.
    """

    growth: float = 0.0
    holes: float = 0.0
    flying: float = 0.0
    model: SensorModel | None = None

    def measure(self, image: "Image", rng: np.random.Generator) -> NDArray[np.float32]:
        """Return a noisy image; flying pixels lie between the surfaces at an edge, holes are 0."""
        depth = image.view.depth
        if self.model is not None:
            return self.model.measure_depth(depth, image.rgb, image.view.intrinsics.K, rng)
        noisy = depth.astype(np.float64)
        if self.flying:
            low, high = ndimage.minimum_filter(noisy, 3), ndimage.maximum_filter(noisy, 3)
            at_edge = (high - low > 0.05) & (rng.random(depth.shape) < self.flying)
            noisy = np.where(at_edge, low + rng.random(depth.shape) * (high - low), noisy)
        noisy += rng.normal(0.0, 1.0, depth.shape) * self.growth * np.square(depth)
        noisy[rng.random(depth.shape) < self.holes] = 0.0
        return noisy.astype(np.float32)


SENSORS = {
    "clean": Sensor(),
    "0.1 % z^2, 5 % holes": Sensor(0.001, 0.05, 0.3),
    "0.25 % z^2, 15 % holes": Sensor(0.0025, 0.15, 0.5),
    "0.5 % z^2, 30 % holes": Sensor(0.005, 0.3, 0.5),
    "realsense": Sensor(model=SENSOR_MODELS[SensorName.REALSENSE]),
}


@dataclass(frozen=True)
class Subject:
    """An object that is in full view: kind, centre in map [m], and its tight box."""

    kind: str
    center: tuple[float, float, float]
    box: Box


@dataclass(frozen=True, eq=False)
class Image:
    """A clean view with its colours, and the objects in full view."""

    view: DepthView
    rgb: NDArray[np.uint8]
    subjects: list[Subject]


def run(seed: int = 0) -> list[Row]:
    """One row per sensor and kind of box."""
    images = list(views(int(os.environ.get("VIEWS", "120")), seed))
    found = [row for name, sensor in SENSORS.items() for row in rows(name, sensor, images, seed)]
    summary: Row = {
        "bench": "lift, all boxes",
        "depth": "all",
        "most silent [%]": max(float(row["silent [%]"]) for row in found),
        "rows above 1 % silent": sum(float(row["silent [%]"]) > AIM for row in found),
        "ambiguous [%]": round(float(np.mean([float(row["ambiguous [%]"]) for row in found])), 2),
    }
    return [*found, summary]


def rows(name: str, sensor: Sensor, images: Sequence[Image], seed: int) -> Iterator[Row]:
    """Yield the figures of one sensor."""
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    rng = np.random.default_rng(seed)
    for image in images:
        view = replace(image.view, depth=sensor.measure(image, rng))
        for subject in image.subjects:
            for case, box in boxes(subject.box, rng):
                tallies[case].add(view, subject, box)
    for case, tally in tallies.items():
        yield {"bench": "lift, boxes", "depth": name, "box": case, **tally.figures()}


def boxes(tight: Box, rng: np.random.Generator) -> Iterator[tuple[str, Box]]:
    """Yield the scaled and the shifted boxes of a tight one."""
    x, y = (tight.x_min + tight.x_max) / 2.0, (tight.y_min + tight.y_max) / 2.0
    w, h = (tight.x_max - tight.x_min) / 2.0, (tight.y_max - tight.y_min) / 2.0
    for scale in SCALES:
        yield f"scale {scale}", Box(x - scale * w, y - scale * h, x + scale * w, y + scale * h)
    for shift in SHIFTS:
        dx, dy = (rng.choice([-2.0, 2.0], 2) * shift * np.array([w, h])).tolist()
        yield f"shift {shift}", Box(x - w + dx, y - h + dy, x + w + dx, y + h + dy)


class Tally:
    """Errors of one kind of box."""

    def __init__(self) -> None:
        self.errors: list[float] = []
        self.refused = self.flagged = self.silent = self.by_mean = 0
        self.seconds = 0.0
        self.deviations: list[float] = []

    def add(self, view: DepthView, subject: Subject, box: Box) -> None:
        """Lift one box and judge it."""
        self.by_mean += mean_depth_error(view, box, subject.center) > WRONG
        began = time.thread_time()
        try:
            lifted = lift(view, Detection(box, subject.kind, 0.9), DepthModel())
        except LiftRefused:
            self.refused += 1
            return
        finally:
            self.seconds += time.thread_time() - began
        error = math.dist(lifted.pose.position, subject.center)
        self.errors.append(error)
        self.deviations.append(math.sqrt(float(np.linalg.eigvalsh(lifted.covariance)[-1])))
        self.flagged += is_flagged(lifted)
        self.silent += error > WRONG and not is_flagged(lifted) and not covers(lifted, subject.center)

    def figures(self) -> Row:
        """Summary of the errors."""
        count = len(self.errors) + self.refused
        median, high = np.percentile(self.errors or [math.nan], (50, 95))
        return {
            "boxes": count,
            "median [cm]": round(100.0 * float(median), 2),
            "p95 [cm]": round(100.0 * float(high), 2),
            "above 5 cm [%]": round(100.0 * sum(error > WRONG for error in self.errors) / count, 2),
            "ambiguous [%]": round(100.0 * self.flagged / count, 2),
            "refused [%]": round(100.0 * self.refused / count, 2),
            "silent [%]": round(100.0 * self.silent / count, 2),
            "largest standard deviation, median [cm]": round(100.0 * float(np.median(self.deviations)), 2),
            "baseline: above 5 cm [%]": round(100.0 * self.by_mean / count, 1),
            "lift [ms]": round(1e3 * self.seconds / count, 3),
        }


def is_flagged(lifted: LiftedObject) -> bool:
    """Tell if the lift says that another depth is possible."""
    return bool(getattr(lifted, "ambiguous", False))


def covers(lifted: LiftedObject, truth: tuple[float, float, float]) -> bool:
    """Tell if the reported covariance covers the error."""
    error = np.subtract(lifted.pose.position, truth)
    return float(error @ np.linalg.solve(lifted.covariance, error)) <= SIGMAS**2


def mean_depth_error(view: DepthView, box: Box, truth: tuple[float, float, float]) -> float:
    """Error of the mean depth of a box on the ray of its centre [m]."""
    inside = box.clipped(view.intrinsics.width, view.intrinsics.height)
    if inside is None:
        return math.inf
    patch = view.depth[int(inside.y_min) : int(inside.y_max) + 1, int(inside.x_min) : int(inside.x_max) + 1]
    known = patch[patch > 0.0]
    center = np.array([[(box.x_min + box.x_max) / 2.0, (box.y_min + box.y_max) / 2.0]])
    point = view.intrinsics.rays(center)[0] * (float(known.mean()) if len(known) else 0.0)
    return math.dist((view.T_map_camera[:3, :3] @ point + view.camera_position).tolist(), truth)


def views(count: int, seed: int) -> Iterator[Image]:
    """Yield clean views of the home with the objects in full view."""
    world = SimWorldModel.load(load_scene(memory_lift.SCENE), seed)
    rng = np.random.default_rng(seed)
    renderer = SceneView(world.model, WIDTH, HEIGHT, shadows=False)
    labels = InstanceLabels(world)
    K = intrinsics(WIDTH, HEIGHT, float(world.model.vis.global_.fovy))
    open_objects = [o for o in world.objects.values() if world.support_of(o.id) not in memory_lift.HIDDEN]
    try:
        for number in range(count):
            target = open_objects[number % len(open_objects)]
            camera, T = memory_lift.random_camera(world.T_world(target.body)[:3, 3], rng)
            renderer.update(world.data, camera)
            rgb, depth = renderer.render()
            renderer.update(world.data, camera)
            instances = np.append(labels.of_geom, np.uint16(0))[renderer.render_geom_ids()]
            view = DepthView("free", 0.0, depth, Intrinsics(K, WIDTH, HEIGHT), T)
            yield Image(view, rgb.copy(), subjects(world, instances, labels))
    finally:
        renderer.close()


def subjects(world: SimWorldModel, instances: NDArray[np.uint16], labels: InstanceLabels) -> list[Subject]:
    """Objects that show in full extent."""
    found = []
    for item in world.objects.values():
        box = memory_lift.tight_box(instances == labels.ids[item.id], ENOUGH_PIXELS)
        if box is not None:
            x, y, z = world.T_world(item.body)[:3, 3].tolist()
            found.append(Subject(item.kind, (x, y, z), box))
    return found
