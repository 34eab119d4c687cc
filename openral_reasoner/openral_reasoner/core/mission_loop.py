"""The mission loop: context of a decision, decisions until the end, hand-offs to a human."""

import re

from openral_core.missions import MissionState
from openral_reasoner.behaviors.abilities import say_abilities
from openral_reasoner.behaviors.human import ConsentRefused, ask_human
from openral_reasoner.behaviors.referents import settle_referents
from openral_reasoner.behaviors.requests import MissionCancelled, MissionStuck, send_request, wait_for_peers
from openral_reasoner.behaviors.residency import activate_brain, restore_pending
from openral_reasoner.behaviors.skill_execution import OutcomeUnknown
from openral_reasoner.budget import CACHED, BudgetExhausted
from openral_reasoner.commands import AskModel
from openral_reasoner.compact.choices import legal_choices
from openral_reasoner.context import Context, RawCall, ToolResult, Turn, plain
from openral_reasoner.events import CallFailed, Event, ModelAnswered, ModelFailed
from openral_reasoner.evidence import Course
from openral_reasoner.mission import Ending, Mission, Procedure
from openral_reasoner.policies import LoopDetector, ModelFailurePolicy
from openral_reasoner.request.goals import AskAbilities, GoTo, LookAt, LookInside, is_understood
from openral_reasoner.sentences.reader import read_sentence
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner.tools.listing import in_lines, listing, listing_changes
from openral_reasoner.tools.registry import Fault, parse_answer, schemas


def build_context(mission: Mission) -> Context:
    """Build the context of one decision; news and the operator's answer are delivered once."""
    decisions = mission.decisions
    if not decisions.listed:
        decisions.listed = decisions.reported = listing(mission.palette)
    if not is_understood(decisions.first_request):
        decisions.first_request = mission.request
    decisions.reported, changed = listing_changes(decisions.reported, mission.palette)
    news, decisions.news = (*decisions.news, *changed), []
    answered, mission.operator.answer = mission.operator.answer, ""
    held = mission.objects.get(mission.hand.object_id)
    return Context(
        system=SYSTEM_PROMPT,
        goal=mission.goal,
        request=mission.request,
        requester=mission.requester,
        palette=mission.palette,
        tools=schemas(mission.palette, decisions.first_request),
        listed=in_lines(decisions.listed),
        turns=tuple(decisions.turns),
        news=news,
        operator_words=answered,
        holding=f"{held.label} ({held.id})" if held is not None else mission.palette.holding[:200],
        remaining=mission.remaining(),
        choices=legal_choices(mission) if mission.settings.prompt != "full" else (),
    )


def run_decision_loop(mission: Mission) -> Procedure[Ending]:
    """Ask the model, execute its call and append the reply, until a call ends the mission.

    Before each decision pending residency changes are restored and lost peers are waited for.

    Raises:
        MissionStuck: If the model fails too often or repeats itself.
        BudgetExhausted: If a line of the budget is used up.
    """
    failures = ModelFailurePolicy(mission.settings.max_failures)
    loop = LoopDetector(mission.settings.max_repeats)
    while True:
        yield from restore_pending(mission)
        yield from wait_for_peers(mission)
        yield from activate_brain(mission)
        context = build_context(mission)
        answer = yield from ask_model(mission, context)
        if not isinstance(answer, ModelAnswered):
            failures = failures.on_failure()
            # Its news is delivered with the next decision.
            mission.decisions.news[:0] = context.news
            mission.operator.answer = mission.operator.answer or context.operator_words
            raise_if_exhausted(failures, describe_failure(answer))
            continue
        raw, call = parse_answer(mission, answer)
        if isinstance(call, Fault):
            failures = failures.on_invalid(call.did)
            append_turn(mission, context, answer, raw, call.reply)
            if failures.repeated >= failures.limit:
                raise MissionStuck(call.describe(failures.repeated))
            raise_if_exhausted(failures, call.describe(1))
            continue
        failures = failures.on_valid()
        outcome = yield from call.perform(mission)
        if isinstance(outcome, Ending):
            return outcome
        append_turn(mission, context, answer, raw, outcome)
        looping, loop = loop.after(
            raw.tool, raw.arguments, outcome.model_dump_json(), Course.of(mission.evidence).progress
        )
        if looping:
            raise MissionStuck(describe_repetition(raw.tool, loop.limit, outcome))


def ask_model(mission: Mission, context: Context) -> Procedure[Event]:
    """Ask the model for one decision and charge it to the budget."""
    mission.spend("model_calls")
    mission.say("deciding")
    call_id, advised = mission.next_id("model"), mission.decisions.advice.pending > 0
    mission.decisions.advice = mission.decisions.advice.after_decision()
    attributes = {"gen_ai.operation.name": "chat"} | ({"openral.advisor": "asked"} if advised else {})
    mission.open_span(call_id, "chat", **attributes)
    command = AskModel(call_id=call_id, context=context, advisor=advised)
    event = yield from send_request(mission, call_id, command, mission.settings.deadlines.model)
    mission.close_span(call_id, status_of(event), **usage_attributes(event))
    if isinstance(event, ModelAnswered):
        mission.charge_decision(event.tokens - (1.0 - CACHED) * event.cached, event.cost)
    elif isinstance(event, ModelFailed):
        mission.charge_decision(event.tokens, event.cost)
    return event


def status_of(event: Event) -> str:
    """Return the outcome of a decision: OK, the condition of its failure, or TIMEOUT."""
    if isinstance(event, ModelAnswered):
        return "OK"
    return event.condition if isinstance(event, ModelFailed | CallFailed) else "TIMEOUT"


def usage_attributes(event: Event) -> dict[str, str | float]:
    """Return the span attributes of the OpenTelemetry GenAI semantic conventions."""
    if not isinstance(event, ModelAnswered) or not event.model:
        return {}
    return {
        "gen_ai.response.model": event.model,
        "gen_ai.usage.input_tokens": event.read,
        "gen_ai.usage.output_tokens": event.written,
        "gen_ai.usage.cache_read.input_tokens": event.cached,
        "gen_ai.usage.cache_creation.input_tokens": event.stored,
        "openral.cost_usd": "unknown" if event.cost is None else event.cost,
    }


def append_turn(
    mission: Mission, context: Context, answer: ModelAnswered, raw: RawCall, reply: ToolResult
) -> None:
    """Append a decision and its reply to the conversation; some models accept ids of nine characters only."""
    reply = reply.model_copy(update={"remaining": mission.remaining()})
    number = f"call{len(mission.decisions.turns) + 1:05d}"
    mission.decisions.turns.append(
        Turn(
            call_id=number,
            tool=raw.tool,
            arguments=raw.arguments,
            reply=reply,
            news=context.news,
            operator_words=context.operator_words,
            opaque=answer.opaque,
        )
    )


def describe_failure(answer: Event) -> str:
    """Describe why the model made no decision.

    Raises:
        MissionStuck: If asking it again would end the same way.
    """
    if not isinstance(answer, ModelFailed):
        return "no answer in time"
    failure = f"{answer.condition}: {answer.message}"
    if answer.permanent:
        raise MissionStuck(f"the model cannot decide: {failure}")
    return failure


def raise_if_exhausted(failures: ModelFailurePolicy, why: str) -> None:
    """End the decisions of a model that fails too often.

    Raises:
        MissionStuck: With the last failure.
    """
    if failures.exhausted:
        raise MissionStuck(f"the model failed {failures.failures} times; last failure: {why}")


def describe_repetition(tool: str, times: int, reply: ToolResult) -> str:
    """Describe a call that keeps returning the same reply."""
    answer = ": ".join(part for part in (reply.status, *reply.peer_words) if part)
    return f"{tool} was called {times} times and returned the same answer each time: {plain(answer, 200)}"


_PREPOSITION = re.compile(
    r"(?:in|on|at|under|inside|behind|near|by|beside)\s+(?:the\s+|my\s+)?", re.IGNORECASE
)
_FINAL = ("seconds", "model_calls", "tokens", "dollars", "unpriced_calls")
"""Budget lines without which the mission cannot continue even if a human answers."""


def run_mission(mission: Mission) -> Procedure[Ending]:
    """Run a mission from its prompt to its one ending."""
    try:
        missing = yield from wait_for_peers(mission)
        palette = mission.palette
        usable = palette.spatial_memory_available or palette.skills or palette.detector_available
        if missing and not usable:
            return Ending(MissionState.FAILED, _NOTHING_AVAILABLE)
        mission.decisions.news.extend(missing)
        ending = yield from settle_referents(mission)
        mission.understand(read_sentence(mission.goal))
        if ending is None and isinstance(mission.request, AskAbilities):
            ending = yield from say_abilities(mission)
        return ending or (yield from run_with_handoffs(mission))
    except MissionCancelled as reason:
        return Ending(MissionState.CANCELLED, str(reason))
    except (BudgetExhausted, OutcomeUnknown) as reason:
        return Ending(MissionState.HANDED_OVER, mission.with_caveats(str(reason)))
    except ConsentRefused as reason:
        return Ending(MissionState.FAILED if reason.answered else MissionState.HANDED_OVER, str(reason))


def replaces_goal(mission: Mission, answer: str) -> bool:
    """Return True if an answer to the open question is a goal to pursue in place of the mission's.

    "Look in the fridge" says where to look for what is sought.
    """
    if not (mission.unread or mission.operator.answer_may_be_goal):
        return False
    request = read_sentence(answer)
    where = _PREPOSITION.sub("", answer.strip().rstrip(".!"))
    is_place = any(each.answers_to(where) for each in mission.palette.places)
    is_place = is_place or (not mission.unread and isinstance(request, GoTo | LookAt | LookInside))
    return not is_place and is_understood(request)


def run_with_handoffs(mission: Mission) -> Procedure[Ending]:
    """Run the decision loop; when it is stuck, ask a human and continue with the answer."""
    while True:
        try:
            return (yield from run_decision_loop(mission))
        except (BudgetExhausted, MissionStuck) as reason:
            if isinstance(reason, MissionStuck) and consult_advisor(mission, str(reason)):
                continue
            why = mission.with_caveats(str(reason))
            final = isinstance(reason, BudgetExhausted) and reason.line in _FINAL
        answer = yield from hand_over(mission, why, final=final)
        if answer is None:
            return Ending(MissionState.HANDED_OVER, why)
        mission.operator.answer = answer


def consult_advisor(mission: Mission, why: str) -> bool:
    """Have the advisor make the next decisions, and tell it why; False if it has none left."""
    mission.decisions.advice = mission.decisions.advice.after_stuck()
    if not mission.decisions.advice.pending:
        return False
    mission.decisions.news.append(f"the model that decided so far is stuck: {plain(why, 200)}")
    return True


def hand_over(mission: Mission, why: str, *, final: bool) -> Procedure[str | None]:
    """Ask a human how to continue; None if the mission ends there."""
    mission.operator.answer_may_be_goal = True
    try:
        return (yield from ask_human(mission, f"I cannot continue: {why}. What should I do?", wait=not final))
    except BudgetExhausted:
        return None
    finally:
        mission.operator.answer_may_be_goal = False


_NOTHING_AVAILABLE = (
    "no spatial memory, skill server or detector is available: check that their nodes are running and active"
)
