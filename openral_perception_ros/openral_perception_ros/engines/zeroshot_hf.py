"""OmDet-Turbo, an open-vocabulary detector: cached prompts, offline configuration, and the engine."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from transformers import AutoConfig, AutoModelForZeroShotObjectDetection, AutoTokenizer, PreTrainedConfig

from openral_core.documents import Document, parse_document
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.base import LoadOptions
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, PREPROCESSOR_FILE, checkpoint_folder
from openral_perception_ros.engines.image_processing import (
    Candidates,
    Preprocessing,
    ResizeMode,
    make_candidates,
    non_max_suppression,
)
from openral_perception_ros.engines.phrase_detector import PhraseDetector
from openral_perception_ros.engines.torch_utils import (
    Precision,
    TorchDevice,
    inference_guard,
    to_device,
)
from openral_perception_ros.engines.vocabulary import load_labels

Prompt = dict[str, torch.Tensor]


class TokenisedPrompts:
    """LRU cache of a model's tokenised prompts.

    Prompts are padded to the longest phrase: padding to all 77 tokens costs 20 times as much for equal
    results.
    """

    def __init__(self, checkpoint: Path, task: str, device: torch.device, size: int) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(
            checkpoint, local_files_only=True, trust_remote_code=False
        )
        self._task = task
        self._device = device
        self.prompt = lru_cache(size)(self._prompt)

    def _prompt(self, labels: tuple[str, ...]) -> Prompt:
        classes = self._tokens(list(labels))
        task = self._tokens([self._task.format(labels=", ".join(labels))])
        return {
            "classes_input_ids": classes["input_ids"],
            "classes_attention_mask": classes["attention_mask"],
            "tasks_input_ids": task["input_ids"],
            "tasks_attention_mask": task["attention_mask"],
            "classes_structure": torch.tensor([len(labels)], dtype=torch.long, device=self._device),
        }

    def _tokens(self, texts: list[str]) -> Prompt:
        encoded = self._tokenizer(
            texts, padding="longest", truncation=True, max_length=77, return_tensors="pt"
        )
        return {key: value.to(self._device) for key, value in encoded.items()}


_LEGACY_KEYS = ("backbone", "backbone_kwargs", "use_timm_backbone", "use_pretrained_backbone")


def configuration(checkpoint: Path, **changes: object) -> PreTrainedConfig:
    """Load a checkpoint's configuration; a backbone given by name becomes an explicit configuration.

    Checkpoints older than transformers 5 name their timm backbone, and transformers would query the hub for
    it, which a worker must not and an offline robot cannot.
    """
    config: dict[str, Any] = json.loads((checkpoint / CONFIG_FILE).read_text(encoding="utf-8"))
    name = config.get("backbone")
    if name and config.get("backbone_config") is None and config.get("use_timm_backbone", True):
        own = config.get("backbone_kwargs") or {}
        rest = {key: value for key, value in config.items() if key not in _LEGACY_KEYS}
        config = {**rest, "backbone_config": {"model_type": "timm_backbone", "backbone": name, **own}}
    return AutoConfig.for_model(**{**config, **changes})


class ZeroShotOptions(Document):
    """The manifest's ``options``; ``{labels}`` in ``task`` is replaced by all phrases."""

    fit: ResizeMode = ResizeMode.STRETCH
    precision: Precision = Precision.FP32
    task: str = "Detect {labels}."
    nms_overlap: float = Field(default=0.5, ge=0.0, le=1.0)
    nms_across_classes: bool = True
    text_cache: int = Field(default=4096, ge=1, description="phrase embeddings kept in the cache")


class ZeroShotHf(PhraseDetector):
    """Engine of OmDet-Turbo."""

    def __init__(
        self,
        model: torch.nn.Module,
        placement: TorchDevice,
        preprocessing: Preprocessing,
        prompter: TokenisedPrompts,
        manifest: DetectorManifest,
        labels: tuple[str, ...],
        options: ZeroShotOptions,
    ) -> None:
        super().__init__(model, placement, preprocessing, manifest, labels, options.fit)
        self._prompter, self._options = prompter, options

    def _candidates(self, pixels: NDArray[np.float32], phrases: tuple[str, ...]) -> Candidates:
        with inference_guard("inference"):
            tensor = torch.from_numpy(pixels).to(self._placement.device, self._placement.dtype)
            output = self._model(pixel_values=tensor, **self._prompter.prompt(phrases))
            logits = output.decoder_class_logits[0].float().cpu().numpy()[:, : len(phrases)]
            boxes = output.decoder_coord_logits[0].float().cpu().numpy()
        candidates = make_candidates(logits, boxes, self._manifest.least_score)
        return non_max_suppression(candidates, self._options.nms_overlap, self._options.nms_across_classes)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> ZeroShotHf:
    """Load the engine of a manifest; never downloads. The warm-up encodes the fixed vocabulary.

    Raises:
        MissingWeights: If the checkpoint is not on this machine.
    """
    own = parse_document(ZeroShotOptions, manifest.options, folder / "rskill.yaml: options")
    checkpoint = checkpoint_folder(manifest, folder, options.weights_folder, (CONFIG_FILE, PREPROCESSOR_FILE))
    placement = TorchDevice.of(options.device, own.precision.dtype)
    with inference_guard("loading"):
        model = AutoModelForZeroShotObjectDetection.from_pretrained(
            checkpoint,
            config=configuration(checkpoint, cache_size=own.text_cache),
            local_files_only=True,
            trust_remote_code=False,
        )
        model = to_device(model, placement)
    prompter = TokenisedPrompts(checkpoint, own.task, placement.device, own.text_cache)
    preprocessing, labels = Preprocessing.read(checkpoint), load_labels(manifest, folder)
    return ZeroShotHf(model, placement, preprocessing, prompter, manifest, labels, own)
