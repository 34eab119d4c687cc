"""The fixed map of a home: rooms, places to stand, furniture and the people who live there."""

from openral_core.maps.agents import Agent
from openral_core.maps.fixtures import Container, Fixture, Opens, Surface
from openral_core.maps.geometry import Box, Pose2, Rectangle
from openral_core.maps.home_map import HomeMap, UnknownMapId, load_map
from openral_core.maps.rooms import Doorway, Place, Room

__all__ = [
    "Agent",
    "Box",
    "Container",
    "Doorway",
    "Fixture",
    "HomeMap",
    "Opens",
    "Place",
    "Pose2",
    "Rectangle",
    "Room",
    "Surface",
    "UnknownMapId",
    "load_map",
]
