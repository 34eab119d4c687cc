"""Shapes of objects: each adds what is seen and what collides to a builder's body."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.shapes.books import build_book
from openral_sim.objects.shapes.bowls import build_bowl, build_plate
from openral_sim.objects.shapes.boxes import build_box, build_plain_box
from openral_sim.objects.shapes.cans import build_can
from openral_sim.objects.shapes.cartons import build_carton
from openral_sim.objects.shapes.fruits import build_apple, build_ball, build_banana, build_lemon, build_pear
from openral_sim.objects.shapes.gadgets import build_clock, build_flashlight, build_slate
from openral_sim.objects.shapes.loaves import build_loaf
from openral_sim.objects.shapes.mugs import build_mug
from openral_sim.objects.shapes.remotes import build_remote
from openral_sim.objects.shapes.toys import build_roll, build_teddy_bear, build_toy_car
from openral_sim.objects.shapes.tumblers import build_kettle, build_pot, build_tumbler, build_vase
from openral_sim.objects.shapes.vessels import BOTTLE, CANDLE, FLASK, JAR, SHAKER, SQUEEZE, TIN, vessel
from openral_sim.objects.shapes.wine import build_wine_bottle, build_wine_glass

SHAPES: Mapping[str, Callable[[ObjectBuilder], None]] = MappingProxyType(
    {
        "apple": build_apple,
        "ball": build_ball,
        "banana": build_banana,
        "book": build_book,
        "bottle": vessel(BOTTLE),
        "bowl": build_bowl,
        "box": build_box,
        "can": build_can,
        "candle": vessel(CANDLE),
        "carton": build_carton,
        "clock": build_clock,
        "flashlight": build_flashlight,
        "flask": vessel(FLASK),
        "jar": vessel(JAR),
        "kettle": build_kettle,
        "lemon": build_lemon,
        "loaf": build_loaf,
        "mug": build_mug,
        "pear": build_pear,
        "plain_box": build_plain_box,
        "plate": build_plate,
        "pot": build_pot,
        "remote": build_remote,
        "roll": build_roll,
        "shaker": vessel(SHAKER),
        "slate": build_slate,
        "squeeze": vessel(SQUEEZE),
        "teddy_bear": build_teddy_bear,
        "tin": vessel(TIN),
        "toy_car": build_toy_car,
        "tumbler": build_tumbler,
        "vase": build_vase,
        "wine_bottle": build_wine_bottle,
        "wine_glass": build_wine_glass,
    }
)

__all__ = ["SHAPES"]
