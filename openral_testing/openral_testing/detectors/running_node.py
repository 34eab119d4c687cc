"""A detector node in a process of its own, and a client that publishes images and sends requests."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import domain_coordinator
import psutil
import rclpy
import yaml
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import Image
from vision_msgs.msg import LabelInfo, VisionClass

from openral_core.errors import OpenRALError
from openral_core.rskills import Sensor
from openral_msgs.srv import LocateInView
from openral_perception_ros.detector import LABELS_SUFFIX, SUFFIXES, Detector
from openral_perception_ros.engines import EngineFrame
from openral_perception_ros.locate_service import REQUEST_QOS
from openral_ros.conversions.images import image_message
from openral_ros.qos import LATCHED, SENSOR
from openral_testing.detectors.subject import INFERENCE_TIMEOUT, LOAD_TIMEOUT, LoadSetting

ENCODINGS = {Sensor.RGB: "rgb8", Sensor.DEPTH: "32FC1", Sensor.SEMANTIC: "mono16"}
NODE_MODULE = "openral_perception_ros.node"
STARTUP_TIMEOUT = 60.0
"""Longest wait for the node's interfaces [s]."""
MAX_ATTEMPTS = 50
"""Publications of one image before the node counts as deaf [count]."""
ANY_AGE = 1e12
"""Maximum frame age [s]: the kit publishes each image once."""


class DetectorNodeSilent(OpenRALError):
    """The node did not react in time."""

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"the detector node did not {what} within {seconds:g} s")


class RunningNode:
    """A node process driven over ROS only; ``variables`` place other processes in its ROS domain."""

    def __init__(
        self,
        process: psutil.Process,
        variables: Mapping[str, str],
        client: Node,
        executor: SingleThreadedExecutor,
    ) -> None:
        self.process, self.variables = process, variables
        self.client, self._executor = client, executor
        self._publishers: dict[str, Publisher] = {}
        self._locate = client.create_client(LocateInView, "locate_in_view", qos_profile=REQUEST_QOS)
        self._change = client.create_client(ChangeState, "detector/change_state")

    def transition(self, number: int) -> bool:
        """Request a lifecycle transition; True if it succeeded."""
        self.wait("offer its lifecycle", self._change.service_is_ready, STARTUP_TIMEOUT)
        answer = self._change.call_async(ChangeState.Request(transition=Transition(id=number)))
        self.wait("change its state", lambda: answer.done() or self.ended, LOAD_TIMEOUT)
        if not answer.done():
            raise DetectorNodeSilent("survive a transition", LOAD_TIMEOUT)
        return bool(answer.result().success)

    def locate_all(self, requests: list[LocateInView.Request]) -> list[LocateInView.Response]:
        """Send requests concurrently and return the responses."""
        self.wait("offer locate_in_view", self._locate.service_is_ready, STARTUP_TIMEOUT)
        answers = [self._locate.call_async(request) for request in requests]
        self.wait("answer", lambda: all(item.done() for item in answers), INFERENCE_TIMEOUT)
        return [answer.result() for answer in answers]

    def show(self, frame: EngineFrame) -> None:
        """Publish an image once the node has subscribed; its stamp is the frame's."""
        topics = [self._topic(frame, name) for name in frame.planes]
        for topic in topics:
            self._publisher(topic, Image)
        self.wait("subscribe to its cameras", lambda: all(map(self._has_subscriber, topics)), STARTUP_TIMEOUT)
        self.publish(frame)

    def publish(self, frame: EngineFrame) -> None:
        """Publish an image without waiting for subscribers."""
        labels = [
            VisionClass(class_id=number, class_name=name) for number, name in frame.instance_names.items()
        ]
        if Sensor.SEMANTIC in frame.planes:
            self._publisher(f"/{frame.camera}/{LABELS_SUFFIX}", LabelInfo).publish(
                LabelInfo(class_map=labels)
            )
        for name, plane in frame.planes.items():
            encoding, frame_id = ENCODINGS[Sensor(name)], f"{frame.camera}_optical"
            message = image_message(plane, encoding, frame.stamp / 1e9, frame_id)
            self._publisher(self._topic(frame, name), Image).publish(message)

    def show_until_seen(self, frame: EngineFrame, request: LocateInView.Request) -> LocateInView.Response:
        """Publish an image until a request uses it; best-effort topics may lose messages."""
        for _ in range(MAX_ATTEMPTS):
            self.show(frame)
            (response,) = self.locate_all([request])
            if response.status != LocateInView.Response.NO_FRAME:
                return response
        raise DetectorNodeSilent("receive an image", STARTUP_TIMEOUT)

    @property
    def ended(self) -> bool:
        """True once its process has exited."""
        return not self.process.is_running() or self.process.status() == psutil.STATUS_ZOMBIE

    def memory(self) -> float:
        """Return the memory of its process and all children [MB]."""
        everyone = [self.process, *self.process.children(recursive=True)]
        return sum(float(process.memory_info().rss) for process in everyone) / 1e6

    def wait(self, what: str, condition: Callable[[], object], seconds: float) -> None:
        """Spin until a condition holds.

        Raises:
            DetectorNodeSilent: If it does not hold in time.
        """
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise DetectorNodeSilent(what, seconds)
            self._executor.spin_once(timeout_sec=0.02)

    def _topic(self, frame: EngineFrame, plane: str) -> str:
        return f"/{frame.camera}/{SUFFIXES[Sensor(plane)]}"

    def _publisher(self, topic: str, message_type: type) -> Publisher:
        if topic not in self._publishers:
            qos = LATCHED if message_type is LabelInfo else SENSOR
            self._publishers[topic] = self.client.create_publisher(message_type, topic, qos)
        return self._publishers[topic]

    def _has_subscriber(self, topic: str) -> bool:
        return int(self._publishers[topic].get_subscription_count()) > 0


@contextmanager
def running_node(
    detector: Detector, setting: LoadSetting, folder: Path, module: str = NODE_MODULE, **parameters: object
) -> Iterator[RunningNode]:
    """Start and configure a node; its parameter file and logs go to ``folder``."""
    with domain_coordinator.domain_id() as domain:
        command = _command(detector, setting, folder / "parameters.yaml", module, parameters)
        variables = {**os.environ, "ROS_DOMAIN_ID": str(domain), "ROS_LOG_DIR": str(folder)}
        process = subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL)
        context = Context()
        rclpy.init(context=context, domain_id=domain)
        client = rclpy.create_node("kit", context=context, namespace=_namespace(detector))
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(client)
        try:
            made = RunningNode(psutil.Process(process.pid), variables, client, executor)
            if not made.transition(Transition.TRANSITION_CONFIGURE):
                raise DetectorNodeSilent("configure itself", STARTUP_TIMEOUT)
            yield made
        finally:
            process.terminate()
            process.wait(timeout=30.0)
            executor.shutdown()
            client.destroy_node()
            rclpy.try_shutdown(context=context)


def _namespace(detector: Detector) -> str:
    return f"/openral/perception/{detector.manifest.name.slug}"


def _command(
    detector: Detector, setting: LoadSetting, file: Path, module: str, parameters: dict[str, object]
) -> list[str]:
    values = {
        "rskill": str(detector.folder.absolute()),
        "cameras": list(detector.cameras),
        "max_frame_age": ANY_AGE,
        "queue": 100,
        "deadline": INFERENCE_TIMEOUT,
        "load_deadline": LOAD_TIMEOUT,
        "inference_deadline": setting.inference_timeout,
        "device": setting.options.device,
        "weights_folder": setting.options.weights_folder,
        "remote_code": setting.options.remote_code,
        "environments": str(setting.environments.absolute()),
        **parameters,
    }
    file.write_text(yaml.safe_dump({"/**": {"ros__parameters": values}}), encoding="utf-8")
    remap = f"__ns:={_namespace(detector)}"
    start = f"from {module} import main; main()"
    return [sys.executable, "-c", start, "--ros-args", "-r", remap, "--params-file", str(file)]
