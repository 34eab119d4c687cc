"""A baguette: slim enough to be taken across by a parallel gripper."""

from openral_sim.materials import use_printed
from openral_sim.meshes import loaf
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.kind import ObjectKind
from openral_sim.textures import crust

_LENGTH, _WIDTH, _HEIGHT = 0.40, 0.056, 0.048


def _build(builder: ObjectBuilder) -> None:
    material = use_printed(builder.spec, "crust", crust(), 0.05)
    builder.visual("loaf", loaf(_LENGTH, _WIDTH, _HEIGHT), material)
    builder.box((_WIDTH / 2 - 0.003, 0.42 * _LENGTH, _HEIGHT / 2))


BAGUETTE = ObjectKind("baguette", (_WIDTH, _LENGTH, _HEIGHT), 0.2, graspable=True, build=_build)
