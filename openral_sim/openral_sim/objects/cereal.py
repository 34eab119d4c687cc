"""A cereal box, its narrow side along x."""

from openral_sim.materials import use_printed
from openral_sim.meshes import printed_box
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.kind import ObjectKind
from openral_sim.textures import banded_label

_SIZE = (0.06, 0.17, 0.25)


def _build(builder: ObjectBuilder) -> None:
    print_ = banded_label("FLAKES", (0.95, 0.62, 0.12), (0.98, 0.93, 0.75), (0.60, 0.15, 0.08), 1)
    builder.visual("box", printed_box(_SIZE), use_printed(builder.spec, "cereal_print", print_, 0.1))
    builder.box((_SIZE[0] / 2, _SIZE[1] / 2, _SIZE[2] / 2))


CEREAL_BOX = ObjectKind("cereal box", _SIZE, 0.3, graspable=True, build=_build)
