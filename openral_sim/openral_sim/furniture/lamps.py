"""A floor lamp."""

from openral_sim.furniture.builder import FurnitureBuilder


def build_lamp(builder: FurnitureBuilder) -> None:
    """Add a foot, a pole and a shade as wide as the footprint."""
    radius, h = builder.fixture.width / 2, builder.fixture.height
    builder.post(radius * 0.75, (0, 0, 0), (0, 0, 0.025), builder.style.accent)
    builder.post(0.012, (0, 0, 0.025), (0, 0, h - 0.3), builder.style.accent)
    builder.post(radius, (0, 0, h - 0.3), (0, 0, h), builder.style.main)
