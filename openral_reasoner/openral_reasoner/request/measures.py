"""Properties by which objects are compared, and the measure of each."""

from collections.abc import Mapping
from typing import Literal

Measure = Literal["size", "length", "height", "distance"]
MEASURES: Mapping[str, tuple[Measure, bool]] = {
    "largest": ("size", True),
    "smallest": ("size", False),
    "longest": ("length", True),
    "shortest": ("length", False),
    "tallest": ("height", True),
    "lowest": ("height", False),
    "nearest": ("distance", False),
    "farthest": ("distance", True),
}
"""Measure of each property, and True if the most of it is asked for."""
ANYTHING = "object"
"""Kind of whatever there is."""
