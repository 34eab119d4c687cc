"""One decision after the other until the mission ends."""

from openral_reasoner.exchanges.arguments import plain
from openral_reasoner.exchanges.commands import AskModel
from openral_reasoner.exchanges.events import Event, ModelAnswered, ModelFailed
from openral_reasoner.exchanges.turns import Context, RawCall, Reply, Turn
from openral_reasoner.missions.contexts import context
from openral_reasoner.missions.faults import Fault, chosen
from openral_reasoner.policies import Repetitions, Strikes
from openral_reasoner.procedures.asks import exchange
from openral_reasoner.procedures.interrupts import MissionStuck
from openral_reasoner.procedures.mission import Ending, Mission, Procedure
from openral_reasoner.procedures.residencies import tidy
from openral_reasoner.procedures.waits import wait_for_peers


def decide_until_done(mission: Mission) -> Procedure[Ending]:
    """Ask the model, do what it says, tell it what came of it, and again; a lost peer is waited for.

    Raises:
        MissionStuck: If the model fails too often or goes in circles.
        BudgetExhausted: If a line of the budget is used up.
    """
    strikes = Strikes(mission.settings.max_failures)
    repetitions = Repetitions(mission.settings.max_repeats)
    while True:
        yield from tidy(mission)
        yield from wait_for_peers(mission)
        given = context(mission)
        answer = yield from _ask(mission, given)
        if not isinstance(answer, ModelAnswered):
            strikes = strikes.after_failure()
            _tell_again(mission, given)
            _check(strikes, _why(answer))
            continue
        raw, call = chosen(mission, answer)
        if isinstance(call, Fault):
            strikes = strikes.after_wrong(call.did)
            _remember(mission, given, raw, call.reply)
            _check_calls(strikes, call)
            continue
        strikes = strikes.after_right()
        outcome = yield from call.perform(mission)
        if isinstance(outcome, Ending):
            return outcome
        _remember(mission, given, raw, outcome)
        looping, repetitions = repetitions.after(raw.tool, raw.arguments, outcome.model_dump_json())
        if looping:
            raise MissionStuck(_in_circles(raw.tool, repetitions.limit, outcome))


def _ask(mission: Mission, given: Context) -> Procedure[Event]:
    mission.spend("model_calls")
    mission.say("deciding")
    call_id = mission.next_id("model")
    mission.open_span(call_id, "chat", **{"gen_ai.operation.name": "chat"})
    command = AskModel(call_id=call_id, context=given)
    event = yield from exchange(mission, call_id, command, mission.settings.deadlines.model)
    mission.close_span(call_id, "OK" if isinstance(event, ModelAnswered) else "FAILED", **_usage(event))
    if isinstance(event, ModelAnswered | ModelFailed):
        mission.charge_decision(event.tokens, event.cost)
    return event


def _usage(event: Event) -> dict[str, str | float]:
    """Attributes of the GenAI semantic conventions."""
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


def _remember(mission: Mission, given: Context, raw: RawCall, reply: Reply) -> None:
    told = reply.model_copy(update={"remaining": mission.remaining()})
    number = f"call_{len(mission.turns) + 1}"
    mission.turns.append(
        Turn(
            call_id=number,
            tool=raw.tool,
            arguments=raw.arguments,
            reply=told,
            news=given.news,
            operator_words=given.operator_words,
        )
    )


def _check(strikes: Strikes, why: str) -> None:
    if strikes.out:
        raise MissionStuck(f"the model failed {strikes.failures} times; last: {why}")


def _check_calls(strikes: Strikes, fault: Fault) -> None:
    if strikes.repeated >= strikes.limit:
        raise MissionStuck(fault.told(strikes.repeated))
    _check(strikes, fault.told(1))


def _in_circles(tool: str, times: int, reply: Reply) -> str:
    answer = ": ".join(part for part in (reply.status, *reply.peer_words) if part)
    return f"{tool} was called {times} times and got the same answer each time: {plain(answer, 200)}"


def _tell_again(mission: Mission, given: Context) -> None:
    """A decision that was not made has read nothing: its news belongs to the next one."""
    mission.news[:0] = given.news
    mission.operator_words = mission.operator_words or given.operator_words


def _why(event: Event) -> str:
    return f"{event.condition}: {event.message}" if isinstance(event, ModelFailed) else "no answer in time"
