"""Acts that serve a goal: what may be taken, poured, given away and switched on its behalf, and to whom."""

from collections.abc import Mapping

from openral_core.skills import Verb
from openral_reasoner.compact.names import named
from openral_reasoner.mission import Mission
from openral_reasoner.request import goals as g
from openral_reasoner.request.goals import Request, is_understood, parts_of
from openral_reasoner.sentences.lexicon import singular
from openral_reasoner.success.case import Case, KnownHome

_OF_ANY_OBJECT = (g.Tidy, g.Clear, g.SetTable)
_GIVING = (g.Bring, g.BringFilled, g.BringSeveral, g.BringEvery, g.BringEach, g.Clear)
_SERVED: Mapping[Verb, tuple[type, ...]] = {
    Verb.GRASP: (*_GIVING, *_OF_ANY_OBJECT, g.Pour, g.PickUp, g.Swap),
    Verb.POUR: (g.BringFilled, g.Pour),
    Verb.HANDOVER: _GIVING,
    Verb.SWITCH: (g.Switch,),
    Verb.PRESS: (g.Press,),
}
"""Goals that need an act; a verb not listed may serve any."""


def serves(mission: Mission, verb: Verb, target: str) -> bool:
    """Return True if the goal, as understood, may need an act on a target."""
    request = mission.request
    if verb not in _SERVED or not is_understood(request):
        return True
    parts = [part for part in parts_of(request) if isinstance(part, _SERVED[verb])]
    palette = mission.palette
    referents = {term: each.id for term, each in mission.operator.referents.items()}
    home = KnownHome(mission.requester, palette.places, frozenset(), palette.controls, referents)
    case = Case(mission.evidence, home)
    if verb is Verb.HANDOVER:
        return any(_receives(case, part, mission.hand.object_id, target) for part in parts)
    if not parts or verb not in (Verb.GRASP, Verb.POUR):
        return bool(parts)
    answers = (turn.reply.operator_words for turn in mission.decisions.turns if turn.reply.operator_words)
    is_named = case.matches_query(target, *named(request), *answers)
    return is_named or any(isinstance(part, _OF_ANY_OBJECT) for part in parts)


def _receives(case: Case, part: Request, held: str, person: str) -> bool:
    """Return True if a person is to receive the held object; one that was held before may be any."""
    to = getattr(part, "to", "")
    if to and not case.matches_reference(case.home.node(person), to):
        return False
    what = getattr(part, "what", "")
    return not (held and what) or case.matches_query(held, what, singular(what))
