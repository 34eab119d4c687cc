"""Boxes in images lifted to things in the map."""

from openral_world_state.lifts.lift import Lifted, Optics, lift
from openral_world_state.lifts.refusals import LiftRefused, NoDepth, OutOfRange, OutsideImage

__all__ = ["LiftRefused", "Lifted", "NoDepth", "Optics", "OutOfRange", "OutsideImage", "lift"]
