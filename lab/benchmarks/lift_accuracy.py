"""Things that are hard to tell from what lies behind them, each from random sides."""

import math

import numpy as np

from openral_core.detectors import Detection
from openral_testing.synthetic_depth import (
    Basket,
    Block,
    Cylinder,
    Glass,
    Plane,
    Ring,
    Solid,
    look_at_pose,
    render_depth,
)
from openral_world_state.lifting import DepthModel, lift

Row = dict[str, str | float]
THING = (1.0, 0.0, 1.0)  # Position in map [m].
CUP = Cylinder(THING, 0.04, 0.1, hollow=True)
CASES: dict[str, dict[str, Solid]] = {
    "cup": {"it": CUP},
    "ring": {"it": Ring(THING, 0.1, 0.008)},
    "wire basket": {"it": Basket(Cylinder(THING, 0.12, 0.2, hollow=True))},
    "glass, a quarter measured": {"it": Glass(Cylinder(THING, 0.04, 0.12), 0.25)},
    "glass, a tenth measured": {"it": Glass(Cylinder(THING, 0.04, 0.12), 0.1)},
    "half-hidden can": {
        "it": Cylinder(THING, 0.035, 0.12),
        "_box": Block((0.8, 0.06, 1.0), (0.02, 0.12, 0.3)),
    },
    "cup at the image border": {"it": CUP},
}
WALL = Plane((1.0, 0.0, 0.0), 2.0)


def rows(views: int, seed: int) -> list[Row]:
    """Error of the centre from random places about as far as an arm and a half, a wall a metre behind."""
    return [_row(name, bodies, views, np.random.default_rng(seed)) for name, bodies in CASES.items()]


def _row(name: str, bodies: dict[str, Solid], views: int, rng: np.random.Generator) -> Row:
    errors, baseline = [], []
    for _ in range(views):
        eye = (1.0 - rng.uniform(0.7, 1.6), rng.uniform(-0.1, 0.1), 1.0 + rng.uniform(0.0, 0.4))
        aside = (1.0 - eye[0]) * 0.595 if name.endswith("border") else 0.0
        shot = render_depth({**bodies, "_wall": WALL}, look_at_pose(eye, (1.0, aside, 1.0)))
        if "it" not in shot.boxes:
            continue
        box = shot.boxes["it"]
        errors.append(
            math.dist(lift(shot.view, Detection(box, "it", 0.9), DepthModel()).pose.position, THING)
        )
        patch = shot.view.depth[int(box.y_min) : int(box.y_max), int(box.x_min) : int(box.x_max)]
        center = ((box.x_min + box.x_max) / 2.0, (box.y_min + box.y_max) / 2.0)
        ray = shot.view.intrinsics.rays(np.array([center]))[0] * float(patch.mean())
        mean = shot.view.T_map_camera[:3, :3] @ ray + shot.view.camera_position
        baseline.append(math.dist(mean.tolist(), THING))
    return {
        "bench": "lift",
        "case": name,
        "views": len(errors),
        "median [cm]": round(100 * float(np.median(errors)), 2),
        "p95 [cm]": round(100 * float(np.percentile(errors, 95)), 2),
        "baseline: mean depth, median [cm]": round(100 * float(np.median(baseline)), 1),
    }
