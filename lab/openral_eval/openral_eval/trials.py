"""One trial: build the model, do the task, write the record; the unit of work of processes and nodes."""

import time
from dataclasses import dataclass
from functools import cache

from openral_eval.ablations import without
from openral_eval.brains import BrainSpec
from openral_eval.choices import CorePart
from openral_eval.metering import MeteredModel
from openral_eval.suites.registry import SUITES
from openral_eval.suites.tasks import SuiteOptions, SuiteTask, TrialRecord, trial_key
from openral_reasoner.llm.base import Model
from openral_reasoner.settings import MissionSettings

MODEL_FAILED = "model: "
"""Beginning of the failure of a trial in which the model gave no answer."""
MAX_DETAIL = 400
"""Longest detail of a failure that is kept [characters]."""
ADVISOR_DECISIONS = 6
"""Most decisions of an advisor per mission, as on the robot [1]."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of one task by one brain."""

    task: SuiteTask
    number: int
    brain: BrainSpec
    options: SuiteOptions
    without: frozenset[CorePart] = frozenset()

    @property
    def key(self) -> str:
        """Name among all trials of the run."""
        return trial_key(self.task, self.number)


def run_trial(trial: Trial) -> TrialRecord:
    """Do one trial in this process."""
    started, task = time.perf_counter(), trial.task
    meter = MeteredModel(*_models(trial.brain))
    basic = MissionSettings(
        advisor_decisions=ADVISOR_DECISIONS if meter.advisor else 0,
        prompt=trial.brain.parameters.mission_prompt,
    )
    model, settings = without(trial.without, meter, basic)
    verdict = SUITES[task.suite].run(task, trial.options, model, settings)
    failure, detail = verdict.failure, verdict.detail
    if meter.is_mute or (failure and meter.unavailable and not failure.startswith("WRONG")):
        failure, detail = f"{MODEL_FAILED}{meter.unavailable}", meter.unavailable_words
    return TrialRecord(
        key=trial.key,
        suite=task.suite,
        task=task.name,
        trial=trial.number,
        category=task.category,
        goal=task.goal,
        failure=failure,
        detail=detail[:MAX_DETAIL],
        state=verdict.state,
        score=0.0 if meter.is_mute else verdict.score,
        spl=verdict.spl,
        steps=verdict.steps,
        decisions=meter.decisions,
        malformed=meter.malformed,
        refused=meter.refused,
        advised=meter.advised,
        tokens_in=meter.tokens_in,
        tokens_out=meter.tokens_out,
        tokens_cached=meter.tokens_cached,
        tokens_stored=meter.tokens_stored,
        cost=meter.cost,
        latencies=tuple(round(seconds, 4) for seconds in meter.latencies),
        wall=round(time.perf_counter() - started, 3),
        model=meter.name,
    )


@cache
def _models(brain: BrainSpec) -> tuple[Model, Model | None]:
    """Build a model and its advisor once per process."""
    return brain.build()
