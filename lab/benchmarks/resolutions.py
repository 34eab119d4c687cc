"""Apparent size of objects by distance, and the cost of a frame, at three resolutions of the head camera.

HOMES=n homes of the test split, else 8, seen as the robot sees them while it drives, stands at places and
looks at objects. An object counts if 24 of its pixels are visible at 320x240. The baseline is 320x240.
"""

import os
import time
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from openral_sim.planning.inverse_kinematics import IkSolver
from openral_sim.procedural.home import sample_home
from openral_sim.rendering import CameraRenderer
from openral_sim.robot import load_sim_robot
from openral_sim.world import SimWorldModel
from openral_training.data.arrangement import ArrangedHome
from openral_training.data.home_renderer import HomeCamera, LabelledImage, RenderSettings
from openral_training.data.labels import CATEGORIES
from openral_training.data.splits import load_plan
from openral_training.data.viewpoints import ViewpointSampler

LONG = True
RESOLUTIONS = {"320x240": 320, "640x480": 640, "960x720": 960}
IMAGES, ARRANGEMENTS = 12, 3
EDGES = (0.0, 0.75, 1.0, 1.5, 2.0, 3.0, 12.0)
"""Bounds of the classes of distance [m]."""
SMALL = 16
"""Short side of a box below which half of the objects were found at any score in a first trial [px]."""
FRAMES = 10
KINDS = ("drive", "place", "object")
_OBJECTS = {category.id for category in CATEGORIES.values() if category.group == "object"}
Seen = tuple[float, float, str]
"""Distance of an object [m], short side of its box at 640x480 [px], its category."""


def run() -> list[dict[str, object]]:
    """One row per class of distance, then one per resolution."""
    os.environ["LP_NUM_THREADS"] = "1"
    split, homes = load_plan().splits["test"], int(os.environ.get("HOMES", "8"))
    seen = [each for seed in split.seeds[:homes] for each in seen_in(seed)]
    distances = np.array([distance for distance, _, _ in seen])
    sides = np.array([side for _, side, _ in seen])
    classes = [
        (f"{low:g} to {high:g} m", (distances >= low) & (distances < high)) for low, high in pairwise(EDGES)
    ]
    rows = [shares(name, sides[chosen]) for name, chosen in (*classes, ("all", distances >= 0.0))]
    mugs = np.array([each == CATEGORIES["mug"].name for _, _, each in seen])
    near_two = mugs & (distances > 1.75) & (distances < 2.25)
    return [*rows, shares("mugs at 2 m", sides[near_two]), *costs(split.first_seed)]


def shares(name: str, sides: np.ndarray) -> dict[str, object]:
    """Share of boxes whose short side is below `SMALL` at each resolution; sides at 640x480 [px]."""
    row: dict[str, object] = {"objects": name, "number": len(sides)}
    if len(sides):
        for resolution, width in RESOLUTIONS.items():
            row[f"< {SMALL} px at {resolution}"] = f"{np.mean(sides * width / 640 < SMALL):.0%}"
        row["median at 320x240 [px]"] = round(float(np.median(sides)) / 2, 1)
    return row


def seen_in(seed: int) -> Iterator[Seen]:
    """Objects that the robot sees in one home."""
    rng = np.random.default_rng(seed)
    home = ArrangedHome(SimWorldModel.load(sample_home(seed), seed, load_sim_robot()))
    camera, solver = HomeCamera(home, RenderSettings(shadows=0.0), rng), IkSolver(load_sim_robot())
    try:
        for _ in range(ARRANGEMENTS):
            home.rearrange(rng)
            viewpoints = ViewpointSampler(home, solver, rng)
            for _ in range(IMAGES):
                image = camera.photograph(viewpoints, rng)
                if image.viewpoint.kind in KINDS:
                    yield from objects_in(image, home)
    finally:
        camera.close()


def objects_in(image: LabelledImage, home: ArrangedHome) -> Iterator[Seen]:
    """Objects in an image."""
    names = {category.id: category.name for category in CATEGORIES.values()}
    for each in image.annotations:
        if not each.ignore and each.category_id in _OBJECTS:
            position = home.position(home.world.objects[each.entity])
            distance = float(np.linalg.norm(position - image.camera.T_map_camera[:3, 3]))
            yield distance, min(each.bbox[2:]), names[each.category_id]


def costs(seed: int) -> Iterator[dict[str, object]]:
    """Time of one core per frame of colour and depth."""
    world, baseline = SimWorldModel.load(sample_home(seed), seed, load_sim_robot()), 0.0
    for resolution, width in RESOLUTIONS.items():
        with CameraRenderer(world, "robot/head", width, width * 3 // 4, shadows=False) as camera:
            camera.render()
            began = time.process_time()
            for _ in range(FRAMES):
                camera.render()
            taken = 1000 * (time.process_time() - began) / FRAMES
        baseline = baseline or taken
        yield {
            "objects": f"frame of {resolution}",
            "time [ms]": round(taken, 1),
            "ratio": round(taken / baseline, 2),
        }
