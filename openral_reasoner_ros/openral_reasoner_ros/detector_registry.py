"""Which detectors are in the graph: their latched info and whether the node behind it lives."""

from dataclasses import dataclass

from rclpy.node import Node

from openral_core.detectors import DetectorInfo, Mode
from openral_core.errors import OpenRALError
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
    """One namespace below perception."""

    namespace: str
    caller: AsyncServiceClient[LocateInView.Response]
    spoken: SilenceTimer
    info: DetectorInfo | None = None
    refused: str = ""
    probe: NodeProbe | None = None


class DetectorRegistry:
    """Every detector namespace that has ever announced itself, and what it says now."""

    def __init__(self, scope: ResourceScope, node: Node, timeout: float) -> None:
        self._scope, self._node, self._timeout = scope, node, timeout
        self._below = node.resolve_topic_name(PERCEPTION) + "/"
        self._known: dict[str, _Detector] = {}

    def poll(self) -> None:
        """Take note of detectors that have come."""
        for topic, types in self._node.get_topic_names_and_types():
            namespace = topic.rpartition("/")[0]
            announced = topic.startswith(self._below) and topic.endswith("/info") and INFO_TYPE in types
            if announced and namespace not in self._known:
                self._meet(namespace)
        for detector in self._known.values():
            self._probe(detector)

    def lifecycle_nodes(self) -> tuple[tuple[str, str], ...]:
        """Ids of living detectors with the names of the managed nodes behind them."""
        return tuple(
            (each.info.name.id, name)
            for each in self._foremost()
            for name in self._managed(each.namespace)
            if each.info is not None and self._announced(each)
        )

    def seen(self) -> tuple[DetectorState, ...]:
        """Every detector that has said what it is."""
        return tuple(
            DetectorState(each.info, self._alive(each, each.info), each.namespace)
            for each in self._foremost()
            if each.info is not None
        )

    def caller(self, detector: str) -> AsyncServiceClient[LocateInView.Response] | None:
        """How to ask a detector to look."""
        named = (e for e in self._foremost() if e.info is not None and e.info.name.answers_to(detector))
        found = next(named, None)
        return found.caller if found else None

    def _foremost(self) -> list[_Detector]:
        """One for each id: the one in the namespace that is its own, whoever else takes its name."""
        chosen: dict[str, _Detector] = {}
        for namespace, each in sorted(self._known.items()):
            if each.info is None:
                continue
            name = each.info.name
            if name.id not in chosen or namespace == f"{self._below}{name.slug}":
                chosen[name.id] = each
        return list(chosen.values())

    def _meet(self, namespace: str) -> None:
        service = f"{namespace}/locate_in_view"
        caller = AsyncServiceClient[LocateInView.Response](self._scope, self._node, LocateInView, service)
        detector = self._known[namespace] = _Detector(namespace, caller, SilenceTimer(self._timeout))

        def on_info(message: DetectorInfoMsg) -> None:
            detector.spoken.broken()
            try:
                detector.info = detector_info_from_message(message)
            except OpenRALError as error:
                detector.info = None
                if str(error) != detector.refused:
                    self._node.get_logger().warning(f"{namespace}/info is not valid, it is left out: {error}")
                detector.refused = str(error)

        self._scope.subscription(DetectorInfoMsg, f"{namespace}/info", on_info, LATCHED)

    def _managed(self, namespace: str) -> list[str]:
        suffix = "/change_state"
        names = (name for name, _ in self._node.get_service_names_and_types() if name.endswith(suffix))
        return [name.removesuffix(suffix) for name in names if name.startswith(f"{namespace}/")]

    def _probe(self, detector: _Detector) -> None:
        detector.spoken.listen()
        if detector.probe is None:
            for name in self._managed(detector.namespace)[:1]:
                detector.probe = NodeProbe(self._scope, self._node, name, self._timeout)
        if detector.probe is not None:
            detector.probe.poll()
            if not self._answers(detector):
                detector.info = None

    def _answers(self, detector: _Detector) -> bool:
        """Speaks or answers; one that is in the middle of a transition only speaks."""
        return not detector.spoken.too_long or detector.probe is None or detector.probe.alive

    def _announced(self, detector: _Detector) -> bool:
        return self._answers(detector) and self._node.count_publishers(f"{detector.namespace}/info") > 0

    def _alive(self, detector: _Detector, info: DetectorInfo) -> bool:
        return self._announced(detector) and (info.mode is Mode.CONTINUOUS or detector.caller.ready)
