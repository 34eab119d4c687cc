"""Upright bar handles."""

import mujoco

from openral_sim.furniture.builder import FurnitureBuilder

_RADIUS = 0.011
STAND_OFF = 0.055
"""From a door's front to the middle of the bar in [m]."""
_FOOT = 0.02


def add_handle(
    builder: FurnitureBuilder, body: mujoco.MjsBody, foot: tuple[float, float, float], length: float
) -> tuple[str, tuple[str, ...]]:
    """Add a bar on two feet before a door's front.

    Args:
        builder: The fixture's.
        body: The door.
        foot: The point of the front behind the bar's middle, in the door's frame in [m].
        length: Of the bar in [m].

    Returns:
        The names of the site in its middle and of what a gripper touches.
    """
    front, y, z = foot
    x, low, high = front + STAND_OFF, z - length / 2, z + length / 2
    site = body.add_site(name=f"{body.name}/handle", pos=(x, y, z), size=(0.01, 0.01, 0.01), group=4)
    for end in (low + _FOOT, high - _FOOT):
        builder.post(_RADIUS * 0.7, (front, y, end), (x, y, end), builder.style.accent, body)
    bar = builder.post(_RADIUS, (x, y, low), (x, y, high), builder.style.accent, body)
    return site.name, (bar.name,)
