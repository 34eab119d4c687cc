"""Plans for goals about the home as a whole: explore it, and say what memory has of it."""

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_reasoner.palette.entries import PlaceEntry
from openral_reasoner.request.goals import AskView, AskWhereabouts, Describe, Explore
from openral_reasoner.scripted.steps import Plan, PlanContext, PlanFailed
from openral_reasoner.tools.exploration import DescribeHomeTool, ExploreTool


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
    here, view = reply.peer_words
    return f"{here}." if isinstance(goal, AskWhereabouts) else f"{here}. {_capitalised(view)}."


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
