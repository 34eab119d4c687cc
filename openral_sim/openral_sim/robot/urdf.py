"""URDF of the simulated robot, derived from its MuJoCo model: links, joints, inertias and shapes.

The root is `base_link`; the joints of the base and the frames of the cameras, which transforms give, are not
in it. Links are shown by their mesh files and collide as the boxes around them.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

import mujoco
import numpy as np

from openral_core.arrays import Array, Vector3
from openral_sim.robot.joints import PREFIX, RobotNames
from openral_sim.robot.sim_robot import SimRobot

NAME = "openral_sim"
TYPES = {mujoco.mjtJoint.mjJNT_HINGE: "revolute", mujoco.mjtJoint.mjJNT_SLIDE: "prismatic"}
TIP = "grasp"
"""Link between the pads: z approach, y finger travel."""
VISUAL_GROUPS = 3
"""Geoms of groups below this one are drawn; the others only collide."""

_GEOM = mujoco.mjtGeom


def ros_name(model_name: str) -> str:
    """Return the name of a frame or joint in ROS: the name in the model without the robot's prefix."""
    return model_name.removeprefix(PREFIX)


def links_of(model: mujoco.MjModel, names: RobotNames) -> tuple[int, ...]:
    """Return the bodies that are links, the base first, each after its parent."""
    base = model.body(names.base).id
    links = [base]
    for body in range(base + 1, model.nbody):
        if model.body_parentid[body] in links and model.body(body).name not in names.cameras.values():
            links.append(body)
    return tuple(links)


def robot_description(model: mujoco.MjModel, sim_robot: SimRobot, meshes: Mapping[str, Path]) -> str:
    """Return the URDF.

    Args:
        sim_robot: Its description.
        meshes: Files of meshes by their names in the model; a mesh without one is drawn as a box.
    """
    robot, names = Element("robot", name=NAME), sim_robot.names
    for body in links_of(model, names):
        _add_link(robot, model, body, meshes)
        if model.body(body).name != names.base:
            _add_joint(robot, model, body, sim_robot)
    SubElement(robot, "link", name=TIP)
    site = model.site(names.grasp_site)
    joint = _joint(robot, f"{TIP}_fixed", "fixed", ros_name(names.hand), TIP)
    _add_origin(joint, site.pos, site.quat)
    ET.indent(robot)
    return ET.tostring(robot, encoding="unicode", xml_declaration=True)


def _add_link(robot: Element, model: mujoco.MjModel, body: int, meshes: Mapping[str, Path]) -> None:
    link = SubElement(robot, "link", name=ros_name(model.body(body).name))
    inertial = SubElement(link, "inertial")
    _add_origin(inertial, model.body_ipos[body], model.body_iquat[body])
    SubElement(inertial, "mass", value=_text(model.body_mass[body]))
    ixx, iyy, izz = (_text(value) for value in model.body_inertia[body])
    SubElement(inertial, "inertia", ixx=ixx, iyy=iyy, izz=izz, ixy="0", ixz="0", iyz="0")
    for geom in map(int, np.flatnonzero(model.geom_bodyid == body)):
        if model.geom_group[geom] < VISUAL_GROUPS:
            visual = SubElement(link, "visual")
            _add_shape(visual, model, geom, meshes)
            material = SubElement(visual, "material", name=f"geom_{geom}")
            SubElement(material, "color", rgba=" ".join(map(_text, model.geom_rgba[geom])))
        if model.geom_contype[geom]:
            _add_shape(SubElement(link, "collision"), model, geom, {})


def _add_joint(robot: Element, model: mujoco.MjModel, body: int, sim_robot: SimRobot) -> None:
    child, parent = (ros_name(model.body(each).name) for each in (body, model.body_parentid[body]))
    if not model.body_jntnum[body]:
        _add_origin(_joint(robot, f"{child}_fixed", "fixed", parent, child), *_placement(model, body))
        return
    index = model.body_jntadr[body]
    kind, name = mujoco.mjtJoint(int(model.jnt_type[index])), model.joint(index).name
    joint = _joint(robot, ros_name(name), TYPES[kind], parent, child)
    _add_origin(joint, *_placement(model, body))
    SubElement(joint, "axis", xyz=" ".join(map(_text, model.jnt_axis[index])))
    low, high = (_text(value) for value in model.jnt_range[index])
    effort = max((force for _, force in _forces(model, index)), default=0.0)
    hinge, slide = sim_robot.description.urdf_speeds
    speed = _text(hinge if kind == mujoco.mjtJoint.mjJNT_HINGE else slide)
    SubElement(joint, "limit", lower=low, upper=high, effort=_text(effort), velocity=speed)
    leader, follower = sim_robot.names.finger_joints
    if name == follower:
        SubElement(joint, "mimic", joint=ros_name(leader))


def _forces(model: mujoco.MjModel, joint: int) -> Iterator[tuple[int, float]]:
    """Yield the actuators of a joint with their largest forces in [N] or [N m]."""
    for motor in np.flatnonzero(model.actuator_trnid[:, 0] == joint):
        yield int(motor), float(model.actuator_forcerange[motor, 1])


def _placement(model: mujoco.MjModel, body: int) -> tuple[Vector3, Array]:
    return model.body_pos[body], model.body_quat[body]


def _joint(robot: Element, name: str, kind: str, parent: str, child: str) -> Element:
    joint = SubElement(robot, "joint", name=name, type=kind)
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)
    return joint


def _add_shape(element: Element, model: mujoco.MjModel, geom: int, meshes: Mapping[str, Path]) -> None:
    kind, size = _GEOM(int(model.geom_type[geom])), model.geom_size[geom]
    pos, quat = model.geom_pos[geom], model.geom_quat[geom]
    if kind == _GEOM.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        file = meshes.get(model.mesh(mesh).name)
        if file is not None:
            _add_mesh(element, model, geom, file)
            return
        pos, size = moved(pos, quat, model.geom_aabb[geom, :3]), model.geom_aabb[geom, 3:]
    _add_origin(element, pos, quat)
    geometry = SubElement(element, "geometry")
    if kind == _GEOM.mjGEOM_CYLINDER:
        SubElement(geometry, "cylinder", radius=_text(size[0]), length=_text(2.0 * size[1]))
    else:
        SubElement(geometry, "box", size=" ".join(_text(2.0 * half) for half in size))


def _add_mesh(element: Element, model: mujoco.MjModel, geom: int, file: Path) -> None:
    """Add a mesh file; MuJoCo's geom is in the mesh's principal frame, the file in its own."""
    mesh = int(model.geom_dataid[geom])
    back = np.zeros(4)
    mujoco.mju_negQuat(back, model.mesh_quat[mesh])
    quat = np.zeros(4)
    mujoco.mju_mulQuat(quat, model.geom_quat[geom], back)
    _add_origin(element, moved(model.geom_pos[geom], quat, -model.mesh_pos[mesh]), quat)
    scale = " ".join(map(_text, model.mesh_scale[mesh]))
    SubElement(SubElement(element, "geometry"), "mesh", filename=file.as_uri(), scale=scale)


def moved(pos: Vector3, quat: Array, offset: Vector3) -> Vector3:
    """Return a point given in a frame (w, x, y, z) at ``pos``, shape (3,)."""
    turned = np.zeros(3)
    mujoco.mju_rotVecQuat(turned, offset, quat)
    point: Vector3 = pos + turned
    return point


def _add_origin(element: Element, pos: Vector3, quat: Array) -> None:
    SubElement(element, "origin", xyz=" ".join(map(_text, pos)), rpy=" ".join(map(_text, rpy_of(quat))))


def rpy_of(quat: Array) -> tuple[float, float, float]:
    """Return roll, pitch and yaw about fixed axes in [rad] of a quaternion (w, x, y, z)."""
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, quat)
    R = flat.reshape(3, 3)
    pitch = float(np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])))
    if np.hypot(R[0, 0], R[1, 0]) < 1e-9:  # roll and yaw turn about the same axis
        return float(np.arctan2(-R[1, 2], R[1, 1])), pitch, 0.0
    return float(np.arctan2(R[2, 1], R[2, 2])), pitch, float(np.arctan2(R[1, 0], R[0, 0]))


def _text(value: float) -> str:
    return f"{float(value):.9g}"
