"""Comparison of two runs: where their decisions and outcomes part, and how each ended."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from openral_reasoner import commands as c
from openral_reasoner import events as e
from openral_testing.recordings.lives import Life
from openral_testing.recordings.replay import describe_request, plain_status

MAX_MESSAGE = 300
"""Longest part of a message that is shown [characters]."""
MAX_SHOWN = 6
"""Decisions of one stretch that are shown [1], besides its last one."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One decision with its outcome, or the end of a mission; ``time`` on the clock of its recording [s]."""

    time: float
    decision: str
    outcome: str
    message: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Part that two runs have in common if they go alike."""
        return self.decision, self.outcome

    def words(self) -> str:
        """Describe it in one line."""
        message = f" ({self.message[:MAX_MESSAGE]})" if self.message else ""
        return f"{self.decision}: {self.outcome}{message}"


@dataclass(frozen=True, slots=True)
class RunStory:
    """Decisions of one run in order; ``begun`` is the time of its first goal [s]."""

    begun: float
    moments: Sequence[Moment]

    @property
    def ended(self) -> float:
        """Time of the last moment [s]."""
        return self.moments[-1].time if self.moments else self.begun

    def clock(self, moment: Moment) -> float:
        """Return the time of a moment since the first goal [s]."""
        return moment.time - self.begun


@dataclass(frozen=True, slots=True)
class Divergence:
    """Stretch in which two runs differ; one of them may have nothing there.

    ``begun`` is the moment of the first run at which it begins [s].
    """

    first: Sequence[Moment]
    second: Sequence[Moment]
    begun: float

    @property
    def same_decision(self) -> bool:
        """True if both decided alike and only the outcomes differ."""
        return bool(self.first and self.second) and self.first[0].decision == self.second[0].decision


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs, the number of moments that both have, and the stretches in which they differ."""

    first: RunStory
    second: RunStory
    alike: int
    divergences: Sequence[Divergence]


def story_of(lives: Iterable[Life]) -> RunStory:
    """Return the decisions of a recording with their outcomes, in the order in which they were made."""
    begun: float | None = None
    moments: dict[tuple[str, int], Moment] = {}
    for step in (step for life in lives for step in life.steps):
        if begun is None and isinstance(step.event, e.PromptReceived):
            begun = step.now
        for command in step.commands:
            if isinstance(command, c.PublishStatus):
                report = command.report
                for record in report.calls:
                    key = report.mission_id, record.index
                    made = moments[key].time if key in moments else step.now
                    status = plain_status(record.status)
                    moments[key] = Moment(made, describe_request(record), status, record.message)
            elif isinstance(command, c.EndMission):
                ended = Moment(step.now, "the mission ends", plain_status(command.state.name), command.reason)
                moments["", len(moments)] = ended
    return RunStory(begun or 0.0, tuple(moments.values()))


def compare_runs(first: RunStory, second: RunStory) -> RunComparison:
    """Align two runs and return the stretches in which they differ."""
    keys = [moment.key for moment in first.moments], [moment.key for moment in second.moments]
    blocks = SequenceMatcher(a=keys[0], b=keys[1], autojunk=False).get_opcodes()
    times = [*(moment.time for moment in first.moments), first.ended]
    divergences = [
        Divergence(first.moments[a:b], second.moments[i:j], times[a])
        for tag, a, b, i, j in blocks
        if tag != "equal"
    ]
    alike = sum(b - a for tag, a, b, _, _ in blocks if tag == "equal")
    return RunComparison(first, second, alike, divergences)


def comparison_lines(compared: RunComparison, first: str = "first", second: str = "second") -> Iterator[str]:
    """Yield the comparison in words.

    Args:
        compared: Two runs.
        first: Name of the first run.
        second: Name of the second run.
    """
    most = max(len(compared.first.moments), len(compared.second.moments))
    yield f"{compared.alike} of {most} decisions have the same outcome in both runs"
    for number, part in enumerate(compared.divergences):
        yield f"{'first difference' if number == 0 else 'then'}: {_kind(part)}"
        yield from _part_lines(first, compared.first, part.first)
        yield from _part_lines(second, compared.second, part.second)
    if not compared.divergences:
        yield "no difference"


def _kind(part: Divergence) -> str:
    if part.same_decision:
        return "the same decision, another outcome"
    return "other decisions" if part.first and part.second else "decisions of one run alone"


def _part_lines(name: str, story: RunStory, moments: Sequence[Moment]) -> Iterator[str]:
    """Yield the first moments of a stretch, and its last one."""
    shown = [*moments[:MAX_SHOWN], *moments[max(MAX_SHOWN, len(moments) - 1) :]]
    for number, moment in enumerate(shown):
        if number == MAX_SHOWN and len(moments) > len(shown):
            yield f"  {'':11}{name}: {len(moments) - len(shown)} more decisions"
        yield f"  {story.clock(moment):7.1f} s  {name}: {moment.words()}"
