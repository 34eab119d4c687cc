"""Joints that follow topics of ros2_control and are published on joint_states, beside a camera."""

from pathlib import Path
from typing import Any

import numpy as np
import yaml
from foreign_robot import RSKILLS, Bench
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from openral_ros.conversions.images import image_message
from openral_ros.qos import RELIABLE, SENSOR

PERIOD = 0.02
"""Period of joint states and images [s]."""
ARM = ("shoulder", "elbow")
LIMITS = {"range": [-1.5, 1.5], "speed": 2.0}
CONTROLLERS = [
    {"topic": "arm/joint_trajectory", "type": "trajectory", "joints": dict.fromkeys(ARM, LIMITS)},
    {
        "topic": "hand/commands",
        "type": "positions",
        "joints": {"finger": {"range": [0.0, 0.04], "speed": 0.4, "lag": None}},
    },
]
CONTRACT: dict[str, Any] = {
    "kind": "policy",
    "id": "test-policy",
    "description": "Opens what it is told to.",
    "verb": "OPEN",
    "protocol": "openpi",
    "observation": {
        "observation/image": {"source": "camera", "camera": "head", "size": [32, 32]},
        "observation/joints": {"source": "joints", "joints": list(ARM)},
        "observation/gripper": {"source": "joints", "joints": ["finger"], "unit_range": [0.04, 0.0]},
        "prompt": {"source": "text", "text": "open the {container_id}"},
    },
    "action": {
        "layout": [{"joints": list(ARM)}, {"joints": ["finger"], "unit_range": [0.04, 0.0]}],
        "execute": 5,
        "done_key": "done",
    },
    "metadata": {"policy": "test"},
    "rate": 25.0,
    "connect_timeout": 1.0,
    "response_timeout": 0.6,
    "max_duration": 20.0,
    "max_age": 1.0,
    "verify": {"by": "none"},
}


class ForeignJoints:
    """Joints of a bench; they jump to what is commanded unless they are ``stuck``."""

    def __init__(self, bench: Bench) -> None:
        self.positions = {"shoulder": 0.0, "elbow": 0.5, "finger": 0.04}
        self.commands: list[dict[str, float]] = []
        self.stuck = self.silent = self.blind = False
        self._node = bench.robot
        self._joints = self._node.create_publisher(JointState, "joint_states", 10)
        self._images = self._node.create_publisher(Image, "rgb", SENSOR)
        self._node.create_subscription(JointTrajectory, "arm/joint_trajectory", self._on_arm, RELIABLE)
        self._node.create_subscription(Float64MultiArray, "hand/commands", self._on_hand, RELIABLE)
        self._node.create_timer(PERIOD, self._publish)

    def _on_arm(self, message: JointTrajectory) -> None:
        (point,) = message.points
        self._follow(dict(zip(message.joint_names, point.positions, strict=True)))

    def _on_hand(self, message: Float64MultiArray) -> None:
        self._follow({"finger": message.data[0]})

    def _follow(self, command: dict[str, float]) -> None:
        self.commands.append(command)
        if not self.stuck:
            self.positions |= command

    def _publish(self) -> None:
        if not self.silent:
            names = list(self.positions)
            self._joints.publish(JointState(name=names, position=list(self.positions.values())))
        if not self.blind:
            time = self._node.get_clock().now().nanoseconds / 1e9
            pixels = np.full((24, 32, 3), (200, 100, 50), np.uint8)
            self._images.publish(image_message(pixels, "rgb8", time, "camera_optical"))


def write_policy(folder: Path, **changes: Any) -> Path:
    """Write a policy rSkill beside which those of the product stand; return the folder of rSkills."""
    contract = {**CONTRACT, **changes}
    file = folder / "policies" / str(contract["id"]) / "rskill.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(contract))
    return file.parents[1]


def policy_skill(rskill: str, server: str, **changes: Any) -> dict[str, Any]:
    """Make the backend of a policy for `ForeignJoints`."""
    skill = {"backend": "policy", "rskill": rskill, "server": server, "controllers": CONTROLLERS}
    return {**skill, **changes}


def start(
    bench: Bench, folder: Path, server: str, policy: dict[str, Any] | None = None, **backend: Any
) -> Any:
    """Start the skill server with a policy for OPEN; ``policy`` changes the contract, ``backend`` its use."""
    folders = [str(RSKILLS), str(write_policy(folder, **(policy or {})))]
    skill = policy_skill("test-policy", server, **backend)
    return bench.start({"OPEN": skill}, parameters={"rskill_folders": folders})


def start_policies(bench: Bench, folder: Path, servers: dict[str, str], **policy: Any) -> Any:
    """Start the skill server with a policy for each verb, given the address of its server."""
    for verb in servers:
        own = write_policy(folder, id=verb.lower() + "-policy", verb=verb, **policy)
    skills = {verb: policy_skill(verb.lower() + "-policy", server) for verb, server in servers.items()}
    return bench.start(skills, parameters={"rskill_folders": [str(RSKILLS), str(own)]})
