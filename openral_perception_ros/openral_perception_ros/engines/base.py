"""The engine interface: input frames, checked detections, and the module of each engine.

An engine's module is imported only in the worker that runs it.
"""

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from openral_core.arrays import ImagePlane
from openral_core.detectors import Box, Detection
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.errors import BadDetections, MissingImagePlane, MissingPackage

PADDING_COLOUR = (114, 114, 114)
"""RGB [levels of 255]: the grey with which YOLO-family letterboxing pads."""


@dataclass(frozen=True, slots=True, eq=False)
class EngineFrame:
    """Image planes of one size; the views are valid only during one `Engine.detect`.

    ``planes`` maps a sensor's name to pixels: ``rgb`` uint8 (H, W, 3), ``depth`` float32 [m] (H, W),
    ``semantic`` uint16 instance ids (H, W), named by ``instance_names``. ``stamp`` is ROS time [ns].
    """

    planes: Mapping[str, ImagePlane]
    camera: str
    stamp: int
    instance_names: Mapping[int, str] = field(default_factory=dict)

    def plane(self, sensor: Sensor) -> ImagePlane:
        """Return the pixels of one sensor.

        Raises:
            MissingImagePlane: If the frame does not contain it.
        """
        plane = self.planes.get(sensor.value)
        if plane is None:
            raise MissingImagePlane(sensor.value, self.planes)
        return plane

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) [px]."""
        height, width = next(iter(self.planes.values())).shape[:2]
        return int(width), int(height)


def blank_frame(sensors: tuple[Sensor, ...], width: int, height: int) -> EngineFrame:
    """Create an empty frame for a warm-up inference."""
    blanks: dict[str, ImagePlane] = {
        Sensor.RGB.value: np.zeros((height, width, 3), np.uint8),
        Sensor.DEPTH.value: np.zeros((height, width), np.float32),
        Sensor.SEMANTIC.value: np.zeros((height, width), np.uint16),
    }
    return EngineFrame({sensor.value: blanks[sensor.value] for sensor in sensors}, camera="", stamp=0)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Options of the node that complement the manifest."""

    seed: int = 0
    device: str = "cpu"
    weights_folder: str = ""
    remote_code: bool = False


class Engine(Protocol):
    """A loaded model in a worker process, called by a single thread."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of a closed vocabulary; empty if it grounds free text."""
        ...

    def device_memory_mb(self) -> float:
        """Return the memory reserved on an accelerator [MB]; 0 on a CPU."""
        ...

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """Detect objects in one frame.

        Args:
            frame: The planes listed in the manifest's ``sensors``.
            terms: Phrases to ground; None uses the engine's own vocabulary.

        Returns:
            Boxes in source-image pixels; labels are those of the vocabulary, or the phrases as given.

        Raises:
            EngineError: One leaf per condition.
        """
        ...


@runtime_checkable
class DescribedEngine(Protocol):
    """An engine that says how it reads its model."""

    @property
    def summary(self) -> str:
        """One line for log and info."""
        ...


EngineLoader = Callable[[DetectorManifest, Path, LoadOptions], Engine]


def detections_from(
    boxes: ArrayLike, scores: ArrayLike, labels: Sequence[str], size: tuple[int, int]
) -> list[Detection]:
    """Build detections of one image, best score first; boxes without area inside the image are dropped.

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


def clip_detections(detections: Iterable[Detection], size: tuple[int, int]) -> tuple[Detection, ...]:
    """Clip detections to the image; those fully outside are dropped."""
    inside = ((detection, detection.box.clipped(*size)) for detection in detections)
    return tuple(
        Detection(box, item.label, item.score, item.track) for item, box in inside if box is not None
    )


ALIASES: Mapping[str, str] = {"rtdetr_onnx": "onnx"}
"""Modules of engines whose earlier names remain valid."""


def engine_loader(name: str) -> EngineLoader:
    """Import the module of this folder that has an engine's name, and return its ``load`` function.

    Raises:
        MissingPackage: If its libraries are not installed in this environment.
    """
    try:
        module = importlib.import_module(f"{__package__}.{ALIASES.get(name, name)}")
    except ImportError as error:
        raise MissingPackage(name, error.name or str(error), sys.executable) from error
    loader: EngineLoader = module.load
    return loader
