"""A robot that can be simulated: its description, its models and what the planners derive from them."""

from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import mujoco
import numpy as np

from openral_core.arrays import Joints, Vector3
from openral_core.documents import InvalidDocument, load_document
from openral_core.grasping.gripper import GripperGeometry
from openral_sim.robot.catalogue import DEFAULT_ROBOT, robot_file
from openral_sim.robot.composition import add_robot, mesh_paths, reach_spec
from openral_sim.robot.description import SimRobotDescription
from openral_sim.robot.joints import RobotNames
from openral_sim.robot.source import RobotSource

_DECIMALS = 9  # Lengths that are read from a model are rounded to the nanometre.


@dataclass(frozen=True)
class HeadGeometry:
    """Geometry of the head, lift down."""

    pan_x: float  # Position of the pan axis on base_link along x in [m].
    height: float  # Height of the tilt axis above base_link in [m].
    tilt_x: float  # Distance of the tilt axis before the pan axis in [m].
    pan_limit: float  # Largest pan to either side in [rad].
    tilt_limits: tuple[float, float]  # Range of tilt in [rad], positive down.
    camera: tuple[float, float, float]  # Position of the camera on the tilting link in [m].
    fovy: float  # Vertical field of view in [deg].
    rises: bool  # True if the lift carries the head.

    def at_lift(self, lift: float) -> "HeadGeometry":
        """Return the geometry at a height of the lift above its lower end [m]."""
        return replace(self, height=self.height + lift) if self.rises else self


class SimRobot:
    """A robot of the simulation; one object per description, which several worlds share."""

    def __init__(self, source: RobotSource) -> None:
        self.description, self.source = source.description, source
        self.names: RobotNames = source.description.names
        postures = source.description.postures
        self.stowed, self.comfortable = np.array(postures.stowed), np.array(postures.comfortable)
        self.speeds = np.array(source.description.arm.speeds)

    @property
    def gripper(self) -> GripperGeometry:
        """Outline of the gripper."""
        return self.description.gripper.geometry

    @property
    def mesh_files(self) -> dict[str, Path]:
        """File of each mesh by its name in a compiled model."""
        return mesh_paths(self.source)

    def add_to(self, spec: mujoco.MjSpec, x: float, y: float, yaw: float) -> None:
        """Compose the robot into a scene, its base at a pose in map: x [m], y [m], yaw [rad].

        The base's joints read that pose in every state of the model, so qpos is the pose in map. Grasps
        hold best with an elliptic cone and ``impratio`` 10; step with ``implicitfast`` at 2 ms.

        Raises:
            RobotAssetsMissing: If the package with the model is not installed.
            InvalidDocument: If the model does not match the description.
        """
        add_robot(spec, self.source, x, y, yaw)

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The robot alone in an empty world; read-only.

        Raises:
            RobotAssetsMissing: If the package with the model is not installed.
            InvalidDocument: If the model does not match the description, or MuJoCo refuses it.
        """
        try:
            return self._alone().compile()
        except ValueError as error:
            raise InvalidDocument(self.source.file, [f"MuJoCo refuses the model: {error}"]) from error

    @cached_property
    def reach_model(self) -> mujoco.MjModel:
        """The robot with only the lift and the arm free, base_link at the origin; read-only."""
        return reach_spec(self._alone(), self.names).compile()

    def _alone(self) -> mujoco.MjSpec:
        spec = mujoco.MjSpec()
        self.add_to(spec, 0.0, 0.0, 0.0)
        return spec

    def set_stowed(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Put a freshly reset robot into its start posture: arm stowed, head level, gripper closed."""
        for joint, value in zip(self.names.reach_joints, self.stowed, strict=True):
            data.joint(joint).qpos = value
            data.actuator(joint).ctrl = value
        mujoco.mj_forward(model, data)

    @property
    def carrying_down(self) -> Joints:
        """Posture with an object that was grasped from above, lift and arm [m, rad]."""
        return np.array(self.description.postures.carrying_down)

    def carrying(self, pitch: float, roll: float) -> Joints:
        """Posture with the hand ``pitch`` [rad] below level and turned by ``roll`` [rad]."""
        postures = self.description.postures
        posture, limit = np.array(postures.carrying_level), postures.wrist_limit
        posture[-2] += postures.wrist_pitch * pitch
        posture[-1] = np.clip(posture[-1] + postures.wrist_roll * roll, -limit, limit)
        return posture

    @property
    def lift_range(self) -> tuple[float, float]:
        """Ends of the lift's travel [m]; (0, 0) without a lift."""
        if self.names.lift_joint is None:
            return 0.0, 0.0
        low, high = map(float, self.model.joint(self.names.lift_joint).range)
        return low, high

    @cached_property
    def shoulder(self) -> Vector3:
        """Origin of the first arm joint's link on base_link with the lift down [m], shape (3,)."""
        return self._origin(self.names.arm_joints[0])

    @cached_property
    def head(self) -> HeadGeometry:
        """Geometry of the head."""
        model, (pan, tilt) = self.model, self.names.head_joints
        at_pan, at_tilt = self._origin(pan), self._origin(tilt)
        camera = self.description.cameras.head
        carriers, body = set(), int(model.joint(pan).bodyid[0])
        while body:
            carriers.add(body)
            body = int(model.body_parentid[body])
        lift = self.names.lift_joint
        return HeadGeometry(
            pan_x=float(at_pan[0]),
            height=float(at_tilt[2]),
            tilt_x=float(np.round(at_tilt[0] - at_pan[0], _DECIMALS)),
            pan_limit=float(np.abs(model.joint(pan).range).min()),
            tilt_limits=(float(model.joint(tilt).range[0]), float(model.joint(tilt).range[1])),
            camera=camera.position,
            fovy=camera.fovy,
            rises=lift is not None and int(model.joint(lift).bodyid[0]) in carriers,
        )

    def _origin(self, joint: str) -> Vector3:
        """Origin of a joint's link on base_link with the lift down [m], shape (3,)."""
        data = mujoco.MjData(self.model)
        if self.names.lift_joint is not None:
            data.joint(self.names.lift_joint).qpos = self.lift_range[0]
        mujoco.mj_kinematics(self.model, data)
        body = int(self.model.joint(joint).bodyid[0])
        origin: Vector3 = np.round(data.xpos[body] - data.body(self.names.base).xpos, _DECIMALS)
        return origin


def load_sim_robot(robot: str = DEFAULT_ROBOT) -> SimRobot:
    """Load a robot by the name of a shipped one or by its description's file.

    Raises:
        UnknownSimRobot: If there is none.
        InvalidDocument: If its description is invalid.
    """
    file = robot_file(robot)
    return _loaded(file, file.stat().st_mtime_ns)


@cache
def _loaded(file: Path, _changed: int) -> SimRobot:
    return SimRobot(RobotSource(file, load_document(SimRobotDescription, file)))
