"""Events of the mission core."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from openral_core.detectors import LocateResult, UnplacedDetection
from openral_core.geometry import Pose
from openral_core.skills import SkillResult
from openral_core.spatial_memory import EditResult, ObserveResult, RecallResult, ResolveResult, SceneGraph
from openral_reasoner.context import CallEvent, Decision, FrozenModel
from openral_reasoner.foreign_tools import ForeignAnswer
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings


class PromptReceived(FrozenModel):
    """Prompt from the operator; ``in_reply_to`` names the hand-off it answers.

    ``objects`` are the ids of what the operator points at, in the order in which the text says "this".
    From an unnamed ``source`` only a stop is accepted.
    """

    kind: Literal["prompt_received"] = "prompt_received"
    id: str
    text: str
    requester: str = ""
    in_reply_to: str = ""
    traceparent: str = ""
    objects: tuple[str, ...] = ()
    source: Literal["operator", ""] = "operator"


class PaletteChanged(FrozenModel):
    """The palette changed because peers joined or left the graph."""

    kind: Literal["palette_changed"] = "palette_changed"
    palette: ToolPalette


class Cancelled(FrozenModel):
    """The mission was cancelled, and with it the queued goals unless they are ``kept``."""

    kind: Literal["cancelled"] = "cancelled"
    reason: str
    kept: bool = False


class DeadlinePassed(CallEvent):
    """The deadline of a call, or of the mission, has passed."""

    kind: Literal["deadline_passed"] = "deadline_passed"


class Recalled(CallEvent):
    """Memory answered a recall."""

    kind: Literal["recalled"] = "recalled"
    result: RecallResult


class Resolved(CallEvent):
    """Memory answered a resolve."""

    kind: Literal["resolved"] = "resolved"
    result: ResolveResult


class Located(CallEvent):
    """A detector answered a locate request."""

    kind: Literal["located"] = "located"
    result: LocateResult


class Observed(CallEvent):
    """Memory answered a request to place detections."""

    kind: Literal["observed"] = "observed"
    result: ObserveResult


class Edited(CallEvent):
    """Memory answered a request to note what is known of an object."""

    kind: Literal["edited"] = "edited"
    result: EditResult


class SceneRead(CallEvent):
    """Newest published scene graph; ``robot`` is its pose in map, if known.

    ``now`` is the time of the robot's clock [s], to which the graph's times refer; None in old recordings.
    ``in_view`` is in current images, but not in the graph.
    """

    kind: Literal["scene_read"] = "scene_read"
    graph: SceneGraph
    robot: Pose | None = None
    now: float | None = None
    in_view: tuple[UnplacedDetection, ...] = ()


class SkillProgressed(CallEvent):
    """Feedback of a running goal; ``progress`` in [0, 1]."""

    kind: Literal["skill_progressed"] = "skill_progressed"
    stage: str
    progress: float


class SkillEnded(CallEvent):
    """Result of a skill goal."""

    kind: Literal["skill_ended"] = "skill_ended"
    result: SkillResult


class StateChanged(CallEvent):
    """A lifecycle transition ended."""

    kind: Literal["state_changed"] = "state_changed"
    success: bool
    message: str


OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"
"""Condition of a skill goal that may have been carried out: its result cannot be had."""
NOT_CARRIED_OUT = ("UNAVAILABLE", "REJECTED", "CANCELLED")
"""Conditions of a skill goal that no skill server has begun."""


class ForeignToolAnswered(CallEvent):
    """A tool of another package answered."""

    kind: Literal["foreign_tool_answered"] = "foreign_tool_answered"
    answer: ForeignAnswer


class CallFailed(CallEvent):
    """A peer was unavailable, aborted or rejected the request."""

    kind: Literal["call_failed"] = "call_failed"
    condition: str
    message: str


class FailureReported(FrozenModel):
    """Failure reported by a node of the graph; ``condition`` in snake case."""

    kind: Literal["failure_reported"] = "failure_reported"
    source: str
    condition: str
    message: str


class StopChanged(FrozenModel):
    """The emergency stop was latched for a ``reason``, or released if that is empty."""

    kind: Literal["stop_changed"] = "stop_changed"
    reason: str


class Resumed(FrozenModel):
    """The reasoner was restarted during the mission, which goes on; ``down`` is how long it was away [s].

    ``answer`` is the operator's, if the question was asked whether to go on.
    """

    kind: Literal["resumed"] = "resumed"
    down: float
    answer: str = ""


class SettingsChanged(FrozenModel):
    """The mission goes on in a process with other settings, which hold from now on."""

    kind: Literal["settings_changed"] = "settings_changed"
    settings: MissionSettings


class ResumptionFailed(FrozenModel):
    """The reasoner was restarted during the mission, which cannot go on."""

    kind: Literal["resumption_failed"] = "resumption_failed"
    reason: str


class ModelAnswered(Decision, CallEvent):
    """The model decided."""

    kind: Literal["model_answered"] = "model_answered"


class ModelFailed(CallEvent):
    """The model made no decision; ``permanent`` if asking it again would end the same way."""

    kind: Literal["model_failed"] = "model_failed"
    condition: str
    message: str
    tokens: int = 0
    cost: float | None = 0.0
    permanent: bool = False


Event = Annotated[
    PromptReceived
    | PaletteChanged
    | Cancelled
    | DeadlinePassed
    | Recalled
    | Resolved
    | Located
    | Observed
    | Edited
    | SceneRead
    | SkillProgressed
    | SkillEnded
    | StateChanged
    | ForeignToolAnswered
    | CallFailed
    | FailureReported
    | StopChanged
    | Resumed
    | SettingsChanged
    | ResumptionFailed
    | ModelAnswered
    | ModelFailed,
    Field(discriminator="kind"),
]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)
