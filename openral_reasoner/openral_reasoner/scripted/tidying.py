"""Plans that put objects where they belong: tidy a room or the home, clear a place."""

from collections.abc import Callable
from dataclasses import dataclass, field

from openral_core.skills import Verb
from openral_reasoner.context import ObjectSummary, ToolResult
from openral_reasoner.request.goals import Clear, Tidy
from openral_reasoner.scripted.plans import grasp, resolve_receiver, staging_surface, staging_surfaces
from openral_reasoner.scripted.steps import (
    ObjectMoved,
    Plan,
    PlanContext,
    PlanFailed,
    face_place,
    named_place,
    require_success,
    resolved,
    while_open,
)
from openral_reasoner.tools.belongings import ListObjectsTool

PLACES_TRIED = 2
"""Places where an object is tried to be put down before a human is asked."""
LEAVE = ("leave it", "leave them", "nowhere", "skip it", "skip them")
"""Answers after which an object stays where it is."""
_Destinations = Callable[[ObjectSummary], tuple[str, ...] | None]
"""Places where an object may be put, best first; none if it stays, None if that is not known."""


@dataclass
class _Report:
    """Texts for the requester by id of what was put away or gone, and by label and place of what was not.

    Memory may have one object under several ids, so what failed is not tried again at its place.
    """

    messages: dict[str, str] = field(default_factory=dict)
    failed: dict[tuple[str, str], str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    def has(self, item: ObjectSummary) -> bool:
        """Return True if an object was tried."""
        return item.id in self.messages or (item.label, item.place) in self.failed

    def require_all(self, context: PlanContext) -> str:
        """Return the text of a full success, "" if there was nothing to do.

        Raises:
            PlanFailed: With what is done, what failed and the question where unknown objects belong.
        """
        report = " ".join(self.messages.values())
        homeless = self.unknown if context.suggestion.lower().rstrip(".!") not in LEAVE else ()
        if not self.failed and not homeless:
            return report
        question = (
            f"I don't know where these belong: {', '.join(homeless)}. Where should I put them?"
            if homeless
            else ""
        )
        raise PlanFailed(" ".join(filter(None, (report, *self.failed.values(), question))))


def tidy(context: PlanContext, goal: Tidy) -> Plan[str]:
    """Look at every place, then put each object away that is out of place.

    Raises:
        PlanFailed: If one could not be put away, or it is not known where it belongs.
    """
    scope = (yield from resolved(goal.where)).id if goal.where else ""
    report = _Report()

    def destinations(item: ObjectSummary) -> tuple[str, ...] | None:
        return (item.belongs_at if item.misplaced else ()) if item.belongs_at else None

    yield from look_over(context, scope)
    yield from move_all(context, scope, report, destinations)
    return report.require_all(context) or f"Nothing is out of place{goal.where and f': {goal.where}'}."


def clear(context: PlanContext, goal: Clear) -> Plan[str]:
    """Take every object off a place, and look at it again.

    Raises:
        PlanFailed: If an object is left.
    """
    place = (yield from resolved(goal.where)).id
    to = (yield from resolve_receiver(context, goal.to))[1] if goal.to else ""
    report = _Report()

    def destinations(item: ObjectSummary) -> tuple[str, ...] | None:
        others = tuple(each for each in item.belongs_at if each != place)
        return (to,) if to else others or None

    yield from look_over(context, place)
    instead = () if to else tuple(each for each in staging_surfaces(context) if each != place)
    yield from move_all(context, place, report, destinations, instead[:PLACES_TRIED])
    yield from face_place(context, place)
    yield ListObjectsTool(within=place)
    return report.require_all(context) or f"There is nothing on the {goal.where}."


def look_over(context: PlanContext, scope: str) -> Plan[None]:
    """Empty the hand, then point the camera at every place within a scope, so that memory has what is there.

    Raises:
        PlanFailed: If the held object could not be put down, or no detector watches while the robot moves.
    """
    reply = yield ListObjectsTool(within=scope)
    while held := next((each for each in reply.found if each.held), None):
        open_ones = (each for each in held.belongs_at if each not in held.closed)
        place = next(open_ones, "") or staging_surface(context)
        yield from context.require(Verb.PLACE, place, f"put down {held.label}")
        reply = yield ListObjectsTool(within=scope)
    for each in reply.frontier:
        yield from face_place(context, each.id)
    unwatched = not context.now.continuous_detectors
    if unwatched if context.past is None else context.past.tool == "ask_human":
        raise PlanFailed("No detector reports what lies around. What should I do?")


def move_all(
    context: PlanContext,
    scope: str,
    report: _Report,
    destinations: _Destinations,
    instead: tuple[str, ...] = (),
) -> Plan[None]:
    """Move each object once, after a new list every time; note those without a known destination.

    What has moved since it was seen is not searched for: a new list has it where it is seen next.

    ``instead`` are surfaces for objects that could not be put where they belong.
    """
    suggested = named_place(context.now, context.suggestion)
    while True:
        listed = (yield ListObjectsTool(within=scope)).found
        unknown = [each for each in listed if destinations(each) is None and each.place != suggested]
        report.unknown = () if suggested else tuple(each.label for each in unknown)
        suggestion = (suggested,) if suggested else ()
        todo = [(each, suggestion if each in unknown else destinations(each)) for each in listed]
        item, to = next(((each, to) for each, to in todo if to and not report.has(each)), (None, None))
        if item is None or to is None:
            return
        try:
            report.messages[item.id] = yield from put_away(context, item, to, instead)
        except ObjectMoved as moved:
            report.messages[item.id] = str(moved)
        except PlanFailed as failure:
            report.failed[item.label, item.place] = str(failure)
            if context.holding:
                return


def put_away(
    context: PlanContext, item: ObjectSummary, destinations: tuple[str, ...], instead: tuple[str, ...] = ()
) -> Plan[str]:
    """Open the destination while the hand is empty, take the object there and close again.

    An object that fits nowhere is put back, so that the others can be put away.

    Args:
        context: Current palette.
        item: The object.
        destinations: Places where it belongs, best first.
        instead: Surfaces where it may lie if none of those takes it.

    Raises:
        PlanFailed: If it could not be taken or put down.
    """
    first, *others = destinations
    reachable = [each for each in others if each not in item.closed][: PLACES_TRIED - 1]
    carried = _carry(context, item, (first, *reachable, *instead))
    reply, place = yield from while_open(context, first, carried)
    require_success(reply, f"put the {item.label} down at {context.label(place)}")
    other = f", because it could not be put at the {context.label(first)}" if place != first else ""
    return f"I put the {item.label} at the {context.label(place)}{other}."


def _carry(
    context: PlanContext, item: ObjectSummary, places: tuple[str, ...]
) -> Plan[tuple[ToolResult, str]]:
    """Grasp an object and put it down at the first place that takes it, else where it was."""
    yield from grasp(context, item.label, item, places[0], search=False)
    reply, place = yield from put_down(context, places)
    if reply.status != "SUCCEEDED" and context.holding:
        yield from put_down(context, (item.place, staging_surface(context)))
    return reply, place


def put_down(context: PlanContext, places: tuple[str, ...]) -> Plan[tuple[ToolResult, str]]:
    """Put the held object down at the first place that takes it; return the last reply and its place."""
    for place in filter(None, dict.fromkeys(places)):
        reply = yield from context.act(Verb.PLACE, place)
        if reply.status == "SUCCEEDED" or not context.holding:
            break
    return reply, place
