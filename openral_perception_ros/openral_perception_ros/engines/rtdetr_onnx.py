"""Engine for ONNX files with outputs ``logits`` (1, Q, C) and ``pred_boxes`` (1, Q, 4): RT-DETR's.

`openral train export` writes such files too, with non-maximum suppression in the graph. The engine runs on
the requested execution provider or fails; there is no fallback.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from pydantic import Field

from openral_core.detectors import Detection
from openral_core.documents import Document, parse_document
from openral_core.errors import format_choices
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.base import EngineFrame, LoadOptions, detections_from
from openral_perception_ros.engines.checkpoints import PREPROCESSOR_FILE, checkpoint_folder
from openral_perception_ros.engines.errors import EngineError
from openral_perception_ros.engines.image_processing import Preprocessing, ResizeMode, make_candidates
from openral_perception_ros.engines.vocabulary import ClassNames

PROVIDERS: Mapping[str, str] = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "tensorrt": "TensorrtExecutionProvider",
}


class UnknownDevice(EngineError):
    """An unknown device name."""

    def __init__(self, device: str, valid: Sequence[str]) -> None:
        super().__init__(
            f"unknown device {device!r}: valid are {format_choices(valid)}, optionally with ':<number>'"
        )


class ProviderUnavailable(EngineError):
    """A device that this build or machine lacks; there is no fallback."""

    def __init__(self, device: str, providers: Sequence[str]) -> None:
        super().__init__(f"ONNX Runtime cannot run on {device!r}: available are {format_choices(providers)}")


def provider_of(device: str) -> tuple[str, dict[str, str | int]]:
    """Map a device such as ``cuda:1`` to provider name and options.

    Raises:
        UnknownDevice: If the name is not known.
        ProviderUnavailable: If this build of ONNX Runtime lacks it.
    """
    kind, _, number = device.partition(":")
    name = PROVIDERS.get(kind)
    if name is None or (number and not number.isdigit()):
        raise UnknownDevice(device, sorted(PROVIDERS))
    if name not in onnxruntime.get_available_providers():
        raise ProviderUnavailable(device, onnxruntime.get_available_providers())
    return name, {"device_id": int(number)} if number and kind != "cpu" else {}


def open_session(path: str, device: str, threads: int) -> onnxruntime.InferenceSession:
    """Open a session on exactly this device.

    Raises:
        UnknownDevice, ProviderUnavailable: See `provider_of`; also when the provider fails to start.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    provider = provider_of(device)
    session = onnxruntime.InferenceSession(path, options, providers=[provider])
    if session.get_providers()[0] != provider[0]:
        raise ProviderUnavailable(device, session.get_providers())
    return session


MODEL_FILE = "model.onnx"


class RtDetrOnnxOptions(Document):
    """The manifest's ``options``."""

    fit: ResizeMode = ResizeMode.STRETCH
    threads: int = Field(default=0, ge=0, description="0 = one per core")


class RtDetrOnnx:
    """Closed-vocabulary detector on ONNX Runtime."""

    def __init__(
        self,
        session: onnxruntime.InferenceSession,
        preprocessing: Preprocessing,
        classes: ClassNames,
        threshold: float,
        fit: ResizeMode,
    ) -> None:
        self._session, self._preprocessing = session, preprocessing
        self._threshold, self._fit = threshold, fit
        self._input = session.get_inputs()[0].name
        self._classes, self.labels = classes, classes.labels

    def device_memory_mb(self) -> float:
        """Return 0: ONNX Runtime does not report its device memory."""
        return 0.0

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`; the vocabulary is closed, so ``terms`` has no effect."""
        rgb = frame.plane(Sensor.RGB).astype(np.uint8, copy=False)
        pixels, fit = self._preprocessing.apply(rgb, self._fit)
        logits, boxes = self._session.run(["logits", "pred_boxes"], {self._input: pixels})
        candidates = make_candidates(logits[0][:, self._classes.numbers], boxes[0], self._threshold)
        names = [self._classes.names[number] for number in candidates.classes]
        return detections_from(fit.to_source(candidates.corners), candidates.scores, names, frame.size)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> RtDetrOnnx:
    """Load the engine of a manifest.

    Raises:
        MissingWeights: If the ONNX file is not on this machine.
        ProviderUnavailable: If the requested device is unavailable.
        LabelMismatch: If vocabulary and model disagree on the classes.
    """
    own = parse_document(RtDetrOnnxOptions, manifest.options, folder / "rskill.yaml: options")
    checkpoint = checkpoint_folder(manifest, folder, options.weights_folder, (MODEL_FILE, PREPROCESSOR_FILE))
    session = open_session(str(checkpoint / MODEL_FILE), options.device, own.threads)
    count = session.get_outputs()[0].shape[-1]
    classes = ClassNames.of(manifest, folder, count if isinstance(count, int) else None)
    return RtDetrOnnx(session, Preprocessing.read(checkpoint), classes, manifest.least_score, own.fit)
