"""Observation: a detection of one image, lifted to map.

A detector may draw several boxes with different labels around one object; they are one observation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from openral_core.detectors import Box, Detection
from openral_core.geometry import Pose
from openral_core.text import Thesaurus, UnreadableText
from openral_world_state.box_overlap import SAME_SPACE, are_nested, shared_space
from openral_world_state.depth_camera import DepthView
from openral_world_state.lifting import DepthModel, LiftRefused, lift


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
        cut: Something nearer hides a part of it.
        ambiguous: It may lie at another depth, so it confirms a known object but is no new one.
        from_query: The detector was asked for this label, which weighs more.
        track: Detector's track id, a hint.
        alternatives: Other labels of the same box, with their scores.
        box: In the image [px]; None if unknown.
    """

    label: str
    score: float
    pose: Pose
    size: tuple[float, float, float]
    covariance: tuple[float, ...]
    stamp: float
    source: str
    truncated: bool = False
    cut: bool = False
    ambiguous: bool = False
    from_query: bool = False
    track: str = ""
    alternatives: tuple[tuple[str, float], ...] = ()
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class ObservationFrame:
    """All observations of one detector in one image, and the boxes that could not be lifted, with reasons."""

    stamp: float
    source: str
    observations: tuple[Observation, ...] = ()
    refused: tuple[str, ...] = field(default=())
    unplaced: tuple[Detection, ...] = ()


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
    observations = list[Observation]()
    refused, unplaced = list[LiftRefused | UnreadableText](), list[Detection]()
    for detection in detections:
        try:
            thesaurus.parse(detection.label)
            observations.append(lift_observation(view, detection, source, optics, from_query=from_query))
        except (LiftRefused, UnreadableText) as error:
            refused.append(error)
            if isinstance(error, LiftRefused):
                unplaced.append(detection)
    distinct = observations if from_query else merge_double_boxes(observations)
    frame = ObservationFrame(view.stamp, source, tuple(distinct), tuple(map(str, refused)), tuple(unplaced))
    return frame, tuple(refused)


def merge_double_boxes(observations: Sequence[Observation]) -> list[Observation]:
    """Merge the observations of one frame that fill the same space, such as a cup also seen as a mug.

    The label with the highest score is kept, the others are its alternatives.
    """
    distinct: list[Observation] = []
    for each in sorted(observations, key=lambda one: -one.score):
        for index, best in enumerate(distinct):
            boxes = best.pose, best.size, each.pose, each.size
            is_part = best.label == each.label and are_nested(*boxes)  # such as the back of a chair
            if is_part or shared_space(*boxes) >= SAME_SPACE:
                names = {best.label, *(label for label, _ in best.alternatives)}
                if each.label not in names:
                    added = (*best.alternatives, (each.label, each.score))
                    distinct[index] = replace(best, alternatives=added)
                break
        else:
            distinct.append(each)
    return distinct


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
        cut=lifted.cut,
        ambiguous=lifted.ambiguous,
        from_query=from_query,
        track=detection.track,
        box=detection.box,
    )
