"""Test images rendered by the simulation, with every plane a manifest can require."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import cv2
import numpy as np
import yaml

from openral_core.arrays import ImagePlane, Mask
from openral_core.detectors import Box
from openral_core.rskills import Sensor
from openral_perception_ros.engines import EngineFrame

GOLDENS = ("kitchen_counter", "dining_table", "bookshelf", "living_room")
SIZES = ((640, 480), (320, 240), (480, 640), (641, 359), (64, 48))  # Width and height [px].
MIN_PIXELS = 100
"""Instances with fewer visible pixels do not count [px]."""


def golden(name: str, sensors: Sequence[Sensor], camera: str = "head", stamp: int = 0) -> EngineFrame:
    """Load the image of one place in the simulated home."""
    planes, labels = _picture(name)
    return EngineFrame({sensor.value: planes[sensor.value] for sensor in sensors}, camera, stamp, labels)


def resized(frame: EngineFrame, size: tuple[int, int]) -> EngineFrame:
    """Stretch an image to (width, height) [px]."""
    planes = {
        name: cv2.resize(plane, size, interpolation=cv2.INTER_NEAREST) for name, plane in frame.planes.items()
    }
    return EngineFrame(planes, frame.camera, frame.stamp, frame.instance_names)


def true_boxes(name: str) -> list[tuple[str, Box]]:
    """Return the objects of an image: phrase and box of its pixels."""
    planes, labels = _picture(name)
    return [
        (phrase, _extent(planes[Sensor.SEMANTIC] == number))
        for number, phrase in labels.items()
        if np.count_nonzero(planes[Sensor.SEMANTIC] == number) >= MIN_PIXELS
    ]


def _extent(mask: Mask) -> Box:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return Box(float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1))


@cache
def _picture(name: str) -> tuple[dict[str, ImagePlane], dict[int, str]]:
    with as_file(files(__package__) / "goldens") as folder:
        rgb = cv2.cvtColor(_read(folder / f"{name}.rgb.png"), cv2.COLOR_BGR2RGB)
        depth = _read(folder / f"{name}.depth.png").astype(np.float32) / np.float32(1000.0)
        semantic = _read(folder / f"{name}.semantic.png")
        labels = yaml.safe_load((folder / f"{name}.labels.yaml").read_text(encoding="utf-8"))
    return {Sensor.RGB: rgb, Sensor.DEPTH: depth, Sensor.SEMANTIC: semantic}, labels


def _read(path: Path) -> ImagePlane:
    return np.asarray(cv2.imread(str(path), cv2.IMREAD_UNCHANGED))


def phrases(names: Iterable[str] = GOLDENS) -> tuple[str, ...]:
    """Return every phrase that names an object in the images."""
    return tuple(dict.fromkeys(phrase for name in names for phrase, _ in true_boxes(name)))
