"""Missions as JSON lines, and what can be done with them."""

from openral_reasoner.recordings.lines import (
    InvalidRecording,
    Life,
    LineWriter,
    Step,
    read_lines,
    read_lives,
    settings_line,
    step_line,
)
from openral_reasoner.recordings.replays import Difference, replay
from openral_reasoner.recordings.stories import stories, story

__all__ = [
    "Difference",
    "InvalidRecording",
    "Life",
    "LineWriter",
    "Step",
    "read_lines",
    "read_lives",
    "replay",
    "settings_line",
    "step_line",
    "stories",
    "story",
]
