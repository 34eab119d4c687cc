"""Prompt of each household mission: tokens of its first request, fresh ones per further decision, in all.

With the scripted planner's decisions; fresh tokens are those beyond the beginning that a request shares with
the one before, and a cached one is charged as the budget does.
"""

from statistics import median

from openral_eval.suites.registry import SUITES, tasks_of
from openral_eval.suites.tasks import SuiteOptions
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.prompt_tokens import PromptMeter

MEASURED = ("household", "injection", "search")
"""Suites that are measured."""


def run() -> list[dict[str, object]]:
    """Measure every mission, and each suite in its last row."""
    rows = list[dict[str, object]]()
    for suite in MEASURED:
        meters = list[PromptMeter]()
        for task in tasks_of([suite], SuiteOptions()):
            meter = PromptMeter(ScriptedModel())
            SUITES[suite].run(task, SuiteOptions(), meter, MissionSettings())
            meters.append(meter)
            rows.append(row(f"{suite}: {task.name}", meter.fresh, [meter]))
        rows.append(row(suite, [each for meter in meters for each in meter.fresh], meters))
    return rows


def row(name: str, fresh: list[int], meters: list[PromptMeter]) -> dict[str, object]:
    """Return the figures of one mission, or the medians and worst of several [tokens]."""
    return {
        "mission": name,
        "decisions": sum(len(each.whole) for each in meters),
        "tools": max(each.tools for each in meters),
        "first": median(each.first for each in meters),
        "first, most": max(each.first for each in meters),
        "fresh, median": median(fresh or [0]),
        "fresh, most": max(fresh, default=0),
        "charged, most": round(max(each.charged for each in meters)),
    }
