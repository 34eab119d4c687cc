"""A played robot: publishes what a real one publishes, answers services, and records what it is told."""

import time

import cv2
import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point, Pose, TransformStamped, Vector3
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Header, String
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import (
    BoundingBox2D,
    Detection2D,
    Detection2DArray,
    ObjectHypothesis,
    ObjectHypothesisWithPose,
)

from openral_msgs.msg import (
    Budget,
    DetectorInfo,
    FailureTrigger,
    Handoff,
    MissionStatus,
    PromptReceipt,
    PromptStamped,
    RecallMatch,
    SceneEdge,
    SceneGraph,
    SceneNode,
    ToolCallRecord,
    WorldState,
)
from openral_msgs.srv import EditMemory, LocateInView, ObserveDetections, RecallObject
from openral_ros.conversions.images import image_message
from openral_ros.conversions.stamps import stamp_of
from openral_ros.node_thread import NodeThread
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE, SENSOR
from openral_ros.resources import ResourceScope

HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
"""Label of an object, as a sign in front of a camera could make a text detector name it."""
NOW = 120.0  # Stamp of what does not change [s].
OBJECTS = (
    ("mug_1", "mug", (1.4, 3.6, 0.95), SceneNode.PRESENCE_PRESENT),
    ("bread_4", "baguette", (2.3, 3.7, 0.95), SceneNode.PRESENCE_PRESENT),
    ("bowl_2", "bowl", (3.8, 1.6, 0.8), SceneNode.PRESENCE_STALE),
    ("odd_1", HOSTILE, (3.5, 1.3, 0.8), SceneNode.PRESENCE_PRESENT),
)
FURNITURE = (
    ("kitchen", "kitchen", SceneNode.KIND_ROOM, (2.5, 2.25, 0.0), (5.0, 4.5, 0.0)),
    ("counter", "kitchen counter", SceneNode.KIND_PLACE, (2.0, 3.9, 0.45), (2.4, 0.6, 0.9)),
    ("table", "dining table", SceneNode.KIND_PLACE, (3.8, 1.5, 0.37), (1.2, 0.8, 0.74)),
    ("person_1", "Ana", SceneNode.KIND_AGENT, (4.4, 3.0, 0.85), (0.4, 0.4, 1.7)),
)
CALLS = (
    (
        "recall_object",
        '{"query": "baguette"}',
        "NOT_IN_MEMORY",
        "'baguette' is not in memory; near miss: bread_4",
        0.02,
    ),
    (
        "locate_in_view",
        '{"query": "baguette", "camera": "head"}',
        "FOUND",
        "camera 'head': 1 x 'baguette' in view",
        0.08,
    ),
    ("execute_rskill", '{"rskill_id": "navigate", "target": "counter"}', "SUCCEEDED", "arrived", 5.1),
    ("execute_rskill", '{"rskill_id": "grasp", "target": "bread_4"}', "pending", "", 0.0),
)


URDF = """<robot name="played"><link name="base_link"><visual><geometry><cylinder radius="0.25" length="0.3"/>
</geometry></visual></link><link name="arm"><collision><geometry><box size="0.1 0.1 0.6"/></geometry>
</collision></link><joint name="j" type="revolute"><parent link="base_link"/><child link="arm"/></joint>
</robot>"""
FRAMES = (
    ("map", "base_link", (2.0, 2.6, 0.0), (0.0, 0.0, 0.0, 1.0)),
    ("base_link", "arm", (0.2, 0.0, 0.6), (0.0, 0.0, 0.0, 1.0)),
    ("base_link", "head_optical", (0.1, 0.0, 1.3), (-0.5, 0.5, -0.5, 0.5)),
)


def transforms() -> TFMessage:
    """Return the robot's transforms."""
    message = TFMessage()
    for parent, child, (x, y, z), (a, b, c, w) in FRAMES:
        frame = TransformStamped(header=Header(stamp=stamp_of(NOW), frame_id=parent), child_frame_id=child)
        frame.transform.translation = Vector3(x=x, y=y, z=z)
        turn = frame.transform.rotation
        turn.x, turn.y, turn.z, turn.w = a, b, c, w
        message.transforms.append(frame)
    return message


def camera_info() -> CameraInfo:
    """Return the intrinsics of the camera."""
    info = CameraInfo(header=Header(stamp=stamp_of(NOW), frame_id="head_optical"), width=160, height=120)
    info.k = [110.0, 0.0, 80.0, 0.0, 110.0, 60.0, 0.0, 0.0, 1.0]
    return info


def picture(name: str, colour: int = 90) -> CompressedImage:
    """Return a picture of an object in one shade."""
    _, data = cv2.imencode(".jpg", np.full((40, 60, 3), colour, np.uint8))
    message = CompressedImage(header=Header(stamp=stamp_of(NOW), frame_id=name), format="jpeg")
    message.data = bytes(data)
    return message


def frontier(*ids: str) -> DiagnosticStatus:
    """Return places to search, best first."""
    values = [KeyValue(key=each, value="a usual place") for each in ids]
    return DiagnosticStatus(name="frontier", values=values)


def pose(x: float, y: float, z: float) -> Pose:
    """Return an upright pose [m]."""
    message = Pose(position=Point(x=x, y=y, z=z))
    message.orientation.w = 1.0
    return message


def mission(
    state: int = MissionStatus.STATE_ACTIVE,
    goal: str = "bring me the baguette",
    step: str = "grasping bread_4",
    reason: str = "",
) -> MissionStatus:
    """Return a mission with four tool calls."""
    calls = [
        ToolCallRecord(index=i, tool=tool, arguments_json=args, status=status, message=text, duration=took)
        for i, (tool, args, status, text, took) in enumerate(CALLS)
    ]
    lines = [
        ("candidates", 2.0, 8.0),
        ("locates", 3.0, 20.0),
        ("model_calls", 12.0, 60.0),
        ("seconds", 41.3, 600.0),
    ]
    return MissionStatus(
        mission_id="m1",
        goal=goal,
        state=state,
        step=step,
        reason=reason,
        brain="scripted",
        budget=[Budget(name=name, used=used, limit=limit) for name, used, limit in lines],
        calls=calls,
        searched=["kitchen counter: FOUND"],
        evidence=["locate_in_view FOUND baguette (head)"],
    )


def scene(count: int = 0) -> SceneGraph:
    """Return a kitchen with four objects, and ``count`` more."""
    nodes = [
        SceneNode(id=i, label=label, kind=kind, pose=pose(*at), size=Vector3(x=size[0], y=size[1], z=size[2]))
        for i, label, kind, at, size in FURNITURE
    ]
    objects = list(OBJECTS) + [
        (f"o_{i}", f"thing {i}", (i % 50 * 0.1, i // 50 * 0.01, 0.9), SceneNode.PRESENCE_PRESENT)
        for i in range(count)
    ]
    for i, label, at, presence in objects:
        node = SceneNode(
            id=i, label=label, pose=pose(*at), size=Vector3(x=0.1, y=0.1, z=0.12), presence=presence
        )
        node.first_seen, node.last_seen = stamp_of(10.0), stamp_of(60.0 if presence else NOW - 1.0)
        node.confidence, node.observation_count, node.source = 0.9, 42, "sim-groundtruth"
        node.unprompted_labels = [label]
        nodes.append(node)
    edges = [SceneEdge(source="mug_1", relation="on", target="counter")]
    return SceneGraph(header=Header(stamp=stamp_of(NOW)), revision=1, nodes=nodes, edges=edges)


class PlayedRobot:
    """Node on a thread of its own.

    ``prompts`` holds every prompt, ``edits`` every edit of memory, ``observed`` every request to remember.
    """

    latency = 0.08
    """Of its locator [s]."""
    latches = False
    """If a stop is latched, as by a skill server."""

    def __init__(self, domain: int) -> None:
        self.prompts: list[PromptStamped] = []
        self.edits: list[EditMemory.Request] = []
        self.observed: list[ObserveDetections.Request] = []
        self.answers = True
        self._thread = NodeThread("robot", domain=domain)
        self.node, scope = self._thread.node, self._thread.scope
        make = scope.publisher
        self.mission = make(MissionStatus, "openral/mission", LATCHED_HISTORY)
        self.handoff = make(Handoff, "openral/handoff", LATCHED)
        self.scene = make(SceneGraph, "openral/scene_graph", LATCHED)
        self.failure = make(FailureTrigger, "openral/failure/detector", RELIABLE)
        self.receipts = make(PromptReceipt, "openral/prompt_receipt", RECEIPTS)
        self.image = make(Image, "head/image_raw", SENSOR)
        self.frontier = make(DiagnosticStatus, "openral/frontier", LATCHED)
        self.pictures = make(CompressedImage, "openral/world_state/pictures", RELIABLE)
        self.transforms = make(TFMessage, "tf", RELIABLE)
        self._camera_info = make(CameraInfo, "head/camera_info", SENSOR)
        self._description = make(String, "robot_description", LATCHED)
        self._palette = make(String, "openral/palette", LATCHED)
        self._world = make(WorldState, "openral/world_state", RELIABLE)
        self._info = make(DetectorInfo, "openral/perception/locator/info", LATCHED)
        self._boxes = make(Detection2DArray, "openral/perception/locator/objects", RELIABLE)
        self._diagnostics = make(DiagnosticArray, "/diagnostics", RELIABLE)
        scope.subscription(PromptStamped, "openral/prompt", self._on_prompt, RELIABLE)
        self._latch(scope)
        for service, name, handle in (
            (RecallObject, "openral/recall_object", self._recall),
            (EditMemory, "openral/edit_memory", self._edit),
            (ObserveDetections, "openral/observe", self._observe),
            (LocateInView, "openral/perception/locator/locate_in_view", self._locate),
        ):
            scope.service(service, name, handle)
        self._frames = 0
        self._publish_state()
        scope.timer(0.2, self._stream)
        self._thread.start()

    def close(self) -> None:
        """Stop and release the node."""
        self._thread.close()

    def ask(self, question: str, choices: list[str]) -> None:
        """Publish a hand-off and the mission that waits for it."""
        self.mission.publish(mission(MissionStatus.STATE_WAITING_FOR_HUMAN, reason=question))
        attempts = ["looked at the counter: NOT_IN_VIEW"]
        self.handoff.publish(
            Handoff(id="h1", mission_id="m1", question=question, choices=choices, tried=attempts)
        )

    def fail(self, message: str) -> None:
        """Publish a failure."""
        failure = FailureTrigger(source="locator", kind="worker_crashed", severity=2, message=message)
        self.failure.publish(failure)

    def wait_for_prompt(self, text: str, timeout: float = 20.0) -> PromptStamped:
        """Return the prompt with this text once it has come.

        Raises:
            AssertionError: If it does not come within ``timeout`` [s].
        """
        deadline = time.monotonic() + timeout
        while not (matches := [each for each in self.prompts if each.text == text]):
            assert time.monotonic() < deadline, f"not told {text!r}: {[each.text for each in self.prompts]}"
            time.sleep(0.05)
        return matches[0]

    def image_subscribers(self) -> int:
        """Return the number of subscriptions to its camera."""
        return int(self.image.get_subscription_count())

    def _publish_state(self) -> None:
        self.mission.publish(mission())
        self.scene.publish(scene())
        self._description.publish(String(data=URDF))
        self._palette.publish(String(data='{"system": "You bring things.", "tools": [], "palette": {}}'))

    def _stream(self) -> None:
        state = WorldState(robot_pose_known=True, robot_pose=pose(2.0, 2.6, 0.0), remembered_objects=4)
        state.header.stamp = stamp_of(NOW)
        self._world.publish(state)
        status = DiagnosticStatus(level=DiagnosticStatus.OK, name="bringup: /reasoner", message="active")
        self._frames += 1
        stamp = NOW + 0.2 * self._frames
        counts = DiagnosticArray(status=[status, counted(self._frames)])
        counts.header.stamp = stamp_of(stamp)
        self._diagnostics.publish(counts)
        pixels = np.full((120, 160, 3), 120, np.uint8)
        if self.image_subscribers():
            self.image.publish(image_message(pixels, "rgb8", stamp, "head_optical"))
        if self.transforms.get_subscription_count():
            self.transforms.publish(transforms())
            self._camera_info.publish(camera_info())
        self._boxes.publish(boxes(stamp))
        self._info.publish(announcement(self.latency))

    def _on_prompt(self, message: PromptStamped) -> None:
        self.prompts.append(message)
        if self.answers:
            stopped = message.text == "stop"
            outcome = PromptReceipt.OUTCOME_STOPPED if stopped else PromptReceipt.OUTCOME_STARTED
            self.receipts.publish(PromptReceipt(prompt_id=message.id, outcome=outcome, message="understood"))

    def _latch(self, scope: ResourceScope) -> None:
        states = scope.publisher(DiagnosticStatus, "openral/stop_state", LATCHED)

        def on_stop(message: String) -> None:
            if self.latches:
                states.publish(DiagnosticStatus(level=DiagnosticStatus.ERROR, message=message.data))

        scope.subscription(String, "openral/stop", on_stop, RELIABLE)

    def _recall(
        self, request: RecallObject.Request, response: RecallObject.Response
    ) -> RecallObject.Response:
        match = RecallMatch(node_id="mug_1", label="mug", score=1.0, room="kitchen", why="label is equal")
        response.status, response.message = RecallObject.Response.FOUND, f"1 match for {request.query}"
        response.matches = [match]
        return response

    def _edit(self, request: EditMemory.Request, response: EditMemory.Response) -> EditMemory.Response:
        self.edits.append(request)
        if request.node_id == "nothing":
            response.status, response.message = EditMemory.Response.UNKNOWN_OBJECT, "no such object"
        else:
            response.message = f"{request.node_id} edited"
        return response

    def _observe(
        self, request: ObserveDetections.Request, response: ObserveDetections.Response
    ) -> ObserveDetections.Response:
        self.observed.append(request)
        response.matches = [RecallMatch(node_id="mug_1", label="mug")]
        return response

    def _locate(
        self, request: LocateInView.Request, response: LocateInView.Response
    ) -> LocateInView.Response:
        response.status, response.message, response.camera = LocateInView.Response.FOUND, "1 in view", "head"
        response.detections = boxes(NOW)
        return response


def announcement(latency: float = 0.08) -> DetectorInfo:
    """Return the description of an active locator with a latency [s]."""
    info = DetectorInfo(
        latency=latency,
        id="sim-locator",
        slug="locator",
        mode=DetectorInfo.MODE_ON_DEMAND,
        engine="sim",
        lifecycle_state=3,
    )
    info.description, info.cameras, info.memory_declared, info.memory_resident = (
        "Finds anything.",
        ["head"],
        900.0,
        310.0,
    )
    info.is_default, info.vocabulary = True, DetectorInfo.VOCABULARY_OPEN
    return info


def counted(answered: int) -> DiagnosticStatus:
    """Return the status of the locator, whose worker was lost twice."""
    values: dict[str, object] = {"answered": answered, "queued requests": 1, "skipped frames": 7}
    values |= {
        "refused requests": 3,
        "inference p95 [s]": 0.1234,
        "restarts": 2,
        "last error": "out of memory",
    }
    pairs = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
    return DiagnosticStatus(name="/openral/perception/locator/detector", message="idle", values=pairs)


def boxes(stamp: float) -> Detection2DArray:
    """Return one mug in an image taken at ``stamp`` [s]."""
    box = BoundingBox2D(size_x=40.0, size_y=30.0)
    box.center.position.x, box.center.position.y = 80.0, 60.0
    hit = Detection2D(
        bbox=box, results=[ObjectHypothesisWithPose(hypothesis=ObjectHypothesis(class_id="mug", score=0.8))]
    )
    return Detection2DArray(header=Header(stamp=stamp_of(stamp), frame_id="head_optical"), detections=[hit])
