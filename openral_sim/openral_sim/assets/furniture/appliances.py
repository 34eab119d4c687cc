"""Lamps and screens of fixtures, and the rocker switches and spring-loaded buttons that turn them on and off.

A rocker stays where it is pressed: its upper half turns on, its lower half off. A button springs back.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import cos, sin

import mujoco
import numpy as np

from openral_core.errors import OpenRALError, format_choices
from openral_core.home_map import Appliance, Control
from openral_sim.assets.furniture.builder import FurnitureAppliance, FurnitureBuilder, yaw_quaternion
from openral_sim.assets.materials import add_own_material


@dataclass(frozen=True)
class RockerModel:
    """Dimensions and joint dynamics of a rocker switch; its plate is that of a large wall switch."""

    half_width: float = 0.025  # Half the width of the plate [m].
    half_height: float = 0.045  # Half the height of the plate [m].
    thickness: float = 0.012  # Thickness of the plate [m], from the hinge to the face.
    travel: float = 0.3  # Angle between off and on [rad].
    frame: float = 0.006  # Distance by which the housing is wider than the plate [m].
    housing: float = 0.02  # Depth of the housing behind the hinge [m]; it hides the half that is pressed in.
    mass: float = 0.02  # Mass of the plate [kg].
    detent: float = 0.03  # Torque of the spring that snaps it to the nearer end and holds it there [N m].
    damping: float = 0.004  # Damping of the hinge [N m s/rad].
    armature: float = 2e-5  # Inertia added to the hinge for numerical stability [kg m^2].


@dataclass(frozen=True)
class ButtonModel:
    """Dimensions and joint dynamics of a spring-loaded button."""

    radius: float = 0.016  # Radius of the button [m].
    length: float = 0.014  # Distance from its face to its base [m].
    travel: float = 0.008  # Distance that it can be pressed [m].
    plate: float = 0.006  # Distance by which the plate around it is wider [m].
    mass: float = 0.02  # Its mass [kg].
    stiffness: float = 300.0  # Stiffness of its spring [N/m].
    preload: float = 0.004  # Compression of the released spring [m].
    damping: float = 6.0  # Damping of its slide [N s/m].
    armature: float = 0.01  # Inertia added to the slide for numerical stability [kg].


@dataclass(frozen=True)
class LampModel:
    """Light of a lamp."""

    # Red, green and blue of its light, each in [0, 1].
    diffuse: tuple[float, float, float] = (0.75, 0.66, 0.5)
    # Constant [1], linear [1/m] and quadratic [1/m^2] loss with distance.
    attenuation: tuple[float, float, float] = (1.0, 0.0, 0.08)


ROCKER, BUTTON, LAMP = RockerModel(), ButtonModel(), LampModel()


class NoSuchControl(OpenRALError):
    """A control of a kind that cannot be built."""

    def __init__(self, control: Control) -> None:
        super().__init__(
            f"control '{control.id}' is a {control.kind}; this simulation builds {format_choices(_CONTROLS)}"
        )


def add_lamp(builder: FurnitureBuilder, appliance: Appliance, shade: mujoco.MjsGeom) -> None:
    """Make a shade light up, with a light in its middle."""
    material = add_own_material(builder.spec, f"{builder.body.name}/{appliance.id}/glow", "lamp_shade")
    shade.material = material.name
    low, high = appliance.lit.min, appliance.lit.max
    light = builder.body.add_light(
        name=f"{builder.body.name}/{appliance.id}/light",
        # The renderer draws no point lights; a spot of 180 degrees to each side shines everywhere.
        type=mujoco.mjtLightType.mjLIGHT_SPOT,
        cutoff=180.0,
        exponent=0.0,
        pos=tuple((a + b) / 2 for a, b in zip(low, high, strict=True)),
        diffuse=LAMP.diffuse,
        attenuation=LAMP.attenuation,
        castshadow=False,
        active=False,
    )
    _add_control(builder, appliance, material.name, light.name)


def add_screen(builder: FurnitureBuilder, appliance: Appliance) -> None:
    """Add the lit part of a screen, which shows a picture while it is on."""
    material = add_own_material(builder.spec, f"{builder.body.name}/{appliance.id}/glow", "seascape")
    builder.panel(appliance.lit.min, appliance.lit.max, "screen").material = material.name
    _add_control(builder, appliance, material.name, "")


def _add_control(builder: FurnitureBuilder, appliance: Appliance, material: str, light: str) -> None:
    """Add the control of an appliance.

    Raises:
        NoSuchControl: If it is of a kind that cannot be built.
    """
    control = appliance.control
    if control.kind not in _CONTROLS:
        raise NoSuchControl(control)
    joint, face = _CONTROLS[control.kind](builder, control)
    builder.appliances.append(FurnitureAppliance(appliance, joint, face, material, light))


def _add_rocker(builder: FurnitureBuilder, control: Control) -> tuple[str, str]:
    """Add a rocker that is off: its upper half stands out."""
    rocker, name = ROCKER, f"{builder.body.name}/{control.id}"
    y, z = rocker.half_width + rocker.frame, rocker.half_height + rocker.frame
    housing = _add_body(builder, f"{name}/housing", control, 0.0, rocker.thickness)
    builder.panel((-rocker.housing, -y, -z), (0.0, y, z), "white", housing)
    plate = _add_body(builder, name, control, rocker.travel / 2, rocker.thickness)
    joint = plate.add_joint(
        name=f"{name}/hinge",
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=(0, -1, 0),
        limited=True,
        range=(0.0, rocker.travel),
        damping=rocker.damping,
        armature=rocker.armature,
    )
    low = (rocker.thickness / 2, -rocker.half_width, -rocker.half_height)
    face = builder.panel(low, (rocker.thickness, rocker.half_width, rocker.half_height), "cream", plate)
    face.mass = rocker.mass
    _exclude(builder, plate, housing)
    return joint.name, face.name


def _add_button(builder: FurnitureBuilder, control: Control) -> tuple[str, str]:
    """Add a round button that a spring pushes out."""
    button, name = BUTTON, f"{builder.body.name}/{control.id}"
    plate = _add_body(builder, f"{name}/plate", control, 0.0, button.length)
    builder.post(button.radius + button.plate, (-0.004, 0, 0), (0.002, 0, 0), "graphite", plate)
    cap = _add_body(builder, name, control, 0.0, button.length)
    joint = cap.add_joint(
        name=f"{name}/slide",
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=(-1, 0, 0),
        limited=True,
        range=(0.0, button.travel),
        stiffness=button.stiffness,
        springref=-button.preload,
        damping=button.damping,
        armature=button.armature,
    )
    face = builder.post(button.radius, (0, 0, 0), (button.length, 0, 0), "white", cap)
    face.mass = button.mass
    _exclude(builder, cap, plate)
    return joint.name, face.name


def _add_body(
    builder: FurnitureBuilder, name: str, control: Control, tilt: float, behind: float
) -> mujoco.MjsBody:
    """Add a body behind a control's face, x out of the face and tilted up by an angle [rad]."""
    x, y, z = control.at
    c, s = cos(control.yaw), sin(control.yaw)
    quat = np.empty(4)
    turn = np.array(yaw_quaternion(control.yaw))
    mujoco.mju_mulQuat(quat, turn, np.array([cos(tilt / 2), 0.0, sin(tilt / 2), 0.0]))
    at = (x - behind * c, y - behind * s, z)
    return builder.body.add_body(name=name, pos=at, quat=quat, gravcomp=1.0)


def _exclude(builder: FurnitureBuilder, moving: mujoco.MjsBody, mount: mujoco.MjsBody) -> None:
    """Exclude contacts of a control with what it is mounted on."""
    for fixed in (builder.body, mount):
        builder.spec.add_exclude(
            name=f"{moving.name}/{fixed.name}", bodyname1=fixed.name, bodyname2=moving.name
        )


_CONTROLS: Mapping[str, Callable[[FurnitureBuilder, Control], tuple[str, str]]] = {
    "switch": _add_rocker,
    "button": _add_button,
}
"""Builders of controls by kind; each returns the names of the joint and of the geom to press."""
