"""Negative evidence: lower an object's confidence if its location was visibly empty.

An object becomes stale, then gone, after enough misses. A miss counts only if the detector knows the object's
label, no closed container hides it, and the depth image shows its place to be in view, unoccluded and empty.
An object out of view keeps its state forever.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np

from openral_core.arrays import Array, Mask, Points
from openral_core.spatial_memory import CONFIRMED, Opening, Presence
from openral_core.text import Thesaurus
from openral_world_state.data_association import merge_records, reappeared_as
from openral_world_state.depth_camera import DepthView
from openral_world_state.existence import EXISTENCE, is_confirmed
from openral_world_state.lifting import DepthModel
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import StaticMap


@dataclass(frozen=True, slots=True)
class ExistenceDecay:
    """Counts of misses that make an object stale and gone.

    Args:
        stale_after: Misses until an object is stale.
        gone_after: Misses until an object is gone.
        interval: Time between two misses that both count; frames of one moment are one piece of evidence [s].
        confidence_factor: Factor on the confidence at each miss [1]; a confirmed object stays confirmed.
    """

    stale_after: int = 3
    gone_after: int = 8
    interval: float = 0.3
    confidence_factor: float = 0.8

    def after_miss(self, record: ObjectRecord, stamp: float) -> Presence | None:
        """Count a miss at ``stamp`` [s]; return the new presence, None if it stayed.

        A miss too soon after the last one, or older than the last observation, is not counted.
        """
        is_recent = record.misses and 0.0 <= stamp - record.last_checked < self.interval
        if is_recent or stamp <= record.last_seen:
            return None
        record.last_checked = stamp
        record.misses += 1
        least = CONFIRMED if is_confirmed(record) else 0.0  # it moved, which does not mean it never was
        record.confidence = max(self.confidence_factor * record.confidence, least)
        before = record.presence
        if record.misses >= self.gone_after:
            record.presence = Presence.GONE
        elif record.misses >= self.stale_after:
            record.presence = Presence.STALE
        return record.presence if record.presence is not before else None


class Visibility(Enum):
    """State of an object's location in one depth image."""

    UNSEEN = "out of view, out of range, hidden, or without depth"
    OCCUPIED = "something is there"
    EMPTY = "the camera measured depth behind it"
    UNDECIDED = "in view, but too flat for depth to tell it from its support"


@dataclass(frozen=True, slots=True)
class VisibilityConfig:
    """Tolerances of the visibility test, sized for the noise of an RGB-D camera at up to 6 m."""

    border: float = 4.0  # Width of the image's border that is not used [px].
    min_depth: float = 0.05  # Depth below which a point is not projected [m].
    noise: float = 0.02  # Depth behind an object's surface that noise explains [m].
    occlusion: float = 0.05  # Distance before an object's near side from which something occludes it [m].
    skin: float = 0.012  # Thickness added to an object's box when its own surface is looked for [m].
    flat: float = 0.04  # Height below which depth cannot tell an object from its support [m].
    resolvable: float = 12.0  # Width from which a detector cannot have overlooked an object [px].
    min_tilt: float = 0.2  # Sine of the angle to the vertical below which an image has no upright [1].


_CONFIG = VisibilityConfig()
_SAMPLES = np.array([(0.0, 0.0), (0.3, 0.0), (-0.3, 0.0), (0.0, 0.3), (0.0, -0.3)])  # of width and height


def check_visibility(
    view: DepthView, records: Sequence[ObjectRecord], nearest: float, farthest: float
) -> list[Visibility]:
    """Classify the location of each record in a depth image.

    Five points across the object must be inside the image, measured, and not occluded; the location is
    empty if at least four of them lie clearly before the measured depth.

    Args:
        view: Depth image.
        records: Objects expected in view.
        nearest: Depth from which the camera is trusted [m].
        farthest: Depth up to which the camera is trusted [m].
    """
    if not records:
        return []
    centers = view.to_camera(np.array([record.pose.position for record in records]))
    sizes = np.array([record.size for record in records])
    spread = np.column_stack((sizes[:, :2].max(axis=1), sizes[:, 2]))
    points = np.repeat(centers[:, None], len(_SAMPLES), axis=1)
    points[..., :2] += _SAMPLES * spread[:, None] @ _upright(view)
    measured = measured_depth(view, points)
    residual = measured - points[..., 2]
    in_range = (centers[:, 2] >= nearest) & (centers[:, 2] <= farthest)
    occlusion, behind = sizes.max(axis=1) / 2.0 + _CONFIG.occlusion, _CONFIG.noise + sizes.min(axis=1) / 4.0
    is_occluded = (residual < -occlusion[:, None]).any(axis=1)
    is_visible = in_range & ~np.isnan(residual).any(axis=1) & ~is_occluded
    through = (residual > behind[:, None]).sum(axis=1) >= len(_SAMPLES) - 1
    vacant = ~hits_object(view, points / points[..., 2:] * measured[..., None], records)
    # Depth measured behind a flat object is that of its support, hardly farther than the object.
    flat = sizes[:, 2] < _CONFIG.flat
    width = spread[:, 0] * view.intrinsics.K[0, 0]
    distance = np.linalg.norm(centers, axis=1) if view.intrinsics.is_fisheye else centers[:, 2]
    resolvable = width >= _CONFIG.resolvable * np.maximum(distance, 1e-6)
    states = (Visibility.UNSEEN, Visibility.EMPTY, Visibility.UNDECIDED, Visibility.OCCUPIED)
    first = np.select([~is_visible, through & vacant, flat & resolvable & vacant], [0, 1, 2], 3)
    return [states[index] for index in first]


def _upright(view: DepthView) -> Points:
    """Horizontal and downward directions in the image, as rows, shape (2, 2); a mount may be rolled."""
    x, y = -view.T_map_camera[2, :2]
    length = float(np.hypot(x, y))
    if length < _CONFIG.min_tilt:
        return np.eye(2)
    return np.array([[y, -x], [x, y]]) / length


def hits_object(view: DepthView, measured: Array, records: Sequence[ObjectRecord]) -> Mask:
    """Tell if any measured point (K, 5, 3) lies in its record's box; shape (K,).

    A hollow object, such as a bowl, shows its rim although the camera looks through its centre.
    """
    points = measured @ view.T_map_camera[:3, :3].T + view.camera_position
    offset = points - np.array([record.pose.position for record in records])[:, None]
    yaw = np.array([record.pose.yaw for record in records])[:, None]
    half = np.array([record.size for record in records])[:, None] / 2.0
    x = np.cos(yaw) * offset[..., 0] + np.sin(yaw) * offset[..., 1]
    y = np.cos(yaw) * offset[..., 1] - np.sin(yaw) * offset[..., 0]
    z, skin = offset[..., 2], _CONFIG.skin
    in_footprint = (np.abs(x) <= half[..., 0] + skin) & (np.abs(y) <= half[..., 1] + skin)
    above_support = (z >= skin - half[..., 2]) & (z <= half[..., 2] + skin)
    return np.asarray((in_footprint & above_support).any(axis=1))


def measured_depth(view: DepthView, points: Points) -> Array:
    """Depth measured in the direction of each point (K, 5, 3) [m], NaN if unknown; shape (K, 5)."""
    depths = points[..., 2]
    result = np.full(depths.shape, np.nan)
    in_front = depths > _CONFIG.min_depth
    pixels = np.full((*depths.shape, 2), -1.0)
    pixels[in_front] = view.depth_intrinsics.project(points[in_front])
    height, width = view.depth.shape
    low, high = _CONFIG.border, np.array([width, height]) - _CONFIG.border
    inside = in_front & (pixels >= low).all(axis=-1) & (pixels < high).all(axis=-1)
    columns, rows = pixels[inside].astype(int).T
    depth = view.depth[rows, columns].astype(np.float64)
    result[inside] = np.where((depth > 0.0) & np.isfinite(depth), depth, np.nan)
    return result


class DetectorVocabularies:
    """Labels of each detector; an open vocabulary can name only the objects it named before."""

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._labels: dict[str, tuple[str, ...]] = {}
        self._can_name = lru_cache(1 << 14)(self._matches_label)

    def set(self, detector: str, labels: tuple[str, ...]) -> None:
        """Set the labels that a detector declares."""
        if self._labels.get(detector) != labels:
            self._labels[detector] = labels
            self._can_name.cache_clear()

    def can_name(self, detector: str, record: ObjectRecord) -> bool:
        """Tell if a missing detection of the object by this detector is evidence."""
        return record.source == detector or any(self._can_name(detector, name) for name in record.votes)

    def _matches_label(self, detector: str, name: str) -> bool:
        return any(self._thesaurus.relation(label, name).is_hit for label in self._labels.get(detector, ()))


@dataclass(frozen=True, slots=True)
class NegativeEvidence:
    """Apply negative evidence to the objects in a view."""

    memory: SpatialMemory
    home: StaticMap
    thesaurus: Thesaurus
    vocabularies: DetectorVocabularies
    decay: ExistenceDecay
    optics: DepthModel
    openings: dict[str, Opening]
    map_epoch: int = 0

    def apply(self, view: DepthView, source: str, detected_ids: set[str]) -> None:
        """Count a miss for each object that the view shows to be absent.

        Args:
            view: Depth image.
            source: Detector that evaluated the image.
            detected_ids: Ids of the objects it detected.
        """
        nearest, farthest = self.optics.nearest, self.optics.farthest
        along, radius = view.intrinsics.enclosing_ball
        x, y, z = (view.camera_position + view.T_map_camera[:3, 2] * farthest * along).tolist()
        in_range = (record for record, _ in self.memory.near((x, y, z), farthest * radius))
        expected = [r for r in in_range if r.id not in detected_ids and self._is_expected(r, source)]
        states = check_visibility(view, expected, nearest, farthest)
        for record, state in zip(expected, states, strict=True):
            if state is Visibility.UNSEEN:
                continue
            if not is_confirmed(record) or (state is Visibility.OCCUPIED and not record.misses):
                self._doubt(record, view)
            if state is not Visibility.OCCUPIED and record.id in self.memory:
                self._count_miss(record, view.stamp)

    def drop_tentative(self, stamp: float) -> None:
        """Drop the objects that are rather false detections and that no later view confirmed."""
        table = self.memory.table
        is_old = (table.confidence < CONFIRMED) & (table.last_seen < stamp - EXISTENCE.tentative)
        records = [table.records[slot] for slot in np.flatnonzero(is_old[: len(table.records)]).tolist()]
        for record in records:
            if record is not None and not record.is_certain:
                self.memory.forget(record.id)

    def _doubt(self, record: ObjectRecord, view: DepthView) -> None:
        """Lower the probability that an object exists that is in full view but was not detected.

        One that the gripper held exists: a hand that took it may hide most of it from then on.
        """
        if record.is_certain or view.stamp <= record.last_seen:
            return
        x, y, z = view.camera_position.tolist()
        before = record.confidence
        EXISTENCE.add_miss(record, float(view.intrinsics.K[0, 0]), (x, y, z))
        if record.confidence < EXISTENCE.dropped:
            self.memory.forget(record.id)
        elif record.confidence != before:
            self.memory.touch(record)

    def _is_expected(self, record: ObjectRecord, source: str) -> bool:
        if record.carried or record.presence is Presence.GONE or record.map_epoch != self.map_epoch:
            return False
        inside = self.home.container_at(record.pose.position)
        is_hidden = inside is not None and self.openings.get(inside.node.id) is Opening.CLOSED
        return not is_hidden and self.vocabularies.can_name(source, record)

    def _count_miss(self, record: ObjectRecord, stamp: float) -> None:
        misses = record.misses
        changed = self.decay.after_miss(record, stamp)
        if record.misses == misses:
            return
        if changed is not None:
            moved = reappeared_as(record, self.memory, self.thesaurus)
            if moved is not None:
                merge_records(record, moved)
                self.memory.forget(moved.id, merged_into=record.id)
        self.memory.touch(record)
