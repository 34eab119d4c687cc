"""execute_rskill: goals to the skill server, their progress and their ends."""

from collections.abc import Callable
from functools import partial
from time import monotonic

from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future

from openral_core.skills import Verb
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import SkillCatalogue
from openral_reasoner.commands import CancelSkill, SendSkill
from openral_reasoner.events import CallFailed, SkillEnded, SkillProgressed
from openral_reasoner_ros.clients.base import BAD_ANSWERS, call_failed
from openral_reasoner_ros.dispatcher import Post
from openral_reasoner_ros.liveness import ServiceMonitor
from openral_reasoner_ros.skill_catalogues import Catalogue, Catalogues
from openral_reasoner_ros.topics import EXECUTE, SKILLS
from openral_reasoner_ros.tracing import Traces
from openral_ros.conversions.skills import skill_goal_message, skill_result_from_message
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope

GIVEN_UP = 6
"""Polls in a row without the server that end its goals: a moment's silence, while it plans, ends none."""

STOPPING = 10
"""Polls with the server back during which goals that were given up are stopped before new ones are sent."""

LONGEST = 200
"""Verbs of a catalogue, and characters of its words, that are read."""


class SkillClient:
    """The one way to the skill server."""

    def __init__(self, scope: ResourceScope, node: Node, post: Post, traces: Traces, timeout: float) -> None:
        self._client = ActionClient(node, ExecuteRskill, EXECUTE)
        scope.callback(self._client.destroy)
        self._server = ServiceMonitor(scope, node, f"{EXECUTE}/_action/send_goal", timeout)
        scope.subscription(SkillCatalogue, SKILLS, self._on_catalogue, LATCHED)
        self._post, self._traces = post, traces
        self._handles: dict[str, ClientGoalHandle | None] = {}
        self._unwanted: set[str] = set()
        self._catalogues = Catalogues()
        self._absences = 0
        self._orphans: dict[str, tuple[ClientGoalHandle, int]] = {}

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """What may be asked of it."""
        known = {verb.value: verb for verb in Verb}
        return tuple(known[name] for name in self._catalogues.verbs(monotonic()) if name in known)

    @property
    def holding(self) -> str:
        """Label of what it says it holds."""
        return self._catalogues.newest.holding

    @property
    def busy(self) -> bool:
        """Whether it says it is at something."""
        return bool(self._catalogues.newest.busy_with)

    @property
    def alive(self) -> bool:
        """Whether the server is there, is active and answers, and is at no goal that was given up."""
        return self._answers and not self._orphans

    @property
    def _answers(self) -> bool:
        return bool(self._client.server_is_ready()) and self._server.serves

    def send(self, command: SendSkill) -> None:
        """Send one goal."""
        if not self.alive:
            message = "no skill server lives"
            self._post(CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message=message))
            return
        call_id = command.call_id
        self._handles[call_id] = None
        goal = skill_goal_message(command.goal, self._traces.traceparent(call_id))
        sent = self._client.send_goal_async(goal, feedback_callback=partial(self._on_feedback, call_id))
        sent.add_done_callback(self._guarded(call_id, self._on_accepted))

    def cancel(self, command: CancelSkill) -> None:
        """Stop a goal, at the latest when its server has accepted it."""
        handle = self._handles.get(command.call_id)
        if handle is None:
            self._unwanted.add(command.call_id)
        else:
            handle.cancel_goal_async()

    def poll(self) -> None:
        """Ask whether it lives, give up goals whose server stays gone, and stop those once it is back."""
        self._server.poll()
        answers = self._answers
        self._absences = 0 if answers else self._absences + 1
        if answers:
            self._stop_orphans()
        if self._absences >= GIVEN_UP:
            for call_id, handle in tuple(self._handles.items()):
                if handle is not None:  # one that only seemed dead must not go on by itself
                    self._orphans[call_id] = (handle, STOPPING)
                    handle.cancel_goal_async()
                self._fail(call_id, "UNAVAILABLE", "the skill server is gone")

    def _stop_orphans(self) -> None:
        """Cancel each again: a request over a link that was cut may never have arrived."""
        for call_id, (handle, polls) in tuple(self._orphans.items()):
            self._orphans[call_id] = (handle, polls - 1)
            if polls == 0:
                del self._orphans[call_id]
                continue
            handle.cancel_goal_async()
            ended = handle.get_result_async()
            ended.add_done_callback(lambda _, call_id=call_id: self._orphans.pop(call_id, None))

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
            handle.cancel_goal_async()
            return
        self._handles[call_id] = handle
        handle.get_result_async().add_done_callback(self._guarded(call_id, self._on_result))
        if call_id in self._unwanted:
            handle.cancel_goal_async()

    def _on_result(self, call_id: str, future: Future) -> None:
        self._forget(call_id)
        try:
            self._post(SkillEnded(call_id=call_id, result=skill_result_from_message(future.result().result)))
        except BAD_ANSWERS as error:
            self._post(call_failed(call_id, error))

    def _on_feedback(self, call_id: str, message: ExecuteRskill.Impl.FeedbackMessage) -> None:
        self._server.heard()
        feedback = message.feedback
        self._post(SkillProgressed(call_id=call_id, stage=feedback.stage, progress=feedback.progress))

    def _on_catalogue(self, message: SkillCatalogue) -> None:
        if message.verbs:  # one that is not active has none
            self._server.heard()
        verbs = tuple(verb for verb in message.verbs[:LONGEST] if verb in set(Verb))
        said = Catalogue(verbs, message.holding[:LONGEST], message.busy_with[:LONGEST])
        self._catalogues = self._catalogues.hear(said, monotonic())

    def _fail(self, call_id: str, condition: str, message: str) -> None:
        self._forget(call_id)
        self._post(CallFailed(call_id=call_id, condition=condition, message=message))

    def _forget(self, call_id: str) -> None:
        self._handles.pop(call_id, None)
        self._unwanted.discard(call_id)
