"""Properties of every robot: the shipped ones, and one of boxes that two files alone describe."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco
import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.grasping.approach import HandOrientation
from openral_core.skills import SkillResult, Verb
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.motion_primitives.head import head_angles
from openral_sim.planning.collision_checker import CollisionChecker
from openral_sim.planning.inverse_kinematics import IkSolver
from openral_sim.planning.visibility import camera_pose_looking_at
from openral_sim.robot.catalogue import shipped_robots
from openral_sim.robot.sim_robot import SimRobot, load_sim_robot
from openral_sim.robot.urdf import robot_description, ros_name

BOXBOT = str(Path(__file__).parent / "boxbot" / "boxbot.yaml")
ROBOTS = [*shipped_robots(), BOXBOT]


@pytest.fixture(params=ROBOTS, ids=lambda name: Path(name).stem)
def robot(request: pytest.FixtureRequest) -> SimRobot:
    return load_sim_robot(request.param)


@pytest.fixture
def data(robot: SimRobot) -> mujoco.MjData:
    data = mujoco.MjData(robot.model)
    robot.set_stowed(robot.model, data)
    return data


def test_every_name_is_in_the_model_and_nothing_else_of_the_file(robot: SimRobot) -> None:
    model, names = robot.model, robot.names
    assert all(model.body(body).name.startswith("robot/") for body in range(1, model.nbody))
    servos = {model.actuator(index).name for index in range(model.nu)}
    assert servos == {*names.joints[: -len(names.finger_joints)], names.gripper_actuator}
    assert {model.camera(index).name for index in range(model.ncam)} == set(names.cameras)
    assert model.body_rootid[model.body(names.hand).id] == model.body(names.root).id
    assert not [index for index in range(model.njnt) if model.jnt_type[index] == mujoco.mjtJoint.mjJNT_FREE]


def test_the_base_stands_at_its_pose_wherever_the_file_put_it(robot: SimRobot) -> None:
    spec = mujoco.MjSpec()
    robot.add_to(spec, 1.5, -2.0, 0.7)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    base = data.body(robot.names.base)
    assert base.xpos == pytest.approx([1.5, -2.0, 0.0], abs=1e-9)
    assert base.xmat.reshape(3, 3)[:2, 0] == pytest.approx([np.cos(0.7), np.sin(0.7)])
    assert [float(data.joint(name).qpos[0]) for name in robot.names.base_joints] == pytest.approx(
        [1.5, -2, 0.7]
    )


def test_the_stowed_robot_stands_still_within_its_clearance(robot: SimRobot, data: mujoco.MjData) -> None:
    robot.model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    mujoco.mj_step(robot.model, data, 500)
    assert float(np.abs(data.qvel).max()) < 0.05
    reach = [float(data.joint(name).qpos[0]) for name in robot.names.reach_joints]
    assert reach == pytest.approx(robot.stowed, abs=0.02)
    centres = np.linalg.norm(data.geom_xpos[:, :2], axis=1)
    assert float(centres.max()) < robot.description.base.clearance


@pytest.mark.parametrize("posture", ["stowed", "carrying_down", "carrying_level", "comfortable"])
def test_postures_are_within_limits_and_touch_nothing(
    robot: SimRobot, data: mujoco.MjData, posture: str
) -> None:
    values = np.array(robot.description.postures.by_name[posture])
    low, high = robot.reach_model.jnt_range.T
    assert ((values >= low) & (values <= high)).all()
    checker = CollisionChecker(robot.model, robot.names)
    checker.sync(data)
    assert checker.contact_pairs(values) == []


def test_hands_carry_as_they_grasped(robot: SimRobot) -> None:
    solver = IkSolver(robot)
    assert HandOrientation.of(solver.forward(robot.carrying_down)[:3, :3]).is_downward
    for pitch, roll in ((0.0, 0.0), (0.4, 0.0), (0.0, 0.5), (0.3, -0.4)):
        held = HandOrientation.of(solver.forward(robot.carrying(pitch, roll))[:3, :3])
        assert (held.pitch, held.roll) == pytest.approx((pitch, roll), abs=0.08)


@pytest.mark.parametrize("aim", [(1.5, -1.0, 0.7), (2.0, 0.6, 0.3), (0.9, 0.1, 1.4)])
@pytest.mark.parametrize("raised", [0.0, 0.15])
def test_the_camera_is_where_the_planners_believe_it_to_be(
    robot: SimRobot, data: mujoco.MjData, aim: tuple[float, ...], raised: float
) -> None:
    names, base, point = robot.names, np.array([0.3, -0.2, 0.1]), np.array(aim)
    for joint, value in zip(names.base_joints, base, strict=True):
        data.joint(joint).qpos = value
    if names.lift_joint is not None:
        data.joint(names.lift_joint).qpos = robot.lift_range[0] + raised
    head = robot.head.at_lift(raised if names.lift_joint else 0.0)
    for joint, angle in zip(names.head_joints, head_angles(head, point, base), strict=True):
        data.joint(joint).qpos = np.clip(angle, *robot.model.joint(joint).range)
    mujoco.mj_kinematics(robot.model, data)
    frame = data.body(names.head_optical_frame)
    eye, axes = camera_pose_looking_at(head, base, point)
    assert eye == pytest.approx(frame.xpos, abs=1e-6)
    assert axes == pytest.approx(frame.xmat.reshape(3, 3), abs=1e-6)
    direction = frame.xmat.reshape(3, 3)[:, 2]
    assert direction @ (point - frame.xpos) / np.linalg.norm(point - frame.xpos) > 0.995


def test_the_fingers_open_as_far_as_the_description_says(robot: SimRobot, data: mujoco.MjData) -> None:
    model, names, gripper = robot.model, robot.names, robot.gripper
    for joint in names.finger_joints:
        assert model.joint(joint).range[1] >= gripper.finger_travel
        data.joint(joint).qpos = gripper.finger_travel
    mujoco.mj_kinematics(model, data)
    site = data.site(names.grasp_site)
    travel, approach = site.xmat.reshape(3, 3)[:, 1], site.xmat.reshape(3, 3)[:, 2]
    boxes = [_finger_box(robot, data, finger) for finger in names.fingers]
    tips = [float(((corners - site.xpos) @ approach).max()) for corners in boxes]
    assert tips == pytest.approx([gripper.tip_length] * 2, abs=0.0015)
    inner = sorted(float(np.abs((corners - site.xpos) @ travel).min()) for corners in boxes)
    assert inner == pytest.approx([gripper.finger_travel] * 2, abs=0.003)


def _finger_box(robot: SimRobot, data: mujoco.MjData, finger: str) -> np.ndarray:
    """Corners of the pad that lies farthest along the approach, shape (8, 3)."""
    model, body = robot.model, robot.model.body(finger).id
    boxes = [g for g in np.flatnonzero(model.geom_bodyid == body) if model.geom_type[g] == 6]
    corners = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
    site = data.site(robot.names.grasp_site)
    sets = [
        corners * model.geom_size[g] @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g] for g in boxes
    ]
    return max(sets, key=lambda points: float(((points - site.xpos) @ site.xmat.reshape(3, 3)[:, 2]).max()))


def test_the_urdf_has_every_moving_joint_and_the_meshes_by_path(robot: SimRobot) -> None:
    urdf = ET.fromstring(robot_description(robot.model, robot, robot.mesh_files))
    moving = {joint.attrib["name"] for joint in urdf.findall("joint") if joint.find("limit") is not None}
    assert moving == {ros_name(name) for name in robot.names.joints} - {"base_x", "base_y", "base_yaw"}
    files = {mesh.attrib["filename"] for mesh in urdf.findall(".//mesh")}
    assert bool(files) == bool(robot.mesh_files)
    assert all(Path(file.removeprefix("file://")).is_file() for file in files)


def test_grasps_a_can_and_hands_it_over_by_its_two_files_alone(
    robot: SimRobot, in_room: Callable[[SimRobot], SkillContext], do: Callable[..., SkillResult]
) -> None:
    context = in_room(robot)
    x, y, z = map(float, context.data.body("can").xpos)
    size = {"size_x": 0.064, "size_y": 0.064, "size_z": 0.11}
    grasped = do(Verb.GRASP, by=context, target=Pose((x, y, z)), label="can", **size)
    assert grasped.success, grasped.message
    assert float(context.data.body("can").xpos[2]) > z - 0.25
    given = do(Verb.HANDOVER, by=context, agent=Pose.planar(-1.6, -0.8, 0.0), agent_id="ann")
    assert given.success, given.message
    palm = context.data.site("palm").xpos
    assert float(np.linalg.norm(context.data.body("can").xpos - palm)) < 0.15
