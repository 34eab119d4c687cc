"""Small things that can be moved: their kinds as data, one builder per shape."""

from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.colours import COLOURS, ColourName
from openral_sim.objects.kind import ObjectKind
from openral_sim.objects.kinds import KINDS, ObjectKindName, build_object

__all__ = ["COLOURS", "KINDS", "ColourName", "ObjectBuilder", "ObjectKind", "ObjectKindName", "build_object"]
