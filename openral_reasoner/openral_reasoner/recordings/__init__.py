"""Missions as JSON lines, and what can be done with them."""

from openral_reasoner.recordings.lines import Step, read_lines, settings_line, step_line

__all__ = ["Step", "read_lines", "settings_line", "step_line"]
