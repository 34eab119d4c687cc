"""Materials of furniture, walls and people, and adding them to a model's specification.

`APPEARANCES` has every named appearance; `add_material` adds one, `use_printed` an image wrapped over a mesh,
and `use_colour` a plain colour. Each material is added once, when it is first used.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import mujoco
import numpy as np

from openral_core.arrays import Image
from openral_sim.assets.textures import Colour, fabric, landscape, planks, speckle, tiles, wood

AppearanceName = Literal[
    "oak", "walnut", "birch", "white", "cream", "graphite", "steel", "marble", "sage", "navy",
    "grey_fabric", "teal_fabric", "mustard_fabric", "rug_fabric", "plaster", "warm_plaster",
    "kitchen_floor", "living_floor", "wall_tiles", "skirting", "terracotta", "leaf", "lamp_shade",
    "screen", "painting", "window", "skin", "hair", "denim", "shirt", "shoe", "lips",
    "cherry", "mint", "beige_fabric", "red_fabric", "blue_rug", "green_rug", "green_plaster", "blue_plaster",
    "rose_plaster", "slate_floor", "terrazzo_floor", "dark_floor", "pale_floor", "carpet_floor", "dark_leaf",
    "seascape", "night_scene", "green_shirt", "blue_shirt", "grey_trousers", "linen", "glazed",
]  # fmt: skip
Side = Literal["left", "right"]


@dataclass(frozen=True)
class Appearance:
    """Texture and gloss of a surface."""

    texture: Callable[[], Image]  # Generates the image.
    specular: float = 0.15  # Strength of highlights in [0, 1].
    shininess: float = 0.3  # Sharpness of highlights in [0, 1].
    repeat: tuple[float, float] = (1.0, 1.0)  # Repetitions of the texture; per metre if `flat`.
    # True for a floor, whose texture is projected from above; False wraps it around as a cube.
    flat: bool = False
    emission: float = 0.0  # Brightness of its own in [0, 1].


def _plain(
    colour: Colour, specular: float = 0.15, shininess: float = 0.3, contrast: float = 0.06
) -> Appearance:
    return Appearance(partial(speckle, colour, contrast), specular, shininess)


def _woven(colour: Colour) -> Appearance:
    return Appearance(partial(fabric, colour), 0.02, 0.1)


APPEARANCES: dict[AppearanceName, Appearance] = {
    "oak": Appearance(partial(wood, (0.80, 0.62, 0.42)), 0.12),
    "walnut": Appearance(partial(wood, (0.47, 0.31, 0.20), seed=19), 0.15),
    "birch": Appearance(partial(wood, (0.93, 0.82, 0.66), seed=23), 0.1),
    "white": _plain((0.95, 0.95, 0.94), 0.3, 0.6),
    "cream": _plain((0.93, 0.89, 0.79), 0.2),
    "graphite": _plain((0.20, 0.21, 0.23), 0.3, 0.5),
    "steel": _plain((0.72, 0.74, 0.76), 0.6, 0.8, 0.12),
    "marble": _plain((0.90, 0.89, 0.88), 0.4, 0.7, 0.22),
    "sage": _plain((0.58, 0.68, 0.58)),
    "navy": _plain((0.17, 0.24, 0.38)),
    "grey_fabric": _woven((0.55, 0.57, 0.60)),
    "teal_fabric": _woven((0.20, 0.48, 0.50)),
    "mustard_fabric": _woven((0.86, 0.65, 0.20)),
    "rug_fabric": _woven((0.72, 0.42, 0.36)),
    "plaster": _plain((0.92, 0.90, 0.86), 0.02, 0.1, 0.05),
    "warm_plaster": _plain((0.85, 0.78, 0.68), 0.02, 0.1, 0.05),
    "kitchen_floor": Appearance(
        partial(tiles, (0.80, 0.78, 0.74), (0.58, 0.56, 0.53)), 0.15, 0.3, (0.8, 0.8), flat=True
    ),
    "living_floor": Appearance(partial(planks, (0.72, 0.53, 0.36)), 0.15, 0.3, (0.9, 0.9), flat=True),
    "wall_tiles": Appearance(partial(tiles, (0.86, 0.91, 0.90), (0.70, 0.74, 0.74), 5, 24, 512), 0.3, 0.6),
    "skirting": _plain((0.97, 0.96, 0.94), 0.1),
    "terracotta": _plain((0.76, 0.42, 0.29), 0.05, 0.2, 0.15),
    "leaf": _plain((0.22, 0.50, 0.23), 0.1, 0.3, 0.35),
    "lamp_shade": Appearance(partial(fabric, (0.98, 0.93, 0.80)), 0.0, 0.1, emission=0.45),
    "screen": _plain((0.05, 0.06, 0.08), 0.7, 0.9, 0.02),
    "painting": Appearance(partial(landscape, (0.95, 0.78, 0.60), (0.35, 0.32, 0.42)), 0.02),
    "window": Appearance(
        partial(landscape, (0.66, 0.83, 0.97), (0.36, 0.58, 0.34), seed=29), 0.1, emission=0.35
    ),
    "skin": _plain((0.87, 0.67, 0.54), 0.08, 0.2, 0.04),
    "hair": _plain((0.24, 0.16, 0.10), 0.15, 0.3, 0.3),
    "denim": _woven((0.24, 0.34, 0.52)),
    "shirt": _woven((0.80, 0.30, 0.28)),
    "lips": _plain((0.70, 0.36, 0.34)),
    "shoe": _plain((0.20, 0.18, 0.17)),
    "cherry": Appearance(partial(wood, (0.62, 0.36, 0.24), seed=37), 0.15),
    "mint": _plain((0.68, 0.82, 0.76)),
    "beige_fabric": _woven((0.80, 0.73, 0.62)),
    "red_fabric": _woven((0.66, 0.22, 0.20)),
    "blue_rug": _woven((0.30, 0.42, 0.58)),
    "green_rug": _woven((0.42, 0.52, 0.40)),
    "green_plaster": _plain((0.76, 0.82, 0.73), 0.02, 0.1, 0.05),
    "blue_plaster": _plain((0.74, 0.81, 0.87), 0.02, 0.1, 0.05),
    "rose_plaster": _plain((0.90, 0.80, 0.77), 0.02, 0.1, 0.05),
    "slate_floor": Appearance(
        partial(tiles, (0.42, 0.44, 0.47), (0.30, 0.31, 0.33)), 0.2, 0.4, (0.7, 0.7), flat=True
    ),
    "terrazzo_floor": Appearance(
        partial(speckle, (0.86, 0.84, 0.80), 0.35), 0.25, 0.5, (1.0, 1.0), flat=True
    ),
    "dark_floor": Appearance(partial(planks, (0.42, 0.29, 0.20)), 0.18, 0.4, (0.9, 0.9), flat=True),
    "pale_floor": Appearance(partial(planks, (0.86, 0.76, 0.62)), 0.12, 0.3, (0.9, 0.9), flat=True),
    "carpet_floor": Appearance(partial(fabric, (0.66, 0.66, 0.68)), 0.0, 0.1, (1.2, 1.2), flat=True),
    "dark_leaf": _plain((0.14, 0.34, 0.20), 0.15, 0.4, 0.3),
    "seascape": Appearance(partial(landscape, (0.60, 0.76, 0.90), (0.12, 0.30, 0.46), seed=41), 0.02),
    "night_scene": Appearance(partial(landscape, (0.36, 0.28, 0.50), (0.10, 0.10, 0.22), seed=53), 0.02),
    "green_shirt": _woven((0.30, 0.52, 0.36)),
    "blue_shirt": _woven((0.28, 0.42, 0.66)),
    "grey_trousers": _woven((0.36, 0.37, 0.40)),
    "linen": _woven((0.93, 0.92, 0.90)),
    "glazed": _plain((0.97, 0.97, 0.96), 0.6, 0.9, 0.02),
}


def add_material(spec: mujoco.MjSpec, name: AppearanceName) -> str:
    """Add the material of an appearance if the specification does not have it; return the material's name."""
    if spec.material(name) is not None:
        return name
    look = APPEARANCES[name]
    material = _textured_material(spec, name, use_texture(spec, name, look.texture(), cube=not look.flat))
    material.specular, material.shininess, material.emission = look.specular, look.shininess, look.emission
    material.texrepeat = look.repeat
    material.texuniform = look.flat
    return name


def add_own_material(spec: mujoco.MjSpec, name: str, appearance: AppearanceName) -> mujoco.MjsMaterial:
    """Add a material that looks like an appearance and can be changed without changing others."""
    look = APPEARANCES[appearance]
    material = _textured_material(
        spec, name, use_texture(spec, appearance, look.texture(), cube=not look.flat)
    )
    material.specular, material.shininess, material.emission = look.specular, look.shininess, look.emission
    return material


def use_texture(spec: mujoco.MjSpec, name: str, image: Image, cube: bool = False) -> str:
    """Add an image as a texture if the specification does not have it; return the texture's name.

    Args:
        cube: True puts the image on all six sides of a cube; False uses a mesh's own coordinates.
    """
    if spec.texture(name) is not None:
        return name
    height, width = image.shape[:2]
    kind = mujoco.mjtTexture.mjTEXTURE_CUBE if cube else mujoco.mjtTexture.mjTEXTURE_2D
    # The image is rotated on the two x sides of a cube so that its columns stand upright.
    sides = [np.rot90(image), np.rot90(image, -1), *[image] * 4] if cube else [np.flipud(image)]
    pixels = np.concatenate(sides)
    texture = spec.add_texture(name=name, type=kind, nchannel=3)
    texture.width, texture.height = width, height * len(sides)
    texture.data = np.ascontiguousarray(pixels).tobytes()
    return name


def use_printed(spec: mujoco.MjSpec, name: str, image: Image, gloss: float = 0.2) -> str:
    """Add a material that shows an image over a mesh's texture coordinates; return its name."""
    if spec.material(name) is None:
        material = _textured_material(spec, name, use_texture(spec, name, image))
        material.specular, material.shininess = gloss, gloss
    return name


def use_colour(
    spec: mujoco.MjSpec, name: str, rgba: tuple[float, float, float, float], gloss: float = 0.4
) -> str:
    """Add an untextured material of one colour; return its name."""
    if spec.material(name) is None:
        spec.add_material(name=name, rgba=rgba, specular=gloss, shininess=gloss)
    return name


def _textured_material(spec: mujoco.MjSpec, name: str, texture: str) -> mujoco.MjsMaterial:
    material = spec.add_material(name=name)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture
    return material
