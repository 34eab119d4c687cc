from typing import get_args

import mujoco
import numpy as np
import pytest

from openral_sim.assets.materials import APPEARANCES, AppearanceName, add_material, use_colour, use_printed
from openral_sim.assets.textures import banded_label


def test_every_name_has_a_look() -> None:
    assert set(get_args(AppearanceName)) == set(APPEARANCES)


@pytest.mark.parametrize("name", sorted(APPEARANCES))
def test_a_look_is_a_square_picture_that_is_not_plain(name: str) -> None:
    image = APPEARANCES[name].texture()
    assert image.dtype == np.uint8
    assert image.shape[0] == image.shape[1]
    assert image.shape[2] == 3
    assert image.std() > 0


def test_a_material_is_added_once() -> None:
    spec = mujoco.MjSpec()
    for _ in range(2):
        add_material(spec, "oak")
        use_colour(spec, "red", (1, 0, 0, 1))
        use_printed(spec, "label", banded_label("MILK", (1, 1, 1), (0, 0, 1), (1, 1, 1)))
    assert sorted(material.name for material in spec.materials) == ["label", "oak", "red"]
    assert len(spec.textures) == 2
