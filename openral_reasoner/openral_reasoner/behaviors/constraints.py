"""Prohibitions of the operator: judged before any step is sent, by the model or by a plan."""

from openral_core.skills import Verb
from openral_core.text.terms import answers
from openral_reasoner.mission import Mission
from openral_reasoner.mission_objects import HOME, MissionObject
from openral_reasoner.request.goals import Act, Forbidden, restrictions
from openral_reasoner.request.saying import forbidden_in_words

_HAND = frozenset({Verb.OPEN, Verb.CLOSE, Verb.GRASP, Verb.PLACE, Verb.POUR, Verb.SWITCH, Verb.PRESS})
_VERBS = {
    Act.OPEN: frozenset({Verb.OPEN}),
    Act.CLOSE: frozenset({Verb.CLOSE}),
    Act.TAKE: frozenset({Verb.GRASP}),
    Act.ENTER: frozenset({Verb.NAVIGATE, Verb.EXPLORE}),
    Act.TOUCH: _HAND,
}


def forbidden_by(mission: Mission, verb: Verb, target: MissionObject) -> Forbidden | None:
    """Return what forbids a step on a target, and note that it is left out; None if nothing does."""
    concerned = (rule for rule in restrictions(mission.request) if verb in _VERBS[rule.act])
    rule = next((rule for rule in concerned if _concerns(mission, rule, target)), None)
    if rule is not None:
        mission.operator.obeyed_rules.add(forbidden_in_words(rule))
    return rule


def refusal(rule: Forbidden) -> str:
    """Return the reason why a step is not sent."""
    return f"the operator said not to {forbidden_in_words(rule)}"


def _concerns(mission: Mission, rule: Forbidden, target: MissionObject) -> bool:
    """Return True if a rule means a target, what it stands or lies in, or the room to be entered."""
    around: tuple[str, ...] = ()
    if rule.act in (Act.TAKE, Act.TOUCH):
        around = (target.place, *target.containers)
    elif rule.act is Act.ENTER:
        if target.id == HOME.id:
            return True  # an exploration of everything enters every room
        entry = mission.palette.place(target.id)
        around = (target.room, entry.room if entry is not None else "")
    entries = (mission.palette.place(each) for each in (target.id, *around) if each)
    names = [name for entry in entries if entry is not None for name in (entry.label, *entry.aliases)]
    names += [each.replace("_", " ") for each in (target.label, target.words, *around) if each]
    return any(answers(rule.what, name) for name in names)
