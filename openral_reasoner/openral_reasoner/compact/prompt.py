"""Compact prompt: rules and examples of other homes, which a cache holds, then the state in short lines.

Names of memory, detectors and skills stand in quotes, without any mark that could end a line or a quote.
Their messages are left out: the core words what a human reads.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import TypeVar

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_reasoner.compact.lines import id_word, label, line_for, words
from openral_reasoner.compact.names import named, referred
from openral_reasoner.compact.pending import argument
from openral_reasoner.context import Context, Frontier, FrozenModel, ObjectSummary, ToolResult, Turn
from openral_reasoner.palette.entries import ControlEntry, PlaceEntry
from openral_reasoner.request.goals import Tidy, is_understood, parts_of
from openral_reasoner.request.saying import in_words

MAX_TURNS, DROPPED = 16, 8
"""Most past calls in a prompt, and how many are left out at once, so that a cache holds for as many [1]."""
MAX_PLACES, MAX_CONTROLS, MAX_PEOPLE = 24, 8, 8
"""Most places, switches and people listed [1]; those that the goal names come first."""
MAX_ROWS, MAX_LEFT = 4, 3
"""Most objects of a reply, and most places left to search [1]."""
_SHOWN_ELSEWHERE = re.compile(
    r"""(place|control) ['"].*|(continuous detector|locator) ['"].*['"] went from [A-Z]+ to [A-Z]+""",
    re.DOTALL,
)
"""News about what the rooms and doors of the state show, and about the lifecycle states of detectors, which
residency changes for skills and looks."""
_OK, _NO_STEP = "ok", "(no listed step)"


class CompactPrompt(FrozenModel):
    """Text before every mission, the same for all, and the state of this one; the answer follows."""

    prefix: str
    state: str


@cache
def prefix() -> str:
    """Load the rules and the worked examples."""
    return files(__package__).joinpath("examples.txt").read_text(encoding="utf-8")


def compact_prompt(context: Context) -> CompactPrompt:
    """Return the prompt of one decision; within a mission each state begins as the one before."""
    return CompactPrompt(
        prefix=prefix(),
        state="\n".join((*lines_of_home(context), *lines_of_course(context), *lines_of_now(context))),
    )


def lines_of_home(context: Context) -> Iterator[str]:
    """Yield the rooms with their places, the people, the switches and the goal."""
    names = named(context.request)
    places = first([p for p in context.palette.places if p.kind is NodeKind.PLACE], names, MAX_PLACES)
    rooms = [each for each in context.palette.places if each.kind is NodeKind.ROOM]
    for room in rooms:
        inside = ", ".join(entry(p.id, p.label) for p in places if p.room == room.id)
        yield f"Room {entry(room.id, room.label)}: {inside or 'nothing known'}"
    room_ids = {room.id for room in rooms}
    if elsewhere := [entry(p.id, p.label) for p in places if p.room not in room_ids]:
        yield f"Places: {', '.join(elsewhere)}"
    people = first([p for p in context.palette.places if p.kind is NodeKind.AGENT], names, MAX_PEOPLE)
    if people:
        yield f"People: {', '.join(entry(p.id, p.label) for p in people)}"
    if controls := first(context.palette.worked, names, MAX_CONTROLS):
        yield f"Switches: {', '.join(entry(c.id, c.appliance) for c in controls)}"
    if in_view := context.palette.in_view:
        yield f"In view: {', '.join(label(each.label) for each in in_view)}"
    who = f" from {id_word(context.requester)}" if context.requester else ""
    yield f"Goal: {_quoted(context.goal, 300)}{who}"
    if is_understood(context.request):
        yield f"That is: {words(in_words(context.request), 160)}"


_Listed = TypeVar("_Listed", PlaceEntry, ControlEntry)


def first(entries: Iterable[_Listed], names: tuple[str, ...], limit: int) -> list[_Listed]:
    """Return at most ``limit`` entries in their order, those that the goal names before the others."""
    listed = list(entries)
    ranked = sorted(listed, key=lambda each: not any(each.answers_to(name) for name in names))[:limit]
    return [each for each in listed if each in ranked]


def entry(node_id: str, name: str) -> str:
    """Return an id with its label if that says more."""
    word, shown = id_word(node_id), label(name)
    same = shown.lower() in ("", word.lower(), word.rpartition("_")[0].replace("_", " ").lower())
    same = same or shown.lower() == word.replace("_", " ").lower()
    return word if same else f'{word} "{shown}"'


def _quoted(text: str, limit: int) -> str:
    return json.dumps(words(text, limit), ensure_ascii=False)


def lines_of_course(context: Context) -> Iterator[str]:
    """Yield the past calls with short results."""
    left_out = max(0, -(-(len(context.turns) - MAX_TURNS) // DROPPED)) * DROPPED
    if left_out:
        yield f"({left_out} steps before)"
    tidies = any(isinstance(part, Tidy) for part in parts_of(context.request))
    for turn in islice(tidying(context.turns) if tidies else context.turns, left_out, None):
        yield from _news(turn.news, turn.operator_words)
        yield f"> {line_for(turn.tool, turn.arguments, context.palette) or _NO_STEP}"
        yield result(turn)


def tidying(turns: tuple[Turn, ...]) -> Iterator[Turn]:
    """Yield past calls with what is still to be put away in the newest list, and nothing in older ones."""
    newest = max((i for i, turn in enumerate(turns) if turn.reply.status == "LISTED"), default=-1)
    for index, turn in enumerate(turns):
        if turn.reply.status == "LISTED":
            items = turn.reply.found if index == newest else ()
            still_open = tuple(each for each in items if each.misplaced or each.held or not each.belongs_at)
            reply = turn.reply.model_copy(update={"found": still_open})
            yield turn.model_copy(update={"reply": reply})
        else:
            yield turn


def _news(lines: tuple[str, ...], operator_words: str) -> Iterator[str]:
    shown = [line for line in lines if not _SHOWN_ELSEWHERE.fullmatch(line)]
    yield from (f'News: "{label(line, 80)}"' for line in shown[:2])
    if operator_words:
        yield f"Operator: {_quoted(operator_words, 200)}"


def result(turn: Turn) -> str:
    """Return a reply in one line."""
    reply = turn.reply
    status = _OK if reply.status == "SUCCEEDED" else label(reply.status.replace("_", " ").lower(), 40)
    parts = [*_rows(reply), *_left(turn, reply.frontier)]
    if reply.operator_words:
        parts.append(_quoted(reply.operator_words, 200))
    if reply.status == "NOT_PROVEN":
        parts.append(label(reply.text.partition("Missing: ")[2].partition(". To prove")[0], 100))
    if reply.status == "AMBIGUOUS" and reply.valid:
        parts.append(f"may be {', '.join(map(id_word, reply.valid[:MAX_LEFT]))}")
    if reply.order:
        parts.append(f"order {' '.join(map(str, reply.order))}")
    return f"{status}: {'; '.join(parts)}" if parts else status


def _rows(reply: ToolResult) -> Iterator[str]:
    yield from map(row, reply.found[:MAX_ROWS])
    if len(reply.found) > MAX_ROWS:
        yield f"{len(reply.found) - MAX_ROWS} more"


def row(item: ObjectSummary) -> str:
    """Return an object of a reply with its place, and where it belongs if that is elsewhere."""
    at = f" at {id_word(item.place)}" if item.place and item.place != item.id else ""
    room = f" in {id_word(item.room)}" if item.room and not at else ""
    shut = " (closed)" if item.must_open else ""
    held = " (in the hand)" if item.held else ""
    to = [f"{id_word(each)}{' (closed)' if each in item.closed else ''}" for each in item.belongs_at[:2]]
    away = f" -> {' or '.join(to)}" if item.misplaced and to else ""
    return f"{entry(item.id, item.label)}{at}{room}{shut}{held}{away}"


def _left(turn: Turn, frontier: tuple[Frontier, ...]) -> Iterator[str]:
    """Yield the places that are left of a search; those of a list stand at the end of the state."""
    if frontier and turn.tool != "list_objects":
        yield f"left {_ids(each.id for each in frontier)}"


def _ids(ids: Iterable[str]) -> str:
    listed = list(map(id_word, ids))
    more = f" and {len(listed) - MAX_LEFT} more" if len(listed) > MAX_LEFT else ""
    return f"{' '.join(listed[:MAX_LEFT])}{more}"


def lines_of_now(context: Context) -> Iterator[str]:
    """Yield the news, the doors, the hand and the mark after which the answer is written."""
    yield from _news(context.news, context.operator_words)
    if closed := list(map(id_word, _closed_doors(context)))[:MAX_ROWS]:
        yield f"Closed: {', '.join(closed)}"
    if unseen := not_looked_at(context):
        yield f"Not looked at: {_ids(unseen)}"
    if context.holding:
        yield f'Hand: "{label(context.holding, 60)}"'
    elif context.palette.skills:
        yield "Hand: empty"
    yield ">"


def not_looked_at(context: Context) -> tuple[str, ...]:
    """Return the places of the last list that the camera did not face before it or since."""
    faced, places = set[str](), tuple[str, ...]()
    for turn in context.turns:
        if turn.reply.status == "LISTED":
            places = tuple(each.id for each in turn.reply.frontier)
        skill = context.palette.skill(argument(turn, "rskill_id")) if turn.tool == "execute_rskill" else None
        if skill is not None and skill.verb is Verb.LOOK_AT:
            faced.add(argument(turn, "target"))
    return tuple(each for each in places if each not in faced)


def _closed_doors(context: Context) -> Iterator[str]:
    """Yield the containers that the goal names and that are closed now."""
    names = {*referred(context.request)}
    resolved = {
        item.id for turn in context.turns if turn.tool == "resolve_place" for item in turn.reply.found
    }
    for place in context.palette.places:
        if place.closed and (place.id in resolved or any(place.answers_to(name) for name in names)):
            yield place.id
