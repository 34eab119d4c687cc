"""A parsed answer as detections of the phrases that were asked for."""

from collections.abc import Sequence

import numpy as np

from openral_core.detections import Detection
from openral_perception_ros.engines.results import detections_from
from openral_perception_ros.engines.vlm_grounding.grammar import SCALE, Answer, UnreadableAnswer

NO_SCORE = 0.5
"""The model gives no scores and none is invented: neither sure nor unsure (`scores_calibrated: false`)."""


def detections_of(answer: Answer, terms: Sequence[str], size: tuple[int, int]) -> list[Detection]:
    """Boxes that stand under an asked phrase, or under no label when one phrase was asked.

    Args:
        answer: See `parse_answer`.
        terms: As asked.
        size: (width, height) of the source image [px].

    Raises:
        UnreadableAnswer: If boxes were given, but none for what was asked.
    """
    asked = {_plain(term): term for term in terms}
    only = terms[0] if len(terms) == 1 else None
    named = [(_term(each.label, asked, only), each.corners) for each in answer.boxes]
    known = [(term, corners) for term, corners in named if term is not None]
    if answer.boxes and not known:
        labels = sorted({str(each.label) for each in answer.boxes})
        raise UnreadableAnswer((f"its boxes are for {labels[:5]}, not for what was asked",))
    boxes = np.array([corners for _, corners in known], np.float64).reshape(-1, 4) / SCALE * (*size, *size)
    return detections_from(boxes, [NO_SCORE] * len(known), [term for term, _ in known], size)


def _term(label: str | None, asked: dict[str, str], only: str | None) -> str | None:
    return only if label is None else asked.get(_plain(label))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
