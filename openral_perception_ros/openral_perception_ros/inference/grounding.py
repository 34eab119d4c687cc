"""Phrases grounded in the detections of an engine with a closed vocabulary, at half scale too if need be."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box, Detection
from openral_core.lazy_modules import lazy_module
from openral_core.rskills import DetectorManifest, Sensor
from openral_core.text import Thesaurus
from openral_perception_ros.engines import Engine, EngineFrame, clip_detections
from openral_perception_ros.engines.base import PADDING_COLOUR
from openral_perception_ros.engines.colours import ColourGrounding

cv2 = lazy_module("cv2")

SAME_OBJECT = 0.5
"""Intersection over union from which detections at both scales are of one object [1]."""


class PhraseGrounding:
    """Ground phrases in the detections of an engine.

    Args:
        engine: Loaded from the manifest.
        manifest: Its vocabulary is closed, and its colours are measured.
    """

    def __init__(self, engine: Engine, manifest: DetectorManifest) -> None:
        self._engine, self._manifest = engine, manifest
        self._colours = ColourGrounding(engine.labels, Thesaurus.load())

    def detect(self, frame: EngineFrame, terms: Sequence[str]) -> list[Detection]:
        """Return the detections that satisfy a phrase, labelled with it.

        With ``half_scale_threshold``, phrases without a detection above the threshold are grounded again in
        the image at half scale: a small network recognises what nearly fills the image better there.
        """
        rgb = frame.plane(Sensor.RGB).astype(np.uint8, copy=False)
        detections = self._colours.ground(self._engine.detect(frame, None), terms, rgb)
        least = self._manifest.half_scale_threshold
        certain = {each.label for each in detections if each.score >= self._manifest.threshold}
        missing = [term for term in terms if term not in certain]
        if least is None or not missing:
            return detections
        halved = [each for each in self._detect_at_half_scale(frame, rgb) if each.score >= least]
        added = self._colours.ground(halved, missing, rgb)
        return added + [each for each in detections if not any(_is_same(each, other) for other in added)]

    def _detect_at_half_scale(self, frame: EngineFrame, rgb: NDArray[np.uint8]) -> list[Detection]:
        """Detect in the image at half scale, amid a grey border that keeps its size."""
        height, width = rgb.shape[:2]
        x, y = width // 4, height // 4
        halved = cv2.resize(rgb, (max(1, width // 2), max(1, height // 2)), interpolation=cv2.INTER_AREA)
        canvas = np.full_like(rgb, PADDING_COLOUR)
        canvas[y : y + halved.shape[0], x : x + halved.shape[1]] = halved
        alone = EngineFrame({Sensor.RGB.value: canvas}, frame.camera, frame.stamp)
        doubled = (
            Detection(_doubled(each.box, x, y), each.label, each.score)
            for each in self._engine.detect(alone, None)
        )
        return list(clip_detections(doubled, (width, height)))


def _doubled(box: Box, x: float, y: float) -> Box:
    """Map a box from the halved image, whose corner is at ``x``, ``y``, to the whole one [px]."""
    corners = (box.x_min - x, box.y_min - y, box.x_max - x, box.y_max - y)
    return Box(*(2.0 * each for each in corners))


def _is_same(one: Detection, other: Detection) -> bool:
    return one.label == other.label and one.box.iou(other.box) >= SAME_OBJECT
