"""Boxes in the text of a vision-language model, which is untrusted: strict parsers of its answer formats.

Format ``tags``, of LocateAnything:

answer  := (named | box | end)*
named   := "<ref>" label "</ref>" box+
box     := "<box>none</box>" | "<box><x1><y1><x2><y2></box>"    integers in [0, 1000]

Formats ``json_thousandths`` (Qwen3-VL) and ``json_pixels`` (Qwen2.5-VL): a JSON list, with or without a code
fence, of objects with ``bbox_2d`` (or ``bbox``) [x1, y1, x2, y2] and, unless one term was asked, ``label``.
An empty list is the answer that nothing was found.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

import numpy as np

from openral_core.detectors import Detection
from openral_perception_ros.engines.base import detections_from
from openral_perception_ros.engines.errors import EngineError

SCALE = 1000
"""Coordinates of ``tags`` and ``json_thousandths`` are from 0 to this, relative to the image [1/1000]."""
MAX_BOXES = 300
"""Boxes accepted per answer [count]: more is a model that repeats itself."""
MAX_EXCERPT = 60
"""Length of an excerpt in an error message [characters]."""
MAX_LABEL = 200
"""Length of a label [characters]."""
NO_SCORE = 0.5
"""Score of every box: the model reports none (`scores_calibrated: false`)."""
_REF = re.compile(r"<ref>([^<>]{1,200})</ref>")
_NONE = re.compile(r"<box>\s*none\s*</box>", re.IGNORECASE)
_BOX = re.compile(r"<box><(\d{1,6})><(\d{1,6})><(\d{1,6})><(\d{1,6})></box>")
_SKIP = re.compile(r"[\s,;]+|<\|[a-z_]{1,32}\|>|</s>")
_NEXT = re.compile(r"<ref>|<box>")
_FLAT_OBJECT = re.compile(r"\{[^{}]{1,1000}\}")
_EMPTY_LIST = re.compile(r"\[\s*\]")

LIST_QUESTION = (
    "Locate every instance of each of these: {terms}. Report bounding boxes as a JSON list of objects "
    'with "bbox_2d": [x1, y1, x2, y2] and "label", exactly as given. Answer [] if there is none.'
)
"""Asks for a list in JSON; ``{terms}`` stands for `listed_terms`."""

Corners = tuple[float, float, float, float]
Size = tuple[int, int]


class UnreadableAnswer(EngineError):
    """An answer without a readable box; not the same as an empty detection."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(f"the model's answer cannot be parsed: {problems[0]} ({len(problems)} problems)")


def listed_terms(terms: Iterable[str]) -> str:
    """Write terms as they go into `LIST_QUESTION`."""
    return ", ".join(f'"{term}"' for term in terms)


class AnswerFormat(StrEnum):
    """Forms in which a model writes boxes."""

    TAGS = "tags"
    JSON_THOUSANDTHS = "json_thousandths"
    JSON_PIXELS = "json_pixels"


@dataclass(frozen=True, slots=True)
class Grounded:
    """One box x_min, y_min, x_max, y_max relative to the image, in [0, 1], and its label, if any."""

    label: str | None
    corners: Corners


@dataclass(frozen=True, slots=True)
class GroundingAnswer:
    """The parsed boxes without duplicates, and the problems found."""

    boxes: tuple[Grounded, ...]
    problems: tuple[str, ...]


def parse_answer(text: str, form: AnswerFormat, size: Size) -> GroundingAnswer:
    """Parse every box of an answer in linear time.

    Args:
        text: The model's words.
        form: How it writes boxes.
        size: (width, height) of the image that the model was given [px].

    Raises:
        UnreadableAnswer: If there are problems and no box, or neither a box nor the answer 'none'.
    """
    parts, says_none = _GRAMMARS[form](text, size)
    boxes: dict[Grounded, None] = {}
    problems: list[str] = []
    for part in parts:
        if isinstance(part, str):
            problems.append(part)
        elif len(boxes) == MAX_BOXES and part not in boxes:
            problems.append(f"more than {MAX_BOXES} boxes")
            break
        else:
            boxes[part] = None
    if problems and not boxes:
        raise UnreadableAnswer(tuple(problems))
    if not boxes and not says_none:
        raise UnreadableAnswer((f"it contains neither a box nor 'none': {text[:MAX_EXCERPT]!r}",))
    return GroundingAnswer(tuple(boxes), tuple(problems))


Parts = Iterable[Grounded | str]
"""Boxes, and descriptions of problems."""


def _of_tags(text: str, size: Size) -> tuple[Parts, bool]:
    return _tagged(text), bool(_NONE.search(text))


def _tagged(text: str) -> Iterator[Grounded | str]:
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
            yield _checked(label, tuple(map(int, box.groups())), (SCALE, SCALE))
            label_used, position = True, box.end()
        else:
            following = _NEXT.search(text, position + 1)
            end = following.start() if following else len(text)
            yield f"{text[position : min(end, position + MAX_EXCERPT)]!r} does not match the grammar"
            label, label_used, position = None, True, end
    if not label_used:
        yield f"label {label!r} has no box"


def _of_thousandths(text: str, size: Size) -> tuple[Parts, bool]:
    return _listed(text, (SCALE, SCALE))


def _of_pixels(text: str, size: Size) -> tuple[Parts, bool]:
    return _listed(text, size)


def _listed(text: str, scale: Size) -> tuple[Parts, bool]:
    """Read each object by itself, so that an answer that was cut off keeps its complete boxes."""
    objects = [match[0] for match in _FLAT_OBJECT.finditer(text)]
    return [_boxed(item, scale) for item in objects], not objects and bool(_EMPTY_LIST.search(text))


def _boxed(text: str, scale: Size) -> Grounded | str:
    try:
        item = json.loads(text)
    except ValueError:
        return f"{text[:MAX_EXCERPT]!r} is not JSON"
    corners, label = item.get("bbox_2d", item.get("bbox")), item.get("label")
    if not isinstance(corners, list) or len(corners) != 4 or not all(map(_is_number, corners)):
        return f"{text[:MAX_EXCERPT]!r} has no 'bbox_2d' of four numbers"
    if label is not None and not (isinstance(label, str) and label.strip() and len(label) <= MAX_LABEL):
        return f"label {str(label)[:MAX_EXCERPT]!r} is not a text of up to {MAX_LABEL} characters"
    return _checked(None if label is None else " ".join(label.split()), corners, scale)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _checked(label: str | None, corners: Sequence[float], scale: Size) -> Grounded | str:
    x_min, y_min, x_max, y_max = corners
    if min(corners) < 0 or x_max > scale[0] or y_max > scale[1]:
        return f"box {list(corners)} lies outside {list(scale)}"
    if x_max <= x_min or y_max <= y_min:
        return f"box {list(corners)} has no area"
    return Grounded(label, (x_min / scale[0], y_min / scale[1], x_max / scale[0], y_max / scale[1]))


_GRAMMARS: Mapping[AnswerFormat, Callable[[str, Size], tuple[Parts, bool]]] = {
    AnswerFormat.TAGS: _of_tags,
    AnswerFormat.JSON_THOUSANDTHS: _of_thousandths,
    AnswerFormat.JSON_PIXELS: _of_pixels,
}


def answer_to_detections(answer: GroundingAnswer, terms: Sequence[str], size: Size) -> list[Detection]:
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
    boxes = np.array([corners for _, corners in known], np.float64).reshape(-1, 4) * (*size, *size)
    return detections_from(boxes, [NO_SCORE] * len(known), [term for term, _ in known], size)


def _term(label: str | None, asked: dict[str, str], only: str | None) -> str | None:
    return only if label is None else asked.get(_plain(label))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
