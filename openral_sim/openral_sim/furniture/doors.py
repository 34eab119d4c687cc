"""Hinged doors, passive and with a bar handle on the free side."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Door:
    """The names a door carries in the model.

    Attributes:
        body: Its body; the hinge is at its frame's origin.
        joint: Its hinge, 0 [rad] when closed.
        open_angle: The hinge's upper limit [rad].
        handle_site: The middle of the handle's bar; x out of the door, z along the bar.
        handle_geoms: What a gripper touches when it holds the handle.
    """

    body: str
    joint: str
    open_angle: float
    handle_site: str
    handle_geoms: tuple[str, ...]
