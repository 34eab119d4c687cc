"""Position error of lifted objects against the simulation, over random views (VIEWS=n, 500)."""

import math
import os
import time
from collections import defaultdict
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from benchmarks import lift_accuracy
from openral_core.detectors import Box, Detection
from openral_sim.rendering.camera import InstanceLabels, intrinsics
from openral_sim.rendering.renderer import SceneView
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel
from openral_testing.synthetic_depth import Cylinder, Plane, Solid, look_at_pose, render_depth
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.lifting import DepthModel, LiftRefused, lift

Row = dict[str, str | float]
SCENE = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"
WIDTH, HEIGHT, LEAST_PIXELS, BORDER = 640, 480, 150, 3  # [px]
HIDDEN = ("fridge", "cabinet")


def run(seed: int = 0) -> list[Row]:
    """Error per class of object [cm], and the time of one lift."""
    views = int(os.environ.get("VIEWS", "500"))
    world = SimWorldModel.load(load_scene(SCENE), seed)
    errors: defaultdict[str, list[float]] = defaultdict(list)
    times: list[float] = []
    for name, error, took in _lifts(world, views, np.random.default_rng(seed)):
        errors[name].append(error)
        times.append(took)
    rows = [_row(name, group) for name, group in sorted(errors.items())]
    rows.append(_row("all", [error for group in errors.values() for error in group]))
    rows.append(
        {"bench": "lift", "case": "one box, 640x480", "median [ms]": round(1e3 * float(np.median(times)), 3)}
    )
    rows += [*lift_accuracy.rows(30, seed), _cup_before_wall()]
    return rows


def _row(name: str, errors: list[float]) -> Row:
    median, high = np.percentile(errors, (50, 95))
    return {
        "bench": "lift",
        "case": name,
        "views": len(errors),
        "median [cm]": round(100 * float(median), 2),
        "p95 [cm]": round(100 * float(high), 2),
    }


def _lifts(world: SimWorldModel, views: int, rng: np.random.Generator) -> list[tuple[str, float, float]]:
    view_of = SceneView(world.model, WIDTH, HEIGHT, shadows=False)
    labels = InstanceLabels(world)
    K = intrinsics(WIDTH, HEIGHT, float(world.model.vis.global_.fovy))
    errors = []
    try:
        targets = [item for item in world.objects.values() if world.support_of(item.id) not in HIDDEN]
        for number in range(views):
            target = targets[number % len(targets)]
            camera, T = random_camera(world.T_world(target.body)[:3, 3], rng)
            view_of.update(world.data, camera)
            _, depth = view_of.render()
            view_of.update(world.data, camera)
            instances = np.append(labels.of_geom, np.uint16(0))[view_of.render_geom_ids()]
            view = DepthView("free", 0.0, depth, Intrinsics(K, WIDTH, HEIGHT), T)
            errors += _errors(world, view, instances, labels)
    finally:
        view_of.close()
    return errors


def _errors(
    world: SimWorldModel, view: DepthView, instances: NDArray[np.uint16], labels: InstanceLabels
) -> list[tuple[str, float, float]]:
    """Of every object that shows in full extent: class, error [m] and time [s]."""
    errors = []
    for item in world.objects.values():
        box = tight_box(instances == labels.ids[item.id])
        if box is None:
            continue
        began = time.thread_time()
        try:
            lifted = lift(view, Detection(box, item.phrase, 0.9), DepthModel())
        except LiftRefused:
            continue
        took = time.thread_time() - began
        truth = world.T_world(item.body)[:3, 3]
        errors.append((item.kind, math.dist(lifted.pose.position, truth), took))
    return errors


def tight_box(mask: NDArray[np.bool_], least: int = LEAST_PIXELS) -> Box | None:
    """Box of a mask of at least ``least`` pixels, None if it touches the image's border."""
    if mask.sum() < least:
        return None
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    y_min, y_max, x_min, x_max = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    height, width = mask.shape
    inside = y_min > BORDER and x_min > BORDER and y_max < height - BORDER and x_max < width - BORDER
    return Box(float(x_min), float(y_min), float(x_max), float(y_max)) if inside else None


def random_camera(
    target: NDArray[np.float64], rng: np.random.Generator
) -> tuple[mujoco.MjvCamera, NDArray[np.float64]]:
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


def _cup_before_wall() -> Row:
    """Ten boxes on a 640x480 image of a cup at 1 m before a wall at 2 m."""
    bodies: dict[str, Solid] = {
        "cup": Cylinder((1.0, 0.0, 1.0), 0.04, 0.1, hollow=True),
        "_wall": Plane((1.0, 0.0, 0.0), 2.0),
    }
    shot = render_depth(bodies, look_at_pose((0.0, 0.0, 1.0), (1.0, 0.0, 1.0)))
    detection = Detection(shot.boxes["cup"], "cup", 0.9)
    times = []
    for _ in range(30):
        began = time.thread_time()
        lifted = [lift(shot.view, detection, DepthModel()) for _ in range(10)]
        times.append(time.thread_time() - began)
    error = math.dist(lifted[0].pose.position, (1.0, 0.0, 1.0))
    box = shot.boxes["cup"]
    mean = shot.view.depth[int(box.y_min) : int(box.y_max), int(box.x_min) : int(box.x_max)].mean()
    return {
        "bench": "lift",
        "case": "10 boxes, cup before wall",
        "median [ms]": round(1e3 * float(np.median(times)), 2),
        "error [cm]": round(100 * error, 2),
        "baseline: mean depth, error [cm]": round(100 * abs(float(mean) - 1.0), 1),
    }
