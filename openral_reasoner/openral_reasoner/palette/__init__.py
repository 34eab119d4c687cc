"""Palette: every id that a tool call may use."""
