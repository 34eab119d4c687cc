"""Hollow bodies: walls around a container's interior, and the shelves in it."""

from openral_core.maps import Container
from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.materials import LookName

_SHELF = 0.018


def add_shell(builder: FurnitureBuilder, container: Container, look: LookName) -> None:
    """Close a container on all sides but its front."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    (x0, y0, z0), (x1, y1, z1) = container.interior.min, container.interior.max
    builder.panel((-d, -w, 0), (x0, w, h), look)
    builder.panel((x0, -w, 0), (x1, y0, h), look)
    builder.panel((x0, y1, 0), (x1, w, h), look)
    builder.panel((x0, y0, 0), (x1, y1, z0), look)
    builder.panel((x0, y0, z1), (x1, y1, h), look)


def add_shelves(builder: FurnitureBuilder, container: Container, look: LookName) -> None:
    """Add a board under every surface that lies inside the container."""
    (x0, y0, z0), (x1, y1, z1) = container.interior.min, container.interior.max
    for surface in builder.fixture.surfaces:
        if z0 < surface.z < z1:
            board = ((x0, y0, surface.z - _SHELF), (x1 - 0.01, y1, surface.z))
            builder.panel(*board, look)
