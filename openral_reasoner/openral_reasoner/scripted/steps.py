"""Parts of plans: generators that yield a tool call and are sent its reply."""

from collections.abc import Generator
from typing import TypeVar

from openral_core.errors import OpenRALError
from openral_core.skills import Verb
from openral_reasoner.behaviors.query_checks import BAD_QUERY
from openral_reasoner.context import ObjectSummary, RawCall, ToolResult
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.priors import load_priors
from openral_reasoner.search.progress import BLIND, NOBODY_CAN_LOOK, SEEN_NOT_PLACED
from openral_reasoner.tools.ask_human import AskHumanTool
from openral_reasoner.tools.base import Tool
from openral_reasoner.tools.execute_rskill import ExecuteRskillTool
from openral_reasoner.tools.locate_in_view import LocateInViewTool
from openral_reasoner.tools.recall_object import RecallObjectTool
from openral_reasoner.tools.resolve_place import ResolvePlaceTool

BLIND_VISITS = 3
"""Places in a row that could not be looked at, before the search is given up."""
_NOBODY = (NOBODY_CAN_LOOK, "NO_DETECTOR")
T = TypeVar("T")
Plan = Generator[Tool, ToolResult, T]


class PlanFailed(OpenRALError):
    """A plan cannot go on by itself."""

    def __init__(self, question: str) -> None:
        super().__init__(question)


class PlanContext:
    """The newest palette; while a plan is played against the past, also the call that came next then."""

    def __init__(self, palette: ToolPalette) -> None:
        self.now = palette
        self.past: RawCall | None = None

    @property
    def can_look(self) -> bool:
        """Whether a locator can be asked; in the past, whether one was."""
        return self.now.detector_available if self.past is None else self.past.tool == "locate_in_view"

    def act(self, verb: Verb, target: str, search_for: str = "", prompt: str = "") -> Plan[ToolResult]:
        """One acting step by the first skill of a verb.

        Raises:
            PlanFailed: If no skill of that verb is offered.
        """
        skills = self.now.with_verb(verb)
        if not skills and (self.past is None or self.past.tool != "execute_rskill"):
            raise PlanFailed(f"No skill can {verb.value} now. What should I do?")
        skill = skills[0].id if skills else verb.value
        return (yield ExecuteRskillTool(rskill_id=skill, target=target, search_for=search_for, prompt=prompt))


def require_success(reply: ToolResult, what: str) -> ToolResult:
    """The reply, when the step succeeded.

    Raises:
        PlanFailed: If not.
    """
    if reply.status != "SUCCEEDED":
        raise PlanFailed(f"I could not {what}: {reply.status}. What should I do?")
    return reply


def find_object(outlook: PlanContext, words: str, where: str = "") -> Plan[tuple[ObjectSummary, bool]]:
    """Know where an object is: from memory, a live look or a search; the flag says whether it was just seen.

    Args:
        outlook: What can be done now.
        words: The object.
        where: Where it is said to be: one that is there is preferred, and only that place is named as likely.

    Raises:
        PlanFailed: If it is nowhere to be found.
    """
    likely = (where,) if where else load_priors().likely_places(words)
    reply = yield RecallObjectTool(query=words, likely_places=likely)
    if reply.status == BAD_QUERY:
        raise PlanFailed(f"I cannot read {words!r} as the name of an object. Please name it in letters.")
    if reply.found:
        return next((each for each in reply.found if _is_at(each, where)), reply.found[0]), False
    return (yield from search_object(outlook, words, reply)), True


def _is_at(thing: ObjectSummary, where: str) -> bool:
    """Whether what is known of its place has all these words."""
    told = " ".join((thing.place, thing.room, *thing.containers)).replace("_", " ").lower().split()
    return set(where.lower().split()) <= set(told)


def search_object(outlook: PlanContext, words: str, reply: ToolResult) -> Plan[ObjectSummary]:
    """Visit the frontier, best first, then ask a human once.

    Raises:
        PlanFailed: If nobody knows, or the robot cannot see: it does not drive on blindly.
    """
    why = _sight(reply)
    missed = f"I saw {words}, but could not tell where it is: {why}" if why else f"I could not find {words}"
    question = AskHumanTool(question=f"{missed}. Where should I look?")
    blind = 0
    while True:
        while reply.frontier:
            place = reply.frontier[0]
            reply = yield from outlook.act(Verb.NAVIGATE, place.id, words, f"search for {words}")
            if reply.found:
                return reply.found[0]
            blind = blind + 1 if reply.status in BLIND else 0
            end = _end_of_search(reply, words, place.label, blind)
            if end:
                raise PlanFailed(end)
        reply = yield question
        if not reply.frontier:
            break
    if reply.operator_words:
        return (yield from _look_where_told(outlook, words, reply.operator_words))
    raise PlanFailed(f"{missed}.")


def _end_of_search(reply: ToolResult, words: str, place: str, blind: int) -> str:
    """Why driving on is of no use after a visit, "" while it is; ``blind`` visits in a row had no look."""
    if reply.status == SEEN_NOT_PLACED:
        return f"I see {words} at {place}, but cannot tell where exactly: {_sight(reply)}."
    if reply.status == BAD_QUERY:
        return f"The locator cannot read {words!r} as the name of an object: {unseen(reply)}."
    if blind == BLIND_VISITS or reply.status == NOBODY_CAN_LOOK:
        return f"I cannot look for {words}, no look was had: {unseen(reply)}."
    return ""


def _sight(reply: ToolResult) -> str:
    """Why what was seen could not be placed; "" when nothing was seen."""
    return "; ".join(filter(None, reply.peer_words)) if reply.status == SEEN_NOT_PLACED else ""


def unseen(reply: ToolResult) -> str:
    """Why no look was had, in the words of who could not look."""
    told = "; ".join(each for each in reply.peer_words if each)
    if reply.status in _NOBODY and told:
        return told
    return f"{reply.status} ({told})" if told else reply.status


def _look_where_told(outlook: PlanContext, words: str, answer: str) -> Plan[ObjectSummary]:
    told = named_place(outlook.now, answer)
    if told is None:
        raise PlanFailed(f"I do not know the place in {answer!r}.")
    yield from outlook.act(Verb.NAVIGATE, told)
    yield from outlook.act(Verb.LOOK_AT, told)
    reply = yield LocateInViewTool(query=words)
    if not reply.found:
        raise PlanFailed(f"I could not find {words} there either.")
    return reply.found[0]


def named_place(palette: ToolPalette, words: str) -> str | None:
    """The place whose name is in these words, the longest name first."""
    plain = f" {words.lower()} "
    names = sorted(
        (
            (name.lower(), place.id)
            for place in palette.places
            for name in (place.id, place.label, *place.aliases)
        ),
        key=lambda each: -len(each[0]),
    )
    return next((node for name, node in names if name and name in plain), None)


def describe_location(thing: ObjectSummary) -> str:
    """Where a thing is, in words."""
    parts = [f"in {' in '.join(thing.containers)}" if thing.containers else "", thing.place, thing.room]
    return ", ".join(part for part in parts if part) or "in front of me"


def resolved(reference: str) -> Plan[ObjectSummary]:
    """The one node a reference means.

    Raises:
        PlanFailed: If it means none, or several.
    """
    reply = yield ResolvePlaceTool(reference=reference)
    if not reply.found:
        raise PlanFailed(f"I do not know which place or person {reference!r} is ({reply.status}).")
    return reply.found[0]
