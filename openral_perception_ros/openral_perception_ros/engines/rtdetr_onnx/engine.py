"""RT-DETR in an ONNX file with outputs ``logits`` (1, Q, C) and ``pred_boxes`` (1, Q, 4)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from pydantic import Field

from openral_core.detections import Detection
from openral_core.documents import Document, parse_document
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.checkpoints import PREPROCESSOR_FILE, checkpoint_folder
from openral_perception_ros.engines.engine import LoadOptions
from openral_perception_ros.engines.errors import LabelsDiffer
from openral_perception_ros.engines.frame import Frame
from openral_perception_ros.engines.inputs import FitKind, Preprocessing
from openral_perception_ros.engines.outputs import candidates_of
from openral_perception_ros.engines.results import detections_from
from openral_perception_ros.engines.rtdetr_onnx.providers import open_session
from openral_perception_ros.vocabularies import labels_of

MODEL_FILE = "model.onnx"


class RtDetrOnnxOptions(Document):
    """The manifest's ``options``."""

    fit: FitKind = FitKind.STRETCH
    threads: int = Field(default=0, ge=0, description="0 = one per core")


class RtDetrOnnx:
    """Names the objects of a closed vocabulary."""

    def __init__(
        self,
        session: onnxruntime.InferenceSession,
        preprocessing: Preprocessing,
        labels: tuple[str, ...],
        threshold: float,
        fit: FitKind,
    ) -> None:
        self._session, self._preprocessing = session, preprocessing
        self._threshold, self._fit = threshold, fit
        self._input = session.get_inputs()[0].name
        self.labels = labels
        classes = session.get_outputs()[0].shape[-1]
        if isinstance(classes, int) and classes != len(labels):
            raise LabelsDiffer(classes, len(labels))

    def device_memory_mb(self) -> float:
        """ONNX Runtime does not tell what it holds on a device."""
        return 0.0

    def detect(self, frame: Frame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`; the vocabulary is closed, so ``terms`` change nothing."""
        rgb = frame.plane(Sensor.RGB).astype(np.uint8, copy=False)
        pixels, fit = self._preprocessing.apply(rgb, self._fit)
        logits, boxes = self._session.run(["logits", "pred_boxes"], {self._input: pixels})
        found = candidates_of(logits[0], boxes[0], self._threshold)
        names = [self.labels[number] for number in found.classes]
        return detections_from(fit.to_source(found.corners), found.scores, names, frame.size)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> RtDetrOnnx:
    """The engine of one manifest.

    Raises:
        MissingWeights: If the ONNX file is not on this machine.
        ProviderUnavailable: If the device asked for cannot be had.
        LabelsDiffer: If vocabulary and model disagree on how many classes there are.
    """
    own = parse_document(RtDetrOnnxOptions, manifest.options, folder / "rskill.yaml: options")
    checkpoint = checkpoint_folder(manifest, folder, options.weights_folder, (MODEL_FILE, PREPROCESSOR_FILE))
    session = open_session(str(checkpoint / MODEL_FILE), options.device, own.threads)
    labels = labels_of(manifest, folder)
    return RtDetrOnnx(session, Preprocessing.read(checkpoint), labels, manifest.threshold, own.fit)
