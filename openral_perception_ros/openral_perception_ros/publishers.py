"""Everything a detector node publishes."""
# MERGED A detector's health as diagnostic_msgs.
# MERGED Boxes drawn on the image they were found in.

import statistics
import time
from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import psutil
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Image
from std_msgs.msg import Header
from vision_msgs.msg import Detection2DArray

from openral_core.detections import Detection
from openral_core.detectors import DetectorInfo, Health, Mode
from openral_core.rskills import Sensor
from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.msg import FailureTrigger
from openral_perception_ros.detector import Detector, robot_of
from openral_perception_ros.image_cache import ImageSet
from openral_perception_ros.image_subscriptions import decode_frame
from openral_perception_ros.inference.status import EventKind, WorkerEvent, WorkerPhase, WorkerStatus
from openral_ros.conversions.detections import detections_message, detector_info_message
from openral_ros.conversions.images import image_message
from openral_ros.failure_reporter import FailureReporter
from openral_ros.gpu import gpu_used_mb
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope

_STARTING = (WorkerPhase.LOADING, WorkerPhase.WAITING)


NO_FRAME_AGE = -1.0
TOLERANCE = 0.2
SLACK = 30.0
"""What a process differs by from one machine to the next, whatever its model: libraries, allocator [MB]."""


def inactive_status(name: str) -> DiagnosticStatus:
    """The status of a node without a worker."""
    return DiagnosticStatus(level=DiagnosticStatus.OK, name=name, message="inactive")


@dataclass(frozen=True, slots=True)
class MemoryUsage:
    """What the worker holds and what its manifest says [MB]."""

    measured: float
    declared: float

    @property
    def misdeclared(self) -> str:
        """Words when the manifest is wrong by more than a fifth of what is measured and `SLACK`."""
        allowed = max(TOLERANCE * self.measured, SLACK)
        if self.measured <= 0.0 or abs(self.measured - self.declared) <= allowed:
            return ""
        return f"memory is {self.measured:.0f} MB, declared {self.declared:.0f} MB"


def status_message(
    name: str, vitals: WorkerStatus, memory: MemoryUsage, frame_age: float, skipped: int
) -> DiagnosticStatus:
    """One status; age in [s] or `NO_FRAME_AGE`. Memory that is misdeclared is a warning."""
    values = {
        "worker pid": vitals.pid,
        "memory [MB]": f"{memory.measured:.0f}",
        "declared memory [MB]": f"{memory.declared:.0f}",
        "last frame age [s]": f"{frame_age:.2f}" if frame_age >= 0.0 else "none",
        "answered": vitals.answered,
        "skipped frames": skipped,
        "restarts": vitals.restarts,
        "last error": vitals.last_error or "none",
        "health": vitals.health.name.lower(),
        "on trial": vitals.on_trial,
        **_next_start(vitals),
        **_inference_times(list(vitals.inference_times)),
    }
    level = _level(vitals)
    wrong = memory.misdeclared if level == DiagnosticStatus.OK else ""
    return DiagnosticStatus(
        level=DiagnosticStatus.WARN if wrong else level,
        name=name,
        message=f"{vitals.phase.value}; {wrong}" if wrong else vitals.phase.value,
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )


def _level(vitals: WorkerStatus) -> bytes:
    if vitals.health is Health.GIVEN_UP or vitals.phase is WorkerPhase.GAVE_UP:
        return bytes(DiagnosticStatus.ERROR)
    return bytes(DiagnosticStatus.WARN if vitals.phase in _STARTING else DiagnosticStatus.OK)


def _next_start(vitals: WorkerStatus) -> dict[str, str]:
    waiting = vitals.next_start - time.monotonic()
    return {"next start in [s]": f"{waiting:.0f}"} if 0.0 < waiting < float("inf") else {}


def _inference_times(times: list[float]) -> dict[str, str]:
    if len(times) < 2:
        return {}
    steps = statistics.quantiles(times, n=20)
    return {"inference p50 [s]": f"{statistics.median(times):.4f}", "inference p95 [s]": f"{steps[18]:.4f}"}


COLOUR = (80, 220, 120)
INK = (0, 0, 0)


def draw_annotations(rgb: NDArray[np.uint8], detections: Iterable[Detection]) -> NDArray[np.uint8]:
    """A copy of an image with every box, its label and score.

    Args:
        rgb: Shape (H, W, 3).
        detections: Boxes in pixels of ``rgb``.
    """
    canvas = np.ascontiguousarray(rgb).copy()
    for each in detections:
        corner = (round(each.box.x_min), round(each.box.y_min))
        cv2.rectangle(canvas, corner, (round(each.box.x_max), round(each.box.y_max)), COLOUR, 2)
        _write(canvas, f"{each.label} {each.score:.2f}", corner)
    return canvas


def _write(canvas: NDArray[np.uint8], text: str, corner: tuple[int, int]) -> None:
    (width, height), base = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.45, 1)
    top = max(corner[1] - height - base, 0)
    cv2.rectangle(canvas, (corner[0], top), (corner[0] + width, top + height + base), COLOUR, cv2.FILLED)
    cv2.putText(canvas, text, (corner[0], top + height), cv2.FONT_HERSHEY_SIMPLEX, 0.45, INK, 1, cv2.LINE_AA)


OBJECTS_QOS = QoSProfile(depth=5)
_SEVERITIES = {
    EventKind.WORKER_LOST: FailureTrigger.SEVERITY_WARNING,
    EventKind.WORKER_RESTORED: FailureTrigger.SEVERITY_INFO,
    EventKind.WORKER_GIVEN_UP: FailureTrigger.SEVERITY_ERROR,
}


class DetectorPublishers:
    """The publishers of one detector node, for as long as it is configured."""

    def __init__(self, scope: ResourceScope, node: Node, detector: Detector) -> None:
        self._node = node
        self._name = detector.manifest.name
        self._said: DetectorInfoMsg | None = None
        self._info = scope.publisher(DetectorInfoMsg, "info", LATCHED)
        self._annotated = scope.publisher(Image, "annotated", QoSProfile(depth=1))
        self.failures = FailureReporter(
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

    def objects(self, shot: ImageSet, detections: tuple[Detection, ...]) -> None:
        """What the continuous leg saw; on whichever thread knows it."""
        if self._objects is not None:
            self._objects.publish(detections_message(detections, make_header(shot)))

    @property
    def watched(self) -> bool:
        """Whether anyone subscribes to the annotated image."""
        return self._annotated.get_subscription_count() > 0

    def annotated(self, shot: ImageSet, detections: tuple[Detection, ...]) -> None:
        """The image with its boxes."""
        if Sensor.RGB.value not in shot.images:
            return
        rgb = decode_frame(shot).plane(Sensor.RGB).astype(np.uint8, copy=False)
        message = image_message(draw_annotations(rgb, detections), "rgb8", 0.0, "")
        message.header = make_header(shot)
        self._annotated.publish(message)

    def event(self, event: WorkerEvent) -> None:
        """What happened to the worker."""
        self.failures.report(event.kind.value, _SEVERITIES[event.kind], event.message)

    def diagnostics(self, status: DiagnosticStatus) -> None:
        """How it is doing."""
        array = DiagnosticArray(status=[status])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(array)


def make_header(shot: ImageSet | None) -> Header:
    """The header of a shot's images; an empty one without a shot."""
    if shot is None:
        return Header()
    sec, nanosec = divmod(shot.stamp, 1_000_000_000)
    return Header(stamp=Time(sec=sec, nanosec=nanosec), frame_id=shot.frame_id)


def process_memory_mb(pid: int, told_on_gpu: float = 0.0) -> float:
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
