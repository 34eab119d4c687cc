"""Objects that the operator points at: a goal about "this" is one about a record of memory, and no other.

The id of the record takes the place of "this" in the goal, so that plan, recall, look and proof all mean it.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import dist

from openral_core.missions import MissionState
from openral_core.skills import Verb
from openral_core.spatial_memory import RecallMatch
from openral_core.text.noun_phrases import singulars
from openral_core.text.terms import answers, normalize_term
from openral_reasoner.behaviors.requests import RequestFailed, read_scene, recall
from openral_reasoner.evidence import Same
from openral_reasoner.mission import Ending, Mission, Procedure
from openral_reasoner.mission_objects import MissionObject

_POINTERS = ("this|these", "that|those", "it|them", "there|here")
"""Words that point, the surest first."""
_MANY = re.compile(r"\b(?:these|those|them)\b", re.IGNORECASE)
_NAME = re.compile(r"[ \t]+([^\W\d_][\w-]*)")
_LONGEST_NAME = 3
"""Longest name after a word that points [words], as in "this big red mug"."""
_STAND_INS = ("one", "thing", "object", "item", "ones", "things", "objects", "items")
_WHAT = re.compile(
    r"\W*(?:what|which|who)(?:'s|\W+(?:is|are|was))\W+(?:this|that|it|these|those)(?:\W+\w+)?\W*",
    re.IGNORECASE,
)


def settle_referents(mission: Mission) -> Procedure[Ending | None]:
    """Look up what the operator points at and put its ids into the goal; an ending if that cannot be done."""
    if not mission.prompt.objects:
        return None
    chosen: list[MissionObject] = []
    for node_id in mission.prompt.objects:
        entry = mission.palette.place(node_id) or mission.palette.control(node_id)
        if entry is not None:
            chosen.append(MissionObject(id=node_id, label=entry.label, kind="", pose=None))
            continue
        answer = yield from _recall_referent(mission, node_id)
        if isinstance(answer, str):
            return Ending(MissionState.FAILED, answer)
        chosen.append(answer)
    if _WHAT.fullmatch(mission.prompt.text):
        description = "; ".join(_described(each) for each in chosen)
        evidence = tuple(f"memory has {each.id}" for each in chosen)
        return Ending(MissionState.SUCCEEDED, f"This is {description}.", evidence)
    goal = naming(mission.prompt.text, [(each.id, each.label) for each in chosen])
    if goal is None:
        names = ", ".join(mission.prompt.objects)
        return Ending(MissionState.FAILED, f"the text does not say where {names} is meant: say 'this' for it")
    graph, _ = yield from read_scene(mission)
    mission.goal = goal
    mission.operator.other_ids = frozenset(node.id for node in graph.nodes) - {each.id for each in chosen}
    mission.decisions.news.append(
        f"the operator points at {', '.join(each.id for each in chosen)}: no other will do"
    )
    return None


def _recall_referent(mission: Mission, node_id: str) -> Procedure[MissionObject | str]:
    """Return the record of an id, which from now on means it alone; a reason if there is none."""
    term = normalize_term(node_id)
    mission.operator.referents[term] = MissionObject(id=node_id, label="", kind="object", pose=None)
    mission.say(f"recalling {node_id}")
    answer = yield from recall(mission, node_id)
    if isinstance(answer, RequestFailed):
        return f"I don't know {node_id}: memory did not answer ({answer.condition}: {answer.message})"
    if not answer.matches:
        return f"{node_id}, which you point at, is gone: {answer.message}"
    referent = mission.learn(MissionObject.from_match(answer.matches[0], node_id))
    mission.operator.referents[term] = referent
    return referent


def _described(referent: MissionObject) -> str:
    return ", ".join(filter(None, (f"{referent.label} ({referent.id})", referent.place, referent.room)))


def matches_of(mission: Mission, words: str, matches: tuple[RecallMatch, ...]) -> tuple[RecallMatch, ...]:
    """Return the detections that the words mean: of what the operator points at, that record alone.

    A detection that memory took for a new object is the record if it is where the record is.
    """
    referent = mission.referent(words)
    if referent is None:
        return matches
    own = tuple(match for match in matches if match.node_id == referent.id)
    if own:
        mission.operator.referents[normalize_term(words)] = replace(referent, pose=own[0].pose)
        return own
    if referent.pose is None:
        return ()
    at, reach = referent.pose.position, mission.settings.same_object_within
    fresh = [match for match in matches if match.node_id not in mission.operator.other_ids]
    near = sorted((dist(match.pose.position, at), match.node_id, match) for match in fresh)
    if not near or near[0][0] > reach:
        return ()
    mission.note(Same(referent.id, near[0][1]))
    return (near[0][2],)


def not_pointed_at(mission: Mission, verb: Verb, target: str) -> tuple[str, ...]:
    """Return the ids that may be grasped instead of one that is like them and not pointed at; else none."""
    target_object = mission.objects.get(target)
    if verb is not Verb.GRASP or target_object is None or not mission.operator.referents:
        return ()
    ids = {same for each in mission.operator.referents.values() for same in mission.evidence.ids_of(each.id)}
    label = target_object.label
    alike = tuple(each.id for each in mission.operator.referents.values() if _alike(each.label, label))
    return () if target in ids else alike


def _alike(first: str, second: str) -> bool:
    return answers(first, second) or answers(second, first)


def naming(text: str, chosen: Sequence[tuple[str, str]]) -> str | None:
    """Return a text in which ids stand for "this", or else for names; None if it points at fewer objects.

    Args:
        text: Text of the operator.
        chosen: Id and label of each object, in the order in which the text points at them.
    """
    many = _MANY.search(text)
    if len(chosen) > 1 and many is not None:
        end = _end_of_name(text, many.end(), chosen[0][1])
        return f"{text[: many.start()]}{' and '.join(name for name, _ in chosen)}{text[end:]}"
    for count in range(len(chosen), -1, -1):
        places = _pointers(text, count)
        named = places is not None and _naming_by_label(_pointed_at(text, places, chosen), chosen[count:])
        if named:
            return named
    return None


def _pointed_at(text: str, places: Sequence[re.Match[str]], chosen: Sequence[tuple[str, str]]) -> str:
    for pointer, (name, label) in reversed(list(zip(places, chosen, strict=False))):
        end = _end_of_name(text, pointer.end(), label)
        text = f"{text[: pointer.start()]}{_preposition(text, pointer)}{name}{text[end:]}"
    return text


def _pointers(text: str, count: int) -> list[re.Match[str]] | None:
    for length in range(1, len(_POINTERS) + 1):
        pointers = list(re.finditer(rf"\b(?:{'|'.join(_POINTERS[:length])})\b", text, re.IGNORECASE))
        if len(pointers) >= count:
            return pointers[:count]
    return None


def _preposition(text: str, pointer: re.Match[str]) -> str:
    """Return what "there" says besides the place itself, unless the word before says it."""
    before = text[: pointer.start()].lower().split()[-1:]
    if pointer[0].lower() not in ("there", "here") or before in (["to"], ["on"], ["in"], ["from"]):
        return ""
    return "to " if before and before[0] in ("go", "drive", "come", "move", "over") else "on "


def _end_of_name(text: str, start: int, label: str) -> int:
    """Return the end of a name that follows a word that points, as in "this red mug"; else ``start``."""
    ends = [start]
    while len(ends) <= _LONGEST_NAME and (word := _NAME.match(text, ends[-1])):
        ends.append(word.end())
    for end in reversed(ends[1:]):
        words = text[start:end].strip().lower()
        if words in _STAND_INS or any(_alike(label, each) for each in (words, *singulars(words))):
            return end
    return start


def _naming_by_label(text: str, chosen: Sequence[tuple[str, str]]) -> str | None:
    for name, label in chosen:
        text, count = re.subn(
            rf"\b(?:(?:the|a|an|my|our|some)\s+)?{re.escape(label)}\b",
            name,
            text,
            count=1,
            flags=re.IGNORECASE,
        )
        if not (label and count):
            return None
    return text
