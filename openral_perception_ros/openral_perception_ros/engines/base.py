"""What every detector engine does."""
# MERGED One camera image as engines see it.
# MERGED Model output as detections: nothing broken passes, nothing outside the image.
# MERGED Engines by name, imported only in the worker that runs them.

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openral_core.detections import Box, Detection
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.errors import BadDetections, MissingImagePlane, MissingPackage

Plane = NDArray[np.generic]


@dataclass(frozen=True, slots=True, eq=False)
class EngineFrame:
    """Planes of one image, all of one size; views that stay valid only during one `Engine.detect`.

    ``planes`` maps a sensor's name to pixels: ``rgb`` uint8 (H, W, 3), ``depth`` float32 [m] (H, W),
    ``semantic`` uint16 instance ids (H, W). ``labels`` names those ids. ``stamp`` is ROS time [ns].
    """

    planes: Mapping[str, Plane]
    camera: str
    stamp: int
    labels: Mapping[int, str] = field(default_factory=dict)

    def plane(self, sensor: Sensor) -> Plane:
        """The pixels of one sensor.

        Raises:
            MissingPlane: If the frame came without it.
        """
        found = self.planes.get(sensor.value)
        if found is None:
            raise MissingImagePlane(sensor.value, self.planes)
        return found

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) [px]."""
        height, width = next(iter(self.planes.values())).shape[:2]
        return int(width), int(height)


def blank_frame(sensors: tuple[Sensor, ...], width: int, height: int) -> EngineFrame:
    """A frame in which nothing is to be seen, for a warm-up."""
    blanks: dict[str, Plane] = {
        Sensor.RGB.value: np.zeros((height, width, 3), np.uint8),
        Sensor.DEPTH.value: np.zeros((height, width), np.float32),
        Sensor.SEMANTIC.value: np.zeros((height, width), np.uint16),
    }
    return EngineFrame({sensor.value: blanks[sensor.value] for sensor in sensors}, camera="", stamp=0)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What the node adds to a manifest."""

    seed: int = 0
    device: str = "cpu"
    weights_folder: str = ""
    remote_code: bool = False


class Engine(Protocol):
    """A loaded model; lives in a worker process, called by one thread."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Its own vocabulary; empty when it names whatever it is asked for."""
        ...

    def device_memory_mb(self) -> float:
        """Memory held on an accelerator [MB]; 0 on a CPU."""
        ...

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """Objects in one frame.

        Args:
            frame: Planes as the manifest's ``sensors`` asked.
            terms: Phrases to ground; None asks for the engine's own vocabulary.

        Returns:
            Boxes in source-image pixels; labels are vocabulary words, or the phrases as they were asked.

        Raises:
            EngineError: One leaf per condition.
        """
        ...


EngineLoader = Callable[[DetectorManifest, Path, LoadOptions], Engine]


def detections_from(
    boxes: ArrayLike, scores: ArrayLike, labels: Sequence[str], size: tuple[int, int]
) -> list[Detection]:
    """Detections of one image, best score first; boxes without area inside the image are dropped.

    Args:
        boxes: x_min, y_min, x_max, y_max in source-image [px], shape (N, 4).
        scores: Shape (N,), each in [0, 1].
        labels: One per box.
        size: (width, height) of the source image [px].

    Raises:
        BadDetections: If any box or score is not finite, or a score lies outside [0, 1].
    """
    corners = np.asarray(boxes, np.float64).reshape(-1, 4)
    values = np.asarray(scores, np.float64).reshape(-1)
    if not np.isfinite(corners).all():
        raise BadDetections("boxes that are not finite", corners[~np.isfinite(corners).all(axis=1)][0])
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise BadDetections("scores outside [0, 1]", values[~((values >= 0.0) & (values <= 1.0))][0])
    corners[:, 0::2] = corners[:, 0::2].clip(0.0, size[0])
    corners[:, 1::2] = corners[:, 1::2].clip(0.0, size[1])
    inside = (corners[:, 2] > corners[:, 0]) & (corners[:, 3] > corners[:, 1])
    best_first = [int(i) for i in np.argsort(-values, kind="stable") if inside[i]]
    return [Detection(Box(*map(float, corners[i])), labels[i], float(values[i])) for i in best_first]


def clipped(detections: Iterable[Detection], size: tuple[int, int]) -> tuple[Detection, ...]:
    """Detections cut to the image; those wholly outside are dropped."""
    inside = ((each, each.box.clipped(*size)) for each in detections)
    return tuple(
        Detection(box, each.label, each.score, each.track) for each, box in inside if box is not None
    )


ENGINES: Mapping[str, str] = {
    "rtdetr_onnx": "openral_perception_ros.engines.rtdetr_onnx",
    "rtdetr_hf": "openral_perception_ros.engines.rtdetr_hf",
    "zeroshot_hf": "openral_perception_ros.engines.omdet_turbo",
    "vlm_grounding": "openral_perception_ros.engines.vlm_grounding",
    "sim_groundtruth": "openral_perception_ros.engines.sim_groundtruth",
}

BRINGS_CODE = frozenset({"vlm_grounding"})
"""Engines that run code which comes with the weights."""


def engine_loader(name: str) -> EngineLoader:
    """The ``load`` function of one engine's module.

    Raises:
        MissingPackage: If its libraries are not in this environment.
    """
    try:
        module = importlib.import_module(ENGINES[name])
    except ImportError as error:
        raise MissingPackage(name, error.name or str(error), sys.executable) from error
    loader: EngineLoader = module.load
    return loader
