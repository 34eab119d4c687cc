"""Tool with which a language model says what it understood, before it acts.

A statement is steps with slots, made into the goals that are judged. What a step names has to occur in the
sentence, and every object that the sentence names in a step or in what is forbidden, so that a model can
neither add to what was asked for nor leave any of it out.
"""

import re
from collections.abc import Callable, Mapping
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import override

from openral_core.errors import OpenRALError
from openral_core.missions import MissionState
from openral_core.text.noun_phrases import label_words
from openral_reasoner.behaviors.human import ask_human
from openral_reasoner.context import ToolResult
from openral_reasoner.likely_places.belief import thesaurus
from openral_reasoner.mission import Ending, Mission, Procedure, at_once
from openral_reasoner.prompt_queue import quoted
from openral_reasoner.request import goals
from openral_reasoner.request.goals import Act, NotUnderstood, Request, is_understood, phrases
from openral_reasoner.request.plain import to_plain
from openral_reasoner.request.saying import in_words
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool

NOT_STATED = ToolResult(
    status="NOT_STATED", text="call state_request first: what was asked for is not stated yet"
)
"""Reply to a call that would act on a goal which nobody has said to have understood."""
_SELF = frozenset({"me", "us", "i", "myself", "ourselves"})
_PROHIBITION = re.compile(
    r"\b(?:(?:don'?t|do not|never|mustn't|must not|shouldn't|without|not to|rather than|instead of)\W+"
    r"(?:\w+\W+)?"
    r"(?:open|clos|shut|tak|touch|enter|go|going|us|grab|pick|bring|put|mov|driv|disturb|fetch|get|look)\w*"
    r"|except|but not|not the|not my|nothing but|leave .+ alone)\b",
    re.IGNORECASE,
)
"""Words that forbid an act or exclude a thing; "it never walks over" does neither."""
_CONDITION = re.compile(
    r"^(?!.*\b(?:were|would|wouldn't|might|nobody)\b).*(?:\b(?:unless (?!I)|as soon as|in case)\b"
    r"|(?:^|[.;,] )(?:when|once|after) (?!that|this|all|you )"
    r"|(?<!see )(?<!check )(?<!know )(?<!me )"
    r"\bif (?!possible|at all|need|not|only|I (?:may|might)|you |(?:it|that)(?: is|'s)? ))",
    re.IGNORECASE,
)
"""Words that make an order depend on something; "if you would" and what is only imagined do not."""
_ASKING = re.compile(r"\b(?:whether|tell me|let me know|report|verify|check)\b|\?", re.IGNORECASE)
_VERBS = frozenset(
    {"water", "set", "open", "close", "clear", "press", "light", "book", "watch", "drink", "pop"}
)
"""Nouns that are more often verbs in an order."""


Do = Literal[
    "bring", "pick_up", "find", "go_to", "look_at", "look_inside", "open", "close", "pour",
    "turn_on", "turn_off", "press", "swap", "tidy", "clear", "set_table", "explore",
    "describe", "ask_state", "tell_state", "ask_count", "compare", "ask_view", "ask_whereabouts",
]  # fmt: skip


class Step(BaseModel):
    """One thing to do, in the words of the sentence and in the singular; a slot that is not said is empty."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    do: Do = Field(description="bring: also put, give; find: also where is")
    object: str = Field(default="", max_length=80, description="of pour: the vessel")
    count: int = Field(default=1, ge=1, le=12, description="of objects, or people at the table")
    every: bool = Field(default=False, description="bring all of them")
    source: str = Field(default="", max_length=80, description="place where it is said to be")
    to: str = Field(default="", max_length=80, description="person or place; 'me'")
    contents: str = Field(default="", max_length=80, description="what is poured or served in it")
    other: str = Field(default="", max_length=80, description="second one of swap, compare")
    state: str = Field(
        default="",
        max_length=20,
        description="on, empty; of compare: largest, nearest",
    )

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the slots."""
        return tuple(filter(None, (self.object, self.source, self.to, self.contents, self.other)))


class When(BaseModel):
    """Condition of all the steps; give no step if the sentence has another."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    arrives: str = Field(default="", max_length=80, description="person who must come first")
    found: str = Field(default="", max_length=80, description="object that must be there")
    at: str = Field(default="", max_length=80, description="place where it must be")

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the slots."""
        return tuple(filter(None, (self.arrives, self.found, self.at)))


class Ban(BaseModel):
    """Something that the sentence forbids."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    act: Act = Field(description="touch is all that a hand does")
    what: str = Field(min_length=1, max_length=80)


def may_state(mission: Mission) -> bool:
    """Return True while the model may say what a goal means: of one that is read, in its first call only."""
    return mission.unread or not (mission.decisions.goal_is_stated or mission.decisions.turns)


_STEPS = (
    f"{{{', '.join(Step.model_fields)}}}; do: {', '.join(get_args(Do))}; bring: also put, "
    "give; pour: contents into object; source: where it is; other: of swap, compare; state: on, largest"
)


class StateRequestTool(Tool):
    """Say first what the goal asks for, if it is not understood, or wrongly; success is judged by it.

    Use its words, in the singular. What is quoted, reported or denied is no step; give none if none fits.
    """

    brief = {
        "steps": {"type": "array", "items": {"type": "object"}, "description": _STEPS},
        "when": {"type": "object", "description": "{arrives: person} or {found: object, at: place}"},
        "forbidden": {
            "type": "array",
            "items": {"type": "object"},
            "description": f"{{act, what}}; act: {', '.join(Act)}",
        },
    }
    tool: Literal["state_request"] = "state_request"
    steps: tuple[Step, ...] = Field(max_length=12, description="in order")
    when: When = Field(default=When(), description="condition of all steps")
    ordered: bool = Field(default=False)
    forbidden: tuple[Ban, ...] = Field(default=(), max_length=12, description="what must not be done")

    @override
    def check(self, mission: Mission) -> None:
        if not self.steps:
            return
        try:
            check_statement(mission.goal, self.steps, self.forbidden, self.when)
            request_of(self.steps, self.forbidden, ordered=self.ordered, when=self.when)
        except UnfaithfulStatement as error:
            raise InvalidCall(
                "steps", str(error), (), f"{error}; or give no step if none can say it"
            ) from error

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.decisions.goal_is_stated = True
        before = mission.request
        if not self.steps and is_understood(before):
            return at_once(ToolResult(status="STATED", text=f"it stays understood as: {in_words(before)}"))
        if not self.steps:
            text = "noted: the mission may act, but its success cannot be proven"
            return at_once(ToolResult(status="STATED", text=text))
        request = request_of(self.steps, self.forbidden, ordered=self.ordered, when=self.when)
        if is_understood(before) and not same_request(before, request):
            return self._chosen(mission, before, request)
        if not is_understood(before):
            mission.understand(request)
        return at_once(ToolResult(status="STATED", text="success is judged by this statement"))

    def _chosen(self, mission: Mission, *requests: Request) -> Procedure[Outcome]:
        """Ask the operator which reading of the goal is meant."""
        question = f"I read {quoted(mission.goal)} in two ways. Which one do you mean?"
        readings = tuple(map(in_words, requests))
        answer = yield from ask_human(mission, question, readings)
        if answer not in readings:
            mission.request = NotUnderstood(mission.goal)
            return Ending(
                MissionState.HANDED_OVER, mission.with_caveats(f"{question} {'; or: '.join(readings)}")
            )
        mission.understand(requests[readings.index(answer)])
        return ToolResult(status="STATED", text=f"the operator means: {answer}")


class UnfaithfulStatement(OpenRALError):
    """A statement that adds to its sentence or leaves something out."""


def request_of(
    steps: tuple[Step, ...], bans: tuple[Ban, ...], *, ordered: bool, when: When | None = None
) -> Request:
    """Make a request of its steps.

    Raises:
        UnfaithfulStatement: If a step lacks a slot that it needs.
    """
    parts = tuple(map(_goal_of, steps))
    request = parts[0] if len(parts) == 1 else goals.Sequence(parts, ordered)
    if when is not None and when.found:
        request = goals.Conditional(goals.Find(when.found, when.at), request)
    if when is not None and when.arrives:
        request = goals.WaitFor(when.arrives, request)
    if not bans:
        return request
    return goals.Restricted(request, tuple(goals.Forbidden(ban.act, ban.what) for ban in bans))


def same_request(first: Request, second: Request) -> bool:
    """Return True if two readings ask for the same, in whatever forms of names, ordered or not."""
    return _canonical(to_plain(first)) == _canonical(to_plain(second))


def _canonical(value: object) -> object:
    if isinstance(value, dict):
        return {key: _canonical(each) for key, each in value.items() if key != "ordered"}
    if isinstance(value, list):
        return [_canonical(each) for each in value]
    return label_words(value) if isinstance(value, str) else value


def check_statement(
    text: str, steps: tuple[Step, ...], bans: tuple[Ban, ...], when: When | None = None
) -> None:
    """Compare a statement with its sentence.

    Raises:
        UnfaithfulStatement: Naming what is not in the sentence, or what of it is left out.
    """
    words = label_words(text)
    named = (*(name for step in steps for name in step.names), *(ban.what for ban in bans))
    named += when.names if when is not None else ()
    if added := [name for name in named if not label_words(name) - _SELF <= words]:
        listed = ", ".join(map(repr, added))
        raise UnfaithfulStatement(f"the sentence does not say {listed}: use its own words")
    covered = frozenset().union(*map(label_words, named))
    if left_out := sorted(filter(_is_thing, words - covered - _VERBS)):
        raise UnfaithfulStatement(f"no step and nothing forbidden has {', '.join(left_out)} of the sentence")
    if _ASKING.search(text) and any(step.do == "tell_state" for step in steps):
        raise UnfaithfulStatement("the sentence asks: tell_state only notes what the operator says is so")
    if _CONDITION.search(text) and (when is None or not when.names):
        raise UnfaithfulStatement("the sentence has a condition that is not in 'when'")
    if _PROHIBITION.search(text) and not bans:
        raise UnfaithfulStatement("the sentence forbids or excludes something that is not in 'forbidden'")


def _is_thing(word: str) -> bool:
    """Return True if a word names a thing of a household, and not only a person or an amount."""
    return thesaurus().knows_thing(word) and not thesaurus().relation("person", word).is_hit


def _goal_of(step: Step) -> Request:
    if missing := [slot for slot in _NEEDED.get(step.do, ("object",)) if not getattr(step, slot)]:
        raise UnfaithfulStatement(f"{step.do} needs {' and '.join(missing)}")
    goal = _GOALS[step.do](step)
    if unused := [name for name in step.names if not any(name in phrase for phrase in phrases(goal))]:
        raise UnfaithfulStatement(f"{step.do} has no place for {', '.join(map(repr, unused))}")
    return goal


def _placed(step: Step) -> str:
    return f"{step.object} in {step.source}" if step.source else step.object


def _brought(step: Step) -> Request:
    to = step.to or "me"
    if step.contents:
        return goals.BringFilled(step.object, step.contents, to)
    if step.every:
        return goals.BringEvery(step.object, to, step.source)
    if step.count > 1:
        return goals.BringSeveral(step.object, step.count, to, step.source)
    return goals.Bring(step.object, to, step.source)


_GOALS: Mapping[str, Callable[[Step], Request]] = {
    "bring": _brought,
    "pick_up": lambda step: goals.PickUp(step.object, step.source),
    "find": lambda step: goals.Find(step.object, step.source),
    "go_to": lambda step: goals.GoTo(step.to),
    "look_at": lambda step: goals.LookAt(step.object),
    "look_inside": lambda step: goals.LookInside(step.object),
    "open": lambda step: goals.MoveDoor(step.object, open=True),
    "close": lambda step: goals.MoveDoor(step.object, open=False),
    "pour": lambda step: goals.Pour(step.contents, step.object),
    "turn_on": lambda step: goals.Switch(step.object, on=True, where=step.source),
    "turn_off": lambda step: goals.Switch(step.object, on=False, where=step.source),
    "press": lambda step: goals.Press(step.object),
    "swap": lambda step: goals.Swap(step.object, step.other),
    "tidy": lambda step: goals.Tidy(step.to or step.source or step.object),
    "clear": lambda step: goals.Clear(step.source or step.object, step.to),
    "set_table": lambda step: goals.SetTable(step.count, "", step.to or "table"),
    "explore": lambda step: goals.Explore(step.to or step.source or step.object),
    "describe": lambda step: goals.Describe(step.to or step.source or step.object),
    "ask_state": lambda step: goals.AskState(_placed(step), step.state),
    "tell_state": lambda step: goals.TellState(step.object, step.state),
    "ask_count": lambda step: goals.AskCount(step.object, step.source),
    "compare": lambda step: goals.AskCompare(step.object, step.state, step.source, step.other, step.to),
    "ask_view": lambda step: goals.AskView(),
    "ask_whereabouts": lambda step: goals.AskWhereabouts(),
}
_NEEDED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("tidy", "clear", "set_table", "explore", "describe", "ask_view", "ask_whereabouts"), ()),
    "go_to": ("to",),
    "pour": ("object", "contents"),
    "swap": ("object", "other"),
    "ask_state": ("object", "state"),
    "tell_state": ("object", "state"),
    "compare": ("object", "state"),
}
"""Slots that a step needs, other than its object."""
