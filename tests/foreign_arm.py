"""A robot with an arm, seen from its interfaces: move_group, a gripper, joint states and a depth camera.

A table stands before it, with a box on it. The hand is where the last motion ended; fingers that close around
the box stop at its width and take it along.
"""

from typing import Any

import numpy as np
from control_msgs.action import GripperCommand, ParallelGripperCommand
from foreign_robot import Bench, FakeServer
from geometry_msgs.msg import TransformStamped
from moveit_msgs.action import MoveGroup
from sensor_msgs.msg import CameraInfo, JointState
from sensor_msgs.msg import Image as ImageMessage
from tf2_msgs.msg import TFMessage

from openral_core.geometry import Pose
from openral_msgs.msg import SceneGraph, SceneNode
from openral_ros.conversions.geometry import pose_message, transform_message, vector_message
from openral_ros.conversions.images import image_message
from openral_ros.qos import LATCHED, SENSOR

TABLE = 0.75
"""Height of the table [m]."""
CUP = Pose((0.6, 0.0, TABLE + 0.06))
CAMERA_HEIGHT = 1.6
FOCAL, WIDTH, HEIGHT = 300.0, 160, 120
OPENING, OPEN = 0.08, 0.04
"""Opening of the gripper [m] and position of its finger there [m]."""
REACHED = 0.04
"""Distance from the hand to the box's middle at which the fingers are around it [m]."""
ARM: dict[str, Any] = {
    "group": "arm",
    "base": "shoulder",
    "tip": "tcp",
    "reach": 0.9,
    "payload": 1.0,
    "move_action": "move_action",
    "carry": {"elbow": 1.5},
    "gripper": {
        "action": "gripper/cmd",
        "type": "parallel",
        "joint": "finger",
        "opening": OPENING,
        "open_position": OPEN,
        "pad": [0.02, 0.012, 0.044],
        "tip_length": 0.02,
        "links": ["left_finger", "right_finger"],
    },
}
CAMERA = {
    "image": "/rgb",
    "info": "/info",
    "depth": "/depth",
    "optical_frame": "camera_optical",
}
HAND_CAMERA = {
    "image": "/hand/rgb",
    "info": "/hand/info",
    "depth": "/hand/depth",
    "optical_frame": "hand_optical",
    "mounted_on": "hand",
}
HAND_CAMERA_HEIGHT, BEHIND_TIP = TABLE + 0.55, 0.05
"""Height of the camera on the hand [m], wherever the hand is sent, and its distance behind the tip [m]."""
SKILLS: dict[str, Any] = {verb: {"backend": "moveit"} for verb in ("GRASP", "PLACE", "HANDOVER")}


class ForeignArm:
    """The arm of a bench; a test changes ``size``, ``slips`` and the modes of ``motion`` and ``fingers``."""

    def __init__(self, bench: Bench, gripper: str = "parallel") -> None:
        self.size = (0.05, 0.05, 0.12)
        self.cup: Pose | None = CUP
        self.slips = self.stays = self.half_seen = False
        self._hand_camera: tuple[Any, Any] | None = None
        self.hand, self.opening, self.holds = np.zeros(3), OPENING, False
        self._node = bench.robot
        self.motion = bench.serve(MoveGroup, "move_action")
        kind = ParallelGripperCommand if gripper == "parallel" else GripperCommand
        self.fingers = bench.serve(kind, "gripper/cmd")
        self.motion.react, self.fingers.react = self.move, self.grip
        self._joints = self._node.create_publisher(JointState, "joint_states", 10)
        self._depth = self._node.create_publisher(ImageMessage, "depth", SENSOR)
        self._info = self._node.create_publisher(CameraInfo, "info", SENSOR)
        self._timer = self._node.create_timer(0.05, self.publish)
        self._publish_frames()

    def carry_camera(self, *, publishes: bool = True) -> None:
        """Have a camera on the hand, above the box."""
        x, y, _ = CUP.position
        tip = Pose((x, y, HAND_CAMERA_HEIGHT - BEHIND_TIP), (1.0, 0.0, 0.0, 0.0))
        self._publish_transforms(map={"tcp": tip}, tcp={"hand_optical": Pose((0.0, 0.0, -BEHIND_TIP))})
        if publishes:
            self._hand_camera = (
                self._node.create_publisher(ImageMessage, "hand/depth", SENSOR),
                self._node.create_publisher(CameraInfo, "hand/info", SENSOR),
            )

    def over_the_seen_half(self) -> tuple[float, float]:
        """Middle of the half that the head camera sees, if it sees only that."""
        return CUP.position[0] - self.size[0] / 4, CUP.position[1]

    @property
    def servers(self) -> tuple[FakeServer, FakeServer]:
        return self.motion, self.fingers

    def pull(self) -> None:
        """A person pulls at the box."""
        self.opening -= 0.004

    def publish(self) -> None:
        stamp = self._node.get_clock().now()
        self._joints.publish(JointState(name=["finger"], position=[self.opening / OPENING * OPEN]))
        time = stamp.nanoseconds / 1e9
        seen = self._picture(CAMERA_HEIGHT, half=self.half_seen)
        self._depth.publish(image_message(seen, "32FC1", time, "camera_optical"))
        info = CameraInfo(width=WIDTH, height=HEIGHT)
        info.k = [FOCAL, 0.0, WIDTH / 2, 0.0, FOCAL, HEIGHT / 2, 0.0, 0.0, 1.0]
        self._info.publish(info)
        if self._hand_camera is not None:
            close = image_message(self._picture(HAND_CAMERA_HEIGHT), "32FC1", time, "hand_optical")
            for publisher, message in zip(self._hand_camera, (close, info), strict=True):
                publisher.publish(message)

    def publish_table(self) -> None:
        """Let memory know a table, the box, and a vase beside it."""
        nodes = [
            scene_node("table", SceneNode.KIND_PLACE, Pose((0.9, 0.0, TABLE / 2)), (0.8, 1.2, TABLE)),
            scene_node("cup_1", SceneNode.KIND_OBJECT, CUP, self.size),
            scene_node("vase_1", SceneNode.KIND_OBJECT, Pose((0.6, 0.3, 0.9)), (0.1, 0.1, 0.3)),
        ]
        publisher = self._node.create_publisher(SceneGraph, "openral/scene_graph", LATCHED)
        publisher.publish(SceneGraph(nodes=nodes))

    def move(self, goal: Any, result: Any) -> None:
        (constraints,) = goal.request.goal_constraints
        if constraints.position_constraints:
            at = constraints.position_constraints[0].constraint_region.primitive_poses[0].position
            before, self.hand = self.hand, np.array([at.x, at.y, at.z])
            if self.holds and self.slips:
                self.holds, self.opening = False, 0.0
            elif self.holds and self.cup is not None:
                x, y, z = np.array(self.cup.position) + self.hand - before
                self.cup = Pose((float(x), float(y), float(z)))

    def grip(self, goal: Any, result: Any) -> None:
        command = goal.command
        position = command.position[0] if isinstance(command, JointState) else command.position
        wanted = position / OPEN * OPENING
        around = self.cup is not None and self._is_around(self.cup)
        self.holds = around and wanted < self.size[1]
        self.opening = max(wanted, self.size[1]) if around else wanted
        reported = self.opening / OPENING * OPEN
        if isinstance(command, JointState):
            result.state = JointState(name=["finger"], position=[reported])
        else:
            result.position = reported
        result.stalled = self.holds

    def _is_around(self, cup: Pose) -> bool:
        offset = np.abs(self.hand - cup.position)
        return bool((offset[:2] < REACHED).all() and offset[2] < self.size[2] / 2 + REACHED)

    def _picture(self, height: float, *, half: bool = False) -> np.ndarray:
        """Depth of the table and the box, or its half, from straight above [m]."""
        depth = np.full((HEIGHT, WIDTH), height - TABLE, np.float32)
        on_table = self.cup is not None and self.cup.position[2] < TABLE + self.size[2]
        cup = CUP if self.stays else self.cup if on_table else None
        if cup is not None:
            top = height - cup.position[2] - self.size[2] / 2
            rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
            x = (columns - WIDTH / 2) / FOCAL * top + CUP.position[0] - cup.position[0]
            y = -(rows - HEIGHT / 2) / FOCAL * top - cup.position[1]
            inside = (np.abs(x) < self.size[0] / 2) & (np.abs(y) < self.size[1] / 2)
            depth[inside & ((x < 0.0) | (not half))] = top
        return depth

    def _publish_frames(self) -> None:
        down = Pose((CUP.position[0], 0.0, CAMERA_HEIGHT), (1.0, 0.0, 0.0, 0.0))
        frames = {"base_link": Pose(), "shoulder": Pose((0.0, 0.0, 0.8)), "camera_optical": down}
        self._publish_transforms(map=frames)

    def _publish_transforms(self, **frames: dict[str, Pose]) -> None:
        """Publish poses of frames by the frames that they are in."""
        transforms = []
        for parent, children in frames.items():
            for child, pose in children.items():
                transforms.append(TransformStamped(child_frame_id=child, transform=transform_message(pose)))
                transforms[-1].header.frame_id = parent
        self._node.create_publisher(TFMessage, "tf_static", LATCHED).publish(TFMessage(transforms=transforms))


def scene_node(name: str, kind: int, pose: Pose, size: tuple[float, float, float]) -> SceneNode:
    return SceneNode(
        id=name, kind=kind, label=name, pose=pose_message(pose), size=vector_message(size), presence=0
    )


def start(bench: Bench, **robot: Any) -> Any:
    """Start the skill server of a robot with an arm and a depth camera."""
    described = {"arm": ARM, "cameras": {"head": CAMERA}, **robot}
    node = bench.start(described.pop("skills", SKILLS), **described)
    bench.until(lambda: "GRASP" in bench.offered())
    return node


def grasp(bench: Bench, label: str = "cup", **params: Any) -> Any:
    sizes = {"size_x": 0.05, "size_y": 0.05, "size_z": 0.12}
    return bench.send("grasp", **{"target": CUP, "label": label, **sizes, **params})
