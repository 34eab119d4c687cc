"""How much of what a detector says of itself is shown: all of it would reach every prompt."""

from collections.abc import Iterable
from math import isfinite

LABEL, DESCRIPTION, TROUBLE = 64, 400, 200
"""Most characters of one label or camera, of a description, and of why it cannot look."""
LABELS, CAMERAS, ALIASES = 400, 16, 8
"""Most of each per detector; the largest shipped vocabulary has 266 labels."""
LABELS_LENGTH, LABELS_LENGTH_OF_ALL = 8_000, 24_000
"""Most characters of the labels of one detector, and of all together; the shipped 266 have 3,000."""
DETECTORS = 24
"""Most detectors that are listed."""


def cut(words: str, most: int) -> str:
    """The words, or their beginning with how much was left out."""
    return words if len(words) <= most else f"{words[:most]}... ({len(words) - most} characters left out)"


def first_labels(labels: tuple[str, ...], sharing: int) -> tuple[str, ...]:
    """The labels that are shown of a detector, when so many share what all may show together."""
    room, shown = min(LABELS_LENGTH, LABELS_LENGTH_OF_ALL // max(sharing, 1)), list[str]()
    for label in labels:
        if len(label) > LABEL:
            continue
        room -= len(label)
        if room < 0 or len(shown) == LABELS:
            break
        shown.append(label)
    return tuple(shown)


def first_cameras(cameras: Iterable[str]) -> tuple[str, ...]:
    """The cameras that may be named."""
    return tuple(camera for camera in cameras if len(camera) <= LABEL)[:CAMERAS]


def number(told: float) -> float:
    """A measure that a detector told; 0, unknown, when it is none."""
    return told if isfinite(told) and told >= 0.0 else 0.0
