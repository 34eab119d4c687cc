"""Floor built from depth images on a tour of sampled homes, against the model's geometry.

The simulation's planner chooses the tour: a turn at every place, and an image every half metre between
them. HOMES=n: homes, else 12; PICTURES=folder: one image per home, the map after each quarter of its tour.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, pi
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt, label
from scipy.spatial import ConvexHull

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.home_map import HomeMap
from openral_mapping.floor.depth_mapper import DepthMapper, PixelRays
from openral_sim.planning.base_planner import plan_from
from openral_sim.planning.occupancy_grid import MAX_HEIGHT, MIN_HEIGHT, bounding_corners, rasterise
from openral_sim.rendering.camera import CameraRenderer
from openral_sim.robot.control import RobotControl
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.world import SimWorldModel
from openral_training.homes.home import sample_home
from openral_world_state.depth_camera import Intrinsics

WIDTH, HEIGHT = 160, 120  # [px]
CLEARANCE = 0.33  # [m]
TILT = 0.35  # [rad]
LOOKS = 8  # Directions at each place [count].
STRIDE = 0.5  # Way between two images [m].
CAMERA = "robot/head"


@dataclass(frozen=True)
class Tour:
    """A mapped home: its map after each quarter of the tour, the truth on its last cells, and the way [m]."""

    home: HomeMap
    stages: tuple[FloorMap, ...]
    walls: FloorMap
    occupied: NDArray[np.bool_]
    reachable: NDArray[np.bool_]
    way: float
    images: int


def run() -> list[dict[str, object]]:
    """Cost of an update, then one row per home, and the worst and the mean of all."""
    os.environ["LP_NUM_THREADS"] = "1"
    rows = [update_cost()]
    measured = [mapped(seed, 1 + seed % 4) for seed in range(int(os.environ.get("HOMES", "12")))]
    figures = [(home_figures(tour)) for tour in measured]
    for name, choose in (("mean", np.mean), ("worst", None)):
        hits, false = (
            np.array([float(str(row[key])) for row in figures]) for key in ("seen [%]", "false [%]")
        )
        best = choose or np.min, choose or np.max
        figures.append({"home": name, "seen [%]": float(best[0](hits)), "false [%]": float(best[1](false))})
    return rows + figures


def home_figures(tour: Tour) -> dict[str, object]:
    """Reachable floor that the map shows as free, and cells that it shows as free within an obstacle."""
    final = tour.stages[-1]
    false = final.free & tour.occupied
    return {
        "home": tour.home.name,
        "rooms": len(tour.home.rooms),
        "way [m]": round(tour.way, 1),
        "images": tour.images,
        "seen [%]": 100.0 * float(final.free[tour.reachable].mean()),
        "false [%]": 100.0 * float(false.sum() / final.free.sum()),
    }


def mapped(seed: int, rooms: int) -> Tour:
    """Drive the tour of a sampled home and map it."""
    scene = sample_home(seed, rooms)
    world = SimWorldModel.load(scene, 0, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    names = load_sim_robot().names
    control = RobotControl(world.model, world.data, load_sim_robot())
    poses, way = tour_poses(world, control)
    mapper, stages = DepthMapper(), list[FloorMap]()
    with CameraRenderer(world, CAMERA, WIDTH, HEIGHT, shadows=False) as camera:
        rays = pixel_rays(camera.K, WIDTH, HEIGHT)
        for number, pose in enumerate(poses, start=1):
            place(world, pose)
            T = control.T_map_body(names.head_optical_frame)
            mapper.update(camera.render().depth, rays, T, (float(pose[0]), float(pose[1])))
            if number * 4 // len(poses) > (number - 1) * 4 // len(poses):
                stages.append(mapper.floor_map())
    occupied = true_occupancy(world, control.bodies, stages[-1])
    reachable = reachable_floor(occupied, stages[-1], poses[0][:2])
    tour = Tour(scene.home, tuple(stages), mapper.wall_map(), occupied, reachable, way, len(poses))
    if "PICTURES" in os.environ:
        draw_stages(tour, Path(os.environ["PICTURES"]))
    return tour


def place(world: SimWorldModel, pose: NDArray[np.float64], tilt: float = TILT) -> None:
    """Put the base at a pose (x, y, yaw), with the head's tilt [rad] as it drives, or another."""
    for joint, value in zip(load_sim_robot().names.base_joints, pose, strict=True):
        world.data.joint(joint).qpos = value
    world.data.joint(load_sim_robot().names.head_joints[1]).qpos = tilt
    mujoco.mj_forward(world.model, world.data)


def pixel_rays(K: NDArray[np.float64], width: int, height: int) -> PixelRays:
    """Rays of a pinhole camera, as the mapper uses them."""
    return PixelRays(camera_rays(K, width, height))


def camera_rays(K: NDArray[np.float64], width: int, height: int) -> NDArray[np.float64]:
    """Rays of a pinhole camera's pixels at depth 1, shape (H, W, 3)."""
    return Intrinsics(K, width, height).image_rays()


def tour_poses(world: SimWorldModel, control: RobotControl) -> tuple[list[NDArray[np.float64]], float]:
    """Poses of a tour of all places, the nearest next, and its length [m]."""
    grid = rasterise(world.model, world.data, control.bodies)
    at, poses, way = control.base_pose[:2], list[NDArray[np.float64]](), 0.0
    unvisited = {place.id: np.array([place.pose.x, place.pose.y]) for place in world.places.values()}
    poses += turn(at)
    while unvisited:
        field = plan_from(grid, at, CLEARANCE)
        goals = {name: field.nearest_reachable(xy, 0.45) for name, xy in unvisited.items()}
        costs = {name: field.cost_at(xy) for name, xy in goals.items() if np.isfinite(xy).all()}
        if not costs:
            break
        name = min(costs, key=lambda each: costs[each])
        path = field.path_to(goals[name])
        way += float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
        poses += along(path)
        at = goals[name]
        poses += turn(at)
        del unvisited[name]
    return poses, way


def turn(at: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """A turn on the spot."""
    return (np.array([*at, yaw]) for yaw in np.arange(LOOKS) * 2.0 * pi / LOOKS)


def along(path: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Poses on a path, facing ahead."""
    for start, end in pairwise(path):
        length = float(np.linalg.norm(end - start))
        yaw = atan2(*(end - start)[::-1])
        for part in np.arange(0.0, length, STRIDE) / max(length, 1e-9):
            yield np.array([*(start + part * (end - start)), yaw])


def true_occupancy(world: SimWorldModel, ignored: frozenset[int], floor: FloorMap) -> NDArray[np.bool_]:
    """Cells whose centre lies within an obstacle's outline."""
    model, data = world.model, world.data
    collides = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    solid = np.flatnonzero(collides & ~np.isin(model.geom_bodyid, list(ignored)))
    rows, columns = np.meshgrid(*map(np.arange, floor.cells.shape), indexing="ij")
    centres, occupied = floor.centres(rows, columns), np.zeros(floor.cells.shape, bool)
    for geom in solid:
        corners = bounding_corners(model, data, int(geom))
        if corners[:, 2].min() >= MAX_HEIGHT or corners[:, 2].max() <= MIN_HEIGHT:
            continue
        hull = ConvexHull(
            corners[:, :2] + 1e-6 * np.random.default_rng(0).normal(size=(8, 2)), qhull_options="QJ"
        )
        low, high = (floor.cell(end(corners[:, :2], axis=0)) for end in (np.min, np.max))
        part = slice(max(low[0], 0), high[0] + 1), slice(max(low[1], 0), high[1] + 1)
        signed = centres[part] @ hull.equations[:, :2].T + hull.equations[:, 2]
        occupied[part] |= (signed <= 0.0).all(axis=-1)
    return occupied


def reachable_floor(
    occupied: NDArray[np.bool_], floor: FloorMap, start: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Cells that the robot's centre can reach."""
    free = distance_transform_edt(~occupied) * floor.resolution >= CLEARANCE
    components = np.asarray(label(free, np.ones((3, 3)))[0])
    row, column = floor.cell(start)
    return np.asarray((components == components[row, column]) & free)


def update_cost() -> dict[str, object]:
    """CPU time of the update with an image of 640x480 px, against drawing its points without any rays."""
    scene = sample_home(1, 2)
    world = SimWorldModel.load(scene, 0, load_sim_robot())
    place(world, RobotControl(world.model, world.data, load_sim_robot()).base_pose)
    with CameraRenderer(world, CAMERA, 640, 480, shadows=False) as camera:
        depth, rays = camera.render().depth, pixel_rays(camera.K, 640, 480)
        every = np.ascontiguousarray(
            Intrinsics(camera.K, 640, 480).rays(np.indices((480, 640))[::-1].reshape(2, -1).T.astype(float))
        )
    T = RobotControl(world.model, world.data, load_sim_robot()).T_map_body(
        load_sim_robot().names.head_optical_frame
    )
    mapper = DepthMapper()
    ours = cpu_time(lambda: mapper.update(depth, rays, T))
    baseline = cpu_time(lambda: points_alone(depth, every, T))
    return {
        "home": "update 640x480",
        "update [ms]": 1e3 * ours,
        "points alone [ms]": 1e3 * baseline,
        "ratio": ours / baseline,
    }


def points_alone(
    depth: NDArray[np.float32], rays: NDArray[np.float64], T: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Transform every pixel and count the points of each cell: no thinning, no free space."""
    points = (rays * depth.reshape(-1, 1)) @ T[:3, :3].T + T[:3, 3]
    slab = points[(points[:, 2] > MIN_HEIGHT) & (points[:, 2] < MAX_HEIGHT)]
    return np.histogram2d(slab[:, 0], slab[:, 1], bins=200)[0]


def cpu_time(call: object, count: int = 15) -> float:
    """Median CPU time of a call [s]."""
    spent = []
    for _ in range(count):
        began = time.process_time()
        call()  # type: ignore[operator]
        spent.append(time.process_time() - began)
    return float(np.median(spent))


def draw_stages(tour: Tour, folder: Path) -> None:
    """Write the map after each quarter of the tour side by side."""
    from PIL import Image

    shades = {UNKNOWN: 160, FREE: 255, OCCUPIED: 0}
    last = tour.stages[-1].cells.shape
    mapped = np.nonzero(tour.stages[-1].cells != UNKNOWN)
    down, across = (slice(int(index.min()) - 4, int(index.max()) + 5) for index in mapped)
    images = []
    for stage in tour.stages:
        image = np.full(last, 160, np.uint8)
        offset = stage.cell(np.array([tour.stages[-1].origin.x + 0.01, tour.stages[-1].origin.y + 0.01]))
        for value, shade in shades.items():
            rows, columns = np.nonzero(stage.cells == value)
            image[rows - offset[0], columns - offset[1]] = shade
        images.append(np.pad(image[down, across][::-1], 2, constant_values=90))
    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.hstack(images)).save(folder / f"{tour.home.name}_map.png")
