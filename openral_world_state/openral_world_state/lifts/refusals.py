"""Why a box could not be lifted.

LiftRefused
├── NoDepth         no pixel of the box has a known depth
├── OutOfRange      what is in the box is too near or too far to be measured
└── OutsideImage    the box does not meet the image
"""

from openral_core.detections import Box
from openral_core.errors import OpenRALError


class LiftRefused(OpenRALError):
    """Base of the reasons for which a box is not lifted."""


def _words(label: str, box: Box) -> str:
    return f"{label!r} at x {box.x_min:.0f} to {box.x_max:.0f}, y {box.y_min:.0f} to {box.y_max:.0f} px"


class NoDepth(LiftRefused):
    """No pixel of the box has a known depth."""

    def __init__(self, label: str, box: Box) -> None:
        super().__init__(f"{_words(label, box)} has no known depth in it")


class OutOfRange(LiftRefused):
    """The object is nearer or farther than depth can be trusted."""

    def __init__(self, label: str, box: Box, depth: float, nearest: float, farthest: float) -> None:
        super().__init__(
            f"{_words(label, box)} is {depth:.2f} m away: trusted are {nearest:.2f} m to {farthest:.2f} m"
        )


class OutsideImage(LiftRefused):
    """The box does not meet the image it is said to be of."""

    def __init__(self, label: str, box: Box, width: int, height: int) -> None:
        super().__init__(f"{_words(label, box)} lies outside the image of {width}x{height} px")
