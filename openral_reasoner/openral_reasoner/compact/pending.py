"""Parts of a goal that are still to be done, read from the replies so far."""

from collections.abc import Iterator
from itertools import islice

from openral_core.text.terms import same_term
from openral_reasoner.context import Turn, UnreadableArguments, read_arguments
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import AskCompare, Bring, Request, Sequence, unrestricted
from openral_reasoner.scripted.comparing import ids_of_kind
from openral_reasoner.scripted.progress import leading_deliveries
from openral_reasoner.scripted.steps import named_place


def argument(turn: Turn, name: str) -> str:
    """Return a text argument of a past call; "" if it has none."""
    try:
        value = read_arguments(turn.arguments).get(name, "")
    except UnreadableArguments:
        return ""
    return value if isinstance(value, str) else ""


def query_of(turn: Turn) -> str:
    """Return what a past call looked for."""
    return argument(turn, "search_for") or argument(turn, "query")


def undelivered(request: Request, turns: tuple[Turn, ...]) -> Iterator[tuple[Bring, ...]]:
    """Yield the deliveries that wait, as far as past plans tell, then all of them; only two or more."""
    goal = unrestricted(request)
    if not isinstance(goal, Sequence) or goal.ordered:
        return
    rest = list(goal.parts)
    for turn in turns:
        deliveries = leading_deliveries(rest)
        if turn.tool == "plan_deliveries" and len(turn.reply.order) == len(deliveries):
            rest[: len(deliveries)] = [deliveries[number - 1] for number in turn.reply.order]
            del rest[0]
    distinct = dict.fromkeys((leading_deliveries(rest), leading_deliveries(list(goal.parts))))
    yield from islice((each for each in distinct if len(each) > 1), 2)


def compared(palette: ToolPalette, goal: AskCompare, turns: tuple[Turn, ...]) -> tuple[list[str], str]:
    """Return the ids of what is compared, and of what distances are from, as far as they are known."""
    near = subject(palette, goal.near, turns) if goal.near else ""
    if goal.other:
        ids = [subject(palette, name, turns) for name in (goal.what, goal.other)]
        return (ids if all(ids) else []), near
    listed = next((turn.reply for turn in reversed(turns) if turn.reply.status == "LISTED"), None)
    ids = ids_of_kind(palette, goal, listed) if listed is not None else []
    return [each for each in ids if each != near], near


def subject(palette: ToolPalette, name: str, turns: tuple[Turn, ...]) -> str:
    """Return the id of a named place, else of the object found last for a name; "" if neither is known."""
    place = named_place(palette, name)
    if place is not None:
        return place
    replies = (turn.reply.found for turn in reversed(turns) if turn.reply.found and _asks_for(turn, name))
    return next((items[0].id for items in replies), "")


def _asks_for(turn: Turn, name: str) -> bool:
    query = query_of(turn)
    return bool(query) and same_term(query, name)
