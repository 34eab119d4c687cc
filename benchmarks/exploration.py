"""Exploration of sampled homes from nothing but depth and poses, against a tour of the drawn home.

The robot starts with an empty map and knows no room. `openral_mapping.exploration` chooses its views; ways
are planned on the perceived floor, and images are taken every half metre of way and at each look. Then goals
drawn from the floor that the model calls reachable are planned on both floors. HOMES=n: homes, else 12;
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
    draw_stages,
    home_figures,
    pixel_rays,
    place,
    reachable_floor,
    tour_poses,
    true_occupancy,
)
from openral_core.geometry import wrap_angle
from openral_mapping.depth_mapper import DepthMapper
from openral_mapping.exploration import View, explore
from openral_mapping.floor_map import FloorMap
from openral_sim.planning.base_planner import NoBasePath, plan_from
from openral_sim.planning.occupancy_grid import rasterise
from openral_sim.planning.perceived_floor import perceived_grid
from openral_sim.procedural.home import sample_home
from openral_sim.rendering import CameraRenderer
from openral_sim.robot import add_robot, set_stowed
from openral_sim.robot.control import RobotControl
from openral_sim.robot.joints import RobotNames
from openral_sim.robot.model import BASE_RADIUS
from openral_sim.world import SimWorldModel

TILTS = (0.35, 1.0)
"""Tilts of a look [rad]: the floor from 1.25 m on, and from 0.12 m to 2.4 m."""
LOOK_IMAGES = 4
"""Images of a look [1]: the mapper's rays take turns in four."""
SPEED, TURN_RATE, LOOK_TIME = 0.5, 1.0, 0.8
"""Mean speed [m/s] and turn rate [rad/s] of the base, and time of a look at 5 images/s [s]."""
GOALS = 40
"""Goals per home [1]."""
NEAR = 0.45
"""Largest distance of a goal from the floor used instead [m], as NAVIGATE takes it."""

Array = NDArray[np.float64]


@dataclass
class Explorer:
    """A robot with a mapper that is put where it would drive to."""

    world: SimWorldModel
    camera: CameraRenderer
    mapper: DepthMapper = field(default_factory=DepthMapper)
    way: float = 0.0
    turned: float = 0.0
    images: int = 0
    looks: int = 0
    closest: float = float("inf")

    def __post_init__(self) -> None:
        """Look at the model's floor as well, for the distance that was really kept."""
        self.control = RobotControl(self.world.model, self.world.data, RobotNames())
        self.truth = rasterise(self.world.model, self.world.data, self.control.bodies)
        self.rays = pixel_rays(self.camera.K, WIDTH, HEIGHT)
        self.pose = self.control.base_pose

    def look(self, pose: Array, tilt: float, images: int = 1) -> None:
        """Take images from a pose."""
        self.turned += abs(wrap_angle(float(pose[2] - self.pose[2])))
        self.way += hypot(*(pose[:2] - self.pose[:2]))
        self.closest = min(self.closest, self.truth.clearance_at(pose[:2]))
        self.pose = pose
        place(self.world, pose, tilt)
        T = self.control.T_map_body(RobotNames().head_optical_frame)
        depth = self.camera.render().depth
        for _ in range(images):
            self.mapper.update(depth, self.rays, T, (float(pose[0]), float(pose[1])))
        self.images += images

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
                if now < BASE_RADIUS <= grid.clearance_at(pose[:2]):
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
    homes = [explored(seed, 1 + seed % 4) for seed in range(int(os.environ.get("HOMES", "12")))]
    figures = {key: np.array([row[key] for row in homes]) for key in homes[0] if key != "home"}
    summary = [
        {"home": name, **{key: float(choose(values)) for key, values in figures.items()}}
        for name, choose in (("mean", np.mean), ("lowest", np.min), ("highest", np.max))
    ]
    return [*homes, *summary]


def explored(seed: int, rooms: int) -> dict[str, object]:
    """Explore a sampled home."""
    scene = sample_home(seed, rooms)
    world = SimWorldModel.load(scene, 0, add_robot)
    set_stowed(world.model, world.data)
    with CameraRenderer(world, CAMERA, WIDTH, HEIGHT, shadows=False) as camera:
        robot = Explorer(world, camera)
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
        **goal_figures(robot, floor, start),
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
