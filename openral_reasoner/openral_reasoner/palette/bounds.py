"""Bounds on the self-descriptions of detectors, because they reach every prompt."""

from collections.abc import Iterable
from math import isfinite

LABEL, DESCRIPTION, TROUBLE = 64, 400, 200
"""Longest label or camera, description, and reason of a failure [characters]."""
LABELS, CAMERAS, ALIASES = 400, 16, 8
"""Maximum number per detector; the largest shipped vocabulary has 266 labels."""
LABELS_LENGTH, LABELS_LENGTH_OF_ALL = 8_000, 24_000
"""Longest label lists of one detector and of all [characters]; the shipped 266 labels have 3,000."""
DETECTORS = 24
"""Maximum number of detectors listed."""


def cut(text: str, most: int) -> str:
    """Truncate a text, stating how much was left out."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most} characters left out)"


def first_labels(labels: tuple[str, ...], sharing: int) -> tuple[str, ...]:
    """Select the labels shown of a detector when ``sharing`` detectors share the total bound."""
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
    """Select the cameras that may be named."""
    return tuple(camera for camera in cameras if len(camera) <= LABEL)[:CAMERAS]


def number(reported: float) -> float:
    """Return a reported number; 0 (unknown) if it is negative or not finite."""
    return reported if isfinite(reported) and reported >= 0.0 else 0.0
