"""Boxes in the text of a vision-language model, which is untrusted: strict grammars of its answer formats.

An answer is read as a whole or refused: what does not fit its grammar can be a thought, talk or the half of
an answer, none of which says that something is, or is not, in view. A thought that the model's own marks end
(`THOUGHT_ENDS`) is left out before.

Format ``tags``, of LocateAnything, with integers in [0, 1000]:

answer  := item+                                      space, "," and ";" may stand between items
item    := "<ref>" label "</ref>" (none | box+) | none | box
none    := "<box>none</box>"
box     := "<box><x1><y1><x2><y2></box>"

Formats ``json_thousandths`` (Qwen3-VL) and ``json_pixels`` (Qwen2.5-VL): a JSON list, or one object for a
list of one, with or without a code fence. Each object has ``bbox_2d`` (or ``bbox``) [x1, y1, x2, y2] and,
unless one term was asked, ``label``. An empty list is the answer that nothing was found.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

import numpy as np

from openral_core.detectors import Detection
from openral_perception_ros.engines.base import detections_from
from openral_perception_ros.engines.errors import EngineError

SCALE = 1000
"""Coordinates of ``tags`` and ``json_thousandths`` are from 0 to this, relative to the image [1/1000]."""
MAX_BOXES = 300
"""Boxes accepted per answer [count]: more is a model that repeats itself."""
MAX_ANSWER = 200_000
"""Length of an answer [characters]: that of the most boxes with the longest labels."""
MAX_EXCERPT = 60
"""Length of an excerpt in an error message [characters]."""
MAX_LABEL = 200
"""Length of a label [characters]."""
NO_SCORE = 0.5
"""Score of every box: the model reports none (`scores_calibrated: false`)."""
THOUGHT_ENDS = (
    "</think>",
    "</thinking>",
    "</thought>",
    "</seed:think>",
    "[/THINK]",
    "◁/think▷",
    "<|END_THINKING|>",
    "<|channel|>final<|message|>",
    "<channel|>",
)
"""Marks after which models write their answer; the mark that opens a thought is often part of the prompt."""
_THOUGHT_END = re.compile("|".join(map(re.escape, THOUGHT_ENDS)))
_END = re.compile(r"(?:<\|(?:im_end|endoftext|end_of_text|eot_id|end|return)\|>|</s>|<end_of_turn>|\s)+\Z")
_FENCED = re.compile(r"```(?:json)?\s(.*)```\Z", re.DOTALL | re.IGNORECASE)
_ITEM = re.compile(
    r"[\s,;]+|<ref>(?P<label>[^<>]{1,200})</ref>|<box>\s*(?P<none>none)\s*</box>"
    r"|<box><(?P<x1>\d{1,6})><(?P<y1>\d{1,6})><(?P<x2>\d{1,6})><(?P<y2>\d{1,6})></box>",
    re.IGNORECASE,
)
_KEYS = frozenset({"bbox_2d", "bbox", "label"})

LIST_QUESTION = (
    "Locate every instance of each of these: {terms}. Report bounding boxes as a JSON list of objects "
    'with "bbox_2d": [x1, y1, x2, y2] and "label", exactly as given. Answer [] if there is none.'
)
"""Asks for a list in JSON; ``{terms}`` stands for `listed_terms`."""

Corners = tuple[float, float, float, float]
Size = tuple[int, int]


class UnreadableAnswer(EngineError):
    """An answer that is not one of the format; not the same as an empty detection."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the model's answer cannot be read: {problem}")


def excerpt(value: object) -> str:
    """Quote the beginning of a text or value for a message."""
    text = value if isinstance(value, str) else f"{value}"
    return f"{text[:MAX_EXCERPT]!r}{'...' * (len(text) > MAX_EXCERPT)}"


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


def parse_answer(text: str, form: AnswerFormat, size: Size) -> tuple[Grounded, ...]:
    """Read an answer in linear time; repeated boxes count once, and no box is the answer 'none'.

    Args:
        text: The model's words.
        form: How it writes boxes.
        size: (width, height) of the image that the model was given [px].

    Raises:
        UnreadableAnswer: If the text after the thought is not, as a whole, an answer of this form.
    """
    if len(text) > MAX_ANSWER:
        raise UnreadableAnswer(f"it is longer than {MAX_ANSWER} characters: {excerpt(text)}")
    thought = _THOUGHT_END.search(text)
    answer = _END.sub("", text[thought.end() if thought else 0 :]).lstrip()
    if not answer:
        raise UnreadableAnswer(f"it contains neither a box nor 'none': {excerpt(text)}")
    boxes = dict.fromkeys(_GRAMMARS[form](answer, size))
    if len(boxes) > MAX_BOXES:
        raise UnreadableAnswer(f"it has more than {MAX_BOXES} boxes")
    return tuple(boxes)


def _of_tags(text: str, size: Size) -> list[Grounded]:
    position, label, used = 0, None, True
    boxes: list[Grounded] = []
    empty: set[str | None] = set()
    while (item := _ITEM.match(text, position)) and (used or not item["label"]):
        position = item.end()
        if item["label"]:
            label, used = " ".join(item["label"].split()), False
        elif item["x1"]:
            corners = [int(item[corner]) for corner in ("x1", "y1", "x2", "y2")]
            boxes.append(_checked(label, corners, (SCALE, SCALE)))
            used = True
        elif item["none"]:
            empty.add(label)
            used = True
    if not used:
        raise UnreadableAnswer(f"label {label!r} has no box")
    if position < len(text):
        raise UnreadableAnswer(f"{excerpt(text[position:])} does not match the grammar")
    if boxes and empty & {None, *(box.label for box in boxes)}:
        raise UnreadableAnswer(f"it says both 'none' and a box: {excerpt(text)}")
    return boxes


def _of_thousandths(text: str, size: Size) -> list[Grounded]:
    return _listed(text, (SCALE, SCALE))


def _of_pixels(text: str, size: Size) -> list[Grounded]:
    return _listed(text, size)


def _listed(text: str, scale: Size) -> list[Grounded]:
    fenced = _FENCED.match(text)
    try:
        answer = json.loads(fenced[1] if fenced else text, object_pairs_hook=_object, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        reason = excerpt(str(error) or type(error).__name__)
        raise UnreadableAnswer(f"{excerpt(text)} as a whole is not JSON ({reason})") from error
    items = answer if isinstance(answer, list) else [answer]
    if not all(isinstance(item, dict) for item in items):
        raise UnreadableAnswer(f"{excerpt(text)} is not a list of objects: neither boxes nor []")
    return [_boxed(item, scale) for item in items]


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    item = dict(pairs)
    if len(item) < len(pairs):
        raise UnreadableAnswer(f"an object says a key twice: {excerpt([key for key, _ in pairs])}")
    return item


def _refuse(constant: str) -> NoReturn:
    raise UnreadableAnswer(f"{constant} is no coordinate: expected four numbers")


def _boxed(item: Mapping[str, object], scale: Size) -> Grounded:
    if unknown := sorted(item.keys() - _KEYS):
        raise UnreadableAnswer(f"{excerpt(item)} has the unknown key {excerpt(unknown[0])}")
    forms, label = [item[key] for key in ("bbox_2d", "bbox") if key in item], item.get("label")
    corners = forms[0] if len(forms) == 1 else None
    if not isinstance(corners, list) or len(corners) != 4 or not all(map(_is_number, corners)):
        raise UnreadableAnswer(f"{excerpt(item)} has no one 'bbox_2d' of four numbers")
    if "label" in item and not (isinstance(label, str) and label.strip() and len(label) <= MAX_LABEL):
        raise UnreadableAnswer(f"label {excerpt(label)} is not a text of up to {MAX_LABEL} characters")
    return _checked(" ".join(label.split()) if isinstance(label, str) else None, corners, scale)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _checked(label: str | None, corners: Sequence[float], scale: Size) -> Grounded:
    x_min, y_min, x_max, y_max = corners
    if not all(0 <= corner <= end for corner, end in zip(corners, (*scale, *scale), strict=True)):
        raise UnreadableAnswer(f"box {excerpt(list(corners))} lies outside {list(scale)}")
    if x_max <= x_min or y_max <= y_min:
        raise UnreadableAnswer(f"box {excerpt(list(corners))} has no area")
    if max(corners) <= 1:
        raise UnreadableAnswer(f"box {excerpt(list(corners))} is in shares of the image")
    return Grounded(label, (x_min / scale[0], y_min / scale[1], x_max / scale[0], y_max / scale[1]))


_GRAMMARS: Mapping[AnswerFormat, Callable[[str, Size], list[Grounded]]] = {
    AnswerFormat.TAGS: _of_tags,
    AnswerFormat.JSON_THOUSANDTHS: _of_thousandths,
    AnswerFormat.JSON_PIXELS: _of_pixels,
}


def answer_to_detections(boxes: Sequence[Grounded], terms: Sequence[str], size: Size) -> list[Detection]:
    """Convert boxes to detections of the requested terms; unlabelled boxes answer a single term.

    Args:
        boxes: See `parse_answer`.
        size: (width, height) of the source image [px].

    Raises:
        UnreadableAnswer: If a box may be of any of several terms, or no box is of a requested one.
    """
    requested_terms = {_plain(term): term for term in terms}
    if len(terms) == 1:
        requested_terms[""] = terms[0]
    named = [(requested_terms.get(_plain(box.label or "")), box.corners) for box in boxes]
    matches = [(term, corners) for term, corners in named if term is not None]
    missing = set(terms) - {term for term, _ in matches}
    if missing and any(box.label is None for box in boxes) and len(terms) > 1:
        raise UnreadableAnswer(f"a box has no label: it may be any of {sorted(missing)[:5]}")
    if boxes and not matches:
        labels = sorted({str(box.label) for box in boxes})
        raise UnreadableAnswer(f"its boxes are labelled {labels[:5]}, none of which was requested")
    pixels = np.array([corners for _, corners in matches], np.float64).reshape(-1, 4) * (*size, *size)
    return detections_from(pixels, [NO_SCORE] * len(matches), [term for term, _ in matches], size)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
