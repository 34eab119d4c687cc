"""Engine for detectors behind the KServe v2 inference protocol over gRPC, such as Triton's or KServe's.

On loading, names, types and shapes of the manifest are compared with the endpoint's own description of its
model; every answer is checked again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import numpy as np
import tritonclient.grpc as triton
from numpy.typing import NDArray
from pydantic import Field
from tritonclient.grpc.service_pb2 import ModelMetadataResponse
from tritonclient.utils import InferenceServerException

from openral_core.detectors import Detection
from openral_core.documents import parse_document
from openral_core.errors import format_choices
from openral_core.rskills import DetectorManifest, Sensor, Vocabulary
from openral_perception_ros.engines.base import EngineFrame, LoadOptions, detections_from
from openral_perception_ros.engines.errors import BadDetections, EmptyQuery, EngineError, FailureKind
from openral_perception_ros.engines.image_processing import (
    Candidates,
    ModelSize,
    Preprocessing,
    ResizeMode,
    make_candidates,
)
from openral_perception_ros.engines.remote import (
    MAX_MESSAGE,
    RemoteAddress,
    RemoteCalls,
    RemoteOptions,
    RemoteRefused,
    RemoteTimedOut,
    RemoteUnavailable,
)
from openral_perception_ros.engines.vocabulary import ClassNames

SCHEMES = {"grpc": 8001, "grpcs": 443}
"""``grpcs`` is TLS; the port of ``grpc`` is Triton's."""
CHANNEL = {
    "grpc.enable_http_proxy": 0,
    "grpc.max_receive_message_length": MAX_MESSAGE,
    "grpc.max_send_message_length": MAX_MESSAGE,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1000,
}
BUSY = ("StatusCode.UNAVAILABLE", "StatusCode.RESOURCE_EXHAUSTED", "StatusCode.ABORTED")
"""Codes of gRPC after which a request may be repeated."""
LATE = ("StatusCode.DEADLINE_EXCEEDED", "StatusCode.CANCELLED")


class Described(Protocol):
    """Name and type of a tensor in a message of the protocol."""

    name: str
    datatype: str


class UnexpectedTensor(EngineError):
    """A tensor that is not what the manifest says."""

    kind = FailureKind.BAD_DETECTIONS

    def __init__(self, what: str, expected: str, actual: str) -> None:
        super().__init__(f"{what}: the manifest expects {expected}, the endpoint has {actual}")


class MissingInputSize(EngineError):
    """A manifest without the size of the model's input."""

    def __init__(self, rskill_id: str) -> None:
        super().__init__(f"{rskill_id!r} needs 'input_size: [width, height]', that of the served model")


class Layout(StrEnum):
    """Order of an image's dimensions."""

    NCHW = "nchw"
    NHWC = "nhwc"


class ImageType(StrEnum):
    """Types of image tensors, as the protocol names them."""

    FP32 = "FP32"
    FP16 = "FP16"
    UINT8 = "UINT8"

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """The numpy type."""
        return _DTYPES[self]


_DTYPES: Mapping[ImageType, np.dtype[np.generic]] = {
    ImageType.FP32: np.dtype(np.float32),
    ImageType.FP16: np.dtype(np.float16),
    ImageType.UINT8: np.dtype(np.uint8),
}


class ServedOutputs(StrEnum):
    """``detr``: class logits and relative centre boxes; ``boxes``: final boxes, scores and class numbers."""

    DETR = "detr"
    BOXES = "boxes"


class KserveOptions(RemoteOptions):
    """The manifest's ``options``; ``phrases_input`` names the BYTES input of an open-vocabulary model."""

    version: str = Field(default="", description="version of the model; '' = the endpoint's choice")
    image_input: str = "pixel_values"
    image_layout: Layout = Layout.NCHW
    image_type: ImageType = ImageType.FP32
    imagenet_normalised: bool = False
    fit: ResizeMode = ResizeMode.STRETCH
    heads: ServedOutputs = ServedOutputs.DETR
    logits_output: str = "logits"
    boxes_output: str = "pred_boxes"
    scores_output: str = "scores"
    classes_output: str = "classes"
    phrases_input: str = ""

    @property
    def inputs(self) -> dict[str, str]:
        """Names of the inputs and their types."""
        phrases = {self.phrases_input: "BYTES"} if self.phrases_input else {}
        return {self.image_input: self.image_type.value, **phrases}

    @property
    def outputs(self) -> dict[str, tuple[str, ...]]:
        """Names of the outputs and their valid types."""
        if self.heads is ServedOutputs.DETR:
            return {self.logits_output: ("FP32", "FP16"), self.boxes_output: ("FP32", "FP16")}
        return {
            self.boxes_output: ("FP32", "FP16"),
            self.scores_output: ("FP32", "FP16"),
            self.classes_output: ("INT32", "INT64"),
        }

    def preprocessing(self, size: tuple[int, int]) -> Preprocessing:
        """Return how an image becomes the model's input."""
        return Preprocessing(
            size=ModelSize(width=size[0], height=size[1]),
            do_rescale=self.image_type is not ImageType.UINT8,
            do_normalize=self.imagenet_normalised,
            image_mean=(0.485, 0.456, 0.406),
            image_std=(0.229, 0.224, 0.225),
        )


class KserveDetector:
    """Detector served by a KServe v2 endpoint."""

    def __init__(
        self,
        manifest: DetectorManifest,
        options: KserveOptions,
        address: RemoteAddress,
        classes: ClassNames | None,
    ) -> None:
        if manifest.input_size is None:
            raise MissingInputSize(manifest.id)
        self._manifest, self._options, self._address = manifest, options, address
        self._size = manifest.input_size
        self._preprocessing = options.preprocessing(self._size)
        self._calls = RemoteCalls(options, address)
        certificates = str(address.certificates) if address.certificates else None
        self._client = triton.InferenceServerClient(
            address.authority,
            ssl=address.scheme == "grpcs",
            root_certificates=certificates,
            channel_args=list(CHANNEL.items()),
        )
        self._classes, self.labels = classes, classes.labels if classes else ()
        self._check(self._calls.call(self._describe))

    def device_memory_mb(self) -> float:
        """See `Engine.device_memory_mb`; the model's memory is the endpoint's."""
        return 0.0

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`."""
        phrases = self._classes.names if self._classes else tuple(terms or ())
        if not phrases:
            raise EmptyQuery(self._manifest.id)
        pixels, fit = self._preprocessing.apply(
            frame.plane(Sensor.RGB).astype(np.uint8, copy=False), self._options.fit
        )
        inputs = [self._image(pixels), *self._phrases(phrases)]
        result = self._calls.call(lambda seconds: self._infer(inputs, seconds))
        candidates = self._candidates(
            result, self._classes.numbers if self._classes else np.arange(len(phrases))
        )
        names = [phrases[number] for number in candidates.classes]
        return detections_from(fit.to_source(candidates.corners), candidates.scores, names, frame.size)

    def _image(self, pixels: NDArray[np.float32]) -> triton.InferInput:
        if self._options.image_layout is Layout.NHWC:
            pixels = pixels.transpose(0, 2, 3, 1)
        tensor = np.ascontiguousarray(pixels).astype(self._options.image_type.dtype)
        image_input = triton.InferInput(
            self._options.image_input, tensor.shape, self._options.image_type.value
        )
        return image_input.set_data_from_numpy(tensor)

    def _phrases(self, phrases: Sequence[str]) -> list[triton.InferInput]:
        if not self._options.phrases_input:
            return []
        texts = np.array([phrase.encode() for phrase in phrases], np.object_)
        return [
            triton.InferInput(self._options.phrases_input, texts.shape, "BYTES").set_data_from_numpy(texts)
        ]

    def _describe(self, seconds: float) -> ModelMetadataResponse:
        with self._translated_errors():
            options = self._options
            return self._client.get_model_metadata(options.model, options.version, client_timeout=seconds)

    def _infer(self, inputs: list[triton.InferInput], seconds: float) -> triton.InferResult:
        outputs = [triton.InferRequestedOutput(name) for name in self._options.outputs]
        with self._translated_errors():
            return self._client.infer(
                self._options.model, inputs, self._options.version, outputs, client_timeout=seconds
            )

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except InferenceServerException as error:
            status, words = str(error.status()), str(error.message())
            if status in LATE:
                raise RemoteTimedOut(str(self._address), self._options.deadline) from error
            if status in BUSY:
                raise RemoteUnavailable(str(self._address), words) from error
            raise RemoteRefused(str(self._address), f"{status}: {words}") from error

    def _check(self, described: ModelMetadataResponse) -> None:
        """Compare the manifest with the endpoint's description of its model.

        Raises:
            UnexpectedTensor: If a tensor is missing or of another type or shape.
        """
        width, height = self._size
        shape = (1, 3, height, width) if self._options.image_layout is Layout.NCHW else (1, height, width, 3)
        inputs, outputs = _types(described.inputs), _types(described.outputs)
        for name, kind in self._options.inputs.items():
            _check_type("input", name, (kind,), inputs)
        for name, kinds in self._options.outputs.items():
            _check_type("output", name, kinds, outputs)
        if extra := sorted(set(inputs) - set(self._options.inputs)):
            raise UnexpectedTensor("inputs", format_choices(self._options.inputs), f"also {extra}")
        (served_shape,) = (tuple(i.shape) for i in described.inputs if i.name == self._options.image_input)
        if len(served_shape) != 4 or any(
            side not in (-1, expected) for side, expected in zip(served_shape, shape, strict=True)
        ):
            raise UnexpectedTensor(
                f"input {self._options.image_input!r}", f"shape {shape}", f"{served_shape}"
            )

    def _candidates(self, result: triton.InferResult, columns: NDArray[np.int64]) -> Candidates:
        """Read boxes of the classes in ``columns``; if they are all classes, others are an error."""
        options, tensor = self._options, _reader(result, self._options.outputs)
        boxes = tensor(options.boxes_output, (None, 4)).astype(np.float64)
        count, all_named = boxes.shape[0], int(columns.max()) + 1 == len(columns)
        if options.heads is ServedOutputs.DETR:
            width = len(columns) if all_named else None
            logits = tensor(options.logits_output, (count, width)).astype(np.float64)
            _check_classes(options.logits_output, np.arange(logits.shape[1]), columns, served=False)
            return make_candidates(logits[:, columns], boxes, self._manifest.least_score)
        scores = tensor(options.scores_output, (count,)).astype(np.float64)
        numbers = tensor(options.classes_output, (count,)).astype(np.int64)
        if all_named:
            _check_classes(options.classes_output, columns, numbers, served=True)
        index = {int(number): position for position, number in enumerate(columns)}
        classes = np.array([index.get(int(number), -1) for number in numbers], np.int64)
        above = ~(scores <= self._manifest.least_score)  # NaN is refused later
        indices = np.flatnonzero(above & (classes >= 0))
        if (inverted := (boxes[indices, 2:] < boxes[indices, :2]).any(axis=1)).any():
            raise BadDetections("boxes that end before they begin", boxes[indices][inverted][0])
        width, height = self._size
        return Candidates(boxes / (width, height, width, height), scores, classes).only(indices)


def _check_classes(output: str, valid: NDArray[np.int64], used: NDArray[np.int64], *, served: bool) -> None:
    """Compare class numbers; ``served`` tells which side uses them."""
    if missing := sorted(set(used.tolist()) - set(valid.tolist())):
        actual, expected = f"{missing[:5]}", f"classes {valid.min()} to {valid.max()}"
        raise UnexpectedTensor(f"output {output!r}", *((expected, actual) if served else (actual, expected)))


def _types(tensors: Iterable[Described]) -> dict[str, str]:
    return {tensor.name: tensor.datatype for tensor in tensors}


def _check_type(role: str, name: str, kinds: tuple[str, ...], types: Mapping[str, str]) -> None:
    if name not in types:
        raise UnexpectedTensor(f"{role} {name!r}", "this name", format_choices(types))
    if types[name] not in kinds:
        raise UnexpectedTensor(f"{role} {name!r}", f"type {format_choices(kinds)}", types[name])


Shape = tuple[int | None, ...]
"""Shape of a tensor (None = any length)."""


def _reader(
    result: triton.InferResult, outputs: Mapping[str, tuple[str, ...]]
) -> Callable[[str, Shape], NDArray[np.generic]]:
    """Return a function that reads an output of a given shape; a batch of one is left out."""
    types = _types(result.get_response().outputs)

    def tensor(name: str, shape: Shape) -> NDArray[np.generic]:
        _check_type("output", name, outputs[name], types)
        expected = f"shape {tuple('any' if side is None else side for side in shape)}"
        try:
            values: NDArray[np.generic] = result.as_numpy(name)
        except (ValueError, InferenceServerException) as error:
            raise UnexpectedTensor(f"output {name!r}", expected, f"data of another size: {error}") from error
        plain = values[0] if values.ndim == len(shape) + 1 and values.shape[0] == 1 else values
        sides = zip(shape, plain.shape, strict=False)
        if plain.ndim != len(shape) or any(length not in (None, side) for length, side in sides):
            raise UnexpectedTensor(f"output {name!r}", expected, f"shape {values.shape}")
        return plain

    return tensor


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> KserveDetector:
    """Connect to the endpoint of a manifest.

    Raises:
        InvalidEndpoint: If its address is missing or wrong.
        RemoteUnavailable: If it cannot be reached.
        UnexpectedTensor: If its model is not what the manifest says.
    """
    own = parse_document(KserveOptions, manifest.options, folder / "rskill.yaml: options")
    address = RemoteAddress.of(own, folder, SCHEMES)
    is_open = manifest.vocabulary.kind is Vocabulary.OPEN
    return KserveDetector(manifest, own, address, None if is_open else ClassNames.of(manifest, folder, None))
