"""Commands of the mission core, and the mission report they carry.

A command with a ``call_id`` is answered by an event with the same id.
"""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from openral_core.missions import MissionState, PromptOutcome
from openral_core.skills import SkillGoal
from openral_core.spatial_memory import MemoryEdit, RecallQuery, ResolveQuery
from openral_reasoner.budget import BudgetLine
from openral_reasoner.context import CallEvent, Context, FrozenModel
from openral_reasoner.request.goals import NotUnderstood
from openral_reasoner.request.plain import StatedRequest


class CallRecord(FrozenModel):
    """One call and its outcome; ``duration`` [s]."""

    index: int
    tool: str
    arguments: str
    status: str = "pending"
    message: str = ""
    started: float = 0.0
    duration: float = 0.0

    def in_words(self) -> str:
        """Return the outcome with its reason."""
        return f"{self.status}: {self.message}" if self.message else self.status


class MissionReport(FrozenModel):
    """Content of MissionStatus.msg."""

    mission_id: str = ""
    prompt_id: str = ""
    goal: str = ""
    understood: str = ""
    request: StatedRequest = NotUnderstood("")
    requester: str = ""
    state: MissionState = MissionState.IDLE
    step: str = ""
    reason: str = ""
    budget: tuple[BudgetLine, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    searched: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    traceparent: str = ""


class HandoffQuestion(FrozenModel):
    """Content of Handoff.msg."""

    id: str
    mission_id: str
    goal: str
    tried: tuple[str, ...]
    question: str
    choices: tuple[str, ...] = ()
    budget: tuple[BudgetLine, ...] = ()
    traceparent: str = ""


class CallRecall(CallEvent):
    """Ask memory for an object."""

    kind: Literal["call_recall"] = "call_recall"
    query: RecallQuery


class CallResolve(CallEvent):
    """Ask memory to resolve a reference."""

    kind: Literal["call_resolve"] = "call_resolve"
    query: ResolveQuery


class CallLocate(CallEvent):
    """Ask a detector for an object; ``deadline`` [s]."""

    kind: Literal["call_locate"] = "call_locate"
    query: str
    camera: str
    detector: str
    deadline: float


class CallObserve(CallEvent):
    """Ask memory to place the detections of the locate call ``located``."""

    kind: Literal["call_observe"] = "call_observe"
    located: str
    camera: str
    detector: str


class CallEdit(CallEvent):
    """Ask memory to note what is known of an object."""

    kind: Literal["call_edit"] = "call_edit"
    edit: MemoryEdit


class ReadScene(CallEvent):
    """Request the newest scene graph."""

    kind: Literal["read_scene"] = "read_scene"


class SendSkill(CallEvent):
    """Send a goal to the skill server."""

    kind: Literal["send_skill"] = "send_skill"
    goal: SkillGoal


class CancelSkill(CallEvent):
    """Cancel the goal sent as ``call_id``."""

    kind: Literal["cancel_skill"] = "cancel_skill"


class ChangeState(CallEvent):
    """Request a lifecycle transition of a peer."""

    kind: Literal["change_state"] = "change_state"
    peer: str
    transition: Literal["activate", "deactivate"]


class CallForeignTool(CallEvent):
    """Call a tool of another package; ``arguments`` is a JSON object as text."""

    kind: Literal["call_foreign_tool"] = "call_foreign_tool"
    tool: str
    arguments: str


class AskModel(CallEvent):
    """Ask the model for a decision, or its ``advisor``, a stronger model, while the model is stuck."""

    kind: Literal["ask_model"] = "ask_model"
    context: Context
    advisor: bool = False


class SetDeadline(CallEvent):
    """Request a DeadlinePassed event with this id after ``seconds`` of steady time [s]."""

    kind: Literal["set_deadline"] = "set_deadline"
    seconds: float


class ClearDeadline(CallEvent):
    """Drop the deadline with this id."""

    kind: Literal["clear_deadline"] = "clear_deadline"


class PublishPrompt(FrozenModel):
    """Send a message to the operator; ``source`` as in PromptStamped."""

    kind: Literal["publish_prompt"] = "publish_prompt"
    source: str
    text: str
    in_reply_to: str = ""
    mission_id: str = ""


class PublishReceipt(FrozenModel):
    """Report the outcome of a prompt to its sender."""

    kind: Literal["publish_receipt"] = "publish_receipt"
    prompt_id: str
    outcome: PromptOutcome
    mission_id: str = ""
    message: str = ""


class PublishHandoff(FrozenModel):
    """Publish a question to a human."""

    kind: Literal["publish_handoff"] = "publish_handoff"
    question: HandoffQuestion


class PublishStatus(FrozenModel):
    """Publish the state of the mission."""

    kind: Literal["publish_status"] = "publish_status"
    report: MissionReport


class SpanStarted(FrozenModel):
    """Start a span of the trace; ``parent`` is a span of the same mission, "" at the root."""

    kind: Literal["span_started"] = "span_started"
    span: str
    parent: str
    name: str
    attributes: dict[str, str | float | int | bool] = {}


class SpanEnded(FrozenModel):
    """End a span of the trace."""

    kind: Literal["span_ended"] = "span_ended"
    span: str
    status: str
    attributes: dict[str, str | float | int | bool] = {}


class EndMission(FrozenModel):
    """Announce the end of a mission, exactly once."""

    kind: Literal["end_mission"] = "end_mission"
    mission_id: str
    state: MissionState
    reason: str


Command = Annotated[
    CallRecall
    | CallResolve
    | CallLocate
    | CallObserve
    | CallEdit
    | ReadScene
    | SendSkill
    | CancelSkill
    | ChangeState
    | CallForeignTool
    | AskModel
    | SetDeadline
    | ClearDeadline
    | PublishPrompt
    | PublishReceipt
    | PublishHandoff
    | PublishStatus
    | SpanStarted
    | SpanEnded
    | EndMission,
    Field(discriminator="kind"),
]
COMMAND: TypeAdapter[Command] = TypeAdapter(Command)
