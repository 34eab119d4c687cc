"""Client of execute_rskill: sends goals to the skill server and posts their progress and results.

A goal's id follows from its call, and a server executes an id once and keeps its result. So a response that
was lost, with a suspended process or a link that broke, is asked for again; a goal is sent again only under
its id, to the server that has never got it.
"""

import uuid
from dataclasses import dataclass, field
from functools import partial
from time import monotonic

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String
from unique_identifier_msgs.msg import UUID

from openral_core.consent.policy import InvalidPolicy, Policy, parse_policy
from openral_core.skills import Verb
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import SkillCatalogue
from openral_reasoner.commands import CancelSkill, SendSkill
from openral_reasoner.events import OUTCOME_UNKNOWN, CallFailed, SkillEnded, SkillProgressed
from openral_reasoner_ros.catalogues import CATALOGUE_EXPIRY, Catalogue, Catalogues
from openral_reasoner_ros.dispatcher import Post
from openral_reasoner_ros.liveness import ServiceMonitor
from openral_reasoner_ros.service_clients import BAD_ANSWERS, call_failed
from openral_reasoner_ros.telemetry import Traces
from openral_reasoner_ros.topics import EXECUTE, SKILLS
from openral_ros.consent import POLICY
from openral_ros.conversions.skills import skill_goal_message, skill_result_from_message
from openral_ros.qos import LATCHED
from openral_ros.rclpy_internals import receive_feedback
from openral_ros.resources import ResourceScope

MAX_MISSED_POLLS = 60
"""Polls in a row without the server after which its goals end with an unknown outcome: a supervisor has
restarted it by then, and a suspended one may still return with the result."""
RESULT_PERIOD = 5.0
"""Period at which the result of a goal is asked for again, as the response may have been lost [s]."""
SUSPENSION = 3.0
"""Time between two polls that means that this process was suspended [s]."""
ABANDONED_POLLS = 10
"""Polls of an answering server in which an abandoned goal is cancelled before new ones are sent."""
RESTARTED = "the skill server was restarted: whether this skill ended is unknown"
SILENT = "the skill server no longer responds: whether this skill ended is unknown"
FORGOTTEN = "the skill server no longer knows this goal: whether this skill ended is unknown"


@dataclass
class OpenGoal:
    """A goal whose end is not known yet."""

    command: SendSkill  # What was to be done.
    handle: ClientGoalHandle  # Names the goal, also before its acceptance is known.
    server: str  # The skill server that may have got it.
    accepted: bool | None = None  # None until its response came.
    # Steady time at which its result is asked for again [s].
    ask_at: float = field(default_factory=lambda: monotonic() + RESULT_PERIOD)
    missing_since: float | None = None  # When the server first did not know it [s].
    cancelled: bool = False  # True if its cancellation was requested.
    # Polls left in which it is only to be cancelled; None while its result is awaited.
    abandoned: int | None = None


class SkillClient:
    """Action client of the skill server.

    Attributes:
        policy: Consent policy that the server enforces, for the palette.
        run_id: With it, the id of a call's goal is the same in every process that goes on with its mission.
    """

    def __init__(self, scope: ResourceScope, node: Node, post: Post, traces: Traces, timeout: float) -> None:
        self.policy, self.run_id = Policy(), uuid.uuid4().hex
        scope.subscription(String, POLICY, self._on_policy, LATCHED)
        self._client = ActionClient(node, ExecuteRskill, EXECUTE)
        scope.callback(self._client.destroy)
        self._monitor = ServiceMonitor(scope, node, f"{EXECUTE}/_action/send_goal", timeout)
        self.catalogue_subscription = scope.subscription(SkillCatalogue, SKILLS, self._on_catalogue, LATCHED)
        self._node, self._post, self._traces = node, post, traces
        self._goals: dict[str, OpenGoal] = {}
        self._to_cancel: set[str] = set()
        self._catalogues = Catalogues()
        self._missed_polls, self._polled = 0, monotonic()

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """Verbs that the server offers."""
        verbs = {verb.value: verb for verb in Verb}
        return tuple(verbs[name] for name in self._catalogues.verbs(monotonic()) if name in verbs)

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
        return self._answers and all(goal.abandoned is None for goal in self._goals.values())

    @property
    def server(self) -> str:
        """Identity of the running skill server, "" if there is none.

        It is the session that the server publishes, or the DDS ids of one that publishes none.
        """
        return self._catalogues.newest.session or " ".join(sorted(self._endpoints()))

    @property
    def is_known(self) -> bool:
        """True once a catalogue, which names the session of the server, has been received."""
        return bool(self._catalogues.received)

    def runs(self, server: str) -> bool:
        """Return True if a skill server with this identity is running, not one that replaced it."""
        sessions = self._catalogues.sessions(monotonic())
        return server in sessions if sessions else not self._endpoints().isdisjoint(server.split())

    def _endpoints(self) -> frozenset[str]:
        topic = self._node.resolve_topic_name(f"{EXECUTE}/_action/status")
        publishers = self._node.get_publishers_info_by_topic(topic)
        return frozenset(bytes(info.endpoint_gid).hex() for info in publishers)

    @property
    def _answers(self) -> bool:
        return bool(self._client.server_is_ready()) and self._monitor.available

    def send(self, command: SendSkill) -> None:
        """Send one goal."""
        if not self.alive:
            self._post(
                CallFailed(
                    call_id=command.call_id,
                    condition="UNAVAILABLE",
                    message="no skill server is available",
                )
            )
            return
        goal = OpenGoal(command, self._handle_of(command.call_id), self.server)
        self._goals[command.call_id] = goal
        self._send(goal)

    def _send(self, goal: OpenGoal) -> None:
        call_id, goal.missing_since = goal.command.call_id, None
        sent = self._client.send_goal_async(
            skill_goal_message(goal.command.goal, self._traces.traceparent(call_id)),
            feedback_callback=partial(self._on_feedback, call_id),
            goal_uuid=goal.handle.goal_id,
        )
        sent.add_done_callback(partial(self._on_accepted, goal))

    def adopt(self, command: SendSkill, server: str) -> None:
        """Take over a goal of an earlier process; send it if its server has never got it."""
        goal = OpenGoal(command, self._handle_of(command.call_id), server)
        self._goals[command.call_id] = goal
        if command.call_id in self._to_cancel:
            self._to_cancel.remove(command.call_id)
            self.cancel(CancelSkill(call_id=command.call_id))
        receive_feedback(self._client, goal.handle.goal_id, partial(self._on_feedback, command.call_id))
        self._ask(goal)

    def _handle_of(self, call_id: str) -> ClientGoalHandle:
        """Return a handle of a goal whose acceptance this process has not received."""
        goal_id = UUID(uuid=list(uuid.uuid5(uuid.UUID(self.run_id), call_id).bytes))
        accepted = ExecuteRskill.Impl.SendGoalService.Response(accepted=True)
        return ClientGoalHandle(self._client, goal_id, accepted)

    def cancel(self, command: CancelSkill) -> None:
        """Cancel a goal; the request is repeated until the goal has ended."""
        goal = self._goals.get(command.call_id)
        if goal is None:
            self._to_cancel.add(command.call_id)  # it may yet be adopted
            return
        goal.cancelled = True
        goal.handle.cancel_goal_async()

    def poll(self) -> None:
        """Probe the server, follow up its goals, and end those of a server that is gone."""
        now, missed = monotonic(), self._missed_polls
        was_suspended, self._polled = now - self._polled > SUSPENSION, now
        self._monitor.poll()
        answers = self._answers
        self._missed_polls = 0 if answers else missed + 1
        for goal in tuple(self._goals.values()):
            if answers:
                self._follow_up(goal, now, returned=was_suspended or missed > 0)
            elif self._missed_polls >= MAX_MISSED_POLLS and goal.abandoned is None:
                self._lose(goal, SILENT)

    def _follow_up(self, goal: OpenGoal, now: float, *, returned: bool) -> None:
        """Ask a server that answers for what may have been lost."""
        if self.is_known and not self.runs(goal.server):
            self._lose(goal, RESTARTED)
            self._goals.pop(goal.command.call_id, None)  # its server is gone, and the goal with it
            return
        if goal.abandoned is not None:
            goal.abandoned -= 1
            if goal.abandoned < 0:
                del self._goals[goal.command.call_id]
                return
        if goal.cancelled:
            goal.handle.cancel_goal_async()
        if returned or now >= goal.ask_at:
            self._ask(goal)

    def _ask(self, goal: OpenGoal) -> None:
        goal.ask_at = monotonic() + RESULT_PERIOD
        goal.handle.get_result_async().add_done_callback(partial(self._on_ended, goal))

    def _lose(self, goal: OpenGoal, message: str) -> None:
        """End a goal whose outcome is unknown, and have it cancelled in case its server runs it after all."""
        if goal.abandoned is None:
            call_id = goal.command.call_id
            self._post(CallFailed(call_id=call_id, condition=OUTCOME_UNKNOWN, message=message))
        goal.abandoned, goal.cancelled = ABANDONED_POLLS, True
        goal.handle.cancel_goal_async()

    def _on_accepted(self, goal: OpenGoal, sent: Future) -> None:
        if sent.exception() is not None:
            return  # its result tells, when it is asked for
        goal.accepted = bool(sent.result().accepted or goal.accepted)
        if goal.abandoned is not None:
            self._goals[goal.command.call_id], goal.abandoned = goal, ABANDONED_POLLS
        self._ask(goal)  # one that is rejected because it was sent before is known
        if goal.cancelled:
            goal.handle.cancel_goal_async()

    def _on_ended(self, goal: OpenGoal, future: Future) -> None:
        if future.exception() is not None or self._goals.get(goal.command.call_id) is not goal:
            return
        if future.result().status == GoalStatus.STATUS_UNKNOWN:
            self._on_unknown(goal)
            return
        call_id = goal.command.call_id
        del self._goals[call_id]
        if goal.abandoned is not None:
            return
        try:
            self._post(SkillEnded(call_id=call_id, result=skill_result_from_message(future.result().result)))
        except BAD_ANSWERS as error:
            self._post(call_failed(call_id, error))

    def _on_unknown(self, goal: OpenGoal) -> None:
        """Handle that the server does not know a goal: its request may be lost, or still on its way."""
        now, call_id = monotonic(), goal.command.call_id
        if goal.abandoned is not None:
            return
        if goal.accepted:
            self._lose(goal, FORGOTTEN)
        elif goal.accepted is False:
            self._fail(call_id, "REJECTED", "the skill server did not accept the goal")
        elif goal.missing_since is None:
            goal.missing_since, goal.ask_at = now, now + CATALOGUE_EXPIRY
        elif now - goal.missing_since < CATALOGUE_EXPIRY or not self.runs(goal.server):
            return
        elif goal.cancelled:
            self._fail(call_id, "CANCELLED", "cancelled before the skill server got it")
        else:
            self._send(goal)

    def _fail(self, call_id: str, condition: str, message: str) -> None:
        del self._goals[call_id]
        self._post(CallFailed(call_id=call_id, condition=condition, message=message))

    def _on_feedback(self, call_id: str, message: ExecuteRskill.Impl.FeedbackMessage) -> None:
        self._monitor.note_activity()
        feedback = message.feedback
        self._post(SkillProgressed(call_id=call_id, stage=feedback.stage, progress=feedback.progress))

    def _on_catalogue(self, message: SkillCatalogue) -> None:
        if message.verbs:  # the catalogue of an inactive server is empty
            self._monitor.note_activity()
        self._catalogues = self._catalogues.with_received(Catalogue.of(message), monotonic())

    def _on_policy(self, message: String) -> None:
        try:
            self.policy = parse_policy(message.data)
        except InvalidPolicy as error:  # the skill server enforces its own; this one is only told
            self._node.get_logger().warning(f"ignored what was published on {POLICY}: {str(error)[:200]}")
