"""Meanings of goals in a short notation, to compare a parsed goal with what a person meant.

A file maps a meaning such as ``put(mug, at=table); bring(2 spoon, to=Anna)`` to sentences that say it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from openral_core.parsing import parse_yaml
from openral_core.text.terms import normalize_term
from openral_reasoner.request.goals import (
    AskAbilities,
    AskCompare,
    AskCount,
    AskState,
    AskView,
    AskWhereabouts,
    Attend,
    Bring,
    BringEach,
    BringEvery,
    BringFilled,
    BringSeveral,
    Clear,
    Conditional,
    Describe,
    Explore,
    Find,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    NotUnderstood,
    PickUp,
    Pour,
    Press,
    Request,
    Restricted,
    Sequence,
    SetTable,
    Swap,
    Switch,
    TellState,
    Tidy,
    WaitFor,
)
from openral_reasoner.sentences import read_sentence
from openral_reasoner.sentences.lexicon import singular

ASK = "ask()"
"""Meaning of a sentence that the robot must ask about."""


class Reading(StrEnum):
    """Comparison of a parsed goal with its meaning."""

    RIGHT = "right"
    ASKED = "asked back"
    WRONG = "wrong action"


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """Sentence with its meaning in the notation of this module."""

    text: str
    meaning: str

    def read(self) -> tuple[Reading, str]:
        """Parse the sentence; return the comparison and what was understood."""
        understood = describe(read_sentence(self.text))
        if canonical(understood) == canonical(self.meaning):
            return Reading.RIGHT, understood
        return (Reading.ASKED if understood == ASK else Reading.WRONG), understood

    @property
    def kind(self) -> str:
        """Name of the meaning's kind; "sequence" for several goals."""
        return "sequence" if ";" in self.meaning.split("if(")[0] else self.meaning.partition("(")[0]


def load_paraphrases(path: Path) -> tuple[Paraphrase, ...]:
    """Load a file of paraphrases."""
    content = parse_yaml(path.read_text(encoding="utf-8"))
    assert isinstance(content, Mapping)
    return tuple(Paraphrase(str(text), str(meaning)) for meaning, texts in content.items() for text in texts)


def describe(request: Request) -> str:
    """Write a parsed goal in the notation."""
    return _WRITERS[type(request)](request)


def _call(name: str, *slots: str, **named: str) -> str:
    return f"{name}({', '.join((*slots, *(f'{key}={value}' for key, value in named.items() if value)))})"


def _receiver(to: str) -> dict[str, str]:
    return {} if to == "me" else {"to": to}


def _brought(goal: Bring | BringSeveral | BringEvery, what: str) -> str:
    return _call("bring", what, **_receiver(goal.to), **{"from": goal.where, "relation": goal.relation})


def _condition(request: Conditional) -> str:
    then = describe(request.then) if request.then else "nothing()"
    parts = (describe(request.condition), then, *([describe(request.otherwise)] if request.otherwise else []))
    return f"if({', '.join(parts)})"


_WRITERS: Mapping[type, Callable[..., str]] = {
    Bring: lambda goal: _brought(goal, goal.what),
    BringSeveral: lambda goal: _brought(goal, f"{goal.count} {goal.what}"),
    BringEvery: lambda goal: _brought(goal, f"every {goal.what}"),
    BringEach: lambda goal: _call("bring_each", goal.what, **{"from": goal.where}),
    BringFilled: lambda goal: _call("bring_filled", goal.vessel, goal.contents, **_receiver(goal.to)),
    Pour: lambda goal: _call("pour", goal.contents, into=goal.vessel),
    PickUp: lambda goal: _call("pick_up", goal.what, **{"from": goal.where}),
    Find: lambda goal: _call("find", goal.what, **{"in": goal.where}),
    GoTo: lambda goal: _call("go", goal.where),
    LookAt: lambda goal: _call("look_at", goal.what),
    LookInside: lambda goal: _call("look_inside", goal.what),
    MoveDoor: lambda goal: _call("open" if goal.open else "close", goal.what),
    Tidy: lambda goal: _call("tidy", *filter(None, (goal.where,))),
    Explore: lambda goal: _call("explore", *filter(None, (goal.where,))),
    Describe: lambda goal: _call("describe", *filter(None, (goal.where,))),
    SetTable: lambda goal: _call("set_table", *filter(None, (str(goal.count or ""),))),
    Clear: lambda goal: _call("clear", goal.where, to=goal.to),
    Swap: lambda goal: _call("swap", *sorted((goal.first, goal.second))),
    Conditional: _condition,
    Sequence: lambda goal: "; ".join(describe(part) for part in goal.parts),
    WaitFor: lambda goal: _call("wait", goal.who, describe(goal.then)),
    Switch: lambda goal: _call("switch", "on" if goal.on else "off", goal.what, **{"in": goal.where}),
    AskState: lambda goal: _call("is", goal.what, goal.value),
    TellState: lambda goal: _call("note", goal.what, goal.value),
    Press: lambda goal: _call("press", goal.what),
    AskAbilities: lambda goal: _call("abilities"),
    AskCount: lambda goal: _call("count", goal.what, **{"in": goal.where}),
    AskCompare: lambda goal: _call(
        "which", goal.property, goal.what, **{"in": goal.where, "or": goal.other, "near": goal.near}
    ),
    AskView: lambda goal: _call("view", goal.what, at=goal.side, of=goal.of),
    AskWhereabouts: lambda goal: _call("whereabouts"),
    Attend: lambda goal: _call(
        goal.act.replace(" ", "_"), goal.who, **{"in": goal.where, "to": goal.to, "topic": goal.topic}
    ),
    Restricted: lambda goal: "; ".join(
        (describe(goal.goal), *(_call("not", each.act.value, each.what) for each in goal.forbidden))
    ),
    NotUnderstood: lambda goal: ASK,
}


def canonical(meaning: str) -> tuple[str, ...]:
    """Return a meaning in a form in which equal instructions are equal.

    Articles, case, plurals and the order of a swap do not matter. ``put`` is ``bring`` to a place. Going
    somewhere before an object is brought from there, taking an object before it is put somewhere, and opening
    what is then looked into are part of the second instruction. In a condition, the object is taken where
    it was found. The notation has no place for an object that is only picked up.
    """
    calls = [_canonical_call(call) for call in _split(meaning, ";")]
    placed = list(_numbered(calls))
    independent = [
        call for call, after in zip(placed, [*placed[1:], ("",)], strict=True) if not _is_part(call, after)
    ]
    return tuple(", ".join(call) for call in independent)


def _numbered(calls: list[tuple[str, ...]]) -> Iterable[tuple[str, ...]]:
    for before, call in zip([("",), *calls[:-1]], calls, strict=True):
        unplaced = before[0] == "go" and call[0] == "bring" and not any(slot[:5] == "from=" for slot in call)
        yield _sorted((*call, f"from={before[1]}")) if unplaced else call


def _sorted(call: tuple[str, ...]) -> tuple[str, ...]:
    return (*(slot for slot in call if "=" not in slot), *sorted(slot for slot in call if "=" in slot))


def _is_part(call: tuple[str, ...], after: tuple[str, ...]) -> bool:
    taken = call[0] in ("pick_up", "find") and after[0] == "bring"
    opened = call[0] == "open" and after[0] == "look_inside"
    went = call[0] == "go" and after[0] == "bring" and f"from={call[1]}" in after
    return went or ((taken or opened) and call[1] == after[1])


def _canonical_call(call: str) -> tuple[str, ...]:
    name, _, inside = call.strip().rstrip(")").partition("(")
    if name == "if":
        nested = _split(call.strip()[3:-1], ",")
        condition, *branches = (" ; ".join(canonical(part)) for part in nested)
        target, _, place = condition.removeprefix("find, ").partition(", in=")
        same = f"bring, {target}"
        return (name, condition, *(_at_same_place(branch, same, place) for branch in branches))
    if name == "wait":
        parts = (" ; ".join(canonical(slot)) for slot in _split(call.strip()[5:-1], ","))
        return (name, *(each.lower() for each in parts))
    slots = [_slot(name, slot) for slot in _split(inside, ",")]
    positional, named = [s for s in slots if "=" not in s], sorted(s for s in slots if "=" in s)
    if name == "swap":
        positional.sort()
    if name == "pick_up":
        named = []
    return ("bring" if name == "put" else name, *positional, *named)


def _at_same_place(branch: str, same: str, place: str) -> str:
    """Leave out the place of the condition's object in an action with it."""
    return branch.replace(f", from={place}", "") if place and f"{branch},".startswith(f"{same},") else branch


def _slot(call: str, slot: str) -> str:
    key, equals, value = slot.strip().rpartition("=")
    value = re.sub(r"^(?:the|a|an|some|my) ", "", " ".join(normalize_term(value).split()))
    key = "to" if (call, key) == ("put", "at") else key
    return f"{key}{equals}{singular(value)}"


def _split(text: str, separator: str) -> list[str]:
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
