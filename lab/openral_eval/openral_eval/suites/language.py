"""Suites language, paraphrases and refusals: sentences judged by what the robot then does."""

from collections.abc import Mapping
from functools import cache, partial

from pydantic import Field, TypeAdapter

from openral_core.documents import Document
from openral_eval.suites.home_missions import HomeMission, Wanted, run_home_mission
from openral_eval.suites.homes import draw_home, large_home
from openral_eval.suites.tasks import Suite, SuiteOptions, SuiteTask, TaskVerdict, suite_document
from openral_reasoner.llm.base import Model
from openral_reasoner.settings import MissionSettings


class Meaning(Document):
    """Sentences that ask for the same."""

    wanted: Wanted
    sentences: tuple[str, ...] = Field(min_length=1)


@cache
def meanings(suite: str) -> Mapping[str, Meaning]:
    """Load the sentences of a suite by what they ask for."""
    return TypeAdapter(dict[str, Meaning]).validate_python(suite_document(f"{suite}.yaml"))


def tasks(suite: str, options: SuiteOptions) -> tuple[SuiteTask, ...]:
    """Return a task per sentence."""
    every = tuple(
        SuiteTask(suite, f"{kind} {number}", sentence, kind, options.seed, kind)
        for kind, meaning in meanings(suite).items()
        for number, sentence in enumerate(meaning.sentences)
    )
    return every[: options.limit or None]


def run(task: SuiteTask, options: SuiteOptions, model: Model, settings: MissionSettings) -> TaskVerdict:
    """Do what a sentence asks for, in the home of the first seed or in the one that its writer was given."""
    home = large_home() if task.suite == PARAPHRASES.name else draw_home(task.seed)
    mission = HomeMission(task.goal, home, meanings(task.suite)[task.case].wanted, {})
    return run_home_mission(mission, model, settings)


SUITE = Suite(
    "language",
    "paraphrases in four languages, and sentences to be asked back",
    partial(tasks, "language"),
    run,
)
PARAPHRASES = Suite("paraphrases", "300 English sentences by a stranger", partial(tasks, "paraphrases"), run)
REFUSALS = Suite("refusals", "English sentences to be asked back", partial(tasks, "refusals"), run)
