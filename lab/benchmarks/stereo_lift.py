"""Lift of detections with the depth of stereo cameras: real tables, and renders with a RealSense's ramps.

A box of the true size, and larger ones, as a detector draws them; beside the median depth of the box, and a
lift that is told the true pixels of the object: what is left then is of the depths and of shapes.
VIEWS=n: renders, else 220. SEED=n: home and camera poses, else 0.
"""

import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import mujoco
import numpy as np

from openral_core.arrays import Mask, Transform, Vector3
from openral_core.detectors import Box, Detection
from openral_sim.rendering.camera import InstanceLabels, intrinsics
from openral_sim.rendering.renderer import SceneView
from openral_sim.rendering.sensor import PERFECT, SENSORS, SensorModel, SensorName
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel
from openral_testing.real_data import find_real_data
from openral_testing.synthetic_depth import look_at_pose
from openral_world_state import lifting
from openral_world_state.box_depth import quantile, window_around
from openral_world_state.box_segmentation import Patch, horizontal_surfaces, segment_of
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.lifting import DepthModel, LiftRefused, estimate_extent, lift

Row = dict[str, str | float]
SCENE = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"
WIDTH, HEIGHT, LEAST_PIXELS, BORDER = 640, 480, 150, 3  # [px]
HIDDEN = ("fridge", "cabinet")
SCALES = (1.0, 1.2, 1.5, 1.8)  # Of a box [1].
FARTHEST = 2.5  # [m]
WRONG = 0.05  # [m]
REALSENSE = SENSORS[SensorName.REALSENSE]
RENDERED: dict[str, SensorModel] = {
    "renders": PERFECT,
    "renders, ramps alone": replace(PERFECT, ramp=REALSENSE.ramp),
    "renders, realsense": REALSENSE,
}


@dataclass(frozen=True)
class BoxedObject:
    """An object in a depth image: its pixels, shape (H, W), tight box [px] and true centre in map [m]."""

    view: DepthView
    mask: Mask
    box: Box
    center: Vector3


def run() -> list[Row]:
    """One row per source and scale of the box."""
    views, seed = int(os.environ.get("VIEWS", "220")), int(os.environ.get("SEED", "0"))
    sources = {name: list(rendered(sensor, views, seed)) for name, sensor in RENDERED.items()}
    folder = find_real_data(Path(__file__).parents[2])
    if folder is not None:
        sources["rgbd_table"] = list(table(folder / "rgbd_table"))
    return [row(name, objects, scale) for name, objects in sources.items() for scale in SCALES]


def row(name: str, objects: list[BoxedObject], scale: float) -> Row:
    """Errors at one scale of the box; an ambiguous lift is no silent error."""
    errors, silent, ambiguous, baseline, informed = list[float](), 0, 0, list[float](), list[float]()
    for each in objects:
        box = scaled(each.box, scale)
        baseline.append(math.dist(median_depth(each.view, box), each.center))
        informed.append(math.dist(lifted_pixels(each, box), each.center))
        try:
            lifted = lift(each.view, Detection(box, "it", 0.9), DepthModel())
        except LiftRefused:
            continue
        errors.append(math.dist(lifted.pose.position, each.center))
        silent += errors[-1] > WRONG and not lifted.ambiguous
        ambiguous += lifted.ambiguous
    return {
        "bench": "lift",
        "case": f"{name}, box x{scale:g}",
        "views": len(objects),
        "median [cm]": round(100 * float(np.median(errors)), 2),
        "p95 [cm]": round(100 * float(np.percentile(errors, 95)), 2),
        "unflagged above 5 cm [%]": round(100 * silent / len(objects), 1),
        "ambiguous [%]": round(100 * ambiguous / len(objects), 1),
        "baseline: median depth, median [cm]": round(100 * float(np.median(baseline)), 2),
        "baseline: above 5 cm [%]": round(100 * float(np.mean(np.array(baseline) > WRONG)), 1),
        "true pixels: median [cm]": round(100 * float(np.median(informed)), 2),
        "true pixels: above 5 cm [%]": round(100 * float(np.mean(np.array(informed) > WRONG)), 1),
    }


def lifted_pixels(each: BoxedObject, box: Box) -> Vector3:
    """Lift the true pixels of an object as `lift` does those that it chooses, to its centre in map [m]."""
    inner = box.clipped(each.view.intrinsics.width, each.view.intrinsics.height) or box
    window = window_around(each.view, inner, DepthModel().samples).smoothed().without_ramps()
    mask = each.mask[np.ix_(window.rows.astype(int), window.columns.astype(int))] & ~np.isnan(window.depth)
    if not mask.any():
        return median_depth(each.view, box)
    lowest = quantile(window.heights[mask], 0.02)
    levels = [level for level in horizontal_surfaces(window) if abs(level - lowest) < WRONG]
    segment = segment_of(window, Patch(mask, levels[0] if levels else lowest))
    return lifting.center_by_box(window, box, lifting.fit_extent(segment, window, box))


def scaled(box: Box, scale: float) -> Box:
    """Scale a box about its centre."""
    x, y = (box.x_min + box.x_max) / 2.0, (box.y_min + box.y_max) / 2.0
    w, h = scale * (box.x_max - box.x_min) / 2.0, scale * (box.y_max - box.y_min) / 2.0
    return Box(x - w, y - h, x + w, y + h)


def median_depth(view: DepthView, box: Box) -> Vector3:
    """Point of the box's centre at the median depth of the box, in map [m]."""
    height, width = view.depth.shape
    inner = box.clipped(width, height) or box
    patch = view.depth[int(inner.y_min) : int(inner.y_max) + 1, int(inner.x_min) : int(inner.x_max) + 1]
    depth = float(np.median(patch[patch > 0])) if (patch > 0).any() else 0.0
    pixel = np.array([[(box.x_min + box.x_max) / 2.0, (box.y_min + box.y_max) / 2.0]])
    ray = view.intrinsics.rays(pixel)[0] * depth
    return np.asarray(view.T_map_camera[:3, :3] @ ray + view.camera_position)


def rendered(sensor: SensorModel, views: int, seed: int) -> Iterator[BoxedObject]:
    """Objects of a home from random sides, within reach of a stereo camera."""
    world, rng = SimWorldModel.load(load_scene(SCENE), seed), np.random.default_rng(seed)
    errors = np.random.default_rng(seed)
    scene, labels = SceneView(world.model, WIDTH, HEIGHT, shadows=False), InstanceLabels(world)
    K = intrinsics(WIDTH, HEIGHT, float(world.model.vis.global_.fovy))
    targets = [item for item in world.objects.values() if world.support_of(item.id) not in HIDDEN]
    for number in range(views):
        camera, T = random_camera(world.T_world(targets[number % len(targets)].body)[:3, 3], rng)
        scene.update(world.data, camera)
        rgb, depth = scene.render()
        scene.update(world.data, camera)
        instances = np.append(labels.of_geom, np.uint16(0))[scene.render_geom_ids()]
        measured = depth if sensor == PERFECT else sensor.measure_depth(depth, rgb, K, errors)
        view = DepthView("free", 0.0, measured, Intrinsics(K, WIDTH, HEIGHT), T)
        for item in world.objects.values():
            center, mask = world.T_world(item.body)[:3, 3].copy(), instances == labels.ids[item.id]
            box = tight_box(mask)
            if box is not None and math.dist(center, T[:3, 3]) < FARTHEST:
                yield BoxedObject(view, mask, box, center)
    scene.close()


def tight_box(mask: Mask, least: int = LEAST_PIXELS) -> Box | None:
    """Box of a mask of at least ``least`` pixels, None if it touches the image's border."""
    if mask.sum() < least:
        return None
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    y_min, y_max, x_min, x_max = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    height, width = mask.shape
    inside = y_min > BORDER and x_min > BORDER and y_max < height - BORDER and x_max < width - BORDER
    return Box(float(x_min), float(y_min), float(x_max), float(y_max)) if inside else None


def random_camera(target: Vector3, rng: np.random.Generator) -> tuple[mujoco.MjvCamera, Transform]:
    """A free camera about as high as a robot's head that looks towards a point, and its T_map_camera."""
    distance, elevation = rng.uniform(0.7, 2.2), rng.uniform(-45.0, -8.0)
    azimuth = rng.uniform(-180.0, 180.0)
    camera = mujoco.MjvCamera()
    camera.type = mujoco.mjtCamera.mjCAMERA_FREE
    camera.lookat[:] = target + rng.uniform(-0.15, 0.15, 3)
    camera.distance, camera.elevation, camera.azimuth = distance, elevation, azimuth
    a, e = math.radians(azimuth), math.radians(elevation)
    forward = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    eye = camera.lookat - distance * forward
    x, y, z = eye.tolist()
    u, v, w = camera.lookat.tolist()
    return camera, look_at_pose((x, y, z), (u, v, w))


def table(folder: Path) -> Iterator[BoxedObject]:
    """Objects of real tables; their centre is that of an upright box around the depths of their mask."""
    for frame in json.loads((folder / "truth.json").read_text()):
        depth, masks = (
            cv2.imread(str(folder / f"{frame['name']}-{kind}.png"), cv2.IMREAD_UNCHANGED)
            for kind in ("depth", "masks")
        )
        fx, fy, cx, cy = frame["K"]
        K = np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])
        metres = (depth * frame["depth_unit_m"]).astype(np.float32)
        height, width = metres.shape
        view = DepthView("table", 0.0, metres, Intrinsics(K, width, height), np.array(frame["T_map_camera"]))
        for item in frame["objects"]:
            x, y, w, h = item["bbox"]
            box = Box(float(x), float(y), float(x + w), float(y + h))
            mask = masks == item["id"]
            yield BoxedObject(view, mask, box, mask_center(view, mask))


def mask_center(view: DepthView, mask: Mask) -> Vector3:
    """Centre of the upright box around the points of a mask without its outline, on z = 0, in map [m]."""
    inner = cv2.erode(mask.view(np.uint8), np.ones((3, 3), np.uint8)).view(bool) & (view.depth > 0)
    whole = Box(0.0, 0.0, float(view.intrinsics.width), float(view.intrinsics.height))
    points = window_around(view, whole, mask.size).points(inner)
    return estimate_extent(points, view.camera_position, 0.0).center
