"""Liquid in vessels, as a fill level drawn by discs that grow one upon the other."""

from collections.abc import Mapping

import mujoco
import numpy as np
from numpy.typing import NDArray

MARK = "/liquid_"
"""What the names of a vessel's discs contain."""


class Liquid:
    """The liquid in one vessel; its level is what the model's discs show."""

    def __init__(self, model: mujoco.MjModel, discs: list[int]) -> None:
        """Take over discs as they were built: at full size, seen if the vessel begins full."""
        self._model, self._discs = model, discs
        self._half = np.array(model.geom_size[discs, 1])
        self._bottom = np.array(model.geom_pos[discs, 2]) - self._half
        self._radius = np.array(model.geom_size[discs, 0])
        self._level = 1.0 if float(model.geom_rgba[discs[0], 3]) > 0.0 else 0.0
        self._colour = np.array(model.geom_rgba[discs[0]])
        self.fill(self._level)

    @property
    def level(self) -> float:
        """How full the vessel is in [0, 1]."""
        return self._level

    @property
    def capacity(self) -> float:
        """What it holds when full in [l]."""
        return float(2000.0 * np.pi * (self._radius**2 * self._half).sum())

    @property
    def mouth(self) -> float:
        """Radius of the liquid when the vessel is full in [m]."""
        return float(self._radius[-1])

    @property
    def colour(self) -> NDArray[np.float64]:
        """Red, green, blue of what is in it, each in [0, 1], shape (3,)."""
        return self._colour[:3]

    def add(self, litres: float, colour: NDArray[np.float64]) -> float:
        """Add, or with a negative amount take out; what really was, in [l]."""
        before = self._level
        self._colour[:3] = colour
        self.fill(float(np.clip(before + litres / self.capacity, 0.0, 1.0)))
        return (self._level - before) * self.capacity

    def fill(self, level: float) -> None:
        """Show a level in [0, 1], disc upon disc."""
        self._level = level
        for i, geom in enumerate(self._discs):
            share = float(np.clip(level * len(self._discs) - i, 0.0, 1.0))
            half = max(share * self._half[i], 1e-5)
            self._model.geom_size[geom, 1] = half
            self._model.geom_pos[geom, 2] = self._bottom[i] + half
            self._model.geom_rgba[geom] = (*self._colour[:3], 1.0 if share > 0.0 else 0.0)


def liquids_of(model: mujoco.MjModel) -> Mapping[int, Liquid]:
    """Every vessel of a scene, by its body's id."""
    discs: dict[int, list[int]] = {}
    for geom in range(model.ngeom):
        if MARK in model.geom(geom).name:
            discs.setdefault(int(model.geom_bodyid[geom]), []).append(geom)
    return {body: Liquid(model, geoms) for body, geoms in discs.items()}
