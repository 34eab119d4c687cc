"""Named looks, added to a model when first used."""

from openral_sim.materials.adding import use_colour, use_look, use_printed, use_texture
from openral_sim.materials.looks import LOOKS, Look, LookName

__all__ = ["LOOKS", "Look", "LookName", "use_colour", "use_look", "use_printed", "use_texture"]
