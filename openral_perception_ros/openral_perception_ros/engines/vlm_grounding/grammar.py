"""A grounding model's answer, read strictly: it is a stranger's text until every part of it is checked.

answer  := (named | box | end)*
named   := "<ref>" label "</ref>" box+
box     := "<box>none</box>" | "<box><x1><y1><x2><y2></box>"    integers in [0, 1000]
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from openral_perception_ros.engines.errors import EngineError

SCALE = 1000
MAX_BOXES = 300
SHOWN = 60
_REF = re.compile(r"<ref>([^<>]{1,200})</ref>")
_NONE = re.compile(r"<box>\s*none\s*</box>", re.IGNORECASE)
_BOX = re.compile(r"<box><(\d{1,6})><(\d{1,6})><(\d{1,6})><(\d{1,6})></box>")
_SKIP = re.compile(r"[\s,;]+|<\|[a-z_]{1,32}\|>|</s>")
_NEXT = re.compile(r"<ref>|<box>")

Corners = tuple[int, int, int, int]


class UnreadableAnswer(EngineError):
    """An answer without one readable box: not the same as seeing nothing."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(f"the model's answer cannot be read: {problems[0]} ({len(problems)} problems)")


@dataclass(frozen=True, slots=True)
class Grounded:
    """One box x_min, y_min, x_max, y_max in thousandths of the image, and its label, if any."""

    label: str | None
    corners: Corners


@dataclass(frozen=True, slots=True)
class Answer:
    """What could be read, each box once, and what could not."""

    boxes: tuple[Grounded, ...]
    problems: tuple[str, ...]


def parse_answer(text: str) -> Answer:
    """Every box of an answer; time and result grow no faster than the text.

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
        raise UnreadableAnswer(("it holds neither a box nor the word that there is none",))
    return Answer(tuple(boxes), tuple(problems))


def _parts(text: str) -> Iterator[Grounded | str]:
    """Boxes, and problems in words."""
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
            yield f"{text[position : min(end, position + SHOWN)]!r} is no part of the grammar"
            label, label_used, position = None, True, end
    if not label_used:
        yield f"label {label!r} has no box"


def _checked(label: str | None, corners: Corners) -> Grounded | str:
    if max(corners) > SCALE:
        return f"box {corners} lies outside 0 to {SCALE}"
    if corners[2] <= corners[0] or corners[3] <= corners[1]:
        return f"box {corners} has no area"
    return Grounded(label, corners)
