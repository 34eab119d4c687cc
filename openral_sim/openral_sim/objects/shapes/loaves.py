"""A baguette: slim enough to be taken across by a parallel gripper."""

from openral_sim.materials import use_printed
from openral_sim.meshes import loaf
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.textures import crust


def build_loaf(builder: ObjectBuilder) -> None:
    """Add a long loaf along y."""
    width, length, height = builder.size
    material = use_printed(builder.spec, "crust", crust(), 0.05)
    builder.visual("loaf", loaf(length, width, height), material)
    builder.box((width / 2 - 0.003, 0.42 * length, height / 2))
