"""Headless cameras: colour, depth and semantic instances."""
