"""Events that the dispatcher handles, and the commands that it returns."""

from dataclasses import dataclass

from openral_core.missions import MissionState, PromptOutcome
from openral_fleet.records import ActingCall
from openral_fleet.robots import RobotState


@dataclass(frozen=True, slots=True)
class RobotReported:
    """State of a robot; repeat it at least once a second."""

    robot: RobotState


@dataclass(frozen=True, slots=True)
class PromptAnswered:
    """Receipt of a prompt."""

    robot: str
    prompt_id: str
    outcome: PromptOutcome
    mission_id: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class MissionReported:
    """Status of a mission of the robot's present process.

    ``calls`` are all its skills so far, ``seconds_left`` the rest of its time budget [s]. ``shutting_down``
    if it was cancelled because its reasoner ends, and not by a person.
    """

    robot: str
    prompt_id: str
    state: MissionState
    mission_id: str = ""
    step: str = ""
    reason: str = ""
    evidence: tuple[str, ...] = ()
    calls: tuple[ActingCall, ...] = ()
    seconds_left: float = 0.0
    shutting_down: bool = False


@dataclass(frozen=True, slots=True)
class StopHeard:
    """A stop, said to a robot or to the dispatcher."""

    reason: str


@dataclass(frozen=True, slots=True)
class ErrandDropped:
    """An errand that the operator no longer wants."""

    errand: str


@dataclass(frozen=True, slots=True)
class HumanAnswered:
    """Answer to the question about an errand."""

    question: str
    text: str


@dataclass(frozen=True, slots=True)
class RobotLost:
    """The operator's word that a robot is off, and works on nothing any more."""

    robot: str


@dataclass(frozen=True, slots=True)
class Ticked:
    """Passing of time."""


Event = (
    RobotReported
    | PromptAnswered
    | MissionReported
    | StopHeard
    | ErrandDropped
    | HumanAnswered
    | RobotLost
    | Ticked
)


@dataclass(frozen=True, slots=True)
class SendPrompt:
    """Prompt for one process of a robot, repeated to it, and to no other, until a receipt names its id."""

    robot: str
    session: str
    prompt_id: str
    text: str
    requester: str = ""


@dataclass(frozen=True, slots=True)
class WithdrawPrompt:
    """End of the repetition of a prompt."""

    robot: str
    prompt_id: str


@dataclass(frozen=True, slots=True)
class StopRobot:
    """Stop of a robot: its mission and the goals that it has queued."""

    robot: str
    reason: str


@dataclass(frozen=True, slots=True)
class AskHuman:
    """Question to a person; the answer names its id."""

    question: str
    errand: str
    goal: str
    text: str
    choices: tuple[str, ...]
    attempts: tuple[str, ...] = ()


Command = SendPrompt | WithdrawPrompt | StopRobot | AskHuman
