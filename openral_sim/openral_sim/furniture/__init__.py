"""Fixtures built from panels: one file per kind."""

from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.furniture.doors import Door
from openral_sim.furniture.kinds import FURNITURE_KINDS, UnknownFurnitureKind, build_fixture

__all__ = ["FURNITURE_KINDS", "Door", "FurnitureBuilder", "UnknownFurnitureKind", "build_fixture"]
