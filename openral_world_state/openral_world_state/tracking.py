"""Tracking: updates of the remembered objects (tracks) with observations.

A track is created, fused with observations, collects votes for its label, and follows the gripper that holds
it. `ImageClock` is the time base of the observations' stamps. `data_association` matches the two.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from openral_core.geometry import Pose
from openral_core.spatial_memory import CONFIRMED, Presence
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.box_overlap import local_point, turned_size
from openral_world_state.existence import EXISTENCE, is_confirmed
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import (
    MIN_VOTE_FRACTION,
    OPERATOR_LABEL_WEIGHT,
    ObjectRecord,
    Triple,
)

RESTART_MARGIN = 1.0
"""Time before a restarted clock's first image at which older memories are dated [s]."""


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


@dataclass(frozen=True, slots=True)
class TrackUpdateConfig:
    """Weights and gains of a track's update.

    A label's vote weighs the detector's score, ``query_weight`` times as much if the detector was asked for
    that very label. Position is fused with a Kalman gain per track; ``min_gain`` keeps a confident track
    correctable. A track whose observation lies beyond ``jump_sigma`` standard deviations has moved. An
    ambiguous observation tells that the object exists, but not where it is. A held object is where the
    gripper is, and views of it contain fingers.
    """

    max_votes: float = 10.0  # Sum of the weights of all labels, so that a newer label can win [1].
    query_weight: float = 5.0  # Factor of an answer to a query over an unasked detection [1].
    min_score: float = 0.05  # Score below which votes do not fall [1].
    max_labels: int = 8  # Labels kept per object.
    min_gain: float = 0.1  # Smallest Kalman gain of an untruncated observation [1].
    jump_sigma: float = 4.0  # Distance in standard deviations from which the pose is replaced [1].
    jump_margin: float = 0.02  # Distance added to that [m].
    shape_variance: float = 2.0  # Ratio of variances up to which size and orientation are replaced [1].
    covariance_floor: float = 0.25  # Part of an observation's variance that fusion leaves at least [1].
    side_error: float = 0.15  # Error of a side that a whole view shows, per length of the side [1].
    least_error: float = 0.01  # Least such error [m].
    small: float = 0.3  # Longest side up to which only views as good as the first tell a whole size [m].
    face_error: float = 0.02  # Distance beyond a face that is no more than an error of a cut view [m].
    extension: float = 0.15  # Part of what a cut view shows beyond a box by which the box grows [1].
    turning: float = 0.03  # Part of the angle to a cut view's sides by which a box turns [1].
    oblique: float = 0.2  # Angle to them from which the view tells no face's place [rad].
    more: float = 1.5  # Ratio of longest sides from which more of an object shows than was known [1].


_CONFIG = TrackUpdateConfig()


def create_record(
    name: str, observation: Observation, viewpoint: Triple | None, map_epoch: int, thesaurus: Thesaurus
) -> ObjectRecord:
    """Create the record of an object observed for the first time."""
    record = ObjectRecord(
        id=name,
        label=observation.label,
        pose=observation.pose,
        size=observation.size,
        covariance=observation.covariance,
        confidence=EXISTENCE.neutral,
        first_seen=observation.stamp,
        last_seen=observation.stamp,
        observations=1,
        source=observation.source,
        map_epoch=map_epoch,
        viewpoint=viewpoint,
    )
    add_evidence(record, observation, viewpoint)
    add_votes(record, observation, thesaurus)
    return record


def add_evidence(record: ObjectRecord, observation: Observation, viewpoint: Triple | None) -> None:
    """Raise the confidence; the first images of a continuous detector alone do not confirm an object."""
    is_known = observation.from_query or record.is_certain or is_confirmed(record)
    most = 1.0 if is_known or record.observations >= EXISTENCE.images else EXISTENCE.tentative_score
    EXISTENCE.add_detection(record, min(existence_score(observation), most), viewpoint)
    record.confidence = min(record.confidence, most)


def existence_score(observation: Observation) -> float:
    """Probability that an observation is of an object; the labels of one box exclude each other.

    What was found where it was asked for is confirmed, because the answer's own score is acted on.
    """
    score = observation.score + sum(other for _, other in observation.alternatives)
    return max(score, CONFIRMED) if observation.from_query else min(score, 1.0)


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
    if moved:
        record.pose, record.covariance = observation.pose, observation.covariance
        record.size = record.size if observation.truncated else observation.size
    elif not observation.ambiguous and not record.carried:
        (extend_box if observation.truncated else fuse_pose)(record, observation)
    add_votes(record, observation, thesaurus)
    record.observations += 1
    add_evidence(record, observation, viewpoint)
    record.presence, record.misses = Presence.PRESENT, 0
    record.last_seen = max(record.last_seen, observation.stamp)
    record.source, record.viewpoint = observation.source, viewpoint


def add_votes(record: ObjectRecord, observation: Observation, thesaurus: Thesaurus) -> None:
    """Add to the weights of an observation's labels; their shares are the probabilities of the labels."""
    factor = _CONFIG.query_weight if observation.from_query else 1.0
    for label, score in ((observation.label, observation.score), *observation.alternatives):
        record.votes[label] = record.votes.get(label, 0.0) + factor * max(score, _CONFIG.min_score)
    if not observation.from_query:
        others = (label for label, _ in observation.alternatives)
        record.unprompted = newest_labels(record.unprompted, (*others, observation.label))
    record.votes = bounded_votes(record.votes, observation.label)
    record.label = most_probable_label(record, thesaurus)


def newest_labels(labels: tuple[str, ...], newer: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels that were given last, without repetitions; queries displace none of them."""
    latest = dict.fromkeys((*reversed(newer), *reversed(labels)))
    return tuple(reversed(tuple(latest)[: _CONFIG.max_labels]))


def bounded_votes(votes: Mapping[str, float], newest: str = "") -> dict[str, float]:
    """Return the votes of the strongest labels and the ``newest``, shrunk to the largest sum.

    A label that an operator gave outweighs all votes of detectors, and is kept as it is.
    """
    ranked = sorted(votes, key=lambda name: (name != newest, -votes[name], name))
    by_operator = {name: OPERATOR_LABEL_WEIGHT for name in ranked if votes[name] >= OPERATOR_LABEL_WEIGHT}
    strongest = [name for name in ranked if name not in by_operator][: _CONFIG.max_labels - len(by_operator)]
    shrink = min(1.0, _CONFIG.max_votes / max(sum(votes[name] for name in strongest), 1e-9))
    return {name: shrink * votes[name] for name in votes if name in strongest} | by_operator


def most_probable_label(record: ObjectRecord, thesaurus: Thesaurus) -> str:
    """Return the strongest label, or the most specific of the supported ones that are narrower."""
    supported = support_of(record)
    best = max(supported, key=lambda name: (record.votes[name], name))
    for other in sorted(supported, key=lambda name: (-record.votes[name], name)):
        if thesaurus.relation(best, other) is TermRelation.NARROWER:
            best = other
    return best


def support_of(record: ObjectRecord) -> list[str]:
    """Labels with at least `MIN_VOTE_FRACTION` of the strongest label's votes; others are misdetections."""
    most = max(record.votes.values(), default=0.0)
    return [label for label, weight in record.votes.items() if weight >= MIN_VOTE_FRACTION * most]


def fuse_pose(record: ObjectRecord, observation: Observation) -> None:
    """Fuse pose and size, weighted by variance; a view that is far off or shows more replaces both.

    A hidden part makes the size of a view a lower bound.

    Source: scalar Kalman update with the mean variance of the axes.
    """
    old = max(mean_variance(record.covariance), 1e-8)
    new = max(mean_variance(observation.covariance), 1e-8)
    off = record.pose.distance(observation.pose) - _CONFIG.jump_margin
    shows_more = max(observation.size) > _CONFIG.more * max(record.size)
    if shows_more or off > _CONFIG.jump_sigma * math.sqrt(max(old + new, 1e-6)):
        record.pose, record.covariance = observation.pose, observation.covariance
        record.size = observation.size
        return
    gain = max(_CONFIG.min_gain, old / (old + new))
    x, y, z = (
        a + gain * (b - a) for a, b in zip(record.pose.position, observation.pose.position, strict=True)
    )
    shown = turned_size(observation.size, observation.pose.yaw - record.pose.yaw)
    if new <= _CONFIG.shape_variance * old and not observation.cut:
        record.pose, record.size = Pose((x, y, z), observation.pose.orientation), observation.size
    else:
        record.pose = replace(record.pose, position=(x, y, z))
        if max(record.size) > _CONFIG.small:
            record.size = blended_size(record.size, shown, gain, is_bound=observation.cut)
    shrink = max(1.0 - gain, min(1.0, _CONFIG.covariance_floor * new / old))
    record.covariance = tuple(shrink * value for value in record.covariance)


def blended_size(size: Triple, shown: Triple, gain: float, *, is_bound: bool) -> Triple:
    """Return a known size moved towards that of a view where they differ by more than a view's error."""
    changes = (
        q - p if abs(q - p) > max(_CONFIG.side_error * p, _CONFIG.least_error) else 0.0
        for p, q in zip(size, shown, strict=True)
    )
    a, b, c = (
        p + gain * max(change, 0.0 if is_bound else change) for p, change in zip(size, changes, strict=True)
    )
    return a, b, c


def extend_box(record: ObjectRecord, observation: Observation) -> None:
    """Move a box's faces outward to what a view shows beyond that the image's border cuts.

    The box turns, too, by the smaller angle at which the sides of both are parallel.
    """
    turn, (u, v, w) = observation.pose.yaw - record.pose.yaw, record.pose.position
    middle, shown = local_point(observation.pose.position, record.pose), turned_size(observation.size, turn)
    if max(record.size) <= _CONFIG.small:
        a, b, c = map(max, record.size, shown)
        record.size = (a, b, c)
        return
    spans = tuple(zip(middle, shown, record.size, strict=True))
    low = [min(m - s / 2.0 + size / 2.0 + _CONFIG.face_error, 0.0) for m, s, size in spans]
    high = [max(m + s / 2.0 - size / 2.0 - _CONFIG.face_error, 0.0) for m, s, size in spans]
    if not any((*low, *high)):
        return
    off, half = math.remainder(turn, math.pi / 2.0), _CONFIG.extension / 2.0
    if abs(off) <= _CONFIG.oblique:
        x, y, z = (half * (a + b) for a, b in zip(low, high, strict=True))
        cos, sin = math.cos(record.pose.yaw), math.sin(record.pose.yaw)
        u, v, w = u + cos * x - sin * y, v + sin * x + cos * y, w + z
        a, b, c = (
            size + 2.0 * half * (up - down) for size, up, down in zip(record.size, high, low, strict=True)
        )
        record.size = (a, b, c)
    record.pose = Pose.planar(u, v, record.pose.yaw + _CONFIG.turning * off, w)


def mean_variance(covariance: tuple[float, ...]) -> float:
    """Mean variance of the axes of a covariance (9,) [m^2]."""
    return (covariance[0] + covariance[4] + covariance[8]) / 3.0


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
        _, _, self._id, record = min(near, key=lambda entry: entry[:3])
        record.carried = record.grasped = True
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
