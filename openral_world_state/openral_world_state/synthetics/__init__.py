"""Exact views of simple bodies: the ground truth of tests and benchmarks."""

from openral_world_state.synthetics.bodies import Ball, Block, Body, Cylinder, Plane
from openral_world_state.synthetics.cameras import Shot, looking, shoot
from openral_world_state.synthetics.lattices import Basket, Glass, Ring

__all__ = [
    "Ball",
    "Basket",
    "Block",
    "Body",
    "Cylinder",
    "Glass",
    "Plane",
    "Ring",
    "Shot",
    "looking",
    "shoot",
]
