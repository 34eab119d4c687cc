"""The scripted planner: the same context as any model, one tool call per tick, no state of its own."""
# MERGED The scripted planner as a model.

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
    """The next tool call: the plan is played from its start against every reply so far."""
    outlook = PlanContext(context.palette)
    plan = _whole(outlook, context.goal)
    outlook.past = next((_call(turn) for turn in context.turns), None)
    call = next(plan)
    for index, turn in enumerate(context.turns, start=1):
        outlook.past = _call(context.turns[index]) if index < len(context.turns) else None
        call = plan.send(turn.reply)
    return RawCall(tool=call.model_dump()["tool"], arguments=call.model_dump_json(exclude={"tool"}))


def _call(turn: Turn) -> RawCall:
    return RawCall(tool=turn.tool, arguments=turn.arguments)


def _whole(outlook: PlanContext, words: str) -> Plan[None]:
    """The plan; when it fails a question to a human, and the plan again if that is the answer."""
    goal = parse_goal(words)
    while True:
        try:
            told = yield from plan_for(outlook, goal)
            last = DoneTool(success=True, message=told[:500])
            break
        except PlanFailed as failure:
            reply = yield from _insist(AskHumanTool(question=str(failure)[:500]))
        if reply.operator_words.strip().lower().rstrip(".!") not in _AGAIN:
            last = DoneTool(success=False, message=str(failure_words(reply.operator_words)))
            break
    while True:
        yield last


def _insist(question: AskHumanTool) -> Plan[ToolResult]:
    """Ask, and ask again when told that it is too early."""
    reply = yield question
    return reply if reply.status != TOO_EARLY else (yield question)


def failure_words(answer: str) -> str:
    """What to say when a human's answer does not help."""
    return f"I could not go on; the answer was {answer!r}."[:500]


class ScriptedModel:
    """No key, no network, no state, no cost."""

    def __call__(self, context: Context) -> Decision:
        """The next step of the plan."""
        return Decision((decide(context),), cost=0.0)
