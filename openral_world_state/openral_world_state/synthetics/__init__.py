"""Exact views of simple bodies: the ground truth of tests and benchmarks."""

from openral_world_state.synthetics.bodies import Ball, Block, Body, Cylinder, Plane
from openral_world_state.synthetics.cameras import Shot, looking, shoot

__all__ = ["Ball", "Block", "Body", "Cylinder", "Plane", "Shot", "looking", "shoot"]
