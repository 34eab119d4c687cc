"""One-line texts: names of others that can neither end a line nor look like one, and lines of calls."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from openral_core.skills import Verb
from openral_reasoner.behaviors.exploring import UNEXPLORED
from openral_reasoner.context import Choice, RawCall, UnreadableArguments, read_arguments
from openral_reasoner.palette.entries import ToolPalette

MAX_LINE, MAX_LABEL, MAX_WORDS = 80, 24, 60
"""Longest line of a choice, label of a node, and words of the operator in a line [characters]."""
_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_NOT_IN_NAMES = re.compile(r"[^\w ,.'()/-]|_{3,}")
_WORDED = frozenset({"prompt", "message", "question", "text", "choices", "or_goal"})
"""Arguments that the core words itself."""


def words(text: str, limit: int = MAX_WORDS) -> str:
    """Return words of the operator in one line."""
    printable = "".join(each if each.isprintable() else " " for each in text)
    return " ".join(printable.split())[:limit].rstrip()


def label(text: str, limit: int = MAX_LABEL) -> str:
    """Return a name of memory, a detector or a skill in one line, without quotes, brackets and marks."""
    return words(_NOT_IN_NAMES.sub(" ", words(text, 4 * limit)), limit)


def id_word(node_id: str) -> str:
    """Return an id as one word of a line; one that could be a sentence is reduced to letters and digits."""
    if _PLAIN_ID.fullmatch(node_id):
        return node_id
    return re.sub(r"[^A-Za-z0-9]+", "_", node_id).strip("_")[:24] or "unnamed"


_VERBS: Mapping[Verb, str] = {Verb.NAVIGATE: "goto", Verb.LOOK_AT: "look"}
"""Verbs in lines that are not the skill's own, in lower case."""
_WORD: Mapping[str, str] = {
    "recall_object": "recall",
    "resolve_place": "resolve",
    "locate_in_view": "see",
    "compare_objects": "compare",
    "plan_deliveries": "plan",
    "list_objects": "list",
    "describe_home": "describe",
    "explore": "explore",
    "get_state": "state",
    "note_state": "note",
    "ask_human": "ask",
}
"""First word in the line of each tool that is no skill."""
_SPOKEN = ("query", "reference", "by")
"""Arguments in words; the others in a line are ids."""


def line_for(tool: str, arguments: str, palette: ToolPalette) -> str:
    """Return the line of a call: a word for the tool or skill, and what it is about."""
    try:
        content = read_arguments(arguments)
    except UnreadableArguments:
        content = {}
    texts = {name: value for name, value in content.items() if isinstance(value, str) and value}
    if tool == "execute_rskill":
        line = line_of_step(texts, content.get("parameters"), palette)
    elif tool == "done":
        line = "done" if content.get("success") is True else "fail"
    elif tool == "explore" and "search_for" in texts:
        line = f"search {UNEXPLORED}"
    elif content.get("only_view") is True:
        line = "view"
    else:
        line = " ".join((_WORD.get(tool, label(tool, 40)), *_about(tool, texts)))
    return line[:MAX_LINE].rstrip()


def _about(tool: str, texts: Mapping[str, str]) -> Iterator[str]:
    yield from (words(texts[name]) for name in _SPOKEN if name in texts)
    if tool in _OF_HOME:
        yield id_word(texts.get("within", "home"))
    yield from (id_word(texts[name]) for name in ("target", "state") if name in texts)


_OF_HOME = ("list_objects", "describe_home", "explore")
"""Tools about a place or room, else about the home."""


def line_of_step(texts: Mapping[str, str], parameters: object, palette: ToolPalette) -> str:
    """Return the line of a skill and its target."""
    skill, target = palette.skill(texts.get("rskill_id", "")), id_word(texts.get("target", ""))
    if skill is None:
        return f"{label(texts.get('rskill_id', ''))} {target}"
    if skill.verb is Verb.NAVIGATE and texts.get("search_for"):
        return f"search {target}"
    way = parameters if isinstance(parameters, dict) else {}
    switched = ("_on" if way.get("on") is True else "_off") if skill.verb is Verb.SWITCH else ""
    side = " from_side" if way.get("from_side") is True else ""
    return f"{_VERBS.get(skill.verb, skill.verb.value.lower())}{switched} {target}{side}"


def distinct(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    """Return choices without equal calls or lines: the later ones of equal lines are numbered."""
    lines, calls = dict[str, Choice](), set[RawCall]()
    for each in choices:
        if each.call in calls:
            continue
        calls.add(each.call)
        line, number = each.line, 1
        while line in lines:
            number += 1
            line = f"{each.line} ~{number}"
        lines[line] = each if line == each.line else Choice(line=line, call=each.call)
    return tuple(lines.values())


def line_of(call: RawCall, choices: Iterable[Choice]) -> str | None:
    """Return the line that stands for a call, whatever its texts for humans; None if no choice does."""
    listed = list(choices)
    for left_out in (_WORDED, _WORDED | {"likely_places"}):
        same = _key(call, left_out)
        line = next((each.line for each in listed if _key(each.call, left_out) == same), None)
        if line is not None:
            return line
    return None


def _key(call: RawCall, left_out: frozenset[str]) -> tuple[str, str]:
    try:
        arguments: Mapping[str, object] = read_arguments(call.arguments)
    except UnreadableArguments:
        return call.tool, call.arguments
    texts = {
        name: value for name, value in arguments.items() if name not in left_out and value not in ("", [], {})
    }
    texts = {name: value for name, value in texts.items() if (name, value) != ("only_view", False)}
    return call.tool, json.dumps(texts, sort_keys=True)
