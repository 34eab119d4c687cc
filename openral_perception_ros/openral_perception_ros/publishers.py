"""Publishers of a detector node: description, detections, annotated images, failures and diagnostics."""

import statistics
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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

from openral_core.detectors import Detection, DetectorInfo, Health
from openral_core.lazy_modules import lazy_module
from openral_core.rskills import Mode, Sensor
from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.msg import FailureTrigger
from openral_perception_ros.camera_images import ImageSet, decode_frame
from openral_perception_ros.detector import Detector, robot_of
from openral_perception_ros.inference.worker_supervisor import (
    NEVER,
    EventKind,
    WorkerEvent,
    WorkerPhase,
    WorkerStatus,
)
from openral_perception_ros.scheduler import RequestQueue
from openral_ros.conversions.detections import detections_message, detector_info_message
from openral_ros.conversions.images import image_message
from openral_ros.failure_reporter import FailureReporter
from openral_ros.gpu import gpu_used_mb
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope

cv2 = lazy_module("cv2")

_STARTING = (WorkerPhase.LOADING, WorkerPhase.WAITING)
HEALTH_VALUES = {Health.OK: "ok", Health.RESTARTING: "restarting", Health.DEGRADED: "given_up"}

NO_FRAME_AGE = -1.0
"""Frame age in `CameraUse` before the first frame [s]."""
MEMORY_TOLERANCE = 0.2
"""Fraction by which measured memory may exceed the manifest's without a warning."""
MEMORY_SLACK = 30.0
"""Difference between machines that no manifest can know: libraries, allocator [MB]."""


def inactive_status(name: str) -> DiagnosticStatus:
    """Return the diagnostic status of a node without a worker."""
    return DiagnosticStatus(level=DiagnosticStatus.OK, name=name, message="inactive")


@dataclass(frozen=True, slots=True)
class MemoryUsage:
    """Measured memory of the worker and memory declared by its manifest [MB]."""

    measured: float
    declared: float

    @property
    def misdeclared(self) -> str:
        """Warning if more is used than declared, by `MEMORY_TOLERANCE` and `MEMORY_SLACK`, else ""."""
        allowed = max(MEMORY_TOLERANCE * self.measured, MEMORY_SLACK)
        if self.measured <= self.declared + allowed:
            return ""
        return f"memory is {self.measured:.0f} MB, declared {self.declared:.0f} MB"


@dataclass(frozen=True, slots=True)
class CameraUse:
    """Age of a camera's newest frame [s] or `NO_FRAME_AGE`; looks at it [Hz], None if on demand only."""

    age: float
    rate: float | None

    def __str__(self) -> str:
        age = f"newest frame {self.age:.2f} s old" if self.age >= 0.0 else "no frame yet"
        return age if self.rate is None else f"{self.rate:.1f} looks/s, {age}"


def status_message(
    name: str,
    worker_status: WorkerStatus,
    memory: MemoryUsage,
    cameras: Mapping[str, CameraUse],
    queue: RequestQueue,
) -> DiagnosticStatus:
    """Build the diagnostic status. Misdeclared memory is a warning."""
    values = {
        "worker pid": worker_status.pid,
        "memory [MB]": f"{memory.measured:.0f}",
        "declared memory [MB]": f"{memory.declared:.0f}",
        "answered": worker_status.answered,
        "queued requests": len(queue),
        "refused requests": queue.refused_requests,
        "skipped frames": queue.dropped_frames,
        "restarts": worker_status.restarts,
        "last error": worker_status.last_error or "none",
        "health": HEALTH_VALUES[worker_status.health],
        "on trial": worker_status.half_open,
        **timing_values(worker_status, time.monotonic()),
        **{f"camera {camera}": use for camera, use in cameras.items()},
    }
    level = severity_of(worker_status)
    wrong = memory.misdeclared if level == DiagnosticStatus.OK else ""
    return DiagnosticStatus(
        level=DiagnosticStatus.WARN if wrong else level,
        name=name,
        message=f"{worker_status.phase.value}; {wrong}" if wrong else worker_status.phase.value,
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )


def severity_of(worker_status: WorkerStatus) -> bytes:
    """Return the level of `DiagnosticStatus` for the state of a worker."""
    if worker_status.health is Health.DEGRADED or worker_status.phase is WorkerPhase.DEGRADED:
        return bytes(DiagnosticStatus.ERROR)
    return bytes(DiagnosticStatus.WARN if worker_status.phase in _STARTING else DiagnosticStatus.OK)


def timing_values(worker_status: WorkerStatus, now: float) -> dict[str, str]:
    """Return the time until the next start at steady time ``now`` [s], and percentiles of inference times."""
    values = {}
    delay, times = worker_status.next_start - now, list(worker_status.inference_times)
    if 0.0 < delay < NEVER:
        values["next start in [s]"] = f"{delay:.0f}"
    if len(times) > 1:
        values["inference p50 [s]"] = f"{statistics.median(times):.4f}"
        values["inference p95 [s]"] = f"{statistics.quantiles(times, n=20)[18]:.4f}"
    return values


BOX_COLOUR = (80, 220, 120)
"""RGB [levels of 255]: a green that is rare indoors."""
TEXT_COLOUR = (0, 0, 0)
"""RGB [levels of 255]: black on the green label."""


def draw_annotations(rgb: NDArray[np.uint8], detections: Iterable[Detection]) -> NDArray[np.uint8]:
    """Draw every box with its label and score on a copy of an image.

    Args:
        rgb: Shape (H, W, 3).
        detections: Boxes in pixels of ``rgb``.
    """
    canvas = np.ascontiguousarray(rgb).copy()
    for detection in detections:
        corner = (round(detection.box.x_min), round(detection.box.y_min))
        cv2.rectangle(canvas, corner, (round(detection.box.x_max), round(detection.box.y_max)), BOX_COLOUR, 2)
        draw_label(canvas, f"{detection.label} {detection.score:.2f}", corner)
    return canvas


def draw_label(canvas: NDArray[np.uint8], text: str, corner: tuple[int, int]) -> None:
    """Write text on a filled rectangle above ``corner`` (x, y) [px], moved down to stay in the image."""
    (width, height), base = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.45, 1)
    top = max(corner[1] - height - base, 0)
    cv2.rectangle(canvas, (corner[0], top), (corner[0] + width, top + height + base), BOX_COLOUR, cv2.FILLED)
    cv2.putText(
        canvas, text, (corner[0], top + height), cv2.FONT_HERSHEY_SIMPLEX, 0.45, TEXT_COLOUR, 1, cv2.LINE_AA
    )


OBJECTS_QOS = QoSProfile(depth=5)
_SEVERITIES = {
    EventKind.WORKER_LOST: FailureTrigger.SEVERITY_WARNING,
    EventKind.WORKER_RESTORED: FailureTrigger.SEVERITY_INFO,
    EventKind.WORKER_DEGRADED: FailureTrigger.SEVERITY_ERROR,
}


class DetectorPublishers:
    """Publishers of one detector node, alive while it is configured."""

    def __init__(self, scope: ResourceScope, node: Node, detector: Detector) -> None:
        self._node = node
        self._name = detector.manifest.name
        self._last_info: DetectorInfoMsg | None = None
        self._info = scope.publisher(DetectorInfoMsg, "info", LATCHED)
        self._annotated = scope.publisher(Image, "annotated", QoSProfile(depth=1))
        self.failures = FailureReporter(
            scope, node, f"{robot_of(node)}/openral/failure/{self._name.slug}", self._name.id
        )
        self._diagnostics = scope.publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        streams = detector.manifest.mode is Mode.CONTINUOUS
        self._objects = scope.publisher(Detection2DArray, "objects", OBJECTS_QOS) if streams else None

    def info(self, info: DetectorInfo) -> None:
        """Publish the detector's current description."""
        self._last_info = detector_info_message(info)
        self.republish()

    def republish(self) -> None:
        """Publish the last description again: the heartbeat, also during a long transition."""
        if self._last_info is not None:
            self._info.publish(self._last_info)

    def objects(self, image_set: ImageSet, detections: tuple[Detection, ...]) -> None:
        """Publish detections of the continuous stream; callable from any thread."""
        if self._objects is not None:
            self._objects.publish(detections_message(detections, make_header(image_set)))

    @property
    def has_annotation_subscriber(self) -> bool:
        """True if the annotated image has a subscriber."""
        return self._annotated.get_subscription_count() > 0

    def annotated(self, image_set: ImageSet, detections: tuple[Detection, ...]) -> None:
        """Publish the image with its detections drawn in."""
        if Sensor.RGB.value not in image_set.images:
            return
        rgb = decode_frame(image_set).plane(Sensor.RGB).astype(np.uint8, copy=False)
        message = image_message(draw_annotations(rgb, detections), "rgb8", 0.0, "")
        message.header = make_header(image_set)
        self._annotated.publish(message)

    def event(self, event: WorkerEvent) -> None:
        """Publish a worker event as a failure trigger."""
        self.failures.report(event.kind.value, _SEVERITIES[event.kind], event.message)

    def diagnostics(self, status: DiagnosticStatus) -> None:
        """Publish the node's diagnostic status."""
        array = DiagnosticArray(status=[status])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(array)


def make_header(image_set: ImageSet | None) -> Header:
    """Return the header of an image set; an empty one for None."""
    if image_set is None:
        return Header()
    sec, nanosec = divmod(image_set.stamp, 1_000_000_000)
    return Header(stamp=Time(sec=sec, nanosec=nanosec), frame_id=image_set.frame_id)


def process_memory_mb(pid: int, reported_gpu_mb: float = 0.0) -> float:
    """Measure the memory of a process and its children on host and GPUs [MB]; 0 if unreadable.

    ``reported_gpu_mb`` counts where the driver does not list the processes, as inside a container.
    """
    try:
        process = psutil.Process(pid)
        processes = [process, *process.children(recursive=True)]
        on_host = sum(item.memory_info().rss for item in processes) / 1e6
        return on_host + (gpu_used_mb([item.pid for item in processes]) or reported_gpu_mb)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0.0
