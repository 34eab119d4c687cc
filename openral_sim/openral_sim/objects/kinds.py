"""Every kind of object by name."""

from typing import Literal

from openral_sim.objects.baguette import BAGUETTE
from openral_sim.objects.books import BOOK
from openral_sim.objects.bowls import BOWL, PLATE
from openral_sim.objects.cans import CAN
from openral_sim.objects.cereal import CEREAL_BOX
from openral_sim.objects.fruits import APPLE, LEMON
from openral_sim.objects.kind import ObjectKind
from openral_sim.objects.milk import MILK
from openral_sim.objects.mugs import MUG
from openral_sim.objects.remotes import REMOTE
from openral_sim.objects.wine import WINE_BOTTLE, WINE_GLASS

ObjectKindName = Literal[
    "apple", "baguette", "book", "bowl", "can", "cereal_box", "lemon",
    "milk", "mug", "plate", "remote", "wine_bottle", "wine_glass",
]  # fmt: skip

KINDS: dict[ObjectKindName, ObjectKind] = {
    "apple": APPLE,
    "baguette": BAGUETTE,
    "book": BOOK,
    "bowl": BOWL,
    "can": CAN,
    "cereal_box": CEREAL_BOX,
    "lemon": LEMON,
    "milk": MILK,
    "mug": MUG,
    "plate": PLATE,
    "remote": REMOTE,
    "wine_bottle": WINE_BOTTLE,
    "wine_glass": WINE_GLASS,
}
