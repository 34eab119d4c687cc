"""Acts that serve a goal: what may be taken, poured, given away and switched on its behalf, and to whom."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from openral_core.skills import SkillStatus, Verb
from openral_reasoner.behaviors.ending import NOT_PROVEN
from openral_reasoner.compact.names import REQUESTER, named, vessels
from openral_reasoner.compact.report import MissionStory, answer_to
from openral_reasoner.evidence import Course, looked_at
from openral_reasoner.mission import Mission
from openral_reasoner.palette.entries import PlaceEntry
from openral_reasoner.request import goals as g
from openral_reasoner.request.goals import Request, is_understood, parts_of, unrestricted
from openral_reasoner.scripted.plans import SPEAKER, staging_surfaces
from openral_reasoner.scripted.steps import PlanContext
from openral_reasoner.sentences.context import ME
from openral_reasoner.sentences.lexicon import singular
from openral_reasoner.success.case import Case, KnownHome
from openral_reasoner.success.judge import judge

_OF_ANY_OBJECT = (g.Tidy, g.Clear, g.SetTable)
_OPENS_NO_OTHER_DOOR = (g.MoveDoor, g.LookAt, g.LookInside, g.GoTo, g.Describe, g.Explore, g.AskView)
"""Goals that open no door but one that they name, or that hides what they name."""
_GIVING = (g.Bring, g.BringFilled, g.BringSeveral, g.BringEvery, g.BringEach, g.Clear)
_SERVED: Mapping[Verb, tuple[type, ...]] = {
    Verb.GRASP: (*_GIVING, *_OF_ANY_OBJECT, g.Pour, g.PickUp, g.Swap),
    Verb.POUR: (g.BringFilled, g.Pour),
    Verb.HANDOVER: _GIVING,
    Verb.PLACE: (*_GIVING, *_OF_ANY_OBJECT, g.Pour, g.Swap),
    Verb.SWITCH: (g.Switch,),
    Verb.PRESS: (g.Press,),
}
"""Goals that need an act; a verb not listed may serve any."""
_VIEWS = (g.AskView, g.AskWhereabouts)
_QUESTIONS = (*_VIEWS, g.AskCount, g.AskCompare, g.AskState, g.Describe, g.Find)


@dataclass(frozen=True)
class MissionPurpose:
    """The goal of a mission as its evidence stands, the same for every call of one decision."""

    mission: Mission

    @cached_property
    def case(self) -> Case:
        """Evidence and home; the requester whom nothing resolved yet goes by that name."""
        mission, palette = self.mission, self.mission.palette
        referents = {term: each.id for term, each in mission.operator.referents.items()}
        requester = mission.requester or REQUESTER
        home = KnownHome(requester, palette.places, frozenset(), palette.controls, referents)
        return Case(mission.evidence, home)

    @cached_property
    def reached(self) -> set[str]:
        """Names of objects to bring or pour that the hand holds, or that are delivered beside open parts."""
        parts, case, held = parts_of(self.mission.request), self.case, self.mission.hand.object_id
        brings = [part for part in parts if isinstance(part, g.Bring)]
        proven = [part for part in brings if judge(part, case).proven] if len(parts) > 1 else []
        over = proven if len(proven) < len(parts) else []
        over += [
            part for part in brings if held and case.matches_query(held, part.what, singular(part.what))
        ][:1]
        contents = {part.contents for part in parts if isinstance(part, g.Pour | g.BringFilled)}
        poured = {each for each in contents if held and case.matches_query(held, each)}
        return poured | {part.what for part in over} - {part.what for part in brings if part not in over}

    @cached_property
    def is_question(self) -> bool:
        """True if every part of the goal asks for an answer alone."""
        return all(isinstance(part, (*_QUESTIONS, g.Sequence)) for part in parts_of(self.mission.request))

    @cached_property
    def is_about_view(self) -> bool:
        """True if the goal asks what is in view, or where the robot is."""
        return all(isinstance(part, _VIEWS) for part in parts_of(self.mission.request))

    @cached_property
    def is_count(self) -> bool:
        """True if the goal only asks how many there are."""
        return all(isinstance(part, g.AskCount) for part in parts_of(self.mission.request))

    @cached_property
    def is_answered(self) -> bool:
        """True if the goal asks for answers alone, and replies prove and give each of them."""
        parts, story = parts_of(self.mission.request), MissionStory.of(self.mission)
        answers = (answer_to(story, part) for part in parts if isinstance(part, _QUESTIONS))
        return self.is_question and judge(self.mission.request, self.case).proven and all(answers)


def may_end(purpose: MissionPurpose, *, success: bool) -> bool:
    """Return True if an end may be reported: a success that was refused, not before a skill has succeeded.

    A question ends with its answer, or without one once something was tried in vain. Tidying is done when the
    evidence proves it, and does not end while the robot can close what it opened.
    """
    mission = purpose.mission
    goal = unrestricted(mission.request)
    if purpose.is_question and (purpose.is_answered or success or not _has_missed(purpose)):
        return success and purpose.is_answered
    if isinstance(goal, g.Tidy):
        can_close = mission.palette.with_verb(Verb.CLOSE) and _opened(mission) and not mission.hand.object_id
        return not can_close and (not success or judge(goal, purpose.case).proven)
    if success and _keeps_what_it_poured_from(mission):
        return False
    acts = ((turn.tool, turn.reply.status) for turn in reversed(mission.decisions.turns))
    news = (each for each in acts if each[1] == NOT_PROVEN or each == ("execute_rskill", "SUCCEEDED"))
    return not success or next(news, ("", ""))[1] != NOT_PROVEN


def _has_missed(purpose: MissionPurpose) -> bool:
    """Return True if something was tried, and not just the view described, which a locator may add to."""
    turns = purpose.mission.decisions.turns
    return bool(turns) and not (purpose.is_about_view and turns[-1].reply.status == "DESCRIBED")


def _keeps_what_it_poured_from(mission: Mission) -> bool:
    """Return True if the goal is to pour, and the hand still holds what it took for that."""
    pours = any(isinstance(part, g.Pour) for part in parts_of(mission.request))
    taken = {target for verb, target, _ in MissionStory.of(mission).acts if verb is Verb.GRASP}
    can_place = mission.palette.with_verb(Verb.PLACE) and not _could_not_be_released(mission)
    return bool(pours and can_place and mission.hand.object_id in taken)


def _opened(mission: Mission) -> set[str]:
    doors = Course.of(mission.evidence).doors
    return {each for each, act in doors.items() if act.verb is Verb.OPEN}


def serves(purpose: MissionPurpose, verb: Verb, target: str) -> bool:
    """Return True if the goal, as understood, may need an act on a target."""
    mission = purpose.mission
    if not is_understood(mission.request):
        return True
    answers = [turn.reply.operator_words for turn in mission.decisions.turns if turn.reply.operator_words]
    if verb is Verb.PLACE and (not mission.hand.object_id or answers or _could_not_be_released(mission)):
        return True
    if isinstance(unrestricted(mission.request), g.Tidy) and not answers:
        return _tidies(purpose, verb, target)
    parts = parts_of(mission.request)
    if verb is Verb.OPEN and all(isinstance(part, _OPENS_NO_OTHER_DOOR) for part in parts):
        return _is_named_door(purpose, target, parts)
    if verb in (Verb.OPEN, Verb.NAVIGATE) and not answers:
        return _leads_on(purpose, verb, target)
    return verb not in _SERVED or _is_needed(purpose, verb, target, answers)


def _is_named_door(purpose: MissionPurpose, door: str, parts: Iterable[Request]) -> bool:
    """Return True if a goal is to move a door or to look behind it, or at an object that is there."""
    case, objects = purpose.case, purpose.mission.objects.values()
    behind = [each.id for each in objects if door in (each.must_open, *each.containers)]
    for part in parts:
        if isinstance(part, g.MoveDoor | g.LookInside):
            if case.matches_reference(case.home.node(door), part.what):
                return True
        elif isinstance(part, g.LookAt) and any(case.matches_query(each, part.what) for each in behind):
            return True
    return False


def _leads_on(purpose: MissionPurpose, verb: Verb, target: str) -> bool:
    """Return True if a drive ends where the goal says, and a door hides what it says or closes its place."""
    mission, case = purpose.mission, purpose.case
    parts = parts_of(mission.request)
    node = case.home.node(target)
    places = [part.where for part in parts if isinstance(part, g.GoTo) and part.where not in SPEAKER]
    if verb is Verb.NAVIGATE:
        return len(places) < len(parts) or any(case.is_within(node, each) for each in places)
    brings = [part for part in parts if isinstance(part, g.Bring)]
    if len(brings) < len(parts) or any(case.matches_reference(node, part.to) for part in brings):
        return True
    reliable = [each for each in mission.objects.values() if not (each.hint or each.disproved)]
    for part in brings:
        things = [each for each in reliable if case.matches_query(each.id, part.what, singular(part.what))]
        hides = not things or any(target in (each.must_open, *each.containers) for each in things)
        if hides and _exists(case, mission, part.to):
            return True
    return False


def _is_needed(purpose: MissionPurpose, verb: Verb, target: str, answers: list[str]) -> bool:
    mission, case = purpose.mission, purpose.case
    parts = [part for part in parts_of(mission.request) if isinstance(part, _SERVED[verb])]
    held = mission.hand.object_id
    match verb:
        case Verb.HANDOVER:
            return any(_receives(case, part, held, target) for part in parts)
        case Verb.PLACE:
            return _may_be_put(purpose, parts, target)
        case Verb.POUR:
            pours = [part for part in parts if isinstance(part, g.Pour | g.BringFilled)]
            return target != held and any(case.matches_query(target, *vessels(part)) for part in pours)
        case Verb.GRASP if not any(isinstance(each, _OF_ANY_OBJECT) for each in parts):
            names = set(named(mission.request)) - {
                each for name in purpose.reached for each in (name, singular(name))
            }
            is_named = case.matches_query(target, *names, *answers)
            return is_named and any(_is_known(case, mission, getattr(each, "to", ME)) for each in parts)
        case _:
            return bool(parts)


def _is_known(case: Case, mission: Mission, receiver: str) -> bool:
    """Return True if it is known what a receiver means, and it is open; the speaker may be met on the way."""
    places = _places_meant(case, mission, receiver)
    return _exists(case, mission, receiver) and not (places and all(each.closed for each in places))


def _exists(case: Case, mission: Mission, receiver: str) -> bool:
    """Return True if it is known what a receiver means; the speaker may be met on the way."""
    if receiver in SPEAKER or _places_meant(case, mission, receiver):
        return True
    return any(case.matches_query(each, receiver) for each in mission.objects)


def _places_meant(case: Case, mission: Mission, receiver: str) -> list[PlaceEntry]:
    if receiver in SPEAKER:
        return []
    return [each for each in mission.palette.places if case.is_within(case.home.node(each.id), receiver)]


def _receives(case: Case, part: Request, held: str, person: str) -> bool:
    """Return True if a person is to receive the held object; one that was held before may be any."""
    to = getattr(part, "to", "")
    if to and not case.matches_reference(case.home.node(person), to):
        return False
    what = getattr(part, "what", "")
    return not (held and what) or case.matches_query(held, what, singular(what))


def _may_be_put(purpose: MissionPurpose, parts: list[Request], place: str) -> bool:
    """Return True if the held object is to be put there, or aside so that its place can be opened.

    What is to be poured is put down after that, where it stood or where things are set down.
    """
    case, mission = purpose.case, purpose.mission
    held = mission.hand.object_id
    brings = [part for part in parts if isinstance(part, g.Bring)]
    ends = [part.to for part in brings if case.matches_query(held, part.what, singular(part.what))]
    contents = [part.contents for part in parts if isinstance(part, g.Pour | g.BringFilled)]
    if any(case.matches_query(held, each) for each in contents):
        stood = {mission.objects[held].place} if held in mission.objects else set()
        back = {*stood, *staging_surfaces(PlanContext(mission.palette))} - {""}
        return bool(case.course.poured) and (bool(ends) or not back or place in back)
    if not ends or len(brings) < len(parts):
        return True
    closed = [each.id for each in mission.palette.places if each.closed]
    if any(case.matches_reference(case.home.node(each), to) for each in closed for to in ends):
        return True
    return any(case.is_within(case.home.node(place), to) for to in ends)


def _tidies(purpose: MissionPurpose, verb: Verb, target: str) -> bool:
    """Return True if an act looks at what was not yet, puts away what is out of place, or prepares that.

    Nothing outside the room or place that the goal names is tidied.
    """
    mission, case = purpose.mission, purpose.case
    where = next(part.where for part in parts_of(mission.request) if isinstance(part, g.Tidy))

    def in_scope(place: str) -> bool:
        return not where or case.is_within(case.home.node(place), where)

    lists = [turn.reply for turn in mission.decisions.turns if turn.reply.status == "LISTED"]
    items = {each.id: each for each in lists[-1].found if each.held or in_scope(each.place)} if lists else {}
    if verb in (Verb.NAVIGATE, Verb.LOOK_AT):
        places = {each.id for reply in lists for each in reply.frontier if in_scope(each.id)}
        places -= looked_at(mission.evidence)
        here = mission.base.at_target
        return (target == here and verb is Verb.LOOK_AT) if here in places else target in places
    opened = _opened(mission)
    if verb is Verb.CLOSE:
        return target in opened
    free = {each.id: {*each.belongs_at} - ({*each.closed} - opened) for each in items.values()}
    if verb is Verb.GRASP:
        return target in items and items[target].misplaced and bool(free[target])
    if verb is Verb.PLACE:
        return target in free.get(mission.hand.object_id, {target})
    needed = {place for each in items.values() if each.misplaced for place in each.belongs_at}
    return verb not in (Verb.OPEN, *_SERVED) or (verb is Verb.OPEN and target in needed and not opened)


def _could_not_be_released(mission: Mission) -> bool:
    acts = MissionStory.of(mission).acts
    releases = (Verb.PLACE, Verb.HANDOVER)
    return any(verb in releases and reply.status != SkillStatus.SUCCEEDED.name for verb, _, reply in acts)
