"""Read-only queries to a running robot: memory, detectors, scene graph, camera images, liveness.

Its only publications and requests are queries: nothing here can move the robot or change its state.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from rclpy.qos import QoSProfile
from sensor_msgs.msg import Image

from openral_core.detectors import LifecycleState, LocateResult
from openral_core.errors import OpenRALError, format_choices
from openral_core.rskills import Mode
from openral_core.spatial_memory import RecallQuery, RecallResult, ResolveQuery, ResolveResult, SceneGraph
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_msgs.srv import LocateInView, RecallObject, ResolvePlace
from openral_reasoner.palette.build import DetectorState
from openral_reasoner_ros.detector_registry import DetectorRegistry
from openral_reasoner_ros.liveness import NodeProbe, ServiceMonitor
from openral_reasoner_ros.service_clients import BAD_ANSWERS, call_failed
from openral_reasoner_ros.topics import EXECUTE, RECALL, RESOLVE, SCENE_GRAPH
from openral_ros.conversions.detections import locate_result_from_response
from openral_ros.conversions.spatial_memory import (
    recall_request,
    recall_result_from_response,
    resolve_request,
    resolve_result_from_response,
    scene_graph_from_message,
)
from openral_ros.node_thread import Deliver, NodeThread
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient, CallError
from openral_ros.tracing import current_traceparent

Response = TypeVar("Response")
Result = TypeVar("Result")
MEMORY_DEADLINE = 5.0
"""Deadline of a memory query [s], that of the reasoner's own."""
LOCATE_DEADLINE = 20.0
"""Deadline of a detection [s], that of the reasoner's own; the detector keeps it."""
LOCATE_MARGIN = 0.5
"""Wait beyond the detector's deadline [s], so that its typed answer arrives."""
IMAGE_DEADLINE = 5.0
"""Longest wait for an annotated image [s]; continuous detectors publish about one per second or more."""
DISCOVERY = 3.0
"""Longest wait for a peer to be discovered [s]; discovery takes about one second."""
PEER_TIMEOUT = 1.4
"""Silence after which a peer counts as unavailable [s], that of the reasoner."""
POLL_PERIOD = 0.5
"""Time between two polls of the graph [s], that of the reasoner."""
ANY_IMAGE = QoSProfile(depth=1)
MAX_IMAGE_SUBSCRIPTIONS = 4
"""Annotated images requested at a time: each makes its detector draw."""


class PeerSilent(OpenRALError):
    """No usable answer of a peer; ``condition`` is a typed status."""

    def __init__(self, condition: str, why: str) -> None:
        self.condition = condition
        super().__init__(why)


class RobotReader:
    """Queries of one robot; each ends with a result or `PeerSilent` within its deadline.

    Construct it before its thread runs.
    """

    def __init__(self, thread: NodeThread) -> None:
        self._thread, scope, node = thread, thread.scope, thread.node
        self._recall = AsyncServiceClient[RecallObject.Response](scope, node, RecallObject, RECALL)
        self._resolve = AsyncServiceClient[ResolvePlace.Response](scope, node, ResolvePlace, RESOLVE)
        self._detectors = DetectorRegistry(scope, node, PEER_TIMEOUT)
        self._memory = ServiceMonitor(scope, node, RECALL, PEER_TIMEOUT)
        self._skills = ServiceMonitor(scope, node, f"{EXECUTE}/_action/send_goal", PEER_TIMEOUT)
        self._reasoner = NodeProbe(scope, node, "reasoner", PEER_TIMEOUT)
        self._scene: SceneGraphMsg | None = None
        self._started = time.monotonic()
        self._image_subscriptions = 0
        scope.subscription(SceneGraphMsg, SCENE_GRAPH, self._on_scene, LATCHED)
        scope.timer(POLL_PERIOD, self._poll)

    async def unavailable(self) -> tuple[str, ...]:
        """Name the parts of the robot that do not answer, once there was time to discover them."""
        time_left = self._started + DISCOVERY - time.monotonic()
        if time_left > 0.0:
            await self._thread.wait(lambda: not self._unavailable(), time_left)
        return await self._thread.ask(self._unavailable)

    async def recall(self, query: RecallQuery) -> RecallResult:
        """Ask memory for an object."""
        request = recall_request(query, current_traceparent())
        return await self._memory_call(self._recall, request, recall_result_from_response)

    async def resolve(self, query: ResolveQuery) -> ResolveResult:
        """Ask memory for a place, room, person or object."""
        request = resolve_request(query, current_traceparent())
        return await self._memory_call(self._resolve, request, resolve_result_from_response)

    async def locate(self, query: str, camera: str, detector: str) -> LocateResult:
        """Ask a detector for an object in the newest image; no detector is activated for it.

        Raises:
            PeerSilent: UNKNOWN_DETECTOR or NO_DETECTOR, besides what every query raises.
        """
        name = (await self.detector(detector)).info.name.id
        request = LocateInView.Request(
            query=query,
            camera=camera,
            detector=name,
            deadline=LOCATE_DEADLINE,
            traceparent=current_traceparent(),
        )

        def begin(deliver: Deliver[LocateInView.Response]) -> None:
            caller = self._detectors.caller(name)
            if caller is None:
                raise PeerSilent("UNAVAILABLE", f"detector {name!r} has left the graph")
            caller.call(request, LOCATE_DEADLINE + LOCATE_MARGIN, deliver)

        response = await self._call(begin, LOCATE_DEADLINE + LOCATE_MARGIN)
        return _converted(response, lambda answer: locate_result_from_response(answer, query))

    async def detector(self, name: str) -> DetectorState:
        """Return a detector by id, alias or slug; "" is the default locator.

        Raises:
            PeerSilent: UNKNOWN_DETECTOR, or NO_DETECTOR if there is no locator.
        """
        states = await self._states(lambda state: True)
        if name:
            named = next((state for state in states if state.info.name.answers_to(name)), None)
            if named is None:
                names = format_choices(state.info.name.id for state in states)
                raise PeerSilent(
                    "UNKNOWN_DETECTOR", f"detector {name!r} is not in the graph: choose from {names}"
                )
            return named
        locators = [state for state in states if state.info.mode is Mode.ON_DEMAND]
        if not locators:
            raise PeerSilent("NO_DETECTOR", "no on-demand detector is in the graph")
        return next((state for state in locators if state.info.is_default), locators[0])

    async def scene(self) -> SceneGraph:
        """Return the latest scene graph.

        Raises:
            PeerSilent: UNAVAILABLE before the first one, BAD_ANSWER if it is not consistent.
        """
        await self._thread.wait(lambda: self._scene is not None, DISCOVERY)
        message = self._scene
        if message is None:
            raise PeerSilent("UNAVAILABLE", "world_state has not published a scene graph: is it active?")
        return await asyncio.to_thread(_converted, message, scene_graph_from_message)

    async def image(self, detector: str) -> Image:
        """Return the next image of a detector with its boxes drawn in.

        Args:
            detector: Id, alias or slug; "" is the first active continuous detector.

        Raises:
            PeerSilent: NO_DETECTOR, UNKNOWN_DETECTOR, BUSY or TIMEOUT.
        """
        namespace = (await (self.detector(detector) if detector else self._streaming())).namespace
        if self._image_subscriptions >= MAX_IMAGE_SUBSCRIPTIONS:
            raise PeerSilent("BUSY", f"{MAX_IMAGE_SUBSCRIPTIONS} images are being waited for")
        received: list[Image] = []
        scope, topic = ResourceScope(self._thread.node), f"{namespace}/annotated"
        self._image_subscriptions += 1
        try:
            await self._thread.ask(lambda: scope.subscription(Image, topic, received.append, ANY_IMAGE))
            await self._thread.wait(lambda: bool(received), IMAGE_DEADLINE)
        finally:
            self._image_subscriptions -= 1
            self._thread.post(scope.close)
        if not received:
            raise PeerSilent("TIMEOUT", f"no image on {topic} within {IMAGE_DEADLINE:g} s")
        return received[-1]

    async def _streaming(self) -> DetectorState:
        states = await self._states(
            lambda state: state.info.mode is Mode.CONTINUOUS and state.info.state is LifecycleState.ACTIVE
        )
        if not states:
            raise PeerSilent("NO_DETECTOR", "no continuous detector is active")
        return states[0]

    async def _states(self, fits: Callable[[DetectorState], bool]) -> list[DetectorState]:
        """Return the wanted detectors, waiting for their discovery if there is none yet."""
        await self._thread.wait(lambda: any(map(fits, self._detectors.states())), DISCOVERY)
        return await self._thread.ask(lambda: [each for each in self._detectors.states() if fits(each)])

    async def _memory_call(
        self, client: AsyncServiceClient[Response], request: object, convert: Callable[[Response], Result]
    ) -> Result:
        await self._thread.wait(lambda: client.ready, DISCOVERY)

        def begin(deliver: Deliver[Response]) -> None:
            client.call(request, MEMORY_DEADLINE, deliver)

        return _converted(await self._call(begin, MEMORY_DEADLINE), convert)

    async def _call(self, begin: Callable[[Deliver[Response]], None], deadline: float) -> Response:
        try:
            return await self._thread.call(begin, deadline)
        except CallError as error:
            raise PeerSilent(call_failed("", error).condition, str(error)) from error

    def _unavailable(self) -> tuple[str, ...]:
        locators = [s for s in self._detectors.states() if s.info.mode is Mode.ON_DEMAND and s.alive]
        parts = {
            "world_state": self._memory.available,
            "on-demand detector": bool(locators),
            "reasoner": self._reasoner.available,
            "skill server": self._skills.available,
        }
        return tuple(name for name, available in parts.items() if not available)

    def _poll(self) -> None:
        self._detectors.poll()
        self._memory.poll()
        self._skills.poll()
        self._reasoner.poll()

    def _on_scene(self, message: SceneGraphMsg) -> None:
        self._scene = message


def _converted(response: Response, convert: Callable[[Response], Result]) -> Result:
    try:
        return convert(response)
    except BAD_ANSWERS as error:
        raise PeerSilent("BAD_ANSWER", f"the answer is not valid: {error}") from error
