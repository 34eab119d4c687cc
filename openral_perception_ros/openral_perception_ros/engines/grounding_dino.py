"""Engine for the Grounding-DINO family: Grounding DINO, MM-Grounding-DINO, LLMDet.

All phrases of a request are one text, "red mug. lemon."; a box has a score for every token of it, and its
score for a phrase is the mean over the phrase's tokens.
Source: Zhao et al. 2024 (MM-Grounding-DINO), whose evaluation averages so; also that of LLMDet.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModelForZeroShotObjectDetection, AutoTokenizer

from openral_core.documents import Document, parse_document
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.base import LoadOptions
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, PREPROCESSOR_FILE, checkpoint_folder
from openral_perception_ros.engines.errors import BadDetections, EngineError
from openral_perception_ros.engines.image_processing import (
    Candidates,
    Preprocessing,
    ResizeMode,
    make_candidates,
)
from openral_perception_ros.engines.phrase_detector import PhraseDetector
from openral_perception_ros.engines.torch_utils import (
    Precision,
    TorchDevice,
    inference_guard,
    to_device,
)
from openral_perception_ros.engines.vocabulary import load_labels

_SEPARATORS = re.compile(r"[.?\s]+")
"""Characters that would end a phrase inside the text: the model separates phrases at full stops."""
CACHED_PROMPTS = 256
"""Tokenised texts that are kept [count]: a search asks the same words in many places."""
SMALLEST = 1e-9
"""Probability below which scores are equal [1]; keeps their logits finite."""


class TextTooLong(EngineError):
    """Phrases with more tokens than the model takes."""

    def __init__(self, tokens: int, limit: int) -> None:
        super().__init__(f"the phrases have {tokens} tokens, the model takes {limit}: ask for fewer at once")


class UntokenisablePhrase(EngineError):
    """A phrase without a token, such as one of punctuation."""

    def __init__(self, phrase: str) -> None:
        super().__init__(f"the phrase {phrase!r} has no word that the model's tokenizer knows")


class GroundingDinoOptions(Document):
    """The manifest's ``options``."""

    fit: ResizeMode = ResizeMode.STRETCH
    precision: Precision = Precision.FP32


@dataclass(frozen=True, slots=True, eq=False)
class Prompt:
    """A tokenised text; ``weights`` averages tokens to phrases, shape (T, P)."""

    inputs: dict[str, torch.Tensor]
    weights: NDArray[np.float64]


class Prompter:
    """LRU cache of tokenised texts."""

    def __init__(self, checkpoint: Path, device: torch.device, limit: int) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(
            checkpoint, local_files_only=True, trust_remote_code=False
        )
        self._device, self._limit = device, limit
        self.prompt = lru_cache(CACHED_PROMPTS)(self._prompt)

    def _prompt(self, phrases: tuple[str, ...]) -> Prompt:
        plain = [_SEPARATORS.sub(" ", phrase).strip().lower() for phrase in phrases]
        text = "".join(f"{phrase}. " for phrase in plain).strip()
        encoded = self._tokenizer(
            text, return_offsets_mapping=True, return_token_type_ids=True, return_tensors="pt"
        )
        spans = encoded.pop("offset_mapping")[0].tolist()
        if len(spans) > self._limit:
            raise TextTooLong(len(spans), self._limit)
        weights, start = np.zeros((len(spans), len(phrases))), 0
        for number, phrase in enumerate(plain):
            end = start + len(phrase)
            tokens = [index for index, (first, last) in enumerate(spans) if start <= first < last <= end]
            if not tokens:
                raise UntokenisablePhrase(phrases[number])
            weights[tokens, number] = 1.0 / len(tokens)
            start = end + len(". ")
        return Prompt({key: value.to(self._device) for key, value in encoded.items()}, weights)


class GroundingDino(PhraseDetector):
    """Engine of the Grounding-DINO family."""

    def __init__(
        self,
        model: torch.nn.Module,
        placement: TorchDevice,
        preprocessing: Preprocessing,
        prompter: Prompter,
        manifest: DetectorManifest,
        labels: tuple[str, ...],
        fit: ResizeMode,
    ) -> None:
        super().__init__(model, placement, preprocessing, manifest, labels, fit)
        self._prompter = prompter

    def _candidates(self, pixels: NDArray[np.float32], phrases: tuple[str, ...]) -> Candidates:
        prompt = self._prompter.prompt(phrases)
        with inference_guard("inference"):
            tensor = torch.from_numpy(pixels).to(self._placement.device, self._placement.dtype)
            output = self._model(pixel_values=tensor, **prompt.inputs)
            tokens = output.logits[0, :, : len(prompt.weights)].float().sigmoid().cpu().numpy()
            boxes = output.pred_boxes[0].float().cpu().numpy()
        scores = tokens.astype(np.float64) @ prompt.weights
        if not np.isfinite(scores).all():
            raise BadDetections("scores that are not finite", f"{len(scores)} queries")
        scores = scores.clip(SMALLEST, 1.0 - SMALLEST)
        return make_candidates(np.log(scores / (1.0 - scores)), boxes, self._manifest.least_score)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> GroundingDino:
    """Load the engine of a manifest; never downloads.

    Raises:
        MissingWeights: If the checkpoint is not on this machine.
    """
    own = parse_document(GroundingDinoOptions, manifest.options, folder / "rskill.yaml: options")
    checkpoint = checkpoint_folder(manifest, folder, options.weights_folder, (CONFIG_FILE, PREPROCESSOR_FILE))
    placement = TorchDevice.of(options.device, own.precision.dtype)
    with inference_guard("loading"):
        model = AutoModelForZeroShotObjectDetection.from_pretrained(
            checkpoint, local_files_only=True, trust_remote_code=False
        )
        limit = int(model.config.max_text_len)
        model = to_device(model, placement)
    prompter = Prompter(checkpoint, placement.device, limit)
    preprocessing, labels = Preprocessing.read(checkpoint), load_labels(manifest, folder)
    return GroundingDino(model, placement, preprocessing, prompter, manifest, labels, own.fit)
