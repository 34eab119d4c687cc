"""Reports and questions of the core, worded from the replies of skills, detectors and memory."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from openral_core.consent.decisions import ANSWERS
from openral_core.skills import Verb
from openral_core.text.terms import same_term
from openral_reasoner.behaviors.abilities import ask_where, examples
from openral_reasoner.compact.pending import argument, query_of
from openral_reasoner.context import ObjectSummary, ToolResult, Turn, plain
from openral_reasoner.mission import Mission
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request import goals
from openral_reasoner.request.goals import NotUnderstood, Request, is_understood, parts_of
from openral_reasoner.request.saying import in_words
from openral_reasoner.scripted.comparing import comparison_in_words, count_in_words
from openral_reasoner.scripted.looking_around import is_unnamed, view_in_words
from openral_reasoner.scripted.progress import AGAIN, GIVE_UP
from openral_reasoner.scripted.states import answer_in_words
from openral_reasoner.scripted.steps import (
    MAX_CHOICES,
    PlanFailed,
    SeenWithoutPlace,
    describe_location,
    end_of_search,
    label_of,
    outcome,
)
from openral_reasoner.search import SEEN_NOT_PLACED
from openral_reasoner.sentences.languages import question_about
from openral_reasoner.tools.exploration import VIEW

LONGEST = 500
"""Longest report or question that the tools accept [characters]."""
_OF_LOOKS = ("locate_in_view", "execute_rskill")
_MISSED = ("NOT_IN_MEMORY", "NOT_IN_VIEW", "MOVED", "NOT_FOUND", "NOT_EXPLORED", "EXPLORED")


@dataclass(frozen=True)
class MissionStory:
    """Goal of a mission with its replies so far; ``holding`` is the id of the object in the hand."""

    request: Request
    goal: str
    palette: ToolPalette
    turns: tuple[Turn, ...]
    holding: str = ""

    @classmethod
    def of(cls, mission: Mission) -> Self:
        """Return the story of a mission until now."""
        turns = tuple(mission.decisions.turns)
        return cls(mission.request, mission.goal, mission.palette, turns, mission.hand.object_id)

    @cached_property
    def acts(self) -> tuple[tuple[Verb, str, ToolResult], ...]:
        """Verb, target and reply of each skill that was executed."""
        return tuple(self._acts())

    def _acts(self) -> Iterator[tuple[Verb, str, ToolResult]]:
        for turn in self.turns:
            skill = self.palette.skill(argument(turn, "rskill_id")) if turn.tool == "execute_rskill" else None
            if skill is not None:
                yield skill.verb, argument(turn, "target"), turn.reply

    def name(self, node_id: str) -> str:
        """Return the name of an object, place or person for the operator."""
        if self.palette.place(node_id) is None:
            labels = (
                each.label for turn in reversed(self.turns) for each in turn.reply.found if each.id == node_id
            )
            return plain(next(labels, node_id), 200)
        return plain(label_of(self.palette, node_id), 200)

    def last(self, tool: str, *statuses: str) -> ToolResult | None:
        """Return the last reply of a tool, with one of some statuses."""
        replies = (turn.reply for turn in reversed(self.turns) if turn.tool == tool)
        return next((reply for reply in replies if reply.status in statuses or not statuses), None)

    def found(self, name: str) -> tuple[ObjectSummary, bool] | None:
        """Return the object that was found last for a name; the flag: it was seen, not remembered."""
        for turn in reversed(self.turns):
            query = query_of(turn)
            if query and same_term(query, name) and turn.reply.found:
                in_view = turn.tool in _OF_LOOKS or turn.reply.status == "FOUND_IN_VIEW"
                return turn.reply.found[0], in_view
        return None


def report(story: MissionStory, *, failed: bool = False) -> str:
    """Return the final message to the requester: the answers to questions, then what the robot did."""
    answers = [answer for part in parts_of(story.request) if (answer := answer_to(story, part))]
    sentences = [*answers, *deeds(story)]
    if failed:
        why = problem(story)
        sentences = [
            f"I could not do this: {goal_in_words(story)}.",
            *([f"{why}."] if why else []),
            *sentences,
        ]
    return " ".join(sentences or [f"This is done: {goal_in_words(story)}."])[:LONGEST]


def question(story: MissionStory) -> tuple[str, tuple[str, ...]]:
    """Return the question that a human is asked now, with answers to choose from."""
    waits = [part for part in parts_of(story.request) if isinstance(part, goals.WaitFor)]
    answered = any(turn.reply.status == "ANSWERED" for turn in story.turns)
    if waits and not answered:
        return f"I can't recognise people. Please answer 'yes' when {waits[0].who} is here."[
            :LONGEST
        ], ANSWERS
    if isinstance(story.request, NotUnderstood):
        text = plain(story.request.words, 200)
        here = () if story.request.language else tuple(examples(story.palette))
        return question_about(text, story.request.language, here)[:LONGEST], here[:MAX_CHOICES]
    why = problem(story)
    last = story.turns[-1].reply if story.turns else None
    if last is not None and last.status == "AMBIGUOUS" and last.valid:
        return f"{why}. Which one do you mean?"[:LONGEST], last.valid[:MAX_CHOICES]
    missing = missed(story)
    ending = ask_where(story.palette) if missing else "What should I do?"
    text = f"{why or f'I do not know how to do this: {goal_in_words(story)}'}. {ending}"
    return " ".join((*deeds(story), text))[:LONGEST], (() if missing else (AGAIN, GIVE_UP))


def missed(story: MissionStory) -> str:
    """Return the name of what the last search did not find, "" if it ended otherwise."""
    for turn in reversed(story.turns):
        query = query_of(turn)
        if turn.reply.status == "TOO_EARLY":
            continue
        return query if query and not turn.reply.found and turn.reply.status in _MISSED else ""
    return ""


def problem(story: MissionStory) -> str:
    """Return why the mission does not go on, by the last reply that was no success."""
    missing = missed(story)
    if missing:
        return f"I couldn't find {plain(missing, 100)}"
    for turn in reversed(story.turns):
        if turn.reply.found or turn.reply.status in _FINE:
            continue
        if turn.tool == "done":
            return f"It is not proven: {outcome(turn.reply)}"
        if turn.reply.in_view:
            return str(SeenWithoutPlace(turn.reply)).removesuffix(".")
        if blind := end_of_search(turn.reply, plain(query_of(turn), 100), "", 0):
            return blind.removesuffix(".")[: LONGEST // 2]
        target = argument(turn, "target")
        acting = _ACTING.get(verb_of(story, turn), turn.tool.replace("_", " "))
        subject = f" {story.name(target)}" if target else ""
        query = argument(turn, "query") or argument(turn, "reference")
        about = f"{acting}{subject}" if target or not query else f"{acting} {query}"
        return f"I couldn't {about}: {outcome(turn.reply)}"
    return ""


_FINE = frozenset(
    {
        "SUCCEEDED",
        "FOUND",
        "LISTED",
        "DESCRIBED",
        "KNOWN",
        "NOTED",
        "COMPARED",
        "PLANNED",
        "ANSWERED",
        "TOO_EARLY",
    }
)
_ACTING: Mapping[Verb | None, str] = {
    Verb.NAVIGATE: "go to",
    Verb.LOOK_AT: "look at",
    Verb.OPEN: "open",
    Verb.CLOSE: "close",
    Verb.GRASP: "grasp",
    Verb.PLACE: "put it down at",
    Verb.POUR: "pour into",
    Verb.HANDOVER: "hand it to",
    Verb.SWITCH: "switch",
    Verb.PRESS: "press",
}


def verb_of(story: MissionStory, turn: Turn) -> Verb | None:
    """Return the verb of a past step; None if its skill is gone."""
    skill = story.palette.skill(argument(turn, "rskill_id"))
    return skill.verb if skill is not None else None


def goal_in_words(story: MissionStory) -> str:
    """Return the goal as understood, else as the operator put it."""
    return in_words(story.request) if is_understood(story.request) else plain(story.goal, 200)


def deeds(story: MissionStory) -> list[str]:
    """Return a sentence for each thing that skills did with the hand."""
    deeds, held = list[str](), ""
    for verb, target, reply in story.acts:
        if reply.status != "SUCCEEDED":
            continue
        if verb is Verb.GRASP:
            held = story.name(target)
        else:
            deeds += [_DEEDS[verb](held or "object", story.name(target))] if verb in _DEEDS else []
            held = "" if verb in (Verb.PLACE, Verb.HANDOVER) else held
    if story.acts and story.acts[-1][0] is Verb.NAVIGATE and story.acts[-1][2].status == "SUCCEEDED":
        deeds.append(f"I am at {story.name(story.acts[-1][1])}.")
    if story.holding and held:
        deeds.append(f"I am holding the {held}.")
    return list(dict.fromkeys(deeds))


_DEEDS: Mapping[Verb, Callable[[str, str], str]] = {
    Verb.PLACE: lambda held, target: f"I put the {held} at the {target}.",
    Verb.HANDOVER: lambda held, target: f"I gave the {held} to {target}.",
    Verb.POUR: lambda held, target: f"I poured the {held} into the {target}.",
    Verb.OPEN: lambda held, target: f"I opened the {target}.",
    Verb.CLOSE: lambda held, target: f"I closed the {target}.",
    Verb.SWITCH: lambda held, target: f"I switched {target}.",
    Verb.PRESS: lambda held, target: f"I pressed {target}.",
}


def answer_to(story: MissionStory, part: Request) -> str:
    """Return the answer to a part of the goal; "" if it asks nothing or nothing is known."""
    answer = _ANSWERS.get(type(part))
    return answer(story, part) if answer is not None else ""


def state_answer(story: MissionStory, goal: goals.AskState) -> str:
    """Answer whether something is in a state."""
    reply = story.last("get_state", "KNOWN")
    try:
        return answer_in_words(goal, reply) if reply is not None else ""
    except PlanFailed:
        return ""


def note_answer(story: MissionStory, goal: goals.TellState) -> str:
    """Confirm a state that was told."""
    noted = story.last("note_state", "NOTED") is not None
    return f"I will remember that the {goal.what} is {goal.value}." if noted else ""


def count_answer(story: MissionStory, goal: goals.AskCount) -> str:
    """Answer how many there are."""
    reply = story.last("list_objects", "LISTED")
    return count_in_words(story.palette, goal, reply) if reply is not None else ""


def comparison_answer(story: MissionStory, goal: goals.AskCompare) -> str:
    """Answer which has the most of a property."""
    reply = story.last("compare_objects", "COMPARED")
    return comparison_in_words(goal, reply) if reply is not None else ""


def description_answer(story: MissionStory, goal: Request) -> str:
    """Say what memory has, or where the robot is and what it sees."""
    reply = story.last("describe_home", "DESCRIBED")
    explored = story.last("explore") if isinstance(goal, goals.Explore) else None
    if isinstance(goal, goals.AskView | goals.AskWhereabouts):
        is_view = reply is not None and "".join(reply.peer_words[1:]).startswith(VIEW)
        return view_answer(story, goal, reply) if reply is not None and is_view else ""
    texts = [each.text for each in (explored, reply) if each is not None and each.text]
    names = reply.peer_words if reply is not None else ()
    return " ".join(f"{text[:1].upper()}{text[1:]}." for text in (*texts, *names))


def view_answer(story: MissionStory, goal: goals.AskView | goals.AskWhereabouts, reply: ToolResult) -> str:
    """Say what a description of the view has; "" while a locator may still look for what it does not name."""
    look = story.last("locate_in_view")
    if isinstance(goal, goals.AskView) and is_unnamed(goal, reply) and story.palette.detector_available:
        if look is None:
            return ""
        if look.found:
            return f"I see the {goal.what} {describe_location(story.palette, look.found[0])}."
    return view_in_words(goal, reply)


def location_answer(story: MissionStory, goal: goals.Find) -> str:
    """Say where an object is, and if it was seen there."""
    match = story.found(goal.what)
    if match is None:
        reply = story.last("recall_object", SEEN_NOT_PLACED)
        return str(SeenWithoutPlace(reply)) if reply is not None and reply.in_view else ""
    item, in_view = match
    where = describe_location(story.palette, item)
    return f"I see the {goal.what} {where}." if in_view else f"In memory I have the {goal.what} {where}."


def contents_answer(story: MissionStory, goal: goals.LookAt | goals.LookInside) -> str:
    """Say what memory has at a place that was looked at."""
    reply = story.last("list_objects", "LISTED")
    names = ", ".join(plain(each.label, 100) for each in reply.found) if reply is not None else ""
    rest = f" I know of {names or 'no loose object'} there." if reply is not None else ""
    return f"I am looking at the {goal.what}.{rest}"


_ANSWERS: Mapping[type, Callable[[MissionStory, Any], str]] = {
    goals.AskState: state_answer,
    goals.TellState: note_answer,
    goals.AskCount: count_answer,
    goals.AskCompare: comparison_answer,
    goals.Describe: description_answer,
    goals.Explore: description_answer,
    goals.AskView: description_answer,
    goals.AskWhereabouts: description_answer,
    goals.Find: location_answer,
    goals.LookAt: contents_answer,
    goals.LookInside: contents_answer,
}
