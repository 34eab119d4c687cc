"""Teacher of a mission: given steps, then the scripted planner's as if the mission began there."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from openral_core.missions import MissionState
from openral_core.skills import Verb
from openral_reasoner.compact.lines import line_of
from openral_reasoner.compact.prompt import compact_prompt
from openral_reasoner.context import Choice, Context, Decision, RawCall, read_arguments
from openral_reasoner.request.goals import NotUnderstood, Request
from openral_reasoner.scripted.planner import ScriptedModel
from openral_testing.reasoner.symbolic_home import SymbolicHome
from openral_training.planner.samples import Sample

ENDS, QUERIES = ("done", "ask_human"), ("resolve_place", "recall_object")
"""Tools that end a mission, and those whose calls are left out where nothing needs them."""
TAKING = 0.3
"""Share of strays in which another object is taken [1]."""


@dataclass(frozen=True, slots=True)
class TaughtStep:
    """A call; a stray is not learnt."""

    call: RawCall
    is_stray: bool = False


@dataclass(slots=True)
class Teacher:
    """A `Model` that makes the steps of a script, then those of the planner, and records them as samples.

    ``choices`` are the legal calls at the step ``stuck_at``: the last one, or the first that is not legal.
    ``state`` is the end of its mission, ``effects`` what that left in the home.
    """

    script: tuple[TaughtStep, ...] = ()
    steps: tuple[TaughtStep, ...] = ()
    samples: list[Sample] = field(default_factory=list)
    unsayable: int = 0
    verbs: Mapping[str, Verb] = field(default_factory=dict)
    choices: tuple[Choice, ...] = ()
    stuck_at: int = 0
    request: Request = field(default_factory=lambda: NotUnderstood(""))
    state: MissionState = MissionState.FAILED
    effects: tuple[object, ...] = ()
    way: str = ""

    def __call__(self, context: Context) -> Decision:
        """Return the next step, in the words of its line."""
        self.verbs = {each.id: each.verb for each in context.palette.skills}
        self.request, index = context.request, len(self.steps)
        if not self.unsayable:
            self.choices, self.stuck_at = context.choices, index
        if index < len(self.script):
            step = self.script[index]
        else:
            rest = context.model_copy(update={"turns": context.turns[len(self.script) :]})
            step = TaughtStep(ScriptedModel()(rest).calls[0])
        if context.choices and not step.is_stray:
            step = self._learnt(context, step)
        self.steps += (step,)
        return Decision(calls=(step.call,), cost=0.0)

    def _learnt(self, context: Context, step: TaughtStep) -> TaughtStep:
        lines = tuple(each.line for each in context.choices)
        line = line_of(step.call, context.choices)
        if line is None:
            self.unsayable += 1
            return step
        self.samples.append(Sample(compact_prompt(context).state, lines, lines.index(line)))
        return TaughtStep(context.choices[lines.index(line)].call)


def _call(tool: str, **arguments: str) -> RawCall:
    return RawCall(tool=tool, arguments=json.dumps(arguments))


def strays(rng: Random, home: SymbolicHome, verbs: Mapping[str, Verb]) -> tuple[TaughtStep, ...]:
    """Draw calls that serve no goal: an object is recalled or taken, an id is wrong, the robot wanders."""
    rskills = {verb: rskill for rskill, verb in verbs.items()}
    item = rng.choice([each for each in home.objects.values() if each.remembered])
    place, label = rng.choice(list(home.places)), item.remembered[:100]
    recall = _call("recall_object", query=label)
    grasp = _call("execute_rskill", rskill_id=rskills[Verb.GRASP], target=item.id)
    unknown_id = _call("execute_rskill", rskill_id=rskills[Verb.GRASP], target=label)
    drive = _call("execute_rskill", rskill_id=rskills[Verb.NAVIGATE], target=place)
    single = (recall, unknown_id, drive, _call("list_objects"), _call("resolve_place", reference=place))
    way = (recall, grasp) if rng.random() < TAKING else (rng.choice(single),)
    return tuple(TaughtStep(call, is_stray=True) for call in way)


def ways_on(rng: Random, teacher: Teacher) -> Iterator[tuple[TaughtStep, ...]]:
    """Yield what may be tried where the planner gave up: to begin anew, then a legal call of each kind."""
    yield ()
    calls = [each for each in teacher.choices if each.call.tool not in ENDS]
    rng.shuffle(calls)
    yield from ((TaughtStep(c),) for c in {each.line.split(" ")[0]: each.call for each in calls}.values())


def needless(cut: tuple[TaughtStep, ...], verbs: Mapping[str, Verb]) -> bool:
    """Return True if steps may be tried to be left out: a query, or a pair or two of the hand."""
    if any(each.is_stray for each in cut):
        return False
    if len(cut) == 1:
        return cut[0].call.tool in QUERIES
    rskills = (read_arguments(each.call.arguments).get("rskill_id", "") for each in cut)
    return all(verbs.get(str(each)) in (Verb.GRASP, Verb.PLACE) for each in rskills)
