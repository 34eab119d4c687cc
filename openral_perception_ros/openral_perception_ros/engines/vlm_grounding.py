"""Engine for LocateAnything, a vision-language model that answers with text boxes; it ships its own code."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from pydantic import Field
from transformers import AutoModel, AutoProcessor, AutoTokenizer, BitsAndBytesConfig

from openral_core.detectors import Detection
from openral_core.documents import Document, parse_document
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.base import EngineFrame, LoadOptions
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, checkpoint_folder
from openral_perception_ros.engines.errors import EmptyQuery, RemoteCodeRefused
from openral_perception_ros.engines.grounding_answers import (
    AnswerFormat,
    answer_to_detections,
    parse_answer,
)
from openral_perception_ros.engines.preprocessing import ResizeMode, letterbox_transform
from openral_perception_ros.engines.torch_utils import (
    Precision,
    TorchDevice,
    device_memory_mb,
    inference_guard,
)


class Quantisation(StrEnum):
    """Quantisations a manifest may choose."""

    NONE = "none"
    NF4 = "nf4"

    def config(self, dtype: torch.dtype) -> BitsAndBytesConfig | None:
        """Return the transformers configuration; None loads the weights unquantised."""
        if self is Quantisation.NONE:
            return None
        return BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=dtype,
            bnb_4bit_use_double_quant=True,
        )


class VlmGroundingOptions(Document):
    """The manifest's ``options``; ``{terms}`` in a question is replaced by the requested terms."""

    precision: Precision = Precision.BF16
    quantisation: Quantisation = Quantisation.NF4
    long_edge: int = Field(default=1024, ge=64, description="larger images are scaled down to this [px]")
    max_new_tokens: int = Field(default=2048, ge=16)
    generation_mode: str = "hybrid"
    question: str = "Locate all the instances that match the following description: {terms}."
    question_of_several: str = Field(
        default="Locate all the instances that matches the following description: {terms}.",
        description="exact wording of the model's training data",
    )
    separator: str = "</c>"

    def asked(self, terms: Sequence[str]) -> str:
        """Build the prompt for these phrases."""
        question = self.question if len(terms) == 1 else self.question_of_several
        return question.format(terms=self.separator.join(terms))


class VlmGrounding:
    """Open-vocabulary engine without scores."""

    labels: tuple[str, ...] = ()

    def __init__(
        self,
        manifest: DetectorManifest,
        checkpoint: Path,
        placement: TorchDevice,
        options: VlmGroundingOptions,
        remote_code: bool,
    ) -> None:
        self._id, self._placement, self._options = manifest.id, placement, options
        sources = {"local_files_only": True, "trust_remote_code": remote_code}
        self._tokenizer = AutoTokenizer.from_pretrained(checkpoint, **sources)
        self._processor = AutoProcessor.from_pretrained(checkpoint, **sources)
        self._model = AutoModel.from_pretrained(
            checkpoint,
            dtype=placement.dtype,
            device_map={"": placement.device},
            quantization_config=options.quantisation.config(placement.dtype),
            **sources,
        ).eval()

    def device_memory_mb(self) -> float:
        """See `Engine.device_memory_mb`."""
        return device_memory_mb(self._placement.device)

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`."""
        if not terms:
            raise EmptyQuery(self._id)
        image = self._shrunk(frame.plane(Sensor.RGB).astype(np.uint8, copy=False))
        with inference_guard("inference"):
            answer = self._ask(image, self._options.asked(terms))
        return answer_to_detections(parse_answer(answer, AnswerFormat.TAGS, image.size), terms, frame.size)

    def _shrunk(self, rgb: np.ndarray) -> Image.Image:
        image, edge = Image.fromarray(rgb), self._options.long_edge
        if max(image.size) <= edge:
            return image
        return image.resize(letterbox_transform(ResizeMode.LETTERBOX, image.size, (edge, edge)).content)

    def _ask(self, image: Image.Image, question: str) -> str:
        content = [{"type": "image", "image": image}, {"type": "text", "text": question}]
        messages = [{"role": "user", "content": content}]
        prompt = self._processor.py_apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        images, videos = self._processor.process_vision_info(messages)
        inputs = self._processor(text=[prompt], images=images, videos=videos, return_tensors="pt")
        inputs = inputs.to(self._placement.device)
        inputs["pixel_values"] = inputs["pixel_values"].to(self._placement.dtype)
        answer = self._model.generate(
            **inputs,
            tokenizer=self._tokenizer,
            generation_mode=self._options.generation_mode,
            max_new_tokens=self._options.max_new_tokens,
            do_sample=False,
            use_cache=True,
        )
        return str(answer[0] if isinstance(answer, tuple) else answer)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> VlmGrounding:
    """Load the engine of a manifest; never downloads.

    The checkpoint's own code runs only with the user's consent and a pinned revision.

    Raises:
        RemoteCodeRefused: If either is missing.
        MissingWeights: If the checkpoint is not on this machine.
        WeightsRefused: If a file does not match its pin or record.
    """
    own = parse_document(VlmGroundingOptions, manifest.options, folder / "rskill.yaml: options")
    if not (options.remote_code and manifest.weights and manifest.weights.revision):
        raise RemoteCodeRefused(manifest.id, options.remote_code)
    checkpoint = checkpoint_folder(manifest, folder, options.weights_folder, (CONFIG_FILE,), brings_code=True)
    placement = TorchDevice.of(options.device, own.precision.dtype)
    with inference_guard("loading"):
        return VlmGrounding(manifest, checkpoint, placement, own, options.remote_code)
