"""Engine for vision-language models on this machine, which answer with boxes in text.

The manifest says how a model writes boxes (`answer_format`) and whose code runs it (`model_code`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from PIL import Image
from pydantic import Field

from openral_core.detectors import Detection
from openral_core.documents import Document, parse_document
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.base import EngineFrame, LoadOptions
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, checkpoint_folder
from openral_perception_ros.engines.errors import EmptyQuery, RemoteCodeRefused
from openral_perception_ros.engines.grounding_answers import (
    LIST_QUESTION,
    AnswerFormat,
    answer_to_detections,
    listed_terms,
    parse_answer,
)
from openral_perception_ros.engines.image_processing import ResizeMode, letterbox_transform
from openral_perception_ros.engines.provenance import ModelCode
from openral_perception_ros.engines.torch_utils import (
    Precision,
    TorchDevice,
    device_memory_mb,
    inference_guard,
)
from openral_perception_ros.engines.vlm_models import (
    CheckpointCodeModel,
    Quantisation,
    TransformersModel,
)


class VlmGroundingOptions(Document):
    """The manifest's ``options``.

    ``{terms}`` in ``question`` is replaced by the requested terms; an empty question is the default of the
    answer format.
    """

    answer_format: AnswerFormat = AnswerFormat.TAGS
    model_code: ModelCode = ModelCode.CHECKPOINT
    precision: Precision = Precision.BF16
    quantisation: Quantisation = Quantisation.NF4
    long_edge: int = Field(default=1024, ge=64, description="larger images are scaled down to this [px]")
    max_new_tokens: int = Field(default=2048, ge=16)
    generation_mode: str = Field(default="hybrid", description="for LocateAnything's own code")
    question: str = ""
    question_of_several: str = Field(
        default="Locate all the instances that matches the following description: {terms}.",
        description="for the format tags; exact wording of LocateAnything's training data",
    )
    separator: str = Field(default="</c>", description="of several terms, for the format tags")

    def asked(self, terms: Sequence[str]) -> str:
        """Build the prompt for these phrases."""
        if self.answer_format is not AnswerFormat.TAGS:
            return (self.question or LIST_QUESTION).replace("{terms}", listed_terms(terms))
        question = (self.question or TAG_QUESTION) if len(terms) == 1 else self.question_of_several
        return question.replace("{terms}", self.separator.join(terms))


TAG_QUESTION = "Locate all the instances that match the following description: {terms}."


class VisionLanguageModel(Protocol):
    """A loaded model that answers a question about one image."""

    def ask(self, image: Image.Image, question: str) -> tuple[str, tuple[int, int]]:
        """Return the answer, and the size of the image that the model saw, (width, height) [px]."""
        ...


class VlmGrounding:
    """Open-vocabulary engine without scores."""

    labels: tuple[str, ...] = ()

    def __init__(
        self,
        rskill_id: str,
        model: VisionLanguageModel,
        device: torch.device,
        options: VlmGroundingOptions,
    ) -> None:
        self._id, self._model, self._device, self._options = rskill_id, model, device, options

    def device_memory_mb(self) -> float:
        """See `Engine.device_memory_mb`."""
        return device_memory_mb(self._device)

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`."""
        if not terms:
            raise EmptyQuery(self._id)
        image = self._shrunk(frame.plane(Sensor.RGB).astype(np.uint8, copy=False))
        with inference_guard("inference"):
            text, size = self._model.ask(image, self._options.asked(terms))
        return answer_to_detections(parse_answer(text, self._options.answer_format, size), terms, frame.size)

    def _shrunk(self, rgb: np.ndarray) -> Image.Image:
        image, edge = Image.fromarray(rgb), self._options.long_edge
        if max(image.size) <= edge:
            return image
        return image.resize(letterbox_transform(ResizeMode.LETTERBOX, image.size, (edge, edge)).content)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> VlmGrounding:
    """Load the engine of a manifest; never downloads.

    A checkpoint's own code runs only with the user's consent and a pinned revision.

    Raises:
        RemoteCodeRefused: If either is missing.
        MissingWeights: If the checkpoint is not on this machine.
        WeightsRefused: If a file does not match its pin or record.
    """
    own = parse_document(VlmGroundingOptions, manifest.options, folder / "rskill.yaml: options")
    runs_code = own.model_code is ModelCode.CHECKPOINT
    if runs_code and not (options.remote_code and manifest.weights and manifest.weights.revision):
        raise RemoteCodeRefused(manifest.id, options.remote_code)
    checkpoint = checkpoint_folder(manifest, folder, options.weights_folder, (CONFIG_FILE,))
    placement, quantisation = TorchDevice.of(options.device, own.precision.dtype), own.quantisation
    with inference_guard("loading"):
        model: VisionLanguageModel
        if runs_code:
            model = CheckpointCodeModel(
                checkpoint, placement, quantisation, own.max_new_tokens, own.generation_mode
            )
        else:
            model = TransformersModel(checkpoint, placement, quantisation, own.max_new_tokens)
    return VlmGrounding(manifest.id, model, placement.device, own)
