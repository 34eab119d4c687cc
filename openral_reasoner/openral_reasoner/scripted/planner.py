"""Scripted planner: a stateless model that gets the same context as any other and makes one call per turn."""

from openral_reasoner.behaviors.search import TOO_EARLY
from openral_reasoner.context import Context, RawCall, ToolResult, Turn
from openral_reasoner.llm.base import Decision
from openral_reasoner.scripted.grammar import parse_goal
from openral_reasoner.scripted.plans import plan_for
from openral_reasoner.scripted.steps import Plan, PlanContext, PlanFailed
from openral_reasoner.tools.ask_human import AskHumanTool
from openral_reasoner.tools.done import DoneTool

_AGAIN = ("again", "retry", "try again", "go on", "continue", "yes")


def decide(context: Context) -> RawCall:
    """Return the next tool call by replaying the plan against every reply so far."""
    plan_context = PlanContext(context.palette)
    plan = _run_plan(plan_context, context.goal)
    plan_context.past = next((_call(turn) for turn in context.turns), None)
    call = next(plan)
    for index, turn in enumerate(context.turns, start=1):
        plan_context.past = _call(context.turns[index]) if index < len(context.turns) else None
        call = plan.send(turn.reply)
    return RawCall(tool=call.model_dump()["tool"], arguments=call.model_dump_json(exclude={"tool"}))


def _call(turn: Turn) -> RawCall:
    return RawCall(tool=turn.tool, arguments=turn.arguments)


def _run_plan(plan_context: PlanContext, words: str) -> Plan[None]:
    """Run the plan; if it fails, ask a human and retry if the answer says so."""
    goal = parse_goal(words)
    while True:
        try:
            message = yield from plan_for(plan_context, goal)
            last = DoneTool(success=True, message=message[:500])
            break
        except PlanFailed as failure:
            reply = yield from _insist(AskHumanTool(question=str(failure)[:500]))
        if reply.operator_words.strip().lower().rstrip(".!") not in _AGAIN:
            last = DoneTool(success=False, message=failure_message(reply.operator_words))
            break
    while True:
        yield last


def _insist(question: AskHumanTool) -> Plan[ToolResult]:
    """Ask a human, repeating the call if it is challenged as too early."""
    reply = yield question
    return reply if reply.status != TOO_EARLY else (yield question)


def failure_message(answer: str) -> str:
    """Return the final message after an answer that does not help."""
    return f"I cannot continue; the answer was {answer!r}."[:500]


class ScriptedModel:
    """Model without key, network, state or cost."""

    def __call__(self, context: Context) -> Decision:
        """Return the next step of the plan."""
        return Decision((decide(context),), cost=0.0)
