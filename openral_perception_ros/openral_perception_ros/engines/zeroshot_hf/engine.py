"""OmDet-Turbo: text and image in, boxes of each phrase out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from pydantic import Field
from transformers import AutoModelForZeroShotObjectDetection

from openral_core.detections import Detection
from openral_core.documents import Document, parse_document
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, PREPROCESSOR_FILE, checkpoint_folder
from openral_perception_ros.engines.engine import LoadOptions
from openral_perception_ros.engines.errors import NothingAsked
from openral_perception_ros.engines.frame import Frame
from openral_perception_ros.engines.inputs import Fit, FitKind, Preprocessing
from openral_perception_ros.engines.outputs import Candidates, candidates_of, suppressed
from openral_perception_ros.engines.results import detections_from
from openral_perception_ros.engines.torches import Placement, Precision, device_memory_mb, guarded, placed
from openral_perception_ros.engines.zeroshot_hf.configurations import configuration
from openral_perception_ros.engines.zeroshot_hf.prompts import Prompter
from openral_perception_ros.vocabularies import labels_of


class ZeroShotOptions(Document):
    """The manifest's ``options``; in ``task`` the word ``{labels}`` stands for all phrases."""

    fit: FitKind = FitKind.STRETCH
    precision: Precision = Precision.FP32
    task: str = "Detect {labels}."
    nms_overlap: float = Field(default=0.5, ge=0.0, le=1.0)
    nms_across_classes: bool = True
    text_cache: int = Field(default=4096, ge=1, description="phrases whose embedding is kept")


class ZeroShotHf:
    """Names what its frozen vocabulary holds, or the phrases it is asked for."""

    def __init__(
        self,
        model: torch.nn.Module,
        placement: Placement,
        preprocessing: Preprocessing,
        prompter: Prompter,
        manifest: DetectorManifest,
        labels: tuple[str, ...],
        options: ZeroShotOptions,
    ) -> None:
        self._model, self._placement = model, placement
        self._preprocessing, self._prompter = preprocessing, prompter
        self._manifest, self._options = manifest, options
        self.labels = labels

    def device_memory_mb(self) -> float:
        """See `Engine.device_memory_mb`."""
        return device_memory_mb(self._placement.device)

    def detect(self, frame: Frame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`."""
        phrases = tuple(terms) if terms is not None else self.labels
        if not phrases:
            raise NothingAsked(self._manifest.id)
        rgb = frame.plane(Sensor.RGB).astype(np.uint8, copy=False)
        pixels, fit = self._preprocessing.apply(rgb, self._options.fit)
        found = self._candidates(pixels, phrases)
        return self._named(found, phrases, fit, frame.size)

    def _candidates(self, pixels: np.ndarray, phrases: tuple[str, ...]) -> Candidates:
        with guarded("a look"):
            tensor = torch.from_numpy(pixels).to(self._placement.device, self._placement.dtype)
            output = self._model(pixel_values=tensor, **self._prompter.prompt(phrases))
            logits = output.decoder_class_logits[0].float().cpu().numpy()[:, : len(phrases)]
            boxes = output.decoder_coord_logits[0].float().cpu().numpy()
        found = candidates_of(logits, boxes, self._manifest.threshold)
        return suppressed(found, self._options.nms_overlap, self._options.nms_across_classes)

    def _named(
        self, found: Candidates, phrases: tuple[str, ...], fit: Fit, size: tuple[int, int]
    ) -> list[Detection]:
        names = [phrases[number] for number in found.classes]
        return detections_from(fit.to_source(found.corners), found.scores, names, size)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> ZeroShotHf:
    """The engine of one manifest; never downloads. The frozen vocabulary is encoded by the warm-up.

    Raises:
        MissingWeights: If the checkpoint is not on this machine.
    """
    own = parse_document(ZeroShotOptions, manifest.options, folder / "rskill.yaml: options")
    checkpoint = checkpoint_folder(manifest, folder, options.weights_folder, (CONFIG_FILE, PREPROCESSOR_FILE))
    placement = Placement.of(options.device, own.precision.dtype)
    with guarded("loading"):
        model = AutoModelForZeroShotObjectDetection.from_pretrained(
            checkpoint,
            config=configuration(checkpoint, cache_size=own.text_cache),
            local_files_only=True,
            trust_remote_code=False,
        )
        model = placed(model, placement)
    prompter = Prompter(checkpoint, own.task, placement.device, own.text_cache)
    preprocessing, labels = Preprocessing.read(checkpoint), labels_of(manifest, folder)
    return ZeroShotHf(model, placement, preprocessing, prompter, manifest, labels, own)
