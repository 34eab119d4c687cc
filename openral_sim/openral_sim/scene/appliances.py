"""Lamps and screens of a world: on or off as their controls were worked, which changes how they look."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import mujoco

from openral_core.errors import OpenRALError, format_choices
from openral_core.home_map import ApplianceKind
from openral_sim.assets.furniture.appliances import ROCKER
from openral_sim.assets.furniture.builder import FurnitureAppliance


@dataclass(frozen=True)
class ApplianceModel:
    """Looks of appliances, and when a control changes them over."""

    emission: float = 1.0  # Emission of a shade or a screen that is on [1]; off it has none.
    # Factor by which a shade or a picture that is off is darkened, by kind of appliance [1].
    dark: Mapping[ApplianceKind, float] = field(default_factory=lambda: {"lamp": 0.8, "screen": 0.06})
    pressed: float = 0.6  # Fraction of its travel from which a control is pressed [1].
    released: float = 0.3  # Fraction of its travel up to which a button is released again [1].


MODEL = ApplianceModel()


class UnknownAppliance(OpenRALError):
    """An id that no lamp or screen of the world has."""

    def __init__(self, name: str, valid: Iterable[str]) -> None:
        super().__init__(f"the world has no appliance '{name}'; valid ids: {format_choices(valid)}")


class Appliances:
    """State of every lamp and screen; all are off at first.

    Args:
        model: The compiled scene, whose materials and lights show the states.
        appliances: Names of the appliances in it.
    """

    def __init__(self, model: mujoco.MjModel, appliances: Iterable[FurnitureAppliance]) -> None:
        self._model = model
        self._names = {item.appliance.id: item for item in appliances}
        self._on = dict.fromkeys(self._names, False)
        self._pressed = dict.fromkeys(self._names, False)
        for name in self._names:
            self._show(name)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all appliances."""
        return tuple(self._names)

    def is_on(self, appliance: str) -> bool:
        """Return True if an appliance is on.

        Raises:
            UnknownAppliance: If there is none with this id.
        """
        if appliance not in self._on:
            raise UnknownAppliance(appliance, self._on)
        return self._on[appliance]

    def set_on(self, data: mujoco.MjData, appliance: str, on: bool) -> None:
        """Turn an appliance on or off, and its switch with it, as before a world begins.

        Raises:
            UnknownAppliance: If there is none with this id.
        """
        if self.is_on(appliance) is not on:
            item = self._names[appliance]
            if item.appliance.control.kind == "switch":
                data.joint(item.joint).qpos[0] = self._model.joint(item.joint).range[1] if on else 0.0
            self._on[appliance] = on
            self._show(appliance)

    def advance(self, data: mujoco.MjData) -> None:
        """Read every control once, and apply the springs of switches; call it after each control period."""
        for name, item in self._names.items():
            kind, joint = item.appliance.control.kind, data.joint(item.joint)
            travelled = float(joint.qpos[0] / self._model.joint(item.joint).range[1])
            if kind == "switch":
                joint.qfrc_applied[0] = ROCKER.detent if travelled > 0.5 else -ROCKER.detent
            on = self._switched(name, kind, travelled)
            if on is not self._on[name]:
                self._on[name] = on
                self._show(name)

    def _switched(self, name: str, kind: str, travelled: float) -> bool:
        """Return the state after a control has travelled so far [1]: a button changes over when pressed."""
        threshold = MODEL.released if self._pressed[name] else MODEL.pressed
        was_pressed, self._pressed[name] = self._pressed[name], travelled >= threshold
        if kind == "switch":
            return self._pressed[name]
        return self._on[name] is not (self._pressed[name] and not was_pressed)

    def _show(self, name: str) -> None:
        item, on = self._names[name], self._on[name]
        material = self._model.material(item.material)
        material.emission[0] = MODEL.emission if on else 0.0
        material.rgba[:3] = 1.0 if on else MODEL.dark[item.appliance.kind]
        if item.light:
            self._model.light(item.light).active[0] = on
