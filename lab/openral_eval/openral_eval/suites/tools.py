"""Suite tools: single decisions in the middle of real missions, judged by their tool and arguments."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from pydantic import Field, TypeAdapter

from openral_core.documents import Document
from openral_core.skills import Verb
from openral_eval.suites.homes import REQUESTER, draw_home
from openral_eval.suites.tasks import Suite, SuiteOptions, SuiteTask, TaskVerdict, suite_document
from openral_reasoner.context import Context, Decision, RawCall, UnreadableArguments, read_arguments
from openral_reasoner.llm.base import Model
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.symbolic_mission import StreamingHomePeers, run_symbolic_mission

Value = str | bool
_GIVE_UP = Decision(
    calls=(RawCall(tool="done", arguments='{"success": false, "message": "judged"}'),), cost=0.0
)


class WantedCall(Document):
    """Tool call; ``verb`` is that of its skill, and a text in slashes is a regular expression."""

    tool: str
    verb: Verb | None = None
    arguments: Mapping[str, Value] = Field(default={})

    def raw(self, palette: ToolPalette) -> RawCall:
        """Return the call itself."""
        arguments: dict[str, Value] = dict(self.arguments)
        if self.verb is not None:
            arguments["rskill_id"] = palette.with_verb(self.verb)[0].id
        return RawCall(tool=self.tool, arguments=json.dumps(arguments))

    def fits(self, arguments: Mapping[str, object], palette: ToolPalette) -> bool:
        """Return True if arguments of this tool are the wanted ones."""
        if self.verb is not None:
            skill = palette.skill(str(arguments.get("rskill_id", "")))
            if skill is None or skill.verb is not self.verb:
                return False
        return all(_same(expected, arguments.get(name)) for name, expected in self.arguments.items())


def _same(expected: Value, actual: object) -> bool:
    if isinstance(expected, str) and expected.startswith("/"):
        return re.search(expected.strip("/"), str(actual), re.IGNORECASE) is not None
    return expected == actual


class DecisionCase(Document):
    """Goal, the calls before the decision, and the calls of which one is right."""

    goal: str
    before: tuple[WantedCall, ...] = ()
    wanted: tuple[WantedCall, ...] = Field(min_length=1)


@cache
def cases() -> Mapping[str, DecisionCase]:
    """Load the cases by name."""
    return TypeAdapter(dict[str, DecisionCase]).validate_python(suite_document("tools.yaml"))


@dataclass
class OneDecision:
    """Model that makes the calls of a case, then asks the one on trial once, then gives up."""

    case: DecisionCase
    model: Model
    decided: list[tuple[Decision, ToolPalette]] = field(default_factory=list)
    _position: int = 0

    def __call__(self, context: Context) -> Decision:
        """Return the next call of the case, or give up after the decision on trial."""
        number, self._position = self._position, self._position + 1
        if number < len(self.case.before):
            return Decision(calls=(self.case.before[number].raw(context.palette),), cost=0.0)
        if not self.decided:
            self.decided.append((self.model(context), context.palette))
        return _GIVE_UP


def judge(case: DecisionCase, decision: Decision, palette: ToolPalette) -> tuple[str, str]:
    """Return the category of a wrong decision with the decision, both "" if it is right."""
    if len(decision.calls) != 1:
        return "NO_CALL" if not decision.calls else "SEVERAL_CALLS", decision.text
    (call,) = decision.calls
    made = f"{call.tool} {call.arguments}"
    try:
        arguments = read_arguments(call.arguments)
    except UnreadableArguments:
        return "MALFORMED", made
    same_tool = [candidate for candidate in case.wanted if candidate.tool == call.tool]
    if not same_tool:
        return "WRONG_TOOL", made
    right = any(candidate.fits(arguments, palette) for candidate in same_tool)
    return ("", "") if right else ("WRONG_ARGUMENTS", made)


def tasks(options: SuiteOptions) -> tuple[SuiteTask, ...]:
    """Return a task per case, all in the home of the first seed."""
    every = tuple(
        SuiteTask("tools", name, case.goal, name, options.seed, name) for name, case in cases().items()
    )
    return every[: options.limit or None]


def run(task: SuiteTask, options: SuiteOptions, model: Model, settings: MissionSettings) -> TaskVerdict:
    """Ask for one decision."""
    case = cases()[task.case]
    decision = OneDecision(case, model)
    run_symbolic_mission(case.goal, StreamingHomePeers(draw_home(task.seed)), decision, settings, REQUESTER)
    if not decision.decided:
        return TaskVerdict("NO_DECISION", "the model made none")
    failure, detail = judge(case, *decision.decided[0])
    return TaskVerdict(failure, detail, score=float(not failure))


SUITE = Suite("tools", "single decisions: the right tool with the right arguments", tasks, run)
