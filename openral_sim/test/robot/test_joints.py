import mujoco
import numpy as np
import pytest

from openral_core.grasping.approach import HandOrientation
from openral_sim.planning.inverse_kinematics import IkSolver
from openral_sim.planning.range_sensor import cast_rays
from openral_sim.robot.sim_robot import load_sim_robot

ROBOT = load_sim_robot()
NAMES = ROBOT.names


@pytest.fixture
def posed() -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    ROBOT.add_to(spec, 0.0, 0.0, 0.0)
    model = spec.compile()
    return model, mujoco.MjData(model)


@pytest.mark.parametrize("posture", [ROBOT.stowed, ROBOT.carrying_down, ROBOT.carrying(0.0, 0.0)])
def test_driving_postures_stay_out_of_the_head_image(
    posed: tuple[mujoco.MjModel, mujoco.MjData], posture: tuple[float, ...]
) -> None:
    model, data = posed
    for joint, value in zip(NAMES.reach_joints, posture, strict=True):
        data.joint(joint).qpos = value
    data.joint(NAMES.head_joints[1]).qpos = 0.35
    mujoco.mj_forward(model, data)
    eye = data.body(NAMES.head_optical_frame)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = eye.xmat.reshape(3, 3), eye.xpos
    u, v = np.meshgrid(np.linspace(-0.7, 0.7, 40), np.linspace(-0.5, 0.5, 30))
    seen = cast_rays(model, data, T, np.column_stack([u.ravel(), v.ravel()]), blind=frozenset())
    assert len(seen) < 0.04 * u.size


@pytest.mark.parametrize("pitch", [0.0, 0.3, 0.6])
def test_carries_as_far_below_level_as_it_grasped(pitch: float) -> None:
    level, tilted = (
        HandOrientation.of(IkSolver(ROBOT).forward(np.array(ROBOT.carrying(angle, 0.0)))[:3, :3]).pitch
        for angle in (0.0, pitch)
    )
    assert tilted - level == pytest.approx(pitch, abs=1e-6)


@pytest.mark.parametrize("roll", [-9.0, 9.0])
def test_never_rolls_the_wrist_beyond_its_range(roll: float) -> None:
    low, high = ROBOT.model.joint(NAMES.arm_joints[-1]).range
    assert low < ROBOT.carrying(0.0, roll)[-1] < high


def test_stows_the_arm_and_commands_it_to_stay(posed: tuple[mujoco.MjModel, mujoco.MjData]) -> None:
    model, data = posed
    ROBOT.set_stowed(model, data)
    positions = [float(data.joint(joint).qpos[0]) for joint in NAMES.reach_joints]
    assert positions == pytest.approx(ROBOT.stowed)
    assert [float(data.actuator(joint).ctrl[0]) for joint in NAMES.reach_joints] == pytest.approx(
        ROBOT.stowed
    )
