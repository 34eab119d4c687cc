"""The colours an object can be told apart by."""

from typing import Literal

ColourName = Literal["red", "blue", "green", "yellow", "white", "black", "orange"]

COLOURS: dict[ColourName, tuple[float, float, float]] = {
    "red": (0.80, 0.12, 0.11),
    "blue": (0.13, 0.30, 0.72),
    "green": (0.16, 0.52, 0.26),
    "yellow": (0.95, 0.80, 0.16),
    "white": (0.84, 0.84, 0.82),
    "black": (0.10, 0.10, 0.11),
    "orange": (0.95, 0.52, 0.12),
}
