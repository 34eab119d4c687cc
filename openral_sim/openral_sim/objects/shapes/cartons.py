"""A drinks carton with a gabled top."""

from openral_sim.meshes import gabled_carton
from openral_sim.objects.builder import ObjectBuilder


def build_carton(builder: ObjectBuilder) -> None:
    """Add a carton of square base."""
    width, _, height = builder.size
    builder.visual("carton", gabled_carton(width, height), builder.label(1))
    builder.box((width / 2, width / 2, 0.39 * height), (0, 0, -0.11 * height))
    builder.box((0.012, width / 2, 0.1 * height), (0, 0, 0.38 * height))
