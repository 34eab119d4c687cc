"""What can happen to the mission core."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from openral_core.detectors import LocateResult
from openral_core.geometry import Pose
from openral_core.memory_queries import ObserveResult, RecallResult, ResolveResult
from openral_core.scene_graph import SceneGraph
from openral_core.skills import SkillResult
from openral_reasoner.context import CallEvent, FrozenModel, RawCall
from openral_reasoner.palette.entries import ToolPalette


class PromptReceived(FrozenModel):
    """Words for the reasoner; ``in_reply_to`` names a hand-off they answer.

    From a ``source`` without a name only a stop is taken.
    """

    kind: Literal["prompt_received"] = "prompt_received"
    id: str
    text: str
    requester: str = ""
    in_reply_to: str = ""
    traceparent: str = ""
    source: Literal["operator", ""] = "operator"


class PaletteChanged(FrozenModel):
    """Something came or went in the graph."""

    kind: Literal["palette_changed"] = "palette_changed"
    palette: ToolPalette


class Cancelled(FrozenModel):
    """The mission has to stop."""

    kind: Literal["cancelled"] = "cancelled"
    reason: str


class DeadlinePassed(CallEvent):
    """The time set for a call, or for the mission, is over."""

    kind: Literal["deadline_passed"] = "deadline_passed"


class Recalled(CallEvent):
    """Memory answered."""

    kind: Literal["recalled"] = "recalled"
    result: RecallResult


class Resolved(CallEvent):
    """Memory said where something is."""

    kind: Literal["resolved"] = "resolved"
    result: ResolveResult


class Located(CallEvent):
    """A detector looked."""

    kind: Literal["located"] = "located"
    result: LocateResult


class Observed(CallEvent):
    """Memory took in what a look found."""

    kind: Literal["observed"] = "observed"
    result: ObserveResult


class SceneRead(CallEvent):
    """The scene graph as last published; ``robot`` in map when known."""

    kind: Literal["scene_read"] = "scene_read"
    graph: SceneGraph
    robot: Pose | None = None


class SkillProgressed(CallEvent):
    """A running goal reports; ``progress`` in [0, 1]."""

    kind: Literal["skill_progressed"] = "skill_progressed"
    stage: str
    progress: float


class SkillEnded(CallEvent):
    """A goal ended."""

    kind: Literal["skill_ended"] = "skill_ended"
    result: SkillResult


class StateChanged(CallEvent):
    """A lifecycle transition ended."""

    kind: Literal["state_changed"] = "state_changed"
    success: bool
    message: str


class CallFailed(CallEvent):
    """A peer was not there, broke off or did not understand."""

    kind: Literal["call_failed"] = "call_failed"
    condition: str
    message: str


class FailureReported(FrozenModel):
    """A node of the graph reports a failure; ``condition`` in snake case."""

    kind: Literal["failure_reported"] = "failure_reported"
    source: str
    condition: str
    message: str


class ModelAnswered(CallEvent):
    """The model decided; more or fewer than one call is the core's to refuse.

    ``cost`` [US$] is None when it is not known; ``cut`` when the answer ended at a limit of length.
    """

    kind: Literal["model_answered"] = "model_answered"
    calls: tuple[RawCall, ...]
    text: str = ""
    tokens: int = 0
    read: int = 0
    written: int = 0
    model: str = ""
    cached: int = 0
    stored: int = 0
    cost: float | None = 0.0
    cut: bool = False


class ModelFailed(CallEvent):
    """The model gave no decision."""

    kind: Literal["model_failed"] = "model_failed"
    condition: str
    message: str
    tokens: int = 0
    cost: float | None = 0.0


Event = Annotated[
    PromptReceived
    | PaletteChanged
    | Cancelled
    | DeadlinePassed
    | Recalled
    | Resolved
    | Located
    | Observed
    | SceneRead
    | SkillProgressed
    | SkillEnded
    | StateChanged
    | CallFailed
    | FailureReported
    | ModelAnswered
    | ModelFailed,
    Field(discriminator="kind"),
]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)
