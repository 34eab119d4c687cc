"""Objects that were looked for and not found."""
# MERGED What a look that did not find an object does to it.
# MERGED Was an object's place seen, and was it empty?
# MERGED Which detector could have named an object.

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from openral_core.scene_graph import Opening, Presence
from openral_core.text import Thesaurus
from openral_world_state.data_association import merge_records, reappeared_as
from openral_world_state.home.model import StaticMap
from openral_world_state.lifting.camera import DepthView
from openral_world_state.lifting.lift import DepthModel
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord


@dataclass(frozen=True, slots=True)
class ExistenceDecay:
    """Looks in vain until an object is stale, and until it is gone; looks count ``apart`` [s] or more."""

    stale_after: int = 3
    gone_after: int = 8
    apart: float = 0.3
    fading: float = 0.8

    def after_miss(self, record: ObjectRecord, stamp: float) -> Presence | None:
        """Count one look in vain; the presence it changed to, None when that stayed.

        Raises nothing and changes nothing when the last look was too recent, or later than this one.
        """
        if (record.misses and 0.0 <= stamp - record.looked < self.apart) or stamp <= record.last_seen:
            return None
        record.looked = stamp
        record.misses += 1
        record.confidence *= self.fading
        before = record.presence
        if record.misses >= self.gone_after:
            record.presence = Presence.GONE
        elif record.misses >= self.stale_after:
            record.presence = Presence.STALE
        return record.presence if record.presence is not before else None


_PATTERN = np.array([(0.0, 0.0), (0.3, 0.0), (-0.3, 0.0), (0.0, 0.3), (0.0, -0.3)])
_BORDER = 4.0
_NOISE = 0.02
_BEFORE = 0.05
_SKIN = 0.012
_FLAT = 0.04
_CLEAR = 12.0
"""Pixels across at which a detector cannot have overlooked a thing."""


class Visibility(Enum):
    """What a view tells of a place."""

    UNSEEN = "out of view, out of range, hidden, or without depth"
    OCCUPIED = "something is there"
    EMPTY = "the camera looked right through it"
    UNDECIDED = "in plain view, but too flat for depth to tell it from what it lies on"


def check_visibility(
    view: DepthView, records: Sequence[ObjectRecord], nearest: float, farthest: float
) -> list[Visibility]:
    """What the view tells of the place of each record.

    Five points across the object must all be inside the image, measured, and hidden by nothing nearer;
    the place is empty when at least four of them lie clearly before what the camera measured.
    """
    if not records:
        return []
    centers = view.to_camera(np.array([record.pose.position for record in records]))
    sizes = np.array([record.size for record in records])
    spread = np.column_stack((sizes[:, :2].max(axis=1), sizes[:, 2]))
    points = np.repeat(centers[:, None], len(_PATTERN), axis=1)
    points[..., :2] += _PATTERN[None] * spread[:, None]
    measured = _measured(view, points)
    beyond = measured - points[..., 2]
    ranged = (centers[:, 2] >= nearest) & (centers[:, 2] <= farthest)
    before, behind = sizes.max(axis=1) / 2.0 + _BEFORE, _NOISE + sizes.min(axis=1) / 4.0
    seen = ranged & ~np.isnan(beyond).any(axis=1) & ~(beyond < -before[:, None]).any(axis=1)
    through = (beyond > behind[:, None]).sum(axis=1) >= len(_PATTERN) - 1
    vacant = ~_any_inside(view, points / points[..., 2:] * measured[..., None], records)
    # Depth measured behind a thing that lies flat is that of what it lies on, hardly farther.
    flat = sizes[:, 2] < _FLAT
    clear = spread[:, 0] * view.intrinsics.K[0, 0] >= _CLEAR * np.maximum(centers[:, 2], 1e-6)
    return [
        _judge(*map(bool, each)) for each in zip(seen, through & vacant, flat & clear & vacant, strict=True)
    ]


def _judge(seen: bool, empty: bool, undecided: bool) -> Visibility:
    if not seen:
        return Visibility.UNSEEN
    if empty:
        return Visibility.EMPTY
    return Visibility.UNDECIDED if undecided else Visibility.OCCUPIED


def _any_inside(
    view: DepthView, met: NDArray[np.float64], records: Sequence[ObjectRecord]
) -> NDArray[np.bool_]:
    """Whether any point met (K, 5, 3) in the optical frame is of the record: a bowl has a rim."""
    points = met @ view.T_map_camera[:3, :3].T + view.eye
    offset = points - np.array([record.pose.position for record in records])[:, None]
    yaw = np.array([record.pose.yaw for record in records])[:, None]
    half = np.array([record.size for record in records])[:, None] / 2.0
    x = np.cos(yaw) * offset[..., 0] + np.sin(yaw) * offset[..., 1]
    y = np.cos(yaw) * offset[..., 1] - np.sin(yaw) * offset[..., 0]
    beside = (np.abs(x) <= half[..., 0] + _SKIN) & (np.abs(y) <= half[..., 1] + _SKIN)
    above = (offset[..., 2] >= _SKIN - half[..., 2]) & (offset[..., 2] <= half[..., 2] + _SKIN)
    return np.asarray((beside & above).any(axis=1))


def _measured(view: DepthView, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Depth measured in the direction of each point (K, 5, 3) [m], NaN where none was; shape (K, 5)."""
    depths = points[..., 2]
    result = np.full(depths.shape, np.nan)
    front = depths > 0.05
    pixels = np.full((*depths.shape, 2), -1.0)
    pixels[front] = view.depth_intrinsics.project(points[front])
    height, width = view.depth.shape
    within = (pixels >= _BORDER).all(axis=-1) & (pixels < np.array([width, height]) - _BORDER).all(axis=-1)
    inside = front & within
    columns, rows = pixels[inside].astype(int).T
    depth = view.depth[rows, columns].astype(np.float64)
    result[inside] = np.where((depth > 0.0) & np.isfinite(depth), depth, np.nan)
    return result


class DetectorVocabularies:
    """Labels of each detector; one that is unknown, or open, can name only what it named before."""

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._labels: dict[str, tuple[str, ...]] = {}
        self._can_name = lru_cache(1 << 14)(self._look_up)

    def learn(self, detector: str, labels: tuple[str, ...]) -> None:
        """Take over what a detector says it can name."""
        if self._labels.get(detector) != labels:
            self._labels[detector] = labels
            self._can_name.cache_clear()

    def can_name(self, detector: str, record: ObjectRecord) -> bool:
        """Whether silence of this detector says something about the object."""
        return record.source == detector or any(self._can_name(detector, name) for name in record.votes)

    def _look_up(self, detector: str, name: str) -> bool:
        return any(self._thesaurus.relation(label, name).is_hit for label in self._labels.get(detector, ()))


@dataclass(frozen=True, slots=True)
class NegativeEvidence:
    """Lets objects fade whose place was seen empty by a detector that could name them."""

    memory: SpatialMemory
    home: StaticMap
    thesaurus: Thesaurus
    vocabularies: DetectorVocabularies
    decay: ExistenceDecay
    optics: DepthModel
    openings: dict[str, Opening]
    map_epoch: int = 0

    def fade(self, view: DepthView, source: str, seen: set[str]) -> None:
        """Count a look in vain for each object the view shows to be absent.

        Args:
            view: What the camera measured.
            source: The detector that looked.
            seen: Ids of what it did see.
        """
        expected = [r for r in self._in_reach(view) if r.id not in seen and self._is_expected(r, source)]
        for record, sight in zip(
            expected, check_visibility(view, expected, self.optics.nearest, self.optics.farthest), strict=True
        ):
            if sight in (Visibility.EMPTY, Visibility.UNDECIDED):
                self._miss(record, view.stamp)

    def _in_reach(self, view: DepthView) -> list[ObjectRecord]:
        middle = view.eye + view.T_map_camera[:3, 2] * self.optics.farthest / 2.0
        x, y, z = middle.tolist()
        return [record for record, _ in self.memory.near((x, y, z), self.optics.farthest * 0.75)]

    def _is_expected(self, record: ObjectRecord, source: str) -> bool:
        if record.carried or record.presence is Presence.GONE or record.map_epoch != self.map_epoch:
            return False
        inside = self.home.container_at(record.pose.position)
        shut = inside is not None and self.openings.get(inside.node.id) is Opening.CLOSED
        return not shut and self.vocabularies.can_name(source, record)

    def _miss(self, record: ObjectRecord, stamp: float) -> None:
        misses = record.misses
        changed = self.decay.after_miss(record, stamp)
        if record.misses == misses:
            return
        if changed is not None:
            self._find_again(record)
        self.memory.touch(record)

    def _find_again(self, record: ObjectRecord) -> None:
        other = reappeared_as(record, self.memory, self.thesaurus)
        if other is not None:
            merge_records(record, other)
            self.memory.forget(other.id, merged_into=record.id)
