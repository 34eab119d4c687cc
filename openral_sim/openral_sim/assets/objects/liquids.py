"""Liquids in vessels: a fill level, drawn by a stack of discs."""

from collections.abc import Mapping

import mujoco
import numpy as np

from openral_core.arrays import Array

MARK = "/liquid_"
"""Part of the name of every geom that is a disc of liquid."""
EMPTY_HALF_HEIGHT = 1e-5
"""Half height of a disc without liquid [m], so that no geom has size 0."""


class Liquid:
    """Liquid in one vessel; the model's discs always show its level.

    Args:
        model: Model that has the discs.
        discs: Ids of their geoms, lowest first, at full size; opaque if the vessel starts full.
    """

    def __init__(self, model: mujoco.MjModel, discs: list[int]) -> None:
        self._model, self._discs = model, discs
        self._half = np.array(model.geom_size[discs, 1])
        self._bottom = np.array(model.geom_pos[discs, 2]) - self._half
        self._radius = np.array(model.geom_size[discs, 0])
        self._level = 1.0 if float(model.geom_rgba[discs[0], 3]) > 0.0 else 0.0
        self._colour = np.array(model.geom_rgba[discs[0]])
        self.fill(self._level)

    @property
    def level(self) -> float:
        """Fill level of the vessel in [0, 1]."""
        return self._level

    @property
    def capacity(self) -> float:
        """Volume of the full vessel [l]."""
        # A disc of half height h holds 2 pi r^2 h cubic metres, 1000 l each.
        return float(2000.0 * np.pi * (self._radius**2 * self._half).sum())

    @property
    def mouth(self) -> float:
        """Radius of the liquid's surface when the vessel is full [m]."""
        return float(self._radius[-1])

    @property
    def colour(self) -> Array:
        """Red, green and blue of the liquid, each in [0, 1], shape (3,)."""
        return self._colour[:3]

    def add(self, litres: float, colour: Array) -> float:
        """Add an amount [l], or remove it if negative; return the amount that was really added [l]."""
        before = self._level
        self._colour[:3] = colour
        self.fill(float(np.clip(before + litres / self.capacity, 0.0, 1.0)))
        return (self._level - before) * self.capacity

    def fill(self, level: float) -> None:
        """Set the level in [0, 1] and show it."""
        self._level = level
        for i, geom in enumerate(self._discs):
            fraction = float(np.clip(level * len(self._discs) - i, 0.0, 1.0))
            half = max(fraction * self._half[i], EMPTY_HALF_HEIGHT)
            self._model.geom_size[geom, 1] = half
            self._model.geom_pos[geom, 2] = self._bottom[i] + half
            self._model.geom_rgba[geom] = (*self._colour[:3], 1.0 if fraction > 0.0 else 0.0)


def liquids_of(model: mujoco.MjModel) -> Mapping[int, Liquid]:
    """Return the liquid of every vessel in a model, by the id of the vessel's body."""
    discs: dict[int, list[int]] = {}
    for geom in range(model.ngeom):
        if MARK in model.geom(geom).name:
            discs.setdefault(int(model.geom_bodyid[geom]), []).append(geom)
    return {body: Liquid(model, geoms) for body, geoms in discs.items()}
