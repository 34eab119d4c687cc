"""Simulated detector: boxes from the simulator's instance image, with seeded noise and misses.

The same seed, camera and stamp always give the same boxes and misses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import ndimage

from openral_core.arrays import ImagePlane
from openral_core.detectors import Detection
from openral_core.documents import Document, parse_document
from openral_core.rskills import DetectorManifest, Sensor
from openral_core.text import Thesaurus, UnreadableText
from openral_perception_ros.engines.base import EngineFrame, LoadOptions, detections_from
from openral_perception_ros.engines.errors import EmptyQuery
from openral_perception_ros.engines.vocabulary import VocabularyDocument, load_vocabulary


@dataclass(frozen=True, slots=True)
class VisibleInstance:
    """A visible instance: ``corners`` x_min, y_min, x_max, y_max [px] and its count of visible ``pixels``."""

    instance: int
    corners: tuple[int, int, int, int]
    pixels: int


def visible_instances(semantic: ImagePlane, min_pixels: int) -> list[VisibleInstance]:
    """Find instances with at least ``min_pixels`` visible pixels, by id; 0 is background.

    Args:
        semantic: Instance ids, shape (H, W).
        min_pixels: Instances with fewer pixels are ignored.
    """
    counts = np.bincount(semantic.ravel())
    slices = ndimage.find_objects(semantic.astype(np.int32))
    return [
        VisibleInstance(instance, (columns.start, rows.start, columns.stop, rows.stop), int(counts[instance]))
        for instance, (rows, columns) in ((i, item) for i, item in enumerate(slices, start=1) if item)
        if counts[instance] >= min_pixels
    ]


class ClosedVocabulary:
    """Label phrases by the longest suffix that a closed vocabulary contains."""

    def __init__(self, vocabulary: VocabularyDocument) -> None:
        self._labels: Mapping[tuple[str, ...], str] = {
            tuple(phrase.split()): label
            for label, phrases in vocabulary.labels.items()
            for phrase in (*phrases, label)
        }

    def names(self, phrase: str) -> tuple[str, ...]:
        """Return the label of a phrase, or an empty tuple."""
        words = tuple(phrase.lower().split())
        endings = (self._labels.get(words[start:]) for start in range(len(words)))
        return next(((label,) for label in endings if label), ())


class OpenVocabulary:
    """Label phrases by every requested term they match, attributes included."""

    def __init__(self, thesaurus: Thesaurus, terms: Sequence[str]) -> None:
        self._thesaurus = thesaurus
        self._terms = tuple(terms)

    def names(self, phrase: str) -> tuple[str, ...]:
        """Return the matching terms as given; an unreadable phrase matches none."""
        try:
            return tuple(term for term in self._terms if self._thesaurus.relation(term, phrase).is_hit)
        except UnreadableText:
            return ()


@dataclass(frozen=True, slots=True)
class NoiseParameters:
    """Noise: ``box_sigma`` [px] on every edge, ``miss_rate`` is the probability of missing an instance."""

    seed: int
    box_sigma: float
    miss_rate: float

    def at(self, camera: str, stamp: int, visible: Sequence[VisibleInstance]) -> "DetectionNoise":
        """Sample the noisy boxes of one frame."""
        instances, corners = [], []
        for item in visible:
            rng = np.random.default_rng((self.seed, crc32(camera.encode()), stamp, item.instance))
            if rng.random() >= self.miss_rate:
                instances.append(item)
                corners.append(np.asarray(item.corners) + rng.normal(0.0, self.box_sigma, 4))
        return DetectionNoise(tuple(instances), np.asarray(corners, np.float64).reshape(-1, 4))


@dataclass(frozen=True, slots=True, eq=False)
class DetectionNoise:
    """Detected instances and their noisy boxes [px] in the same order, shape (N, 4)."""

    visible: tuple[VisibleInstance, ...]
    corners: NDArray[np.float64]


class SimGroundtruthOptions(Document):
    """The manifest's ``options``."""

    min_visible_pixels: int = Field(default=20, ge=1)
    box_noise_px: float = Field(default=1.0, ge=0.0)
    miss_rate: float = Field(default=0.0, ge=0.0, le=1.0)
    seed: int = Field(default=0, ge=0)


class SimGroundtruth:
    """Engine that labels instances of the semantic image by its vocabulary or by the requested terms."""

    def __init__(
        self, manifest: DetectorManifest, folder: Path, options: SimGroundtruthOptions, seed: int
    ) -> None:
        self._manifest = manifest
        self._options = options
        self._noise = NoiseParameters(options.seed + seed, options.box_noise_px, options.miss_rate)
        vocabulary = load_vocabulary(manifest, folder)
        self._own = ClosedVocabulary(vocabulary) if vocabulary else None
        self._thesaurus = Thesaurus.load()
        self.labels = tuple(vocabulary.labels) if vocabulary else ()

    def device_memory_mb(self) -> float:
        """Return 0: it uses no accelerator."""
        return 0.0

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`; the score grows with the visible pixels."""
        naming = self._naming(terms)
        visible = visible_instances(frame.plane(Sensor.SEMANTIC), self._options.min_visible_pixels)
        view = self._noise.at(frame.camera, frame.stamp, visible)
        named = [
            (index, name)
            for index, item in enumerate(view.visible)
            for name in naming.names(frame.instance_names.get(item.instance, ""))
        ]
        scores = [self._score(view.visible[index]) for index, _ in named]
        corners = view.corners[[index for index, _ in named]]
        return detections_from(corners, scores, [name for _, name in named], frame.size)

    def _naming(self, terms: Sequence[str] | None) -> ClosedVocabulary | OpenVocabulary:
        if terms is not None:
            return OpenVocabulary(self._thesaurus, terms)
        if self._own is None:
            raise EmptyQuery(self._manifest.id)
        return self._own

    def _score(self, visible: VisibleInstance) -> float:
        return visible.pixels / (visible.pixels + self._options.min_visible_pixels)


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> SimGroundtruth:
    """Load the engine of a manifest.

    Raises:
        InvalidDocument: If its options or its vocabulary file are invalid.
    """
    own = parse_document(SimGroundtruthOptions, manifest.options, folder / "rskill.yaml: options")
    return SimGroundtruth(manifest, folder, own, options.seed)
