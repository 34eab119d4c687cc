"""Detector node: one detector rSkill, run by a worker process while active.

Subscribes each camera's images, ``detector_query`` (std_msgs/String) when on demand, and when continuous
``<robot>/openral/look_first`` (std_msgs/String), the camera that the mission looks through.
Publishes ``info`` (latched), ``annotated`` while subscribed, ``/diagnostics``, ``objects`` when continuous,
and ``<robot>/openral/failure/<slug>``.
Serves ``locate_in_view``; the default locator also ``../locate_in_view``.
"""

from functools import partial
from pathlib import Path
from typing import ClassVar

from std_msgs.msg import String

from openral_core.detectors import Detection, Health, LifecycleState
from openral_core.rskills import Mode
from openral_msgs.srv import LocateInView
from openral_perception_ros.active_detector import ActiveDetector, DetectorConfig
from openral_perception_ros.camera_images import ImageSet
from openral_perception_ros.detector import (
    load_detector,
    parent_name,
    parse_cameras,
    robot_of,
)
from openral_perception_ros.inference.worker_command import WORKER_MODULE
from openral_perception_ros.inference.worker_supervisor import WorkerEvent
from openral_perception_ros.locate_request import RequestValidator
from openral_perception_ros.locate_service import DeferredServiceServer, LocateServiceHandler
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.publishers import DetectorPublishers, inactive_status, process_memory_mb
from openral_perception_ros.scheduler import DetectionResult, RequestOutcome
from openral_ros.callback_guard import FatalNodeError
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.rskill_folders import rskill_folders
from openral_ros.run_node import run_process
from openral_ros.tracing import start_tracing
from openral_ros.worker_thread import ExecutorQueue

DIAGNOSTICS_PERIOD = 1.0
"""Period of ``/diagnostics`` [s], as usual for diagnostic_updater."""
HEARTBEAT_PERIOD = 0.5
"""Period of ``info`` [s]: observers notice a lost node within two seconds."""


RENDERS_ONLY = (
    "knows rendered images only and finds next to nothing in those of a real camera: start the robot with "
    "--detectors real (no GPU) or --detectors default (GPU)"
)


class SupervisionEnded(FatalNodeError):
    """The supervising thread ended; without it the node would report a healthy worker that may be lost."""

    kind = "supervision_ended"

    def __init__(self, error: Exception) -> None:
        super().__init__(f"worker supervision ended ({error}): exiting so that this process can be restarted")


class DetectorNode(LifecycleNodeBase):
    """Lifecycle node of one detector.

    Configuring checks the manifest and creates all interfaces; requests are answered INACTIVE. Activating
    starts the worker process and returns once one inference has succeeded; deactivating frees all of its
    memory.
    """

    transitions_apart = True
    worker_module: ClassVar[str] = WORKER_MODULE
    _active_detector: ActiveDetector | None = None
    _measured = (0.0, 0.0)
    _worker_pid = 0
    _summary = ""

    def __init__(self, name: str = "detector", **options: object) -> None:
        super().__init__(name, **options)

    def configure(self, scope: ResourceScope) -> None:
        """Check the manifest and create every interface."""
        p = declare(self, DetectorParameters)
        slug = self.get_namespace().rsplit("/", 1)[-1]
        start_tracing(slug or self.get_name(), Path(p.record) if p.record else None)
        cameras = parse_cameras(p.ordered_cameras, robot_of(self))
        detector = load_detector(
            p.rskill, rskill_folders(p.rskill_folders), tuple(camera.id for camera in cameras), p.default
        )
        self._config = DetectorConfig(p, detector, cameras, self.worker_module)
        self._calls = ExecutorQueue(scope)
        self._detector_publishers = DetectorPublishers(scope, self, detector)
        self._locate_handler = LocateServiceHandler(
            detector.manifest.id,
            RequestValidator(detector, p.deadline),
            lambda: self._active_detector,
            self._annotate,
        )
        server = DeferredServiceServer(scope, self)
        for level in (0, 1) if p.default else (0,):
            server.add_service(
                LocateInView, parent_name(self, level, "locate_in_view"), self._locate_handler.handle
            )
        server.start()
        if detector.manifest.mode is Mode.ON_DEMAND:
            scope.subscription(String, "detector_query", self._set_default_query, RELIABLE)
        else:
            scope.subscription(String, f"{robot_of(self)}/openral/look_first", self._look_first, RELIABLE)
        scope.timer(DIAGNOSTICS_PERIOD, self._publish_diagnostics)
        scope.timer(HEARTBEAT_PERIOD, self._detector_publishers.republish)
        scope.callback(self._publish_info, LifecycleState.UNCONFIGURED)
        self._publish_info(LifecycleState.INACTIVE)

    def activate(self, scope: ResourceScope) -> None:
        """Start the worker and wait for its first successful inference."""
        scope.callback(self._clear_active_detector)
        self._active_detector = ActiveDetector(
            scope, self, self._config, self._on_event, self._on_streamed_outcome, self._on_end
        )
        self._summary = self._active_detector.wait_until_ready().summary
        manifest, sim_time = self._config.detector.manifest, self.get_parameter("use_sim_time").value
        if manifest.imagery == "renders" and not sim_time:
            self.get_logger().warning(f"{manifest.id} {RENDERS_ONLY}")
        if self._summary:
            self.get_logger().info(f"{self._config.detector.manifest.id}: outputs are {self._summary}")
        self._publish_info(LifecycleState.ACTIVE)

    def on_fatal(self, reason: FatalNodeError) -> None:
        """Report the fatal error to the rest of the graph as well."""
        super().on_fatal(reason)
        self._detector_publishers.failures.report_fatal(reason)

    def _clear_active_detector(self) -> None:
        self._active_detector = None
        self._publish_info(LifecycleState.INACTIVE)

    def _annotate(self, image_set: ImageSet, detections: tuple[Detection, ...]) -> None:
        if self._detector_publishers.has_annotation_subscriber:
            self._calls.post(partial(self._detector_publishers.annotated, image_set, detections))

    def _on_streamed_outcome(self, outcome: RequestOutcome) -> None:
        if isinstance(outcome, DetectionResult):
            self._detector_publishers.objects(outcome.image_set, outcome.detections)
            self._annotate(outcome.image_set, outcome.detections)

    def _on_event(self, event: WorkerEvent) -> None:
        self.get_logger().warning(event.message)
        self._calls.post(partial(self._on_worker_event, event))

    def _on_end(self, error: Exception) -> None:
        self._calls.post(partial(self._raise_supervision_ended, error))

    def _raise_supervision_ended(self, error: Exception) -> None:
        raise SupervisionEnded(error)

    def _on_worker_event(self, event: WorkerEvent) -> None:
        self._detector_publishers.event(event)
        if self._active_detector is not None and self._active_detector.loaded:
            self._publish_info(LifecycleState.ACTIVE)

    def _set_default_query(self, message: String) -> None:
        self._locate_handler.query = message.data

    def _look_first(self, message: String) -> None:
        if self._active_detector is not None:
            self._active_detector.look_first(message.data)

    def _publish_diagnostics(self) -> None:
        name = self.get_fully_qualified_name()
        self._detector_publishers.diagnostics(
            self._active_detector.diagnostics(name) if self._active_detector else inactive_status(name)
        )

    def _publish_info(self, state: LifecycleState) -> None:
        """Publish the detector's description; measurements outlive the worker they come from."""
        active, health = self._active_detector, (Health.OK, "")
        if active is not None:
            self._measured = active.memory or self._measured[0], active.latency
            self._worker_pid = active.worker_status.pid
            health = active.worker_status.health, active.worker_status.health_message
        held = process_memory_mb(self._worker_pid)
        self._detector_publishers.info(
            self._config.detector.info(state, *self._measured, held, *health, self._summary)
        )


def main() -> None:
    """Run one detector node."""
    run_process(DetectorNode)
