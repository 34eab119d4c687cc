"""An engine that fails in the way it is asked to, to see that only its worker suffers."""

import time
from collections.abc import Sequence
from pathlib import Path

from openral_core.detections import Box, Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.conformance.faults import FAULTS
from openral_perception_ros.engines import Engine, Frame, LoadOptions, MissingWeights
from openral_perception_ros.vocabularies import labels_of

LOOK_TIME = "look_time"
"""Option of the manifest: how long every look takes [s]."""


class FaultyEngine:
    """Does what the first term says; other terms see a box each."""

    def __init__(self, labels: tuple[str, ...] = (), look_time: float = 0.0) -> None:
        self.labels, self._look_time = labels, look_time

    def device_memory_mb(self) -> float:
        """It uses no accelerator."""
        return 0.0

    def detect(self, frame: Frame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect` and `FAULTS`."""
        asked = tuple(terms or self.labels)
        time.sleep(self._look_time)
        if asked and asked[0] in FAULTS:
            return FAULTS[asked[0]]()
        return [Detection(Box(1.0, 1.0, 5.0, 5.0), term, 0.9) for term in asked]


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> Engine:
    """The engine, unless the manifest's option ``load`` names a fault."""
    fault = str(manifest.options.get("load", ""))
    if fault == "missing_weights":
        raise MissingWeights(manifest.id, [folder / "weights"])
    if fault in FAULTS:
        FAULTS[fault]()
    return FaultyEngine(labels_of(manifest, folder), float(manifest.options.get(LOOK_TIME, 0.0)))
