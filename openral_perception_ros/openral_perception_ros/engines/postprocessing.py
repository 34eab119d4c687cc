"""Post-processing of model outputs.

Of DETR-like heads: the best (query, class) pairs and non-maximum suppression. Of a grounding model, whose
answer is untrusted text: a strict parser.

answer  := (named | box | end)*
named   := "<ref>" label "</ref>" box+
box     := "<box>none</box>" | "<box><x1><y1><x2><y2></box>"    integers in [0, 1000]
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Detection
from openral_perception_ros.engines.base import detections_from
from openral_perception_ros.engines.errors import BadDetections, EngineError


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidate boxes, best score first.

    ``corners`` is x_min, y_min, x_max, y_max relative to the model's input, shape (N, 4).
    """

    corners: NDArray[np.float64]
    scores: NDArray[np.float64]
    classes: NDArray[np.int64]

    def only(self, indices: NDArray[np.int64]) -> "Candidates":
        """Select candidates by index."""
        return Candidates(self.corners[indices], self.scores[indices], self.classes[indices])


def make_candidates(
    logits: NDArray[np.floating], boxes: NDArray[np.floating], threshold: float
) -> Candidates:
    """Select at most as many candidates as queries, as for DETR with focal loss.

    Source: Zhao et al. 2024 (RT-DETR), the head's sigmoid scores over all classes of all queries.

    Args:
        logits: Shape (Q, C).
        boxes: Centre x, centre y, width, height in [0, 1], shape (Q, 4).
        threshold: Candidates must score above it.

    Raises:
        BadDetections: If any number is not finite.
    """
    if not (np.isfinite(logits).all() and np.isfinite(boxes).all()):
        raise BadDetections("logits or boxes that are not finite", f"{logits.shape[0]} queries")
    scores = 1.0 / (1.0 + np.exp(-np.clip(logits.astype(np.float64), -60.0, 60.0).reshape(-1)))
    best = np.argsort(-scores, kind="stable")[: logits.shape[0]]
    best = best[scores[best] > threshold]
    centre, half = np.split(boxes.astype(np.float64)[best // logits.shape[1]], 2, axis=1)
    corners = np.hstack([centre - half / 2.0, centre + half / 2.0])
    return Candidates(corners, scores[best], best % logits.shape[1])


NMS_SCALE = 10_000.0
"""Factor from relative to integer boxes, which OpenCV needs: a ten-thousandth of the image."""


def non_max_suppression(candidates: Candidates, overlap: float, across_classes: bool) -> Candidates:
    """Drop candidates that overlap a better one by more than ``overlap`` (intersection over union).

    Args:
        candidates: Any number.
        overlap: In [0, 1].
        across_classes: Compare across classes too.
    """
    if len(candidates.scores) == 0:
        return candidates
    corners = candidates.corners * NMS_SCALE
    boxes = np.hstack([corners[:, :2], corners[:, 2:] - corners[:, :2]])
    groups = np.zeros_like(candidates.classes) if across_classes else candidates.classes
    kept = cv2.dnn.NMSBoxesBatched(boxes.tolist(), candidates.scores.tolist(), groups.tolist(), 0.0, overlap)
    return candidates.only(np.sort(np.asarray(kept, np.int64)))


SCALE = 1000
"""Coordinates are integers from 0 to this, relative to the image [1/1000]."""
MAX_BOXES = 300
"""Boxes accepted per answer [count]: more is a model that repeats itself."""
MAX_EXCERPT = 60
"""Length of an excerpt in an error message [characters]."""
NO_SCORE = 0.5
"""Score of every box: the model reports none (`scores_calibrated: false`)."""
_REF = re.compile(r"<ref>([^<>]{1,200})</ref>")
_NONE = re.compile(r"<box>\s*none\s*</box>", re.IGNORECASE)
_BOX = re.compile(r"<box><(\d{1,6})><(\d{1,6})><(\d{1,6})><(\d{1,6})></box>")
_SKIP = re.compile(r"[\s,;]+|<\|[a-z_]{1,32}\|>|</s>")
_NEXT = re.compile(r"<ref>|<box>")

Corners = tuple[int, int, int, int]


class UnreadableAnswer(EngineError):
    """An answer without a readable box; not the same as an empty detection."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(f"the model's answer cannot be parsed: {problems[0]} ({len(problems)} problems)")


@dataclass(frozen=True, slots=True)
class Grounded:
    """One box x_min, y_min, x_max, y_max in thousandths of the image, and its label, if any."""

    label: str | None
    corners: Corners


@dataclass(frozen=True, slots=True)
class GroundingAnswer:
    """The parsed boxes without duplicates, and the problems found."""

    boxes: tuple[Grounded, ...]
    problems: tuple[str, ...]


def parse_answer(text: str) -> GroundingAnswer:
    """Parse every box of an answer in linear time.

    Raises:
        UnreadableAnswer: If there are problems and no box.
    """
    boxes: dict[Grounded, None] = {}
    problems: list[str] = []
    for part in _parts(text):
        if isinstance(part, str):
            problems.append(part)
        elif len(boxes) == MAX_BOXES and part not in boxes:
            problems.append(f"more than {MAX_BOXES} boxes")
            break
        else:
            boxes[part] = None
    if problems and not boxes:
        raise UnreadableAnswer(tuple(problems))
    if not boxes and not _NONE.search(text):
        raise UnreadableAnswer(("it contains neither a box nor 'none'",))
    return GroundingAnswer(tuple(boxes), tuple(problems))


def _parts(text: str) -> Iterator[Grounded | str]:
    """Yield boxes, and descriptions of problems."""
    position, label, label_used = 0, None, True
    while position < len(text):
        if skip := _SKIP.match(text, position) or _NONE.match(text, position):
            label_used |= skip.re is _NONE
            position = skip.end()
        elif reference := _REF.match(text, position):
            if not label_used:
                yield f"label {label!r} has no box"
            label, label_used, position = " ".join(reference[1].split()), False, reference.end()
        elif box := _BOX.match(text, position):
            yield _checked(label, (int(box[1]), int(box[2]), int(box[3]), int(box[4])))
            label_used, position = True, box.end()
        else:
            following = _NEXT.search(text, position + 1)
            end = following.start() if following else len(text)
            yield f"{text[position : min(end, position + MAX_EXCERPT)]!r} does not match the grammar"
            label, label_used, position = None, True, end
    if not label_used:
        yield f"label {label!r} has no box"


def _checked(label: str | None, corners: Corners) -> Grounded | str:
    if max(corners) > SCALE:
        return f"box {corners} lies outside 0 to {SCALE}"
    if corners[2] <= corners[0] or corners[3] <= corners[1]:
        return f"box {corners} has no area"
    return Grounded(label, corners)


def answer_to_detections(
    answer: GroundingAnswer, terms: Sequence[str], size: tuple[int, int]
) -> list[Detection]:
    """Convert boxes to detections of the requested terms; unlabelled boxes count if there is a single term.

    Args:
        answer: See `parse_answer`.
        terms: The requested terms.
        size: (width, height) of the source image [px].

    Raises:
        UnreadableAnswer: If there are boxes, but none for a requested term.
    """
    asked = {_plain(term): term for term in terms}
    only = terms[0] if len(terms) == 1 else None
    named = [(_term(box.label, asked, only), box.corners) for box in answer.boxes]
    known = [(term, corners) for term, corners in named if term is not None]
    if answer.boxes and not known:
        labels = sorted({str(box.label) for box in answer.boxes})
        raise UnreadableAnswer((f"its boxes are labelled {labels[:5]}, none of which was requested",))
    boxes = np.array([corners for _, corners in known], np.float64).reshape(-1, 4) / SCALE * (*size, *size)
    return detections_from(boxes, [NO_SCORE] * len(known), [term for term, _ in known], size)


def _term(label: str | None, asked: dict[str, str], only: str | None) -> str | None:
    return only if label is None else asked.get(_plain(label))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
