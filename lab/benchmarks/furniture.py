"""Furniture built from boxes and depth on a tour of sampled homes, against the homes' own furniture.

HOMES=n: homes, else 12. EYES=learned: boxes of the shipped detector instead of the true ones. SENSOR=mild or
realsense: errors of the depth camera. PICTURES=folder: one plan per home.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy.optimize import linear_sum_assignment

from benchmarks.mapping import CAMERA, place, tour_poses
from openral_core.floor_map import FloorMap
from openral_core.home_map import Fixture, Pose2
from openral_mapping.depth_mapper import DepthMapper, PixelRays
from openral_mapping.furniture import MappedPiece, mapped_furniture
from openral_mapping.furniture_kinds import kind_of
from openral_mapping.furniture_tracks import FurnitureMapper
from openral_mapping.furniture_view import FurnitureBox, FurnitureView
from openral_sim.procedural.home import sample_home
from openral_sim.rendering.camera import fixed_camera, intrinsics
from openral_sim.rendering.renderer import SceneView
from openral_sim.rendering.sensor import SENSORS, SensorName
from openral_sim.robot import load_sim_robot
from openral_sim.robot.control import RobotControl
from openral_sim.world import SimWorldModel
from openral_training.data.labels import HomeLabels
from openral_training.data.sheet import detector_in
from openral_world_state.depth_camera import Intrinsics

LONG = True
WIDTH, HEIGHT = 640, 480
NEAR = 0.5
"""Distance of the centres up to which a found piece and a true one may be one [m]."""
SCALE = 4
"""Pixels of a picture per cell of the map [1]."""
LEAST = 300
"""Pixels of an image from which a true box is given [1]."""
ROOT = Path(__file__).parents[2]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Furnished:
    """A home: the furniture that was seen, what was found of it, and CPU per image [s]."""

    name: str
    truth: Sequence[Fixture]
    found: Sequence[MappedPiece]
    images: int
    cost: float


def run() -> list[dict[str, object]]:
    """One row per home, and the sums."""
    os.environ["LP_NUM_THREADS"] = "1"
    homes = [furnished(seed, 1 + seed % 4) for seed in range(int(os.environ.get("HOMES", "12")))]
    rows = [figures([home], home.name) for home in homes]
    return [*rows, figures(homes, "all")]


def furnished(seed: int, rooms: int) -> Furnished:
    """Tour a sampled home, and find its furniture."""
    scene = sample_home(seed, rooms)
    world = SimWorldModel.load(scene, 0, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    names = load_sim_robot().names
    control = RobotControl(world.model, world.data, load_sim_robot())
    poses, _ = tour_poses(world, control)
    camera = Eyes(world)
    mapper, furniture = DepthMapper(), FurnitureMapper()
    rays = camera.intrinsics.rays(camera.pixels).reshape(HEIGHT, WIDTH, 3)
    pixel_rays = PixelRays(rays)
    shown: dict[str, int] = {}
    cost = 0.0
    for number, pose in enumerate(poses):
        place(world, pose)
        T = control.T_map_body(names.head_optical_frame)
        depth, boxes, entities = camera.look(number)
        mapper.update(depth, pixel_rays, T, (float(pose[0]), float(pose[1])))
        for entity in entities:
            shown[entity] = shown.get(entity, 0) + 1
        began = time.process_time()
        furniture.update(FurnitureView(depth, rays, camera.intrinsics.project, T, boxes))
        cost += time.process_time() - began
    camera.close()
    truth = [f for f in scene.home.fixtures if shown.get(f.id, 0) >= 3 and kind_of(f.kind)]
    home = Furnished(
        scene.home.name,
        truth,
        mapped_furniture(furniture.tracks, mapper.floor_map()),
        len(poses),
        cost / len(poses),
    )
    if "PICTURES" in os.environ:
        draw(home, mapper, Path(os.environ["PICTURES"]))
    return home


class Eyes:
    """The head camera with boxes of furniture: true ones, or of the shipped detector."""

    def __init__(self, world: SimWorldModel) -> None:
        self._world, self._labels = world, HomeLabels(world)
        self._camera = world.model.camera(CAMERA)
        self._view = SceneView(world.model, WIDTH, HEIGHT, shadows=False)
        K = intrinsics(WIDTH, HEIGHT, float(self._camera.fovy[0]))
        self.intrinsics = Intrinsics(K, WIDTH, HEIGHT)
        self.pixels = np.stack(np.meshgrid(np.arange(float(WIDTH)), np.arange(float(HEIGHT))), -1).reshape(
            -1, 2
        )
        self._sensor = SENSORS[SensorName(os.environ.get("SENSOR", "off"))]
        learned = os.environ.get("EYES") == "learned"
        self._detect = detector_in(ROOT / "rskills" / "home-tiny") if learned else None

    def close(self) -> None:
        """Free the OpenGL context."""
        self._view.close()

    def look(self, number: int) -> tuple[NDArray[np.float32], list[FurnitureBox], list[str]]:
        """Depth [m], boxes of furniture, and the ids of the furniture that is in the image."""
        self._view.update(self._world.data, fixed_camera(self._camera.id))
        rgb, depth, geoms = self._view.render_labelled()
        depth = self._sensor.measure_depth(depth, rgb, self.intrinsics.K, np.random.default_rng(number))
        true, entities = [], []
        instances = self._labels.of_geom[geoms]
        for index, instance in enumerate(self._labels.instances, start=1):
            rows, columns = np.nonzero(instances == index)
            if instance.category.group != "furniture" or len(rows) < LEAST:
                continue
            entities.append(instance.entity)
            left, top, right, bottom = (
                float(end) for end in (columns.min(), rows.min(), columns.max(), rows.max())
            )
            sides = (left - 0.5, top - 0.5, right + 0.5, bottom + 0.5)
            true.append(FurnitureBox(instance.category.name, 1.0, sides))
        if self._detect is None:
            return depth, true, entities
        boxes = [
            FurnitureBox(d.label, d.score, (d.box.x_min, d.box.y_min, d.box.x_max, d.box.y_max))
            for d in self._detect(np.ascontiguousarray(rgb))
            if kind_of(d.label)
        ]
        return depth, boxes, entities


def figures(homes: Sequence[Furnished], name: str) -> dict[str, object]:
    """Pieces found, and the errors of those that match."""
    pairs, found, true, kinds = list[tuple[MappedPiece, Fixture]](), 0, 0, 0
    for home in homes:
        matched = matches(home)
        pairs += matched
        found, true = found + len(home.found), true + len(home.truth)
        kinds += sum(kind_of(fixture.kind) == piece.kind for piece, fixture in matched)
    centres = [float(np.hypot(p.pose.x - f.pose.x, p.pose.y - f.pose.y)) for p, f in pairs]
    yaws = [
        abs((p.pose.yaw - f.pose.yaw + pi) % (2.0 * pi) - pi)
        for p, f in pairs
        if kind_of(f.kind) not in ROUND
    ]
    axes = [min(y % (pi / 2.0), pi / 2.0 - y % (pi / 2.0)) for y in yaws]
    surfaces = [
        min((abs(level.height - s.z) for level in p.levels), default=1.0)
        for p, f in pairs
        for s in f.surfaces
        if f.container is None or not f.container.occludes_contents
    ]
    return {
        "home": name,
        "images": sum(home.images for home in homes),
        "pieces": true,
        "recall [%]": round(100.0 * len(pairs) / max(true, 1), 1),
        "precision [%]": round(100.0 * len(pairs) / max(found, 1), 1),
        "kind right [%]": round(100.0 * kinds / max(len(pairs), 1), 1),
        "centre [cm]": round(100.0 * float(np.median(centres)), 1) if centres else None,
        "axes [deg]": round(float(np.degrees(np.median(axes))), 1) if axes else None,
        "front right [%]": round(100.0 * float(np.mean(np.array(yaws) < pi / 4.0)), 1) if yaws else None,
        "surface [cm]": round(100.0 * float(np.median(surfaces)), 1) if surfaces else None,
        "surfaces found [%]": round(100.0 * float(np.mean(np.array(surfaces) < 0.05)), 1)
        if surfaces
        else None,
        "image [ms]": round(1000.0 * float(np.mean([home.cost for home in homes])), 1),
    }


ROUND = ("lamp", "plant")
"""Kinds without a front."""


def matches(home: Furnished) -> list[tuple[MappedPiece, Fixture]]:
    """Pair found and true pieces of like kind one to one, the nearest first."""
    cost = np.full((len(home.found), len(home.truth)), 1e3)
    for row, piece in enumerate(home.found):
        for column, fixture in enumerate(home.truth):
            distance = float(np.hypot(piece.pose.x - fixture.pose.x, piece.pose.y - fixture.pose.y))
            if distance <= NEAR:
                cost[row, column] = distance + (0.0 if piece.kind == kind_of(fixture.kind) else 0.3)
    rows, columns = linear_sum_assignment(cost)
    return [(home.found[r], home.truth[c]) for r, c in zip(rows, columns, strict=True) if cost[r, c] < 1e3]


def draw(home: Furnished, mapper: DepthMapper, folder: Path) -> None:
    """Draw the floor with true pieces in grey and found ones in colour, their fronts marked."""
    floor = mapper.floor_map()
    shades = np.select([floor.free, floor.occupied], [255, 150], 210).astype(np.uint8)[::-1]
    picture = Image.fromarray(np.kron(shades, np.ones((SCALE, SCALE), np.uint8))).convert("RGB")
    pen = ImageDraw.Draw(picture)
    for fixture in home.truth:
        _outline(pen, floor, (fixture.pose, fixture.depth, fixture.width), (90, 90, 90), "")
    right = {piece.id: kind_of(fixture.kind) == piece.kind for piece, fixture in matches(home)}
    for piece in home.found:
        colour = ((0, 130, 60) if right[piece.id] else (220, 130, 0)) if piece.id in right else (210, 30, 30)
        _outline(pen, floor, (piece.pose, piece.depth, piece.width), colour, piece.id)
    folder.mkdir(parents=True, exist_ok=True)
    rows, columns = (np.flatnonzero(floor.free.any(axis=axis)) for axis in (1, 0))
    top, left = (floor.cells.shape[0] - rows.max() - 20) * SCALE, (columns.min() - 20) * SCALE
    bottom, right_end = (floor.cells.shape[0] - rows.min() + 20) * SCALE, (columns.max() + 20) * SCALE
    picture.crop((int(left), int(top), int(right_end), int(bottom))).save(folder / f"{home.name}.png")


def _outline(
    pen: ImageDraw.ImageDraw,
    floor: FloorMap,
    shape: tuple[Pose2, float, float],
    colour: tuple[int, int, int],
    text: str,
) -> None:
    pose, depth, width = shape
    signs = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    points = [_pixel(floor, *pose.to_parent(a * depth, b * width)) for a, b in signs]
    pen.polygon(points, outline=colour)
    pen.line([points[1], points[2]], fill=colour, width=3)
    pen.text(_pixel(floor, pose.x, pose.y), text, fill=colour)


def _pixel(floor: FloorMap, x: float, y: float) -> tuple[float, float]:
    scale = SCALE / floor.resolution
    return (x - floor.origin.x) * scale, (
        floor.cells.shape[0] * floor.resolution - y + floor.origin.y
    ) * scale
