"""The operator's yes before anything moves, when settings ask for it."""

from openral_reasoner.procedures.humans import put
from openral_reasoner.procedures.mission import Mission, Procedure

_YES = ("yes", "y", "ok", "approve", "approved", "go", "do it")


def approved(mission: Mission, step: str) -> Procedure[bool]:
    """Whether this step may be taken; silence is a no."""
    if not mission.settings.require_approval:
        return True
    answer = yield from put(mission, f"May I {step}?", ("yes", "no"), mission.settings.deadlines.approval)
    return answer is not None and answer.strip().lower().rstrip(".!") in _YES
