"""Decisions of the scripted planner in lines of the compact prompt: how many can be said, and their ends."""

from dataclasses import dataclass, field

from openral_eval.suites.registry import SUITES, tasks_of
from openral_eval.suites.tasks import SuiteOptions
from openral_reasoner.compact.lines import line_of
from openral_reasoner.compact.prompt import compact_prompt
from openral_reasoner.context import Context, Decision
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner.settings import MissionSettings

MEASURED = ("tools", "household", "search", "injection", "tidy", "language")
"""Suites that are measured."""


@dataclass
class PlannerInLines:
    """The scripted planner, whose calls are made by their lines; ``unsaid`` are those that have none."""

    choices: list[int] = field(default_factory=list)
    characters: list[int] = field(default_factory=list)
    unsaid: list[str] = field(default_factory=list)

    def __call__(self, context: Context) -> Decision:
        """Return the call of the line that stands for the planner's call."""
        decision = ScriptedModel()(context)
        line = line_of(decision.calls[0], context.choices)
        self.choices.append(len(context.choices))
        self.characters.append(len(compact_prompt(context).state))
        if line is None:
            self.unsaid.append(f"{decision.calls[0]} of {context.goal!r}")
            return decision
        call = next(each.call for each in context.choices if each.line == line)
        return decision.model_copy(update={"calls": (call,)})


def run() -> list[dict[str, object]]:
    """Measure each suite by lines beside the planner as it is."""
    rows = list[dict[str, object]]()
    for suite in MEASURED:
        by_lines, options = PlannerInLines(), SuiteOptions()
        tasks, compact = tasks_of([suite], options), MissionSettings(prompt="compact")
        alone = [SUITES[suite].run(task, options, ScriptedModel(), MissionSettings()) for task in tasks]
        lines = [SUITES[suite].run(task, options, by_lines, compact) for task in tasks]
        rows.append(
            {
                "suite": suite,
                "done, planner": sum(each.success for each in alone),
                "done, by lines": sum(each.success for each in lines),
                "of": len(tasks),
                "decisions": len(by_lines.choices),
                "without a line": by_lines.unsaid,
                "choices, most": max(by_lines.choices),
                "state, most": max(by_lines.characters),
            }
        )
    return rows
