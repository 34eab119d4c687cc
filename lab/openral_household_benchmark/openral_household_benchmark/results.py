"""Results of episodes: reasons of failures, the store on disk and the Markdown table."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import comb
from pathlib import Path
from statistics import mean

from pydantic import Field

from openral_core.documents import Document
from openral_core.missions import MissionState
from openral_household_benchmark.choices import TaskType
from openral_household_benchmark.source_hash import digest, hash_of_packages
from openral_reasoner.commands import CallRecord, MissionReport


@dataclass(frozen=True, slots=True)
class Job:
    """One task to do: which kind, in which home, drawn from which seed, decided by whom."""

    archetype: TaskType
    seed: int
    scene: str
    brain: str = "scripted"

    @property
    def key(self) -> str:
        """Names the job among others."""
        return f"{self.archetype.value}-{self.scene}-{self.seed}-{self.brain}"


class EpisodeResult(Document):
    """One task that ended; times in [s], the way driven in [m].

    ``metres`` is None where it was not measured; ``why`` is typed, "" on success: what failed and how,
    such as ``grasp: NOT_REACHABLE``. ``parts_done`` of ``parts`` are truly done; None where the task is one
    part, done or not. ``perceived`` says of a failure what memory had seen of the object by
    ground truth: seen, seen as something else, wrongly located, not seen; "" where it was not compared.
    """

    key: str
    archetype: TaskType
    seed: int
    scene: str
    brain: str
    goal: str
    success: bool
    state: str
    why: str = ""
    words: str = ""
    perceived: str = ""
    wall: float
    simulated: float
    tool_calls: int
    looks: int
    containers_opened: int
    metres: float | None = None
    budget: dict[str, float] = Field(default_factory=dict)
    sheet: str = ""
    parts: int = 1
    parts_done: int | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """Measured cost of one task."""

    tool_calls: int
    looks: int
    containers_opened: int
    metres: float | None = None
    budget: dict[str, float] = field(default_factory=dict)


def outcome_of(
    job: Job, goal: str, report: MissionReport, wrong: str, wall: float, simulated: float, figures: Figures
) -> EpisodeResult:
    """One job's end; ``wrong`` says what a mission that calls itself reached did not do, "" for nothing."""
    why, words = reason(report, wrong)
    return EpisodeResult(
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
    """Return the cause of a failed task, typed and as text; both "" when it did not fail."""
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
    """Return True if a mission ended because of a skill: only messages followed it."""
    after = [later for later in report.calls if later.index > call.index]
    return all(later.tool in ("ask_human", "resolve_place") for later in after)


def _skill(call: CallRecord) -> str:
    return str(json.loads(call.arguments).get("rskill", "skill"))


FILE = "outcomes.jsonl"


class ResultStore:
    """The outcomes of one folder, by their jobs' keys."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / FILE
        self._outcomes = {outcome.key: outcome for outcome in _read(self._path)}

    @property
    def outcomes(self) -> tuple[EpisodeResult, ...]:
        """Every outcome, in the order of archetypes and seeds."""
        return tuple(
            sorted(self._outcomes.values(), key=lambda item: (item.archetype, item.scene, item.seed))
        )

    def left(self, jobs: Iterable[Job]) -> tuple[Job, ...]:
        """Jobs without an outcome."""
        return tuple(job for job in jobs if job.key not in self._outcomes)

    def add(self, outcome: EpisodeResult) -> None:
        """Keep an outcome."""
        self._outcomes[outcome.key] = outcome
        with self._path.open("a", encoding="utf-8") as file:
            file.write(outcome.model_dump_json() + "\n")


def _read(path: Path) -> Iterable[EpisodeResult]:
    """Lines that are whole; the last may have been cut off by whatever ended the run."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    return [EpisodeResult.model_validate_json(line) for line in lines if line.endswith("\n")]


_HEAD = (
    "| archetype | tasks | success | pass^4, pass^8 | parts done | claimed | wall [s] | simulated [s] "
    "| times real time | tool calls | looks | containers opened | way [m] |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
)
_MANY = (4, 8)
"""Numbers k of tasks of one kind whose common success pass^k estimates."""
_FAILURES = "| archetype | home | seed | goal | object | why | in words |\n|---|---|---|---|---|---|---|"


PACKAGES = (
    "openral_core",
    "openral_reasoner",
    "openral_world_state",
    "openral_mapping",
    "openral_perception_ros",
    "openral_sim",
    "openral_household_benchmark",
)
"""Packages that decide how a task ends."""


def fingerprint(jobs: Sequence[Job], scenes: Iterable[Path], choices: Iterable[str]) -> str:
    """Return hashes of code, scenes and tasks, without which tables cannot be compared."""
    contents = (f"{scene.name}\n{scene.read_text(encoding='utf-8')}" for scene in sorted(set(scenes)))
    tasks = digest([*(job.key for job in jobs), *choices])
    return f"code {hash_of_packages(*PACKAGES)}, scenes {digest(contents)}, tasks {tasks}"


def household_page(outcomes: Sequence[EpisodeResult], hashes: str, folder: Path) -> str:
    """Return a Markdown page: the table, the hashes, and of every failure what its cameras saw."""
    failures = [outcome for outcome in outcomes if outcome.sheet and not outcome.success]
    pictures = (
        f"### {outcome.goal}\n\n{outcome.scene}, seed {outcome.seed}: {outcome.why}\n\n"
        f"![images of the head camera]({os.path.relpath(outcome.sheet, folder)})"
        for outcome in failures
    )
    return "\n\n".join((household_table(outcomes), hashes, *pictures)) + "\n"


def household_table(outcomes: Sequence[EpisodeResult]) -> str:
    """Means by archetype, then every failure; pass^k is over the seeds of an archetype."""
    parts = ["\n".join((_HEAD, *_rows(outcomes)))]
    failures = [outcome for outcome in outcomes if not outcome.success]
    if failures:
        parts.append("\n".join((_FAILURES, *map(_failure, failures))))
    return "\n\n".join(parts)


def _rows(outcomes: Sequence[EpisodeResult]) -> Iterator[str]:
    for archetype in TaskType:
        group = [outcome for outcome in outcomes if outcome.archetype is archetype]
        if group:
            yield _row(archetype.value, group)
    if outcomes:
        yield _row("all", outcomes)


def pass_hat_k(successes: int, trials: int, k: int) -> float:
    """Estimate the probability that k independent trials all succeed [1].

    Source: the unbiased estimator C(c, k) / C(n, k) of tau-bench (Yao et al., arXiv 2406.12045, sec. 3).

    Args:
        successes: Successful trials c.
        trials: All trials n, at least k.
        k: Trials that must all succeed.
    """
    return comb(successes, k) / comb(trials, k)


def done_parts(outcome: EpisodeResult) -> int:
    """Count the parts of a task that are truly done; the mission's own report does not count."""
    return int(outcome.success) if outcome.parts_done is None else outcome.parts_done


def _row(name: str, group: Sequence[EpisodeResult]) -> str:
    hits = sum(outcome.success for outcome in group)
    factor = sum(outcome.simulated for outcome in group) / max(sum(outcome.wall for outcome in group), 1e-9)
    means = (
        mean(outcome.tool_calls for outcome in group),
        mean(outcome.looks for outcome in group),
        mean(outcome.containers_opened for outcome in group),
        mean(outcome.metres or 0.0 for outcome in group),
    )
    wall, simulated = mean(outcome.wall for outcome in group), mean(outcome.simulated for outcome in group)
    counted = " | ".join(f"{value:.1f}" for value in means)
    claimed = sum(outcome.state == MissionState.CLAIMED.name for outcome in group)
    many = (pass_hat_k(hits, len(group), k) if len(group) >= k else None for k in _MANY)
    passes = ", ".join("-" if value is None else f"{value:.2f}" for value in many)
    parts = sum(map(done_parts, group)), sum(outcome.parts for outcome in group)
    head = f"{hits}/{len(group)} ({hits / len(group):.0%}) | {passes} | {parts[0]}/{parts[1]} | {claimed}"
    return f"| {name} | {len(group)} | {head} | {wall:.1f} | {simulated:.1f} | {factor:.1f} | {counted} |"


def _failure(outcome: EpisodeResult) -> str:
    words = outcome.words.replace("|", "/").replace("\n", " ")[:160]
    return (
        f"| {outcome.archetype.value} | {outcome.scene} | {outcome.seed} | {outcome.goal} "
        f"| {outcome.perceived or '-'} | {outcome.why} | {words} |"
    )
