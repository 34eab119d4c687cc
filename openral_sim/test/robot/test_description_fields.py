"""Each field of a robot's description has its effect: a robot that differs in one of them behaves so."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco
import numpy as np
import pytest
import yaml

from openral_core.documents import read_yaml
from openral_core.geometry import Pose
from openral_core.grasping.approach import HandOrientation, pregrasp_pose, top_down
from openral_core.skill_requests import GraspRequest
from openral_sim.motion_primitives import gripper as gripping
from openral_sim.motion_primitives.arm_motion import reach_to
from openral_sim.motion_primitives.base_motion import floor_now, plan_base_motion, shift_by, turn_to
from openral_sim.motion_primitives.context import CONTROL_PERIOD, HeldObject, SkillContext
from openral_sim.motion_primitives.grasp_execution import scan_object
from openral_sim.motion_primitives.pregrasp import expected_grasp
from openral_sim.motion_primitives.retract import stow_arm
from openral_sim.planning.inverse_kinematics import IkFailed
from openral_sim.planning.visibility import Boxes, visible_fraction
from openral_sim.robot.catalogue import robot_file
from openral_sim.robot.sim_robot import SimRobot, load_sim_robot
from openral_sim.robot.urdf import robot_description

InRoom = Callable[[SimRobot], SkillContext]


@pytest.fixture
def variant(tmp_path: Path) -> Callable[..., SimRobot]:
    """``variant(base={"radius": 0.2})``: the default robot with other values of some fields of a section."""

    def make(**sections: dict) -> SimRobot:
        content = dict(read_yaml(robot_file("franka")))
        for section, changed in sections.items():
            content[section] = {**content[section], **changed}
        file = tmp_path / f"robot{len(list(tmp_path.iterdir()))}.yaml"
        file.write_text(yaml.safe_dump(content))
        return load_sim_robot(str(file))

    return make


def step(context: SkillContext) -> None:
    mujoco.mj_step(context.model, context.data, round(CONTROL_PERIOD / context.model.opt.timestep))


def speeds_of(context: SkillContext, move: object) -> tuple[float, float]:
    """Run a motion of the base and return the greatest speed and turn rate that were commanded."""
    fastest = np.zeros(2)
    for _ in move:  # type: ignore[attr-defined]
        vx, vy, turn = context.control.commanded_velocity
        fastest = np.maximum(fastest, [np.hypot(vx, vy), abs(turn)])
        step(context)
    return float(fastest[0]), float(fastest[1])


def holding(context: SkillContext) -> None:
    body = context.model.body("can").id
    context.held = HeldObject(body, np.eye(4), "can", 0.05, HandOrientation(np.pi / 2, 0.0))


def test_clearances_are_those_of_the_robot(variant: Callable[..., SimRobot], in_room: InRoom) -> None:
    context = in_room(variant(base={"clearance": 0.37, "clearance_holding": 0.47}))
    assert plan_base_motion(context).clearance == 0.37
    holding(context)
    assert plan_base_motion(context).clearance == 0.47


def test_what_is_higher_than_the_robot_does_not_obstruct_it(
    variant: Callable[..., SimRobot], in_room: InRoom
) -> None:
    wall, table = np.array([0.0, 1.6]), np.array([2.0, 0.0])
    low = floor_now(in_room(variant(base={"height": 0.05})))
    assert low.clearance_at(wall) == 0.0
    tall = in_room(variant(base={"height": 1.5}))
    for geom in np.flatnonzero(tall.model.geom_bodyid == 0):
        tall.model.geom_pos[geom, 2] += 0.9
    mujoco.mj_forward(tall.model, tall.data)
    assert floor_now(tall).clearance_at(table) == 0.0
    short = in_room(variant(base={"height": 0.8}))
    short.model.geom_pos[:] = tall.model.geom_pos
    mujoco.mj_forward(short.model, short.data)
    assert floor_now(short).clearance_at(table) > 0.0


def test_the_base_keeps_to_its_limits(variant: Callable[..., SimRobot], in_room: InRoom) -> None:
    limits = {"speed": 0.3, "turn_rate": 0.5, "acceleration": 1.0, "turn_acceleration": 4.0}
    context = in_room(variant(base={"limits": limits}))
    assert speeds_of(context, turn_to(context, 1.2, "turning"))[1] == pytest.approx(0.5, abs=0.01)
    slow = in_room(variant(base={"slow": {**limits, "speed": 0.12}}))
    assert speeds_of(slow, shift_by(slow, np.array([-0.4, 0.0]), "shifting"))[0] == pytest.approx(
        0.12, abs=0.01
    )


def test_arms_are_as_fast_and_reach_as_far_as_described(
    variant: Callable[..., SimRobot], in_room: InRoom
) -> None:
    def time_to_unfold(robot: SimRobot) -> int:
        context, periods = in_room(robot), 0
        for _ in reach_to(context, robot.stowed + np.array([0.3, *[0.0] * 7]), "lifting"):
            step(context)
            periods += 1
        return periods

    slow = variant(arm={"speeds": [0.05, 1.5, 1.5, 1.5, 1.5, 2.0, 2.0, 2.0]})
    assert time_to_unfold(slow) > 2 * time_to_unfold(variant())
    T = in_room(variant()).solver.forward(variant().comfortable)
    short = in_room(variant(arm={"reach": 0.3}))
    with pytest.raises(IkFailed, match="after 0 tries"):
        short.solver.solve(T, short.robot.comfortable)


def test_fingers_open_as_wide_as_described(variant: Callable[..., SimRobot], in_room: InRoom) -> None:
    context = in_room(variant(gripper={"travel": 0.025}))
    for _ in gripping.open_hand(context, "opening"):
        step(context)
    assert context.control.opening == pytest.approx(0.05, abs=0.005)


def test_the_grasp_point_and_the_cameras_are_where_they_are_mounted(
    variant: Callable[..., SimRobot], in_room: InRoom
) -> None:
    usual = in_room(load_sim_robot())
    longer = in_room(variant(gripper={"grasp": [0, 0, 0.30]}))
    offset = longer.control.T_map_grasp()[:3, 3] - usual.control.T_map_grasp()[:3, 3]
    assert float(np.linalg.norm(offset)) == pytest.approx(0.06, abs=1e-3)
    mounts = read_yaml(robot_file("franka"))["cameras"]
    assert isinstance(mounts, dict)
    higher = variant(cameras={"head": {**mounts["head"], "position": [0.072, 0, 0.21]}})
    eye = in_room(higher).control.T_map_body(higher.names.head_optical_frame)[2, 3]
    assert eye - usual.control.T_map_body(higher.names.head_optical_frame)[2, 3] == pytest.approx(
        0.2, abs=1e-3
    )


def test_planners_count_on_the_fields_of_view(variant: Callable[..., SimRobot], in_room: InRoom) -> None:
    mounts = read_yaml(robot_file("franka"))["cameras"]
    assert isinstance(mounts, dict)
    narrow = {name: {**mount, "fovy": 20.0} for name, mount in mounts.items()}
    wide_apart = np.array([[1.5, -0.6, 0.6], [1.5, 0.6, 0.6]])
    nothing = Boxes(np.empty((0, 3)), np.empty((0, 3, 3)), np.empty((0, 3)))
    seen = [
        visible_fraction(robot.head, np.zeros(3), wide_apart, nothing).fraction
        for robot in (variant(), variant(cameras=narrow))
    ]
    assert seen == [1.0, 0.0]
    scanned = [points_scanned(in_room(robot)) for robot in (variant(), variant(cameras=narrow))]
    assert 0 < scanned[1] < scanned[0] / 2


def points_scanned(context: SkillContext) -> int:
    """Number of points in a scan of the can with the hand above it, the base beside the table."""
    base, can = np.array([1.25, -0.10, 0.0]), context.data.body("can").xpos.copy()
    above = pregrasp_pose(expected_grasp(top_down(np.pi / 2), can, 0.0), 0.21)
    posture = context.solver.solve(context.to_base_frame(above, base), context.robot.comfortable)
    names = context.names
    for joint, value in zip((*names.base_joints, *names.reach_joints), (*base, *posture), strict=True):
        context.data.joint(joint).qpos = value
    mujoco.mj_forward(context.model, context.data)
    x, y, z = map(float, can)
    return len(scan_object(context, GraspRequest(Pose((x, y, z)), (0.064, 0.064, 0.11), "can")).points)


def test_the_arm_is_stowed_and_carries_in_the_robots_postures(
    variant: Callable[..., SimRobot], in_room: InRoom
) -> None:
    stowed = [0.1, 1.57, -0.8, 0, -2.9, 0, 0.45, -0.785]
    context = in_room(variant(postures={"stowed": stowed}))
    assert context.control.reach == pytest.approx(stowed, abs=0.01)
    carrying = [0.06, 1.57, -0.96, -0.3, -2.75, -0.25, 0.23, -1.31]
    context = in_room(variant(postures={"carrying_down": carrying}))
    holding(context)
    for _ in stow_arm(context, "carrying"):
        step(context)
    assert context.control.reach_target == pytest.approx(carrying)
    turned = variant(postures={"wrist_pitch": 1.0, "wrist_roll": -1.0, "wrist_limit": 0.2})
    change = turned.carrying(0.1, 0.15) - turned.carrying(0.0, 0.0)
    assert change[-2:] == pytest.approx([0.1, -0.15])
    assert turned.carrying(0.0, -3.0)[-1] == pytest.approx(0.2)


def test_servos_have_the_described_strength(variant: Callable[..., SimRobot]) -> None:
    servos = read_yaml(robot_file("franka"))["servos"]
    assert isinstance(servos, dict)
    weak = variant(
        servos={"head_pan": {**servos["head_pan"], "stiffness": 33, "force": 5, "range": [-1.0, 1.0]}}
    )
    motor = weak.model.actuator("robot/head_pan")
    assert (motor.gainprm[0], motor.forcerange[1]) == (33.0, 5.0)
    assert weak.head.pan_limit == 1.0
    strong = variant(base={"translation": {"gain": 7000.0, "force": 2500.0}})
    assert strong.model.actuator("robot/base_x").forcerange[1] == 2500.0


def test_allowed_collisions_and_urdf_speeds_are_used(tmp_path: Path) -> None:
    content = dict(read_yaml(robot_file("franka")))
    content |= {"allowed_collisions": [["torso", "arm_link1"]], "urdf_speeds": [0.7, 0.3]}
    file = tmp_path / "few.yaml"
    file.write_text(yaml.safe_dump(content))
    robot = load_sim_robot(str(file))
    assert robot.model.nexclude == 1
    urdf = ET.fromstring(robot_description(robot.model, robot, {}))
    found = {joint.attrib["velocity"] for joint in urdf.findall(".//limit")}
    assert found == {"0.7", "0.3"}
