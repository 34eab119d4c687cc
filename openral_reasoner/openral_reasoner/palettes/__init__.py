"""What the model may name now, made from the live graph."""

from openral_reasoner.palettes.changes import changes
from openral_reasoner.palettes.entries import (
    BlindEntry,
    ContinuousDetectorEntry,
    LocatorEntry,
    PlaceEntry,
    SkillEntry,
    ToolPalette,
)
from openral_reasoner.palettes.live_graph import DetectorSeen, LiveGraph, build_palette

__all__ = [
    "BlindEntry",
    "ContinuousDetectorEntry",
    "DetectorSeen",
    "LiveGraph",
    "LocatorEntry",
    "PlaceEntry",
    "SkillEntry",
    "ToolPalette",
    "build_palette",
    "changes",
]
