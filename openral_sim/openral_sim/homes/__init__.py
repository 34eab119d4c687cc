"""Homes drawn from a seed: rooms, furniture, things and where they are hidden."""

from openral_sim.homes.addresses import UnknownScene, find_scene, is_generated, shipped_scenes
from openral_sim.homes.drawing import NoHomeFound, draw_home
from openral_sim.homes.hiding import Whereabouts, whereabouts
from openral_sim.homes.writing import write_home

__all__ = [
    "NoHomeFound",
    "UnknownScene",
    "Whereabouts",
    "draw_home",
    "find_scene",
    "is_generated",
    "shipped_scenes",
    "whereabouts",
    "write_home",
]
