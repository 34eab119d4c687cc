"""A mission from its prompt to its one ending."""

from collections.abc import Callable

from openral_reasoner.budgets import BudgetExhausted
from openral_reasoner.exchanges.commands import ClearDeadline, SetDeadline
from openral_reasoner.exchanges.statuses import MissionState
from openral_reasoner.missions.ticks import decide_until_done
from openral_reasoner.palettes import ToolPalette
from openral_reasoner.procedures.humans import ask_human
from openral_reasoner.procedures.interrupts import MissionCancelled, MissionStuck
from openral_reasoner.procedures.mission import Ending, Mission, Procedure, Wait

_FINAL = ("seconds", "model_calls", "tokens", "dollars", "unpriced_calls")
"""Without these nothing can go on, whatever a human answers."""


def story(mission: Mission) -> Procedure[Ending]:
    """Everything from the prompt to the end; gives exactly one ending."""
    try:
        missing = yield from _wait_for_peers(mission)
        if missing and not _usable(mission.palette):
            return Ending(MissionState.FAILED, f"nothing to act with: {', '.join(missing)}")
        mission.news.extend(missing)
        return (yield from _with_handoffs(mission))
    except MissionCancelled as reason:
        return Ending(MissionState.CANCELLED, str(reason))
    except BudgetExhausted as reason:
        return Ending(MissionState.HANDED_OVER, str(reason))


def _with_handoffs(mission: Mission) -> Procedure[Ending]:
    """Decide; when that does not end, ask a human and go on with the answer, while the budget lasts."""
    while True:
        try:
            return (yield from decide_until_done(mission))
        except (BudgetExhausted, MissionStuck) as reason:
            why = str(reason)
            final = isinstance(reason, BudgetExhausted) and reason.line in _FINAL
        answer = yield from _hand_over(mission, why, final=final)
        if answer is None:
            return Ending(MissionState.HANDED_OVER, why)
        mission.operator_words = answer


def _hand_over(mission: Mission, why: str, *, final: bool) -> Procedure[str | None]:
    """Put the mission into a human's hands; None when it ends there."""
    try:
        return (yield from ask_human(mission, f"I could not go on: {why}. What should I do?", wait=not final))
    except BudgetExhausted:
        return None


def _wait_for_peers(mission: Mission) -> Procedure[list[str]]:
    """Until memory and a skill server live, for a bounded time; what is still missing then."""
    deadlines = mission.settings.deadlines
    yield from _wait_while(mission, _missing, deadlines.palette)
    yield from _wait_while(mission, _blind, deadlines.locator)
    return _missing(mission.palette)


def _wait_while(
    mission: Mission, missing: Callable[[ToolPalette], list[str]], seconds: float
) -> Procedure[None]:
    call_id = mission.next_id("palette")
    if not missing(mission.palette) or seconds <= 0.0:
        return
    mission.say("waiting: " + ", ".join(missing(mission.palette)))
    mission.emit(SetDeadline(call_id=call_id, seconds=seconds))
    kind = ""
    while missing(mission.palette) and kind != "deadline_passed":
        kind = (yield Wait(call_id, palette=True)).kind
    mission.emit(ClearDeadline(call_id=call_id))


def _blind(palette: ToolPalette) -> list[str]:
    return [] if palette.detector_available else ["no locator lives"]


def _missing(palette: ToolPalette) -> list[str]:
    missing = [] if palette.spatial_memory_available else ["no spatial memory service lives"]
    return missing if palette.skills else [*missing, "no skill server lives"]


def _usable(palette: ToolPalette) -> bool:
    return bool(palette.spatial_memory_available or palette.skills or palette.detector_available)
