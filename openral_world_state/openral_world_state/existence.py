"""Existence of a remembered object as a probability, from calibrated scores and visible misses.

A calibrated score is the probability that its box is right. `ObjectRecord.confidence` is the probability
that there is such an object at all; negative evidence tells if it is still where it was.

Source: log-odds of a binary Bayes filter (Thrun, Burgard and Fox, Probabilistic Robotics, 2005, section 4.2),
with one piece of evidence per viewpoint: the images of a camera at rest err alike.
"""

import math
from dataclasses import dataclass

from openral_core.spatial_memory import CONFIRMED
from openral_world_state.spatial_memory.record import ObjectRecord, Triple


@dataclass(frozen=True, slots=True)
class ExistenceModel:
    """Evidence of one viewpoint for or against an object.

    Args:
        neutral: Prior of a box's object, and score that is no evidence about one known before [1].
        images: Images of a continuous detector that it takes to confirm an object; in fewer flickers many a
            misdetection. As many confirm a track of DeepSORT (Wojke, Bewley and Paulus, 2017, section 2.1).
        tentative_score: Highest score that counts, and highest probability, before that [1].
        same_view: Distance between camera positions up to which they are one viewpoint [m].
        miss_rates: Apparent sides [px], each with the probability that an object of at least that side in
            full view is not detected [1]; `rskills/home-tiny/MODEL_CARD.md` has the recall by size.
        bounds: Lowest and highest probability, so that later evidence can change it [1].
        dropped: Probability below which an object is dropped from memory [1].
        tentative: Time after which one that is not confirmed is dropped, too [s].
    """

    neutral: float = 0.25
    images: int = 3
    tentative_score: float = 0.45
    same_view: float = 0.3
    miss_rates: tuple[tuple[float, float], ...] = ((32.0, 0.3), (16.0, 0.55))
    bounds: tuple[float, float] = (0.02, 0.99)
    dropped: float = 0.15
    tentative: float = 60.0

    def miss_rate(self, side: float) -> float:
        """Probability that a detector misses an object in full view of an apparent side [px]."""
        return next((rate for least, rate in self.miss_rates if side >= least), 1.0)

    def add_detection(self, record: ObjectRecord, score: float, camera: Triple | None) -> None:
        """Raise the confidence of a record that was detected with a score from a camera position [m]."""
        self._add(record, max(self._logit(score) - self._logit(self.neutral), 0.0), camera)

    def add_miss(self, record: ObjectRecord, focal: float, camera: Triple) -> None:
        """Lower the confidence of a record in full view that a detector did not report.

        Args:
            record: Changed in place.
            focal: Focal length [px].
            camera: Position of the camera in map [m].
        """
        distance, seen_at = (
            math.dist(at or camera, record.pose.position) for at in (camera, record.viewpoint)
        )
        rate = self.miss_rate(max(record.size) * focal / max(distance, 1e-6))
        if distance <= seen_at:  # however small, it was detected from there
            rate = min(rate, self.miss_rates[-1][1])
        self._add(record, math.log(rate), camera)

    def _add(self, record: ObjectRecord, evidence: float, camera: Triple | None) -> None:
        """Add evidence; of one viewpoint, only the most favourable counts."""
        is_same = self._is_same_view(record, camera)
        counted = record.evidence if is_same else 0.0
        if is_same and evidence <= counted:
            return
        record.confidence = self._shifted(record.confidence, evidence - counted)
        record.evidence = evidence
        if not is_same:
            record.evidence_from = camera

    def _is_same_view(self, record: ObjectRecord, camera: Triple | None) -> bool:
        anchor = record.evidence_from
        return anchor is not None and camera is not None and math.dist(anchor, camera) <= self.same_view

    def _shifted(self, probability: float, log_odds: float) -> float:
        low, high = self.bounds
        return min(max(1.0 / (1.0 + math.exp(-log_odds - self._logit(probability))), low), high)

    def _logit(self, probability: float) -> float:
        low, high = self.bounds
        bounded = min(max(probability, low), high)
        return math.log(bounded / (1.0 - bounded))


EXISTENCE = ExistenceModel()


def is_confirmed(record: ObjectRecord) -> bool:
    """Tell if an object is more likely real than a false detection."""
    return record.confidence >= CONFIRMED
