"""Everything a detector node publishes."""

import numpy as np
import psutil
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Image
from std_msgs.msg import Header
from vision_msgs.msg import Detection2DArray

from openral_core.detections import Detection
from openral_core.detectors import DetectorInfo, Mode
from openral_core.rskills import Sensor
from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.msg import FailureTrigger
from openral_perception_ros.detector import Detector
from openral_perception_ros.frames import Shot
from openral_perception_ros.ros.annotations import annotated
from openral_perception_ros.ros.decoding import decode
from openral_perception_ros.ros.relatives import robot_of
from openral_perception_ros.supervision import EventKind, WorkerEvent
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.detectors import detector_info_message
from openral_ros.conversions.images import image_message
from openral_ros.failures import Failures
from openral_ros.gpus import gpu_used_mb
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.scopes import Scope

OBJECTS_QOS = QoSProfile(depth=5)
_SEVERITIES = {
    EventKind.WORKER_LOST: FailureTrigger.SEVERITY_WARNING,
    EventKind.WORKER_RESTORED: FailureTrigger.SEVERITY_INFO,
    EventKind.WORKER_GIVEN_UP: FailureTrigger.SEVERITY_ERROR,
}


class Announcer:
    """The publishers of one detector node, for as long as it is configured."""

    def __init__(self, scope: Scope, node: Node, detector: Detector) -> None:
        self._node = node
        self._name = detector.manifest.name
        self._said: DetectorInfoMsg | None = None
        self._info = scope.publisher(DetectorInfoMsg, "info", LATCHED)
        self._annotated = scope.publisher(Image, "annotated", QoSProfile(depth=1))
        self.failures = Failures(
            scope, node, f"{robot_of(node)}/openral/failure/{self._name.slug}", self._name.id
        )
        self._diagnostics = scope.publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        streams = detector.manifest.mode is Mode.CONTINUOUS
        self._objects = scope.publisher(Detection2DArray, "objects", OBJECTS_QOS) if streams else None

    def info(self, info: DetectorInfo) -> None:
        """What the detector is now."""
        self._said = detector_info_message(info)
        self.repeat()

    def repeat(self) -> None:
        """Say again what was said last: the heartbeat, also while a transition takes its time."""
        if self._said is not None:
            self._info.publish(self._said)

    def objects(self, shot: Shot, detections: tuple[Detection, ...]) -> None:
        """What the continuous leg saw; on whichever thread knows it."""
        if self._objects is not None:
            self._objects.publish(detections_message(detections, header_of(shot)))

    @property
    def watched(self) -> bool:
        """Whether anyone subscribes to the annotated image."""
        return self._annotated.get_subscription_count() > 0

    def annotated(self, shot: Shot, detections: tuple[Detection, ...]) -> None:
        """The image with its boxes."""
        if Sensor.RGB.value not in shot.images:
            return
        rgb = decode(shot).plane(Sensor.RGB).astype(np.uint8, copy=False)
        message = image_message(annotated(rgb, detections), "rgb8", 0.0, "")
        message.header = header_of(shot)
        self._annotated.publish(message)

    def event(self, event: WorkerEvent) -> None:
        """What happened to the worker."""
        self.failures.tell(event.kind.value, _SEVERITIES[event.kind], event.message)

    def diagnostics(self, status: DiagnosticStatus) -> None:
        """How it is doing."""
        array = DiagnosticArray(status=[status])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(array)


def header_of(shot: Shot | None) -> Header:
    """The header of a shot's images; an empty one without a shot."""
    if shot is None:
        return Header()
    sec, nanosec = divmod(shot.stamp, 1_000_000_000)
    return Header(stamp=Time(sec=sec, nanosec=nanosec), frame_id=shot.frame_id)


def memory_of(pid: int, told_on_gpu: float = 0.0) -> float:
    """What a process and its children hold on the host and on GPUs [MB]; 0 when that cannot be read.

    ``told_on_gpu`` counts where the driver does not know the processes, as inside a container.
    """
    try:
        process = psutil.Process(pid)
        everyone = [process, *process.children(recursive=True)]
        on_host = sum(each.memory_info().rss for each in everyone) / 1e6
        return on_host + (gpu_used_mb([each.pid for each in everyone]) or told_on_gpu)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0.0
