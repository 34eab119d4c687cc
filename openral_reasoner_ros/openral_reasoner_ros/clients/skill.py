"""Client of execute_rskill: sends goals to the skill server and posts their progress and results.

A `SkillCatalogue` does not carry its publisher, so a catalogue of another publisher cannot be told from the
server's. The server repeats its own; `Catalogues` therefore offers the union of the recent ones, and the
server rejects a verb that it does not implement.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Self

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String
from unique_identifier_msgs.msg import UUID

from openral_core.consent_policy import InvalidPolicy, Policy, parse_policy
from openral_core.skills import Verb
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import SkillCatalogue
from openral_reasoner.commands import CancelSkill, SendSkill
from openral_reasoner.events import CallFailed, SkillEnded, SkillProgressed
from openral_reasoner_ros.clients.services import BAD_ANSWERS, call_failed
from openral_reasoner_ros.dispatcher import Post
from openral_reasoner_ros.liveness import ServiceMonitor
from openral_reasoner_ros.telemetry import Traces
from openral_reasoner_ros.topics import EXECUTE, SKILLS
from openral_ros.consent import POLICY
from openral_ros.conversions.skills import skill_goal_message, skill_result_from_message
from openral_ros.qos import LATCHED
from openral_ros.rclpy_internals import receive_feedback
from openral_ros.resources import ResourceScope

MAX_MISSED_POLLS = 6
"""Polls in a row without the server after which its goals fail; planning can silence it for a moment."""
ORPHAN_CANCEL_POLLS = 10
"""Polls after the server's return in which abandoned goals are cancelled before new ones are sent."""
MAX_CATALOGUE_LENGTH = 200
"""Verbs of a catalogue, and characters of its strings, that are read."""
CATALOGUE_EXPIRY = 3.0
"""Age after which a catalogue that is not repeated is dropped, if there is a newer one [s]."""
MAX_CATALOGUES = 8
"""Distinct catalogues that are kept; a server that changes its own has one or two at a time."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Content of one `SkillCatalogue`."""

    verbs: tuple[str, ...] = ()
    holding: str = ""
    busy_with: str = ""


@dataclass(frozen=True, slots=True)
class Catalogues:
    """Received catalogues with the time each was last received [s], the newest last."""

    received: tuple[tuple[Catalogue, float], ...] = ()

    def with_received(self, catalogue: Catalogue, now: float) -> Self:
        """Return the catalogues after one more message."""
        others = tuple((known, at) for known, at in self.received if known != catalogue)
        return type(self)((*others[-(MAX_CATALOGUES - 1) :], (catalogue, now)))

    def current(self, now: float) -> tuple[Catalogue, ...]:
        """Return the newest catalogue and every other one that has not expired."""
        latest = self.received[-1:]
        return tuple(
            known for known, at in self.received if now - at < CATALOGUE_EXPIRY or (known, at) in latest
        )

    def verbs(self, now: float) -> tuple[str, ...]:
        """Return the union of the current catalogues' verbs, those of the newest first."""
        verbs = (verb for catalogue in reversed(self.current(now)) for verb in catalogue.verbs)
        return tuple(dict.fromkeys(verbs))

    @property
    def newest(self) -> Catalogue:
        """The catalogue received last."""
        return self.received[-1][0] if self.received else Catalogue()


class SkillClient:
    """Action client of the skill server.

    Goals of a server that stays silent fail; if it returns, they are cancelled before new ones are sent.

    Attributes:
        policy: Consent policy that the server enforces, for the palette.
    """

    def __init__(self, scope: ResourceScope, node: Node, post: Post, traces: Traces, timeout: float) -> None:
        self.policy = Policy()
        scope.subscription(String, POLICY, self._on_policy, LATCHED)
        self._client = ActionClient(node, ExecuteRskill, EXECUTE)
        scope.callback(self._client.destroy)
        self._server = ServiceMonitor(scope, node, f"{EXECUTE}/_action/send_goal", timeout)
        scope.subscription(SkillCatalogue, SKILLS, self._on_catalogue, LATCHED)
        self._post, self._traces = post, traces
        self._handles: dict[str, ClientGoalHandle | None] = {}
        self._cancel_requested: set[str] = set()
        self._catalogues = Catalogues()
        self._missed_polls = 0
        self._orphans: dict[str, tuple[ClientGoalHandle, int]] = {}
        self._node = node
        self.run_id = uuid.uuid4().hex

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """Verbs that the server offers."""
        known = {verb.value: verb for verb in Verb}
        return tuple(known[name] for name in self._catalogues.verbs(monotonic()) if name in known)

    @property
    def holding(self) -> str:
        """Label of the object that the server reports as held."""
        return self._catalogues.newest.holding

    @property
    def busy(self) -> bool:
        """True while the server reports a running skill."""
        return bool(self._catalogues.newest.busy_with)

    @property
    def alive(self) -> bool:
        """True while the server is active and answers, and runs no abandoned goal."""
        return self._answers and not self._orphans

    @property
    def server(self) -> str:
        """Identity of the running action server, which knows the goals it has got; "" if there is none."""
        topic = self._node.resolve_topic_name(f"{EXECUTE}/_action/status")
        ids = (bytes(info.endpoint_gid).hex() for info in self._node.get_publishers_info_by_topic(topic))
        return " ".join(sorted(ids))

    @property
    def _answers(self) -> bool:
        return bool(self._client.server_is_ready()) and self._server.available

    def send(self, command: SendSkill) -> None:
        """Send one goal."""
        if not self.alive:
            message = "no skill server is available"
            self._post(CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message=message))
            return
        call_id = command.call_id
        self._handles[call_id] = None
        goal = skill_goal_message(command.goal, self._traces.traceparent(call_id))
        sent = self._client.send_goal_async(
            goal, feedback_callback=partial(self._on_feedback, call_id), goal_uuid=self._goal_id(call_id)
        )
        sent.add_done_callback(self._guarded(call_id, self._on_accepted))

    def adopt(self, command: SendSkill) -> None:
        """Take over a goal of an earlier process, and send it if the server has never got it."""
        call_id = command.call_id
        handle = self._handle_of(call_id)
        self._handles[call_id] = handle
        receive_feedback(self._client, handle.goal_id, partial(self._on_feedback, call_id))
        ended = handle.get_result_async()
        ended.add_done_callback(self._guarded(call_id, partial(self._on_adopted, command)))
        if call_id in self._cancel_requested:
            handle.cancel_goal_async()

    def _on_adopted(self, command: SendSkill, call_id: str, future: Future) -> None:
        if future.result().status != GoalStatus.STATUS_UNKNOWN:
            self._on_result(call_id, future)
        elif call_id in self._cancel_requested:
            self._fail(call_id, "CANCELLED", "cancelled before the skill server got it")
        elif call_id in self._handles:
            self._handles.pop(call_id)
            self.send(command)

    def _handle_of(self, call_id: str) -> ClientGoalHandle:
        """Return a handle of a goal whose acceptance this process has not received."""
        accepted = ExecuteRskill.Impl.SendGoalService.Response(accepted=True)
        return ClientGoalHandle(self._client, self._goal_id(call_id), accepted)

    def _goal_id(self, call_id: str) -> UUID:
        """Return the same id for a call in every process that goes on with its mission."""
        return UUID(uuid=list(uuid.uuid5(uuid.UUID(self.run_id), call_id).bytes))

    def cancel(self, command: CancelSkill) -> None:
        """Cancel a goal, or have it cancelled as soon as the server accepts it."""
        handle = self._handles.get(command.call_id)
        if handle is None:
            self._cancel_requested.add(command.call_id)
        else:
            handle.cancel_goal_async()

    def poll(self) -> None:
        """Probe the server, fail goals while it stays silent, and cancel those once it is back."""
        self._server.poll()
        answers = self._answers
        self._missed_polls = 0 if answers else self._missed_polls + 1
        if answers:
            self._cancel_orphans()
        if self._missed_polls >= MAX_MISSED_POLLS:
            for call_id, handle in tuple(self._handles.items()):
                self._abandon(call_id, handle or self._handle_of(call_id))
                self._fail(call_id, "UNAVAILABLE", "the skill server no longer responds")

    def _abandon(self, call_id: str, handle: ClientGoalHandle) -> None:
        """Have a goal cancelled, which a server that only seemed dead may run or still receive."""
        self._orphans[call_id] = (handle, ORPHAN_CANCEL_POLLS)
        handle.cancel_goal_async()

    def _cancel_orphans(self) -> None:
        """Cancel every abandoned goal again, as a request may be lost; ask once for its result."""
        for call_id, (handle, polls) in tuple(self._orphans.items()):
            self._orphans[call_id] = (handle, polls - 1)
            if polls == 0:
                del self._orphans[call_id]
                continue
            handle.cancel_goal_async()
            if polls == ORPHAN_CANCEL_POLLS:
                ended = handle.get_result_async()
                ended.add_done_callback(partial(self._on_orphan_ended, call_id))

    def _on_orphan_ended(self, call_id: str, future: Future) -> None:
        """Release the server for new goals, unless the request of this one may still be on its way."""
        error = future.exception()
        if error is None and future.result().status != GoalStatus.STATUS_UNKNOWN:
            self._orphans.pop(call_id, None)

    def _guarded(self, call_id: str, callback: Callable[[str, Future], None]) -> Callable[[Future], None]:
        def done(future: Future) -> None:
            error = future.exception()
            if error is None:
                callback(call_id, future)
            else:
                self._fail(call_id, "BROKEN_OFF", str(error))

        return done

    def _on_accepted(self, call_id: str, future: Future) -> None:
        handle: ClientGoalHandle = future.result()
        if not handle.accepted:
            self._fail(call_id, "REJECTED", "the skill server did not accept the goal")
            return
        if call_id not in self._handles:
            self._abandon(call_id, handle)
            return
        self._handles[call_id] = handle
        handle.get_result_async().add_done_callback(self._guarded(call_id, self._on_result))
        if call_id in self._cancel_requested:
            handle.cancel_goal_async()

    def _on_result(self, call_id: str, future: Future) -> None:
        self._forget(call_id)
        try:
            self._post(SkillEnded(call_id=call_id, result=skill_result_from_message(future.result().result)))
        except BAD_ANSWERS as error:
            self._post(call_failed(call_id, error))

    def _on_feedback(self, call_id: str, message: ExecuteRskill.Impl.FeedbackMessage) -> None:
        self._server.note_activity()
        feedback = message.feedback
        self._post(SkillProgressed(call_id=call_id, stage=feedback.stage, progress=feedback.progress))

    def _on_catalogue(self, message: SkillCatalogue) -> None:
        if message.verbs:  # the catalogue of an inactive server is empty
            self._server.note_activity()
        verbs = tuple(verb for verb in message.verbs[:MAX_CATALOGUE_LENGTH] if verb in set(Verb))
        catalogue = Catalogue(
            verbs, message.holding[:MAX_CATALOGUE_LENGTH], message.busy_with[:MAX_CATALOGUE_LENGTH]
        )
        self._catalogues = self._catalogues.with_received(catalogue, monotonic())

    def _on_policy(self, message: String) -> None:
        try:
            self.policy = parse_policy(message.data)
        except InvalidPolicy as error:  # the skill server enforces its own; this one is only told
            self._node.get_logger().warning(f"ignored what was published on {POLICY}: {str(error)[:200]}")

    def _fail(self, call_id: str, condition: str, message: str) -> None:
        self._forget(call_id)
        self._post(CallFailed(call_id=call_id, condition=condition, message=message))

    def _forget(self, call_id: str) -> None:
        self._handles.pop(call_id, None)
        self._cancel_requested.discard(call_id)
