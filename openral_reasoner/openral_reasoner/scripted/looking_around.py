"""Plans for goals about the home as a whole: explore it, and say what memory has of it."""

from openral_core.detectors import UnplacedDetection
from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_core.text.terms import answers
from openral_reasoner.context import ToolResult
from openral_reasoner.palette.entries import PlaceEntry
from openral_reasoner.request.goals import AskView, AskWhereabouts, Describe, Explore
from openral_reasoner.scripted.steps import Plan, PlanContext, PlanFailed, describe_location
from openral_reasoner.tools.exploration import LOST, NO_OBJECT, VIEW, DescribeHomeTool, ExploreTool
from openral_reasoner.tools.queries import LocateInViewTool


def explore_area(context: PlanContext, goal: Explore) -> Plan[str]:
    """Explore the home or a room; say what share of the floor was seen and what memory has now.

    Raises:
        PlanFailed: If no skill explores, the room is not known, or floor was left that could be seen.
    """
    room = named_room(context, goal.where)
    replayed = context.past is not None and context.past.tool == "explore"
    if not (replayed or context.now.with_verb(Verb.EXPLORE)):
        raise PlanFailed(
            "I can't explore: the skill server of this robot offers no EXPLORE skill. "
            "What should I do instead?"
        )
    within, name = (room.id, f"the {room.label}") if room else ("", "the home")
    reply = yield ExploreTool(within=within)
    memory = yield DescribeHomeTool(within=within)
    coverage = f"{_capitalised(reply.text)}. " if room else ""
    text = f"{coverage}{_capitalised(memory.text)}."
    if reply.status != "SUCCEEDED":
        problem = "; ".join((reply.status, *reply.peer_words))
        raise PlanFailed(f"I did not explore all of {name} ({problem}). {text} Shall I go on?")
    return f"I explored {name}. {text}"


def describe_area(context: PlanContext, goal: Describe) -> Plan[str]:
    """Say what memory has of the home or a room, without moving.

    Raises:
        PlanFailed: If the room is not known, or memory does not answer.
    """
    room = named_room(context, goal.where)
    reply = yield DescribeHomeTool(within=room.id if room else "")
    if reply.status != "DESCRIBED":
        raise PlanFailed(f"I can't say what I know: {reply.text}. What should I do?")
    return f"{_capitalised(reply.text)}. {'. '.join(reply.peer_words)}."


def say_view(context: PlanContext, goal: AskView | AskWhereabouts) -> Plan[str]:
    """Say where the robot is and, if that was asked, what it sees there now.

    Raises:
        PlanFailed: If memory does not answer.
    """
    reply = yield DescribeHomeTool(only_view=True)
    if reply.status != "DESCRIBED":
        raise PlanFailed(f"I can't say what I see: {reply.text}. What should I do?")
    if isinstance(goal, AskView) and is_unnamed(goal, reply):
        look = (yield LocateInViewTool(query=goal.what)) if context.can_look else reply
        if look.found:
            return f"I see the {goal.what} {describe_location(context.now, look.found[0])}."
    return view_in_words(goal, reply)


def is_unnamed(goal: AskView | AskWhereabouts, reply: ToolResult) -> bool:
    """Return True if a description of the view does not name what is asked for, on whatever side."""
    return isinstance(goal, AskView) and bool(goal.what) and not (goal.side or _named(goal.what, reply))


def view_in_words(goal: AskView | AskWhereabouts, reply: ToolResult) -> str:
    """Return the answer to a question about the view by a description of it."""
    here, view = reply.peer_words
    if isinstance(goal, AskWhereabouts):
        return f"{here}."
    if not (goal.what or goal.side):
        return f"{here}. {_capitalised(view)}." if here != LOST else f"{_capitalised(view)}."
    if not goal.side:
        return f"I see {', '.join(_named(goal.what, reply)) or f'no {goal.what}'}."
    if not (reply.in_view or view.endswith(NO_OBJECT)):
        return f"I know no sides of what is in view, as my cameras measure its place. {_capitalised(view)}."
    return _side_in_words(goal, reply)


def _side_in_words(goal: AskView, reply: ToolResult) -> str:
    anchors = sorted(_of(goal.of, reply), key=lambda each: -each.score) if goal.of else []
    if goal.of and not anchors:
        return f"I see no {goal.of}, so I can't say what is on a side of it."
    there = [each for each in _of(goal.what, reply) if _is_on(goal.side, each, *anchors[:1])]
    place = f"at the {goal.side}{goal.of and f' of the {goal.of}'}"
    names = ", ".join(f"{each.label} ({each.where or each.camera})" for each in there)
    no = f"no {goal.what or 'object'}"
    return f"I see {names or no} {place}."


def _named(what: str, reply: ToolResult) -> list[str]:
    """Return the names of a kind among what a description of the view lists."""
    names = reply.peer_words[-1].removeprefix(VIEW).split(", ") if reply.peer_words else []
    return [each for each in names if answers(what, each.partition(" (")[0])]


def _of(what: str, reply: ToolResult) -> list[UnplacedDetection]:
    return [each for each in reply.in_view if not what or answers(what, each.label)]


def _is_on(side: str, each: UnplacedDetection, anchor: UnplacedDetection | None = None) -> bool:
    """Return True if an object is on a side of the image, or of another object in the same image."""
    if anchor is None:
        return each.where == side if side == "middle" else set(side.split()) <= set(each.where.split())
    if each is anchor or each.camera != anchor.camera or each.centre is None or anchor.centre is None:
        return False
    x, y = each.centre[0] - anchor.centre[0], each.centre[1] - anchor.centre[1]
    beyond = {"left": -x, "right": x, "upper": -y, "lower": y}
    return all(beyond[word] > 0.0 for word in side.split() if word in beyond)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def named_room(context: PlanContext, where: str) -> PlaceEntry | None:
    """Return the room with this name; None for the home.

    Raises:
        PlanFailed: If no room, or several, have that name.
    """
    if not where:
        return None
    rooms = [place for place in context.now.places if place.kind is NodeKind.ROOM]
    named = [room for room in rooms if room.answers_to(where)]
    if len(named) != 1:
        labels = ", ".join(room.label for room in rooms) or "none yet"
        problem = "Several rooms are called" if named else "I know no room called"
        raise PlanFailed(f"{problem} {where!r}. The rooms that I know: {labels}. Which one do you mean?")
    return named[0]
