"""Missions as JSON lines, and what can be done with them."""

from openral_reasoner.recordings.lines import InvalidRecording, Step, read_lines, settings_line, step_line
from openral_reasoner.recordings.replays import Difference, replay
from openral_reasoner.recordings.stories import story

__all__ = [
    "Difference",
    "InvalidRecording",
    "Step",
    "read_lines",
    "replay",
    "settings_line",
    "step_line",
    "story",
]
