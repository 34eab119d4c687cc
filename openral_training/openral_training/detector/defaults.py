"""Defaults that options and the command line share."""

TAUGHT_VIEWS = 8000
"""Image views of a lesson if no other number is given [count]."""
