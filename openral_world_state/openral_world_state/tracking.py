"""Tracking: detections of one image lifted to observations, and updates of the remembered objects (tracks).

A track is created, fused with observations, collects votes for its label, and follows the gripper that holds
it. `ImageClock` is the time base of the observations' stamps. `data_association` matches the two.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from openral_core.detectors import Detection
from openral_core.geometry import Pose
from openral_core.spatial_memory import Presence
from openral_core.text import TermRelation, Thesaurus, UnreadableText
from openral_world_state.depth_camera import DepthView
from openral_world_state.lifting import DepthModel, LiftRefused, lift
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import (
    MIN_VOTE_FRACTION,
    OPERATOR_LABEL_WEIGHT,
    ObjectRecord,
    Triple,
)

RESTART_MARGIN = 1.0
"""Time before a restarted clock's first image at which older memories are dated [s]."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One object in one image of one detector, in map.

    Args:
        label: Detector's label.
        score: In [0, 1].
        pose: In map [m].
        size: Along the pose's axes [m].
        covariance: Of the position [m^2], row-major (9,).
        stamp: Of the image [s].
        source: Detector.
        truncated: The image's border cuts the object.
        ambiguous: It may lie at another depth, so it confirms a known object but is no new one.
        from_query: The detector was asked for this label, which weighs more.
        track: Detector's track id, a hint.
    """

    label: str
    score: float
    pose: Pose
    size: tuple[float, float, float]
    covariance: tuple[float, ...]
    stamp: float
    source: str
    truncated: bool = False
    ambiguous: bool = False
    from_query: bool = False
    track: str = ""


@dataclass(frozen=True, slots=True)
class ObservationFrame:
    """All observations of one detector in one image, and the reasons why other boxes were refused."""

    stamp: float
    source: str
    observations: tuple[Observation, ...] = ()
    refused: tuple[str, ...] = field(default=())


class ImageClock:
    """Keep the times in memory comparable with the stamps of images.

    A simulation that restarts, alone or with the whole graph, stamps its images from zero. Records "newer"
    than such an image are older in truth; they are dated before it, or no miss would count until the clock
    has passed the old time.

    Args:
        memory: Records keep their times in ROS time [s].
        lateness: Age relative to the newest image up to which an image is only late [s].
    """

    def __init__(self, memory: SpatialMemory, lateness: float) -> None:
        self._memory, self._lateness = memory, lateness
        self._newest: float | None = None

    def advance(self, stamp: float) -> None:
        """Take in the stamp of an image [s]; the first of a process is later than all memories."""
        if self._newest is not None and stamp >= self._newest - self._lateness:
            self._newest = max(stamp, self._newest)
            return
        self._newest, latest = stamp, stamp - RESTART_MARGIN
        for record in self._memory:
            if max(record.first_seen, record.last_seen, record.last_checked) > stamp:
                record.first_seen = min(record.first_seen, latest)
                record.last_seen = min(record.last_seen, latest)
                record.last_checked = min(record.last_checked, latest)
                self._memory.touch(record)


def lift_detections(
    view: DepthView,
    detections: Sequence[Detection],
    source: str,
    optics: DepthModel,
    thesaurus: Thesaurus,
    *,
    from_query: bool,
) -> tuple[ObservationFrame, tuple[LiftRefused | UnreadableText, ...]]:
    """Lift detections; return the frame of observations, and the errors of the boxes that were refused.

    Args:
        view: Depth image of the detections.
        detections: Boxes and labels.
        source: Detector.
        optics: Range and noise of the camera.
        thesaurus: Parses labels.
        from_query: The detector was asked for these labels.
    """
    observations, refused = [], []
    for detection in detections:
        try:
            thesaurus.parse(detection.label)
            observations.append(lift_observation(view, detection, source, optics, from_query=from_query))
        except (LiftRefused, UnreadableText) as error:
            refused.append(error)
    frame = ObservationFrame(view.stamp, source, tuple(observations), tuple(map(str, refused)))
    return frame, tuple(refused)


def lift_observation(
    view: DepthView, detection: Detection, source: str, optics: DepthModel, *, from_query: bool
) -> Observation:
    """Lift one detection.

    Raises:
        LiftRefused: If its box cannot be lifted.
    """
    lifted = lift(view, detection, optics)
    return Observation(
        label=" ".join(detection.label.split()),
        score=detection.score,
        pose=lifted.pose,
        size=lifted.size,
        covariance=tuple(lifted.covariance.ravel().tolist()),
        stamp=view.stamp,
        source=source,
        truncated=lifted.truncated,
        ambiguous=lifted.ambiguous,
        from_query=from_query,
        track=detection.track,
    )


@dataclass(frozen=True, slots=True)
class TrackUpdateConfig:
    """Weights and gains of a track's update.

    A label's vote weighs the detector's score, ``query_weight`` times as much if the detector was asked for
    that very label. Position is fused with a Kalman gain per track; ``min_gain`` keeps a confident track
    correctable. A track whose observation lies beyond ``jump_sigma`` standard deviations has moved.

    Args:
        max_votes: Weight at which a label's votes saturate, so that a newer label can win [1].
        query_weight: Factor of an answer to a query over an unasked detection [1].
        min_score: Score below which votes do not fall [1].
        max_labels: Labels kept per object.
        initial_confidence: Confidence after the first observation, as a fraction of its score [1].
        confidence_gain: Fraction of the missing confidence gained by an observation of score 1 [1].
        max_confidence: Upper bound of confidence [1].
        min_gain: Smallest Kalman gain of an untruncated observation [1].
        jump_sigma: Distance in standard deviations from which an observation replaces the pose [1].
        jump_margin: Distance added to that [m].
        shape_variance: Ratio of variances up to which an observation replaces size and orientation [1].
        more: Ratio of longest sides from which an observation shows more of an object than was known [1].
        covariance_floor: Fraction of an observation's variance below which fusion does not shrink it [1].
    """

    max_votes: float = 10.0
    query_weight: float = 5.0
    min_score: float = 0.05
    max_labels: int = 8
    initial_confidence: float = 0.5
    confidence_gain: float = 0.3
    max_confidence: float = 0.99
    min_gain: float = 0.1
    jump_sigma: float = 4.0
    jump_margin: float = 0.02
    shape_variance: float = 2.0
    covariance_floor: float = 0.25
    more: float = 1.5


_CONFIG = TrackUpdateConfig()


def create_record(
    name: str, observation: Observation, viewpoint: Triple | None, map_epoch: int
) -> ObjectRecord:
    """Create the record of an object observed for the first time."""
    return ObjectRecord(
        id=name,
        label=observation.label,
        pose=observation.pose,
        size=observation.size,
        votes={observation.label: label_vote(observation)},
        covariance=observation.covariance,
        confidence=observation.score * _CONFIG.initial_confidence,
        first_seen=observation.stamp,
        last_seen=observation.stamp,
        observations=1,
        source=observation.source,
        map_epoch=map_epoch,
        viewpoint=viewpoint,
    )


def update_record(
    record: ObjectRecord,
    observation: Observation,
    viewpoint: Triple | None,
    thesaurus: Thesaurus,
    *,
    moved: bool,
) -> None:
    """Update a record with an observation of its object.

    Args:
        record: Changed in place.
        observation: Replaces the pose of an object that moved, otherwise is fused with it.
        viewpoint: Position of the camera in map [m].
        thesaurus: Tells which label is the most specific.
        moved: The object was re-identified at another place.
    """
    spread = math.sqrt(max(mean_variance(record.covariance) + mean_variance(observation.covariance), 1e-6))
    distance = record.pose.distance(observation.pose)
    has_jumped = distance > _CONFIG.jump_sigma * spread + _CONFIG.jump_margin
    shows_more = max(observation.size) > _CONFIG.more * max(record.size) and not observation.ambiguous
    if moved or shows_more or (not observation.truncated and has_jumped):
        record.pose, record.covariance = observation.pose, observation.covariance
        is_partial = observation.truncated
        record.size = _max_sides(record.size, observation.size) if is_partial else observation.size
    else:
        fuse_pose(record, observation)
    add_label_vote(record, observation.label, label_vote(observation), thesaurus)
    gain = _CONFIG.confidence_gain * observation.score
    record.confidence = min(_CONFIG.max_confidence, record.confidence + (1.0 - record.confidence) * gain)
    record.presence, record.misses = Presence.PRESENT, 0
    record.last_seen = max(record.last_seen, observation.stamp)
    record.observations += 1
    record.source, record.viewpoint = observation.source, viewpoint


def add_label_vote(record: ObjectRecord, label: str, weight: float, thesaurus: Thesaurus) -> None:
    """Add to a label's weight; the most specific of the supported labels becomes the main one.

    A label that an operator gave outweighs the votes of all detectors.
    """
    before = record.votes.get(label, 0.0)
    is_given = before >= OPERATOR_LABEL_WEIGHT
    record.votes[label] = before if is_given else min(_CONFIG.max_votes, before + weight)
    if len(record.votes) > _CONFIG.max_labels:
        weakest = min(record.votes, key=lambda name: (name == label, record.votes[name], name))
        del record.votes[weakest]
    supported = support_of(record)
    best = max(supported, key=lambda name: (record.votes[name], name))
    for other in sorted(supported, key=lambda name: (-record.votes[name], name)):
        if thesaurus.relation(best, other) is TermRelation.NARROWER:
            best = other
    record.label = best


def support_of(record: ObjectRecord) -> list[str]:
    """Labels with at least `MIN_VOTE_FRACTION` of the strongest label's votes; others are misdetections."""
    most = max(record.votes.values(), default=0.0)
    return [label for label, weight in record.votes.items() if weight >= MIN_VOTE_FRACTION * most]


def label_vote(observation: Observation) -> float:
    """Weight of an observation's label."""
    weight = _CONFIG.query_weight if observation.from_query else 1.0
    return weight * max(observation.score, _CONFIG.min_score)


def fuse_pose(record: ObjectRecord, observation: Observation) -> None:
    """Fuse pose and size, weighted by variance.

    Source: scalar Kalman update with the mean variance of the axes.
    """
    known = max(mean_variance(record.covariance), 1e-8)
    new = max(mean_variance(observation.covariance), 1e-8)
    gain = max(0.0 if observation.truncated else _CONFIG.min_gain, known / (known + new))
    x, y, z = (
        a + gain * (b - a) for a, b in zip(record.pose.position, observation.pose.position, strict=True)
    )
    keeps_shape = observation.truncated or new > _CONFIG.shape_variance * known
    orientation = record.pose.orientation if keeps_shape else observation.pose.orientation
    record.pose = Pose((x, y, z), orientation)
    if observation.truncated:
        record.size = _max_sides(record.size, observation.size)
    elif not keeps_shape:
        record.size = observation.size
    shrink = max(1.0 - gain, min(1.0, _CONFIG.covariance_floor * new / known))
    record.covariance = tuple(shrink * value for value in record.covariance)


def mean_variance(covariance: tuple[float, ...]) -> float:
    """Mean variance of the axes of a covariance (9,) [m^2]."""
    return (covariance[0] + covariance[4] + covariance[8]) / 3.0


def _max_sides(first: Triple, second: Triple) -> Triple:
    return max(first[0], second[0]), max(first[1], second[1]), max(first[2], second[2])


MAX_GRASP_DISTANCE = 1.2
"""Distance from the gripper to the remembered object taken to be in it [m]: an arm's reach, because the
remembered position may be old or imprecise."""


class HeldObjectTracker:
    """At most one object is held; after the release it stays at the gripper's last pose until seen again."""

    def __init__(self, memory: SpatialMemory, map_epoch: int = 0) -> None:
        self._memory, self._map_epoch = memory, map_epoch
        self._id = next((record.id for record in memory if record.carried), "")

    @property
    def held(self) -> str:
        """Id of the held object, "" if none is known; an operator's edit may have released it."""
        if self._id and not (self._id in self._memory and self._memory.get(self._id).carried):
            self._id = ""
        return self._id

    def grasp(self, label: str, gripper: Pose) -> ObjectRecord | None:
        """Hold the nearest object of a label, or else of a broader one; None if none is within reach.

        Raises:
            UnreadableText: If the label names nothing.
        """
        if self.held:
            self.release(gripper, 0.0)
        near = [
            (relation is TermRelation.BROADER, record.pose.distance(gripper), record.id, record)
            for record, relation in self._memory.related(label)
            if (relation.is_hit or relation is TermRelation.BROADER)
            and record.presence is not Presence.GONE
            and record.map_epoch == self._map_epoch
            and record.pose.distance(gripper) <= MAX_GRASP_DISTANCE
        ]
        if not near:
            return None
        _, _, self._id, record = min(near, key=lambda found: found[:3])
        record.carried = True
        self.move(gripper)
        return record

    def move(self, gripper: Pose) -> None:
        """Move the held object to the gripper."""
        if self.held:
            record = self._memory.get(self._id)
            record.pose = replace(record.pose, position=gripper.position)
            record.map_epoch = self._map_epoch
            self._memory.touch(record)

    def release(self, gripper: Pose | None, stamp: float) -> None:
        """Leave the held object where the gripper opened at ``stamp`` [s]."""
        if not self.held:
            return
        record = self._memory.get(self._id)
        if gripper is not None:
            self.move(gripper)
        record.carried, self._id = False, ""
        record.last_seen = max(record.last_seen, stamp)
        self._memory.touch(record)
