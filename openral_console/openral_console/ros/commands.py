"""Commands of a page as prompts and service calls; each ends with an answer or a typed error."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from uuid import uuid4

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from pydantic import ValidationError
from rclpy.node import Node
from std_msgs.msg import Header, String
from std_srvs.srv import Trigger
from vision_msgs.msg import (
    BoundingBox2D,
    Detection2D,
    Detection2DArray,
    ObjectHypothesis,
    ObjectHypothesisWithPose,
)

from openral_console.ros import views
from openral_console.sections import Json, finite
from openral_console.source import AnswerTimeout, ConsoleError, RejectedCommand
from openral_core.errors import format_choices
from openral_core.home_edits import EDIT_HOME, HOME_EDITS, EditRequest, EditState
from openral_core.prompts import MAX_OBJECTS
from openral_core.spatial_memory import EditOperation
from openral_msgs.msg import PromptReceipt
from openral_msgs.srv import EditMemory, LocateInView, ObserveDetections, RecallObject
from openral_ros.conversions.stamps import stamp_of
from openral_ros.node_thread import Deliver
from openral_ros.prompt_client import RECEIPT_TIMEOUT, NotAcknowledged, PromptClient
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient, CallError
from openral_ros.stop_client import StopClient

Answer = Deliver[Json]
RECALL_TIMEOUT, EDIT_TIMEOUT, LOCATE_TIMEOUT, TRANSITION_TIMEOUT = 5.0, 5.0, 30.0, 120.0  # [s]
OBSERVE_TIMEOUT, RELEASE_TIMEOUT = 5.0, 5.0
"""Longest waits for a node [s]; activation may load a model from disk."""
DISCOVERY_PERIOD, DISCOVERY_CHECKS = 0.25, 8
"""Time between two checks whether a service has been discovered [s], and their number."""
COMMAND_TIMEOUT = TRANSITION_TIMEOUT + DISCOVERY_PERIOD * DISCOVERY_CHECKS
"""Longest duration of any command [s]; each ends by its own deadline before that."""
MAX_PENDING = 32
"""Most prompts without a receipt."""
OPERATIONS = {operation.name.lower(): operation.value for operation in EditOperation}
TRANSITIONS = {"activate": Transition.TRANSITION_ACTIVATE, "deactivate": Transition.TRANSITION_DEACTIVATE}


class Refused(ConsoleError):
    """A node that refused a command."""

    status = 409


class Unavailable(ConsoleError):
    """A node that is not there, or failed."""

    status = 503


class Commands:
    """Commands by name; used on the node's thread alone.

    Args:
        scope: Owns the interfaces.
        node: Its executor calls back.
        on_stop: Called with the reason of an emergency stop, "" once it is released.
    """

    def __init__(self, scope: ResourceScope, node: Node, on_stop: Callable[[str], object]) -> None:
        self._scope, self._node = scope, node
        self._on_stop = on_stop
        self._stops: list[Answer] = []
        self._ending = False
        self._emergency = StopClient(scope, node, self._on_stop_state)
        self._clients: dict[str, AsyncServiceClient[object]] = {}
        self._prompts = PromptClient(scope, node, "console")
        self._by_name: Mapping[str, Callable[[Mapping[str, Json], Answer], None]] = {
            "prompt": self._prompt,
            "stop": self._stop,
            "release": self._release,
            "recall": self._recall,
            "edit": self._edit,
            "locate": self._locate,
            "observe": self._observe,
            "detector": self._transition,
            "edit_home": self._edit_home,
        }
        self._home_edits: dict[str, Answer] = {}
        self._ask_mapper = scope.publisher(String, EDIT_HOME, RELIABLE)
        scope.subscription(String, HOME_EDITS, self._on_home_edits, LATCHED)

    def start(self, name: str, values: Mapping[str, Json], answer: Answer) -> None:
        """Start a command; ``answer`` gets its answer or a `ConsoleError`.

        Raises:
            ConsoleError: If it is unknown or invalid.
        """
        if name not in self._by_name:
            raise RejectedCommand(f"unknown command {name[:40]!r}: {format_choices(sorted(self._by_name))}")
        self._by_name[name](values, answer)

    def _prompt(self, values: Mapping[str, Json], answer: Answer) -> None:
        in_reply_to = text_of(values, "in_reply_to", 200, required=False)
        text, objects = text_of(values, "text"), ids_of(values)
        if self._prompts.unacknowledged >= MAX_PENDING:
            raise Unavailable("the reasoner has not acknowledged the prompts before this one")
        self._send(text, in_reply_to, answer, objects)

    def _stop(self, values: Mapping[str, Json], answer: Answer) -> None:
        """Latch the emergency stop, which needs no reasoner, and end the mission."""
        self._emergency.stop("stop button of the console")
        self._stops.append(answer)
        if self._emergency.reason:
            self._answer_stops({"message": f"stopped: {self._emergency.reason}"})
        if not self._ending:
            self._ending = True
            self._send("stop", "", self._ended)

    def _ended(self, outcome: Json | Exception) -> None:
        self._ending = False
        self._answer_stops(outcome)

    def _on_stop_state(self, reason: str) -> None:
        self._on_stop(reason)
        if reason:
            self._answer_stops({"message": f"stopped: {reason}"})

    def _answer_stops(self, outcome: Json | Exception) -> None:
        """Answer every stop that waits: by the latch or by the reasoner's receipt, whichever comes first."""
        stops, self._stops = self._stops, []
        for answer in stops:
            answer(outcome)

    def _release(self, values: Mapping[str, Json], answer: Answer) -> None:
        def finish(response: Trigger.Response | CallError) -> None:
            if isinstance(response, CallError):
                answer(Unavailable(str(response)))
            else:
                answer({"message": response.message} if response.success else Refused(response.message))

        self._emergency.release(RELEASE_TIMEOUT, finish)

    def _send(self, text: str, in_reply_to: str, answer: Answer, objects: Sequence[str] = ()) -> None:
        def finish(outcome: PromptReceipt | NotAcknowledged) -> None:
            if isinstance(outcome, NotAcknowledged):
                answer(AnswerTimeout("the reasoner", RECEIPT_TIMEOUT))
            elif outcome.outcome == PromptReceipt.OUTCOME_REFUSED:
                answer(Refused(outcome.message or "the reasoner refused the prompt"))
            else:
                answer(views.receipt(outcome))

        self._prompts.send(finish, RECEIPT_TIMEOUT, text=text, in_reply_to=in_reply_to, objects=objects)

    def _recall(self, values: Mapping[str, Json], answer: Answer) -> None:
        request = RecallObject.Request(query=text_of(values, "query", 500), limit=20)
        self._call(RecallObject, "openral/recall_object", request, RECALL_TIMEOUT, answer, _recalled)

    def _edit(self, values: Mapping[str, Json], answer: Answer) -> None:
        operation = text_of(values, "operation", 20)
        if operation not in OPERATIONS:
            raise RejectedCommand(f"unknown operation {operation!r}: {format_choices(sorted(OPERATIONS))}")
        name = text_of(values, "id", 200, required=operation != "undo")
        request = EditMemory.Request(operation=OPERATIONS[operation], node_id=name)
        if operation == "rename":
            request.label = text_of(values, "label", 200)
        elif operation == "merge":
            request.other = text_of(values, "other", 200)
        elif operation == "move":
            point = request.position
            point.x, point.y, point.z = (number_of(values, axis) for axis in ("x", "y", "z"))
        self._call(EditMemory, "openral/edit_memory", request, EDIT_TIMEOUT, answer, _edited)

    def _locate(self, values: Mapping[str, Json], answer: Answer) -> None:
        slug = _slug(values)
        query, camera = text_of(values, "query", 500), text_of(values, "camera", 100, required=False)
        request = LocateInView.Request(query=query, camera=camera, deadline=LOCATE_TIMEOUT - 5.0)
        service = f"openral/perception/{slug}/locate_in_view"
        self._call(LocateInView, service, request, LOCATE_TIMEOUT, answer, _located)

    def _observe(self, values: Mapping[str, Json], answer: Answer) -> None:
        """Have world_state remember one box of an image."""
        request = ObserveDetections.Request(detections=box_of(values))
        request.camera, request.detector = text_of(values, "camera", 100), text_of(values, "detector", 200)
        self._call(ObserveDetections, "openral/observe", request, OBSERVE_TIMEOUT, answer, _remembered)

    def _transition(self, values: Mapping[str, Json], answer: Answer) -> None:
        slug, name = _slug(values), text_of(values, "transition", 20)
        if name not in TRANSITIONS:
            raise RejectedCommand(f"unknown transition {name!r}: {format_choices(sorted(TRANSITIONS))}")
        request = ChangeState.Request(transition=Transition(id=TRANSITIONS[name]))
        service = f"openral/perception/{slug}/detector/change_state"
        self._call(ChangeState, service, request, TRANSITION_TIMEOUT, answer, partial(_changed, name))

    def _edit_home(self, values: Mapping[str, Json], answer: Answer) -> None:
        """Have the mapper change the map of the found home; its answer repeats the request's id."""
        if not self._ask_mapper.get_subscription_count():
            raise Unavailable(
                "no mapper finds this home by itself; change the file of its map: openral map annotate"
            )
        request = uuid4().hex
        try:
            text = EditRequest(request=request, edit=dict(values)).model_dump_json()
        except (ValueError, RecursionError) as error:
            raise RejectedCommand("expected an edit: names, numbers and points in Unicode") from error
        self._home_edits[request] = answer
        self._ask_mapper.publish(String(data=text))

        def give_up() -> None:
            timer.cancel()
            if self._home_edits.pop(request, None) is not None:
                answer(AnswerTimeout("the mapper", EDIT_TIMEOUT))

        timer = self._scope.timer(EDIT_TIMEOUT, give_up)

    def _on_home_edits(self, message: String) -> None:
        with suppress(ValidationError):
            state = EditState.model_validate_json(message.data)
            answer = self._home_edits.pop(state.request, None)
            if answer is not None:
                error = views.cut(state.error, 2000).removeprefix("edit: ")
                answer(Refused(error) if error else {"message": "The map was changed."})

    def _call(
        self,
        service_type: type,
        name: str,
        request: object,
        timeout: float,
        answer: Answer,
        view: Callable[[object], Json],
    ) -> None:
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = AsyncServiceClient(self._scope, self._node, service_type, name)
        # A client that was just made has not discovered its server yet.
        wait = [DISCOVERY_CHECKS]

        def attempt() -> None:
            wait[0] -= 1
            if client.ready or wait[0] <= 0:
                timer.cancel()
                client.call(request, timeout, finish)

        def finish(response: object) -> None:
            if isinstance(response, CallError):
                answer(Unavailable(str(response)))
                return
            try:
                answer(view(response))
            except ConsoleError as error:
                answer(error)

        if client.ready:
            client.call(request, timeout, finish)
        else:
            timer = self._scope.timer(DISCOVERY_PERIOD, attempt)


def _slug(values: Mapping[str, Json]) -> str:
    slug = text_of(values, "detector", 100)
    if not all((letter.isalnum() and letter.isascii()) or letter == "_" for letter in slug):
        raise RejectedCommand(f"detector: expected a slug, found {slug!r}")
    return slug


def _recalled(response: RecallObject.Response) -> Json:
    return {
        "status": _name_of(RecallObject.Response, response.status),
        "message": views.cut(response.message),
        "matches": [views.match(each) for each in response.matches],
        "near_misses": [views.match(each) for each in response.near_misses],
        "nearest_names": [views.cut(each, 200) for each in response.nearest_names],
    }


def _edited(response: EditMemory.Response) -> Json:
    if response.status != EditMemory.Response.EDITED:
        raise Refused(f"{_name_of(EditMemory.Response, response.status)}: {response.message}")
    return {"message": views.cut(response.message)}


def _located(response: LocateInView.Response) -> Json:
    return {
        "status": _name_of(LocateInView.Response, response.status),
        "message": views.cut(response.message),
        "camera": response.camera,
        "detections": views.detections(response.detections),
        "frame_age": finite(response.frame_age if math.isfinite(response.frame_age) else 0.0),
        "inference_time": finite(response.inference_time),
    }


def _remembered(response: ObserveDetections.Response) -> Json:
    if not response.matches:
        reason = "; ".join(dict.fromkeys([response.message, *response.refused]))
        raise Refused(f"{_name_of(ObserveDetections.Response, response.status)}: {views.cut(reason)}")
    best = response.matches[0]
    name, label = views.cut(best.node_id, 200), views.cut(best.label, 200)
    return {"id": name, "message": f"remembered as {label} ({name})"}


def _changed(name: str, response: ChangeState.Response) -> Json:
    if not response.success:
        raise Refused(f"the detector could not {name}; its log says why")
    return {"message": f"{name}d"}


def _name_of(response_type: type, status: int) -> str:
    """Return the name of a status constant."""
    names = (name for name in dir(type(response_type)) if name.isupper() and not name.startswith("_"))
    return next((name for name in names if getattr(response_type, name) == status), f"status {status}")


def text_of(values: object, name: str, longest: int = 4000, required: bool = True) -> str:
    """Return a text of a request.

    Raises:
        RejectedCommand: If it is missing, empty, too long, or not text.
    """
    value = values.get(name, "") if isinstance(values, dict) else None
    if not isinstance(value, str) or len(value) > longest or (required and not value.strip()):
        content = (
            "nothing" if value in ("", None) else f"{type(value).__name__} of {len(str(value))} characters"
        )
        raise RejectedCommand(f"{name}: expected text of 1 to {longest} characters, found {content}")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise RejectedCommand(f"{name}: expected Unicode text, found half of a surrogate pair")
    return value


def ids_of(values: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the ids of what the operator points at.

    Raises:
        RejectedCommand: If they are no list of a few texts.
    """
    ids = values.get("objects", [])
    if not isinstance(ids, list) or len(ids) > MAX_OBJECTS:
        raise RejectedCommand(f"objects: expected a list of at most {MAX_OBJECTS} ids")
    return tuple(text_of({"objects": each}, "objects", 200) for each in ids)


def box_of(values: Mapping[str, Json]) -> Detection2DArray:
    """Return a box of a page, as `views.detections` gave it: centre and size in [px] of the source image.

    Raises:
        RejectedCommand: If a value is missing or invalid.
    """
    sides = values.get("box")
    named = dict(zip("xywh", sides, strict=False)) if isinstance(sides, list) else {}
    box = BoundingBox2D(size_x=number_of(named, "w"), size_y=number_of(named, "h"))
    box.center.position.x, box.center.position.y = number_of(named, "x"), number_of(named, "y")
    label, score = text_of(values, "label", 200), number_of(values, "score")
    best = ObjectHypothesisWithPose(hypothesis=ObjectHypothesis(class_id=label, score=score))
    header = Header(stamp=stamp_of(number_of(values, "stamp")), frame_id=text_of(values, "frame", 100))
    return Detection2DArray(header=header, detections=[Detection2D(bbox=box, results=[best])])


def number_of(values: object, name: str) -> float:
    """Return a finite number of a request.

    Raises:
        RejectedCommand: If it is missing or not a finite number.
    """
    value = values.get(name) if isinstance(values, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value - value != 0.0:
        raise RejectedCommand(f"{name}: expected a number, found {str(value)[:40]!r}")
    return float(value)
