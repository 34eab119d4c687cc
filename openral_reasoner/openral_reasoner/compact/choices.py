"""Legal next calls of a mission, each with the line by which a model picks it.

Proposed from what the mission knows (its request, palette, objects, last frontier), and kept if the product
itself would accept the call now (tool, arguments, kind of the target, hand, prohibitions) and the goal may
need it.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_core.text.terms import same_term
from openral_reasoner.behaviors.ending import TOO_EARLY
from openral_reasoner.behaviors.exploring import UNEXPLORED
from openral_reasoner.behaviors.preconditions import hand_refusal, rule_against
from openral_reasoner.compact.lines import distinct, line_for
from openral_reasoner.compact.names import PERSON, REQUESTER, named, referred, sought
from openral_reasoner.compact.pending import argument, compared, query_of, undelivered
from openral_reasoner.compact.purpose import MissionPurpose, may_end, serves
from openral_reasoner.compact.report import MissionStory, question, report
from openral_reasoner.context import Choice, RawCall, Turn
from openral_reasoner.evidence import Referred
from openral_reasoner.mission import Mission
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import PlaceEntry
from openral_reasoner.request import goals
from openral_reasoner.request.control_names import controls_named
from openral_reasoner.request.goals import parts_of
from openral_reasoner.request.measures import MEASURES
from openral_reasoner.scripted.steps import named_place
from openral_reasoner.sentences.context import ME
from openral_reasoner.sentences.kinds import kinds
from openral_reasoner.tools.actions import ExecuteRskillTool
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.registry import MalformedCall, parse_call
from openral_reasoner.tools.stating import may_state

FORMAT = 2
"""Version of lines and prompt; a model trained on one reads no other [1]."""
MAX_CHOICES = 90
"""Most choices of a decision [1]; the least relevant targets are left out."""
MAX_OBJECTS = 16
"""Most objects in choices, the newest [1]."""
_RELEVANT, _KNOWN, _OTHER = 0, 1, 2
"""Ranks of choices: what the goal names, what the mission knows, the rest of the home."""


@dataclass(frozen=True, slots=True)
class _Proposal:
    call: RawCall
    rank: int = _RELEVANT


def legal_choices(mission: Mission) -> tuple[Choice, ...]:
    """Return the calls that the mission would accept now, best known targets first, at most `MAX_CHOICES`."""
    purpose = MissionPurpose(mission)
    proposals = [each for each in _Proposals(purpose).every() if is_legal(purpose, each.call)]
    ranked = sorted(range(len(proposals)), key=lambda index: proposals[index].rank)
    best = sorted(ranked[:MAX_CHOICES])
    calls = [proposals[index].call for index in best]
    return distinct(Choice(line=line_for(c.tool, c.arguments, mission.palette), call=c) for c in calls)


def is_legal(purpose: MissionPurpose, raw: RawCall) -> bool:
    """Return True if the mission would accept a call now, and its goal may need it."""
    mission = purpose.mission
    try:
        call = parse_call(raw, mission.palette, stating=may_state(mission))
        call.check(mission)
    except (InvalidCall, MalformedCall):
        return False
    if not isinstance(call, ExecuteRskillTool):
        return mission.palette.skills != () or not _is_repeated(mission, raw)
    entry = mission.palette.skill(call.rskill_id)
    known_object = mission.objects.get(call.target)
    place = mission.palette.place(call.target) or mission.palette.control(call.target)
    label, kind = (
        (known_object.label, known_object.kind)
        if known_object
        else (place.label if place else call.target, "")
    )
    target = known_object or MissionObject(call.target, label, kind, None)
    return (
        entry is not None
        and hand_refusal(mission, entry.verb, call.target) is None
        and rule_against(mission, entry.verb, target) is None
        and serves(purpose, entry.verb, call.target)
    )


def _is_repeated(mission: Mission, raw: RawCall) -> bool:
    """Return True if a query was answered before; without skills, nothing happens that changes its answer."""
    made = ((turn.tool, turn.arguments) for turn in mission.decisions.turns)
    return raw.tool != "done" and (raw.tool, raw.arguments) in made


def _call(tool: str, **arguments: object) -> RawCall:
    return RawCall(tool=tool, arguments=json.dumps(arguments))


class _Proposals:
    """Calls that may be legal, in the order in which a model reads them."""

    def __init__(self, purpose: MissionPurpose) -> None:
        mission = purpose.mission
        self.purpose = purpose
        self.mission, self.palette, self.request = mission, mission.palette, mission.request
        self.turns = tuple(mission.decisions.turns)
        self.sought = self._sought()
        self.objects = newest_objects(mission)
        self.named = named_ids(mission, self.turns)
        self.referred = referred_ids(self.named, self.turns)

    def every(self) -> Iterator[_Proposal]:
        """Yield every proposal; a question that is answered has nothing left but its answer."""
        if self.purpose.is_answered:
            return self._ends()
        if self.purpose.is_about_view:
            return chain(self._ends(), self._view())
        return chain(
            self._ends(), self._queries(), self._searches(), self._hand(), self._moves(), self._reads()
        )

    def _sought(self) -> dict[str, str]:
        answers = (turn.reply.operator_words for turn in self.turns if turn.reply.operator_words)
        has_requester = any(each.answers_to(REQUESTER) for each in self._places(NodeKind.AGENT))
        settled = self.purpose.reached | ({PERSON} if has_requester else set())
        names = {name: where for name, where in sought(self.request).items() if name not in settled}
        return names | {each: "" for each in answers if len(each.split()) <= 4}

    def _ends(self) -> Iterator[_Proposal]:
        story = MissionStory.of(self.mission)
        text, choices = question(story)
        if may_end(self.purpose, success=True):
            yield _Proposal(_call("done", success=True, message=report(story)))
        if may_end(self.purpose, success=False):
            yield _Proposal(_call("ask_human", question=text, choices=choices, or_goal=True))
            yield _Proposal(_call("done", success=False, message=report(story, failed=True)))

    def _queries(self) -> Iterator[_Proposal]:
        for name, where in self.sought.items() if not self.purpose.is_count else ():
            likely = {"likely_places": [where]} if where else {}
            yield _Proposal(_call("recall_object", query=name, **likely))
        references = referred(self.request)
        if ME in references:
            references = (*references, REQUESTER)
        if any(isinstance(part, goals.BringEach) for part in parts_of(self.request)):
            references = (*references, *(each.label for each in self._places(NodeKind.AGENT)))
        for name in references:
            yield _Proposal(_call("resolve_place", reference=name))
        for name in self.sought if not self.purpose.is_count else ():
            yield _Proposal(_call("locate_in_view", query=name))
        for part in parts_of(self.request):
            if isinstance(part, goals.AskCompare) and part.property in MEASURES:
                yield from self._comparison(part)
        yield from self._deliveries()

    def _view(self) -> Iterator[_Proposal]:
        """Yield the description of the view and, after it, looks for what it does not name."""
        if MissionStory.of(self.mission).last("describe_home") is None:
            yield _Proposal(_call("describe_home", only_view=True))
        else:
            yield from (_Proposal(_call("locate_in_view", query=name)) for name in self.sought)

    def _comparison(self, goal: goals.AskCompare) -> Iterator[_Proposal]:
        ids, near = compared(self.palette, goal, self.turns)
        if ids:
            by, _ = MEASURES[goal.property]
            call = _call("compare_objects", by=by, targets=ids, near=near)
            yield _Proposal(call)

    def _deliveries(self) -> Iterator[_Proposal]:
        for pending in undelivered(self.request, self.turns):
            what, to = [each.what for each in pending], [each.to for each in pending]
            call = _call("plan_deliveries", objects=what, receivers=to)
            yield _Proposal(call)

    def _searches(self) -> Iterator[_Proposal]:
        frontier, query = open_search(self.turns) if self.sought else ((), "")
        for place in frontier if query not in self.purpose.reached else ():
            if place == UNEXPLORED:
                yield _Proposal(_call("explore", search_for=query))
            else:
                step = self._step(Verb.NAVIGATE, place, search_for=query)
                yield from (_Proposal(call) for call in step)

    def _step(self, verb: Verb, target: str, **more: object) -> Iterable[RawCall]:
        skills = self.palette.with_verb(verb)
        return [_call("execute_rskill", rskill_id=skills[0].id, target=target, **more)] if skills else ()

    def _acts(self, verb: Verb, targets: Iterable[str], **more: object) -> Iterator[_Proposal]:
        for target in dict.fromkeys(targets):
            yield from (_Proposal(call, self._rank(target)) for call in self._step(verb, target, **more))

    def _hand(self) -> Iterator[_Proposal]:
        held = self.mission.hand.object_id
        things = [each.id for each in self.objects if each.kind == NodeKind.OBJECT.value and each.id != held]
        yield from self._acts(Verb.GRASP, things)
        if any(kinds().mentions("shelved", place.label) for place in self._places(NodeKind.PLACE)):
            yield from self._acts(Verb.GRASP, things, parameters={"from_side": True})
        people = [each.id for each in self._places(NodeKind.AGENT)]
        people += [each.id for each in self.objects if each.kind == NodeKind.AGENT.value]
        yield from self._acts(Verb.HANDOVER, people)
        surfaces = [each.id for each in self._places(NodeKind.PLACE)]
        surfaces += [each for each in things if each in self.referred]
        yield from self._acts(Verb.PLACE, surfaces)
        yield from self._acts(Verb.POUR, things)
        doors = [each.id for each in self._places(NodeKind.PLACE) if each.closed or each.id in self.named]
        yield from self._acts(Verb.OPEN, (*doors, *(each for each in things if each in self.named)))
        yield from self._acts(Verb.CLOSE, self._doors_to_close())
        controls = [each.id for each in self.palette.worked]
        yield from self._acts(Verb.SWITCH, controls, parameters={"on": True})
        yield from self._acts(Verb.SWITCH, controls, parameters={"on": False})
        yield from self._acts(Verb.PRESS, controls)

    def _doors_to_close(self) -> Iterator[str]:
        """Yield what the robot opened, what is open, and what the goal names."""
        opened = {target for verb, target, _ in MissionStory.of(self.mission).acts if verb is Verb.OPEN}
        for each in self._places(NodeKind.PLACE):
            is_open = any(state.startswith("open") for state in each.states)
            if each.id in opened or each.id in self.named or is_open:
                yield each.id
        yield from (each.id for each in self.objects if each.id in self.named and each.kind == "object")

    def _moves(self) -> Iterator[_Proposal]:
        targets = [each.id for each in self.palette.places] + [each.id for each in self.objects]
        for verb in (Verb.NAVIGATE, Verb.LOOK_AT):
            yield from self._acts(verb, targets)
        rooms = [each.id for each in self._places(NodeKind.ROOM)]
        for room in ("", *rooms):
            yield _Proposal(_call("explore", within=room), self._rank(room))

    def _reads(self) -> Iterator[_Proposal]:
        if not self.palette.skills and isinstance(self.request, goals.Find):
            return
        rooms = [each.id for each in self._places(NodeKind.ROOM)]
        places = [each.id for each in self._places(NodeKind.PLACE) if each.id in self.referred]
        if not self.purpose.is_count:
            yield _Proposal(_call("describe_home", only_view=True))
        yield from (
            _Proposal(_call("list_objects", within=each), self._rank(each)) for each in ("", *rooms, *places)
        )
        if self.purpose.is_count:
            return
        yield from (_Proposal(_call("describe_home", within=each), self._rank(each)) for each in ("", *rooms))
        values = {part.value for part in parts_of(self.request) if isinstance(part, goals.TellState)}
        asks_state = any(isinstance(part, goals.AskState) for part in parts_of(self.request))
        for target in dict.fromkeys((*self.referred, *(each.id for each in self.objects))):
            if asks_state:
                yield _Proposal(_call("get_state", target=target), self._rank(target))
            for value in sorted(values):
                call = _call("note_state", target=target, state=value)
                yield _Proposal(call, self._rank(target))

    def _places(self, kind: NodeKind) -> Iterator[PlaceEntry]:
        return (each for each in self.palette.places if each.kind is kind)

    def _rank(self, target: str) -> int:
        if not target or target in self.referred:
            return _RELEVANT
        return _KNOWN if target in self.mission.objects else _OTHER


def newest_objects(mission: Mission) -> tuple[MissionObject, ...]:
    """Return the objects that this mission learnt, the newest of them if there are many."""
    return tuple(mission.objects.values())[-MAX_OBJECTS:]


def named_ids(mission: Mission, turns: tuple[Turn, ...]) -> dict[str, None]:
    """Return the ids that the goal or an answer of the operator names."""
    palette, names = mission.palette, named(mission.request)
    answers = [turn.reply.operator_words for turn in turns if turn.reply.operator_words]
    ids = [place for name in (*names, *answers) if (place := named_place(palette, name)) is not None]
    ids += [control.id for name in (*names, *answers) for control in controls_named(palette.controls, name)]
    ids += [place.id for place in palette.places if any(place.answers_to(name) for name in names)]
    ids += [
        each.id for each in mission.objects.values() if any(same_term(each.words, name) for name in names)
    ]
    ids += [each for fact in mission.evidence.facts if isinstance(fact, Referred) for each in fact.ids]
    return dict.fromkeys(ids)


def referred_ids(named_before: dict[str, None], turns: tuple[Turn, ...]) -> dict[str, None]:
    """Return the ids that the goal or an answer names, and those of the last replies."""
    ids = list(named_before)
    for turn in turns[-2:]:
        ids += [each.id for each in turn.reply.found[:8]] + [each.id for each in turn.reply.frontier]
        ids += [
            place for each in turn.reply.found[:8] for place in (*each.belongs_at[:3], each.place) if place
        ]
    return dict.fromkeys(ids)


def open_search(turns: tuple[Turn, ...]) -> tuple[tuple[str, ...], str]:
    """Return the places that are left of the newest search, and its query; none if nothing is searched."""
    for index in reversed(range(len(turns))):
        turn = turns[index]
        if turn.tool == "list_objects" or turn.reply.status == "INVALID_CALL":
            continue
        query = query_of(turn) or query_for(argument(turn, "target"), turns[:index])
        if turn.reply.frontier and turn.reply.status == TOO_EARLY:
            query = turn.reply.peer_words[0].partition(": ")[2]
        if turn.reply.frontier:
            return tuple(each.id for each in turn.reply.frontier), query
        if query and (turn.tool == "recall_object" or turn.reply.found):
            break
    return (), ""


def query_for(target: str, turns: tuple[Turn, ...]) -> str:
    """Return the words by which an object was found, else its label: what is searched for if it has moved."""
    for turn in reversed(turns):
        label = next((each.label for each in turn.reply.found if each.id == target), "")
        if label:
            return query_of(turn) or label
    return ""
