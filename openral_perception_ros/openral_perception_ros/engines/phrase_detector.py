"""Queries, preprocessing and names of the PyTorch engines that ground phrases."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from openral_core.detectors import Detection
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.base import EngineFrame, detections_from
from openral_perception_ros.engines.errors import EmptyQuery
from openral_perception_ros.engines.image_processing import Candidates, Preprocessing, ResizeMode
from openral_perception_ros.engines.torch_utils import TorchDevice, device_memory_mb


class PhraseDetector(ABC):
    """Engine that detects a fixed vocabulary, or the phrases of a request."""

    def __init__(
        self,
        model: torch.nn.Module,
        placement: TorchDevice,
        preprocessing: Preprocessing,
        manifest: DetectorManifest,
        labels: tuple[str, ...],
        fit: ResizeMode,
    ) -> None:
        self._model, self._placement = model, placement
        self._preprocessing, self._fit = preprocessing, fit
        self._manifest = manifest
        self.labels = labels

    def device_memory_mb(self) -> float:
        """See `Engine.device_memory_mb`."""
        return device_memory_mb(self._placement.device)

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`."""
        phrases = tuple(terms) if terms is not None else self.labels
        if not phrases:
            raise EmptyQuery(self._manifest.id)
        rgb = frame.plane(Sensor.RGB).astype(np.uint8, copy=False)
        pixels, fit = self._preprocessing.apply(rgb, self._fit)
        candidates = self._candidates(pixels, phrases)
        names = [phrases[number] for number in candidates.classes]
        return detections_from(fit.to_source(candidates.corners), candidates.scores, names, frame.size)

    @abstractmethod
    def _candidates(self, pixels: NDArray[np.float32], phrases: tuple[str, ...]) -> Candidates:
        """Return what the model finds; ``pixels`` have the shape (1, 3, H, W), classes index phrases."""
