"""Textures and materials written into a model's specification."""

import mujoco
import numpy as np

from openral_sim.materials.looks import LOOKS, LookName
from openral_sim.textures.noise import Image

_SIDES = 6


def use_look(spec: mujoco.MjSpec, name: LookName) -> str:
    """The name of the material for a look, added to the specification when first used."""
    if spec.material(name) is not None:
        return name
    look = LOOKS[name]
    texture = use_texture(spec, name, look.texture(), cube=not look.flat)
    material = _add_material(spec, name, texture)
    material.specular, material.shininess, material.emission = look.specular, look.shininess, look.emission
    material.texrepeat = look.repeat
    material.texuniform = look.flat
    return name


def use_texture(spec: mujoco.MjSpec, name: str, image: Image, cube: bool = False) -> str:
    """Add an image as a texture once: over a mesh's own coordinates, or as `cube` on all six sides.

    Returns:
        The texture's name.
    """
    if spec.texture(name) is not None:
        return name
    height, width = image.shape[:2]
    kind = mujoco.mjtTexture.mjTEXTURE_CUBE if cube else mujoco.mjtTexture.mjTEXTURE_2D
    pixels = _six_sides(image) if cube else np.flipud(image)
    texture = spec.add_texture(name=name, type=kind, nchannel=3)
    texture.width, texture.height = width, height * (_SIDES if cube else 1)
    texture.data = np.ascontiguousarray(pixels).tobytes()
    return name


def _six_sides(image: Image) -> Image:
    """The image on all sides of a cube, turned on the two x sides so that its columns stand upright."""
    return np.concatenate([np.rot90(image), np.rot90(image, -1), *[image] * 4])


def use_printed(spec: mujoco.MjSpec, name: str, image: Image, gloss: float = 0.2) -> str:
    """The name of a material that shows an image over a mesh's texture coordinates."""
    if spec.material(name) is None:
        material = _add_material(spec, name, use_texture(spec, name, image))
        material.specular, material.shininess = gloss, gloss
    return name


def use_colour(
    spec: mujoco.MjSpec, name: str, rgba: tuple[float, float, float, float], gloss: float = 0.4
) -> str:
    """The name of an untextured material of one colour."""
    if spec.material(name) is None:
        spec.add_material(name=name, rgba=rgba, specular=gloss, shininess=gloss)
    return name


def _add_material(spec: mujoco.MjSpec, name: str, texture: str) -> mujoco.MjsMaterial:
    material = spec.add_material(name=name)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture
    return material
