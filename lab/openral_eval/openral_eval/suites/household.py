"""Suite household: the basic missions in drawn symbolic homes."""

from collections.abc import Mapping
from functools import cache

from pydantic import Field, TypeAdapter

from openral_core.documents import Document
from openral_eval.suites.home_missions import HomeMission, Wanted, run_home_mission
from openral_eval.suites.homes import draw_home
from openral_eval.suites.tasks import Suite, SuiteOptions, SuiteTask, TaskVerdict, suite_document
from openral_reasoner.llm.base import Model
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.symbolic_home import SymbolicHome

HOMES = 3
"""Homes in which each mission is done, unless a limit says otherwise [1]."""


class BasicMission(Document):
    """Goal with its wanted outcome; ``moved`` puts objects elsewhere before, as memory knows."""

    goal: str
    wanted: Wanted
    moved: Mapping[str, str] = Field(default={})


@cache
def missions() -> Mapping[str, BasicMission]:
    """Load the basic missions."""
    return TypeAdapter(dict[str, BasicMission]).validate_python(suite_document("household.yaml"))


def tasks(options: SuiteOptions) -> tuple[SuiteTask, ...]:
    """Return every mission in the homes of several seeds; a limit takes the first ones."""
    every = tuple(
        SuiteTask("household", f"{kind} {seed}", mission.goal, kind, seed, kind)
        for seed in range(options.seed, options.seed + HOMES)
        for kind, mission in missions().items()
    )
    return every[: options.limit or None]


def run(task: SuiteTask, options: SuiteOptions, model: Model, settings: MissionSettings) -> TaskVerdict:
    """Do one basic mission."""
    mission = missions()[task.case]
    home = draw_home(task.seed)
    move(home, mission.moved)
    return run_home_mission(HomeMission(mission.goal, home, mission.wanted, {}), model, settings)


def move(home: SymbolicHome, moved: Mapping[str, str]) -> None:
    """Put objects at other places."""
    for item, place in moved.items():
        home.objects[item].place = place
        if home.objects[item].remembered:
            home.objects[item].remembered_at = place


SUITE = Suite("household", "the twelve basic missions in drawn homes", tasks, run)
