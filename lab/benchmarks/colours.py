"""Colours measured in the boxes of rendered objects, against the names they were given.

Homes, light, exposure, blur and noise as in the training data of detectors; boxes are shaken by 6 % of
their sides. The baseline names the object by the named colour nearest to its mean. HOMES=n: homes, else 20;
IMAGES=n: of each, else 20.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box
from openral_perception_ros.engines.colours import COLOURS, LEAST_SHARE, balance_light, colour_shares
from openral_sim.assets.objects.builder import COLOURS as PAINTS
from openral_training.data.home_renderer import RenderSettings, render_home

FIRST_SEED = 3_000_000
"""Of the homes that no detector is trained on."""
SHAKEN = 0.06
"""Deviation of each edge of a box, relative to its sides [1]."""
LEAST_VISIBLE = 0.3
ASKED = ("red", "yellow", "green", "blue", "white")
"""Colours of objects in sampled homes."""


@dataclass(frozen=True, eq=False)
class Coloured:
    """One object: the colour in its name, what was measured, and the name nearest to its mean colour."""

    colour: str
    shares: Mapping[str, float]
    nearest: str


def run() -> list[dict[str, object]]:
    """One row per colour."""
    homes, images = int(os.environ.get("HOMES", "20")), int(os.environ.get("IMAGES", "20"))
    seen = [each for home in range(homes) for each in objects(FIRST_SEED + home, images)]
    by_colour = defaultdict(list)
    for each in seen:
        by_colour[each.colour].append(each)
    rows = []
    for colour in ASKED:
        right, others = by_colour[colour], [each for each in seen if each.colour != colour]
        rows.append(
            {
                "colour": colour,
                "objects": len(right),
                "found [%]": percentage([each.shares[colour] >= LEAST_SHARE for each in right]),
                "wrong [%]": percentage([each.shares[colour] >= LEAST_SHARE for each in others]),
                "baseline: found [%]": percentage([each.nearest == colour for each in right]),
                "baseline: wrong [%]": percentage([each.nearest == colour for each in others]),
            }
        )
    return rows


def percentage(tests: list[bool]) -> float:
    """Return the share that is true [%]."""
    return 100.0 * sum(tests) / max(1, len(tests))


def objects(seed: int, images: int) -> Iterator[Coloured]:
    """Yield the objects of a home that have a colour in their name, one per image that shows them."""
    rng = np.random.default_rng(seed)
    settings = RenderSettings(width=640, height=480, shadows=0.25)
    for image in render_home(seed, images, (), settings):
        for found in image.annotations:
            colour = found.entity.split("_")[0]
            if colour not in ASKED or found.iscrowd or found.visible_share < LEAST_VISIBLE:
                continue
            left, top, width, height = found.bbox
            shaken = rng.normal(0.0, SHAKEN, 4) * (width, height, width, height)
            corners = np.array([left, top, left + width, top + height]) + shaken
            if (corners[2:] - corners[:2]).min() > 1.0:
                yield measured(image.rgb, Box(*map(float, corners)), colour)


def measured(rgb: NDArray[np.uint8], box: Box, colour: str) -> Coloured:
    """Measure one object."""
    inside = box.clipped(rgb.shape[1], rgb.shape[0]) or box
    part = rgb[int(inside.y_min) : int(inside.y_max) + 1, int(inside.x_min) : int(inside.x_max) + 1]
    names = [name for name in COLOURS if name in PAINTS]
    paints = lab(np.array([PAINTS[name] for name in names], np.float32)[None])[0]
    mean = lab(part.reshape(1, -1, 3).mean(1, keepdims=True, dtype=np.float32) / 255.0)[0, 0]
    nearest = names[int(np.linalg.norm(paints - mean, axis=1).argmin())]
    return Coloured(colour, colour_shares(balance_light(rgb), box), nearest)


def lab(rgb: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convert colours in [0, 1] to CIE L*a*b*, shape (1, N, 3)."""
    return np.asarray(cv2.cvtColor(np.ascontiguousarray(rgb), cv2.COLOR_RGB2LAB))
