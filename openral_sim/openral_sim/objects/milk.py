"""A milk carton."""

from openral_sim.materials import use_printed
from openral_sim.meshes import gabled_carton
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.kind import ObjectKind
from openral_sim.textures import banded_label

_WIDTH, _HEIGHT = 0.064, 0.2


def _build(builder: ObjectBuilder) -> None:
    print_ = banded_label("MILK", (0.96, 0.97, 0.98), (0.30, 0.56, 0.86), (1.0, 1.0, 1.0), 1)
    builder.visual("carton", gabled_carton(_WIDTH, _HEIGHT), use_printed(builder.spec, "milk_print", print_))
    builder.box((_WIDTH / 2, _WIDTH / 2, 0.39 * _HEIGHT), (0, 0, -0.11 * _HEIGHT))
    builder.box((0.012, _WIDTH / 2, 0.1 * _HEIGHT), (0, 0, 0.38 * _HEIGHT))


MILK = ObjectKind("milk", (_WIDTH, _WIDTH, _HEIGHT), 0.5, graspable=True, build=_build)
