"""Plans of questions about several objects: how many there are, and which has the most of a property."""

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_core.text.terms import answers
from openral_reasoner.context import ObjectSummary, ToolResult
from openral_reasoner.palette.entries import PlaceEntry, ToolPalette
from openral_reasoner.request.goals import AskCompare, AskCount
from openral_reasoner.request.measures import ANYTHING, MEASURES
from openral_reasoner.scripted.steps import Plan, PlanContext, PlanFailed, find_object, named_place, outcome
from openral_reasoner.tools.belongings import ListObjectsTool
from openral_reasoner.tools.comparing import CompareObjectsTool


def ask_count(context: PlanContext, goal: AskCount) -> Plan[str]:
    """Look at the place, if one is named and the robot can drive, and count what memory has there then.

    Raises:
        PlanFailed: If the place is not known, or memory does not answer.
    """
    reply, problem = yield from _listed(context, goal.where)
    return f"{count_in_words(context.now, goal, reply)}{problem}"


def count_in_words(palette: ToolPalette, goal: AskCount, reply: ToolResult) -> str:
    """Return the answer to a question of number by a list of memory, with what is closed to the view.

    Without a map and without an object in memory, what cameras see now is counted.
    """
    if not (palette.places or reply.found):
        return _seen_in_words(goal, reply)
    there = _of_kind(reply, goal.what)
    furniture = _furniture(palette, goal.what, goal.where)
    ages = ((each.label, each.why or ("not seen for long" if each.stale else "")) for each in there)
    names = [*(f"{label} ({age})" if age else label for label, age in ages), *(p.label for p in furniture)]
    names += [str(each) for each in reply.in_view if goal.what == ANYTHING or answers(goal.what, each.label)]
    where = f" at the {goal.where}" if goal.where else " in the home, as far as I have seen it"
    shut = [each.label for each in reply.frontier if each.must_open]
    unseen = f" I have not looked into {', '.join(shut[:4])}, which are closed." if shut else ""
    list_of_names = f": {', '.join(names)}" if names else ""
    return f"I know of {len(names)} x {goal.what}{where}{list_of_names}.{unseen}"


def _seen_in_words(goal: AskCount, reply: ToolResult) -> str:
    visible = [each for each in reply.in_view if goal.what == ANYTHING or answers(goal.what, each.label)]
    names = ", ".join(f"{each.label} ({each.where or each.camera})" for each in visible)
    return f"I see {len(visible)} x {goal.what}: {names}." if visible else f"I see no {goal.what}."


def _listed(context: PlanContext, where: str) -> Plan[tuple[ToolResult, str]]:
    """Look at a place, if the robot can drive there, and list it; with why the look failed.

    Raises:
        PlanFailed: If the place is not known, or memory does not answer.
    """
    place = named_place(context.now, where) if where else ""
    if place is None:
        raise PlanFailed(f"I know no place called {where!r}. Which one do you mean?")
    problem = ""
    if place and context.offers(Verb.NAVIGATE):
        went = yield from context.act(Verb.NAVIGATE, place)
        look = (yield from context.act(Verb.LOOK_AT, place)) if went.status == "SUCCEEDED" else went
        problem = "" if look.status == "SUCCEEDED" else f" I could not look there: {outcome(look)}."
    reply = yield ListObjectsTool(within=place)
    if reply.status != "LISTED":
        raise PlanFailed(f"I couldn't ask memory what is there: {outcome(reply)}. What should I do?")
    return reply, problem


def _of_kind(reply: ToolResult, kind: str) -> list[ObjectSummary]:
    return [each for each in reply.found if not each.held and (kind == ANYTHING or answers(kind, each.label))]


def _furniture(palette: ToolPalette, kind: str, where: str) -> list[PlaceEntry]:
    """Return the places of a kind, of all or of a room."""
    room = named_place(palette, where) if where else None
    places = [each for each in palette.places if each.kind is NodeKind.PLACE and not each.on_floor]
    return [each for each in places if answers(kind, each.label) and room in (None, each.room)]


def ask_comparison(context: PlanContext, goal: AskCompare) -> Plan[str]:
    """Find what is compared, and tell which has the most or the least of the property.

    Raises:
        PlanFailed: If memory measures no such property, or what is compared is not known.
    """
    if goal.property not in MEASURES:
        raise PlanFailed(
            f"I can't tell which is the {goal.property}: I measure {', '.join(MEASURES)}. What else can I do?"
        )
    measure, _ = MEASURES[goal.property]
    if goal.other:
        first = yield from _subject(context, goal.what)
        ids = [first, (yield from _subject(context, goal.other))]
    else:
        reply, _ = yield from _listed(context, goal.where)
        ids = ids_of_kind(context.now, goal, reply)
    near = (yield from _subject(context, goal.near)) if goal.near else ""
    ids = [each for each in ids if each != near]
    if not ids:
        where = f" at the {goal.where}" if goal.where else ""
        raise PlanFailed(f"I know of no {goal.what}{where} to compare. Where should I look?")
    reply = yield CompareObjectsTool(by=measure, targets=tuple(ids), near=near)
    if reply.status != "COMPARED":
        raise PlanFailed(f"I can't compare them: {outcome(reply)}. What else can I do?")
    return comparison_in_words(goal, reply)


def ids_of_kind(palette: ToolPalette, goal: AskCompare, reply: ToolResult) -> list[str]:
    """Return the ids of the listed objects, and of the furniture, of the kind that is compared."""
    objects = [each.id for each in _of_kind(reply, goal.what)]
    return objects + [each.id for each in _furniture(palette, goal.what, goal.where)]


def comparison_in_words(goal: AskCompare, reply: ToolResult) -> str:
    """Return the answer to a question of comparison by an order of memory."""
    order = reply.peer_words if MEASURES[goal.property][1] else reply.peer_words[::-1]
    beside = f" to the {goal.near}" if goal.near else ""
    rest = f" The others: {'; '.join(order[1:6])}." if len(order) > 1 else " I know of no other."
    return f"The {goal.property}{beside} is the {order[0]}.{rest}"


def _subject(context: PlanContext, what: str) -> Plan[str]:
    """Return the id of a place, or of an object that is found if it is not remembered.

    Raises:
        PlanFailed: If it is neither.
    """
    place = named_place(context.now, what)
    if place is not None:
        return place
    match, _ = yield from find_object(context, what)
    return match.id
