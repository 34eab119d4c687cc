"""Detections of one image lifted to observations, refused ones with the reason."""

from collections.abc import Sequence

from openral_core.detections import Detection
from openral_core.text import Thesaurus, UnreadableText
from openral_world_state.lifts import LiftRefused, Optics, lift
from openral_world_state.observations import Observation, Snapshot
from openral_world_state.views import View


def look(
    view: View,
    detections: Sequence[Detection],
    source: str,
    optics: Optics,
    thesaurus: Thesaurus,
    *,
    asked: bool,
) -> tuple[Snapshot, tuple[LiftRefused | UnreadableText, ...]]:
    """What a detector saw in a view, and why other boxes of it could not be used."""
    seen, refused = [], []
    for detection in detections:
        try:
            thesaurus.parse(detection.label)
            seen.append(_observation(view, detection, source, optics, asked=asked))
        except (LiftRefused, UnreadableText) as error:
            refused.append(error)
    return Snapshot(view.stamp, source, tuple(seen), tuple(map(str, refused))), tuple(refused)


def _observation(
    view: View, detection: Detection, source: str, optics: Optics, *, asked: bool
) -> Observation:
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
        asked=asked,
        track=detection.track,
    )
