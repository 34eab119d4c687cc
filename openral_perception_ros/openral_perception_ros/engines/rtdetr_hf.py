"""Engine for transformers checkpoints with sigmoid class scores: RT-DETR, RT-DETRv2, D-FINE, RF-DETR."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForObjectDetection

from openral_core.detectors import Detection
from openral_core.documents import Document, parse_document
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.base import EngineFrame, LoadOptions, detections_from
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, PREPROCESSOR_FILE, checkpoint_folder
from openral_perception_ros.engines.image_processing import Preprocessing, ResizeMode, make_candidates
from openral_perception_ros.engines.torch_utils import (
    Precision,
    TorchDevice,
    device_memory_mb,
    inference_guard,
    to_device,
)
from openral_perception_ros.engines.vocabulary import ClassNames


class RtDetrHfOptions(Document):
    """The manifest's ``options``."""

    fit: ResizeMode = ResizeMode.STRETCH
    precision: Precision = Precision.FP32


class RtDetrHf:
    """Closed-vocabulary detector in PyTorch."""

    def __init__(
        self,
        model: torch.nn.Module,
        placement: TorchDevice,
        preprocessing: Preprocessing,
        classes: ClassNames,
        threshold: float,
        fit: ResizeMode,
    ) -> None:
        self._model, self._placement, self._preprocessing = model, placement, preprocessing
        self._threshold, self._fit = threshold, fit
        self._classes, self.labels = classes, classes.labels

    def device_memory_mb(self) -> float:
        """See `Engine.device_memory_mb`."""
        return device_memory_mb(self._placement.device)

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`; the vocabulary is closed, so ``terms`` has no effect."""
        rgb = frame.plane(Sensor.RGB).astype(np.uint8, copy=False)
        pixels, fit = self._preprocessing.apply(rgb, self._fit)
        with inference_guard("inference"):
            tensor = torch.from_numpy(pixels).to(self._placement.device, self._placement.dtype)
            output = self._model(pixel_values=tensor)
            logits, boxes = output.logits[0].float().cpu().numpy(), output.pred_boxes[0].float().cpu().numpy()
        candidates = make_candidates(logits[:, self._classes.numbers], boxes, self._threshold)
        names = [self._classes.names[number] for number in candidates.classes]
        return detections_from(fit.to_source(candidates.corners), candidates.scores, names, frame.size)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> RtDetrHf:
    """Load the engine of a manifest; never downloads.

    Raises:
        MissingWeights: If the checkpoint is not on this machine.
        LabelMismatch: If vocabulary and model disagree on the classes.
    """
    own = parse_document(RtDetrHfOptions, manifest.options, folder / "rskill.yaml: options")
    checkpoint = checkpoint_folder(manifest, folder, options.weights_folder, (CONFIG_FILE, PREPROCESSOR_FILE))
    placement = TorchDevice.of(options.device, own.precision.dtype)
    with inference_guard("loading"):
        model = AutoModelForObjectDetection.from_pretrained(
            checkpoint, local_files_only=True, trust_remote_code=False
        )
        classes = ClassNames.of(manifest, folder, model.config.num_labels)
        model = to_device(model, placement)
    return RtDetrHf(model, placement, Preprocessing.read(checkpoint), classes, manifest.least_score, own.fit)
