import mujoco
import numpy as np
import pytest

from openral_sim.robot.sim_robot import load_sim_robot

NAMES = load_sim_robot().names


def built(x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    load_sim_robot().add_to(spec, x, y, yaw)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize(("x", "y", "yaw"), [(0, 0, 0), (1.5, -2.0, 0.7), (-3, 0.2, -3.0)])
def test_base_joints_read_the_pose_in_map(x: float, y: float, yaw: float) -> None:
    _, data = built(x, y, yaw)
    assert [float(data.joint(name).qpos[0]) for name in NAMES.base_joints] == pytest.approx([x, y, yaw])
    base = data.body(NAMES.base)
    assert base.xpos[:2] == pytest.approx([x, y])
    assert base.xmat.reshape(3, 3)[:2, 0] == pytest.approx([np.cos(yaw), np.sin(yaw)])


def test_moving_a_base_joint_moves_along_map_whatever_the_heading() -> None:
    model, data = built(1.0, 1.0, 2.0)
    data.joint(NAMES.base_joints[0]).qpos = 1.5
    mujoco.mj_kinematics(model, data)
    assert data.body(NAMES.base).xpos[:2] == pytest.approx([1.5, 1.0])


def test_every_name_is_in_the_model() -> None:
    model, data = built()
    for joint in NAMES.joints:
        data.joint(joint)
    for actuator in (*NAMES.base_joints, *NAMES.reach_joints, *NAMES.head_joints, NAMES.gripper_actuator):
        data.actuator(actuator)
    for body in (NAMES.root, NAMES.base, NAMES.hand, *NAMES.fingers):
        data.body(body)
    data.site(NAMES.grasp_site)
    for weld in (NAMES.grasp_weld, *NAMES.handover_welds, NAMES.handle_connect):
        assert not data.eq_active[model.equality(weld).id]


def test_cameras_look_along_z_of_their_optical_frames() -> None:
    _, data = built()
    for camera, frame in NAMES.cameras.items():
        R_camera, R_frame = data.camera(camera).xmat.reshape(3, 3), data.body(frame).xmat.reshape(3, 3)
        assert -R_camera[:, 2] == pytest.approx(R_frame[:, 2])
        assert R_camera[:, 0] == pytest.approx(R_frame[:, 0])
        assert data.camera(camera).xpos == pytest.approx(data.body(frame).xpos)


def test_head_looks_ahead_from_above_the_arm() -> None:
    _, data = built()
    frame = data.body(NAMES.head_optical_frame)
    assert frame.xmat.reshape(3, 3)[:, 2] == pytest.approx([1, 0, 0], abs=1e-9)
    assert frame.xpos[2] > 1.3


def test_tucked_robot_stands_still_within_a_narrow_outline() -> None:
    model, data = built()
    load_sim_robot().set_stowed(model, data)
    mujoco.mj_step(model, data, 500)
    assert float(np.abs(data.qvel).max()) < 0.05
    assert data.ncon == 0
    assert load_sim_robot().description.base.radius <= 0.30
    reach = np.linalg.norm(data.geom_xpos[:, :2], axis=1)
    assert float(reach.max()) < 0.33


def test_reach_model_frees_only_lift_and_arm() -> None:
    model = load_sim_robot().reach_model
    assert tuple(model.joint(i).name for i in range(model.njnt)) == NAMES.reach_joints


def test_robot_only_model_holds_the_robot_alone() -> None:
    model = load_sim_robot().model
    assert all(model.body(i).name.startswith("robot/") for i in range(1, model.nbody))
