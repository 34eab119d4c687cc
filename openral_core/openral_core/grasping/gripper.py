"""Outline of a parallel gripper."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GripperGeometry:
    """Outline of a parallel gripper, for its model and for the grasp planner; lengths in [m].

    The grasp frame has z along the approach and y along the fingers' travel; its origin is between the pads.
    """

    finger_travel: float  # Travel of each finger.
    # Half extents of a finger pad along breadth, travel and approach.
    pad_half_size: tuple[float, float, float]
    # Half extents of the finger behind its pad, in the same axes.
    knuckle_half_size: tuple[float, float, float]
    tip_length: float  # Distance from the origin of the grasp frame to the pads' tips.
    margin: float = 0.002  # Added to the outline where it must fit between other objects.

    @property
    def max_opening(self) -> float:
        """Greatest distance between the pads in [m]."""
        return 2 * self.finger_travel

    @property
    def pad_depth(self) -> float:
        """Room that a pad needs along the fingers' travel in [m]."""
        return 2 * self.pad_half_size[1] + self.margin

    @property
    def pad_half_width(self) -> float:
        """Half the breadth of a pad with its margin in [m]."""
        return self.pad_half_size[0] + self.margin

    @property
    def finger_half_width(self) -> float:
        """Half the breadth of a whole finger with its margin in [m], to the micrometre."""
        return round(self.knuckle_half_size[0] + self.margin, 6)
