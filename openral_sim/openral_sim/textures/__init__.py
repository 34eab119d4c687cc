"""Procedural textures: every one an RGB image, uint8 (N, N, 3)."""

from openral_sim.textures.bread import crust
from openral_sim.textures.fabric import fabric
from openral_sim.textures.labels import banded_label
from openral_sim.textures.noise import speckle
from openral_sim.textures.paintings import landscape
from openral_sim.textures.tiles import planks, tiles
from openral_sim.textures.wood import wood

__all__ = ["banded_label", "crust", "fabric", "landscape", "planks", "speckle", "tiles", "wood"]
