"""Image processing around a network: image to input tensor, logits to scored boxes, suppression of overlaps.

A checkpoint's ``preprocessor_config.json`` says how its input is resized and normalised.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Self

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from openral_core.documents import InvalidDocument, problems_of, read_json
from openral_core.errors import OpenRALError
from openral_perception_ros.engines.base import PADDING_COLOUR
from openral_perception_ros.engines.checkpoints import PREPROCESSOR_FILE
from openral_perception_ros.engines.errors import BadDetections

Size = tuple[int, int]


class ResizeMode(StrEnum):
    """Resize mode: ``stretch`` changes the aspect ratio, ``letterbox`` keeps it and pads right and below.

    ``letterbox_centred`` pads both sides alike.
    """

    STRETCH = "stretch"
    LETTERBOX = "letterbox"
    LETTERBOX_CENTRED = "letterbox_centred"


@dataclass(frozen=True, slots=True)
class LetterboxTransform:
    """Mapping between source image and model input.

    Sizes are (width, height) [px]; ``content`` is the part of ``model`` that the source covers, and
    ``offset`` its upper left corner (x, y) [px].
    """

    source: Size
    content: Size
    model: Size
    offset: Size = (0, 0)

    def to_source(self, corners: NDArray[np.floating]) -> NDArray[np.float64]:
        """Convert boxes to source pixels.

        Args:
            corners: x_min, y_min, x_max, y_max relative to the model's input, in [0, 1], shape (N, 4).
        """
        across, down = self.source[0] / self.content[0], self.source[1] / self.content[1]
        pixels = np.asarray(corners, np.float64) * (*self.model, *self.model)
        if self.offset != (0, 0):
            pixels -= (*self.offset, *self.offset)
        return pixels * (across, down, across, down)


def letterbox_transform(kind: ResizeMode, source: Size, model: Size) -> LetterboxTransform:
    """Compute the transform of one image."""
    if kind is ResizeMode.STRETCH:
        return LetterboxTransform(source, model, model)
    scale = min(model[0] / source[0], model[1] / source[1])
    content = max(round(source[0] * scale), 1), max(round(source[1] * scale), 1)
    if kind is ResizeMode.LETTERBOX:
        return LetterboxTransform(source, content, model)
    offset = (model[0] - content[0]) // 2, (model[1] - content[1]) // 2
    return LetterboxTransform(source, content, model, offset)


class InvalidPreprocessing(OpenRALError):
    """A preprocessor_config.json that is invalid or unsupported."""

    def __init__(self, path: Path, problem: object) -> None:
        super().__init__(f"{path}: unsupported preprocessing: {problem}")


class ModelSize(BaseModel):
    """Fixed input size [px]."""

    model_config = ConfigDict(frozen=True)

    height: int
    width: int

    def of(self, source: Size) -> Size:
        """Return the input size (width, height) for an image."""
        return self.width, self.height


class EdgeSize(BaseModel):
    """Bounds of the input's edges [px]; the aspect ratio of the image is kept."""

    model_config = ConfigDict(frozen=True)

    shortest_edge: int = Field(ge=1)
    longest_edge: int = Field(ge=1)

    def of(self, source: Size) -> Size:
        """Return the input size (width, height) for an image, rounded as by transformers' DETR processors."""
        short, long = min(source), max(source)
        edge = float(self.shortest_edge)
        if long / short * edge > self.longest_edge:
            edge = self.longest_edge * short / long
        lengths = {short: round(edge), long: int(edge * long / short)}
        return lengths[source[0]], lengths[source[1]]


Positive = Annotated[float, Field(gt=0.0)]


class Preprocessing(BaseModel):
    """The supported keys; all others concern training or batching, and null stands for a default.

    ``bgr``, ``pad`` [levels of 255] and ``antialias`` are ours: networks that were trained on images resized
    by OpenCV get theirs resized by it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    size: ModelSize | EdgeSize
    resample: int = Image.Resampling.BILINEAR
    do_rescale: bool = True
    rescale_factor: Positive = 1.0 / 255.0
    do_normalize: bool = False
    image_mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    image_std: tuple[Positive, Positive, Positive] = (1.0, 1.0, 1.0)
    bgr: bool = False
    pad: int = Field(default=PADDING_COLOUR[0], ge=0, le=255)
    antialias: bool = True

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, content: object) -> object:
        if not isinstance(content, dict):
            return content
        present = {key: value for key, value in content.items() if value is not None}
        size = present.get("size")
        return {**present, "size": {"height": size, "width": size}} if isinstance(size, int) else present

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the preprocessing of the checkpoint in a folder.

        Raises:
            InvalidPreprocessing: If the file is missing, not JSON, or has neither a fixed size nor two edges.
        """
        path = folder / PREPROCESSOR_FILE
        try:
            return cls.model_validate(read_json(path))
        except InvalidDocument as error:
            raise InvalidPreprocessing(path, error) from error
        except ValidationError as error:
            raise InvalidPreprocessing(path, "; ".join(problems_of(cls, error))) from error

    def apply(
        self, rgb: NDArray[np.uint8], kind: ResizeMode
    ) -> tuple[NDArray[np.float32], LetterboxTransform]:
        """Convert an image to the model's input.

        Args:
            rgb: Shape (H, W, 3).

        Returns:
            The input, shape (1, 3, height, width), and the transform that maps boxes back.
        """
        levels, fit = self.resized(rgb, kind)
        pixels = np.empty((1, 3, *levels.shape[:2]), np.float32)
        scales, shifts = self.linear_map
        for index, channel in enumerate(cv2.split(levels)):
            np.multiply(channel, scales[index], out=pixels[0, index])
            if shifts[index]:
                pixels[0, index] += shifts[index]
        return pixels, fit

    def as_levels(self) -> Self:
        """Return the preprocessing of a model that takes levels of 255 and normalises them itself."""
        return self.model_copy(update={"do_rescale": False, "do_normalize": False})

    @cached_property
    def linear_map(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Factor and summand per channel that turn levels of 255 into inputs."""
        scale = np.full(3, self.rescale_factor if self.do_rescale else 1.0)
        if not self.do_normalize:
            return scale.astype(np.float32), np.zeros(3, np.float32)
        mean, std = np.array(self.image_mean), np.array(self.image_std)
        return (scale / std).astype(np.float32), (-mean / std).astype(np.float32)

    def resized(
        self, rgb: NDArray[np.uint8], kind: ResizeMode
    ) -> tuple[NDArray[np.uint8], LetterboxTransform]:
        """Resize and pad an image and order its channels, shape (height, width, 3)."""
        source = (rgb.shape[1], rgb.shape[0])
        fit = letterbox_transform(kind, source, self.size.of(source))
        content = self._resized_content(rgb, fit.content)
        if self.bgr:
            content = np.asarray(cv2.cvtColor(content, cv2.COLOR_RGB2BGR), np.uint8)
        if fit.content == fit.model:
            return content, fit
        canvas = np.full((fit.model[1], fit.model[0], 3), self.pad, np.uint8)
        x, y = fit.offset
        canvas[y : y + fit.content[1], x : x + fit.content[0]] = content
        return canvas, fit

    def _resized_content(self, rgb: NDArray[np.uint8], size: Size) -> NDArray[np.uint8]:
        if size == (rgb.shape[1], rgb.shape[0]):
            return rgb
        if self.antialias:
            image = Image.fromarray(halved(rgb, size))
            return np.asarray(image.resize(size, Image.Resampling(self.resample)))
        return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def halved(rgb: NDArray[np.uint8], size: Size) -> NDArray[np.uint8]:
    """Halve an image, shape (H, W, 3), by averaging as long as it stays at least as large as ``size`` [px].

    Resizing the rest with a filter differs by about one level of 255 from resizing the whole; a 1080p image
    takes a third of the time.
    """
    while (
        rgb.shape[0] % 2 == rgb.shape[1] % 2 == 0
        and rgb.shape[0] >= 2 * size[1]
        and rgb.shape[1] >= 2 * size[0]
    ):
        half = rgb.shape[1] // 2, rgb.shape[0] // 2
        rgb = np.asarray(cv2.resize(rgb, half, interpolation=cv2.INTER_AREA), np.uint8)
    return rgb


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidate boxes, best score first.

    ``corners`` is x_min, y_min, x_max, y_max relative to the model's input, shape (N, 4).
    """

    corners: NDArray[np.float64]
    scores: NDArray[np.float64]
    classes: NDArray[np.int64]

    def only(self, indices: NDArray[np.int64]) -> "Candidates":
        """Select candidates by index."""
        return Candidates(self.corners[indices], self.scores[indices], self.classes[indices])


def make_candidates(
    logits: NDArray[np.floating], boxes: NDArray[np.floating], threshold: float
) -> Candidates:
    """Select at most as many candidates as queries, as for DETR with focal loss.

    Source: Zhao et al. 2024 (RT-DETR), the head's sigmoid scores over all classes of all queries.

    Args:
        logits: Shape (Q, C).
        boxes: Centre x, centre y, width, height in [0, 1], shape (Q, 4).
        threshold: Candidates must score above it.

    Raises:
        BadDetections: If any number is not finite.
    """
    if not (np.isfinite(logits).all() and np.isfinite(boxes).all()):
        raise BadDetections("logits or boxes that are not finite", f"{logits.shape[0]} queries")
    scores = 1.0 / (1.0 + np.exp(-np.clip(logits.astype(np.float64), -60.0, 60.0).reshape(-1)))
    best = np.argsort(-scores, kind="stable")[: logits.shape[0]]
    best = best[scores[best] > threshold]
    centre, half = np.split(boxes.astype(np.float64)[best // logits.shape[1]], 2, axis=1)
    corners = np.hstack([centre - half / 2.0, centre + half / 2.0])
    return Candidates(corners, scores[best], best % logits.shape[1])


NMS_SCALE = 10_000.0
"""Factor from relative to integer boxes, which OpenCV needs: a ten-thousandth of the image."""


def non_max_suppression(candidates: Candidates, overlap: float, across_classes: bool) -> Candidates:
    """Drop candidates that overlap a better one by more than ``overlap`` (intersection over union).

    Args:
        candidates: Any number.
        overlap: In [0, 1].
        across_classes: Compare across classes too.
    """
    if len(candidates.scores) < 2:
        return candidates
    boxes = candidates.corners * NMS_SCALE
    boxes[:, 2:] -= boxes[:, :2]
    groups = np.zeros_like(candidates.classes) if across_classes else candidates.classes
    survivors = cv2.dnn.NMSBoxesBatched(
        boxes.tolist(), candidates.scores.tolist(), groups.tolist(), 0.0, overlap
    )
    return candidates.only(np.sort(np.asarray(survivors, np.int64)))
