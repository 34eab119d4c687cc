"""Registry of the detectors in the graph: their latched info, and the liveness of their nodes."""

from dataclasses import dataclass

from rclpy.node import Node

from openral_core.detectors import DetectorInfo
from openral_core.errors import OpenRALError
from openral_core.rskills import Mode
from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.srv import LocateInView
from openral_reasoner.palette.build import DetectorState
from openral_reasoner_ros.liveness import NodeProbe, SilenceTimer
from openral_reasoner_ros.topics import PERCEPTION
from openral_ros.conversions.detections import detector_info_from_message
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient

INFO_TYPE = "openral_msgs/msg/DetectorInfo"


@dataclass
class _Detector:
    """One detector namespace below openral/perception."""

    namespace: str
    caller: AsyncServiceClient[LocateInView.Response]
    silence: SilenceTimer
    info: DetectorInfo | None = None
    last_error: str = ""
    probe: NodeProbe | None = None


class DetectorRegistry:
    """Every detector namespace announced so far, with its latest info."""

    def __init__(self, scope: ResourceScope, node: Node, timeout: float) -> None:
        self._scope, self._node, self._timeout = scope, node, timeout
        self._prefix = node.resolve_topic_name(PERCEPTION) + "/"
        self._detectors: dict[str, _Detector] = {}

    def poll(self) -> None:
        """Register newly announced detectors and probe the known ones."""
        for topic, types in self._node.get_topic_names_and_types():
            namespace = topic.rpartition("/")[0]
            announced = topic.startswith(self._prefix) and topic.endswith("/info") and INFO_TYPE in types
            if announced and namespace not in self._detectors:
                self._register(namespace)
        for detector in self._detectors.values():
            self._probe(detector)

    def lifecycle_nodes(self) -> tuple[tuple[str, str], ...]:
        """Return the ids of live detectors with the names of their lifecycle nodes."""
        return tuple(
            (detector.info.name.id, name)
            for detector in self._preferred()
            for name in self._managed(detector.namespace)
            if detector.info is not None and self._announced(detector)
        )

    def states(self) -> tuple[DetectorState, ...]:
        """Return the state of every detector with a valid info."""
        return tuple(
            DetectorState(detector.info, self._alive(detector, detector.info), detector.namespace)
            for detector in self._preferred()
            if detector.info is not None
        )

    def caller(self, detector: str) -> AsyncServiceClient[LocateInView.Response] | None:
        """Return the locate_in_view client of a detector, by id, alias or slug."""
        matches = (d for d in self._preferred() if d.info is not None and d.info.name.answers_to(detector))
        entry = next(matches, None)
        return entry.caller if entry else None

    def _preferred(self) -> list[_Detector]:
        """Return one detector per id; the one in the namespace of that name wins over impostors."""
        chosen: dict[str, _Detector] = {}
        for namespace, detector in sorted(self._detectors.items()):
            if detector.info is None:
                continue
            name = detector.info.name
            if name.id not in chosen or namespace == f"{self._prefix}{name.slug}":
                chosen[name.id] = detector
        return list(chosen.values())

    def _register(self, namespace: str) -> None:
        service = f"{namespace}/locate_in_view"
        caller = AsyncServiceClient[LocateInView.Response](self._scope, self._node, LocateInView, service)
        detector = self._detectors[namespace] = _Detector(namespace, caller, SilenceTimer(self._timeout))

        def on_info(message: DetectorInfoMsg) -> None:
            detector.silence.reset()
            try:
                detector.info = detector_info_from_message(message)
            except OpenRALError as error:
                detector.info = None
                if str(error) != detector.last_error:
                    self._node.get_logger().warning(f"Ignoring invalid {namespace}/info: {error}")
                detector.last_error = str(error)

        self._scope.subscription(DetectorInfoMsg, f"{namespace}/info", on_info, LATCHED)

    def _managed(self, namespace: str) -> list[str]:
        suffix = "/change_state"
        names = (name for name, _ in self._node.get_service_names_and_types() if name.endswith(suffix))
        return [name.removesuffix(suffix) for name in names if name.startswith(f"{namespace}/")]

    def _probe(self, detector: _Detector) -> None:
        detector.silence.update()
        if detector.probe is None:
            for name in self._managed(detector.namespace)[:1]:
                detector.probe = NodeProbe(self._scope, self._node, name, self._timeout)
        if detector.probe is not None:
            detector.probe.poll()
            if not self._answers(detector):
                detector.info = None

    def _answers(self, detector: _Detector) -> bool:
        """Return whether it published or answered lately; a node in a transition only publishes."""
        return not detector.silence.expired or detector.probe is None or detector.probe.alive

    def _announced(self, detector: _Detector) -> bool:
        return self._answers(detector) and self._node.count_publishers(f"{detector.namespace}/info") > 0

    def _alive(self, detector: _Detector, info: DetectorInfo) -> bool:
        return self._announced(detector) and (info.mode is Mode.CONTINUOUS or detector.caller.ready)
