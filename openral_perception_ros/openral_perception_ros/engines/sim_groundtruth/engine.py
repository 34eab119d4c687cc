"""Detections from the simulator's own instance image, made imperfect on purpose."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from openral_core.detections import Detection
from openral_core.documents import Document, parse_document
from openral_core.rskills import DetectorManifest, Sensor
from openral_core.text import Thesaurus
from openral_perception_ros.engines.engine import LoadOptions
from openral_perception_ros.engines.errors import NothingAsked
from openral_perception_ros.engines.frame import Frame
from openral_perception_ros.engines.results import detections_from
from openral_perception_ros.engines.sim_groundtruth.boxes import Visible, visible_instances
from openral_perception_ros.engines.sim_groundtruth.naming import AskedWords, OwnWords
from openral_perception_ros.engines.sim_groundtruth.noise import Noise
from openral_perception_ros.vocabularies import vocabulary_of


class SimGroundtruthOptions(Document):
    """The manifest's ``options``."""

    min_visible_pixels: int = Field(default=20, ge=1)
    box_noise_px: float = Field(default=1.0, ge=0.0)
    miss_rate: float = Field(default=0.0, ge=0.0, le=1.0)
    seed: int = Field(default=0, ge=0)


class SimGroundtruth:
    """Names what the semantic image shows: in its own words, or in those asked for."""

    def __init__(
        self, manifest: DetectorManifest, folder: Path, options: SimGroundtruthOptions, seed: int
    ) -> None:
        self._manifest = manifest
        self._options = options
        self._noise = Noise(options.seed + seed, options.box_noise_px, options.miss_rate)
        vocabulary = vocabulary_of(manifest, folder)
        self._own = OwnWords(vocabulary) if vocabulary else None
        self._thesaurus = Thesaurus.load()
        self.labels = tuple(vocabulary.labels) if vocabulary else ()

    def device_memory_mb(self) -> float:
        """It uses no accelerator."""
        return 0.0

    def detect(self, frame: Frame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`; the score grows with the pixels in view."""
        naming = self._naming(terms)
        visible = visible_instances(frame.plane(Sensor.SEMANTIC), self._options.min_visible_pixels)
        view = self._noise.at(frame.camera, frame.stamp, visible)
        named = [
            (index, name)
            for index, each in enumerate(view.visible)
            for name in naming.names(frame.labels.get(each.instance, ""))
        ]
        scores = [self._score(view.visible[index]) for index, _ in named]
        corners = view.corners[[index for index, _ in named]]
        return detections_from(corners, scores, [name for _, name in named], frame.size)

    def _naming(self, terms: Sequence[str] | None) -> OwnWords | AskedWords:
        if terms is not None:
            return AskedWords(self._thesaurus, terms)
        if self._own is None:
            raise NothingAsked(self._manifest.id)
        return self._own

    def _score(self, visible: Visible) -> float:
        return visible.pixels / (visible.pixels + self._options.min_visible_pixels)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> SimGroundtruth:
    """The engine of one manifest.

    Raises:
        InvalidDocument: If its options or its vocabulary file are wrong.
    """
    own = parse_document(SimGroundtruthOptions, manifest.options, folder / "rskill.yaml: options")
    return SimGroundtruth(manifest, folder, own, options.seed)
