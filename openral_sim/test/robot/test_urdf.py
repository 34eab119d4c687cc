"""The URDF, read by another parser, is the robot: the same frames for the same joints, masses, limits."""

from xml.etree import ElementTree as ET

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openral_sim.robot.joints import PREFIX
from openral_sim.robot.meshes import read_stl
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.robot.urdf import TIP, links_of, robot_description, ros_name, rpy_of

ROBOT = load_sim_robot()
NAMES = ROBOT.names
JOINTS = (*NAMES.reach_joints, *NAMES.head_joints, *NAMES.finger_joints)
KEEP_LINKS = '<mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco>'
MESHES = ROBOT.mesh_files


@pytest.fixture(scope="module")
def original() -> mujoco.MjModel:
    return ROBOT.model


@pytest.fixture(scope="module")
def imported(original: mujoco.MjModel) -> mujoco.MjModel:
    """The URDF as MuJoCo's URDF parser reads it."""
    urdf = robot_description(original, ROBOT, {})
    return mujoco.MjModel.from_xml_string(urdf.replace("</robot>", f"{KEEP_LINKS}</robot>"))


def pose_of(data: mujoco.MjData, body: str) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = data.body(body).xmat.reshape(3, 3), data.body(body).xpos
    return T


@settings(max_examples=25)
@given(st.lists(st.floats(0.0, 1.0), min_size=len(JOINTS), max_size=len(JOINTS)))
def test_every_link_is_where_the_simulation_has_it(
    original: mujoco.MjModel, imported: mujoco.MjModel, fractions: list[float]
) -> None:
    here, there = mujoco.MjData(original), mujoco.MjData(imported)
    for name, fraction in zip(JOINTS, fractions, strict=True):
        low, high = original.joint(name).range
        here.joint(name).qpos = there.joint(ros_name(name)).qpos = low + fraction * (high - low)
    mujoco.mj_kinematics(original, here)
    mujoco.mj_kinematics(imported, there)
    base = np.linalg.inv(pose_of(here, NAMES.base))
    for link in links_of(original, NAMES)[1:]:
        name = original.body(link).name
        assert pose_of(there, ros_name(name)) == pytest.approx(base @ pose_of(here, name), abs=1e-6)
    tip = here.site(NAMES.grasp_site)
    assert pose_of(there, TIP)[:3, 3] == pytest.approx((base @ [*tip.xpos, 1.0])[:3], abs=1e-6)


def test_masses_inertias_and_limits_are_those_of_the_simulation(
    original: mujoco.MjModel, imported: mujoco.MjModel
) -> None:
    for link in links_of(original, NAMES)[1:]:
        body = imported.body(ros_name(original.body(link).name))
        assert body.mass == pytest.approx(original.body_mass[link], rel=1e-6)
        assert sorted(body.inertia) == pytest.approx(sorted(original.body_inertia[link]), rel=1e-5)
    for name in JOINTS:
        assert imported.joint(ros_name(name)).range == pytest.approx(original.joint(name).range, abs=1e-6)


def test_it_names_every_joint_of_joint_states_and_the_limits_of_its_servos(original: mujoco.MjModel) -> None:
    robot = ET.fromstring(robot_description(original, ROBOT, MESHES))
    moving = {
        joint.attrib["name"]: joint for joint in robot.findall("joint") if joint.find("limit") is not None
    }
    assert sorted(moving) == sorted(map(ros_name, JOINTS))
    efforts = {name: float(joint.find("limit").attrib["effort"]) for name, joint in moving.items()}  # type: ignore[union-attr]
    assert (efforts["arm_joint1"], efforts["arm_joint7"], efforts["lift"]) == (87.0, 40.0, 2000.0)
    assert moving["arm_right_finger_joint"].find("mimic") is not None


def test_meshes_are_files_that_lie_where_the_simulation_draws_them(original: mujoco.MjModel) -> None:
    robot = ET.fromstring(robot_description(original, ROBOT, MESHES))
    shown = {link.attrib["name"]: link.findall("visual") for link in robot.findall("link")}
    meshes = [
        (name, v) for name, visuals in shown.items() for v in visuals if v.find("geometry/mesh") is not None
    ]
    assert len(meshes) == 11
    assert not robot.findall("link/collision/geometry/mesh")
    for name, visual in meshes:
        body = original.body(PREFIX + name).id
        drawn = [geom for geom in range(original.ngeom) if original.geom_bodyid[geom] == body]
        # The simulation's meshes have fewer faces.
        assert any(np.allclose(extent(visual), extent_of(original, geom), atol=5e-3) for geom in drawn)


def extent(visual: ET.Element) -> np.ndarray:
    """Corners of the box around a mesh file, in its link [m]."""
    mesh, origin = visual.find("geometry/mesh"), visual.find("origin")
    assert mesh is not None
    assert origin is not None
    (file,) = [file for file in MESHES.values() if file.as_uri() == mesh.attrib["filename"]][:1]
    roll, pitch, yaw = map(float, origin.attrib["rpy"].split())
    vertices = read_stl(file)[0] * np.array(list(map(float, mesh.attrib["scale"].split())))
    points = vertices @ rotation(roll, pitch, yaw).T + np.array(
        list(map(float, origin.attrib["xyz"].split()))
    )
    return np.array([points.min(axis=0), points.max(axis=0)])


def extent_of(model: mujoco.MjModel, geom: int) -> np.ndarray:
    mesh = int(model.geom_dataid[geom])
    if mesh < 0:
        return np.zeros((2, 3))
    begin = model.mesh_vertadr[mesh]
    vertices = model.mesh_vert[begin : begin + model.mesh_vertnum[mesh]]
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, model.geom_quat[geom])
    points = vertices @ flat.reshape(3, 3).T + model.geom_pos[geom]
    return np.array([points.min(axis=0), points.max(axis=0)])


def rotation(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Rotation of URDF's rpy: about the fixed x, then y, then z."""
    quat, flat = np.zeros(4), np.zeros(9)
    mujoco.mju_euler2Quat(quat, np.array([roll, pitch, yaw]), "XYZ")
    mujoco.mju_quat2Mat(flat, quat)
    return flat.reshape(3, 3)


@given(st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_roll_pitch_and_yaw_are_the_same_rotation(quat: list[float]) -> None:
    unit, flat = np.array(quat) / np.linalg.norm(quat), np.zeros(9)
    mujoco.mju_quat2Mat(flat, unit)
    assert rotation(*rpy_of(unit)) == pytest.approx(flat.reshape(3, 3), abs=1e-6)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_a_rotation_straight_up_or_down_has_angles(pitch: float) -> None:
    quat, flat = np.zeros(4), np.zeros(9)
    mujoco.mju_euler2Quat(quat, np.array([0.3, pitch, 0.5]), "XYZ")
    mujoco.mju_quat2Mat(flat, quat)
    assert rotation(*rpy_of(quat)) == pytest.approx(flat.reshape(3, 3), abs=1e-6)
