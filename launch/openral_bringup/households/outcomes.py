"""How one task ended, as it is kept."""

import json
from dataclasses import dataclass, field

from pydantic import Field

from openral_bringup.households.archetypes import Archetype
from openral_core.documents import Document
from openral_core.missions import MissionState
from openral_reasoner.exchanges.statuses import CallRecord, MissionReport


@dataclass(frozen=True, slots=True)
class Job:
    """One task to do: which kind, in which home, drawn from which seed, decided by whom."""

    archetype: Archetype
    seed: int
    scene: str
    brain: str = "scripted"

    @property
    def key(self) -> str:
        """Names the job among others."""
        return f"{self.archetype.value}-{self.scene}-{self.seed}-{self.brain}"


class Outcome(Document):
    """One task that ended; times in [s], the way driven in [m].

    ``metres`` is None where nobody measured it; ``why`` is typed, "" on success: what failed and how, such as
    ``grasp: NOT_REACHABLE``.
    """

    key: str
    archetype: Archetype
    seed: int
    scene: str
    brain: str
    goal: str
    success: bool
    state: str
    why: str = ""
    words: str = ""
    wall: float
    simulated: float
    tool_calls: int
    looks: int
    containers_opened: int
    metres: float | None = None
    budget: dict[str, float] = Field(default_factory=dict)
    sheet: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one task cost, as far as it was measured."""

    tool_calls: int
    looks: int
    containers_opened: int
    metres: float | None = None
    budget: dict[str, float] = field(default_factory=dict)


def outcome_of(
    job: Job, goal: str, report: MissionReport, wrong: str, wall: float, simulated: float, figures: Figures
) -> Outcome:
    """One job's end; ``wrong`` says what a mission that calls itself reached did not do, "" for nothing."""
    why, words = reason(report, wrong)
    return Outcome(
        key=job.key,
        archetype=job.archetype,
        seed=job.seed,
        scene=job.scene,
        brain=job.brain,
        goal=goal,
        success=not why,
        state=report.state.name,
        why=why,
        words=words[:500],
        wall=round(wall, 1),
        simulated=round(simulated, 1),
        tool_calls=figures.tool_calls,
        looks=figures.looks,
        containers_opened=figures.containers_opened,
        metres=figures.metres,
        budget=figures.budget,
    )


def reason(report: MissionReport, wrong: str) -> tuple[str, str]:
    """What made a task fail, typed and in words; both "" when it did not fail."""
    if report.state is MissionState.SUCCEEDED:
        return ("mission: FALSE_SUCCESS", wrong) if wrong else ("", "")
    if report.state is MissionState.CLAIMED:
        return "mission: CLAIMED", report.reason
    failed = [call for call in report.calls if call.tool == "execute_rskill" and call.status != "SUCCEEDED"]
    last = report.calls[-2:] if report.calls else ()
    broke = next((call for call in reversed(failed) if _ended_it(call, report)), None)
    if broke is not None:
        return f"{_skill(broke)}: {broke.status}", broke.message
    if last and any(call.status == "NOT_IN_VIEW" for call in last):
        return "search: NOT_FOUND", f"{len(report.searched)} places: {'; '.join(report.searched)}"
    return f"mission: {report.state.name}", report.reason


def _ended_it(call: CallRecord, report: MissionReport) -> bool:
    """Whether a mission ended over a skill: nothing but words came after it."""
    after = [later for later in report.calls if later.index > call.index]
    return all(later.tool in ("ask_human", "resolve_place") for later in after)


def _skill(call: CallRecord) -> str:
    return str(json.loads(call.arguments).get("rskill", "skill"))
