"""Files of a robot: its description and the model that it names, checked against each other."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import mujoco

from openral_core.documents import InvalidDocument
from openral_core.errors import format_choices
from openral_sim.robot import franka, franka_base
from openral_sim.robot.description import SimRobotDescription
from openral_sim.robot.meshes import RobotAssetsMissing, assets_folder, embed

_INCLUDE = re.compile(r"""<include\s+file=["']([^"']+)["']""")


@dataclass(frozen=True)
class RobotSource:
    """A validated description; its model is read anew for every composition."""

    file: Path
    description: SimRobotDescription

    def load(self) -> mujoco.MjSpec:
        """Load the model with decimated meshes, without actuators, cameras and what is beside the robot.

        Raises:
            RobotAssetsMissing: If a folder of the model does not exist.
            InvalidDocument: If the model cannot be read, or lacks what the description names.
        """
        if self.description.model.builtin:
            spec = franka_base.compose(self._meshes, self.description.gripper.geometry)
        else:
            spec = self._read_mjcf()
        if problems := list(self._mismatches(spec)):
            raise InvalidDocument(self.file, problems)
        return spec

    def mesh_files(self) -> dict[str, Path]:
        """Return the file of each mesh by its name in the model."""
        if self.description.model.builtin:
            return franka.mesh_files(self._meshes)
        return {mesh.name: self._meshes / mesh.file for mesh in self._parse().meshes if mesh.file}

    @property
    def _meshes(self) -> Path:
        return self._folder(self.description.model.meshes)

    def _folder(self, place: str) -> Path:
        return assets_folder(place, self.file.parent, self.description.model.install)

    def _read_mjcf(self) -> mujoco.MjSpec:
        spec, model = self._parse(), self.description.model
        root = spec.body(model.strip_prefix + self.description.base.link)
        world = spec.worldbody
        beside = [*(body for body in world.bodies if body != root), *world.geoms, *world.lights, *world.sites]
        for group in (
            beside,
            root.joints if root else (),
            spec.actuators,
            spec.cameras,
            spec.equalities,
            spec.keys,
            spec.sensors,
        ):
            for item in group:
                spec.delete(item)
        for mesh in spec.meshes:
            if mesh.file:
                embed(mesh, self._meshes / mesh.file)
        for body in spec.bodies[1:]:
            body.name, body.gravcomp = body.name.removeprefix(model.strip_prefix), 1.0
            for joint in body.joints:
                joint.name, joint.ref = joint.name.removeprefix(model.strip_prefix), 0.0
        return spec

    def _parse(self) -> mujoco.MjSpec:
        try:
            return mujoco.MjSpec.from_string(self._text, include=self._included)
        except ValueError as error:
            raise InvalidDocument(self.file, [f"model.mjcf: {error}"]) from error

    @cached_property
    def _text(self) -> str:
        path = self.file.parent / self.description.model.mjcf
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise InvalidDocument(self.file, [f"model.mjcf: {error}"]) from error

    @cached_property
    def _included(self) -> dict[str, bytes]:
        folder = self._folder(self.description.model.includes)
        files = {name: folder / name for name in _INCLUDE.findall(self._text)}
        if missing := [path for path in files.values() if not path.is_file()]:
            raise RobotAssetsMissing(str(missing[0]), self.description.model.install)
        return {name: path.read_bytes() for name, path in files.items()}

    def _mismatches(self, spec: mujoco.MjSpec) -> Iterator[str]:
        """Yield what the description names and the model lacks."""
        description = self.description
        bodies = [body.name for body in spec.bodies[1:]]
        joints = [joint.name for joint in spec.joints]
        # The base is renamed, and may be named in either way by what is mounted on it.
        valid_bodies = [*bodies, "base_link", "odom_link"]
        for name in dict.fromkeys((description.base.link, *description.bodies)):
            if name not in valid_bodies:
                yield f"the model has no body '{name}'; valid: {format_choices(bodies)}"
        for name in (*description.servos, *description.gripper.joints):
            if name not in joints:
                yield f"the model has no joint '{name}'; valid: {format_choices(joints)}"
            elif not self._has_limits(spec.joint(name), name):
                yield f"joint '{name}' turns without limits: give its servo a range"

    def _has_limits(self, joint: mujoco.MjsJoint, name: str) -> bool:
        servo = self.description.servos.get(name, self.description.gripper.servo)
        return servo.range is not None or joint.range[0] < joint.range[1]
