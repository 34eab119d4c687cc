"""Small things that can be moved: one file per kind."""

from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.colours import COLOURS, ColourName
from openral_sim.objects.kinds import KINDS, ObjectKindName

__all__ = ["COLOURS", "KINDS", "ColourName", "ObjectBuilder", "ObjectKindName"]
