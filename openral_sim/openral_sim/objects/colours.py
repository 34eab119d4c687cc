"""The colours an object can be told apart by."""

from typing import Literal

ColourName = Literal[
    "red", "blue", "green", "yellow", "white", "black", "orange", "brown", "pink", "purple", "grey"
]

COLOURS: dict[ColourName, tuple[float, float, float]] = {
    "red": (0.80, 0.12, 0.11),
    "blue": (0.13, 0.30, 0.72),
    "green": (0.16, 0.52, 0.26),
    "yellow": (0.95, 0.80, 0.16),
    "white": (0.84, 0.84, 0.82),
    "black": (0.10, 0.10, 0.11),
    "orange": (0.95, 0.52, 0.12),
    "brown": (0.45, 0.27, 0.14),
    "pink": (0.93, 0.60, 0.68),
    "purple": (0.48, 0.26, 0.58),
    "grey": (0.62, 0.63, 0.65),
}
