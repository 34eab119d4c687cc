"""What a robot can be asked to do; apart from goals, since manifests are read where no geometry is."""

from enum import StrEnum


class Verb(StrEnum):
    """What a robot can be asked to do."""

    NAVIGATE = "NAVIGATE"
    LOOK_AT = "LOOK_AT"
    OPEN = "OPEN"
    CLOSE = "CLOSE"
    GRASP = "GRASP"
    PLACE = "PLACE"
    POUR = "POUR"
    HANDOVER = "HANDOVER"
