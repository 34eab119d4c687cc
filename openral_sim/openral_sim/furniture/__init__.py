"""Fixtures built from panels: one file per kind."""

from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.furniture.doors import Door, Motion
from openral_sim.furniture.kinds import FURNITURE_KINDS, UnknownFurnitureKind, build_fixture

__all__ = ["FURNITURE_KINDS", "Door", "FurnitureBuilder", "Motion", "UnknownFurnitureKind", "build_fixture"]
