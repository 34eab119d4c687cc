"""A bowl and a plate: too wide for the gripper."""

from openral_sim.meshes import lathe
from openral_sim.objects.builder import ObjectBuilder

_BOWL, _BOWL_HEIGHT = 0.08, 0.066
_PLATE, _PLATE_HEIGHT = 0.115, 0.02


def build_bowl(builder: ObjectBuilder) -> None:
    """Add a bowl."""
    half = _BOWL_HEIGHT / 2
    outside = [
        (0, -half),
        (0.036, -half),
        (0.04, 0.006 - half),
        (0.062, -0.005),
        (0.075, 0.012),
        (_BOWL, half),
    ]
    inside = [(_BOWL - 0.004, half), (0.07, 0.012), (0.057, -0.005), (0.036, 0.012 - half), (0, 0.009 - half)]
    builder.visual("bowl", lathe(outside + inside), builder.paint())
    builder.cylinder(0.04, 0.005, 0.005 - half)
    builder.ring(0.062, 0.012, 0.01 - half, 0.0)
    builder.ring(_BOWL, 0.008, 0.0, half)


def build_plate(builder: ObjectBuilder) -> None:
    """Add a plate."""
    half = _PLATE_HEIGHT / 2
    outside = [(0, -half), (0.065, -half), (0.07, 0.004 - half), (_PLATE, half - 0.002), (_PLATE, half)]
    inside = [(_PLATE - 0.003, half), (0.078, 0.009 - half), (0.066, 0.006 - half), (0, 0.006 - half)]
    builder.visual("plate", lathe(outside + inside), builder.paint())
    builder.cylinder(0.07, 0.004, 0.004 - half)
    builder.ring(_PLATE, 0.04, 0.006 - half, half)
