"""The engine: its options, and detections by a layout that was checked on test pictures."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from pydantic import Field, model_validator

from openral_core.detectors import Detection
from openral_core.documents import Document, parse_document
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.base import PADDING_COLOUR, EngineFrame, LoadOptions, detections_from
from openral_perception_ros.engines.checkpoints import PREPROCESSOR_FILE, checkpoint_folder
from openral_perception_ros.engines.errors import BadDetections
from openral_perception_ros.engines.image_processing import (
    Candidates,
    LetterboxTransform,
    ModelSize,
    Positive,
    Preprocessing,
    ResizeMode,
    non_max_suppression,
)
from openral_perception_ros.engines.onnx import checks
from openral_perception_ros.engines.onnx.decoders import Columns, decode, select
from openral_perception_ros.engines.onnx.layouts import (
    Activation,
    BoxFormat,
    BoxUnit,
    DecodeKind,
    OutputLayout,
    Outputs,
    Tensor,
    find_layout,
)
from openral_perception_ros.engines.onnx.model_input import ModelInput, UnknownInputSize
from openral_perception_ros.engines.onnx.session import open_session
from openral_perception_ros.engines.vocabulary import ClassNames

MODEL_FILE = "model.onnx"
EARLIER_NAME = "rtdetr_onnx"
NMS_OVERLAP = 0.6
"""Default intersection over union above which the weaker box of a class is dropped [1], as of NanoDet."""
FINAL_KINDS = (DecodeKind.DETR, DecodeKind.END_TO_END, DecodeKind.BOXES)
"""Kinds whose models leave one box per object."""


class Colour(StrEnum):
    """Order of the channels that a model takes."""

    RGB = "rgb"
    BGR = "bgr"


class OnnxOptions(Document):
    """The manifest's ``options``: how pixels become inputs, and outputs boxes.

    ``range``, ``mean`` and ``std`` override a preprocessor_config.json beside the model.
    """

    decode: DecodeKind | None = Field(default=None, description="None = inferred from names and shapes")
    fit: ResizeMode = ResizeMode.STRETCH
    pad: int = Field(default=PADDING_COLOUR[0], ge=0, le=255, description="[levels of 255]")
    colour: Colour = Colour.RGB
    range: float | None = Field(default=None, gt=0.0, description="input of a white pixel: 1 or 255")
    mean: tuple[float, float, float] | None = Field(default=None, description="in the unit of range")
    std: tuple[Positive, Positive, Positive] | None = Field(default=None, description="in the unit of range")
    boxes: BoxFormat | None = Field(default=None, description="None = that of the decode kind")
    unit: BoxUnit | None = Field(default=None, description="None = that of the decode kind")
    activation: Activation | None = Field(default=None, description="None = that of the decode kind")
    nms_overlap: float | None = Field(
        default=None, ge=0.0, le=1.0, description="None = that of the decode kind; 1 = no suppression"
    )
    top_k: int = Field(default=100, ge=1, le=1000, description="most objects per image, as in COCO's metrics")
    threads: int = Field(default=0, ge=0, description="0 = one per core")

    @model_validator(mode="after")
    def _mean_has_std(self) -> "OnnxOptions":
        if (self.mean is None) != (self.std is None):
            raise ValueError("'mean' and 'std' belong together")
        return self

    def preprocessing(self, checkpoint: Path, size: tuple[int, int] | None) -> Preprocessing:
        """Combine the options with the model's preprocessor_config.json.

        Args:
            size: (width, height) of its input [px]; None = as the file says.

        Raises:
            InvalidPreprocessing: If the file is invalid, or missing without a size.
        """
        changes: dict[str, object] = {"bgr": self.colour is Colour.BGR, "pad": self.pad}
        if self.range is not None:
            changes |= {"do_rescale": True, "rescale_factor": self.range / 255.0}
        if self.mean is not None:
            changes |= {"do_normalize": True, "image_mean": self.mean, "image_std": self.std}
        if size is None or (checkpoint / PREPROCESSOR_FILE).is_file():
            return Preprocessing.read(checkpoint).model_copy(update=changes)
        base = Preprocessing(size=ModelSize(width=size[0], height=size[1]), antialias=False)
        return base.model_copy(update=changes)

    def adjusted(self, layout: OutputLayout) -> OutputLayout:
        """Replace what the manifest states."""
        return replace(
            layout,
            box_format=self.boxes or layout.box_format,
            unit=self.unit or layout.unit,
            activation=self.activation or layout.activation,
        )


DEFAULT_SIZE = (640, 640)
"""(width, height) of the test pictures if nothing fixes the input's [px]: that of most exports."""


class OnnxModel:
    """A model of ONNX Runtime with what its input needs.

    ``source_size`` is the (width, height) [px] of images whose preparation has the model's usual size.
    """

    def __init__(
        self,
        session: onnxruntime.InferenceSession,
        manifest: DetectorManifest,
        checkpoint: Path,
        options: OnnxOptions,
    ) -> None:
        self._session, self._fit = session, options.fit
        self._input = ModelInput.of(session)
        has_file = (checkpoint / PREPROCESSOR_FILE).is_file()
        size = self._input.size or (None if has_file else manifest.input_size)
        if size is None and not has_file:
            raise UnknownInputSize(session.get_inputs()[0].shape, None)
        self._preprocessing = options.preprocessing(checkpoint, size)
        if self._input.dtype is np.uint8:
            self._preprocessing = self._preprocessing.as_levels()
        self.source_size = manifest.input_size or size or DEFAULT_SIZE
        self.size = self._preprocessing.size.of(self.source_size)
        for stated in (self.size, manifest.input_size or self.size):
            if self._input.size not in (None, stated):
                raise UnknownInputSize(session.get_inputs()[0].shape, stated)

    @property
    def has_queries(self) -> bool:
        """True for a model that takes its input's size, as RT-DETR, which scores every query."""
        return bool(self._input.size_name)

    def run(self, rgb: NDArray[np.uint8]) -> tuple[list[NDArray[np.generic]], LetterboxTransform]:
        """Return all outputs for an image (H, W, 3), and the transform that maps boxes back."""
        pixels, fit = self._preprocessing.apply(rgb, self._fit)
        outputs = self._session.run(None, self._input.feed(pixels, fit.model))
        return outputs, fit

    def tensors(self, outputs: Sequence[NDArray[np.generic]]) -> tuple[Tensor, ...]:
        """Describe outputs."""
        declared = self._session.get_outputs()
        return tuple(
            Tensor(each.name, each.type, np.shape(array))
            for each, array in zip(declared, outputs, strict=True)
        )


def columns_of(classes: ClassNames, layout: OutputLayout) -> Columns:
    """Return the columns of the scores that have names; a slice if they are neighbours, to copy nothing."""
    if not layout.classes:
        return slice(None)
    if classes.in_order:
        return slice(layout.background, layout.background + len(classes.numbers))
    return classes.numbers + layout.background


class OnnxEngine:
    """Closed-vocabulary detector on ONNX Runtime.

    Args:
        model: The loaded model.
        layout: Layout of its outputs.
        classes: Names of its classes.
        options: Those of the manifest.
        threshold: Score above which objects are reported.
        summary: How the outputs are read, in words.
    """

    def __init__(
        self,
        model: OnnxModel,
        layout: OutputLayout,
        classes: ClassNames,
        options: OnnxOptions,
        threshold: float,
        summary: str,
    ) -> None:
        self._model, self.layout, self._threshold, self._top_k = model, layout, threshold, options.top_k
        self.input_size = model.size
        self.labels = classes.labels
        self._classes, self._columns = classes, columns_of(classes, layout)
        default = 1.0 if layout.kind in FINAL_KINDS else NMS_OVERLAP
        self.nms_overlap = default if options.nms_overlap is None else options.nms_overlap
        self.summary = summary

    def device_memory_mb(self) -> float:
        """Return 0: ONNX Runtime does not report its device memory."""
        return 0.0

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`; the vocabulary is closed, so ``terms`` has no effect."""
        rgb = frame.plane(Sensor.RGB).astype(np.uint8, copy=False)
        outputs, fit = self._model.run(rgb)
        candidates = self._candidates(outputs, fit.model)
        names = [self._classes.names[index] for index in candidates.classes]
        return detections_from(fit.to_source(candidates.corners), candidates.scores, names, frame.size)

    def _candidates(self, outputs: Sequence[NDArray[np.generic]], size: tuple[int, int]) -> Candidates:
        """Return the objects, best first; their classes are indices of ``labels``.

        Raises:
            BadDetections: If boxes have another unit than when the model was loaded, or a class is unknown.
        """
        predictions = decode(outputs, self.layout, size)
        candidates = select(predictions, self.layout, size, self._columns, self._threshold)
        if predictions.classes is not None:
            candidates = self._named(candidates)
        if problem := checks.unit_problem(candidates.corners, self.layout, size):
            raise BadDetections("boxes in another unit", problem)
        if self.nms_overlap < 1.0:
            candidates = non_max_suppression(candidates, self.nms_overlap, across_classes=False)
        return candidates.only(np.arange(min(len(candidates.scores), self._top_k)))

    def _named(self, candidates: Candidates) -> Candidates:
        """Replace class numbers by indices of labels, without the classes that a map leaves out."""
        numbers = self._classes.numbers
        if self._classes.in_order and len(candidates.classes):
            low, high = candidates.classes.min(), candidates.classes.max()
            if low < 0 or high >= len(numbers):
                raise BadDetections(
                    "a class without a label", f"{high if low >= 0 else low} of {len(numbers)}"
                )
        rows = np.flatnonzero(np.isin(candidates.classes, numbers))
        order = np.argsort(numbers)
        indices = order[np.searchsorted(numbers, candidates.classes[rows], sorter=order)]
        return replace(candidates.only(rows), classes=indices)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> OnnxEngine:
    """Load the engine of a manifest, find the layout of the model's outputs, and check them on test pictures.

    Raises:
        MissingWeights: If the ONNX file is not on this machine.
        WeightsUnreadable: If it is none, or too new.
        ProviderUnavailable: If the requested device is unavailable.
        UnsupportedInputs, UnknownInputSize: If the model takes something else than an image.
        UnknownOutputs: If no decode kind describes the outputs.
        LabelMismatch: If vocabulary and model disagree on the classes.
        ImplausibleOutputs: If the outputs have the form of the decode kind, but not its values.
    """
    own = parse_document(OnnxOptions, manifest.options, folder / "rskill.yaml: options")
    needed: tuple[str, ...] = (MODEL_FILE,)
    if manifest.engine == EARLIER_NAME:
        own = own.model_copy(update={"decode": own.decode or DecodeKind.DETR})
        needed = (MODEL_FILE, PREPROCESSOR_FILE)
    checkpoint = checkpoint_folder(manifest, folder, options.weights_folder, needed)
    session = open_session(checkpoint / MODEL_FILE, options.device, own.threads)
    model = OnnxModel(session, manifest, checkpoint, own)
    classes = ClassNames.of(manifest, folder, None)
    pictures = [model.run(picture) for picture in checks.test_pictures(model.source_size)]
    tensors, size = model.tensors(pictures[-1][0]), pictures[-1][1].model
    count = len(classes.labels) if classes.in_order else None
    layout = own.adjusted(find_layout(Outputs(tensors, size, count), own.decode))
    if layout.classes and not classes.in_order:
        ClassNames.of(manifest, folder, layout.classes)
    predictions = [decode(outputs, layout, size) for outputs, _ in pictures]
    checks.check(predictions, layout, size)
    summary = f"{layout.kind.value} ({'stated' if own.decode else 'inferred'})"
    if not layout.classes and checks.finds_nothing(predictions):
        if model.has_queries:
            raise checks.ImplausibleOutputs(layout, "every score is 0 whatever the picture")
        summary += ", unchecked: nothing of any score is seen in the test pictures"
    return OnnxEngine(model, layout, classes, own, manifest.least_score, summary)
