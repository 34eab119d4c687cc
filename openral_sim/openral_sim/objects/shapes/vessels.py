"""Closed turned vessels: bottles, jars, tins, flasks, shakers."""

from collections.abc import Callable
from dataclasses import dataclass

from openral_sim.meshes import lathe
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.shapes.profiles import Outline, radius_at, scaled

_BANDS = 5
_OVER = 1.012


@dataclass(frozen=True)
class Vessel:
    """A turned vessel.

    Attributes:
        body: Its outline up to where the cap begins.
        cap: The outline of its cap or lid.
        label: Heights between which its label lies, as shares; None for a plain one.
    """

    body: Outline
    cap: Outline
    label: tuple[float, float] | None = None


BOTTLE = Vessel(
    ((0, 0), (0.9, 0), (1, 0.02), (1, 0.56), (0.92, 0.64), (0.42, 0.78), (0.38, 0.9)),
    ((0.44, 0.9), (0.44, 0.995), (0.40, 1), (0, 1)),
    (0.16, 0.46),
)
SQUEEZE = Vessel(
    ((0, 0), (0.86, 0), (0.95, 0.02), (1, 0.3), (0.96, 0.62), (0.8, 0.76), (0.5, 0.8)),
    ((0.55, 0.8), (0.5, 0.9), (0.24, 0.97), (0.2, 1), (0, 1)),
    (0.2, 0.6),
)
JAR = Vessel(
    ((0, 0), (0.92, 0), (1, 0.04), (1, 0.7), (0.9, 0.8)),
    ((0.95, 0.8), (0.95, 0.985), (0.9, 1), (0, 1)),
    (0.14, 0.62),
)
TIN = Vessel(((0, 0), (0.97, 0), (1, 0.02), (1, 0.97)), ((1, 0.97), (0.97, 1), (0, 1)), (0.03, 0.96))
FLASK = Vessel(
    ((0, 0), (0.95, 0), (1, 0.03), (1, 0.7), (0.86, 0.76)), ((0.8, 0.76), (0.8, 0.97), (0.7, 1), (0, 1))
)
SHAKER = Vessel(
    ((0, 0), (0.96, 0), (1, 0.04), (0.7, 0.45), (0.75, 0.72)),
    ((0.85, 0.72), (0.8, 0.88), (0.5, 0.98), (0.2, 1), (0, 1)),
)
CANDLE = Vessel(
    ((0, 0), (0.97, 0), (1, 0.02), (1, 0.88), (0.9, 0.9), (0, 0.9)), ((0.05, 0.88), (0.05, 1), (0, 1))
)


def vessel(shape: Vessel) -> Callable[[ObjectBuilder], None]:
    """A builder of one kind of vessel."""

    def build(builder: ObjectBuilder) -> None:
        builder.visual("body", lathe(scaled(shape.body, builder.size)), builder.paint())
        builder.visual("cap", lathe(scaled(shape.cap, builder.size), 16), builder.accent())
        if shape.label is not None:
            band = [(radius_at(shape.body, height) * _OVER, height) for height in shape.label]
            builder.visual("label", lathe(scaled(band, builder.size)), builder.label())
        _add_solids(builder, (*shape.body, *shape.cap))

    return build


def _add_solids(builder: ObjectBuilder, outline: Outline) -> None:
    """A cylinder for every band of heights, as wide as the outline is there on average."""
    height = builder.size[2]
    for band in range(_BANDS):
        low, high = band / _BANDS, (band + 1) / _BANDS
        radius = max(radius_at(outline, low + share * (high - low)) for share in (0.1, 0.5, 0.9))
        builder.cylinder(radius * builder.size[0] / 2, height / _BANDS / 2, (low + high - 1) / 2 * height)
