"""Exploration of sampled homes from nothing but depth and poses, against a tour of the drawn home.

The robot starts with an empty map and knows no room. `openral_mapping.exploration` chooses its views; ways
are planned on the perceived floor, and images are taken every half metre of way and at each look. Then goals
drawn from the floor that the model calls reachable are planned on both floors. HOMES=n: homes, else 12;
FIRST=n: seed of the first, else 0; ROOMS=n: most rooms of a home, else 4. DRIFT=mild: the odometry drifts,
and images are matched with those before; MATCH=0: they are not. SENSORS=mild or realsense: errors of depth.
PICTURES=folder: one image per home, the map after each quarter of the views.
"""

import os
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot, pi
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.mapping import (
    CAMERA,
    CLEARANCE,
    HEIGHT,
    WIDTH,
    Tour,
    along,
    camera_rays,
    draw_stages,
    home_figures,
    pixel_rays,
    place,
    reachable_floor,
    tour_poses,
    true_occupancy,
)
from openral_core.floor_map import FloorMap
from openral_core.geometry import planar_part, wrap_angle, yaw_matrix
from openral_household_benchmark.own_map import body_lines_of
from openral_mapping.depth_mapper import DepthMapper
from openral_mapping.exploration import View, explore
from openral_mapping.robot_body import without_body
from openral_mapping.scan_matching import ScanMatcher
from openral_sim.choices import DriftName
from openral_sim.odometry import DRIFTS, Localisation
from openral_sim.planning.base_planner import NoBasePath, plan_from
from openral_sim.planning.occupancy_grid import rasterise
from openral_sim.planning.perceived_floor import perceived_grid
from openral_sim.procedural.home import sample_home
from openral_sim.rendering import CameraRenderer
from openral_sim.rendering.sensor import SENSORS, SensorName
from openral_sim.robot import load_sim_robot
from openral_sim.robot.control import RobotControl
from openral_sim.world import SimWorldModel

TILTS = (0.35, 1.0)
"""Tilts of a look [rad]: the floor from 1.25 m on, and from 0.12 m to 2.4 m."""
LOOK_IMAGES = 4
"""Images of a look [1]: the mapper's rays take turns in four."""
SPEED, TURN_RATE, LOOK_TIME = 0.5, 1.0, 0.8
"""Mean speed [m/s] and turn rate [rad/s] of the base, and time of a look at 5 images/s [s]."""
GOALS = 40
"""Goals per home [1]."""
IMAGE_PERIOD = 0.2
"""Time between two images [s]."""
TURN_STEP = 0.2
"""Angle between two images while the base turns [rad]: 5 images/s at 1 rad/s."""
NEAR = 0.45
"""Largest distance of a goal from the floor used instead [m], as NAVIGATE takes it."""

Array = NDArray[np.float64]


@dataclass
class Explorer:
    """A robot with a mapper that is put where it would drive to."""

    world: SimWorldModel
    camera: CameraRenderer
    seed: int = 0
    mapper: DepthMapper = field(default_factory=DepthMapper)
    way: float = 0.0
    turned: float = 0.0
    images: int = 0
    looks: int = 0
    closest: float = float("inf")

    def __post_init__(self) -> None:
        """Look at the model's floor as well, for the distance that was really kept."""
        self.control = RobotControl(self.world.model, self.world.data, load_sim_robot())
        self.truth = rasterise(self.world.model, self.world.data, self.control.bodies)
        self.rays = pixel_rays(self.camera.K, WIDTH, HEIGHT)
        self.pose = self.control.base_pose
        drift = DRIFTS[DriftName(os.environ.get("DRIFT", "off"))]
        self.localisation = Localisation(self.pose, drift, self.seed)
        self.matcher = ScanMatcher()
        self.directions = camera_rays(self.camera.K, WIDTH, HEIGHT)
        self.errors: list[tuple[float, float]] = []

    def look(self, pose: Array, tilt: float, images: int = 1) -> None:
        """Take images from a pose in the robot's map, in steps that it turns between two images."""
        turn = wrap_angle(float(pose[2] - self.pose[2]))
        self.turned += abs(turn)
        self.way += hypot(*(pose[:2] - self.pose[:2]))
        steps = int(abs(turn) / TURN_STEP) + 1 if self.localisation.drifts else 1
        for step in range(1, steps + 1):
            heading = float(pose[2]) - turn * (1 - step / steps)
            self._take_image(np.array([*pose[:2], heading]), tilt, images if step == steps else 1)

    def _take_image(self, pose: Array, tilt: float, images: int) -> None:
        true = np.array(planar_part(self.localisation.T_world_map @ yaw_matrix(*pose)))
        self.closest = min(self.closest, self.truth.clearance_at(true[:2]))
        place(self.world, true, tilt)
        self.localisation.advance(true)
        T_world_camera = self.control.T_map_body(load_sim_robot().names.head_optical_frame)
        body, depths = body_lines_of(self.world, self.control), []
        for _ in range(images):
            self.world.data.time += IMAGE_PERIOD  # errors of depth are drawn by time
            depth, radius = self.camera.render().depth, self.mapper.config.body_radius
            depths.append(without_body(depth, self.rays.body, T_world_camera, body, radius))
        depth = depths[-1]
        if self.localisation.drifts and os.environ.get("MATCH", "1") != "0":
            T = self.localisation.T_map_world
            T_map_base = T @ yaw_matrix(*true)
            self.localisation.correct(
                self.matcher.correction(depth, self.directions, T @ T_world_camera, T_map_base)
            )
        T = self.localisation.T_map_world
        self.pose = np.array(planar_part(T @ yaw_matrix(*true)))
        for depth in depths:
            self.mapper.update(
                depth, self.rays, T @ T_world_camera, (float(self.pose[0]), float(self.pose[1]))
            )
        self.images += images
        self.errors.append(self.localisation.error)

    def drive(self, goal: tuple[float, float]) -> bool:
        """Drive over the perceived floor, planning again where the map says so; False if there is no way."""
        for _ in range(6):
            grid = perceived_grid(self.mapper.floor_map())
            try:
                path = plan_from(grid, self.pose[:2], CLEARANCE).path_to(np.array(goal))
            except NoBasePath:
                return False
            for pose in along(path):
                now = perceived_grid(self.mapper.floor_map()).clearance_at(pose[:2])
                if now < load_sim_robot().description.base.radius <= grid.clearance_at(pose[:2]):
                    break
                self.look(pose, TILTS[0])
            else:
                self.look(np.array([*goal, self.pose[2]]), TILTS[0])
                return True
        return False

    def take(self, view: View) -> None:
        """Look into each direction of a view, from where the base is."""
        for bearing in sorted(view.bearings, key=lambda b: wrap_angle(b - float(self.pose[2])) % (2.0 * pi)):
            for tilt in TILTS:
                self.look(np.array([*self.pose[:2], bearing]), tilt, LOOK_IMAGES)
                self.looks += 1

    @property
    def time(self) -> float:
        """Time that way, turns and looks would take [s]."""
        return self.way / SPEED + self.turned / TURN_RATE + self.looks * LOOK_TIME


def run() -> list[dict[str, object]]:
    """One row per home, then the mean, the lowest and the highest of each figure."""
    os.environ["LP_NUM_THREADS"] = "1"
    first, rooms = int(os.environ.get("FIRST", "0")), int(os.environ.get("ROOMS", "4"))
    seeds = range(first, first + int(os.environ.get("HOMES", "12")))
    homes = [explored(seed, 1 + seed % rooms) for seed in seeds]
    figures = {key: np.array([row[key] for row in homes]) for key in homes[0] if key != "home"}
    summary = [
        {"home": name, **{key: float(choose(values)) for key, values in figures.items()}}
        for name, choose in (("mean", np.mean), ("lowest", np.min), ("highest", np.max))
    ]
    return [*homes, *summary]


def explored(seed: int, rooms: int) -> dict[str, object]:
    """Explore a sampled home."""
    scene = sample_home(seed, rooms)
    world = SimWorldModel.load(scene, 0, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    sensor = SENSORS[SensorName(os.environ.get("SENSORS", "off"))]
    with CameraRenderer(world, CAMERA, WIDTH, HEIGHT, shadows=False, sensor=sensor) as camera:
        robot = Explorer(world, camera, seed)
        start = robot.pose[:2].copy()
        drawn_poses, drawn_way = tour_poses(world, robot.control)
        stages, views, share = run_exploration(robot)
    floor = stages[-1]
    quarters = tuple(stages[max(0, len(stages) * part // 4 - 1)] for part in (1, 2, 3, 4))
    occupied = true_occupancy(world, robot.control.bodies, floor)
    reachable = reachable_floor(occupied, floor, start)
    tour = Tour(scene.home, quarters, robot.mapper.wall_map(), occupied, reachable, robot.way, robot.images)
    if "PICTURES" in os.environ:
        draw_stages(tour, Path(os.environ["PICTURES"]))
    turned = float(np.abs([wrap_angle(float(b[2] - a[2])) for a, b in pairwise(drawn_poses)]).sum())
    return {
        **home_figures(tour),
        "views": len(views),
        "share told [%]": 100.0 * share,
        "way / drawn": robot.way / drawn_way,
        "time / drawn": robot.time / (drawn_way / SPEED + turned / TURN_RATE),
        "closest [m]": robot.closest,
        **drift_figures(robot),
        **goal_figures(robot, floor, start),
    }


def drift_figures(robot: Explorer) -> dict[str, object]:
    """Errors of the pose if the odometry drifts."""
    if not robot.localisation.drifts:
        return {}
    distance, angle = np.array(robot.errors).T
    return {
        "pose error, median [cm]": 100.0 * float(np.median(distance)),
        "pose error, most [cm]": 100.0 * float(distance.max()),
        "heading error, most [deg]": float(np.degrees(angle.max())),
    }


def run_exploration(robot: Explorer) -> tuple[list[FloorMap], list[View], float]:
    """Take views until none is worth its way; return the map after each, the views, and the share told."""
    robot.look(robot.pose, TILTS[0])
    stages, views = [robot.mapper.floor_map()], list[View]()
    while True:
        step = explore(robot.mapper.floor_map(), (float(robot.pose[0]), float(robot.pose[1])), views)
        if step.view is None:
            return stages, views, step.share
        if step.view.way == 0.0 or robot.drive(step.view.at):
            robot.take(step.view)
        views.append(step.view)
        stages.append(robot.mapper.floor_map())


def goal_figures(robot: Explorer, floor: FloorMap, start: Array) -> dict[str, object]:
    """Plan ways to the same goals on the model's and on the perceived floor."""
    model = plan_from(robot.truth, start, CLEARANCE)
    seen = plan_from(perceived_grid(floor), start, CLEARANCE)
    cells = np.argwhere(np.isfinite(model.cost))
    goals = model.grid.point(cells[np.random.default_rng(0).choice(len(cells), GOALS, replace=False)])
    reached, ratios = 0, list[float]()
    for goal in goals:
        there = seen.nearest_reachable(goal, NEAR)
        if not np.isfinite(there).all():
            continue
        reached += 1
        lengths = [
            float(np.linalg.norm(np.diff(field.path_to(end), axis=0), axis=1).sum())
            for field, end in ((seen, there), (model, goal))
        ]
        if lengths[1] > 1.0:
            ratios.append(lengths[0] / lengths[1])
    return {"goals [%]": 100.0 * reached / GOALS, "goal way / model": float(np.mean(ratios))}
