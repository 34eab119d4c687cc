"""Steps of plans: generators that yield a tool call and receive its reply."""

import re
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Mapping
from operator import itemgetter
from types import MappingProxyType
from typing import TypeVar

from openral_core.errors import OpenRALError
from openral_core.skills import Verb
from openral_core.spatial_memory import ResolveStatus
from openral_core.text.noun_phrases import without_number
from openral_reasoner.behaviors.abilities import ask_where
from openral_reasoner.behaviors.exploring import UNEXPLORED
from openral_reasoner.behaviors.preconditions import HAND_FULL
from openral_reasoner.behaviors.recall_or_locate import BAD_QUERY
from openral_reasoner.behaviors.skill_parameters import Extra
from openral_reasoner.context import ObjectSummary, RawCall, ToolResult, plain
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.search import BLIND, NOBODY_CAN_LOOK, SEEN_NOT_PLACED
from openral_reasoner.tools.actions import ExecuteRskillTool
from openral_reasoner.tools.base import Tool
from openral_reasoner.tools.dialogue import AskHumanTool
from openral_reasoner.tools.exploration import ExploreTool
from openral_reasoner.tools.queries import LocateInViewTool, RecallObjectTool, ResolvePlaceTool

MAX_CHOICES = 5
"""Most answers that a question offers."""
BLIND_VISITS = 3
"""Places in a row without an evaluated image, after which a search is given up."""
_NOBODY = (NOBODY_CAN_LOOK, "NO_DETECTOR")
LONGEST_REASON = 300
"""Longest reason of a peer in a message to the operator [characters]."""
_HAND_AFTER = {Verb.GRASP: True, Verb.PLACE: False, Verb.HANDOVER: False}
SEVERAL = ResolveStatus.AMBIGUOUS.name
"""Status of a reference that means several."""
DROPPED = ("LOST_OBJECT", "NOTHING_HELD")
"""Statuses after which the hand is empty."""
T = TypeVar("T")
Plan = Generator[Tool, ToolResult, T]


class PlanFailed(OpenRALError):
    """A plan that needs a human to continue: the question, and answers that it can go on with."""

    def __init__(self, question: str, choices: Iterable[str] = ()) -> None:
        super().__init__(question)
        self.choices = tuple(choices)[:MAX_CHOICES]


class SeenWithoutPlace(PlanFailed):
    """An object that cameras see now, but that has no place in the map."""

    def __init__(self, reply: ToolResult) -> None:
        super().__init__(f"I see {', '.join(map(str, reply.in_view))}, but can't place it in my map.")


class ObjectMoved(PlanFailed):
    """An object that is not where memory had it, and was not searched for."""

    def __init__(self, words: str) -> None:
        super().__init__(f"The {words} is not where I saw it.")


class PlanContext:
    """Newest palette and, while a plan is replayed, the call that was made next.

    ``holding`` follows the replies of skills; ``brought`` are the ids that goals of several objects
    delivered, ``brought_of_every`` how many of every one of a kind are to be brought, and the ids of those
    that are there already. A plan that ``defers_questions`` fails instead of asking where to look, so that
    other parts of the goal come first; ``suggestion`` is the operator's later answer, ``guests`` a number it
    asked for, ``shut`` what it closed.
    """

    def __init__(self, palette: ToolPalette) -> None:
        self.now = palette
        self.past: RawCall | None = None
        self.holding = False
        self.shut: set[str] = set()
        self.brought: dict[object, list[str]] = {}
        self.brought_of_every: dict[object, tuple[int, tuple[str, ...]]] = {}
        self.defers_questions = False
        self.suggestion = ""
        self.guests = 0
        self.asks_guests = False

    @property
    def can_look(self) -> bool:
        """True if a locator can be asked; during a replay, if one was asked."""
        return self.now.detector_available if self.past is None else self.past.tool == "locate_in_view"

    def offers(self, verb: Verb) -> bool:
        """Return True if a skill of a verb is offered; during a replay, if one was executed."""
        return bool(self.now.with_verb(verb)) if self.past is None else self._executed(verb) is not None

    def _executed(self, verb: Verb) -> ExecuteRskillTool | None:
        """Return the call that was made next if it executed a skill of a verb, or one that is gone since."""
        if self.past is None or self.past.tool != "execute_rskill":
            return None
        call = ExecuteRskillTool.model_validate_json(self.past.arguments)
        skill = self.now.skill(call.rskill_id)
        return call if skill is None or skill.verb is verb else None

    def label(self, place: str) -> str:
        """Return the label of a place; its id if it has none."""
        return label_of(self.now, place)

    def open_first(self, place: str) -> Plan[bool]:
        """Open a closed container while the hand is empty; the flag: it has to be closed again.

        Raises:
            PlanFailed: If it did not open.
        """
        entry = self.now.place(place)
        opened = self._executed(Verb.OPEN)
        closed = place in self.shut or (entry is not None and entry.closed)
        if closed if self.past is None else opened is not None and opened.target == place:
            yield from self.require(Verb.OPEN, place, f"open {self.label(place)}")
            return True
        return False

    def act(
        self,
        verb: Verb,
        target: str,
        search_for: str = "",
        prompt: str = "",
        parameters: Mapping[str, Extra] = MappingProxyType({}),
    ) -> Plan[ToolResult]:
        """Act with the first skill of a verb.

        Raises:
            PlanFailed: If no skill of that verb is offered.
        """
        skills = self.now.with_verb(verb)
        if not skills and (self.past is None or self.past.tool != "execute_rskill"):
            raise PlanFailed(f"No {verb.value} skill is available. What should I do?")
        skill = skills[0].id if skills else verb.value
        reply = yield ExecuteRskillTool(
            rskill_id=skill, target=target, search_for=search_for, prompt=prompt, parameters=dict(parameters)
        )
        if reply.status == "SUCCEEDED" and verb in _HAND_AFTER:
            self.holding = _HAND_AFTER[verb]
        if reply.status in DROPPED:
            self.holding = False
        if reply.status == "SUCCEEDED" and verb is Verb.CLOSE:
            self.shut.add(target)
        if verb is Verb.OPEN:
            self.shut.discard(target)
        return reply

    def require(self, verb: Verb, target: str, what: str) -> Plan[ToolResult]:
        """Act with the first skill of a verb, which has to succeed.

        Raises:
            PlanFailed: If it does not, or no skill of that verb is offered.
        """
        return require_success((yield from self.act(verb, target)), what)

    def takes(self, verb: Verb, parameter: str) -> bool:
        """Return True if the first skill of a verb has a parameter of this name."""
        return any(
            spec.name == parameter for each in self.now.with_verb(verb)[:1] for spec in each.parameters
        )

    def visit(self, place: str, words: str) -> Plan[ToolResult]:
        """Search one entry of a frontier for an object."""
        if place == UNEXPLORED:
            return (yield ExploreTool(search_for=words))
        return (yield from self.act(Verb.NAVIGATE, place, words, f"search for {words}"))


def require_success(reply: ToolResult, what: str) -> ToolResult:
    """Return the reply if the step succeeded.

    Raises:
        PlanFailed: If not.
    """
    if reply.status != "SUCCEEDED":
        raise PlanFailed(f"I couldn't {what}: {outcome(reply)}. What should I do?")
    return reply


def find_object(
    context: PlanContext, words: str, where: str = "", other_than: Collection[str] = ()
) -> Plan[tuple[ObjectSummary, bool]]:
    """Find an object in memory, in view or by a search; the flag: it was just seen.

    A match at the stated place ``where`` is preferred; ids in ``other_than`` are not meant.

    Raises:
        PlanFailed: If it cannot be found.
    """
    reply = yield RecallObjectTool(query=words, likely_places=(where,) if where else ())
    if reply.in_view:
        raise SeenWithoutPlace(reply)
    if reply.status == BAD_QUERY:
        raise PlanFailed(f"I can't read {words!r} as the name of an object. Please name it in letters.")
    matches = tuple(item for item in reply.found if not {item.id, item.place} & set(other_than))
    if matches:
        return next((item for item in matches if is_at(item, where)), matches[0]), False
    if reply.found:
        raise PlanFailed(f"I know no other {words}. Where should I look?")
    return (yield from search_object(context, words, reply)), True


def is_at(item: ObjectSummary, where: str) -> bool:
    """Return True if an object's known location contains all these words."""
    return is_named(where, item.place, item.room, *item.containers)


def is_named(words: str, *names: str) -> bool:
    """Return True if names, taken together, contain all these words; ids are read as words."""
    return set(words.lower().split()) <= set(" ".join(names).replace("_", " ").lower().split())


def search_object(context: PlanContext, words: str, reply: ToolResult) -> Plan[ObjectSummary]:
    """Visit the frontier, best first, then ask a human once.

    Raises:
        PlanFailed: If no place is left, or no locator works: the robot does not drive on blindly.
    """
    doors = list[str]()
    while True:
        item, reply = yield from _visit_frontier(context, words, reply, doors)
        if item is not None:
            return item
        missed = _missed(words, reply, doors)
        if context.defers_questions:
            break
        reply = yield AskHumanTool(question=f"{missed}. {ask_where(context.now)}"[:500], or_goal=True)
        if not reply.frontier:
            break
    if answer := context.suggestion or reply.operator_words:
        return (yield from _search_suggested_place(context, words, answer))
    raise PlanFailed(f"{missed}. {ask_where(context.now)}" if context.defers_questions else f"{missed}.")


def _visit_frontier(
    context: PlanContext, words: str, reply: ToolResult, doors: list[str]
) -> Plan[tuple[ObjectSummary | None, ToolResult]]:
    """Visit places until the object is found; ``doors`` gets those that a full hand could not open.

    Raises:
        PlanFailed: If no locator works.
    """
    blind = 0
    while reply.frontier:
        place = reply.frontier[0]
        reply = yield from context.visit(place.id, words)
        if reply.found:
            return reply.found[0], reply
        if reply.status == HAND_FULL:
            doors.append(place.label)
        blind = blind + 1 if reply.status in BLIND else 0
        if end := end_of_search(reply, words, place.label, blind):
            raise PlanFailed(end)
    return None, reply


def _missed(words: str, reply: ToolResult, doors: list[str]) -> str:
    """Say that an object was not found or not placed, and what was not looked into."""
    why = _placement_problem(reply)
    missed = f"I saw {words}, but couldn't measure its position: {why}" if why else f"I couldn't find {words}"
    full = f". I did not open the {' and the '.join(doors[:4])}: my hand is full" if doors else ""
    return missed + full


def end_of_search(reply: ToolResult, words: str, place: str, blind: int) -> str:
    """Return why the search should end after a visit, else ""; ``blind`` counts visits without an image."""
    if reply.status == SEEN_NOT_PLACED:
        return f"I see {words} at {place}, but can't measure its position: {_placement_problem(reply)}."
    if reply.status == BAD_QUERY:
        return f"The locator can't read {words!r} as the name of an object: {unseen(reply)}."
    if blind == BLIND_VISITS or reply.status == NOBODY_CAN_LOOK:
        return f"I found no {words}, and I can't search for it: {unseen(reply)}."
    return ""


def _placement_problem(reply: ToolResult) -> str:
    """Return why a detection could not be placed; "" if nothing was seen."""
    return "; ".join(filter(None, reply.peer_words)) if reply.status == SEEN_NOT_PLACED else ""


def unseen(reply: ToolResult) -> str:
    """Return why no image was evaluated, in the peers' words."""
    reported = "; ".join(filter(None, reply.peer_words)) if reply.status in _NOBODY else ""
    return reported or outcome(reply)


def outcome(reply: ToolResult) -> str:
    """Return a status with its reason: in the peers' words, else in the core's."""
    reason = plain("; ".join(filter(None, reply.peer_words)) or reply.text, LONGEST_REASON)
    return f"{reply.status} ({reason.rstrip('.')})" if reason else reply.status


def _search_suggested_place(context: PlanContext, words: str, answer: str) -> Plan[ObjectSummary]:
    place = named_place(context.now, answer)
    if place is None:
        raise PlanFailed(f"I don't know the place {answer!r}.")
    if found_objects := (yield from look_for_at(context, words, place)).found:
        return found_objects[0]
    raise PlanFailed(f"I couldn't find {words} there either.")


def look_for_at(context: PlanContext, words: str, place: str) -> Plan[ToolResult]:
    """Look for an object at one place, which is opened for that if it is closed.

    Raises:
        PlanFailed: If it does not open.
    """

    def look() -> Plan[ToolResult]:
        yield from face_place(context, place)
        return (yield LocateInViewTool(query=words))

    return (yield from while_open(context, place, look()))


def face_place(context: PlanContext, place: str) -> Plan[ToolResult]:
    """Drive to a place and point the camera at it."""
    yield from context.act(Verb.NAVIGATE, place)
    return (yield from context.act(Verb.LOOK_AT, place))


def named_place(palette: ToolPalette, words: str) -> str | None:
    """Return the place named by whole words of a text, preferring the longest name.

    A numbered place that is the only one of its kind is known without its number, too.
    """
    kinds = Counter(without_number(place.label) for place in palette.places)
    names = (
        (name.lower(), place.id)
        for place in palette.places
        for kind in (without_number(place.label),)
        for name in (place.id, place.label, *place.aliases, *([kind] if kinds[kind] == 1 else []))
    )
    matches = [
        (len(name), node)
        for name, node in names
        if name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words.lower())
    ]
    return max(matches, key=itemgetter(0))[1] if matches else None


def describe_location(palette: ToolPalette, item: ObjectSummary) -> str:
    """Describe the location of an object by the names of its containers, place and room."""
    parts = [("in", container) for container in item.containers]
    parts += [("at", item.place)] if item.place and item.place not in item.containers else []
    parts += [("in", item.room)] if item.room else []
    return " ".join(f"{word} the {label_of(palette, each)}" for word, each in parts) or "in front of me"


def label_of(palette: ToolPalette, place: str) -> str:
    """Return the label of a place; its id if it has none."""
    entry = palette.place(place)
    return entry.label if entry else place


def while_open(context: PlanContext, place: str, plan: Plan[T]) -> Plan[T]:
    """Open a closed container, run a plan, and close it again, also if the plan fails with an empty hand.

    Raises:
        PlanFailed: If the container did not open, or the plan failed.
    """
    opened = yield from context.open_first(place)
    try:
        value = yield from plan
    except PlanFailed:
        if opened and not context.holding:
            yield from context.act(Verb.CLOSE, place)
        raise
    if opened and not context.holding:
        yield from context.act(Verb.CLOSE, place)
    return value


def resolved(reference: str) -> Plan[ObjectSummary]:
    """Resolve a reference to one node.

    Raises:
        PlanFailed: If it means none, or several.
    """
    reply = yield ResolvePlaceTool(reference=reference)
    return one_of(reply, reference)


def one_of(reply: ToolResult, reference: str) -> ObjectSummary:
    """Return what memory resolved a reference to.

    Raises:
        PlanFailed: If it means none, or several.
    """
    if not reply.found:
        several = reply.status == SEVERAL and reply.valid
        why = f"{reply.status}: it may be {', '.join(reply.valid)}" if several else outcome(reply)
        raise PlanFailed(f"I don't know which place or person {reference!r} is ({why}).")
    return reply.found[0]
