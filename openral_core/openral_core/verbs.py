"""Verbs of acting skills; a module of its own so that manifests load without geometry."""

from enum import StrEnum


class Verb(StrEnum):
    """Action that a skill performs."""

    NAVIGATE = "NAVIGATE"
    LOOK_AT = "LOOK_AT"
    OPEN = "OPEN"
    CLOSE = "CLOSE"
    GRASP = "GRASP"
    PLACE = "PLACE"
    POUR = "POUR"
    HANDOVER = "HANDOVER"
