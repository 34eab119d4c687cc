"""Strict parser of a grounding model's answer, which is untrusted text.

answer  := (named | box | end)*
named   := "<ref>" label "</ref>" box+
box     := "<box>none</box>" | "<box><x1><y1><x2><y2></box>"    integers in [0, 1000]
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from openral_core.detectors import Detection
from openral_perception_ros.engines.base import detections_from
from openral_perception_ros.engines.errors import EngineError

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
