"""Scripted planner: a stateless model without a network, with one plan per kind of goal.

It gets the same context as any other model and makes one call per turn.
"""

from collections.abc import Sequence

from openral_reasoner.behaviors.ending import TOO_EARLY
from openral_reasoner.context import Context, RawCall, Turn
from openral_reasoner.llm.base import Decision
from openral_reasoner.scripted.compound import Compound, parse_request
from openral_reasoner.scripted.parts import Progress, run_parts
from openral_reasoner.scripted.steps import Plan, PlanContext, named_place
from openral_reasoner.tools.dialogue import AskHumanTool, DoneTool

_AGAIN = ("again", "retry", "try again", "go on", "continue", "yes")


def decide(context: Context) -> RawCall:
    """Return the next tool call by replaying the plan against every reply so far."""
    plan_context = PlanContext(context.palette)
    plan = run_plan(plan_context, context.goal)
    plan_context.past = next((_call(turn) for turn in context.turns), None)
    call = next(plan)
    for index, turn in enumerate(context.turns, start=1):
        plan_context.past = _call(context.turns[index]) if index < len(context.turns) else None
        call = plan.send(turn.reply)
    return RawCall(tool=call.model_dump()["tool"], arguments=call.model_dump_json(exclude={"tool"}))


def _call(turn: Turn) -> RawCall:
    return RawCall(tool=turn.tool, arguments=turn.arguments)


def run_plan(plan_context: PlanContext, words: str) -> Plan[None]:
    """Run the plan; ask a human about the parts that failed, and retry them if the answer helps."""
    request = parse_request(words)
    progress = Progress.of(request)
    plan_context.defers_questions = isinstance(request, Compound)
    while True:
        yield from run_parts(plan_context, progress)
        if not progress.failed:
            last = DoneTool(success=True, message=progress.report[:500])
            break
        question = AskHumanTool(question=progress.report[:500])
        reply = yield question
        if reply.status == TOO_EARLY:
            reply = yield question
        if not _helps(plan_context, reply.operator_words):
            last = DoneTool(success=False, message=failure_message(reply.operator_words, progress.done))
            break
        progress.again()
    while True:
        yield last


def _helps(plan_context: PlanContext, answer: str) -> bool:
    """Return True if an answer asks for another try, or names a place to look at."""
    if plan_context.defers_questions and answer and named_place(plan_context.now, answer):
        plan_context.suggestion = answer
        return True
    return answer.strip().lower().rstrip(".!") in _AGAIN


def failure_message(answer: str, done: Sequence[str] = ()) -> str:
    """Return the final message after an answer that does not help, with the parts that are done."""
    return " ".join((*done, f"I cannot continue; the answer was {answer!r}."))[:500]


class ScriptedModel:
    """Model without key, network, state or cost."""

    def __call__(self, context: Context) -> Decision:
        """Return the next step of the plan."""
        return Decision((decide(context),), cost=0.0)
