"""Plans of simple goals, one per kind."""

from collections.abc import Callable, Mapping
from dataclasses import astuple

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_reasoner.behaviors.abilities import examples
from openral_reasoner.context import ObjectSummary, ToolResult
from openral_reasoner.likely_places.immovable import IMMOVABLE_NOUNS
from openral_reasoner.request import goals
from openral_reasoner.request.goals import Goal
from openral_reasoner.request.serving import load_serving_rules
from openral_reasoner.scripted.appliances import press, switch
from openral_reasoner.scripted.steps import (
    SEVERAL,
    ObjectMoved,
    Plan,
    PlanContext,
    PlanFailed,
    SeenWithoutPlace,
    describe_location,
    find_object,
    named_place,
    one_of,
    require_success,
    resolved,
    search_object,
    unseen,
    while_open,
)
from openral_reasoner.search import SEEN_NOT_PLACED
from openral_reasoner.sentences.context import ME
from openral_reasoner.sentences.kinds import kinds
from openral_reasoner.sentences.languages import question_about
from openral_reasoner.tools.belongings import ListObjectsTool
from openral_reasoner.tools.queries import LocateInViewTool, ResolvePlaceTool

GRASP_TRIES = 3
"""Attempts to grasp an object that keeps moving, before a human is asked."""


def bring(context: PlanContext, goal: goals.Bring) -> Plan[str]:
    """Resolve the receiver, fetch the object, then hand it over or put it down; open a container before."""
    refuse_relation(goal)
    verb, target = yield from resolve_receiver(context, goal.to)
    item, _ = yield from find_object(context, goal.what, goal.where)
    to = target if verb is Verb.PLACE else ""
    yield from while_open(context, to, _take(context, goal, item, to))
    return f"I brought the {goal.what} to {listener(goal.to, verb)}."


def refuse_relation(goal: goals.Bring | goals.BringSeveral | goals.BringEvery) -> None:
    """Refuse to put an object elsewhere than in or on a place.

    Raises:
        PlanFailed: If the goal says so; what is on top of an open surface is on it.
    """
    if goal.relation == "on top of" and not kinds().is_closable(goal.to):
        return
    if goal.relation:
        raise PlanFailed(
            f"I can't put the {goal.what} {goal.relation} the {goal.to}: I put objects only in or on "
            "a place. Where should it go?"
        )


def _take(context: PlanContext, goal: goals.Bring, item: ObjectSummary, to: str) -> Plan[ToolResult]:
    """Grasp an object that will be put down ``to`` a place, or handed over, and do that."""
    yield from grasp(context, goal.what, item, to)
    return (yield from deliver(context, goal.what, goal.to))


def bring_filled(context: PlanContext, goal: goals.BringFilled) -> Plan[str]:
    """Fill a vessel that suits the contents, and bring it."""
    yield from resolve_receiver(context, goal.to)
    vessel = load_serving_rules().vessel_for(goal.vessel, goal.contents)
    held = yield from fill(context, vessel, goal.contents)
    yield from grasp(context, vessel, held)
    yield from deliver(context, vessel, goal.to)
    return f"I brought a {vessel.split()[-1]} of {goal.contents} to {listener(goal.to)}."


def pour(context: PlanContext, goal: goals.Pour) -> Plan[str]:
    """Fill a vessel and leave it standing."""
    yield from fill(context, goal.vessel, goal.contents)
    return f"I poured {goal.contents} into the {goal.vessel}."


def fill(context: PlanContext, vessel: str, contents: str) -> Plan[ObjectSummary]:
    """Fill a vessel with one hand: set it down, fetch the contents, pour, set them down."""
    source, _ = yield from find_object(context, contents)
    held, _ = yield from find_object(context, vessel)
    surface = staging_surface(context)
    yield from grasp(context, vessel, held)
    yield from context.require(Verb.PLACE, surface, f"put down {vessel}")
    yield from grasp(context, contents, source)
    yield from context.require(Verb.POUR, held.id, f"pour {contents}")
    yield from context.require(Verb.PLACE, surface, f"put down {contents}")
    return held


def pick_up(context: PlanContext, goal: goals.PickUp) -> Plan[str]:
    """Take an object into the hand."""
    item, _ = yield from find_object(context, goal.what, goal.where)
    yield from grasp(context, goal.what, item)
    return f"I am holding the {goal.what}."


def grasp(
    context: PlanContext, words: str, item: ObjectSummary, to: str = "", *, search: bool = True
) -> Plan[ObjectSummary]:
    """Grasp an object; if it has moved, search for it and retry a bounded number of times.

    Args:
        context: Current palette.
        words: The object, as the goal names it.
        item: The object.
        to: Id of the place where it will be put down; between shelves there is no room for a hand from above.
        search: Search for it if it has moved.

    Raises:
        ObjectMoved: If it has moved and is not searched for.
        PlanFailed: If it could not be grasped.
    """
    shelved = to and kinds().mentions("shelved", context.label(to))
    how = {"from_side": True} if shelved and context.takes(Verb.GRASP, "from_side") else {}
    for _ in range(GRASP_TRIES):
        reply = yield from context.act(Verb.GRASP, item.id, parameters=how)
        if reply.status != "MOVED":
            break
        if not search:
            raise ObjectMoved(words)
        item = yield from search_object(context, words, reply)
    require_success(reply, f"grasp {words}")
    return item


def deliver(context: PlanContext, words: str, to: str) -> Plan[ToolResult]:
    """Hand over or put down the object, resolving the receiver again because it may have moved."""
    verb, target = yield from resolve_receiver(context, to, search=True)
    doing = f"put {words} down in {to}" if verb is Verb.PLACE else f"give {words} to {to}"
    return (yield from context.require(verb, target, doing))


def resolve_receiver(context: PlanContext, to: str, *, search: bool = False) -> Plan[tuple[Verb, str]]:
    """Resolve the receiver to a verb and an id.

    A speaker whom no one introduced and no camera has seen may be met on the way, so that they are searched
    for at the end only.

    Args:
        context: Current palette.
        to: The receiver.
        search: Search for a speaker who was not seen yet.

    Raises:
        PlanFailed: If the receiver is unknown, or has no surface.
    """
    if to in SPEAKER:
        speaker = yield from find_speaker(context, search=search, reference=to)
        return Verb.HANDOVER, speaker
    target = yield from resolved(to)
    if target.kind == "room":
        return Verb.PLACE, staging_surface(context, target.id)
    return (Verb.HANDOVER if target.kind == "agent" else Verb.PLACE), target.id


SPEAKER = (ME, "requester")
"""Names of whoever gave the goal, as memory reads them."""


def find_speaker(context: PlanContext, *, search: bool, reference: str = ME) -> Plan[str]:
    """Return the id of the speaker, or "me" if they were not seen yet and are not to be searched for.

    Raises:
        PlanFailed: If memory does not answer, or no person is found.
    """
    reply = yield ResolvePlaceTool(reference=reference)
    if not reply.found and reply.status == "NOT_FOUND":
        if not search:
            return ME
        yield from find_object(context, "person")
        reply = yield ResolvePlaceTool(reference=reference)
    return one_of(reply, reference).id


def staging_surface(context: PlanContext, room: str = "") -> str:
    """Choose a surface for setting objects down, in this room if one is named.

    Raises:
        PlanFailed: If none is known.
    """
    place = next(iter(staging_surfaces(context, room)), "")
    if not place:
        raise PlanFailed("I don't know a surface to put the object on. What should I do?")
    return place


def staging_surfaces(context: PlanContext, room: str = "") -> tuple[str, ...]:
    """List the surfaces for setting objects down, in this room if one is named, the best first."""
    places = [p for p in context.now.places if p.room == room or not room]
    names = load_serving_rules().staging
    return tuple(dict.fromkeys(p.id for name in names for p in places if name in p.label.lower()))


def listener(to: str, verb: Verb = Verb.HANDOVER) -> str:
    """Name the receiver in the answer: "me" of the goal is "you"; furniture has an article."""
    if to == ME:
        return "you"
    return f"the {to}" if verb is Verb.PLACE else to


MAX_NAME = 200
"""Longest name of an object or a place that a tool accepts [characters]."""


def plan_for(context: PlanContext, goal: Goal) -> Plan[str]:
    """Run the plan of a goal and return the final message to the requester.

    Raises:
        PlanFailed: With the question for a human.
    """
    slots = () if isinstance(goal, goals.NotUnderstood) else astuple(goal)
    long = next((name for name in slots if isinstance(name, str) and len(name) > MAX_NAME), "")
    if long:
        raise PlanFailed(
            f"The name {long[:40]!r}... has {len(long)} characters, but I can use at most {MAX_NAME}. "
            "What is a shorter name?"
        )
    return (yield from _PLANS[type(goal)](context, goal))


def find(context: PlanContext, goal: goals.Find) -> Plan[str]:
    """Find an object, and verify that it is where memory has it."""
    try:
        item, in_view = yield from find_object(context, goal.what, goal.where)
    except SeenWithoutPlace as failure:
        return str(failure)
    if not in_view:
        item, in_view = yield from verify(context, goal.what, item)
    if not in_view:
        return (
            f"In memory I have the {goal.what} {describe_location(context.now, item)}. {_unchecked(context)}"
        )
    return f"I see the {goal.what} {describe_location(context.now, item)}."


def _unchecked(context: PlanContext) -> str:
    if context.now.detector_available:
        return "I did not verify it: it is not in view, and no NAVIGATE skill is available."
    broken = "; ".join(f"locator {each.id} is not working: {each.why}" for each in context.now.degraded)
    return f"I did not verify it: {broken}." if broken else "I did not verify it: no locator is available."


def face(context: PlanContext, words: str, item: ObjectSummary) -> Plan[None]:
    """Point the camera at a remembered object, after opening what hides it.

    Raises:
        PlanFailed: If the way there, or the door, is blocked.
    """
    if item.must_open:
        yield from context.require(Verb.OPEN, item.must_open, f"open {item.must_open}")
    else:
        yield from context.require(Verb.NAVIGATE, item.id, f"go to {words}")
    yield from context.act(Verb.LOOK_AT, item.id)


def verify(context: PlanContext, words: str, item: ObjectSummary) -> Plan[tuple[ObjectSummary, bool]]:
    """Verify that an object is where memory has it, else search for it. The flag: it was seen.

    A robot that cannot drive looks from where it is, and searches nowhere else.

    Raises:
        PlanFailed: If no image was evaluated, because memory may be outdated.
    """
    drives = context.offers(Verb.NAVIGATE) or (bool(item.must_open) and context.offers(Verb.OPEN))
    if drives:
        yield from face(context, words, item)
    elif context.offers(Verb.LOOK_AT):
        yield from context.act(Verb.LOOK_AT, item.id)
    if not context.can_look:
        return item, False
    reply = yield LocateInViewTool(query=words)
    if reply.found or reply.status == SEEN_NOT_PLACED:
        return (reply.found[0] if reply.found else item), True
    if reply.status in ("MOVED", "NOT_IN_VIEW"):
        if not drives:
            return item, False
        return (yield from search_object(context, words, reply)), True
    if _went_meanwhile(context, reply):
        return item, False
    where = describe_location(context.now, item)
    raise PlanFailed(
        f"I am where memory has the {words} ({where}), but I can't verify that it is there: {unseen(reply)}."
    )


def _went_meanwhile(context: PlanContext, reply: ToolResult) -> bool:
    """Return True if the locator became unavailable before the call was made."""
    return reply.status == "INVALID_CALL" and not context.can_look


def go_to(context: PlanContext, goal: goals.GoTo) -> Plan[str]:
    """Drive somewhere."""
    if goal.where == ME:
        speaker = yield from find_speaker(context, search=True)
        yield from context.require(Verb.NAVIGATE, speaker, "come to you")
        return f"I am at {context.label(speaker)}."
    place = yield from resolved(goal.where)
    yield from context.require(Verb.NAVIGATE, place.id, f"go to {goal.where}")
    return f"I am at {place.label}."


def look_at(context: PlanContext, goal: goals.LookAt) -> Plan[str]:
    """Point the camera at something."""
    # A place that became known later, by exploring, does not change the steps that were taken until then.
    target = named_place(context.now, goal.what) if context.offers(Verb.NAVIGATE) else None
    if target is None and goal.what.split()[-1].lower() in IMMOVABLE_NOUNS:
        reply = yield ResolvePlaceTool(reference=goal.what)
        if reply.status == SEVERAL:
            one_of(reply, goal.what)
        target = next((each.id for each in reply.found if each.kind == NodeKind.PLACE.value), None)
    if target is None:
        item, in_view = yield from find_object(context, goal.what)
        target = item.id
        if in_view:
            yield from context.require(Verb.LOOK_AT, target, f"look at {goal.what}")
            return f"I am looking at {goal.what} {describe_location(context.now, item)}."
    yield from context.require(Verb.NAVIGATE, target, f"go to {goal.what}")
    yield from context.require(Verb.LOOK_AT, target, f"look at {goal.what}")
    return (yield from with_contents(context, f"I am looking at {goal.what}", target, "there"))


def look_inside(context: PlanContext, goal: goals.LookInside) -> Plan[str]:
    """Open something, look in, and say what memory has in it then."""
    place = yield from resolved(goal.what)
    opened = yield from context.act(Verb.OPEN, place.id)
    yield from context.require(Verb.LOOK_AT, place.id, f"look in {goal.what}")
    now = ", which is now open" if opened.status == "SUCCEEDED" else ""
    return (yield from with_contents(context, f"I am looking into the {goal.what}{now}", place.id, "in it"))


def with_contents(context: PlanContext, looking: str, place: str, there: str) -> Plan[str]:
    """Add to what the robot does what memory has at a place after the look."""
    replayed = context.past is not None and context.past.tool == "list_objects"
    if not (replayed or context.now.spatial_memory_available):
        return f"{looking}."
    reply = yield ListObjectsTool(within=place)
    if reply.status != "LISTED":
        return f"{looking}; memory does not tell what is {there}."
    names = ", ".join(each.label for each in reply.found if place in (each.place, *each.containers))
    return f"{looking}. I know of {names or 'no loose object'} {there}."


def move_door(context: PlanContext, goal: goals.MoveDoor) -> Plan[str]:
    """Open or close something."""
    place = yield from resolved(goal.what)
    verb = Verb.OPEN if goal.open else Verb.CLOSE
    yield from context.require(verb, place.id, f"{verb.value.lower()} {goal.what}")
    return f"{goal.what} is {'open' if goal.open else 'closed'}."


def ask_for_rewording(context: PlanContext, goal: goals.NotUnderstood) -> Plan[str]:
    """Ask a human to rephrase a goal outside the grammar."""
    yield from ()
    words = goal.words if len(goal.words) <= MAX_NAME else f"{goal.words[:MAX_NAME]}..."
    here = () if goal.language else tuple(examples(context.now))
    raise PlanFailed(question_about(words, goal.language, here), here)


_PLANS: Mapping[type, Callable[..., Plan[str]]] = {
    goals.Bring: bring,
    goals.BringFilled: bring_filled,
    goals.Pour: pour,
    goals.PickUp: pick_up,
    goals.Find: find,
    goals.GoTo: go_to,
    goals.LookAt: look_at,
    goals.LookInside: look_inside,
    goals.MoveDoor: move_door,
    goals.Switch: switch,
    goals.Press: press,
    goals.NotUnderstood: ask_for_rewording,
}
