"""The kinds of household tasks."""

from enum import StrEnum


class Archetype(StrEnum):
    """What a household robot is asked for."""

    FETCH = "fetch"
    """Bring something that memory has seen lying about."""
    FIND = "find"
    """Say where something is that nobody has seen yet, behind doors or not."""
    OPEN = "open"
    """Bring something that memory knows behind a closed door."""
    VIEW = "view"
    """Drive to a piece of furniture and look at it."""
    HAND = "hand"
    """Give somebody something that nobody has seen yet, and that lies open."""
    POUR = "pour"
    """Bring a drink: open, grasp, find a vessel, pour, deliver."""
