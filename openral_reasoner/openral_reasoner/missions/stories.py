"""A mission from its prompt to its one ending."""

from openral_core.missions import MissionState
from openral_reasoner.budgets import BudgetExhausted
from openral_reasoner.missions.ticks import decide_until_done
from openral_reasoner.palettes import ToolPalette
from openral_reasoner.procedures.humans import ask_human
from openral_reasoner.procedures.interrupts import MissionCancelled, MissionStuck
from openral_reasoner.procedures.mission import Ending, Mission, Procedure
from openral_reasoner.procedures.waits import wait_for_peers

_FINAL = ("seconds", "model_calls", "tokens", "dollars", "unpriced_calls")
"""Without these nothing can go on, whatever a human answers."""


def story(mission: Mission) -> Procedure[Ending]:
    """Everything from the prompt to the end; gives exactly one ending."""
    try:
        missing = yield from wait_for_peers(mission)
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


def _usable(palette: ToolPalette) -> bool:
    return bool(palette.spatial_memory_available or palette.skills or palette.detector_available)
