"""Plans that carry something."""

from openral_core.skills import Verb
from openral_reasoner.exchanges.turns import Found, Reply
from openral_reasoner.planners.goals import Bring, BringFilled, PickUp, Pour
from openral_reasoner.planners.priors import load_priors
from openral_reasoner.planners.steps import Outlook, Plan, PlanFailed, must, obtain, resolved, search

GRASP_TRIES = 3


def bring(outlook: Outlook, goal: Bring) -> Plan[str]:
    """Make sure of the receiver, fetch it, and give it to whoever is named, or put it there."""
    yield from _receiver(outlook, goal.to)
    thing, _ = yield from obtain(outlook, goal.what, goal.where)
    yield from _grasp(outlook, goal.what, thing)
    yield from _deliver(outlook, goal.what, goal.to)
    return f"I brought the {goal.what} to {_listener(goal.to)}."


def bring_filled(outlook: Outlook, goal: BringFilled) -> Plan[str]:
    """Fill a vessel that suits what goes into it, and bring that."""
    yield from _receiver(outlook, goal.to)
    vessel = load_priors().vessel_for(goal.vessel, goal.contents)
    held = yield from _filled(outlook, vessel, goal.contents)
    yield from _grasp(outlook, vessel, held)
    yield from _deliver(outlook, vessel, goal.to)
    return f"I brought a {vessel.split()[-1]} of {goal.contents} to {_listener(goal.to)}."


def pour(outlook: Outlook, goal: Pour) -> Plan[str]:
    """Fill a vessel and leave it."""
    yield from _filled(outlook, goal.vessel, goal.contents)
    return f"I poured {goal.contents} into the {goal.vessel}."


def _filled(outlook: Outlook, vessel: str, contents: str) -> Plan[Found]:
    """One hand: set the vessel down, fetch what goes into it, pour, set that down too."""
    source, _ = yield from obtain(outlook, contents)
    held, _ = yield from obtain(outlook, vessel)
    surface = _staging(outlook)
    yield from _grasp(outlook, vessel, held)
    must((yield from outlook.act(Verb.PLACE, surface)), f"put down {vessel}")
    yield from _grasp(outlook, contents, source)
    must((yield from outlook.act(Verb.POUR, held.id)), f"pour {contents}")
    must((yield from outlook.act(Verb.PLACE, surface)), f"put down {contents}")
    return held


def pick_up(outlook: Outlook, goal: PickUp) -> Plan[str]:
    """Take it into the hand."""
    thing, _ = yield from obtain(outlook, goal.what, goal.where)
    yield from _grasp(outlook, goal.what, thing)
    return f"I am holding the {goal.what}."


def _grasp(outlook: Outlook, words: str, thing: Found) -> Plan[Found]:
    """Take it; when it has moved, search for it and try again, a bounded number of times."""
    for _ in range(GRASP_TRIES):
        reply = yield from outlook.act(Verb.GRASP, thing.id)
        if reply.status != "MOVED":
            break
        thing = yield from search(outlook, words, reply)
    must(reply, f"grasp {words}")
    return thing


def _deliver(outlook: Outlook, words: str, to: str) -> Plan[Reply]:
    """Give it away; where the receiver is now is asked again, they may have moved meanwhile."""
    verb, target = yield from _receiver(outlook, to)
    doing = f"put {words} down in {to}" if verb is Verb.PLACE else f"give {words} to {to}"
    return must((yield from outlook.act(verb, target)), doing)


def _receiver(outlook: Outlook, to: str) -> Plan[tuple[Verb, str]]:
    """How and to which id it will be given.

    Raises:
        PlanFailed: If nobody and nothing is meant by this, or nothing is set down there.
    """
    target = yield from resolved(to)
    if target.kind == "room":
        return Verb.PLACE, _staging(outlook, target.id)
    return (Verb.HANDOVER if target.kind == "agent" else Verb.PLACE), target.id


def _staging(outlook: Outlook, room: str = "") -> str:
    """A surface to set things down on, in this room if one is named."""
    places = [p for p in outlook.now.places if p.room == room or not room]
    for name in load_priors().staging:
        place = next((p for p in places if name in p.label.lower()), None)
        if place is not None:
            return place.id
    raise PlanFailed("I know no surface to set things down on. What should I do?")


def _listener(to: str) -> str:
    """Whoever said "me" is "you" in the answer."""
    return "you" if to == "me" else to
