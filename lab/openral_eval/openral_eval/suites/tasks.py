"""Tasks of a suite, their verdicts, and the record of one trial."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from openral_core.documents import Document
from openral_core.errors import OpenRALError, format_choices
from openral_core.parsing import parse_yaml
from openral_reasoner.llm.base import Model
from openral_reasoner.settings import MissionSettings


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """One task: everything that another process needs to do it."""

    suite: str  # Name of its suite.
    name: str  # Unique within the suite and its options.
    goal: str  # In the operator's words.
    category: str  # Group within the suite, for the report.
    seed: int = 0  # Of the home in which it is done.
    case: str = ""  # Name of the case in the suite's data, "" if there is none.


@dataclass(frozen=True, slots=True)
class TaskVerdict:
    """Judgement of one mission by ground truth."""

    failure: str  # Category of the failure, "" on success.
    detail: str = ""  # One line on the failure.
    state: str = ""  # Final state of the mission, "" if it is a single decision.
    score: float = 0.0  # Share of the task that was done [1].
    spl: float | None = None  # Success weighted by path length [1]; None where the shortest way is not known.
    steps: int = 0  # Goals sent to the skill server, or commands of a text game [1].
    messages: tuple[str, ...] = ()  # Texts that the operator read.

    @property
    def success(self) -> bool:
        """True if the task was done."""
        return not self.failure


class TrialRecord(Document):
    """One trial of one task: the line of the log.

    Tokens as the endpoint reported them; ``cost`` [US$] is None if a decision had no known price.
    ``latencies`` [s] of every decision, in order, are measured on the wall clock; they and ``wall`` [s] are
    the only fields that differ when the same deterministic brain repeats a trial.
    """

    key: str
    suite: str
    task: str
    trial: int
    category: str
    goal: str
    failure: str
    detail: str = ""
    state: str = ""
    score: float
    spl: float | None = None
    steps: int
    decisions: int
    malformed: int
    refused: int
    advised: int = 0
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    tokens_stored: int
    cost: float | None
    latencies: tuple[float, ...]
    wall: float
    model: str = ""

    @property
    def success(self) -> bool:
        """True if the task was done."""
        return not self.failure


def trial_key(task: SuiteTask, trial: int) -> str:
    """Return the name of a trial among all of a run."""
    return f"{task.suite}/{task.name}/{trial}"


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """Choice of the tasks: the first ``seed``, at most ``limit`` tasks (0 = the suite's own number).

    ``games`` is the folder of published text games, which only one suite needs.
    """

    seed: int = 0
    limit: int = 0
    games: Path | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """Set of tasks with its way to do and judge one."""

    name: str
    description: str
    tasks: Callable[[SuiteOptions], tuple[SuiteTask, ...]]
    run: Callable[[SuiteTask, SuiteOptions, Model, MissionSettings], TaskVerdict]


class UnknownSuite(OpenRALError):
    """Name that is no suite's."""

    def __init__(self, name: str, valid: tuple[str, ...]) -> None:
        super().__init__(f"unknown suite {name!r}; valid: {format_choices(valid)}")


class GamesNotGiven(OpenRALError):
    """Suite of published games without their folder."""

    def __init__(self) -> None:
        super().__init__(
            "the suite twc needs --games FOLDER: games/twc of github.com/IBM/commonsense-rl, which is not "
            "part of this repository"
        )


def suite_document(name: str) -> object:
    """Return what a YAML file beside the suites holds, as parsed."""
    return parse_yaml(files(__package__).joinpath(name).read_text(encoding="utf-8"))
