"""A scene in front of a camera, a manifest to look at it with, and the folders both need."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

import numpy as np
import pytest
import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Image
from vision_msgs.msg import LabelInfo, VisionClass

from openral_core.backoff import CircuitBreaker
from openral_core.rskills import DetectorManifest, Registry, slug
from openral_msgs.srv import LocateInView
from openral_perception_ros.camera_images import ImageSet
from openral_perception_ros.engines import EngineFrame, LoadOptions
from openral_perception_ros.inference.ipc import Load
from openral_perception_ros.inference.worker_command import worker_command
from openral_perception_ros.inference.worker_supervisor import WorkerEvent, WorkerLimits
from openral_perception_ros.node import DetectorNode
from openral_perception_ros.scheduler_thread import SupervisedWorker, start_supervised_worker
from openral_ros.conversions.images import image_message
from openral_ros.executor import TransitionThreadExecutor
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_testing.ros.executor_thread import ExecutorThread

FAULTY = "openral_testing.detectors.faulty_worker"
LIMITS = WorkerLimits(
    load=20.0, inference=1.0, capacity=2, restarts=CircuitBreaker(limit=1, first_delay=0.05)
)
RSKILLS = Path(__file__).parents[2] / "rskills"
LABELS = {1: "red mug", 2: "baguette", 3: "wine bottle", 4: "kitchen counter", 5: "blue mug"}
BOXES = {
    1: (40, 60, 80, 100),
    2: (120, 150, 260, 180),
    3: (300, 40, 330, 140),
    4: (0, 200, 400, 240),
    5: (350, 60, 380, 95),
}

PICTURE = np.random.default_rng(0).integers(0, 256, (240, 400, 3), np.uint8)


def semantic_image(width: int = 400, height: int = 240) -> np.ndarray:
    """Instance ids of a small scene, not square on purpose."""
    image = np.zeros((height, width), np.uint16)
    for instance, (x_min, y_min, x_max, y_max) in BOXES.items():
        image[y_min:y_max, x_min:x_max] = instance
    return image


@pytest.fixture
def manifest() -> DetectorManifest:
    return Registry.load([RSKILLS]).detector("sim-groundtruth-locator")


@pytest.fixture
def folder(manifest: DetectorManifest) -> Path:
    return RSKILLS / manifest.id


@pytest.fixture
def scene() -> EngineFrame:
    semantic = semantic_image()
    rgb = np.repeat((semantic * 40).astype(np.uint8)[..., None], 3, axis=2)
    return EngineFrame({"rgb": rgb, "semantic": semantic}, "head", 1_000_000_000, LABELS)


@pytest.fixture
def rskills() -> Path:
    return RSKILLS


@pytest.fixture
def scene_boxes() -> dict[int, tuple[int, int, int, int]]:
    return BOXES


@dataclass
class Rig:
    """A detector node in a thread of its own, and a client that shows it frames and asks it."""

    node: DetectorNode
    client: Node
    spin_until: Callable[..., None]
    publishers: dict[str, Publisher] = field(default_factory=dict)

    def call(self, service_type: type, name: str, request: object, timeout: float = 20.0) -> object:
        (answer,) = self.call_all(service_type, name, [request], timeout)
        return answer

    def call_all(
        self,
        service_type: type,
        name: str,
        requests: list,
        timeout: float = 20.0,
        on_answer: Callable[[Any], None] = lambda _: None,
    ) -> list:
        """Send requests at once; ``on_answer`` gets the responses in the order in which they arrive."""
        service = self.client.create_client(service_type, name)
        self.spin_until(self.client, service.service_is_ready, 10.0)
        answers = [service.call_async(request) for request in requests]
        pending = list(answers)

        def all_answered() -> bool:
            for answer in [item for item in pending if item.done()]:
                pending.remove(answer)
                on_answer(answer.result())
            return not pending

        self.spin_until(self.client, all_answered, timeout)
        self.client.destroy_client(service)
        return [answer.result() for answer in answers]

    def transition(self, number: int) -> bool:
        request = ChangeState.Request(transition=Transition(id=number))
        return self.call(ChangeState, f"{self.node.get_fully_qualified_name()}/change_state", request).success

    def locate(self, query: str, name: str = "", **fields: object) -> LocateInView.Response:
        service = name or f"{self.node.get_namespace()}/locate_in_view"
        return self.call(LocateInView, service, LocateInView.Request(query=query, **fields))

    def locate_all(
        self, *queries: str, on_answer: Callable[[Any], None] = lambda _: None
    ) -> list[LocateInView.Response]:
        requests = [LocateInView.Request(query=query) for query in queries]
        service = f"{self.node.get_namespace()}/locate_in_view"
        return self.call_all(LocateInView, service, requests, on_answer=on_answer)

    def heard(self, message_type: type, topic: str, qos: QoSProfile = RELIABLE) -> list:
        messages: list = []
        self.client.create_subscription(message_type, topic, messages.append, qos)
        return messages

    def wait(self, condition: Callable[[], object], timeout: float = 30.0) -> None:
        self.spin_until(self.client, lambda: bool(condition()), timeout)

    def show(
        self,
        camera: str = "head",
        stamp: float | None = None,
        semantic: np.ndarray | None = None,
        colour: np.ndarray | None = None,
        frame: str = "optical",
    ) -> None:
        """Publish one frame of the scene and wait until the node has it."""
        pixels = semantic_image() if semantic is None else semantic
        picture = PICTURE[: pixels.shape[0], : pixels.shape[1]] if colour is None else colour
        time_ = self.client.get_clock().now().nanoseconds / 1e9 if stamp is None else stamp
        images = {
            "image_raw": image_message(picture, "rgb8", time_, frame),
            "semantic": image_message(pixels, "mono16", time_, frame),
        }
        labels = [VisionClass(class_id=number, class_name=phrase) for number, phrase in LABELS.items()]
        self._publisher(LabelInfo, f"/{camera}/labels", LATCHED).publish(LabelInfo(class_map=labels))
        publishers = {name: self._publisher(Image, f"/{camera}/{name}", SENSOR) for name in images}
        cache = self.node._active_detector.caches[camera]
        self.wait(lambda: all(publisher.get_subscription_count() for publisher in self.publishers.values()))
        for name, image in images.items():
            publishers[name].publish(image)
        self.wait(lambda: (image_set := cache.latest()) and abs(image_set.stamp / 1e9 - time_) < 1e-6)

    def publish(self, message_type: type, topic: str, message: object) -> None:
        """Publish once there is a subscriber."""
        publisher = self._publisher(message_type, topic, SENSOR)
        self.wait(publisher.get_subscription_count)
        publisher.publish(message)

    def _publisher(self, message_type: type, topic: str, qos: QoSProfile) -> Publisher:
        if topic not in self.publishers:
            self.publishers[topic] = self.client.create_publisher(message_type, topic, qos)
        return self.publishers[topic]


@pytest.fixture
def rig(ros_context: Context, spin_until: Callable[..., None], rskills: Path) -> Iterator[Callable[..., Rig]]:
    threads: list[ExecutorThread] = []
    nodes: list[Node] = []

    def make(
        rskill: str = "sim-groundtruth-locator",
        node_type: type[DetectorNode] = DetectorNode,
        **parameters: object,
    ) -> Rig:
        chosen = {"rskill": rskill, "rskill_folders": [str(rskills)], "cameras": ["head"], **parameters}
        node = node_type(
            "detector",
            context=ros_context,
            namespace=f"/openral/perception/{slug(Path(rskill).name)}",
            parameter_overrides=[Parameter(name, value=value) for name, value in chosen.items()],
        )
        client = rclpy.create_node("client", context=ros_context)
        executor = TransitionThreadExecutor(context=ros_context)
        executor.add_node(node)
        threads.append(ExecutorThread(executor))
        nodes.extend((client, node))
        return Rig(node, client, spin_until)

    yield make
    for thread in threads:
        thread.close()
    for node in nodes:
        if isinstance(node, DetectorNode):
            node.close()
        node.destroy_node()


@pytest.fixture
def active(rig: Callable[..., Rig]) -> Callable[..., Rig]:
    def make(*arguments: object, **options: object) -> Rig:
        made = rig(*arguments, **options)
        assert made.transition(Transition.TRANSITION_CONFIGURE)
        assert made.transition(Transition.TRANSITION_ACTIVATE)
        return made

    return make


@pytest.fixture
def events() -> "Queue[WorkerEvent]":
    return Queue()


@pytest.fixture
def start(
    manifest: DetectorManifest, folder: Path, scene: EngineFrame, events: "Queue[WorkerEvent]"
) -> Iterator[Callable[..., SupervisedWorker]]:
    running: list[SupervisedWorker] = []

    def begin(
        limits: WorkerLimits = LIMITS,
        decode: Callable[[ImageSet], EngineFrame] = lambda image_set: scene,
        on_end: Callable[[Exception], None] | None = None,
        **options: str,
    ) -> SupervisedWorker:
        load = Load(manifest.model_copy(update={"options": options}), str(folder), LoadOptions())
        command = worker_command(manifest, Path("none"), FAULTY)
        running.append(start_supervised_worker(command, load, limits, decode, events.put, on_end))
        return running[-1]

    yield begin
    for item in running:
        item.thread.stop()


@pytest.fixture
def supervised(start: Callable[..., SupervisedWorker]) -> SupervisedWorker:
    ready = start()
    ready.ready.result(20.0)
    return ready
