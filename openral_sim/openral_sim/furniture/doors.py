"""Doors and drawers: what moves to open a container, passive and with a bar handle."""

from dataclasses import dataclass
from enum import StrEnum


class Motion(StrEnum):
    """How a door moves."""

    HINGE = "hinge"
    SLIDE = "slide"


@dataclass(frozen=True)
class Door:
    """The names a door or drawer carries in the model, and how it moves.

    Attributes:
        body: Its body; x out of its front when shut. A hinge is at its frame's origin.
        joint: Its hinge or slide, 0 when shut.
        motion: Which of the two.
        travel: The joint's upper limit, [rad] of a hinge and [m] of a slide.
        handle_site: The middle of the handle's bar; x out of the door, z along the bar.
        handle_geoms: What a gripper touches when it holds the handle.
    """

    body: str
    joint: str
    motion: Motion
    travel: float
    handle_site: str
    handle_geoms: tuple[str, ...]
